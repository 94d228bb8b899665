/* SPDX-License-Identifier: Apache-2.0 */
/* fdtd2d: an electromagnetic wave in a plane, by finite differences in time (Polybench-GPU FDTD-2D).  Three launches a
 * step, each of which streams over two or three of the fields ex, ey and hz: all of them are touched again in each
 * step, after all else has been. */
#include "polybench.h"

struct fdtd2d {
    gf32 source, ex, ey, hz; /* rows x (columns + 1), (rows + 1) x columns, rows x columns */
    float *ex_before, *ey_before, *hz_before;
    int rows, columns, steps;
    int t;
};

static void ey_kernel(struct warp *w)
{
    const struct fdtd2d *k = simt_args(w);
    vi32 j = vvar(vglobal_x()), i = vvar(vglobal_y());
    SIMT_IF (vand(vlt(i, k->rows), vlt(j, k->columns))) {
        vi32 at = vvar(vmad(i, k->columns, j));
        SIMT_IF (veq(i, 0)) {
            vstore(k->ey, at, vload(k->source, k->t));
        }
        SIMT_ELSE
        {
            vf32 here = vvar(vload(k->hz, at));
            vf32 slope = vsub(here, vload(k->hz, vsub(at, k->columns)));
            vstore(k->ey, at, vmad(slope, -0.5f, vload(k->ey, at)));
        }
    }
}

static void ex_kernel(struct warp *w)
{
    const struct fdtd2d *k = simt_args(w);
    vi32 j = vvar(vglobal_x()), i = vvar(vglobal_y());
    SIMT_IF (vand(vand(vlt(i, k->rows), vlt(j, k->columns)), vgt(j, 0))) {
        vi32 at = vvar(vmad(i, k->columns, j)), of_ex = vvar(vmad(i, k->columns + 1, j));
        vf32 here = vvar(vload(k->hz, at));
        vf32 slope = vsub(here, vload(k->hz, vsub(at, 1)));
        vstore(k->ex, of_ex, vmad(slope, -0.5f, vload(k->ex, of_ex)));
    }
}

static void hz_kernel(struct warp *w)
{
    const struct fdtd2d *k = simt_args(w);
    vi32 j = vvar(vglobal_x()), i = vvar(vglobal_y());
    SIMT_IF (vand(vlt(i, k->rows), vlt(j, k->columns))) {
        vi32 at = vvar(vmad(i, k->columns, j)), of_ex = vvar(vmad(i, k->columns + 1, j));
        vf32 curl = vvar(vload(k->ex, vadd(of_ex, 1)));
        vset(curl, vsub(curl, vload(k->ex, of_ex)));
        vset(curl, vadd(curl, vload(k->ey, vadd(at, k->columns))));
        vset(curl, vsub(curl, vload(k->ey, at)));
        vstore(k->hz, at, vmad(curl, -0.7f, vload(k->hz, at)));
    }
}

static void fdtd2d_host(struct host *h, void *state)
{
    struct fdtd2d *k = state;
    k->rows = option(h, "rows");
    k->columns = option(h, "columns");
    k->steps = option(h, "steps");
    uint64_t rows = (uint64_t)k->rows, columns = (uint64_t)k->columns;
    k->source = random_f32(h, "fict", (uint64_t)k->steps);
    k->ex = random_f32_2d(h, "ex", rows, columns + 1);
    k->ey = random_f32_2d(h, "ey", rows + 1, columns);
    k->hz = random_f32_2d(h, "hz", rows, columns);
    k->ex_before = snapshot(h, k->ex);
    k->ey_before = snapshot(h, k->ey);
    k->hz_before = snapshot(h, k->hz);
    for (k->t = 0; k->t < k->steps; k->t++) { /* registers: ptxas 13.0, sm_75 */
        plane_launch(h, "fdtd_step1_kernel", ey_kernel, k, k->rows, k->columns, 12);
        plane_launch(h, "fdtd_step2_kernel", ex_kernel, k, k->rows, k->columns, 12);
        plane_launch(h, "fdtd_step3_kernel", hz_kernel, k, k->rows, k->columns, 16);
    }
}

static void reference_step(const struct fdtd2d *k, float source)
{
    int n = k->columns;
    float *ex = k->ex_before, *ey = k->ey_before, *hz = k->hz_before;
    for (int j = 0; j < n; j++) ey[j] = source;
    for (int at = n; at < k->rows * n; at++) ey[at] -= 0.5f * (hz[at] - hz[at - n]);
    for (int i = 0; i < k->rows; i++) {
        for (int j = 1; j < n; j++) ex[i * (n + 1) + j] -= 0.5f * (hz[i * n + j] - hz[i * n + j - 1]);
    }
    for (int i = 0; i < k->rows; i++) {
        for (int j = 0; j < n; j++) {
            const float *x = &ex[i * (n + 1) + j], *y = &ey[i * n + j];
            hz[i * n + j] -= 0.7f * (x[1] - x[0] + y[n] - y[0]);
        }
    }
}

static bool fdtd2d_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct fdtd2d *k = state;
    for (int t = 0; t < k->steps; t++) reference_step(k, k->source.host[t]);
    return check_f32(k->ex, k->ex_before, 0, err) && check_f32(k->ey, k->ey_before, 0, err) &&
           check_f32(k->hz, k->hz_before, 0, err);
}

static const struct kernel_def fdtd2d = {
    .name = "fdtd2d",
    .summary = "electromagnetic wave in a plane, three launches a step",
    .origin = "Polybench-GPU FDTD-2D",
    .options = {{"rows", "of the plane", NULL, 512, 1, 16384},
                {"columns", "of the plane", NULL, 512, 1, 16384},
                {"steps", "of time", NULL, 10, 1, 10000}},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "rows=5,columns=6,steps=1",
    .reduced = "rows=128,columns=128,steps=3",
    .state_bytes = sizeof(struct fdtd2d),
    .host = fdtd2d_host,
    .check = fdtd2d_check,
};
KERNEL_REGISTER(fdtd2d)
