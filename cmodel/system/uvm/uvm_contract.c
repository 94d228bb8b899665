/* SPDX-License-Identifier: Apache-2.0 */
#include "system/uvm/uvm_contract.h"

#include <inttypes.h>
#include <stdlib.h>

bool uvm_contract_open(struct uvm_contract *c, uint32_t pages)
{
    *c = (struct uvm_contract){.pages = pages, .since = calloc(pages, sizeof *c->since)};
    return c->since;
}

void uvm_contract_close(struct uvm_contract *c)
{
    free(c->since);
    c->since = NULL;
}

static bool owes(const struct uvm_contract *c, uint32_t page)
{
    /* mutant: < -> <=: the driver names no page behind the last: each page number comes from its own table */
    return page < c->pages && c->since[page];
}

static void settle(struct uvm_contract *c, uint32_t page)
{
    if (!owes(c, page)) return;
    c->since[page] = 0;
    c->owed--;
}

static void hand_out(struct uvm_contract *c, uint32_t page, uint64_t cycle)
{
    if (page >= c->pages || owes(c, page)) return;
    c->since[page] = cycle + 1;
    c->owed++;
}

bool uvm_contract_edge(struct uvm_contract *c, const struct gmmu_in *in, const struct gmmu_out *out, uint64_t cycle,
                       struct error *err)
{
    if (in->req_valid_i && out->req_ready_o && in->req_resident_i && in->lease_enable_i) settle(c, in->req_page_i);
    if (in->gone_valid_i && out->gone_ready_o) settle(c, in->gone_page_i);
    for (uint32_t i = 0; out->evict_valid_o && in->evict_ready_i && i < 16; i++)
        if (out->evict_pages_o >> i & 1) hand_out(c, out->evict_block_o << 4 | i, cycle);
    if (!in->arrive_valid_i || !out->arrive_ready_o || !owes(c, in->arrive_page_i)) return true;
    return error_set(err,
                     "gmmu, cycle %" PRIu64 ": page %u arrives, evicted by the block in cycle %" PRIu64
                     " and not gone since: expected gone_* of it first (rtl/gmmu/README.md, \"The driver's contract\")",
                     cycle, in->arrive_page_i, c->since[in->arrive_page_i] - 1);
}

bool uvm_contract_end(const struct uvm_contract *c, struct error *err)
{
    uint32_t page = 0;
    if (!c->owed) return true;
    while (page + 1 < c->pages && !owes(c, page)) page++;
    return error_set(err,
                     "gmmu: page %u was evicted by the block in cycle %" PRIu64 " and has neither gone nor been "
                     "accessed since (%u such pages): expected the driver to evict every block that it accepts "
                     "(rtl/gmmu/README.md, \"The driver's contract\")",
                     page, c->since[page] - 1, c->owed);
}
