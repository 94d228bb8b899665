/* SPDX-License-Identifier: Apache-2.0 */
/* covar: covariance matrix of the columns of a matrix (Polybench-GPU): means by column, differences from them, then a
 * thread for each row of the upper triangle, whose products are stored in every iteration to 32 lines a warp.  Rows and
 * columns are counted from 1, as in the original: row 0 and column 0 are unused, so that no row is aligned. */
#include "polybench.h"

#define FLOAT_N 3214212.01f

struct covar {
    gf32 data, mean, symmat;
    float *before;
    int m, n;
};

static void mean_kernel(struct warp *w)
{
    const struct covar *k = simt_args(w);
    vi32 j = vvar(vadd(vglobal_x(), 1));
    SIMT_IF (vle(j, k->m)) {
        vf32 sum = vvar(0.0f);
        vstore(k->mean, j, sum);
        vi32 i = vvar(1);
        SIMT_WHILE (vle(i, k->n)) {
            vset(sum, vadd(vload(k->data, vmad(i, k->m + 1, j)), sum));
            vstore(k->mean, j, sum);
            vset(i, vadd(i, 1));
        }
        vstore(k->mean, j, vdiv(sum, FLOAT_N));
    }
}

static void reduce_kernel(struct warp *w)
{
    const struct covar *k = simt_args(w);
    vi32 j = vvar(vadd(vglobal_x(), 1)), i = vvar(vadd(vglobal_y(), 1));
    SIMT_IF (vand(vle(i, k->n), vle(j, k->m))) {
        vi32 at = vvar(vmad(i, k->m + 1, j));
        vf32 value = vload(k->data, at);
        vstore(k->data, at, vsub(value, vload(k->mean, j)));
    }
}

static void covar_kernel(struct warp *w)
{
    const struct covar *k = simt_args(w);
    const int row = k->m + 1;
    vi32 j1 = vvar(vadd(vglobal_x(), 1));
    SIMT_IF (vle(j1, k->m)) {
        vi32 j2 = vvar(j1);
        SIMT_WHILE (vle(j2, k->m)) {
            vi32 at = vvar(vmad(j1, row, j2)), i = vvar(1);
            vf32 sum = vvar(0.0f);
            vstore(k->symmat, at, sum);
            SIMT_WHILE (vle(i, k->n)) {
                vf32 left = vload(k->data, vmad(i, row, j1));
                vset(sum, vmad(left, vload(k->data, vmad(i, row, j2)), sum));
                vstore(k->symmat, at, sum);
                vset(i, vadd(i, 1));
            }
            vstore(k->symmat, vmad(j2, row, j1), sum);
            vset(j2, vadd(j2, 1));
        }
    }
}

static void launch(struct host *h, const struct covar *k, const char *name, void (*kernel)(struct warp *w),
                   uint32_t regs)
{
    const int block = option(h, "block");
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->m, block)},
                                    .block = {(uint32_t)block},
                                    .regs = regs}); /* ptxas 13.0, sm_75, no loop unrolled; so is reduce_kernel's */
}

static void covar_host(struct host *h, void *state)
{
    struct covar *k = state;
    k->m = option(h, "m");
    k->n = option(h, "n");
    const uint64_t row = (uint64_t)k->m + 1, rows = (uint64_t)k->n + 1;
    k->data = random_f32_2d(h, "data", rows, row);
    k->mean = device_f32(h, "mean", row);
    k->symmat = device_f32_2d(h, "symmat", row, row);
    k->before = snapshot(h, k->data);
    launch(h, k, "mean_kernel", mean_kernel, 14);
    plane_launch(h, "reduce_kernel", reduce_kernel, k, k->n, k->m, 10);
    launch(h, k, "covar_kernel", covar_kernel, 20);
}

static void subtract_means(const struct covar *k, float *data, float *mean)
{
    const int row = k->m + 1;
    for (int i = 1; i <= k->n; i++) {
        for (int j = 1; j <= k->m; j++) mean[j] += data[i * row + j];
    }
    for (int j = 1; j <= k->m; j++) mean[j] /= FLOAT_N;
    for (int i = 1; i <= k->n; i++) {
        for (int j = 1; j <= k->m; j++) data[i * row + j] -= mean[j];
    }
}

static bool covar_check(struct host *h, void *state, struct error *err)
{
    const struct covar *k = state;
    const int row = k->m + 1;
    float *mean = host_alloc(h, k->mean.array->count * sizeof *mean);
    float *products = host_alloc(h, k->symmat.array->count * sizeof *products);
    subtract_means(k, k->before, mean);
    for (int i = 1; i <= k->n; i++) {
        const float *line = k->before + i * row;
        for (int j1 = 1; j1 <= k->m; j1++) {
            for (int j2 = 1; j2 <= k->m; j2++) products[j1 * row + j2] += line[j1] * line[j2];
        }
    }
    return check_f32(k->mean, mean, 0, err) && check_f32(k->data, k->before, 0, err) &&
           check_f32(k->symmat, products, 0, err);
}

static const struct kernel_def covar = {
    .name = "covar",
    .summary = "covariances of the columns of a matrix, a thread for each row of the triangle",
    .origin = "Polybench-GPU COVAR",
    .options = {{"m", "columns", NULL, 512, 1, 16384},
                {"n", "rows", NULL, 512, 1, 16384},
                {"block", "threads of a thread block", NULL, 256, 1, 1024}},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "m=6,n=7",
    .reduced = "m=64,n=64",
    .state_bytes = sizeof(struct covar),
    .host = covar_host,
    .check = covar_check,
};
KERNEL_REGISTER(covar)
