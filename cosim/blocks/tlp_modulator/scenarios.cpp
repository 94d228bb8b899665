// SPDX-License-Identifier: Apache-2.0
// tlp_modulator: Liang17, section 4.3.
#include "run.hpp"

// Counts of a period.
struct Period {
    uint32_t cycles, sp_a, sp_b, ldst_a, ldst_b;
};

static inline uint64_t amounts(uint64_t warps, uint64_t registers, uint64_t shared)
{
    return warps | registers << cfg.ResW | shared << (2 * cfg.ResW);
}

// A pair of kernels whose thread blocks need one register each, on an SM with so many.
static inline In pair_of(uint32_t a, uint32_t b, uint32_t registers)
{
    In in{};
    in.start_valid_i = true;
    in.start_a_i = uint8_t(a);
    in.start_b_i = uint8_t(b);
    in.need_a_i = in.need_b_i = amounts(0, 1, 0);
    in.have_i = amounts(0, registers, 0);
    return in;
}

static inline uint64_t slots(uint32_t first, uint32_t count)
{
    return bits_mask(count) << first;
}

// Thread blocks of A in the lowest slots, of B above them.
static void launch(Run &run, In at, uint32_t a, uint32_t b)
{
    at.start_valid_i = false;
    at.launch_valid_i = true;
    at.launch_a_i = slots(0, a);
    at.launch_b_i = slots(a, b);
    run.cycle(at);
}

// A whole period of a and b thread blocks, and its judgement; the SM is empty before and after.  Returns the last
// outputs.
static Out period(Run &run, In at, uint32_t a, uint32_t b, const Period &p)
{
    launch(run, at, a, b);
    at.start_valid_i = false;
    at.cycles_i = p.cycles, at.sp_a_i = p.sp_a, at.sp_b_i = p.sp_b;
    at.ldst_a_i = p.ldst_a, at.ldst_b_i = p.ldst_b;
    run.expect(run.cycle(at).open_o, "the period starts");
    In last = at;
    last.finish_valid_i = true;
    last.finish_i = slots(0, a + b);
    run.expect(run.cycle(last).close_o, "the period ends");
    for (uint32_t i = 0; i < 4 * (cfg.CountW + 1) + cfg.Blocks + 2; i++) run.cycle(at);
    return run.last();
}

static void limits_are(Run &run, const Out &out, uint32_t a, uint32_t b)
{
    run.expect_equal(out.limit_a_o, a, "limit of A");
    run.expect_equal(out.limit_b_o, b, "limit of B");
}

SCENARIO(first_period, true, "4.3: the first period of a pair is the history; the limits stay")
{
    const In pair = pair_of(1, 1, 3);
    run.cycle(pair);
    limits_are(run, period(run, pair, 1, 1, {3, 1, 1, 1, 1}), 1, 1);
    run.expect(run.registers().primed_q, "a history");
}

SCENARIO(rising, true, "4.3: if the utilisation of both pipelines rises, nothing changes")
{
    const In pair = pair_of(1, 1, 3);
    run.cycle(pair);
    period(run, pair, 1, 1, {3, 1, 0, 1, 0});
    limits_are(run, period(run, pair, 1, 1, {3, 2, 0, 2, 0}), 1, 1);
}

SCENARIO(critical_sp, cfg.Blocks >= 4 && cfg.ResW >= 2,
         "4.3: SP falls: the kernel with the higher PUHP gets one thread block more")
{
    const In pair = pair_of(1, 1, 3);
    run.cycle(pair);
    period(run, pair, 1, 1, {3, 3, 1, 1, 3}); // A: 3 of SP, 1 of LD/ST; B: 1, 3
    limits_are(run, period(run, pair, 1, 1, {3, 1, 0, 3, 3}), 2, 1);
}

SCENARIO(critical_ldst, cfg.Blocks >= 4 && cfg.ResW >= 2,
         "4.3: LD/ST falls: the kernel with the lower PUHP gets one thread block more")
{
    const In pair = pair_of(1, 1, 3);
    run.cycle(pair);
    period(run, pair, 1, 1, {3, 3, 1, 1, 3});
    limits_are(run, period(run, pair, 1, 1, {3, 3, 3, 1, 0}), 1, 2);
}

SCENARIO(no_room, cfg.Blocks >= 4 && cfg.ResW >= 2,
         "4.3, equation 1: one thread block more of a kernel may be one less of the other")
{
    const In pair = pair_of(1, 2, 3);
    run.cycle(pair);
    period(run, pair, 1, 2, {3, 3, 1, 1, 3});
    limits_are(run, period(run, pair, 1, 2, {3, 1, 0, 3, 3}), 2, 1);
    limits_are(run, period(run, pair, 2, 1, {3, 0, 0, 3, 3}), 2, 1); // the last one of B stays
}

SCENARIO(each_resource, cfg.Blocks >= 4 && cfg.ResW >= 3, "4.3, equation 1: every resource limits; so do the slots")
{
    for (uint32_t r = 0; r < 4; r++) {
        In pair = pair_of(1, 2, 7);
        pair.need_a_i = pair.need_b_i = r < 3 ? uint64_t(2) << (r * cfg.ResW) : 0;
        pair.have_i = r < 3 ? uint64_t(7) << (r * cfg.ResW) : 0;
        if (r == 3) pair.start_b_i = uint8_t(cfg.Blocks - 1);
        run.cycle(pair);
        period(run, pair, 1, pair.start_b_i, {3, 3, 1, 1, 3});
        limits_are(run, period(run, pair, 1, pair.start_b_i, {3, 1, 0, 3, 3}), 2, r < 3 ? 1 : cfg.Blocks - 2);
    }
}

SCENARIO(several_less, cfg.Blocks >= 4 && cfg.ResW >= 3,
         "4.3: a large thread block takes the room of several small ones")
{
    In pair = pair_of(1, 3, 6);
    pair.need_a_i = amounts(0, 2, 0);
    run.cycle(pair);
    period(run, pair, 1, 3, {3, 3, 1, 1, 3});
    limits_are(run, period(run, pair, 1, 3, {3, 1, 0, 3, 3}), 2, 2);
    pair.have_i = amounts(0, 7, 0);
}

SCENARIO(lifetime, cfg.Blocks >= 4, "4.3: a period lasts until the thread blocks that ran at its start are finished")
{
    const In pair = pair_of(1, 1, 3);
    run.cycle(pair);
    launch(run, pair, 1, 1);
    run.expect(run.idle().open_o, "the period starts");
    In swap{}; // the one of A goes, another one comes and goes
    swap.finish_valid_i = true;
    swap.finish_i = slots(0, 1);
    run.expect(!run.cycle(swap).close_o, "that of B runs");
    launch(run, pair, 1, 0);
    run.expect(!run.cycle(swap).close_o, "that of B runs");
    swap.finish_i = slots(1, 1);
    run.expect(run.cycle(swap).close_o, "the period ends");
}

SCENARIO(exactly, cfg.Blocks >= 4, "4.3: no period while more or fewer thread blocks run than the limits say")
{
    const In pair = pair_of(1, 1, 3);
    run.cycle(pair);
    launch(run, pair, 2, 1);
    run.expect(!run.idle(4).open_o, "one too many");
    In end{};
    end.finish_valid_i = true;
    end.finish_i = slots(0, 1);
    run.cycle(end);
    run.expect(run.idle().open_o, "as many");
}

SCENARIO(deferred, cfg.Blocks >= 4, "4.4: no period while the thread blocks that run are not as it is to have them")
{
    const In pair = pair_of(1, 1, 3);
    run.cycle(pair);
    launch(run, pair, 1, 1);
    In wait{};
    wait.defer_i = true;
    for (uint32_t i = 0; i < 4; i++) run.expect(!run.cycle(wait).open_o, "deferred");
    run.expect(run.idle().open_o, "no longer");
    run.expect(!run.cycle(wait).close_o, "a period that runs goes on");
}

SCENARIO(takes_over, true, "4.3: when a kernel ends, the other one takes the SM")
{
    const In pair = pair_of(1, 1, 3);
    for (uint32_t k = 0; k < 2; k++) {
        run.cycle(pair);
        In stop{};
        stop.stop_valid_i = true;
        stop.stop_kernel_i = k;
        run.cycle(stop);
        limits_are(run, run.idle(), k ? cfg.Blocks : 0, k ? 0 : cfg.Blocks);
        launch(run, In{}, 1, 0);
        run.expect(!run.idle(4).open_o, "no period");
        run.reset();
    }
}

SCENARIO(hold, true, "the limits stay as they are, and periods follow each other")
{
    In pair = pair_of(1, 1, 3);
    pair.hold_i = true;
    run.cycle(pair);
    for (uint32_t i = 0; i < 3; i++) limits_are(run, period(run, pair, 1, 1, {3, 3u - i, 1, 1, 3}), 1, 1);
    run.expect(!run.registers().primed_q, "no history");
}

SCENARIO(weight, cfg.CountW >= 3, "4.3: the newest period has half of the history's weight, or 2^-Shift")
{
    const In pair = pair_of(1, 1, 2);
    run.cycle(pair);
    period(run, pair, 1, 1, {4, 4, 0, 0, 0});
    period(run, pair, 1, 1, {4, 0, 0, 0, 0});
    run.expect_equal(run.registers().sp_a_q, (4u * ((1u << cfg.Shift) - 1)) >> cfg.Shift, "history of SP");
}
