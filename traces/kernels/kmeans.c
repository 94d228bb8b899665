/* SPDX-License-Identifier: Apache-2.0 */
/* kmeans: clustering (Rodinia).  One kernel turns the points from point-major to feature-major (strided loads,
 * coalesced stores); then, in each iteration, one finds every point's nearest centre and the host moves the centres.
 * Points and centres come from global memory (the original has a build that reads them through the texture and constant
 * caches). */
#include <float.h>
#include <string.h>

#include "trace/kernels.h"

struct kmeans {
    gf32 points, features, centres; /* point-major, feature-major, cluster-major */
    gi32 membership;
    float *first_centres;
    int n, dimensions, clusters, iterations;
};

static void invert_kernel(struct warp *w)
{
    const struct kmeans *k = simt_args(w);
    vi32 point = vvar(vglobal_x());
    SIMT_IF (vlt(point, k->n)) {
        vi32 i = vvar(0);
        SIMT_WHILE (vlt(i, k->dimensions)) {
            vf32 value = vload(k->points, vmad(point, k->dimensions, i));
            vstore(k->features, vmad(i, k->n, point), value);
            vset(i, vadd(i, 1));
        }
    }
}

static void nearest_kernel(struct warp *w)
{
    const struct kmeans *k = simt_args(w);
    vi32 point = vvar(vglobal_x());
    SIMT_IF (vlt(point, k->n)) {
        vi32 index = vvar(-1), i = vvar(0);
        vf32 least = vvar(FLT_MAX);
        SIMT_WHILE (vlt(i, k->clusters)) {
            vf32 distance = vvar(0.0f);
            vi32 j = vvar(0);
            SIMT_WHILE (vlt(j, k->dimensions)) {
                vf32 x = vload(k->features, vmad(j, k->n, point));
                vf32 difference = vsub(x, vload(k->centres, vmad(i, k->dimensions, j)));
                vset(distance, vmad(difference, difference, distance));
                vset(j, vadd(j, 1));
            }
            SIMT_IF (vlt(distance, least)) {
                vset(least, distance);
                vset(index, i);
            }
            vset(i, vadd(i, 1));
        }
        vstore(k->membership, point, index);
    }
}

/* Moves each centre to the mean of its points; a cluster without points keeps its centre. */
static void move_centres(const struct kmeans *k, const int32_t *membership, float *centres, float *sum, int *count)
{
    memset(sum, 0, (size_t)k->clusters * (size_t)k->dimensions * sizeof *sum);
    memset(count, 0, (size_t)k->clusters * sizeof *count);
    for (int i = 0; i < k->n; i++) {
        int c = membership[i];
        count[c]++;
        for (int j = 0; j < k->dimensions; j++) sum[c * k->dimensions + j] += k->points.host[i * k->dimensions + j];
    }
    for (int c = 0; c < k->clusters; c++) {
        for (int j = 0; j < k->dimensions && count[c]; j++) {
            centres[c * k->dimensions + j] = sum[c * k->dimensions + j] / (float)count[c];
        }
    }
}

static void launch(struct host *h, struct kmeans *k, const char *name, void (*kernel)(struct warp *w), uint32_t regs)
{
    int block = option(h, "block");
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->n, block)},
                                    .block = {(uint32_t)block},
                                    .regs = regs});
}

/* Points around as many true centres as there are clusters; the first points are the first centres. */
static void make_points(struct host *h, struct kmeans *k)
{
    int d = k->dimensions;
    float *middle = host_alloc(h, (uint64_t)k->clusters * (uint64_t)d * sizeof *middle);
    for (int i = 0; i < k->clusters * d; i++) middle[i] = (float)(10 * rng_unit(host_rng(h)));
    for (int i = 0; i < k->n; i++) {
        int c = (int)rng_below(host_rng(h), (uint64_t)k->clusters);
        for (int j = 0; j < d; j++)
            k->points.host[i * d + j] = middle[c * d + j] + (float)(8 * rng_unit(host_rng(h)) - 4);
    }
    size_t bytes = (size_t)k->clusters * (size_t)d * sizeof(float);
    for (int c = 0; c < k->clusters; c++) {
        memcpy(k->centres.host + c * d, k->points.host + c % k->n * d, (size_t)d * sizeof(float));
    }
    k->first_centres = memcpy(host_alloc(h, bytes), k->centres.host, bytes);
}

static void kmeans_host(struct host *h, void *state)
{
    struct kmeans *k = state;
    k->n = option(h, "n");
    k->dimensions = option(h, "dimensions");
    k->clusters = option(h, "clusters");
    k->iterations = option(h, "iterations");
    uint64_t size = (uint64_t)k->n * (uint64_t)k->dimensions, centres = (uint64_t)k->clusters * (uint64_t)k->dimensions;
    k->points = device_f32(h, "points", size);
    k->features = device_f32(h, "features", size);
    k->centres = device_f32(h, "centres", centres);
    k->membership = device_i32(h, "membership", (uint64_t)k->n);
    make_points(h, k);
    float *sum = host_alloc(h, centres * sizeof *sum);
    int *count = host_alloc(h, (uint64_t)k->clusters * sizeof *count);
    launch(h, k, "invert_mapping", invert_kernel, 12);
    for (int i = 0; i < k->iterations; i++) {
        launch(h, k, "kmeansPoint", nearest_kernel, 16);
        move_centres(k, k->membership.host, k->centres.host, sum, count);
    }
}

static int nearest(const struct kmeans *k, const float *centres, int point)
{
    float least = FLT_MAX;
    int index = -1;
    for (int c = 0; c < k->clusters; c++) {
        float distance = 0;
        for (int j = 0; j < k->dimensions; j++) {
            float difference = k->points.host[point * k->dimensions + j] - centres[c * k->dimensions + j];
            distance += difference * difference;
        }
        if (distance < least) least = distance, index = c;
    }
    return index;
}

static bool kmeans_check(struct host *h, void *state, struct error *err)
{
    const struct kmeans *k = state;
    uint64_t centres = (uint64_t)k->clusters * (uint64_t)k->dimensions;
    float *sum = host_alloc(h, centres * sizeof *sum);
    int *count = host_alloc(h, (uint64_t)k->clusters * sizeof *count);
    int32_t *membership = host_alloc(h, (uint64_t)k->n * sizeof *membership);
    for (int i = 0; i < k->iterations; i++) {
        for (int p = 0; p < k->n; p++) membership[p] = nearest(k, k->first_centres, p);
        move_centres(k, membership, k->first_centres, sum, count);
    }
    return check_i32(k->membership, membership, err) && check_f32(k->centres, k->first_centres, 0, err);
}

static const struct kernel_def kmeans = {
    .name = "kmeans",
    .summary = "clustering, centres moved by the host after each kernel",
    .origin = "Rodinia kmeans",
    .options = {{"n", "points", NULL, 65536, 1, 1 << 24},
                {"dimensions", "features of a point", NULL, 8, 1, 128},
                {"clusters", "clusters to find", NULL, 5, 1, 1024},
                {"iterations", "times that the centres move", NULL, 3, 1, 1000},
                {"block", "threads of a thread block", NULL, 256, 1, 1024}},
    .suites = "rodinia",
    .tables = "Gu20 2.3; Dai17 6",
    .small = "n=64,dimensions=2,clusters=3,iterations=1",
    .reduced = "n=4096,iterations=1",
    .state_bytes = sizeof(struct kmeans),
    .host = kmeans_host,
    .check = kmeans_check,
};
KERNEL_REGISTER(kmeans)
