/* SPDX-License-Identifier: Apache-2.0 */
/* How often a workload accesses each 4 KiB page of its allocations: whether the pages of an allocation, a page group,
 * are touched, and touched equally often (Gu20, figures 4.6 and 4.7).  An access is a 128 B line that the lanes of
 * a global instruction touch, as the coalescer would make of it; caches and TLBs are not between. */
#ifndef MEMTWIN_PAGE_COUNTS_H
#define MEMTWIN_PAGE_COUNTS_H
#include "trace/source.h"
#include "trace/walk.h"

#define COUNTED_PAGE 4096u                    /* bytes */
#define COUNTED_PAGES_MAX (UINT64_C(1) << 28) /* of an allocation: 1 TiB */

struct page_use {
    uint64_t pages, touched, accesses;
    uint64_t min, max;      /* accesses of a touched page, as the next two; 0 if there is none */
    double mean, deviation; /* standard deviation, of all touched pages and not of a sample */
};

struct page_group {
    struct allocation allocation;
    uint64_t first;     /* number of its first page: address / 4096 */
    uint64_t *accesses; /* of each of its pages; of one that two allocations share, each has its own */
    struct page_use use;
};

struct page_counts {
    char name[256], identity[65];
    struct page_group *groups; /* in the order of the workload's allocations */
    uint32_t group_count;
    struct page_use total;
    uint64_t elsewhere; /* accesses outside all allocations */
};

/* Reads all of the source, which stays the caller's.  False and an error if it fails, or if allocations overlap or one
 * is too large. page_counts_free in any case. */
bool page_counts_collect(struct source *source, struct page_counts *counts, const struct trace_progress *progress,
                         struct error *err);
void page_counts_free(struct page_counts *counts);
#endif
