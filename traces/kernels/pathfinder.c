/* SPDX-License-Identifier: Apache-2.0 */
/* pathfinder: the cheapest way down a grid, row by row (Rodinia): each cell adds the least of its three neighbours
 * above. A thread block keeps 256 cells of a row in shared memory and advances them by several rows in a launch
 * (pyramid.h); each row reads 32 neighbours of the wall a warp, off the lines' borders, so two lines. */
#include "pyramid.h"

#define TILE 256

struct pathfinder {
    gi32 wall, cost[2];  /* wall: without the first row, which is where the costs begin */
    int32_t *now, *next; /* of the reference */
    int rows, columns;
    int from, start;  /* this launch reads cost[from], and the wall from row `start` */
    struct pyramid p; /* along the row; a step is a row */
};

static void pathfinder_kernel(struct warp *w)
{
    const struct pathfinder *k = simt_args(w);
    si32 above = vshared_i32("prev", TILE), result = vshared_i32("result", TILE);
    struct axis x = pyramid_axis(w, &k->p, vthread_x(), BLOCK_X, k->columns);
    SIMT_IF (pyramid_in_grid(w, &x, k->columns)) {
        vstore(above, x.thread, vload(k->cost[k->from], x.cell));
    }
    vsync();
    vi32 i = vvar(0), computed = vvar(0);
    SIMT_WHILE (vlt(i, k->p.steps)) {
        vset(computed, 0);
        vi32 ends[2]; /* the upper one is computed first */
        for (int e = 1; e >= 0; e--) ends[e] = e == 0 ? vadd(i, 1) : vsub(V(TILE - 2), i);
        SIMT_IF (pyramid_computes(w, &x, ends[0], ends[1])) {
            vset(computed, 1);
            vi32 least = vvar(vload(above, x.before));
            vset(least, vmin(least, vload(above, x.thread)));
            vset(least, vmin(least, vload(above, x.after)));
            vi32 cost = vload(k->wall, vmad(vadd(i, k->start), k->columns, x.cell));
            vstore(result, x.thread, vadd(least, cost));
        }
        vsync();
        SIMT_IF (vlt(i, k->p.steps - 1)) {
            SIMT_IF (vne(computed, 0)) {
                vstore(above, x.thread, vload(result, x.thread));
            }
            vsync();
        }
        vset(i, vadd(i, 1));
    }
    SIMT_IF (vne(computed, 0)) {
        vstore(k->cost[1 - k->from], x.cell, vload(result, x.thread));
    }
}

static void pathfinder_host(struct host *h, void *state)
{
    struct pathfinder *k = state;
    k->rows = option(h, "rows");
    k->columns = option(h, "columns");
    k->p = (struct pyramid){.tile = TILE, .height = option(h, "pyramid")};
    uint64_t columns = (uint64_t)k->columns, steps = (uint64_t)k->rows - 1;
    k->cost[0] = device_i32(h, "cost0", columns);
    k->cost[1] = device_i32(h, "cost1", columns);
    k->wall = device_i32_2d(h, "wall", steps, columns);
    k->now = host_alloc(h, columns * sizeof(int32_t));
    k->next = host_alloc(h, columns * sizeof(int32_t));
    for (uint64_t i = 0; i < columns; i++) k->now[i] = k->cost[0].host[i] = (int32_t)rng_below(host_rng(h), 10);
    for (uint64_t i = 0; i < columns * steps; i++) k->wall.host[i] = (int32_t)rng_below(host_rng(h), 10);
    for (; k->start < k->rows - 1; k->start += k->p.steps, k->from = 1 - k->from) {
        int left = k->rows - 1 - k->start;
        k->p.steps = left < k->p.height ? left : k->p.height;
        simt_launch(h, &(struct launch){.name = "dynproc_kernel",
                                        .kernel = pathfinder_kernel,
                                        .args = k,
                                        .grid = {pyramid_blocks(&k->p, k->columns)},
                                        .block = {TILE},
                                        .regs = 16, /* Dai17, table 6: 75 % of 65536 by twelve thread blocks */
                                        .shared_bytes = 2 * TILE * sizeof(int32_t)});
    }
}

static bool pathfinder_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    struct pathfinder *k = state;
    for (int row = 0; row < k->rows - 1; row++) {
        for (int j = 0; j < k->columns; j++) {
            int32_t least = k->now[j];
            if (j && k->now[j - 1] < least) least = k->now[j - 1];
            if (j < k->columns - 1 && k->now[j + 1] < least) least = k->now[j + 1];
            k->next[j] = least + k->wall.host[row * k->columns + j];
        }
        int32_t *old = k->now;
        k->now = k->next;
        k->next = old;
    }
    return check_i32(k->cost[k->from], k->now, err);
}

static const struct kernel_def pathfinder = {
    .name = "pathfinder",
    .summary = "cheapest way down a grid, several rows a launch through shared memory",
    .origin = "Rodinia pathfinder",
    .options = {{"columns", "of the grid", NULL, 65536, 1, 1 << 24},
                {"rows", "of the grid", NULL, 100, 2, 1 << 20},
                {"pyramid", "rows of a launch", NULL, 20, 1, (TILE - 1) / 2}},
    .suites = "rodinia uvmbench",
    .tables = "Gu20 5.1; Dai17 6",
    .small = "columns=64,rows=4",
    .reduced = "columns=4096,rows=20",
    .state_bytes = sizeof(struct pathfinder),
    .host = pathfinder_host,
    .check = pathfinder_check,
};
KERNEL_REGISTER(pathfinder)
