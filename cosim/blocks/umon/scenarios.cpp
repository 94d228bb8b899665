// SPDX-License-Identifier: Apache-2.0
// umon: Qureshi06.
#include "run.hpp"

static const uint32_t kKernels = cfg.Kernels, kWays = cfg.Ways, kTop = uint32_t(bits_mask(cfg.CountW));
static const uint32_t kWaysW = bits_index(kWays + 1), kTags = 1u << cfg.TagW;

static In reads(uint32_t kernel, uint32_t tag, uint32_t set = 0)
{
    In in{};
    in.acc_valid_i = true;
    in.acc_kernel_i = uint8_t(kernel);
    in.acc_tag_i = uint16_t(tag);
    in.acc_set_i = uint8_t(set);
    return in;
}

static In flush(uint32_t kernel)
{
    In in{};
    in.flush_valid_i = true;
    in.flush_kernel_i = uint8_t(kernel);
    return in;
}

static uint32_t ways(const Out &out, uint32_t kernel)
{
    return out.alloc_o >> (kernel * kWaysW) & uint32_t(bits_mask(kWaysW));
}

// Cycles until the new allocation is in force.
static uint32_t partition(Run &run)
{
    In in{};
    in.part_valid_i = true;
    run.cycle(in);
    uint32_t cycles = 0;
    while (!run.idle().strobe_o && cycles < 1000) cycles++;
    run.expect(!run.last().busy_o, "it has ended");
    return cycles;
}

// So many lines, one after the other, round and round.
static void loop(Run &run, uint32_t kernel, uint32_t lines, uint32_t rounds)
{
    for (uint32_t i = 0; i < lines * rounds; i++) run.cycle(reads(kernel, i % lines));
}

SCENARIO(even, true, "until the first request, ways are divided evenly")
{
    for (uint32_t k = 0; k < kKernels; k++)
        run.expect_equal(ways(run.idle(), k), kWays / kKernels + (k < kWays % kKernels), "ways");
}

SCENARIO(nothing_known, true, "without hits, the kernel with fewer ways gets the next one")
{
    partition(run);
    for (uint32_t k = 0; k < kKernels; k++)
        run.expect_equal(ways(run.last(), k), kWays / kKernels + (k < kWays % kKernels), "ways");
}

SCENARIO(depths, kWays >= 3 && kTags >= 4, "a hit's depth is how many lines the kernel has used since")
{
    for (uint32_t tag = 0; tag < 3; tag++) run.expect(!run.cycle(reads(0, tag)).acc_hit_o, "new");
    run.expect(run.cycle(reads(0, 2)).acc_hit_o && run.last().acc_depth_o == 0, "the last one");
    run.expect(run.cycle(reads(0, 0)).acc_hit_o && run.last().acc_depth_o == 2, "two others since");
    run.expect(run.cycle(reads(0, 2)).acc_hit_o && run.last().acc_depth_o == 1, "one other since");
    run.expect(!run.cycle(reads(1, 2)).acc_hit_o, "the other kernel has a stack of its own");
    const Twin &now = run.registers();
    run.expect(now.hits_q[0] == 1 && now.hits_q[1] == 1 && now.hits_q[2] == 1, "a hit at each position");
}

SCENARIO(falls_out, kTags > kWays, "a line is forgotten after as many others as a set has ways")
{
    for (uint32_t tag = 0; tag <= kWays; tag++) run.cycle(reads(1, tag));
    run.expect(run.cycle(reads(1, 1)).acc_hit_o && run.last().acc_depth_o == kWays - 1, "the oldest that is kept");
    run.expect(!run.cycle(reads(1, 0)).acc_hit_o, "one too many");
}

SCENARIO(greedy_kernel, kTags >= kWays && kWays > kKernels, "a kernel that uses more lines again gets their ways")
{
    const uint32_t lines = kWays - kKernels + 1;
    loop(run, 1, lines, 2);
    partition(run);
    run.expect_equal(ways(run.last(), 1), lines, "ways of the kernel that hits");
    run.expect_equal(ways(run.last(), 0), 1, "ways of the other");
}

SCENARIO(lookahead, cfg.Ways >= 4 && kTags >= 4 && cfg.Kernels == 2 && cfg.CountW >= 4,
         "a kernel that needs several ways to hit at all gets them together")
{
    const uint32_t lines = kWays - 1;
    for (uint32_t i = 0; i < 2; i++) {
        run.cycle(reads(0, 0));
        run.cycle(reads(0, 1)); // one hit with a second way
    }
    loop(run, 1, lines, 1 + lines); // hits with `lines` ways only, and more for each way
    partition(run);
    run.expect_equal(ways(run.last(), 1), lines, "ways");
}

SCENARIO(least, kKernels == 2 && kWays >= 3 && kTags >= 2, "hits on one line need no further way: the other gets all")
{
    for (uint32_t i = 0; i < 3; i++) run.cycle(reads(0, 1));
    run.cycle(reads(1, 0));
    run.cycle(reads(1, 1));
    run.cycle(reads(1, 0));
    const uint32_t cycles = partition(run);
    run.expect_equal(ways(run.last(), 1) > ways(run.last(), 0) || kWays % 2 == 0, 1, "ways");
    run.expect(cycles >= 2, "a round at least");
}

SCENARIO(halves, true, "after an allocation, and when a counter is full, all counters halve")
{
    for (uint32_t i = 0; i < 4; i++) run.cycle(reads(0, 1)); // 3 hits
    run.expect_equal(run.registers().hits_q[0], 3, "hits");
    partition(run);
    run.expect_equal(run.registers().hits_q[0], 1, "hits");
    for (uint32_t i = 0; i < kTop - 1; i++) run.cycle(reads(0, 1));
    run.expect_equal(run.registers().hits_q[0], kTop, "full");
    run.cycle(reads(0, 1));
    run.expect_equal(run.registers().hits_q[0], kTop / 2 + 1, "half and one");
}

SCENARIO(while_it_computes, kWays > kKernels, "hits are not counted, but stacks move; another request is ignored")
{
    run.cycle(reads(0, 1));
    In in = reads(0, 1);
    in.part_valid_i = true;
    run.cycle(in); // counted: the request comes behind it
    run.cycle(in);
    run.expect(run.last().busy_o && run.last().acc_hit_o, "busy");
    run.expect_equal(run.registers().hits_q[0], 1, "hits");
    uint32_t strobes = 0;
    for (uint32_t i = 0; i < 400; i++) strobes += run.idle().strobe_o;
    run.expect_equal(strobes, 1, "one allocation");
}

SCENARIO(flushes, true, "a flush forgets the lines of its kernel, in all sets, and nothing else")
{
    run.cycle(reads(0, 1));
    run.cycle(reads(1, 1));
    In both = flush(0);
    both.acc_valid_i = true;
    both.acc_tag_i = 1;
    run.expect(run.cycle(both).acc_hit_o, "the access is before the flush");
    run.expect(!run.cycle(reads(0, 1)).acc_hit_o, "flushed");
    run.expect(run.cycle(reads(1, 1)).acc_hit_o, "not flushed");
}

SCENARIO(sets, cfg.Sets > cfg.SampledSets, "sets that are not sampled do not count; one in so many is")
{
    uint32_t sampled = 0;
    for (uint32_t set = 0; set < cfg.Sets; set++) sampled += run.cycle(reads(0, 1, set)).acc_sampled_o;
    run.expect_equal(sampled, cfg.SampledSets, "sampled sets");
}

SCENARIO(errors, kKernels == 3, "a kernel that does not exist: an error, nothing else")
{
    run.expect(!run.cycle(reads(3, 1)).acc_sampled_o, "not sampled");
    run.expect_equal(run.idle().error_o, UMON_ERROR_KERNEL, "error");
    run.reset();
    run.cycle(flush(3));
    run.expect_equal(run.idle().error_o, UMON_ERROR_KERNEL, "error");
}
