/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin probe: drives one component from standard input. */
#ifndef MEMTWIN_PROBE_H
#define MEMTWIN_PROBE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/machine.h"

#define PROBE_WORDS 16

struct probe {
    struct machine_choice machine;
    const char *component, *cache, *rtl; /* cache: "l1d" or "l2", for a miss file's sizes; rtl: blocks as
                                          * RTL */
    uint64_t latency;                    /* l1d: cycles from a miss to its fill; 0: not given */
    bool cache_given;
    FILE *input;
    uint64_t line; /* line number, from 1 */
    char *text;
    size_t room;
    char *words[PROBE_WORDS]; /* words of the line, separated by blanks or commas */
    uint32_t word_count;
};

/* Reads the next non-empty line; false at the end or after an error. */
bool probe_next(struct probe *p, struct error *err);
/* Parses word `i` as a number, decimal or 0x, up to `most`.  An error names the line and `what`, the value expected. */
bool probe_number(const struct probe *p, uint32_t i, const char *what, uint64_t most, uint64_t *number,
                  struct error *err);
/* Error "standard input:LINE: found WORD, expected WHAT"; always false. */
bool probe_wrong(const struct probe *p, uint32_t word, const char *expected, struct error *err);

/* Parses the next line as an access, "CYCLE R|W ADDRESS".  CYCLE is not below `*cycle`, ADDRESS at most `most`.
 * False at the end or after an error. */
bool probe_access(struct probe *p, uint64_t most, uint64_t *cycle, bool *write, uint64_t *address, struct error *err);

/* The components: each reads all input and prints one outcome per line. */
bool probe_miss_file(struct probe *p, struct error *err);
bool probe_l1d(struct probe *p, struct error *err);
bool probe_dram(struct probe *p, struct error *err);
#endif
