/* SPDX-License-Identifier: Apache-2.0 */
/* quasirandom: numbers of the Niederreiter sequence by a table of constant memory, a dimension a row of threads, then
 * their inverse normal distribution by rational functions (CUDA SDK, quasirandomGenerator).  Streams that are only
 * stored, with much computation; the second kernel diverges.  The table is Sobol's of three dimensions, which has the
 * same shape. */
#include <math.h>

#include "program.h"

#define DIMENSIONS 3
#define RESOLUTION 31
#define BLOCK 128
#define BLOCKS 128
#define SCALE (1.0f / 2147483648.0f)

struct quasirandom {
    gf32 output, normal;
    uint32_t table[DIMENSIONS][RESOLUTION];
    int n;
};

/* One bit at a time, each of which is 0 or flips the result by a word of constant memory. */
static void sequence_kernel(struct warp *w)
{
    const struct quasirandom *k = simt_args(w);
    vi32 dimension = vvar(vthread_y()), at = vvar(vglobal_x());
    vi32 row = vvar(vmul(dimension, k->n));
    SIMT_WHILE (vlt(at, k->n)) {
        vu32 result = vvar(0u), bits = vvar(vuint(at));
        for (int bit = 0; bit < RESOLUTION; bit++) {
            vu32 word = {.r = bits.r}; /* a constant load is part of the instruction that uses it */
            for (int l = 0; l < WARP_SIZE; l++) word.lane[l] = k->table[(uint32_t)dimension.lane[l] % DIMENSIONS][bit];
            vset(result, vxor(result, vmul(vand(vshr(bits, (unsigned)bit), 1u), word)));
        }
        vf32 number = vfloat(vadd(vint(result), 1));
        vstore(k->output, vadd(row, at), vmul(number, SCALE));
        vset(at, vadd(at, GRID_THREADS_X));
    }
}

/* Moro's algorithm: a quotient of polynomials in the middle, a polynomial of the logarithm's logarithm at the ends. */
static const float a[] = {2.50662823884f, -18.61500062529f, 41.39119773534f, -25.44106049637f};
static const float b[] = {-8.4735109309f, 23.08336743743f, -21.06224101826f, 3.13082909833f};
static const float c[] = {0.337475482272615f,   0.976169019091719f,  0.160797971491821f,
                          2.76438810333863e-2f, 3.8405729373609e-3f, 3.951896511919e-4f,
                          3.21767881768e-5f,    2.888167364e-7f,     3.960315187e-7f};

static vf32 inverse(struct warp *w, vf32 p)
{
    vf32 y = vvar(vsub(p, 0.5f)), z = vvar(0.0f);
    SIMT_IF (vlt(vabs(y), 0.42f)) {
        vset(z, vmul(y, y));
        vf32 above = vvar(a[3]), below = vvar(b[3]);
        for (int i = 2; i >= 0; i--) vset(above, vmad(above, z, a[i]));
        for (int i = 2; i >= 0; i--) vset(below, vmad(below, z, b[i]));
        vset(below, vmad(below, z, 1.0f));
        vset(z, vmul(y, vdiv(above, below)));
    }
    SIMT_ELSE
    {
        vf32 tail = vvar(vselect(vgt(y, 0.0f), vsub(V(1.0f), p), p));
        vset(tail, vlog(vsub(V(0.0f), vlog(tail))));
        vset(z, c[8]);
        for (int i = 7; i >= 0; i--) vset(z, vmad(z, tail, c[i]));
        vset(z, vselect(vlt(y, 0.0f), vsub(V(0.0f), z), z));
    }
    return z;
}

static void inverse_kernel(struct warp *w)
{
    const struct quasirandom *k = simt_args(w);
    const int n = DIMENSIONS * k->n;
    vi32 at = vvar(vglobal_x());
    SIMT_WHILE (vlt(at, n)) {
        vf32 p = vvar(vmul(vfloat(vadd(at, 1)), 1.0f / (float)(n + 1)));
        vstore(k->normal, at, inverse(w, p));
        vset(at, vadd(at, GRID_THREADS_X));
    }
}

/* Direction numbers of the first three primitive polynomials over the field of two elements. */
static void make_table(struct quasirandom *k)
{
    static const struct {
        uint32_t degree, inside, first[3];
    } polynomial[DIMENSIONS] = {{0, 0, {1}}, {1, 0, {1}}, {2, 1, {1, 3}}};
    for (int d = 0; d < DIMENSIONS; d++) {
        const uint32_t degree = polynomial[d].degree;
        uint32_t m[RESOLUTION];
        for (uint32_t i = 0; i < RESOLUTION; i++) {
            if (!degree) {
                m[i] = 1;
            } else if (i < degree) {
                m[i] = polynomial[d].first[i];
            } else {
                m[i] = m[i - degree] ^ m[i - degree] << degree;
                for (uint32_t j = 1; j < degree; j++)
                    m[i] ^= (polynomial[d].inside >> (degree - 1 - j) & 1) * m[i - j] << j;
            }
            k->table[d][i] = m[i] << (RESOLUTION - 1 - i);
        }
    }
}

static void quasirandom_host(struct host *h, void *state)
{
    struct quasirandom *k = state;
    k->n = option(h, "n");
    k->output = device_f32_2d(h, "d_Output", DIMENSIONS, (uint64_t)k->n);
    k->normal = device_f32(h, "d_Normal", DIMENSIONS * (uint64_t)k->n);
    make_table(k);
    simt_launch(h, &(struct launch){.name = "quasirandomGeneratorKernel",
                                    .kernel = sequence_kernel,
                                    .args = k,
                                    .grid = {BLOCKS},
                                    .block = {BLOCK, DIMENSIONS},
                                    .regs = 16});
    line_launch(h, "inverseCNDKernel", inverse_kernel, k, BLOCKS * BLOCK, BLOCK, 20);
}

static float inverse_reference(float p)
{
    const float y = p - 0.5f;
    if (fabsf(y) < 0.42f) {
        const float z = y * y;
        return y *
               ((((a[3] * z + a[2]) * z + a[1]) * z + a[0]) / ((((b[3] * z + b[2]) * z + b[1]) * z + b[0]) * z + 1));
    }
    const float tail = logf(0 - logf(y > 0 ? 1 - p : p));
    float z = c[8];
    for (int i = 7; i >= 0; i--) z = z * tail + c[i];
    return y < 0 ? 0 - z : z;
}

static bool quasirandom_check(struct host *h, void *state, struct error *err)
{
    const struct quasirandom *k = state;
    const uint64_t n = (uint64_t)k->n;
    float *output = host_alloc(h, DIMENSIONS * n * sizeof *output), *normal = host_alloc(h, DIMENSIONS * n * 4);
    for (uint64_t i = 0; i < DIMENSIONS * n; i++) {
        uint32_t result = 0;
        for (int bit = 0; bit < RESOLUTION; bit++)
            if (i % n >> bit & 1) result ^= k->table[i / n][bit];
        output[i] = (float)(int32_t)(result + 1) * SCALE;
        normal[i] = inverse_reference((float)(int)(i + 1) * (1.0f / (float)(int)(DIMENSIONS * n + 1)));
    }
    return check_f32(k->output, output, 0, err) && check_f32(k->normal, normal, 0, err);
}

static const struct kernel_def quasirandom = {
    .name = "quasirandom",
    .summary = "Niederreiter sequence, and the inverse of the normal distribution",
    .origin = "CUDA SDK quasirandomGenerator",
    .options = {{"n", "numbers of a dimension", NULL, 1048576, 1, 1 << 28}},
    .suites = "sdk",
    .tables = "Gu20 2.3, 3.1",
    .small = "n=64",
    .reduced = "n=16384",
    .state_bytes = sizeof(struct quasirandom),
    .host = quasirandom_host,
    .check = quasirandom_check,
};
KERNEL_REGISTER(quasirandom)
