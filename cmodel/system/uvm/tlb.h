/* SPDX-License-Identifier: Apache-2.0 */
/* A set-associative TLB of page numbers with true LRU, indexed by their low bits. */
#ifndef MEMTWIN_TLB_H
#define MEMTWIN_TLB_H
#include <stdbool.h>
#include <stdint.h>

struct tlb {
    uint32_t sets, ways;
    uint32_t *page; /* [sets * ways]; per set, most recently used first */
};

/* `sets` is a power of two; `ways` 0 disables it.  False: out of memory. */
bool tlb_init(struct tlb *t, uint32_t sets, uint32_t ways);
void tlb_free(struct tlb *t);
bool tlb_has(const struct tlb *t, uint32_t page);
bool tlb_hit(struct tlb *t, uint32_t page);  /* a hit becomes the most recently used */
void tlb_fill(struct tlb *t, uint32_t page); /* replaces the least recently used, unless present */
bool tlb_drop(struct tlb *t, uint32_t page); /* true if it was present */
#endif
