/* SPDX-License-Identifier: Apache-2.0 */
/* Access ranges of warps: for each array, a region of the thread block and the subregions that the warp accesses
 * (Chen16, section 3.4.1).
 *
 * An array is cut into a grid of up to 2^M equal regions, and a region into N subregions.  A thread block has the
 * number of the region with the upper left corner of its rectangle (ranges.h); a warp has a bit for each subregion of
 * that region that it accesses.  Lines outside the region have no bit.
 *
 * Chen16 has "at most" M bits: here a region is never smaller than the largest rectangle of the kernel's thread blocks,
 * so that a thread block can lie in one. */
#ifndef MEMTWIN_WARP_RANGES_H
#define MEMTWIN_WARP_RANGES_H
#include "trace/ranges.h"

enum { WARP_RANGE_ARRAYS = 8, WARP_RANGE_REGION_BITS = 16, WARP_RANGE_SUB_BITS = 32 }; /* at most */

struct warp_range_rules {
    uint32_t arrays;      /* those with most accesses */
    uint32_t region_bits; /* M */
    uint32_t sub_bits;    /* N */
    enum range_rule rule; /* of the thread block's rectangle */
};

/* How an array is cut for a kernel. */
struct warp_grid {
    uint32_t array;
    uint32_t log2_across, log2_down; /* regions of a row and of a column of the grid */
    uint32_t width, height;          /* of a region, in lines and rows */
    uint32_t subs_across, subs_down; /* subregions of a region */
};

struct warp_vectors {
    uint32_t region[WARP_RANGE_ARRAYS], subs[WARP_RANGE_ARRAYS];
};

struct warp_kernel {
    uint32_t blocks, warps, arrays; /* warps of a thread block; arrays that are kept */
    struct warp_grid grid[WARP_RANGE_ARRAYS];
    uint64_t first; /* in warp_ranges.vectors: by thread block, then by warp */
};

struct warp_ranges {
    struct warp_range_rules rules;
    struct warp_kernel *kernels;
    struct warp_vectors *vectors;
    uint32_t kernel_count;
    uint64_t vector_count;
};

/* Reads all of the source, which stays owned by the caller, for the second time: `r` has the ranges of its thread
 * blocks.  They own the result (r->warps) and free it.  False and an error if it fails or has other kernels. */
bool warp_ranges_collect(struct source *source, struct ranges *r, const struct warp_range_rules *rules,
                         struct error *err);
void warp_ranges_free(struct warp_ranges *w); /* NULL: nothing */

/* NULL: the kernel has none. */
const struct warp_vectors *warp_ranges_of(const struct warp_ranges *w, uint32_t kernel, uint32_t block, uint32_t warp);

/* The grid for an array of `width` lines and `height` rows whose thread blocks have rectangles of at most `block`. */
struct warp_grid warp_grid_of(uint32_t width, uint32_t height, const struct rect *block,
                              const struct warp_range_rules *rules);
uint32_t warp_grid_region(const struct warp_grid *g, uint32_t x, uint32_t y);
/* The bit of a line in a region; 0: it is outside. */
uint32_t warp_grid_sub(const struct warp_grid *g, uint32_t region, uint32_t x, uint32_t y);
#endif
