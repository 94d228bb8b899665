/* SPDX-License-Identifier: Apache-2.0 */
/* sobol: Sobol's quasirandom vectors (CUDA SDK, SobolQRNG).  A row of thread blocks a dimension, whose 32 direction
 * numbers are in shared memory.  A thread computes its first number bit by bit, the later ones, a power of two apart,
 * from the one before by the Gray code.  Streams that are only stored. */
#include "program.h"

#define BLOCK 64
#define BITS 32
#define SCALE 2.3283064365386963e-10f /* 2^-32 */

struct sobol {
    gu32 directions;
    gf32 output;
    int vectors, dimensions, blocks;
};

/* The position of the lowest bit that is set: I2F and its exponent. */
static vi32 lowest_bit(struct warp *w, vi32 x)
{
    vi32 mine = vvar(x);
    vf32 power = vfloat(vuint(vand(mine, vsub(V(0), mine))));
    vi32 bits = {.r = power.r};
    memcpy(bits.lane, power.lane, sizeof bits.lane);
    return vsub(vshr(bits, 23), 127);
}

static void sobol_kernel(struct warp *w)
{
    const struct sobol *k = simt_args(w);
    su32 direction = vshared_u32("v", BITS);
    const int stride = BLOCK * k->blocks, log = __builtin_ctz((unsigned)stride);
    vi32 thread = vvar(vthread_x()), at = vvar(vglobal_x());
    SIMT_IF (vlt(thread, BITS)) {
        vstore(direction, thread, vload(k->directions, vadd(thread, BLOCK_Y * BITS)));
    }
    vsync();
    vi32 gray = vvar(vxor(at, vshr(at, 1))), bit = vvar(0);
    vu32 x = vvar(0u), step = vvar(vload(direction, log - 1));
    SIMT_WHILE (vlt(bit, log)) {
        SIMT_IF (vne(vand(gray, 1), 0)) {
            vset(x, vxor(x, vload(direction, bit)));
        }
        vset(gray, vshr(gray, 1));
        vset(bit, vadd(bit, 1));
    }
    SIMT_WHILE (vlt(at, k->vectors)) {
        vstore(k->output, vadd(at, BLOCK_Y * k->vectors), vmul(vfloat(x), SCALE));
        vset(bit, lowest_bit(w, vxor(vor(at, stride - 1), -1)));
        vset(x, vxor(x, vxor(step, vload(direction, bit))));
        vset(at, vadd(at, stride));
    }
}

/* Dimension 0 has the bits in reverse; others a recurrence whose first numbers are random, odd and small enough. */
static void make_directions(struct host *h, struct sobol *k)
{
    for (int d = 0; d < k->dimensions; d++) {
        uint32_t *v = k->directions.host + d * BITS;
        const int degree = d ? 1 + d % 7 : 0;
        const uint32_t inside = (uint32_t)rng_below(host_rng(h), 1u << (degree ? degree - 1 : 0));
        for (int i = 0; i < BITS; i++) {
            if (i < degree || !degree) {
                const uint32_t odd = degree ? (uint32_t)rng_below(host_rng(h), 1u << i) * 2 + 1 : 1;
                v[i] = odd << (BITS - 1 - i);
                continue;
            }
            v[i] = v[i - degree] ^ v[i - degree] >> degree;
            for (int j = 1; j < degree; j++)
                if (inside >> (degree - 1 - j) & 1) v[i] ^= v[i - j];
        }
    }
}

static void sobol_host(struct host *h, void *state)
{
    struct sobol *k = state;
    k->vectors = option(h, "vectors");
    k->dimensions = option(h, "dimensions");
    k->blocks = option(h, "blocks");
    if (k->blocks & (k->blocks - 1)) host_fail(h, "blocks: found %d, expected a power of two", k->blocks);
    k->directions = device_u32(h, "d_directions", (uint64_t)k->dimensions * BITS);
    k->output = device_f32_2d(h, "d_output", (uint64_t)k->dimensions, (uint64_t)k->vectors);
    make_directions(h, k);
    simt_launch(h, &(struct launch){.name = "sobolGPU_kernel",
                                    .kernel = sobol_kernel,
                                    .args = k,
                                    .grid = {(uint32_t)k->blocks, (uint32_t)k->dimensions},
                                    .block = {BLOCK},
                                    .regs = 16,
                                    .shared_bytes = 4 * BITS});
}

static bool sobol_check(struct host *h, void *state, struct error *err)
{
    const struct sobol *k = state;
    float *want = host_alloc(h, k->output.array->count * sizeof *want);
    for (int d = 0; d < k->dimensions; d++)
        for (uint32_t i = 0; i < (uint32_t)k->vectors; i++) {
            uint32_t x = 0;
            for (int bit = 0; bit < BITS; bit++)
                if ((i ^ i >> 1) >> bit & 1) x ^= k->directions.host[d * BITS + bit];
            want[(uint64_t)d * (uint64_t)k->vectors + i] = (float)x * SCALE;
        }
    return check_f32(k->output, want, 0, err);
}

static const struct kernel_def sobol = {
    .name = "sobol",
    .summary = "Sobol's quasirandom vectors, each from the one before",
    .origin = "CUDA SDK SobolQRNG",
    .options = {{"vectors", "numbers of a dimension", NULL, 100000, 1, 1 << 24},
                {"dimensions", "rows of the grid", NULL, 100, 1, 4096},
                {"blocks", "thread blocks of a dimension, a power of two", NULL, 4, 1, 1024}},
    .suites = "sdk",
    .tables = "Gu20 2.3, 3.1",
    .small = "vectors=300,dimensions=3,blocks=2",
    .reduced = "vectors=4000,dimensions=20",
    .state_bytes = sizeof(struct sobol),
    .host = sobol_host,
    .check = sobol_check,
};
KERNEL_REGISTER(sobol)
