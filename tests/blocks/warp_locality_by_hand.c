/* SPDX-License-Identifier: Apache-2.0 */
/* warp_locality: outcomes worked out by hand. */
#include <criterion/criterion.h>

#include "warp_locality.h"
#include "base/rng.h"
#include "readme_example.h"
#include "skip.h"

/* One cycle: offers `data` if it is not negative; what the outputs were. */
static struct warp_locality_out cycle(struct warp_locality *m, int data, bool take)
{
    const struct warp_locality_in in = {
        .in_valid_i = data >= 0, .in_data_i = data >= 0 ? (uint64_t)data : 0, .out_ready_i = take};
    struct warp_locality_out out;
    warp_locality_eval(m, &in, &out);
    warp_locality_tick(m, &in);
    return out;
}

static struct warp_locality stage(uint32_t data_w)
{
    const struct warp_locality_cfg cfg = {.DataW = data_w};
    struct warp_locality m = {0};
    warp_locality_init(&m, &cfg);
    return m;
}

/* Elements are letters. */
Test(readme_example, warp_locality)
{
    struct warp_locality m = stage(32);
    for (struct example e = example_of("warp_locality", "cycle"); next_row(&e);) {
        const char *element = given(&e, "in");
        const struct warp_locality_out out = cycle(&m, *element ? *element : -1, flag(&e, "out_ready_i"));
        shows_number(&e, "cycle", e.rows - 1);
        shows_number(&e, "in_ready_o", out.in_ready_o);
        shows(&e, "out", out.out_valid_o, "%c", (char)out.out_data_o);
    }
}

Test(warp_locality, an_element_has_as_many_bits_as_the_parameter_says)
{
    struct warp_locality m = stage(7);
    cycle(&m, 0xff, false);
    cr_expect_eq(cycle(&m, -1, true).out_data_o, 0x7f);
}

Test(warp_locality, reset_empties_it)
{
    struct warp_locality m = stage(32);
    cycle(&m, 5, false);
    warp_locality_reset(&m);
    const struct warp_locality_out out = cycle(&m, -1, false);
    cr_expect(!out.out_valid_o && out.out_data_o == 0 && out.in_ready_o);
}

static void traffic(struct warp_locality *m, struct rng *rng)
{
    cycle(m, rng_below(rng, 2) ? (int)rng_below(rng, 100) : -1, rng_below(rng, 2));
}

Test(warp_locality, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct warp_locality m = stage(32);
    SKIP_ROUNDS(warp_locality, &m, traffic, 11, 600, 9, .out_ready_i = rng_below(&rng, 2));
}
