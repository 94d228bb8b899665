/* SPDX-License-Identifier: Apache-2.0 */
/* srad: speckle-reducing anisotropic diffusion of an ultrasound image (Rodinia, srad_v1).  The image is taken out of
 * its logarithm; each iteration squares it, adds up image and squares by launches of a reduction until one thread block
 * is left, lets the host work out the speckle's strength, then finds every pixel's diffusion coefficient and moves the
 * image; at the end it is compressed again.  Columns are contiguous, as in the original. */
#include <math.h>

#include "srad.h"

#define THREADS 512 /* of a thread block */

struct srad {
    gf32 image, sums, squares, north, south, west, east, c;
    gi32 above, below, left, right; /* neighbouring row or column; at the edge the same */
    float *noisy;
    int rows, columns, pixels, iterations;
    float q0; /* of the iteration: variance over squared mean */
    int count, stride;
};

static void extract_kernel(struct warp *w)
{
    const struct srad *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->pixels)) {
        vstore(k->image, i, vexp(vdiv(vload(k->image, i), 255.0f)));
    }
}

static void compress_kernel(struct warp *w)
{
    const struct srad *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->pixels)) {
        vstore(k->image, i, vmul(vlog(vload(k->image, i)), 255.0f));
    }
}

/* The image is loaded again after the first store, which might be to it. */
static void prepare_kernel(struct warp *w)
{
    const struct srad *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->pixels)) {
        vstore(k->sums, i, vload(k->image, i));
        vf32 pixel = vload(k->image, i);
        vstore(k->squares, i, vmul(pixel, pixel));
    }
}

/* ---- Reduction: the `count` elements at multiples of `stride`; each thread block's sum goes to its first one. ---- */

static void add_pair(struct warp *w, sf32 sum, vi32 thread, int distance)
{
    vf32 mine = vload(sum, thread);
    vstore(sum, thread, vadd(mine, vload(sum, vsub(thread, distance))));
}

/* A tree over the first `size` elements, a power of two; the last of them gets the sum.  Where the size is a constant,
 * so are the tree's steps, and their remainders are masks. */
static void tree(struct warp *w, sf32 sum, sf32 square, vi32 thread, int size)
{
    for (int i = 2; i <= size; i *= 2) {
        vi32 next = vadd(thread, 1);
        vbool adds = veq(size == THREADS ? vand(next, i - 1) : vrem(next, i), 0);
        if (size != THREADS) adds = vand(adds, vlt(thread, size));
        SIMT_IF (adds) {
            add_pair(w, sum, thread, i / 2);
            add_pair(w, square, thread, i / 2);
        }
        vsync();
    }
}

static int power_of_two_below(int n)
{
    int p = 1;
    while (2 * p <= n) p *= 2;
    return p;
}

static void reduce_kernel(struct warp *w)
{
    const struct srad *k = simt_args(w);
    sf32 sum = vshared_f32("d_psum", THREADS), square = vshared_f32("d_psum2", THREADS);
    int first = BLOCK_X * THREADS, left = k->count - first, here = left < THREADS ? left : THREADS;
    vi32 thread = vvar(vthread_x()), i = vvar(vadd(thread, first));
    SIMT_IF (vlt(i, k->count)) {
        vstore(sum, thread, vload(k->sums, vmul(i, k->stride)));
        vstore(square, thread, vload(k->squares, vmul(i, k->stride)));
    }
    vsync();
    int size = power_of_two_below(here);
    tree(w, sum, square, thread, size);
    SIMT_IF (veq(thread, size - 1)) {
        vset(i, first + size);
        SIMT_WHILE (vlt(i, first + here)) { /* elements that the tree of an incomplete thread block leaves over */
            vf32 total = vload(sum, thread);
            vstore(sum, thread, vadd(total, vload(k->sums, vmul(i, k->stride))));
            total = vload(square, thread);
            vstore(square, thread, vadd(total, vload(k->squares, vmul(i, k->stride))));
            vset(i, vadd(i, 1));
        }
        vstore(k->sums, first * k->stride, vload(sum, thread));
        vstore(k->squares, first * k->stride, vload(square, thread));
    }
}

/* ---- Diffusion. ---- */

struct place {
    vi32 i, row, column;
};

/* Where the thread's pixel is; the original counts from 1 and corrects the last row of each column. */
static struct place place(struct warp *w, const struct srad *k)
{
    struct place p = {.i = vvar(vglobal_x())};
    vi32 next = vvar(vadd(p.i, 1));
    p.column = vvar(vquot(next, k->rows));
    p.row = vvar(vsub(next, vmul(p.column, k->rows)));
    vset(p.row, vsub(p.row, 1));
    SIMT_IF (vlt(p.row, 0)) {
        vset(p.row, k->rows - 1);
        vset(p.column, vsub(p.column, 1));
    }
    return p;
}

static vf32 in_row(struct warp *w, const struct srad *k, gf32 from, gi32 row, const struct place *p)
{
    return vload(from, vmad(p->column, k->rows, vload(row, p->row)));
}

static vf32 in_column(struct warp *w, const struct srad *k, gf32 from, gi32 column, const struct place *p)
{
    return vload(from, vmad(vload(column, p->column), k->rows, p->row));
}

static void srad_kernel(struct warp *w)
{
    const struct srad *k = simt_args(w);
    struct place p = place(w, k);
    SIMT_IF (vlt(p.i, k->pixels)) {
        vf32 pixel = vvar(vload(k->image, p.i));
        vf32 n = vvar(vsub(in_row(w, k, k->image, k->above, &p), pixel));
        vf32 s = vvar(vsub(in_row(w, k, k->image, k->below, &p), pixel));
        vf32 west = vvar(vsub(in_column(w, k, k->image, k->left, &p), pixel));
        vf32 e = vvar(vsub(in_column(w, k, k->image, k->right, &p), pixel));
        vf32 c = diffusion(w, pixel, n, s, west, e, k->q0);
        SIMT_IF (vlt(c, 0.0f)) {
            vset(c, 0.0f);
        }
        SIMT_ELSE
        {
            SIMT_IF (vgt(c, 1.0f)) {
                vset(c, 1.0f);
            }
        }
        vstore(k->north, p.i, n);
        vstore(k->south, p.i, s);
        vstore(k->west, p.i, west);
        vstore(k->east, p.i, e);
        vstore(k->c, p.i, c);
    }
}

static void srad2_kernel(struct warp *w)
{
    const struct srad *k = simt_args(w);
    struct place p = place(w, k);
    SIMT_IF (vlt(p.i, k->pixels)) {
        vf32 here = vvar(vload(k->c, p.i));
        vf32 south = vvar(in_row(w, k, k->c, k->below, &p)), east = vvar(in_column(w, k, k->c, k->right, &p));
        vf32 divergence = vvar(vmul(vload(k->north, p.i), here));
        vset(divergence, vmad(south, vload(k->south, p.i), divergence));
        vset(divergence, vmad(here, vload(k->west, p.i), divergence));
        vset(divergence, vmad(east, vload(k->east, p.i), divergence));
        vf32 pixel = vload(k->image, p.i);
        vstore(k->image, p.i, vmad(divergence, 0.25f * LAMBDA, pixel));
    }
}

/* ---- The host's part. ---- */

static void launch(struct host *h, struct srad *k, const char *name, void (*kernel)(struct warp *w), int count,
                   uint32_t regs)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {blocks_for(count, THREADS)},
                                    .block = {THREADS},
                                    .regs = regs,
                                    .shared_bytes = kernel == reduce_kernel ? 2 * THREADS * 4 : 0});
}

/* Launches until one thread block has added up the rest. */
static void reduce(struct host *h, struct srad *k)
{
    k->count = k->pixels;
    k->stride = 1;
    for (bool last = false; !last;) {
        int blocks = (int)blocks_for(k->count, THREADS);
        launch(h, k, "reduce", reduce_kernel, k->count, 21);
        last = blocks == 1;
        k->count = blocks;
        if (!last) k->stride *= THREADS;
    }
}

/* A disc on a dark ground, with speckle: multiplicative noise. */
static void make_image(struct host *h, struct srad *k)
{
    for (int i = 0; i < k->pixels; i++) {
        double x = 2.0 * (i / k->rows) / k->columns - 1, y = 2.0 * (i % k->rows) / k->rows - 1;
        double value = (x * x + y * y < 0.4 ? 180 : 70) * (0.6 + 0.8 * rng_unit(host_rng(h)));
        k->image.host[i] = (float)(int)value;
    }
    size_t bytes = (size_t)k->pixels * sizeof(float);
    k->noisy = memcpy(host_alloc(h, bytes), k->image.host, bytes);
}

static void make_arrays(struct host *h, struct srad *k)
{
    uint64_t n = (uint64_t)k->pixels, rows = (uint64_t)k->rows, columns = (uint64_t)k->columns;
    k->image = device_f32(h, "d_I", n);
    k->above = device_i32(h, "d_iN", rows);
    k->below = device_i32(h, "d_iS", rows);
    k->right = device_i32(h, "d_jE", columns);
    k->left = device_i32(h, "d_jW", columns);
    gf32 *const arrays[] = {&k->sums, &k->squares, &k->north, &k->south, &k->west, &k->east, &k->c};
    static const char *const names[] = {"d_sums", "d_sums2", "d_dN", "d_dS", "d_dW", "d_dE", "d_c"};
    for (int i = 0; i < 7; i++) *arrays[i] = device_f32(h, names[i], n);
    for (int i = 0; i < k->rows; i++) k->above.host[i] = i ? i - 1 : 0, k->below.host[i] = i + 1 < k->rows ? i + 1 : i;
    for (int i = 0; i < k->columns; i++) {
        k->left.host[i] = i ? i - 1 : 0, k->right.host[i] = i + 1 < k->columns ? i + 1 : i;
    }
}

static void srad_host(struct host *h, void *state)
{
    struct srad *k = state;
    k->rows = option(h, "rows");
    k->columns = option(h, "columns");
    k->iterations = option(h, "iterations");
    k->pixels = k->rows * k->columns;
    make_arrays(h, k);
    make_image(h, k);
    launch(h, k, "extract", extract_kernel, k->pixels, 14);
    for (int i = 0; i < k->iterations; i++) {
        launch(h, k, "prepare", prepare_kernel, k->pixels, 10);
        reduce(h, k);
        k->q0 = speckle(k->sums.host[0], k->squares.host[0], k->pixels);
        launch(h, k, "srad", srad_kernel, k->pixels, 22);
        launch(h, k, "srad2", srad2_kernel, k->pixels, 16);
    }
    launch(h, k, "compress", compress_kernel, k->pixels, 12);
}

/* ---- Plain C. ---- */

/* Of n elements: a balanced tree over the largest power of two, then the rest, one after the other. */
static float block_sum(const float *x, int n)
{
    if (n == 1) return x[0];
    int size = power_of_two_below(n), half = size / 2;
    float sum = block_sum(x, half) + block_sum(x + half, half);
    for (int i = size; i < n; i++) sum += x[i];
    return sum;
}

static float total(const float *x, int n, float *scratch)
{
    memcpy(scratch, x, (size_t)n * sizeof *x);
    do {
        int blocks = (int)blocks_for(n, THREADS);
        for (int b = 0; b < blocks; b++) {
            int left = n - b * THREADS;
            scratch[b] = block_sum(scratch + b * THREADS, left < THREADS ? left : THREADS);
        }
        n = blocks;
    } while (n > 1);
    return scratch[0];
}

static bool srad_check(struct host *h, void *state, struct error *err)
{
    const struct srad *k = state;
    uint64_t bytes = (uint64_t)k->pixels * sizeof(float);
    const struct plane plane = {k->rows, k->columns, .down = 1, .right = k->rows};
    float *image = k->noisy, *square = host_alloc(h, bytes), *scratch = host_alloc(h, bytes), *c = host_alloc(h, bytes);
    for (int i = 0; i < k->pixels; i++) image[i] = expf(image[i] / 255);
    for (int n = 0; n < k->iterations; n++) {
        for (int i = 0; i < k->pixels; i++) square[i] = image[i] * image[i];
        float sum = total(image, k->pixels, scratch), squares = total(square, k->pixels, scratch);
        diffuse(&plane, image, scratch, c, speckle(sum, squares, k->pixels));
    }
    for (int i = 0; i < k->pixels; i++) image[i] = logf(image[i]) * 255;
    return check_f32(k->c, c, 0, err) && check_f32(k->image, image, 0, err);
}

static const struct kernel_def srad = {
    .name = "srad",
    .summary = "image denoising: six kernels, reductions, stencils with index arrays",
    .origin = "Rodinia srad_v1",
    .options = {{"rows", "of the image", NULL, 502, 2, 16384},
                {"columns", "of the image", NULL, 458, 2, 16384},
                {"iterations", "steps of diffusion", NULL, 1, 1, 1000}},
    .suites = "rodinia",
    .tables = "Gu20 3.1",
    .small = "rows=8,columns=9",
    .reduced = "rows=64,columns=64",
    .state_bytes = sizeof(struct srad),
    .host = srad_host,
    .check = srad_check,
};
KERNEL_REGISTER(srad)
