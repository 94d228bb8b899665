/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin probe: one component alone, driven from standard input. */
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
    const char *component, *cache, *rtl; /* cache: "l1d" or "l2", whose sizes a miss file gets; rtl: blocks as RTL */
    uint64_t latency;                    /* l1d: cycles from a miss to its fill; 0: not given */
    bool cache_given;
    FILE *input;
    uint64_t line; /* of the input, from 1 */
    char *text;
    size_t room;
    char *words[PROBE_WORDS]; /* of the line, blanks and commas apart */
    uint32_t word_count;
};

/* The next line that holds anything but a comment; false at the end or after an error. */
bool probe_next(struct probe *p, struct error *err);
/* Word `i` as a number, decimal or 0x, up to `most`. Sets an error with the line and the expected words. */
bool probe_number(const struct probe *p, uint32_t i, const char *what, uint64_t most, uint64_t *number,
                  struct error *err);
/* "standard input:LINE: found WORD, expected WHAT"; always false. */
bool probe_wrong(const struct probe *p, uint32_t word, const char *expected, struct error *err);

/* The next line as an access, "CYCLE R|W ADDRESS", not before cycle `*cycle`, the address up to `most`; false at the
 * end or after an error. */
bool probe_access(struct probe *p, uint64_t most, uint64_t *cycle, bool *write, uint64_t *address, struct error *err);

/* The components: each reads until the end of the input and prints one outcome a line. */
bool probe_miss_file(struct probe *p, struct error *err);
bool probe_l1d(struct probe *p, struct error *err);
bool probe_dram(struct probe *p, struct error *err);
#endif
