/* SPDX-License-Identifier: Apache-2.0 */
/* gramschm: the QR factorization A = Q R by modified Gram-Schmidt (Polybench-GPU), three launches a column.  One thread
 * adds the squares of the column, a line an element; then a line for each lane divides it; then a thread for each later
 * column reads its elements twice, a line a row, and writes them. */
#include <math.h>

#include "polybench.h"

struct gramschm {
    gf32 a, r, q;
    float *before;
    int rows, columns;
    int column; /* of this launch */
};

static void norm_kernel(struct warp *w)
{
    const struct gramschm *k = simt_args(w);
    vi32 thread = vvar(vglobal_x());
    SIMT_IF (veq(thread, 0)) {
        vf32 norm = vvar(0.0f);
        vi32 i = vvar(0);
        SIMT_WHILE (vlt(i, k->rows)) {
            vf32 value = vload(k->a, vmad(i, k->columns, k->column));
            vset(norm, vmad(value, value, norm));
            vset(i, vadd(i, 1));
        }
        vstore(k->r, k->column * (k->columns + 1), vsqrt(norm));
    }
}

static void divide_kernel(struct warp *w)
{
    const struct gramschm *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->rows)) {
        vi32 at = vvar(vmad(i, k->columns, k->column));
        vf32 norm = vload(k->r, k->column * (k->columns + 1));
        vstore(k->q, at, vdiv(vload(k->a, at), norm));
    }
}

static void subtract_kernel(struct warp *w)
{
    const struct gramschm *k = simt_args(w);
    vi32 j = vvar(vglobal_x());
    SIMT_IF (vand(vgt(j, k->column), vlt(j, k->columns))) {
        vi32 at = vvar(vadd(j, k->column * k->columns)), i = vvar(0);
        vf32 sum = vvar(0.0f);
        vstore(k->r, at, sum);
        SIMT_WHILE (vlt(i, k->rows)) {
            vf32 q = vload(k->q, vmad(i, k->columns, k->column));
            vset(sum, vmad(vload(k->a, vmad(i, k->columns, j)), q, sum));
            vstore(k->r, at, sum);
            vset(i, vadd(i, 1));
        }
        vset(i, 0);
        SIMT_WHILE (vlt(i, k->rows)) {
            vi32 place = vvar(vmad(i, k->columns, j));
            vf32 product = vmul(vload(k->q, vmad(i, k->columns, k->column)), vload(k->r, at));
            vstore(k->a, place, vsub(vload(k->a, place), product));
            vset(i, vadd(i, 1));
        }
    }
}

static void gramschm_host(struct host *h, void *state)
{
    struct gramschm *k = state;
    const int block = option(h, "block");
    k->rows = option(h, "rows");
    k->columns = option(h, "columns");
    if (k->rows < k->columns)
        host_fail(h, "rows: found %d, expected at least as many as columns, %d", k->rows, k->columns);
    const uint64_t rows = (uint64_t)k->rows, columns = (uint64_t)k->columns;
    k->a = random_f32_2d(h, "a", rows, columns);
    k->r = device_f32_2d(h, "r", columns, columns);
    k->q = device_f32_2d(h, "q", rows, columns);
    k->before = snapshot(h, k->a);
    for (k->column = 0; k->column < k->columns; k->column++) {
        line_launch(h, "gramschmidt_kernel1", norm_kernel, k, 1, block, 12);
        line_launch(h, "gramschmidt_kernel2", divide_kernel, k, k->rows, block, 12);
        line_launch(h, "gramschmidt_kernel3", subtract_kernel, k, k->columns, block, 18);
    }
}

static void factorize(const struct gramschm *k, float *a, float *q, float *r)
{
    const int n = k->columns;
    for (int c = 0; c < n; c++) {
        float norm = 0;
        for (int i = 0; i < k->rows; i++) norm += a[i * n + c] * a[i * n + c];
        r[c * n + c] = sqrtf(norm);
        for (int i = 0; i < k->rows; i++) q[i * n + c] = a[i * n + c] / r[c * n + c];
        for (int j = c + 1; j < n; j++) {
            for (int i = 0; i < k->rows; i++) r[c * n + j] += a[i * n + j] * q[i * n + c];
            for (int i = 0; i < k->rows; i++) a[i * n + j] -= q[i * n + c] * r[c * n + j];
        }
    }
}

static bool gramschm_check(struct host *h, void *state, struct error *err)
{
    const struct gramschm *k = state;
    float *q = host_alloc(h, k->q.array->count * sizeof *q), *r = host_alloc(h, k->r.array->count * sizeof *r);
    factorize(k, k->before, q, r);
    return check_f32(k->r, r, 0, err) && check_f32(k->q, q, 0, err) && check_f32(k->a, k->before, 0, err);
}

static const struct kernel_def gramschm = {
    .name = "gramschm",
    .summary = "QR factorization by modified Gram-Schmidt, three launches a column",
    .origin = "Polybench-GPU GRAMSCHM",
    .options = {{"rows", "of A, at least as many as columns", NULL, 256, 1, 16384},
                {"columns", "of A", NULL, 128, 1, 16384},
                {"block", "threads of a thread block", NULL, 256, 1, 1024}},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "rows=8,columns=5",
    .reduced = "rows=64,columns=32",
    .state_bytes = sizeof(struct gramschm),
    .host = gramschm_host,
    .check = gramschm_check,
};
KERNEL_REGISTER(gramschm)
