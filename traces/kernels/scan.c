/* SPDX-License-Identifier: Apache-2.0 */
/* scan: exclusive sums of arrays (CUDA SDK, scan).  A thread has four neighbours; a thread block of 256 scans their
 * sums in shared memory, in eight steps with two barriers each, in twice as many words, of which the lower half stays
 * 0.  Arrays longer than 1024 elements: the thread blocks' sums are scanned by a second launch and added by a third. */
#include "program.h"

#define BLOCK 256
#define PART (4 * BLOCK) /* elements of a thread block */

struct scan {
    graw in, out;
    gu32 from, to, sums;
    int arrays, length, parts; /* parts: thread blocks of an array */
};

struct four {
    vu32 value[4];
};

static vu32 value_of(const vpart *part, int i)
{
    vu32 v;
    for (int l = 0; l < WARP_SIZE; l++) memcpy(&v.lane[l], part->lane[l] + 4 * i, 4);
    v.r = part->r;
    return v;
}

static void store_four(struct warp *w, graw array, vi32 at, const struct four *f)
{
    vpart part = {.r = f->value[0].r};
    for (int i = 0; i < 4; i++)
        for (int l = 0; l < WARP_SIZE; l++) memcpy(part.lane[l] + 4 * i, &f->value[i].lane[l], 4);
    vstore_part(array, at, 0, 16, part);
}

/* The sum of the thread's value and those of all threads before it, in groups of `size` threads. */
static vu32 scan_inclusive(struct warp *w, su32 data, vi32 thread, vu32 value, int size)
{
    vi32 at = vvar(vsub(vshl(thread, 1), vand(thread, size - 1)));
    vstore(data, at, 0u);
    vset(at, vadd(at, size));
    vstore(data, at, value);
    for (int offset = 1; offset < size; offset *= 2) {
        vsync();
        vu32 sum = vvar(vload(data, at));
        vset(sum, vadd(sum, vload(data, vsub(at, offset))));
        vsync();
        vstore(data, at, sum);
        vset(value, sum);
    }
    return value;
}

static void scan_kernel(struct warp *w)
{
    const struct scan *k = simt_args(w);
    su32 data = vshared_u32("s_Data", 2 * BLOCK);
    vi32 at = vvar(vglobal_x()), thread = vvar(vthread_x());
    struct four f; /* sums of the first, the first two, ... */
    vpart part = vload_part(k->in, at, 0, 16);
    f.value[1] = vvar(vadd(value_of(&part, 0), value_of(&part, 1)));
    f.value[2] = vvar(vadd(f.value[1], value_of(&part, 2)));
    f.value[3] = vvar(vadd(f.value[2], value_of(&part, 3)));
    f.value[0] = vvar(value_of(&part, 0));
    vu32 sum = vvar(f.value[3]);
    vu32 before = vvar(scan_inclusive(w, data, thread, sum, BLOCK));
    SIMT_IF (veq(thread, BLOCK - 1)) {
        vstore(k->sums, BLOCK_X, before);
    }
    vset(before, vsub(before, f.value[3]));
    for (int i = 3; i > 0; i--) vset(f.value[i], vadd(before, f.value[i - 1]));
    vset(f.value[0], before);
    store_four(w, k->out, at, &f);
}

/* Exclusive sums of `parts` sums, of as many arrays as a thread block has room for. */
static void scan_sums_kernel(struct warp *w)
{
    const struct scan *k = simt_args(w);
    su32 data = vshared_u32("s_Data", 2 * BLOCK);
    vi32 at = vvar(vglobal_x()), thread = vvar(vthread_x());
    vu32 mine = vvar(0u);
    SIMT_IF (vlt(at, k->arrays * k->parts)) {
        vset(mine, vload(k->sums, at));
    }
    vu32 value = vvar(mine);
    vu32 sum = vvar(scan_inclusive(w, data, thread, value, k->parts));
    SIMT_IF (vlt(at, k->arrays * k->parts)) {
        vstore(k->sums, at, vsub(sum, mine));
    }
}

static void uniform_update_kernel(struct warp *w)
{
    const struct scan *k = simt_args(w);
    su32 shared = vshared_u32("buf", 1);
    vi32 at = vvar(vglobal_x()), thread = vvar(vthread_x());
    SIMT_IF (veq(thread, 0)) {
        vstore(shared, thread, vload(k->sums, BLOCK_X));
    }
    vsync();
    vu32 before = vvar(vload(shared, 0));
    vpart part = vload_part(k->out, at, 0, 16);
    struct four f;
    for (int i = 0; i < 4; i++) f.value[i] = vvar(vadd(value_of(&part, i), before));
    store_four(w, k->out, at, &f);
}

static void launch(struct host *h, const struct scan *k, const char *name, void (*kernel)(struct warp *w), int blocks)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)blocks},
                                    .block = {BLOCK},
                                    .regs = 24,
                                    .shared_bytes = 8 * BLOCK});
}

static void scan_host(struct host *h, void *state)
{
    struct scan *k = state;
    k->arrays = option(h, "arrays");
    k->length = option(h, "length");
    if (k->length & (k->length - 1)) host_fail(h, "length: found %d, expected a power of two", k->length);
    k->parts = k->length / PART;
    const int blocks = k->arrays * k->parts;
    const uint64_t n = (uint64_t)k->arrays * (uint64_t)k->length;
    k->in = device_raw(h, "d_Input", n / 4, 16);
    k->out = device_raw(h, "d_Output", n / 4, 16);
    k->sums = device_u32(h, "d_Buf", (uint64_t)blocks);
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t value = (uint32_t)rng_u64(host_rng(h));
        memcpy(k->in.host + 4 * i, &value, 4);
    }
    launch(h, k, "scanExclusiveShared", scan_kernel, blocks);
    if (k->parts == 1) return;
    launch(h, k, "scanExclusiveShared2", scan_sums_kernel, (int)blocks_for(blocks, BLOCK));
    launch(h, k, "uniformUpdate", uniform_update_kernel, blocks);
}

static bool scan_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct scan *k = state;
    const uint32_t *in = (const uint32_t *)(const void *)k->in.host, *out = (const uint32_t *)(const void *)k->out.host;
    for (int64_t i = 0, n = (int64_t)k->arrays * k->length; i < n; i++) {
        const uint32_t want = i % k->length ? out[i - 1] + in[i - 1] : 0;
        if (out[i] != want)
            return error_set(err, "wrong result: d_Output[%lld] is %u, plain C computes %u", (long long)i, out[i],
                             want);
    }
    return true;
}

static const struct kernel_def scan = {
    .name = "scan",
    .summary = "exclusive sums of arrays in shared memory",
    .origin = "CUDA SDK scan",
    .options = {{"arrays", "each scanned by itself", NULL, 26, 1, 65536},
                {"length", "elements of an array, a power of two", NULL, 1 << 18, PART, PART *BLOCK}},
    .suites = "sdk",
    .tables = "Gu20 2.3, 3.1",
    .small = "arrays=2,length=2048",
    .reduced = "arrays=4,length=8192",
    .state_bytes = sizeof(struct scan),
    .host = scan_host,
    .check = scan_check,
};
KERNEL_REGISTER(scan)
