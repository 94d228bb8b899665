// SPDX-License-Identifier: Apache-2.0
// bypass_learner: Liang17, section 4.4.
#include "run.hpp"

static inline In limits(uint32_t a, uint32_t b)
{
    In in{};
    in.limit_a_i = uint8_t(a);
    in.limit_b_i = uint8_t(b);
    return in;
}

static void start(Run &run, const In &at)
{
    In in = at;
    in.start_valid_i = true;
    run.cycle(in);
}

// A period with so many stalls; then the numbers are those.
static void period(Run &run, const In &at, uint32_t stalls, uint32_t by_a, uint32_t by_b)
{
    In in = at;
    in.period_valid_i = true;
    in.period_stalls_i = stalls;
    run.cycle(in);
    const Out &out = run.cycle(at);
    run.expect_equal(out.by_a_o, by_a, "By of A");
    run.expect_equal(out.by_b_o, by_b, "By of B");
}

static bool launch(Run &run, const In &at, bool kernel)
{
    In in = at;
    in.launch_valid_i = true;
    in.launch_kernel_i = kernel;
    return run.cycle(in).launch_tag_o;
}

SCENARIO(figure_9, cfg.StallW >= 3 && cfg.Blocks >= 5,
         "figure 9: limits 3 and 2; one thread block of B gives fewest stalls, two do not give fewer")
{
    const In at = limits(3, 2);
    start(run, at);
    period(run, at, 6, 1, 0);
    period(run, at, 7, 0, 1);
    period(run, at, 4, 0, 2);
    period(run, at, 4, 0, 1);
    run.expect(run.last().done_o, "it is learnt");
    period(run, at, 0, 0, 1);
}

SCENARIO(none_is_best, cfg.StallW >= 2, "step 3: without bypassing there are fewest stalls, or as many")
{
    const In at = limits(1, 1);
    start(run, at);
    period(run, at, 1, 1, 0);
    period(run, at, 1, 0, 1);
    period(run, at, 1, 0, 0);
    run.expect(run.last().done_o, "it is learnt");
}

SCENARIO(a_is_best, cfg.StallW >= 4 && cfg.Blocks >= 3,
         "steps 3 and 4: kernel A is chosen, and gets more as long as the stalls fall")
{
    const In at = limits(cfg.Blocks - 1, 1);
    start(run, at);
    period(run, at, 9, 1, 0);
    period(run, at, 8, 0, 1);
    period(run, at, 8, 2, 0); // as many with B: A
    if (cfg.Blocks > 3) period(run, at, 7, 3, 0);
    period(run, at, 8, cfg.Blocks > 3 ? 2 : 1, 0);
    run.expect(run.last().done_o, "it is learnt");
}

SCENARIO(limit, cfg.StallW >= 3, "step 4: the limit of the kernel ends it")
{
    const In at = limits(1, 1);
    start(run, at);
    period(run, at, 7, 1, 0);
    period(run, at, 3, 0, 1);
    period(run, at, 5, 1, 0);
    run.expect(run.last().done_o, "one is the limit");
}

SCENARIO(absent, cfg.StallW >= 3, "a kernel without a thread block on the SM is not tried")
{
    In at = limits(0, 1);
    start(run, at);
    period(run, at, 7, 0, 1);
    period(run, at, 3, 0, 1);
    run.expect(run.last().done_o, "it is learnt");
    at = limits(1, 0);
    start(run, at);
    period(run, at, 7, 1, 0);
    period(run, at, 7, 0, 0);
    run.expect(run.last().done_o, "it is learnt");
    at = limits(0, 0);
    start(run, at);
    period(run, at, 7, 0, 0);
    run.expect(run.last().done_o, "it is learnt");
}

SCENARIO(tags, true, "4.4: a thread block that starts gets tag 1 if fewer run with one than are to")
{
    const In at = limits(2, 2);
    start(run, at);
    run.expect(!launch(run, at, false), "step 1: none");
    period(run, at, 1, 1, 0);
    run.expect(run.last().defer_o, "no period yet: one of A is to run with a tag");
    run.expect(launch(run, at, false), "the first of A");
    run.expect(!launch(run, at, false), "the second of A");
    run.expect(!run.last().defer_o, "one runs");
    run.expect(!launch(run, at, true), "of B: none");
    In end = at;
    end.finish_valid_i = true;
    run.cycle(end); // without a tag
    run.expect(!launch(run, at, false), "one runs");
    end.finish_tag_i = true;
    run.cycle(end);
    run.expect(launch(run, at, false), "none runs");
    period(run, at, 1, 0, 1);
    run.expect_equal(run.last().cur_a_o, 1, "that of A still runs");
    run.expect(launch(run, at, true), "the first of B");
    run.expect(run.cycle(at).defer_o, "no period yet: that of A still runs");
    run.expect(!run.cycle(end).launch_tag_o, "it ends");
    run.expect(!run.cycle(at).defer_o, "one of B runs with a tag, and none of A");
    In stop = at;
    stop.stop_valid_i = true;
    run.cycle(stop);
    run.expect(!launch(run, at, false) && !launch(run, at, true), "one kernel alone uses the L1D");
}
