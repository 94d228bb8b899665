/* SPDX-License-Identifier: Apache-2.0 */
/* svm: support vector machine of two digits (UVMBench): the matrix of the images' kernel, whose squared differences of
 * pixels come from a table of 256 x 256, a thread for each pair; then coordinate ascent, a thread for each image, with
 * a barrier for each multiplier.  That is the program's kernel for one thread block; with two places for the step, so
 * that no warp writes it while another one reads. */
#include <math.h>

#include "program.h"

#define GRAYS 256
#define GAMMA (-0.015f)
#define BOUND 5.0f
#define ENOUGH 0.0001f

struct svm {
    gf32 table, kernel, alpha, sigma;
    gi32 classes, passes;
    gu8 images;
    int l, features, most;
};

static void matrix_kernel(struct warp *w)
{
    const struct svm *k = simt_args(w);
    vi32 i = vvar(vglobal_x()), j = vvar(vglobal_y());
    SIMT_IF (vand(vlt(i, k->l), vlt(j, k->l))) {
        vi32 left = vvar(vmul(i, k->features)), right = vvar(vmul(j, k->features)), at = vvar(0);
        vf32 sum = vvar(0.0f);
        SIMT_WHILE (vlt(at, k->features)) {
            vi32 other = vvar(vint(vload(k->images, vadd(right, at))));
            vi32 mine = vvar(vint(vload(k->images, vadd(left, at))));
            vset(sum, vadd(sum, vload(k->table, vmad(mine, GRAYS, other))));
            vset(at, vadd(at, 1));
        }
        vstore(k->kernel, vmad(i, k->l, j), vexp(vmul(sum, GAMMA)));
    }
}

/* The thread of image i: its multiplier, kept within 0 and the bound, and the step that it went. */
static void move_multiplier(struct warp *w, const struct svm *k, sf32 steps, vi32 j, vi32 i, vi32 turn)
{
    SIMT_IF (veq(j, i)) {
        vf32 last = vvar(vload(k->alpha, j)), sign = vvar(vfloat(vload(k->classes, j)));
        vf32 gap = vvar(vsub(V(1.0f), vmul(sign, vload(k->sigma, j))));
        vf32 step = vvar(vmul(vdiv(V(1.0f), vload(k->kernel, vmul(i, k->l + 1))), gap));
        vf32 next = vvar(vadd(last, step));
        SIMT_IF (vlt(next, 0.0f)) {
            vset(next, 0.0f);
            vset(step, vsub(V(0.0f), last));
        }
        SIMT_IF (vgt(next, BOUND)) {
            vset(next, BOUND);
            vset(step, vsub(V(BOUND), last));
        }
        vstore(k->alpha, j, next);
        vstore(steps, turn, step);
    }
}

static void minibatch_kernel(struct warp *w)
{
    const struct svm *k = simt_args(w);
    sf32 steps = vshared_f32("delta", 2);
    si32 moved = vshared_i32("moved", 2); /* passes take turns with the two words */
    vi32 j = vvar(vthread_x()), go = vvar(1), pass = vvar(0), turn = vvar(0), i = vvar(0);
    SIMT_WHILE (vne(go, 0)) {
        vf32 before = vvar(vload(k->alpha, j));
        vset(turn, vand(pass, 1));
        vstore(moved, turn, 0);
        vset(i, 0);
        SIMT_WHILE (vlt(i, k->l)) {
            vi32 place = vvar(vand(i, 1));
            move_multiplier(w, k, steps, j, i, place);
            vsync();
            vf32 sign = vfloat(vload(k->classes, i));
            vf32 step = vvar(vmul(vload(steps, place), sign));
            vf32 sigma = vvar(vload(k->sigma, j));
            vstore(k->sigma, j, vmad(step, vload(k->kernel, vmad(i, k->l, j)), sigma));
            vset(i, vadd(i, 1));
        }
        SIMT_IF (vge(vabs(vsub(vload(k->alpha, j), before)), ENOUGH)) {
            vstore(moved, turn, 1);
        }
        vsync();
        vset(pass, vadd(pass, 1));
        vset(go, vload(moved, turn));
        SIMT_IF (vge(pass, k->most)) {
            vset(go, 0);
        }
    }
    SIMT_IF (veq(j, 0)) {
        vstore(k->passes, 0, pass);
    }
}

/* Images of the two classes are bright at different places. */
static void make_images(struct host *h, struct svm *k)
{
    for (int i = 0; i < k->l; i++) {
        const int class = (int)rng_below(host_rng(h), 2);
        k->classes.host[i] = class ? 1 : -1;
        for (int p = 0; p < k->features; p++)
            k->images.host[i * k->features + p] =
                (uint8_t)(rng_below(host_rng(h), GRAYS / 2) + (p / 16 % 2 == class ? GRAYS / 2 : 0));
    }
}

static void svm_host(struct host *h, void *state)
{
    struct svm *k = state;
    k->l = option(h, "images");
    k->features = option(h, "features");
    k->most = option(h, "passes");
    const uint64_t l = (uint64_t)k->l;
    k->table = device_f32(h, "B", GRAYS * GRAYS);
    k->images = device_u8(h, "X", l * (uint64_t)k->features);
    k->kernel = device_f32_2d(h, "K", l, l);
    k->classes = device_i32(h, "y", l);
    k->alpha = device_f32(h, "alpha", l);
    k->sigma = device_f32(h, "sigma", l);
    k->passes = device_i32(h, "iters", 1);
    for (int i = 0; i < GRAYS * GRAYS; i++) {
        const float difference = (float)(i / GRAYS - i % GRAYS) / (GRAYS - 1);
        k->table.host[i] = difference * difference;
    }
    make_images(h, k);
    simt_launch(h, &(struct launch){.name = "kernel_kernel_matrix",
                                    .kernel = matrix_kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->l, 32), blocks_for(k->l, 32)},
                                    .block = {32, 32},
                                    .regs = 18});
    simt_launch(h, &(struct launch){.name = "kernel_minibatch",
                                    .kernel = minibatch_kernel,
                                    .args = k,
                                    .block = {(uint32_t)k->l},
                                    .regs = 24,
                                    .shared_bytes = 16});
}

static float similarity(const struct svm *k, int i, int j)
{
    float sum = 0;
    for (int p = 0; p < k->features; p++)
        sum += k->table.host[k->images.host[i * k->features + p] * GRAYS + k->images.host[j * k->features + p]];
    return expf(sum * GAMMA);
}

/* One pass over all multipliers; whether one of them moved. */
static bool ascend(const struct svm *k, const float *kernel, float *alpha, float *sigma)
{
    bool moved = false;
    for (int i = 0; i < k->l; i++) {
        const float last = alpha[i], sign = (float)k->classes.host[i];
        float step = 1 / kernel[i * k->l + i] * (1 - sign * sigma[i]);
        alpha[i] += step;
        if (alpha[i] < 0) alpha[i] = 0, step = 0 - last;
        if (alpha[i] > BOUND) alpha[i] = BOUND, step = BOUND - last;
        moved |= fabsf(alpha[i] - last) >= ENOUGH;
        for (int j = 0; j < k->l; j++) sigma[j] += step * sign * kernel[i * k->l + j];
    }
    return moved;
}

static bool svm_check(struct host *h, void *state, struct error *err)
{
    const struct svm *k = state;
    float *kernel = host_alloc(h, k->kernel.array->count * sizeof *kernel);
    float *alpha = host_alloc(h, (uint64_t)k->l * sizeof *alpha),
          *sigma = host_alloc(h, (uint64_t)k->l * sizeof *sigma);
    int32_t passes = 0;
    for (int i = 0; i < k->l; i++)
        for (int j = 0; j < k->l; j++) kernel[i * k->l + j] = similarity(k, i, j);
    for (bool moved = true; moved && passes < k->most; passes++) moved = ascend(k, kernel, alpha, sigma);
    return check_f32(k->kernel, kernel, 0, err) && check_f32(k->alpha, alpha, 0, err) &&
           check_f32(k->sigma, sigma, 0, err) && check_i32(k->passes, &passes, err);
}

static const struct kernel_def svm = {
    .name = "svm",
    .summary = "support vector machine: a kernel matrix through a table, coordinate ascent with barriers",
    .origin = "UVMBench SVM",
    .options = {{"images", "of two digits: threads of the second thread block", NULL, 128, 1, 1024},
                {"features", "pixels of an image, and a constant", NULL, 785, 1, 4096},
                {"passes", "over the multipliers at most", NULL, 4, 1, 1000}},
    .suites = "uvmbench",
    .tables = "Gu20 5.1",
    .small = "images=9,features=10,passes=2",
    .reduced = "images=32,features=100,passes=2",
    .state_bytes = sizeof(struct svm),
    .host = svm_host,
    .check = svm_check,
};
KERNEL_REGISTER(svm)
