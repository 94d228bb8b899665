/* SPDX-License-Identifier: Apache-2.0 */
/* Both kinds of MSHR file through one driver. */
#include <criterion/criterion.h>
#include <string.h>

#include "system/cache/miss_file.h"
#include "system/named.h"

#include "mshr.h"

struct bench {
    struct env env;
    struct config c;
    struct observer observer;
    struct miss_file *f;
    struct miss_answer answer;
    struct miss_drain drain;
    struct error err;
    uint32_t captured;
};

static void captured(void *context, const char *block, const void *cfg, const void *in)
{
    (void)cfg, (void)in;
    struct bench *b = context;
    cr_assert(!strcmp(block, "mshr") || !strcmp(block, "dl_mshr"));
    b->captured++;
}

/* A kind of this file: an mshr of one slot an entry, so that nothing merges. */
static struct miss_shape single_shape(const struct config *c, enum miss_cache cache)
{
    const uint32_t entries = MISS_OPTION(c, cache, mshr_entries);
    return (struct miss_shape){entries, entries};
}

static void single_configure(void *cfg, const struct config *c, enum miss_cache cache, uint32_t data_bits)
{
    *(struct mshr_cfg *)cfg = (struct mshr_cfg){.Entries = MISS_OPTION(c, cache, mshr_entries),
                                                .Slots = 1,
                                                .AddrW = MISS_ADDR_BITS,
                                                .InfoW = MISS_INFO_BITS,
                                                .DataW = data_bits};
}

static const struct miss_kind single = {
    .policy = {"single", "one slot an entry"}, .block = "mshr", .shape = single_shape, .configure = single_configure};
MISS_KIND_REGISTER(single);

static const char *const kinds[] = {"mshr", "dl_mshr", "single"};

/* Four entries of two slots with `bits` of write data; a dl_mshr with one set reserved. */
static void start_with(struct bench *b, int kind, uint32_t bits)
{
    *b = (struct bench){.observer = {.capture = captured, .capture_unit = "l2.1", .context = b}};
    b->c = (struct config){.l2_mshr_kind = MISS_FILE(kinds[kind]),
                           .l2_mshr_entries = 4,
                           .l2_mshr_slots = 2,
                           .l2_dl_mshr_sets = 4,
                           .l2_dl_mshr_slots = 2,
                           .l2_dl_mshr_reserved = 1,
                           .l2_dl_mshr_tail_ptr = true,
                           .l2_mshr_data_bits = bits};
    b->env = (struct env){.config = &b->c};
    env_observe(&b->env, &b->observer);
    b->f = miss_file_create(&b->env, MISS_L2, "l2.1", &b->err);
    cr_assert_not_null(b->f, "%s", b->err.text);
}

static void start(struct bench *b, int kind)
{
    start_with(b, kind, 1024);
}

/* A cycle with a fill (line, or none if 0) and a request (line, or none if 0). */
static void cycle(struct bench *b, uint64_t fill, uint64_t request, uint32_t info, bool write)
{
    miss_file_begin(b->f, true, &b->answer, &b->drain);
    if (fill) cr_assert(miss_file_fill(b->f, fill));
    if (request) cr_assert(miss_file_request(b->f, request, info, write, &b->answer));
    cr_assert(miss_file_end(b->f, &b->err), "%s", b->err.text);
}

Test(miss_file, answers_at_once_or_a_cycle_later)
{
    for (int k = 0; k < 2; k++) {
        struct bench b;
        start(&b, k);
        cycle(&b, 0, 7, 1, false);
        cr_assert_eq(b.answer.valid, k == 0);
        if (k == 1) cycle(&b, 0, 0, 0, false);
        cr_assert(b.answer.valid);
        cr_assert_eq(b.answer.result, MSHR_PRIMARY);
        cr_assert_eq(miss_file_used_slots(b.f), 1);
        miss_file_destroy(b.f);
    }
}

/* W1 R2 W3 of one line come out in that order, with their data: three slots link a second set; a conventional entry of
 * two slots refuses the third. */
Test(miss_file, slots_come_out_in_order)
{
    for (int k = 0; k < 2; k++) {
        struct bench b;
        start(&b, k);
        for (uint32_t i = 1; i <= 3; i++) cycle(&b, 0, 7, i, i != 2);
        if (k == 1) cycle(&b, 0, 0, 0, false);
        cr_assert_eq(b.answer.result, k == 0 ? MSHR_RF_MERGE : MSHR_SECONDARY);
        uint32_t slots = k == 0 ? 2 : 3;
        cr_assert_eq(miss_file_used_slots(b.f), slots);
        cycle(&b, 7, 0, 0, false);
        for (uint32_t i = 1; i <= slots; i++) {
            cycle(&b, 0, 0, 0, false);
            cr_assert(b.drain.valid);
            cr_assert_eq(b.drain.line, 7);
            cr_assert_eq(b.drain.info, i);
            cr_assert_eq(b.drain.write, i != 2);
            cr_assert_eq(b.drain.last, i == slots);
        }
        cr_assert_eq(miss_file_used_slots(b.f), 0);
        cycle(&b, 0, 0, 0, false);
        cr_assert_not(b.drain.valid);
        miss_file_destroy(b.f);
    }
}

/* Line 7 full with two slots (dl_mshr: all four sets full), the same request again and again. */
Test(miss_file, a_refusal_that_repeats_itself_is_a_fixed_point)
{
    for (int k = 0; k < 2; k++) {
        struct bench b;
        start(&b, k);
        /* dl_mshr: the reserved set is the head, three others are linked: 8 slots. */
        uint32_t slots = k == 0 ? 2 : 8;
        for (uint32_t i = 0; i < slots; i++) {
            cycle(&b, 0, 7, i, false);
            cr_assert(miss_file_changed(b.f));
        }
        cycle(&b, 0, 7, 99, false); /* mshr: refused here, which changes nothing; dl_mshr: in the next cycle */
        cr_assert_eq(miss_file_changed(b.f), k == 1);
        if (k == 1) {
            cycle(&b, 0, 7, 99, false);
            cr_assert(miss_file_changed(b.f));
        }
        for (int i = 0; i < 5; i++) {
            cycle(&b, 0, 7, 99, false);
            cr_assert_eq(b.answer.result, MSHR_RF_MERGE);
            cr_assert_not(miss_file_changed(b.f));
        }
        miss_file_destroy(b.f);
    }
}

/* The cache has other reasons not to try again: the file then forgets the request, which is a change. */
Test(miss_file, giving_up_after_a_refusal_is_a_change)
{
    struct bench b;
    start(&b, 1);
    for (uint32_t i = 0; i < 8; i++) cycle(&b, 0, 7, i, false);
    for (int i = 0; i < 4; i++) cycle(&b, 0, 7, 99, false);
    cr_assert_not(miss_file_changed(b.f));
    cycle(&b, 0, 0, 0, false);
    cr_assert_eq(b.answer.result, MSHR_RF_MERGE);
    cr_assert(miss_file_changed(b.f));
    miss_file_destroy(b.f);
}

Test(miss_file, is_ticked_only_when_something_moves)
{
    for (int k = 0; k < 2; k++) {
        struct bench b;
        start(&b, k);
        for (int i = 0; i < 10; i++) cycle(&b, 0, 0, 0, false);
        cr_assert_eq(b.captured, 0);
        cycle(&b, 0, 7, 1, false);
        for (int i = 0; i < 10; i++) cycle(&b, 0, 0, 0, false);
        cr_assert_eq(b.captured, k == 0 ? 1 : 2); /* dl_mshr: the answer */
        cycle(&b, 7, 0, 0, false);
        for (int i = 0; i < 10; i++) cycle(&b, 0, 0, 0, false);
        cr_assert_eq(b.captured, k == 0 ? 3 : 4); /* the fill, the slot */
        cr_assert_not(miss_file_changed(b.f));
        miss_file_destroy(b.f);
    }
}

Test(miss_file, a_fill_while_another_drains_waits_for_its_last_slot)
{
    for (int k = 0; k < 2; k++) {
        struct bench b;
        start(&b, k);
        cycle(&b, 0, 7, 1, false);
        cycle(&b, 0, 7, 2, false);
        cycle(&b, 0, 9, 3, false);
        cycle(&b, 7, 0, 0, false);
        miss_file_begin(b.f, true, &b.answer, &b.drain);
        cr_assert_not(b.drain.last);
        cr_assert_not(miss_file_fill(b.f, 9));
        cr_assert(miss_file_end(b.f, &b.err));
        miss_file_begin(b.f, true, &b.answer, &b.drain);
        cr_assert(b.drain.last);
        cr_assert(miss_file_fill(b.f, 9));
        cr_assert(miss_file_end(b.f, &b.err));
        cycle(&b, 0, 0, 0, false);
        cr_assert_eq(b.drain.line, 9);
        miss_file_destroy(b.f);
    }
}

Test(miss_file, a_slot_that_is_not_taken_stays)
{
    for (int k = 0; k < 2; k++) {
        struct bench b;
        start(&b, k);
        cycle(&b, 0, 7, 1, true);
        cycle(&b, 0, 0, 0, false);
        cycle(&b, 7, 0, 0, false);
        for (int i = 0; i < 3; i++) {
            miss_file_begin(b.f, i == 2, &b.answer, &b.drain);
            cr_assert(b.drain.valid && b.drain.last && b.drain.write);
            cr_assert(miss_file_end(b.f, &b.err));
            cr_assert_eq(miss_file_changed(b.f), i == 2);
            cr_assert_eq(miss_file_used_slots(b.f), i < 2);
        }
        miss_file_destroy(b.f);
    }
}

Test(miss_file, a_fill_without_a_miss_is_an_error)
{
    for (int k = 0; k < 2; k++) {
        struct bench b;
        start(&b, k);
        cycle(&b, 7, 0, 0, false);
        miss_file_begin(b.f, true, &b.answer, &b.drain);
        cr_assert_not(miss_file_end(b.f, &b.err));
        cr_assert_not_null(strstr(b.err.text, "l2.1: error_o: found 1, expected 0"), "%s", b.err.text);
        miss_file_destroy(b.f);
    }
}

Test(miss_file, a_new_kind_needs_nothing_but_its_file)
{
    struct bench b;
    start(&b, 2);
    cycle(&b, 0, 7, 1, false);
    cr_expect_eq(b.answer.result, MSHR_PRIMARY);
    cycle(&b, 0, 7, 2, false);
    cr_expect_eq(b.answer.result, MSHR_RF_MERGE);
    cr_expect(config_set(&b.c, "l1d.mshr.kind=single", &b.err), "%s", b.err.text);
    cr_expect_eq(miss_kind_of(&b.c, MISS_L1D), &single);
    cr_expect_not(config_set(&b.c, "l1d.mshr.kind=singel", &b.err));
    cr_expect_not_null(strstr(b.err.text, "the nearest is single"), "%s", b.err.text);
    miss_file_destroy(b.f);
}

/* The data of a write has the width of the buffer, and comes back whole. */
Test(miss_file, write_data_of_any_width_comes_back)
{
    static const uint32_t widths[] = {0, 1, 8, 31, 32, 33, 1024};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        for (int k = 0; k < 2; k++) {
            struct bench b;
            start_with(&b, k, widths[i]);
            for (uint32_t n = 1; n <= 2; n++) cycle(&b, 0, 1, n, true);
            cycle(&b, 0, 0, 0, false);
            cycle(&b, 1, 0, 0, false);
            for (uint32_t n = 1; n <= 2; n++) {
                cycle(&b, 0, 0, 0, false);
                cr_assert(b.drain.valid && b.drain.write, "%s, %u bits", kinds[k], widths[i]);
                cr_assert_eq(b.drain.info, n);
            }
            miss_file_destroy(b.f);
        }
    }
}
