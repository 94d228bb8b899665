/* SPDX-License-Identifier: Apache-2.0 */
/* Opens any workload by its name on a command line. */
#ifndef MEMTWIN_OPEN_H
#define MEMTWIN_OPEN_H
#include "trace/source.h"

/* An existing file or folder is identified by its content.  Any other name is a kernel specification (kernels.h);
 * `seed` is for its inputs. */
enum source_kind {
    SOURCE_UNKNOWN,
    SOURCE_BINARY,
    SOURCE_TEXT,
    SOURCE_ACCELSIM_LIST,
    SOURCE_ACCELSIM_KERNEL,
    SOURCE_KERNEL
};

/* NULL and an error that lists the formats tried.  The caller closes the source through its ops. */
struct source *source_open(const char *path_or_spec, uint64_t seed, struct error *err);
/* The same with another default alignment of a built-in kernel's arrays. */
struct source *source_open_aligned(const char *path_or_spec, uint64_t seed, int align, struct error *err);
enum source_kind source_kind(const char *path_or_spec);
const char *source_kind_name(enum source_kind kind);
#endif
