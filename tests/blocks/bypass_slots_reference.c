/* SPDX-License-Identifier: Apache-2.0 */
/* bypass_slots against a plain table; Dai17, section 3.8. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/rng.h"
#include "bypass_slots.h"
#include "cycle.h"

static struct bypass_slots *slots_new(uint32_t slots)
{
    struct bypass_slots *m = calloc(1, sizeof *m);
    const struct bypass_slots_cfg cfg = {.Slots = slots, .InfoW = 24};
    bypass_slots_init(m, &cfg);
    return m;
}

TWIN_CYCLE(bypass_slots)

/* Against a table that is searched: who asked, by slot. */
Test(bypass_slots, random_traffic_agrees_with_a_plain_table)
{
    enum { SLOTS = 11 };
    struct bypass_slots *m = slots_new(SLOTS), *skipped = calloc(1, sizeof *skipped);
    struct rng r;
    uint32_t held[SLOTS] = {0}, used = 0, refused = 0, info = 0;
    rng_seed(&r, 4);
    for (uint32_t c = 0; c < 20000; c++) {
        const uint32_t slot = (uint32_t)rng_below(&r, SLOTS);
        const bool back = held[slot] && rng_below(&r, 2), ask = rng_below(&r, 2);
        const struct bypass_slots_in in = {
            .req_valid_i = ask, .req_info_i = info + 1, .ret_valid_i = back, .ret_slot_i = (uint16_t)slot};
        const struct bypass_slots_out out = cycle(m, in);
        cr_assert_eq(out.used_o, used);
        cr_assert_eq(out.ret_valid_o, back);
        if (back) {
            cr_assert_eq(out.ret_info_o, held[slot]);
            held[slot] = 0;
            used--;
        }
        cr_assert_eq(out.req_ready_o, used < SLOTS);
        refused += ask && used == SLOTS;
        if (ask && used < SLOTS) {
            cr_assert_eq(held[out.req_slot_o], 0, "a slot in use is given again");
            held[out.req_slot_o] = ++info;
            used++;
        }
        *skipped = *m;
        const struct bypass_slots_in quiet = {.req_info_i = info, .ret_slot_i = (uint16_t)slot};
        bypass_slots_tick(m, &quiet);
        bypass_slots_skip(skipped, 1);
        cr_assert(bypass_slots_idle(m));
        cr_assert_arr_eq(m, skipped, sizeof *m, "skip is not a quiet tick");
    }
    cr_expect(refused > 100);
    cr_expect_eq(m->error_q, BYPASS_SLOTS_OK);
    free(m);
    free(skipped);
}
