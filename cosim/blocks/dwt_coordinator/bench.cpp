// SPDX-License-Identifier: Apache-2.0
// dwt_coordinator in lockstep: Khairy15, section 4.2.
#include "lockstep.hpp"
#include "scenarios.cpp"

// Plays the SMs: they ask, and send their reports in any order.
struct Stimulus {
    void begin(Random &r)
    {
        turn(r);
    }
    void reset()
    {
        since_ = 0;
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        since_ = last_in.start_valid_i || last.sample_valid_o || last.period_valid_o ? 0 : since_ + 1;
        if (last.sample_valid_o) {
            round_ = last.sample_second_o ? cfg.Sms : 0;
            next_ = 0;
            turn(r);
        }
        if (last_in.report_valid_i && last.report_ready_o) next_++;
        const bool last_report = last.report_ready_o && next_ == cfg.Sms - 1, ends = since_ == cfg.Period - 1;
        done_ = done_ || last.result_valid_o;
        in.ask_valid_i = r.below(cfg.Period) < asks_ || (ends && r.chance(kLong ? 160 : 96));
        in.start_valid_i = r.below(1u << 16) < (done_ ? 2048 : starts_) ||
                           (last.report_ready_o && r.below(16 * cfg.Sms) == 0) ||
                           ((last_report || ends || in.ask_valid_i) && r.chance(kLong ? 80 : 12));
        report(r, in);
        done_ = done_ && !in.start_valid_i;
    }

  private:
    static inline const bool kLong = cfg.Period >= 1000; // few periods in a run: events at their ends are made likely
    void turn(Random &r)
    {
        spread_ = r.chance(128) ? bits_mask(cfg.InstW) + 1 : 1 + r.below(4);
        offer_ = r.chance(128) ? 240 : 32;
        asks_ = uint32_t(kLong ? r.below(2) : r.below(4));
        starts_ = r.chance(32) ? (1u << 18) / cfg.Period : 1;
        favoured_ = uint32_t(r.chance(128) ? cfg.Sms - 1 : r.below(cfg.Sms));
    }
    void report(Random &r, In &in)
    {
        const uint32_t own = round_ + next_ + 1;
        in.report_valid_i = r.chance(offer_);
        in.report_count_i = uint32_t(next_ == favoured_ ? spread_ - 1 : r.below(spread_));
        in.report_warps_i = uint8_t(own > cfg.Warps ? cfg.Warps : own);
        if (r.below(spread_ < 8 ? 8 : 64) == 0)
            in.report_warps_i = uint8_t(r.below(bits_mask(bits_index(cfg.Warps + 1)) + 1));
    }
    uint64_t spread_ = 1;
    uint32_t offer_ = 0, asks_ = 0, starts_ = 0, favoured_ = 0, round_ = 0, next_ = 0, since_ = 0;
    bool done_ = false;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const char *const once = cfg.Sms < cfg.Warps ? nullptr : "the SMs try all numbers in one round";
        const char *const alone = cfg.Sms == 1 ? "there is one SM" : nullptr;
        const char *const first = cfg.Sms == 1 && cfg.Warps == 1 ? "there is one report" : nullptr;
        const bool takes = out.report_ready_o && in.report_valid_i, last = m.reports_q == cfg.Sms - 1;
        const bool more = in.report_count_i > m.best_q, equal = in.report_count_i == m.best_q;

        cover("a period ends", out.period_valid_o);
        cover("an SM asks as a period ends", out.period_valid_o && in.ask_valid_i);
        cover("an SM asks in a period", out.sample_valid_o && m.state_q == DWT_PERIODS && m.cycle_q < cfg.Period - 1);
        cover("an SM asks in the first cycle of a period",
              out.sample_valid_o && m.state_q == DWT_PERIODS && m.cycle_q == 0);
        cover("an SM asks in a round", m.state_q == DWT_ROUND && in.ask_valid_i);
        cover("an SM asks when the sampling is over", m.state_q == DWT_DONE && in.ask_valid_i);
        cover("a period of a round ends, not the last",
              m.state_q == DWT_ROUND && m.cycle_q == cfg.Period - 1 && !out.collect_valid_o,
              cfg.Samples == 1 ? "a round is one period" : nullptr);
        cover("a round ends", out.collect_valid_o);
        cover("a report with more instructions", takes && more);
        cover("a report with fewer", takes && !more && !equal, first);
        cover("as many, with fewer warps", takes && equal && in.report_warps_i < m.warps_q);
        cover("as many, with as many warps", takes && equal && in.report_warps_i == m.warps_q);
        cover("as many, with more warps", takes && equal && in.report_warps_i > m.warps_q, first);
        cover("no instruction in a report", takes && !in.report_count_i);
        cover("as many instructions as can be", takes && in.report_count_i == bits_mask(cfg.InstW));
        cover("the last report wins", takes && last && more);
        cover("the last report does not win", takes && last && !more);
        cover("no report in a cycle", out.report_ready_o && !in.report_valid_i);
        cover("a report that nobody waits for", !out.report_ready_o && in.report_valid_i);
        cover("the last SM wins: a second round", out.sample_valid_o && out.sample_second_o, once);
        cover("the last SM's number wins the second round, too",
              out.result_valid_o && m.second_q && m.warps_q == cfg.Sms, once);
        cover("a number above it wins", out.result_valid_o && m.second_q && m.warps_q > cfg.Sms, once);
        cover("the first SM wins", out.result_valid_o && m.warps_q == 1);
        cover("the last SM wins, and that is the result", out.result_valid_o && m.warps_q == cfg.Warps);
        cover("one of those between wins", out.result_valid_o && m.warps_q > 1 && m.warps_q < cfg.Sms,
              alone                          ? alone
              : cfg.Sms < 3 || cfg.Warps < 3 ? "there are none"
                                             : nullptr);
        cover("a kernel starts", in.start_valid_i);
        cover("a kernel starts as an SM asks", in.start_valid_i && m.state_q == DWT_PERIODS && in.ask_valid_i);
        cover("a kernel starts in a round", in.start_valid_i && m.state_q == DWT_ROUND);
        cover("a kernel starts as a round ends", in.start_valid_i && out.collect_valid_o);
        cover("a kernel starts with a report", in.start_valid_i && takes);
        cover("a kernel starts with the last report", in.start_valid_i && takes && last);
        cover("a kernel starts after the result", in.start_valid_i && m.state_q == DWT_DONE);
    }
};

COSIM_MAIN
