/* SPDX-License-Identifier: Apache-2.0 */
/* lbm: a fluid in a box with a moving lid, by the lattice Boltzmann method with 19 directions (Parboil lbm).  A thread
 * for each cell, a thread block for each row: loads one value of each of 19 neighbours and the cell's flag, stores 19.
 * Each direction is an array of its own in one allocation, so that a warp's accesses are neighbours, but for one place
 * to the side. */
#include <stdlib.h>

#include "trace/kernels.h"

enum { DIRECTIONS = 19, FLAG = DIRECTIONS, ENTRIES, MARGIN = 2 }; /* planes below and above the box */
enum cell { FLUID, OBSTACLE, ACCELERATED };

static const int direction[DIRECTIONS][3] = {{0, 0, 0},   {0, 1, 0},  {0, -1, 0}, {1, 0, 0},  {-1, 0, 0},
                                             {0, 0, 1},   {0, 0, -1}, {1, 1, 0},  {-1, 1, 0}, {1, -1, 0},
                                             {-1, -1, 0}, {0, 1, 1},  {0, 1, -1}, {0, -1, 1}, {0, -1, -1},
                                             {1, 0, 1},   {1, 0, -1}, {-1, 0, 1}, {-1, 0, -1}};
static const int opposite[DIRECTIONS] = {0, 2, 1, 4, 3, 6, 5, 10, 9, 8, 7, 14, 13, 12, 11, 18, 17, 16, 15};
static const float omega = 1.95f, lid[3] = {0.005f, 0.002f, 0.0f};

struct box {
    int x, y, z, row, plane, cells; /* cells of a row, rows, planes; distances; all cells with margins */
};

struct lbm {
    struct box box;
    gf32 from, to;
};

/* Of the resting fluid: the centre, the six axes, the twelve diagonals. */
static float weight(int d)
{
    const int axes = abs(direction[d][0]) + abs(direction[d][1]) + abs(direction[d][2]);
    return axes == 0 ? 1.0f / 3 : axes == 1 ? 1.0f / 18 : 1.0f / 36;
}

static int offset(const struct box *b, int d)
{
    return direction[d][0] + direction[d][1] * b->row + direction[d][2] * b->plane;
}

/* Sum of the values that move along the axis, less those against it. */
static vf32 flow(struct warp *w, const vf32 *f, int axis)
{
    vf32 sum = f[0];
    bool any = false;
    for (int d = 0; d < DIRECTIONS; d++) {
        if (direction[d][axis] > 0) sum = any ? vadd(sum, f[d]) : f[d];
        any |= direction[d][axis] > 0;
    }
    for (int d = 0; d < DIRECTIONS; d++)
        if (direction[d][axis] < 0) sum = vsub(sum, f[d]);
    return sum;
}

/* The component of u along a direction: one or two of its three, with their signs. */
static vf32 along(struct warp *w, const vf32 *u, int d)
{
    const int *e = direction[d];
    const int first = e[0] ? 0 : e[1] ? 1 : 2, second = e[2] && first < 2 ? 2 : 1;
    const bool two = second > first && e[second];
    if (two && e[second] > 0) return e[first] > 0 ? vadd(u[first], u[second]) : vsub(u[second], u[first]);
    if (two) return e[first] > 0 ? vsub(u[first], u[second]) : vmul(vadd(u[first], u[second]), -1.0f);
    return e[first] > 0 ? u[first] : vmul(u[first], -1.0f);
}

static void collide(struct warp *w, const struct lbm *k, vi32 at, vf32 flag, const vf32 *f)
{
    const struct box *b = &k->box;
    vf32 rho = vvar(vadd(f[0], f[1])), u[3];
    for (int d = 2; d < DIRECTIONS; d++) vset(rho, vadd(rho, f[d]));
    for (int i = 0; i < 3; i++) u[i] = vvar(vdiv(flow(w, f, i), rho));
    SIMT_IF (veq(flag, (float)ACCELERATED)) {
        for (int i = 0; i < 3; i++) vset(u[i], lid[i]);
    }
    vf32 still = vvar(vmul(u[0], u[0]));
    vset(still, vmad(u[1], u[1], still));
    vset(still, vmad(u[2], u[2], still));
    vset(still, vmad(still, -1.5f, 1.0f));
    vset(rho, vmul(rho, omega));
    for (int d = 0; d < DIRECTIONS; d++) {
        vf32 share = still;
        if (d) {
            vf32 e = along(w, u, d);
            share = vmad(vmad(e, 4.5f, 3.0f), e, still);
        }
        vf32 gained = vmul(vmul(rho, weight(d)), share);
        vstore(k->to, vadd(at, d * b->cells), vmad(f[d], 1 - omega, gained));
    }
}

static void stream_collide_kernel(struct warp *w)
{
    const struct lbm *k = simt_args(w);
    const struct box *b = &k->box;
    vi32 at = vvar(vadd(vthread_x(), BLOCK_X * b->row + (BLOCK_Y + MARGIN) * b->plane));
    vf32 f[DIRECTIONS];
    for (int d = 0; d < DIRECTIONS; d++) f[d] = vvar(vload(k->from, vadd(at, d * b->cells - offset(b, d))));
    vf32 flag = vvar(vload(k->from, vadd(at, FLAG * b->cells)));
    SIMT_IF (veq(flag, (float)OBSTACLE)) {
        for (int d = 0; d < DIRECTIONS; d++) vstore(k->to, vadd(at, d * b->cells), f[opposite[d]]);
    }
    SIMT_ELSE
    {
        collide(w, k, at, flag, f);
    }
}

static enum cell kind(const struct box *b, int x, int y, int z)
{
    if (!x || !y || z <= 0 || x == b->x - 1 || y == b->y - 1 || z >= b->z - 1) return OBSTACLE;
    if ((z == 1 || z == b->z - 2) && x > 1 && x < b->x - 2 && y > 1 && y < b->y - 2) return ACCELERATED;
    return FLUID;
}

static void fill(const struct box *b, float *grid)
{
    for (int d = 0; d < DIRECTIONS; d++)
        for (int i = 0; i < b->cells; i++) grid[d * b->cells + i] = weight(d);
    float *flags = grid + FLAG * b->cells;
    for (int z = -MARGIN; z < b->z + MARGIN; z++)
        for (int y = 0; y < b->y; y++)
            for (int x = 0; x < b->x; x++) flags[(z + MARGIN) * b->plane + y * b->row + x] = (float)kind(b, x, y, z);
}

static void lbm_host(struct host *h, void *state)
{
    struct lbm *k = state;
    struct box *b = &k->box;
    *b = (struct box){.x = option(h, "x"), .y = option(h, "y"), .z = option(h, "z")};
    b->row = (int)blocks_for(b->x, WARP_SIZE) * WARP_SIZE;
    b->plane = b->row * b->y;
    b->cells = b->plane * (b->z + 2 * MARGIN);
    gf32 grid[] = {device_f32(h, "srcGrid", (uint64_t)ENTRIES * (uint64_t)b->cells),
                   device_f32(h, "dstGrid", (uint64_t)ENTRIES * (uint64_t)b->cells)};
    for (int i = 0; i < 2; i++) fill(b, grid[i].host);
    for (int i = 0; i < option(h, "steps"); i++) {
        k->from = grid[i % 2];
        k->to = grid[(i + 1) % 2];
        /* 40 registers: Liang17, table III, three thread blocks of 15360. */
        simt_launch(h, &(struct launch){.name = "performStreamCollide_kernel",
                                        .kernel = stream_collide_kernel,
                                        .args = k,
                                        .grid = {(uint32_t)b->y, (uint32_t)b->z},
                                        .block = {(uint32_t)b->x},
                                        .regs = 40});
    }
}

/* In the order of the kernel's operations. */
static void collided(const float *f, enum cell kind, float *out)
{
    float rho = f[0], u[3];
    for (int d = 1; d < DIRECTIONS; d++) rho += f[d];
    for (int i = 0; i < 3; i++) {
        float sum = 0;
        for (int d = 0; d < DIRECTIONS; d++) sum += direction[d][i] > 0 ? f[d] : 0;
        for (int d = 0; d < DIRECTIONS; d++) sum -= direction[d][i] < 0 ? f[d] : 0;
        u[i] = kind == ACCELERATED ? lid[i] : sum / rho;
    }
    const float still = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]) * -1.5f + 1.0f;
    for (int d = 0; d < DIRECTIONS; d++) {
        const int *e = direction[d];
        const float along = (float)e[0] * u[0] + (float)e[1] * u[1] + (float)e[2] * u[2];
        const float gained = rho * omega * weight(d) * ((along * 4.5f + 3.0f) * along + still);
        out[d] = f[d] * (1 - omega) + gained;
    }
}

static void step(const struct box *b, const float *from, float *to)
{
    for (int z = 0; z < b->z; z++)
        for (int y = 0; y < b->y; y++)
            for (int x = 0; x < b->x; x++) {
                const int at = (z + MARGIN) * b->plane + y * b->row + x;
                float f[DIRECTIONS], out[DIRECTIONS];
                for (int d = 0; d < DIRECTIONS; d++) f[d] = from[d * b->cells + at - offset(b, d)];
                if (kind(b, x, y, z) == OBSTACLE)
                    for (int d = 0; d < DIRECTIONS; d++) out[d] = f[opposite[d]];
                else
                    collided(f, kind(b, x, y, z), out);
                for (int d = 0; d < DIRECTIONS; d++) to[d * b->cells + at] = out[d];
            }
}

static bool lbm_check(struct host *h, void *state, struct error *err)
{
    const struct lbm *k = state;
    const uint64_t bytes = (uint64_t)ENTRIES * (uint64_t)k->box.cells * sizeof(float);
    float *grid[] = {host_alloc(h, bytes), host_alloc(h, bytes)};
    const int steps = option(h, "steps");
    for (int i = 0; i < 2; i++) fill(&k->box, grid[i]);
    for (int i = 0; i < steps; i++) step(&k->box, grid[i % 2], grid[(i + 1) % 2]);
    return check_f32(k->to, grid[steps % 2], 0, err) && check_f32(k->from, grid[(steps + 1) % 2], 0, err);
}

static const struct kernel_def lbm = {
    .name = "lbm",
    .summary = "fluid in a box with a moving lid, 19 values a cell",
    .origin = "Parboil lbm",
    .options = {{"x", "cells of a row, threads of a thread block", NULL, 120, 5, 1024},
                {"y", "rows", NULL, 120, 5, 4096},
                {"z", "planes", NULL, 16, 5, 4096},
                {"steps", "of time", NULL, 1, 1, 1000}},
    .suites = "parboil",
    .tables = "Gu20 2.3, 3.1",
    .small = "x=5,y=5,z=5",
    .reduced = "x=64,y=8,z=8",
    .state_bytes = sizeof(struct lbm),
    .host = lbm_host,
    .check = lbm_check,
};
KERNEL_REGISTER(lbm)
