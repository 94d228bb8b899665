/* SPDX-License-Identifier: Apache-2.0 */
/* Each SM in turn. */
#include "system/sm/block_dispatch.h"

static uint32_t round_robin_choose(const struct sm_array *a, const struct workload *k, const struct sm_set *able)
{
    return sm_set_next(able, k->next_sm, a->c->sm_count);
}

static const struct block_dispatch round_robin = {.policy = {"round_robin", "SMs in turn"},
                                                  .choose = round_robin_choose};
BLOCK_DISPATCH_REGISTER(round_robin);
