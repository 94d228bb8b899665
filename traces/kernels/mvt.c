/* SPDX-License-Identifier: Apache-2.0 */
/* mvt: x1 += A y1, x2 += A^T y2 (Polybench-GPU).  As in atax, one kernel by rows, one by columns (polybench.h); A is
 * square, so that few warps run for long. */
#include "polybench.h"

struct mvt {
    struct matvec first, second;
    float *x1, *x2; /* as they were before */
};

static void mvt_host(struct host *h, void *state)
{
    struct mvt *k = state;
    int n = option(h, "n");
    uint64_t count = (uint64_t)n;
    gf32 a = random_f32_2d(h, "a", count, count);
    gf32 x1 = random_f32(h, "x1", count), x2 = random_f32(h, "x2", count);
    gf32 y1 = random_f32(h, "y1", count), y2 = random_f32(h, "y2", count);
    k->first = (struct matvec){.a = a, .in = y1, .out = x1, .rows = n, .columns = n};
    k->second = (struct matvec){.a = a, .in = y2, .out = x2, .rows = n, .columns = n, .transposed = true};
    k->x1 = snapshot(h, x1);
    k->x2 = snapshot(h, x2);
    matvec_launch(h, &k->first, "mvt_kernel1");
    matvec_launch(h, &k->second, "mvt_kernel2");
}

static bool mvt_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct mvt *k = state;
    matvec_reference(&k->first, k->first.in.host, k->x1);
    matvec_reference(&k->second, k->second.in.host, k->x2);
    return check_f32(k->first.out, k->x1, 0, err) && check_f32(k->second.out, k->x2, 0, err);
}

static const struct kernel_def mvt = {
    .name = "mvt",
    .summary = "x1 += A y1 and x2 += A^T y2",
    .origin = "Polybench-GPU MVT",
    .options = {{"n", "rows and columns of A", NULL, 1024, 1, 32768},
                {"block", "threads of a thread block", NULL, 32, 1, 1024}},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "n=8",
    .reduced = "n=256",
    .state_bytes = sizeof(struct mvt),
    .host = mvt_host,
    .check = mvt_check,
};
KERNEL_REGISTER(mvt)
