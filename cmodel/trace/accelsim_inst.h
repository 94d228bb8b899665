/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction line of an Accel-Sim trace. */
#ifndef MEMTWIN_ACCELSIM_INST_H
#define MEMTWIN_ACCELSIM_INST_H
#include <stddef.h>

#include "trace/accelsim.h"
#include "trace/accelsim_bulk.h"
#include "trace/encoded.h"
#include "trace/lines.h"

/* Fields of a kernel's header that affect its instruction lines. */
struct accelsim_format {
    uint32_t version;     /* of the tracer; below 3 a line starts with its thread block and warp */
    bool line_numbers;    /* -enable lineinfo = 1 */
    uint64_t shared_base; /* windows of generic addresses; 0: none */
    uint64_t local_base;
    uint64_t threads; /* threads of the grid: local memory is interleaved over them */
    uint32_t block_threads;
};

/* Position of the warp. */
struct accelsim_warp {
    uint64_t first_thread; /* in the grid */
    uint32_t lanes;        /* lanes that hold a thread */
    bool last;             /* last line of the warp: EXIT becomes an instruction only there */
};

#define HEAD_BYTES 64u /* with a program counter and a mask before it, no more than LINE_SLACK */

/* An instruction up to its addresses.  Every warp that executes it repeats its text, with its own mask.  The
 * fields of a repeated line come first, so that they share a cache line of the host with most texts. */
struct accelsim_head {
    uint64_t pc_text;                 /* its program counter, see split_line(); 0: a free place */
    struct encoder_template template; /* of the instruction, if `simple` */
    uint32_t pc;
    uint8_t length;        /* of the text */
    bool addresses;        /* they follow */
    bool simple;           /* any line with an active lane gives the same instruction, without faults or losses */
    char text[HEAD_BYTES]; /* after the mask: up to the addresses, or else with the newline */
    char opcode[32];       /* up to the first '.' */
    uint8_t class;         /* enum opcode_class */
    uint8_t size;          /* of an access in bytes; 0: one that a lane cannot make */
    uint8_t dropped;       /* source registers beyond INST_MAX_SRC */
    uint8_t registers;     /* of all kinds, destinations and sources */
    bool second;           /* a second destination register */
    bool around;           /* bypasses the L1D */
    uint8_t loss;          /* enum accelsim_loss, of each such instruction */
    uint16_t width;        /* the field before the addresses */
    uint16_t count;        /* inst.count */
    uint8_t dst, src[INST_MAX_SRC];
};

enum { ACCELSIM_SET_BITS = 10, ACCELSIM_SETS = 1 << ACCELSIM_SET_BITS, ACCELSIM_WAYS = 4 };

/* State of parsing; all zero at the start. */
struct accelsim_parser {
    struct accelsim_format format;
    struct accelsim_counts counts;
    char fault[256];
    struct accelsim_head heads[ACCELSIM_SETS][ACCELSIM_WAYS]; /* the latest, by a hash of the text */
    uint32_t replaced;                                        /* of them */
    struct accelsim_head latest;                              /* the one that is being parsed */
    uint64_t mask_text;                                       /* a mask's 8 digits, and its value */
    uint32_t mask;
    uint64_t chunk;                     /* of the encoder that takes the instructions: set by the caller */
    struct accelsim_format last_format; /* of the kernel before */
    struct accelsim_bulk bulk;
};

/* After the header: the meaning of a line since version 6 depends on it. */
void accelsim_begin_kernel(struct accelsim_parser *p);

enum accelsim_kind {
    ACCELSIM_ONE,
    ACCELSIM_NONE, /* a line that is no instruction */
    ACCELSIM_BULK  /* those of the parser's `bulk`, with the other fields of `inst` */
};

/* An instruction as the encoder takes it. */
struct accelsim_inst {
    uint8_t kind;               /* enum accelsim_kind */
    struct accelsim_head *head; /* until the next line */
    struct encoder_template *template;
    bool repeats; /* the template is known, so `inst` has only its mask */
    bool plain;   /* no addresses and no losses: the same text is the same instruction in all warps of these lanes */
    struct inst inst; /* without addresses */
    struct pattern addresses;
};

/* Parses `line`, which is overwritten and lies in LINE_SLACK more bytes than it has (lines.h).  NULL, or an error text.
 * The caller checks the instruction by inst_fault(). */
const char *accelsim_parse(struct accelsim_parser *parser, char *line, const struct accelsim_warp *warp,
                           struct accelsim_inst *inst);

/* The same for a line that ends in a newline, and differs from one that was parsed only in its mask and addresses.
 * Returns its length, or 0: any other line, or a wrong one.  Nothing is overwritten. */
size_t accelsim_parse_again(struct accelsim_parser *parser, char *text, const struct accelsim_warp *warp,
                            struct accelsim_inst *inst);
#endif
