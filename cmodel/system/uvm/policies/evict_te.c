/* SPDX-License-Identifier: Apache-2.0 */
/* TE: the least recently used 64 KiB block, and the rest of every subtree that is then less than half resident.  The
 * mirror of TP. */
#include "system/uvm/policies/tree.h"
#include "system/uvm/uvm_policy.h"

static uint32_t evict_from(struct uvm *u, uint32_t block)
{
    uint32_t page = block << BLOCK_SHIFT, tree = page >> TREE_SHIFT, gone = 0;
    uint32_t own = block % TREE_LEAVES;
    struct tree t = tree_of(uvm_view(u), page);
    uint32_t leaves = tree_empty(&t, own);
    /* mutant: < -> <=: a shift by 32: the sanitized run of `make test` finds it */
    for (uint32_t i = 0; i < TREE_LEAVES; i++)
        if (leaves >> i & 1) gone += uvm_evict_block(u, tree * TREE_LEAVES + i);
    return gone;
}

static uint32_t evict_te_choose(struct uvm *u)
{
    return uvm_evict_oldest(u, evict_from);
}

static const struct eviction te = {
    .policy = {"te",
               "the least recently used 64 KiB block, and subtrees of the 2 MiB tree that are less than half resident"},
    .unit = PAGES_PER_BLOCK,
    .lru = BLOCK_SHIFT,
    .choose = evict_te_choose};
EVICTION_REGISTER(te);
