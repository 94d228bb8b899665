/* SPDX-License-Identifier: Apache-2.0 */
/* gabor: a bank of Gabor filters (Daugman85), a launch for each orientation.  A thread block stages a tile of 16 x 16
 * pixels with a border of six in shared memory, which overlaps those of its eight neighbours; a thread convolves its
 * pixel with the even and the odd filter at once and stores the amplitude.  The taps are in constant memory. */
#include <math.h>

#include "trace/kernels.h"

#define SIDE 16 /* of a tile */
#define RADIUS 6
#define TAPS (2 * RADIUS + 1)
#define CELLS (SIDE + 2 * RADIUS) /* of a row of the tile with its border */
#define WAVELENGTH 4.0            /* pixels */
#define SIGMA (0.56 * WAVELENGTH) /* of the envelope: a bandwidth of one octave */

struct gabor {
    gf32 image, responses;
    int width, height, orientations;
    int orientation; /* of this launch, and its filters */
    float even[TAPS][TAPS], odd[TAPS][TAPS];
};

/* The pixels that are `right` and `down` of the first ones; beyond the image's edge: those of the edge. */
static void stage(struct warp *w, const struct gabor *k, sf32 tile, vi32 x, vi32 y, int right, int down)
{
    SIMT_IF (vand(vlt(x, CELLS - right), vlt(y, CELLS - down))) {
        vi32 column = vadd(x, BLOCK_X * SIDE - RADIUS + right), row = vadd(y, BLOCK_Y * SIDE - RADIUS + down);
        column = vvar(vmax(vmin(column, k->width - 1), 0));
        row = vmax(vmin(row, k->height - 1), 0);
        vf32 pixel = vvar(vload(k->image, vmad(row, k->width, column)));
        vstore(tile, vmad(y, CELLS, vadd(x, down * CELLS + right)), pixel);
    }
}

static void gabor_kernel(struct warp *w)
{
    const struct gabor *k = simt_args(w);
    sf32 tile = vshared_f32("tile", CELLS * CELLS);
    vi32 x = vvar(vthread_x()), y = vvar(vthread_y());
    for (int down = 0; down < CELLS; down += SIDE) {
        for (int right = 0; right < CELLS; right += SIDE) stage(w, k, tile, x, y, right, down);
    }
    vsync();
    vi32 cell = vvar(vmad(y, CELLS, x));
    vf32 even = vvar(0.0f), odd = vvar(0.0f);
    for (int i = 0; i < TAPS; i++) {
        for (int j = 0; j < TAPS; j++) {
            vf32 pixel = vload(tile, vadd(cell, i * CELLS + j));
            vset(even, vmad(pixel, k->even[i][j], even));
            vset(odd, vmad(pixel, k->odd[i][j], odd));
        }
    }
    vi32 column = vvar(vadd(x, BLOCK_X * SIDE)), row = vvar(vadd(y, BLOCK_Y * SIDE));
    SIMT_IF (vand(vlt(column, k->width), vlt(row, k->height))) {
        vi32 at = vvar(vmad(vadd(row, k->orientation * k->height), k->width, column));
        vstore(k->responses, at, vsqrt(vmad(even, even, vmul(odd, odd))));
    }
}

static void make_filters(struct gabor *k, int orientation)
{
    const double angle = M_PI * orientation / k->orientations;
    for (int i = 0; i < TAPS; i++) {
        for (int j = 0; j < TAPS; j++) {
            const double x = j - RADIUS, y = i - RADIUS;
            const double envelope = exp(-(x * x + y * y) / (2 * SIGMA * SIGMA));
            const double phase = 2 * M_PI * (x * cos(angle) + y * sin(angle)) / WAVELENGTH;
            k->even[i][j] = (float)(envelope * cos(phase));
            k->odd[i][j] = (float)(envelope * sin(phase));
        }
    }
    k->orientation = orientation;
}

static void gabor_host(struct host *h, void *state)
{
    struct gabor *k = state;
    k->width = option(h, "width");
    k->height = option(h, "height");
    k->orientations = option(h, "orientations");
    const uint64_t width = (uint64_t)k->width, height = (uint64_t)k->height, pixels = width * height;
    k->image = device_f32_2d(h, "image", height, width);
    k->responses = device_f32_2d(h, "responses", height * (uint64_t)k->orientations, width);
    for (uint64_t i = 0; i < pixels; i++) k->image.host[i] = (float)rng_unit(host_rng(h));
    for (int i = 0; i < k->orientations; i++) {
        make_filters(k, i);
        simt_launch(h, &(struct launch){.name = "gabor",
                                        .kernel = gabor_kernel,
                                        .args = k,
                                        .grid = {blocks_for(k->width, SIDE), blocks_for(k->height, SIDE)},
                                        .block = {SIDE, SIDE},
                                        .regs = 28, /* ptxas 13.0, sm_75 */
                                        .shared_bytes = CELLS * CELLS * sizeof(float)});
    }
}

static int limited(int at, int count)
{
    return at < 0 ? 0 : at < count ? at : count - 1;
}

static float amplitude(const struct gabor *k, int row, int column)
{
    float even = 0, odd = 0;
    for (int i = 0; i < TAPS; i++) {
        const float *line = k->image.host + limited(row + i - RADIUS, k->height) * k->width;
        for (int j = 0; j < TAPS; j++) {
            const float pixel = line[limited(column + j - RADIUS, k->width)];
            even += pixel * k->even[i][j];
            odd += pixel * k->odd[i][j];
        }
    }
    return sqrtf(even * even + odd * odd);
}

static bool gabor_check(struct host *h, void *state, struct error *err)
{
    struct gabor *k = state;
    float *want = host_alloc(h, k->responses.array->count * sizeof(float)), *next = want;
    for (int i = 0; i < k->orientations; i++) {
        make_filters(k, i);
        for (int row = 0; row < k->height; row++) {
            for (int column = 0; column < k->width; column++) *next++ = amplitude(k, row, column);
        }
    }
    return check_f32(k->responses, want, 0, err);
}

static const struct kernel_def gabor = {
    .name = "gabor",
    .summary = "a bank of Gabor filters, a launch for each orientation",
    .origin = "Daugman85",
    .options = {{"width", "of the image", NULL, 192, 1, 8192},
                {"height", "of the image", NULL, 192, 1, 8192},
                {"orientations", "filters of the bank", NULL, 4, 1, 256}},
    .suites = "own",
    .tables = "Chen16 4.2",
    .small = "width=17,height=9,orientations=1",
    .reduced = "width=64,height=64,orientations=1",
    .state_bytes = sizeof(struct gabor),
    .host = gabor_host,
    .check = gabor_check,
};
KERNEL_REGISTER(gabor)
