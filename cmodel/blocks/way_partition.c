/* SPDX-License-Identifier: Apache-2.0 */
#include "way_partition.h"

struct wires {
    bool bad, under;            /* under: the kernel has fewer lines in the set than ways in the allocation */
    uint32_t free, others, own; /* ways that may be taken: without a line, of kernels above, of the kernel itself */
};

static uint32_t owner_of(const struct way_partition *m, const struct way_partition_in *in, uint32_t way)
{
    const uint32_t width = bits_index(m->p.Kernels);
    return in->ask_owners_i >> (way * width) & (uint32_t)bits_mask(width);
}

static uint32_t order_of(const struct way_partition *m, const struct way_partition_in *in, uint32_t way)
{
    const uint32_t width = bits_index(m->p.Ways);
    return (uint32_t)(in->ask_order_i >> (way * width) & bits_mask(width));
}

static uint32_t allocation_of(const struct way_partition *m, const struct way_partition_in *in, uint32_t kernel)
{
    const uint32_t width = WAY_PARTITION_WAYS_W(&m->p);
    return in->ask_alloc_i >> (kernel * width) & (uint32_t)bits_mask(width);
}

/* Ways with a line of the kernel. */
static uint32_t lines_of(const struct way_partition *m, const struct way_partition_in *in, uint32_t kernel)
{
    uint32_t lines = 0;
    for (uint32_t i = 0; i < m->p.Ways; i++)
        lines |= (uint32_t)((in->ask_filled_i >> i & 1) && owner_of(m, in, i) == kernel) << i;
    return lines;
}

static uint32_t count(uint32_t lines)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < WAY_PARTITION_MAX_WAYS; i++) n += lines >> i & 1;
    return n;
}

static void all_wires(const struct way_partition *m, const struct way_partition_in *in, struct wires *w)
{
    const uint32_t open = ~(uint32_t)in->ask_held_i & (uint32_t)bits_mask(m->p.Ways);
    uint32_t known = 0;
    w->free = ~(uint32_t)in->ask_filled_i & open;
    w->others = 0;
    w->own = 0;
    w->under = false;
    for (uint32_t k = 0; k < m->p.Kernels; k++) {
        const uint32_t lines = lines_of(m, in, k), n = count(lines), ways = allocation_of(m, in, k);
        const bool asks = in->ask_kernel_i == k;
        known |= lines;
        w->under = w->under || (asks && n < ways);
        w->own |= asks ? lines & open : 0;
        w->others |= n > ways ? lines & open : 0;
    }
    w->bad = in->ask_valid_i && (in->ask_kernel_i >= m->p.Kernels || (in->ask_filled_i & ~known) != 0);
}

/* The line used least recently of these ways: one bit, or none. */
static uint32_t oldest(const struct way_partition *m, const struct way_partition_in *in, uint32_t ways)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < m->p.Ways; i++) {
        bool wins = (ways >> i & 1) != 0;
        for (uint32_t j = 0; j < m->p.Ways; j++) {
            const uint32_t mine = order_of(m, in, i), other = order_of(m, in, j);
            wins = wins && !((ways >> j & 1) && (other < mine || (other == mine && j < i)));
        }
        first |= (uint32_t)wins << i;
    }
    return first;
}

void way_partition_init(struct way_partition *m, const struct way_partition_cfg *cfg)
{
    m->p = *cfg;
    way_partition_reset(m);
}

void way_partition_reset(struct way_partition *m)
{
    m->error_q = WAY_PARTITION_OK;
}

void way_partition_eval(const struct way_partition *m, const struct way_partition_in *in, struct way_partition_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    const bool takes = w.free == 0 && w.under && w.others != 0;
    const uint32_t lines = oldest(m, in, takes ? w.others : w.own);
    const uint32_t way = in->ask_valid_i ? (w.free != 0 ? w.free & (0 - w.free) : lines) : 0;
    out->ask_ok_o = way != 0;
    out->ask_others_o = in->ask_valid_i && takes;
    out->ask_way_o = 0;
    for (uint32_t i = 0; i < m->p.Ways; i++)
        if (way >> i & 1) out->ask_way_o |= (uint8_t)i;
    out->error_o = m->error_q;
}

void way_partition_tick(struct way_partition *m, const struct way_partition_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    m->error_q = m->error_q ? m->error_q : w.bad ? WAY_PARTITION_ERROR_KERNEL : WAY_PARTITION_OK;
}

bool way_partition_idle(const struct way_partition *m)
{
    (void)m;
    return true;
}

void way_partition_skip(struct way_partition *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
