/* SPDX-License-Identifier: Apache-2.0 */
/* pest: an estimate of pi from random points in the unit square (CUDA SDK MC_EstimatePiInlineP).  The first kernel
 * seeds a XORWOW generator per thread, each at its own subsequence: the state is multiplied by tabulated matrices of
 * 160 x 160 bits, which all threads read again and again.  The second kernel draws the points and adds up a thread
 * block's hits in shared memory. */
#include <string.h>

#include "trace/kernels.h"

#define WORDS 5 /* of a state, without its counter */
#define BITS (WORDS * 32)
#define STRIDE 12      /* words of a generator in memory: counter, state, what normal distributions need */
#define SUBSEQUENCE 67 /* log2 of a subsequence's length */
#define DIGIT 2        /* bits of a subsequence's number: matrix d goes 4^d subsequences on */
#define MATRICES 32
#define COUNTER_STEP 362437u
#define UNIT 0x1p-32f

struct matrix {
    uint32_t row[BITS][WORDS]; /* the product of each bit of a state; a state's product is the sum of its bits' */
};

struct generator {
    uint32_t counter, state[WORDS];
};

struct pest {
    gu32 matrices, generators, results;
    struct generator seeded;
    int sims, block, threads, digits; /* digits: of the last subsequence's number */
};

/* The state is in global memory all the time, and a matrix's rows are at constant addresses. */
static void multiply_state(struct warp *w, const struct pest *k, vi32 at, int matrix)
{
    vu32 product[WORDS];
    for (int n = 0; n < WORDS; n++) product[n] = vvar(0u);
    vu32 word = vvar(0u);
    for (int bit = 0; bit < BITS; bit++) {
        if (bit % 32 == 0) vset(word, vload(k->generators, vadd(at, 1 + bit / 32)));
        SIMT_IF (vne(vand(word, 1u << bit % 32), 0u)) {
            for (int n = 0; n < WORDS; n++) {
                vu32 row = vload(k->matrices, (matrix * BITS + bit) * WORDS + n);
                vset(product[n], vxor(row, product[n]));
            }
        }
    }
    for (int n = 0; n < WORDS; n++) vstore(k->generators, vadd(at, 1 + n), product[n]);
}

/* As many products as the number's last digit, which then goes. */
static void seed_digit(struct warp *w, const struct pest *k, vi32 *number, vi32 at, int digit)
{
    SIMT_IF (vne(*number, 0)) {
        vi32 times = vvar(vand(*number, (1 << DIGIT) - 1));
        SIMT_WHILE (vgt(times, 0)) {
            multiply_state(w, k, at, digit);
            vset(times, vsub(times, 1));
        }
        vset(*number, vshr(*number, DIGIT));
    }
}

static void seed_kernel(struct warp *w)
{
    const struct pest *k = simt_args(w);
    vi32 number = vvar(vglobal_x()), at = vvar(vmul(number, STRIDE));
    vstore(k->generators, at, k->seeded.counter);
    for (int n = 0; n < WORDS; n++) vstore(k->generators, vadd(at, 1 + n), k->seeded.state[n]);
    for (int digit = 0, digits = k->digits; digit < digits; digit++) seed_digit(w, k, &number, at, digit);
}

struct walker {
    vu32 counter, state[WORDS];
};

static struct walker load_generator(struct warp *w, const struct pest *k, vi32 thread)
{
    struct walker g;
    vi32 at = vvar(vmul(thread, STRIDE));
    g.counter = vvar(vload(k->generators, at));
    for (int n = 0; n < WORDS; n++) g.state[n] = vvar(vload(k->generators, vadd(at, 1 + n)));
    return g;
}

/* Uniform in (0, 1]. */
static vf32 uniform(struct warp *w, struct walker *g)
{
    vu32 t = vxor(vshr(g->state[0], 2u), g->state[0]);
    t = vvar(vxor(vshl(t, 1u), t));
    for (int n = 0; n + 1 < WORDS; n++) vset(g->state[n], g->state[n + 1]);
    vu32 last = vxor(vshl(g->state[WORDS - 1], 4u), g->state[WORDS - 1]);
    vset(g->state[WORDS - 1], vxor(last, t));
    vset(g->counter, vadd(g->counter, COUNTER_STEP));
    return vmad(vfloat(vadd(g->state[WORDS - 1], g->counter)), UNIT, UNIT / 2);
}

static void estimate_kernel(struct warp *w)
{
    const struct pest *k = simt_args(w);
    su32 sums = vshared_u32("sdata", (uint32_t)k->block);
    vi32 i = vvar(vglobal_x());
    struct walker g = load_generator(w, k, i);
    vu32 hits = vvar(0u);
    SIMT_WHILE (vlt(i, k->sims)) {
        vf32 x = vvar(uniform(w, &g)), y = vvar(uniform(w, &g));
        SIMT_IF (vlt(vmad(y, y, vmul(x, x)), 1.0f)) {
            vset(hits, vadd(hits, 1u));
        }
        vset(i, vadd(i, k->threads));
    }
    vi32 thread = vvar(vthread_x());
    vstore(sums, thread, hits);
    vsync();
    for (int distance = k->block / 2; distance; distance /= 2) {
        SIMT_IF (vlt(thread, distance)) {
            vu32 mine = vload(sums, thread);
            vstore(sums, thread, vadd(mine, vload(sums, vadd(thread, distance))));
        }
        vsync();
    }
    SIMT_IF (veq(thread, 0)) {
        vstore(k->results, BLOCK_X, vload(sums, 0));
    }
}

/* ---- The same on the host. ---- */

static uint32_t next(struct generator *g)
{
    uint32_t t = g->state[0] ^ g->state[0] >> 2, last = g->state[WORDS - 1];
    memmove(g->state, g->state + 1, (WORDS - 1) * sizeof g->state[0]);
    g->state[WORDS - 1] = last ^ last << 4 ^ t ^ t << 1;
    return g->state[WORDS - 1] + (g->counter += COUNTER_STEP);
}

static void multiply(const struct matrix *m, uint32_t state[WORDS])
{
    uint32_t product[WORDS] = {0};
    for (int bit = 0; bit < BITS; bit++) {
        for (int n = 0; n < WORDS && state[bit / 32] >> bit % 32 & 1; n++) product[n] ^= m->row[bit][n];
    }
    memcpy(state, product, sizeof product);
}

static void square(struct matrix *m)
{
    struct matrix factor = *m;
    for (int bit = 0; bit < BITS; bit++) multiply(&factor, m->row[bit]);
}

static struct matrix one_step(void)
{
    struct matrix m = {0};
    for (int bit = 0; bit < BITS; bit++) {
        struct generator g = {0};
        g.state[bit / 32] = 1u << bit % 32;
        next(&g);
        memcpy(m.row[bit], g.state, sizeof g.state);
    }
    return m;
}

static void make_matrices(uint32_t *to)
{
    struct matrix m = one_step();
    for (int i = 0; i < SUBSEQUENCE; i++) square(&m);
    for (int digit = 0; digit < MATRICES; digit++) {
        memcpy(to + digit * BITS * WORDS, &m, sizeof m);
        for (int i = 0; i < DIGIT; i++) square(&m);
    }
}

static struct generator seeded(struct rng *r)
{
    struct generator g = {.counter = (uint32_t)rng_u64(r)};
    for (int n = 0; n < WORDS; n++) g.state[n] = (uint32_t)rng_u64(r) | 1;
    return g;
}

static void launch(struct host *h, struct pest *k, const char *name, void (*kernel)(struct warp *w), uint32_t regs,
                   int shared)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)(k->threads / k->block)},
                                    .block = {(uint32_t)k->block},
                                    .regs = regs,
                                    .shared_bytes = (uint32_t)shared});
}

static void pest_host(struct host *h, void *state)
{
    struct pest *k = state;
    int blocks = option(h, "blocks");
    k->sims = option(h, "sims");
    k->block = option(h, "block");
    if (k->block & (k->block - 1)) host_fail(h, "block: found %d, expected a power of two for the tree", k->block);
    k->threads = blocks * k->block;
    while ((k->threads - 1) >> DIGIT * k->digits) k->digits++;
    k->generators = device_u32(h, "rngStates", (uint64_t)k->threads * STRIDE);
    k->results = device_u32(h, "results", (uint64_t)blocks);
    k->matrices = device_u32(h, "precalc_xorwow_matrix", (uint64_t)MATRICES * BITS * WORDS);
    make_matrices(k->matrices.host);
    k->seeded = seeded(host_rng(h));
    launch(h, k, "initRNG", seed_kernel, 63, 0);
    launch(h, k, "computeValue", estimate_kernel, 18, k->block * 4);
}

static uint32_t plain_hits(const struct pest *k, struct generator g, int first)
{
    uint32_t hits = 0;
    for (int i = first; i < k->sims; i += k->threads) {
        float x = (float)next(&g) * UNIT + UNIT / 2, y = (float)next(&g) * UNIT + UNIT / 2;
        hits += x * x + y * y < 1;
    }
    return hits;
}

/* Subsequence by subsequence, each one on from the one before. */
static bool pest_check(struct host *h, void *state, struct error *err)
{
    const struct pest *k = state;
    uint32_t *hits = host_alloc(h, k->results.array->count * sizeof *hits);
    uint32_t *memory = host_alloc(h, k->generators.array->count * sizeof *memory);
    struct matrix on;
    memcpy(&on, k->matrices.host, sizeof on);
    struct generator g = k->seeded;
    for (int i = 0; i < k->threads; i++) {
        memcpy(memory + (int64_t)i * STRIDE, &g, sizeof g);
        hits[i / k->block] += plain_hits(k, g, i);
        multiply(&on, g.state);
    }
    return check_u32(k->generators, memory, err) && check_u32(k->results, hits, err);
}

static const struct kernel_def pest = {
    .name = "pest",
    .summary = "pi from random points: seeding from shared tables, then almost no memory",
    .origin = "CUDA SDK MC_EstimatePiInlineP",
    .options = {{"sims", "points", NULL, 100000, 1, 1 << 30},
                {"blocks", "thread blocks", NULL, 195, 1, 1 << 16},
                {"block", "threads of a thread block, a power of two", NULL, 256, 1, 1024}},
    .suites = "sdk",
    .small = "sims=20,blocks=2,block=32",
    .reduced = "sims=2000,blocks=2,block=32",
    .state_bytes = sizeof(struct pest),
    .host = pest_host,
    .check = pest_check,
};
KERNEL_REGISTER(pest)
