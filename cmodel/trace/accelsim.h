/* SPDX-License-Identifier: Apache-2.0 */
/* Accel-Sim traces: a kernelslist.g with its kernel-N.traceg files, or one .traceg, plain or .xz, as written by its
 * tracer (versions 0 to 5) and post-processing.  traces/README.md defines the mapping to instructions. */
#ifndef MEMTWIN_ACCELSIM_H
#define MEMTWIN_ACCELSIM_H
#include "trace/source.h"
#include "trace/walk.h"

struct source *accelsim_open_list(const char *path, struct error *err);   /* a kernelslist.g */
struct source *accelsim_open_kernel(const char *path, struct error *err); /* a .traceg */

/* Writes a workload as a folder with a kernelslist.g and a plain .traceg per kernel, which appears under its name only
 * when it is complete and must not exist before.  The source is used up but stays the caller's. */
bool accelsim_write(struct source *source, const char *path, const struct trace_progress *progress, struct error *err);

/* Losses of the mapping, counted over the thread blocks opened so far. */
struct accelsim_counts {
    uint64_t unknown_opcodes;   /* unknown opcodes, counted as SP */
    char first_unknown[32];     /* the first such opcode; empty: none */
    uint64_t dropped_registers; /* source registers beyond the fourth */
};

/* False if the source is not an Accel-Sim trace. */
bool accelsim_counts(const struct source *source, struct accelsim_counts *counts);
#endif
