/* SPDX-License-Identifier: Apache-2.0 */
/* syrk: C = alpha A A^T + beta C (Polybench-GPU).  A thread for each element of C: a[i][k] is the same for a whole row
 * of threads, a[j][k] is strided by the row length, and C is stored in every iteration (polybench.h). */
#include "polybench.h"

#define ALPHA 12435.0f
#define BETA 4546.0f

struct syrk {
    struct product p;
    gf32 a;
};

static vf32 add_term(struct warp *w, const void *args, vi32 i, vi32 j, vi32 k, vf32 sum)
{
    const struct syrk *s = args;
    vf32 left = vmul(vload(s->a, vmad(i, s->p.terms, k)), ALPHA);
    return vmad(left, vload(s->a, vmad(j, s->p.terms, k)), sum);
}

static void syrk_host(struct host *h, void *state)
{
    struct syrk *s = state;
    int n = option(h, "n"), m = option(h, "m");
    s->a = random_f32_2d(h, "a", (uint64_t)n, (uint64_t)m);
    s->p = (struct product){.rows = n, .columns = n, .terms = m, .beta = BETA, .args = s, .add = add_term};
    product_launch(h, &s->p, "syrk_kernel", 16);
}

static bool syrk_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct syrk *s = state;
    int n = s->p.rows, m = s->p.terms;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            float *c = &s->p.c_before[i * n + j];
            *c *= BETA;
            for (int k = 0; k < m; k++) *c += ALPHA * s->a.host[i * m + k] * s->a.host[j * m + k];
        }
    }
    return check_f32(s->p.c, s->p.c_before, 0, err);
}

static const struct kernel_def syrk = {
    .name = "syrk",
    .summary = "C = alpha A A^T + beta C",
    .origin = "Polybench-GPU SYRK",
    .options = {{"n", "rows of A, rows and columns of C", NULL, 128, 1, 32768},
                {"m", "columns of A", NULL, 96, 1, 32768}},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "n=8,m=3",
    .reduced = "n=64,m=48",
    .state_bytes = sizeof(struct syrk),
    .host = syrk_host,
    .check = syrk_check,
};
KERNEL_REGISTER(syrk)
