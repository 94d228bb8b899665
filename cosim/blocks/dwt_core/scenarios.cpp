// SPDX-License-Identifier: Apache-2.0
// dwt_core: Khairy15, section 4.2.
#include "run.hpp"

static inline In start(uint32_t kernel)
{
    In in{};
    in.start_valid_i = true;
    in.start_kernel_i = uint16_t(kernel);
    return in;
}

static inline In new_period()
{
    In in{};
    in.period_valid_i = true;
    return in;
}

static inline In misses(uint32_t count)
{
    In in{};
    in.miss_valid_i = true;
    in.miss_count_i = uint8_t(count);
    return in;
}

static inline In insts(uint32_t count)
{
    In in{};
    in.inst_valid_i = true;
    in.inst_count_i = uint8_t(count);
    return in;
}

static inline In round_of(uint32_t number, uint32_t first)
{
    In in{};
    in.sample_valid_i = true;
    in.number_i = uint8_t(number);
    in.sample_first_i = uint8_t(first);
    return in;
}

static inline In result(uint32_t warps)
{
    In in{};
    in.result_valid_i = true;
    in.result_warps_i = uint8_t(warps);
    return in;
}

// One miss and no instruction.
static Out thrash(Run &run, uint32_t periods)
{
    Out out{};
    for (uint32_t i = 0; i < periods; i++) {
        run.cycle(misses(1));
        out = run.cycle(new_period());
    }
    return out;
}

// A round of one cycle with so many instructions, and its result.
static void sampled(Run &run, uint32_t count, uint32_t warps)
{
    run.cycle(round_of(0, 0));
    In last = insts(count);
    last.collect_valid_i = true;
    run.cycle(last);
    In take{};
    take.report_ready_i = true;
    const Out &out = run.cycle(take);
    run.expect(out.report_valid_o, "a report");
    run.expect_equal(out.report_count_o, count, "its instructions");
    run.cycle(result(warps));
}

SCENARIO(asks_after_a_row, true, "4.2: after Periods thrashing periods in a row the SM asks, not before")
{
    run.cycle(start(1));
    thrash(run, cfg.Periods - 1);
    run.expect(!run.idle().ask_o, "not yet");
    run.cycle(new_period());
    thrash(run, cfg.Periods - 1);
    run.expect(!run.idle().ask_o, "the row was broken");
    thrash(run, 1);
    run.expect(run.idle().ask_o, "it asks");
    run.expect_equal(run.idle().limit_o, cfg.Warps, "limit");
    run.cycle(start(1));
    run.expect(!run.idle().ask_o, "another launch");
}

SCENARIO(threshold, true, "4.2, table 4: a period thrashes above Mpki misses per 1000 instructions, not at them")
{
    for (uint32_t more = 0; more < 2; more++) {
        run.cycle(start(0));
        for (uint32_t p = 0; p < cfg.Periods; p++) {
            uint32_t a = cfg.Mpki, b = 1000;
            while (b) {
                const uint32_t rest = a % b;
                a = b, b = rest;
            }
            if (cfg.Mpki / a + 1 > bits_mask(cfg.MissW) || 1000 / a > bits_mask(cfg.InstW)) return;
            for (uint32_t i = 0; i < 1000 / a; i++) run.cycle(insts(1));
            for (uint32_t i = 0; i < cfg.Mpki / a + more; i++) run.cycle(misses(1));
            run.cycle(new_period());
        }
        run.expect_equal(run.idle().ask_o, more, "it asks");
    }
}

SCENARIO(period_ends, true, "the events of the cycle that starts a period are the period's")
{
    run.cycle(start(0));
    In both = new_period();
    both.miss_valid_i = true;
    both.miss_count_i = 2;
    run.cycle(both);
    const Twin &now = run.registers();
    run.expect(now.miss_q == 2 && now.inst_q == 0 && now.streak_q == 0, "the registers");
}

SCENARIO(own_number, true, "4.2: SM i runs i + 1 warps while it samples, i + 1 more in the second round, at most all")
{
    for (uint32_t i = 0; i < cfg.Warps + 2 && i < 256; i++) {
        run.cycle(round_of(i, 0));
        run.expect_equal(run.idle().limit_o, i + 1 < cfg.Warps ? i + 1 : cfg.Warps, "limit");
    }
    run.cycle(round_of(0, cfg.Warps / 2));
    run.expect_equal(run.idle().limit_o, cfg.Warps / 2 + 1, "limit");
    run.cycle(round_of(255, cfg.Warps));
    run.expect_equal(run.idle().limit_o, cfg.Warps, "limit");
}

SCENARIO(result_lasts, true, "4.2: the result is the limit until the next kernel; a thrashing period changes nothing")
{
    run.cycle(start(1));
    sampled(run, 1, 1);
    run.expect_equal(run.idle().limit_o, 1, "limit");
    thrash(run, 2 * cfg.Periods);
    run.expect(!run.idle().ask_o, "it does not ask again");
    run.expect_equal(run.idle().limit_o, 1, "limit");
    run.cycle(start(0));
    run.expect_equal(run.idle().limit_o, cfg.Warps, "limit of the next kernel");
}

SCENARIO(comes_again, true, "4.2: a kernel that comes again gets its number at its first thrashing period")
{
    run.cycle(start(1));
    sampled(run, 1, 1);
    run.cycle(start(0));
    run.cycle(start(1));
    run.cycle(new_period());
    run.expect_equal(run.idle().limit_o, cfg.Warps, "no limit while it does not thrash");
    run.expect(thrash(run, 1).reuse_o, "it thrashes");
    run.expect(!run.idle().ask_o, "no sampling");
    run.expect_equal(run.idle().limit_o, 1, "limit");
}

SCENARIO(least_recent_goes, cfg.KernelW<16 && (1u << cfg.KernelW)> cfg.Kernels,
         "the kernel that was used least recently makes room")
{
    for (uint32_t k = 0; k < cfg.Kernels; k++) {
        run.cycle(start(k));
        sampled(run, 0, 1);
    }
    run.cycle(start(0)); // used again: kernel 1 is the oldest, if there is one
    run.cycle(start(cfg.Kernels));
    sampled(run, 0, 1);
    run.cycle(start(cfg.Kernels > 1 ? 1 : 0));
    run.expect(!thrash(run, 1).reuse_o, "it went");
    run.cycle(start(cfg.Kernels > 1 ? 0 : 1));
    run.expect(thrash(run, 1).reuse_o, "it stayed");
}

SCENARIO(out_of_range, true, "a result out of 1..Warps limits nothing")
{
    run.cycle(start(1));
    sampled(run, 0, 0);
    run.expect_equal(run.idle().limit_o, cfg.Warps, "limit");
    if (cfg.Warps == bits_mask(bits_index(cfg.Warps + 1))) return;
    run.cycle(result(cfg.Warps + 1));
    run.expect_equal(run.idle().limit_o, cfg.Warps, "limit");
}

static const uint64_t kMany = bits_mask(cfg.InstW) + bits_mask(cfg.MissW) + 2;

SCENARIO(saturate, cfg.InstW <= 16 && cfg.MissW <= 16, "the counters stay at their ends")
{
    run.cycle(start(0));
    In both = insts(uint32_t(bits_mask(cfg.CountW)));
    both.miss_valid_i = true;
    both.miss_count_i = 3;
    for (uint64_t i = 0; i < kMany; i++) run.cycle(both);
    const Twin &now = run.registers();
    run.expect(now.inst_q == bits_mask(cfg.InstW) && now.miss_q == bits_mask(cfg.MissW), "the registers");
}

SCENARIO(priority, true, "the first of start, result, sample, collect and period counts")
{
    In all = start(1);
    all.result_valid_i = all.sample_valid_i = all.collect_valid_i = all.period_valid_i = true;
    all.result_warps_i = 1;
    run.cycle(all);
    run.expect_equal(run.registers().state_q, DWT_WATCH, "state");
    all.start_valid_i = false;
    run.cycle(all);
    run.expect_equal(run.registers().state_q, DWT_FIXED, "state");
    all.result_valid_i = false;
    run.cycle(all);
    run.expect_equal(run.registers().state_q, DWT_SAMPLE, "state");
    all.sample_valid_i = false;
    run.cycle(all);
    run.expect_equal(run.registers().state_q, DWT_REPORT, "state");
}
