/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/accelsim_mbarriers.h"

#include <string.h>

#include "base/arith.h"

/* Of a warp at an mbarrier, so far. */
struct progress {
    uint32_t arrivals, tests, needed;
};

void accelsim_mbarriers_clear(struct accelsim_mbarriers *m)
{
    if (m->used) memset(m, 0, sizeof *m);
}

void accelsim_mbarriers_note(struct accelsim_mbarriers *m, uint32_t warp, const struct inst *inst)
{
    struct accelsim_mbarrier_use *by = &m->by[warp][inst->size];
    const bool test = inst->op == INST_AWAIT;
    m->used = true;
    m->tested |= test;
    by->tests += test;
    by->arrivals += !test;
    m->arrivals[inst->size] += !test;
}

/* Arrivals that the warp's next test needs beyond those that its tests before have needed. */
static uint16_t more_arrivals(const struct accelsim_mbarriers *m, const struct accelsim_mbarrier_use *by,
                              uint8_t number, struct progress *p)
{
    const uint64_t all = m->arrivals[number], part = (++p->tests * all + by->tests - 1) / by->tests;
    const uint64_t possible = all - (by->arrivals - p->arrivals);
    const uint64_t more = min_u64(min_u64(part, possible) - p->needed, UINT16_MAX);
    p->needed += (uint32_t)more;
    return (uint16_t)more;
}

static void resolve(const struct accelsim_mbarriers *m, uint32_t warp, struct inst *i, struct progress *of,
                    struct accelsim_counts *counts)
{
    struct progress *p = &of[i->size];
    if (i->op == INST_ARRIVE) {
        p->arrivals++;
        return;
    }
    const bool waits = m->arrivals[i->size];
    counts->loss[waits ? LOSS_mbarrier_tests : LOSS_mbarrier_waits]++;
    if (waits) {
        i->count = more_arrivals(m, &m->by[warp][i->size], i->size, p);
    } else {
        i->op = INST_INT;
        i->size = 0;
    }
}

static const char *put_warp(const struct accelsim_mbarriers *m, uint32_t warp, struct block_stream *from,
                            struct encoder *to, struct accelsim_counts *counts)
{
    struct progress of[INST_MBARRIERS] = {0};
    struct inst i = {.op = INST_INT};
    struct error err;
    while (i.op != INST_EXIT) {
        if (chunk_next_inst(from, warp, &i, &err) != SOURCE_OK) return "a damaged thread block";
        if (inst_is_memory(i.op)) inst_fill(&i);
        if (inst_has_mbarrier(i.op)) resolve(m, warp, &i, of, counts);
        const char *fault = encoder_put(to, warp, &i);
        if (fault) return fault;
    }
    return NULL;
}

const char *accelsim_mbarriers_put(const struct accelsim_mbarriers *m, struct block_stream *from, struct encoder *to,
                                   uint32_t warps, struct accelsim_counts *counts)
{
    for (uint32_t w = 0; w < warps; w++) {
        const char *fault = put_warp(m, w, from, to, counts);
        if (fault) return fault;
    }
    return NULL;
}
