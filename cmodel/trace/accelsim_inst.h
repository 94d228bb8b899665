/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction line of an Accel-Sim trace. */
#ifndef MEMTWIN_ACCELSIM_INST_H
#define MEMTWIN_ACCELSIM_INST_H
#include <stddef.h>

#include "trace/accelsim.h"

/* Fields of a kernel's header that affect its instruction lines. */
struct accelsim_format {
    uint32_t version;     /* of the tracer; below 3 a line starts with its thread block and warp */
    bool line_numbers;    /* -enable lineinfo = 1 */
    uint64_t shared_base; /* generic addresses from here up to local_base are shared memory, if both are set */
    uint64_t local_base;
    uint64_t threads; /* threads of the grid: local memory is interleaved over them */
};

/* Position of the warp. */
struct accelsim_warp {
    uint64_t first_thread; /* in the grid */
    uint32_t lanes;        /* lanes that hold a thread */
    bool last;             /* last line of the warp: EXIT becomes an instruction only there */
};

/* Parses `line`.  NULL, or an error text in `fault`. */
const char *accelsim_parse(char *line, const struct accelsim_format *format, const struct accelsim_warp *warp,
                           struct inst *inst, struct accelsim_counts *counts, char *fault, size_t size);
#endif
