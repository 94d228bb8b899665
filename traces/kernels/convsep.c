/* SPDX-License-Identifier: Apache-2.0 */
/* convsep: a separable convolution of radius 8 (CUDA SDK, convolutionSeparable): one kernel along rows, one along
 * columns.  A thread block loads eight tiles side by side and a halo tile at each end into shared memory; a thread
 * computes eight elements, 17 terms each.  A warp is two rows of 16: two lines a load.  The taps are in constant
 * memory.
 */
#include "trace/kernels.h"

#define RADIUS 8
#define TAPS (2 * RADIUS + 1)
#define RESULTS 8 /* of a thread */
#define HALO 1    /* tiles at each end */
#define TILES (RESULTS + 2 * HALO)
#define ROWS_X 16 /* thread blocks of the two kernels */
#define ROWS_Y 4
#define COLUMNS_X 16
#define COLUMNS_Y 8
#define COLUMN_CELLS (TILES * COLUMNS_Y + 1) /* of a column in shared memory: odd, against bank conflicts */

struct pass { /* a kernel: both do the same along another axis */
    const float *taps;
    gf32 from, to;
    int width, length; /* of a row; along the axis */
    int side, step;    /* from tile to tile: in shared and in global memory */
};

struct convsep {
    struct pass rows, columns;
    float taps[TAPS];
    int width, height;
};

/* Where a thread is: its place along the axis in the first tile, which may be outside; its elements in that tile. */
struct place {
    vi32 along, cell, at;
};

static void load_halo(struct warp *w, const struct pass *p, sf32 data, const struct place *x, int tile, vbool inside)
{
    SIMT_IF (inside) {
        vf32 value = vload(p->from, vadd(x->at, tile * p->step));
        vstore(data, vadd(x->cell, tile * p->side), value);
    }
    SIMT_ELSE
    {
        vstore(data, vadd(x->cell, tile * p->side), 0.0f);
    }
}

static void convolve(struct warp *w, const struct pass *p, sf32 data, const struct place *x)
{
    for (int i = HALO; i < HALO + RESULTS; i++) {
        vf32 value = vload(p->from, vadd(x->at, i * p->step));
        vstore(data, vadd(x->cell, i * p->side), value);
    }
    load_halo(w, p, data, x, 0, vge(x->along, 0));
    load_halo(w, p, data, x, HALO + RESULTS, vlt(x->along, p->length - (HALO + RESULTS) * p->side));
    vsync();
    vf32 sum = vvar(0.0f);
    for (int i = HALO; i < HALO + RESULTS; i++) {
        if (i > HALO) vset(sum, 0.0f);
        for (int j = -RADIUS; j <= RADIUS; j++) {
            vf32 neighbour = vload(data, vadd(x->cell, i * p->side + j));
            vset(sum, vmad(neighbour, p->taps[RADIUS - j], sum));
        }
        vstore(p->to, vadd(x->at, i * p->step), sum);
    }
}

static void rows_kernel(struct warp *w)
{
    const struct pass *p = simt_args(w);
    sf32 data = vshared_f32("s_Data", ROWS_Y * TILES * ROWS_X);
    vi32 tx = vvar(vthread_x()), ty = vvar(vthread_y());
    vi32 x = vvar(vadd(tx, (BLOCK_X * RESULTS - HALO) * ROWS_X)), y = vvar(vadd(ty, BLOCK_Y * ROWS_Y));
    struct place at = {.along = x, .cell = vvar(vmad(ty, TILES * ROWS_X, tx))};
    at.at = vvar(vmad(y, p->width, x));
    convolve(w, p, data, &at);
}

static void columns_kernel(struct warp *w)
{
    const struct pass *p = simt_args(w);
    sf32 data = vshared_f32("s_Data", COLUMNS_X * COLUMN_CELLS);
    vi32 tx = vvar(vthread_x()), ty = vvar(vthread_y());
    vi32 x = vvar(vadd(tx, BLOCK_X * COLUMNS_X)), y = vvar(vadd(ty, (BLOCK_Y * RESULTS - HALO) * COLUMNS_Y));
    struct place at = {.along = y, .cell = vvar(vmad(tx, COLUMN_CELLS, ty))};
    at.at = vvar(vmad(y, p->width, x));
    convolve(w, p, data, &at);
}

static void launch_rows(struct host *h, const struct convsep *k)
{
    simt_launch(h, &(struct launch){.name = "convolutionRowsKernel",
                                    .kernel = rows_kernel,
                                    .args = &k->rows,
                                    .grid = {(uint32_t)(k->width / (RESULTS * ROWS_X)), (uint32_t)(k->height / ROWS_Y)},
                                    .block = {ROWS_X, ROWS_Y},
                                    .regs = 59, /* ptxas 13.0, sm_75; so is the 44 below */
                                    .shared_bytes = ROWS_Y * TILES * ROWS_X * sizeof(float)});
}

static void launch_columns(struct host *h, const struct convsep *k)
{
    const uint32_t across = (uint32_t)(k->width / COLUMNS_X), down = (uint32_t)(k->height / (RESULTS * COLUMNS_Y));
    simt_launch(h, &(struct launch){.name = "convolutionColumnsKernel",
                                    .kernel = columns_kernel,
                                    .args = &k->columns,
                                    .grid = {across, down},
                                    .block = {COLUMNS_X, COLUMNS_Y},
                                    .regs = 44,
                                    .shared_bytes = COLUMNS_X * COLUMN_CELLS * sizeof(float)});
}

static void expect_multiple(struct host *h, const char *name, int of)
{
    if (option(h, name) % of) {
        host_fail(h, "%s: found %d, expected a multiple of %d, the elements of a thread block", name, option(h, name),
                  of);
    }
}

static void convsep_host(struct host *h, void *state)
{
    struct convsep *k = state;
    expect_multiple(h, "width", RESULTS * ROWS_X);
    expect_multiple(h, "height", RESULTS * COLUMNS_Y);
    k->width = option(h, "width");
    k->height = option(h, "height");
    const uint64_t rows = (uint64_t)k->height, columns = (uint64_t)k->width;
    gf32 in = device_f32_2d(h, "in", rows, columns), out = device_f32_2d(h, "out", rows, columns);
    gf32 buffer = device_f32_2d(h, "buffer", rows, columns);
    for (uint64_t i = 0; i < rows * columns; i++) in.host[i] = (float)rng_unit(host_rng(h));
    for (int i = 0; i < TAPS; i++) k->taps[i] = (float)rng_unit(host_rng(h));
    k->rows = (struct pass){k->taps, in, buffer, k->width, k->width, ROWS_X, ROWS_X};
    k->columns = (struct pass){k->taps, buffer, out, k->width, k->height, COLUMNS_Y, COLUMNS_Y * k->width};
    for (int run = option(h, "runs"); run; run--) {
        launch_rows(h, k);
        launch_columns(h, k);
    }
}

/* Element `i` of `n`, which are `step` apart. */
static float convolved(const float *taps, const float *line, int i, int n, int step)
{
    float sum = 0;
    for (int j = -RADIUS; j <= RADIUS; j++) {
        if (i + j >= 0 && i + j < n) sum += line[(i + j) * step] * taps[RADIUS - j];
    }
    return sum;
}

static bool convsep_check(struct host *h, void *state, struct error *err)
{
    const struct convsep *k = state;
    const uint64_t bytes = k->rows.from.array->count * sizeof(float);
    float *buffer = host_alloc(h, bytes), *out = host_alloc(h, bytes);
    for (int y = 0; y < k->height; y++) {
        const float *line = k->rows.from.host + y * k->width;
        for (int x = 0; x < k->width; x++) buffer[y * k->width + x] = convolved(k->taps, line, x, k->width, 1);
    }
    for (int y = 0; y < k->height; y++) {
        for (int x = 0; x < k->width; x++) {
            out[y * k->width + x] = convolved(k->taps, buffer + x, y, k->height, k->width);
        }
    }
    return check_f32(k->rows.to, buffer, 0, err) && check_f32(k->columns.to, out, 0, err);
}

static const struct kernel_def convsep = {
    .name = "convsep",
    .summary = "separable convolution of radius 8: rows, then columns, through shared memory",
    .origin = "CUDA SDK convolutionSeparable",
    .options = {{"width", "of the image, a multiple of 128", NULL, 3072, 128, 32768},
                {"height", "of the image, a multiple of 64", NULL, 3072, 64, 32768},
                {"runs", "times that the image is convolved; the sample: 17", NULL, 1, 1, 1000}},
    .suites = "sdk",
    .tables = "Gu20 2.3, 3.1; Chen16 4.2",
    .small = "width=128,height=64",
    .reduced = "width=256,height=128",
    .state_bytes = sizeof(struct convsep),
    .host = convsep_host,
    .check = convsep_check,
};
KERNEL_REGISTER(convsep)
