/* SPDX-License-Identifier: Apache-2.0 */
/* histo: a large histogram whose counters stop at 255 (Parboil; histogram is the CUDA SDK's).  Words are near a few
 * places, so that most bins stay empty: a first kernel finds the range of a sample, then each thread block counts the
 * bins of its slice of that range in shared memory and reads all words for it, and counts others in global memory; the
 * last kernel limits the counters and clears them. */
#include "program.h"

#define BLOCK 512
#define SLICE 2048 /* bins of a thread block in shared memory */
#define MOST 255
#define SAMPLE 8 /* the first kernel reads each eighth word */

struct histo {
    gu32 data, range, counts;
    gi32 result;
    int n, bins, parts; /* parts: pieces of the words */
    int slices;
};

/* Least and greatest word of the sample, by a tree of 512, then by atomics. */
static void prescan_kernel(struct warp *w)
{
    const struct histo *k = simt_args(w);
    su32 least = vshared_u32("Min", BLOCK), greatest = vshared_u32("Max", BLOCK);
    vi32 thread = vvar(vthread_x()), at = vvar(vmul(vglobal_x(), SAMPLE));
    vu32 low = vvar(0xffffffffu), high = vvar(0u);
    SIMT_WHILE (vlt(at, k->n)) {
        vu32 value = vvar(vload(k->data, at));
        vset(low, vmin(low, value));
        vset(high, vmax(high, value));
        vset(at, vadd(at, SAMPLE * GRID_THREADS_X));
    }
    vstore(least, thread, low);
    vstore(greatest, thread, high);
    for (int stride = BLOCK / 2; stride; stride /= 2) {
        vsync();
        SIMT_IF (vlt(thread, stride)) {
            vi32 other = vvar(vadd(thread, stride));
            vset(low, vmin(low, vload(least, other)));
            vset(high, vmax(high, vload(greatest, other)));
            vstore(least, thread, low);
            vstore(greatest, thread, high);
        }
    }
    SIMT_IF (veq(thread, 0)) {
        (void)vatomic_min(k->range, 0, low);
        (void)vatomic_min(k->range, 1, vsub(V(0xffffffffu), high)); /* the greatest, reversed */
    }
}

/* Each slice is a part of the sampled range.  Thread blocks of slice 0 also count values outside the range. */
static void main_kernel(struct warp *w)
{
    const struct histo *k = simt_args(w);
    su32 counts = vshared_u32("sub_histo", SLICE);
    const int first = (int)k->range.host[0] + BLOCK_Y * SLICE; /* an argument */
    vi32 thread = vvar(vthread_x()), i = vvar(thread), at = vvar(vglobal_x());
    SIMT_WHILE (vlt(i, SLICE)) {
        vstore(counts, i, 0u);
        vset(i, vadd(i, BLOCK));
    }
    vsync();
    SIMT_WHILE (vlt(at, k->n)) {
        vi32 bin = vvar(vint(vload(k->data, at))), place = vvar(vsub(bin, first));
        SIMT_IF (vand(vge(place, 0), vlt(place, SLICE))) {
            vred_add(counts, place, 1u);
        }
        if (BLOCK_Y == 0) {
            SIMT_IF (vor(vlt(place, 0), vge(place, k->slices * SLICE))) {
                vred_add(k->counts, bin, 1u);
            }
        }
        vset(at, vadd(at, GRID_THREADS_X));
    }
    vsync();
    vset(i, thread);
    SIMT_WHILE (vlt(i, SLICE)) {
        vu32 count = vvar(vload(counts, i));
        SIMT_IF (vgt(count, 0u)) {
            vred_add(k->counts, vadd(i, first), count);
        }
        vset(i, vadd(i, BLOCK));
    }
}

static void final_kernel(struct warp *w)
{
    const struct histo *k = simt_args(w);
    vi32 at = vvar(vglobal_x());
    SIMT_WHILE (vlt(at, k->bins)) {
        vstore(k->result, at, vint(vmin(vload(k->counts, at), (unsigned)MOST)));
        vstore(k->counts, at, 0u);
        vset(at, vadd(at, GRID_THREADS_X));
    }
}

/* Sums of four random numbers: near the middle of the bins. */
static void make_words(struct host *h, struct histo *k)
{
    for (int i = 0; i < k->n; i++) {
        double place = 0;
        for (int term = 0; term < 4; term++) place += rng_unit(host_rng(h)) / 4;
        k->data.host[i] = (uint32_t)(place * k->bins);
    }
}

static void launch(struct host *h, const struct histo *k, const char *name, void (*kernel)(struct warp *w), int parts,
                   int slices, uint32_t shared)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)parts, (uint32_t)slices},
                                    .block = {BLOCK},
                                    .regs = 20,
                                    .shared_bytes = shared});
}

static void histo_host(struct host *h, void *state)
{
    struct histo *k = state;
    k->n = option(h, "n");
    k->bins = option(h, "bins");
    k->parts = option(h, "parts");
    k->data = device_u32(h, "input", (uint64_t)k->n);
    k->range = device_u32(h, "ranges", 2);
    k->counts = device_u32(h, "global_histo", (uint64_t)k->bins + SLICE);
    k->result = device_i32(h, "final_histo", (uint64_t)k->bins);
    make_words(h, k);
    k->range.host[0] = k->range.host[1] = 0xffffffffu;
    launch(h, k, "histo_prescan_kernel", prescan_kernel, 64, 1, 8 * BLOCK);
    const uint32_t greatest = 0xffffffffu - k->range.host[1];
    k->slices = (int)((greatest - k->range.host[0]) / SLICE) + 1;
    launch(h, k, "histo_main_kernel", main_kernel, k->parts, k->slices, 4 * SLICE);
    launch(h, k, "histo_final_kernel", final_kernel, 42, 1, 0);
}

static bool histo_check(struct host *h, void *state, struct error *err)
{
    const struct histo *k = state;
    int32_t *want = host_alloc(h, (uint64_t)k->bins * sizeof *want);
    for (int i = 0; i < k->n; i++)
        if (want[k->data.host[i]] < MOST) want[k->data.host[i]]++;
    return check_i32(k->result, want, err);
}

static const struct kernel_def histo = {
    .name = "histo",
    .summary = "a large histogram whose counters stop at 255, in slices in shared memory",
    .origin = "Parboil histo",
    .options = {{"n", "words", NULL, 1035840, 1, 1 << 28},
                {"bins", "of the histogram", NULL, 16384, 1, 1 << 24},
                {"parts", "thread blocks of a slice", NULL, 14, 1, 4096}},
    .suites = "parboil",
    .tables = "Gu20 2.3, 3.1",
    .small = "n=300,bins=100,parts=2",
    .reduced = "n=16384,bins=4096,parts=2",
    .state_bytes = sizeof(struct histo),
    .host = histo_host,
    .check = histo_check,
};
KERNEL_REGISTER(histo)
