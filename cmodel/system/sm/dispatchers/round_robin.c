/* SPDX-License-Identifier: Apache-2.0 */
/* Each SM in turn. */
#include "system/sm/block_dispatch.h"

static uint32_t choose(const struct sm_array *a, const struct workload *k, const struct sm_set *able)
{
    uint32_t n = k->next_sm;
    while (!sm_set_has(able, n)) n = n + 1 < a->c->sm_count ? n + 1 : 0;
    return n;
}

static const struct block_dispatch round_robin = {.policy = {"round_robin", "SMs in turn"}, .choose = choose};
BLOCK_DISPATCH_REGISTER(round_robin);
