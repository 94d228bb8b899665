/* SPDX-License-Identifier: Apache-2.0 */
/* One more or one less makes a difference: limits of options, laws that a step out of order breaks, clocks of the
 * domains. */
#include "system/bench.h"
#include "system/uvm_bench.h"
#include "system/tag_array.h"

static bool accepted(const char *const *options, struct error *err)
{
    struct config c;
    *err = (struct error){""};
    config_default(&c);
    for (; *options; options++) cr_assert(config_set(&c, *options, err), "%s", err->text);
    return config_check(&c, err);
}

#define OPTIONS(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(limits, what_just_fits_is_accepted)
{
    struct error err;
    cr_expect(accepted(OPTIONS("l1d.sets=2", "l1d.index=bxor"), &err), "%s", err.text);
    cr_expect(accepted(OPTIONS("dram.atom_bytes=64", "dram.row_bytes=256"), &err), "%s", err.text);
    cr_expect(accepted(OPTIONS("dram.t.rc=28", "dram.t.ras=28"), &err), "%s", err.text);
    cr_expect(accepted(OPTIONS("dram.t.ccd=3", "dram.t.ccdl=3"), &err), "%s", err.text);
    cr_expect(accepted(OPTIONS("dram.banks=8", "dram.bank_groups=8"), &err), "%s", err.text);
    cr_expect(accepted(OPTIONS("l1d.mshr.kind=dl_mshr", "l1d.dl_mshr.sets=4", "l1d.dl_mshr.reserved=3"), &err), "%s",
              err.text);
}

Test(limits, one_beyond_is_refused_by_its_name)
{
    const char *const *const wrong[] = {
        OPTIONS("l1d.sets=1", "l1d.index=bxor"),
        OPTIONS("dram.refresh=true", "dram.t.rfc=100", "dram.t.refi=100"),
        OPTIONS("l1d.mshr.kind=dl_mshr", "l1d.dl_mshr.sets=4", "l1d.dl_mshr.reserved=4"),
        OPTIONS("l1d.bypass.mode=bpg", "l1d.ways=17"),
        OPTIONS("l1d.bypass.mode=bpg", "l1d.bpg.sampled_sets=3"),
        OPTIONS("l1d.replacement=pdp", "l1d.ways=17"),
        OPTIONS("l1d.replacement=pdp", "l1d.sets=512"),
        OPTIONS("l1d.replacement=pdp", "l1d.unbounded=true"),
        OPTIONS("l1d.replacement=pdp", "l1d.sets=16", "l1d.pdp.sampled_sets=32"),
        OPTIONS("l1d.replacement=pdp", "l1d.pdp.samples=24"),
        OPTIONS("l1d.replacement=pdp", "l1d.pdp.step=128"),
        OPTIONS("l1d.replacement=pdp", "l1d.pdp.distance=129"),
        OPTIONS("l1d.replacement=pdp", "l1d.alloc=on_fill"),
        OPTIONS("l2.replacement=pdp"),
        OPTIONS("l1d.replacement=ucp", "l1d.ways=17"),
        OPTIONS("l1d.replacement=ucp", "l1d.ways=1"),
        OPTIONS("l1d.replacement=ucp", "l1d.sets=512"),
        OPTIONS("l1d.replacement=ucp", "l1d.unbounded=true"),
        OPTIONS("l1d.replacement=ucp", "l1d.sets=16", "l1d.ucp.sampled_sets=32"),
        OPTIONS("l1d.replacement=ucp", "l1d.ucp.sampled_sets=3"),
        OPTIONS("l2.replacement=ucp"),
        OPTIONS("l2.input=bank_reorder", "dram.banks=4", "dram.bank_groups=4", "l2.bank_reorder.queues=8"),
        OPTIONS("l2.input=bank_reorder", "l2.bank_reorder.queues=3"),
        OPTIONS("partition.count=6", "partition.map=xor"),
        OPTIONS("uvm.enable=true", "l1d.input=mrpb"),
    };
    static const char *const named[] = {"l1d.index",
                                        "dram.t.refi",
                                        "l1d.dl_mshr.reserved",
                                        "l1d.bypass.mode",
                                        "l1d.bpg.sampled_sets",
                                        "l1d.replacement",
                                        "l1d.replacement",
                                        "l1d.unbounded",
                                        "l1d.pdp.sampled_sets",
                                        "l1d.pdp.samples",
                                        "l1d.pdp.step",
                                        "l1d.pdp.distance",
                                        "l1d.pdp.bypass",
                                        "l2.replacement",
                                        "l1d.replacement",
                                        "l1d.replacement",
                                        "l1d.replacement",
                                        "l1d.unbounded",
                                        "l1d.ucp.sampled_sets",
                                        "l1d.ucp.sampled_sets",
                                        "l2.replacement",
                                        "l2.bank_reorder.queues",
                                        "l2.bank_reorder.queues",
                                        "partition.map",
                                        "uvm.enable"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error err;
        cr_expect_not(accepted(wrong[i], &err), "accepted: %s", wrong[i][0]);
        cr_expect_eq(strncmp(err.text, named[i], strlen(named[i])), 0, "\"%s\" does not name %s", err.text, named[i]);
    }
}

/* A way that is reserved and given up again can be reserved: the whole set, over and over. */
Test(limits, a_reservation_that_is_given_up_leaves_its_way)
{
    struct tags *t = tags_of((struct tags_setup){
        .sets = 1, .ways = 2, .index = SET_INDEX("bmod"), .replacement = REPLACEMENT("lru"), .unit = "l1d.0"});
    for (uint64_t turn = 0; turn < 8; turn++) {
        for (uint64_t line = 0; line < 2; line++) {
            cr_assert(tags_can_reserve(t, line));
            tags_take(t, line, TAG_RESERVED);
        }
        cr_assert_not(tags_can_reserve(t, 2));
        for (uint64_t line = 0; line < 2; line++) tags_invalidate(t, line);
    }
    tags_destroy(t);
}

static struct pages *open_pages(struct uvm_bench *b)
{
    uvm_bench_config(b, NULL);
    uvm_bench_allocate(b, "a", UINT64_C(1) << 32, 64 << 10);
    struct pages *p = pages_create(&b->env, &b->source, 0, &b->err);
    cr_assert(p, "%s", b->err.text);
    return p;
}

static void expect_broken(struct pages *p, const char *law)
{
    cr_expect_not_null(strstr(p->broken.text, law), "found \"%s\", expected \"%s\"", p->broken.text, law);
    pages_destroy(p);
}

Test(limits, a_page_that_takes_a_step_out_of_order_is_found_out)
{
    struct uvm_bench b;
    struct pages *p = open_pages(&b);
    pages_grant(p, 3, 1);
    expect_broken(p, "only a COMING page can get a frame");
    p = open_pages(&b);
    pages_coming(p, 3, true);
    pages_grant(p, 3, 1);
    pages_grant(p, 3, 1);
    expect_broken(p, "only a COMING page can get a frame");
    p = open_pages(&b);
    pages_wait(p, 3, 0);
    pages_answer(p, 3, 0);
    expect_broken(p, "an answer to an SM, but the page is not resident");
    p = open_pages(&b);
    pages_wait(p, 3, 0);
    pages_wait(p, 3, 0);
    expect_broken(p, "an SM waits for it twice");
    p = open_pages(&b);
    pages_wait(p, 3, 63);
    pages_answer(p, 3, 62);
    expect_broken(p, "an answer to an SM that does not wait for it");
}

static struct inst one_load(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n ? inst_exit() : inst_line(INST_LOAD, 1, 7);
}

static uint64_t latency(const char *option)
{
    struct config c = bench_config();
    struct error err = {""};
    const struct program p = program_of(1, 1, one_load);
    cr_assert(config_set(&c, option, &err), "%s", err.text);
    struct outcome *o = bench_run_real(&c, &p);
    cr_assert(o->ok, "%s", o->err.text);
    uint64_t cycles = o->stats.mem_latency_max;
    free(o);
    return cycles;
}

/* Each of the three other domains is on the way of a miss. */
Test(limits, a_slower_domain_makes_a_miss_slower)
{
    cr_expect_gt(latency("clock.xbar=100"), latency("clock.xbar=700"));
    cr_expect_gt(latency("clock.l2=100"), latency("clock.l2=700"));
    cr_expect_gt(latency("clock.dram=100"), latency("clock.dram=924"));
}

/* A memory of fixed latency serves each SM alone: any number of them takes as long as one. */
Test(limits, every_sm_is_woken_by_its_data)
{
    const struct fixed_memory m = bench_memory();
    uint64_t alone = 0;
    for (uint32_t sms = 1; sms <= 130; sms += 43) {
        struct config c = bench_config();
        const struct program p = program_of(sms, 1, one_load);
        c.sm_count = sms;
        struct outcome *o = bench_run(&c, &p, &m);
        cr_assert(o->ok, "%u SMs: %s", sms, o->err.text);
        cr_expect_eq(o->stats.l1d_misses, sms);
        if (sms == 1) alone = o->stats.mem_latency_max;
        cr_expect_eq(o->stats.mem_latency_max, alone, "%u SMs", sms);
        cr_expect_eq(o->stats.mem_latency_sum, sms * alone, "%u SMs", sms);
        free(o);
    }
}

/* Thread block 0 leaves an SP instruction's result behind that is not ready yet; the next one in its place does not
 * wait for it: a new warp's registers are ready. */
static struct inst result_left_behind(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)warp;
    const uint8_t *reg = p->context;
    if (n) return inst_exit();
    struct inst i = block ? inst_line(INST_STORE, INST_NO_REG, 7) : inst_of(INST_SP, *reg, INST_NO_REG);
    if (block) i.src[0] = *reg;
    return i;
}

Test(limits, a_new_warp_finds_its_registers_ready)
{
    static const uint8_t registers[] = {0, 7, 8, 9, 15, 16, 31, 247, 248, 254};
    const struct fixed_memory m = bench_memory();
    for (uint32_t i = 0; i < sizeof registers; i++) {
        struct config c = bench_config();
        struct program p = program_of(2, 1, result_left_behind);
        c.sm_blocks = 1;
        p.context = &registers[i];
        struct outcome *o = bench_run(&c, &p, &m);
        cr_assert(o->ok, "%s", o->err.text);
        cr_expect_lt(outcome_event(o, AT_COALESCER, 0)->cycle, c.sm_sp_latency, "register %u", registers[i]);
        free(o);
    }
}

/* Barriers one behind the other: before the n-th, warp n works and the others are there long before it. */
static struct inst staggered(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    const uint32_t round = n / 3, step = n % 3;
    if (round == 3) return inst_exit();
    if (step == 0) return inst_of(INST_SP, warp == round ? 1 : 2, INST_NO_REG);
    if (step == 1) return inst_of(INST_BARRIER, INST_NO_REG, warp == round ? 1 : INST_NO_REG);
    return inst_line(INST_STORE, INST_NO_REG, 10 * round + warp);
}

Test(limits, every_barrier_waits_for_all_warps_again)
{
    const struct fixed_memory m = bench_memory();
    const struct config c = bench_config();
    const struct program p = program_of(1, 3, staggered);
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect_eq(o->stats.gpu_barriers, 9);
    for (uint32_t n = 0; n < 9; n++) /* three stores of a round before the next one's */
        cr_expect_eq(outcome_event(o, AT_COALESCER, n)->r.line / 10, n / 3, "store %u", n);
    free(o);
}

/* Block 0, on SM 0, only stores; block 1, on SM 1, works long without memory. */
static struct inst one_works(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)warp;
    if (block && n < 40) return inst_of(INST_SP, 1, 1);
    return n == (block ? 40u : 0u) ? inst_line(INST_STORE, INST_NO_REG, block) : inst_exit();
}

Test(limits, a_kernel_waits_for_every_sm_of_the_one_before)
{
    const struct fixed_memory m = {.latency = 5, .depth = 8, .interval = 1};
    struct config c = bench_config();
    struct program p = program_of(2, 1, one_works);
    c.sm_count = 2;
    p.kernels = 2;
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    const uint64_t lines[] = {0, 1, 0, 1};
    for (uint32_t n = 0; n < 4; n++) cr_expect_eq(outcome_event(o, AT_COALESCER, n)->r.line, lines[n], "store %u", n);
    free(o);
}

/* 150 SP instructions, each of which needs the one before. */
static struct inst works(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n < 150 ? inst_of(INST_SP, 1, 1) : inst_exit();
}

/* The clock is looked at once, in the 4096th cycle; a thread block takes 1500, and has the SM to itself. */
Test(limits, progress_is_the_share_of_thread_blocks_finished)
{
    struct config c = bench_config();
    const struct program p = program_of(4, 1, works);
    const struct fixed_memory m = bench_memory();
    c.sim_skip = false;
    c.sm_blocks = 1;
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    cr_assert_eq(o->reports, 1);
    cr_expect_eq(o->share, 0.5, "found %f", o->share);
    free(o);
}
