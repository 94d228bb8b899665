/* SPDX-License-Identifier: Apache-2.0 */
/* Divergence: the instructions of each lane, and the points of reconvergence. */
#include <criterion/criterion.h>

#include "trace/simt_reader.h"

static void if_else(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vvar(vglobal_x()), x = vvar(7);
    SIMT_IF (vlt(i, 10)) {
        vset(x, vadd(i, 100));
        SIMT_IF (vlt(i, 3)) {
            vset(x, vadd(i, 1000));
        }
        SIMT_ELSE
        {
            vset(x, vadd(x, 1));
        }
    }
    SIMT_ELSE
    {
        vset(x, vsub(V(0), i));
    }
    vstore(s->out, i, vadd(x, 0));
}
SMALL_KERNEL(small_if_else, if_else, 1, 32, 16, 0)

Test(simt_control, both_sides_of_a_branch_run_for_their_lanes)
{
    struct source *source;
    const int32_t *out = run_small(&small_if_else, &source);
    for (int i = 0; i < 32; i++)
        cr_assert_eq(out[i], i < 3 ? i + 1000 : i < 10 ? i + 101 : -i, "lane %d: %d", i, out[i]);
    source->ops->close(source);
}

Test(simt_control, masks_of_a_branch_are_recorded)
{
    struct inst inst[64];
    uint32_t n = read_warp(&small_if_else, inst, 64, NULL), masks[64], count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!count || masks[count - 1] != inst[i].mask) masks[count++] = inst[i].mask;
    }
    const uint32_t want[] = {0xffffffff, 0x3ff, 0x7, 0x3f8, 0xfffffc00, 0xffffffff};
    cr_assert_eq(count, 6, "found %u", count);
    cr_assert_arr_eq(masks, want, sizeof want);
    cr_assert_eq(inst[n - 1].op, INST_EXIT);
}

static void nested_loops(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vvar(vglobal_x()), sum = vvar(0), a = vvar(0);
    SIMT_WHILE (vlt(a, i)) {
        vi32 b = vvar(0);
        SIMT_WHILE (vle(b, a)) {
            vset(sum, vadd(sum, 1));
            vset(b, vadd(b, 1));
        }
        vset(a, vadd(a, 1));
    }
    vstore(s->out, i, sum);
}
SMALL_KERNEL(small_nested_loops, nested_loops, 1, 32, 16, 0)

Test(simt_control, each_lane_leaves_nested_loops_by_itself)
{
    struct source *source;
    const int32_t *out = run_small(&small_nested_loops, &source);
    for (int i = 0; i < 32; i++) cr_assert_eq(out[i], i * (i + 1) / 2);
    source->ops->close(source);
}

static void breaks(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vvar(vglobal_x()), n = vvar(0);
    SIMT_WHILE (vlt(n, 100)) {
        SIMT_IF (vgt(n, 4)) {
            SIMT_IF (veq(n, i)) {
                SIMT_BREAK;
                vset(n, vadd(n, 1000)); /* for no lane */
            }
            SIMT_ELSE
            {
                vset(n, vadd(n, 0));
            }
        }
        vset(n, vadd(n, 1));
    }
    vstore(s->out, i, n);
}
SMALL_KERNEL(small_breaks, breaks, 1, 32, 16, 0)

Test(simt_control, break_leaves_the_innermost_loop_for_good)
{
    struct source *source;
    const int32_t *out = run_small(&small_breaks, &source);
    for (int i = 0; i < 32; i++) cr_assert_eq(out[i], i > 4 ? i : 100, "lane %d: %d", i, out[i]);
    source->ops->close(source);
}

static void early_return(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vvar(vglobal_x());
    SIMT_IF (vge(i, 40)) {
        SIMT_RETURN;
    }
    vsync();
    vstore(s->out, i, vadd(i, 1));
}
SMALL_KERNEL(small_early_return, early_return, 1, 96, 16, 0)

Test(simt_control, returned_threads_do_nothing_more_and_hold_no_barrier)
{
    struct source *source;
    const int32_t *out = run_small(&small_early_return, &source);
    for (int i = 0; i < 96; i++) cr_assert_eq(out[i], i < 40 ? i + 1 : 0);
    source->ops->close(source);

    struct error err = {""};
    source = kernel_open_definition(&small_early_return, NULL, 1, &err);
    struct reading r;
    cr_assert(read_source(source, ROUND_ROBIN, 1, &r, &err), "%s", err.text);
    cr_assert_eq(r.ops[INST_BARRIER], 2); /* the third warp has none left */
    cr_assert_eq(r.ops[INST_EXIT], 3);
    source->ops->close(source);
}

static void partial_warp(struct warp *w)
{
    const struct small *s = simt_args(w);
    vstore(s->out, vglobal_x(), 1);
}
SMALL_KERNEL(small_partial_warp, partial_warp, 2, 5, 16, 0)

Test(simt_control, a_block_smaller_than_a_warp_has_only_its_lanes)
{
    struct inst inst[16];
    uint32_t n = read_warp(&small_partial_warp, inst, 16, NULL);
    for (uint32_t i = 0; i < n; i++) cr_assert_eq(inst[i].mask, 0x1f);
}

static void divergent_barrier(struct warp *w)
{
    SIMT_IF (vlt(vglobal_x(), 3)) {
        vsync();
    }
}
SMALL_KERNEL(small_divergent_barrier, divergent_barrier, 1, 32, 16, 0)

static void c_break(struct warp *w)
{
    SIMT_IF (vlt(vglobal_x(), 3)) {
        break;
    }
}
SMALL_KERNEL(small_c_break, c_break, 1, 32, 16, 0)

static void lone_else(struct warp *w)
{
    SIMT_ELSE
    {
        vsync();
    }
}
SMALL_KERNEL(small_lone_else, lone_else, 1, 32, 16, 0)

static void lone_break(struct warp *w)
{
    SIMT_BREAK;
}
SMALL_KERNEL(small_lone_break, lone_break, 1, 32, 16, 0)

static void expect_error(const struct kernel_def *def, const char *text)
{
    struct inst inst[64];
    struct error err = {""};
    read_warp(def, inst, 64, &err);
    cr_assert(strstr(err.text, text), "expected \"%s\" in \"%s\"", text, err.text);
    cr_assert(strstr(err.text, def->name));
}

Test(simt_control, misuse_is_an_error_that_names_the_kernel)
{
    expect_error(&small_divergent_barrier, "vsync() in divergent code: lanes 0x00000007 of 0xffffffff");
    expect_error(&small_c_break, "left by C's break");
    expect_error(&small_lone_else, "SIMT_ELSE without a SIMT_IF");
    expect_error(&small_lone_break, "SIMT_BREAK outside SIMT_WHILE");
}
