/* SPDX-License-Identifier: Apache-2.0 */
/* SE: the 64 KiB block of the least recently used page. */
#include "system/uvm/pages.h"
#include "system/uvm/uvm_policy.h"

static uint32_t evict_block_of(struct uvm *u, uint32_t page)
{
    return uvm_evict_block(u, page >> BLOCK_SHIFT);
}

static uint32_t evict_se_choose(struct uvm *u)
{
    return uvm_evict_oldest(u, evict_block_of);
}

static const struct eviction se = {.policy = {"se", "the 64 KiB block of the least recently used page"},
                                   .unit = PAGES_PER_BLOCK,
                                   .choose = evict_se_choose};
EVICTION_REGISTER(se);
