/* SPDX-License-Identifier: Apache-2.0 */
/* kmeans_2d: clustering of points of a plane (UVMBench's kmeans; kmeans is Rodinia's).  A thread block for each point
 * with a thread for each centre, then one of a single thread for each point, so that warps are nearly empty; one thread
 * for each centre reads all points, a word at a time. */
#include "program.h"

struct kmeans_2d {
    gf32 x, y, mu_x, mu_y, sum_x, sum_y, dst;
    gi32 group, nx, ny;
    float *first_x, *first_y;
    int n, k, iterations;
};

static void get_dst(struct warp *w)
{
    const struct kmeans_2d *k = simt_args(w);
    vi32 j = vvar(vthread_x()), at = vvar(vadd(j, BLOCK_X * k->k));
    vf32 difference = vvar(vsub(vload(k->x, BLOCK_X), vload(k->mu_x, j)));
    vf32 square = vvar(vmul(difference, difference));
    vstore(k->dst, at, square);
    vset(difference, vsub(vload(k->y, BLOCK_X), vload(k->mu_y, j)));
    vstore(k->dst, at, vmad(difference, difference, vload(k->dst, at)));
}

static void regroup(struct warp *w)
{
    const struct kmeans_2d *k = simt_args(w);
    const int first = BLOCK_X * k->k;
    vf32 least = vvar(vload(k->dst, first));
    vstore(k->group, BLOCK_X, 1);
    vi32 j = vvar(1);
    SIMT_WHILE (vlt(j, k->k)) {
        vf32 distance = vvar(vload(k->dst, vadd(j, first)));
        SIMT_IF (vlt(distance, least)) {
            vset(least, distance);
            vstore(k->group, BLOCK_X, vadd(j, 1));
        }
        vset(j, vadd(j, 1));
    }
}

static void clear(struct warp *w)
{
    const struct kmeans_2d *k = simt_args(w);
    vi32 j = vvar(vthread_x());
    vstore(k->sum_x, j, 0.0f);
    vstore(k->sum_y, j, 0.0f);
    vstore(k->nx, j, 0);
    vstore(k->ny, j, 0);
}

static void recenter_step1(struct warp *w)
{
    const struct kmeans_2d *k = simt_args(w);
    vi32 j = vvar(vthread_x()), mine = vvar(vadd(j, 1)), i = vvar(0);
    SIMT_WHILE (vlt(i, k->n)) {
        SIMT_IF (veq(vload(k->group, i), mine)) {
            vstore(k->sum_x, j, vadd(vload(k->sum_x, j), vload(k->x, i)));
            vstore(k->sum_y, j, vadd(vload(k->sum_y, j), vload(k->y, i)));
            vstore(k->nx, j, vadd(vload(k->nx, j), 1));
            vstore(k->ny, j, vadd(vload(k->ny, j), 1));
        }
        vset(i, vadd(i, 1));
    }
}

static void recenter_step2(struct warp *w)
{
    const struct kmeans_2d *k = simt_args(w);
    vi32 j = vvar(vthread_x());
    SIMT_IF (vgt(vload(k->nx, j), 0)) {
        vstore(k->mu_x, j, vdiv(vload(k->sum_x, j), vfloat(vload(k->nx, j))));
        vstore(k->mu_y, j, vdiv(vload(k->sum_y, j), vfloat(vload(k->ny, j))));
    }
}

static void launch(struct host *h, const struct kmeans_2d *k, const char *name, void (*kernel)(struct warp *w),
                   int blocks, int block)
{
    line_launch(h, name, kernel, k, blocks * block, block, 16);
}

static void allocate(struct host *h, struct kmeans_2d *k)
{
    const uint64_t n = (uint64_t)k->n, clusters = (uint64_t)k->k;
    k->group = device_i32(h, "group", n);
    k->nx = device_i32(h, "nx", clusters);
    k->ny = device_i32(h, "ny", clusters);
    k->x = random_f32(h, "x", n);
    k->y = random_f32(h, "y", n);
    k->mu_x = random_f32(h, "mu_x", clusters);
    k->mu_y = random_f32(h, "mu_y", clusters);
    k->sum_x = device_f32(h, "sum_x", clusters);
    k->sum_y = device_f32(h, "sum_y", clusters);
    k->dst = device_f32_2d(h, "dst", n, clusters);
    k->first_x = snapshot(h, k->mu_x);
    k->first_y = snapshot(h, k->mu_y);
}

static void kmeans_2d_host(struct host *h, void *state)
{
    struct kmeans_2d *k = state;
    k->n = option(h, "n");
    k->k = option(h, "clusters");
    k->iterations = option(h, "iterations");
    allocate(h, k);
    for (int i = 0; i < k->iterations; i++) {
        launch(h, k, "get_dst", get_dst, k->n, k->k);
        launch(h, k, "regroup", regroup, k->n, 1);
        launch(h, k, "clear", clear, 1, k->k);
        launch(h, k, "recenter_step1", recenter_step1, 1, k->k);
        launch(h, k, "recenter_step2", recenter_step2, 1, k->k);
    }
}

static int nearest(const struct kmeans_2d *k, const float *mu_x, const float *mu_y, int i)
{
    float least = 0;
    int group = 0;
    for (int j = 0; j < k->k; j++) {
        const float across = k->x.host[i] - mu_x[j], up = k->y.host[i] - mu_y[j];
        const float distance = across * across + up * up;
        if (!j || distance < least) least = distance, group = j;
    }
    return group;
}

static bool kmeans_2d_check(struct host *h, void *state, struct error *err)
{
    const struct kmeans_2d *k = state;
    const uint64_t bytes = (uint64_t)k->k * sizeof(float);
    float *x = host_alloc(h, bytes), *y = host_alloc(h, bytes);
    int32_t *group = host_alloc(h, (uint64_t)k->n * sizeof *group), *count = host_alloc(h, bytes);
    for (int iteration = 0; iteration < k->iterations; iteration++) {
        memset(x, 0, bytes), memset(y, 0, bytes), memset(count, 0, bytes);
        for (int i = 0; i < k->n; i++) {
            const int j = nearest(k, k->first_x, k->first_y, i);
            group[i] = j + 1, count[j]++, x[j] += k->x.host[i], y[j] += k->y.host[i];
        }
        for (int j = 0; j < k->k; j++)
            if (count[j]) k->first_x[j] = x[j] / (float)count[j], k->first_y[j] = y[j] / (float)count[j];
    }
    return check_i32(k->group, group, err) && check_i32(k->nx, count, err) && check_f32(k->sum_x, x, 0, err) &&
           check_f32(k->sum_y, y, 0, err) && check_f32(k->mu_x, k->first_x, 0, err) &&
           check_f32(k->mu_y, k->first_y, 0, err);
}

static const struct kernel_def kmeans_2d = {
    .name = "kmeans_2d",
    .summary = "clustering of points of a plane, a thread block for each point",
    .origin = "UVMBench kmeans",
    .options = {{"n", "points", NULL, 65536, 1, 1 << 24},
                {"clusters", "to find: threads of a thread block", NULL, 2, 1, 1024},
                {"iterations", "times that the centres move", NULL, 3, 1, 1000}},
    .suites = "uvmbench",
    .tables = "Gu20 5.1",
    .small = "n=32,clusters=3,iterations=1",
    .reduced = "n=2048,iterations=1",
    .state_bytes = sizeof(struct kmeans_2d),
    .host = kmeans_2d_host,
    .check = kmeans_2d_check,
};
KERNEL_REGISTER(kmeans_2d)
