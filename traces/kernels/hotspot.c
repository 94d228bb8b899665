/* SPDX-License-Identifier: Apache-2.0 */
/* hotspot: temperatures of a chip from the power of its cells (Rodinia): a five-point stencil on tiles of 16 x 16 in
 * shared memory, several time steps a launch (pyramid.h).  A warp is two rows of a tile: its loads touch two to four
 * lines.  All of it is in single precision, as in the suite's OpenCL kernel; the CUDA kernel has a double constant. */
#include "pyramid.h"

#define TILE 16
#define CELLS (TILE * TILE)
#define AMBIENT 80.0f

struct hotspot {
    gf32 power, temp[2];
    float *now, *next; /* of the reference */
    int rows, columns, steps;
    int from;         /* this launch reads temp[from] */
    struct pyramid p; /* in both dimensions */
    float step, capacity, rx, ry, rz;
};

struct stencil { /* indices into the tile */
    vi32 here, north, south, west, east;
};

struct factors {
    vf32 step, x, y, z;
};

/* The temperature of a cell one step later. */
static vf32 advance(struct warp *w, sf32 temp, sf32 power, const struct stencil *at, const struct factors *f)
{
    vf32 centre = vvar(vload(temp, at->here)), sum = vvar(vload(power, at->here));
    vf32 south = vload(temp, at->south);
    vf32 vertical = vadd(south, vload(temp, at->north));
    vset(sum, vmad(vmad(centre, -2.0f, vertical), f->y, sum));
    vf32 east = vload(temp, at->east);
    vf32 horizontal = vadd(east, vload(temp, at->west));
    vset(sum, vmad(vmad(centre, -2.0f, horizontal), f->x, sum));
    vset(sum, vmad(vsub(V(AMBIENT), centre), f->z, sum));
    return vmad(f->step, sum, centre);
}

static void hotspot_kernel(struct warp *w)
{
    const struct hotspot *k = simt_args(w);
    sf32 temp = vshared_f32("temp_on_cuda", CELLS), power = vshared_f32("power_on_cuda", CELLS);
    sf32 next = vshared_f32("temp_t", CELLS);
    struct factors f;
    f.step = vvar(vdiv(V(k->step), V(k->capacity)));
    f.x = vvar(vdiv(V(1.0f), V(k->rx)));
    f.y = vvar(vdiv(V(1.0f), V(k->ry)));
    f.z = vvar(vdiv(V(1.0f), V(k->rz)));
    struct axis x = pyramid_axis(w, &k->p, vthread_x(), BLOCK_X, k->columns);
    struct axis y = pyramid_axis(w, &k->p, vthread_y(), BLOCK_Y, k->rows);
    vi32 cell = vvar(vmad(y.cell, k->columns, x.cell)), row = vvar(vmul(y.thread, TILE));
    struct stencil at;
    at.here = vvar(vadd(row, x.thread));
    at.north = vvar(vmad(y.before, TILE, x.thread));
    at.south = vvar(vmad(y.after, TILE, x.thread));
    at.west = vvar(vadd(row, x.before));
    at.east = vvar(vadd(row, x.after));
    SIMT_IF (vand(pyramid_in_grid(w, &x, k->columns), pyramid_in_grid(w, &y, k->rows))) {
        vstore(temp, at.here, vload(k->temp[k->from], cell));
        vstore(power, at.here, vload(k->power, cell));
    }
    vsync();
    vi32 i = vvar(0), computed = vvar(0);
    SIMT_WHILE (vlt(i, k->p.steps)) {
        vi32 low = vvar(vadd(i, 1)), high = vvar(vsub(V(TILE - 2), i));
        vset(computed, 0);
        SIMT_IF (vand(pyramid_computes(w, &x, low, high), pyramid_computes(w, &y, low, high))) {
            vset(computed, 1);
            vstore(next, at.here, advance(w, temp, power, &at, &f));
        }
        vsync();
        SIMT_IF (vlt(i, k->p.steps - 1)) {
            SIMT_IF (vne(computed, 0)) {
                vstore(temp, at.here, vload(next, at.here));
            }
            vsync();
        }
        vset(i, vadd(i, 1));
    }
    SIMT_IF (vne(computed, 0)) {
        vstore(k->temp[1 - k->from], cell, vload(next, at.here));
    }
}

/* Half a millimetre of silicon, 16 mm x 16 mm; the time step is the suite's. */
static void set_physics(struct hotspot *k)
{
    double thickness = 0.0005, heat = 0.5 * 1.75e6 * thickness, conductivity = 100;
    double width = 0.016 / k->columns, height = 0.016 / k->rows;
    k->capacity = (float)(heat * width * height);
    k->rx = (float)(width / (2 * conductivity * thickness * height));
    k->ry = (float)(height / (2 * conductivity * thickness * width));
    k->rz = (float)(thickness / (conductivity * height * width));
    k->step = (float)(0.001 * heat / 3.0e6);
}

static void hotspot_host(struct host *h, void *state)
{
    struct hotspot *k = state;
    k->rows = option(h, "rows");
    k->columns = option(h, "columns");
    k->steps = option(h, "steps");
    k->p = (struct pyramid){.tile = TILE, .height = option(h, "pyramid")};
    const uint64_t rows = (uint64_t)k->rows, columns = (uint64_t)k->columns, n = rows * columns;
    k->temp[0] = device_f32_2d(h, "temp0", rows, columns);
    k->temp[1] = device_f32_2d(h, "temp1", rows, columns);
    k->power = device_f32_2d(h, "power", rows, columns);
    k->now = host_alloc(h, n * sizeof(float));
    k->next = host_alloc(h, n * sizeof(float));
    for (uint64_t i = 0; i < n; i++) {
        k->now[i] = k->temp[0].host[i] = (float)(323 + 20 * rng_unit(host_rng(h)));
        k->power.host[i] = (float)(0.02 * rng_unit(host_rng(h)));
    }
    set_physics(k);
    for (int t = 0; t < k->steps; t += k->p.height, k->from = 1 - k->from) {
        k->p.steps = k->steps - t < k->p.height ? k->steps - t : k->p.height;
        simt_launch(h, &(struct launch){.name = "calculate_temp",
                                        .kernel = hotspot_kernel,
                                        .args = k,
                                        .grid = {pyramid_blocks(&k->p, k->columns), pyramid_blocks(&k->p, k->rows)},
                                        .block = {TILE, TILE},
                                        .regs = 36, /* Dai17, table 6: 98.4 % of 65536 by seven thread blocks */
                                        .shared_bytes = 3 * CELLS * sizeof(float)});
    }
}

static float after_step(const struct hotspot *k, const float *now, int row, int column)
{
    int north = row ? row - 1 : 0, south = row < k->rows - 1 ? row + 1 : row;
    int west = column ? column - 1 : 0, east = column < k->columns - 1 ? column + 1 : column;
    float centre = now[row * k->columns + column];
    float vertical = now[south * k->columns + column] + now[north * k->columns + column] - 2 * centre;
    float horizontal = now[row * k->columns + east] + now[row * k->columns + west] - 2 * centre;
    float flow = k->power.host[row * k->columns + column] + vertical * (1 / k->ry) + horizontal * (1 / k->rx) +
                 (AMBIENT - centre) * (1 / k->rz);
    return centre + k->step / k->capacity * flow;
}

static bool hotspot_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    struct hotspot *k = state;
    for (int t = 0; t < k->steps; t++) {
        for (int i = 0; i < k->rows; i++) {
            for (int j = 0; j < k->columns; j++) k->next[i * k->columns + j] = after_step(k, k->now, i, j);
        }
        float *old = k->now;
        k->now = k->next;
        k->next = old;
    }
    return check_f32(k->temp[k->from], k->now, 0, err);
}

static const struct kernel_def hotspot = {
    .name = "hotspot",
    .summary = "heat in a chip: a stencil in shared memory, several time steps a launch",
    .origin = "Rodinia hotspot",
    .options = {{"rows", "of the grid", NULL, 512, 1, 32768},
                {"columns", "of the grid", NULL, 512, 1, 32768},
                {"pyramid", "time steps of a launch", NULL, 2, 1, (TILE - 1) / 2},
                {"steps", "time steps", NULL, 4, 1, 1000}},
    .suites = "rodinia uvmbench",
    .tables = "Gu20 5.1; Dai17 6; Chen16 4.2",
    .small = "rows=7,columns=8,steps=2",
    .reduced = "rows=64,columns=64",
    .state_bytes = sizeof(struct hotspot),
    .host = hotspot_host,
    .check = hotspot_check,
};
KERNEL_REGISTER(hotspot)
