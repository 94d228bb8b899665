/* SPDX-License-Identifier: Apache-2.0 */
/* histogram: 256 bins over bytes, four to a word (CUDA SDK, histogram256).  Shared: each warp counts in shared memory,
 * then the thread blocks' counts are merged by a second kernel.  Cached: the same, but the counters are in global
 * memory, so that the L1D has the reuse (Dai17, section 2.3, uses such a version).  Global: every byte is an atomic on
 * one of eight lines. */
#include "trace/kernels.h"

#define BINS 256
#define WARPS 6 /* of a thread block, each with its own counters */
#define THREADS (WARPS * WARP_SIZE)
#define TAG_SHIFT 27 /* cached: the bits above a count have the lane that stored it */

struct histogram {
    gu32 data, counters, partial, bins; /* counters: of each thread block; none if they are in shared memory */
    int n, blocks;
};

static vi32 counter(struct warp *w, vi32 i)
{
    return vadd(i, BLOCK_X * WARPS * BINS);
}

static void clear_counter(struct warp *w, const struct histogram *k, su32 shared, vi32 i)
{
    if (k->counters.host) {
        vstore(k->counters, counter(w, i), 0u);
    } else {
        vstore(shared, i, 0u);
    }
}

static vu32 load_counter(struct warp *w, const struct histogram *k, su32 shared, vi32 i)
{
    return k->counters.host ? vand(vload(k->counters, counter(w, i)), (1u << TAG_SHIFT) - 1) : vload(shared, i);
}

static vi32 bin_of(struct warp *w, vu32 word, unsigned shift)
{
    return vint(vand(vshr(word, shift), 0xffu));
}

static void count_atomically(struct warp *w, su32 counters, vu32 word, vi32 mine)
{
    for (unsigned shift = 0; shift < 32; shift += 8) vred_add(counters, vadd(bin_of(w, word, shift), mine), 1u);
}

/* Without atomics, as in the SDK: of the lanes that store to a counter one is last, and finds its tag there. */
static void count_tagged(struct warp *w, const struct histogram *k, vu32 word, vi32 mine)
{
    vi32 at = vvar(0);
    vu32 tag = vvar(vuint(vshl(vthread_x(), TAG_SHIFT))), stored = vvar(1u), found = vvar(0u);
    for (unsigned shift = 0; shift < 32; shift += 8) {
        vset(at, counter(w, vadd(bin_of(w, word, shift), mine)));
        vset(found, 0u);
        SIMT_WHILE (vne(found, stored)) {
            vset(stored, vand(vload(k->counters, at), (1u << TAG_SHIFT) - 1));
            vset(stored, vor(vadd(stored, 1u), tag));
            vstore(k->counters, at, stored);
            vset(found, vload(k->counters, at));
        }
    }
}

/* Each warp counts for itself. */
static void warps_kernel(struct warp *w)
{
    const struct histogram *k = simt_args(w);
    su32 counters = {0};
    if (!k->counters.host) counters = vshared_u32("counters", WARPS * BINS);
    vi32 thread = vvar(vthread_x());
    for (int i = 0; i < BINS / WARP_SIZE; i++) clear_counter(w, k, counters, vadd(thread, i * THREADS));
    vsync();
    vi32 at = vvar(vadd(thread, BLOCK_X * THREADS)), mine = vvar(vmul(vshr(thread, 5), BINS));
    SIMT_WHILE (vlt(at, k->n)) {
        vu32 word = vvar(vload(k->data, at));
        if (k->counters.host) {
            count_tagged(w, k, word, mine);
        } else {
            count_atomically(w, counters, word, mine);
        }
        vset(at, vadd(at, GRID_THREADS_X));
    }
    vsync();
    vi32 bin = vvar(thread);
    SIMT_WHILE (vlt(bin, BINS)) {
        vu32 sum = vvar(0u);
        for (int i = 0; i < WARPS; i++) vset(sum, vadd(load_counter(w, k, counters, vadd(bin, i * BINS)), sum));
        vstore(k->partial, vadd(bin, BLOCK_X * BINS), sum);
        vset(bin, vadd(bin, THREADS));
    }
}

static void merge_kernel(struct warp *w)
{
    const struct histogram *k = simt_args(w);
    su32 sums = vshared_u32("sums", BINS);
    vi32 thread = vvar(vthread_x()), i = vvar(thread);
    vu32 sum = vvar(0u);
    SIMT_WHILE (vlt(i, k->blocks)) {
        vset(sum, vadd(vload(k->partial, vadd(vmul(i, BINS), BLOCK_X)), sum));
        vset(i, vadd(i, BINS));
    }
    vstore(sums, thread, sum);
    for (int stride = BINS / 2; stride; stride /= 2) {
        vsync();
        SIMT_IF (vlt(thread, stride)) {
            vu32 other = vvar(vload(sums, vadd(thread, stride)));
            vstore(sums, thread, vadd(vload(sums, thread), other));
        }
    }
    SIMT_IF (veq(thread, 0)) {
        vstore(k->bins, BLOCK_X, vload(sums, 0));
    }
}

static void global_kernel(struct warp *w)
{
    const struct histogram *k = simt_args(w);
    vi32 at = vvar(vglobal_x());
    SIMT_WHILE (vlt(at, k->n)) {
        vu32 word = vvar(vload(k->data, at));
        for (unsigned shift = 0; shift < 32; shift += 8) vred_add(k->bins, bin_of(w, word, shift), 1u);
        vset(at, vadd(at, GRID_THREADS_X));
    }
}

static void launch(struct host *h, struct histogram *k, const char *name, void (*kernel)(struct warp *w), int blocks,
                   int threads, uint32_t shared)
{
    const uint32_t regs = k->counters.host ? 20 : 16; /* cached: 17 of ptxas 13.0, sm_75, and the loop's variables */
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)blocks},
                                    .block = {(uint32_t)threads},
                                    .regs = regs,
                                    .shared_bytes = shared});
}

enum { SHARED, GLOBAL, CACHED };

static void histogram_host(struct host *h, void *state)
{
    struct histogram *k = state;
    k->n = option(h, "n");
    k->blocks = option(h, "blocks");
    k->data = device_u32(h, "data", (uint64_t)k->n);
    k->bins = device_u32(h, "bins", BINS);
    for (int i = 0; i < k->n; i++) k->data.host[i] = (uint32_t)rng_u64(host_rng(h));
    if (option(h, "counters") == GLOBAL) {
        launch(h, k, "histogram256Global", global_kernel, k->blocks, THREADS, 0);
        return;
    }
    bool cached = option(h, "counters") == CACHED;
    if (cached) k->counters = device_u32(h, "counters", (uint64_t)k->blocks * WARPS * BINS);
    k->partial = device_u32(h, "partial", (uint64_t)k->blocks * BINS);
    launch(h, k, "histogram256Kernel", warps_kernel, k->blocks, THREADS, cached ? 0 : WARPS * BINS * 4);
    launch(h, k, "mergeHistogram256Kernel", merge_kernel, BINS, BINS, BINS * 4);
}

static bool histogram_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct histogram *k = state;
    uint32_t bins[BINS] = {0};
    for (int i = 0; i < k->n; i++) {
        for (int b = 0; b < 4; b++) bins[k->data.host[i] >> 8 * b & 0xff]++;
    }
    return check_u32(k->bins, bins, err);
}

static const struct kernel_def histogram = {
    .name = "histogram",
    .summary = "256 bins, counted in shared memory, in the L1D or by global atomics",
    .origin = "CUDA SDK histogram256",
    .options = {{"n", "words of four bytes", NULL, 2097152, 1, 1 << 29},
                {"counters", "where each warp counts", "shared|global|cached", SHARED, 0, 0},
                {"blocks", "thread blocks", NULL, 240, 1, 1 << 20}},
    .state_bytes = sizeof(struct histogram),
    .host = histogram_host,
    .check = histogram_check,
};
KERNEL_REGISTER(histogram)
