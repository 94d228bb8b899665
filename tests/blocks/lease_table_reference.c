/* SPDX-License-Identifier: Apache-2.0 */
/* lease_table: long runs against a list of pages. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "lease_table.h"
#include "skip.h"

TWIN_CYCLE(lease_table)

static struct lease_table *table(uint32_t pages, uint32_t events)
{
    const struct lease_table_cfg cfg = {.Pages = pages, .LeaseW = 10, .Events = events};
    struct lease_table *m = calloc(1, sizeof *m);
    cr_assert(m);
    lease_table_init(m, &cfg);
    for (uint32_t i = 0; i < pages; i++) cr_assert(!cycle(m, (struct lease_table_in){0}).cmd_ready_o);
    return m;
}

static struct lease_table_in command(uint32_t op, uint32_t page, uint32_t lease)
{
    return (struct lease_table_in){
        .cmd_valid_i = true, .cmd_op_i = (uint8_t)op, .cmd_page_i = page, .cmd_lease_i = (uint16_t)lease};
}

static struct lease_table_in access(uint32_t page)
{
    return (struct lease_table_in){.acc_valid_i = true, .acc_page_i = page};
}

/* Every expiry is reported once, or withdrawn by an eviction, a recall or an access of its page; residency and leases
 * by plain bookkeeping. */
Test(lease_table, a_long_run_loses_no_expiry)
{
    enum { PAGES = 24 };
    struct lease_table *m = table(PAGES, 3);
    struct rng rng;
    uint32_t left[PAGES] = {0}, resident = 0, told = 0, withdrawn = 0;
    bool here[PAGES] = {false}, due[PAGES] = {false};
    rng_seed(&rng, 3);
    for (uint32_t c = 0; c < 60000; c++) {
        const uint32_t page = (uint32_t)rng_below(&rng, PAGES), lease = (uint32_t)rng_below(&rng, 6);
        const bool cmd = rng_below(&rng, 4) == 0;
        const uint32_t op = !here[page]          ? LEASE_TABLE_MIGRATE
                            : rng_below(&rng, 2) ? LEASE_TABLE_EVICT
                                                 : LEASE_TABLE_RECALL;
        struct lease_table_in in = cmd          ? command(op, page, lease)
                                   : here[page] ? access(page)
                                                : (struct lease_table_in){0};
        in.exp_ready_i = rng_below(&rng, 4) == 0;
        const struct lease_table_out out = cycle(m, in);
        cr_assert_eq(out.resident_o, resident, "cycle %u", c);
        if (cmd && op != LEASE_TABLE_MIGRATE && due[page]) {
            due[page] = false;
            withdrawn++;
        }
        if (out.exp_valid_o && in.exp_ready_i) {
            cr_assert(due[out.exp_page_o], "cycle %u: page %u is reported", c, out.exp_page_o);
            due[out.exp_page_o] = false;
            told++;
        }
        if (cmd) {
            const uint32_t given = op == LEASE_TABLE_RECALL ? lease / 2 : lease;
            here[page] = op != LEASE_TABLE_EVICT;
            resident += op == LEASE_TABLE_MIGRATE;
            resident -= op == LEASE_TABLE_EVICT;
            left[page] = !here[page] ? 0 : given ? given : 1;
        } else if (in.acc_valid_i && out.acc_ready_o && !left[page]) {
            cr_assert(out.acc_expired_o, "cycle %u", c);
            withdrawn += due[page];
            due[page] = false;
        } else if (in.acc_valid_i && out.acc_ready_o && --left[page] == 0) {
            due[page] = true;
        }
    }
    for (uint32_t c = 0; c < 4; c++) {
        const struct lease_table_out out = cycle(m, (struct lease_table_in){.exp_ready_i = true});
        told += out.exp_valid_o;
    }
    cr_expect(lease_table_idle(m) && m->error_q == LEASE_TABLE_OK);
    cr_expect_eq(told + withdrawn, m->expired_q);
    cr_expect(told > 1000 && withdrawn > 300, "%u told, %u withdrawn", told, withdrawn);
    free(m);
}

static void traffic(struct lease_table *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 8); c > 0; c--) {
        const uint32_t page = (uint32_t)rng_below(rng, 6);
        struct lease_table_in in =
            rng_below(rng, 2) ? command((uint32_t)rng_below(rng, 3), page, (uint32_t)rng_below(rng, 3)) : access(page);
        in.exp_ready_i = rng_below(rng, 2);
        cycle(m, in);
    }
}

Test(lease_table, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct lease_table *m = table(6, 3);
    SKIP_ROUNDS(lease_table, m, traffic, 11, 600, 9, .exp_ready_i = c & 1, .cmd_page_i = c % 6, .acc_page_i = c % 6);
    free(m);
}
