// SPDX-License-Identifier: Apache-2.0
// milg in lockstep: Dai17, section 4.3.3.
#include "lockstep.hpp"
#include "scenarios.cpp"

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
    // Load of the memory pipeline, and whether the issuer obeys the limit; fixed for a stretch.
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
        storm_ = r.chance(24) && fails_ < 1 << 14; // memory is stalled
        left_ = uint32_t(64 + r.below(512));
    }
    // State of the block as seen at its ports.
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
    // The next request ends the interval: wait, so that other events fall into its cycle.
    void brink(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (storm_) return;
        const bool tips = (fails_ + 1) % kInterval == 0; // one more failure makes one more per request
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
        return last_in.static_limit_i ? 1 : last.limit_o; // the dynamic limit is not visible; 1 is never too high
    }
    uint32_t issue_ = 0, retire_ = 0, request_ = 0, fail_ = 0, static_ = 0;
    uint32_t inflight_ = 0, most_ = 0, left_ = 0, requests_ = 0, fails_ = 0;
    bool several_ = false, rude_issue_ = false, rude_retire_ = false, start_ = false, storm_ = false, tip_ = false,
         fresh_ = true;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const uint32_t retired = in.retire_valid_i ? in.retire_count_i : 0, n = m.inflight_q;
        const uint32_t rf = m.rf_q + (in.fail_valid_i && m.rf_q != bits_mask(cfg.RfW)), fails = rf >> cfg.ReqW;
        const bool ends = out.update_o, too_many = retired > n;
        const char *const one = cfg.InflightW == 1 ? "1 is the only limit, and the maximum in flight" : nullptr;
        const auto failures = [&](uint32_t k) { return k <= kMostFails ? nullptr : "the counter cannot say so many"; };

        cover("an issue, below the limit", in.issue_valid_i && out.issue_ok_o);
        cover("an issue takes the last place under the limit",
              in.issue_valid_i && out.issue_ok_o && n + 1u == out.limit_o);
        cover("at the limit", n == out.limit_o);
        cover("above the limit: it fell", n > out.limit_o, one);
        cover("an issue that ignores the limit", in.issue_valid_i && !out.issue_ok_o && n != kTop, one);
        cover("nothing in flight", n == 0);
        cover("several complete", retired > 1 && !too_many, one);
        cover("the last one completes as another issues", retired && retired == n && in.issue_valid_i);
        cover("one issues at the counter's maximum as one completes",
              n == kTop && retired && !too_many && in.issue_valid_i);
        cover("one is issued at the counter's end", n == kTop && !retired && in.issue_valid_i);
        cover("more complete than are in flight", too_many && n);
        cover("one completes and none is in flight", too_many && !n);
        cover("error: retire", out.error_o == MILG_ERROR_RETIRE);
        cover("error: issue", out.error_o == MILG_ERROR_ISSUE);
        cover("a second error, another one",
              (out.error_o == MILG_ERROR_ISSUE && too_many) ||
                  (out.error_o == MILG_ERROR_RETIRE && n == kTop && !retired && in.issue_valid_i));

        cover("the interval ends, less than one failure per request", ends && fails == 0);
        cover("one failure a request", ends && fails == 1, failures(1));
        cover("two failures a request", ends && fails == 2, failures(2));
        cover("three failures a request", ends && fails == 3, failures(3));
        cover("the failure counter is at its maximum, with one more failure",
              in.fail_valid_i && m.rf_q == bits_mask(cfg.RfW));
        cover("the quotient is 0, the limit 1", ends && fails > m.max_q, cfg.RfW == cfg.ReqW ? failures(1) : nullptr);
        cover("the interval ends with the failure that changes the quotient", ends && fails != m.rf_q >> cfg.ReqW,
              failures(1));
        cover("the interval ends with the issue that is its maximum",
              ends && in.issue_valid_i && !retired && n == m.max_q && n != kTop);
        cover("the limit falls", ends && out.new_limit_o < m.limit_q, one ? one : failures(1));
        cover("the limit rises", ends && out.new_limit_o > m.limit_q,
              one                      ? one
              : cfg.Relax == MILG_HOLD ? "HOLD raises none"
                                       : failures(1));
        cover("failures, and more in flight than the limit", ends && fails && m.max_q > m.limit_q,
              one ? one : failures(1));
        cover("a quiet interval with more in flight than the limit", ends && !fails && m.max_q > m.limit_q,
              one ? one : failures(1));
        cover("a quiet interval with few in flight: the limit stays",
              ends && !fails && out.new_limit_o == m.limit_q && m.max_q + 1u < m.limit_q && m.limit_q != kTop,
              one                      ? one
              : cfg.Relax == MILG_LIFT ? "LIFT raises it"
                                       : failures(1));
        cover("a quiet interval at the counter's end", ends && !fails && m.max_q == kTop);
        cover("the limit falls below the number in flight", ends && out.new_limit_o < n, one ? one : failures(1));
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
