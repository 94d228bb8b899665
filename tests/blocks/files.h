/* SPDX-License-Identifier: Apache-2.0 */
/* Both MSHR files behind one way to drive them, a cycle at a time, for the tests of this folder. */
#ifndef MEMTWIN_TESTS_BLOCKS_FILES_H
#define MEMTWIN_TESTS_BLOCKS_FILES_H
#include <criterion/criterion.h>
#include <stdlib.h>

#include "dl_mshr.h"
#include "mshr.h"

/* One cycle: the inputs, and after dl_cycle() or mshr_cycle() the outputs. */
static inline void dl_cycle(struct dl_mshr *m, struct dl_mshr_in *in, struct dl_mshr_out *out)
{
    dl_mshr_eval(m, in, out);
    dl_mshr_tick(m, in);
    *in = (struct dl_mshr_in){.drain_ready_i = in->drain_ready_i};
}

static inline void mshr_cycle(struct mshr *m, struct mshr_in *in, struct mshr_out *out)
{
    mshr_eval(m, in, out);
    mshr_tick(m, in);
    *in = (struct mshr_in){.drain_ready_i = in->drain_ready_i};
}

static inline struct dl_mshr *dl_new(uint32_t sets, uint32_t slots, uint32_t reserved, uint32_t tail_ptr,
                                     uint32_t data_w)
{
    struct dl_mshr *m = calloc(1, sizeof *m);
    const struct dl_mshr_cfg cfg = {.Sets = sets,
                                    .Slots = slots,
                                    .AddrW = 41,
                                    .InfoW = 24,
                                    .DataW = data_w,
                                    .GateCmp = 1,
                                    .TailPtr = tail_ptr,
                                    .Reserved = reserved};
    dl_mshr_init(m, &cfg);
    return m;
}

static inline struct mshr *mshr_new(uint32_t entries, uint32_t slots, uint32_t data_w)
{
    struct mshr *m = calloc(1, sizeof *m);
    const struct mshr_cfg cfg = {.Entries = entries, .Slots = slots, .AddrW = 41, .InfoW = 24, .DataW = data_w};
    mshr_init(m, &cfg);
    return m;
}
#endif
