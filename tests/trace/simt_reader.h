/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of the SIMT layer: kernels of a few lines, and reading a source in different orders. */
#ifndef MEMTWIN_SIMT_READER_H
#define MEMTWIN_SIMT_READER_H
#include <string.h>

#include "trace/kernels.h"

/* State of a small kernel: two arrays of ints to play with. */
struct small {
    gi32 in, out;
    gf32 f;
    gu32 u;
};

bool small_check(struct host *h, void *state, struct error *err); /* always right */
struct small *small_arrays(struct host *h, void *state);          /* in[i] = i; 1024 elements each */

/* Defines `stem`, a workload of one launch of `body`. */
#define SMALL_KERNEL(stem, body, blocks, threads, registers, shared)                                                   \
    static void stem##_host(struct host *h, void *state)                                                               \
    {                                                                                                                  \
        simt_launch(h, &(struct launch){.name = #stem,                                                                 \
                                        .kernel = body,                                                                \
                                        .args = small_arrays(h, state),                                                \
                                        .grid = {blocks},                                                              \
                                        .block = {threads},                                                            \
                                        .regs = registers,                                                             \
                                        .shared_bytes = shared});                                                      \
    }                                                                                                                  \
    static const struct kernel_def stem = {                                                                            \
        .name = #stem, .state_bytes = sizeof(struct small), .host = stem##_host, .check = small_check};

/* All instructions of the first thread block's first warp, up to `max`; SOURCE_ERROR ends the test unless `err` is
 * given. */
uint32_t read_warp(const struct kernel_def *def, struct inst *to, uint32_t max, struct error *err);
/* Executes all of it and hands out the array named "out"; the source stays open in *source. */
const int32_t *run_small(const struct kernel_def *def, struct source **source);

enum reading_order {
    ROUND_ROBIN,     /* an instruction of each warp in turn, a thread block after the other */
    WARP_BY_WARP,    /* each warp up to its barrier or end */
    RANDOM_BLOCKS,   /* up to 7 blocks open, a random warp of a random one, no warp past a barrier that others have not
                        reached */
    WARP_TO_THE_END, /* all of a warp before the next one: past barriers that others have not reached */
    ORDERS
};

struct reading {
    const char *spec; /* that kernel_reading() opened; NULL otherwise */
    uint64_t
        hash; /* of each warp's instructions, kernel, thread block and number; independent of the order of reading */
    uint64_t kernels, warps, ops[INST_OPS], lines[INST_OPS]; /* lines of 128 bytes that the global instructions touch */
};

bool read_source(struct source *source, enum reading_order order, uint64_t seed, struct reading *r, struct error *err);
#endif
