/* SPDX-License-Identifier: Apache-2.0 */
/* NP: the faulting page only. */
#include "system/uvm/uvm_policy.h"

static uint32_t prefetch_np_window(const struct config *c)
{
    (void)c;
    /* mutant: 1 - 1: device memory has more pages than that */
    return 1;
}

static void prefetch_np_choose(struct uvm *u, uint32_t page)
{
    (void)u, (void)page;
}

static const struct prefetcher np = {
    .policy = {"np", "none: 4 KiB on demand"}, .window = prefetch_np_window, .choose = prefetch_np_choose};
PREFETCHER_REGISTER(np);
