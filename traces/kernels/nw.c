/* SPDX-License-Identifier: Apache-2.0 */
/* nw: global alignment of two sequences (Rodinia, Needleman-Wunsch).  Each cell of the matrix is the best of three
 * neighbours, so that only cells of one diagonal are independent.  A launch for each diagonal of 16 x 16 tiles, a
 * thread block of 16 threads for each tile, which goes through the tile in shared memory, again diagonal by diagonal.
 * Half a warp loads a row of 64 bytes; the column to the left of a tile is 16 lines, as rows are as long as the matrix.
 */
#include "trace/unrolled.h"

#define SIDE 16
#define CELLS (SIDE + 1) /* of a row of the tile with the border */
#define SYMBOLS 23
#define SHARED_INTS (CELLS * CELLS + SIDE * SIDE)

struct nw {
    gi32 reference, matrix; /* (n + 1)^2: row 0 and column 0 are the border */
    int32_t *want;
    int n, penalty;
    int diagonal; /* of this launch: tiles of it, and its first tile's column (second kernel) */
};

/* One cell: from its neighbours in the tile with the border, and the score of its pair of symbols. */
static void fill_cell(struct warp *w, const struct nw *k, si32 tile, si32 scores, vi32 cell, vi32 score)
{
    vi32 before = vload(tile, vadd(cell, -CELLS - 1));
    vi32 both = vvar(vadd(before, vload(scores, score)));
    vi32 west = vvar(vsub(vload(tile, vadd(cell, -1)), k->penalty));
    vi32 north = vvar(vsub(vload(tile, vadd(cell, -CELLS)), k->penalty));
    vstore(tile, cell, vmax(vmax(both, west), north));
}

static void load_tile(struct warp *w, const struct nw *k, si32 tile, si32 scores, vi32 x, int corner)
{
    const int columns = k->n + 1, first = corner + columns + 1;
    SIMT_IF (veq(x, 0)) {
        vstore(tile, 0, vload(k->matrix, corner));
    }
    for (int y = 0; y < SIDE; y++) {
        vi32 score = vload(k->reference, vadd(x, first + y * columns));
        vstore(scores, vadd(x, y * SIDE), score);
    }
    vsync();
    vi32 west = vload(k->matrix, vmad(x, columns, corner + columns));
    vstore(tile, vmad(x, CELLS, CELLS), west);
    vsync();
    vi32 north = vload(k->matrix, vadd(x, corner + 1));
    vstore(tile, vadd(x, 1), north);
    vsync();
}

static void align_tile(struct warp *w, int column, int row)
{
    const struct nw *k = simt_args(w);
    const int columns = k->n + 1, corner = columns * SIDE * row + SIDE * column;
    si32 tile = vshared_i32("temp", CELLS * CELLS), scores = vshared_i32("ref", SIDE * SIDE);
    vi32 x = vvar(vthread_x());
    load_tile(w, k, tile, scores, x, corner);
    /* A thread's cell of a diagonal is one row above its left neighbour's. */
    vi32 cell = vvar(vmul(x, 1 - CELLS)), score = vvar(vmul(x, 1 - SIDE));
    for (int m = 0; m < SIDE; m++) {
        SIMT_IF (vle(x, m)) {
            vi32 here = vvar(vadd(cell, (m + 1) * CELLS + 1));
            fill_cell(w, k, tile, scores, here, vadd(score, m * SIDE));
        }
        vsync();
    }
    for (int m = SIDE - 2; m >= 0; m--) {
        SIMT_IF (vle(x, m)) {
            vi32 here = vvar(vadd(cell, SIDE * CELLS + SIDE - m));
            fill_cell(w, k, tile, scores, here, vadd(score, SIDE * SIDE - 1 - m));
        }
        vsync();
    }
    for (int y = 0; y < SIDE; y++) {
        vi32 value = vload(tile, vadd(x, (y + 1) * CELLS + 1));
        vstore(k->matrix, vadd(x, corner + (y + 1) * columns + 1), value);
    }
}

/* Up to the longest diagonal, which is among these. */
static void growing_kernel(struct warp *w)
{
    const struct nw *k = simt_args(w);
    align_tile(w, BLOCK_X, k->diagonal - 1 - BLOCK_X);
}

static void shrinking_kernel(struct warp *w)
{
    const struct nw *k = simt_args(w);
    const int tiles = k->n / SIDE;
    align_tile(w, BLOCK_X + tiles - k->diagonal, tiles - 1 - BLOCK_X);
}

/* ---- The same with the addresses that a compiler shares: those of a tile in shared memory are offsets from one
 * register, and a pointer goes from row to row of the matrix. ---- */

static void shared_fill_cell(struct warp *w, const struct nw *k, si32 tile, si32 scores, vaddr cell, vaddr score)
{
    vi32 before = vload_at(tile, vnext(cell, -CELLS - 1));
    vi32 both = vvar(vadd(before, vload_at(scores, score)));
    vi32 west = vvar(vsub(vload_at(tile, vnext(cell, -1)), k->penalty));
    vi32 north = vvar(vsub(vload_at(tile, vnext(cell, -CELLS)), k->penalty));
    vstore_at(tile, cell, vmax(vmax(both, west), north));
}

static void shared_load_tile(struct warp *w, const struct nw *k, si32 tile, si32 scores, vi32 x, int corner)
{
    const int columns = k->n + 1, first = corner + columns + 1;
    SIMT_IF (veq(x, 0)) {
        vstore(tile, 0, vload(k->matrix, corner));
    }
    vaddr from = vaddress(vadd(x, first)), mine = vaddress(x);
    for (int y = 0; y < SIDE; y++) {
        vi32 score = vload_at(k->reference, from);
        vstore_at(scores, vnext(mine, y * SIDE), score);
        if (y < SIDE - 1) vmove(from, columns);
    }
    vsync();
    vi32 west = vload(k->matrix, vmad(x, columns, corner + columns));
    vstore(tile, vmad(x, CELLS, CELLS), west);
    vsync();
    vi32 north = vload(k->matrix, vadd(x, corner + 1));
    vstore_at(tile, vnext(mine, 1), north);
    vsync();
}

static void shared_align_tile(struct warp *w, int column, int row)
{
    const struct nw *k = simt_args(w);
    const int columns = k->n + 1, corner = columns * SIDE * row + SIDE * column;
    si32 tile = vshared_i32("temp", CELLS * CELLS), scores = vshared_i32("ref", SIDE * SIDE);
    vi32 x = vvar(vthread_x());
    shared_load_tile(w, k, tile, scores, x, corner);
    vaddr cell = vaddress(vmul(x, 1 - CELLS)), score = vaddress(vmul(x, 1 - SIDE));
    for (int m = 0; m < SIDE; m++) {
        SIMT_IF (vle(x, m)) {
            shared_fill_cell(w, k, tile, scores, vnext(cell, (m + 1) * CELLS + 1), vnext(score, m * SIDE));
        }
        vsync();
    }
    for (int m = SIDE - 2; m >= 0; m--) {
        SIMT_IF (vle(x, m)) {
            shared_fill_cell(w, k, tile, scores, vnext(cell, SIDE * CELLS + SIDE - m),
                             vnext(score, SIDE * SIDE - 1 - m));
        }
        vsync();
    }
    vaddr to = vaddress(vadd(x, corner + columns + 1)), mine = vaddress(x);
    for (int y = 0; y < SIDE; y++) {
        vi32 value = vload_at(tile, vnext(mine, (y + 1) * CELLS + 1));
        vstore_at(k->matrix, to, value);
        if (y < SIDE - 1) vmove(to, columns);
    }
}

static void shared_growing_kernel(struct warp *w)
{
    const struct nw *k = simt_args(w);
    shared_align_tile(w, BLOCK_X, k->diagonal - 1 - BLOCK_X);
}

static void shared_shrinking_kernel(struct warp *w)
{
    const struct nw *k = simt_args(w);
    const int tiles = k->n / SIDE;
    shared_align_tile(w, BLOCK_X + tiles - k->diagonal, tiles - 1 - BLOCK_X);
}

static void launch(struct host *h, const struct nw *k, const char *name, void (*kernel)(struct warp *w))
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)k->diagonal},
                                    .block = {SIDE},
                                    .regs = 54, /* ptxas 13.0, sm_75: the loads of a tile in flight */
                                    .shared_bytes = SHARED_INTS * sizeof(int32_t)});
}

/* Symmetric, in the range of BLOSUM62. */
static void make_scores(struct host *h, int32_t scores[SYMBOLS][SYMBOLS])
{
    for (int i = 0; i < SYMBOLS; i++) {
        for (int j = 0; j < i; j++) scores[i][j] = scores[j][i] = (int32_t)rng_below(host_rng(h), 8) - 4;
        scores[i][i] = 4 + (int32_t)rng_below(host_rng(h), 8);
    }
}

static uint8_t *random_sequence(struct host *h, int n)
{
    uint8_t *sequence = host_alloc(h, (uint64_t)n);
    for (int i = 0; i < n; i++) sequence[i] = (uint8_t)rng_below(host_rng(h), SYMBOLS);
    return sequence;
}

static void make_input(struct host *h, const struct nw *k)
{
    const int columns = k->n + 1;
    int32_t scores[SYMBOLS][SYMBOLS];
    make_scores(h, scores);
    const uint8_t *down = random_sequence(h, k->n), *across = random_sequence(h, k->n);
    for (int i = 0; i <= k->n; i++) {
        k->matrix.host[i] = k->matrix.host[i * columns] = k->want[i] = k->want[i * columns] = -i * k->penalty;
    }
    for (int i = 1; i <= k->n; i++) {
        for (int j = 1; j <= k->n; j++) k->reference.host[i * columns + j] = scores[down[i - 1]][across[j - 1]];
    }
}

static void nw_host(struct host *h, void *state)
{
    struct nw *k = state;
    k->n = option(h, "n");
    k->penalty = option(h, "penalty");
    if (k->n % SIDE) host_fail(h, "n: found %d, expected a multiple of %d, the side of a tile", k->n, SIDE);
    const uint64_t side = (uint64_t)(k->n + 1), count = side * side;
    k->reference = device_i32_2d(h, "referrence_cuda", side, side);
    k->matrix = device_i32_2d(h, "matrix_cuda", side, side);
    k->want = host_alloc(h, count * sizeof(int32_t));
    make_input(h, k);
    const bool shared = option(h, KERNEL_CODE_NAME) == KERNEL_UNROLLED;
    for (k->diagonal = 1; k->diagonal <= k->n / SIDE; k->diagonal++) {
        launch(h, k, "needle_cuda_shared_1", shared ? shared_growing_kernel : growing_kernel);
    }
    for (k->diagonal = k->n / SIDE - 1; k->diagonal; k->diagonal--) {
        launch(h, k, "needle_cuda_shared_2", shared ? shared_shrinking_kernel : shrinking_kernel);
    }
}

static int32_t best_of(int32_t a, int32_t b, int32_t c)
{
    const int32_t best = a > b ? a : b;
    return best > c ? best : c;
}

static bool nw_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct nw *k = state;
    const int columns = k->n + 1;
    for (int i = 1; i <= k->n; i++) {
        for (int j = 1; j <= k->n; j++) {
            int32_t *cell = &k->want[i * columns + j];
            *cell = best_of(cell[-columns - 1] + k->reference.host[i * columns + j], cell[-1] - k->penalty,
                            cell[-columns] - k->penalty);
        }
    }
    return check_i32(k->matrix, k->want, err);
}

static const struct kernel_def nw = {
    .name = "nw",
    .summary = "alignment of two sequences, a launch for each diagonal of 16 x 16 tiles",
    .origin = "Rodinia nw",
    .options = {{"n", "symbols of a sequence, a multiple of 16", NULL, 2048, 16, 16384},
                {"penalty", "of a gap", NULL, 10, 0, 1000},
                KERNEL_CODE_OPTION},
    .suites = "rodinia uvmbench",
    .tables = "Gu20 2.3, 3.1, 5.1; Chen16 4.2",
    .small = "n=32",
    .reduced = "n=128",
    .state_bytes = sizeof(struct nw),
    .host = nw_host,
    .check = nw_check,
};
KERNEL_REGISTER(nw)
