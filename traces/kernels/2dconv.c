/* SPDX-License-Identifier: Apache-2.0 */
/* 2dconv: a 3 x 3 convolution of a matrix, a thread for each element (Polybench-GPU).  A warp reads three neighbouring
 * rows three times each, shifted by one element; the warp of the next row reads two of them again.  The border
 * of the result is not written. */
#include "polybench.h"

static const float weight[3][3] = {{0.2f, 0.5f, -0.8f}, {-0.3f, 0.6f, -0.9f}, {0.4f, 0.7f, 0.1f}};

struct conv2d {
    gf32 a, b;
    int rows, columns;
};

static void conv2d_kernel(struct warp *w)
{
    const struct conv2d *k = simt_args(w);
    vi32 j = vvar(vglobal_x()), i = vvar(vglobal_y());
    vbool last = vand(vlt(i, k->rows - 1), vlt(j, k->columns - 1));
    SIMT_IF (vand(vand(last, vgt(i, 0)), vgt(j, 0))) {
        vi32 at = vvar(vmad(i, k->columns, j));
        vf32 sum = vvar(0.0f);
        for (int n = 0; n < 9; n++) {
            vi32 neighbour = vadd(at, (n / 3 - 1) * k->columns + n % 3 - 1);
            vset(sum, vmad(vload(k->a, neighbour), weight[n / 3][n % 3], sum));
        }
        vstore(k->b, at, sum);
    }
}

static void conv2d_host(struct host *h, void *state)
{
    struct conv2d *k = state;
    k->rows = option(h, "rows");
    k->columns = option(h, "columns");
    const uint64_t rows = (uint64_t)k->rows, columns = (uint64_t)k->columns;
    k->a = random_f32_2d(h, "a", rows, columns);
    k->b = device_f32_2d(h, "b", rows, columns);
    plane_launch(h, "Convolution2D_kernel", conv2d_kernel, k, k->rows, k->columns, 30); /* ptxas 13.0, sm_75 */
}

static bool conv2d_check(struct host *h, void *state, struct error *err)
{
    const struct conv2d *k = state;
    float *b = host_alloc(h, k->b.array->count * sizeof *b);
    for (int i = 1; i < k->rows - 1; i++) {
        for (int j = 1; j < k->columns - 1; j++) {
            float sum = 0;
            for (int di = 0; di < 3; di++) {
                for (int dj = 0; dj < 3; dj++)
                    sum += weight[di][dj] * k->a.host[(i + di - 1) * k->columns + j + dj - 1];
            }
            b[i * k->columns + j] = sum;
        }
    }
    return check_f32(k->b, b, 0, err);
}

static const struct kernel_def conv2d = {
    .name = "2dconv",
    .summary = "3 x 3 convolution of a matrix",
    .origin = "Polybench-GPU 2DCONV",
    .options = {{"rows", "of both matrices", NULL, 1024, 1, 32768},
                {"columns", "of both matrices", NULL, 1024, 1, 32768}},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "rows=5,columns=6",
    .reduced = "rows=256,columns=256",
    .state_bytes = sizeof(struct conv2d),
    .host = conv2d_host,
    .check = conv2d_check,
};
KERNEL_REGISTER(conv2d)
