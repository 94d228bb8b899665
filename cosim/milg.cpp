// SPDX-License-Identifier: Apache-2.0
// milg in lockstep: Dai17, section 4.3.3.
#include "lockstep.hpp"
#include "milg_inputs.hpp"

static constexpr uint32_t kMostFails = uint32_t(bits_mask(cfg.RfW) >> cfg.ReqW); // a request, that can be told

// The paper's formula; without failures there is none.
static uint32_t formula(uint32_t most, uint32_t fails)
{
    return fails && most / fails ? most / fails : 1;
}

struct Stimulus {
    void begin(Random &r)
    {
        turn(r);
    }
    void reset()
    {
        fresh_ = true;
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        follow(r, last_in, last);
        if (--left_ == 0) turn(r);
        in.static_limit_i = uint16_t(static_ && r.chance(8) ? r.below(kTop + 1) : static_);
        in.retire_valid_i = r.chance(retire_);
        in.retire_count_i = uint8_t(several_ ? r.below(8) : 1);
        if (!rude_retire_ && in.retire_count_i > inflight_) in.retire_count_i = uint8_t(inflight_);
        in.issue_valid_i = r.chance(issue_) && (rude_issue_ || inflight_ < limit(in, last_in, last));
        in.req_valid_i = !storm_ && r.chance(request_);
        in.fail_valid_i = storm_ || r.chance(fail_);
        in.start_valid_i = start_ && r.below(kInterval) < 2;
        if (requests_ == kInterval - 1) brink(r, in, last_in, last);
    }

  private:
    // How crowded the memory pipeline is, and whether the issuer keeps to the limit, for a while.
    void turn(Random &r)
    {
        static constexpr uint32_t rates[] = {4, 16, 64, 128, 192, 256, 256, 256};
        issue_ = rates[r.below(8)];
        retire_ = rates[r.below(8)];
        request_ = rates[2 + r.below(6)] >> r.below(2);
        fail_ = r.chance(64) ? 0 : rates[r.below(8)];
        rude_issue_ = r.chance(48);
        rude_retire_ = r.chance(24);
        several_ = rude_retire_ || r.chance(64);
        start_ = r.chance(64);
        static_ = r.chance(64) ? uint32_t(r.below(kTop + 1)) : 0;
        storm_ = r.chance(24) && fails_ < 1 << 14; // the memory below stands still
        left_ = uint32_t(64 + r.below(512));
    }
    // What is known of the block from its ports.
    void follow(Random &r, const In &in, const Out &out)
    {
        const bool anew = fresh_ || in.start_valid_i || out.update_o;
        const uint32_t count = in.retire_valid_i ? in.retire_count_i : 0;
        const uint32_t left = out.inflight_o - (count > out.inflight_o ? 0 : count);
        inflight_ = fresh_ ? 0 : left + (in.issue_valid_i && left != kTop);
        most_ = anew || inflight_ > most_ ? inflight_ : most_;
        requests_ = anew ? 0 : requests_ + in.req_valid_i;
        fails_ = anew ? 0 : fails_ + in.fail_valid_i;
        if (anew) tip_ = r.chance(112);
        fresh_ = false;
    }
    // The next request ends the interval: it waits for a while, and other events come in its cycle.
    void brink(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (storm_) return;
        const bool tips = (fails_ + 1) % kInterval == 0; // one more failure is one more a request
        in.fail_valid_i = in.fail_valid_i || tip_;
        in.start_valid_i = r.below(200) == 0;
        in.req_valid_i = in.start_valid_i || (tip_ ? tips : r.chance(24));
        if (r.chance(128)) {
            in.issue_valid_i = rude_issue_ || inflight_ < limit(in, last_in, last);
            in.retire_valid_i = false;
            in.req_valid_i = in.req_valid_i || (in.issue_valid_i && inflight_ == most_ && r.chance(64));
        }
    }
    static uint32_t limit(const In &in, const In &last_in, const Out &last)
    {
        if (in.static_limit_i) return in.static_limit_i;
        if (last.update_o) return last.new_limit_o;
        return last_in.static_limit_i ? 1 : last.limit_o; // the dynamic one does not show: 1 is never too much
    }
    uint32_t issue_ = 0, retire_ = 0, request_ = 0, fail_ = 0, static_ = 0;
    uint32_t inflight_ = 0, most_ = 0, left_ = 0, requests_ = 0, fails_ = 0;
    bool several_ = false, rude_issue_ = false, rude_retire_ = false, start_ = false, storm_ = false, tip_ = false,
         fresh_ = true;
};

// So many cycles with these inputs.
static void times(cosim::Lockstep &run, uint32_t n, const In &in)
{
    for (uint32_t i = 0; i < n; i++) run.cycle(in);
}

// An interval in which up to `most` instructions were in flight and each request failed `fails` times.
static uint32_t interval(cosim::Lockstep &run, uint32_t most, uint32_t fails)
{
    times(run, most, issue());
    times(run, most, retire(1));
    times(run, fails * kInterval, failure());
    times(run, kInterval - 1, request());
    return run.cycle(request()).new_limit_o;
}

SCENARIO(quotient, "4.3.3.2: the most in flight, divided by the failures per request, and at least 1")
{
    for (uint32_t fails = 1; fails <= kMostFails && fails < 8; fails++) {
        run.reset();
        run.expect_equal(interval(run, kTop, fails), formula(kTop, fails), "limit");
        run.expect_equal(run.idle().limit_o, formula(kTop, fails), "limit in force");
    }
}

SCENARIO(never_0, "4.3.3.2: a kernel is never prohibited from issuing")
{
    if (kMostFails == 0) return; // there are no failures to count
    run.expect_equal(interval(run, 0, 1), 1, "limit");
    run.expect(run.cycle(issue()).issue_ok_o, "one may be issued");
    run.expect(run.idle().issue_ok_o == (1 < run.idle().limit_o), "and no second one");
}

SCENARIO(relax, "less than one failure a request: LIFT, GROW or HOLD")
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

SCENARIO(counter_end, "as many in flight as the counter counts: no more may be issued, though there is no limit")
{
    times(run, kTop, issue());
    run.expect(!run.idle().issue_ok_o && run.idle().limit_o == kTop, "no room");
    run.cycle(retire(1));
    run.expect(run.idle().issue_ok_o, "room again");
}

SCENARIO(falls_below, "a limit below what is in flight: no more are issued until enough are complete")
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

SCENARIO(rises, "the failures stop; with HOLD the limit rises with the most in flight only")
{
    interval(run, 2 < kTop ? 2 : kTop, 1);
    In many = issue();
    many.static_limit_i = kTop;
    times(run, kTop, many);
    times(run, kInterval, failure());
    times(run, kInterval, request());
    if (kMostFails) run.expect_equal(run.idle().limit_o, kTop, "limit");
}

SCENARIO(one_cycle, "an instruction completes, one is issued, and the last request of the interval fails first")
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

SCENARIO(saturates, "the failure counter stays at its end")
{
    if (cfg.RfW > 14) return;
    times(run, kTop, issue());
    times(run, 2u << cfg.RfW, failure());
    times(run, kInterval, request());
    if (kMostFails) run.expect_equal(run.idle().limit_o, formula(kTop, kMostFails), "limit");
}

SCENARIO(another_kernel, "start_valid_i in the cycle of the interval's last request: there is no new limit")
{
    times(run, 1, issue());
    times(run, kInterval - 1, request());
    In in = request();
    in.start_valid_i = true;
    run.expect(!run.cycle(in).update_o, "no new limit");
    run.expect_equal(run.idle().limit_o, kTop, "limit");
    run.expect_equal(run.idle().inflight_o, 1, "in flight");
}

SCENARIO(errors, "an issue at the counter's end, and more complete than are in flight: the first error stays")
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

SCENARIO(smil, "4.3.3.1: a static limit")
{
    In in = issue();
    in.static_limit_i = 1;
    run.expect(run.cycle(in).issue_ok_o, "the first");
    in.issue_valid_i = false;
    run.expect(!run.cycle(in).issue_ok_o, "and no second");
}

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const uint32_t retired = in.retire_valid_i ? in.retire_count_i : 0, n = m.inflight_q;
        const uint32_t rf = m.rf_q + (in.fail_valid_i && m.rf_q != bits_mask(cfg.RfW)), fails = rf >> cfg.ReqW;
        const bool ends = out.update_o, too_many = retired > n;
        const char *const one = cfg.InflightW == 1 ? "1 is the only limit, and all that can be in flight" : nullptr;
        const auto failures = [&](uint32_t k) { return k <= kMostFails ? nullptr : "the counter cannot say so many"; };

        cover("an issue, below the limit", in.issue_valid_i && out.issue_ok_o);
        cover("an issue takes the last place under the limit",
              in.issue_valid_i && out.issue_ok_o && n + 1u == out.limit_o);
        cover("at the limit", n == out.limit_o);
        cover("above the limit: it fell", n > out.limit_o, one);
        cover("an issue that ignores the limit", in.issue_valid_i && !out.issue_ok_o && n != kTop, one);
        cover("nothing in flight", n == 0);
        cover("several complete", retired > 1 && !too_many, one);
        cover("the last one completes as another is issued", retired && retired == n && in.issue_valid_i);
        cover("one is issued at the counter's end as one completes",
              n == kTop && retired && !too_many && in.issue_valid_i);
        cover("one is issued at the counter's end", n == kTop && !retired && in.issue_valid_i);
        cover("more complete than are in flight", too_many && n);
        cover("one completes and none is in flight", too_many && !n);
        cover("error: retire", out.error_o == MILG_ERROR_RETIRE);
        cover("error: issue", out.error_o == MILG_ERROR_ISSUE);
        cover("a second error, another one",
              (out.error_o == MILG_ERROR_ISSUE && too_many) ||
                  (out.error_o == MILG_ERROR_RETIRE && n == kTop && !retired && in.issue_valid_i));

        cover("the interval ends, less than one failure a request", ends && fails == 0);
        cover("one failure a request", ends && fails == 1, failures(1));
        cover("two failures a request", ends && fails == 2, failures(2));
        cover("three failures a request", ends && fails == 3, failures(3));
        cover("the failure counter is at its end, and one more comes", in.fail_valid_i && m.rf_q == bits_mask(cfg.RfW),
              cfg.RfW > 16 ? "the stimulus ends an interval before so many" : nullptr);
        cover("the quotient is 0, the limit 1", ends && fails > m.max_q, cfg.RfW == cfg.ReqW ? failures(1) : nullptr);
        cover("the interval ends with a failure that makes the difference", ends && fails != m.rf_q >> cfg.ReqW,
              failures(1));
        cover("the interval ends with the issue that is its maximum",
              ends && in.issue_valid_i && !retired && n == m.max_q && n != kTop);
        cover("the limit falls", ends && out.new_limit_o < m.limit_q, one ? one : failures(1));
        cover("the limit rises", ends && out.new_limit_o > m.limit_q, one ? one : failures(1));
        cover("a quiet interval with few in flight: the limit stays",
              ends && !fails && out.new_limit_o == m.limit_q && m.max_q + 1u < m.limit_q && m.limit_q != kTop,
              one                      ? one
              : cfg.Relax == MILG_LIFT ? "LIFT raises it"
                                       : failures(1));
        cover("the limit grows to the counter's end", ends && !fails && m.max_q == kTop);
        cover("the limit falls below what is in flight", ends && out.new_limit_o < n, one ? one : failures(1));
        cover("another kernel", in.start_valid_i);
        cover("another kernel as the interval would end",
              in.start_valid_i && in.req_valid_i && m.req_q == kInterval - 1);
        cover("another kernel while instructions are in flight", in.start_valid_i && n);
        cover("a static limit above the dynamic one", in.static_limit_i > m.limit_q, one ? one : failures(1));
        cover("a static limit below the dynamic one", in.static_limit_i && in.static_limit_i < m.limit_q, one);
        cover("everything at once", ends && in.issue_valid_i && retired && in.fail_valid_i);
    }
};

COSIM_MAIN
