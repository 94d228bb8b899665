/* SPDX-License-Identifier: Apache-2.0 */
/* merge_sort: keys with values, sorted by merging (CUDA SDK, mergeSort).  Pieces of 1024 in shared memory, where each
 * thread finds its place in the other half by a binary search; then runs twice as long in each round: every 128th key
 * is searched in the other run, the ranks are merged, and thread blocks merge intervals of up to 128 elements of each
 * run. */
#include "program.h"

#define SHARED 1024
#define SAMPLE 128
#define BLOCK 256

struct merge_sort {
    gu32 key[2], value[2]; /* by turns source and destination of a round */
    gu32 key_in, value_in;
    gu32 ranks_a, ranks_b, limits_a, limits_b;
    int n;
    int stride, from; /* of this round: length of a run, the source */
    gu32 ranks, limits;
};

/* How many of `length` sorted elements from `base` on are less than the value, or not greater; `stride` is a power of
 * two, at least `length`. */
#define DEFINE_SEARCH(name, array)                                                                                     \
    static vi32 name(struct warp *w, array data, vi32 base, vu32 value, vi32 length, int stride, bool inclusive)       \
    {                                                                                                                  \
        vi32 place = vvar(0), step = vvar(vselect(vgt(length, 0), V(stride), 0)), next = vvar(0);                      \
        SIMT_WHILE (vgt(step, 0)) {                                                                                    \
            vset(next, vmin(vadd(place, step), length));                                                               \
            vu32 found = vvar(vload(data, vadd(base, vsub(next, 1))));                                                 \
            SIMT_IF (inclusive ? vle(found, value) : vlt(found, value)) {                                              \
                vset(place, next);                                                                                     \
            }                                                                                                          \
            vset(step, vshr(step, 1));                                                                                 \
        }                                                                                                              \
        return place;                                                                                                  \
    }
DEFINE_SEARCH(search_shared, su32)
DEFINE_SEARCH(search_global, gu32)

/* Two sorted halves of `stride` elements each become one, for the pair of elements of each thread. */
static void merge_halves(struct warp *w, su32 key, su32 value, vi32 thread, vi32 stride)
{
    vi32 place = vvar(vand(thread, vsub(stride, 1))), base = vvar(vshl(vsub(thread, place), 1));
    vi32 a = vvar(vadd(base, place)), middle = vvar(vadd(base, stride)), b = vvar(vadd(a, stride));
    vsync();
    vu32 key_a = vvar(vload(key, a)), value_a = vvar(vload(value, a));
    vu32 key_b = vvar(vload(key, b)), value_b = vvar(vload(value, b));
    vi32 to_a = vvar(search_shared(w, key, middle, key_a, stride, SHARED / 2, false));
    vi32 to_b = vvar(search_shared(w, key, base, key_b, stride, SHARED / 2, true));
    vsync();
    vset(to_a, vadd(vadd(to_a, place), base));
    vset(to_b, vadd(vadd(to_b, place), base));
    vstore(key, to_a, key_a);
    vstore(value, to_a, value_a);
    vstore(key, to_b, key_b);
    vstore(value, to_b, value_b);
}

static void sort_shared_kernel(struct warp *w)
{
    const struct merge_sort *k = simt_args(w);
    su32 key = vshared_u32("s_key", SHARED), value = vshared_u32("s_val", SHARED);
    vi32 thread = vvar(vthread_x()), first = vvar(vadd(thread, BLOCK_X * SHARED));
    for (int i = 0; i < 2; i++) {
        vi32 from = vvar(vadd(first, i * SHARED / 2)), to = vvar(vadd(thread, i * SHARED / 2));
        vstore(key, to, vload(k->key_in, from));
        vstore(value, to, vload(k->value_in, from));
    }
    vi32 stride = vvar(1);
    SIMT_WHILE (vlt(stride, SHARED)) {
        merge_halves(w, key, value, thread, stride);
        vset(stride, vshl(stride, 1));
    }
    vsync();
    for (int i = 0; i < 2; i++) {
        vi32 to = vvar(vadd(first, i * SHARED / 2)), from = vvar(vadd(thread, i * SHARED / 2));
        vstore(k->key[0], to, vload(key, from));
        vstore(k->value[0], to, vload(value, from));
    }
}

/* Sample i of each of two runs: its rank in its own run and in the other one. */
static void ranks_kernel(struct warp *w)
{
    const struct merge_sort *k = simt_args(w);
    const int samples = k->stride / SAMPLE;
    vi32 thread = vvar(vglobal_x());
    SIMT_IF (vlt(thread, k->n / (2 * SAMPLE))) {
        vi32 i = vvar(vand(thread, samples - 1)), before = vvar(vsub(thread, i));
        vi32 base = vvar(vmul(before, 2 * SAMPLE)), middle = vvar(vadd(base, k->stride)), length = vvar(k->stride);
        vi32 rank = vvar(vmul(i, SAMPLE)), at = vvar(vmad(before, 2, i));
        vu32 sample = vvar(vload(k->key[k->from], vadd(base, rank)));
        vstore(k->ranks_a, at, vuint(rank));
        vstore(k->ranks_b, at, vuint(search_global(w, k->key[k->from], middle, sample, length, k->stride, false)));
        vset(at, vadd(at, samples));
        vset(sample, vload(k->key[k->from], vadd(middle, rank)));
        vstore(k->ranks_b, at, vuint(rank));
        vstore(k->ranks_a, at, vuint(search_global(w, k->key[k->from], base, sample, length, k->stride, true)));
    }
}

/* Ranks of the samples of both runs, merged. */
static void limits_kernel(struct warp *w)
{
    const struct merge_sort *k = simt_args(w);
    const int samples = k->stride / SAMPLE;
    vi32 thread = vvar(vglobal_x());
    SIMT_IF (vlt(thread, k->n / (2 * SAMPLE))) {
        vi32 i = vvar(vand(thread, samples - 1)), base = vvar(vshl(vsub(thread, i), 1)), length = vvar(samples);
        vi32 middle = vvar(vadd(base, samples));
        vu32 rank = vvar(vload(k->ranks, vadd(base, i)));
        vi32 place = vvar(search_global(w, k->ranks, middle, rank, length, samples, false));
        vstore(k->limits, vadd(vadd(place, i), base), rank);
        vset(rank, vload(k->ranks, vadd(middle, i)));
        vset(place, search_global(w, k->ranks, base, rank, length, samples, true));
        vstore(k->limits, vadd(vadd(place, i), base), rank);
    }
}

/* First element and number of elements of this thread block's interval of a run. */
static void load_limits(struct warp *w, const struct merge_sort *k, gu32 limits, si32 to, int at, vi32 thread)
{
    const bool last = (BLOCK_X + 1) % (2 * k->stride / SAMPLE) == 0;
    SIMT_IF (veq(thread, 0)) {
        vi32 start = vvar(vint(vload(limits, BLOCK_X))), end = vvar(k->stride);
        if (!last) vset(end, vint(vload(limits, BLOCK_X + 1)));
        vstore(to, at, start);
        vstore(to, at + 1, vsub(end, start));
    }
}

static void merge_kernel(struct warp *w)
{
    const struct merge_sort *k = simt_args(w);
    const gu32 keys = k->key[k->from], values = k->value[k->from];
    const int intervals = 2 * k->stride / SAMPLE, base = BLOCK_X / intervals * intervals * SAMPLE;
    su32 key = vshared_u32("s_key", 2 * SAMPLE), value = vshared_u32("s_val", 2 * SAMPLE);
    si32 limit = vshared_i32("limits", 4);
    vi32 thread = vvar(vthread_x());
    load_limits(w, k, k->limits_a, limit, 0, thread);
    load_limits(w, k, k->limits_b, limit, 2, thread);
    vsync();
    vi32 start_a = vvar(vload(limit, 0)), length_a = vvar(vload(limit, 1));
    vi32 start_b = vvar(vload(limit, 2)), length_b = vvar(vload(limit, 3));
    vi32 second = vvar(vadd(thread, SAMPLE)), zero = vvar(0), middle = vvar(SAMPLE), to_a = vvar(0), to_b = vvar(0);
    vu32 key_a = vvar(0u), value_a = vvar(0u), key_b = vvar(0u), value_b = vvar(0u);
    SIMT_IF (vlt(thread, length_a)) {
        vi32 from = vvar(vadd(vadd(start_a, thread), base));
        vset(key_a, vload(keys, from));
        vset(value_a, vload(values, from));
        vstore(key, thread, key_a);
    }
    SIMT_IF (vlt(thread, length_b)) {
        vi32 from = vvar(vadd(vadd(start_b, thread), base + k->stride));
        vset(key_b, vload(keys, from));
        vset(value_b, vload(values, from));
        vstore(key, second, key_b);
    }
    vsync();
    SIMT_IF (vlt(thread, length_a)) {
        vset(to_a, vadd(search_shared(w, key, middle, key_a, length_b, SAMPLE, false), thread));
    }
    SIMT_IF (vlt(thread, length_b)) {
        vset(to_b, vadd(search_shared(w, key, zero, key_b, length_a, SAMPLE, true), thread));
    }
    vsync();
    SIMT_IF (vlt(thread, length_a)) {
        vstore(key, to_a, key_a);
        vstore(value, to_a, value_a);
    }
    SIMT_IF (vlt(thread, length_b)) {
        vstore(key, to_b, key_b);
        vstore(value, to_b, value_b);
    }
    vsync();
    vi32 first = vvar(vadd(vadd(start_a, start_b), base)), length = vvar(vadd(length_a, length_b)), i = vvar(thread);
    SIMT_WHILE (vlt(i, length)) {
        vi32 to = vvar(vadd(first, i));
        vstore(k->key[!k->from], to, vload(key, i));
        vstore(k->value[!k->from], to, vload(value, i));
        vset(i, vadd(i, SAMPLE));
    }
}

static void merge_runs(struct host *h, struct merge_sort *k)
{
    const int pairs = k->n / (2 * SAMPLE);
    line_launch(h, "generateSampleRanksKernel", ranks_kernel, k, pairs, BLOCK, 26);
    k->ranks = k->ranks_a, k->limits = k->limits_a;
    line_launch(h, "mergeRanksAndIndicesKernel", limits_kernel, k, pairs, BLOCK, 24);
    k->ranks = k->ranks_b, k->limits = k->limits_b;
    line_launch(h, "mergeRanksAndIndicesKernel", limits_kernel, k, pairs, BLOCK, 24);
    simt_launch(h, &(struct launch){.name = "mergeElementaryIntervalsKernel",
                                    .kernel = merge_kernel,
                                    .args = k,
                                    .grid = {(uint32_t)(k->n / SAMPLE)},
                                    .block = {SAMPLE},
                                    .regs = 40,
                                    .shared_bytes = 16 * SAMPLE + 16});
}

static void merge_sort_host(struct host *h, void *state)
{
    struct merge_sort *k = state;
    k->n = option(h, "n");
    if (k->n & (k->n - 1)) host_fail(h, "n: found %d, expected a power of two", k->n);
    const uint64_t n = (uint64_t)k->n, samples = n / SAMPLE;
    gu32 *const small[] = {&k->ranks_a, &k->ranks_b, &k->limits_a, &k->limits_b};
    static const char *const names[] = {"d_RanksA", "d_RanksB", "d_LimitsA", "d_LimitsB"};
    k->key_in = device_u32(h, "d_SrcKey", n);
    k->value_in = device_u32(h, "d_SrcVal", n);
    for (int i = 0; i < 2; i++) {
        k->key[i] = device_u32(h, i ? "d_DstKey" : "d_BufKey", n);
        k->value[i] = device_u32(h, i ? "d_DstVal" : "d_BufVal", n);
    }
    for (int i = 0; i < 4; i++) *small[i] = device_u32(h, names[i], samples);
    for (uint64_t i = 0; i < n; i++) {
        k->key_in.host[i] = (uint32_t)rng_below(host_rng(h), n / 2);
        k->value_in.host[i] = (uint32_t)i;
    }
    simt_launch(h, &(struct launch){.name = "mergeSortSharedKernel",
                                    .kernel = sort_shared_kernel,
                                    .args = k,
                                    .grid = {(uint32_t)(k->n / SHARED)},
                                    .block = {SHARED / 2},
                                    .regs = 32,
                                    .shared_bytes = 8 * SHARED});
    for (k->stride = SHARED; k->stride < k->n; k->stride *= 2) {
        merge_runs(h, k);
        k->from = !k->from;
    }
}

/* Stable: keys rise, and values, the places from which they came, where keys are equal. */
static bool merge_sort_check(struct host *h, void *state, struct error *err)
{
    const struct merge_sort *k = state;
    const gu32 key = k->key[k->from], value = k->value[k->from];
    bool *seen = host_alloc(h, (uint64_t)k->n * sizeof *seen);
    for (int i = 0; i < k->n; i++) {
        const uint32_t from = value.host[i];
        const bool rises =
            !i || key.host[i - 1] < key.host[i] || (key.host[i - 1] == key.host[i] && value.host[i - 1] < from);
        if (!rises || from >= (uint32_t)k->n || seen[from] || k->key_in.host[from] != key.host[i])
            return error_set(err, "wrong result: %s[%d] is %u, %s[%d] %u: out of order or not from there",
                             key.array->name, i, key.host[i], value.array->name, i, from);
        seen[from] = true;
    }
    return true;
}

static const struct kernel_def merge_sort = {
    .name = "merge_sort",
    .summary = "keys with values sorted by merging: binary searches in shared and in global memory",
    .origin = "CUDA SDK mergeSort",
    .options = {{"n", "elements, a power of two", NULL, 262144, SHARED, 1 << 24}},
    .suites = "sdk",
    .tables = "Gu20 2.3, 3.1",
    .small = "n=2048",
    .reduced = "n=4096",
    .state_bytes = sizeof(struct merge_sort),
    .host = merge_sort_host,
    .check = merge_sort_check,
};
KERNEL_REGISTER(merge_sort)
