/* SPDX-License-Identifier: Apache-2.0 */
/* gemm: C = alpha A B + beta C (Polybench-GPU).  A thread for each element of C: a[i][k] is the same for a whole row of
 * threads, b[k][j] is coalesced, and C is stored in every iteration (polybench.h): three lines a multiply-add. */
#include "polybench.h"
#include "trace/unrolled.h"

#define ALPHA 32412.0f
#define BETA 2123.0f

struct gemm {
    struct product p;
    gf32 a, b;
};

static vf32 add_term(struct warp *w, const void *args, vi32 i, vi32 j, vi32 k, vf32 sum)
{
    const struct gemm *g = args;
    vf32 left = vmul(vload(g->a, vmad(i, g->p.terms, k)), ALPHA);
    return vmad(left, vload(g->b, vmad(k, g->p.columns, j)), sum);
}

/* The kernel of polybench.h as a compiler unrolls it, whose sizes are constants: four terms a turn, pointers that move
 * on once, other terms at an offset. */
static void unrolled_kernel(struct warp *w)
{
    const struct product *p = simt_args(w);
    const struct gemm *g = p->args;
    const int step = p->columns;
    vi32 j = vvar(vglobal_x()), i = vvar(vglobal_y());
    SIMT_IF (vand(vlt(i, p->rows), vlt(j, p->columns))) {
        vaddr out = vaddress(vmad(i, p->columns, j)), b = vaddress(j);
        vi32 k = vvar(0);
        vaddr a = vaddress(vmul(i, p->terms));
        vf32 c = vvar(vmul(vload_at(p->c, out), p->beta));
        vstore_at(p->c, out, c);
        for (int turn = UNROLLED; turn; turn = turn > 1 ? 1 : 0) { /* a loop of whole turns, one of single terms */
            SIMT_WHILE (vle(k, p->terms - turn)) {
                for (int u = 0; u < turn; u++) {
                    vf32 left = vmul(vload_at(g->a, vnext(a, u)), ALPHA);
                    vset(c, vmad(left, vload_at(g->b, vnext(b, u * step)), c));
                    vstore_at(p->c, out, c);
                }
                vmove(a, turn);
                vmove(b, turn * step);
                vset(k, vadd(k, turn));
            }
        }
    }
}

static void gemm_host(struct host *h, void *state)
{
    struct gemm *g = state;
    int ni = option(h, "ni"), nj = option(h, "nj"), nk = option(h, "nk");
    g->a = random_f32_2d(h, "a", (uint64_t)ni, (uint64_t)nk);
    g->b = random_f32_2d(h, "b", (uint64_t)nk, (uint64_t)nj);
    g->p = (struct product){.rows = ni, .columns = nj, .terms = nk, .beta = BETA, .args = g, .add = add_term};
    if (option(h, KERNEL_CODE_NAME) == KERNEL_WRITTEN) {
        product_launch(h, &g->p, "gemm_kernel", 16); /* ptxas 13.0, sm_75, the loop not unrolled */
        return;
    }
    g->p.c = random_f32_2d(h, "c", (uint64_t)ni, (uint64_t)nj);
    g->p.c_before = snapshot(h, g->p.c);
    plane_launch(h, "gemm_kernel", unrolled_kernel, &g->p, ni, nj, 24);
}

static bool gemm_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct gemm *g = state;
    int ni = g->p.rows, nj = g->p.columns, nk = g->p.terms;
    for (int i = 0; i < ni; i++) {
        for (int j = 0; j < nj; j++) {
            float *c = &g->p.c_before[i * nj + j];
            *c *= BETA;
            for (int k = 0; k < nk; k++) *c += ALPHA * g->a.host[i * nk + k] * g->b.host[k * nj + j];
        }
    }
    return check_f32(g->p.c, g->p.c_before, 0, err);
}

static const struct kernel_def gemm = {
    .name = "gemm",
    .summary = "C = alpha A B + beta C, no tiles",
    .origin = "Polybench-GPU GEMM",
    .options = {{"ni", "rows of A and C", NULL, 256, 1, 32768},
                {"nj", "columns of B and C", NULL, 256, 1, 32768},
                {"nk", "columns of A, rows of B", NULL, 128, 1, 32768},
                KERNEL_CODE_OPTION},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1; Dai17 6",
    .small = "ni=5,nj=6,nk=3",
    .reduced = "ni=64,nj=64,nk=64",
    .state_bytes = sizeof(struct gemm),
    .host = gemm_host,
    .check = gemm_check,
};
KERNEL_REGISTER(gemm)
