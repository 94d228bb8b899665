/* SPDX-License-Identifier: Apache-2.0 */
/* 2mm: C = A B, then E = C D; 3mm: E = A B, F = C D, then G = E F (Polybench-GPU), a launch each.  As gemm: a
 * broadcast, a coalesced line and a stored one for each multiply-add (polybench.h).  Products start as zeros, which are
 * loaded. */
#include "polybench.h"
#include "trace/unrolled.h"

struct product2 {
    gf32 left, right, out;
    int rows, columns, terms;
};

struct two_products {
    struct product2 first, second;
};

static void multiply_kernel(struct warp *w)
{
    const struct product2 *p = simt_args(w);
    vi32 j = vvar(vglobal_x()), i = vvar(vglobal_y());
    SIMT_IF (vand(vlt(i, p->rows), vlt(j, p->columns))) {
        vi32 at = vvar(vmad(i, p->columns, j)), k = vvar(0);
        vf32 sum = vvar(vload(p->out, at));
        SIMT_WHILE (vlt(k, p->terms)) {
            vf32 left = vload(p->left, vmad(i, p->terms, k));
            vset(sum, vmad(left, vload(p->right, vmad(k, p->columns, j)), sum));
            vstore(p->out, at, sum);
            vset(k, vadd(k, 1));
        }
    }
}

/* The same as a compiler unrolls it, whose sizes are constants: four terms a turn, pointers that move on once, other
 * terms at an offset. */
static void unrolled_kernel(struct warp *w)
{
    const struct product2 *p = simt_args(w);
    const int step = p->columns;
    vi32 j = vvar(vglobal_x()), i = vvar(vglobal_y());
    SIMT_IF (vand(vlt(i, p->rows), vlt(j, p->columns))) {
        vaddr out = vaddress(vmad(i, p->columns, j)), right = vaddress(j);
        vi32 k = vvar(0);
        vaddr left = vaddress(vmul(i, p->terms));
        vf32 sum = vvar(vload_at(p->out, out));
        for (int turn = UNROLLED; turn; turn = turn > 1 ? 1 : 0) { /* a loop of whole turns, one of single terms */
            SIMT_WHILE (vle(k, p->terms - turn)) {
                for (int u = 0; u < turn; u++) {
                    vf32 factor = vload_at(p->left, vnext(left, u));
                    vset(sum, vmad(factor, vload_at(p->right, vnext(right, u * step)), sum));
                    vstore_at(p->out, out, sum);
                }
                vmove(left, turn);
                vmove(right, turn * step);
                vset(k, vadd(k, turn));
            }
        }
    }
}

/* 16 registers: ptxas 13.0, sm_75, no loop unrolled. */
static void multiply_launch(struct host *h, const char *name, const struct product2 *p)
{
    const bool unrolled = option(h, KERNEL_CODE_NAME) == KERNEL_UNROLLED;
    plane_launch(h, name, unrolled ? unrolled_kernel : multiply_kernel, p, p->rows, p->columns, unrolled ? 24 : 16);
}

static gf32 zeros(struct host *h, const char *name, int rows, int columns)
{
    return device_f32_2d(h, name, (uint64_t)rows, (uint64_t)columns);
}

static gf32 randoms(struct host *h, const char *name, int rows, int columns)
{
    return random_f32_2d(h, name, (uint64_t)rows, (uint64_t)columns);
}

static void two_products_host(struct host *h, void *state)
{
    struct two_products *k = state;
    const int ni = option(h, "ni"), nj = option(h, "nj"), nk = option(h, "nk"), nl = option(h, "nl");
    gf32 a = randoms(h, "a", ni, nk), b = randoms(h, "b", nk, nj), d = randoms(h, "d", nj, nl);
    gf32 c = zeros(h, "c", ni, nj), e = zeros(h, "e", ni, nl);
    k->first = (struct product2){a, b, c, ni, nj, nk};
    k->second = (struct product2){c, d, e, ni, nl, nj};
    multiply_launch(h, "mm2_kernel1", &k->first);
    multiply_launch(h, "mm2_kernel2", &k->second);
}

/* Row by row of the right factor: the terms of an element are added in the same order. */
static float *multiplied(struct host *h, const struct product2 *p, const float *left, const float *right)
{
    float *out = host_alloc(h, p->out.array->count * sizeof *out);
    for (int i = 0; i < p->rows; i++) {
        for (int k = 0; k < p->terms; k++) {
            const float factor = left[i * p->terms + k], *row = right + k * p->columns;
            for (int j = 0; j < p->columns; j++) out[i * p->columns + j] += factor * row[j];
        }
    }
    return out;
}

static bool two_products_check(struct host *h, void *state, struct error *err)
{
    const struct two_products *k = state;
    const float *c = multiplied(h, &k->first, k->first.left.host, k->first.right.host);
    const float *e = multiplied(h, &k->second, c, k->second.right.host);
    return check_f32(k->first.out, c, 0, err) && check_f32(k->second.out, e, 0, err);
}

static const struct kernel_def two_products = {
    .name = "2mm",
    .summary = "C = A B, E = C D, no tiles",
    .origin = "Polybench-GPU 2MM",
    .options = {{"ni", "rows of A, C and E", NULL, 512, 1, 32768},
                {"nj", "columns of B and C, rows of D", NULL, 512, 1, 32768},
                {"nk", "columns of A, rows of B", NULL, 512, 1, 32768},
                {"nl", "columns of D and E", NULL, 512, 1, 32768},
                KERNEL_CODE_OPTION},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "ni=5,nj=6,nk=3,nl=4",
    .reduced = "ni=64,nj=64,nk=64,nl=64",
    .state_bytes = sizeof(struct two_products),
    .host = two_products_host,
    .check = two_products_check,
};
KERNEL_REGISTER(two_products)

struct three_products {
    struct product2 first, second, third;
};

static void three_products_host(struct host *h, void *state)
{
    struct three_products *k = state;
    const int ni = option(h, "ni"), nj = option(h, "nj"), nk = option(h, "nk"), nl = option(h, "nl"),
              nm = option(h, "nm");
    gf32 a = randoms(h, "a", ni, nk), b = randoms(h, "b", nk, nj), c = randoms(h, "c", nj, nm),
         d = randoms(h, "d", nm, nl);
    gf32 e = zeros(h, "e", ni, nj), f = zeros(h, "f", nj, nl), g = zeros(h, "g", ni, nl);
    k->first = (struct product2){a, b, e, ni, nj, nk};
    k->second = (struct product2){c, d, f, nj, nl, nm};
    k->third = (struct product2){e, f, g, ni, nl, nj};
    multiply_launch(h, "mm3_kernel1", &k->first);
    multiply_launch(h, "mm3_kernel2", &k->second);
    multiply_launch(h, "mm3_kernel3", &k->third);
}

static bool three_products_check(struct host *h, void *state, struct error *err)
{
    const struct three_products *k = state;
    const float *e = multiplied(h, &k->first, k->first.left.host, k->first.right.host);
    const float *f = multiplied(h, &k->second, k->second.left.host, k->second.right.host);
    const float *g = multiplied(h, &k->third, e, f);
    return check_f32(k->first.out, e, 0, err) && check_f32(k->second.out, f, 0, err) &&
           check_f32(k->third.out, g, 0, err);
}

static const struct kernel_def three_products = {
    .name = "3mm",
    .summary = "E = A B, F = C D, G = E F, no tiles",
    .origin = "Polybench-GPU 3MM",
    .options = {{"ni", "rows of A, E and G", NULL, 512, 1, 32768},
                {"nj", "columns of B and E, rows of C and F", NULL, 512, 1, 32768},
                {"nk", "columns of A, rows of B", NULL, 512, 1, 32768},
                {"nl", "columns of D, F and G", NULL, 512, 1, 32768},
                {"nm", "columns of C, rows of D", NULL, 512, 1, 32768},
                KERNEL_CODE_OPTION},
    .suites = "polybench uvmbench",
    .tables = "Gu20 5.1",
    .small = "ni=5,nj=6,nk=3,nl=4,nm=2",
    .reduced = "ni=64,nj=64,nk=64,nl=64,nm=64",
    .state_bytes = sizeof(struct three_products),
    .host = three_products_host,
    .check = three_products_check,
};
KERNEL_REGISTER(three_products)
