/* SPDX-License-Identifier: Apache-2.0 */
/* RE: one random page. */
#include "system/uvm/pages.h"
#include "system/uvm/uvm_policy.h"

/* Linear probing from a random start: a page behind one that cannot be evicted has a higher chance. */
static uint32_t evict_re_choose(struct uvm *u)
{
    const struct pages *p = uvm_view(u);
    uint32_t count = p->in_state[PAGE_DEVICE];
    if (!count) return 0;
    uint32_t start = (uint32_t)rng_below(uvm_random(u), count);
    /* mutant: < -> <=: the first page again, which could not go */
    for (uint32_t i = 0; i < count; i++)
        if (uvm_evict(u, p->device[(start + i) % count])) return 1;
    return 0;
}

static const struct eviction re = {
    .policy = {"re", "one random page"}, .unit = 1, .scatters = true, .choose = evict_re_choose};
EVICTION_REGISTER(re);
