/* SPDX-License-Identifier: Apache-2.0 */
/* SP: the 64 KiB block of the faulting page. */
#include "system/uvm/pages.h"
#include "system/uvm/uvm_policy.h"

static uint32_t prefetch_sp_window(const struct config *c)
{
    (void)c;
    return PAGES_PER_BLOCK;
}

static void prefetch_sp_choose(struct uvm *u, uint32_t page)
{
    uint32_t first = page >> BLOCK_SHIFT << BLOCK_SHIFT;
    for (uint32_t i = 0; i < PAGES_PER_BLOCK; i++) uvm_want(u, first + i);
}

static const struct prefetcher sp = {
    .policy = {"sp", "the 64 KiB block of the page"}, .window = prefetch_sp_window, .choose = prefetch_sp_choose};
PREFETCHER_REGISTER(sp);
