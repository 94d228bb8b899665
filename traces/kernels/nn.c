/* SPDX-License-Identifier: Apache-2.0 */
/* nn: the distance of every record to one place (Rodinia, nearest neighbour); the host searches the least ones.  A
 * stream: latitude and longitude are loaded apart, so that a warp touches its two lines twice. */
#include <math.h>

#include "trace/kernels.h"

struct location {
    float latitude, longitude;
};

struct nn {
    graw locations;
    gf32 distances;
    struct location target;
    int n, block;
};

static void euclid(struct warp *w)
{
    const struct nn *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n)) {
        vf32 latitude = vpart_f32(vload_part(k->locations, i, offsetof(struct location, latitude), 4));
        latitude = vvar(vsub(V(k->target.latitude), latitude));
        vf32 longitude = vpart_f32(vload_part(k->locations, i, offsetof(struct location, longitude), 4));
        longitude = vvar(vsub(V(k->target.longitude), longitude));
        vstore(k->distances, i, vsqrt(vmad(latitude, latitude, vmul(longitude, longitude))));
    }
}

static void nn_host(struct host *h, void *state)
{
    struct nn *k = state;
    k->n = option(h, "n");
    k->block = option(h, "block");
    k->locations = device_raw(h, "d_locations", (uint64_t)k->n, sizeof(struct location));
    k->distances = device_f32(h, "d_distances", (uint64_t)k->n);
    struct location *location = (void *)k->locations.host;
    for (int i = 0; i < k->n; i++) {
        location[i].latitude = (float)(rng_unit(host_rng(h)) * 180 - 90);
        location[i].longitude = (float)(rng_unit(host_rng(h)) * 360 - 180);
    }
    k->target = (struct location){30, 90};
    simt_launch(h, &(struct launch){.name = "euclid",
                                    .kernel = euclid,
                                    .args = k,
                                    .grid = {blocks_for(k->n, k->block)},
                                    .block = {(uint32_t)k->block},
                                    .regs = 12}); /* ptxas 13.0, sm_75 */
}

static bool nn_check(struct host *h, void *state, struct error *err)
{
    const struct nn *k = state;
    const struct location *location = (const void *)k->locations.host;
    float *want = host_alloc(h, (uint64_t)k->n * sizeof(float));
    for (int i = 0; i < k->n; i++) {
        const float down = k->target.latitude - location[i].latitude,
                    across = k->target.longitude - location[i].longitude;
        want[i] = sqrtf(down * down + across * across);
    }
    return check_f32(k->distances, want, 0, err);
}

static const struct kernel_def nn = {
    .name = "nn",
    .summary = "distance of every record to one place",
    .origin = "Rodinia nn",
    .options = {{"n", "records", NULL, 42764, 1, 1 << 28}, {"block", "threads of a thread block", NULL, 256, 1, 1024}},
    .suites = "rodinia uvmbench",
    .tables = "Chen16 4.2",
    .small = "n=64",
    .state_bytes = sizeof(struct nn),
    .host = nn_host,
    .check = nn_check,
};
KERNEL_REGISTER(nn)
