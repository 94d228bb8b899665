/* SPDX-License-Identifier: Apache-2.0 */
/* RE: one page, by lot. */
#include "system/uvm/pages.h"
#include "system/uvm/uvm_policy.h"

/* The first from a drawn place on that can go: a page that stands behind one that may not has the larger chance. */
static uint32_t choose(struct uvm *u)
{
    const struct pages *p = uvm_view(u);
    uint32_t count = p->in_state[PAGE_DEVICE];
    if (!count) return 0;
    uint32_t start = (uint32_t)rng_below(uvm_random(u), count);
    for (uint32_t i = 0; i < count; i++)
        if (uvm_evict(u, p->device[(start + i) % count])) return 1;
    return 0;
}

static const struct eviction re = {.policy = {"re", "one page, by lot"}, .unit = 1, .scatters = true, .choose = choose};
EVICTION_REGISTER(re);
