/* SPDX-License-Identifier: Apache-2.0 */
/* The text form, .mttx or .txt, for people to write and read; traces/README.md has the grammar. */
#ifndef MEMTWIN_TEXT_H
#define MEMTWIN_TEXT_H
#include <stdio.h>

#include "trace/source.h"
#include "trace/walk.h"

#define TEXT_MAGIC "memtwin-trace"

/* Reads the whole file once, so that every error is reported at once as FILE:LINE: found ..., expected ...; blocks
 * are parsed again when opened. */
struct source *text_open(const char *path, struct error *err);

/* Part of a workload to write: a kernel (from 0) and one of its blocks; negative: all. */
struct text_part {
    int64_t kernel, block;
};

/* Writes to a stream; the source is read to its end and stays owned by the caller.  False if the source fails; the
 * caller checks the stream's errors. */
bool text_write(struct source *source, FILE *to, const struct text_part *part, const struct trace_progress *progress,
                struct error *err);
/* The same into a file that appears under its name only when complete. */
bool text_write_file(struct source *source, const char *path, const struct trace_progress *progress, struct error *err);
#endif
