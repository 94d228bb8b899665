/* SPDX-License-Identifier: Apache-2.0 */
#include "system/uvm/pcie.h"

#include "system/unit/ring.h"
#include "system/unit/unit.h"

#define PS_PER_S UINT64_C(1000000000000)

enum { SIZES = 10, SMALLEST_SHIFT = 12 }; /* 4 KiB, 8 KiB ... 2 MiB */

struct lane {
    struct ring queue;     /* the first is in progress */
    uint64_t started, end; /* end of the transfer in progress; NEVER: none */
    struct pcie_counts counts;
};

struct pcie {
    uint64_t ps[SIZES]; /* of a transfer of 4 KiB << i */
    uint32_t khz;       /* of the SMs */
    struct lane lane[PCIE_DIRECTIONS];
};

static uint64_t size_of(uint32_t i)
{
    return (uint64_t)1 << (SMALLEST_SHIFT + i);
}

static void fill_table(struct pcie *p, const struct config *c)
{
    const uint32_t mibps[SIZES] = {c->pcie_mibps_4k,  c->pcie_mibps_8k,   c->pcie_mibps_16k,  c->pcie_mibps_32k,
                                   c->pcie_mibps_64k, c->pcie_mibps_128k, c->pcie_mibps_256k, c->pcie_mibps_512k,
                                   c->pcie_mibps_1m,  c->pcie_mibps_2m};
    for (uint32_t i = 0; i < SIZES; i++) p->ps[i] = size_of(i) * (PS_PER_S >> 20) / mibps[i];
}

struct pcie *pcie_create(const struct config *c, struct error *err)
{
    struct pcie *p = calloc(1, sizeof *p);
    bool ok = p;
    for (int d = 0; ok && d < PCIE_DIRECTIONS; d++) {
        /* mutant: 64 + 1: more memory than is needed */
        ok = ring_init_growing(&p->lane[d].queue, sizeof(struct pcie_transfer), 64);
        p->lane[d].end = NEVER;
    }
    if (!ok) {
        pcie_destroy(p);
        return error_set(err, "pcie: out of memory"), NULL;
    }
    p->khz = c->clock_sm_khz;
    fill_table(p, c);
    return p;
}

void pcie_destroy(struct pcie *p)
{
    if (!p) return;
    for (int d = 0; d < PCIE_DIRECTIONS; d++) ring_free(&p->lane[d].queue);
    free(p);
}

static uint64_t picoseconds(const struct pcie *p, uint64_t bytes)
{
    uint32_t i = 0;
    /* mutant: < -> <= (2): at a size of the table the intervals on both sides give its value */
    while (i < SIZES - 1 && size_of(i) < bytes) i++;
    if (i == 0 || bytes > size_of(i)) return (uint64_t)((unsigned __int128)p->ps[i] * bytes / size_of(i));
    uint64_t more = size_of(i) - bytes; /* first table size above it; the size below is half of that */
    __int128 less = ((__int128)p->ps[i] - (__int128)p->ps[i - 1]) * more / (__int128)size_of(i - 1);
    return (uint64_t)((__int128)p->ps[i] - less);
}

uint64_t pcie_cycles(const struct pcie *p, uint64_t bytes)
{
    uint64_t cycles = (uint64_t)(((unsigned __int128)picoseconds(p, bytes) * p->khz + 500000000) / 1000000000);
    return cycles ? cycles : 1;
}

static void start(struct pcie *p, struct lane *l, uint64_t now)
{
    const struct pcie_transfer *t = ring_peek(&l->queue);
    l->started = now;
    l->end = t ? now + pcie_cycles(p, (uint64_t)t->pages << SMALLEST_SHIFT) : NEVER;
}

bool pcie_send(struct pcie *p, enum pcie_direction d, const struct pcie_transfer *t, uint64_t now)
{
    struct lane *l = &p->lane[d];
    if (!ring_put(&l->queue, t)) return false;
    if (l->end == NEVER) start(p, l, now);
    return true;
}

bool pcie_ended(struct pcie *p, enum pcie_direction d, uint64_t now, struct pcie_transfer *t)
{
    struct lane *l = &p->lane[d];
    if (l->end > now) return false;
    *t = *(const struct pcie_transfer *)ring_peek(&l->queue);
    ring_pop(&l->queue);
    l->counts.transfers++;
    l->counts.pages += t->pages;
    l->counts.busy_cycles += l->end - l->started;
    start(p, l, now);
    return true;
}

uint64_t pcie_wake(const struct pcie *p)
{
    uint64_t a = p->lane[PCIE_TO_DEVICE].end, b = p->lane[PCIE_TO_HOST].end;
    return a < b ? a : b;
}

struct pcie_counts pcie_counts(const struct pcie *p, enum pcie_direction d, uint64_t now)
{
    const struct lane *l = &p->lane[d];
    struct pcie_counts counts = l->counts;
    if (l->end != NEVER) counts.busy_cycles += now - l->started;
    return counts;
}
