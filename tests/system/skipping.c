/* SPDX-License-Identifier: Apache-2.0 */
/* With sim.skip and without it every counter comes out the same, over random machines and random programs. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/rng.h"
#include "system/bench.h"
#include "system/fake_driver.h"
#include "system/named.h"
#include "system/sm/block_partition.h"
#include "system/sm/throttle.h"
#include "stream_bypass.h"

#ifdef __SANITIZE_ADDRESS__
enum { SHARE = 3 }; /* under sanitizers one in so many seeds: all take minutes */
#else
enum { SHARE = 1 };
#endif

struct profile {
    uint64_t seed;
    uint32_t length, lines, stores, spread;
};

/* The n-th instruction is a function of the seed and its place alone, so that any order of reading gives the same. */
static struct rng rng_at(const struct profile *f, uint32_t block, uint32_t warp, uint32_t n)
{
    struct rng r;
    rng_seed(&r, f->seed ^ (uint64_t)block << 40 ^ (uint64_t)warp << 20 ^ n);
    return r;
}

static struct inst memory_at(const struct profile *f, struct rng *r, enum inst_op op)
{
    struct inst i = inst_of(op, op == INST_STORE || op == INST_SHARED_STORE ? INST_NO_REG : (uint8_t)rng_below(r, 8),
                            (uint8_t)rng_below(r, 8));
    const uint8_t sizes[] = {1, 2, 4, 4, 8, 16};
    uint64_t base = rng_below(r, f->lines) << LINE_SHIFT, stride = rng_below(r, 3) ? i.size : rng_below(r, 512);
    i.size = sizes[rng_below(r, 6)];
    i.mask = (uint32_t)rng_u64(r) | 1;
    for (uint32_t lane = 0; lane < WARP_SIZE; lane++)
        if (i.mask >> lane & 1)
            i.addr[lane] = inst_is_shared(op) ? rng_below(r, 4096)
                           : f->spread        ? rng_below(r, f->lines) << LINE_SHIFT
                                              : base + lane * stride;
    return i;
}

static struct inst random_inst(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const struct profile *f = p->context;
    if (n == f->length) return inst_exit();
    if (n % 16 == 15) return inst_of(INST_BARRIER, INST_NO_REG, INST_NO_REG);
    struct rng r = rng_at(f, block, warp, n);
    uint64_t kind = rng_below(&r, 100);
    if (f->seed % 4 == 0 && kind < 22) return memory_at(f, &r, INST_CONST_LOAD);
    if (kind < 25 || kind < 45) {
        struct inst i = inst_of(kind < 25 ? INST_SP : INST_SFU, (uint8_t)rng_below(&r, 8), (uint8_t)rng_below(&r, 8));
        i.count = (uint16_t)(1 + rng_below(&r, 4));
        return i;
    }
    if (kind < 55) return memory_at(f, &r, kind < 50 ? INST_SHARED_LOAD : INST_SHARED_STORE);
    if (kind < 58) return memory_at(f, &r, INST_ATOMIC);
    return memory_at(f, &r, kind < 58 + f->stores ? INST_STORE : INST_LOAD);
}

static uint32_t pick(struct rng *r, uint32_t low, uint32_t high)
{
    return low + (uint32_t)rng_below(r, high - low + 1);
}

static struct config random_config(struct rng *r)
{
    struct config c = bench_config();
    c.sim_max_cycles = 0;
    c.sm_count = pick(r, 1, 3);
    c.sm_schedulers = pick(r, 1, 4);
    c.sm_scheduler = pick(r, 0, policies_of("warp scheduler") - 1);
    c.sm_swl_warps = pick(r, 1, 8);
    c.sm_two_level_group = pick(r, 1, 8);
    c.sm_sp_units = pick(r, 1, 2);
    c.sm_sfu_units = pick(r, 1, 2);
    c.sm_lsu_queue = pick(r, 1, 4);
    c.sm_coalesce = pick(r, COALESCE_LINE, COALESCE_SEGMENT);
    c.l1d_enable = pick(r, 0, 5) > 0;
    c.l1d_sets = 1u << pick(r, 1, 4);
    c.l1d_ways = pick(r, 1, 4);
    do c.l1d_index = pick(r, 0, policies_of("set index") - 1);
    while (c.l1d_index == SET_INDEX("fermi")); /* 32 sets only */
    c.l1d_alloc = pick(r, 0, 1);
    c.l1d_write = pick(r, 0, 1);
    c.l1d_miss_queue = pick(r, 1, 8);
    c.l1d_mshr_kind = pick(r, MISS_FILE("dl_mshr"), MISS_FILE("perfect"));
    c.l1d_mshr_entries = pick(r, 2, 16);
    c.l1d_mshr_slots = pick(r, 1, 4);
    c.l1d_dl_mshr_sets = pick(r, 4, 32);
    c.l1d_dl_mshr_slots = pick(r, 1, 3);
    c.l1d_dl_mshr_reserved = pick(r, 0, 3);
    c.l1d_dl_mshr_tail_ptr = pick(r, 0, 1);
    c.l1d_perfect_entries = pick(r, 1, 8);
    c.l1d_perfect_slots = pick(r, 1, 4);
    c.l1d_perfect_shared = pick(r, 0, 1);
    c.l2_mshr_kind = pick(r, MISS_FILE("dl_mshr"), MISS_FILE("perfect"));
    c.l2_mshr_entries = c.l2_perfect_entries = pick(r, 2, 16);
    c.l2_dl_mshr_sets = pick(r, 4, 32);
    c.l2_dl_mshr_reserved = pick(r, 0, 3);
    c.l1d_bypass_from_warp = pick(r, 0, 3) ? 128 : pick(r, 0, 8);
    c.l1d_bypass_slots = pick(r, 4, 32);
    c.clock_xbar_khz = pick(r, 500000, 1500000);
    c.clock_l2_khz = pick(r, 500000, 1500000);
    c.xbar_speedup = pick(r, 1, 3);
    c.xbar_alloc_cycles = pick(r, 0, 3);
    return c;
}

static struct stream_bypass_cfg random_stream(struct rng *r)
{
    return (struct stream_bypass_cfg){.Period = pick(r, 2, 500),
                                      .ThreshNum = pick(r, 0, 3),
                                      .ThreshDen = pick(r, 4, 5),
                                      .MinAccesses = pick(r, 1, 7),
                                      .CountW = pick(r, 3, 14),
                                      .MergeIsHit = pick(r, 0, 1)};
}

#define SET_STREAM(c, x, s, r)                                                                                         \
    ((c)->x##_stream_period = (s).Period, (c)->x##_stream_num = (s).ThreshNum, (c)->x##_stream_den = (s).ThreshDen,    \
     (c)->x##_stream_min_accesses = (s).MinAccesses, (c)->x##_stream_count_bits = (s).CountW,                          \
     (c)->x##_stream_merge_is_hit = (s).MergeIsHit, (c)->x##_stream_tags = pick(r, STREAM_KEEP, STREAM_DROP))

/* In every other machine the L1Ds, the slices or both may be closed. */
static void random_bypass(struct config *c, struct rng *r)
{
    const uint32_t which = pick(r, 0, 5);
    const struct stream_bypass_cfg l1d = random_stream(r), l2 = random_stream(r);
    SET_STREAM(c, l1d, l1d, r);
    SET_STREAM(c, l2, l2, r);
    if (which & 1 && c->l1d_enable) c->l1d_bypass_mode = L1D_BYPASS("stream");
    if (which & 2) c->l2_bypass_mode = L2_BYPASS("stream");
    c->l2_bypass_slots = pick(r, 1, 16);
    c->l2_bypass_on_stall = pick(r, 0, policies_of("bypass on stall") - 1);
}

static void random_input(struct rng *r, struct config *c)
{
    c->l1d_input = pick(r, 0, policies_of("L1D input") - 1);
    c->l1d_mrpb_queues = pick(r, 1, 8);
    c->l1d_mrpb_entries = pick(r, 1, 8);
    c->l1d_mrpb_shared = pick(r, 0, 1);
    c->l1d_bypass_on_stall = pick(r, 0, policies_of("bypass on stall") - 1);
}

static struct profile random_profile(struct rng *r)
{
    return (struct profile){.seed = rng_u64(r),
                            .length = pick(r, 8, 40),
                            .lines = 1u << pick(r, 2, 12),
                            .stores = pick(r, 0, 30),
                            .spread = pick(r, 0, 1)};
}

static struct outcome *run(struct config c, const struct program *const *p, uint32_t count,
                           const struct fixed_memory *m, uint64_t seed, bool skip)
{
    c.sim_skip = skip;
    struct outcome *o = bench_run_beside(&c, p, count, m, true);
    cr_assert(o->ok, "seed %lu: %s", seed, o->err.text);
    cr_assert_gt(o->stats.l1d_accesses, 0);
    return o;
}

/* Field by field: a struct's padding has no value. */
static bool same_request(const struct request *a, const struct request *b)
{
    return a->line == b->line && a->id == b->id && a->born == b->born && a->tag == b->tag && a->written == b->written &&
           a->sm == b->sm && a->kind == b->kind && a->bytes == b->bytes && a->sector == b->sector &&
           a->bypass == b->bypass && a->constant == b->constant;
}

/* Counters in the middle of the run, too. */
static void check_samples(const struct outcome *a, const struct outcome *b, uint64_t seed)
{
    cr_assert_eq(a->samples, b->samples);
    for (uint32_t i = 0; i < a->samples; i++) {
        const struct sample *x = &a->sample[i], *y = &b->sample[i];
        cr_assert(x->cycle == y->cycle && x->kernel == y->kernel && x->so_far.gpu_cycles == x->cycle);
#define STAT(field, name, text)                                                                                        \
    cr_assert_eq(x->so_far.field, y->so_far.field,                                                                     \
                 "seed %lu, before cycle %lu: " name ": %lu with sim.skip, %lu without", seed, x->cycle,               \
                 x->so_far.field, y->so_far.field);
#include "system/stats/stats.def"
#undef STAT
    }
}

/* Without samples and events, partitions go ahead of the SMs (memory_partition.h). */
static void check_unwatched(const struct config *c, const struct program *const *p, uint32_t count,
                            const struct outcome *expected, uint64_t seed)
{
    struct outcome *o = bench_run_unwatched(c, p, count, true);
    cr_assert(o->ok, "seed %lu, unwatched: %s", seed, o->err.text);
#define STAT(field, name, text)                                                                                        \
    cr_expect_eq(o->stats.field, expected->stats.field, "seed %lu: " name ": %lu unwatched, %lu watched", seed,        \
                 o->stats.field, expected->stats.field);
#include "system/stats/stats.def"
#undef STAT
    cr_expect_arr_eq(o->of, expected->of, sizeof o->of, "seed %lu: counters of the workloads", seed);
    free(o);
}

/* Several accesses of an L1D a cycle, where the machine may have them. */
static void choose_banks(struct config *c, uint64_t seed)
{
    struct error no;
    if (!c->l1d_sector_bytes) return;
    c->l1d_banks = 8u << seed % 3;
    c->l1d_bank_bytes = 4u << seed / 3 % 4;
    c->l1d_lookups = 1 + (uint32_t)(seed % 8);
    c->l1d_bank_pipelines = seed / 2 % 2;
    if (!config_check(c, &no)) c->l1d_banks = 0;
}

/* Caches of a few lines, and none. */
static void choose_constants(struct config *c, uint64_t seed)
{
    c->constant_line_bytes = 32u << seed % 3;
    c->constant_ways = 1 + (uint32_t)(seed / 3 % 4);
    c->constant_bytes = seed % 4 ? c->constant_line_bytes * c->constant_ways << seed % 5 : 0;
    c->constant_mshr_entries = 1 + (uint32_t)(seed / 7 % 5);
    c->constant_mshr_slots = 1 + (uint32_t)(seed / 2 % 6);
    c->constant_latency = COLLECTORS_PATH + (uint32_t)(seed % 41);
    c->l1d_flush = seed / 5 % 2;
}

static void choose_write_miss(struct config *c, uint64_t seed)
{
    struct error no;
    c->l1d_write_miss = (uint32_t)(seed % 3);
    if (!config_check(c, &no)) c->l1d_write_miss = L1_WRITE_NONE;
}

/* The host's copies fill half of an address range of the random loads. */
static void choose_copies(struct config *c, struct program *p, bool real)
{
    static const struct allocation copied = {"copied", 0, 1 << 14, 0};
    struct error no;
    p->allocations = &copied;
    p->allocation_count = 1;
    c->l2_host_copies = real;
    if (!config_check(c, &no)) c->l2_host_copies = false;
}

static void check_same(struct config *c, const struct program *const *p, uint32_t count, const struct fixed_memory *m,
                       uint64_t seed)
{
    c->sm_atomics = seed & 1 ? ATOMICS_APART : ATOMICS_COALESCED;
    c->sm_atomic_waits = seed >> 1 & 1;
    c->sm_warp_end = seed >> 2 & 1 ? END_STORES : END_LOADS;
    c->l1d_atomics = seed >> 3 & 1 ? ATOMICS_AROUND : ATOMICS_INSIDE;
    c->sm_reg_banks = c->l1d_latency_at == LATENCY_FRONT && c->l1d_latency >= COLLECTORS_PATH ? seed % 17 : 0;
    c->sm_turn = seed >> 4 & 1 ? TURN_ACTIVE : TURN_ALWAYS;
    c->l1d_fill = seed >> 5 & 1 ? FILL_AT_ONCE : FILL_IN_TURN;
    c->xbar_input_flits = seed % 3 ? c->xbar_input_flits : 12 + seed % 7;
    c->xbar_input_room = seed >> 1 & 1 ? ROOM_FRONT : ROOM_BOTH;
    c->sm_collectors_sp = 1 + seed % 6;
    c->sm_collectors_sfu = 1 + seed % 3;
    c->sm_collectors_mem = 1 + seed % 2;
    c->sm_launch_cycles = seed % 3 ? 0 : (uint32_t)(seed % 300);
    c->sm_block_interval = seed % 5 ? 0 : 30 + (uint32_t)(seed % 400);
    choose_banks(c, seed);
    choose_write_miss(c, seed);
    choose_constants(c, seed);
    struct outcome *a = run(*c, p, count, m, seed, true), *b = run(*c, p, count, m, seed, false);
#define STAT(field, name, text)                                                                                        \
    cr_expect_eq(a->stats.field, b->stats.field, "seed %lu: " name ": %lu with sim.skip, %lu without", seed,           \
                 a->stats.field, b->stats.field);
#include "system/stats/stats.def"
#undef STAT
    cr_expect_arr_eq(a->of, b->of, sizeof a->of, "seed %lu: counters of the workloads", seed);
    check_samples(a, b, seed);
    cr_expect_eq(a->events, b->events);
    for (uint32_t i = 0; i < a->events; i++) {
        const struct event *e = &a->event[i], *f = &b->event[i];
        cr_assert(same_request(&e->r, &f->r) && e->place == f->place && e->cycle == f->cycle,
                  "seed %lu: event %u of request %lu differs", seed, i, e->r.id);
    }
    if (!m) check_unwatched(c, p, count, a, seed);
    free(a);
    free(b);
}

/* Requests pass a pipeline in front of short queues, in several clocks. */
static void random_partitions(struct rng *r, struct config *c)
{
    c->l2_rop_latency = pick(r, 0, 3) ? pick(r, 1, 200) : 0;
    c->l2_latency = pick(r, 1, 40);
    c->l2_input_queue = pick(r, LINE_BYTES / SECTOR_BYTES, 12);
    c->l2_input_free = pick(r, 1, LINE_BYTES / SECTOR_BYTES);
    c->l2_response_queue = pick(r, 1, 8);
    c->l2_miss_queue = pick(r, 3, 8);
    c->partition_count = 1u << pick(r, 0, 2);
    c->partition_slices = 1u << pick(r, 0, 2);
    c->clock_dram_khz = pick(r, 500000, 1500000);
    c->dram_queue = pick(r, 1, 16);
    c->dram_latency_at = pick(r, LATENCY_BEHIND, LATENCY_FRONT);
    c->dram_extra_latency = pick(r, 0, 60);
    c->dram_refresh = pick(r, 0, 1);
    if (pick(r, 0, 1)) c->clock_l2_khz = c->clock_xbar_khz = c->clock_sm_khz;
    if (pick(r, 0, 3)) return;
    c->clock_l2_khz *= pick(r, 2, 40); /* many responses in an SM cycle, and few places for them */
    c->l2_latency = pick(r, 1, 4);
}

static void check_seeds(uint64_t first, uint64_t count, bool real)
{
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct rng r;
        rng_seed(&r, seed);
        struct config c = random_config(&r);
        const struct profile f = random_profile(&r);
        const struct fixed_memory m = {
            .latency = pick(&r, 1, 300), .depth = pick(&r, 1, 8), .interval = pick(&r, 1, 5)};
        struct program p = program_of(pick(&r, 1, 8), pick(&r, 1, 8), random_inst);
        p.kernels = pick(&r, 1, 2);
        p.context = &f;
        c.l1d_latency_at = pick(&r, LATENCY_BEHIND, LATENCY_FRONT);
        c.l1d_latency = pick(&r, 1, 40);
        c.l1d_port_bytes = pick(&r, 0, 1) * (32u << pick(&r, 0, 2));
        c.l1d_bypass_path = pick(&r, PATH_MISS_QUEUE, PATH_DIRECT);
        c.l2_input = pick(&r, L2_INPUT("fifo"), L2_INPUT("cart"));
        c.l2_input_refused = pick(&r, REFUSED_HOLD, REFUSED_ROTATE);
        c.l2_cart_rows = pick(&r, 1, 4);
        c.l2_cart_cols = pick(&r, 1, 3);
        c.l2_cart_patience = pick(&r, 0, 8);
        c.l2_bank_reorder_entries = pick(&r, 1, 4);
        c.l2_sector_bytes = pick(&r, 0, 1) * SECTOR_BYTES;
        c.l1d_sector_bytes = pick(&r, 0, 1) * SECTOR_BYTES;
        if (c.l1d_sector_bytes) c.sm_coalesce = COALESCE_SECTOR;
        c.l2_write_miss = pick(&r, WRITE_MISS_FETCH, WRITE_MISS_LAZY);
        c.l2_sets = 1u << pick(&r, 0, 6);
        c.l2_port_bytes = pick(&r, 0, 1) * pick(&r, 1, 128);
        c.dram_atom_bytes = 16u << pick(&r, 0, 3);
        random_bypass(&c, &r);
        c.sm_throttle = pick(&r, 0, policies_of("throttle") - 1);
        if (c.sm_throttle == named("throttle", "smk")) c.sm_throttle = named("throttle", "none"); /* for several */
        c.sm_dwt_period = pick(&r, 16, 300);
        c.sm_dwt_mpki = pick(&r, 1, 100);
        c.sm_dwt_periods = pick(&r, 1, 2);
        c.sm_dwt_samples = pick(&r, 1, 2);
        random_input(&r, &c);
        if (real) random_partitions(&r, &c);
        if (pick(&r, 0, 1)) choose_copies(&c, &p, real);
        check_same(&c, &(const struct program *){&p}, 1, real ? NULL : &m, seed);
    }
}

/* A policy that serves so many workloads on these SMs. */
static uint32_t random_partition(struct rng *r, struct config *c, uint32_t count)
{
    const uint32_t even = named("block partition", "even");
    const uint32_t n = pick(r, 0, policies_of("block partition") - 1);
    c->cke_slicer_window = pick(r, 1, 400);
    c->cke_smc_period = pick(r, 1, 400);
    const struct block_partition *p = (const struct block_partition *)policy_at("block partition", n);
    if (!c->cke_cycles) c->cke_concurrent = pick(r, 0, count);
    c->cke_memory_intensive = pick(r, 0, 15);
    if (n == named("block partition", "static")) {
        if (count > 2 && c->cke_cycles) return even;
        if (count > 2) c->cke_concurrent = pick(r, 1, 2);
        c->cke_blocks[0] = c->cke_blocks[1] = c->cke_blocks[2] = pick(r, 1, 6);
        return n;
    }
    if (p->steps && count > 2 && c->cke_cycles) return even;
    if (p->steps && count > 2) c->cke_concurrent = 2;
    return c->sm_count < count || (p->most && count > p->most) ? even : n;
}

/* Quotas of instructions and ways, for several workloads. */
static void random_shares(struct config *c, struct rng *r, uint32_t workloads)
{
    const uint32_t which = pick(r, 0, 3);
    c->cke_quota[0] = pick(r, 1, 30);
    c->cke_quota[1] = pick(r, 1, 30);
    c->cke_quota[2] = pick(r, 1, 9);
    c->cke_quota_debt = pick(r, 0, 1);
    if (which & 1 && c->sm_scheduler != SCHEDULER("swl")) c->sm_throttle = named("throttle", "smk");
    c->l1d_ucp_period = pick(r, 16, 2000);
    c->l1d_ucp_sampled_sets = 1u << pick(r, 0, 1);
    if (which & 2 && c->l1d_ways >= workloads && c->l1d_enable) c->l1d_replacement = REPLACEMENT("ucp");
}

/* Shared memory, which the L1D may leave; a third of it holds a thread block. */
static void random_split(struct config *c, struct program p[3], struct rng *r)
{
    const uint32_t choices[] = {0, 8, 16, 64}, *from = &choices[pick(r, 0, 3)];
    for (uint32_t i = 0; i < 3; i++) p[i].kernel.shared_bytes = pick(r, 0, 1) * pick(r, 1, 20000);
    c->sm_shared_bytes = pick(r, 3 * 20000, 65536);
    c->sm_unified_kib = 128;
    const bool learns = c->l1d_replacement != REPLACEMENT("lru") || c->l1d_bypass_mode == L1D_BYPASS("bpg");
    if (!learns && pick(r, 0, 1)) memcpy(c->sm_shared_choices, from, (size_t)(choices + 4 - from) * sizeof *from);
}

static void check_beside(uint64_t seed, const struct fixed_memory *m)
{
    struct rng r;
    rng_seed(&r, seed);
    struct config c = random_config(&r);
    struct profile f[3];
    struct program p[3];
    const struct program *const list[] = {&p[0], &p[1], &p[2]};
    for (uint32_t i = 0; i < 3; i++) {
        f[i] = random_profile(&r);
        p[i] = program_of(pick(&r, 1, 8), pick(&r, 1, 8), random_inst);
        p[i].kernels = pick(&r, 1, 2);
        p[i].context = &f[i];
    }
    c.l1d_latency_at = pick(&r, LATENCY_BEHIND, LATENCY_FRONT);
    c.cke_scheme = pick(&r, CKE_PLAIN, CKE_QBMI_DMIL);
    c.cke_relax = pick(&r, CKE_LIFT, CKE_HOLD);
    c.cke_shared = pick(&r, 0, 1);
    c.cke_limit[0] = pick(&r, 0, 4);
    c.cke_limit[1] = pick(&r, 0, 4);
    c.cke_cycles = pick(&r, 0, 1) ? pick(&r, 1, 20000) : 0;
    c.sm_scheduler = pick(&r, 0, policies_of("warp scheduler") - 1);
    random_input(&r, &c);
    const uint32_t count = pick(&r, 1, 3);
    if (count > 1 && c.sm_scheduler == SCHEDULER("locality"))
        c.sm_scheduler = SCHEDULER("two_level"); /* for one only */
    c.cke_partition = random_partition(&r, &c, count);
    if (count > 1) random_shares(&c, &r, count);
    const bool limited = c.cke_partition == named("block partition", "even") || /* each workload on each SM */
                         c.cke_partition == named("block partition", "tlp");
    const bool pairs = count == 2 || (count == 3 && c.cke_concurrent == 2);
    if (pairs && pick(&r, 0, 1) && limited && c.l1d_enable) c.l1d_bypass_mode = L1D_BYPASS("learner");
    if (!pairs && pick(&r, 0, 1)) c.l1d_bypass_mode = L1D_BYPASS("blocks");
    c.l1d_bypass_blocks[0] = pick(&r, 0, 3);
    c.l1d_bypass_blocks[1] = pick(&r, 0, 3);
    if (!m) random_partitions(&r, &c);
    random_split(&c, p, &r);
    check_same(&c, list, count, m, seed);
}

Test(skipping, changes_no_counter_with_workloads_beside_each_other)
{
    const struct fixed_memory m = bench_memory();
    for (uint64_t seed = 2001; seed < 2001 + 149 / SHARE; seed++) check_beside(seed, seed % 3 ? &m : NULL);
}

/* Pages come and go under the accesses; the fake driver asserts its side of uvm.h meanwhile. */
static void check_paging(uint64_t seed, const struct fixed_memory *m, struct stats *sum)
{
    struct rng r;
    rng_seed(&r, seed);
    struct config c = random_config(&r);
    const struct profile f = random_profile(&r);
    struct program p = program_of(pick(&r, 1, 8), pick(&r, 1, 8), random_inst);
    struct fake_driver d = {.pages = pick(&r, 1, 128),
                            .resident = pick(&r, 0, 3) == 0,
                            .latency = pick(&r, 1, 2000),
                            .capacity = pick(&r, 0, 1) ? pick(&r, 2, 20) : 0,
                            .evict_interval = pick(&r, 0, 1) ? pick(&r, 20, 3000) : 0,
                            .retry_mod = pick(&r, 0, 1) ? pick(&r, 2, 7) : 0};
    p.kernels = pick(&r, 1, 2);
    p.context = &f;
    c.uvm_enable = true;
    c.tlb_l1_sets = 1u << pick(&r, 0, 3);
    c.tlb_l1_ways = pick(&r, 1, 3);
    c.tlb_l2_sets = 1u << pick(&r, 0, 3);
    c.tlb_l2_ways = pick(&r, 0, 3);
    c.tlb_l2_latency = pick(&r, 0, 20);
    c.uvm_replay = pick(&r, 1, 40);
    c.uvm_walkers = pick(&r, 1, 4);
    c.uvm_walk_latency = pick(&r, 1, 100);
    random_bypass(&c, &r);
    c.l1d_bypass_on_stall = pick(&r, 0, policies_of("bypass on stall") - 1);
    fake_driver_play(&d);
    check_same(&c, &(const struct program *){&p}, 1, m, seed);
    struct outcome *o = run(c, &(const struct program *){&p}, 1, m, seed, true);
#define STAT(field, name, text) sum->field += o->stats.field;
#include "system/stats/stats.def"
#undef STAT
    free(o);
}

Test(skipping, changes_no_counter_with_unified_memory)
{
    const struct fixed_memory m = bench_memory();
    struct stats sum = {0};
    for (uint64_t seed = 3119; seed < 3119 + 72 / SHARE; seed++) check_paging(seed, seed % 2 ? &m : NULL, &sum);
    cr_expect(sum.tlb_l1_hits && sum.tlb_l1_merged && sum.tlb_unmanaged && sum.tlb_replay_again &&
                  sum.tlb_replay_full_cycles && sum.tlb_l2_hits && sum.tlb_l2_merged && sum.tlb_walk_wait_cycles &&
                  sum.tlb_absent && sum.tlb_shot && sum.l1d_dropped && sum.l2_dropped_dirty && sum.l1d_stream_no_data &&
                  sum.l2_stream_no_data && sum.l2_bypassed_writes && sum.l2_bypassed_on_stall && sum.l1d_stream_cycles,
              "the seeds leave something out");
}

Test(skipping, changes_no_counter_over_a_memory_of_fixed_latency)
{
    check_seeds(1, 150 / SHARE, false);
}

Test(skipping, changes_no_counter_over_the_whole_memory)
{
    check_seeds(1001, 60 / SHARE, true);
}

/* A few seeds of each kind: the mutation run takes this suite, and leaves the long one out. */
Test(skipping_briefly, changes_no_counter)
{
    const struct fixed_memory m = bench_memory();
    struct stats sum = {0};
    check_seeds(1, 6, false);
    check_seeds(1001, 3, true);
    for (uint64_t seed = 2001; seed < 2007; seed++) check_beside(seed, seed % 3 ? &m : NULL);
    for (uint64_t seed = 3001; seed < 3007; seed++) check_paging(seed, seed % 2 ? &m : NULL, &sum);
}

/* Block 1 waits for the one SFU; block 2, which does not and takes longest, comes a cycle later all the same. */
static struct inst sfu_sfu_sp(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)warp;
    if (n == (block == 2 ? 100 : 4)) return inst_exit();
    return inst_of(block == 2 ? INST_SP : INST_SFU, 2, block == 2 ? 2 : INST_NO_REG);
}

Test(skipping_briefly, a_block_is_placed_while_the_ones_before_it_wait)
{
    struct fixed_memory m = bench_memory();
    struct program p = program_of(3, 1, sfu_sfu_sp);
    struct config c = bench_config();
    c.sm_sfu_units = 1;
    c.sm_sfu_interval = 40;
    struct outcome *o[2];
    for (uint32_t skip = 0; skip < 2; skip++) {
        c.sim_skip = skip;
        o[skip] = bench_run(&c, &p, &m);
        cr_assert(o[skip]->ok, "%s", o[skip]->err.text);
    }
    cr_expect_arr_eq(&o[0]->stats, &o[1]->stats, sizeof o[0]->stats);
    free(o[0]);
    free(o[1]);
}
