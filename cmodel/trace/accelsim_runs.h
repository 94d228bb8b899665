/* SPDX-License-Identifier: Apache-2.0 */
/* Runs: lines of a warp without addresses, one after another, with their code.  Warps that execute the same repeat
 * them: then their text is neither parsed nor encoded. */
#ifndef MEMTWIN_ACCELSIM_RUNS_H
#define MEMTWIN_ACCELSIM_RUNS_H
#include "trace/accelsim_inst.h"
#include "trace/encoded.h"
#include "trace/lines.h"

#define RUN_BYTES 960u
struct accelsim_run {
    struct encoder_run code;
    uint32_t length, count, last_pc; /* of the text; lines; of the last line */
    bool whole;                      /* a line of another kind followed */
    uint8_t losses[LOSSES + 1];      /* of its instructions */
    char text[RUN_BYTES];
};

enum { RUN_SET_BITS = 8, RUN_SETS = 1 << RUN_SET_BITS, RUN_WAYS = 4 };

/* The latest runs; all zero at the start. */
struct accelsim_runs {
    uint64_t tag[RUN_SETS][RUN_WAYS]; /* a hash of the place before the run and of its text */
    struct accelsim_run run[RUN_SETS][RUN_WAYS];
    uint32_t replaced;
};

/* The lines of a warp that become a run; its last fields are zero at the start. */
struct accelsim_open_run {
    struct lines *lines;
    struct encoder *encoder;
    uint32_t warp;
    struct encoder_place from;
    uint32_t length, count, last_pc;
    bool behind; /* a whole run: the next line begins none */
    uint8_t losses[LOSSES + 1];
};

/* Takes the next lines of the warp, which has `left` left, and puts their instructions; NULL: they are no run, or one
 * is open. */
const struct accelsim_run *accelsim_run_take(struct accelsim_runs *runs, struct accelsim_open_run *open, uint64_t left);

/* Adds a line that accelsim_parse_again() read, after its instruction was put; `last` of the warp. */
void accelsim_run_add(struct accelsim_runs *runs, struct accelsim_open_run *open, const struct accelsim_inst *i,
                      size_t length, bool last);
/* Any other line follows, which was taken, but its instruction is still to be put.  `after`: its bytes, with the
 * newline; 0: lines_next() returned it. */
void accelsim_run_close(struct accelsim_runs *runs, struct accelsim_open_run *open, size_t after);
#endif
