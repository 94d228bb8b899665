/* SPDX-License-Identifier: Apache-2.0 */
/* knn: the k nearest reference points of every query point, by brute force (kNN-CUDA, in UVMBench).  Distances by tiles
 * of 16 x 16 in shared memory; then a thread for each query keeps its k least distances sorted by insertion, in the
 * rows above the distances that it reads; then roots. */
#include <math.h>
#include <stdlib.h>

#include "program.h"

#define TILE 16

struct knn {
    gf32 ref, query, distances; /* points are columns; distances: a row for each reference point, a column a query */
    gi32 indices;
    int references, queries, dim, k;
};

/* One tile of `points` into shared memory, 0 beyond the points and the dimensions. */
static void load_tile(struct warp *w, sf32 tile, gf32 points, vi32 at, vi32 row, int first, int count, vi32 from,
                      int dim)
{
    vi32 column = vvar(vadd(vand(at, TILE - 1), first)), dimension = vvar(vadd(row, from));
    vf32 value = vvar(0.0f);
    SIMT_IF (vand(vlt(column, count), vlt(dimension, dim))) {
        vset(value, vload(points, vmad(dimension, count, column)));
    }
    vstore(tile, at, value);
}

static void distance_kernel(struct warp *w)
{
    const struct knn *k = simt_args(w);
    sf32 a = vshared_f32("shared_A", TILE * TILE), b = vshared_f32("shared_B", TILE * TILE);
    const int first_a = BLOCK_Y * TILE, first_b = BLOCK_X * TILE;
    vi32 x = vvar(vthread_x()), y = vvar(vthread_y()), at = vvar(vmad(y, TILE, x));
    vi32 i = vvar(vadd(y, first_a)), j = vvar(vadd(x, first_b));
    vf32 sum = vvar(0.0f);
    vi32 from = vvar(0);
    SIMT_WHILE (vlt(from, k->dim)) {
        load_tile(w, a, k->ref, at, y, first_a, k->references, from, k->dim);
        load_tile(w, b, k->query, at, y, first_b, k->queries, from, k->dim);
        vsync();
        SIMT_IF (vand(vlt(i, k->references), vlt(j, k->queries))) {
            for (int d = 0; d < TILE; d++) {
                vf32 mine = vload(a, vadd(y, d * TILE));
                vf32 difference = vsub(mine, vload(b, vadd(x, d * TILE)));
                vset(sum, vmad(difference, difference, sum));
            }
        }
        vsync();
        vset(from, vadd(from, TILE));
    }
    SIMT_IF (vand(vlt(i, k->references), vlt(j, k->queries))) {
        vstore(k->distances, vmad(i, k->queries, j), sum);
    }
}

/* Moves the sorted rows from the first greater one to `last` down by one and puts the new one there. */
static void insert(struct warp *w, const struct knn *k, vi32 query, vi32 last, vf32 distance, vi32 row)
{
    const int pitch = k->queries;
    vi32 place = vvar(0), j = vvar(last);
    SIMT_WHILE (vlt(place, last)) {
        SIMT_IF (vgt(vload(k->distances, vmad(place, pitch, query)), distance)) {
            SIMT_BREAK;
        }
        vset(place, vadd(place, 1));
    }
    SIMT_WHILE (vgt(j, place)) {
        vi32 to = vvar(vmad(j, pitch, query)), from = vvar(vsub(to, pitch));
        vstore(k->distances, to, vload(k->distances, from));
        vstore(k->indices, to, vload(k->indices, from));
        vset(j, vsub(j, 1));
    }
    vi32 at = vvar(vmad(place, pitch, query));
    vstore(k->distances, at, distance);
    vstore(k->indices, at, vadd(row, 1));
}

static void sort_kernel(struct warp *w)
{
    const struct knn *k = simt_args(w);
    vi32 query = vvar(vglobal_x());
    SIMT_IF (vlt(query, k->queries)) {
        vf32 greatest = vvar(vload(k->distances, query));
        vstore(k->indices, query, 1);
        vi32 row = vvar(1);
        SIMT_WHILE (vlt(row, k->references)) {
            vi32 last = vvar(vmin(row, k->k - 1)), at = vvar(vmad(row, k->queries, query));
            vf32 distance = vvar(vload(k->distances, at));
            SIMT_IF (vlt(distance, greatest)) {
                insert(w, k, query, last, distance, row);
                vset(greatest, vload(k->distances, vmad(last, k->queries, query)));
            }
            SIMT_ELSE
            {
                SIMT_IF (vlt(row, k->k)) {
                    vstore(k->indices, at, vadd(row, 1));
                    vset(greatest, distance);
                }
            }
            vset(row, vadd(row, 1));
        }
    }
}

static void root_kernel(struct warp *w)
{
    const struct knn *k = simt_args(w);
    vi32 x = vvar(vglobal_x()), y = vvar(vglobal_y());
    SIMT_IF (vand(vlt(x, k->queries), vlt(y, k->k))) {
        vi32 at = vvar(vmad(y, k->queries, x));
        vstore(k->distances, at, vsqrt(vload(k->distances, at)));
    }
}

static void tiles_launch(struct host *h, const struct knn *k, const char *name, void (*kernel)(struct warp *w),
                         int rows, uint32_t regs, uint32_t shared)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->queries, TILE), blocks_for(rows, TILE)},
                                    .block = {TILE, TILE},
                                    .regs = regs,
                                    .shared_bytes = shared});
}

static void knn_host(struct host *h, void *state)
{
    struct knn *k = state;
    k->references = option(h, "references");
    k->queries = option(h, "queries");
    k->dim = option(h, "dim");
    k->k = option(h, "k");
    if (k->k > k->references)
        host_fail(h, "k: found %d, expected at most the number of references, %d", k->k, k->references);
    const uint64_t references = (uint64_t)k->references, queries = (uint64_t)k->queries, dim = (uint64_t)k->dim;
    k->ref = random_f32_2d(h, "ref", dim, references);
    k->query = random_f32_2d(h, "query", dim, queries);
    k->distances = device_f32_2d(h, "dist", references, queries);
    k->indices = device_i32_2d(h, "ind", (uint64_t)k->k, queries);
    tiles_launch(h, k, "cuComputeDistanceGlobal", distance_kernel, k->references, 26, 2 * TILE * TILE * 4);
    line_launch(h, "cuInsertionSort", sort_kernel, k, k->queries, 256, 26);
    tiles_launch(h, k, "cuParallelSqrt", root_kernel, k->k, 10, 0);
}

struct neighbour {
    float distance;
    int index;
};

static int nearer(const void *a, const void *b)
{
    const struct neighbour *x = a, *y = b;
    return x->distance != y->distance ? (x->distance < y->distance ? -1 : 1) : x->index - y->index;
}

static float square_distance(const struct knn *k, int reference, int query)
{
    float sum = 0;
    for (int d = 0; d < k->dim; d++) {
        const float difference = k->ref.host[d * k->references + reference] - k->query.host[d * k->queries + query];
        sum += difference * difference;
    }
    return sum;
}

/* Rows from k on keep the squares, in the order of the references. */
static bool knn_check(struct host *h, void *state, struct error *err)
{
    const struct knn *k = state;
    float *distances = host_alloc(h, k->distances.array->count * sizeof *distances);
    int32_t *indices = host_alloc(h, k->indices.array->count * sizeof *indices);
    struct neighbour *all = host_alloc(h, (uint64_t)k->references * sizeof *all);
    for (int q = 0; q < k->queries; q++) {
        for (int r = 0; r < k->references; r++) {
            all[r] = (struct neighbour){square_distance(k, r, q), r + 1};
            distances[r * k->queries + q] = all[r].distance;
        }
        qsort(all, (size_t)k->references, sizeof *all, nearer);
        for (int r = 0; r < k->k; r++) {
            distances[r * k->queries + q] = sqrtf(all[r].distance);
            indices[r * k->queries + q] = all[r].index;
        }
    }
    return check_f32(k->distances, distances, 0, err) && check_i32(k->indices, indices, err);
}

static const struct kernel_def knn = {
    .name = "knn",
    .summary = "k nearest neighbours by brute force: distances by tiles, an insertion sort a thread",
    .origin = "kNN-CUDA, UVMBench",
    .options = {{"references", "points to search", NULL, 1024, 1, 65536},
                {"queries", "points whose neighbours are searched", NULL, 1024, 1, 65536},
                {"dim", "coordinates of a point", NULL, 32, 1, 1024},
                {"k", "neighbours", NULL, 20, 1, 1024}},
    .suites = "uvmbench",
    .tables = "Gu20 5.1",
    .small = "references=40,queries=17,dim=5,k=4",
    .reduced = "references=128,queries=64,dim=32,k=8",
    .state_bytes = sizeof(struct knn),
    .host = knn_host,
    .check = knn_check,
};
KERNEL_REGISTER(knn)
