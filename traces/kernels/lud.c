/* SPDX-License-Identifier: Apache-2.0 */
/* lud: LU decomposition in place (Rodinia) by tiles of 16 x 16 in shared memory.  For each tile of the diagonal three
 * launches: one thread block of 16 threads decomposes it; thread blocks of two halves of a warp, which diverge,
 * complete the tiles to its right and below it; thread blocks of 16 x 16 update the rest.  The last launches of a
 * matrix have few thread blocks. */
#include "trace/unrolled.h"

#define SIDE 16
#define TILE (SIDE * SIDE)

struct lud {
    gf32 m;
    float *before;
    int n, offset; /* rows and columns; those that are complete */
};

/* The index of the tile's first element, tiles counted from the one on the diagonal. */
static int tile_at(const struct lud *k, int row, int column)
{
    return (k->offset + row * SIDE) * k->n + k->offset + column * SIDE;
}

/* Rows [first, end) of a tile, a thread for each column x. */
static void load_rows(struct warp *w, const struct lud *k, sf32 tile, vi32 x, int from, int first, int end)
{
    for (int i = first; i < end; i++) {
        vf32 value = vload(k->m, vadd(x, from + i * k->n));
        vstore(tile, vadd(x, i * SIDE), value);
    }
}

static void store_rows(struct warp *w, const struct lud *k, sf32 tile, vi32 x, int to, int first)
{
    for (int i = first; i < SIDE; i++) {
        vf32 value = vload(tile, vadd(x, i * SIDE));
        vstore(k->m, vadd(x, to + i * k->n), value);
    }
}

/* Element e of the thread's row (step 1) or column (step SIDE), which begins at `mine`: subtracts its elements before e
 * times those of the diagonal tile's column or row e.  Row and diagonal may be one tile, so that a compiler stores
 * after each term. */
static void eliminate(struct warp *w, sf32 tile, vi32 mine, int step, sf32 diagonal, int e)
{
    vi32 at = vvar(vadd(mine, e * step));
    vf32 value = vvar(vload(tile, at));
    for (int j = 0; j < e; j++) {
        vf32 factor = vload(tile, vadd(mine, j * step));
        vset(value, vsub(value, vmul(factor, vload(diagonal, e * step + j * (SIDE / step)))));
        vstore(tile, at, value);
    }
}

static void divide(struct warp *w, sf32 tile, vi32 row, sf32 diagonal, int e)
{
    vf32 value = vload(tile, vadd(row, e));
    vf32 quotient = vdiv(value, vload(diagonal, e * SIDE + e));
    vstore(tile, vadd(row, e), quotient);
}

static void diagonal_kernel(struct warp *w)
{
    const struct lud *k = simt_args(w);
    sf32 tile = vshared_f32("shadow", TILE);
    vi32 x = vvar(vthread_x()), row = vvar(vmul(x, SIDE));
    load_rows(w, k, tile, x, tile_at(k, 0, 0), 0, SIDE);
    vsync();
    for (int i = 0; i < SIDE - 1; i++) {
        SIMT_IF (vgt(x, i)) {
            eliminate(w, tile, row, 1, tile, i);
            divide(w, tile, row, tile, i);
        }
        vsync();
        SIMT_IF (vgt(x, i)) {
            eliminate(w, tile, x, SIDE, tile, i + 1);
        }
        vsync();
    }
    store_rows(w, k, tile, x, tile_at(k, 0, 0), 1);
}

/* A tile to the right of the diagonal and one below it, each by half a warp, and half of the diagonal's rows. */
static void perimeter_kernel(struct warp *w)
{
    const struct lud *k = simt_args(w);
    sf32 diagonal = vshared_f32("dia", TILE), right = vshared_f32("peri_row", TILE);
    sf32 below = vshared_f32("peri_col", TILE);
    const int here = tile_at(k, 0, 0), right_at = tile_at(k, 0, BLOCK_X + 1), below_at = tile_at(k, BLOCK_X + 1, 0);
    vi32 thread = vvar(vthread_x()), x = vvar(vand(thread, SIDE - 1));
    SIMT_IF (vlt(thread, SIDE)) {
        load_rows(w, k, diagonal, x, here, 0, SIDE / 2);
        load_rows(w, k, right, x, right_at, 0, SIDE);
    }
    SIMT_ELSE
    {
        load_rows(w, k, diagonal, x, here, SIDE / 2, SIDE);
        load_rows(w, k, below, x, below_at, 0, SIDE);
    }
    vsync();
    SIMT_IF (vlt(thread, SIDE)) {
        for (int i = 1; i < SIDE; i++) eliminate(w, right, x, SIDE, diagonal, i);
    }
    SIMT_ELSE
    {
        vi32 row = vvar(vmul(x, SIDE));
        for (int i = 0; i < SIDE; i++) {
            eliminate(w, below, row, 1, diagonal, i);
            divide(w, below, row, diagonal, i);
        }
    }
    vsync();
    SIMT_IF (vlt(thread, SIDE)) {
        store_rows(w, k, right, x, right_at, 1);
    }
    SIMT_ELSE
    {
        store_rows(w, k, below, x, below_at, 0);
    }
}

static void internal_kernel(struct warp *w)
{
    const struct lud *k = simt_args(w);
    sf32 above = vshared_f32("peri_row", TILE), left = vshared_f32("peri_col", TILE);
    vi32 x = vvar(vthread_x()), y = vvar(vthread_y());
    vi32 cell = vvar(vmad(y, SIDE, x)), at = vvar(vmad(y, k->n, x)), row = vvar(vmul(y, SIDE));
    vf32 value = vload(k->m, vadd(at, tile_at(k, 0, BLOCK_X + 1)));
    vstore(above, cell, value);
    value = vload(k->m, vadd(at, tile_at(k, BLOCK_Y + 1, 0)));
    vstore(left, cell, value);
    vsync();
    vf32 sum = vvar(0.0f);
    for (int i = 0; i < SIDE; i++) {
        vf32 factor = vload(left, vadd(row, i));
        vset(sum, vmad(factor, vload(above, vadd(x, i * SIDE)), sum));
    }
    vset(at, vadd(at, tile_at(k, BLOCK_Y + 1, BLOCK_X + 1)));
    vstore(k->m, at, vsub(vload(k->m, at), sum));
}

/* ---- The same with the addresses that a compiler shares: those of a tile in shared memory are offsets from one
 * register, and a pointer goes from row to row of the matrix. ---- */

static void shared_load_rows(struct warp *w, const struct lud *k, sf32 tile, vi32 x, int from, int first, int end)
{
    vaddr at = vaddress(vadd(x, from + first * k->n)), cell = vaddress(x);
    for (int i = first; i < end; i++) {
        vf32 value = vload_at(k->m, at);
        vstore_at(tile, vnext(cell, i * SIDE), value);
        if (i < end - 1) vmove(at, k->n);
    }
}

static void shared_store_rows(struct warp *w, const struct lud *k, sf32 tile, vi32 x, int to, int first)
{
    vaddr at = vaddress(vadd(x, to + first * k->n)), cell = vaddress(x);
    for (int i = first; i < SIDE; i++) {
        vf32 value = vload_at(tile, vnext(cell, i * SIDE));
        vstore_at(k->m, at, value);
        if (i < SIDE - 1) vmove(at, k->n);
    }
}

static void shared_eliminate(struct warp *w, sf32 tile, vaddr mine, int step, sf32 diagonal, int e)
{
    vf32 value = vvar(vload_at(tile, vnext(mine, e * step)));
    for (int j = 0; j < e; j++) {
        vf32 factor = vload_at(tile, vnext(mine, j * step));
        vset(value, vsub(value, vmul(factor, vload(diagonal, e * step + j * (SIDE / step)))));
        vstore_at(tile, vnext(mine, e * step), value);
    }
}

static void shared_divide(struct warp *w, sf32 tile, vaddr row, sf32 diagonal, int e)
{
    vf32 value = vload_at(tile, vnext(row, e));
    vf32 quotient = vdiv(value, vload(diagonal, e * SIDE + e));
    vstore_at(tile, vnext(row, e), quotient);
}

static void shared_diagonal_kernel(struct warp *w)
{
    const struct lud *k = simt_args(w);
    sf32 tile = vshared_f32("shadow", TILE);
    vi32 x = vvar(vthread_x());
    vaddr row = vaddress(vmul(x, SIDE)), column = vaddress(x);
    shared_load_rows(w, k, tile, x, tile_at(k, 0, 0), 0, SIDE);
    vsync();
    for (int i = 0; i < SIDE - 1; i++) {
        SIMT_IF (vgt(x, i)) {
            shared_eliminate(w, tile, row, 1, tile, i);
            shared_divide(w, tile, row, tile, i);
        }
        vsync();
        SIMT_IF (vgt(x, i)) {
            shared_eliminate(w, tile, column, SIDE, tile, i + 1);
        }
        vsync();
    }
    shared_store_rows(w, k, tile, x, tile_at(k, 0, 0), 1);
}

static void shared_perimeter_kernel(struct warp *w)
{
    const struct lud *k = simt_args(w);
    sf32 diagonal = vshared_f32("dia", TILE), right = vshared_f32("peri_row", TILE);
    sf32 below = vshared_f32("peri_col", TILE);
    const int here = tile_at(k, 0, 0), right_at = tile_at(k, 0, BLOCK_X + 1), below_at = tile_at(k, BLOCK_X + 1, 0);
    vi32 thread = vvar(vthread_x()), x = vvar(vand(thread, SIDE - 1));
    SIMT_IF (vlt(thread, SIDE)) {
        shared_load_rows(w, k, diagonal, x, here, 0, SIDE / 2);
        shared_load_rows(w, k, right, x, right_at, 0, SIDE);
    }
    SIMT_ELSE
    {
        shared_load_rows(w, k, diagonal, x, here, SIDE / 2, SIDE);
        shared_load_rows(w, k, below, x, below_at, 0, SIDE);
    }
    vsync();
    SIMT_IF (vlt(thread, SIDE)) {
        vaddr column = vaddress(x);
        for (int i = 1; i < SIDE; i++) shared_eliminate(w, right, column, SIDE, diagonal, i);
    }
    SIMT_ELSE
    {
        vaddr row = vaddress(vmul(x, SIDE));
        for (int i = 0; i < SIDE; i++) {
            shared_eliminate(w, below, row, 1, diagonal, i);
            shared_divide(w, below, row, diagonal, i);
        }
    }
    vsync();
    SIMT_IF (vlt(thread, SIDE)) {
        shared_store_rows(w, k, right, x, right_at, 1);
    }
    SIMT_ELSE
    {
        shared_store_rows(w, k, below, x, below_at, 0);
    }
}

static void shared_internal_kernel(struct warp *w)
{
    const struct lud *k = simt_args(w);
    sf32 above = vshared_f32("peri_row", TILE), left = vshared_f32("peri_col", TILE);
    vi32 x = vvar(vthread_x()), y = vvar(vthread_y());
    vaddr cell = vaddress(vmad(y, SIDE, x));
    vi32 at = vvar(vmad(y, k->n, x));
    vf32 value = vload(k->m, vadd(at, tile_at(k, 0, BLOCK_X + 1)));
    vstore_at(above, cell, value);
    value = vload(k->m, vadd(at, tile_at(k, BLOCK_Y + 1, 0)));
    vstore_at(left, cell, value);
    vsync();
    vaddr row = vaddress(vmul(y, SIDE)), column = vaddress(x);
    vf32 sum = vvar(0.0f);
    for (int i = 0; i < SIDE; i++) {
        vf32 factor = vload_at(left, vnext(row, i));
        vset(sum, vmad(factor, vload_at(above, vnext(column, i * SIDE)), sum));
    }
    vaddr out = vaddress(vadd(at, tile_at(k, BLOCK_Y + 1, BLOCK_X + 1)));
    vstore_at(k->m, out, vsub(vload_at(k->m, out), sum));
}

static void launch(struct host *h, const struct lud *k, const char *name, void (*kernel)(struct warp *w),
                   const uint32_t grid[2], const uint32_t block[2], uint32_t regs, uint32_t tiles)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {grid[0], grid[1]},
                                    .block = {block[0], block[1]},
                                    .regs = regs, /* ptxas 13.0, sm_75 */
                                    .shared_bytes = tiles * TILE * (uint32_t)sizeof(float)});
}

static void lud_host(struct host *h, void *state)
{
    struct lud *k = state;
    k->n = option(h, "n");
    if (k->n % SIDE) host_fail(h, "n: found %d, expected a multiple of %d, the side of a tile", k->n, SIDE);
    const uint64_t count = (uint64_t)k->n * (uint64_t)k->n;
    k->m = device_f32_2d(h, "m", (uint64_t)k->n, (uint64_t)k->n);
    k->before = host_alloc(h, count * sizeof(float));
    for (int i = 0; i < k->n; i++) {
        for (int j = 0; j < k->n; j++) {
            float value = (float)rng_unit(host_rng(h)) + (float)(i == j ? k->n : 0); /* stable without pivoting */
            k->before[i * k->n + j] = k->m.host[i * k->n + j] = value;
        }
    }
    static void (*const kernels[][3])(struct warp *) = {
        [KERNEL_WRITTEN] = {diagonal_kernel, perimeter_kernel, internal_kernel},
        [KERNEL_UNROLLED] = {shared_diagonal_kernel, shared_perimeter_kernel, shared_internal_kernel}};
    void (*const *run)(struct warp *) = kernels[option(h, KERNEL_CODE_NAME)];
    for (; k->offset < k->n; k->offset += SIDE) {
        const uint32_t rest = (uint32_t)((k->n - k->offset) / SIDE - 1);
        launch(h, k, "lud_diagonal", run[0], (uint32_t[]){1, 1}, (uint32_t[]){SIDE, 1}, 64, 1);
        if (!rest) break;
        launch(h, k, "lud_perimeter", run[1], (uint32_t[]){rest, 1}, (uint32_t[]){2 * SIDE, 1}, 64, 3);
        launch(h, k, "lud_internal", run[2], (uint32_t[]){rest, rest}, (uint32_t[]){SIDE, SIDE}, 32, 2);
    }
}

/* An element by the rows above and the columns to its left, which are complete: whole tiles as sums, then terms. */
static float element(const float *m, int n, int i, int j)
{
    const int last = i < j ? i : j;
    float value = m[i * n + j], sum = 0;
    for (int k = 0; k < last / SIDE * SIDE; k++) {
        sum = (k % SIDE ? sum : 0) + m[i * n + k] * m[k * n + j];
        if (k % SIDE == SIDE - 1) value -= sum;
    }
    for (int k = last / SIDE * SIDE; k < last; k++) value -= m[i * n + k] * m[k * n + j];
    return i > j ? value / m[j * n + j] : value;
}

static bool lud_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct lud *k = state;
    for (int i = 0; i < k->n; i++) {
        for (int j = 0; j < k->n; j++) k->before[i * k->n + j] = element(k->before, k->n, i, j);
    }
    return check_f32(k->m, k->before, 0, err);
}

static const struct kernel_def lud = {
    .name = "lud",
    .summary = "LU decomposition by tiles of 16 x 16, three launches a tile of the diagonal",
    .origin = "Rodinia lud",
    .options = {{"n", "rows and columns, a multiple of 16", NULL, 256, 16, 32768}, KERNEL_CODE_OPTION},
    .suites = "rodinia",
    .tables = "Chen16 4.2",
    .small = "n=32",
    .reduced = "n=64",
    .state_bytes = sizeof(struct lud),
    .host = lud_host,
    .check = lud_check,
};
KERNEL_REGISTER(lud)
