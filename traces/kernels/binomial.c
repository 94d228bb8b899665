/* SPDX-License-Identifier: Apache-2.0 */
/* binomial: prices of call options by binomial trees (CUDA SDK, binomialOptions).  A thread block an option:
 * values of a level are in global memory; 256 of them are moved to shared memory, brought 32 levels nearer to the root
 * with two barriers a level, and stored again, overlapping their neighbours by 32. */
#include <math.h>

#include "program.h"

#define CACHE 256
#define DELTA 32
#define STEP (CACHE - DELTA)

struct binomial {
    gf32 call, result;
    float *price, *strike, *rise, *up, *down; /* of each option, in constant memory */
    int options, steps, pitch;
};

/* One level nearer to the root: the two values above, weighted. */
static void level(struct warp *w, sf32 from, sf32 to, vi32 thread, float up, float down)
{
    vf32 above = vmul(vload(from, vadd(thread, 1)), up);
    vf32 sum = vvar(above);
    vstore(to, thread, vmad(vload(from, thread), down, sum));
}

/* 256 values from `base` on of level i, moved 32 levels. */
static void descend(struct warp *w, const struct binomial *k, const sf32 shared[2], vi32 thread, vi32 base, vi32 i)
{
    const float up = k->up[BLOCK_X], down = k->down[BLOCK_X];
    vi32 start = vvar(vmin(vsub(i, base), CACHE - 1)), last = vvar(vsub(start, 1));
    vi32 at = vvar(vadd(vadd(base, thread), BLOCK_X * k->pitch)), end = vvar(vsub(start, DELTA));
    vsync();
    SIMT_IF (vle(thread, start)) {
        vstore(shared[0], thread, vload(k->call, at));
    }
    SIMT_WHILE (vge(last, end)) {
        vsync();
        level(w, shared[0], shared[1], thread, up, down);
        vsync();
        level(w, shared[1], shared[0], thread, up, down);
        vset(last, vsub(last, 2));
    }
    vsync();
    SIMT_IF (vle(thread, end)) {
        vstore(k->call, at, vload(shared[0], thread));
    }
}

static void options_kernel(struct warp *w)
{
    const struct binomial *k = simt_args(w);
    const sf32 shared[2] = {vshared_f32("callA", CACHE + 1), vshared_f32("callB", CACHE + 1)};
    vi32 thread = vvar(vthread_x()), i = vvar(thread), base = vvar(0);
    SIMT_WHILE (vle(i, k->steps)) {
        vf32 power = vmul(vfloat(vsub(vshl(i, 1), k->steps)), k->rise[BLOCK_X]);
        vf32 gain = vsub(vmul(vexp(power), k->price[BLOCK_X]), k->strike[BLOCK_X]);
        vstore(k->call, vadd(i, BLOCK_X * k->pitch), vmax(gain, 0.0f));
        vset(i, vadd(i, CACHE));
    }
    vset(i, k->steps);
    SIMT_WHILE (vgt(i, 0)) {
        vset(base, 0);
        SIMT_WHILE (vlt(base, i)) {
            descend(w, k, shared, thread, base, i);
            vset(base, vadd(base, STEP));
        }
        vset(i, vsub(i, DELTA));
    }
    SIMT_IF (veq(thread, 0)) {
        vstore(k->result, BLOCK_X, vload(shared[0], 0));
    }
}

static void binomial_host(struct host *h, void *state)
{
    struct binomial *k = state;
    float **const constants[] = {&k->price, &k->strike, &k->rise, &k->up, &k->down};
    k->options = option(h, "options");
    k->steps = option(h, "steps");
    if (k->steps % DELTA) host_fail(h, "steps: found %d, expected a multiple of %d", k->steps, DELTA);
    k->pitch = k->steps + 16;
    k->call = device_f32_2d(h, "d_CallBuffer", (uint64_t)k->options, (uint64_t)k->pitch);
    k->result = device_f32(h, "d_CallValue", (uint64_t)k->options);
    for (int i = 0; i < 5; i++) *constants[i] = host_alloc(h, (uint64_t)k->options * sizeof(float));
    for (int i = 0; i < k->options; i++) {
        const double years = 0.25 + 9.75 * rng_unit(host_rng(h)), dt = years / k->steps, rate = 0.06, volatility = 0.1;
        const double rise = volatility * sqrt(dt), up = (exp(rate * dt) - exp(-rise)) / (exp(rise) - exp(-rise));
        k->price[i] = (float)(5 + 25 * rng_unit(host_rng(h)));
        k->strike[i] = (float)(1 + 99 * rng_unit(host_rng(h)));
        k->rise[i] = (float)rise;
        k->up[i] = (float)(up * exp(-rate * dt));
        k->down[i] = (float)((1 - up) * exp(-rate * dt));
    }
    simt_launch(h, &(struct launch){.name = "binomialOptionsKernel",
                                    .kernel = options_kernel,
                                    .args = k,
                                    .grid = {(uint32_t)k->options},
                                    .block = {CACHE},
                                    .regs = 26,
                                    .shared_bytes = 8 * (CACHE + 1)});
}

static bool binomial_check(struct host *h, void *state, struct error *err)
{
    const struct binomial *k = state;
    float *want = host_alloc(h, (uint64_t)k->options * sizeof *want);
    float *value = host_alloc(h, (uint64_t)(k->steps + 1) * sizeof *value);
    for (int o = 0; o < k->options; o++) {
        for (int i = 0; i <= k->steps; i++) {
            const float gain = expf((float)(2 * i - k->steps) * k->rise[o]) * k->price[o] - k->strike[o];
            value[i] = gain > 0 ? gain : 0;
        }
        for (int i = k->steps; i > 0; i--)
            for (int j = 0; j < i; j++) value[j] = value[j + 1] * k->up[o] + value[j] * k->down[o];
        want[o] = value[0];
    }
    return check_f32(k->result, want, 0, err);
}

static const struct kernel_def binomial = {
    .name = "binomial",
    .summary = "prices of options by binomial trees, levels in shared memory",
    .origin = "CUDA SDK binomialOptions",
    .options = {{"options", "to price, a thread block each", NULL, 16, 1, 65535},
                {"steps", "levels of the tree, a multiple of 32", NULL, 2048, 32, 16384}},
    .suites = "sdk",
    .tables = "Gu20 3.1",
    .small = "options=2,steps=64",
    .reduced = "options=2,steps=512",
    .state_bytes = sizeof(struct binomial),
    .host = binomial_host,
    .check = binomial_check,
};
KERNEL_REGISTER(binomial)
