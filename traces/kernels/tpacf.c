/* SPDX-License-Identifier: Apache-2.0 */
/* tpacf: histograms of the angles between points of the sky, of the data with themselves, of random sets with
 * themselves and with the data (Parboil).  A thread block a histogram: it loads 256 points at once into shared memory,
 * and each thread compares them with its own ones; a binary search among the bins' limits in constant memory, then a
 * count in shared memory, a histogram a warp. */
#include <math.h>

#include "program.h"

#define BLOCK 256
#define WARPS (BLOCK / WARP_SIZE)
#define BINS 20
#define HIST_BYTES (WARPS * BINS * 4)

struct tpacf {
    gf32 x, y, z; /* the data, then the random sets */
    gu32 hists;   /* data with data, random sets with themselves, with the data */
    float limit[BINS + 1];
    int points, sets;
};

/* How many limits are greater than the cosine: limits fall. */
static vi32 bin_of(struct warp *w, const struct tpacf *k, vf32 cosine)
{
    vi32 low = vvar(0), high = vvar(BINS), middle = vvar(0);
    SIMT_WHILE (vgt(high, vadd(low, 1))) {
        vset(middle, vshr(vadd(low, high), 1));
        vf32 limit = {.r = middle.r}; /* an operand in constant memory */
        for (int l = 0; l < WARP_SIZE; l++) limit.lane[l] = k->limit[(uint32_t)middle.lane[l] % (BINS + 1)];
        SIMT_IF (vge(cosine, limit)) {
            vset(high, middle);
        }
        SIMT_ELSE
        {
            vset(low, middle);
        }
    }
    return low;
}

struct points {
    sf32 x, y, z;
};

/* All pairs of the thread's points from `first_a` on with those of the tile; within one set each pair once. */
static void count_pairs(struct warp *w, const struct tpacf *k, su32 hists, const struct points *tile, vi32 thread,
                        vi32 base, vi32 length, int first_a, bool same)
{
    vi32 i = vvar(thread), mine = vvar(vmul(vshr(thread, 5), BINS)), start = vvar(0);
    SIMT_WHILE (vlt(i, k->points)) {
        vi32 at = vvar(vadd(i, first_a));
        vf32 x = vvar(vload(k->x, at)), y = vvar(vload(k->y, at)), z = vvar(vload(k->z, at));
        vset(start, 0);
        if (same) vset(start, vmax(vsub(vadd(i, 1), base), 0));
        SIMT_WHILE (vlt(start, length)) {
            vf32 cosine = vvar(vmul(vload(tile->x, start), x));
            vset(cosine, vmad(vload(tile->y, start), y, cosine));
            vset(cosine, vmad(vload(tile->z, start), z, cosine));
            vred_add(hists, vadd(bin_of(w, k, cosine), mine), 1u);
            vset(start, vadd(start, 1));
        }
        vset(i, vadd(i, BLOCK));
    }
}

static void hists_kernel(struct warp *w)
{
    const struct tpacf *k = simt_args(w);
    su32 hists = vshared_u32("warp_hists", WARPS * BINS);
    struct points tile = {vshared_f32("data_x", BLOCK), vshared_f32("data_y", BLOCK), vshared_f32("data_z", BLOCK)};
    const int set = BLOCK_X <= k->sets ? BLOCK_X : BLOCK_X - k->sets; /* 0: the data */
    const bool same = BLOCK_X <= k->sets;
    const int first_a = same ? set * k->points : 0, first_b = set * k->points;
    vi32 thread = vvar(vthread_x()), i = vvar(thread), base = vvar(0), length = vvar(0);
    SIMT_WHILE (vlt(i, WARPS * BINS)) {
        vstore(hists, i, 0u);
        vset(i, vadd(i, BLOCK));
    }
    SIMT_WHILE (vlt(base, k->points)) {
        vset(length, vmin(vsub(V(k->points), base), BLOCK));
        vsync();
        SIMT_IF (vlt(thread, length)) {
            vi32 at = vvar(vadd(vadd(base, thread), first_b));
            vstore(tile.x, thread, vload(k->x, at));
            vstore(tile.y, thread, vload(k->y, at));
            vstore(tile.z, thread, vload(k->z, at));
        }
        vsync();
        count_pairs(w, k, hists, &tile, thread, base, length, first_a, same);
        vset(base, vadd(base, BLOCK));
    }
    vsync();
    SIMT_IF (vlt(thread, BINS)) {
        vu32 sum = vvar(vload(hists, thread));
        for (int n = 1; n < WARPS; n++) vset(sum, vadd(sum, vload(hists, vadd(thread, n * BINS))));
        vstore(k->hists, vadd(thread, BLOCK_X * BINS), sum);
    }
}

static void tpacf_host(struct host *h, void *state)
{
    struct tpacf *k = state;
    k->points = option(h, "points");
    k->sets = option(h, "sets");
    const uint64_t n = (uint64_t)k->points * ((uint64_t)k->sets + 1);
    k->x = device_f32(h, "d_x_data", n);
    k->y = device_f32(h, "d_y_data", n);
    k->z = device_f32(h, "d_z_data", n);
    k->hists = device_u32(h, "d_hists", (2 * (uint64_t)k->sets + 1) * BINS);
    for (uint64_t i = 0; i < n; i++) {
        const double longitude = rng_unit(host_rng(h)) * (double)3.14159265f * 2, z = rng_unit(host_rng(h)) * 2 - 1;
        k->x.host[i] = (float)(cos(longitude) * sqrt(1 - z * z));
        k->y.host[i] = (float)(sin(longitude) * sqrt(1 - z * z));
        k->z.host[i] = (float)z;
    }
    for (int i = 0; i <= BINS; i++) /* five bins for each factor of ten, from 0.01 degrees on */
        k->limit[i] = cosf(powf(10, -2 + 0.2f * (float)i) / 180 * 3.14159265f);
    simt_launch(h, &(struct launch){.name = "gen_hists",
                                    .kernel = hists_kernel,
                                    .args = k,
                                    .grid = {2 * (uint32_t)k->sets + 1},
                                    .block = {BLOCK},
                                    .regs = 32,
                                    .shared_bytes = HIST_BYTES + 12 * BLOCK});
}

static int bin_reference(const struct tpacf *k, int a, int b)
{
    float cosine = k->x.host[b] * k->x.host[a];
    cosine = k->y.host[b] * k->y.host[a] + cosine;
    cosine = k->z.host[b] * k->z.host[a] + cosine;
    int bin = 0;
    while (bin < BINS - 1 && cosine < k->limit[bin + 1]) bin++;
    return bin;
}

static bool tpacf_check(struct host *h, void *state, struct error *err)
{
    const struct tpacf *k = state;
    uint32_t *want = host_alloc(h, k->hists.array->count * sizeof *want);
    for (int set = 0; set <= k->sets; set++)
        for (int i = 0; i < k->points; i++) {
            const int b = set * k->points + i;
            for (int j = 0; j < i; j++) want[set * BINS + bin_reference(k, set * k->points + j, b)]++;
            for (int j = 0; set && j < k->points; j++) want[(k->sets + set) * BINS + bin_reference(k, j, b)]++;
        }
    return check_u32(k->hists, want, err);
}

static const struct kernel_def tpacf = {
    .name = "tpacf",
    .summary = "histograms of angles between all pairs of points, a binary search a pair",
    .origin = "Parboil tpacf",
    .options = {{"points", "of a set", NULL, 487, 1, 100000}, {"sets", "random ones", NULL, 4, 1, 1000}},
    .suites = "parboil",
    .tables = "Gu20 2.3",
    .small = "points=20,sets=1",
    .reduced = "points=64,sets=2",
    .state_bytes = sizeof(struct tpacf),
    .host = tpacf_host,
    .check = tpacf_check,
};
KERNEL_REGISTER(tpacf)
