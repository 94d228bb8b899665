/* SPDX-License-Identifier: Apache-2.0 */
/* sgemm: C = beta C + alpha A B^T by register tiling (Parboil; gemm is Polybench's).  A thread holds 16 elements of a
 * row of C; the thread block's 8 x 16 elements of B are in shared memory, from which all lanes load the same word; each
 * element of A is loaded once a thread block.  Matrices are stored by columns. */
#include "program.h"

#define N 16           /* columns of a tile of C */
#define HEIGHT 8       /* of a tile of B */
#define M (N * HEIGHT) /* rows of a tile of C: threads */

struct sgemm {
    gf32 a, b, c;
    float *before;
    int m, n, k;
    float alpha, beta;
};

static void sgemm_kernel(struct warp *w)
{
    const struct sgemm *p = simt_args(w);
    sf32 tile = vshared_f32("b_s", HEIGHT * N);
    vi32 x = vvar(vthread_x()), y = vvar(vthread_y());
    vi32 mine = vvar(vmad(y, N, x)), row = vvar(vadd(mine, BLOCK_X * M)), column = vvar(vadd(x, BLOCK_Y * N));
    vf32 c[N];
    for (int i = 0; i < N; i++) c[i] = vvar(0.0f);
    vi32 k = vvar(0);
    SIMT_WHILE (vlt(k, p->k)) {
        vstore(tile, mine, vload(p->b, vmad(vadd(k, y), p->n, column)));
        vsync();
        for (int j = 0; j < HEIGHT; j++) {
            SIMT_IF (vlt(k, p->k)) { /* ends the variable; a compiler has no branch here */
                vf32 a = vvar(vload(p->a, vmad(vadd(k, j), p->m, row)));
                for (int i = 0; i < N; i++) vset(c[i], vmad(a, vload(tile, j * N + i), c[i]));
            }
        }
        vsync();
        vset(k, vadd(k, HEIGHT));
    }
    for (int i = 0; i < N; i++) {
        vi32 at = vvar(vadd(row, (BLOCK_Y * N + i) * p->m));
        vf32 old = vmul(vload(p->c, at), p->beta);
        vstore(p->c, at, vmad(c[i], p->alpha, old));
    }
}

static void expect_multiple(struct host *h, const char *name, int value, int of)
{
    if (value % of) host_fail(h, "%s: found %d, expected a multiple of %d", name, value, of);
}

static void sgemm_host(struct host *h, void *state)
{
    struct sgemm *p = state;
    p->m = option(h, "m");
    p->n = option(h, "n");
    p->k = option(h, "k");
    p->alpha = 1.5f, p->beta = 0.5f;
    expect_multiple(h, "m", p->m, M);
    expect_multiple(h, "n", p->n, N);
    expect_multiple(h, "k", p->k, HEIGHT);
    const uint64_t m = (uint64_t)p->m, n = (uint64_t)p->n, k = (uint64_t)p->k;
    p->a = random_f32_2d(h, "dA", k, m);
    p->b = random_f32_2d(h, "dB", k, n);
    p->c = random_f32_2d(h, "dC", n, m);
    p->before = snapshot(h, p->c);
    simt_launch(h, &(struct launch){.name = "mysgemmNT",
                                    .kernel = sgemm_kernel,
                                    .args = p,
                                    .grid = {(uint32_t)(p->m / M), (uint32_t)(p->n / N)},
                                    .block = {N, HEIGHT},
                                    .regs = 48,
                                    .shared_bytes = 4 * HEIGHT * N});
}

static bool sgemm_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct sgemm *p = state;
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->m; i++) {
            float sum = 0;
            for (int k = 0; k < p->k; k++) sum += p->a.host[k * p->m + i] * p->b.host[k * p->n + j];
            p->before[j * p->m + i] = sum * p->alpha + p->before[j * p->m + i] * p->beta;
        }
    return check_f32(p->c, p->before, 0, err);
}

static const struct kernel_def sgemm = {
    .name = "sgemm",
    .summary = "product of matrices by tiles in registers and shared memory",
    .origin = "Parboil sgemm",
    .options = {{"m", "rows of C, a multiple of 128", NULL, 512, M, 16384},
                {"n", "columns of C, a multiple of 16", NULL, 528, N, 16384},
                {"k", "terms of an element, a multiple of 8", NULL, 496, HEIGHT, 16384}},
    .suites = "parboil",
    .tables = "Gu20 2.3, 3.1",
    .small = "m=128,n=16,k=8",
    .reduced = "m=128,n=64,k=64",
    .state_bytes = sizeof(struct sgemm),
    .host = sgemm_host,
    .check = sgemm_check,
};
KERNEL_REGISTER(sgemm)
