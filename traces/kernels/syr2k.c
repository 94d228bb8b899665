/* SPDX-License-Identifier: Apache-2.0 */
/* syr2k: C = alpha A B^T + alpha B A^T + beta C (Polybench-GPU).  As syrk with two matrices: in each iteration two
 * loads that are the same for a row of threads, two that are strided by the row length, and a store (polybench.h). */
#include "polybench.h"

#define ALPHA 12435.0f
#define BETA 4546.0f

struct syr2k {
    struct product p;
    gf32 a, b;
};

static vf32 add_term(struct warp *w, const void *args, vi32 i, vi32 j, vi32 k, vf32 sum)
{
    const struct syr2k *s = args;
    vi32 row = vvar(vmad(i, s->p.terms, k)), column = vvar(vmad(j, s->p.terms, k));
    vf32 term = vvar(vmul(vmul(vload(s->a, row), ALPHA), vload(s->b, column)));
    vf32 left = vmul(vload(s->b, row), ALPHA);
    return vadd(vmad(left, vload(s->a, column), term), sum);
}

static void syr2k_host(struct host *h, void *state)
{
    struct syr2k *s = state;
    int n = option(h, "n"), m = option(h, "m");
    s->a = random_f32_2d(h, "a", (uint64_t)n, (uint64_t)m);
    s->b = random_f32_2d(h, "b", (uint64_t)n, (uint64_t)m);
    s->p = (struct product){.rows = n, .columns = n, .terms = m, .beta = BETA, .args = s, .add = add_term};
    product_launch(h, &s->p, "syr2k_kernel", 22); /* ptxas 13.0, sm_75, the loop not unrolled */
}

static bool syr2k_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct syr2k *s = state;
    int n = s->p.rows, m = s->p.terms;
    const float *a = s->a.host, *b = s->b.host;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            float *c = &s->p.c_before[i * n + j];
            *c *= BETA;
            for (int k = 0; k < m; k++) *c += ALPHA * a[i * m + k] * b[j * m + k] + ALPHA * b[i * m + k] * a[j * m + k];
        }
    }
    return check_f32(s->p.c, s->p.c_before, 0, err);
}

static const struct kernel_def syr2k = {
    .name = "syr2k",
    .summary = "C = alpha A B^T + alpha B A^T + beta C",
    .origin = "Polybench-GPU SYR2K",
    .options = {{"n", "rows of A and B, rows and columns of C", NULL, 128, 1, 32768},
                {"m", "columns of A and B", NULL, 96, 1, 32768}},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "n=8,m=3",
    .reduced = "n=64,m=32",
    .state_bytes = sizeof(struct syr2k),
    .host = syr2k_host,
    .check = syr2k_check,
};
KERNEL_REGISTER(syr2k)
