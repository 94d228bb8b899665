/* SPDX-License-Identifier: Apache-2.0 */
/* RP: one random absent page of the same 2 MiB.  Gu20, section 4.4, says that this prefetcher "evicts" the page;
 * read as a slip of the pen. */
#include "system/uvm/pages.h"
#include "system/uvm/uvm_policy.h"

static uint32_t prefetch_rp_window(const struct config *c)
{
    (void)c;
    return 2;
}

static bool absent(const struct pages *p, uint32_t page, uint32_t fault)
{
    return page != fault && pages_exist(p, page) && p->page[page].state == PAGE_HOST;
}

static void prefetch_rp_choose(struct uvm *u, uint32_t page)
{
    const struct pages *p = uvm_view(u);
    uint32_t first = page >> TREE_SHIFT << TREE_SHIFT, end = first + PAGES_PER_TREE, count = 0;
    for (uint32_t i = first; i < end; i++) count += absent(p, i, page);
    if (!count) return;
    uint64_t before = rng_below(uvm_random(u), count);
    uint32_t drawn = first;
    while (!absent(p, drawn, page) || before--) drawn++;
    uvm_want(u, drawn);
}

static const struct prefetcher rp = {.policy = {"rp", "one random page of the same 2 MiB block"},
                                     .window = prefetch_rp_window,
                                     .choose = prefetch_rp_choose};
PREFETCHER_REGISTER(rp);
