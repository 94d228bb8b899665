/* SPDX-License-Identifier: Apache-2.0 */
/* milg: outcomes worked out by hand from Dai17, section 4.3.3. */
#include <criterion/criterion.h>
#include <string.h>

#include "milg.h"
#include "base/rng.h"

static struct milg generator(uint32_t relax)
{
    const struct milg_cfg cfg = {.InflightW = 7, .RfW = 12, .ReqW = 10, .Relax = relax};
    struct milg m = {0};
    milg_init(&m, &cfg);
    return m;
}

static struct milg_out cycle(struct milg *m, struct milg_in in)
{
    struct milg_out out;
    milg_eval(m, &in, &out);
    milg_tick(m, &in);
    return out;
}

static void times(struct milg *m, uint32_t n, struct milg_in in)
{
    for (uint32_t i = 0; i < n; i++) cycle(m, in);
}

static const struct milg_in ISSUE = {.issue_valid_i = true}, REQUEST = {.req_valid_i = true},
                            FAIL = {.fail_valid_i = true}, NOTHING = {0};

static struct milg_in retire(uint8_t count)
{
    return (struct milg_in){.retire_valid_i = true, .retire_count_i = count};
}

/* An interval of 1024 requests with so many failures, while up to `inflight` instructions are in flight. */
static uint32_t limit_after(struct milg *m, uint32_t inflight, uint32_t fails)
{
    times(m, inflight, ISSUE);
    times(m, inflight, retire(1));
    times(m, fails, FAIL);
    times(m, 1023, REQUEST);
    const struct milg_out last = cycle(m, REQUEST), next = cycle(m, NOTHING);
    cr_expect(last.update_o && !next.update_o && next.new_limit_o == 0);
    cr_expect_eq(last.new_limit_o, next.limit_o);
    return next.limit_o;
}

/* MIL_number = Max_Inflight_Minst# / (Rev_Fail# >> 10), at least 1. */
Test(milg, the_formula_of_the_paper)
{
    static const struct {
        uint32_t inflight, fails, limit;
    } rows[] = {
        {24, 1024, 24}, /* one failure a request: what was in flight */
        {24, 2047, 24}, /* the shift rounds down */
        {24, 2048, 12}, {24, 3072, 8},
        {25, 3072, 8},  {2, 3072, 1}, /* 2 / 3 = 0: at least one instruction may be in flight */
        {0, 1024, 1},   {126, 2048, 63},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct milg m = generator(MILG_GROW);
        cr_expect_eq(limit_after(&m, rows[i].inflight, rows[i].fails), rows[i].limit, "row %u", i);
    }
}

/* Table 6: failures per access of 1.53 (hs), 5.23 (sv), 7.96 (ks), 82.24 (ax); 12 bits hold no more than 3 a request.
 */
Test(milg, failures_of_table_6_and_what_12_bits_hold)
{
    static const struct {
        uint32_t percent, narrow, wide;
    } rows[] = {{153, 64, 64}, {523, 21, 12}, {796, 21, 9}, {8224, 21, 1}};
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint32_t fails = rows[i].percent * 1024 / 100;
        struct milg narrow = generator(MILG_GROW), wide = generator(MILG_GROW);
        wide.p.RfW = 17;
        cr_expect_eq(limit_after(&narrow, 64, fails), rows[i].narrow, "row %u", i);
        cr_expect_eq(limit_after(&wide, 64, fails), rows[i].wide, "row %u", i);
    }
}

Test(milg, less_than_one_failure_a_request)
{
    struct milg lift = generator(MILG_LIFT), grow = generator(MILG_GROW), hold = generator(MILG_HOLD);
    cr_expect_eq(limit_after(&lift, 20, 2048), 10);
    cr_expect_eq(limit_after(&grow, 20, 2048), 10);
    cr_expect_eq(limit_after(&hold, 20, 2048), 10);
    cr_expect_eq(limit_after(&lift, 10, 1023), 127, "no limit");
    cr_expect_eq(limit_after(&grow, 10, 1023), 11, "one more than was in flight");
    cr_expect_eq(limit_after(&grow, 4, 0), 11, "no failure lowers no limit");
    cr_expect_eq(limit_after(&hold, 10, 1023), 10, "as it was");
}

/* Two in flight and no failure say nothing against the limit: it stays where 127 is none, and where it is one. */
Test(milg, a_quiet_interval_lowers_no_limit)
{
    for (uint32_t relax = MILG_LIFT; relax <= MILG_HOLD; relax++) {
        struct milg m = generator(relax);
        cr_expect_eq(limit_after(&m, 2, 0), 127, "Relax=%u: there was none", relax);
        cr_expect_eq(limit_after(&m, 40, 2048), 20, "Relax=%u: 40 / 2", relax);
        cr_expect_eq(limit_after(&m, 2, 1023), relax == MILG_LIFT ? 127 : 20, "Relax=%u", relax);
    }
}

Test(milg, grow_climbs_from_what_was_reached)
{
    struct milg m = generator(MILG_GROW);
    limit_after(&m, 8, 2048);
    for (uint32_t limit = 4; limit < 12; limit++) cr_expect_eq(limit_after(&m, limit, 0), limit + 1);
    times(&m, 127, ISSUE);
    cr_expect_eq(limit_after(&m, 0, 0), 127, "one above the counter's end is its end");
}

Test(milg, issue_stops_at_the_limit)
{
    struct milg m = generator(MILG_GROW);
    limit_after(&m, 4, 2048);
    cr_expect(cycle(&m, ISSUE).issue_ok_o);
    cr_expect(cycle(&m, ISSUE).issue_ok_o);
    cr_expect(!cycle(&m, NOTHING).issue_ok_o, "2 of 2");
    cr_expect(!cycle(&m, retire(1)).issue_ok_o, "what completes counts from the next cycle on");
    cr_expect(cycle(&m, NOTHING).issue_ok_o);
}

Test(milg, a_static_limit_stands_in_for_the_dynamic_one)
{
    struct milg m = generator(MILG_GROW);
    struct milg_in in = {.issue_valid_i = true, .static_limit_i = 3};
    for (uint32_t i = 0; i < 3; i++) cr_expect(cycle(&m, in).issue_ok_o, "%u in flight", i);
    in.issue_valid_i = false;
    cr_expect(!cycle(&m, in).issue_ok_o && cycle(&m, in).limit_o == 3);
    in.static_limit_i = 4;
    cr_expect(cycle(&m, in).issue_ok_o);
    in.static_limit_i = 0;
    cr_expect_eq(cycle(&m, in).limit_o, 127, "the dynamic one");
}

/* All of a cycle's events count, in the order complete, issue, request and failure, interval. */
Test(milg, events_of_one_cycle)
{
    struct milg m = generator(MILG_GROW);
    times(&m, 6, ISSUE);
    times(&m, 1023, REQUEST);
    times(&m, 2047, FAIL);
    const struct milg_in all = {
        .issue_valid_i = true, .retire_valid_i = true, .retire_count_i = 3, .req_valid_i = true, .fail_valid_i = true};
    const struct milg_out out = cycle(&m, all);
    cr_expect(out.update_o && out.new_limit_o == 3, "6 / 2; the last failure is the 2048th");
    cr_expect_eq(cycle(&m, NOTHING).inflight_o, 4);
    cr_expect_eq(m.max_q, 4, "the new interval starts with what is in flight");
    cr_expect_eq(m.error_q, MILG_OK);
}

Test(milg, the_maximum_can_be_that_of_the_last_cycle)
{
    struct milg m = generator(MILG_GROW);
    times(&m, 6, ISSUE);
    times(&m, 1023, REQUEST);
    times(&m, 1024, FAIL);
    cr_expect_eq(cycle(&m, (struct milg_in){.issue_valid_i = true, .req_valid_i = true}).new_limit_o, 7);
}

Test(milg, counters_saturate)
{
    struct milg m = generator(MILG_GROW);
    times(&m, 127, ISSUE);
    cr_expect(!cycle(&m, NOTHING).issue_ok_o, "no limit, but no room");
    cycle(&m, (struct milg_in){.issue_valid_i = true, .retire_valid_i = true, .retire_count_i = 1});
    cr_expect_eq(m.error_q, MILG_OK, "one leaves as one comes");
    cycle(&m, ISSUE);
    cr_expect_eq(m.inflight_q, 127);
    cr_expect_eq(m.error_q, MILG_ERROR_ISSUE);
    times(&m, 5000, FAIL);
    cr_expect_eq(m.rf_q, 4095);
    cycle(&m, retire(7));
    cr_expect_eq(m.error_q, MILG_ERROR_ISSUE, "sticky");
}

Test(milg, more_complete_than_are_in_flight)
{
    struct milg m = generator(MILG_GROW);
    times(&m, 2, ISSUE);
    cycle(&m, (struct milg_in){.issue_valid_i = true, .retire_valid_i = true, .retire_count_i = 3});
    cr_expect_eq(m.inflight_q, 3, "the issue of that cycle does not help; it counts, they do not");
    cr_expect_eq(cycle(&m, NOTHING).error_o, MILG_ERROR_RETIRE);
    milg_reset(&m);
    cr_expect_eq(cycle(&m, NOTHING).error_o, MILG_OK);
}

Test(milg, another_kernel_starts_anew_with_what_is_in_flight)
{
    struct milg m = generator(MILG_GROW);
    limit_after(&m, 8, 2048);
    times(&m, 3, ISSUE);
    times(&m, 9, FAIL);
    times(&m, 1023, REQUEST);
    const struct milg_out out = cycle(&m, (struct milg_in){.start_valid_i = true, .req_valid_i = true});
    cr_expect(!out.update_o, "the interval was the other kernel's");
    cr_expect(m.limit_q == 127 && m.inflight_q == 3 && m.max_q == 3 && m.rf_q == 0 && m.req_q == 0);
}

/* The table of rtl/milg/README.md; events: i issue, r one completes, q request, f failure. */
Test(milg, worked_example)
{
    static const struct {
        const char *events;
        uint32_t inflight, max, requests, failures, limit, ok, new_limit;
    } rows[] = {
        {"i", 0, 0, 0, 0, 7, 1, 0},  {"i", 1, 1, 0, 0, 7, 1, 0},  {"iq", 2, 2, 0, 0, 7, 1, 0},
        {"if", 3, 3, 1, 0, 7, 1, 0}, {"f", 4, 4, 1, 1, 7, 1, 0},  {"q", 4, 4, 1, 2, 7, 1, 0},
        {"f", 4, 4, 2, 2, 7, 1, 0},  {"f", 4, 4, 2, 3, 7, 1, 0},  {"q", 4, 4, 2, 4, 7, 1, 0},
        {"f", 4, 4, 3, 4, 7, 1, 0},  {"f", 4, 4, 3, 5, 7, 1, 0},  {"f", 4, 4, 3, 6, 7, 1, 0},
        {"f", 4, 4, 3, 7, 7, 1, 0},  {"rq", 4, 4, 3, 8, 7, 1, 2}, {"r", 3, 3, 0, 0, 2, 0, 0},
        {"r", 2, 3, 0, 0, 2, 0, 0},  {"iq", 1, 3, 0, 0, 2, 1, 0}, {"q", 2, 3, 1, 0, 2, 0, 0},
        {"rq", 2, 3, 2, 0, 2, 0, 0}, {"q", 1, 3, 3, 0, 2, 1, 4},  {"i", 1, 1, 0, 0, 4, 1, 0},
        {"q", 2, 2, 0, 0, 4, 1, 0},  {"qf", 2, 2, 1, 0, 4, 1, 0}, {"rq", 2, 2, 2, 1, 4, 1, 0},
        {"q", 1, 2, 3, 1, 4, 1, 4},  {"", 1, 1, 0, 0, 4, 1, 0},
    };
    const struct milg_cfg cfg = {.InflightW = 3, .RfW = 4, .ReqW = 2, .Relax = MILG_GROW};
    struct milg m = {0};
    milg_init(&m, &cfg);
    for (uint32_t t = 0; t < sizeof rows / sizeof *rows; t++) {
        const char *e = rows[t].events;
        cr_expect(m.inflight_q == rows[t].inflight && m.max_q == rows[t].max, "cycle %u", t);
        cr_expect(m.req_q == rows[t].requests && m.rf_q == rows[t].failures, "cycle %u", t);
        const struct milg_out out = cycle(&m, (struct milg_in){.issue_valid_i = strchr(e, 'i'),
                                                               .retire_valid_i = strchr(e, 'r'),
                                                               .retire_count_i = 1,
                                                               .req_valid_i = strchr(e, 'q'),
                                                               .fail_valid_i = strchr(e, 'f')});
        cr_expect(out.limit_o == rows[t].limit && out.issue_ok_o == rows[t].ok, "cycle %u", t);
        cr_expect_eq(out.new_limit_o, rows[t].new_limit, "cycle %u", t);
    }
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
