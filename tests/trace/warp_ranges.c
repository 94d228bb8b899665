/* SPDX-License-Identifier: Apache-2.0 */
/* Access ranges of warps: the paper's example, grids by hand, a trace of a few lines, a kernel against loops. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "trace/walk.h"
#include "trace/warp_ranges.h"

static const struct warp_range_rules paper = {.arrays = 5, .region_bits = 10, .sub_bits = 16, .rule = RANGE_BOUNDS};

static struct warp_grid grid_of(uint32_t width, uint32_t height, uint32_t block_width, uint32_t block_height,
                                uint32_t region_bits, uint32_t sub_bits)
{
    const struct rect block = {.width = block_width, .height = block_height};
    const struct warp_range_rules rules = {.region_bits = region_bits, .sub_bits = sub_bits};
    return warp_grid_of(width, height, &block, &rules);
}

/* Chen16, figure 3.10: 2^4 regions, four subregions. */
Test(warp_ranges, figure_3_10)
{
    const struct warp_grid g = grid_of(16, 16, 4, 4, 4, 4);
    cr_expect(g.log2_across == 2 && g.log2_down == 2 && g.width == 4 && g.height == 4);
    cr_expect_eq(warp_grid_region(&g, 13, 9), 0xb, "region 11");
    const uint32_t corners = warp_grid_sub(&g, 11, 12, 8) | warp_grid_sub(&g, 11, 15, 11);
    cr_expect_eq(corners, 0x9, "the upper left and the lower right subregion: %x", corners);
    cr_expect_eq(warp_grid_sub(&g, 11, 11, 8), 0, "a line of another region");
}

Test(warp_ranges, a_region_holds_the_largest_block)
{
    static const uint32_t cases[][7] = {
        /* array, block, M -> regions across and down */
        {64, 64, 8, 8, 10, 3, 3},   {64, 64, 1, 1, 10, 5, 5}, {64, 64, 9, 1, 10, 2, 6}, {64, 1, 1, 1, 10, 6, 0},
        {4096, 1, 1, 1, 10, 10, 0}, {10, 3, 3, 1, 4, 2, 2},   {7, 7, 7, 7, 10, 0, 0},   {1000, 2, 1, 1, 16, 10, 1},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t *c = cases[i];
        const struct warp_grid g = grid_of(c[0], c[1], c[2], c[3], c[4], 16);
        cr_expect(g.log2_across == c[5] && g.log2_down == c[6], "case %u: 2^%u x 2^%u regions", i, g.log2_across,
                  g.log2_down);
        cr_expect(g.width >= c[2] && g.height >= c[3], "case %u: regions of %u x %u", i, g.width, g.height);
        cr_expect_lt(warp_grid_region(&g, c[0] - 1, c[1] - 1), 1u << c[4]);
    }
}

Test(warp_ranges, as_many_subregions_as_possible_have_a_line)
{
    static const uint32_t cases[][5] = {
        /* region, N -> subregions across and down */
        {8, 8, 16, 4, 4}, {64, 1, 16, 16, 1}, {1, 64, 16, 1, 16}, {2, 64, 16, 2, 8}, {8, 8, 10, 5, 2}, {4, 4, 7, 7, 1},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t *c = cases[i];
        const struct warp_grid g = grid_of(c[0], c[1], c[0], c[1], 1, c[2]);
        cr_expect(g.subs_across == c[3] && g.subs_down == c[4], "case %u: %u x %u", i, g.subs_across, g.subs_down);
    }
}

static struct ranges of_file(const char *path, const struct warp_range_rules *rules)
{
    struct ranges r;
    struct error err = {0};
    struct source *s = must_open(path);
    cr_assert(ranges_collect(s, &r, NULL, &err), "%s", err.text);
    s->ops->close(s);
    s = must_open(path);
    cr_assert(warp_ranges_collect(s, &r, rules, &err), "%s", err.text);
    s->ops->close(s);
    return r;
}

static const struct warp_vectors *warp_of(const struct ranges *r, uint32_t kernel, uint32_t block, uint32_t warp)
{
    const struct warp_vectors *v = warp_ranges_of(r->warps, kernel, block, warp);
    cr_assert(v, "kernel %u, block %u, warp %u", kernel, block, warp);
    return v;
}

/* The blocks' rectangles in `table`, 4 x 8 lines, are 3 x 4 and 4 x 2: regions of 4 x 4 lines, one line a subregion. */
Test(warp_ranges, a_trace_by_hand)
{
    struct ranges r = of_file("traces/small/tiles.mttx", &paper);
    const struct warp_kernel *k = &r.warps->kernels[0];
    cr_assert_eq(k->arrays, 2);
    cr_expect(k->grid[0].array == 0 && k->grid[1].array == 1, "most accesses first");
    cr_expect(k->grid[0].width == 4 && k->grid[0].height == 4, "%u x %u", k->grid[0].width, k->grid[0].height);
    cr_expect_eq(warp_of(&r, 0, 0, 0)->subs[0], 1u << 5 | 1u << 0, "line 1 of row 1, line 0 of row 0");
    cr_expect_eq(warp_of(&r, 0, 0, 1)->subs[0], 1u << 14, "line 2 of row 3");
    cr_expect_eq(warp_of(&r, 0, 1, 0)->subs[0], 1u << 0 | 1u << 1 | 1u << 3 | 1u << 4, "lines 0, 1 and 3, 0 of row 1");
    cr_expect_eq(warp_of(&r, 0, 1, 1)->subs[0], 1u << 1);
    cr_expect_eq(warp_of(&r, 0, 0, 0)->subs[1], 0xff, "all eight lines of the other array");
    cr_expect_eq(warp_of(&r, 0, 1, 0)->subs[1], 0, "the other block does not access it");
    cr_expect_null(warp_ranges_of(r.warps, 0, 2, 0));
    cr_expect_null(warp_ranges_of(r.warps, 0, 0, 2));
    cr_expect_null(warp_ranges_of(r.warps, 2, 0, 0));
    ranges_free(&r);
}

/* Without a rectangle, a thread block has no region, and its warps no subregion. */
Test(warp_ranges, a_block_without_a_rectangle)
{
    struct warp_range_rules rules = paper;
    rules.rule = RANGE_ENDS;
    struct ranges r = of_file("traces/small/tiles.mttx", &rules);
    for (uint32_t i = 0; i < WARP_RANGE_ARRAYS; i++) cr_expect_eq(warp_of(&r, 0, 1, 0)->subs[i], 0);
    ranges_free(&r);
}

/* ---- against loops */

struct check {
    const struct ranges *r;
    struct warp_vectors found[64]; /* of a block's warps */
    uint32_t kernel, block;
};

/* Byte by byte. */
static bool note(void *context, uint32_t warp, const struct inst *inst, struct error *err)
{
    struct check *c = context;
    (void)err;
    for (uint32_t lane = 0; inst_is_global(inst->op) && lane < WARP_SIZE; lane++)
        for (uint32_t b = 0; (inst->mask >> lane & 1) && b < inst->size; b++) {
            const struct warp_kernel *k = &c->r->warps->kernels[c->kernel];
            for (uint32_t i = 0; i < k->arrays; i++) {
                const struct allocation *a = &c->r->arrays[k->grid[i].array].allocation;
                const uint64_t at = inst->addr[lane] + b;
                if (at < a->addr || at >= a->addr + a->bytes) continue;
                const uint64_t pitch = a->pitch ? a->pitch : a->bytes, x = (at - a->addr) % pitch / 128,
                               y = (at - a->addr) / pitch;
                const struct warp_grid *g = &k->grid[i];
                const uint32_t region = (uint32_t)(y / g->height * (1u << g->log2_across) + x / g->width);
                if (region != warp_of(c->r, c->kernel, c->block, warp)->region[i]) continue;
                const uint64_t sub = y % g->height * g->subs_down / g->height * g->subs_across +
                                     x % g->width * g->subs_across / g->width;
                c->found[warp].subs[i] |= 1u << sub;
            }
        }
    return true;
}

static uint64_t compare(const char *workload, const struct warp_range_rules *rules)
{
    struct ranges r = of_file(workload, rules);
    struct source *s = must_open(workload);
    struct kernel_info info;
    struct error err = {0};
    uint64_t bits = 0;
    struct check c = {.r = &r};
    for (; s->ops->next_kernel(s, &info, &err) == SOURCE_OK; c.kernel++)
        for (c.block = 0; c.block < kernel_blocks(&info); c.block++) {
            memset(c.found, 0, sizeof c.found);
            cr_assert(block_visit(s, c.block, kernel_warps(&info), note, &c, &err), "%s", err.text);
            for (uint32_t w = 0; w < kernel_warps(&info); w++)
                for (uint32_t i = 0; i < WARP_RANGE_ARRAYS; i++) {
                    const uint32_t found = warp_of(&r, c.kernel, c.block, w)->subs[i];
                    cr_assert_eq(found, c.found[w].subs[i], "%s: kernel %u, block %u, warp %u, array %u: %x, not %x",
                                 workload, c.kernel, c.block, w, i, found, c.found[w].subs[i]);
                    bits += (uint32_t)__builtin_popcount(found);
                }
        }
    cr_assert_eq(c.kernel, r.warps->kernel_count);
    s->ops->close(s);
    ranges_free(&r);
    return bits;
}

Test(warp_ranges, kernels_against_loops)
{
    static const struct warp_range_rules bytes = {.arrays = 8, .region_bits = 6, .sub_bits = 10, .rule = RANGE_ENDS};
    cr_expect_gt(compare("gemm:ni=64,nj=64,nk=32", &paper), 100);
    cr_expect_gt(compare("gemm:ni=64,nj=64,nk=32", &bytes), 100);
    cr_expect_gt(compare("hotspot:rows=64,columns=64", &paper), 100);
    cr_expect_gt(compare("transpose:width=96,height=64", &bytes), 100);
}

Test(warp_ranges, another_workload_is_refused)
{
    struct ranges r;
    struct error err = {0};
    struct source *s = must_open("vecadd:n=256");
    cr_assert(ranges_collect(s, &r, NULL, &err));
    s->ops->close(s);
    s = must_open("vecadd:n=1024");
    cr_expect(!warp_ranges_collect(s, &r, &paper, &err));
    cr_expect(strstr(err.text, "found kernel 0, ") && strstr(err.text, "expected those of the first pass"), "%s",
              err.text);
    s->ops->close(s);
    ranges_free(&r);
}
