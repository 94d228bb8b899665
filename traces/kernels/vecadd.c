/* SPDX-License-Identifier: Apache-2.0 */
/* vecadd: c = a + b, one thread an element (CUDA SDK, vectorAdd).  Three coalesced streams, no reuse.
 * addvect: the same with the sum in place of b (UVMSmart AddVectors), so two streams, of which one is written back. */
#include <string.h>

#include "trace/kernels.h"

struct vecadd {
    gf32 a, b, c;
    float *before; /* of addvect: b, which the sum replaces */
    int n;
};

static void vecadd_kernel(struct warp *w)
{
    const struct vecadd *k = simt_args(w);
    vi32 i = vglobal_x();
    SIMT_IF (vlt(i, k->n)) {
        vstore(k->c, i, vadd(vload(k->a, i), vload(k->b, i)));
    }
}

static void make_terms(struct host *h, struct vecadd *k)
{
    for (int i = 0; i < k->n; i++) {
        k->a.host[i] = (float)rng_unit(host_rng(h));
        k->b.host[i] = (float)rng_unit(host_rng(h));
    }
}

static void launch(struct host *h, const struct vecadd *k, const char *name)
{
    int block = option(h, "block");
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = vecadd_kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->n, block)},
                                    .block = {(uint32_t)block},
                                    .regs = 10});
}

static void vecadd_host(struct host *h, void *state)
{
    struct vecadd *k = state;
    k->n = option(h, "n");
    k->a = device_f32(h, "a", (uint64_t)k->n);
    k->b = device_f32(h, "b", (uint64_t)k->n);
    k->c = device_f32(h, "c", (uint64_t)k->n);
    make_terms(h, k);
    launch(h, k, "vecadd");
}

static bool vecadd_check(struct host *h, void *state, struct error *err)
{
    const struct vecadd *k = state;
    float *c = host_alloc(h, (uint64_t)k->n * sizeof *c);
    for (int i = 0; i < k->n; i++) c[i] = k->a.host[i] + k->b.host[i];
    return check_f32(k->c, c, 0, err);
}

static void addvect_host(struct host *h, void *state)
{
    struct vecadd *k = state;
    k->n = option(h, "n");
    k->a = device_f32(h, "x", (uint64_t)k->n);
    k->c = k->b = device_f32(h, "y", (uint64_t)k->n);
    make_terms(h, k);
    uint64_t bytes = (uint64_t)k->n * sizeof(float);
    k->before = memcpy(host_alloc(h, bytes), k->b.host, bytes);
    launch(h, k, "add");
}

static bool addvect_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    struct vecadd *k = state;
    for (int i = 0; i < k->n; i++) k->before[i] += k->a.host[i];
    return check_f32(k->c, k->before, 0, err);
}

#define OPTIONS                                                                                                        \
    {                                                                                                                  \
        {"n", "elements", NULL, 4194304, 1, 1 << 30},                                                                  \
        {                                                                                                              \
            "block", "threads of a thread block", NULL, 256, 1, 1024                                                   \
        }                                                                                                              \
    }

static const struct kernel_def vecadd = {
    .name = "vecadd",
    .summary = "sum of two vectors",
    .origin = "CUDA SDK vectorAdd",
    .options = OPTIONS,
    .suites = "sdk",
    .small = "n=64",
    .reduced = "n=262144",
    .state_bytes = sizeof(struct vecadd),
    .host = vecadd_host,
    .check = vecadd_check,
};
KERNEL_REGISTER(vecadd)

static const struct kernel_def addvect = {
    .name = "addvect",
    .summary = "sum of two vectors in place of the second",
    .origin = "UVMSmart AddVectors",
    .options = OPTIONS,
    .suites = "uvmsmart",
    .small = "n=64",
    .reduced = "n=262144",
    .state_bytes = sizeof(struct vecadd),
    .host = addvect_host,
    .check = addvect_check,
};
KERNEL_REGISTER(addvect)
