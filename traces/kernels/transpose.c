/* SPDX-License-Identifier: Apache-2.0 */
/* transpose: out = in^T (CUDA SDK, transpose).  Naive: each warp's store touches 32 lines.  Tiled: through a padded 32
 * x 32 tile in shared memory, so that both sides coalesce.
 *
 * tile=16 is the older sample (SDK 4), whose thread blocks are tiles of 16 x 16: half a line, shared with the next
 * thread block of the row.  variant=all is its program: eight kernels, each `runs` times; the sample runs each three
 * times. */
#include <string.h>

#include "trace/kernels.h"

#define TILE 32
#define ROWS 8 /* threads in y: each copies TILE / ROWS elements */
#define OLD 16 /* side of the older sample's tiles and thread blocks */
#define OLD_KERNELS 8

struct transpose {
    gf32 in, naive, tiled;
    gf32 out; /* of the older sample's kernels, one after the other; `got` keeps them */
    float *got[OLD_KERNELS];
    int width, height, tile, variant, runs;
};

static void naive_kernel(struct warp *w)
{
    const struct transpose *k = simt_args(w);
    vi32 x = vvar(vadd(vthread_x(), BLOCK_X * TILE)), y = vvar(vadd(vthread_y(), BLOCK_Y * TILE));
    for (int i = 0; i < TILE; i += ROWS) {
        vbool inside = vand(vlt(x, k->width), vlt(y, k->height));
        SIMT_IF (inside) {
            vstore(k->naive, vmad(x, k->height, y), vload(k->in, vmad(y, k->width, x)));
        }
        vset(y, vadd(y, ROWS));
    }
}

static void tiled_kernel(struct warp *w)
{
    const struct transpose *k = simt_args(w);
    sf32 tile = vshared_f32("tile", TILE * (TILE + 1));
    vi32 tx = vvar(vthread_x()), ty = vvar(vthread_y());
    vi32 x = vvar(vadd(tx, BLOCK_X * TILE)), y = vvar(vadd(ty, BLOCK_Y * TILE));
    for (int i = 0; i < TILE; i += ROWS) {
        SIMT_IF (vand(vlt(x, k->width), vlt(vadd(y, i), k->height))) {
            vf32 value = vload(k->in, vmad(vadd(y, i), k->width, x));
            vstore(tile, vmad(vadd(ty, i), TILE + 1, tx), value);
        }
    }
    vsync();
    vset(x, vadd(tx, BLOCK_Y * TILE));
    vset(y, vadd(ty, BLOCK_X * TILE));
    for (int i = 0; i < TILE; i += ROWS) {
        SIMT_IF (vand(vlt(x, k->height), vlt(vadd(y, i), k->width))) {
            vf32 value = vload(tile, vmad(tx, TILE + 1, vadd(ty, i)));
            vstore(k->tiled, vmad(vadd(y, i), k->height, x), value);
        }
    }
}

/* ---- The older sample: a thread for each element. ---- */

/* Element of the matrix with rows of `pitch` that this thread has in the tile at (x, y). */
static vi32 element(struct warp *w, vi32 x, vi32 y, int pitch)
{
    return vmad(vadd(y, vthread_y()), pitch, vadd(x, vthread_x()));
}

/* From `in` to `out` by shared memory, whose rows are `pitch` apart; turned: rows become columns. */
static void by_tile(struct warp *w, vi32 in, vi32 out, int pitch, bool turned)
{
    const struct transpose *k = simt_args(w);
    sf32 tile = vshared_f32("tile", OLD * pitch);
    vi32 x = vvar(vthread_x()), y = vvar(vthread_y());
    vstore(tile, vmad(y, pitch, x), vload(k->in, in));
    vsync();
    vstore(k->out, out, vload(tile, turned ? vmad(x, pitch, y) : vmad(y, pitch, x)));
}

static vi32 place_in(struct warp *w)
{
    const struct transpose *k = simt_args(w);
    return element(w, V(BLOCK_X * OLD), V(BLOCK_Y * OLD), k->width);
}

static vi32 place_out(struct warp *w)
{
    const struct transpose *k = simt_args(w);
    return element(w, V(BLOCK_Y * OLD), V(BLOCK_X * OLD), k->height);
}

static void copy_kernel(struct warp *w)
{
    const struct transpose *k = simt_args(w);
    vi32 at = vvar(place_in(w));
    vstore(k->out, at, vload(k->in, at));
}

static void copy_tile_kernel(struct warp *w)
{
    vi32 at = vvar(place_in(w));
    by_tile(w, at, at, OLD, false);
}

static void old_naive_kernel(struct warp *w)
{
    const struct transpose *k = simt_args(w);
    vi32 x = vvar(vadd(vthread_x(), BLOCK_X * OLD)), y = vvar(vadd(vthread_y(), BLOCK_Y * OLD));
    vi32 in = vvar(vmad(y, k->width, x)), out = vvar(vmad(x, k->height, y));
    vstore(k->out, out, vload(k->in, in));
}

static void coalesced_kernel(struct warp *w)
{
    vi32 in = vvar(place_in(w)), out = vvar(place_out(w));
    by_tile(w, in, out, OLD, true);
}

static void no_conflicts_kernel(struct warp *w)
{
    vi32 in = vvar(place_in(w)), out = vvar(place_out(w));
    by_tile(w, in, out, OLD + 1, true);
}

/* The tile of a thread block, so that those that run at a time write to different partitions. */
static void diagonal_kernel(struct warp *w)
{
    const struct transpose *k = simt_args(w);
    vi32 x = vvar(0), y = vvar(BLOCK_X);
    if (k->width == k->height) {
        vset(x, vrem(vadd(y, BLOCK_Y), GRID_DIM_X));
    } else {
        vi32 block = vvar(vadd(y, GRID_DIM_X * BLOCK_Y));
        vset(y, vrem(block, k->height / OLD));
        vset(x, vadd(vquot(block, k->height / OLD), y));
        vset(x, vrem(x, GRID_DIM_X));
    }
    vset(x, vmul(x, OLD));
    vset(y, vmul(y, OLD));
    vi32 in = vvar(element(w, x, y, k->width)), out = vvar(element(w, y, x, k->height));
    by_tile(w, in, out, OLD + 1, true);
}

static void fine_kernel(struct warp *w)
{
    vi32 at = vvar(place_in(w));
    by_tile(w, at, at, OLD + 1, true);
}

static void coarse_kernel(struct warp *w)
{
    vi32 in = vvar(place_in(w)), out = vvar(place_out(w));
    by_tile(w, in, out, OLD + 1, false);
}

/* fine: each tile is transposed where it is; coarse: tiles are, what is in them is not. */
static const struct old_kernel {
    const char *name;
    void (*kernel)(struct warp *w);
    int pitch; /* of its tile; 0: none */
    bool fine, coarse;
} old_kernels[OLD_KERNELS] = {{"copy", copy_kernel, 0, false, false},
                              {"copySharedMem", copy_tile_kernel, OLD, false, false},
                              {"transposeNaive", old_naive_kernel, 0, true, true},
                              {"transposeCoalesced", coalesced_kernel, OLD, true, true},
                              {"transposeNoBankConflicts", no_conflicts_kernel, OLD + 1, true, true},
                              {"transposeCoarseGrained", coarse_kernel, OLD + 1, false, true},
                              {"transposeFineGrained", fine_kernel, OLD + 1, true, false},
                              {"transposeDiagonal", diagonal_kernel, OLD + 1, true, true}};
enum { OLD_NAIVE = 2, OLD_TILED = 4 };

/* ---- The host. ---- */

static void launch(struct host *h, struct transpose *k, const char *name, void (*kernel)(struct warp *w), int tile,
                   int rows, uint32_t shared)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->width, tile), blocks_for(k->height, tile)},
                                    .block = {(uint32_t)tile, (uint32_t)rows},
                                    .regs = 14,
                                    .shared_bytes = shared});
}

enum { NAIVE, TILED, BOTH, ALL };

static void launch_old(struct host *h, struct transpose *k)
{
    const uint64_t bytes = (uint64_t)k->width * (uint64_t)k->height * sizeof(float);
    for (int i = 0; i < OLD_KERNELS; i++) {
        const struct old_kernel *old = &old_kernels[i];
        const bool asked = (i == OLD_NAIVE && k->variant != TILED) || (i == OLD_TILED && k->variant != NAIVE);
        if (!asked && k->variant != ALL) continue;
        k->got[i] = host_alloc(h, bytes);
        for (int run = 0; run < k->runs; run++)
            launch(h, k, old->name, old->kernel, OLD, OLD, (uint32_t)(OLD * old->pitch) * 4);
        memcpy(k->got[i], k->out.host, bytes);
    }
}

static void expect_tiles(struct host *h, const char *name)
{
    if (option(h, name) % OLD)
        host_fail(h, "%s: found %d, expected a multiple of 16, as tile=16", name, option(h, name));
}

static void transpose_host(struct host *h, void *state)
{
    struct transpose *k = state;
    k->width = option(h, "width");
    k->height = option(h, "height");
    k->variant = option(h, "variant");
    k->tile = option(h, "tile") ? OLD : TILE;
    k->runs = option(h, "runs");
    if (k->tile == OLD) {
        expect_tiles(h, "width");
        expect_tiles(h, "height");
    } else if (k->variant == ALL) {
        host_fail(h, "variant: found all, expected naive, tiled or both with tile=32");
    }
    const int variant = k->variant;
    const uint64_t width = (uint64_t)k->width, height = (uint64_t)k->height;
    k->in = device_f32_2d(h, "in", height, width);
    if (k->tile == OLD) {
        k->out = device_f32_2d(h, "out", width, height);
    } else {
        if (variant != TILED) k->naive = device_f32_2d(h, "naive", width, height);
        if (variant != NAIVE) k->tiled = device_f32_2d(h, "tiled", width, height);
    }
    for (uint64_t i = 0; i < width * height; i++) k->in.host[i] = (float)rng_unit(host_rng(h));
    if (k->tile == OLD) launch_old(h, k);
    for (int run = 0; k->tile == TILE && run < k->runs; run++) {
        if (variant != TILED) launch(h, k, "transposeNaive", naive_kernel, TILE, ROWS, 0);
        if (variant != NAIVE) launch(h, k, "transposeNoBankConflicts", tiled_kernel, TILE, ROWS, TILE * (TILE + 1) * 4);
    }
}

/* Tile (x / OLD, y / OLD) of the input goes to the same tile of the output, or to the one across the diagonal. */
static void old_result(const struct transpose *k, const struct old_kernel *old, float *want)
{
    for (int y = 0; y < k->height; y++) {
        for (int x = 0; x < k->width; x++) {
            const int left = x / OLD * OLD, top = y / OLD * OLD;
            const int right = old->fine ? y - top : x - left, down = old->fine ? x - left : y - top;
            const int at =
                old->coarse ? (left + down) * k->height + top + right : (top + down) * k->width + left + right;
            want[at] = k->in.host[y * k->width + x];
        }
    }
}

static bool old_check(const struct transpose *k, float *want, struct error *err)
{
    const uint64_t count = (uint64_t)k->width * (uint64_t)k->height;
    for (int i = 0; i < OLD_KERNELS; i++) {
        if (!k->got[i]) continue;
        old_result(k, &old_kernels[i], want);
        for (uint64_t at = 0; at < count; at++) {
            if (k->got[i][at] == want[at]) continue;
            return error_set(err, "%s: out[%llu]: found %g, expected %g", old_kernels[i].name, (unsigned long long)at,
                             (double)k->got[i][at], (double)want[at]);
        }
    }
    return check_f32(k->out, want, 0, err); /* of the last kernel */
}

static bool transpose_check(struct host *h, void *state, struct error *err)
{
    const struct transpose *k = state;
    float *want = host_alloc(h, (uint64_t)k->width * (uint64_t)k->height * sizeof *want);
    if (k->tile == OLD) return old_check(k, want, err);
    for (int y = 0; y < k->height; y++) {
        for (int x = 0; x < k->width; x++) want[x * k->height + y] = k->in.host[y * k->width + x];
    }
    return (!k->naive.host || check_f32(k->naive, want, 0, err)) &&
           (!k->tiled.host || check_f32(k->tiled, want, 0, err));
}

static const struct kernel_def transpose = {
    .name = "transpose",
    .summary = "matrix transpose, naive and through shared memory",
    .origin = "CUDA SDK transpose",
    .options = {{"width", "columns of the input", NULL, 1024, 1, 32768},
                {"height", "rows of the input", NULL, 1024, 1, 32768},
                {"variant", "which kernels; all: the eight of the older sample, tile=16", "naive|tiled|both|all", BOTH,
                 0, 0},
                {"tile", "side of a tile; 16: the older sample's, a thread for each element", "32|16", 0, 0, 0},
                {"runs", "launches of each kernel", NULL, 1, 1, 1000}},
    .suites = "sdk",
    .tables = "Gu20 2.3, 3.1; Chen16 4.2",
    .small = "width=32,height=32",
    .reduced = "width=256,height=256",
    .state_bytes = sizeof(struct transpose),
    .host = transpose_host,
    .check = transpose_check,
};
KERNEL_REGISTER(transpose)
