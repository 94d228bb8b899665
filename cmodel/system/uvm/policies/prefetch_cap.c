/* SPDX-License-Identifier: Apache-2.0 */
/* CAP: the capacity-aware prefetcher of CAPTURE.  The block gmmu decides (rtl/cap/README.md). */
#include "system/uvm/pages.h"
#include "system/uvm/uvm_policy.h"

static uint32_t prefetch_cap_window(const struct config *c)
{
    uint32_t log = c->uvm_cap_max_log > c->uvm_cap_over_log ? c->uvm_cap_max_log : c->uvm_cap_over_log;
    return PAGES_PER_BLOCK << log;
}

static const struct prefetcher cap = {.policy = {"cap", "a window sized by free memory (block gmmu)"},
                                      .window = prefetch_cap_window,
                                      .choose = uvm_ask_cap};
PREFETCHER_REGISTER(cap);
