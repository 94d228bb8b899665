/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by programs of several suites: random inputs, a line of threads, divisions by constants. */
#ifndef MEMTWIN_PROGRAM_H
#define MEMTWIN_PROGRAM_H
#include <string.h>

#include "trace/kernels.h"

static inline gf32 randomized(struct host *h, gf32 v)
{
    for (uint64_t i = 0; i < v.array->count; i++) v.host[i] = (float)rng_unit(host_rng(h));
    return v;
}

static inline gf32 random_f32(struct host *h, const char *name, uint64_t count)
{
    return randomized(h, device_f32(h, name, count));
}

static inline gf32 random_f32_2d(struct host *h, const char *name, uint64_t rows, uint64_t columns)
{
    return randomized(h, device_f32_2d(h, name, rows, columns));
}

/* The values of the array now, for the reference. */
static inline float *snapshot(struct host *h, gf32 v)
{
    uint64_t bytes = v.array->count * sizeof(float);
    return memcpy(host_alloc(h, bytes), v.host, bytes);
}

/* Thread blocks of `block` threads in a line that cover `threads`. */
static inline void line_launch(struct host *h, const char *name, void (*kernel)(struct warp *w), const void *args,
                               int threads, int block, uint32_t regs)
{
    simt_launch(h, &(struct launch){.name = name,
                                    .kernel = kernel,
                                    .args = args,
                                    .grid = {blocks_for(threads, block)},
                                    .block = {(uint32_t)block},
                                    .regs = regs});
}

/* a / by and a % by for 0 <= a < 2^32 / by, as a compiler divides by a constant: a shift, or the upper half of a
 * product with the reciprocal. */
static inline vi32 quotient(struct warp *w, vi32 a, int by)
{
    if (!(by & (by - 1))) return vshr(a, __builtin_ctz((unsigned)by));
    return vmulhi(a, (int)((1ull << 32) / (unsigned)by + 1));
}

static inline vi32 remainder_of(struct warp *w, vi32 a, int by)
{
    return vmad(quotient(w, a, by), -by, a);
}

/* A sum over a thread block in shared memory, pairwise: afterwards element 0 holds it.  `count`, a power of two, is the
 * thread block's size. */
static inline void tree_sum(struct warp *w, sf32 sums, vi32 thread, int count)
{
    for (int stride = count / 2; stride; stride /= 2) {
        vsync();
        SIMT_IF (vlt(thread, stride)) {
            vf32 other = vvar(vload(sums, vadd(thread, stride)));
            vstore(sums, thread, vadd(vload(sums, thread), other));
        }
    }
    vsync();
}

/* The same in plain C, for `count` sums, which change. */
static inline float tree_sum_reference(float *sums, int count)
{
    for (int stride = count / 2; stride; stride /= 2)
        for (int i = 0; i < stride; i++) sums[i] += sums[i + stride];
    return sums[0];
}
#endif
