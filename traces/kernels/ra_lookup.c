/* SPDX-License-Identifier: Apache-2.0 */
/* ra_lookup: a word of a table at a random place, stored to another array at the same place, by each hundredth thread
 * (UVMSmart's ra; ra is HPCC's RandomAccess).  Three lanes of a warp at most, a few accesses a page. */
#include "program.h"

struct ra_lookup {
    gi32 index;
    gu32 table, out;
    int n, every;
};

static void lookup_kernel(struct warp *w)
{
    const struct ra_lookup *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->n)) {
        SIMT_IF (veq(remainder_of(w, i, k->every), 0)) {
            vi32 at = vvar(vload(k->index, i));
            vstore(k->out, at, vload(k->table, at));
        }
    }
}

static void ra_lookup_host(struct host *h, void *state)
{
    struct ra_lookup *k = state;
    k->n = option(h, "n");
    k->every = option(h, "every");
    k->index = device_i32(h, "index", (uint64_t)k->n);
    k->table = device_u32(h, "table", (uint64_t)k->n);
    k->out = device_u32(h, "out", (uint64_t)k->n);
    for (int i = 0; i < k->n; i++) {
        k->index.host[i] = (int32_t)rng_below(host_rng(h), (uint64_t)k->n);
        k->table.host[i] = (uint32_t)rng_u64(host_rng(h)) | 1;
    }
    line_launch(h, "ra", lookup_kernel, k, k->n, option(h, "block"), 10);
}

static bool ra_lookup_check(struct host *h, void *state, struct error *err)
{
    const struct ra_lookup *k = state;
    uint32_t *want = host_alloc(h, (uint64_t)k->n * sizeof *want);
    for (int i = 0; i < k->n; i += k->every) want[k->index.host[i]] = k->table.host[k->index.host[i]];
    return check_u32(k->out, want, err);
}

static const struct kernel_def ra_lookup = {
    .name = "ra_lookup",
    .summary = "random words copied by a few threads",
    .origin = "UVMSmart ra",
    .options = {{"n", "words of the table, and threads", NULL, 1 << 22, 1, 1 << 24},
                {"every", "so manieth thread has a lookup", NULL, 100, 1, 256},
                {"block", "threads of a thread block", NULL, 256, 1, 1024}},
    .suites = "uvmsmart",
    .small = "n=640",
    .reduced = "n=262144",
    .state_bytes = sizeof(struct ra_lookup),
    .host = ra_lookup_host,
    .check = ra_lookup_check,
};
KERNEL_REGISTER(ra_lookup)
