/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction of the text form. */
#ifndef MEMTWIN_TEXT_INST_H
#define MEMTWIN_TEXT_INST_H
#include <stdio.h>

#include "trace/inst.h"

/* Defaults of a line: the pc after the previous instruction, and the lanes that hold a thread. */
struct text_defaults {
    uint32_t pc, lanes;
};

#define TEXT_PC_STEP 8

/* Parses `line`.  NULL, or an error text in `fault`. */
const char *text_parse_inst(char *line, const struct text_defaults *defaults, struct inst *inst, char *fault,
                            size_t size);
void text_print_inst(FILE *to, const struct text_defaults *defaults, const struct inst *inst);
/* Whether `key`, one of `keys` (up to NULL), was already on the line.  Marks it in `seen`, which is 0 at the start
 * of a line. */
bool text_seen(const char *const *keys, const char *key, uint32_t *seen);
#endif
