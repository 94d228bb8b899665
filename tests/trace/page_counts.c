/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of each page, counted by hand from traces of a few lines. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"
#include "trace/kernels.h"
#include "trace/page_counts.h"

/* One warp of 32 lanes that executes `instructions`, of a workload with `allocations`. */
static bool count(const char *allocations, const char *instructions, struct page_counts *p, struct error *err)
{
    char text[2048];
    int n = snprintf(text, sizeof text, "memtwin-trace 1\n%skernel grid=1 block=32 name=k\nblock 0\nwarp 0\n%sexit\n",
                     allocations, instructions);
    write_file(scratch("pages.mttx"), text, (size_t)n);
    struct source *s = must_open(scratch("pages.mttx"));
    bool done = page_counts_collect(s, p, NULL, err);
    s->ops->close(s);
    return done;
}

static struct page_counts must_count(const char *allocations, const char *instructions)
{
    struct page_counts p;
    struct error err = {0};
    cr_assert(count(allocations, instructions, &p, &err), "%s", err.text);
    return p;
}

#define expect_near(a, b) cr_expect(fabs((a) - (b)) < 1e-12, "%.15g, expected %.15g", (double)(a), (double)(b))

/* Pages 0, 1 and 3 of four have 4, 1 and 1 accesses: mean 2, squares 4 + 1 + 1, deviation sqrt(2). */
Test(page_counts, an_access_is_a_line_that_an_instruction_touches)
{
    struct page_counts p =
        must_count("alloc 0x10000 16384 a\n", "load.4 at=0x10000+4\n"             /* a line of page 0 */
                                              "load.4 at=0x10f80\n"               /* one for all lanes: its last line */
                                              "store.4 lanes=0,1 at=0x10040+64\n" /* two lines */
                                              "atomic.4 lanes=3 at=0x11000\n"     /* the first line of page 1 */
                                              "load.4 lanes=0-3 at=0x13ff0+4\n"   /* the last line of page 3 */
                                              "shared_load.4 at=0x10000+4\n"      /* not there */
                                              "sp count=9\n");
    cr_assert_eq(p.group_count, 1);
    const struct page_use *u = &p.groups[0].use;
    static const uint64_t want[4] = {4, 1, 0, 1};
    for (int i = 0; i < 4; i++) cr_expect_eq(p.groups[0].accesses[i], want[i], "page %d", i);
    cr_expect(u->pages == 4 && u->touched == 3 && u->accesses == 6 && u->min == 1 && u->max == 4);
    expect_near(u->mean, 2);
    expect_near(u->deviation, sqrt(2));
    cr_expect_eq(p.groups[0].first, 0x10);
    cr_expect_eq(p.elsewhere, 0);
    page_counts_free(&p);
}

/* Lane 0 has the last two bytes of page 0 and the first two of page 1. */
Test(page_counts, an_access_across_pages_counts_in_both)
{
    struct page_counts p = must_count("alloc 0x10000 8192 a\n", "load.4 lanes=0 at=0x10ffe\n");
    cr_expect(p.groups[0].accesses[0] == 1 && p.groups[0].accesses[1] == 1);
    page_counts_free(&p);
}

/* Two allocations in one page, out of order in the list, with a hole between them and nothing around. */
Test(page_counts, a_page_group_has_its_own_share_of_a_page)
{
    struct page_counts p = must_count("alloc 0x10800 4096 b\nalloc 0x10000 256 a\nalloc 0x30000 4096 idle\n",
                                      "load.4 at=0x10000+4\nload.4 at=0x10080+4\nload.4 at=0x10080+4\n" /* a: 3 */
                                      "load.4 at=0x10800+4\nload.4 at=0x11780+4\n" /* b: its first and last line */
                                      "load.4 at=0x10100+4\nload.4 at=0x10780+4\nload.4 at=0x11800+4\n" /* none */
                                      "load.4 at=0+4\n");
    cr_assert_eq(p.group_count, 3);
    cr_expect_str_eq(p.groups[1].allocation.name, "a");
    cr_expect(p.groups[1].use.pages == 1 && p.groups[1].accesses[0] == 3);
    cr_expect(p.groups[0].use.pages == 2 && p.groups[0].accesses[0] == 1 && p.groups[0].accesses[1] == 1);
    const struct page_use *idle = &p.groups[2].use;
    cr_expect(idle->pages == 1 && !idle->touched && !idle->min && !idle->max);
    cr_expect(isnan(idle->mean) && isnan(idle->deviation), "no page, no mean");
    cr_expect_eq(p.elsewhere, 4);
    cr_expect(p.total.pages == 4 && p.total.touched == 3 && p.total.accesses == 5 && p.total.min == 1 &&
              p.total.max == 3);
    expect_near(p.total.mean, 5.0 / 3);
    expect_near(p.total.deviation, sqrt(8) / 3); /* squares: 16/9 + 4/9 + 4/9, of three pages */
    page_counts_free(&p);
}

/* Allocations that begin and end within lines. */
Test(page_counts, the_later_allocation_has_a_shared_line)
{
    struct page_counts p =
        must_count("alloc 0x10010 32 a\nalloc 0x10030 300 b\nalloc 0x101c0 1 c\n",
                   "load.4 lanes=0 at=0x10010\nload.4 lanes=0 at=0x10100\nload.4 lanes=0 at=0x101c0\n"
                   "load.4 lanes=0 at=0x10200\n");
    cr_expect(p.groups[0].use.accesses == 0 && p.groups[1].use.accesses == 2 && p.groups[2].use.accesses == 1);
    cr_expect_eq(p.elsewhere, 1);
    page_counts_free(&p);
}

Test(page_counts, without_allocations_all_is_elsewhere)
{
    struct page_counts p = must_count("", "load.4 at=0x10000+128\n");
    cr_expect(!p.group_count && p.elsewhere == 32 && !p.total.pages && !p.total.accesses);
    page_counts_free(&p);
}

static void expect_refused(const char *allocations, const char *text)
{
    struct page_counts p;
    struct error err = {0};
    cr_expect_not(count(allocations, "", &p, &err));
    cr_expect(strstr(err.text, text), "expected \"%s\" in \"%s\"", text, err.text);
    page_counts_free(&p);
}

Test(page_counts, what_cannot_be_counted_is_refused)
{
    expect_refused("alloc 0x10000 4096 a\nalloc 0x8000 32769 b\n",
                   "found that allocations b and a overlap, expected each byte in one");
    expect_refused("alloc 0 0x4000000000000000 vast\n",
                   "found allocation vast of 1125899906842624 pages, expected at most 268435456");
}

/* vecadd reads and writes each line once: 32 accesses a page, but for the last page of 1000 of 1024 words. */
Test(page_counts, a_kernel_is_counted_and_its_results_may_be_asked_for)
{
    struct error err = {0};
    struct page_counts p;
    struct source *s = kernel_open_aligned("vecadd:n=2024", 1, KERNEL_ALIGN_UVM, &err);
    cr_assert(page_counts_collect(s, &p, NULL, &err), "%s", err.text);
    cr_expect(kernel_verify(s, &err), "%s", err.text);
    s->ops->close(s);
    cr_assert_eq(p.group_count, 3);
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(p.groups[i].first, (0x10000000u + (uint64_t)i * 0x200000) / 4096);
        cr_expect(p.groups[i].use.pages == 2 && p.groups[i].accesses[0] == 32 && p.groups[i].accesses[1] == 32);
    }
    page_counts_free(&p);
}
