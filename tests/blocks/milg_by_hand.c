/* SPDX-License-Identifier: Apache-2.0 */
/* milg: jumps over quiet time. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "milg.h"

static struct milg generator(uint32_t relax)
{
    const struct milg_cfg cfg = {.InflightW = 7, .RfW = 12, .ReqW = 10, .Relax = relax};
    struct milg m = {0};
    milg_init(&m, &cfg);
    return m;
}

TWIN_CYCLE(milg)

static void times(struct milg *m, uint32_t n, struct milg_in in)
{
    for (uint32_t i = 0; i < n; i++) cycle(m, in);
}

/* idle and skip let the harness jump over quiet time: they must mean exactly as many ticks without a valid input. */
Test(milg, skip_equals_that_many_quiet_ticks)
{
    struct milg m = generator(MILG_GROW);
    struct rng rng;
    rng_seed(&rng, 11);
    for (uint32_t round = 0; round < 3000; round++) {
        cycle(&m, (struct milg_in){.issue_valid_i = rng_below(&rng, 2),
                                   .retire_valid_i = rng_below(&rng, 3) == 0,
                                   .retire_count_i = (uint8_t)rng_below(&rng, 3),
                                   .req_valid_i = rng_below(&rng, 2),
                                   .fail_valid_i = rng_below(&rng, 2),
                                   .start_valid_i = rng_below(&rng, 100) == 0});
        struct milg skipped = m;
        cr_assert(milg_idle(&m));
        milg_skip(&skipped, 9);
        times(&m, 9, (struct milg_in){.retire_count_i = 5, .static_limit_i = 3});
        cr_assert(memcmp(&m, &skipped, sizeof m) == 0);
    }
}
