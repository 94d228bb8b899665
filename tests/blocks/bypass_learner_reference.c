/* SPDX-License-Identifier: Apache-2.0 */
/* bypass_learner: the README's example, and an independent model of its five steps, which keeps every period. */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "bypass_learner.h"
#include "cycle.h"
#include "readme_example.h"
#include "skip.h"

static struct bypass_learner learner(uint32_t blocks)
{
    const struct bypass_learner_cfg cfg = {.Blocks = blocks, .StallW = 32};
    struct bypass_learner m = {0};
    bypass_learner_init(&m, &cfg);
    return m;
}

TWIN_CYCLE(bypass_learner)

static struct bypass_learner_in inputs(const char *events)
{
    const bool a = event(events, "start A") >= 0, b = event(events, "start B") >= 0;
    const bool end_a = event(events, "end A") >= 0, end_b = event(events, "end B") >= 0;
    return (struct bypass_learner_in){.start_valid_i = event(events, "pair") >= 0,
                                      .stop_valid_i = event(events, "stop") >= 0,
                                      .limit_a_i = 3,
                                      .limit_b_i = 2,
                                      .period_valid_i = event(events, "stalls") >= 0,
                                      .period_stalls_i = (uint32_t)event(events, "stalls"),
                                      .launch_valid_i = a || b,
                                      .launch_kernel_i = b,
                                      .finish_valid_i = end_a || end_b,
                                      .finish_kernel_i = end_b,
                                      .finish_tag_i = event(events, "end A") > 0 || event(events, "end B") > 0};
}

Test(readme_example, bypass_learner)
{
    static const char *const states[] = {"off", "none", "A", "B", "more", "done"};
    struct bypass_learner m = learner(16);
    for (struct example e = example_of("bypass_learner", "cycle"); next_row(&e);) {
        const struct bypass_learner before = m;
        const struct bypass_learner_out out = cycle(&m, inputs(given(&e, "events")));
        shows_number(&e, "cycle", e.rows - 1);
        shows(&e, "state", true, "%s", states[before.state_q]);
        shows_number(&e, "by_a_o", out.by_a_o);
        shows_number(&e, "by_b_o", out.by_b_o);
        shows_number(&e, "cur_a_o", out.cur_a_o);
        shows_number(&e, "cur_b_o", out.cur_b_o);
        shows_number(&e, "launch_tag_o", out.launch_tag_o);
        shows_number(&e, "defer_o", out.defer_o);
    }
}

/* Stalls of every (kernel, number) tried so far: what the paper's text does with them. */
struct model {
    uint32_t none, of[2][17];
    uint32_t kernel, by; /* in force */
    int step;            /* 1 to 5 */
};

static void settle(struct model *r, uint32_t kernel, uint32_t by)
{
    r->kernel = kernel;
    r->by = by;
    r->step = 5;
}

static void after_step_3(struct model *r, const uint32_t limit[2])
{
    const uint32_t best = r->of[1][1] < r->of[0][1] ? 1 : 0;
    if (r->none <= r->of[best][1]) {
        settle(r, 0, 0);
    } else if (limit[best] < 2) {
        settle(r, best, 1);
    } else {
        r->kernel = best;
        r->by = 2;
        r->step = 4;
    }
}

static void model_period(struct model *r, const uint32_t limit[2], uint32_t stalls)
{
    if (r->step == 1) {
        r->none = stalls;
        *r = (struct model){.none = stalls, .kernel = 0, .by = 1, .step = 2};
    } else if (r->step == 2) {
        r->of[0][1] = stalls;
        r->kernel = 1;
        r->step = 3;
    } else if (r->step == 3) {
        r->of[1][1] = stalls;
        after_step_3(r, limit);
    } else if (r->step == 4) {
        r->of[r->kernel][r->by] = stalls;
        if (stalls >= r->of[r->kernel][r->by - 1])
            settle(r, r->kernel, r->by - 1);
        else if (r->by == limit[r->kernel])
            settle(r, r->kernel, r->by);
        else
            r->by++;
    }
}

Test(bypass_learner, follows_the_five_steps_as_a_model_that_keeps_every_period)
{
    struct rng rng;
    rng_seed(&rng, 44);
    uint32_t settled[2][17] = {{0}};
    for (uint32_t pair = 0; pair < 3000; pair++) {
        struct bypass_learner m = learner(16);
        struct model r = {.step = 1};
        const uint32_t limit[2] = {1 + (uint32_t)rng_below(&rng, 15), 1 + (uint32_t)rng_below(&rng, 15)};
        const bool falls = rng_below(&rng, 2);
        struct bypass_learner_in in = {.limit_a_i = (uint8_t)limit[0], .limit_b_i = (uint8_t)limit[1]};
        in.start_valid_i = true;
        cycle(&m, in);
        in.start_valid_i = false;
        uint32_t stalls = 1000;
        for (uint32_t period = 0; period < 20; period++) {
            stalls =
                falls && rng_below(&rng, 10) ? stalls - (uint32_t)rng_below(&rng, 4) : (uint32_t)rng_below(&rng, 1000);
            in.period_valid_i = true;
            in.period_stalls_i = stalls;
            cycle(&m, in);
            model_period(&r, limit, stalls);
            in.period_valid_i = false;
            const struct bypass_learner_out out = cycle(&m, in);
            const uint32_t by = r.step == 1 ? 0 : r.by;
            cr_assert_eq(out.by_a_o, r.kernel ? 0 : by, "pair %u, period %u", pair, period);
            cr_assert_eq(out.by_b_o, r.kernel ? by : 0, "pair %u, period %u", pair, period);
            cr_assert_eq(out.done_o, r.step == 5, "pair %u, period %u", pair, period);
        }
        settled[r.kernel][r.by] += r.step == 5;
    }
    cr_expect(settled[0][0] > 100 && settled[0][1] > 100 && settled[1][1] > 100 && settled[0][4] && settled[1][4]);
}

Test(bypass_learner, tags_as_many_thread_blocks_as_it_says_whatever_starts_and_ends)
{
    struct bypass_learner m = learner(8);
    struct rng rng;
    uint32_t tagged[2] = {0}, plain[2] = {0}, tags = 0;
    rng_seed(&rng, 9);
    cycle(&m, (struct bypass_learner_in){.start_valid_i = true, .limit_a_i = 4, .limit_b_i = 4});
    for (uint32_t i = 0; i < 40000; i++) {
        const uint32_t k = (uint32_t)rng_below(&rng, 2), gone = (uint32_t)rng_below(&rng, 2);
        const bool tag = rng_below(&rng, 2);
        uint32_t *left = tag ? &tagged[gone] : &plain[gone];
        struct bypass_learner_in in = {.limit_a_i = 4, .limit_b_i = 4};
        in.start_valid_i = rng_below(&rng, 500) == 0;
        in.period_valid_i = rng_below(&rng, 20) == 0;
        in.period_stalls_i = (uint32_t)rng_below(&rng, 100);
        in.launch_valid_i = tagged[k] + plain[k] < 4;
        in.launch_kernel_i = k;
        in.finish_valid_i = *left > 0;
        in.finish_kernel_i = gone;
        in.finish_tag_i = tag;
        const struct bypass_learner_out out = cycle(&m, in);
        const uint32_t by = k ? out.by_b_o : out.by_a_o;
        cr_assert_eq(out.cur_a_o, tagged[0]);
        cr_assert_eq(out.cur_b_o, tagged[1]);
        cr_assert_eq(out.defer_o, tagged[0] != out.by_a_o || tagged[1] != out.by_b_o);
        cr_assert_eq(out.launch_tag_o, in.launch_valid_i && tagged[k] < by);
        cr_assert(!out.by_a_o || !out.by_b_o, "one kernel bypasses");
        if (in.launch_valid_i) *(out.launch_tag_o ? &tagged[k] : &plain[k]) += 1;
        if (in.finish_valid_i) *left -= 1;
        tags += out.launch_tag_o;
        cr_assert_eq(out.error_o, LEARN_OK);
    }
    cr_expect(tags > 1000);
}

static void traffic(struct bypass_learner *m, struct rng *rng)
{
    cycle(m, (struct bypass_learner_in){.start_valid_i = rng_below(rng, 10) == 0,
                                        .limit_a_i = 3,
                                        .limit_b_i = 5,
                                        .period_valid_i = rng_below(rng, 3) == 0,
                                        .period_stalls_i = (uint32_t)rng_below(rng, 5),
                                        .launch_valid_i = rng_below(rng, 2),
                                        .launch_kernel_i = rng_below(rng, 2)});
}

Test(bypass_learner, skip_equals_quiet_ticks)
{
    struct bypass_learner m = learner(16), other;
    struct rng rng;
    rng_seed(&rng, 3);
    for (uint32_t i = 0; i < 500; i++) {
        traffic(&m, &rng);
        other = m;
        cr_assert(bypass_learner_idle(&m));
        bypass_learner_skip(&other, 7);
        for (uint32_t c = 0; c < 7; c++)
            cycle(&m, (struct bypass_learner_in){.limit_a_i = (uint8_t)rng_below(&rng, 16)});
        cr_assert(!memcmp(&m, &other, sizeof m));
    }
}
