/* SPDX-License-Identifier: Apache-2.0 */
/* A set-associative TLB with true LRU: page numbers, by their low bits in sets. */
#ifndef MEMTWIN_TLB_H
#define MEMTWIN_TLB_H
#include <stdbool.h>
#include <stdint.h>

struct tlb {
    uint32_t sets, ways;
    uint32_t *page; /* [sets * ways]; in a set, the most recently used first */
};

/* `sets` is a power of two; with `ways` 0 nothing is ever found.  False without memory. */
bool tlb_init(struct tlb *t, uint32_t sets, uint32_t ways);
void tlb_free(struct tlb *t);
bool tlb_has(const struct tlb *t, uint32_t page);
bool tlb_hit(struct tlb *t, uint32_t page);  /* which makes it the most recently used */
void tlb_fill(struct tlb *t, uint32_t page); /* in place of the least recently used, unless it is there */
bool tlb_drop(struct tlb *t, uint32_t page); /* true if it was there */
#endif
