/* SPDX-License-Identifier: Apache-2.0 */
/* Any workload by its name on a command line. */
#ifndef MEMTWIN_OPEN_H
#define MEMTWIN_OPEN_H
#include "trace/source.h"

/* What a name stands for: a file or folder that exists is told by its content, anything else is the specification of a
 * built-in kernel (kernels.h), which `seed` feeds. */
enum source_kind {
    SOURCE_UNKNOWN,
    SOURCE_BINARY,
    SOURCE_TEXT,
    SOURCE_ACCELSIM_LIST,
    SOURCE_ACCELSIM_KERNEL,
    SOURCE_KERNEL
};

/* NULL and an error that says what was tried. The caller closes the source through its ops. */
struct source *source_open(const char *path_or_spec, uint64_t seed, struct error *err);
/* The same where a built-in kernel's arrays begin at multiples of `align` bytes if it does not say otherwise. */
struct source *source_open_aligned(const char *path_or_spec, uint64_t seed, int align, struct error *err);
enum source_kind source_kind(const char *path_or_spec);
const char *source_kind_name(enum source_kind kind);
#endif
