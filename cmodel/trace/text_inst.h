/* SPDX-License-Identifier: Apache-2.0 */
/* One instruction of the text form. */
#ifndef MEMTWIN_TEXT_INST_H
#define MEMTWIN_TEXT_INST_H
#include <stdio.h>

#include "trace/inst.h"

/* What a line may leave out: the pc that follows the instruction before, and the lanes that hold a thread. */
struct text_defaults {
    uint32_t pc, lanes;
};

#define TEXT_PC_STEP 8

/* Cuts `line` up. NULL, or what is wrong, written into `fault`. */
const char *text_parse_inst(char *line, const struct text_defaults *defaults, struct inst *inst, char *fault,
                            size_t size);
void text_print_inst(FILE *to, const struct text_defaults *defaults, const struct inst *inst);
/* Is `key` one of `keys`, up to NULL, that was seen before on its line?  Notes it in `seen`, 0 at the line's begin. */
bool text_seen(const char *const *keys, const char *key, uint32_t *seen);
#endif
