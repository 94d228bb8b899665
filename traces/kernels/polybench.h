/* SPDX-License-Identifier: Apache-2.0 */
/* Common to the Polybench-GPU kernels.  Matrices are row-major.  The originals' pointers may alias, so that a compiler
 * keeps the running sum in a register but stores it in every iteration; so does this. */
#ifndef MEMTWIN_POLYBENCH_H
#define MEMTWIN_POLYBENCH_H
#include "program.h"

/* ---- Matrix times vector (atax, bicg, mvt): out += A in, a thread for each row, whose loads of A are strided by the
 * row length (32 lines a warp); or out += A^T in, a thread for each column, coalesced. ---- */
struct matvec {
    gf32 a, in, out;
    int rows, columns;
    bool transposed, clear; /* clear: out starts as a stored 0, else it is loaded */
};

static inline void matvec_kernel(struct warp *w)
{
    const struct matvec *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->transposed ? k->columns : k->rows)) {
        vf32 sum = vvar(k->clear ? V(0.0f) : vload(k->out, i));
        if (k->clear) vstore(k->out, i, sum);
        vi32 j = vvar(0);
        SIMT_WHILE (vlt(j, k->transposed ? k->rows : k->columns)) {
            vf32 in = vload(k->in, j);
            vi32 at = k->transposed ? vmad(j, k->columns, i) : vmad(i, k->columns, j);
            vset(sum, vmad(vload(k->a, at), in, sum));
            vstore(k->out, i, sum);
            vset(j, vadd(j, 1));
        }
    }
}

/* 14 registers: what ptxas 13.0 prints for the kernel by rows (sm_75); Dai17, table 6, has 12 for ATAX. */
static inline void matvec_launch(struct host *h, const struct matvec *k, const char *name)
{
    int block = option(h, "block");
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = matvec_kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->transposed ? k->columns : k->rows, block)},
                                    .block = {(uint32_t)block},
                                    .regs = 14});
}

/* The same in plain C: the sums start from the values of `out`. */
static inline void matvec_reference(const struct matvec *k, const float *in, float *out)
{
    for (int i = 0; i < k->rows; i++) {
        for (int j = 0; j < k->columns; j++) {
            float a = k->a.host[i * k->columns + j];
            if (k->transposed) {
                out[j] += a * in[i];
            } else {
                out[i] += a * in[j];
            }
        }
    }
}

/* ---- Matrix products (gemm, syrk, syr2k): C = beta C + a sum, a thread for each element, thread blocks of 32 x 8.
 * ----
 */
struct product {
    gf32 c;
    float *c_before;
    int rows, columns, terms;
    float beta;
    const void *args;
    /* The sum with the term of inner index k added. */
    vf32 (*add)(struct warp *w, const void *args, vi32 i, vi32 j, vi32 k, vf32 sum);
};

static inline void product_kernel(struct warp *w)
{
    const struct product *p = simt_args(w);
    vi32 j = vvar(vglobal_x()), i = vvar(vglobal_y());
    SIMT_IF (vand(vlt(i, p->rows), vlt(j, p->columns))) {
        vi32 at = vvar(vmad(i, p->columns, j));
        vf32 c = vvar(vmul(vload(p->c, at), p->beta));
        vstore(p->c, at, c);
        vi32 k = vvar(0);
        SIMT_WHILE (vlt(k, p->terms)) {
            vset(c, p->add(w, p->args, i, j, k, c));
            vstore(p->c, at, c);
            vset(k, vadd(k, 1));
        }
    }
}

static inline void product_launch(struct host *h, struct product *p, const char *name, uint32_t regs)
{
    p->c = random_f32_2d(h, "c", (uint64_t)p->rows, (uint64_t)p->columns);
    p->c_before = snapshot(h, p->c);
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = product_kernel,
                                    .args = p,
                                    .grid = {blocks_for(p->columns, 32), blocks_for(p->rows, 8)},
                                    .block = {32, 8},
                                    .regs = regs});
}

/* ---- A thread for each cell of a plane (2dconv, 3dconv, fdtd2d): thread blocks of 32 x 8, a warp along a row. ---- */
static inline void plane_launch(struct host *h, const char *name, void (*kernel)(struct warp *w), const void *args,
                                int rows, int columns, uint32_t regs)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = args,
                                    .grid = {blocks_for(columns, 32), blocks_for(rows, 8)},
                                    .block = {32, 8},
                                    .regs = regs});
}
#endif
