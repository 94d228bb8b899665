/* SPDX-License-Identifier: Apache-2.0 */
/* corr: correlation matrix of the columns of a matrix (Polybench-GPU): means and deviations by column, centred and
 * scaled elements, then a thread for each row of the upper triangle, as in covar.  Rows and columns are counted from 1.
 */
#include <math.h>

#include "polybench.h"

#define FLOAT_N 3214212.01f
#define LEAST 0.005f /* a smaller deviation counts as 1 */

struct corr {
    gf32 data, mean, stddev, symmat;
    float *before;
    int m, n;
};

static void mean_kernel(struct warp *w)
{
    const struct corr *k = simt_args(w);
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

/* The mean is loaded in every iteration, since the stored sum may alias it. */
static void std_kernel(struct warp *w)
{
    const struct corr *k = simt_args(w);
    vi32 j = vvar(vadd(vglobal_x(), 1));
    SIMT_IF (vle(j, k->m)) {
        vf32 sum = vvar(0.0f);
        vstore(k->stddev, j, sum);
        vi32 i = vvar(1);
        SIMT_WHILE (vle(i, k->n)) {
            vf32 value = vload(k->data, vmad(i, k->m + 1, j));
            vf32 difference = vsub(value, vload(k->mean, j));
            vset(sum, vmad(difference, difference, sum));
            vstore(k->stddev, j, sum);
            vset(i, vadd(i, 1));
        }
        vf32 deviation = vvar(vsqrt(vdiv(sum, FLOAT_N)));
        vstore(k->stddev, j, deviation);
        SIMT_IF (vle(deviation, LEAST)) {
            vstore(k->stddev, j, 1.0f);
        }
    }
}

static void reduce_kernel(struct warp *w)
{
    const struct corr *k = simt_args(w);
    vi32 j = vvar(vadd(vglobal_x(), 1)), i = vvar(vadd(vglobal_y(), 1));
    SIMT_IF (vand(vle(i, k->n), vle(j, k->m))) {
        vi32 at = vvar(vmad(i, k->m + 1, j));
        vf32 value = vload(k->data, at);
        vf32 centred = vvar(vsub(value, vload(k->mean, j)));
        vstore(k->data, at, centred);
        vstore(k->data, at, vdiv(centred, vmul(vload(k->stddev, j), sqrtf(FLOAT_N))));
    }
}

static void corr_kernel(struct warp *w)
{
    const struct corr *k = simt_args(w);
    const int row = k->m + 1;
    vi32 j1 = vvar(vadd(vglobal_x(), 1));
    SIMT_IF (vlt(j1, k->m)) {
        vstore(k->symmat, vmul(j1, row + 1), 1.0f);
        vi32 j2 = vvar(vadd(j1, 1));
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

static void corr_host(struct host *h, void *state)
{
    struct corr *k = state;
    const int block = option(h, "block");
    k->m = option(h, "m");
    k->n = option(h, "n");
    const uint64_t row = (uint64_t)k->m + 1, rows = (uint64_t)k->n + 1;
    k->data = random_f32_2d(h, "data", rows, row);
    k->mean = device_f32(h, "mean", row);
    k->stddev = device_f32(h, "stddev", row);
    k->symmat = device_f32_2d(h, "symmat", row, row);
    k->before = snapshot(h, k->data);
    k->symmat.host[row * row - 1] = 1; /* the kernel leaves the last one out */
    line_launch(h, "mean_kernel", mean_kernel, k, k->m, block, 14);
    line_launch(h, "std_kernel", std_kernel, k, k->m, block, 16);
    plane_launch(h, "reduce_kernel", reduce_kernel, k, k->n, k->m, 14);
    line_launch(h, "corr_kernel", corr_kernel, k, k->m, block, 20);
}

/* Centres and scales `data`; the sums of a column are in the order of its rows. */
static void normalize(const struct corr *k, float *data, float *mean, float *stddev)
{
    const int row = k->m + 1;
    for (int j = 1; j <= k->m; j++) {
        for (int i = 1; i <= k->n; i++) mean[j] += data[i * row + j];
        mean[j] /= FLOAT_N;
        for (int i = 1; i <= k->n; i++) {
            const float difference = data[i * row + j] - mean[j];
            stddev[j] += difference * difference;
        }
        stddev[j] = sqrtf(stddev[j] / FLOAT_N);
        if (stddev[j] <= LEAST) stddev[j] = 1;
        for (int i = 1; i <= k->n; i++)
            data[i * row + j] = (data[i * row + j] - mean[j]) / (stddev[j] * sqrtf(FLOAT_N));
    }
}

static bool corr_check(struct host *h, void *state, struct error *err)
{
    const struct corr *k = state;
    const int row = k->m + 1;
    float *mean = host_alloc(h, (uint64_t)row * sizeof *mean), *stddev = host_alloc(h, (uint64_t)row * sizeof *stddev);
    float *products = host_alloc(h, k->symmat.array->count * sizeof *products);
    normalize(k, k->before, mean, stddev);
    for (int i = 1; i <= k->n; i++) {
        const float *line = k->before + i * row;
        for (int j1 = 1; j1 <= k->m; j1++)
            for (int j2 = 1; j2 <= k->m; j2++) products[j1 * row + j2] += line[j1] * line[j2];
    }
    for (int j = 1; j <= k->m; j++) products[j * row + j] = 1;
    return check_f32(k->mean, mean, 0, err) && check_f32(k->stddev, stddev, 0, err) &&
           check_f32(k->data, k->before, 0, err) && check_f32(k->symmat, products, 0, err);
}

static const struct kernel_def corr = {
    .name = "corr",
    .summary = "correlations of the columns of a matrix, a thread for each row of the triangle",
    .origin = "Polybench-GPU CORR",
    .options = {{"m", "columns", NULL, 512, 1, 16384},
                {"n", "rows", NULL, 512, 1, 16384},
                {"block", "threads of a thread block", NULL, 256, 1, 1024}},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "m=6,n=7",
    .reduced = "m=64,n=64",
    .state_bytes = sizeof(struct corr),
    .host = corr_host,
    .check = corr_check,
};
KERNEL_REGISTER(corr)
