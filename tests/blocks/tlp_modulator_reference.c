/* SPDX-License-Identifier: Apache-2.0 */
/* tlp_modulator: the README's example, and an independent model with fractions in place of bits. */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "cycle.h"
#include "readme_example.h"
#include "skip.h"
#include "tlp_modulator.h"

TWIN_CYCLE(tlp_modulator)

static struct tlp_modulator modulator(uint32_t blocks, uint32_t count_w, uint32_t res_w)
{
    const struct tlp_modulator_cfg cfg = {.Blocks = blocks, .CountW = count_w, .ResW = res_w, .Shift = 1};
    struct tlp_modulator m = {0};
    tlp_modulator_init(&m, &cfg);
    return m;
}

/* The counts stay in `in`. */
static void read_events(const char *events, struct tlp_modulator_in *in)
{
    uint32_t a, b;
    if (after2(events, "pair ", &a, &b))
        in->start_valid_i = true, in->start_a_i = (uint8_t)a, in->start_b_i = (uint8_t)b;
    if (after2(events, "SP ", &a, &b)) in->sp_a_i = a, in->sp_b_i = b;
    if (after2(events, "LDST ", &a, &b)) in->ldst_a_i = a, in->ldst_b_i = b;
    if (after(events, "launch A ", &a)) in->launch_valid_i = true, in->launch_a_i = a;
    if (after(events, "launch B ", &a)) in->launch_valid_i = true, in->launch_b_i = a;
    if (after(events, "end ", &a)) in->finish_valid_i = true, in->finish_i = a;
    if (after(events, "stop ", &a)) in->stop_valid_i = true, in->stop_kernel_i = a != 0;
    in->defer_i = !strcmp(events, "defer");
}

static struct tlp_modulator_in without_events(struct tlp_modulator_in in)
{
    in.start_valid_i = in.stop_valid_i = in.launch_valid_i = in.finish_valid_i = false;
    in.launch_a_i = in.launch_b_i = in.finish_i = 0;
    return in;
}

Test(readme_example, tlp_modulator)
{
    static const char *const states[] = {"off", "wait", "sample", "judge", "place"};
    struct tlp_modulator m = modulator(4, 2, 2), before = m;
    struct tlp_modulator_in in = {.need_a_i = 1 << 2, .need_b_i = 1 << 2, .have_i = 3 << 2, .cycles_i = 3};
    for (struct example e = example_of("tlp_modulator", "row"); next_row(&e);) {
        struct tlp_modulator_out out = {0};
        const uint32_t cycles = number(&e, "cycles");
        read_events(given(&e, "events"), &in);
        for (uint32_t c = 0; c < cycles; c++) {
            before = m;
            out = cycle(&m, in);
            in = without_events(in);
        }
        shows_number(&e, "row", e.rows - 1);
        shows(&e, "state", true, "%s", states[before.state_q]);
        shows_number(&e, "limit_a_o", out.limit_a_o);
        shows_number(&e, "limit_b_o", out.limit_b_o);
        shows_number(&e, "A in", before.used_a_q);
        shows_number(&e, "B in", before.used_b_q);
        shows_number(&e, "waits for", before.mark_q);
        shows_number(&e, "open_o", out.open_o);
        shows_number(&e, "close_o", out.close_o);
        shows_number(&e, "step_valid_o", out.step_valid_o);
    }
}

/* Liang17, section 4.3, with fractions and loops over numbers of thread blocks. */
struct model {
    uint32_t limit[2];
    double cycles, sp[2], ldst[2]; /* the history; counts are small enough to be exact */
    bool primed;
};

static bool fits(const uint32_t n[2], const uint32_t need[2][3], const uint32_t have[3], uint32_t blocks)
{
    for (uint32_t r = 0; r < 3; r++)
        if (n[0] * need[0][r] + n[1] * need[1][r] > have[r]) return false;
    return n[0] + n[1] <= blocks;
}

static void model_step(struct model *r, uint32_t winner, const uint32_t need[2][3], const uint32_t have[3])
{
    uint32_t n[2];
    n[winner] = r->limit[winner] + 1;
    n[!winner] = r->limit[!winner];
    while (n[!winner] && !fits(n, need, have, 16)) n[!winner]--;
    if (!fits(n, need, have, 16) || (!n[!winner] && r->limit[!winner])) return;
    r->limit[0] = n[0];
    r->limit[1] = n[1];
}

/* x / y against z / v, where 0 / 0 is equal to everything. */
static int compare(double x, double y, double z, double v)
{
    const double left = x * v, right = z * y;
    return left > right ? 1 : left < right ? -1 : 0;
}

static double mix(const struct model *r, double history, double period)
{
    return r->primed ? (double)(uint64_t)((history + period) / 2) : period;
}

static void model_period(struct model *r, const struct tlp_modulator_in *in, const uint32_t need[2][3],
                         const uint32_t have[3])
{
    const double sp = (double)in->sp_a_i + in->sp_b_i, ldst = (double)in->ldst_a_i + in->ldst_b_i;
    const double sp_his = r->sp[0] + r->sp[1], ldst_his = r->ldst[0] + r->ldst[1];
    const bool sp_rises = compare(sp, in->cycles_i, sp_his, r->cycles) > 0;
    const bool ldst_rises = compare(ldst, in->cycles_i, ldst_his, r->cycles) > 0;
    const bool sp_critical = compare(sp, sp_his, ldst, ldst_his) <= 0;
    const bool a_prefers_sp = compare(r->sp[0], r->ldst[0], r->sp[1], r->ldst[1]) >= 0;
    if (r->primed && !(sp_rises && ldst_rises)) model_step(r, sp_critical == a_prefers_sp ? 0 : 1, need, have);
    r->cycles = mix(r, r->cycles, in->cycles_i);
    r->sp[0] = mix(r, r->sp[0], in->sp_a_i);
    r->sp[1] = mix(r, r->sp[1], in->sp_b_i);
    r->ldst[0] = mix(r, r->ldst[0], in->ldst_a_i);
    r->ldst[1] = mix(r, r->ldst[1], in->ldst_b_i);
    r->primed = true;
}

static uint64_t packed(const uint32_t of[3])
{
    return of[0] | (uint64_t)of[1] << 21 | (uint64_t)of[2] << 42;
}

static uint64_t low(uint32_t count)
{
    return ((uint64_t)1 << count) - 1;
}

/* A period: all thread blocks start, and all finish in its last cycle.  The judgement ends within 200 cycles. */
static void whole_period(struct tlp_modulator *m, struct tlp_modulator_in in)
{
    const struct tlp_modulator_out now = cycle(m, in);
    in.launch_valid_i = true;
    in.launch_a_i = low(now.limit_a_o);
    in.launch_b_i = low(now.limit_b_o) << now.limit_a_o;
    cycle(m, in);
    const uint64_t all = in.launch_a_i | in.launch_b_i;
    in = without_events(in);
    cr_assert(cycle(m, in).open_o);
    in.finish_valid_i = true;
    in.finish_i = all;
    cr_assert(cycle(m, in).close_o);
    in = without_events(in);
    for (uint32_t c = 0; c < 200; c++) cycle(m, in);
    cr_assert_eq(m->state_q, TLP_WAIT);
}

static uint32_t count(struct rng *rng, bool coarse)
{
    return (uint32_t)rng_below(rng, coarse ? 4 : 1 << 20);
}

Test(tlp_modulator, changes_the_limits_as_a_model_with_fractions_does)
{
    struct rng rng;
    uint32_t changes = 0, falls = 0, stays = 0;
    rng_seed(&rng, 17);
    for (uint32_t pair = 0; pair < 400; pair++) {
        struct tlp_modulator m = modulator(16, 32, 21);
        uint32_t need[2][3], have[3];
        const bool coarse = rng_below(&rng, 2);
        for (uint32_t r = 0; r < 3; r++) {
            need[0][r] = (uint32_t)rng_below(&rng, 9);
            need[1][r] = (uint32_t)rng_below(&rng, 9);
            have[r] = need[0][r] + need[1][r] + (uint32_t)rng_below(&rng, 60);
        }
        struct tlp_modulator_in in = {.need_a_i = packed(need[0]), .need_b_i = packed(need[1]), .have_i = packed(have)};
        struct model r = {.limit = {1, 1}};
        in.start_valid_i = true;
        in.start_a_i = in.start_b_i = 1;
        cycle(&m, in);
        in = without_events(in);
        for (uint32_t period = 0; period < 20; period++) {
            in.cycles_i = count(&rng, coarse) + 1;
            in.sp_a_i = count(&rng, coarse), in.sp_b_i = count(&rng, coarse);
            in.ldst_a_i = count(&rng, coarse), in.ldst_b_i = count(&rng, coarse);
            const struct model old = r;
            whole_period(&m, in);
            model_period(&r, &in, need, have);
            cr_assert(m.limit_a_q == r.limit[0] && m.limit_b_q == r.limit[1],
                      "pair %u, period %u: found %u/%u, expected %u/%u", pair, period, m.limit_a_q, m.limit_b_q,
                      r.limit[0], r.limit[1]);
            const bool same = old.limit[0] == r.limit[0];
            changes += !same;
            stays += same;
            falls += r.limit[0] < old.limit[0] || r.limit[1] < old.limit[1];
        }
    }
    cr_expect(changes > 1000 && falls > 500 && stays > 1000, "%u changes, %u falls, %u stay", changes, falls, stays);
}

/* The largest counts do not overflow. */
Test(tlp_modulator, compares_products_of_64_bits)
{
    struct tlp_modulator m = modulator(16, 32, 21);
    struct tlp_modulator_in in = {.start_valid_i = true, .start_a_i = 1, .start_b_i = 1, .cycles_i = UINT32_MAX};
    cycle(&m, in);
    in = without_events(in);
    in.sp_a_i = in.sp_b_i = in.ldst_a_i = in.ldst_b_i = UINT32_MAX;
    whole_period(&m, in);
    in.sp_b_i--;
    whole_period(&m, in);
    cr_expect(m.limit_a_q == 2 && m.limit_b_q == 1, "SP is critical, and PUHPs are equal: %u/%u", m.limit_a_q,
              m.limit_b_q);
    in.sp_b_i = UINT32_MAX;
    in.ldst_a_i = UINT32_MAX - 1;
    whole_period(&m, in);
    cr_expect(m.limit_a_q == 2 && m.limit_b_q == 2, "LD/ST falls, and SP of B's history is one less than of A's: %u/%u",
              m.limit_a_q, m.limit_b_q);
}

static void traffic(struct tlp_modulator *m, struct rng *rng)
{
    const uint64_t used = m->used_a_q | m->used_b_q;
    const uint32_t a = m->limit_a_q - (uint32_t)__builtin_popcountll(m->used_a_q);
    const uint64_t what = rng_below(rng, 40), slot = (~used & 0xffff) & -(~used & 0xffff);
    cycle(m, (struct tlp_modulator_in){.start_valid_i = what == 0,
                                       .start_a_i = 2,
                                       .start_b_i = 1,
                                       .stop_valid_i = what == 1,
                                       .launch_valid_i = what > 8 && slot && !(used == 0xffff),
                                       .launch_a_i = a ? slot : 0,
                                       .launch_b_i = a ? 0 : slot,
                                       .finish_valid_i = what > 2 && what < 12,
                                       .finish_i = used & rng_u64(rng),
                                       .cycles_i = (uint32_t)rng_below(rng, 9)});
}

Test(tlp_modulator, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct tlp_modulator m = modulator(16, 32, 21);
    SKIP_ROUNDS(tlp_modulator, &m, traffic, 11, 3000, 9, .cycles_i = 5, .sp_a_i = (uint32_t)rng_below(&rng, 2));
}
