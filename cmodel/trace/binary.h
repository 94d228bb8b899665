/* SPDX-License-Identifier: Apache-2.0 */
/* The binary trace, .mtt: version, chunks of thread blocks (zstd, checksummed), directory; traces/README.md defines
 * every byte. */
#ifndef MEMTWIN_BINARY_H
#define MEMTWIN_BINARY_H
#include "trace/source.h"
#include "trace/walk.h"

#define BINARY_MAGIC "\x89MTWIN\r\n"     /* detects a text-mode transfer */
#define BINARY_HEADER 64u                /* bytes */
#define BINARY_DIRECTORY_MAX (16u << 20) /* bytes, raw */

/* NULL and an error with file and place.  Chunks are checked when they are read. */
struct source *binary_open(const char *path, struct error *err);

/* Writes all that the source delivers; the source is read to its end and stays owned by the caller.  The file
 * appears under its name only when complete; a target that is not a regular file is written in place. */
bool binary_write(struct source *source, const char *path, const struct trace_progress *progress, struct error *err);
/* The same with the access ranges of all thread blocks (ranges.h), computed in the same pass. */
bool binary_write_ranges(struct source *source, const char *path, const struct trace_progress *progress,
                         struct error *err);
#endif
