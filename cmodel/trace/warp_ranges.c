/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/warp_ranges.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"

/* ---- The grid of an array. ---- */

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Log2 of the most parts that are at least as large as a block's rectangle. */
static uint32_t parts_of(uint32_t size, uint32_t block, uint32_t most)
{
    uint32_t log2 = 0;
    while (log2 < most && ceil_div(size, UINT64_C(2) << log2) >= block && (UINT64_C(1) << log2) < size) log2++;
    return log2;
}

/* Of the ways to cut a region into `count` parts: as many with a line as possible, then as square as possible. */
static void cut_region(struct warp_grid *g, uint32_t count)
{
    uint64_t best = 0;
    uint32_t best_off = 0;
    for (uint32_t down = 1; down <= count; down++) {
        const uint32_t across = count / down;
        if (across * down != count) continue;
        const uint64_t used = (uint64_t)smaller(across, g->width) * smaller(down, g->height);
        const uint32_t off = across > down ? across - down : down - across;
        if (used < best || (used == best && off >= best_off)) continue;
        best = used;
        best_off = off;
        g->subs_across = across;
        g->subs_down = down;
    }
}

struct warp_grid warp_grid_of(uint32_t width, uint32_t height, const struct rect *block,
                              const struct warp_range_rules *rules)
{
    struct warp_grid g = {.log2_across = parts_of(width, block->width, rules->region_bits),
                          .log2_down = parts_of(height, block->height, rules->region_bits)};
    while (g.log2_across + g.log2_down > rules->region_bits) {
        if (g.log2_across > g.log2_down) {
            g.log2_across--;
        } else {
            g.log2_down--;
        }
    }
    g.width = (uint32_t)ceil_div(width, UINT64_C(1) << g.log2_across);
    g.height = (uint32_t)ceil_div(height, UINT64_C(1) << g.log2_down);
    cut_region(&g, rules->sub_bits);
    return g;
}

uint32_t warp_grid_region(const struct warp_grid *g, uint32_t x, uint32_t y)
{
    return (y / g->height) << g->log2_across | x / g->width;
}

uint32_t warp_grid_sub(const struct warp_grid *g, uint32_t region, uint32_t x, uint32_t y)
{
    if (warp_grid_region(g, x, y) != region) return 0;
    const uint64_t across = (uint64_t)(x % g->width) * g->subs_across / g->width;
    const uint64_t down = (uint64_t)(y % g->height) * g->subs_down / g->height;
    return UINT32_C(1) << (down * g->subs_across + across);
}

/* ---- The arrays of a kernel. ---- */

static uint32_t most_accessed(const struct range_sum *sums, uint32_t count, const struct warp_kernel *k)
{
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++) {
        bool taken = !sums[i].accesses;
        for (uint32_t n = 0; n < k->arrays; n++) taken |= k->grid[n].array == i;
        if (!taken && (best == count || sums[i].accesses > sums[best].accesses)) best = i;
    }
    return best;
}

static struct rect largest_block(const struct ranges *r, uint32_t kernel, uint32_t array, enum range_rule rule)
{
    const struct range_kernel *k = &r->kernels[kernel];
    struct rect most = {.width = 1, .height = 1};
    for (uint64_t i = k->first; i < k->first + k->count; i++) {
        const struct rect *t = &r->range[i].rect[rule];
        if (r->range[i].array != array) continue;
        most.width = t->width > most.width ? t->width : most.width;
        most.height = t->height > most.height ? t->height : most.height;
    }
    return most;
}

static bool choose_grids(const struct ranges *r, uint32_t kernel, const struct warp_range_rules *rules,
                         struct warp_kernel *k, struct error *err)
{
    struct range_sum *sums = calloc(r->array_count + 1u, sizeof *sums);
    if (!sums) return error_set(err, "%s: out of memory", r->name);
    ranges_sum(r, kernel, sums);
    for (uint32_t a; k->arrays < rules->arrays && (a = most_accessed(sums, r->array_count, k)) < r->array_count;) {
        const struct rect block = largest_block(r, kernel, a, rules->rule);
        k->grid[k->arrays] = warp_grid_of(r->arrays[a].width, r->arrays[a].height, &block, rules);
        k->grid[k->arrays++].array = a;
    }
    free(sums);
    return true;
}

/* ---- The accesses of a warp. ---- */

struct collector {
    const struct ranges *ranges;
    const struct warp_kernel *kernel;
    struct warp_vectors *block;  /* of the current thread block: one for each warp */
    bool has[WARP_RANGE_ARRAYS]; /* the thread block has a rectangle in this array */
};

static bool holds(const struct allocation *a, uint64_t addr)
{
    return addr - a->addr < a->bytes;
}

static void note_line(const struct collector *c, uint32_t warp, uint64_t addr)
{
    for (uint32_t i = 0; i < c->kernel->arrays; i++) {
        const struct warp_grid *g = &c->kernel->grid[i];
        const struct allocation *a = &c->ranges->arrays[g->array].allocation;
        if (!holds(a, addr)) continue;
        const uint64_t pitch = a->pitch ? a->pitch : a->bytes, offset = addr - a->addr;
        struct warp_vectors *v = &c->block[warp];
        if (c->has[i])
            v->subs[i] |=
                warp_grid_sub(g, v->region[i], (uint32_t)(offset % pitch / RANGE_LINE), (uint32_t)(offset / pitch));
        return;
    }
}

/* Lanes of one line are mostly neighbours: a line that the lane before had is not looked up again. */
static bool note_inst(void *context, uint32_t warp, const struct inst *inst, struct error *err)
{
    uint64_t before = UINT64_MAX;
    (void)err;
    if (!inst_is_global(inst->op)) return true;
    for (uint32_t rest = inst->mask; rest; rest &= rest - 1) {
        const uint64_t first = inst->addr[__builtin_ctz(rest)], last = max_u64(first, first + (inst->size - 1u));
        for (uint64_t at = first;; at = last) {
            if (at / 16 != before) note_line(context, warp, at);
            before = at / 16;
            if (at == last) break;
        }
    }
    return true;
}

static void begin_block(struct collector *c, uint32_t kernel, uint32_t block, enum range_rule rule)
{
    uint32_t count;
    const struct range *g = ranges_of_block(c->ranges, kernel, block, &count);
    for (uint32_t i = 0; i < c->kernel->arrays; i++) {
        c->has[i] = false;
        for (uint32_t n = 0; n < count; n++) {
            if (g[n].array != c->kernel->grid[i].array || !g[n].rect[rule].width) continue;
            const uint32_t region = warp_grid_region(&c->kernel->grid[i], g[n].rect[rule].x, g[n].rect[rule].y);
            c->has[i] = true;
            for (uint32_t w = 0; w < c->kernel->warps; w++) c->block[w].region[i] = region;
        }
    }
}

/* ---- Kernels. ---- */

static bool same_kernel(const struct ranges *r, uint32_t kernel, const struct kernel_info *info, struct error *err)
{
    if (kernel < r->kernel_count && kernel_blocks(&r->kernels[kernel].info) == kernel_blocks(info)) return true;
    return error_set(err,
                     "%s: found kernel %" PRIu32 ", %s, of %" PRIu32 " thread blocks, expected those of the first pass",
                     r->name, kernel, info->name, kernel_blocks(info));
}

static bool add_kernel(struct warp_ranges *w, const struct ranges *r, uint32_t blocks, uint32_t warps,
                       struct error *err)
{
    struct warp_kernel *kernels = realloc(w->kernels, (w->kernel_count + 1u) * sizeof *kernels);
    if (kernels) w->kernels = kernels;
    const uint64_t count = w->vector_count + (uint64_t)blocks * warps;
    struct warp_vectors *vectors = realloc(w->vectors, (count + 1) * sizeof *vectors);
    if (vectors) w->vectors = vectors;
    if (!kernels || !vectors) return error_set(err, "%s: out of memory", r->name);
    memset(&vectors[w->vector_count], 0, (count - w->vector_count) * sizeof *vectors);
    kernels[w->kernel_count++] = (struct warp_kernel){.blocks = blocks, .warps = warps, .first = w->vector_count};
    w->vector_count = count;
    return true;
}

static bool note_kernel(struct warp_ranges *w, const struct ranges *r, struct source *s, const struct kernel_info *info,
                        struct error *err)
{
    const uint32_t number = w->kernel_count, warps = kernel_warps(info);
    if (!same_kernel(r, number, info, err) || !add_kernel(w, r, kernel_blocks(info), warps, err)) return false;
    struct warp_kernel *k = &w->kernels[number];
    struct collector c = {.ranges = r, .kernel = k, .block = w->vectors + k->first};
    if (!choose_grids(r, number, &w->rules, k, err)) return false;
    for (uint32_t b = 0; b < k->blocks; b++, c.block += warps) {
        begin_block(&c, number, b, w->rules.rule);
        if (!block_visit(s, b, warps, note_inst, &c, err)) return false;
    }
    return true;
}

bool warp_ranges_collect(struct source *source, struct ranges *r, const struct warp_range_rules *rules,
                         struct error *err)
{
    struct kernel_info info;
    enum source_status status;
    struct warp_ranges *w = calloc(1, sizeof *w);
    if (!w) return error_set(err, "%s: out of memory", r->name);
    r->warps = w;
    w->rules = *rules;
    while ((status = source->ops->next_kernel(source, &info, err)) == SOURCE_OK)
        if (!note_kernel(w, r, source, &info, err)) return false;
    return status == SOURCE_END;
}

void warp_ranges_free(struct warp_ranges *w)
{
    if (!w) return;
    free(w->kernels);
    free(w->vectors);
    free(w);
}

const struct warp_vectors *warp_ranges_of(const struct warp_ranges *w, uint32_t kernel, uint32_t block, uint32_t warp)
{
    if (!w || kernel >= w->kernel_count) return NULL;
    const struct warp_kernel *k = &w->kernels[kernel];
    return block < k->blocks && warp < k->warps ? &w->vectors[k->first + (uint64_t)block * k->warps + warp] : NULL;
}
