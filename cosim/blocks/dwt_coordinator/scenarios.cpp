// SPDX-License-Identifier: Apache-2.0
// dwt_coordinator: Khairy15, section 4.2.
#include "run.hpp"

static inline In ask()
{
    In in{};
    in.ask_valid_i = true;
    return in;
}

static inline In start()
{
    In in{};
    in.start_valid_i = true;
    return in;
}

static inline uint32_t number_of(uint32_t sm, uint32_t first)
{
    const uint32_t own = first + sm + 1;
    return own > cfg.Warps ? cfg.Warps : own;
}

// The round that has started: it ends after its periods.
static void wait_for_end(Run &run)
{
    for (uint32_t i = 1; i < cfg.Samples * cfg.Period; i++) run.expect(!run.idle().collect_valid_o, "not yet");
    run.expect(run.idle().collect_valid_o, "the round ends");
}

// A round of the first kind up to its end.
static void sample(Run &run)
{
    run.cycle(ask());
    wait_for_end(run);
}

// Reports of a round: `most` of the SM with number `winner`, one instruction of the others.
static void report_all(Run &run, uint32_t first, uint32_t winner, uint32_t most)
{
    for (uint32_t i = 0; i < cfg.Sms; i++) {
        In in{};
        in.report_valid_i = true;
        in.report_count_i = i == winner ? most : 1;
        in.report_warps_i = uint8_t(number_of(i, first));
        run.expect(run.cycle(in).report_ready_o, "a report is taken");
    }
}

SCENARIO(periods, true, "a period is Period cycles; a kernel that starts begins one")
{
    run.cycle(start());
    for (uint32_t n = 0; n < 3; n++) {
        for (uint32_t i = 1; i < cfg.Period; i++) run.expect(!run.idle().period_valid_o, "not yet");
        run.expect(run.idle().period_valid_o, "a period ends");
    }
    run.idle();
    run.cycle(start());
    for (uint32_t i = 1; i < cfg.Period; i++) run.expect(!run.idle().period_valid_o, "not yet");
    run.expect(run.idle().period_valid_o, "a period ends");
}

SCENARIO(winner, true, "4.2: the number of warps of the SM with the most instructions is the result; then it rests")
{
    const uint32_t best = cfg.Sms / 2 < cfg.Sms - 1 ? cfg.Sms / 2 : 0;
    if (cfg.Sms < cfg.Warps && best == cfg.Sms - 1) return;
    run.cycle(start());
    run.expect(run.cycle(ask()).sample_valid_o && !run.last().sample_second_o, "a round starts");
    wait_for_end(run);
    report_all(run, 0, best, 9);
    run.expect(run.idle().result_valid_o, "the result");
    run.expect_equal(run.last().result_warps_o, number_of(best, 0), "number of warps");
    for (uint32_t i = 0; i < 3 * cfg.Period; i++) {
        const Out &out = run.cycle(ask());
        run.expect(!out.sample_valid_o && !out.period_valid_o && !out.result_valid_o, "it rests");
    }
    run.cycle(start());
    run.expect(run.cycle(ask()).sample_valid_o, "the next kernel");
}

SCENARIO(tie, cfg.Sms > 1 && cfg.Warps > 1, "of equals, the lower number of warps wins")
{
    sample(run);
    report_all(run, 0, 0, 1);
    run.expect(run.idle().result_valid_o, "the result");
    run.expect_equal(run.last().result_warps_o, 1, "number of warps");
}

SCENARIO(second_round, cfg.Sms < cfg.Warps, "4.2: the last SM wins: a second round tries the numbers above")
{
    sample(run);
    report_all(run, 0, cfg.Sms - 1, 9);
    run.expect(run.idle().sample_valid_o, "a second round");
    run.expect(run.last().sample_second_o, "above the last SM's number");
    wait_for_end(run);
    report_all(run, cfg.Sms, 0, 10);
    run.expect(run.idle().result_valid_o, "the result");
    run.expect_equal(run.last().result_warps_o, cfg.Sms + 1, "number of warps");
}

SCENARIO(first_round_stays, cfg.Sms < cfg.Warps, "the best of the first round wins if no number above it does better")
{
    sample(run);
    report_all(run, 0, cfg.Sms - 1, 9);
    run.idle();
    wait_for_end(run);
    report_all(run, cfg.Sms, 0, 9);
    run.expect(run.idle().result_valid_o, "the result");
    run.expect_equal(run.last().result_warps_o, cfg.Sms, "number of warps");
}

SCENARIO(kernel_ends, true, "a kernel that starts ends a sampling, and nothing is kept of it")
{
    run.cycle(ask());
    run.cycle(start());
    run.expect(run.cycle(ask()).sample_valid_o, "a round starts");
    wait_for_end(run);
    report_all(run, 0, cfg.Sms - 1, 9);
    run.cycle(start());
    const Twin &now = run.registers();
    run.expect(now.state_q == DWT_PERIODS && now.best_q == 0 && now.warps_q == cfg.Warps, "the registers");
}

static In report(uint32_t count, uint32_t warps)
{
    In in{};
    in.report_valid_i = true;
    in.report_count_i = count;
    in.report_warps_i = uint8_t(warps);
    return in;
}

SCENARIO(any_report, true, "reports of any kind: none in a cycle, none and the most instructions, equals")
{
    sample(run);
    run.expect(run.idle().report_ready_o, "waits for a report");
    run.cycle(report(0, cfg.Warps)); // as many as so far
    if (cfg.Sms > 3) run.cycle(report(5, 2));
    if (cfg.Sms > 3) run.cycle(report(5, 1));
    for (uint32_t i = cfg.Sms > 3 ? 3 : 1; i + 1 < cfg.Sms; i++) run.cycle(report(4, 1));
    if (cfg.Sms > 1) run.cycle(report(uint32_t(bits_mask(cfg.InstW)), cfg.Warps));
    run.expect(run.idle().result_valid_o, "the result");
    run.expect_equal(run.last().result_warps_o, cfg.Warps, "number of warps");
}

SCENARIO(kernel_starts, true, "a kernel that starts wins over the end of a round, over a report, and over the last one")
{
    run.cycle(ask());
    for (uint32_t i = 1; i < cfg.Samples * cfg.Period; i++) run.idle();
    run.expect(run.cycle(start()).collect_valid_o, "the round ends");
    run.expect(!run.idle().report_ready_o, "it waits for no report");
    for (uint32_t before = 0; before<cfg.Sms; before += cfg.Sms> 1 ? cfg.Sms - 1 : 1) {
        run.cycle(start());
        sample(run);
        for (uint32_t i = 0; i < before; i++) run.cycle(report(1, 1));
        In both = report(2, 1);
        both.start_valid_i = true;
        run.cycle(both);
        run.expect(!run.idle().report_ready_o, "the sampling has ended");
    }
}
