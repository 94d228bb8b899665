/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a bundle of Accel-Sim traces: those of a kernelslist.g, or one kernel's. */
#ifndef MEMTWIN_ACCELSIM_LIST_H
#define MEMTWIN_ACCELSIM_LIST_H
#include "trace/accelsim_copies.h"
#include "trace/source.h"

struct accelsim_files {
    char **paths; /* of the kernels, in order */
    uint32_t count;
    struct accelsim_copies copies;
};

/* Reads a list, or takes a kernel's file, and sets allocations and identity of the source. */
bool accelsim_files_open(struct accelsim_files *f, const char *path, bool list, struct source *source,
                         struct error *err);
void accelsim_files_free(struct accelsim_files *f);
#endif
