/* SPDX-License-Identifier: Apache-2.0 */
/* cart: jumps over quiet time, and snapshots. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cart.h"
#include "cycle.h"
#include "skip.h"

static struct cart *tree(uint32_t banks, uint32_t rows, uint32_t cols, uint32_t entries, uint32_t rotate,
                         uint32_t patience)
{
    const struct cart_cfg cfg = {.Banks = banks,
                                 .Rows = rows,
                                 .Cols = cols,
                                 .Entries = entries,
                                 .AddrW = 16,
                                 .BankLsb = 0,
                                 .BankMsb = 4,
                                 .RowLsb = 8,
                                 .InfoW = 16,
                                 .Rotate = rotate,
                                 .Patience = patience};
    struct cart *m = calloc(1, sizeof *m);
    cr_assert(m);
    cart_init(m, &cfg);
    return m;
}

TWIN_CYCLE(cart)

static void traffic(struct cart *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 6); c > 0; c--)
        cycle(m, (struct cart_in){.in_valid_i = rng_below(rng, 2),
                                  .in_addr_i = rng_below(rng, 1u << 16) & 0x0313,
                                  .in_info_i = c,
                                  .out_ready_i = rng_below(rng, 2),
                                  .out_refused_i = rng_below(rng, 2)});
}

Test(cart, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct cart *m = tree(2, 2, 2, 2, 1, 8);
    SKIP_ROUNDS(cart, m, traffic, 11, 400, 9, .in_addr_i = c, .out_ready_i = c & 1, .out_refused_i = c & 2);
    free(m);
}
