/* SPDX-License-Identifier: Apache-2.0 */
/* Memory request prioritization buffers (Khairy15, table 4; Dai17, sections 3.4.2 to 3.8). */
#include "mrpb.h"

#include "system/sm/reorder.h"

_Static_assert(sizeof(struct mrpb_cfg) <= REORDER_CFG_WORDS * sizeof(uint32_t), "parameters");

static struct reorder_size mrpb_input_configure(void *cfg, const struct config *c)
{
    *(struct mrpb_cfg *)cfg = (struct mrpb_cfg){.Queues = c->l1d_mrpb_queues,
                                                .Entries = c->l1d_mrpb_entries,
                                                .Shared = c->l1d_mrpb_shared,
                                                .InfoW = REORDER_INFO_BITS};
    return (struct reorder_size){.queues = c->l1d_mrpb_queues,
                                 .held = c->l1d_mrpb_entries * (c->l1d_mrpb_shared ? 1 : c->l1d_mrpb_queues)};
}

static const struct reorder_kind mrpb = {
    .policy = {"mrpb", "by warp, lowest warp first: memory request prioritization buffers (block mrpb)"},
    .block = "mrpb",
    .configure = mrpb_input_configure};
REORDER_KIND_REGISTER(mrpb, .blocks = {"mrpb"}, .when = "l1d.input=mrpb");
