/* SPDX-License-Identifier: Apache-2.0 */
/* All combinations of the L1D's replacement, bypass, miss file and allocation, on two workloads that thrash: a closed
 * cache, changing allocations of ways, late answers, several lines and written ones meet in one cycle. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "system/bench.h"
#include "system/config/replacement_kind.h"
#include "system/named.h"

enum { INSTS = 160 };

/* Eight lines and the words of one, read or written. */
static struct inst several_lines(uint32_t n, uint64_t line)
{
    const bool write = n % 2;
    struct inst i =
        inst_memory(write ? INST_STORE : INST_LOAD, write ? INST_NO_REG : 1, line << LINE_SHIFT, LINE_BYTES + 4, 4);
    i.mask = 0xff;
    return i;
}

/* Loads of lines that fit, in every other 40 instructions and among the others; the rest mostly miss.  A context is the
 * number of lines. */
static struct inst thrashes(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    const uint32_t lines = *(const uint32_t *)p->context, phase = n / 40 % 2;
    const uint64_t line =
        phase || (n + warp) % 3 == 0 ? (block * 5 + warp + n) % 6 : (block * 37 + warp * 11 + n * (3 + warp)) % lines;
    if (n == INSTS) return inst_exit();
    if (n % 19 == 18) return inst_line(INST_STORE, INST_NO_REG, line);
    if (n % 23 == 22) return several_lines(n, line);
    return n % 5 == 4 ? inst_of(INST_SP, 5, (uint8_t)(1 + n % 4)) : inst_line(INST_LOAD, (uint8_t)(1 + n % 4), line);
}

static struct config thrashing_machine(void)
{
    struct config c = bench_config();
    c.sm_schedulers = 2;
    c.l1d_sets = 4;
    c.l1d_ways = 4;
    c.l1d_ucp_period = 16;
    c.l1d_ucp_sampled_sets = 4;
    c.l1d_pdp_interval = 64;
    c.l1d_stream_period = 100;
    c.l1d_stream_min_accesses = 8;
    c.l1d_bpg_interval = 50;
    c.l1d_bypass_from_warp = 3;
    c.l1d_bypass_blocks[0] = 1;
    c.cke_cycles = 2500;
    return c;
}

/* Effects of a combination: whether the cache closed, and whether an allocation of ways changed. */
struct seen {
    uint32_t ran, refused;
    uint64_t closed, moved, guarded, around;
};

static void expect_same_ticked(const struct config *c, const struct program *const *both, const struct fixed_memory *m,
                               const struct outcome *o, const char *name)
{
    struct config every = *c;
    every.sim_skip = false;
    struct outcome *t = bench_run_beside(&every, both, 2, m, true);
#define STAT(field, counter, text) cr_expect_eq(o->stats.field, t->stats.field, "%s: " counter " with sim.skip", name);
#include "system/stats/stats.def"
#undef STAT
    free(t);
}

static void try(const struct config *c, bool ticked, struct seen *seen, const char *name)
{
    const uint32_t many = 300, few = 40;
    struct program a = program_of(40, 6, thrashes), b = program_of(40, 6, thrashes);
    const struct program *const both[] = {&a, &b};
    const struct fixed_memory m = {.latency = 60, .depth = 16, .interval = 1};
    struct error err = {""};
    a.context = &many;
    b.context = &few;
    if (!config_check(c, &err)) {
        seen->refused++;
        return;
    }
    struct outcome *o = bench_run_beside(c, both, 2, &m, true);
    cr_expect(o->ok, "%s: %s", name, o->err.text);
    if (ticked) expect_same_ticked(c, both, &m, o, name);
    seen->ran++;
    seen->closed += o->stats.l1d_stream_entered;
    seen->moved += o->stats.ucp_changes;
    seen->guarded += o->stats.pdp_bypassed;
    seen->around += o->stats.l1d_writes_around;
    free(o);
}

/* Each number stands for a combination; its digits are the choices. */
static uint32_t digit(uint32_t *number, uint32_t base)
{
    const uint32_t value = *number % base;
    *number /= base;
    return value;
}

static void choose(struct config *c, uint32_t number)
{
    c->l1d_replacement = digit(&number, policies_of("replacement"));
    c->l1d_bypass_mode = digit(&number, policies_of("L1D bypass"));
    c->l1d_mshr_kind = digit(&number, policies_of("miss file"));
    c->l1d_alloc = digit(&number, 2) ? ALLOC_ON_FILL : ALLOC_ON_MISS;
    c->l1d_bypass_on_stall = digit(&number, policies_of("bypass on stall"));
    c->l1d_pdp_bypass = digit(&number, 2);
}

/* Several lines a cycle, and writes that take a way. */
static void choose_lookups(struct config *c, uint32_t i)
{
    if (i % 3 == 1) bench_bank(c, 32);
    if (i % 4 > 1 && c->l1d_alloc == ALLOC_ON_MISS) {
        c->l1d_write = WRITE_THROUGH;
        c->l1d_write_miss = L1_WRITE_WORDS;
    }
}

static void name_of(const struct config *c, char text[200])
{
    snprintf(text, 200, "%s, %s, %s, alloc %u, on_stall %u, pdp.bypass %u",
             policy_at("replacement", c->l1d_replacement)->name, policy_at("L1D bypass", c->l1d_bypass_mode)->name,
             policy_at("miss file", c->l1d_mshr_kind)->name, c->l1d_alloc, c->l1d_bypass_on_stall, c->l1d_pdp_bypass);
}

Test(l1d_pairs, every_combination_of_policies_runs)
{
    const uint32_t numbers =
        policies_of("replacement") * policies_of("L1D bypass") * policies_of("miss file") * 2 * 3 * 2;
    struct seen seen = {0};
    for (uint32_t i = 0; i < numbers; i++) {
        char name[200];
        struct config c = thrashing_machine();
        choose(&c, i);
        /* Beside them, in turn: what lies in front of the cache and around it. */
        c.l1d_input = i % 5 == 4 ? L1D_INPUT("mrpb") : L1D_INPUT("fifo");
        c.l1d_bypass_path = i % 7 == 6 ? PATH_DIRECT : PATH_MISS_QUEUE;
        c.l1d_stream_tags = i % 11 == 10 ? STREAM_DROP : STREAM_KEEP;
        c.l1d_port_bytes = i % 13 == 12 ? 32 : 0;
        c.l1d_bypass_slots = i % 3 ? 32 : 2;
        choose_lookups(&c, i / 4);
        name_of(&c, name);
        try(&c, i % 5 < 2, &seen, name);
    }
    cr_expect(
        seen.ran > numbers / 2 && seen.refused && seen.closed && seen.moved && seen.guarded && seen.around,
        "%u run, %u refused: tags of a closed cache %lu, changes of an allocation %lu, guarded %lu, writes around "
        "%lu",
        seen.ran, seen.refused, seen.closed, seen.moved, seen.guarded, seen.around);
}
