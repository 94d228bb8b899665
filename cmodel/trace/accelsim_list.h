/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a bundle of Accel-Sim traces: those of a kernelslist.g, or one kernel's. */
#ifndef MEMTWIN_ACCELSIM_LIST_H
#define MEMTWIN_ACCELSIM_LIST_H
#include "trace/accelsim_copies.h"
#include "trace/source.h"

struct accelsim_file {
    char *path;
    uint32_t copies; /* in the list in front of it */
};

struct accelsim_files {
    struct accelsim_file *kernel; /* in order */
    uint32_t count, copied;       /* kernels, and copies to and from the device, so far */
    struct accelsim_copies copies;
};

/* Reads a list, or takes a kernel's file, and sets allocations and identity of the source. */
bool accelsim_files_open(struct accelsim_files *f, const char *path, bool list, struct source *source,
                         struct error *err);
void accelsim_files_free(struct accelsim_files *f);
#endif
