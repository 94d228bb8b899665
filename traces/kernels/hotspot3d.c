/* SPDX-License-Identifier: Apache-2.0 */
/* hotspot3d: temperatures of the layers of a chip (Rodinia).  A thread for each column of cells walks through the
 * layers and keeps the cell below, its own and the one above in registers, so that a layer's step loads one new cell,
 * four neighbours in the plane and the power.  A launch a step; two arrays change places. */
#include "program.h"

/* The chip of the suite: metres, watts a square metre, kelvins. */
#define CHIP 0.016f
#define THICK 0.0005f
#define MAX_PD 3.0e6f
#define PRECISION 0.001f
#define SPEC_HEAT 1.75e6f
#define CONDUCTS 100.0f
#define FACTOR 0.5f
#define AMBIENT 80.0f

struct hotspot3d {
    gf32 power, temp[2];
    const float *first;
    int nx, ny, nz, iterations;
    int from; /* the array that this launch reads */
    float ce, cn, ct, cc, step;
};

static void hotspot3d_kernel(struct warp *w)
{
    const struct hotspot3d *k = simt_args(w);
    const gf32 in = k->temp[k->from], out = k->temp[!k->from];
    const int plane = k->nx * k->ny;
    vi32 i = vvar(vglobal_x()), j = vvar(vglobal_y());
    SIMT_IF (vand(vlt(i, k->nx), vlt(j, k->ny))) {
        vi32 c = vvar(vmad(j, k->nx, i));
        vi32 west = vvar(vselect(veq(i, 0), c, vsub(c, 1)));
        vi32 east = vvar(vselect(veq(i, k->nx - 1), c, vadd(c, 1)));
        vi32 north = vvar(vselect(veq(j, 0), c, vsub(c, k->nx)));
        vi32 south = vvar(vselect(veq(j, k->ny - 1), c, vadd(c, k->nx)));
        vf32 mine = vvar(vload(in, c)), below = vvar(mine), above = vvar(mine);
        vi32 z = vvar(1);
        SIMT_WHILE (vle(z, k->nz)) {
            SIMT_IF (vlt(z, k->nz)) {
                vset(above, vload(in, vadd(c, plane)));
            }
            vf32 sum = vvar(vmul(mine, k->cc));
            vset(sum, vmad(vload(in, west), k->ce, sum));
            vset(sum, vmad(vload(in, east), k->ce, sum));
            vset(sum, vmad(vload(in, south), k->cn, sum));
            vset(sum, vmad(vload(in, north), k->cn, sum));
            vset(sum, vmad(below, k->ct, sum));
            vset(sum, vmad(above, k->ct, sum));
            vset(sum, vmad(vload(k->power, c), k->step, sum));
            vstore(out, c, vadd(sum, k->ct * AMBIENT));
            vset(c, vadd(c, plane));
            vset(west, vadd(west, plane));
            vset(east, vadd(east, plane));
            vset(north, vadd(north, plane));
            vset(south, vadd(south, plane));
            vset(below, mine);
            vset(mine, above);
            vset(z, vadd(z, 1));
        }
    }
}

static void coefficients(struct hotspot3d *k)
{
    const float dx = CHIP / (float)k->ny, dy = CHIP / (float)k->nx, dz = THICK / (float)k->nz;
    const float capacity = FACTOR * SPEC_HEAT * THICK * dx * dy;
    const float rx = dy / (2 * CONDUCTS * THICK * dx), ry = dx / (2 * CONDUCTS * THICK * dy);
    const float rz = dz / (CONDUCTS * dx * dy), slope = MAX_PD / (FACTOR * THICK * SPEC_HEAT);
    k->step = PRECISION / slope / capacity;
    k->ce = k->step / rx;
    k->cn = k->step / ry;
    k->ct = k->step / rz;
    k->cc = 1 - (2 * k->ce + 2 * k->cn + 3 * k->ct);
}

static void hotspot3d_host(struct host *h, void *state)
{
    struct hotspot3d *k = state;
    k->nx = option(h, "columns");
    k->ny = option(h, "rows");
    k->nz = option(h, "layers");
    k->iterations = option(h, "iterations");
    const uint64_t cells = (uint64_t)k->nx * (uint64_t)k->ny * (uint64_t)k->nz;
    k->power = random_f32(h, "p_cuda", cells);
    k->temp[0] = random_f32(h, "tIn_cuda", cells);
    k->temp[1] = device_f32(h, "tOut_cuda", cells);
    for (uint64_t i = 0; i < cells; i++) k->temp[0].host[i] = 320 + 20 * k->temp[0].host[i];
    k->first = snapshot(h, k->temp[0]);
    coefficients(k);
    for (int i = 0; i < k->iterations; i++) {
        k->from = i % 2;
        simt_launch(h, &(struct launch){.name = "hotspotOpt1",
                                        .kernel = hotspot3d_kernel,
                                        .args = k,
                                        .grid = {blocks_for(k->nx, 64), blocks_for(k->ny, 4)},
                                        .block = {64, 4},
                                        .regs = 34});
    }
}

static float cell(const struct hotspot3d *k, const float *in, int x, int y, int z)
{
    const int plane = k->nx * k->ny, c = z * plane + y * k->nx + x;
    float sum = in[c] * k->cc;
    sum += in[x ? c - 1 : c] * k->ce;
    sum += in[x < k->nx - 1 ? c + 1 : c] * k->ce;
    sum += in[y < k->ny - 1 ? c + k->nx : c] * k->cn;
    sum += in[y ? c - k->nx : c] * k->cn;
    sum += in[z ? c - plane : c] * k->ct;
    sum += in[z < k->nz - 1 ? c + plane : c] * k->ct;
    sum += k->power.host[c] * k->step;
    return sum + k->ct * AMBIENT;
}

static bool hotspot3d_check(struct host *h, void *state, struct error *err)
{
    const struct hotspot3d *k = state;
    const uint64_t bytes = k->power.array->count * sizeof(float);
    float *t[2] = {memcpy(host_alloc(h, bytes), k->first, bytes), host_alloc(h, bytes)};
    for (int i = 0; i < k->iterations; i++)
        for (int z = 0; z < k->nz; z++)
            for (int y = 0; y < k->ny; y++)
                for (int x = 0; x < k->nx; x++) t[!(i % 2)][(z * k->ny + y) * k->nx + x] = cell(k, t[i % 2], x, y, z);
    return check_f32(k->temp[0], t[0], 0, err) && check_f32(k->temp[1], t[1], 0, err);
}

static const struct kernel_def hotspot3d = {
    .name = "hotspot3d",
    .summary = "temperatures of a chip's layers, a thread for each column of cells",
    .origin = "Rodinia hotspot3D",
    .options = {{"rows", "of a layer", NULL, 512, 1, 4096},
                {"columns", "of a layer", NULL, 512, 1, 4096},
                {"layers", "of the chip", NULL, 8, 1, 64},
                {"iterations", "steps, a launch each", NULL, 4, 1, 1000}},
    .suites = "rodinia uvmbench",
    .tables = "Gu20 5.1",
    .small = "rows=4,columns=5,layers=2,iterations=2",
    .reduced = "rows=64,columns=64,layers=4,iterations=2",
    .state_bytes = sizeof(struct hotspot3d),
    .host = hotspot3d_host,
    .check = hotspot3d_check,
};
KERNEL_REGISTER(hotspot3d)
