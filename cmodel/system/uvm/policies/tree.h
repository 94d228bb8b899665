/* SPDX-License-Identifier: Apache-2.0 */
/* The trees of the tree-based prefetcher and eviction (Gu20, sections 4.2.2.2 and 4.4): a binary tree over each 2 MiB,
 * with the 32 blocks of 64 KiB as leaves.  One bit per leaf is enough state: the valid leaves below a node are a
 * popcount.
 *
 * If an allocation covers only part of the 2 MiB, its tree is the smallest aligned one that holds the part: 2^k leaves,
 * starting at a multiple of 2^k.  Leaves outside the allocation are never valid. */
#ifndef MEMTWIN_TREE_H
#define MEMTWIN_TREE_H
#include "system/uvm/pages.h"

enum { TREE_LEAVES = PAGES_PER_TREE / PAGES_PER_BLOCK };

/* Mask of the `size` leaves (a power of two) below the node over `leaf`. */
static inline uint32_t tree_node(uint32_t leaf, uint32_t size)
{
    uint32_t all = size == TREE_LEAVES ? UINT32_MAX : (1u << size) - 1;
    return all << (leaf & ~(size - 1));
}

static inline uint32_t tree_count(uint32_t leaves)
{
    return (uint32_t)__builtin_popcount(leaves);
}

/* Leaves of the page's tree inside the allocation; of these, leaves with a page in device memory or COMING. */
struct tree {
    uint32_t exist, valid, size;
};

static inline struct tree tree_of(const struct pages *p, uint32_t page)
{
    struct tree t = {.size = 1};
    uint32_t first = page >> TREE_SHIFT << TREE_SHIFT, leaf = 0;
    for (uint32_t i = 0; i < PAGES_PER_TREE; i++) {
        if (!pages_exist(p, first + i)) continue;
        uint8_t state = p->page[first + i].state;
        leaf = i >> BLOCK_SHIFT;
        t.exist |= 1u << leaf;
        if (state == PAGE_COMING || state == PAGE_DEVICE) t.valid |= 1u << leaf;
    }
    while (t.exist & ~tree_node(leaf, t.size)) t.size *= 2;
    return t;
}

/* Leaves to fill when `leaf` becomes valid: bottom up, a node that is more than half valid fills. */
static inline uint32_t tree_fill(const struct tree *t, uint32_t leaf)
{
    uint32_t valid = t->valid | 1u << leaf;
    for (uint32_t size = 2; size <= t->size; size *= 2) {
        uint32_t node = tree_node(leaf, size);
        if (2 * tree_count(valid & node) > size) valid |= node & t->exist;
    }
    return valid & ~t->valid;
}

/* Leaves to empty when `leaf` becomes invalid: bottom up, a node that is less than half valid empties. */
static inline uint32_t tree_empty(const struct tree *t, uint32_t leaf)
{
    uint32_t valid = t->valid & ~(1u << leaf);
    for (uint32_t size = 2; size <= t->size; size *= 2) {
        uint32_t node = tree_node(leaf, size);
        if (2 * tree_count(valid & node) < size) valid &= ~node;
    }
    return (t->valid | 1u << leaf) & ~valid;
}
#endif
