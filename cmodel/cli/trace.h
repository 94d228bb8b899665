/* SPDX-License-Identifier: Apache-2.0 */
/* What the verbs of `memtwin trace` share. */
#ifndef MEMTWIN_TRACE_COMMAND_H
#define MEMTWIN_TRACE_COMMAND_H
#include <argp.h>

#include "trace/text.h"
#include "trace/walk.h"

struct trace_arguments {
    const char *path, *output, *csv;
    uint64_t seed;
    bool json;
    struct text_part part;
};

enum { KEY_JSON = 256, KEY_SEED, KEY_KERNEL, KEY_BLOCK, KEY_CSV, KEY_FORMAT };

/* For argp: fills the arguments, one workload among them; each verb lists the options that it knows. */
error_t trace_parse(int key, char *text, struct argp_state *state);

/* On a terminal, a line that says how far it is; `shown` is UINT32_MAX at first.  `verify`: a built-in kernel's results
 * are compared when all is read. */
struct trace_progress trace_show_progress(uint32_t *shown, bool verify);
void trace_end_progress(void);

/* The first column of a table: as wide as its longest name. */
#define NAME_WIDTH 24
int trace_name_width(int width, const char *name);

int trace_pages(int argc, char **argv);
#endif
