/* SPDX-License-Identifier: Apache-2.0 */
/* sorting_net: keys with values, sorted by Batcher's bitonic network (CUDA SDK, sortingNetworks).  Steps of up to
 * 1024 neighbours are in shared memory, a barrier between them; a longer one is a launch that loads and stores
 * everything, two streams at a power of two from each other. */
#include "program.h"

#define SHARED 1024
#define BLOCK 256

struct sorting_net {
    gu32 key_in, value_in, key, value;
    int arrays, length;
    int size, stride; /* of this launch */
};

/* Exchanges two elements if they are in the wrong order; `falling` is 1 where they have to fall. */
static void comparator(struct warp *w, su32 key, su32 value, vi32 at, int stride, vi32 falling)
{
    vi32 other = vvar(vadd(at, stride));
    vu32 a = vvar(vload(key, at)), b = vvar(vload(key, other));
    vi32 greater = vvar(vselect(vgt(a, b), V(0), 1));
    SIMT_IF (veq(greater, falling)) {
        vu32 first = vvar(vload(value, at)), second = vvar(vload(value, other));
        vstore(key, at, b);
        vstore(key, other, a);
        vstore(value, at, second);
        vstore(value, other, first);
    }
}

struct tile {
    su32 key, value;
    vi32 thread, first; /* of the thread's elements: the first, and half a thread block later the second */
    int half;
};

/* Steps from `stride` on down to neighbours, of a thread block's elements. */
static void merge_shared(struct warp *w, const struct tile *t, int stride, vi32 falling)
{
    for (; stride; stride /= 2) {
        vsync();
        SIMT_IF (vge(t->thread, 0)) { /* ends the variables of a step */
            vi32 at = vvar(vsub(vshl(t->thread, 1), vand(t->thread, stride - 1)));
            comparator(w, t->key, t->value, at, stride, falling);
        }
    }
}

static struct tile load_tile(struct warp *w, const struct sorting_net *k, gu32 key, gu32 value)
{
    const int elements = k->length < SHARED ? k->length : SHARED;
    struct tile t = {.key = vshared_u32("s_key", SHARED), .value = vshared_u32("s_val", SHARED), .half = elements / 2};
    t.thread = vvar(vthread_x());
    t.first = vvar(vadd(t.thread, BLOCK_X * elements));
    for (int i = 0; i < 2; i++) {
        vi32 from = vvar(vadd(t.first, i * t.half)), to = vvar(vadd(t.thread, i * t.half));
        vstore(t.key, to, vload(key, from));
        vstore(t.value, to, vload(value, from));
    }
    return t;
}

static void store_tile(struct warp *w, const struct sorting_net *k, const struct tile *t)
{
    vsync();
    for (int i = 0; i < 2; i++) {
        vi32 to = vvar(vadd(t->first, i * t->half)), from = vvar(vadd(t->thread, i * t->half));
        vstore(k->key, to, vload(t->key, from));
        vstore(k->value, to, vload(t->value, from));
    }
}

/* Whole arrays of up to 1024 elements, or pieces of 1024, up and down by turns. */
static void sort_shared_kernel(struct warp *w)
{
    const struct sorting_net *k = simt_args(w);
    struct tile t = load_tile(w, k, k->key_in, k->value_in);
    const int last = k->length <= SHARED ? 0 : BLOCK_X & 1;
    vi32 falling = vvar(0);
    for (int size = 2; size < 2 * t.half; size *= 2) {
        vset(falling, vselect(vne(vand(t.thread, size / 2), 0), V(1), 0));
        merge_shared(w, &t, size / 2, falling);
    }
    vset(falling, last);
    merge_shared(w, &t, t.half, falling);
    store_tile(w, k, &t);
}

static void merge_shared_kernel(struct warp *w)
{
    const struct sorting_net *k = simt_args(w);
    struct tile t = load_tile(w, k, k->key, k->value);
    vi32 pair = vvar(vand(vadd(t.thread, BLOCK_X * (SHARED / 2)), k->length / 2 - 1));
    vi32 falling = vvar(vselect(vne(vand(pair, k->size / 2), 0), V(1), 0));
    merge_shared(w, &t, SHARED / 2, falling);
    store_tile(w, k, &t);
}

static void merge_global_kernel(struct warp *w)
{
    const struct sorting_net *k = simt_args(w);
    vi32 all = vvar(vglobal_x()), pair = vvar(vand(all, k->length / 2 - 1));
    vi32 falling = vvar(vselect(vne(vand(pair, k->size / 2), 0), V(1), 0));
    vi32 at = vvar(vsub(vshl(all, 1), vand(all, k->stride - 1))), other = vvar(vadd(at, k->stride));
    vu32 a = vvar(vload(k->key, at)), first = vvar(vload(k->value, at));
    vu32 b = vvar(vload(k->key, other)), second = vvar(vload(k->value, other));
    vi32 greater = vvar(vselect(vgt(a, b), V(0), 1));
    SIMT_IF (veq(greater, falling)) {
        vstore(k->key, at, b);
        vstore(k->value, at, second);
        vstore(k->key, other, a);
        vstore(k->value, other, first);
    }
    SIMT_ELSE
    {
        vstore(k->key, at, a);
        vstore(k->value, at, first);
        vstore(k->key, other, b);
        vstore(k->value, other, second);
    }
}

static void launch(struct host *h, const struct sorting_net *k, const char *name, void (*kernel)(struct warp *w),
                   int threads, uint32_t shared)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)(k->arrays * (k->length / 2) / threads)},
                                    .block = {(uint32_t)threads},
                                    .regs = 28,
                                    .shared_bytes = shared});
}

static void merge_long(struct host *h, struct sorting_net *k)
{
    for (k->size = 2 * SHARED; k->size <= k->length; k->size *= 2) {
        for (k->stride = k->size / 2; k->stride >= SHARED; k->stride /= 2)
            launch(h, k, "bitonicMergeGlobal", merge_global_kernel, BLOCK, 0);
        launch(h, k, "bitonicMergeShared", merge_shared_kernel, SHARED / 2, 8 * SHARED);
    }
}

static void sorting_net_host(struct host *h, void *state)
{
    struct sorting_net *k = state;
    k->arrays = option(h, "arrays");
    k->length = option(h, "length");
    if (k->length & (k->length - 1)) host_fail(h, "length: found %d, expected a power of two", k->length);
    const uint64_t n = (uint64_t)k->arrays * (uint64_t)k->length;
    k->key_in = device_u32(h, "d_InputKey", n);
    k->value_in = device_u32(h, "d_InputVal", n);
    k->key = device_u32(h, "d_OutputKey", n);
    k->value = device_u32(h, "d_OutputVal", n);
    for (uint64_t i = 0; i < n; i++) {
        k->key_in.host[i] = (uint32_t)rng_below(host_rng(h), 65536);
        k->value_in.host[i] = (uint32_t)i;
    }
    const bool whole = k->length <= SHARED;
    launch(h, k, whole ? "bitonicSortShared" : "bitonicSortShared1", sort_shared_kernel,
           whole ? k->length / 2 : SHARED / 2, 8 * SHARED);
    merge_long(h, k);
}

/* Keys rise; each value is the place from which the key came, and no place appears twice. */
static bool sorting_net_check(struct host *h, void *state, struct error *err)
{
    const struct sorting_net *k = state;
    const uint64_t n = (uint64_t)k->arrays * (uint64_t)k->length, length = (uint64_t)k->length;
    bool *seen = host_alloc(h, n * sizeof *seen);
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t key = k->key.host[i], from = k->value.host[i];
        if (i % length && k->key.host[i - 1] > key)
            return error_set(err, "wrong result: d_OutputKey[%llu] is %u, less than the one before",
                             (unsigned long long)i, key);
        if (from >= n || from / length != i / length || seen[from] || k->key_in.host[from] != key)
            return error_set(err, "wrong result: d_OutputVal[%llu] is %u, which is not where key %u came from",
                             (unsigned long long)i, from, key);
        seen[from] = true;
    }
    return true;
}

static const struct kernel_def sorting_net = {
    .name = "sorting_net",
    .summary = "bitonic sort of keys with values, short steps in shared memory",
    .origin = "CUDA SDK sortingNetworks",
    .options = {{"arrays", "each sorted by itself", NULL, 1, 1, 65536},
                {"length", "elements of an array, a power of two", NULL, 262144, 64, 1 << 24}},
    .suites = "sdk",
    .tables = "Gu20 2.3, 3.1",
    .small = "arrays=2,length=128",
    .reduced = "length=8192",
    .state_bytes = sizeof(struct sorting_net),
    .host = sorting_net_host,
    .check = sorting_net_check,
};
KERNEL_REGISTER(sorting_net)
