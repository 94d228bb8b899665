/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the verbs of `memtwin trace`. */
#ifndef MEMTWIN_TRACE_COMMAND_H
#define MEMTWIN_TRACE_COMMAND_H
#include <argp.h>
#include <jansson.h>

#include "trace/accelsim.h"
#include "trace/text.h"
#include "trace/walk.h"

struct trace_arguments {
    const char *path, *output, *pages;
    uint64_t seed;
    uint32_t sms, bits;
    bool json, csv, blocks, ranges;
    struct accelsim_form form;
    struct text_part part;
};

enum {
    KEY_JSON = 256,
    KEY_SEED,
    KEY_KERNEL,
    KEY_BLOCK,
    KEY_CSV,
    KEY_PAGES,
    KEY_FORMAT,
    KEY_SMS,
    KEY_BITS,
    KEY_BLOCKS,
    KEY_RANGES,
    KEY_TRACER,
    KEY_PACK
};

/* argp parser for the arguments, one workload among them; each verb lists its own options. */
error_t trace_parse(int key, char *text, struct argp_state *state);

/* The options --json and --csv of a verb. */
#define TRACE_FORMS                                                                                                    \
    {"json", KEY_JSON, 0, 0, "one JSON object instead of a table", 0},                                                 \
    {                                                                                                                  \
        "csv", KEY_CSV, 0, 0, "comma-separated values instead: a line for each number of the JSON object", 0           \
    }
/* Prints a verb's result as --json or --csv wants it, and releases it. */
void trace_print(const struct trace_arguments *a, json_t *result);

/* Reads all of a source; false and an error if it fails. */
typedef bool trace_reader(struct source *source, const struct trace_progress *progress, void *context,
                          struct error *err);
/* Calls `read` with a progress line on a terminal, and closes the source.  NULL, a source that did not open, fails with
 * the error that stands in `err`.  `verify`: a built-in kernel's results are checked after its last thread block. */
bool trace_read(struct source *source, bool verify, trace_reader *read, void *context, struct error *err);

/* Width of the first column: the longest name. */
#define NAME_WIDTH 24
int trace_name_width(int width, const char *name);

int trace_locality(int argc, char **argv);
int trace_pages(int argc, char **argv);
int trace_ranges(int argc, char **argv);
int trace_shape(int argc, char **argv);
#endif
