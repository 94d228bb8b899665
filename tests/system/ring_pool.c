/* SPDX-License-Identifier: Apache-2.0 */
/* The queue and the table of free places that every unit uses. */
#include <criterion/criterion.h>

#include "base/arith.h"
#include "system/unit/pool.h"
#include "system/unit/ring.h"

Test(ring, is_first_in_first_out_and_has_room_up_to_its_limit)
{
    struct ring r;
    cr_assert(ring_init(&r, sizeof(uint32_t), 5));
    for (uint32_t turn = 0, next = 0; turn < 20; turn++) {
        while (ring_room(&r)) cr_assert(ring_put(&r, &(uint32_t){next++}));
        cr_expect_eq(r.count, 5);
        for (uint32_t i = 0; i < 3; i++, ring_pop(&r)) cr_expect_eq(*(uint32_t *)ring_peek(&r), next - 5 + i);
    }
    cr_expect_eq(r.end, 5 * sizeof(uint32_t));
    ring_free(&r);
}

Test(ring, a_growing_one_keeps_its_order_wherever_its_head_is)
{
    for (uint32_t start = 0; start < 4; start++) {
        struct ring r;
        cr_assert(ring_init_growing(&r, sizeof(uint32_t), 4));
        for (uint32_t i = 0; i < start; i++, ring_pop(&r)) ring_push(&r);
        for (uint32_t i = 0; i < 9; i++) cr_assert(ring_put(&r, &i));
        cr_expect(ring_room(&r));
        for (uint32_t i = 0; i < 9; i++) cr_expect_eq(*(uint32_t *)ring_at(&r, i), i, "from %u", start);
        ring_free(&r);
    }
}

Test(ring, of_nothing_peeks_null)
{
    struct ring r;
    cr_assert(ring_init(&r, sizeof(uint32_t), 1));
    cr_expect_null(ring_peek(&r));
    ring_free(&r);
}

Test(pool, gives_the_lowest_first_then_the_last_returned_and_grows_while_some_are_taken)
{
    struct pool p = {0};
    cr_assert(pool_grow(&p, 3));
    for (uint32_t i = 0; i < 3; i++) cr_expect_eq(pool_take(&p), i);
    pool_give(&p, 1);
    cr_expect_eq(pool_next(&p), 1);
    cr_expect_eq(pool_take(&p), 1);
    cr_assert(pool_grow(&p, 6));
    cr_expect_eq(p.left, 3);
    cr_expect_eq(pool_take(&p), 3);
    cr_expect_eq(pool_used(&p), 4);
    pool_free(&p);
}

Test(arith, at_the_edges)
{
    cr_expect_eq(log2_floor(1), 0);
    cr_expect_eq(log2_floor(7), 2);
    cr_expect_eq(log2_ceil(1), 0);
    cr_expect_eq(log2_ceil(8), 3);
    cr_expect_eq(log2_ceil(9), 4);
    cr_expect_eq(ceil_div(8, 4), 2);
    cr_expect_eq(ceil_div(9, 4), 3);
    cr_expect(is_power_of_two(64) && !is_power_of_two(65));
    uint64_t most = 3;
    raise_to(&most, 2);
    cr_expect_eq(most, 3);
    raise_to(&most, 4);
    cr_expect_eq(most, 4);
}
