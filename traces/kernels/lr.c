/* SPDX-License-Identifier: Apache-2.0 */
/* lr: logistic regression by gradient descent (UVMBench).  In each iteration the matrix of features is read twice: by a
 * thread for each instance, and by a thread block for each feature, which adds in shared memory; the matrix is stored
 * by features, so both are coalesced.  The products and the update are library calls there, whose source is not
 * published. */
#include <math.h>

#include "program.h"

#define BLOCK 128
#define RATE 10.0f

struct lr {
    gf32 features, weights, cost, product;
    gi32 classes;
    int n, f, iterations;
};

static void classify_kernel(struct warp *w)
{
    const struct lr *k = simt_args(w);
    vi32 i = vvar(vglobal_x()), j = vvar(0);
    SIMT_IF (vlt(i, k->n)) {
        vf32 sum = vvar(0.0f);
        SIMT_WHILE (vlt(j, k->f)) {
            vf32 weight = vload(k->weights, j);
            vset(sum, vmad(vload(k->features, vmad(j, k->n, i)), weight, sum));
            vset(j, vadd(j, 1));
        }
        vstore(k->cost, i, sum);
    }
}

static void cost_kernel(struct warp *w)
{
    const struct lr *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n)) {
        vf32 odds = vexp(vsub(V(0.0f), vload(k->cost, i)));
        vf32 chance = vvar(vdiv(V(1.0f), vadd(odds, 1.0f)));
        vstore(k->cost, i, vsub(chance, vfloat(vload(k->classes, i))));
    }
}

static void gradient_kernel(struct warp *w)
{
    const struct lr *k = simt_args(w);
    sf32 sums = vshared_f32("sums", BLOCK);
    vi32 thread = vvar(vthread_x()), i = vvar(thread);
    vf32 sum = vvar(0.0f);
    SIMT_WHILE (vlt(i, k->n)) {
        vf32 cost = vload(k->cost, i);
        vset(sum, vmad(vload(k->features, vadd(i, BLOCK_X * k->n)), cost, sum));
        vset(i, vadd(i, BLOCK));
    }
    vstore(sums, thread, sum);
    tree_sum(w, sums, thread, BLOCK);
    SIMT_IF (veq(thread, 0)) {
        vstore(k->product, BLOCK_X, vload(sums, 0));
    }
}

static void update_kernel(struct warp *w)
{
    const struct lr *k = simt_args(w);
    vi32 j = vvar(vglobal_x());
    SIMT_IF (vlt(j, k->f)) {
        vf32 weight = vload(k->weights, j);
        vstore(k->weights, j, vmad(vload(k->product, j), -RATE / (float)k->n, weight));
    }
}

static void lr_host(struct host *h, void *state)
{
    struct lr *k = state;
    k->n = option(h, "instances");
    k->f = option(h, "features");
    k->iterations = option(h, "iterations");
    k->features = random_f32_2d(h, "featureMatTrans", (uint64_t)k->f, (uint64_t)k->n);
    k->classes = device_i32(h, "classArr", (uint64_t)k->n);
    k->weights = device_f32(h, "weights", (uint64_t)k->f);
    k->cost = device_f32(h, "dCostArr", (uint64_t)k->n);
    k->product = device_f32(h, "dFeaCostProdArr", (uint64_t)k->f);
    for (int i = 0; i < k->n; i++) k->classes.host[i] = (int32_t)rng_below(host_rng(h), 2);
    for (int i = 0; i < k->iterations; i++) {
        line_launch(h, "gemv_n", classify_kernel, k, k->n, BLOCK, 14);
        line_launch(h, "ComputeCost", cost_kernel, k, k->n, BLOCK, 10);
        simt_launch(h, &(struct launch){.name = "gemv_t",
                                        .kernel = gradient_kernel,
                                        .args = k,
                                        .grid = {(uint32_t)k->f},
                                        .block = {BLOCK},
                                        .regs = 16,
                                        .shared_bytes = BLOCK * 4});
        line_launch(h, "axpy", update_kernel, k, k->f, BLOCK, 10);
    }
}

static void descend(const struct lr *k, float *weights, float *cost, float *product)
{
    for (int i = 0; i < k->n; i++) {
        float sum = 0;
        for (int j = 0; j < k->f; j++) sum += k->features.host[j * k->n + i] * weights[j];
        cost[i] = 1 / (1 + expf(0 - sum)) - (float)k->classes.host[i];
    }
    for (int j = 0; j < k->f; j++) {
        float sums[BLOCK] = {0};
        for (int i = 0; i < k->n; i++) sums[i % BLOCK] += k->features.host[j * k->n + i] * cost[i];
        product[j] = tree_sum_reference(sums, BLOCK);
        weights[j] = product[j] * (-RATE / (float)k->n) + weights[j];
    }
}

static bool lr_check(struct host *h, void *state, struct error *err)
{
    const struct lr *k = state;
    float *weights = host_alloc(h, (uint64_t)k->f * sizeof *weights),
          *cost = host_alloc(h, (uint64_t)k->n * sizeof *cost);
    float *product = host_alloc(h, (uint64_t)k->f * sizeof *product);
    for (int i = 0; i < k->iterations; i++) descend(k, weights, cost, product);
    return check_f32(k->weights, weights, 0, err) && check_f32(k->cost, cost, 0, err) &&
           check_f32(k->product, product, 0, err);
}

static const struct kernel_def lr = {
    .name = "lr",
    .summary = "logistic regression: a matrix by columns and by rows in every iteration",
    .origin = "UVMBench logistic-regression",
    .options = {{"instances", "rows of the matrix", NULL, 1000, 1, 1 << 20},
                {"features", "columns", NULL, 2048, 1, 1 << 20},
                {"iterations", "of gradient descent", NULL, 3, 1, 1000}},
    .suites = "uvmbench",
    .tables = "Gu20 5.1",
    .small = "instances=40,features=3,iterations=2",
    .reduced = "instances=256,features=128,iterations=1",
    .state_bytes = sizeof(struct lr),
    .host = lr_host,
    .check = lr_check,
};
KERNEL_REGISTER(lr)
