/* SPDX-License-Identifier: Apache-2.0 */
/* particlefilter: tracks a disc in a noisy video (Rodinia, particlefilter_float; in single precision).  A frame:
 * every particle moves by its own random numbers and weighs the pixels under a disc around it (the indices go through
 * an array of its own, so that each store touches 32 lines), a tree adds up the weights of a thread block, one thread
 * the thread blocks' sums; the weights are divided by the sum and summed up along the particles by one thread; then
 * every particle looks, from the first on, for the one that it resumes from. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trace/kernels.h"

#define THREADS 512 /* of a thread block */
#define RADIUS 5    /* of the disc */
#define DARK 100    /* pixels */
#define BRIGHT 228
#define LCG_A 1103515245
#define LCG_C 12345
#define LCG_M 2147483647
/* The original divides by 50 in double precision.  With this, a weight lies between exp(-64) and exp(64), give or take
 * noise, which a float holds even when divided by a million particles. */
#define SPREAD 256.0f
#define PI 3.14159265358979323846f

struct particlefilter {
    gf32 x, y, x_from, y_from, cdf, likelihood, weight, partial, u;
    gi32 offsets, indices, seed; /* offsets: dy, dx of each pixel of a disc */
    gu8 video;
    int32_t *first_seed;
    int particles, ones, columns, rows, frames, frame;
};

/* ---- Random numbers: a linear congruential generator for each particle, and Box-Muller. ---- */

static vf32 uniform(struct warp *w, gi32 seed, vi32 i)
{
    vi32 s = vload(seed, i);
    vi32 number = vvar(vadd(vmul(s, LCG_A), LCG_C));
    vi32 high = vmulhi(number, 0x40000001); /* number % LCG_M as compilers do it: multiply, shift, add the sign */
    vi32 quotient = vsub(vshr(high, 29), vshr(number, 31));
    vset(number, vsub(number, vmul(quotient, LCG_M)));
    vstore(seed, i, number);
    return vmul(vabs(vfloat(number)), 1.0f / (float)LCG_M);
}

static vf32 normal(struct warp *w, gi32 seed, vi32 i)
{
    vf32 u = vvar(uniform(w, seed, i)), v = vvar(uniform(w, seed, i));
    vf32 cosine = vvar(vcos(vmul(v, 2 * PI)));
    return vmul(vsqrt(vmul(vlog(u), -2.0f)), cosine);
}

/* ---- Likelihood. ---- */

static void move(struct warp *w, const struct particlefilter *k, vi32 i)
{
    vstore(k->x, i, vload(k->x_from, i));
    vstore(k->y, i, vload(k->y_from, i));
    vstore(k->weight, i, vdiv(V(1.0f), (float)k->particles));
    vf32 at = vvar(vadd(vload(k->x, i), 1.0f));
    vstore(k->x, i, vmad(normal(w, k->seed, i), 5.0f, at));
    vset(at, vsub(vload(k->y, i), 2.0f));
    vstore(k->y, i, vmad(normal(w, k->seed, i), 2.0f, at));
}

/* The places of a disc's pixels in the video; those beyond its end are its first. */
static void find_pixels(struct warp *w, const struct particlefilter *k, vi32 i)
{
    vi32 x = vvar(vtrunc(vload(k->x, i))), y = vvar(vtrunc(vload(k->y, i))), p = vvar(0);
    SIMT_WHILE (vlt(p, k->ones)) {
        vi32 px = vvar(vadd(vload(k->offsets, vmad(p, 2, 1)), x));
        vi32 py = vvar(vadd(vload(k->offsets, vmul(p, 2)), y));
        vi32 pixel = vmad(py, k->frames, vmul(px, k->rows * k->frames));
        vi32 index = vvar(vabs(vadd(pixel, k->frame))), at = vvar(vmad(i, k->ones, p));
        vstore(k->indices, at, index);
        SIMT_IF (vge(index, k->columns * k->rows * k->frames)) {
            vstore(k->indices, at, 0);
        }
        vset(p, vadd(p, 1));
    }
}

static void weigh(struct warp *w, const struct particlefilter *k, vi32 i)
{
    vf32 sum = vvar(0.0f);
    vi32 p = vvar(0);
    SIMT_WHILE (vlt(p, k->ones)) {
        vi32 index = vload(k->indices, vmad(i, k->ones, p));
        vi32 pixel = vvar(vint(vload(k->video, index)));
        vf32 dark = vvar(vfloat(vsub(pixel, DARK))), bright = vvar(vfloat(vsub(pixel, BRIGHT)));
        vf32 difference = vsub(vmul(dark, dark), vmul(bright, bright));
        vset(sum, vmad(difference, 1.0f / SPREAD, sum));
        vset(p, vadd(p, 1));
    }
    vset(sum, vdiv(sum, (float)k->ones));
    vstore(k->likelihood, i, sum);
    vf32 weight = vvar(vload(k->weight, i));
    vstore(k->weight, i, vmul(vexp(sum), weight));
}

static void likelihood_kernel(struct warp *w)
{
    const struct particlefilter *k = simt_args(w);
    sf32 buffer = vshared_f32("buffer", THREADS);
    vi32 thread = vvar(vthread_x()), i = vvar(vadd(thread, BLOCK_X * THREADS));
    SIMT_IF (vlt(i, k->particles)) {
        move(w, k, i);
    }
    vsync();
    SIMT_IF (vlt(i, k->particles)) {
        find_pixels(w, k, i);
        weigh(w, k, i);
    }
    vstore(buffer, thread, 0.0f);
    vsync();
    SIMT_IF (vlt(i, k->particles)) {
        vstore(buffer, thread, vload(k->weight, i));
    }
    vsync();
    for (int distance = THREADS / 2; distance; distance /= 2) {
        SIMT_IF (vlt(thread, distance)) {
            vf32 mine = vload(buffer, thread);
            vstore(buffer, thread, vadd(mine, vload(buffer, vadd(thread, distance))));
        }
        vsync();
    }
    SIMT_IF (veq(thread, 0)) {
        vstore(k->partial, BLOCK_X, vload(buffer, 0));
    }
    vsync();
}

/* ---- Sum, division, distribution, search. ---- */

static void sum_kernel(struct warp *w)
{
    const struct particlefilter *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (veq(i, 0)) {
        vf32 sum = vvar(0.0f);
        SIMT_WHILE (vlt(i, GRID_DIM_X)) {
            vset(sum, vadd(vload(k->partial, i), sum));
            vset(i, vadd(i, 1));
        }
        vstore(k->partial, 0, sum);
    }
}

/* A value that thread 0 loads for the thread block. */
static vf32 broadcast(struct warp *w, const char *name, gf32 from)
{
    sf32 value = vshared_f32(name, 1);
    SIMT_IF (veq(vthread_x(), 0)) {
        vstore(value, 0, vload(from, 0));
    }
    vsync();
    return vload(value, 0);
}

static void normalize_kernel(struct warp *w)
{
    const struct particlefilter *k = simt_args(w);
    vf32 sum = vvar(broadcast(w, "sumWeights", k->partial));
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->particles)) {
        vstore(k->weight, i, vdiv(vload(k->weight, i), sum));
    }
}

static void cdf_kernel(struct warp *w)
{
    const struct particlefilter *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (veq(i, 0)) {
        vf32 sum = vvar(vload(k->weight, 0));
        vstore(k->cdf, 0, sum);
        vset(i, 1);
        SIMT_WHILE (vlt(i, k->particles)) {
            vset(sum, vadd(vload(k->weight, i), sum));
            vstore(k->cdf, i, sum);
            vset(i, vadd(i, 1));
        }
        vf32 step = vvar(vdiv(V(1.0f), (float)k->particles));
        vset(i, 0);
        vstore(k->u, 0, vmul(uniform(w, k->seed, i), step));
    }
}

/* Evenly spaced from u[0] on. */
static void positions_kernel(struct warp *w)
{
    const struct particlefilter *k = simt_args(w);
    vf32 first = vvar(broadcast(w, "u1", k->u));
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->particles)) {
        vstore(k->u, i, vadd(vdiv(vfloat(i), (float)k->particles), first));
    }
}

static void find_index_kernel(struct warp *w)
{
    const struct particlefilter *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->particles)) {
        vi32 index = vvar(-1), j = vvar(0);
        vf32 u = vvar(vload(k->u, i));
        SIMT_WHILE (vlt(j, k->particles)) {
            SIMT_IF (vge(vload(k->cdf, j), u)) {
                vset(index, j);
                SIMT_BREAK;
            }
            vset(j, vadd(j, 1));
        }
        SIMT_IF (veq(index, -1)) {
            vset(index, k->particles - 1);
        }
        vstore(k->x_from, i, vload(k->x, index));
        vstore(k->y_from, i, vload(k->y, index));
    }
    vsync();
}

/* ---- The host's part. ---- */

static void launch(struct host *h, struct particlefilter *k, const char *name, void (*kernel)(struct warp *w),
                   uint32_t regs, uint32_t shared)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->particles, THREADS)},
                                    .block = {THREADS},
                                    .regs = regs,
                                    .shared_bytes = shared});
}

static float gaussian(struct rng *r)
{
    double u = 1 - rng_unit(r), v = rng_unit(r);
    return (float)(sqrt(-2 * log(u)) * cos(2 * (double)PI * v));
}

static bool in_disc(int dx, int dy)
{
    return dx * dx + dy * dy < RADIUS * RADIUS;
}

static int clamp_pixel(int p)
{
    return p < 0 ? 0 : p > 255 ? 255 : p;
}

/* The disc starts in the middle and moves by (1, -2) a frame, turning back at the edge where x or y would be negative;
 * frames are the fastest dimension. */
static void make_video(struct host *h, struct particlefilter *k)
{
    uint8_t *pixel = k->video.host;
    for (int x = 0; x < k->columns; x++) {
        for (int y = 0; y < k->rows; y++) {
            for (int f = 0; f < k->frames; f++) {
                int moves = f ? f - 1 : 0, cx = k->columns / 2 + moves, cy = abs(k->rows / 2 - 2 * moves);
                int noise = (int)(5 * gaussian(host_rng(h)));
                *pixel++ = (uint8_t)clamp_pixel((in_disc(x - cx, y - cy) ? BRIGHT : DARK) + noise);
            }
        }
    }
}

static int disc(int32_t *offsets)
{
    int n = 0;
    for (int x = 1 - RADIUS; x < RADIUS; x++) {
        for (int y = 1 - RADIUS; y < RADIUS; y++) {
            if (!in_disc(x, y)) continue;
            if (offsets) offsets[2 * n] = y, offsets[2 * n + 1] = x;
            n++;
        }
    }
    return n;
}

static void make_arrays(struct host *h, struct particlefilter *k)
{
    uint64_t n = (uint64_t)k->particles;
    gf32 *const arrays[] = {&k->x, &k->y, &k->x_from, &k->y_from, &k->cdf, &k->u, &k->likelihood, &k->weight};
    static const char *const names[] = {"arrayX", "arrayY", "xj", "yj", "CDF", "u", "likelihood", "weights"};
    for (int i = 0; i < 8; i++) *arrays[i] = device_f32(h, names[i], n);
    k->video = device_u8(h, "I", (uint64_t)k->columns * (uint64_t)k->rows * (uint64_t)k->frames);
    k->ones = disc(NULL);
    k->offsets = device_i32(h, "objxy", 2 * (uint64_t)k->ones);
    k->indices = device_i32(h, "ind", (uint64_t)k->ones * n);
    k->seed = device_i32(h, "seed", n);
    k->partial = device_f32(h, "partial_sums", n);
    disc(k->offsets.host);
    k->first_seed = host_alloc(h, n * sizeof *k->first_seed);
    for (int i = 0; i < k->particles; i++) {
        k->seed.host[i] = k->first_seed[i] = (int32_t)rng_below(host_rng(h), LCG_M);
        k->x_from.host[i] = (float)(k->columns / 2);
        k->y_from.host[i] = (float)(k->rows / 2);
    }
}

static void particlefilter_host(struct host *h, void *state)
{
    struct particlefilter *k = state;
    k->particles = option(h, "particles");
    k->columns = option(h, "x");
    k->rows = option(h, "y");
    k->frames = option(h, "frames");
    make_arrays(h, k);
    make_video(h, k);
    for (k->frame = 1; k->frame < k->frames; k->frame++) {
        launch(h, k, "likelihood_kernel", likelihood_kernel, 27, THREADS * 4);
        launch(h, k, "sum_kernel", sum_kernel, 6, 0);
        launch(h, k, "normalize_weights_kernel", normalize_kernel, 15, 4);
        launch(h, k, "cdf_kernel", cdf_kernel, 14, 0);
        launch(h, k, "positions_kernel", positions_kernel, 15, 4);
        launch(h, k, "find_index_kernel", find_index_kernel, 12, 0);
    }
}

/* ---- Plain C. ---- */

struct filter {
    float *x, *y, *x_from, *y_from, *weight, *cdf, *u;
    int32_t *seed;
};

static float plain_uniform(int32_t *seed)
{
    *seed = (int32_t)((uint32_t)*seed * LCG_A + LCG_C) % LCG_M;
    return fabsf((float)*seed) * (1.0f / (float)LCG_M);
}

static float plain_normal(int32_t *seed)
{
    float u = plain_uniform(seed), v = plain_uniform(seed);
    return sqrtf(-2 * logf(u)) * cosf(2 * PI * v);
}

/* A coordinate may be infinite, where a random number is 0: as on the device, integers saturate, and products wrap. */
static uint32_t plain_trunc(float x)
{
    if (x >= 0x1p31f) return INT32_MAX;
    return x > -0x1p31f ? (uint32_t)(int32_t)x : x < 0 ? (uint32_t)INT32_MIN : 0;
}

static float plain_likelihood(const struct particlefilter *k, float x, float y)
{
    float sum = 0;
    uint32_t frames = (uint32_t)k->frames, size = (uint32_t)k->columns * (uint32_t)k->rows * frames;
    for (int p = 0; p < k->ones; p++) {
        uint32_t px = plain_trunc(x) + (uint32_t)k->offsets.host[2 * p + 1];
        uint32_t py = plain_trunc(y) + (uint32_t)k->offsets.host[2 * p];
        uint32_t index = px * (uint32_t)k->rows * frames + py * frames + (uint32_t)k->frame;
        if (index > INT32_MAX) index = -index;
        int pixel = k->video.host[index < size ? index : 0];
        float dark = (float)(pixel - DARK), bright = (float)(pixel - BRIGHT);
        sum += (dark * dark - bright * bright) * (1.0f / SPREAD);
    }
    return sum / (float)k->ones;
}

static float plain_sum(const struct particlefilter *k, const float *weight)
{
    float sum = 0;
    for (int first = 0; first < k->particles; first += THREADS) {
        float buffer[THREADS] = {0};
        for (int i = 0; i < THREADS && first + i < k->particles; i++) buffer[i] = weight[first + i];
        for (int n = THREADS / 2; n; n /= 2) {
            for (int i = 0; i < n; i++) buffer[i] += buffer[i + n];
        }
        sum += buffer[0];
    }
    return sum;
}

/* The first particle whose sum of weights reaches u, by bisection: the sums never fall. */
static int resume_from(const struct filter *f, int particles, float u)
{
    int low = 0, high = particles;
    while (low < high) {
        int middle = (low + high) / 2;
        if (f->cdf[middle] >= u) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low < particles ? low : particles - 1;
}

static void plain_frame(const struct particlefilter *k, struct filter *f)
{
    for (int i = 0; i < k->particles; i++) {
        f->x[i] = f->x_from[i] + 1 + 5 * plain_normal(&f->seed[i]);
        f->y[i] = f->y_from[i] - 2 + 2 * plain_normal(&f->seed[i]);
        f->weight[i] = expf(plain_likelihood(k, f->x[i], f->y[i])) * (1 / (float)k->particles);
    }
    float sum = plain_sum(k, f->weight), running = 0;
    for (int i = 0; i < k->particles; i++) {
        f->weight[i] /= sum;
        f->cdf[i] = running += f->weight[i];
    }
    float first = plain_uniform(&f->seed[0]) * (1 / (float)k->particles);
    for (int i = 0; i < k->particles; i++) {
        f->u[i] = first + (float)i / (float)k->particles;
        int from = resume_from(f, k->particles, f->u[i]);
        f->x_from[i] = f->x[from];
        f->y_from[i] = f->y[from];
    }
}

static bool particlefilter_check(struct host *h, void *state, struct error *err)
{
    struct particlefilter *k = state;
    uint64_t bytes = (uint64_t)k->particles * sizeof(float);
    struct filter f = {.seed = k->first_seed};
    float **const arrays[] = {&f.x, &f.y, &f.x_from, &f.y_from, &f.weight, &f.cdf, &f.u};
    for (int i = 0; i < 7; i++) *arrays[i] = host_alloc(h, bytes);
    for (int i = 0; i < k->particles; i++) f.x_from[i] = (float)(k->columns / 2), f.y_from[i] = (float)(k->rows / 2);
    for (k->frame = 1; k->frame < k->frames; k->frame++) plain_frame(k, &f);
    return check_i32(k->seed, f.seed, err) && check_f32(k->x, f.x, 0, err) && check_f32(k->y, f.y, 0, err) &&
           check_f32(k->weight, f.weight, 0, err) && check_f32(k->cdf, f.cdf, 0, err) && check_f32(k->u, f.u, 0, err) &&
           check_f32(k->x_from, f.x_from, 0, err) && check_f32(k->y_from, f.y_from, 0, err);
}

static const struct kernel_def particlefilter = {
    .name = "particlefilter",
    .summary = "tracking in a video: random motion, likelihood, resampling",
    .origin = "Rodinia particlefilter_float",
    .options = {{"particles", "hypotheses about where the disc is", NULL, 1000, 1, 1 << 20},
                {"x", "columns of a frame", NULL, 128, 16, 4096},
                {"y", "rows of a frame", NULL, 128, 16, 4096},
                {"frames", "of the video", NULL, 10, 2, 1024}},
    .suites = "rodinia uvmbench",
    .tables = "Gu20 5.1",
    .small = "particles=20,x=16,y=16,frames=2",
    .reduced = "particles=200,x=32,y=32,frames=3",
    .state_bytes = sizeof(struct particlefilter),
    .host = particlefilter_host,
    .check = particlefilter_check,
};
KERNEL_REGISTER(particlefilter)
