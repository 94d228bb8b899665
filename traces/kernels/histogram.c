/* SPDX-License-Identifier: Apache-2.0 */
/* histogram: 256 bins over bytes, four to a word (CUDA SDK, histogram256).  Shared: each warp counts in shared memory,
 * then the thread blocks' counts are merged by a second kernel.  Global: every byte is an atomic on one of eight lines.
 */
#include "trace/kernels.h"

#define BINS 256
#define WARPS 6 /* of a thread block, each with its own counters */
#define THREADS (WARPS * WARP_SIZE)

struct histogram {
    gu32 data, partial, bins;
    int n, blocks;
};

static void shared_kernel(struct warp *w)
{
    const struct histogram *k = simt_args(w);
    su32 counters = vshared_u32("counters", WARPS * BINS);
    vi32 thread = vvar(vthread_x());
    for (int i = 0; i < BINS / WARP_SIZE; i++) vstore(counters, vadd(thread, i * THREADS), 0u);
    vsync();
    vi32 at = vvar(vadd(thread, BLOCK_X * THREADS)), mine = vvar(vmul(vshr(thread, 5), BINS));
    SIMT_WHILE (vlt(at, k->n)) {
        vu32 word = vvar(vload(k->data, at));
        for (unsigned shift = 0; shift < 32; shift += 8) {
            vi32 bin = vadd(vint(vand(vshr(word, shift), 0xffu)), mine);
            vred_add(counters, bin, 1u);
        }
        vset(at, vadd(at, GRID_THREADS_X));
    }
    vsync();
    vi32 bin = vvar(thread);
    SIMT_WHILE (vlt(bin, BINS)) {
        vu32 sum = vvar(0u);
        for (int i = 0; i < WARPS; i++) vset(sum, vadd(vload(counters, vadd(bin, i * BINS)), sum));
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
        for (unsigned shift = 0; shift < 32; shift += 8) vred_add(k->bins, vint(vand(vshr(word, shift), 0xffu)), 1u);
        vset(at, vadd(at, GRID_THREADS_X));
    }
}

static void launch(struct host *h, struct histogram *k, const char *name, void (*kernel)(struct warp *w), int blocks,
                   int threads, uint32_t shared)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)blocks},
                                    .block = {(uint32_t)threads},
                                    .regs = 16,
                                    .shared_bytes = shared});
}

enum { SHARED, GLOBAL };

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
    k->partial = device_u32(h, "partial", (uint64_t)k->blocks * BINS);
    launch(h, k, "histogram256Kernel", shared_kernel, k->blocks, THREADS, WARPS * BINS * 4);
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
    .summary = "256 bins, counted in shared memory or by global atomics",
    .origin = "CUDA SDK histogram256",
    .options = {{"n", "words of four bytes", NULL, 2097152, 1, 1 << 29},
                {"counters", "where each warp counts", "shared|global", SHARED, 0, 0},
                {"blocks", "thread blocks", NULL, 240, 1, 1 << 20}},
    .state_bytes = sizeof(struct histogram),
    .host = histogram_host,
    .check = histogram_check,
};
KERNEL_REGISTER(histogram)
