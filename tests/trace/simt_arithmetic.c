/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic: results in corner cases, and the instruction class that each operation counts as. */
#include <criterion/criterion.h>
#include <math.h>

#include "trace/simt_reader.h"

static const int32_t dividends[] = {0, 1, -1, 7, -7, 1000000007, -1000000007, INT32_MAX, -INT32_MAX, INT32_MIN};
static const int32_t divisors[] = {1, -1, 2, 3, -3, 10, 65536, INT32_MAX, INT32_MIN, 0};
#define PAIRS 10

static void divide(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vvar(vthread_x());
    SIMT_IF (vlt(i, PAIRS * PAIRS)) {
        vi32 a = vvar(vload(s->out, i)), b = vvar(vload(s->out, vadd(i, 100)));
        vstore(s->out, vadd(i, 200), vquot(a, b));
        vstore(s->out, vadd(i, 300), vrem(a, b));
        vstore(s->out, vadd(i, 400), vmulhi(a, b));
        vstore(s->out, vadd(i, 500), vabs(a));
    }
}

static void divide_host(struct host *h, void *state)
{
    struct small *s = small_arrays(h, state);
    for (int i = 0; i < 100; i++) {
        s->out.host[i] = dividends[i / PAIRS];
        s->out.host[i + 100] = divisors[i % PAIRS];
    }
    simt_launch(h, &(struct launch){.name = "divide", .kernel = divide, .args = s, .block = {128}, .regs = 10});
}
static const struct kernel_def small_divide = {
    .name = "divide", .state_bytes = sizeof(struct small), .host = divide_host, .check = small_check};

Test(simt_arithmetic, division_of_integers_is_that_of_c_and_total)
{
    struct source *source;
    const int32_t *out = run_small(&small_divide, &source);
    for (int i = 0; i < 100; i++) {
        int64_t a = dividends[i / PAIRS], b = divisors[i % PAIRS];
        cr_assert_eq(out[200 + i], b ? (int32_t)(uint32_t)(a / b) : -1, "%lld / %lld", (long long)a, (long long)b);
        cr_assert_eq(out[300 + i], b ? a % b : a, "%lld %% %lld", (long long)a, (long long)b);
        cr_assert_eq(out[400 + i], (a * b) >> 32);
        cr_assert_eq(out[500 + i], (int32_t)(uint32_t)(a < 0 ? -a : a));
    }
    source->ops->close(source);
}

static void one_of_each(struct warp *w)
{
    vi32 i = vvar(vthread_x());
    vquot(i, 7);
    vrem(i, 7);
    vi32 kept = vvar(vquot(i, 3));
    vset(kept, vrem(kept, 3));
    SIMT_IF (vlt(i, 0)) {
        vquot(i, 7);
    }
}
SMALL_KERNEL(small_one_of_each, one_of_each, 1, 32, 8, 0)

/* S2R, four divisions of three records each, SETP, BRA, EXIT: 23, 21, 23 and 21 INT instructions, a reciprocal each. */
Test(simt_arithmetic, a_division_counts_as_what_a_compiler_makes_of_it)
{
    struct inst t[32];
    uint32_t n = read_warp(&small_one_of_each, t, 32, NULL), ops[INST_OPS] = {0};
    cr_assert_eq(n, 1 + 4 * 3 + 2 + 1);
    for (uint32_t i = 0; i < n; i++) ops[t[i].op] += t[i].count;
    cr_assert_eq(ops[INST_INT], 1 + 23 + 21 + 23 + 21 + 2);
    cr_assert_eq(ops[INST_SFU], 4);
    cr_assert_eq(t[2].src[0], t[1].dst); /* the reciprocal is that of the converted divisor */
    cr_assert_eq(t[3].src[0], t[2].dst);
    cr_assert_eq(t[3].src[1], t[0].dst);
    cr_assert_eq(t[12].dst, t[9].dst); /* vset redirects the last run into the variable */
    for (uint32_t i = 1; i + 1 < n; i++) cr_assert_neq(t[i].pc, t[i - 1].pc);
}

static const float reals[] = {0,   0.99f,          -0.99f, 2.5f,     -2.5f,     2147483520.0f,
                              3e9, -2147483648.0f, -3e9,   INFINITY, -INFINITY, NAN};
#define REALS ((int)(sizeof reals / sizeof reals[0]))

static void truncate(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vvar(vthread_x());
    SIMT_IF (vlt(i, REALS)) {
        vf32 x = vvar(vload(s->f, i));
        vstore(s->out, i, vtrunc(x));
        vstore(s->f, vadd(i, 100), vcos(x));
        vstore(s->f, vadd(i, 200), vexp2(x));
    }
}

static void truncate_host(struct host *h, void *state)
{
    struct small *s = small_arrays(h, state);
    memcpy(s->f.host, reals, sizeof reals);
    simt_launch(h, &(struct launch){.name = "truncate", .kernel = truncate, .args = s, .block = {32}, .regs = 8});
}
static const struct kernel_def small_truncate = {
    .name = "truncate", .state_bytes = sizeof(struct small), .host = truncate_host, .check = small_check};

Test(simt_arithmetic, truncation_saturates_and_functions_are_those_of_the_library)
{
    static const int32_t want[] = {0,         0,         0,         2,         -2,        2147483520,
                                   INT32_MAX, INT32_MIN, INT32_MIN, INT32_MAX, INT32_MIN, 0};
    struct source *source;
    uint64_t bytes;
    const int32_t *out = run_small(&small_truncate, &source);
    const float *f = kernel_memory(source, "f", &bytes);
    for (int i = 0; i < REALS; i++) {
        float cosine = cosf(reals[i]), power = exp2f(reals[i]);
        cr_assert_eq(out[i], want[i], "%g: %d", (double)reals[i], out[i]);
        cr_assert(f[100 + i] == cosine || (isnan(f[100 + i]) && isnan(cosine)));
        cr_assert(f[200 + i] == power || (isnan(f[200 + i]) && isnan(power)));
    }
    source->ops->close(source);
    struct inst t[32];
    uint32_t n = read_warp(&small_truncate, t, 32, NULL), sfu = 0;
    for (uint32_t i = 0; i < n; i++) sfu += t[i].op == INST_SFU;
    cr_assert_eq(sfu, 2);
}

static void parts(struct warp *w)
{
    const struct small *s = simt_args(w);
    graw records = {(uint8_t *)s->in.host, s->in.array};
    vi32 i = vvar(vthread_x());
    vi32 whole = vpart_i32(vload_part(records, i, 0, 4));
    vstore(s->out, i, vadd(whole, 1));
    vf32 bits = vpart_f32(vload_part(records, i, 0, 4));
    vstore(s->f, i, bits);
}
SMALL_KERNEL(small_parts, parts, 1, 32, 8, 0)

Test(simt_arithmetic, parts_of_records_are_numbers_without_an_instruction)
{
    struct source *source;
    const int32_t *out = run_small(&small_parts, &source);
    uint64_t bytes;
    const uint8_t *f = kernel_memory(source, "f", &bytes), *in = kernel_memory(source, "in", &bytes);
    for (int i = 0; i < 32; i++) cr_assert_eq(out[i], i + 1);
    cr_assert_arr_eq(f, in, 32 * 4);
    source->ops->close(source);
    struct inst t[16]; /* S2R; address, load, add, address, store; address, load, address, store; EXIT */
    cr_assert_eq(read_warp(&small_parts, t, 16, NULL), 11);
}

static void votes(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vvar(vthread_x());
    SIMT_IF (vlt(i, 20)) {
        SIMT_IF (vall(vlt(i, 20))) {
            vstore(s->out, i, 1);
        }
        SIMT_IF (vall(vne(i, 7))) {
            vstore(s->out, i, 2);
        }
    }
    SIMT_IF (vall(vlt(i, 20))) {
        vstore(s->out, i, 3);
    }
}
SMALL_KERNEL(small_votes, votes, 1, 32, 8, 0)

Test(simt_arithmetic, a_vote_is_that_of_the_active_lanes)
{
    struct source *source;
    const int32_t *out = run_small(&small_votes, &source);
    for (int i = 0; i < 20; i++) cr_assert_eq(out[i], 1, "out[%d] is %d", i, out[i]);
    for (int i = 20; i < 32; i++) cr_assert_neq(out[i], 3);
    source->ops->close(source);
    /* S2R; SETP, BRA; SETP, VOTE, BRA, address, store; SETP, VOTE, BRA twice; EXIT */
    struct inst t[32];
    cr_assert_eq(read_warp(&small_votes, t, 32, NULL), 1 + 2 + 5 + 2 * 3 + 1);
}

static void reals_of_words(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vvar(vthread_x());
    vu32 word = vsub(V(0u), 1u);
    vstore(s->f, i, vfloat(word));
    vf32 x = vvar(vfloat(vadd(i, 1)));
    vstore(s->f, vadd(i, 100), vrsqrt(x));
}
SMALL_KERNEL(small_reals_of_words, reals_of_words, 1, 32, 8, 0)

Test(simt_arithmetic, words_are_not_negative_and_a_reciprocal_root_rounds_twice)
{
    struct source *source;
    uint64_t bytes;
    run_small(&small_reals_of_words, &source);
    const float *f = kernel_memory(source, "f", &bytes);
    for (int i = 0; i < 32; i++) {
        cr_assert_eq(f[i], 0x1p32f);
        cr_assert_eq(f[100 + i], 1 / sqrtf((float)(i + 1)));
    }
    source->ops->close(source);
    struct inst t[32];
    uint32_t n = read_warp(&small_reals_of_words, t, 32, NULL), sfu = 0;
    for (uint32_t i = 0; i < n; i++) sfu += t[i].op == INST_SFU;
    cr_assert_eq(sfu, 1);
}
