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

/* An instruction up to its source registers.  Every warp that executes it repeats its text. */
struct accelsim_head {
    uint32_t pc;
    uint32_t length; /* of the text; 0: a free place */
    char text[60];
    char opcode[32]; /* up to the first '.' */
    uint8_t class;   /* enum opcode_class */
    uint8_t size;    /* of an access in bytes; 0: one that a lane cannot make */
    uint8_t dropped; /* source registers beyond INST_MAX_SRC */
    uint8_t dst, src[INST_MAX_SRC];
};

#define ACCELSIM_HEADS 1024

/* State of parsing; all zero at the start. */
struct accelsim_parser {
    struct accelsim_format format;
    struct accelsim_counts counts;
    char fault[256];
    struct accelsim_head heads[ACCELSIM_HEADS]; /* the latest of each place */
};

/* Parses `line`, which is overwritten.  NULL, or an error text. */
const char *accelsim_parse(struct accelsim_parser *parser, char *line, const struct accelsim_warp *warp,
                           struct inst *inst);
#endif
