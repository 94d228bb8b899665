/* SPDX-License-Identifier: Apache-2.0 */
/* histogram: 256 bins over bytes, four to a word (CUDA SDK, histogram256).  Shared: each warp counts in shared memory,
 * then the thread blocks' counts are merged by a second kernel.  Cached: the same, but the counters are in global
 * memory, so that the L1D has the reuse (Dai17, section 2.3, uses such a version).  Global: every byte is an atomic on
 * one of eight lines.
 *
 * bins=64 (CUDA SDK, histogram64) counts the upper six bits: each thread has 64 counters of a byte in shared memory,
 * and at most 255 bytes to count. */
#include <string.h>

#include "trace/kernels.h"

#define BINS 256
#define WARPS 6 /* of a thread block, each with its own counters */
#define THREADS (WARPS * WARP_SIZE)
#define TAG_SHIFT 27 /* cached: the bits above a count have the lane that stored it */

#define BINS_64 64
#define THREADS_64 64
#define WORDS_64 4         /* of a load */
#define MOST_64 (255 / 16) /* loads of a thread: a counter is a byte */

struct histogram {
    gu32 data, counters, partial, bins; /* counters: of each thread block; none if they are in shared memory */
    graw wide;                          /* data, WORDS_64 at a time */
    gu32 partial_64, bins_64;
    int n, blocks, blocks_64, runs;
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

/* ---- 64 bins. ---- */

static vu32 word_of(const vpart *part, int i)
{
    vu32 v = {.r = part->r};
    for (int l = 0; l < WARP_SIZE; l++) memcpy(&v.lane[l], part->lane[l] + 4 * i, 4);
    return v;
}

/* A thread's counters are THREADS_64 bytes apart.  Neighbours' are in words of different banks. */
static vi32 first_counter(struct warp *w)
{
    vi32 t = vvar(vthread_x());
    vi32 bank = vshl(vand(t, 15), 2);
    return vvar(vor(vor(vand(t, ~63), bank), vshr(vand(t, 48), 4)));
}

static void count_words(struct warp *w, su8 counters, const vu32 word[WORDS_64], vi32 mine)
{
    vi32 at = vvar(0);
    for (int i = 0; i < WORDS_64; i++) {
        for (unsigned shift = 2; shift < 32; shift += 8) {
            vi32 bin = vint(vand(vshr(word[i], shift), 0x3fu));
            vset(at, vmad(bin, THREADS_64, mine));
            vstore(counters, at, vadd(vload(counters, at), 1u));
        }
    }
}

/* Bin i by thread i: the bytes of all threads, four at a time, first those of another bank than the neighbours'. */
static void sum_counters(struct warp *w, const struct histogram *k, su8 counters)
{
    vi32 t = vvar(vthread_x()), at = vvar(vshl(vand(t, 15), 2));
    vi32 first = vvar(0);
    vu32 sum = vvar(0u);
    for (int i = 0; i < THREADS_64 / 4; i++) {
        vset(first, vmad(t, THREADS_64, at));
        for (int byte = 0; byte < 4; byte++) vset(sum, vadd(vload(counters, vadd(first, byte)), sum));
        vset(at, vand(vadd(at, 4), THREADS_64 - 1));
    }
    vstore(k->partial_64, vadd(t, BLOCK_X * BINS_64), sum);
}

static void threads_kernel(struct warp *w)
{
    const struct histogram *k = simt_args(w);
    su32 words = vshared_u32("s_Hist", THREADS_64 * BINS_64 / 4);
    su8 counters = vshared_bytes(words);
    vi32 mine = first_counter(w), thread = vvar(vthread_x());
    for (int i = 0; i < BINS_64 / 4; i++) vstore(words, vadd(thread, i * THREADS_64), 0u);
    vsync();
    vi32 at = vvar(vadd(thread, BLOCK_X * THREADS_64));
    SIMT_WHILE (vlt(at, k->n / WORDS_64)) {
        vpart part = vload_part(k->wide, at, 0, 4 * WORDS_64);
        vset(at, vadd(at, GRID_THREADS_X)); /* a variable that took the load's result at once would end the part */
        vu32 word[WORDS_64] = {0};
        for (int i = 0; i < WORDS_64; i++) word[i] = vvar(word_of(&part, i));
        count_words(w, counters, word, mine);
    }
    vsync();
    sum_counters(w, k, counters);
}

static void merge_64_kernel(struct warp *w)
{
    const struct histogram *k = simt_args(w);
    su32 sums = vshared_u32("data", BINS);
    vi32 thread = vvar(vthread_x()), i = vvar(thread);
    vu32 sum = vvar(0u);
    SIMT_WHILE (vlt(i, k->blocks_64)) {
        vset(sum, vadd(vload(k->partial_64, vadd(vmul(i, BINS_64), BLOCK_X)), sum));
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
        vstore(k->bins_64, BLOCK_X, vload(sums, 0));
    }
}

/* ---- The host. ---- */

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

static void launch_64(struct host *h, struct histogram *k)
{
    for (int run = 0; run < k->runs; run++) {
        launch(h, k, "histogram64Kernel", threads_kernel, k->blocks_64, THREADS_64, THREADS_64 * BINS_64);
        launch(h, k, "mergeHistogram64Kernel", merge_64_kernel, BINS_64, BINS, BINS * 4);
    }
}

enum { SHARED, GLOBAL, CACHED };
enum { OF_256, OF_64, OF_BOTH };

static void launch_256(struct host *h, struct histogram *k)
{
    const bool cached = option(h, "counters") == CACHED;
    for (int run = 0; run < k->runs; run++) {
        launch(h, k, "histogram256Kernel", warps_kernel, k->blocks, THREADS, cached ? 0 : WARPS * BINS * 4);
        launch(h, k, "mergeHistogram256Kernel", merge_kernel, BINS, BINS, BINS * 4);
    }
}

static void allocate_64(struct host *h, struct histogram *k)
{
    if (option(h, "counters") != SHARED) host_fail(h, "counters: expected shared, as bins is not 256");
    if (k->n % WORDS_64) host_fail(h, "n: found %d, expected a multiple of %d, as bins is not 256", k->n, WORDS_64);
    k->wide = device_view(h, (graw){(uint8_t *)k->data.host, k->data.array}, (uint64_t)k->n / WORDS_64, 4 * WORDS_64);
    k->blocks_64 = (int)blocks_for(k->n / WORDS_64, THREADS_64 * MOST_64);
    k->partial_64 = device_u32(h, "partial_64", (uint64_t)k->blocks_64 * BINS_64);
    k->bins_64 = device_u32(h, "bins_64", BINS_64);
}

static void histogram_host(struct host *h, void *state)
{
    struct histogram *k = state;
    const int counters = option(h, "counters"), bins = option(h, "bins");
    k->n = option(h, "n");
    k->blocks = option(h, "blocks");
    k->runs = option(h, "runs");
    k->data = device_u32(h, "data", (uint64_t)k->n);
    if (bins != OF_64) k->bins = device_u32(h, "bins", BINS);
    for (int i = 0; i < k->n; i++) k->data.host[i] = (uint32_t)rng_u64(host_rng(h));
    if (bins != OF_256) allocate_64(h, k);
    if (counters == GLOBAL) {
        launch(h, k, "histogram256Global", global_kernel, k->blocks, THREADS, 0);
        return;
    }
    if (counters == CACHED) k->counters = device_u32(h, "counters", (uint64_t)k->blocks * WARPS * BINS);
    if (bins != OF_64) k->partial = device_u32(h, "partial", (uint64_t)k->blocks * BINS);
    if (bins != OF_256) launch_64(h, k);
    if (bins != OF_64) launch_256(h, k);
}

static bool histogram_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct histogram *k = state;
    uint32_t bins[BINS] = {0}, bins_64[BINS_64] = {0};
    for (int i = 0; i < k->n; i++) {
        for (int b = 0; b < 4; b++) bins[k->data.host[i] >> 8 * b & 0xff]++;
    }
    for (int i = 0; i < BINS; i++) bins_64[i * BINS_64 / BINS] += bins[i];
    return (!k->bins.host || check_u32(k->bins, bins, err)) &&
           (!k->bins_64.host || check_u32(k->bins_64, bins_64, err));
}

static const struct kernel_def histogram = {
    .name = "histogram",
    .summary = "256 bins, counted in shared memory, in the L1D or by global atomics; or 64",
    .origin = "CUDA SDK histogram64, histogram256",
    .options = {{"n", "words of four bytes", NULL, 2097152, 1, 1 << 29},
                {"counters", "where each warp counts", "shared|global|cached", SHARED, 0, 0},
                {"blocks", "thread blocks of 256 bins", NULL, 240, 1, 1 << 20},
                {"bins", "which kernels", "256|64|both", OF_256, 0, 0},
                {"runs", "launches of each kernel; counters=global: one", NULL, 1, 1, 1000}},
    .suites = "sdk",
    .tables = "Chen16 4.2",
    .small = "n=64,blocks=2",
    .reduced = "n=65536,blocks=30",
    .state_bytes = sizeof(struct histogram),
    .host = histogram_host,
    .check = histogram_check,
};
KERNEL_REGISTER(histogram)
