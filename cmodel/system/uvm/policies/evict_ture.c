/* SPDX-License-Identifier: Apache-2.0 */
/* TURE: true usage reflected eviction of CAPTURE.  Pages whose lease has run out go when the block gmmu offers them;
 * when room is needed it hands out the blocks that were updated least recently (uvm_gmmu.c drives it), and what is
 * missing of uvm.coalesce_batch blocks is chosen here: the least recently used ones. */
#include "system/uvm/pages.h"
#include "system/uvm/uvm_policy.h"

static uint32_t choose(struct uvm *u)
{
    return uvm_evict_oldest(u, uvm_evict_block);
}

static const struct eviction ture = {.policy = {"ture", "pages whose lease has run out (block gmmu)"},
                                     .unit = PAGES_PER_BLOCK,
                                     .scatters = true,
                                     .leases = true,
                                     .lru = BLOCK_SHIFT,
                                     .choose = choose};
EVICTION_REGISTER(ture);
