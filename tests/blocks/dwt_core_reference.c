/* SPDX-License-Identifier: Apache-2.0 */
/* dwt_core: the README's example, and an independent model of its table and its threshold. */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "cycle.h"
#include "dwt_core.h"
#include "readme_example.h"
#include "skip.h"

static struct dwt_core core(const struct dwt_core_cfg *cfg)
{
    struct dwt_core m = {0};
    dwt_core_init(&m, cfg);
    return m;
}

TWIN_CYCLE(dwt_core)

static struct dwt_core_in inputs(const char *events)
{
    return (struct dwt_core_in){.inst_valid_i = event(events, "inst") >= 0,
                                .inst_count_i = (uint8_t)event(events, "inst"),
                                .miss_valid_i = event(events, "miss") >= 0,
                                .miss_count_i = (uint8_t)event(events, "miss"),
                                .period_valid_i = event(events, "period") >= 0,
                                .start_valid_i = event(events, "start") >= 0,
                                .start_kernel_i = (uint16_t)event(events, "start"),
                                .sample_valid_i = event(events, "round") >= 0,
                                .number_i = 1,
                                .collect_valid_i = event(events, "collect") >= 0,
                                .report_ready_i = event(events, "ready") >= 0,
                                .result_valid_i = event(events, "result") >= 0,
                                .result_warps_i = (uint8_t)event(events, "result")};
}

Test(readme_example, dwt_core)
{
    static const char *const states[] = {"watch", "ask", "sample", "report", "wait", "fixed"};
    const struct dwt_core_cfg cfg = {
        .Warps = 4, .Mpki = 100, .Periods = 2, .InstW = 8, .MissW = 4, .CountW = 4, .Kernels = 2, .KernelW = 2};
    struct dwt_core m = core(&cfg);
    for (struct example e = example_of("dwt_core", "cycle"); next_row(&e);) {
        const struct dwt_core before = m;
        const struct dwt_core_out out = cycle(&m, inputs(given(&e, "events")));
        shows_number(&e, "cycle", e.rows - 1);
        shows(&e, "state", true, "%s", states[before.state_q]);
        shows_number(&e, "instructions", before.inst_q);
        shows_number(&e, "misses", before.miss_q);
        shows_number(&e, "row", before.streak_q);
        shows_number(&e, "limit_o", out.limit_o);
        shows_number(&e, "ask_o", out.ask_o);
        shows_number(&e, "report_valid_o", out.report_valid_o);
        shows_number(&e, "report_count_o", out.report_count_o);
        shows_number(&e, "reuse_o", out.reuse_o);
    }
}

static struct dwt_core paper(void)
{
    const struct dwt_core_cfg cfg = {
        .Warps = 24, .Mpki = 10, .Periods = 3, .InstW = 24, .MissW = 16, .CountW = 8, .Kernels = 8, .KernelW = 8};
    return core(&cfg);
}

/* Whether a period with these counts thrashes, by a core with Periods = 1. */
static bool thrashes(uint32_t insts, uint32_t misses, uint32_t mpki)
{
    const struct dwt_core_cfg cfg = {
        .Warps = 24, .Mpki = mpki, .Periods = 1, .InstW = 24, .MissW = 16, .CountW = 8, .Kernels = 8, .KernelW = 8};
    struct dwt_core m = core(&cfg);
    for (; insts; insts -= insts < 255 ? insts : 255)
        cycle(&m, (struct dwt_core_in){.inst_valid_i = true, .inst_count_i = (uint8_t)(insts < 255 ? insts : 255)});
    for (; misses; misses--) cycle(&m, (struct dwt_core_in){.miss_valid_i = true, .miss_count_i = 1});
    cycle(&m, (struct dwt_core_in){.period_valid_i = true});
    return cycle(&m, (struct dwt_core_in){0}).ask_o;
}

Test(dwt_core, thrashes_above_the_quotient_and_not_at_it)
{
    struct rng rng;
    rng_seed(&rng, 5);
    for (uint32_t i = 0; i < 300; i++) {
        const uint32_t mpki = 1 + (uint32_t)rng_below(&rng, 100), insts = 1 + (uint32_t)rng_below(&rng, 20000);
        const uint32_t near = insts * mpki / 1000 + (uint32_t)rng_below(&rng, 3);
        const uint32_t misses = near ? near - 1 : 0;
        const double found = 1000.0 * misses / insts;
        cr_expect_eq(thrashes(insts, misses, mpki), found > mpki, "%u misses, %u instructions, threshold %u", misses,
                     insts, mpki);
    }
    cr_expect_not(thrashes(10000, 100, 10), "at the threshold");
    cr_expect(thrashes(10000, 101, 10), "above it");
}

/* A plain list of kernels and numbers, most recently used first. */
struct list {
    uint32_t count, kernel[9], warps[9];
};

static uint32_t taken(struct list *l, uint32_t kernel)
{
    for (uint32_t i = 0; i < l->count; i++) {
        if (l->kernel[i] != kernel) continue;
        const uint32_t warps = l->warps[i];
        l->count--;
        for (; i < l->count; i++) l->kernel[i] = l->kernel[i + 1], l->warps[i] = l->warps[i + 1];
        return warps;
    }
    return 0;
}

static void put_first(struct list *l, uint32_t kernel, uint32_t warps)
{
    for (uint32_t i = l->count; i > 0; i--) l->kernel[i] = l->kernel[i - 1], l->warps[i] = l->warps[i - 1];
    l->kernel[0] = kernel;
    l->warps[0] = warps;
    l->count = l->count < 8 ? l->count + 1 : 8;
}

/* The limit that a kernel gets at its first thrashing period; 0: none. */
static uint32_t limit_after_a_miss(struct dwt_core *m, uint32_t kernel)
{
    cycle(m, (struct dwt_core_in){.start_valid_i = true, .start_kernel_i = (uint16_t)kernel});
    cycle(m, (struct dwt_core_in){.miss_valid_i = true, .miss_count_i = 1});
    const bool reuse = cycle(m, (struct dwt_core_in){.period_valid_i = true}).reuse_o;
    const struct dwt_core_out out = cycle(m, (struct dwt_core_in){0});
    cr_expect_eq(reuse ? out.limit_o : 24, out.limit_o, "a limit without the table");
    return reuse ? out.limit_o : 0;
}

Test(dwt_core, remembers_the_last_eight_kernels_as_a_plain_list_does)
{
    struct dwt_core m = paper();
    struct list list = {0};
    struct rng rng;
    rng_seed(&rng, 8);
    uint32_t hits = 0, misses = 0;
    for (uint32_t i = 0; i < 4000; i++) {
        const uint32_t kernel = (uint32_t)rng_below(&rng, 12), known = taken(&list, kernel);
        cr_assert_eq(limit_after_a_miss(&m, kernel), known, "launch %u of kernel %u", i, kernel);
        if (known) put_first(&list, kernel, known);
        hits += known > 0, misses += !known;
        if (rng_below(&rng, 2)) continue;
        const uint32_t warps = 1 + (uint32_t)rng_below(&rng, 24);
        cycle(&m, (struct dwt_core_in){.result_valid_i = true, .result_warps_i = (uint8_t)warps});
        taken(&list, kernel);
        put_first(&list, kernel, warps);
    }
    cr_expect(hits > 1000 && misses > 500, "%u hits, %u misses", hits, misses);
}

static void traffic(struct dwt_core *m, struct rng *rng)
{
    const uint64_t what = rng_below(rng, 40);
    cycle(m, (struct dwt_core_in){.inst_valid_i = rng_below(rng, 2),
                                  .inst_count_i = (uint8_t)rng_below(rng, 200),
                                  .miss_valid_i = rng_below(rng, 2),
                                  .miss_count_i = (uint8_t)rng_below(rng, 4),
                                  .period_valid_i = what < 12,
                                  .start_valid_i = what == 12,
                                  .start_kernel_i = (uint16_t)rng_below(rng, 10),
                                  .sample_valid_i = what == 13,
                                  .number_i = 3,
                                  .collect_valid_i = what == 14 || what > 34,
                                  .report_ready_i = rng_below(rng, 2),
                                  .result_valid_i = what == 15,
                                  .result_warps_i = (uint8_t)rng_below(rng, 32)});
}

Test(dwt_core, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct dwt_core m = paper();
    SKIP_ROUNDS(dwt_core, &m, traffic, 11, 600, 9, .number_i = 3, .inst_count_i = 5, .result_warps_i = 2,
                .report_ready_i = rng_below(&rng, 2));
}
