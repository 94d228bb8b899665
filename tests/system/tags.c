/* SPDX-License-Identifier: Apache-2.0 */
#include "system/tag_array.h"

#include <criterion/criterion.h>

static struct tags *create(uint32_t sets, uint32_t ways, const char *index)
{
    return tags_of((struct tags_setup){
        .sets = sets, .ways = ways, .index = SET_INDEX(index), .replacement = REPLACEMENT("lru"), .unit = "l1d.0"});
}

static struct victim take(struct tags *t, uint64_t line)
{
    return tags_take(t, line, TAG_VALID);
}

/* One set of four: 0 1 2 3 fill the invalid ways without a victim; touching 0 leaves 1 the oldest. */
Test(tags, invalid_ways_go_first_and_then_the_least_recently_used)
{
    struct tags *t = create(1, 4, "bmod");
    for (uint64_t line = 0; line < 4; line++) cr_assert_not(take(t, line).valid);
    tags_touch(t, 0);
    struct victim v = take(t, 4);
    cr_assert(v.valid);
    cr_assert_eq(v.line, 1);
    cr_assert_eq(take(t, 5).line, 2);
    cr_assert_eq(tags_probe(t, 0), TAG_VALID);
    tags_invalidate(t, 4);
    cr_assert_not(take(t, 6).valid);
    cr_assert_eq(tags_probe(t, 4), TAG_INVALID);
    tags_destroy(t);
}

Test(tags, reserved_ways_are_no_victims)
{
    struct tags *t = create(2, 2, "bmod");
    cr_assert_not(tags_take(t, 0, TAG_RESERVED).valid);
    cr_assert_not(take(t, 2).valid);
    cr_assert_eq(tags_take(t, 4, TAG_RESERVED).line, 2); /* 0 is older, but reserved */
    cr_assert_not(tags_can_reserve(t, 6));
    cr_assert(tags_can_reserve(t, 7)); /* the other set */
    tags_flush(t);
    cr_assert_eq(tags_probe(t, 0), TAG_RESERVED);
    tags_fill(t, 4);
    cr_assert_eq(tags_probe(t, 4), TAG_VALID);
    cr_assert_eq(take(t, 6).line, 4);
    tags_destroy(t);
}

/* As in GPGPU-Sim: a line is used when its way is reserved and when an access merges, not when its data comes. */
Test(tags, a_line_on_its_way_was_used_when_it_was_asked_for)
{
    struct tags *t = create(1, 2, "bmod");
    tags_take(t, 0, TAG_RESERVED);
    take(t, 1);
    tags_fill(t, 0);
    cr_assert_eq(take(t, 2).line, 0, "asked for before 1, filled after it");
    tags_take(t, 3, TAG_RESERVED); /* in the place of 1 */
    tags_touch(t, 2);
    tags_touch(t, 3); /* a merge */
    tags_fill(t, 3);
    cr_assert_eq(take(t, 4).line, 2);
    tags_destroy(t);
}

Test(tags, dirt_leaves_with_its_line)
{
    struct tags *t = create(1, 2, "bmod");
    take(t, 0);
    take(t, 1);
    tags_dirty(t, 0);
    tags_dirty(t, 9); /* not there */
    cr_assert_eq(tags_count_dirty(t), 1);
    struct victim v = take(t, 2);
    cr_assert(v.valid && v.dirty);
    cr_assert_eq(v.line, 0);
    cr_assert_eq(tags_count_dirty(t), 0);
    cr_assert_not(take(t, 3).dirty);
    tags_destroy(t);
}

static struct tags *create_sectors(uint32_t ways, bool written)
{
    return tags_of((struct tags_setup){.sets = 1,
                                       .ways = ways,
                                       .index = SET_INDEX("bmod"),
                                       .replacement = REPLACEMENT("lru"),
                                       .unit = "l2.0",
                                       .sector_bytes = SECTOR_BYTES,
                                       .written = written});
}

static const struct sectors four = {2, 3, SECTOR_BYTES};

static uint64_t sector(uint64_t line, uint32_t n)
{
    return block_of(&four, line, n);
}

/* One way: line 5 with sector 0 reserved, 1 valid; sectors 2 and 3 never come. */
Test(tags, sectors_share_a_tag_and_have_states_of_their_own)
{
    struct tags *t = create_sectors(1, false);
    cr_assert_not(tags_take(t, sector(5, 0), TAG_RESERVED).valid);
    cr_expect_eq(tags_probe(t, sector(5, 1)), TAG_NO_SECTOR);
    cr_expect_eq(tags_probe(t, sector(6, 0)), TAG_INVALID);
    tags_take_sector(t, sector(5, 1), TAG_RESERVED);
    tags_fill(t, sector(5, 1));
    cr_expect_eq(tags_probe(t, sector(5, 0)), TAG_RESERVED);
    cr_expect_eq(tags_probe(t, sector(5, 1)), TAG_VALID);
    cr_expect_not(tags_can_reserve(t, sector(6, 0)), "a sector of the only line is reserved");
    tags_flush(t);
    cr_expect_eq(tags_probe(t, sector(5, 1)), TAG_NO_SECTOR, "the valid one is flushed");
    cr_expect_eq(tags_probe(t, sector(5, 0)), TAG_RESERVED);
    tags_fill(t, sector(5, 0));
    cr_expect(tags_can_reserve(t, sector(6, 0)));
    cr_expect_not(tags_invalidate(t, sector(5, 3)), "not there");
    cr_expect_not(tags_invalidate(t, sector(5, 0)));
    cr_expect_eq(tags_probe(t, sector(5, 0)), TAG_INVALID, "the line leaves with its last sector");
    tags_destroy(t);
}

Test(tags, a_victim_names_its_dirty_sectors)
{
    struct tags *t = create_sectors(1, false);
    tags_take(t, sector(5, 0), TAG_VALID);
    tags_take_sector(t, sector(5, 2), TAG_VALID);
    tags_take_sector(t, sector(5, 3), TAG_VALID);
    tags_dirty(t, sector(5, 0));
    tags_dirty(t, sector(5, 3));
    cr_expect_eq(tags_count_dirty(t), 2);
    const struct victim v = tags_take(t, sector(6, 1), TAG_VALID);
    cr_expect(v.valid && v.dirty == 0x9 && v.line == 5, "found %x of line %lu", v.dirty, v.line);
    cr_expect_eq(tags_count_dirty(t), 0);
    cr_expect_eq(tags_probe(t, sector(6, 0)), TAG_NO_SECTOR);
    tags_destroy(t);
}

/* LRU is by line: a sector of line 0 is taken after line 1, so 1 is the older. */
Test(tags, taking_a_sector_uses_its_line)
{
    struct tags *t = create_sectors(2, false);
    tags_take(t, sector(0, 0), TAG_VALID);
    tags_take(t, sector(1, 0), TAG_VALID);
    tags_take_sector(t, sector(0, 1), TAG_VALID);
    cr_expect_eq(tags_take(t, sector(2, 0), TAG_VALID).line, 1);
    tags_destroy(t);
}

Test(tags, written_words_complete_a_block)
{
    struct tags *t = create_sectors(1, true);
    tags_take(t, sector(5, 1), TAG_WRITTEN);
    tags_write(t, sector(5, 1), 0x00000f00);
    cr_expect_eq(tags_probe(t, sector(5, 1)), TAG_WRITTEN);
    tags_take_sector(t, sector(5, 2), TAG_WRITTEN);
    tags_write(t, sector(5, 2), 0x0000f000); /* no word of sector 2 */
    cr_expect_eq(tags_probe(t, sector(5, 2)), TAG_WRITTEN);
    tags_write(t, sector(5, 1), 0x0000f000);
    cr_expect_eq(tags_probe(t, sector(5, 1)), TAG_VALID);
    cr_expect_eq(tags_count_dirty(t), 2);
    tags_take_sector(t, sector(5, 2), TAG_RESERVED); /* a read fetches it */
    tags_fill(t, sector(5, 2));
    cr_expect_eq(tags_probe(t, sector(5, 2)), TAG_VALID);
    cr_expect_eq(tags_count_dirty(t), 2, "what was written stays");
    cr_expect(tags_invalidate(t, sector(5, 1)));
    cr_expect_eq(tags_count_dirty(t), 1, "its dirt leaves with it");
    tags_take_sector(t, sector(5, 1), TAG_WRITTEN);
    cr_expect_eq(tags_probe(t, sector(5, 1)), TAG_WRITTEN, "words that left with it do not count");
    tags_write(t, sector(5, 1), 0x0000fe00);
    cr_expect_eq(tags_probe(t, sector(5, 1)), TAG_WRITTEN);
    tags_destroy(t);
}

/* Lines 0, 32 and 64 share set 0 of 32 under bmod; under bxor they are in sets 0, 1 and 2. */
Test(tags, the_index_function_decides_who_shares_a_set)
{
    struct tags *bmod = create(32, 1, "bmod"), *bxor = create(32, 1, "bxor");
    for (uint64_t line = 0; line < 96; line += 32) {
        cr_assert_eq(take(bmod, line).valid, line > 0);
        cr_assert_not(take(bxor, line).valid);
    }
    tags_destroy(bmod);
    tags_destroy(bxor);
}

/* Places of a set move with the number of ways: lines of the set behind must not be found there. */
Test(tags, another_number_of_ways_begins_without_lines)
{
    static const uint32_t sizes[] = {12, 3, 16, 1, 9};
    struct tags *t = create(4, 16, "bmod");
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint32_t ways = sizes[i];
        tags_resize(t, ways);
        for (uint64_t line = 0; line < 4 * 16; line++) cr_assert_eq(tags_probe(t, line), TAG_INVALID);
        for (uint64_t line = 0; line < 4 * ways; line++) cr_assert_not(take(t, line).valid);
        for (uint64_t line = 0; line < 4 * ways; line++) cr_assert_eq(tags_probe(t, line), TAG_VALID);
        for (uint64_t line = 0; line < 4; line++) cr_assert_eq(take(t, 1000 + line).line, line);
    }
    tags_destroy(t);
}
