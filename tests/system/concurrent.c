/* SPDX-License-Identifier: Apache-2.0 */
/* Several workloads beside each other on every SM: partition, conservation, restarts, the cut. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/bench.h"
#include "system/named.h"

static struct inst thinks(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 10) return inst_exit();
    return n == 5 ? inst_line(INST_LOAD, 1, block) : inst_of(INST_SP, 2, 1);
}

static struct inst streams(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p;
    if (n == 8) return inst_exit();
    if (n == 4) return inst_memory(INST_STORE, INST_NO_REG, 0x100000 + block * 4096 + warp * 128, 4, 4);
    return inst_memory(INST_LOAD, (uint8_t)n, ((uint64_t)block * 64 + warp * 8 + n) * 4096, 128, 4);
}

static const struct program *const two[] = {
    &(struct program){.kernel = {.name = "thinks", .grid = {40, 1, 1}, .block = {64, 1, 1}, .regs_per_thread = 16},
                      .inst = thinks},
    &(struct program){.kernel = {.name = "streams", .grid = {24, 1, 1}, .block = {128, 1, 1}, .regs_per_thread = 32},
                      .inst = streams}};

Test(concurrent, two_workloads_each_run_once_and_all_of_both_is_done)
{
    struct config c = bench_config();
    c.sm_count = 2;
    struct outcome *o = bench_run_beside(&c, two, 2, NULL, false);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect_eq(o->of[0].warp_instructions, 40 * 2 * 11);
    cr_expect_eq(o->of[1].warp_instructions, 24 * 4 * 9);
    cr_expect_eq(o->of[0].memory_instructions, 40 * 2);
    cr_expect_eq(o->of[1].memory_done, 24 * 4 * 8);
    cr_expect_eq(o->of[1].l1d_writes, 24 * 4);
    cr_expect_eq(o->of[1].requests, 24 * 4 * (7 * 32 + 1));
    cr_expect_eq(o->stats.gpu_kernels, 2);
    cr_expect_eq(o->of[0].blocks, 40);
    cr_expect_eq(o->open_blocks, 0);
    free(o);
}

/* Both at the same addresses: lines of one are never hits of the other. */
Test(concurrent, workloads_share_no_line)
{
    struct config c = bench_config();
    const struct program *twins[MAX_WORKLOADS];
    for (uint32_t k = 0; k < MAX_WORKLOADS; k++) twins[k] = two[0];
    struct outcome *alone = bench_run_beside(&c, twins, 1, NULL, false);
    for (uint32_t count = 2; count <= MAX_WORKLOADS; count++) {
        struct outcome *o = bench_run_beside(&c, twins, count, NULL, false);
        cr_assert(o->ok && alone->ok, "%s", o->err.text);
        cr_expect_eq(o->stats.dram_reads, count * alone->stats.dram_reads);
        for (uint32_t k = 0; k < count; k++) cr_expect_eq(o->of[k].l1d_misses, 40, "%lu", o->of[k].l1d_misses);
        free(o);
    }
    free(alone);
}

static struct inst stores(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n == 0 ? inst_line(INST_STORE, INST_NO_REG, 5) : inst_exit();
}

static struct inst thinks_long(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n == 200 ? inst_exit() : inst_of(INST_SP, 1, 1);
}

/* Beside others, too: the next kernel of a workload reads the stores of the one before. */
Test(concurrent, a_kernel_starts_when_the_stores_of_the_one_before_are_acknowledged)
{
    struct program store = program_of(1, 1, stores), think = program_of(1, 1, thinks_long);
    store.kernels = 3;
    const struct config c = bench_config();
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run_beside(&c, (const struct program *const[]){&store, &think}, 2, &m, false);
    cr_assert(o->ok, "%s", o->err.text);
    for (uint32_t k = 0; k < 2; k++) {
        const struct event *done = outcome_event(o, AT_DONE, k), *next = outcome_event(o, AT_COALESCER, k + 1);
        cr_assert(done && next);
        cr_expect_geq(next->cycle, done->cycle, "kernel %u stores in cycle %lu, before %lu", k + 1, next->cycle,
                      done->cycle);
    }
    cr_expect_eq(o->of[0].kernels, 3);
    free(o);
}

static struct config cut_config(uint32_t cycles)
{
    struct config c = bench_config();
    c.sm_count = 2;
    c.cke_cycles = cycles;
    return c;
}

static struct inst forever(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p;
    return inst_memory(n % 4 == 3 ? INST_STORE : INST_LOAD, n % 4 == 3 ? INST_NO_REG : (uint8_t)(n % 8),
                       ((uint64_t)block << 24) + ((uint64_t)warp << 20) + n * 512, 16, 4);
}

/* The laws of a cut run count requests in flight; run_workload() fails if one does not hold. */
Test(concurrent, a_cut_run_lasts_its_cycles_and_keeps_the_laws)
{
    struct program endless = program_of(4, 4, forever);
    const struct program *const both[] = {two[0], &endless};
    for (uint32_t cycles = 1; cycles < 6000; cycles = cycles * 3 / 2 + 1) {
        struct config c = cut_config(cycles);
        struct outcome *o = bench_run_beside(&c, both, 2, NULL, true);
        cr_assert(o->ok, "%u cycles: %s", cycles, o->err.text);
        cr_expect_eq(o->stats.gpu_cycles, cycles);
        cr_expect_eq(o->of[0].warp_instructions + o->of[1].warp_instructions, o->stats.gpu_warp_instructions);
        cr_expect_geq(o->of[1].memory_instructions, o->of[1].memory_done);
        cr_expect_eq(o->open_blocks, 0);
        free(o);
    }
}

Test(concurrent, what_ends_early_starts_again)
{
    struct program endless = program_of(4, 4, forever);
    const struct program *const both[] = {two[0], &endless};
    struct config c = cut_config(60000);
    c.sm_scheduler = SCHEDULER("lrr"); /* or the endless warps, older than any new one, would always come first */
    struct outcome *again = bench_run_beside(&c, both, 2, NULL, true);
    struct outcome *once = bench_run_beside(&c, both, 2, NULL, false);
    cr_assert(again->ok && once->ok, "%s%s", again->err.text, once->err.text);
    cr_expect_gt(again->of[0].restarts, 2, "%lu restarts", again->of[0].restarts);
    cr_expect_eq(again->of[0].kernels, again->of[0].restarts);
    cr_expect_geq(again->of[0].blocks, 40 * again->of[0].restarts);
    cr_expect_eq(once->of[0].restarts, 0);
    cr_expect_eq(once->of[0].warp_instructions, 40 * 2 * 11);
    free(again);
    free(once);
}

/* Up to the cycle in which it is cut a run alone is the plain run. */
Test(concurrent, a_run_that_is_not_cut_before_its_end_is_the_plain_run)
{
    struct config c = bench_config();
    struct outcome *plain = bench_run_real(&c, two[1]);
    c.cke_cycles = 10000000;
    struct outcome *alone = bench_run_beside(&c, &two[1], 1, NULL, false);
    cr_assert(plain->ok && alone->ok, "%s", alone->err.text);
#define STAT(field, name, text) cr_expect_eq(plain->stats.field, alone->stats.field, name);
#include "system/stats/stats.def"
#undef STAT
#define WORKLOAD_STAT(field, name, text) cr_expect_eq(plain->of[0].field, alone->of[0].field, name);
#include "system/stats/workload_stats.def"
#undef WORKLOAD_STAT
    cr_expect_eq(alone->of[0].memory_done, alone->stats.gpu_memory_instructions);
    free(plain);
    free(alone);
}

Test(concurrent, a_partition_is_what_was_asked_for_or_refused_with_the_reason)
{
    struct config c = cut_config(3000);
    c.sm_blocks = 8;
    c.cke_blocks[0] = 3;
    c.cke_blocks[1] = 6;
    struct outcome *o = bench_run_beside(&c, two, 2, NULL, true);
    cr_assert_not(o->ok);
    cr_expect(strstr(o->err.text,
                     "thread blocks in one SM: 3 of program (kernel thinks), 6 of program (kernel streams) "
                     "need 9 thread block slots, but sm.blocks = 8"),
              "%s", o->err.text);
    free(o);
    c.cke_blocks[1] = 5;
    c.sm_warps = 24;
    o = bench_run_beside(&c, two, 2, NULL, true);
    cr_expect(strstr(o->err.text, "need 26 warps, but sm.warps = 24"), "%s", o->err.text);
    free(o);
    c.cke_blocks[0] = c.cke_blocks[1] = 0;
    c.sm_warps = 7;
    o = bench_run_beside(&c, two, 2, NULL, true);
    cr_expect(strstr(o->err.text,
                     "kernel streams: one thread block needs 4 warps, its even share of an SM is 3 (sm.warps "
                     "= 7, 2 workloads); cke.blocks1 gives it more"),
              "%s", o->err.text);
    free(o);
    c.cke_blocks[0] = c.cke_blocks[1] = 1;
    o = bench_run_beside(&c, two, 2, NULL, true);
    cr_expect(o->ok, "%s", o->err.text);
    free(o);
}

/* Four workloads with names of sixty characters: the list of them is cut where its place ends. */
Test(concurrent, a_list_of_long_names_is_cut)
{
    struct config c = cut_config(3000);
    char name[61];
    struct program long_names[4];
    const struct program *list[4];
    memset(name, 'n', 60);
    name[60] = 0;
    for (uint32_t i = 0; i < 4; i++) {
        long_names[i] = *two[0];
        snprintf(long_names[i].kernel.name, sizeof long_names[i].kernel.name, "%s", name);
        long_names[i].source = name;
        list[i] = &long_names[i];
    }
    c.sm_blocks = 8;
    c.cke_blocks[0] = c.cke_blocks[1] = c.cke_blocks[2] = 2;
    c.cke_blocks[3] = 3;
    struct outcome *o = bench_run_beside(&c, list, 4, NULL, true);
    cr_assert_not(o->ok);
    const char *first = strstr(o->err.text, "2 of n"), *last = strstr(o->err.text, " need 9 thread block slots");
    cr_assert(first && last, "%s", o->err.text);
    cr_expect_eq(last - first, 511, "found %ld", last - first);
    free(o);
}

Test(concurrent, progress_is_the_share_of_the_cycles_of_a_cut_run)
{
    const struct program endless = program_of(4, 4, forever);
    const struct program *const one[] = {&endless};
    struct config c = cut_config(8000);
    const struct fixed_memory m = bench_memory();
    c.sim_skip = false;
    struct outcome *o = bench_run_beside(&c, one, 1, &m, false);
    cr_assert(o->ok, "%s", o->err.text);
    cr_assert_eq(o->reports, 1);
    cr_expect_eq(o->share, (double)o->reported_at / 8000, "found %f in cycle %lu", o->share, o->reported_at);
    free(o);
}

/* Loads with all eight patterns of the address bits 44 to 46. */
static struct inst everywhere(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n < 8 ? inst_line(INST_LOAD, (uint8_t)n, (uint64_t)n << (44 - LINE_SHIFT)) : inst_exit();
}

static struct inst late_load(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    if (n == 9) return inst_line(INST_LOAD, 2, 7);
    return n < 9 ? inst_of(INST_SP, 1, 1) : inst_exit();
}

/* The first workload to load takes all address spaces. */
Test(concurrent, workloads_with_addresses_in_too_many_places_are_refused)
{
    const struct program all = program_of(1, 1, everywhere), late = program_of(1, 1, late_load);
    const struct config c = bench_config();
    struct outcome *o = bench_run_beside(&c, (const struct program *const[]){&all, &late}, 2, NULL, false);
    cr_assert_not(o->ok);
    cr_expect_not_null(strstr(o->err.text, "addresses of the workloads differ in bits 44 to 46 in more than 8 ways"),
                       "%s", o->err.text);
    free(o);
}
