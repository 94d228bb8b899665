/* SPDX-License-Identifier: Apache-2.0 */
/* Common to the trace tests: a source made up by a seed, comparing two sources, files in memory and on disk. */
#ifndef MEMTWIN_TRACE_SUPPORT_H
#define MEMTWIN_TRACE_SUPPORT_H
#include <stddef.h>

#include "trace/source.h"

/* Any instruction that source.h allows, in blocks of any shape; the same seed gives the same workload. */
struct source *synthetic_open(uint64_t seed);

/* A path under the build folder that no other test uses; static, overwritten by the next call with the same name. */
const char *scratch(const char *name);
void write_file(const char *path, const void *data, size_t size);
/* The whole file in new memory. */
uint8_t *read_file(const char *path, size_t *size);

/* Asserts that both deliver the same allocations, kernels and instructions; opens the blocks of `b` in falling order if
 * asked to. */
void assert_same(struct source *a, struct source *b, bool backwards);
/* Opens with source_open, asserting that it works. */
struct source *must_open(const char *path);
void must_write(struct source *s, const char *path); /* as a binary trace; closes the source */
/* Asserts that opening or reading `path` fails with a message that holds `part`, and that it names the file. */
void assert_refused(const char *path, const char *part);
/* Reads everything; false and the error if that fails. The digest of the contents, or "". */
bool read_everything(const char *path, char digest[65], struct error *err);
#endif
