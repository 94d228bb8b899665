/* SPDX-License-Identifier: Apache-2.0 */
/* radix_sort: keys sorted by four bits a pass (CUDA SDK, radixSort).  A thread block sorts its 1024 keys by four
 * one-bit splits in shared memory and stores them; finds where each digit begins; one thread block adds up the counts
 * of all; then each key goes to its digit's place, neighbours to neighbours. */
#include <stdlib.h>

#include "program.h"

#define BLOCK 256
#define KEYS (4 * BLOCK)
#define DIGITS 16

struct radix_sort {
    gu32 key[2], offset; /* offset: where each digit begins in its thread block */
    gu32 count;          /* of each digit, all thread blocks of a digit together */
    uint32_t *before;
    int n, blocks;
    int shift; /* of this pass */
};

/* The sum over the threads before this one. */
static vi32 sum_before(struct warp *w, si32 sums, vi32 thread, vi32 mine)
{
    vi32 at = vvar(vadd(thread, BLOCK)), sum = vvar(mine);
    vstore(sums, thread, 0);
    vstore(sums, at, mine);
    for (int offset = 1; offset < BLOCK; offset *= 2) {
        vsync();
        vset(sum, vadd(sum, vload(sums, vsub(at, offset))));
        vsync();
        vstore(sums, at, sum);
    }
    vsync();
    return vsub(sum, mine);
}

/* The thread's four keys, after all keys with the bit clear come before those with it set. */
static void split(struct warp *w, su32 keys, si32 sums, vi32 thread, vu32 key[4], vi32 bit)
{
    vi32 zero[4], zeros = vvar(0), first = vvar(vshl(thread, 2));
    for (int i = 0; i < 4; i++) {
        zero[i] = vvar(vxor(vand(vint(vshr(key[i], vuint(bit))), 1), 1));
        vset(zeros, vadd(zeros, zero[i]));
    }
    vi32 place = vvar(sum_before(w, sums, thread, zeros));
    vi32 all = vvar(vload(sums, 2 * BLOCK - 1)), to = vvar(0);
    for (int i = 0; i < 4; i++) {
        vi32 other = vsub(vadd(vadd(first, i), all), place);
        vset(to, vselect(vne(zero[i], 0), place, other));
        vstore(keys, to, key[i]);
        vset(place, vadd(place, zero[i]));
    }
    vsync();
    for (int i = 0; i < 4; i++) vset(key[i], vload(keys, vadd(first, i)));
    vsync();
}

static void blocks_kernel(struct warp *w)
{
    const struct radix_sort *k = simt_args(w);
    su32 keys = vshared_u32("sMem", KEYS);
    si32 sums = vshared_i32("ptr", 2 * BLOCK);
    vi32 thread = vvar(vthread_x()), at = vvar(vshl(vglobal_x(), 2)), bit = vvar(k->shift);
    vu32 key[4];
    for (int i = 0; i < 4; i++) key[i] = vvar(vload(k->key[0], vadd(at, i)));
    SIMT_WHILE (vlt(bit, k->shift + 4)) {
        split(w, keys, sums, thread, key, bit);
        vset(bit, vadd(bit, 1));
    }
    for (int i = 0; i < 4; i++) vstore(k->key[1], vadd(at, i), key[i]);
}

static vi32 digit_of(struct warp *w, const struct radix_sort *k, vu32 key)
{
    return vint(vand(vshr(key, (unsigned)k->shift), DIGITS - 1u));
}

static void offsets_kernel(struct warp *w)
{
    const struct radix_sort *k = simt_args(w);
    si32 digits = vshared_i32("sRadix", KEYS), starts = vshared_i32("sStartPointers", DIGITS + 1);
    vi32 thread = vvar(vthread_x()), at = vvar(thread);
    for (int i = 0; i < 4; i++) {
        vstore(digits, at, digit_of(w, k, vload(k->key[1], vadd(at, BLOCK_X * KEYS))));
        vset(at, vadd(at, BLOCK));
    }
    SIMT_IF (vle(thread, DIGITS)) {
        vstore(starts, thread, -1);
    }
    vsync();
    vset(at, thread);
    for (int i = 0; i < 4; i++) { /* a digit begins where the one before is another one */
        vi32 mine = vload(digits, at), begins = vvar(1);
        vi32 digit = vvar(mine);
        SIMT_IF (vgt(at, 0)) {
            vset(begins, vsub(digit, vload(digits, vsub(at, 1))));
        }
        SIMT_IF (vne(begins, 0)) {
            vstore(starts, digit, at);
        }
        vset(at, vadd(at, BLOCK));
    }
    vsync();
    SIMT_IF (vlt(thread, DIGITS)) {
        vi32 start = vvar(vload(starts, thread)), next = vvar(thread), end = vvar(-1);
        SIMT_WHILE (vand(vlt(end, 0), vlt(next, DIGITS))) {
            vset(next, vadd(next, 1));
            vset(end, vload(starts, next));
        }
        vset(end, vselect(vlt(end, 0), V(KEYS), end));
        vset(start, vselect(vlt(start, 0), end, start));
        vstore(k->offset, vadd(thread, BLOCK_X * DIGITS), vuint(start));
        vstore(k->count, vmad(thread, k->blocks, BLOCK_X), vuint(vsub(end, start)));
    }
}

/* Exclusive sums of all counts, in place, 256 a turn. */
static void scan_kernel(struct warp *w)
{
    const struct radix_sort *k = simt_args(w);
    si32 sums = vshared_i32("s_data", 2 * BLOCK);
    vi32 thread = vvar(vthread_x()), at = vvar(thread), first = vvar(0), total = vvar(0);
    SIMT_WHILE (vlt(first, DIGITS * k->blocks)) {
        vset(at, vadd(first, thread));
        vi32 mine = vvar(0);
        SIMT_IF (vlt(at, DIGITS * k->blocks)) {
            vset(mine, vint(vload(k->count, at)));
        }
        vi32 before = vvar(sum_before(w, sums, thread, mine));
        SIMT_IF (vlt(at, DIGITS * k->blocks)) {
            vstore(k->count, at, vuint(vadd(before, total)));
        }
        vset(total, vadd(total, vload(sums, 2 * BLOCK - 1)));
        vsync();
        vset(first, vadd(first, BLOCK));
    }
}

static void reorder_kernel(struct warp *w)
{
    const struct radix_sort *k = simt_args(w);
    si32 offsets = vshared_i32("sOffsets", DIGITS), starts = vshared_i32("sBlockOffsets", DIGITS);
    vi32 thread = vvar(vthread_x()), at = vvar(thread);
    SIMT_IF (vlt(thread, DIGITS)) {
        vstore(starts, thread, vint(vload(k->count, vmad(thread, k->blocks, BLOCK_X))));
        vstore(offsets, thread, vint(vload(k->offset, vadd(thread, BLOCK_X * DIGITS))));
    }
    vsync();
    for (int i = 0; i < 4; i++) {
        vu32 key = vvar(vload(k->key[1], vadd(at, BLOCK_X * KEYS)));
        vi32 digit = vvar(digit_of(w, k, key));
        vi32 start = vsub(vload(starts, digit), vload(offsets, digit));
        vstore(k->key[0], vadd(start, at), key);
        vset(at, vadd(at, BLOCK));
    }
}

static void launch(struct host *h, const struct radix_sort *k, const char *name, void (*kernel)(struct warp *w),
                   int blocks, uint32_t shared)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = k,
                                    .grid = {(uint32_t)blocks},
                                    .block = {BLOCK},
                                    .regs = 36,
                                    .shared_bytes = shared});
}

static void radix_sort_host(struct host *h, void *state)
{
    struct radix_sort *k = state;
    k->n = option(h, "n");
    const int bits = option(h, "bits");
    if (k->n % KEYS) host_fail(h, "n: found %d, expected a multiple of %d", k->n, KEYS);
    if (bits % 4) host_fail(h, "bits: found %d, expected a multiple of 4", bits);
    k->blocks = k->n / KEYS;
    k->key[0] = device_u32(h, "keys", (uint64_t)k->n);
    k->key[1] = device_u32(h, "tempKeys", (uint64_t)k->n);
    k->offset = device_u32(h, "blockOffsets", (uint64_t)k->blocks * DIGITS);
    k->count = device_u32(h, "counters", (uint64_t)k->blocks * DIGITS);
    k->before = host_alloc(h, (uint64_t)k->n * sizeof *k->before);
    for (int i = 0; i < k->n; i++)
        k->before[i] = k->key[0].host[i] = (uint32_t)(rng_u64(host_rng(h)) & ((1ull << bits) - 1));
    for (k->shift = 0; k->shift < bits; k->shift += 4) {
        launch(h, k, "radixSortBlocks", blocks_kernel, k->blocks, 4 * KEYS + 8 * BLOCK);
        launch(h, k, "findRadixOffsets", offsets_kernel, k->blocks, 4 * KEYS + 4 * (DIGITS + 1));
        launch(h, k, "scanCounters", scan_kernel, 1, 8 * BLOCK);
        launch(h, k, "reorderData", reorder_kernel, k->blocks, 8 * DIGITS);
    }
}

static int by_key(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool radix_sort_check(struct host *h, void *state, struct error *err)
{
    (void)h;
    const struct radix_sort *k = state;
    qsort(k->before, (size_t)k->n, sizeof *k->before, by_key);
    return check_u32(k->key[0], k->before, err);
}

static const struct kernel_def radix_sort = {
    .name = "radix_sort",
    .summary = "keys sorted by four bits a pass, four launches each",
    .origin = "CUDA SDK radixSort",
    .options = {{"n", "keys, a multiple of 1024", NULL, 262144, KEYS, 1 << 24},
                {"bits", "of a key, a multiple of 4", NULL, 32, 4, 32}},
    .suites = "sdk",
    .tables = "Gu20 2.3, 3.1",
    .small = "n=2048,bits=8",
    .reduced = "n=4096,bits=8",
    .state_bytes = sizeof(struct radix_sort),
    .host = radix_sort_host,
    .check = radix_sort_check,
};
KERNEL_REGISTER(radix_sort)
