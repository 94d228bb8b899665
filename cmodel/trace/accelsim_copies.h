/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations of an Accel-Sim trace: it shows them only as copies from the host, in its list of kernels. */
#ifndef MEMTWIN_ACCELSIM_COPIES_H
#define MEMTWIN_ACCELSIM_COPIES_H
#include "trace/source.h"

struct accelsim_copy {
    uint64_t addr, last, line; /* first and last byte; position in the list */
};

/* All zero at the start; the caller frees `list`. */
struct accelsim_copies {
    struct accelsim_copy *list;
    uint32_t count;
};

/* A copy in front of a kernel, `rest` of MemcpyHtoD,ADDRESS,BYTES, which is overwritten; also added to the source.
 * `list`: the file, for messages. */
bool accelsim_copy_add(struct accelsim_copies *c, struct source *source, uint32_t kernel, const char *list,
                       uint64_t line, char *rest, struct error *err);
/* Adds the allocations to the source, once all copies are known. */
bool accelsim_copies_allocate(struct accelsim_copies *c, const char *list, struct source *source, struct error *err);
#endif
