/* SPDX-License-Identifier: Apache-2.0 */
/* gaussian: Gaussian elimination (Rodinia).  Two launches a column: Fan1 divides the column by its pivot, Fan2
 * subtracts the pivot's row from the rows below, a thread for each element.  Neighbouring threads are in neighbouring
 * rows, so that an access is a line a row; thread blocks share lines with those of the same rows, a grid's row away. */
#include <string.h>

#include "trace/kernels.h"

struct gaussian {
    gf32 m, a, b; /* multipliers, matrix, right-hand side */
    float *want_m, *want_a, *want_b;
    int n, block, tile;
    int t; /* column of this launch */
};

static void fan1(struct warp *w)
{
    const struct gaussian *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n - 1 - k->t)) {
        vi32 at = vvar(vmad(i, k->n, (k->t + 1) * k->n + k->t));
        vf32 element = vvar(vload(k->a, at));
        vstore(k->m, at, vdiv(element, vload(k->a, k->t * k->n + k->t)));
    }
}

static void fan2(struct warp *w)
{
    const struct gaussian *k = simt_args(w);
    vi32 x = vvar(vglobal_x()), y = vvar(vglobal_y());
    SIMT_IF (vand(vlt(x, k->n - 1 - k->t), vlt(y, k->n - k->t))) {
        vi32 first = vvar(vmad(x, k->n, (k->t + 1) * k->n + k->t)), at = vvar(vadd(first, y));
        vf32 multiplier = vvar(vload(k->m, first));
        vf32 product = vvar(vmul(multiplier, vload(k->a, vadd(y, k->t * k->n + k->t))));
        vstore(k->a, at, vsub(vload(k->a, at), product));
        SIMT_IF (veq(y, 0)) {
            vi32 row = vvar(vadd(x, k->t + 1));
            vf32 right = vvar(vmul(vload(k->m, at), vload(k->b, k->t)));
            vstore(k->b, row, vsub(vload(k->b, row), right));
        }
    }
}

/* Grids cover the whole matrix in every launch, as in the suite. */
static void launch(struct host *h, const struct gaussian *k)
{
    const uint32_t side = blocks_for(k->n, k->tile);
    simt_launch(h, &(struct launch){.name = "Fan1",
                                    .kernel = fan1,
                                    .args = k,
                                    .grid = {blocks_for(k->n, k->block)},
                                    .block = {(uint32_t)k->block},
                                    .regs = 14}); /* ptxas 13.0, sm_75; so is the 16 below */
    simt_launch(h, &(struct launch){.name = "Fan2",
                                    .kernel = fan2,
                                    .args = k,
                                    .grid = {side, side},
                                    .block = {(uint32_t)k->tile, (uint32_t)k->tile},
                                    .regs = 16});
}

/* A diagonal that outweighs its row needs no pivoting. */
static void make_input(struct host *h, const struct gaussian *k)
{
    for (int i = 0; i < k->n; i++) {
        for (int j = 0; j < k->n; j++) {
            k->a.host[i * k->n + j] = (float)rng_unit(host_rng(h)) + (float)(i == j ? k->n : 0);
        }
        k->b.host[i] = (float)rng_unit(host_rng(h));
    }
    memcpy(k->want_a, k->a.host, k->a.array->count * sizeof(float));
    memcpy(k->want_b, k->b.host, k->b.array->count * sizeof(float));
}

static void gaussian_host(struct host *h, void *state)
{
    struct gaussian *k = state;
    k->n = option(h, "n");
    k->block = option(h, "block");
    k->tile = option(h, "tile");
    const uint64_t rows = (uint64_t)k->n;
    k->m = device_f32_2d(h, "m_cuda", rows, rows);
    k->a = device_f32_2d(h, "a_cuda", rows, rows);
    k->b = device_f32(h, "b_cuda", rows);
    k->want_m = host_alloc(h, rows * rows * sizeof(float));
    k->want_a = host_alloc(h, rows * rows * sizeof(float));
    k->want_b = host_alloc(h, rows * sizeof(float));
    make_input(h, k);
    for (; k->t < k->n - 1; k->t++) launch(h, k);
}

/* Row by row, each against all rows above it. */
static bool gaussian_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct gaussian *k = state;
    for (int i = 1; i < k->n; i++) {
        float *row = k->want_a + i * k->n;
        for (int t = 0; t < i; t++) {
            const float *pivot = k->want_a + t * k->n;
            const float multiplier = k->want_m[i * k->n + t] = row[t] / pivot[t];
            for (int j = t; j < k->n; j++) row[j] -= multiplier * pivot[j];
            k->want_b[i] -= multiplier * k->want_b[t];
        }
    }
    return check_f32(k->m, k->want_m, 0, err) && check_f32(k->a, k->want_a, 0, err) &&
           check_f32(k->b, k->want_b, 0, err);
}

static const struct kernel_def gaussian = {
    .name = "gaussian",
    .summary = "Gaussian elimination by rows, two launches a column",
    .origin = "Rodinia gaussian",
    .options = {{"n", "rows and columns", NULL, 128, 2, 16384},
                {"block", "threads of a thread block of Fan1", NULL, 512, 1, 1024},
                {"tile", "threads of a side of a thread block of Fan2", NULL, 4, 1, 32}},
    .suites = "rodinia uvmbench",
    .tables = "Gu20 5.1; Chen16 4.2",
    .small = "n=6,block=32",
    .reduced = "n=32,block=32",
    .state_bytes = sizeof(struct gaussian),
    .host = gaussian_host,
    .check = gaussian_check,
};
KERNEL_REGISTER(gaussian)
