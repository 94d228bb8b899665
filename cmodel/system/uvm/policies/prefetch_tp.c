/* SPDX-License-Identifier: Apache-2.0 */
/* TP: the tree-based prefetcher of NVIDIA's driver: the page's 64 KiB block, and the rest of every subtree that is
 * then more than half resident (Gu20, figure 4.3). */
#include "system/uvm/policies/tree.h"
#include "system/uvm/uvm_policy.h"

/* The rest of a tree migrates when more than half is valid.  So at most half migrates, the page's own block
 * included. */
static uint32_t prefetch_tp_window(const struct config *c)
{
    (void)c;
    return PAGES_PER_TREE / 2;
}

static void prefetch_tp_choose(struct uvm *u, uint32_t page)
{
    struct tree t = tree_of(uvm_view(u), page);
    uint32_t first = page >> TREE_SHIFT << TREE_SHIFT, own = (page - first) >> BLOCK_SHIFT;
    uint32_t leaves = tree_fill(&t, own) | 1u << own;
    for (uint32_t i = 0; i < PAGES_PER_TREE; i++)
        if (leaves >> (i >> BLOCK_SHIFT) & 1) uvm_want(u, first + i);
}

static const struct prefetcher tp = {
    .policy = {"tp", "the 64 KiB block of the page, and subtrees of the 2 MiB tree that are more than half resident"},
    .window = prefetch_tp_window,
    .marks = true,
    .choose = prefetch_tp_choose};
PREFETCHER_REGISTER(tp);
