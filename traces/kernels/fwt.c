/* SPDX-License-Identifier: Apache-2.0 */
/* fwt: dyadic convolution by fast Walsh transforms (CUDA SDK, fastWalshTransform): transforms of data and kernel, their
 * product, and a transform back.  A transform is a launch for each two levels, radix 4, over all of the array in global
 * memory, until parts of 2048 fit shared memory.  Each launch is a stream; the array comes again in the next one. */
#include <string.h>

#include "trace/kernels.h"

#define PART_LOG2 11 /* of the elements that a thread block transforms in shared memory */
#define THREADS 256
#define MODULATE_BLOCKS 128

struct part { /* arguments of the launch of a transform */
    gf32 v;
    int log2n; /* of the elements that are transformed together */
};

struct fwt {
    gf32 data, kernel;
    float *data_before, *kernel_before;
    struct part part;
};

/* Work of a thread: two levels of four elements. */
struct four {
    vf32 v0, v1, v2, v3;
};

static struct four butterfly(struct warp *w, struct four x)
{
    vf32 a = vadd(x.v0, x.v2), c = vsub(x.v0, x.v2), b = vadd(x.v1, x.v3), d = vsub(x.v1, x.v3);
    struct four y;
    y.v0 = vadd(a, b);
    y.v1 = vsub(a, b);
    y.v2 = vadd(c, d);
    y.v3 = vsub(c, d);
    return y;
}

/* The first of a thread's four elements, which are `stride` apart. */
static vi32 first_element(struct warp *w, vi32 thread, vi32 stride)
{
    vi32 low = vand(thread, vsub(stride, 1));
    return vadd(vshl(vsub(thread, low), 2), low);
}

/* Two levels over all of the array; blockIdx.y counts the parts that are transformed together. */
static void global_kernel(struct warp *w)
{
    const struct part *p = simt_args(w);
    const int stride = 1 << (p->log2n - 2);
    vi32 thread = vvar(vglobal_x());
    vi32 i0 = vvar(vadd(first_element(w, thread, V(stride)), BLOCK_Y << p->log2n));
    vi32 i1 = vvar(vadd(i0, stride)), i2 = vvar(vadd(i1, stride)), i3 = vvar(vadd(i2, stride));
    vf32 v0 = vload(p->v, i0), v1 = vload(p->v, i1), v2 = vload(p->v, i2), v3 = vload(p->v, i3);
    struct four y = butterfly(w, (struct four){v0, v1, v2, v3});
    vstore(p->v, i0, y.v0);
    vstore(p->v, i1, y.v1);
    vstore(p->v, i2, y.v2);
    vstore(p->v, i3, y.v3);
}

static void shared_levels(struct warp *w, sf32 s, vi32 thread, int n)
{
    vi32 stride = vvar(n / 4);
    SIMT_WHILE (vgt(stride, 0)) {
        vi32 i0 = vvar(first_element(w, thread, stride));
        vi32 i1 = vvar(vadd(i0, stride)), i2 = vvar(vadd(i1, stride)), i3 = vvar(vadd(i2, stride));
        vsync();
        vf32 v0 = vload(s, i0), v1 = vload(s, i1), v2 = vload(s, i2), v3 = vload(s, i3);
        struct four y = butterfly(w, (struct four){v0, v1, v2, v3});
        vstore(s, i0, y.v0);
        vstore(s, i1, y.v1);
        vstore(s, i2, y.v2);
        vstore(s, i3, y.v3);
        vset(stride, vshr(stride, 2));
    }
}

/* The level that radix 4 leaves over. */
static void shared_last_level(struct warp *w, sf32 s, vi32 thread, int n)
{
    vsync();
    vi32 i = vvar(thread);
    SIMT_WHILE (vlt(i, n / 2)) {
        vi32 even = vvar(vshl(i, 1)), odd = vvar(vadd(even, 1));
        vf32 v0 = vload(s, even), v1 = vload(s, odd);
        vstore(s, even, vadd(v0, v1));
        vstore(s, odd, vsub(v0, v1));
        vset(i, vadd(i, BLOCK_DIM_X));
    }
}

static void load_part(struct warp *w, const struct part *p, sf32 s, vi32 thread)
{
    vi32 i = vvar(thread);
    SIMT_WHILE (vlt(i, 1 << p->log2n)) {
        vf32 value = vload(p->v, vadd(i, BLOCK_X << p->log2n));
        vstore(s, i, value);
        vset(i, vadd(i, BLOCK_DIM_X));
    }
}

static void store_part(struct warp *w, const struct part *p, sf32 s, vi32 thread)
{
    vi32 i = vvar(thread);
    SIMT_WHILE (vlt(i, 1 << p->log2n)) {
        vf32 value = vload(s, i);
        vstore(p->v, vadd(i, BLOCK_X << p->log2n), value);
        vset(i, vadd(i, BLOCK_DIM_X));
    }
}

/* A part that fits shared memory, a quarter as many threads. */
static void shared_kernel(struct warp *w)
{
    const struct part *p = simt_args(w);
    const int n = 1 << p->log2n;
    sf32 s = vshared_f32("s_data", (uint32_t)n);
    vi32 thread = vvar(vthread_x());
    load_part(w, p, s, thread);
    shared_levels(w, s, thread, n);
    if (p->log2n % 2) shared_last_level(w, s, thread, n);
    vsync();
    store_part(w, p, s, thread);
}

static void modulate_kernel(struct warp *w)
{
    const struct fwt *k = simt_args(w);
    const int n = 1 << k->part.log2n;
    vi32 i = vvar(vglobal_x());
    vf32 scale = vvar(vdiv(1.0f, vfloat(V(n))));
    SIMT_WHILE (vlt(i, n)) {
        vf32 a = vload(k->data, i), b = vload(k->kernel, i);
        vstore(k->data, i, vmul(a, vmul(b, scale)));
        vset(i, vadd(i, GRID_THREADS_X));
    }
}

static void transform(struct host *h, struct fwt *k, gf32 v, int log2n)
{
    uint32_t parts = 1;
    for (k->part = (struct part){v, log2n}; k->part.log2n > PART_LOG2; k->part.log2n -= 2, parts *= 4) {
        simt_launch(h, &(struct launch){.name = "fwtBatch2Kernel",
                                        .kernel = global_kernel,
                                        .args = &k->part,
                                        .grid = {(1u << k->part.log2n) / (4 * THREADS), parts},
                                        .block = {THREADS},
                                        .regs = 22}); /* ptxas 13.0, sm_75; so are the others */
    }
    simt_launch(h, &(struct launch){.name = "fwtBatch1Kernel",
                                    .kernel = shared_kernel,
                                    .args = &k->part,
                                    .grid = {parts},
                                    .block = {(1u << k->part.log2n) / 4},
                                    .regs = 15,
                                    .shared_bytes = (1u << k->part.log2n) * sizeof(float)});
}

static float *random_elements(struct host *h, gf32 v, int count)
{
    const uint64_t bytes = v.array->count * sizeof(float);
    for (int i = 0; i < count; i++) v.host[i] = (float)rng_unit(host_rng(h));
    return memcpy(host_alloc(h, bytes), v.host, bytes);
}

static void fwt_host(struct host *h, void *state)
{
    struct fwt *k = state;
    const int log2n = option(h, "log2n"), log2kernel = option(h, "log2kernel");
    if (log2kernel > log2n) {
        host_fail(h,
                  "log2kernel: found %d, expected at most log2n, %d, since the kernel is padded to the data's length",
                  log2kernel, log2n);
    }
    k->kernel = device_f32(h, "d_Kernel", 1u << log2n);
    k->data = device_f32(h, "d_Data", 1u << log2n);
    k->kernel_before = random_elements(h, k->kernel, 1 << log2kernel);
    k->data_before = random_elements(h, k->data, 1 << log2n);
    transform(h, k, k->data, log2n);
    transform(h, k, k->kernel, log2n);
    k->part.log2n = log2n;
    simt_launch(h, &(struct launch){.name = "modulateKernel",
                                    .kernel = modulate_kernel,
                                    .args = k,
                                    .grid = {MODULATE_BLOCKS},
                                    .block = {THREADS},
                                    .regs = 20});
    transform(h, k, k->data, log2n);
}

static void transformed(float *v, int n)
{
    for (int stride = n / 2; stride; stride /= 2) {
        for (int i = 0; i < n; i++) {
            if (i & stride) continue;
            const float a = v[i], b = v[i + stride];
            v[i] = a + b;
            v[i + stride] = a - b;
        }
    }
}

static bool fwt_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct fwt *k = state;
    const int n = (int)k->data.array->count;
    transformed(k->data_before, n);
    transformed(k->kernel_before, n);
    for (int i = 0; i < n; i++) k->data_before[i] *= k->kernel_before[i] * (1.0f / (float)n);
    transformed(k->data_before, n);
    return check_f32(k->kernel, k->kernel_before, 0, err) && check_f32(k->data, k->data_before, 0, err);
}

static const struct kernel_def fwt = {
    .name = "fwt",
    .summary = "dyadic convolution by Walsh transforms, a launch for each two levels",
    .origin = "CUDA SDK fastWalshTransform",
    .options = {{"log2n", "of the elements of the data", NULL, 23, 2, 26},
                {"log2kernel", "of the elements of the kernel, at most log2n", NULL, 7, 0, 26}},
    .suites = "sdk",
    .tables = "Gu20 2.3, 3.1",
    .small = "log2n=6,log2kernel=2",
    .reduced = "log2n=14",
    .state_bytes = sizeof(struct fwt),
    .host = fwt_host,
    .check = fwt_check,
};
KERNEL_REGISTER(fwt)
