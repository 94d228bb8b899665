/* SPDX-License-Identifier: Apache-2.0 */
/* Mbarriers of a thread block: which copies a test waits for.
 *
 * A trace has one warp after the other, so it does not tell which copies come before a test of another warp.  It has no
 * phases either: the parity that a test waits for is in a register.  So the j-th of a warp's m tests of an mbarrier
 * waits for j/m of the thread block's arrivals there, rounded up, but for no later one of its own warp. */
#ifndef MEMTWIN_ACCELSIM_MBARRIERS_H
#define MEMTWIN_ACCELSIM_MBARRIERS_H
#include "trace/accelsim.h"
#include "trace/check.h"
#include "trace/encoded.h"

/* Its number: by its place in shared memory.  Those that are 2 KiB apart are one. */
static inline uint8_t accelsim_mbarrier(uint64_t address)
{
    return (uint8_t)(address / sizeof(uint64_t) % INST_MBARRIERS);
}

/* Of the current thread block. */
struct accelsim_mbarriers {
    bool used, tested;
    uint32_t arrivals[INST_MBARRIERS];
    struct accelsim_mbarrier_use {
        uint32_t arrivals, tests;
    } by[TRACE_MAX_WARPS][INST_MBARRIERS];
};

void accelsim_mbarriers_clear(struct accelsim_mbarriers *m);
/* An INST_ARRIVE, or an INST_AWAIT whose count is not known yet. */
void accelsim_mbarriers_note(struct accelsim_mbarriers *m, uint32_t warp, const struct inst *inst);
/* Puts the thread block of `from` into an encoder that has begun it, each INST_AWAIT with its count.  One of an
 * mbarrier without arrivals becomes an INST_INT.  Returns NULL or an error text. */
const char *accelsim_mbarriers_put(const struct accelsim_mbarriers *m, struct block_stream *from, struct encoder *to,
                                   uint32_t warps, struct accelsim_counts *counts);
#endif
