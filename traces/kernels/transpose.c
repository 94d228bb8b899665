/* SPDX-License-Identifier: Apache-2.0 */
/* transpose: out = in^T (CUDA SDK, transpose).  Naive: each warp's store touches 32 lines.  Tiled: through a padded 32
 * x 32 tile in shared memory, so that both sides coalesce. */
#include "trace/kernels.h"

#define TILE 32
#define ROWS 8 /* threads in y: each copies TILE / ROWS elements */

struct transpose {
    gf32 in, naive, tiled;
    int width, height;
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

static void launch(struct host *h, struct transpose *k, const char *name, void (*kernel)(struct warp *w),
                   uint32_t shared)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->width, TILE), blocks_for(k->height, TILE)},
                                    .block = {TILE, ROWS},
                                    .regs = 14,
                                    .shared_bytes = shared});
}

enum { NAIVE, TILED, BOTH };

static void transpose_host(struct host *h, void *state)
{
    struct transpose *k = state;
    k->width = option(h, "width");
    k->height = option(h, "height");
    int variant = option(h, "variant");
    const uint64_t width = (uint64_t)k->width, height = (uint64_t)k->height;
    k->in = device_f32_2d(h, "in", height, width);
    if (variant != TILED) k->naive = device_f32_2d(h, "naive", width, height);
    if (variant != NAIVE) k->tiled = device_f32_2d(h, "tiled", width, height);
    for (uint64_t i = 0; i < width * height; i++) k->in.host[i] = (float)rng_unit(host_rng(h));
    if (variant != TILED) launch(h, k, "transposeNaive", naive_kernel, 0);
    if (variant != NAIVE) launch(h, k, "transposeNoBankConflicts", tiled_kernel, TILE * (TILE + 1) * 4);
}

static bool transpose_check(struct host *h, void *state, struct error *err)
{
    const struct transpose *k = state;
    float *want = host_alloc(h, (uint64_t)k->width * (uint64_t)k->height * sizeof *want);
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
                {"variant", "which kernels", "naive|tiled|both", BOTH, 0, 0}},
    .state_bytes = sizeof(struct transpose),
    .host = transpose_host,
    .check = transpose_check,
};
KERNEL_REGISTER(transpose)
