/* SPDX-License-Identifier: Apache-2.0 */
/* bank_reorder: jumps over quiet time, and snapshots. */
#include <criterion/criterion.h>
#include <string.h>

#include "bank_reorder.h"
#include "base/rng.h"
#include "cycle.h"
#include "skip.h"

static struct bank_reorder *queues(uint32_t banks, uint32_t entries, uint32_t rotate)
{
    const struct bank_reorder_cfg cfg = {
        .Banks = banks, .Entries = entries, .AddrW = 16, .BankLsb = 1, .BankMsb = 5, .InfoW = 16, .Rotate = rotate};
    struct bank_reorder *m = calloc(1, sizeof *m);
    cr_assert(m);
    bank_reorder_init(m, &cfg);
    return m;
}

TWIN_CYCLE(bank_reorder)

static void traffic(struct bank_reorder *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 6); c > 0; c--)
        cycle(m, (struct bank_reorder_in){.in_valid_i = rng_below(rng, 2),
                                          .in_addr_i = rng_below(rng, 64),
                                          .in_info_i = c,
                                          .out_ready_i = rng_below(rng, 2),
                                          .out_refused_i = rng_below(rng, 2)});
}

Test(bank_reorder, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct bank_reorder *m = queues(4, 3, 1);
    SKIP_ROUNDS(bank_reorder, m, traffic, 5, 400, 9, .in_addr_i = c, .out_ready_i = c & 1, .out_refused_i = c & 2);
    free(m);
}
