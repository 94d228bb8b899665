/* SPDX-License-Identifier: Apache-2.0 */
/* stencil: Jacobi iterations of the heat equation on a box, seven points (Parboil).  A thread walks through the planes
 * with two columns of cells, 32 apart; the plane's cells are in shared memory for their neighbours, those beyond the
 * tile are loaded. */
#include "program.h"

#define X 32
#define Y 4
#define C0 (1.0f / 6)
#define C1 (1.0f / 36)

struct stencil {
    gf32 grid[2];
    float *first;
    int nx, ny, nz, iterations;
    int from; /* the box that this launch reads */
};

struct walk {
    vi32 i, j, shared, at; /* cell, its place in shared memory, in the box */
    vf32 below, mine, above;
};

/* A neighbour in the plane: from shared memory if the tile holds it, else loaded. */
static vf32 neighbour(struct warp *w, const struct stencil *k, sf32 tile, const struct walk *c, vi32 inside, int shared,
                      int far)
{
    vf32 value = vvar(0.0f);
    SIMT_IF (vne(inside, 0)) {
        vset(value, vload(tile, vadd(c->shared, shared)));
    }
    SIMT_ELSE
    {
        vset(value, vload(k->grid[k->from], vadd(c->at, far)));
    }
    return value;
}

static vi32 truth(struct warp *w, vbool p)
{
    return vselect(p, V(1), 0);
}

static void step(struct warp *w, const struct stencil *k, sf32 tile, struct walk *c, vi32 column, vi32 row)
{
    vbool across = vand(vgt(c->i, 0), vlt(c->i, k->nx - 1));
    SIMT_IF (vand(across, vand(vgt(c->j, 0), vlt(c->j, k->ny - 1)))) {
        vf32 sum = vvar(neighbour(w, k, tile, c, vvar(truth(w, vlt(column, 2 * X - 1))), 1, 1));
        vset(sum, vadd(sum, neighbour(w, k, tile, c, vvar(truth(w, vgt(column, 0))), -1, -1)));
        vset(sum, vadd(sum, neighbour(w, k, tile, c, vvar(truth(w, vlt(row, Y - 1))), 2 * X, k->nx)));
        vset(sum, vadd(sum, neighbour(w, k, tile, c, vvar(truth(w, vgt(row, 0))), -2 * X, -k->nx)));
        vset(sum, vadd(vadd(sum, c->above), c->below));
        vf32 mine = vmul(c->mine, C0);
        vstore(k->grid[!k->from], c->at, vsub(vmul(sum, C1), mine));
    }
}

static void stencil_kernel(struct warp *w)
{
    const struct stencil *k = simt_args(w);
    const int plane = k->nx * k->ny;
    sf32 tile = vshared_f32("sh_A0", 2 * X * Y);
    vi32 x = vvar(vthread_x()), y = vvar(vthread_y()), z = vvar(1), columns[2];
    struct walk c[2];
    for (int n = 0; n < 2; n++) {
        columns[n] = vvar(vadd(x, n * X));
        c[n].i = vvar(vadd(columns[n], BLOCK_X * 2 * X));
        c[n].j = vvar(vadd(y, BLOCK_Y * Y));
        c[n].shared = vvar(vmad(y, 2 * X, columns[n]));
        c[n].at = vvar(vadd(vmad(c[n].j, k->nx, c[n].i), plane));
        c[n].below = vvar(0.0f), c[n].mine = vvar(0.0f), c[n].above = vvar(0.0f);
        SIMT_IF (vand(vlt(c[n].i, k->nx), vlt(c[n].j, k->ny))) {
            vset(c[n].below, vload(k->grid[k->from], vsub(c[n].at, plane)));
            vset(c[n].mine, vload(k->grid[k->from], c[n].at));
        }
    }
    SIMT_WHILE (vlt(z, k->nz - 1)) {
        for (int n = 0; n < 2; n++) {
            vstore(tile, c[n].shared, c[n].mine);
            SIMT_IF (vand(vlt(c[n].i, k->nx), vlt(c[n].j, k->ny))) {
                vset(c[n].above, vload(k->grid[k->from], vadd(c[n].at, plane)));
            }
        }
        vsync();
        for (int n = 0; n < 2; n++) step(w, k, tile, &c[n], columns[n], y);
        vsync();
        for (int n = 0; n < 2; n++) {
            vset(c[n].below, c[n].mine);
            vset(c[n].mine, c[n].above);
            vset(c[n].at, vadd(c[n].at, plane));
        }
        vset(z, vadd(z, 1));
    }
}

static void stencil_host(struct host *h, void *state)
{
    struct stencil *k = state;
    k->nx = option(h, "nx");
    k->ny = option(h, "ny");
    k->nz = option(h, "nz");
    k->iterations = option(h, "iterations");
    const uint64_t cells = (uint64_t)k->nx * (uint64_t)k->ny * (uint64_t)k->nz;
    k->grid[0] = random_f32(h, "d_A0", cells);
    k->grid[1] = device_f32(h, "d_Anext", cells);
    k->first = snapshot(h, k->grid[0]);
    memcpy(k->grid[1].host, k->first, cells * sizeof(float));
    for (int i = 0; i < k->iterations; i++) {
        k->from = i % 2;
        simt_launch(h, &(struct launch){.name = "block2D_hybrid_coarsen_x",
                                        .kernel = stencil_kernel,
                                        .args = k,
                                        .grid = {blocks_for(k->nx, 2 * X), blocks_for(k->ny, Y)},
                                        .block = {X, Y},
                                        .regs = 44,
                                        .shared_bytes = 4 * 2 * X * Y});
    }
}

static bool stencil_check(struct host *h, void *state, struct error *err)
{
    const struct stencil *k = state;
    const int plane = k->nx * k->ny;
    const uint64_t bytes = k->grid[0].array->count * sizeof(float);
    float *box[2] = {memcpy(host_alloc(h, bytes), k->first, bytes), memcpy(host_alloc(h, bytes), k->first, bytes)};
    for (int t = 0; t < k->iterations; t++) {
        const float *a = box[t % 2];
        for (int z = 1; z < k->nz - 1; z++)
            for (int y = 1; y < k->ny - 1; y++)
                for (int x = 1; x < k->nx - 1; x++) {
                    const int c = z * plane + y * k->nx + x;
                    float sum = a[c + 1] + a[c - 1];
                    sum = sum + a[c + k->nx] + a[c - k->nx] + a[c + plane] + a[c - plane];
                    box[!(t % 2)][c] = sum * C1 - a[c] * C0;
                }
    }
    return check_f32(k->grid[0], box[0], 0, err) && check_f32(k->grid[1], box[1], 0, err);
}

static const struct kernel_def stencil = {
    .name = "stencil",
    .summary = "seven-point stencil on a box, planes one after the other through shared memory",
    .origin = "Parboil stencil",
    .options = {{"nx", "cells along a row", NULL, 512, 3, 4096},
                {"ny", "rows of a plane", NULL, 512, 3, 4096},
                {"nz", "planes", NULL, 64, 3, 1024},
                {"iterations", "launches", NULL, 1, 1, 1000}},
    .suites = "parboil",
    .tables = "Gu20 2.3, 3.1",
    .small = "nx=9,ny=8,nz=4",
    .reduced = "nx=128,ny=32,nz=8",
    .state_bytes = sizeof(struct stencil),
    .host = stencil_host,
    .check = stencil_check,
};
KERNEL_REGISTER(stencil)
