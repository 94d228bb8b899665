/* SPDX-License-Identifier: Apache-2.0 */
/* blackscholes: European option prices (CUDA SDK, BlackScholes; Gu20, figure 3.2).  A grid-stride loop over five
 * streams: many primary misses, hardly a secondary one. */
#include <math.h>

#include "trace/kernels.h"

#define RISK_FREE 0.02f
#define VOLATILITY 0.30f

struct blackscholes {
    gf32 call, put, price, strike, years;
    int n;
};

/* Cumulative normal distribution: the polynomial of Abramowitz and Stegun, 26.2.17. */
static vf32 cnd(struct warp *w, vf32 d)
{
    vf32 k = vvar(vdiv(1.0f, vmad(vabs(d), 0.2316419f, 1.0f)));
    vf32 p = vmad(k, 1.330274429f, -1.821255978f);
    p = vmad(k, p, 1.781477937f);
    p = vmad(k, p, -0.356563782f);
    p = vmad(k, p, 0.31938153f);
    p = vvar(vmul(k, p));
    vf32 c = vmul(vmul(vexp(vmul(vmul(d, -0.5f), d)), 0.39894228040143267794f), p);
    return vselect(vgt(d, 0.0f), vsub(V(1.0f), c), c);
}

static void blackscholes_kernel(struct warp *w)
{
    const struct blackscholes *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_WHILE (vlt(i, k->n)) {
        vf32 s = vvar(vload(k->price, i)), x = vvar(vload(k->strike, i)), t = vvar(vload(k->years, i));
        vf32 vt = vvar(vmul(vsqrt(t), VOLATILITY));
        vf32 d1 = vvar(vdiv(vmad(t, RISK_FREE + 0.5f * VOLATILITY * VOLATILITY, vlog(vdiv(s, x))), vt));
        vf32 d2 = vvar(vsub(d1, vt));
        vf32 cnd1 = vvar(cnd(w, d1)), cnd2 = vvar(cnd(w, d2));
        vf32 present = vvar(vmul(x, vexp(vmul(t, -RISK_FREE)))); /* of the strike */
        vstore(k->call, i, vsub(vmul(s, cnd1), vmul(present, cnd2)));
        vstore(k->put, i, vsub(vmul(present, vsub(V(1.0f), cnd2)), vmul(s, vsub(V(1.0f), cnd1))));
        vset(i, vadd(i, GRID_THREADS_X));
    }
}

static void fill(struct host *h, gf32 a, int n, double low, double high)
{
    for (int i = 0; i < n; i++) a.host[i] = (float)(low + (high - low) * rng_unit(host_rng(h)));
}

static void blackscholes_host(struct host *h, void *state)
{
    struct blackscholes *k = state;
    k->n = option(h, "n");
    k->call = device_f32(h, "call", (uint64_t)k->n);
    k->put = device_f32(h, "put", (uint64_t)k->n);
    k->price = device_f32(h, "price", (uint64_t)k->n);
    k->strike = device_f32(h, "strike", (uint64_t)k->n);
    k->years = device_f32(h, "years", (uint64_t)k->n);
    fill(h, k->price, k->n, 5, 30);
    fill(h, k->strike, k->n, 1, 100);
    fill(h, k->years, k->n, 0.25, 10);
    simt_launch(h, &(struct launch){.name = "BlackScholesGPU",
                                    .kernel = blackscholes_kernel,
                                    .args = k,
                                    .grid = {(uint32_t)option(h, "blocks")},
                                    .block = {(uint32_t)option(h, "block")},
                                    .regs = 21});
}

static double cnd_reference(double d)
{
    return 0.5 * erfc(-d * 0.70710678118654752440);
}

/* In double precision with the exact distribution function, hence the tolerance: the polynomial is good to 7.5e-8 and
 * is multiplied by prices up to 100, in float. */
static bool blackscholes_check(struct host *h, void *state, struct error *err)
{
    const struct blackscholes *k = state;
    float *call = host_alloc(h, (uint64_t)k->n * sizeof *call), *put = host_alloc(h, (uint64_t)k->n * sizeof *put);
    for (int i = 0; i < k->n; i++) {
        double s = (double)k->price.host[i], x = (double)k->strike.host[i], t = (double)k->years.host[i];
        double v = (double)VOLATILITY, r = (double)RISK_FREE;
        double d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * sqrt(t)), d2 = d1 - v * sqrt(t);
        double present = x * exp(-r * t);
        call[i] = (float)(s * cnd_reference(d1) - present * cnd_reference(d2));
        put[i] = (float)(present * cnd_reference(-d2) - s * cnd_reference(-d1));
    }
    return check_f32(k->call, call, 4e-5, err) && check_f32(k->put, put, 4e-5, err);
}

static const struct kernel_def blackscholes = {
    .name = "blackscholes",
    .summary = "option prices, a grid-stride loop over five streams",
    .origin = "CUDA SDK BlackScholes",
    .options = {{"n", "options", NULL, 2097152, 1, 1 << 28},
                {"block", "threads of a thread block", NULL, 128, 1, 1024},
                {"blocks", "thread blocks", NULL, 480, 1, 1 << 20}},
    .suites = "sdk",
    .tables = "Gu20 2.3, 3.1",
    .small = "n=64,blocks=2",
    .reduced = "n=65536,blocks=60",
    .state_bytes = sizeof(struct blackscholes),
    .host = blackscholes_host,
    .check = blackscholes_check,
};
KERNEL_REGISTER(blackscholes)
