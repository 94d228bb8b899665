/* SPDX-License-Identifier: Apache-2.0 */
/* Block CTA scheduling (BCS, Lee14; here after Chen16, chapter 5 and section 5.1): two consecutive thread blocks, which
 * often share lines, are dispatched to one SM together, as soon as both fit.  SMs in turn. */
#include "system/sm/block_dispatch.h"

static uint32_t bcs_choose(const struct sm_array *a, const struct workload *k, const struct sm_set *able)
{
    return sm_set_next(able, k->next_sm, a->c->sm_count);
}

static const struct block_dispatch bcs = {
    .policy = {"bcs", "two consecutive thread blocks to each SM in turn, when both fit"},
    .together = 2,
    .choose = bcs_choose};
BLOCK_DISPATCH_REGISTER(bcs);
