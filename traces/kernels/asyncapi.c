/* SPDX-License-Identifier: Apache-2.0 */
/* asyncapi: each element of an array grows by a constant (CUDA SDK, asyncAPI, whose copies the host makes meanwhile). A
 * stream, loaded and stored in place. */
#include "program.h"

#define ADDED 26

struct asyncapi {
    gi32 data;
    int n;
};

static void increment_kernel(struct warp *w)
{
    const struct asyncapi *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n)) {
        vstore(k->data, i, vadd(vload(k->data, i), ADDED));
    }
}

static void asyncapi_host(struct host *h, void *state)
{
    struct asyncapi *k = state;
    k->n = option(h, "n");
    k->data = device_i32(h, "d_a", (uint64_t)k->n);
    line_launch(h, "increment_kernel", increment_kernel, k, k->n, option(h, "block"), 8);
}

static bool asyncapi_check(struct host *h, void *state, struct error *err)
{
    const struct asyncapi *k = state;
    int32_t *want = host_alloc(h, (uint64_t)k->n * sizeof *want);
    for (int i = 0; i < k->n; i++) want[i] = ADDED;
    return check_i32(k->data, want, err);
}

static const struct kernel_def asyncapi = {
    .name = "asyncapi",
    .summary = "a constant added to an array in place",
    .origin = "CUDA SDK asyncAPI",
    .options = {{"n", "elements", NULL, 1 << 24, 1, 1 << 30},
                {"block", "threads of a thread block", NULL, 512, 1, 1024}},
    .suites = "sdk",
    .tables = "Gu20 2.3, 3.1",
    .small = "n=64",
    .reduced = "n=262144",
    .state_bytes = sizeof(struct asyncapi),
    .host = asyncapi_host,
    .check = asyncapi_check,
};
KERNEL_REGISTER(asyncapi)
