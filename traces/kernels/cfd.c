/* SPDX-License-Identifier: Apache-2.0 */
/* cfd: compressible flow on an unstructured grid (Rodinia, euler3d).  A thread a cell: streams of five variables, an
 * array each; the flux loads its four neighbours' five variables from wherever they are.  Three launches of flux and
 * time step an iteration.  The suite's grid is a file; this one is a square of triangles' graph whose cells are
 * renumbered within stretches, so that neighbours are near, but not in order. */
#include <math.h>

#include "program.h"

#define NNB 4
#define GAMMA 1.4f
#define STAGES 3
#define VARIABLES 5 /* density, momentum in three directions, energy */

enum { FAR = -2, WALL = -1 };

struct state {
    float value[VARIABLES];
};

struct cfd {
    gf32 areas, normals, variables, old, fluxes, step;
    gi32 neighbours; /* 4 lines of n: a cell, WALL or FAR */
    struct state far;
    float *first;
    int n, iterations, stage;
};

/* Of a cell: its variables and what follows from them. */
struct cell {
    vf32 v[VARIABLES], velocity[3], speed_squared, pressure, sound;
};

static void derive(struct warp *w, struct cell *c)
{
    c->speed_squared = vvar(0.0f);
    for (int d = 0; d < 3; d++) {
        c->velocity[d] = vvar(vdiv(c->v[1 + d], c->v[0]));
        vset(c->speed_squared, vmad(c->velocity[d], c->velocity[d], c->speed_squared));
    }
    vf32 kinetic = vmul(vmul(c->v[0], 0.5f), c->speed_squared);
    c->pressure = vvar(vmul(vsub(c->v[4], kinetic), GAMMA - 1));
    c->sound = vvar(vsqrt(vdiv(vmul(c->pressure, GAMMA), c->v[0])));
}

static struct cell load_cell(struct warp *w, const struct cfd *k, vi32 i)
{
    struct cell c;
    for (int v = 0; v < VARIABLES; v++) c.v[v] = vvar(vload(k->variables, vadd(i, v * k->n)));
    derive(w, &c);
    return c;
}

static void initialize_kernel(struct warp *w)
{
    const struct cfd *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n)) {
        for (int v = 0; v < VARIABLES; v++) vstore(k->variables, vadd(i, v * k->n), k->far.value[v]);
    }
}

static void step_factor_kernel(struct warp *w)
{
    const struct cfd *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n)) {
        struct cell c = load_cell(w, k, i);
        vf32 speed = vvar(vadd(vsqrt(c.speed_squared), c.sound));
        vf32 root = vsqrt(vload(k->areas, i));
        vstore(k->step, i, vdiv(V(0.5f), vmul(root, speed)));
    }
}

/* Adds half of the flux of a cell through a side. */
static void add_flux(struct warp *w, const struct cell *c, const vf32 normal[3], vf32 flux[VARIABLES], float scale)
{
    vf32 through = vvar(vmul(c->velocity[0], normal[0]));
    for (int d = 1; d < 3; d++) vset(through, vmad(c->velocity[d], normal[d], through));
    vset(through, vmul(through, scale));
    vset(flux[0], vmad(through, c->v[0], flux[0]));
    for (int d = 0; d < 3; d++) {
        vf32 push = vmul(vmul(c->pressure, scale), normal[d]);
        vset(flux[1 + d], vadd(vmad(through, c->v[1 + d], flux[1 + d]), push));
    }
    vf32 energy = vadd(c->v[4], c->pressure);
    vset(flux[4], vmad(through, energy, flux[4]));
}

/* Artificial viscosity between two cells. */
static void add_smoothing(struct warp *w, const struct cell *a, const struct cell *b, vf32 length, vf32 flux[VARIABLES])
{
    vf32 speeds = vvar(vadd(vsqrt(a->speed_squared), vsqrt(b->speed_squared)));
    vset(speeds, vadd(vadd(speeds, a->sound), b->sound));
    vf32 factor = vvar(vmul(vmul(length, -0.2f * 0.5f), speeds));
    for (int v = 0; v < VARIABLES; v++) vset(flux[v], vmad(vsub(a->v[v], b->v[v]), factor, flux[v]));
}

static void side_flux(struct warp *w, const struct cfd *k, const struct cell *mine, vi32 other, const vf32 normal[3],
                      vf32 flux[VARIABLES])
{
    SIMT_IF (vge(other, 0)) {
        struct cell c = load_cell(w, k, other);
        vf32 length = vmad(normal[2], normal[2], vmad(normal[1], normal[1], vmul(normal[0], normal[0])));
        vf32 root = vvar(vsqrt(length));
        add_smoothing(w, mine, &c, root, flux);
        add_flux(w, mine, normal, flux, 0.5f);
        add_flux(w, &c, normal, flux, 0.5f);
    }
    SIMT_IF (veq(other, WALL)) {
        for (int d = 0; d < 3; d++) vset(flux[1 + d], vmad(normal[d], mine->pressure, flux[1 + d]));
    }
    SIMT_IF (veq(other, FAR)) {
        struct cell c;
        for (int v = 0; v < VARIABLES; v++) c.v[v] = vvar(k->far.value[v]);
        derive(w, &c);
        add_flux(w, mine, normal, flux, 0.5f);
        add_flux(w, &c, normal, flux, 0.5f);
    }
}

static void flux_kernel(struct warp *w)
{
    const struct cfd *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n)) {
        struct cell mine = load_cell(w, k, i);
        vf32 flux[VARIABLES], normal[3];
        for (int v = 0; v < VARIABLES; v++) flux[v] = vvar(0.0f);
        for (int d = 0; d < 3; d++) normal[d] = vvar(0.0f);
        vi32 other = vvar(0);
        for (int side = 0; side < NNB; side++) {
            vset(other, vload(k->neighbours, vadd(i, side * k->n)));
            for (int d = 0; d < 3; d++) vset(normal[d], vload(k->normals, vadd(i, (side * 3 + d) * k->n)));
            side_flux(w, k, &mine, other, normal, flux);
        }
        for (int v = 0; v < VARIABLES; v++) vstore(k->fluxes, vadd(i, v * k->n), flux[v]);
    }
}

static void time_step_kernel(struct warp *w)
{
    const struct cfd *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n)) {
        vf32 factor = vvar(vmul(vload(k->step, i), 1.0f / (float)(STAGES - k->stage)));
        for (int v = 0; v < VARIABLES; v++) {
            vi32 at = vvar(vadd(i, v * k->n));
            vf32 before = vload(k->old, at);
            vstore(k->variables, at, vsub(before, vmul(vload(k->fluxes, at), factor)));
        }
    }
}

/* Cells of a square, each with four sides; numbers are shuffled within stretches of 64. */
static void make_grid(struct host *h, struct cfd *k)
{
    int width = 1;
    while (width * width < k->n) width++;
    int *number = host_alloc(h, (uint64_t)k->n * sizeof *number);
    for (int i = 0; i < k->n; i++) number[i] = i;
    for (int i = k->n - 1; i > 0; i--) {
        const int base = i / 64 * 64, other = base + (int)rng_below(host_rng(h), (uint64_t)(i - base) + 1);
        const int mine = number[i];
        number[i] = number[other], number[other] = mine;
    }
    for (int i = 0; i < k->n; i++) {
        const int x = i % width, to[NNB] = {x ? i - 1 : -1, x < width - 1 ? i + 1 : -1, i - width, i + width};
        for (int side = 0; side < NNB; side++) {
            const bool inside = to[side] >= 0 && to[side] < k->n;
            k->neighbours.host[side * k->n + number[i]] = inside ? number[to[side]] : side < 2 ? FAR : WALL;
            for (int d = 0; d < 3; d++) {
                const float along = d == side / 2 ? (side % 2 ? 1.0f : -1.0f) : 0;
                k->normals.host[(side * 3 + d) * k->n + number[i]] =
                    along + 0.1f * (float)(rng_unit(host_rng(h)) - 0.5);
            }
        }
        k->areas.host[i] = 0.5f + (float)rng_unit(host_rng(h));
    }
}

static void cfd_host(struct host *h, void *state)
{
    struct cfd *k = state;
    const int block = option(h, "block");
    k->n = option(h, "n");
    k->iterations = option(h, "iterations");
    const uint64_t n = (uint64_t)k->n;
    k->areas = device_f32(h, "areas", n);
    k->neighbours = device_i32_2d(h, "elements_surrounding", NNB, n);
    k->normals = device_f32_2d(h, "normals", 3 * NNB, n);
    k->variables = device_f32_2d(h, "variables", VARIABLES, n);
    k->old = device_f32_2d(h, "old_variables", VARIABLES, n);
    k->fluxes = device_f32_2d(h, "fluxes", VARIABLES, n);
    k->step = device_f32(h, "step_factors", n);
    k->far = (struct state){{1.4f, 1.68f, 0, 0, 3.508f}}; /* Mach 1.2 */
    make_grid(h, k);
    line_launch(h, "cuda_initialize_variables", initialize_kernel, k, k->n, block, 10);
    for (int i = 0; i < k->iterations; i++) {
        memcpy(k->old.host, k->variables.host, n * VARIABLES * sizeof(float)); /* a copy on the device */
        line_launch(h, "cuda_compute_step_factor", step_factor_kernel, k, k->n, block, 24);
        for (k->stage = 0; k->stage < STAGES; k->stage++) {
            line_launch(h, "cuda_compute_flux", flux_kernel, k, k->n, block, 64);
            line_launch(h, "cuda_time_step", time_step_kernel, k, k->n, block, 16);
        }
    }
}

/* ---- Plain C. ---- */

struct derived {
    float v[VARIABLES], velocity[3], speed_squared, pressure, sound;
};

static struct derived derived(const float *variables, int i, int n)
{
    struct derived c = {.speed_squared = 0};
    for (int v = 0; v < VARIABLES; v++) c.v[v] = variables[v * n + i];
    for (int d = 0; d < 3; d++) {
        c.velocity[d] = c.v[1 + d] / c.v[0];
        c.speed_squared += c.velocity[d] * c.velocity[d];
    }
    c.pressure = (c.v[4] - c.v[0] * 0.5f * c.speed_squared) * (GAMMA - 1);
    c.sound = sqrtf(c.pressure * GAMMA / c.v[0]);
    return c;
}

static void add(const struct derived *c, const float *normal, float *flux)
{
    float through = c->velocity[0] * normal[0];
    for (int d = 1; d < 3; d++) through += c->velocity[d] * normal[d];
    through *= 0.5f;
    flux[0] += through * c->v[0];
    for (int d = 0; d < 3; d++) flux[1 + d] = through * c->v[1 + d] + flux[1 + d] + c->pressure * 0.5f * normal[d];
    flux[4] += through * (c->v[4] + c->pressure);
}

static void smooth(const struct derived *a, const struct derived *b, const float *normal, float *flux)
{
    const float flat = normal[1] * normal[1] + normal[0] * normal[0], length = sqrtf(normal[2] * normal[2] + flat);
    const float speeds = sqrtf(a->speed_squared) + sqrtf(b->speed_squared) + a->sound + b->sound;
    const float factor = length * (-0.2f * 0.5f) * speeds;
    for (int v = 0; v < VARIABLES; v++) flux[v] += (a->v[v] - b->v[v]) * factor;
}

static void cell_flux(const struct cfd *k, const float *variables, int i, float *fluxes)
{
    float flux[VARIABLES] = {0};
    const struct derived mine = derived(variables, i, k->n), far = derived(k->far.value, 0, 1);
    for (int side = 0; side < NNB; side++) {
        float normal[3];
        for (int d = 0; d < 3; d++) normal[d] = k->normals.host[(side * 3 + d) * k->n + i];
        const int other = k->neighbours.host[side * k->n + i];
        if (other == WALL) {
            for (int d = 0; d < 3; d++) flux[1 + d] += normal[d] * mine.pressure;
            continue;
        }
        const struct derived c = other == FAR ? far : derived(variables, other, k->n);
        if (other != FAR) smooth(&mine, &c, normal, flux);
        add(&mine, normal, flux);
        add(&c, normal, flux);
    }
    for (int v = 0; v < VARIABLES; v++) fluxes[v * k->n + i] = flux[v];
}

static bool cfd_check(struct host *h, void *state, struct error *err)
{
    const struct cfd *k = state;
    const int n = k->n;
    const uint64_t bytes = (uint64_t)n * VARIABLES * sizeof(float);
    float *now = host_alloc(h, bytes), *old = host_alloc(h, bytes), *fluxes = host_alloc(h, bytes);
    float *step = host_alloc(h, (uint64_t)n * sizeof *step);
    for (int i = 0; i < VARIABLES * n; i++) now[i] = k->far.value[i / n];
    for (int t = 0; t < k->iterations; t++) {
        memcpy(old, now, bytes);
        for (int i = 0; i < n; i++) {
            const struct derived c = derived(now, i, n);
            step[i] = 0.5f / (sqrtf(k->areas.host[i]) * (sqrtf(c.speed_squared) + c.sound));
        }
        for (int stage = 0; stage < STAGES; stage++) {
            for (int i = 0; i < n; i++) cell_flux(k, now, i, fluxes);
            for (int i = 0; i < VARIABLES * n; i++)
                now[i] = old[i] - fluxes[i] * (step[i % n] * (1.0f / (float)(STAGES - stage)));
        }
    }
    return check_f32(k->variables, now, 0, err) && check_f32(k->fluxes, fluxes, 0, err);
}

static const struct kernel_def cfd = {
    .name = "cfd",
    .summary = "flow on an unstructured grid: fluxes from four neighbours of each cell",
    .origin = "Rodinia cfd",
    .options = {{"n", "cells", NULL, 97046, 1, 1 << 22},
                {"iterations", "time steps of three stages", NULL, 1, 1, 2000},
                {"block", "threads of a thread block", NULL, 192, 1, 1024}},
    .suites = "rodinia",
    .tables = "Gu20 2.3, 3.1",
    .small = "n=40",
    .reduced = "n=4096",
    .state_bytes = sizeof(struct cfd),
    .host = cfd_host,
    .check = cfd_check,
};
KERNEL_REGISTER(cfd)
