/* SE: the 64 KiB block of the least recently used page. */
#include "system/pages.h"
#include "system/uvm_policy.h"

static uint32_t choose(struct uvm *u)
{
    const struct lru *l = &uvm_view(u)->lru;
    uint32_t gone = 0;
    for (uint32_t page = l->oldest; page != LRU_NONE && !gone; page = l->newer[page])
        gone = uvm_evict_block(u, page >> BLOCK_SHIFT);
    return gone;
}

static const struct eviction se = {.name = "se",
                                   .text = "the 64 KiB block of the least recently used page",
                                   .unit = PAGES_PER_BLOCK,
                                   .choose = choose};
EVICTION_REGISTER(se);
