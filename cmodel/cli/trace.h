/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the verbs of `memtwin trace`. */
#ifndef MEMTWIN_TRACE_COMMAND_H
#define MEMTWIN_TRACE_COMMAND_H
#include <argp.h>

#include "trace/text.h"
#include "trace/walk.h"

struct trace_arguments {
    const char *path, *output, *csv;
    uint64_t seed;
    uint32_t sms, bits;
    bool json, blocks;
    struct text_part part;
};

enum { KEY_JSON = 256, KEY_SEED, KEY_KERNEL, KEY_BLOCK, KEY_CSV, KEY_FORMAT, KEY_SMS, KEY_BITS, KEY_BLOCKS };

/* argp parser for the arguments, one workload among them; each verb lists its own options. */
error_t trace_parse(int key, char *text, struct argp_state *state);

/* Progress line on a terminal; `shown` starts as UINT32_MAX.  `verify`: checks a built-in kernel's results after the
 * last block. */
struct trace_progress trace_show_progress(uint32_t *shown, bool verify);
void trace_end_progress(void);

/* Width of the first column: the longest name. */
#define NAME_WIDTH 24
int trace_name_width(int width, const char *name);

int trace_locality(int argc, char **argv);
int trace_pages(int argc, char **argv);
int trace_ranges(int argc, char **argv);
int trace_shape(int argc, char **argv);
#endif
