/* SPDX-License-Identifier: Apache-2.0 */
/* scalarprod: scalar products of pairs of vectors (CUDA SDK, scalarProd).  A thread block multiplies a pair: 1024 sums,
 * each of every 1024th element, then a tree over the sums.  Both vectors are streams.  The sums are in shared memory,
 * or in global memory: then the L1D has the reuse (Dai17, section 2.3, uses such a version). */
#include "trace/kernels.h"

#define SUMS 1024

struct scalarprod {
    gf32 a, b, c, sums; /* sums: of each thread block; none if they are in shared memory */
    int vectors, elements;
};

static vf32 load_sum(struct warp *w, const struct scalarprod *k, sf32 shared, vi32 i)
{
    return k->sums.host ? vload(k->sums, vadd(i, BLOCK_X * SUMS)) : vload(shared, i);
}

static void store_sum(struct warp *w, const struct scalarprod *k, sf32 shared, vi32 i, vf32 sum)
{
    if (k->sums.host) {
        vstore(k->sums, vadd(i, BLOCK_X * SUMS), sum);
    } else {
        vstore(shared, i, sum);
    }
}

static vf32 sum_products(struct warp *w, const struct scalarprod *k, vi32 first, vi32 end)
{
    vi32 at = vvar(first);
    vf32 sum = vvar(0.0f);
    SIMT_WHILE (vlt(at, end)) {
        vf32 a = vload(k->a, at);
        vset(sum, vmad(a, vload(k->b, at), sum));
        vset(at, vadd(at, SUMS));
    }
    return sum;
}

/* The thread's sums of vector pair `vector`, from sum i on. */
static void add_products(struct warp *w, const struct scalarprod *k, sf32 shared, vi32 i, vi32 vector)
{
    vi32 first = vvar(vmul(vector, k->elements)), end = vvar(vadd(first, k->elements));
    SIMT_WHILE (vlt(i, SUMS)) {
        vf32 sum = sum_products(w, k, vadd(first, i), end);
        store_sum(w, k, shared, i, sum);
        vset(i, vadd(i, BLOCK_DIM_X));
    }
}

static void add_level(struct warp *w, const struct scalarprod *k, sf32 shared, vi32 i, int stride)
{
    SIMT_WHILE (vlt(i, stride)) {
        vf32 other = load_sum(w, k, shared, vadd(i, stride));
        store_sum(w, k, shared, i, vadd(load_sum(w, k, shared, i), other));
        vset(i, vadd(i, BLOCK_DIM_X));
    }
}

static void scalarprod_kernel(struct warp *w)
{
    const struct scalarprod *k = simt_args(w);
    sf32 shared = {0};
    if (!k->sums.host) shared = vshared_f32("accumResult", SUMS);
    vi32 thread = vvar(vthread_x()), i = vvar(thread), vector = vvar(BLOCK_X);
    SIMT_WHILE (vlt(vector, k->vectors)) {
        vset(i, thread);
        add_products(w, k, shared, i, vector);
        for (int stride = SUMS / 2; stride; stride /= 2) {
            vsync();
            vset(i, thread);
            add_level(w, k, shared, i, stride);
        }
        SIMT_IF (veq(thread, 0)) {
            vstore(k->c, vector, load_sum(w, k, shared, thread));
        }
        vset(vector, vadd(vector, GRID_DIM_X));
    }
}

static void fill(struct host *h, gf32 v)
{
    for (uint64_t i = 0; i < v.array->count; i++) v.host[i] = (float)rng_unit(host_rng(h));
}

enum { SHARED, GLOBAL };

static void scalarprod_host(struct host *h, void *state)
{
    struct scalarprod *k = state;
    k->vectors = option(h, "vectors");
    k->elements = option(h, "elements");
    int blocks = option(h, "blocks"), block = option(h, "block");
    bool global = option(h, "sums") == GLOBAL;
    uint64_t n = (uint64_t)k->vectors * (uint64_t)k->elements;
    k->a = device_f32(h, "a", n);
    k->b = device_f32(h, "b", n);
    k->c = device_f32(h, "c", (uint64_t)k->vectors);
    if (global) k->sums = device_f32(h, "sums", (uint64_t)blocks * SUMS);
    fill(h, k->a);
    fill(h, k->b);
    simt_launch(h, &(struct launch){.name = "scalarProdGPU",
                                    .kernel = scalarprod_kernel,
                                    .args = k,
                                    .grid = {(uint32_t)blocks},
                                    .block = {(uint32_t)block},
                                    .regs = 16, /* ptxas 13.0, sm_75, the loop over elements not unrolled */
                                    .shared_bytes = global ? 0 : SUMS * sizeof(float)});
}

static float scalar_product(const float *a, const float *b, int elements)
{
    float sums[SUMS] = {0};
    for (int i = 0; i < elements; i++) sums[i % SUMS] += a[i] * b[i];
    for (int stride = SUMS / 2; stride; stride /= 2) {
        for (int i = 0; i < stride; i++) sums[i] += sums[i + stride];
    }
    return sums[0];
}

static bool scalarprod_check(struct host *h, void *state, struct error *err)
{
    const struct scalarprod *k = state;
    float *want = host_alloc(h, (uint64_t)k->vectors * sizeof *want);
    for (int v = 0; v < k->vectors; v++) {
        const int first = v * k->elements;
        want[v] = scalar_product(k->a.host + first, k->b.host + first, k->elements);
    }
    return check_f32(k->c, want, 0, err);
}

static const struct kernel_def scalarprod = {
    .name = "scalarprod",
    .summary = "scalar products of pairs of vectors, a tree over 1024 sums",
    .origin = "CUDA SDK scalarProd",
    .options = {{"vectors", "pairs", NULL, 256, 1, 1 << 20},
                {"elements", "of a vector", NULL, 4096, 1, 1 << 24},
                {"sums", "where a thread block adds", "shared|global", SHARED, 0, 0},
                {"blocks", "thread blocks", NULL, 128, 1, 1 << 16},
                {"block", "threads of a thread block", NULL, 256, 1, 1024}},
    .suites = "sdk",
    .tables = "Gu20 3.1",
    .small = "vectors=2,elements=64,blocks=2",
    .reduced = "vectors=32,elements=2048,blocks=16",
    .state_bytes = sizeof(struct scalarprod),
    .host = scalarprod_host,
    .check = scalarprod_check,
};
KERNEL_REGISTER(scalarprod)
