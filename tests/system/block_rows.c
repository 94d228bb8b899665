/* SPDX-License-Identifier: Apache-2.0 */
/* The list of a machine's blocks. */
#include <criterion/criterion.h>

#include "mshr.h"
#include "system/block/block_rows.h"

static void add_mshr(struct block_rows *r, uint32_t entries, const char *unit)
{
    const struct mshr_cfg cfg = {.Entries = entries, .Slots = 8, .AddrW = 32, .InfoW = 8};
    const struct block_ops *twin = block_find("mshr");
    cr_assert_not_null(twin);
    block_rows_add(r, twin, &cfg, unit);
}

Test(block_rows, units_with_equal_blocks_share_a_row)
{
    static struct block_rows r;
    add_mshr(&r, 32, "l1d.0");
    add_mshr(&r, 16, "l2.0");
    add_mshr(&r, 32, "l1d.1");
    cr_assert_eq(r.count, 2);
    cr_expect_str_eq(r.row[0].block, "mshr");
    cr_expect_str_eq(r.row[0].unit, "l1d.0");
    cr_expect_eq(r.row[0].units, 2);
    cr_expect_str_eq(r.row[1].unit, "l2.0");
    cr_expect_eq(r.row[1].units, 1);
}

Test(block_rows, what_has_no_room_is_left_out)
{
    static struct block_rows r;
    for (uint32_t i = 0; i <= BLOCK_ROWS; i++) add_mshr(&r, i + 2, "l1d.0");
    cr_expect_eq(r.count, BLOCK_ROWS);
}
