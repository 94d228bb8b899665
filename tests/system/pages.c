/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of unified memory: their numbers, their order of recency, and that a broken law is found out. */
#include "system/uvm/pages.h"

#include "base/rng.h"
#include "system/uvm_bench.h"

static struct pages *open_pages(struct uvm_bench *b, uint32_t lru_shift)
{
    return pages_create(&b->env, &b->source, lru_shift, &b->err);
}

static void check_refused(struct uvm_bench *b, const char *const *texts)
{
    struct pages *p = open_pages(b, 0);
    cr_assert_null(p);
    for (; *texts; texts++)
        cr_expect_not_null(strstr(b->err.text, *texts), "found \"%s\", expected \"%s\"", b->err.text, *texts);
}

Test(pages, allocations_lie_one_behind_the_other_and_keep_their_place_in_2_MiB)
{
    struct uvm_bench b;
    uvm_bench_config(&b, NULL);
    uvm_bench_allocate(&b, "late", 0x40000000 + 0x30000, 5 << 20);   /* given out of order */
    uvm_bench_allocate(&b, "early", 0x10000000 + 0x1f0040, 0x10000); /* ends 64 bytes into the next 64 KiB */
    struct pages *p = open_pages(&b, 0);
    cr_assert(p, "%s", b.err.text);
    cr_expect_eq(p->count, 5 * 512);
    cr_expect_eq(p->footprint, 17 + 1280);
    cr_expect_eq(pages_find(p, 0x101f0000), 496);
    cr_expect_eq(pages_find(p, 0x10200fff), 512);
    cr_expect_eq(pages_find(p, 0x10201000), UINT32_MAX);
    cr_expect_eq(pages_find(p, 0x101effff), UINT32_MAX);
    cr_expect_eq(pages_find(p, 0x40030000), 1024 + 48); /* the tree behind those of "early" */
    cr_expect_eq(pages_find(p, 0x40030000 + (5 << 20) - 1), 1024 + 48 + 1279);
    cr_expect_eq(pages_find(p, 0x40030000 + (5 << 20)), UINT32_MAX);
    cr_expect_str_eq(pages_group(p, 1100)->name, "late");
    for (uint32_t page = 0; page < p->count; page++)
        if (pages_exist(p, page)) {
            cr_assert_eq(pages_find(p, pages_address(p, page)), page);
            cr_assert_eq(pages_address(p, page) >> 16 & 31, page >> BLOCK_SHIFT & 31); /* its block in its 2 MiB */
        }
    pages_destroy(p);
}

Test(pages, what_cannot_be_numbered_is_refused)
{
    struct uvm_bench b;
    uvm_bench_config(&b, NULL);
    check_refused(&b, (const char *const[]){"bench has no allocation", NULL});
    uvm_bench_config(&b, NULL);
    uvm_bench_allocate(&b, "weights", 0x10000000, 300);
    uvm_bench_allocate(&b, "bias", 0x10000200, 300);
    check_refused(&b,
                  (const char *const[]){"weights and bias in one 64 KiB block, at 0x10000000", "align=2097152", NULL});
    uvm_bench_config(&b, NULL);
    uvm_bench_allocate(&b, "huge", 0x10000000, (16 << 20) + 1);
    check_refused(&b, (const char *const[]){"uvm.table_pages: found 4096, expected at least 4608", NULL});
    uvm_bench_config(&b, (const char *const[]){"uvm.table_allocs=1", NULL});
    uvm_bench_allocate(&b, "a", 0x10000000, 300);
    uvm_bench_allocate(&b, "b", 0x20000000, 300);
    check_refused(&b, (const char *const[]){"uvm.table_allocs: found 1", NULL});
}

Test(pages, capacity_is_a_share_of_the_footprint_in_whole_blocks)
{
    struct uvm_bench b;
    uvm_bench_config(&b, (const char *const[]){"uvm.oversubscribe_percent=110", NULL});
    uvm_bench_allocate(&b, "a", 0x10000000, 4 << 20);
    struct pages *p = open_pages(&b, 0);
    cr_expect_eq(p->capacity, 928); /* 1024 / 1.1 = 930.9 */
    pages_destroy(p);
    b.c.uvm_oversubscribe_percent = 0;
    b.c.uvm_device_kib = 3 * 64 + 63;
    p = open_pages(&b, 0);
    cr_expect_eq(p->capacity, 48);
    pages_destroy(p);
}

static struct pages *small(struct uvm_bench *b, uint32_t lru_shift)
{
    uvm_bench_config(b, (const char *const[]){"uvm.device_kib=256", NULL});
    uvm_bench_allocate(b, "a", 0x10000000, 1 << 20);
    struct pages *p = open_pages(b, lru_shift);
    cr_assert(p, "%s", b->err.text);
    return p;
}

static void bring(struct pages *p, uint32_t page)
{
    pages_coming(p, page, false);
    pages_grant(p, page, 1);
    pages_arrive(p, page);
}

static void send_home(struct pages *p, uint32_t page)
{
    pages_leave(p, page);
    p->page[page].dropped = true;
    pages_gone(p, page);
}

/* Each law, broken on purpose: the message names the page and the law. */
static void check_broken(void (*breaks)(struct pages *p), const char *message)
{
    struct uvm_bench b;
    struct pages *p = small(&b, 0);
    b.env.sm_cycle = 77;
    bring(p, 5);
    bring(p, 6);
    cr_expect(pages_audit(p, true), "%s", p->broken.text);
    breaks(p);
    pages_audit(p, true);
    cr_expect_not_null(strstr(p->broken.text, message), "found \"%s\", expected \"%s\"", p->broken.text, message);
    cr_expect_not_null(strstr(p->broken.text, "cycle 77"), "%s", p->broken.text);
    pages_destroy(p);
}

static void bring_twice(struct pages *p)
{
    pages_coming(p, 5, false);
}
static void arrive_unasked(struct pages *p)
{
    pages_arrive(p, 9);
}
static void arrive_without_frame(struct pages *p)
{
    pages_coming(p, 9, false);
    pages_arrive(p, 9);
}
static void overfill(struct pages *p)
{
    for (uint32_t i = 16; i < 16 + 63; i++) pages_coming(p, i, false);
    pages_grant(p, 16, 63);
}
static void evict_waited_for(struct pages *p)
{
    p->page[5].waiting = 1;
    pages_leave(p, 5);
}
static void gone_pinned(struct pages *p)
{
    pages_leave(p, 5);
    pages_pin(p, 5);
    pages_gone(p, 5);
}
static void pin_absent(struct pages *p)
{
    pages_pin(p, 3);
}
static void pin_dropped(struct pages *p)
{
    pages_leave(p, 5);
    p->page[5].dropped = true;
    pages_pin(p, 5);
}
static void unpin_nothing(struct pages *p)
{
    pages_unpin(p, 5);
}
static void use_absent(struct pages *p)
{
    pages_use(p, 3);
}
static void answer_without_request(struct pages *p)
{
    pages_answer(p, 5, 1);
}
static void wait_twice(struct pages *p)
{
    pages_wait(p, 9, 4);
    pages_wait(p, 9, 4);
}
static void wait_for_ever(struct pages *p)
{
    pages_wait(p, 9, 4);
}
static void keep_pin(struct pages *p)
{
    pages_pin(p, 5);
}
static void pin_on_the_host(struct pages *p)
{
    p->page[9].pins = 1;
}
static void lose_place(struct pages *p)
{
    p->place[5] = p->place[6];
}
static void lose_page(struct pages *p)
{
    p->page[5].state = PAGE_HOST;
}
static void lose_arrival(struct pages *p)
{
    p->arrivals--;
}
static void no_page(struct pages *p)
{
    pages_coming(p, 300, false);
}

Test(pages, a_broken_law_names_the_page)
{
    check_broken(bring_twice,
                 "page 5 (0x10005000 of a), in device memory with 0 requests below the L1D: only a page on "
                 "the host can be migrated");
    check_broken(arrive_unasked, "page 9 (0x10009000 of a), on the host");
    check_broken(arrive_without_frame, "arrives without a frame");
    check_broken(overfill, "65 pages hold a frame of device memory, which has 64");
    check_broken(evict_waited_for, "without waiting SMs");
    check_broken(gone_pinned,
                 "leaving with 1 requests below the L1D: only a page without requests in flight can leave");
    check_broken(pin_absent, "page 3 (0x10003000 of a), on the host with 1 requests below the L1D");
    check_broken(pin_dropped, "a request for it leaves an L1D");
    check_broken(unpin_nothing, "a response without a request");
    check_broken(use_absent, "only a page in device memory can be accessed");
    check_broken(answer_without_request, "an answer to an SM that does not wait for it");
    check_broken(wait_twice, "an SM waits for it twice");
    check_broken(wait_for_ever, "an SM still waits for it at the end of the run");
    check_broken(keep_pin, "requests are still in flight to it at the end of the run");
    check_broken(pin_on_the_host,
                 "page 9 (0x10009000 of a), on the host with 1 requests below the L1D: a pin on a page");
    check_broken(lose_place, "missing from the list of pages in device memory");
    check_broken(lose_page, "found 255 pages on the host, expected 254");
    check_broken(lose_arrival, "found 2 pages resident, expected 1 arrivals less 0 departures");
    check_broken(no_page, "page 300, in no allocation");
}

/* The order of recency of pages, blocks and trees against one kept by time stamps. */
static void check_recency(uint32_t shift)
{
    struct uvm_bench b;
    struct pages *p = small(&b, shift);
    struct rng r;
    uint64_t stamp[256] = {0}, now = 0;
    uint32_t present = 0;
    rng_seed(&r, 3 + shift);
    for (uint32_t turn = 0; turn < 20000; turn++) {
        uint32_t page = (uint32_t)rng_below(&r, 256), oldest = UINT32_MAX;
        if (p->page[page].state == PAGE_HOST && present < 64)
            bring(p, page), present++, stamp[page >> shift] = ++now;
        else if (p->page[page].state == PAGE_DEVICE && rng_below(&r, 4))
            pages_use(p, page), stamp[page >> shift] = ++now;
        else if (p->page[page].state == PAGE_DEVICE)
            send_home(p, page), present--;
        for (uint32_t i = 0; i < 256; i++)
            if (p->page[i].state == PAGE_DEVICE && (oldest == UINT32_MAX || stamp[i >> shift] < stamp[oldest >> shift]))
                oldest = i;
        cr_assert_eq(p->lru.oldest, oldest == UINT32_MAX ? LRU_NONE : oldest >> shift, "turn %u", turn);
    }
    cr_expect(pages_audit(p, true), "%s", p->broken.text);
    cr_expect_gt(p->departures, 1000);
    pages_destroy(p);
}

Test(pages, least_recently_used_page)
{
    check_recency(0);
}
Test(pages, least_recently_used_block)
{
    check_recency(BLOCK_SHIFT);
}
Test(pages, least_recently_used_tree)
{
    check_recency(TREE_SHIFT);
}

/* Page 16, the first of block 1, is under way. */
Test(pages, a_page_under_way_is_one_of_its_own_block)
{
    struct uvm_bench b;
    uvm_bench_config(&b, NULL);
    uvm_bench_allocate(&b, "a", 0x10000000, 256 << 10);
    struct pages *p = open_pages(&b, 0);
    cr_assert(p, "%s", b.err.text);
    pages_coming(p, 16, true);
    pages_grant(p, 16, 1);
    cr_expect_not(pages_under_way(p, 0));
    cr_expect(pages_under_way(p, 1));
    cr_expect_not(pages_under_way(p, 2));
    pages_destroy(p);
}
