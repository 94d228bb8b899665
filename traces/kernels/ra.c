/* SPDX-License-Identifier: Apache-2.0 */
/* ra: a table updated at random places (HPCC RandomAccess, GUPS): table[x mod size] ^= x for the terms x of a shift
 * register's sequence, of which each thread walks a part.  A warp's update is 32 lines, or nearly.
 *
 * The updates are atomic.  HPCC lets a read-modify-write lose a hundredth of them, but then the result depends on
 * the order in which warps run, and could only be compared within a tolerance that a wrong kernel passes as well. */
#include "trace/kernels.h"

#define POLYNOMIAL 7u /* HPCC's: x^64 + x^2 + x + 1 */

struct ra {
    gu32 table, low, high; /* low, high: halves of the term before each thread's first */
    int bits, threads, updates;
    uint64_t first;
};

static void ra_kernel(struct warp *w)
{
    const struct ra *k = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vlt(i, k->threads)) {
        vu32 low = vvar(vload(k->low, i)), high = vvar(vload(k->high, i));
        vi32 u = vvar(0);
        SIMT_WHILE (vlt(u, k->updates)) {
            vu32 out = vvar(vmul(vshr(high, 31u), POLYNOMIAL));
            vset(high, vor(vshl(high, 1u), vshr(low, 31u)));
            vset(low, vxor(vshl(low, 1u), out));
            vred_xor(k->table, vint(vand(low, (1u << k->bits) - 1)), low);
            vset(u, vadd(u, 1));
        }
    }
}

static uint64_t next_term(uint64_t x)
{
    return x << 1 ^ (x >> 63 ? POLYNOMIAL : 0);
}

static void ra_host(struct host *h, void *state)
{
    struct ra *k = state;
    k->bits = option(h, "bits");
    k->threads = option(h, "threads");
    k->updates = option(h, "updates");
    int block = option(h, "block");
    k->table = device_u32(h, "table", 1ull << k->bits);
    k->low = device_u32(h, "low", (uint64_t)k->threads);
    k->high = device_u32(h, "high", (uint64_t)k->threads);
    k->first = rng_u64(host_rng(h)) | 1;
    uint64_t x = k->first;
    for (uint32_t i = 0; i < 1u << k->bits; i++) k->table.host[i] = i;
    for (int t = 0; t < k->threads; t++) {
        k->low.host[t] = (uint32_t)x;
        k->high.host[t] = (uint32_t)(x >> 32);
        for (int u = 0; u < k->updates; u++) x = next_term(x);
    }
    simt_launch(h, &(struct launch){.name = "RandomAccess",
                                    .kernel = ra_kernel,
                                    .args = k,
                                    .grid = {blocks_for(k->threads, block)},
                                    .block = {(uint32_t)block},
                                    .regs = 12}); /* ptxas 13.0, sm_75, the loop not unrolled */
}

static bool ra_check(struct host *h, void *state, struct error *err)
{
    const struct ra *k = state;
    uint32_t size = 1u << k->bits, *want = host_alloc(h, size * sizeof *want);
    uint64_t x = k->first;
    for (uint32_t i = 0; i < size; i++) want[i] = i;
    for (uint64_t n = 0; n < (uint64_t)k->threads * (uint64_t)k->updates; n++) {
        x = next_term(x);
        want[x & (size - 1)] ^= (uint32_t)x;
    }
    return check_u32(k->table, want, err);
}

static const struct kernel_def ra = {
    .name = "ra",
    .summary = "random access: a table updated at random places",
    .origin = "HPCC RandomAccess",
    .options = {{"bits", "log2 of the table's words", NULL, 22, 5, 29},
                {"threads", "each with a part of the sequence", NULL, 65536, 1, 1 << 24},
                {"updates", "of each thread", NULL, 16, 1, 1 << 20},
                {"block", "threads of a thread block", NULL, 256, 1, 1024}},
    .suites = "hpcc",
    .small = "bits=6,threads=32,updates=4",
    .reduced = "bits=16,threads=4096",
    .state_bytes = sizeof(struct ra),
    .host = ra_host,
    .check = ra_check,
};
KERNEL_REGISTER(ra)
