/* SPDX-License-Identifier: Apache-2.0 */
/* sad: sums of absolute differences of blocks of a video's frame from a reference frame, at all places up to 16 pixels
 * away (Parboil).  A thread block a macroblock of 16 x 16 pixels: each thread takes places of the search window and
 * adds up the 16 blocks of 4 x 4, whose pixels all threads load at once; then sums of 8 x 8 and of 16 x 16 from those,
 * as streams. Places outside the frame see its nearest pixel, as through a texture. */
#include <stdlib.h>

#include "program.h"

#define MACRO 16
#define RANGE 16
#define WINDOW (2 * RANGE + 1)
#define PLACES (WINDOW * WINDOW)
#define BLOCKS 16 /* of 4 x 4 in a macroblock */
#define BLOCK 128

struct sad {
    gi32 current, reference; /* a word a pixel */
    gi32 small, medium, large;
    int columns, rows; /* macroblocks */
};

static vi32 limited(vi32 i, int n) /* the texture unit does that, without an instruction */
{
    for (int l = 0; l < WARP_SIZE; l++) i.lane[l] = i.lane[l] < 0 ? 0 : i.lane[l] >= n ? n - 1 : i.lane[l];
    return i;
}

/* The sum of block `at` of the macroblock, whose pixel (0, 0) is (x, y), at a place (dx, dy) away. */
static vi32 block_sum(struct warp *w, const struct sad *k, vi32 x, vi32 y, vi32 dx, vi32 dy)
{
    const int width = k->columns * MACRO, height = k->rows * MACRO;
    vi32 sum = vvar(0), row = vvar(0);
    SIMT_WHILE (vlt(row, 4)) {
        vi32 down = vvar(vadd(y, row)), from = vvar(vmul(limited(vadd(down, dy), height), width));
        vi32 mine = vvar(vmad(down, width, x)), across = vvar(vadd(x, dx));
        for (int i = 0; i < 4; i++) {
            vi32 other = vload(k->reference, vadd(limited(vadd(across, i), width), from));
            vset(sum, vadd(sum, vabs(vsub(vload(k->current, vadd(mine, i)), other))));
        }
        vset(row, vadd(row, 1));
    }
    return sum;
}

static void small_kernel(struct warp *w)
{
    const struct sad *k = simt_args(w);
    const int macroblock = BLOCK_Y * k->columns + BLOCK_X;
    vi32 place = vvar(vthread_x());
    SIMT_WHILE (vlt(place, PLACES)) {
        vi32 dy = vvar(quotient(w, place, WINDOW)), dx = vvar(vmad(dy, -WINDOW, place)), block = vvar(0);
        vset(dy, vsub(dy, RANGE));
        vset(dx, vsub(dx, RANGE));
        SIMT_WHILE (vlt(block, BLOCKS)) {
            vi32 x = vvar(vadd(vshl(vand(block, 3), 2), BLOCK_X * MACRO));
            vi32 y = vvar(vadd(vshl(vshr(block, 2), 2), BLOCK_Y * MACRO));
            vi32 sum = vvar(block_sum(w, k, x, y, dx, dy));
            vi32 to = vvar(vmad(vadd(block, macroblock * BLOCKS), PLACES, place));
            vstore(k->small, to, sum);
            vset(block, vadd(block, 1));
        }
        vset(place, vadd(place, BLOCK));
    }
}

/* Sums of `count` blocks each from four sums of the kernel before: `from` has twice as many along a row. */
static void larger(struct warp *w, gi32 from, gi32 to, int side, int macroblock)
{
    vi32 place = vvar(vthread_x()), block = vvar(0);
    SIMT_WHILE (vlt(place, PLACES)) {
        vset(block, 0);
        SIMT_WHILE (vlt(block, side * side)) {
            vi32 row = vvar(vshr(block, side - 1)); /* side is 1 or 2 */
            vi32 first = vvar(vmad(vmad(row, 2 * side, vmad(row, -side, block)), 2, macroblock * 4 * side * side));
            vi32 sum = vvar(0);
            for (int i = 0; i < 4; i++) {
                vi32 at = vmad(vadd(first, i / 2 * 2 * side + i % 2), PLACES, place);
                vset(sum, vadd(sum, vload(from, at)));
            }
            vstore(to, vmad(vadd(block, macroblock * side * side), PLACES, place), sum);
            vset(block, vadd(block, 1));
        }
        vset(place, vadd(place, BLOCK));
    }
}

static void medium_kernel(struct warp *w)
{
    const struct sad *k = simt_args(w);
    larger(w, k->small, k->medium, 2, BLOCK_Y * k->columns + BLOCK_X);
}

static void large_kernel(struct warp *w)
{
    const struct sad *k = simt_args(w);
    larger(w, k->medium, k->large, 1, BLOCK_Y * k->columns + BLOCK_X);
}

static void launch(struct host *h, const struct sad *k, const char *name, void (*kernel)(struct warp *w))
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)k->columns, (uint32_t)k->rows},
                                    .block = {BLOCK},
                                    .regs = 32});
}

static void sad_host(struct host *h, void *state)
{
    struct sad *k = state;
    k->columns = option(h, "columns");
    k->rows = option(h, "rows");
    const uint64_t macroblocks = (uint64_t)k->columns * (uint64_t)k->rows;
    const uint64_t height = (uint64_t)k->rows * MACRO, width = (uint64_t)k->columns * MACRO;
    k->current = device_i32_2d(h, "cur_image", height, width);
    k->reference = device_i32_2d(h, "ref_image", height, width);
    k->small = device_i32_2d(h, "blk_sad", macroblocks * BLOCKS, PLACES);
    k->medium = device_i32_2d(h, "blk_sad_8", macroblocks * BLOCKS / 4, PLACES);
    k->large = device_i32_2d(h, "blk_sad_16", macroblocks, PLACES);
    for (uint64_t i = 0; i < height * width; i++) {
        k->current.host[i] = (int32_t)rng_below(host_rng(h), 256);
        k->reference.host[i] = (int32_t)rng_below(host_rng(h), 256);
    }
    launch(h, k, "mb_sad_calc", small_kernel);
    launch(h, k, "larger_sad_calc_8", medium_kernel);
    launch(h, k, "larger_sad_calc_16", large_kernel);
}

static int within(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* The sum of the square of `side` pixels from (x, y) on, at place number `place`. */
static int32_t square_sum(const struct sad *k, int x, int y, int side, int place)
{
    const int width = k->columns * MACRO, height = k->rows * MACRO;
    const int dx = place % WINDOW - RANGE, dy = place / WINDOW - RANGE;
    int32_t sum = 0;
    for (int row = y; row < y + side; row++)
        for (int column = x; column < x + side; column++)
            sum += abs(k->current.host[row * width + column] -
                       k->reference.host[within(row + dy, height) * width + within(column + dx, width)]);
    return sum;
}

static bool check_sums(struct host *h, const struct sad *k, gi32 got, int side, struct error *err)
{
    int32_t *want = host_alloc(h, got.array->count * sizeof *want);
    const int across = MACRO / side;
    for (uint64_t i = 0; i < got.array->count; i++) {
        const int square = (int)(i / PLACES), block = square % (across * across),
                  macroblock = square / (across * across);
        const int x = macroblock % k->columns * MACRO + block % across * side;
        const int y = macroblock / k->columns * MACRO + block / across * side;
        want[i] = square_sum(k, x, y, side, (int)(i % PLACES));
    }
    return check_i32(got, want, err);
}

static bool sad_check(struct host *h, void *state, struct error *err)
{
    const struct sad *k = state;
    return check_sums(h, k, k->small, 4, err) && check_sums(h, k, k->medium, 8, err) &&
           check_sums(h, k, k->large, 16, err);
}

static const struct kernel_def sad = {
    .name = "sad",
    .summary = "sums of absolute differences of a frame's blocks at all places of a search window",
    .origin = "Parboil sad",
    .options = {{"columns", "macroblocks of 16 x 16 in a row of the frame", NULL, 11, 1, 256},
                {"rows", "rows of macroblocks", NULL, 9, 1, 256}},
    .suites = "parboil",
    .tables = "Gu20 2.3",
    .small = "columns=1,rows=1",
    .reduced = "columns=1,rows=1",
    .state_bytes = sizeof(struct sad),
    .host = sad_host,
    .check = sad_check,
};
KERNEL_REGISTER(sad)
