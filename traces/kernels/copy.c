/* SPDX-License-Identifier: Apache-2.0 */
/* copy: out[i] = in[i], one thread an element.  The plainest stream: one load and one store of a line each, no reuse.
 */
#include "trace/kernels.h"

struct copy {
    gf32 in, out;
    int n;
};

static void copy_kernel(struct warp *w)
{
    const struct copy *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n)) {
        vstore(k->out, i, vload(k->in, i));
    }
}

static void copy_host(struct host *h, void *state)
{
    struct copy *k = state;
    k->n = option(h, "n");
    k->in = device_f32(h, "in", (uint64_t)k->n);
    k->out = device_f32(h, "out", (uint64_t)k->n);
    for (int i = 0; i < k->n; i++) k->in.host[i] = (float)rng_unit(host_rng(h));
    uint32_t block = (uint32_t)option(h, "block");
    simt_launch(h, &(struct launch){.name = "copy",
                                    .kernel = copy_kernel,
                                    .args = k,
                                    .grid = {((uint32_t)k->n + block - 1) / block},
                                    .block = {block},
                                    .regs = 8});
}

static bool copy_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct copy *k = state;
    return check_f32(k->out, k->in.host, 0, err);
}

static const struct kernel_def copy = {
    .name = "copy",
    .summary = "copy of a vector",
    .origin = "memory-system stress, own",
    .options = {{"n", "elements", NULL, 4194304, 1, 1 << 30},
                {"block", "threads of a thread block", NULL, 256, 1, 1024}},
    .suites = "own",
    .small = "n=64",
    .reduced = "n=262144",
    .state_bytes = sizeof(struct copy),
    .host = copy_host,
    .check = copy_check,
};
KERNEL_REGISTER(copy)
