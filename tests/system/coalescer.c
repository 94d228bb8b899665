/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/coalescer.h"

#include <criterion/criterion.h>

#include "base/rng.h"
#include "system/bench.h"

static uint32_t lines_of(struct inst i, struct line_access *out)
{
    return coalesce(&i, COALESCE_LINE, out);
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

/* 32 lanes of one byte in 32-byte segments, of two in 64, of four in a line; the segments of a line are accesses of it.
 */
Test(coalescer, small_elements_may_be_coalesced_by_segments)
{
    static const struct {
        uint64_t addr;
        uint32_t stride;
        uint8_t size, count, bytes;
        uint64_t last; /* line of the last access */
    } cases[] = {{0x1000, 1, 1, 1, 32, 0x20},  {0x1010, 1, 1, 2, 32, 0x20},  {0x1000, 4, 1, 4, 32, 0x20},
                 {0x1000, 2, 2, 1, 64, 0x20},  {0x1020, 2, 2, 2, 32, 0x20},  {0x1000, 8, 2, 4, 64, 0x21},
                 {0x1000, 4, 4, 1, 128, 0x20}, {0x1000, 32, 1, 32, 32, 0x27}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct line_access a[COALESCER_MAX];
        const struct inst i = inst_memory(INST_LOAD, 1, cases[n].addr, cases[n].stride, cases[n].size);
        const uint32_t count = coalesce(&i, COALESCE_SEGMENT, a);
        cr_expect_eq(count, cases[n].count, "case %zu: %u accesses", n, count);
        for (uint32_t k = 0; k < count; k++) cr_expect_eq(a[k].bytes, cases[n].bytes, "case %zu", n);
        cr_expect_eq(a[count - 1].line, cases[n].last, "case %zu", n);
    }
}

/* 16 words from the middle of a line on, in the last lane's order: sectors 2 and 3, then 0 and 1 of the next. */
Test(coalescer, any_element_may_be_coalesced_by_sectors)
{
    struct line_access a[COALESCER_MAX];
    struct inst i = inst_memory(INST_LOAD, 1, 0x1040, 4, 4);
    cr_assert_eq(coalesce(&i, COALESCE_SECTOR, a), 4);
    for (uint32_t k = 0; k < 4; k++) {
        cr_expect_eq(a[k].line, 0x20 + k / 2);
        cr_expect_eq(a[k].sector, (2 + k) % 4);
        cr_expect_eq(a[k].bytes, 32);
    }
    i = inst_memory(INST_LOAD, 1, 0x1000, 16, 16);
    cr_assert_eq(coalesce(&i, COALESCE_SECTOR, a), 16, "two lanes a sector");
    i = inst_memory(INST_LOAD, 1, 0x101c, 64, 8);
    cr_assert_eq(coalesce(&i, COALESCE_SECTOR, a), COALESCER_MAX, "each element lies across a border");
}

/* An atomic, apart: by 32 bytes; a word belongs to one lane of an access. */
Test(coalescer, lanes_of_an_atomic_with_one_address_have_an_access_each)
{
    static const struct {
        uint64_t addr;
        uint32_t stride, mask;
        uint8_t size, count;
    } cases[] = {{0x1000, 0, UINT32_MAX, 4, 32},
                 {0x1000, 0, 0x80000005, 4, 3},
                 {0x1000, 4, UINT32_MAX, 4, 4},
                 {0x1010, 4, UINT32_MAX, 4, 5},
                 {0x1000, 8, UINT32_MAX, 8, 8},
                 {0x1000, 32, UINT32_MAX, 4, 32},
                 {0x101e, 0, 3, 4, 4}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct line_access a[COALESCER_MAX];
        struct inst i = inst_memory(INST_ATOMIC, 1, cases[n].addr, cases[n].stride, cases[n].size);
        i.mask = cases[n].mask;
        const uint32_t count = coalesce_apart(&i, a);
        cr_expect_eq(count, cases[n].count, "case %zu: %u accesses", n, count);
        for (uint32_t k = 0; k < count; k++) cr_expect_eq(a[k].bytes, 32, "case %zu", n);
    }
}

/* Cycles of the accesses of an instruction in an L1D with banks. */
static uint32_t l1d_cycles(const struct inst *i, const struct bank_rules *rules)
{
    struct line_access a[COALESCER_MAX];
    const uint32_t count = coalesce(i, COALESCE_SECTOR, a);
    uint32_t cycles = 0;
    coalesce_cycles(i, rules, a, count);
    for (uint32_t n = 0; n < count; n++) cycles += !a[n].beside;
    cr_expect_not(a[0].beside);
    return cycles;
}

/* `words`: 32 banks of a word and four lines, as measured on an H100 (scripts/silicon/kept).  `sectors`: four banks of
 * a sector. */
Test(coalescer, a_cycle_needs_no_two_places_of_a_bank)
{
    static const struct {
        uint32_t stride, words, sectors;
    } cases[] = {{0, 1, 1},   {4, 1, 1},  {8, 2, 2},     {12, 1, 3},   {16, 4, 4},   {20, 2, 5},
                 {24, 2, 6},  {28, 2, 7}, {32, 8, 8},    {36, 3, 8},   {48, 4, 9},   {64, 16, 16},
                 {68, 5, 13}, {96, 8, 8}, {128, 32, 32}, {132, 8, 29}, {256, 32, 32}};
    const struct bank_rules words = {32, 4, 4}, sectors = {4, 32, 8};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        const struct inst i = inst_memory(INST_LOAD, 1, 0x1000, cases[n].stride, 4);
        cr_expect_eq(l1d_cycles(&i, &words), cases[n].words, "stride %u: %u", cases[n].stride, l1d_cycles(&i, &words));
        cr_expect_eq(l1d_cycles(&i, &sectors), cases[n].sectors, "stride %u, sectors: %u", cases[n].stride,
                     l1d_cycles(&i, &sectors));
    }
}

/* Of n words, word i is of as many lanes as it has accesses: each bit of the lanes' words counts once. */
Test(coalescer, an_atomic_apart_has_as_many_accesses_as_lanes_of_a_word)
{
    struct rng r;
    rng_seed(&r, 5);
    for (uint32_t n = 0; n < 2000; n++) {
        struct inst i = inst_memory(INST_ATOMIC, 1, 0, 4, 4);
        uint32_t lanes[16] = {0}, expected = 0;
        i.strided = false;
        i.mask = (uint32_t)rng_u64(&r) | 1u << rng_below(&r, 32);
        for (uint32_t lane = 0; lane < WARP_SIZE; lane++) i.addr[lane] = 0x1000 + 4 * rng_below(&r, 16);
        for (uint32_t mask = i.mask; mask; mask &= mask - 1) lanes[i.addr[__builtin_ctz(mask)] / 4 % 16]++;
        for (uint32_t half = 0; half < 16; half += 8) {
            uint32_t most = 0;
            for (uint32_t w = half; w < half + 8; w++) most = max_u32(most, lanes[w]);
            expected += most;
        }
        struct line_access a[COALESCER_MAX];
        cr_assert_eq(coalesce_apart(&i, a), expected, "seed 5, number %u", n);
    }
}

/* The part of an access begins with its first sector. */
Test(coalescer, an_access_names_its_first_sector)
{
    struct line_access a[COALESCER_MAX];
    static const struct {
        uint64_t addr;
        uint8_t size, sector, bytes;
    } cases[] = {{0x1000, 4, 0, 128}, {0x1040, 2, 2, 64}, {0x1020, 2, 0, 128}, {0x1060, 1, 3, 32}, {0x1020, 1, 1, 32}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        lines_of(inst_memory(INST_LOAD, 1, cases[n].addr, cases[n].size, cases[n].size), a);
        cr_expect_eq(a[0].sector, cases[n].sector, "case %zu: %u", n, a[0].sector);
        cr_expect_eq(a[0].bytes, cases[n].bytes, "case %zu: %u", n, a[0].bytes);
    }
}

static bool covers(struct inst i, uint64_t line)
{
    return words_written(&i, line) == UINT32_MAX;
}

/* Lanes of one byte from byte 2 on write bytes 2 to 33: words 1 to 7 whole, half of words 0 and 8. */
Test(coalescer, a_word_is_written_when_all_its_bytes_are)
{
    const struct inst bytes = inst_memory(INST_STORE, 1, 0x1002, 1, 1),
                      words = inst_memory(INST_STORE, 1, 0x1040, 8, 4);
    cr_expect_eq(words_written(&bytes, 0x20), 0xfe);
    cr_expect_eq(words_written(&words, 0x20), 0x55550000, "every other word of the upper half");
    cr_expect_eq(words_written(&words, 0x21), 0x55555555);
    const struct inst across = inst_memory(INST_STORE, 1, 120, 256, 16);
    cr_expect_eq(words_written(&across, 0), 0xc0000000, "the first half of lane 0");
    cr_expect_eq(words_written(&across, 1), 0x3, "its second half");
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
    cr_assert_eq(coalesce(&i, COALESCE_LINE, a), 3);
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
    cr_assert_eq(coalesce(&i, COALESCE_LINE, a), 2);
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

static uint32_t cycles_of(uint32_t banks, uint32_t stride, uint8_t size)
{
    struct inst i = inst_memory(INST_SHARED_LOAD, 1, 0, stride, size);
    return shared_bank_cycles(&i, banks);
}

static uint32_t bank_cycles(uint32_t stride, uint8_t size)
{
    return cycles_of(32, stride, size);
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
    struct inst shifted = inst_memory(INST_SHARED_LOAD, 1, 2, 4, 4);
    cr_assert_eq(shared_bank_cycles(&shifted, 32), 2, "33 words in a row");
    shifted.mask = 0x7fffffff;
    cr_assert_eq(shared_bank_cycles(&shifted, 32), 1, "32 of them");
}

Test(coalescer, any_number_of_banks)
{
    cr_expect_eq(cycles_of(1, 4, 4), 32);
    cr_expect_eq(cycles_of(12, 4, 4), 3);   /* 32 words, word i in bank i modulo 12 */
    cr_expect_eq(cycles_of(12, 48, 4), 32); /* one bank */
    cr_expect_eq(cycles_of(12, 52, 4), 3);  /* the next bank each */
}

/* Of one address the last access is first, as it is where lanes of an atomic have one each. */
Test(coalescer, accesses_may_come_from_the_highest_address)
{
    static const uint64_t lines[] = {7, 3, 9, 3, 8}, expected[] = {9, 8, 7, 3, 3};
    static const uint8_t sectors[] = {0, 1, 2, 1, 3}, in_order[] = {2, 3, 0, 1, 1};
    struct line_access a[5];
    for (uint32_t i = 0; i < 5; i++) a[i] = (struct line_access){.line = lines[i], .sector = sectors[i], .written = i};
    coalesce_from_highest(a, 5);
    for (uint32_t i = 0; i < 5; i++)
        cr_expect(a[i].line == expected[i] && a[i].sector == in_order[i], "access %u: line %lu", i, a[i].line);
    cr_expect(a[3].written == 3 && a[4].written == 1);
    struct line_access sectors_of_line[] = {
        {.line = 5, .sector = 1}, {.line = 5, .sector = 0}, {.line = 5, .sector = 3}};
    coalesce_from_highest(sectors_of_line, 3);
    cr_expect(sectors_of_line[0].sector == 3 && sectors_of_line[1].sector == 1 && sectors_of_line[2].sector == 0);
}

/* The same accesses as base and stride and as a list of addresses. */
Test(coalescer, a_stride_is_coalesced_as_its_addresses)
{
    struct rng r;
    rng_seed(&r, 5);
    for (uint32_t n = 0; n < 20000; n++) {
        static const int32_t strides[] = {0, 1, 2, 3, 4, 8, 12, 16, 128, 4096, -4, -8};
        struct inst i = {.op = INST_STORE, .strided = true, .mask = UINT32_MAX};
        i.size = (uint8_t)(1 << rng_below(&r, 5));
        i.stride = strides[rng_below(&r, sizeof strides / sizeof *strides)];
        i.base = 0x100000 + rng_below(&r, 300);
        while (rng_below(&r, 3)) i.mask &= (uint32_t)rng_u64(&r) >> rng_below(&r, 31) | 1u << rng_below(&r, 32);
        if (!i.mask) i.mask = 1u << rng_below(&r, 32);
        if (!rng_below(&r, 4)) i.mask = UINT32_MAX << rng_below(&r, 32);
        struct inst filled = i;
        inst_fill(&filled);
        struct line_access a[COALESCER_MAX], b[COALESCER_MAX];
        for (enum coalesce_unit unit = COALESCE_LINE; unit <= COALESCE_SECTOR; unit++) {
            const uint32_t lines = coalesce(&i, unit, a);
            cr_assert_eq(lines, coalesce(&filled, unit, b));
            for (uint32_t l = 0; l < lines; l++) {
                cr_assert(a[l].line == b[l].line && a[l].bytes == b[l].bytes && a[l].sector == b[l].sector);
                cr_assert_eq(words_written(&i, a[l].line), words_written(&filled, a[l].line));
            }
        }
        cr_assert_eq(shared_bank_cycles(&i, 32), shared_bank_cycles(&filled, 32));
    }
}
