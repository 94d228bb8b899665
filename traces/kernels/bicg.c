/* SPDX-License-Identifier: Apache-2.0 */
/* bicg: s = A^T r, q = A p, the products of the BiCGStab solver (Polybench-GPU).  Coalesced by columns first, then
 * strided by rows (polybench.h); unlike atax, neither kernel waits for the other's result, and both clear their sums.
 * So each can run alone.
 */
#include "polybench.h"

enum { BOTH, COALESCED, STRIDED };

struct bicg {
    int kernels;
    struct matvec s, q;
};

static void bicg_host(struct host *h, void *state)
{
    struct bicg *k = state;
    int rows = option(h, "rows"), columns = option(h, "columns");
    gf32 a = random_f32_2d(h, "a", (uint64_t)rows, (uint64_t)columns);
    gf32 r = random_f32(h, "r", (uint64_t)rows), p = random_f32(h, "p", (uint64_t)columns);
    gf32 s = random_f32(h, "s", (uint64_t)columns), q = random_f32(h, "q", (uint64_t)rows);
    k->s = (struct matvec){a, r, s, rows, columns, .transposed = true, .clear = true};
    k->q = (struct matvec){a, p, q, rows, columns, .clear = true};
    k->kernels = option(h, "kernels");
    if (k->kernels != STRIDED) matvec_launch(h, &k->s, "bicg_kernel1");
    if (k->kernels != COALESCED) matvec_launch(h, &k->q, "bicg_kernel2");
}

static bool bicg_check(struct host *h, void *state, struct error *err)
{
    const struct bicg *k = state;
    float *s = host_alloc(h, (uint64_t)k->s.columns * sizeof *s), *q = host_alloc(h, (uint64_t)k->q.rows * sizeof *q);
    matvec_reference(&k->s, k->s.in.host, s);
    matvec_reference(&k->q, k->q.in.host, q);
    return (k->kernels == STRIDED || check_f32(k->s.out, s, 0, err)) &&
           (k->kernels == COALESCED || check_f32(k->q.out, q, 0, err));
}

static const struct kernel_def bicg = {
    .name = "bicg",
    .summary = "s = A^T r, coalesced, and q = A p, strided by row",
    .origin = "Polybench-GPU BICG",
    .options = {{"rows", "of A", NULL, 4096, 1, 32768},
                {"columns", "of A", NULL, 512, 1, 32768},
                {"block", "threads of a thread block", NULL, 256, 1, 1024},
                {"kernels", "that are launched", "both|coalesced|strided", BOTH, 0, 0}},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "rows=8,columns=6",
    .reduced = "rows=512,columns=256",
    .state_bytes = sizeof(struct bicg),
    .host = bicg_host,
    .check = bicg_check,
};
KERNEL_REGISTER(bicg)
