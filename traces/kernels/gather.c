/* SPDX-License-Identifier: Apache-2.0 */
/* gather: out[i] = table[index[i]], random indices (one thread an element).  Every gathering warp instruction touches
 * up to 32 lines of a table far larger than the L2: the worst case of a memory system. */
#include "trace/kernels.h"

struct gather {
    gf32 table, out;
    gi32 index;
    int n, entries;
};

static void gather_kernel(struct warp *w)
{
    const struct gather *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n)) {
        vstore(k->out, i, vload(k->table, vload(k->index, i)));
    }
}

static void gather_host(struct host *h, void *state)
{
    struct gather *k = state;
    k->n = option(h, "n");
    k->entries = option(h, "entries");
    k->table = device_f32(h, "table", (uint64_t)k->entries);
    k->index = device_i32(h, "index", (uint64_t)k->n);
    k->out = device_f32(h, "out", (uint64_t)k->n);
    for (int i = 0; i < k->entries; i++) k->table.host[i] = (float)rng_unit(host_rng(h));
    for (int i = 0; i < k->n; i++) k->index.host[i] = (int32_t)rng_below(host_rng(h), (uint64_t)k->entries);
    uint32_t block = (uint32_t)option(h, "block");
    simt_launch(h, &(struct launch){.name = "gather",
                                    .kernel = gather_kernel,
                                    .args = k,
                                    .grid = {((uint32_t)k->n + block - 1) / block},
                                    .block = {block},
                                    .regs = 10});
}

static bool gather_check(struct host *h, void *state, struct error *err)
{
    const struct gather *k = state;
    float *want = host_alloc(h, (uint64_t)k->n * sizeof *want);
    for (int i = 0; i < k->n; i++) want[i] = k->table.host[k->index.host[i]];
    return check_f32(k->out, want, 0, err);
}

static const struct kernel_def gather = {
    .name = "gather",
    .summary = "random gather from a large table",
    .origin = "memory-system stress, own",
    .options = {{"n", "elements", NULL, 262144, 1, 1 << 30},
                {"entries", "elements of the table", NULL, 16777216, 1, 1 << 30},
                {"block", "threads of a thread block", NULL, 256, 1, 1024}},
    .suites = "own",
    .small = "n=64,entries=100",
    .reduced = "n=65536,entries=1048576",
    .state_bytes = sizeof(struct gather),
    .host = gather_host,
    .check = gather_check,
};
KERNEL_REGISTER(gather)
