/* SPDX-License-Identifier: Apache-2.0 */
/* Accel-Sim's traces: a kernelslist.g with its kernel-N.traceg files, or one .traceg, plain or .xz, as its tracer
 * (versions 0 to 5) and its post-processing write them.  traces/README.md says how they map to instructions. */
#ifndef MEMTWIN_ACCELSIM_H
#define MEMTWIN_ACCELSIM_H
#include "trace/source.h"
#include "trace/walk.h"

struct source *accelsim_open_list(const char *path, struct error *err);   /* a kernelslist.g */
struct source *accelsim_open_kernel(const char *path, struct error *err); /* a .traceg */

/* Writes a workload as a folder with a kernelslist.g and a plain .traceg per kernel, which appears under its name only
 * when it is complete and must not exist before.  The source is used up but stays the caller's. */
bool accelsim_write(struct source *source, const char *path, const struct trace_progress *progress, struct error *err);

/* What the mapping could not keep, counted over the thread blocks opened so far. */
struct accelsim_counts {
    uint64_t unknown_opcodes;   /* instructions, taken as SP */
    char first_unknown[32];     /* the first such opcode; empty: none */
    uint64_t dropped_registers; /* source registers beyond the fourth */
};

/* False if the source is not one of these. */
bool accelsim_counts(const struct source *source, struct accelsim_counts *counts);
#endif
