/* SPDX-License-Identifier: Apache-2.0 */
/* gesummv: y = alpha A x + beta B x (Polybench-GPU).  A thread for each row: two loads strided by the row length in
 * each iteration.  As in atax the pointers may alias: both sums are stored in every iteration, and x[j] is loaded again
 * after the first store. */
#include "trace/kernels.h"

#define ALPHA 43532.0f
#define BETA 12313.0f

struct gesummv {
    gf32 a, b, x, y, tmp;
    int rows, columns;
};

static void gesummv_kernel(struct warp *w)
{
    const struct gesummv *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->rows)) {
        vf32 tmp = vvar(vload(k->tmp, i)), y = vvar(vload(k->y, i));
        vi32 j = vvar(0);
        SIMT_WHILE (vlt(j, k->columns)) {
            vi32 at = vvar(vmad(i, k->columns, j));
            vset(tmp, vmad(vload(k->a, at), vload(k->x, j), tmp));
            vstore(k->tmp, i, tmp);
            vset(y, vmad(vload(k->b, at), vload(k->x, j), y));
            vstore(k->y, i, y);
            vset(j, vadd(j, 1));
        }
        vstore(k->y, i, vadd(vmul(tmp, ALPHA), vmul(y, BETA)));
    }
}

static void gesummv_host(struct host *h, void *state)
{
    struct gesummv *k = state;
    k->rows = option(h, "rows");
    k->columns = option(h, "columns");
    uint64_t size = (uint64_t)k->rows * (uint64_t)k->columns;
    k->a = device_f32_2d(h, "a", (uint64_t)k->rows, (uint64_t)k->columns);
    k->b = device_f32_2d(h, "b", (uint64_t)k->rows, (uint64_t)k->columns);
    k->x = device_f32(h, "x", (uint64_t)k->columns);
    k->y = device_f32(h, "y", (uint64_t)k->rows);
    k->tmp = device_f32(h, "tmp", (uint64_t)k->rows);
    for (uint64_t i = 0; i < size; i++) {
        k->a.host[i] = (float)rng_unit(host_rng(h));
        k->b.host[i] = (float)rng_unit(host_rng(h));
    }
    for (int j = 0; j < k->columns; j++) k->x.host[j] = (float)rng_unit(host_rng(h));
    int block = option(h, "block");
    simt_launch(h, &(struct launch){.name = "gesummv_kernel",
                                    .kernel = gesummv_kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->rows, block)},
                                    .block = {(uint32_t)block},
                                    .regs = 16});
}

static bool gesummv_check(struct host *h, void *state, struct error *err)
{
    const struct gesummv *k = state;
    float *want = host_alloc(h, (uint64_t)k->rows * sizeof *want);
    for (int i = 0; i < k->rows; i++) {
        float tmp = 0, y = 0;
        for (int j = 0; j < k->columns; j++) {
            tmp += k->a.host[i * k->columns + j] * k->x.host[j];
            y += k->b.host[i * k->columns + j] * k->x.host[j];
        }
        want[i] = tmp * ALPHA + y * BETA;
    }
    return check_f32(k->y, want, 0, err);
}

static const struct kernel_def gesummv = {
    .name = "gesummv",
    .summary = "y = alpha A x + beta B x, two strided streams",
    .origin = "Polybench-GPU GESUMMV",
    .options = {{"rows", "of A and B", NULL, 4096, 1, 32768},
                {"columns", "of A and B", NULL, 128, 1, 32768},
                {"block", "threads of a thread block", NULL, 128, 1, 1024}},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "rows=8,columns=6",
    .reduced = "rows=1024,columns=64",
    .state_bytes = sizeof(struct gesummv),
    .host = gesummv_host,
    .check = gesummv_check,
};
KERNEL_REGISTER(gesummv)
