/* SPDX-License-Identifier: Apache-2.0 */
/* cutcp: the potential of charges on a lattice, each up to a cutoff distance (Parboil).  Atoms are hashed into cubic
 * bins of eight; a thread block of 128 computes a cube of 8 x 8 x 8 points, four a thread: it loads one bin after the
 * other of its neighbourhood into shared memory, from where all threads read the same atom.  Atoms that a full bin has
 * no room for are the host's, as in the original; here they are left out. */
#include <math.h>

#include "program.h"

#define DEPTH 8 /* atoms of a bin */
#define BLOCK 128
#define POINTS 8  /* a side of a thread block's cube */
#define SIDE 4.0f /* of a bin, and of a thread block's cube: eight points half a unit apart */
#define SPACING (SIDE / POINTS)
#define CUTOFF 12.0f
#define REACH 3 /* bins */

struct cutcp {
    gf32 bins, lattice; /* bins: x, y, z and charge of eight atoms each, from bin -REACH on */
    int x, y, z;        /* cubes */
};

/* The bin in the corner of a cube's neighbourhood, and bins from one row, or plane, to the next. */
static int bin_row(const struct cutcp *k)
{
    return k->x + 2 * REACH;
}

static int bin_plane(const struct cutcp *k)
{
    return bin_row(k) * (k->y + 2 * REACH);
}

/* Adds the potential of atom `a` of the bin in shared memory to the four points, two planes apart. */
static void add_atom(struct warp *w, sf32 atoms, vi32 a, const vf32 at[3], vf32 energy[4])
{
    vf32 dx = vsub(vload(atoms, a), at[0]);
    vf32 dy = vsub(vload(atoms, vadd(a, 1)), at[1]);
    vf32 flat = vvar(vmad(dy, dy, vmul(dx, dx)));
    vf32 height = vvar(vsub(vload(atoms, vadd(a, 2)), at[2])), charge = vvar(vload(atoms, vadd(a, 3)));
    for (int i = 0; i < 4; i++) {
        vf32 square = vvar(vmad(height, height, flat));
        SIMT_IF (vlt(square, CUTOFF * CUTOFF)) {
            vf32 fade = vvar(vsub(V(1.0f), vmul(square, 1 / (CUTOFF * CUTOFF))));
            vset(energy[i], vmad(vmul(vmul(charge, vrsqrt(square)), fade), fade, energy[i]));
        }
        if (i < 3) vset(height, vsub(height, 2 * SPACING));
    }
}

static void lattice_kernel(struct warp *w)
{
    const struct cutcp *k = simt_args(w);
    sf32 atoms = vshared_f32("AtomBinCache", 4 * DEPTH);
    const int z = BLOCK_Y / k->y, y = BLOCK_Y % k->y, row = k->x * POINTS, plane = row * k->y * POINTS;
    vi32 thread = vvar(vthread_x()), a = vvar(0), bin = vvar(0), i = vvar(0), rest = vvar(0);
    vi32 px = vvar(vadd(vand(thread, POINTS - 1), BLOCK_X * POINTS));
    vi32 py = vvar(vadd(vand(vshr(thread, 3), POINTS - 1), y * POINTS)), pz = vvar(vadd(vshr(thread, 6), z * POINTS));
    const vf32 at[3] = {vvar(vmul(vfloat(px), SPACING)), vvar(vmul(vfloat(py), SPACING)),
                        vvar(vmul(vfloat(pz), SPACING))};
    vf32 energy[4];
    for (int p = 0; p < 4; p++) energy[p] = vvar(0.0f);
    SIMT_WHILE (vlt(i, (2 * REACH + 1) * (2 * REACH + 1) * (2 * REACH + 1))) {
        vset(rest, quotient(w, i, 2 * REACH + 1));
        vset(bin, vmad(rest, -(2 * REACH + 1), i));
        vset(bin, vmad(remainder_of(w, rest, 2 * REACH + 1), bin_row(k), bin));
        vset(bin, vmad(quotient(w, rest, 2 * REACH + 1), bin_plane(k), bin));
        vset(bin, vadd(bin, BLOCK_X + y * bin_row(k) + z * bin_plane(k)));
        SIMT_IF (vlt(thread, 4 * DEPTH)) {
            vstore(atoms, thread, vload(k->bins, vmad(bin, 4 * DEPTH, thread)));
        }
        vsync();
        vset(a, 0);
        SIMT_WHILE (vlt(a, 4 * DEPTH)) {
            SIMT_IF (veq(vload(atoms, vadd(a, 3)), 0.0f)) {
                SIMT_BREAK;
            }
            add_atom(w, atoms, a, at, energy);
            vset(a, vadd(a, 4));
        }
        vsync();
        vset(i, vadd(i, 1));
    }
    vi32 to = vvar(vmad(pz, plane, vmad(py, row, px)));
    for (int p = 0; p < 4; p++) vstore(k->lattice, vadd(to, p * 2 * plane), energy[p]);
}

static void cutcp_host(struct host *h, void *state)
{
    struct cutcp *k = state;
    k->x = option(h, "x"), k->y = option(h, "y"), k->z = option(h, "z");
    const uint64_t cubes = (uint64_t)k->x * (uint64_t)k->y * (uint64_t)k->z;
    const uint64_t bins = (uint64_t)bin_plane(k) * (uint64_t)(k->z + 2 * REACH);
    k->bins = device_f32_2d(h, "binBaseAddr", bins, 4 * DEPTH);
    k->lattice = device_f32(h, "regionZeroAddr", cubes * POINTS * POINTS * POINTS);
    int *count = host_alloc(h, bins * sizeof *count);
    for (int i = 0; i < option(h, "atoms"); i++) {
        int place[3], sides[3] = {k->x, k->y, k->z};
        float atom[4];
        for (int d = 0; d < 3; d++) {
            atom[d] = (float)(rng_unit(host_rng(h)) * SIDE * sides[d]);
            place[d] = (int)(atom[d] / SIDE) + REACH;
        }
        atom[3] = 0.25f + (float)rng_unit(host_rng(h));
        const int bin = (place[2] * (k->y + 2 * REACH) + place[1]) * bin_row(k) + place[0];
        if (count[bin] < DEPTH) memcpy(k->bins.host + (bin * DEPTH + count[bin]++) * 4, atom, sizeof atom);
    }
    simt_launch(h, &(struct launch){.name = "cuda_cutoff_potential_lattice6overlap",
                                    .kernel = lattice_kernel,
                                    .args = k,
                                    .grid = {(uint32_t)k->x, (uint32_t)(k->y * k->z)},
                                    .block = {BLOCK},
                                    .regs = 36,
                                    .shared_bytes = 16 * DEPTH});
}

/* The potential of a point, by the bins around its cube in their order. */
static float potential(const struct cutcp *k, int px, int py, int pz)
{
    const int cube = px / POINTS + py / POINTS * bin_row(k) + pz / POINTS * bin_plane(k), n = 2 * REACH + 1;
    /* A thread's points are two planes apart: it subtracts that from the height step by step. */
    const int first = pz / POINTS * POINTS + pz % 2;
    float energy = 0;
    for (int i = 0; i < n * n * n; i++) {
        const float *atom =
            k->bins.host + (cube + i % n + i / n % n * bin_row(k) + i / n / n * bin_plane(k)) * 4 * DEPTH;
        for (int a = 0; a < DEPTH && atom[3] != 0; a++, atom += 4) {
            const float dx = atom[0] - (float)px * SPACING, dy = atom[1] - (float)py * SPACING;
            float dz = atom[2] - (float)first * SPACING;
            for (int z = first; z < pz; z += 2) dz -= 2 * SPACING;
            const float square = dz * dz + (dy * dy + dx * dx), fade = 1 - square * (1 / (CUTOFF * CUTOFF));
            if (square < CUTOFF * CUTOFF) energy += atom[3] * (1 / sqrtf(square)) * fade * fade;
        }
    }
    return energy;
}

static bool cutcp_check(struct host *h, void *state, struct error *err)
{
    const struct cutcp *k = state;
    const int nx = k->x * POINTS, ny = k->y * POINTS, nz = k->z * POINTS;
    float *want = host_alloc(h, k->lattice.array->count * sizeof *want);
    for (int z = 0; z < nz; z++)
        for (int y = 0; y < ny; y++)
            for (int x = 0; x < nx; x++) want[(z * ny + y) * nx + x] = potential(k, x, y, z);
    return check_f32(k->lattice, want, 0, err);
}

static const struct kernel_def cutcp = {
    .name = "cutcp",
    .summary = "potential of charges on a lattice, bin after bin through shared memory",
    .origin = "Parboil cutcp",
    .options = {{"atoms", "at random places", NULL, 1000, 1, 1 << 20},
                {"x", "cubes of 8 x 8 x 8 points, along x", NULL, 4, 1, 64},
                {"y", "along y", NULL, 4, 1, 64},
                {"z", "along z", NULL, 4, 1, 64}},
    .suites = "parboil",
    .tables = "Gu20 2.3, 3.1",
    .small = "atoms=30,x=1,y=2,z=1",
    .reduced = "atoms=100,x=1,y=1,z=2",
    .state_bytes = sizeof(struct cutcp),
    .host = cutcp_host,
    .check = cutcp_check,
};
KERNEL_REGISTER(cutcp)
