/* SPDX-License-Identifier: Apache-2.0 */
/* Access ranges of thread blocks: the rectangle of each array that a thread block accesses (Chen16, section 3.3.1).
 *
 * A rectangle counts lines of 128 bytes along x and rows along y, from the array's first byte on.  A row is the array's
 * pitch; an array without one is a single row.  These are cache lines if address and pitch are multiples of 128.  An
 * access is a line of a global instruction after coalescing.
 *
 * Chen16 lets a compiler extract the code that computes addresses, and runs it for two threads of a block before the
 * block starts.  Here the workload is read beforehand, in one pass. */
#ifndef MEMTWIN_RANGES_H
#define MEMTWIN_RANGES_H
#include "trace/source.h"
#include "trace/walk.h"

#define RANGE_LINE 128u /* bytes */

enum range_rule {
    RANGE_ENDS,   /* Chen16: from the first access of the block's first thread to that of its last thread; if only one
                     of them accesses the array, that line; if none does, no rectangle */
    RANGE_BOUNDS, /* around all accesses */
    RANGE_RULES
};

struct rect {
    uint32_t x, y, width, height; /* width 0: none */
};

/* Of one thread block, of one array that it accesses. */
struct range {
    uint32_t block, array;
    uint64_t accesses;
    struct rect rect[RANGE_RULES];
    uint64_t inside[RANGE_RULES];  /* accesses inside the rectangle */
    uint64_t touched[RANGE_RULES]; /* lines of the rectangle that are accessed */
};

struct range_array {
    struct allocation allocation;
    uint32_t width, height; /* lines of a row; rows */
};

#define RANGE_SLOTS 3u /* arrays in an entry of the block queue (Chen16, section 5.4) */

struct range_kernel {
    struct kernel_info info;
    uint64_t first, count;       /* in ranges.range: by thread block, then by array */
    uint32_t slots;              /* arrays of the entries: those with most accesses, by number if equal */
    uint32_t array[RANGE_SLOTS]; /* ascending */
};

struct ranges {
    char name[256], identity[65];
    struct range_array *arrays; /* in the order of the workload's allocations */
    struct range_kernel *kernels;
    struct range *range;
    uint32_t array_count, kernel_count;
    uint64_t range_count, elsewhere;  /* accesses outside all arrays */
    uint64_t kernel_room, range_room; /* of the lists */
    struct warp_ranges *warps;        /* of each warp (warp_ranges.h); NULL: not collected */
};

/* Reads all of the source, which stays owned by the caller; a source that has its ranges in the file is not read. False
 * and an error if it fails, if arrays overlap, or if one has more lines in a row, or more rows, than 2^32-1.
 * ranges_free() in any case. */
bool ranges_collect(struct source *source, struct ranges *r, const struct trace_progress *progress, struct error *err);
void ranges_free(struct ranges *r);

/* The same in steps, for a pass that does more: begin, then for each kernel range_pass_kernel(), for each of its thread
 * blocks range_pass_inst() for all instructions and range_pass_block(), and range_pass_kernel_end(). */
struct range_pass;
struct range_pass *range_pass_begin(const struct source *source, struct ranges *r, struct error *err); /* NULL: error */
bool range_pass_kernel(struct range_pass *p, const struct kernel_info *info, struct error *err);
bool range_pass_inst(void *pass, uint32_t warp, const struct inst *inst, struct error *err);
bool range_pass_block(struct range_pass *p, struct error *err);
bool range_pass_kernel_end(struct range_pass *p, struct error *err);
void range_pass_free(struct range_pass *p); /* NULL: nothing */

/* To fill them otherwise: begin, then for each kernel its ranges in order.  The caller owns `r` and frees it. */
bool ranges_begin(struct ranges *r, const struct source *source, struct error *err); /* names and arrays */
bool ranges_add_kernel(struct ranges *r, const struct kernel_info *info, struct error *err);
struct range *ranges_add(struct ranges *r); /* one to be filled; NULL: out of memory */
bool ranges_end_kernel(struct ranges *r, struct error *err);

/* The ranges of a thread block, one for each array that it accesses; *count of them. */
const struct range *ranges_of_block(const struct ranges *r, uint32_t kernel, uint32_t block, uint32_t *count);

/* Sums over the thread blocks of a kernel, for one array: of the rectangles by a rule, of all. */
struct range_rule_sum {
    uint64_t rectangles, width, height, lines, inside, touched;
};
struct range_sum {
    uint64_t blocks, accesses; /* thread blocks that access it */
    struct range_rule_sum of[RANGE_RULES];
};
void ranges_sum(const struct ranges *r, uint32_t kernel, struct range_sum *sums); /* sums[r->array_count] */

/* An entry of the block queue (Chen16, section 5.4): the rectangles of one waiting thread block, one for each of up to
 * three arrays.  Slot i belongs to range_kernel.array[i].  A rectangle has four fields of 8 bits in the paper, which
 * makes 12 bytes an entry; the paper counts 15 and does not explain the other three.
 *
 * A field counts in units.  The unit of an axis is the smallest power of two, in lines or rows, with which the width,
 * or height, of the array fits the field.  Rectangles are rounded outwards to whole units. */
struct range_entry {
    struct rect slot[RANGE_SLOTS]; /* in units; width 0: none */
};
struct range_unit {
    uint32_t log2_lines, log2_rows;
};
#define RANGE_BITS_MAX 32u
struct range_unit ranges_unit(const struct range_array *a, uint32_t bits); /* bits of a field: 1 to RANGE_BITS_MAX */
struct range_entry ranges_entry(const struct ranges *r, uint32_t kernel, uint32_t block, enum range_rule rule,
                                uint32_t bits);

/* Accesses that the ranges of a workload leave out. */
struct range_gaps {
    uint64_t accesses, elsewhere; /* all accesses; of these, outside all arrays */
    uint64_t blocks, bare;        /* thread blocks of all kernels; of these, without a rectangle in any slot */
    uint32_t flat;                /* arrays without a pitch: each is one row */
    uint32_t kernels, crowded;    /* kernels; of these, with more arrays than slots */
};
struct range_gaps ranges_gaps(const struct ranges *r, enum range_rule rule);
#endif
