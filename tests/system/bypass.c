/* SPDX-License-Identifier: Apache-2.0 */
/* Bypass of the L1D in the machine: which accesses bypass, by option, and the decisions of bpg for a program. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "bpg.h"
#include "system/bench.h"
#include "system/cache/bypass.h"
#include "system/cache/l1d.h"
#include "system/config/bypass_kind.h"
#include "system/named.h"
#include "trace/kernels.h"

enum { BLOCKS = 4, WARPS = 4, LOADS = 3 };

/* Each warp reads lines of its own: thread block b, warp w, load n is line 1000 * b + 100 * w + n. */
static struct inst own_lines(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p;
    return n < LOADS ? inst_line(INST_LOAD, (uint8_t)n, 1000 * block + 100 * warp + n) : inst_exit();
}

/* Bit 10 * b + w: of thread block b, warp w read around the L1D. */
static uint64_t who_bypassed(const struct config *c)
{
    struct program p = program_of(BLOCKS, WARPS, own_lines);
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(c, &p, &m);
    uint64_t who = 0;
    cr_assert(o->ok, "%s", o->err.text);
    const struct event *e;
    for (uint32_t i = 0; (e = outcome_event(o, AT_L1D_BYPASS, i)); i++)
        who |= (uint64_t)1 << (10 * (e->r.line / 1000) + e->r.line / 100 % 10);
    cr_expect_eq(o->stats.l1d_bypass_slots_peak > 0, who != 0);
    free(o);
    return who;
}

Test(bypass, static_by_warp_slot_by_thread_block_and_by_warp_of_the_block)
{
    struct config c = bench_config();
    c.l1d_bypass_from_warp = 3;
    cr_expect_eq(who_bypassed(&c), 8ull | 0xfull << 10 | 0xfull << 20 | 0xfull << 30);
    c.l1d_bypass_level = BYPASS_BLOCK;
    cr_expect_eq(who_bypassed(&c), 0xfull << 30);
    c.l1d_bypass_level = BYPASS_WARP_OF_BLOCK;
    cr_expect_eq(who_bypassed(&c), 8ull | 8ull << 10 | 8ull << 20 | 8ull << 30);
    c.l1d_bypass_mode = L1D_BYPASS("off");
    cr_expect_eq(who_bypassed(&c), 0);
}

/* Of each workload, on an SM, at a time: the next thread block has the place of one that bypassed and ended. */
Test(bypass, a_fixed_number_of_thread_blocks)
{
    struct config c = bench_config();
    c.l1d_bypass_mode = L1D_BYPASS("blocks");
    cr_expect_eq(who_bypassed(&c), 0);
    c.l1d_bypass_blocks[0] = 2;
    cr_expect_eq(who_bypassed(&c), 0xfull | 0xfull << 10);
    c.sm_blocks = c.l1d_bypass_blocks[0] = 1;
    cr_expect_eq(who_bypassed(&c), 0xfull | 0xfull << 10 | 0xfull << 20 | 0xfull << 30);
    c.sm_blocks = 2 * BLOCKS;
    c.l1d_bypass_blocks[1] = 2;
    const struct program p = program_of(BLOCKS, WARPS, own_lines), *const two[] = {&p, &p};
    const struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run_beside(&c, two, 2, &m, false);
    cr_assert(o->ok, "%s", o->err.text);
    cr_expect_eq(o->stats.l1d_bypassed, (1 + 2) * WARPS * LOADS);
    free(o);
}

static bool odd_owners(const struct config *c, const void *learner, const void *decider, uint32_t owner)
{
    (void)c, (void)learner, (void)decider;
    return owner & 1;
}
static const struct bypass_kind odd = {.policy = {"odd", "reads of odd owners"}, .decide = odd_owners};
BYPASS_KIND_REGISTER(odd);

Test(bypass, a_new_kind_needs_nothing_but_its_file)
{
    struct config c = bench_config();
    struct error err = {0};
    cr_assert(config_set(&c, "l1d.bypass.mode=odd", &err), "%s", err.text);
    c.l1d_bypass_level = BYPASS_WARP_OF_BLOCK;
    cr_expect_eq(who_bypassed(&c), 10ull | 10ull << 10 | 10ull << 20 | 10ull << 30);
}

/* Every warp goes over `lines` lines of its own, over and over; a thread block has WARPS warps. */
struct walk {
    uint32_t lines, loads;
};

static struct inst over_and_over(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct walk *k = p->context;
    const uint64_t line = (uint64_t)(block * WARPS + warp) * k->lines + n % k->lines;
    if (n == k->loads) return inst_exit();
    struct inst i = inst_line(INST_LOAD, (uint8_t)(n % 8), line);
    i.src[0] = (uint8_t)(n % 8);
    return i;
}

static struct outcome *walk(struct config c, uint32_t lines)
{
    const struct walk k = {.lines = lines, .loads = 400};
    struct program p = program_of(8, WARPS, over_and_over);
    const struct fixed_memory m = {.latency = 200, .depth = 8, .interval = 2};
    p.context = &k;
    c.sm_count = 2;
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert(o->ok, "%s", o->err.text);
    return o;
}

static struct config with_bpg(uint32_t level, uint32_t scope)
{
    struct config c = bench_config();
    c.l1d_index = SET_INDEX("bxor");
    c.l1d_write = WRITE_THROUGH;
    c.l1d_bypass_mode = L1D_BYPASS("bpg");
    c.l1d_bypass_level = level;
    c.l1d_bypass_scope = scope;
    c.l1d_bypass_slots = 128;
    return c;
}

/* 128 lines: 16 warps of one line fit, of 32 lines thrash. */
Test(bypass, bpg_lets_all_in_where_all_fit_and_few_where_they_thrash)
{
    struct outcome *fits = walk(with_bpg(BYPASS_BLOCK, BYPASS_LOCAL), 1);
    cr_expect_gt(fits->stats.bpg_decisions, 0);
    cr_expect_eq(fits->stats.bpg_l_max_sum, 8 * fits->stats.bpg_decisions);
    cr_expect_eq(fits->stats.l1d_bypassed, 0);
    struct config all = with_bpg(BYPASS_BLOCK, BYPASS_LOCAL);
    all.l1d_bypass_mode = L1D_BYPASS("off");
    struct outcome *thrash = walk(with_bpg(BYPASS_BLOCK, BYPASS_LOCAL), 32), *off = walk(all, 32);
    cr_expect_lt(thrash->stats.bpg_l_max_sum, 8 * thrash->stats.bpg_decisions);
    cr_expect_gt(thrash->stats.l1d_bypassed, 0);
    cr_expect_gt(thrash->stats.l1d_hits, off->stats.l1d_hits, "%lu hits with bpg, %lu without", thrash->stats.l1d_hits,
                 off->stats.l1d_hits);
    free(fits);
    free(thrash);
    free(off);
}

Test(bypass, one_sm_decides_for_all)
{
    struct outcome *local = walk(with_bpg(BYPASS_BLOCK, BYPASS_LOCAL), 32);
    struct outcome *global = walk(with_bpg(BYPASS_BLOCK, BYPASS_GLOBAL), 32);
    cr_expect_lt(global->stats.bpg_sampled, local->stats.bpg_sampled, "SM 0 alone samples");
    cr_expect_gt(global->stats.bpg_decisions, 0);
    bool other = false;
    const struct event *e;
    for (uint32_t i = 0; (e = outcome_event(global, AT_L1D_BYPASS, i)); i++) other |= e->r.sm == 1;
    cr_expect(other || global->events == BENCH_EVENTS, "SM 1 bypasses, too");
    free(local);
    free(global);
}

/* The same counters with and without jumps over quiet time: every level and scope, both miss files. */
Test(bypass, bpg_counts_the_same_when_time_is_skipped)
{
    for (uint32_t i = 0; i < 12; i++) {
        struct config c = with_bpg(i % 3, i / 3 % 2);
        c.l1d_mshr_kind = i / 6;
        c.l1d_bypass_slots = 3 + i;
        c.l1d_bpg_interval = 50 + 7 * i;
        c.l1d_bpg_rebase = i % 2;
        c.l1d_alloc = i % 2;
        struct outcome *skipped = walk(c, 20 + i);
        c.sim_skip = false;
        struct outcome *ticked = walk(c, 20 + i);
        cr_expect_gt(skipped->stats.bpg_decisions, 0);
        cr_expect_arr_eq(&skipped->stats, &ticked->stats, sizeof skipped->stats, "case %u", i);
        free(skipped);
        free(ticked);
    }
}

/* An L1D by itself, all of its sets sampled, with a miss queue of one request that leaves when `open`. */
struct alone {
    struct config config;
    struct stats stats;
    struct env env;
    struct memory_port port;
    struct l1d *l1d;
    bool open;
};

static bool has_room(void *memory, uint32_t sm, const struct request *r)
{
    (void)sm, (void)r;
    return ((const struct alone *)memory)->open;
}

static void swallow(void *memory, uint32_t sm, const struct request *r)
{
    (void)memory, (void)sm, (void)r;
}

static bool never_empty(const void *memory)
{
    (void)memory;
    return false;
}

static struct alone *alone(uint32_t miss_file)
{
    struct alone *a = calloc(1, sizeof *a);
    struct error err = {0};
    a->config = with_bpg(BYPASS_BLOCK, BYPASS_LOCAL);
    a->config.l1d_bpg_sampled_sets = a->config.l1d_sets;
    a->config.l1d_miss_queue = 1;
    a->config.l1d_mshr_kind = miss_file;
    a->env = (struct env){.config = &a->config, .stats = &a->stats};
    a->port = (struct memory_port){.room = has_room, .send = swallow, .empty = never_empty, .memory = a};
    a->l1d = l1d_create(&a->env, 0, &err);
    cr_assert_not_null(a->l1d, "%s", err.text);
    return a;
}

/* A cycle in which read `id` is presented, if the L1D takes one: how the one before it, or this one, fared. */
static enum l1d_outcome present_read(struct alone *a, uint64_t id)
{
    const struct access read = {.line = id, .id = id, .kind = REQUEST_READ, .bytes = 32, .owners = 8};
    struct l1d_done done;
    struct error err = {0};
    enum l1d_outcome outcome = l1d_begin(a->l1d, &a->port, &done);
    if (outcome != L1D_WAIT && outcome != L1D_ACCEPTED) outcome = l1d_access(a->l1d, &read);
    cr_assert(l1d_end(a->l1d, &err), "%s", err.text);
    a->env.sm_cycle++;
    return outcome;
}

/* The head of the LSU and a replay of the TLB are refused in turn; both go on later. */
Test(bypass, bpg_counts_a_read_once_whatever_is_presented_in_between)
{
    for (uint32_t kind = 0; kind < policies_of("miss file"); kind++) {
        struct alone *a = alone(kind);
        while (present_read(a, 1) != L1D_ACCEPTED) cr_assert_lt(a->env.sm_cycle, 10);
        for (uint32_t i = 0; i < 20; i++) cr_assert_eq(present_read(a, 2 + i % 2), L1D_REFUSED);
        cr_expect_eq(a->stats.bpg_accesses, 1, "%lu", a->stats.bpg_accesses);
        a->open = true;
        for (uint64_t id = 2; id <= 3; id++)
            while (present_read(a, id) != L1D_ACCEPTED) cr_assert_lt(a->env.sm_cycle, 60);
        cr_expect_eq(a->stats.l1d_misses, 3);
        cr_expect_eq(a->stats.bpg_accesses, 3, "%lu", a->stats.bpg_accesses);
        cr_expect_eq(a->stats.bpg_sampled, 3, "%lu", a->stats.bpg_sampled);
        l1d_destroy(a->l1d);
        free(a);
    }
}

/* A dl_mshr answers a cycle late: the read that it takes and the one behind it are accepted in one cycle. */
Test(bypass, bpg_sees_every_read_that_the_l1d_accepts)
{
    for (uint32_t i = 0; i < 8; i++) {
        struct config c = with_bpg(i % 3, BYPASS_LOCAL);
        c.l1d_mshr_kind = i % 2;
        c.l1d_alloc = i / 2 % 2;
        c.l1d_bpg_sampled_sets = c.l1d_sets;
        c.l1d_bpg_interval = 64;
        struct outcome *o = walk(c, 1 + 5 * i);
        const struct stats *s = &o->stats;
        cr_expect_eq(s->bpg_sampled, s->l1d_accesses - s->l1d_writes, "case %u", i);
        cr_expect_eq(s->bpg_accesses, s->bpg_sampled, "case %u", i);
        cr_expect_eq(s->bpg_blind, 0);
        free(o);
    }
}

/* An interval is so many accesses; it ends in one decision, which may come after the last read. */
Test(bypass, bpg_decides_once_an_interval)
{
    struct config c = with_bpg(BYPASS_BLOCK, BYPASS_GLOBAL);
    c.l1d_bpg_interval = 50;
    struct outcome *o = walk(c, 32);
    const uint64_t intervals = o->stats.bpg_accesses / 50;
    cr_expect_gt(intervals, 10);
    cr_expect_leq(o->stats.bpg_decisions, intervals);
    cr_expect_geq(o->stats.bpg_decisions + 1, intervals);
    free(o);
}

/* One set of 32 is sampled; reads of another one tell the generator nothing, and every interval is blind. */
Test(bypass, an_interval_without_a_sample_is_blind)
{
    struct alone *a = alone(MISS_FILE("mshr"));
    l1d_destroy(a->l1d);
    struct error err = {0};
    a->config.l1d_index = SET_INDEX("bmod");
    a->config.l1d_bpg_sampled_sets = 1;
    a->config.l1d_bpg_interval = 16;
    a->open = true;
    a->l1d = l1d_create(&a->env, 0, &err);
    cr_assert_not_null(a->l1d, "%s", err.text);
    for (uint64_t set = 0; set < 8; set++) { /* four ways, each with four reads that wait for it */
        const uint64_t sampled = a->stats.bpg_sampled, blind = a->stats.bpg_blind;
        for (uint64_t n = 0; n < 16; n++)
            for (uint32_t i = 0; present_read(a, set + 32 * (n % 4)) != L1D_ACCEPTED; i++) cr_assert_lt(i, 40);
        cr_expect_eq(a->stats.bpg_blind - blind, a->stats.bpg_sampled == sampled, "set %lu", set);
    }
    cr_expect_eq(a->stats.bpg_sampled, 16);
    cr_expect_eq(a->stats.bpg_blind, 7);
    l1d_destroy(a->l1d);
    free(a);
}

static void edge(struct bypass *b)
{
    struct error err = {0};
    cr_assert(bypass_end(b, &err), "%s", err.text);
}

/* SM 0 decides; SM 1 compares with the limit that it received. */
Test(bypass, no_owner_bypasses_before_the_first_decision)
{
    const struct config c = with_bpg(BYPASS_WARP, BYPASS_GLOBAL);
    struct stats s = {0};
    struct error err = {0};
    struct env env = {.config = &c, .stats = &s};
    struct bypass *decider = bypass_create(&env, 0, &err), *other = bypass_create(&env, 1, &err);
    cr_assert(decider && other, "%s", err.text);
    for (uint32_t owner = 0; owner < c.sm_warps; owner++)
        cr_expect_not(bypass_decide(other, decider, owner), "owner %u", owner);
    bypass_destroy(decider);
    bypass_destroy(other);
}

/* A flush of the L1D empties the tags of bpg, and drops an access that bpg has not taken yet. */
Test(bypass, a_flush_empties_the_tags_of_bpg)
{
    const struct config c = with_bpg(BYPASS_BLOCK, BYPASS_LOCAL);
    struct stats s = {0};
    struct error err = {0};
    struct env env = {.config = &c, .stats = &s};
    struct bypass *b = bypass_create(&env, 0, &err);
    cr_assert(b, "%s", err.text);
    for (int i = 0; i < 2; i++, edge(b)) bypass_access(b, 0, 0, 0, 1);
    cr_expect_eq(s.bpg_sampled_hits, 1);
    bypass_flush(b);
    bypass_access(b, 0, 0, 0, 1);
    edge(b);
    cr_expect_eq(s.bpg_sampled_hits, 1);
    bypass_access(b, 32, 0, 0, 1);
    bypass_flush(b);
    cr_expect_eq(s.bpg_sampled, 4);
    bypass_access(b, 32, 0, 0, 1);
    edge(b);
    cr_expect_eq(s.bpg_sampled_hits, 1);
    bypass_destroy(b);
}

/* A hit of the owner that only the last calculator observes. */
Test(bypass, a_sampled_hit_is_one_with_all_owners_in_the_l1d)
{
    const struct config c = with_bpg(BYPASS_BLOCK, BYPASS_LOCAL);
    const uint32_t last = c.l1d_bpg_calcs - 1;
    struct stats s = {0};
    struct error err = {0};
    struct env env = {.config = &c, .stats = &s};
    struct bypass *b = bypass_create(&env, 0, &err);
    cr_assert(b, "%s", err.text);
    for (int i = 0; i < 2; i++, edge(b)) bypass_access(b, 0, 0, last, last + 1);
    cr_expect_eq(s.bpg_sampled, 2);
    cr_expect_eq(s.bpg_sampled_hits, 1);
    bypass_destroy(b);
}

static struct inst line_zero(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n ? inst_exit() : inst_line(INST_LOAD, 1, 0);
}

Test(bypass, bpg_is_flushed_with_its_l1d)
{
    for (uint32_t flush = 0; flush < 2; flush++) {
        struct config c = with_bpg(BYPASS_BLOCK, BYPASS_LOCAL);
        struct program p = program_of(1, 1, line_zero);
        const struct fixed_memory m = bench_memory();
        c.l1d_flush = flush;
        p.kernels = 2;
        struct outcome *o = bench_run(&c, &p, &m);
        cr_assert(o->ok, "%s", o->err.text);
        cr_expect_eq(o->stats.bpg_sampled, 2);
        cr_expect_eq(o->stats.bpg_sampled_hits, !flush);
        free(o);
    }
}

struct owners {
    uint32_t accesses, expected, seen; /* seen: bit i, owner i */
};

static void take_owner(void *context, const char *block, const void *cfg, const void *in)
{
    struct owners *o = context;
    const struct bpg_in *i = in;
    (void)cfg;
    cr_assert_str_eq(block, "bpg");
    if (!i->acc_valid_i) return;
    o->accesses++;
    o->seen |= 1u << i->acc_owner_i;
    cr_assert_lt(i->acc_owner_i, i->acc_owners_i);
    cr_assert_eq(i->acc_owners_i, o->expected, "found %u owners, expected %u", i->acc_owners_i, o->expected);
}

/* Two thread blocks of four warps are resident from first to last. */
Test(bypass, bpg_hears_how_many_owners_there_are)
{
    static const uint32_t expected[] = {[BYPASS_WARP] = 8, [BYPASS_BLOCK] = 2, [BYPASS_WARP_OF_BLOCK] = 4};
    for (uint32_t level = BYPASS_WARP; level <= BYPASS_WARP_OF_BLOCK; level++) {
        struct error err = {0};
        struct stats s;
        struct owners o = {.expected = expected[level]};
        const struct observer observer = {.capture = take_owner, .capture_unit = "l1d.0.bpg", .context = &o};
        struct source *source = kernel_open("vecadd:n=256,block=128,align=2097152", 1, &err);
        cr_assert(source, "%s", err.text);
        const struct run_setup setup = {
            .config = with_bpg(level, BYPASS_LOCAL), .source = source, .observer = &observer};
        cr_assert(run_workload(&setup, &s, &err), "%s", err.text);
        cr_expect_gt(o.accesses, 0);
        cr_expect_eq(o.seen, (1u << expected[level]) - 1, "owners 0x%x", o.seen);
        source->ops->close(source);
    }
}

/* Options exist for the first four. */
Test(bypass, of_further_workloads_no_thread_block_bypasses)
{
    const struct bypass_kind *kind = (const struct bypass_kind *)policy_at("L1D bypass", L1D_BYPASS("blocks"));
    struct config c;
    memset(&c, 0xff, sizeof c);
    cr_expect_eq(kind->blocks(&c, 3), UINT32_MAX);
    cr_expect_eq(kind->blocks(&c, 4), 0);
}
