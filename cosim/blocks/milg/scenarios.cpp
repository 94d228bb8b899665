// SPDX-License-Identifier: Apache-2.0
// milg: Dai17, section 4.3.3.
#include "run.hpp"

static const uint32_t kTop = bits_mask(cfg.InflightW), kInterval = 1u << cfg.ReqW;

static inline In issue()
{
    In in{};
    in.issue_valid_i = true;
    return in;
}

static inline In retire(uint32_t count)
{
    In in{};
    in.retire_valid_i = true;
    in.retire_count_i = uint8_t(count);
    return in;
}

static inline In request()
{
    In in{};
    in.req_valid_i = true;
    return in;
}

static inline In failure()
{
    In in{};
    in.fail_valid_i = true;
    return in;
}

static const uint32_t kMostFails =
    uint32_t(bits_mask(cfg.RfW) >> cfg.ReqW); // a request with a distinguishable number of failures

// The paper's formula; undefined without failures.
static uint32_t formula(uint32_t most, uint32_t fails)
{
    return fails && most / fails ? most / fails : 1;
}

// So many cycles with these inputs.
static void times(Run &run, uint32_t n, const In &in)
{
    for (uint32_t i = 0; i < n; i++) run.cycle(in);
}

// An interval with up to `most` instructions in flight and `fails` failures per request.
static uint32_t interval(Run &run, uint32_t most, uint32_t fails)
{
    times(run, most, issue());
    times(run, most, retire(1));
    times(run, fails * kInterval, failure());
    times(run, kInterval - 1, request());
    return run.cycle(request()).new_limit_o;
}

SCENARIO(quotient, true, "4.3.3.2: the most in flight, divided by the failures per request, and at least 1")
{
    for (uint32_t fails = 1; fails <= kMostFails && fails < 8; fails++) {
        run.reset();
        run.expect_equal(interval(run, kTop, fails), formula(kTop, fails), "limit");
        run.expect_equal(run.idle().limit_o, formula(kTop, fails), "limit in force");
    }
}

SCENARIO(never_0, true, "4.3.3.2: a kernel is never prohibited from issuing")
{
    if (kMostFails == 0) return; // there are no failures to count
    run.expect_equal(interval(run, 0, 1), 1, "limit");
    run.expect(run.cycle(issue()).issue_ok_o, "one may be issued");
    run.expect(run.idle().issue_ok_o == (1 < run.idle().limit_o), "and no second one");
}

SCENARIO(relax, true, "less than one failure a request: LIFT, GROW or HOLD")
{
    run.expect_equal(interval(run, 1, 0), kTop, "no limit, and none after a quiet interval");
    if (kMostFails == 0) return;
    const uint32_t low = interval(run, kTop, kMostFails), grown = low + 1 < kTop ? low + 1 : kTop;
    run.expect_equal(low, formula(kTop, kMostFails), "limit after failures");
    run.expect_equal(interval(run, 0, 0), cfg.Relax == MILG_LIFT ? kTop : low, "none in flight: no limit falls");
    run.expect_equal(interval(run, low, 0),
                     cfg.Relax == MILG_LIFT   ? kTop
                     : cfg.Relax == MILG_GROW ? grown
                                              : low,
                     "as many in flight as the limit allows");
}

SCENARIO(counter_end, true, "as many in flight as the counter counts: no more may be issued, though there is no limit")
{
    times(run, kTop, issue());
    run.expect(!run.idle().issue_ok_o && run.idle().limit_o == kTop, "no room");
    In both = issue();
    both.retire_valid_i = true;
    both.retire_count_i = 1;
    run.cycle(both);
    run.expect_equal(run.idle().inflight_o, kTop, "in flight after an issue together with a completion");
    run.expect_equal(run.idle().error_o, MILG_OK, "error");
    run.cycle(retire(1));
    run.expect(run.idle().issue_ok_o, "room again");
}

SCENARIO(falls_below, true, "a limit below the number in flight: no more are issued until enough are complete")
{
    const uint32_t fails = kMostFails < 2 ? 0 : 2;
    times(run, kTop, issue());
    times(run, fails * kInterval, failure());
    times(run, kInterval, request());
    const uint32_t limit = fails ? formula(kTop, fails) : kTop;
    for (uint32_t inflight = kTop; inflight >= limit; inflight--)
        run.expect(!run.cycle(retire(1)).issue_ok_o, "at or above the limit");
    run.expect(run.idle().issue_ok_o, "below it");
}

SCENARIO(from_before, kMostFails >= 2, "more in flight than the limit are from before it fell, and do not count")
{
    times(run, kTop, issue());
    times(run, 2 * kInterval, failure());
    times(run, kInterval, request());
    const uint32_t low = formula(kTop, 2), grown = low < kTop ? low + 1 : kTop;
    run.expect_equal(run.idle().limit_o, low, "limit after two failures a request");
    run.expect_equal(run.idle().inflight_o, kTop, "all still in flight");
    times(run, kInterval, failure());
    times(run, kInterval, request());
    run.expect_equal(run.idle().limit_o, low, "limit after one failure a request");
    times(run, kInterval, request());
    run.expect_equal(run.idle().limit_o,
                     cfg.Relax == MILG_LIFT   ? kTop
                     : cfg.Relax == MILG_GROW ? grown
                                              : low,
                     "limit after none");
}

SCENARIO(one_cycle, true, "an instruction completes, one is issued, and the last request of the interval fails first")
{
    times(run, 1, issue());
    times(run, kInterval - 1, failure());
    times(run, kInterval - 1, request());
    In all = request();
    all.issue_valid_i = all.retire_valid_i = all.fail_valid_i = true;
    all.retire_count_i = 1;
    const Out &out = run.cycle(all);
    run.expect(out.update_o, "the interval ends");
    if (kMostFails) run.expect_equal(out.new_limit_o, 1, "1 in flight, 1 failure a request");
    run.expect_equal(run.idle().inflight_o, 1, "in flight");
}

SCENARIO(saturates, cfg.RfW <= 20, "failures in an interval beyond the counter's end leave it there")
{
    times(run, kTop, issue());
    times(run, 2u << cfg.RfW, failure());
    run.expect_equal(run.registers().rf_q, bits_mask(cfg.RfW), "failures");
    times(run, kInterval, request());
    if (kMostFails) run.expect_equal(run.idle().limit_o, formula(kTop, kMostFails), "limit");
}

SCENARIO(another_kernel, true,
         "another kernel: no limit, a new interval, even in the cycle of the last request; the number in flight stays")
{
    interval(run, kTop, kMostFails);
    times(run, 1, issue());
    times(run, 1, failure());
    times(run, kInterval - 1, request());
    In in = request();
    in.start_valid_i = true;
    run.expect(!run.cycle(in).update_o, "the interval was the other kernel's");
    const Twin &now = run.registers();
    run.expect(now.limit_q == kTop && now.inflight_q == 1 && now.max_q == 1 && now.rf_q == 0 && now.req_q == 0,
               "the registers");
}

SCENARIO(errors, true, "an issue at the counter's end, and more complete than are in flight: the first error stays")
{
    times(run, kTop + 1, issue());
    run.expect_equal(run.idle().error_o, MILG_ERROR_ISSUE, "error");
    if (kTop < 7) run.cycle(retire(kTop + 1));
    times(run, kTop, retire(1));
    run.cycle(retire(1));
    run.expect_equal(run.idle().error_o, MILG_ERROR_ISSUE, "error");
    run.reset();
    run.cycle(retire(1));
    run.expect_equal(run.idle().error_o, MILG_ERROR_RETIRE, "error");
}

// One request of the L1D, refused so many times before it is accepted.
static Out request(Run &run, uint32_t refused)
{
    for (uint32_t i = 0; i < refused; i++) run.cycle(failure());
    return run.cycle(request());
}

SCENARIO(dmil, (bits_mask(cfg.RfW) >> cfg.ReqW) >= 2 && kTop > 1,
         "4.3.3.2: two reservation failures a request: the limit is half of the number in flight, and stops issue")
{
    for (uint32_t i = 0; i < kTop; i++) run.expect(run.cycle(issue()).issue_ok_o, "no limit yet");
    run.expect(!run.idle().issue_ok_o, "but the counter's end");
    for (uint32_t i = 0; i < kInterval - 1; i++) run.expect(!request(run, 2).update_o, "not yet");
    const Out last = request(run, 2);
    run.expect(last.update_o, "1024 requests");
    run.expect_equal(last.new_limit_o, kTop / 2, "the new limit");
    for (uint32_t n = kTop; n >= kTop / 2; n--)
        run.expect(!run.cycle(retire(1)).issue_ok_o, "still too many in flight");
    run.expect(run.cycle(issue()).issue_ok_o, "one less than the limit");
    run.expect(!run.idle().issue_ok_o, "at the limit");
    const Twin &now = run.registers();
    run.expect_equal(now.limit_q, kTop / 2, "limit");
}

SCENARIO(static_limit, kTop > 2, "4.3.3.1: a static limit counts from its cycle on, so does the dynamic one after it")
{
    In in = issue();
    in.static_limit_i = 1;
    run.expect(run.cycle(in).issue_ok_o, "below it");
    in.issue_valid_i = false;
    run.expect(!run.cycle(in).issue_ok_o && run.last().limit_o == 1, "at it");
    in.static_limit_i = 2;
    in.issue_valid_i = true;
    run.expect(run.cycle(in).issue_ok_o, "a higher one");
    in.issue_valid_i = false;
    run.expect(!run.cycle(in).issue_ok_o, "at that one");
    run.expect(run.idle().issue_ok_o && run.last().limit_o == kTop, "the dynamic one: there is none yet");
}

// The paper's widths, and a wider failure counter.
static const bool kPaper = cfg.InflightW == 7 && cfg.RfW >= 12 && cfg.ReqW == 10;

// The limit after an interval with so many failures in total and up to `inflight` instructions in flight.
static uint32_t limit_after(Run &run, uint32_t inflight, uint32_t fails)
{
    times(run, inflight, issue());
    times(run, inflight, retire(1));
    times(run, fails, failure());
    times(run, kInterval - 1, request());
    const uint32_t limit = run.cycle(request()).new_limit_o;
    run.expect(run.last().update_o, "the interval ends");
    const Out &next = run.idle();
    run.expect(!next.update_o && next.new_limit_o == 0 && next.limit_o == limit, "the limit from now on");
    return limit;
}

SCENARIO(formula_by_hand, kPaper, "4.3.3.2: MIL_number = Max_Inflight_Minst# / (Rev_Fail# >> 10), at least 1")
{
    static constexpr uint32_t rows[][3] = {{24, 1024, 24}, {24, 2047, 24}, {24, 2048, 12}, {24, 3072, 8},
                                           {25, 3072, 8},  {2, 3072, 1},   {0, 1024, 1},   {126, 2048, 63}};
    for (const auto &[inflight, fails, limit] : rows) {
        run.reset();
        run.expect_equal(limit_after(run, inflight, fails), limit, "limit");
    }
}

SCENARIO(table_6, kPaper, "table 6: failures per access of hs, sv, ks and ax; 12 bits hold no more than 3 a request")
{
    static constexpr uint32_t rows[][3] = {{153, 64, 64}, {523, 21, 12}, {796, 21, 9}, {8224, 21, 1}};
    for (const auto &[percent, narrow, wide] : rows) {
        run.reset();
        run.expect_equal(limit_after(run, 64, percent * 1024 / 100), cfg.RfW == 12 ? narrow : wide, "limit");
    }
}

SCENARIO(below_one, kPaper, "less than one failure a request lifts, raises by one, or keeps the limit; it lowers none")
{
    run.expect_equal(limit_after(run, 2, 0), kTop, "there was no limit, and there is none");
    run.expect_equal(limit_after(run, 20, 2048), 10, "20 / 2");
    run.expect_equal(limit_after(run, 2, 1023), cfg.Relax == MILG_LIFT ? kTop : 10, "few in flight");
    run.expect_equal(limit_after(run, 10, 1023),
                     cfg.Relax == MILG_LIFT   ? kTop
                     : cfg.Relax == MILG_GROW ? 11
                                              : 10,
                     "as many as the limit");
    run.expect_equal(limit_after(run, 4, 0),
                     cfg.Relax == MILG_LIFT   ? kTop
                     : cfg.Relax == MILG_GROW ? 11
                                              : 10,
                     "no failure");
}

SCENARIO(climbs, kPaper &&cfg.Relax == MILG_GROW, "GROW climbs by one an interval, to the counter's end")
{
    limit_after(run, 8, 2048);
    for (uint32_t limit = 4; limit < kTop; limit++) run.expect_equal(limit_after(run, limit, 0), limit + 1, "limit");
    run.expect_equal(limit_after(run, kTop, 0), kTop, "one above the counter's end is its end");
}

SCENARIO(stops_at_the_limit, kPaper,
         "no more are issued than the limit; one that completes counts from the next cycle on")
{
    limit_after(run, 4, 2048);
    run.expect(run.cycle(issue()).issue_ok_o && run.cycle(issue()).issue_ok_o, "two");
    run.expect(!run.idle().issue_ok_o, "2 of 2");
    run.expect(!run.cycle(retire(1)).issue_ok_o, "not in this cycle");
    run.expect(run.idle().issue_ok_o, "in the next");
}

SCENARIO(one_cycle_by_hand, kPaper, "the events of a cycle: complete, issue, request and failure, then the interval")
{
    times(run, 6, issue());
    times(run, 1023, request());
    times(run, 2047, failure());
    In all = request();
    all.issue_valid_i = all.retire_valid_i = all.fail_valid_i = true;
    all.retire_count_i = 3;
    run.expect(run.cycle(all).update_o && run.last().new_limit_o == 3, "6 / 2; the last failure is the 2048th");
    const Twin &now = run.registers();
    run.expect(now.inflight_q == 4 && now.max_q == 4 && now.error_q == MILG_OK,
               "the new interval starts with 4 in flight");
    run.reset();
    times(run, 6, issue());
    times(run, 1023, request());
    times(run, 1024, failure());
    all = request();
    all.issue_valid_i = true;
    run.expect_equal(run.cycle(all).new_limit_o, 7, "the maximum is that of the last cycle");
}

SCENARIO(too_many_complete, kTop > 2,
         "more complete than are in flight: none of them counts, the issue of that cycle does")
{
    times(run, 2, issue());
    In both = issue();
    both.retire_valid_i = true;
    both.retire_count_i = 3;
    run.cycle(both);
    run.expect_equal(run.idle().inflight_o, 3, "in flight");
    run.expect_equal(run.idle().error_o, MILG_ERROR_RETIRE, "error");
    run.reset();
    run.expect_equal(run.idle().error_o, MILG_OK, "error after reset");
}
