/* SPDX-License-Identifier: Apache-2.0 */
/* srad_v2: speckle-reducing anisotropic diffusion (Rodinia, srad_v2).  Tiles of 16 x 16 pixels are staged in shared
 * memory with copies of the pixels beyond each side: the first kernel finds coefficients and differences, the second
 * one moves the image.  The host works out the speckle's strength from a corner of the image before each step. */
#include <math.h>

#include "srad.h"

#define SIDE 16 /* of a tile */
#define CELLS (SIDE * SIDE)
#define LAST (SIDE - 1)
#define CORNER 128 /* side of the host's part of the image */
#define INSIDE (-1)

struct srad_v2 {
    gf32 image, c, north, south, west, east;
    float *first_image;
    int rows, columns, iterations;
    float q0;
};

/* A thread's place, and the values that both kernels keep of it. */
struct place {
    vi32 x, y, cell, pixel; /* cell: in the tile; pixel: in the image */
};

static struct place find_place(struct warp *w, const struct srad_v2 *k)
{
    struct place p = {.x = vvar(vthread_x())};
    p.y = vvar(vthread_y());
    p.cell = vvar(vmad(p.y, SIDE, p.x));
    p.pixel = vvar(vmad(p.y, k->columns, vadd(p.x, (BLOCK_Y * k->columns + BLOCK_X) * SIDE)));
    return p;
}

/* Copies of the row above or below a tile, for each of its rows; of the column to its left or right, for each column.
 * The image's edge is its own neighbour. */
static void stage_row(struct warp *w, const struct srad_v2 *k, sf32 to, gf32 from, const struct place *p, int row)
{
    row = row < 0 ? 0 : row >= k->rows ? k->rows - 1 : row;
    vstore(to, p->cell, vload(from, vadd(p->x, row * k->columns + BLOCK_X * SIDE)));
}

static void stage_column(struct warp *w, const struct srad_v2 *k, sf32 to, gf32 from, const struct place *p, int column)
{
    column = column < 0 ? 0 : column >= k->columns ? k->columns - 1 : column;
    vstore(to, p->cell, vload(from, vmad(p->y, k->columns, BLOCK_Y * SIDE * k->columns + column)));
}

/* ---- Threads at the tile's edge take other branches than those inside: `cases` in turn, then the rest. ---- */

struct edge {
    int y, x; /* of the thread in the tile; INSIDE: any */
};

static vbool is_at(struct warp *w, const struct place *p, struct edge at)
{
    if (at.x == INSIDE) return veq(p->y, at.y);
    return at.y == INSIDE ? veq(p->x, at.x) : vand(veq(p->y, at.y), veq(p->x, at.x));
}

static void by_edge(struct warp *w, const struct place *p, const struct edge *cases, int count,
                    void (*take)(struct warp *w, const struct place *p, struct edge at, void *arg), void *arg)
{
    if (!count) {
        take(w, p, (struct edge){INSIDE, INSIDE}, arg);
        return;
    }
    SIMT_IF (is_at(w, p, cases[0])) {
        take(w, p, cases[0], arg);
    }
    SIMT_ELSE
    {
        by_edge(w, p, cases + 1, count - 1, take, arg);
    }
}

static vf32 neighbour(struct warp *w, const struct place *p, bool beyond, sf32 side, sf32 tile, int distance)
{
    return beyond ? vload(side, p->cell) : vload(tile, vadd(p->cell, distance));
}

/* ---- First kernel. ---- */

struct differences {
    sf32 tile, above, below, left, right;
    vf32 pixel, n, s, west, e;
};

static void take_differences(struct warp *w, const struct place *p, struct edge at, void *arg)
{
    struct differences *d = arg;
    vset(d->n, vsub(neighbour(w, p, at.y == 0, d->above, d->tile, -SIDE), d->pixel));
    vset(d->s, vsub(neighbour(w, p, at.y == LAST, d->below, d->tile, SIDE), d->pixel));
    vset(d->west, vsub(neighbour(w, p, at.x == 0, d->left, d->tile, -1), d->pixel));
    vset(d->e, vsub(neighbour(w, p, at.x == LAST, d->right, d->tile, 1), d->pixel));
}

static void stage_image(struct warp *w, const struct srad_v2 *k, const struct place *p, const struct differences *d)
{
    int row = BLOCK_Y * SIDE, column = BLOCK_X * SIDE;
    stage_row(w, k, d->above, k->image, p, row - 1);
    stage_row(w, k, d->below, k->image, p, row + SIDE);
    vsync();
    stage_column(w, k, d->left, k->image, p, column - 1);
    stage_column(w, k, d->right, k->image, p, column + SIDE);
    vsync();
    vstore(d->tile, p->cell, vload(k->image, p->pixel));
    vsync();
}

static void store_limited(struct warp *w, sf32 to, const struct place *p, vf32 c)
{
    SIMT_IF (vlt(c, 0.0f)) {
        vstore(to, p->cell, 0.0f);
    }
    SIMT_ELSE
    {
        SIMT_IF (vgt(c, 1.0f)) {
            vstore(to, p->cell, 1.0f);
        }
        SIMT_ELSE
        {
            vstore(to, p->cell, c);
        }
    }
}

static void srad_cuda_1(struct warp *w)
{
    static const struct edge cases[] = {{0, 0},      {0, LAST},      {LAST, LAST},   {LAST, 0},
                                        {0, INSIDE}, {INSIDE, LAST}, {LAST, INSIDE}, {INSIDE, 0}};
    const struct srad_v2 *k = simt_args(w);
    struct place p = find_place(w, k);
    struct differences d = {.tile = vshared_f32("temp", CELLS)};
    sf32 result = vshared_f32("temp_result", CELLS);
    d.above = vshared_f32("north", CELLS), d.below = vshared_f32("south", CELLS);
    d.right = vshared_f32("east", CELLS), d.left = vshared_f32("west", CELLS);
    stage_image(w, k, &p, &d);
    d.pixel = vvar(vload(d.tile, p.cell));
    d.n = vvar(0.0f), d.s = vvar(0.0f), d.west = vvar(0.0f), d.e = vvar(0.0f);
    by_edge(w, &p, cases, sizeof cases / sizeof cases[0], take_differences, &d);
    vf32 c = diffusion(w, d.pixel, d.n, d.s, d.west, d.e, k->q0);
    store_limited(w, result, &p, c);
    vsync();
    vstore(k->c, p.pixel, vload(result, p.cell));
    vstore(k->east, p.pixel, d.e);
    vstore(k->west, p.pixel, d.west);
    vstore(k->south, p.pixel, d.s);
    vstore(k->north, p.pixel, d.n);
}

/* ---- Second kernel. ---- */

struct coefficients {
    sf32 tile, below, right;
    vf32 south, east;
};

static void take_coefficients(struct warp *w, const struct place *p, struct edge at, void *arg)
{
    struct coefficients *c = arg;
    vset(c->south, neighbour(w, p, at.y == LAST, c->below, c->tile, SIDE));
    vset(c->east, neighbour(w, p, at.x == LAST, c->right, c->tile, 1));
}

static void srad_cuda_2(struct warp *w)
{
    static const struct edge cases[] = {{LAST, LAST}, {INSIDE, LAST}, {LAST, INSIDE}};
    const struct srad_v2 *k = simt_args(w);
    struct place p = find_place(w, k);
    struct coefficients c = {.below = vshared_f32("south_c", CELLS)};
    c.right = vshared_f32("east_c", CELLS);
    c.tile = vshared_f32("c_cuda_temp", CELLS);
    sf32 result = vshared_f32("c_cuda_result", CELLS), image = vshared_f32("temp", CELLS);
    vstore(image, p.cell, vload(k->image, p.pixel));
    vsync();
    stage_row(w, k, c.below, k->c, &p, (BLOCK_Y + 1) * SIDE);
    vsync();
    stage_column(w, k, c.right, k->c, &p, (BLOCK_X + 1) * SIDE);
    vsync();
    vstore(c.tile, p.cell, vload(k->c, p.pixel));
    vsync();
    vf32 here = vvar(vload(c.tile, p.cell));
    c.south = vvar(0.0f), c.east = vvar(0.0f);
    by_edge(w, &p, cases, sizeof cases / sizeof cases[0], take_coefficients, &c);
    vf32 divergence = vvar(vmul(vload(k->north, p.pixel), here));
    vset(divergence, vmad(c.south, vload(k->south, p.pixel), divergence));
    vset(divergence, vmad(here, vload(k->west, p.pixel), divergence));
    vset(divergence, vmad(c.east, vload(k->east, p.pixel), divergence));
    vf32 pixel = vload(image, p.cell);
    vstore(result, p.cell, vmad(divergence, 0.25f * LAMBDA, pixel));
    vsync();
    vstore(k->image, p.pixel, vload(result, p.cell));
}

/* ---- The host's part. ---- */

static float corner_speckle(const struct srad_v2 *k, const float *image)
{
    int rows = k->rows < CORNER ? k->rows : CORNER, columns = k->columns < CORNER ? k->columns : CORNER;
    float sum = 0, squares = 0;
    for (int row = 0; row < rows; row++) {
        for (int column = 0; column < columns; column++) {
            float pixel = image[row * k->columns + column];
            sum += pixel;
            squares += pixel * pixel;
        }
    }
    return speckle(sum, squares, rows * columns);
}

static void launch(struct host *h, struct srad_v2 *k, const char *name, void (*kernel)(struct warp *w), uint32_t regs,
                   uint32_t arrays)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)(k->columns / SIDE), (uint32_t)(k->rows / SIDE)},
                                    .block = {SIDE, SIDE},
                                    .regs = regs,
                                    .shared_bytes = arrays * CELLS * 4});
}

static int multiple_of_side(struct host *h, const char *name)
{
    int n = option(h, name);
    if (n % SIDE) host_fail(h, "%s: found %d, expected a multiple of %d, a tile's side", name, n, SIDE);
    return n;
}

static void make_images(struct host *h, struct srad_v2 *k)
{
    const uint64_t rows = (uint64_t)k->rows, columns = (uint64_t)k->columns, pixels = rows * columns;
    gf32 *const arrays[] = {&k->image, &k->c, &k->east, &k->west, &k->south, &k->north};
    static const char *const names[] = {"J_cuda", "C_cuda", "E_C", "W_C", "S_C", "N_C"};
    for (int i = 0; i < 6; i++) *arrays[i] = device_f32_2d(h, names[i], rows, columns);
    k->first_image = host_alloc(h, pixels * sizeof(float));
    for (uint64_t i = 0; i < pixels; i++) k->first_image[i] = expf((float)rng_unit(host_rng(h)));
    memcpy(k->image.host, k->first_image, pixels * sizeof(float));
}

static void srad_v2_host(struct host *h, void *state)
{
    struct srad_v2 *k = state;
    k->rows = multiple_of_side(h, "rows");
    k->columns = multiple_of_side(h, "columns");
    k->iterations = option(h, "iterations");
    make_images(h, k);
    for (int i = 0; i < k->iterations; i++) {
        k->q0 = corner_speckle(k, k->image.host);
        launch(h, k, "srad_cuda_1", srad_cuda_1, 22, 6);
        launch(h, k, "srad_cuda_2", srad_cuda_2, 22, 5);
    }
}

/* The differences that the first kernel stores, of one step. */
static bool check_differences(struct host *h, const struct srad_v2 *k, const struct plane *p, const float *image,
                              struct error *err)
{
    uint64_t bytes = (uint64_t)k->rows * (uint64_t)k->columns * sizeof(float);
    float *want[4];
    for (int d = 0; d < 4; d++) want[d] = host_alloc(h, bytes);
    for (int i = 0; i < k->rows * k->columns; i++) {
        struct gradients g = gradients(p, image, i / k->columns, i % k->columns);
        want[0][i] = g.north, want[1][i] = g.south, want[2][i] = g.west, want[3][i] = g.east;
    }
    return check_f32(k->north, want[0], 0, err) && check_f32(k->south, want[1], 0, err) &&
           check_f32(k->west, want[2], 0, err) && check_f32(k->east, want[3], 0, err);
}

static bool srad_v2_check(struct host *h, void *state, struct error *err)
{
    const struct srad_v2 *k = state;
    const struct plane plane = {k->rows, k->columns, .down = k->columns, .right = 1};
    uint64_t bytes = (uint64_t)k->rows * (uint64_t)k->columns * sizeof(float);
    float *image = k->first_image, *scratch = host_alloc(h, bytes), *c = host_alloc(h, bytes);
    for (int i = 0; i < k->iterations; i++) {
        if (i + 1 == k->iterations && !check_differences(h, k, &plane, image, err)) return false;
        diffuse(&plane, image, scratch, c, corner_speckle(k, image));
    }
    return check_f32(k->c, c, 0, err) && check_f32(k->image, image, 0, err);
}

static const struct kernel_def srad_v2 = {
    .name = "srad_v2",
    .summary = "image denoising on tiles in shared memory",
    .origin = "Rodinia srad_v2",
    .options = {{"rows", "of the image, a multiple of 16", NULL, 2048, 16, 16384},
                {"columns", "of the image, a multiple of 16", NULL, 2048, 16, 16384},
                {"iterations", "steps of diffusion", NULL, 2, 1, 1000}},
    .suites = "rodinia uvmbench",
    .tables = "Gu20 5.1; Chen16 4.2",
    .small = "rows=32,columns=16,iterations=1",
    .reduced = "rows=64,columns=64,iterations=1",
    .state_bytes = sizeof(struct srad_v2),
    .host = srad_v2_host,
    .check = srad_v2_check,
};
KERNEL_REGISTER(srad_v2)
