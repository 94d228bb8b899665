/* SPDX-License-Identifier: Apache-2.0 */
/* NE: the least recently used 2 MiB, as NVIDIA's driver does. */
#include "system/uvm/pages.h"
#include "system/uvm/uvm_policy.h"

static uint32_t evict_tree(struct uvm *u, uint32_t tree)
{
    uint32_t gone = 0, first = tree << (TREE_SHIFT - BLOCK_SHIFT);
    for (uint32_t i = 0; i < PAGES_PER_TREE / PAGES_PER_BLOCK; i++) gone += uvm_evict_block(u, first + i);
    return gone;
}

static uint32_t evict_ne_choose(struct uvm *u)
{
    return uvm_evict_oldest(u, evict_tree);
}

static const struct eviction ne = {.policy = {"ne", "the least recently used 2 MiB block"},
                                   .unit = PAGES_PER_TREE,
                                   .lru = TREE_SHIFT,
                                   .choose = evict_ne_choose};
EVICTION_REGISTER(ne);
