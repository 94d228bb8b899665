/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/coalescer.h"

#include <criterion/criterion.h>

#include "system/bench.h"

static uint32_t lines_of(struct inst i, struct line_access *out)
{
    return coalesce(&i, out);
}

Test(coalescer, thirty_two_words_in_a_row_are_one_line)
{
    struct line_access a[COALESCER_MAX];
    cr_assert_eq(lines_of(inst_memory(INST_LOAD, 1, 0x1000, 4, 4), a), 1);
    cr_assert_eq(a[0].line, 0x20);
    cr_assert_eq(a[0].bytes, 128);
    /* Shifted by one word: 31 lanes in the first line, one in the second: 124 bytes, then 4. */
    cr_assert_eq(lines_of(inst_memory(INST_LOAD, 1, 0x1004, 4, 4), a), 2);
    cr_assert_eq(a[1].line, 0x21);
    cr_assert_eq(a[1].bytes, 32);
}

static bool covers(struct inst i, uint64_t line)
{
    return covers_line(&i, line);
}

Test(coalescer, a_line_is_covered_when_every_byte_is_touched)
{
    struct inst i = inst_memory(INST_STORE, 1, 0x1000, 4, 4);
    cr_expect(covers(i, 0x20));
    cr_expect_not(covers(i, 0x21));
    i.mask = ~(1u << 17);
    cr_expect_not(covers(i, 0x20), "one lane is off");
    i.addr[16] = 0x1000 + 17 * 4; /* all 128 bytes are touched by quarters, and four are not */
    i.mask = UINT32_MAX;
    cr_expect_not(covers(i, 0x20), "two lanes write one word");
    cr_expect(covers(inst_memory(INST_STORE, 1, 0x1000, 8, 8), 0x21));
    cr_expect_not(covers(inst_memory(INST_STORE, 1, 0x1002, 4, 4), 0x20), "shifted by two bytes");
    cr_expect_not(covers(inst_memory(INST_STORE, 1, 0x1000, 8, 4), 0x20), "every other word");
}

/* 32 lanes of 1, 2, 8 and 16 bytes in a row: 32, 64, 256 and 512 bytes. */
Test(coalescer, the_smallest_aligned_part_that_holds_what_is_touched)
{
    struct line_access a[COALESCER_MAX];
    cr_assert_eq(lines_of(inst_memory(INST_STORE, 1, 0x1000, 1, 1), a), 1);
    cr_assert_eq(a[0].bytes, 32);
    cr_assert_eq(lines_of(inst_memory(INST_STORE, 1, 0x1040, 2, 2), a), 1);
    cr_assert_eq(a[0].bytes, 64);
    cr_assert_eq(lines_of(inst_memory(INST_STORE, 1, 0x1000, 2, 2), a), 1);
    cr_assert_eq(a[0].bytes, 64);
    cr_assert_eq(lines_of(inst_memory(INST_STORE, 1, 0x1020, 2, 2), a), 1);
    cr_assert_eq(a[0].bytes, 128); /* quarters 1 and 2: both halves are touched */
    cr_assert_eq(lines_of(inst_memory(INST_STORE, 1, 0x1000, 8, 8), a), 2);
    cr_assert_eq(lines_of(inst_memory(INST_STORE, 1, 0x1000, 16, 16), a), 4);
    for (int i = 0; i < 4; i++) cr_assert_eq(a[i].bytes, 128);
}

Test(coalescer, lines_come_in_the_order_of_the_first_lane_that_touches_them)
{
    struct inst i = inst_of(INST_LOAD, 1, INST_NO_REG);
    const uint64_t lines[WARP_SIZE] = {9, 3, 9, 73, 3, 9}; /* 9 and 73 have the same low six bits */
    for (int lane = 0; lane < WARP_SIZE; lane++) i.addr[lane] = lines[lane] * 128;
    i.mask = 0x3e;                                                                 /* lanes 1 to 5: 3 9 73 3 9 */
    struct line_access a[COALESCER_MAX] = {[1] = {.line = 3}, [2] = {.line = 73}}; /* of an instruction before */
    cr_assert_eq(coalesce(&i, a), 3);
    cr_assert_eq(a[0].line, 3);
    cr_assert_eq(a[1].line, 9);
    cr_assert_eq(a[2].line, 73);
}

/* Lane 0 has the highest of 32 words of 8 bytes in two lines, lane 31 the lowest. */
Test(coalescer, addresses_may_go_down)
{
    struct line_access a[COALESCER_MAX];
    struct inst i = inst_memory(INST_LOAD, 1, 0x1000, 8, 8);
    for (uint32_t lane = 0; lane < WARP_SIZE; lane++) i.addr[lane] = 0x10f8 - 8 * lane;
    cr_assert_eq(coalesce(&i, a), 2);
    cr_assert_eq(a[0].line, 0x21);
    cr_assert_eq(a[1].line, 0x20);
    cr_assert(a[0].bytes == 128 && a[1].bytes == 128);
}

/* 16 bytes from byte 120 of a line on: 8 in it, 8 in the next. Each of 32 lanes 256 bytes apart does so: as many
 * accesses as there can be, and nothing is written behind them. */
Test(coalescer, an_element_across_a_border_touches_both_lines)
{
    struct line_access a[COALESCER_MAX + 1] = {[COALESCER_MAX] = {.bytes = 7}};
    cr_assert_eq(lines_of(inst_memory(INST_LOAD, 1, 120, 256, 16), a), 64);
    for (uint64_t n = 0; n < 64; n++) {
        cr_assert_eq(a[n].line, n);
        cr_assert_eq(a[n].bytes, 32);
    }
    cr_assert_eq(a[COALESCER_MAX].bytes, 7);
}

static uint32_t bank_cycles(uint32_t stride, uint8_t size)
{
    struct inst i = inst_memory(INST_SHARED_LOAD, 1, 0, stride, size);
    return shared_bank_cycles(&i, 32);
}

Test(coalescer, bank_conflicts_count_different_words_in_one_bank)
{
    cr_assert_eq(bank_cycles(4, 4), 1);    /* a bank each */
    cr_assert_eq(bank_cycles(0, 4), 1);    /* all the same word */
    cr_assert_eq(bank_cycles(8, 4), 2);    /* even banks, two words each */
    cr_assert_eq(bank_cycles(128, 4), 32); /* one bank */
    cr_assert_eq(bank_cycles(132, 4), 1);  /* padded by a word: a bank each */
    cr_assert_eq(bank_cycles(8, 8), 2);    /* 64 words */
    cr_assert_eq(bank_cycles(1, 1), 1);    /* eight words, four lanes in each */
    cr_assert_eq(bank_cycles(16, 16), 4);
}
