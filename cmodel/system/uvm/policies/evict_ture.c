/* SPDX-License-Identifier: Apache-2.0 */
/* TURE: true usage reflected eviction of CAPTURE (Gu20, section 4.3.2).  Expired pages are evicted when the block
 * gmmu offers them.  When frames are needed, the block offers its least recently updated blocks (uvm_gmmu.c).  If
 * these are fewer than uvm.coalesce_batch, least recently used blocks fill the batch; this file chooses them. */
#include "system/uvm/pages.h"
#include "system/uvm/uvm_policy.h"

static uint32_t evict_ture_choose(struct uvm *u)
{
    return uvm_evict_oldest(u, uvm_evict_block);
}

static const struct eviction ture = {.policy = {"ture", "pages with an expired lease (block gmmu)"},
                                     .unit = PAGES_PER_BLOCK,
                                     .scatters = true,
                                     .leases = true,
                                     .lru = BLOCK_SHIFT,
                                     .choose = evict_ture_choose};
EVICTION_REGISTER(ture);
