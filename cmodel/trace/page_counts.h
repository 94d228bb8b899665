/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to each 4 KiB page of each allocation: whether all pages of an allocation (a page group) are accessed,
 * and equally often (Gu20, figures 4.6 and 4.7).  An access is a 128 B line of a global instruction after
 * coalescing, before caches and TLBs. */
#ifndef MEMTWIN_PAGE_COUNTS_H
#define MEMTWIN_PAGE_COUNTS_H
#include "trace/source.h"
#include "trace/walk.h"

#define COUNTED_PAGE 4096u                    /* bytes */
#define COUNTED_PAGES_MAX (UINT64_C(1) << 28) /* of an allocation: 1 TiB */

struct page_use {
    uint64_t pages, touched, accesses;
    uint64_t min, max;      /* accesses per touched page, like the next two; 0 if there is none */
    double mean, deviation; /* population standard deviation, over touched pages */
};

struct page_group {
    struct allocation allocation;
    uint64_t first;     /* number of its first page: address / 4096 */
    uint64_t *accesses; /* accesses to each of its pages; allocations that share a page count it separately */
    struct page_use use;
};

struct page_counts {
    char name[256], identity[65];
    struct page_group *groups; /* in the order of the workload's allocations */
    uint32_t group_count;
    struct page_use total;
    uint64_t elsewhere; /* accesses outside all allocations */
};

/* Reads all of the source, which stays owned by the caller.  False and an error if it fails, if allocations overlap,
 * or if one is too large.  page_counts_free() in any case. */
bool page_counts_collect(struct source *source, struct page_counts *counts, const struct trace_progress *progress,
                         struct error *err);
void page_counts_free(struct page_counts *counts);
#endif
