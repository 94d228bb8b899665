/* SPDX-License-Identifier: Apache-2.0 */
/* dwt_coordinator: the README's example, and an independent choice of the winner. */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "cycle.h"
#include "dwt_coordinator.h"
#include "readme_example.h"
#include "skip.h"

static struct dwt_coordinator coordinator(uint32_t sms, uint32_t warps, uint32_t period, uint32_t samples)
{
    const struct dwt_coordinator_cfg cfg = {
        .Sms = sms, .Warps = warps, .Period = period, .Samples = samples, .InstW = 24};
    struct dwt_coordinator m = {0};
    dwt_coordinator_init(&m, &cfg);
    return m;
}

TWIN_CYCLE(dwt_coordinator)

Test(readme_example, dwt_coordinator)
{
    static const char *const states[] = {"periods", "round", "collect", "decide", "done"};
    struct dwt_coordinator m = coordinator(2, 4, 3, 1);
    for (struct example e = example_of("dwt_coordinator", "cycle"); next_row(&e);) {
        const char *events = given(&e, "events");
        const uint8_t state = m.state_q;
        const struct dwt_coordinator_out out =
            cycle(&m, (struct dwt_coordinator_in){.start_valid_i = event(events, "start") >= 0,
                                                  .ask_valid_i = event(events, "ask") >= 0,
                                                  .report_valid_i = event(events, "report") >= 0,
                                                  .report_count_i = (uint32_t)event(events, "report"),
                                                  .report_warps_i = (uint8_t)event(events, "under")});
        shows_number(&e, "cycle", e.rows - 1);
        shows(&e, "state", true, "%s", states[state]);
        shows_number(&e, "period_valid_o", out.period_valid_o);
        shows_number(&e, "sample_valid_o", out.sample_valid_o);
        shows_number(&e, "sample_second_o", out.sample_second_o);
        shows_number(&e, "collect_valid_o", out.collect_valid_o);
        shows_number(&e, "report_ready_o", out.report_ready_o);
        shows_number(&e, "result_valid_o", out.result_valid_o);
        shows_number(&e, "result_warps_o", out.result_warps_o);
    }
}

static uint32_t number_of(uint32_t sm, uint32_t first, uint32_t warps)
{
    return first + sm + 1 < warps ? first + sm + 1 : warps;
}

/* Reports of a round in a random order, as curve[number of warps]; waits for the end of the round before. */
static struct dwt_coordinator_out round_of(struct dwt_coordinator *m, const uint32_t *curve, uint32_t first,
                                           struct rng *rng)
{
    uint64_t left = ((uint64_t)1 << m->p.Sms) - 1;
    while (!cycle(m, (struct dwt_coordinator_in){0}).collect_valid_o) continue;
    while (left) {
        const uint32_t sm = (uint32_t)rng_below(rng, m->p.Sms), warps = number_of(sm, first, m->p.Warps);
        if (!(left >> sm & 1)) continue;
        left &= ~((uint64_t)1 << sm);
        cycle(m, (struct dwt_coordinator_in){
                     .report_valid_i = true, .report_count_i = curve[warps], .report_warps_i = (uint8_t)warps});
    }
    return cycle(m, (struct dwt_coordinator_in){0});
}

/* The fewest warps with the most instructions, of 1..most. */
static uint32_t best_of(const uint32_t *curve, uint32_t most)
{
    uint32_t best = 1;
    for (uint32_t w = 2; w <= most; w++) best = curve[w] > curve[best] ? w : best;
    return best;
}

/* Numbers above those of the first round count only if the last SM won it. */
Test(dwt_coordinator, finds_the_best_number_of_warps_whatever_the_order_of_reports)
{
    struct rng rng;
    rng_seed(&rng, 3);
    uint32_t seconds = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        const uint32_t sms = 1 + (uint32_t)rng_below(&rng, 16), warps = 1 + (uint32_t)rng_below(&rng, 2 * sms);
        struct dwt_coordinator m = coordinator(sms, warps, 2, 1);
        uint32_t curve[40];
        for (uint32_t w = 0; w < 40; w++) curve[w] = 1 + (uint32_t)rng_below(&rng, 6);
        const uint32_t tried = sms < warps ? sms : warps;
        uint32_t expected = best_of(curve, tried);
        cr_assert(cycle(&m, (struct dwt_coordinator_in){.ask_valid_i = true}).sample_valid_o);
        struct dwt_coordinator_out out = round_of(&m, curve, 0, &rng);
        if (expected == sms && sms < warps) {
            cr_assert(out.sample_valid_o && out.sample_second_o, "a second round");
            out = round_of(&m, curve, sms, &rng);
            expected = best_of(curve, warps);
            seconds++;
        }
        cr_assert(out.result_valid_o);
        cr_assert_eq(out.result_warps_o, expected, "%u SMs, %u warps: %u, not %u", sms, warps, out.result_warps_o,
                     expected);
    }
    cr_expect_gt(seconds, 20, "%u", seconds);
}

static void traffic(struct dwt_coordinator *m, struct rng *rng)
{
    cycle(m, (struct dwt_coordinator_in){.start_valid_i = rng_below(rng, 60) == 0,
                                         .ask_valid_i = rng_below(rng, 8) == 0,
                                         .report_valid_i = rng_below(rng, 2),
                                         .report_count_i = (uint32_t)rng_below(rng, 9),
                                         .report_warps_i = (uint8_t)(1 + rng_below(rng, 4))});
}

Test(dwt_coordinator, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct dwt_coordinator m = coordinator(3, 4, 5, 2);
    SKIP_ROUNDS(dwt_coordinator, &m, traffic, 11, 600, 9, .report_count_i = 5, .report_warps_i = 2);
}
