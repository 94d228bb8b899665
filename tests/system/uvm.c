/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of unified memory, request by request. */
#include "base/rng.h"
#include "system/uvm_bench.h"

/* From a request to its answer: the block tells of the fault after 2 cycles, 45 us of handling, 4 KiB over PCIe, and 2
 * cycles until the block has told who waits. */
enum { TOLD = 2, HANDLING = 66645, PAGE_TIME = 2606, BLOCK_TIME = 8702, ANSWER = 2 };

Test(uvm, a_far_fault_takes_45_us_and_its_transfer)
{
    struct uvm_bench *b = uvm_bench_open(NULL, 256);
    cr_expect_not(uvm_bench_ask(b, 9, 5));
    uint64_t start = b->env.sm_cycle;
    uvm_bench_settle(b);
    const struct uvm_event *t = uvm_bench_find(b, 't', 9);
    cr_assert(t);
    cr_expect_eq(t->cycle - start, TOLD + HANDLING + PAGE_TIME + ANSWER, "found %lu", t->cycle - start);
    cr_expect_eq(t->sm, 5);
    cr_expect(uvm_bench_ask(b, 9, 6));
    cr_expect_eq(b->events, 1);
    uvm_bench_close(b);
}

Test(uvm, everyone_who_waits_is_answered_once)
{
    struct uvm_bench *b = uvm_bench_open(NULL, 256);
    for (uint32_t sm = 0; sm < 28; sm += 3) cr_expect_not(uvm_bench_ask(b, 9, sm));
    cr_expect_eq(b->s.uvm_faults, 1);
    cr_expect_eq(b->s.uvm_faults_merged, 9);
    uvm_bench_settle(b);
    cr_expect_eq(b->events, 10);
    for (uint32_t i = 0; i < 10; i++) cr_expect_eq(b->event[i].sm, 3 * i);
    for (uint32_t i = 1; i < 10; i++) cr_expect_eq(b->event[i].cycle, b->event[i - 1].cycle + 1);
    uvm_bench_close(b);
}

Test(uvm, one_request_a_cycle)
{
    struct uvm_bench *b = uvm_bench_open(NULL, 256);
    cr_expect_not(uvm_bench_ask(b, 9, 0));
    cr_expect_eq(uvm_request(b->u, 10, 0), UVM_RETRY);
    cr_expect_not(uvm_bench_ask(b, 10, 0));
    cr_expect_eq(b->s.uvm_requests, 2);
    uvm_bench_close(b);
}

/* Handlings come one after the other; transfers overlap with the next one. */
Test(uvm, faults_are_handled_one_after_the_other)
{
    struct uvm_bench *b = uvm_bench_open(NULL, 256);
    for (uint32_t i = 0; i < 4; i++) uvm_bench_ask(b, i * 16, 0);
    uint64_t first = b->env.sm_cycle - 3;
    uvm_bench_settle(b);
    for (uint32_t i = 0; i < 4; i++)
        cr_expect_eq(uvm_bench_find(b, 't', i * 16)->cycle - first,
                     TOLD + (uint64_t)(i + 1) * HANDLING + PAGE_TIME + ANSWER);
    cr_expect_eq(b->s.uvm_handlings, 4);
    uvm_bench_close(b);
}

Test(uvm, a_batch_is_handled_in_one)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.fault_batch=3", NULL}, 1024);
    for (uint32_t i = 0; i < 7; i++) uvm_bench_ask(b, i * 16, 0);
    uvm_bench_settle(b);
    /* The first fault is alone when its handling begins; then three wait, and three. */
    cr_expect_eq(b->s.uvm_handlings, 3);
    cr_expect_eq(b->s.uvm_faults_handled, 7);
    uint64_t t[7];
    for (uint32_t i = 0; i < 7; i++) t[i] = uvm_bench_find(b, 't', i * 16)->cycle;
    cr_expect_eq(t[1] - t[0], HANDLING);
    cr_expect_eq(t[2] - t[1], PAGE_TIME);
    cr_expect_eq(t[3] - t[2], PAGE_TIME);
    cr_expect_eq(t[4] - t[1], HANDLING);
    uvm_bench_close(b);
}

Test(uvm, a_fault_whose_page_comes_with_another_costs_no_handling)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=sp", NULL}, 256);
    uvm_bench_ask(b, 3, 0);
    uvm_bench_until(b, b->env.sm_cycle + 10);
    uvm_bench_ask(b, 7, 1);
    uvm_bench_settle(b);
    cr_expect_eq(b->s.uvm_handlings, 1);
    cr_expect_eq(b->s.uvm_faults_skipped, 1);
    cr_expect_eq(b->s.uvm_pages_demanded, 1);
    cr_expect_eq(b->s.uvm_pages_prefetched, 15);
    /* Pages of a transfer are reported to the block, one per cycle. */
    cr_expect_eq(uvm_bench_find(b, 't', 7)->cycle - uvm_bench_find(b, 't', 3)->cycle, 4);
    uvm_used(b->u, 3);
    uvm_used(b->u, 7);
    uvm_used(b->u, 8);
    cr_expect_eq(b->s.uvm_prefetched_used, 2);
    uvm_bench_close(b);
}

/* 3 alone, 0 to 2, 4 to 15; or 0 to 3, 4 to 15. */
Test(uvm, the_page_of_the_fault_may_go_ahead)
{
    static const char *const order[] = {"uvm.order=run", "uvm.order=page", "uvm.order=address"};
    static const uint32_t transfers[] = {1, 3, 2};
    uint64_t cycle[3];
    for (int i = 0; i < 3; i++) {
        struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=sp", order[i], NULL}, 256);
        uvm_bench_ask(b, 3, 0);
        uint64_t start = b->env.sm_cycle;
        uvm_bench_settle(b);
        cycle[i] = uvm_bench_find(b, 't', 3)->cycle - start;
        cr_expect(uvm_finish(b->u, &b->err), "%s", b->err.text);
        cr_expect_eq(b->s.pcie_in_transfers, transfers[i]);
        uvm_bench_close(b);
    }
    cr_expect_eq(cycle[0], TOLD + HANDLING + BLOCK_TIME + 3 + ANSWER); /* behind pages 0 to 2 */
    cr_expect_eq(cycle[1], TOLD + HANDLING + PAGE_TIME + ANSWER);
    cr_expect_gt(cycle[2], cycle[1]);
    cr_expect_lt(cycle[2], cycle[0]);
}

/* SP's 16 pages with a hole: page 4 is there already, the fault is for page 9. */
Test(uvm, by_address_pages_in_front_of_the_fault_s_run_come_before_it)
{
    static const char *const order[] = {"uvm.order=run", "uvm.order=page", "uvm.order=address"};
    static const uint32_t expected[3][4][2] = {
        {{5, 11}, {0, 4}}, {{9, 1}, {5, 4}, {10, 6}, {0, 4}}, {{0, 4}, {5, 5}, {10, 6}}};
    for (int i = 0; i < 3; i++) {
        struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=sp", order[i], NULL}, 256);
        pages_coming(b->u->pages, 4, true);
        b->u->pages->page[4].framed = true;
        b->u->pages->granted = 1;
        uvm_bench_ask(b, 9, 0);
        while (!b->u->migrations.count) cr_assert(uvm_bench_step(b, b->env.sm_cycle + 1000), "%s", b->err.text);
        for (uint32_t k = 0; k < 4 && expected[i][k][1]; k++) {
            const struct migration *m = ring_at(&b->u->migrations, k);
            cr_expect(k < b->u->migrations.count && m->first == expected[i][k][0] && m->pages == expected[i][k][1],
                      "%s: transfer %u: found %u pages from %u", order[i], k, m->pages, m->first);
        }
        uvm_destroy(b->u);
        free(b);
    }
}

Test(uvm, a_lease_period_without_time_for_the_divisions_is_refused_in_terms_of_options)
{
    struct uvm_bench b;
    uvm_bench_config(&b, (const char *const[]){"uvm.lease_period=1010", NULL});
    uvm_bench_allocate(&b, "a", UINT64_C(1) << 32, 65536);
    cr_assert_not(uvm_bench_start(&b));
    cr_expect_not_null(strstr(b.err.text, "uvm.lease_period: found 1010, allowed: "), "%s", b.err.text);
    cr_expect_not_null(strstr(b.err.text, "uvm.lease_duty = 1000"), "%s", b.err.text);
    uint32_t least = 0;
    cr_assert_eq(sscanf(strstr(b.err.text, "allowed: "), "allowed: %u", &least), 1);
    for (uint32_t i = 0; i < 2; i++) {
        char option[32];
        snprintf(option, sizeof option, "uvm.lease_period=%u", least - i);
        uvm_bench_config(&b, (const char *const[]){option, NULL});
        uvm_bench_allocate(&b, "a", UINT64_C(1) << 32, 65536);
        cr_expect_eq(uvm_bench_start(&b), i == 0, "%s", option);
        if (b.u) uvm_destroy(b.u);
    }
}

/* Memory for one block: the second fault waits for the first block's way home. */
Test(uvm, what_comes_waits_for_what_goes)
{
    struct uvm_bench *b =
        uvm_bench_open((const char *const[]){"uvm.prefetch=sp", "uvm.device_kib=64", "uvm.fault_ns=1", NULL}, 256);
    uvm_bench_touch(b, 3);
    uvm_bench_settle(b);
    uvm_bench_ask(b, 35, 0);
    uint64_t start = b->env.sm_cycle;
    uvm_bench_settle(b);
    cr_expect_eq(uvm_bench_find(b, 'u', 3)->cycle - start, TOLD);
    cr_expect_eq(uvm_bench_find(b, 'd', 3)->cycle - start, TOLD); /* uvm.shootdown = 0 */
    cr_expect_eq(uvm_bench_find(b, 't', 35)->cycle - start, TOLD + BLOCK_TIME + BLOCK_TIME + 3 + ANSWER);
    cr_expect_eq(b->s.uvm_evicted_policy, 16);
    cr_expect_gt(b->s.uvm_oversubscribed_at, 0);
    uvm_bench_close(b);
}

Test(uvm, a_page_leaves_when_nothing_is_in_flight_to_it)
{
    struct uvm_bench *b = uvm_bench_open(
        (const char *const[]){"uvm.prefetch=sp", "uvm.device_kib=64", "uvm.fault_ns=1", "uvm.shootdown=500", NULL},
        256);
    uvm_bench_touch(b, 3);
    uvm_bench_settle(b);
    uvm_pin(b->u, 3);
    uvm_pin(b->u, 3);
    uvm_pin(b->u, 4);
    uvm_bench_ask(b, 35, 0);
    uint64_t start = b->env.sm_cycle;
    uvm_bench_until(b, start + 2000);
    cr_expect(uvm_bench_find(b, 'u', 3));
    cr_expect_null(uvm_bench_find(b, 'd', 3));
    uvm_unpin(b->u, 4);
    uvm_unpin(b->u, 3);
    uvm_bench_until(b, start + 3000);
    cr_expect_null(uvm_bench_find(b, 'd', 4)); /* the block leaves as one */
    uvm_unpin(b->u, 3);
    uvm_bench_settle(b);
    cr_expect_eq(uvm_bench_find(b, 'd', 3)->cycle, start + 3001);
    cr_expect_eq(b->s.uvm_shootdown_cycles, 3001 - TOLD);
    uvm_bench_close(b);
    b = uvm_bench_open(
        (const char *const[]){"uvm.prefetch=sp", "uvm.device_kib=64", "uvm.fault_ns=1", "uvm.shootdown=500", NULL},
        256);
    uvm_bench_touch(b, 3);
    uvm_bench_settle(b);
    uvm_bench_ask(b, 35, 0);
    start = b->env.sm_cycle;
    uvm_bench_settle(b);
    cr_expect_eq(uvm_bench_find(b, 'd', 3)->cycle, start + TOLD + 500);
    uvm_bench_close(b);
}

Test(uvm, a_request_below_an_L1D_to_a_page_that_has_left_ends_the_run)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.device_kib=64", "uvm.fault_ns=1", NULL}, 256);
    for (uint32_t page = 0; page < 17; page++) uvm_bench_touch(b, page * 2);
    uvm_bench_settle(b);
    cr_assert_not(uvm_bench_there(b, 0));
    uvm_pin(b->u, 0);
    cr_assert_not(uvm_bench_step(b, b->env.sm_cycle + 1));
    cr_expect_not_null(strstr(b->err.text, "page 0 (0x100000000 of a), on the host with 1 requests below the L1D: a "
                                           "request for it leaves an L1D"),
                       "%s", b->err.text);
    uvm_destroy(b->u);
    free(b);
}

Test(uvm, clean_pages_need_no_way_home_if_so_wished)
{
    for (int dirty_lines = 0; dirty_lines < 2; dirty_lines++) {
        struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=sp", "uvm.device_kib=64",
                                                                   "uvm.fault_ns=1", "uvm.writeback=dirty", NULL},
                                             256);
        uvm_bench_touch(b, 3);
        b->dirty_lines = dirty_lines; /* found by drop() */
        uvm_wrote(b->u, 3);
        uvm_wrote(b->u, 4);
        uvm_wrote(b->u, 9);
        uvm_bench_touch(b, 35);
        uvm_bench_settle(b);
        cr_expect_eq(b->s.uvm_writebacks, dirty_lines ? 16 : 3);
        cr_expect(uvm_finish(b->u, &b->err), "%s", b->err.text);
        cr_expect_eq(b->s.pcie_out_transfers, dirty_lines ? 1 : 2);
        cr_expect_eq(b->s.pcie_out_bytes, dirty_lines ? 65536 : 3 * 4096);
        uvm_bench_close(b);
    }
}

/* Page 3 is asked for again while it is on its way home: it comes back, and is dirty no more. */
Test(uvm, a_page_that_leaves_and_is_wanted_comes_back)
{
    struct uvm_bench *b =
        uvm_bench_open((const char *const[]){"uvm.prefetch=sp", "uvm.device_kib=64", "uvm.fault_ns=1", NULL}, 256);
    uvm_bench_touch(b, 3);
    uvm_bench_settle(b);
    uvm_wrote(b->u, 3);
    uvm_bench_ask(b, 35, 0);
    uvm_bench_until(b, b->env.sm_cycle + 100);
    cr_assert_eq(b->u->pages->page[3].state, PAGE_LEAVING);
    uvm_bench_ask(b, 3, 1);
    b->events = 0;
    uvm_bench_until(b, b->env.sm_cycle + 3 * BLOCK_TIME);
    cr_assert(uvm_bench_find(b, 't', 35));
    uvm_used(b->u, 35);
    uvm_bench_settle(b);
    cr_expect(uvm_bench_there(b, 3));
    cr_expect_not(b->u->pages->page[3].dirty);
    cr_expect_eq(b->s.uvm_refaults, 16);
    uvm_bench_close(b);
}

/* The page that has come for a fault is no victim before it was used: the next one waits for that. */
Test(uvm, a_page_is_no_victim_before_its_first_use)
{
    struct uvm_bench *b =
        uvm_bench_open((const char *const[]){"uvm.prefetch=sp", "uvm.device_kib=64", "uvm.fault_ns=1", NULL}, 256);
    uvm_bench_ask(b, 3, 0);
    uvm_bench_ask(b, 35, 1);
    uvm_bench_until(b, b->env.sm_cycle + 10 * BLOCK_TIME);
    cr_expect(uvm_bench_there(b, 3));
    cr_expect_null(uvm_bench_find(b, 't', 35));
    uvm_used(b->u, 3);
    uvm_bench_settle(b);
    cr_expect(uvm_bench_find(b, 't', 35));
    cr_expect_not(uvm_bench_there(b, 3));
    uvm_bench_close(b);
}

/* Figure 4.10's way: the tree prefetcher until memory is full, then single pages. */
Test(uvm, prefetching_may_end_when_memory_is_full)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=sp", "uvm.device_kib=128",
                                                               "uvm.prefetch_when_full=false", "uvm.fault_ns=1", NULL},
                                         1024);
    uvm_bench_touch(b, 0);
    uvm_bench_touch(b, 16);
    cr_expect_eq(b->s.uvm_pages_prefetched, 30);
    uvm_bench_touch(b, 32);
    uvm_bench_touch(b, 48);
    cr_expect_eq(b->s.uvm_pages_prefetched, 30);
    cr_expect_eq(b->s.uvm_pages_demanded, 4);
    uvm_bench_close(b);
}

/* Pages come and go, and nobody says that an instruction was issued. */
Test(uvm, thrashing_without_progress_ends_the_run)
{
    struct uvm_bench *b = uvm_bench_open(
        (const char *const[]){"uvm.device_kib=64", "uvm.fault_ns=1", "uvm.thrash_limit=3", "uvm.prefetch=sp", NULL},
        1024);
    bool ok = true;
    uint64_t issued = 0;
    for (uint32_t turn = 0; ok && turn < 100; turn++) {
        uint32_t page = turn * 16 % 256;
        ok = uvm_bench_step(b, b->env.sm_cycle + 1);
        if (ok && uvm_request(b->u, page, 0) == UVM_RETRY) continue;
        for (uint64_t end = b->env.sm_cycle + 100000; ok && b->env.sm_cycle < end;) ok = uvm_bench_step(b, end);
        if (ok) uvm_used(b->u, page);
        if (turn == 1) uvm_progress(b->u), issued = b->env.sm_cycle;
    }
    char expected[200];
    snprintf(expected, sizeof expected,
             "uvm.thrash_limit: cycle %lu: 49 pages have arrived over PCIe since the last warp instruction issued, in "
             "cycle %lu: ",
             b->env.sm_cycle, issued);
    cr_assert_not(ok);
    cr_expect_not_null(strstr(b->err.text, expected), "expected \"%s\" in: %s", expected, b->err.text);
    cr_expect_not_null(strstr(b->err.text, "more than 3 times the 16 pages (64 KiB)"), "%s", b->err.text);
    cr_expect_not_null(strstr(b->err.text, "uvm.device_kib"), "%s", b->err.text);
    uvm_destroy(b->u);
    free(b);
}

Test(uvm, a_line_belongs_to_the_page_that_begins_with_it)
{
    struct uvm_bench *b = uvm_bench_open(NULL, 256);
    for (uint32_t page = 0; page < 64; page++) cr_expect_eq(uvm_page(b->u, uvm_line(b->u, page) + page % 32), page);
    cr_expect_eq(uvm_page(b->u, uvm_line(b->u, 0) - 1), UVM_UNMANAGED);
    uvm_bench_close(b);
}

/* Of a block that is there, two pages have expired: these go at once, and none is put off. */
Test(uvm, expired_pages_go_when_they_are_offered)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=sp", "uvm.evict=ture", NULL}, 256);
    uvm_bench_touch(b, 3);
    uvm_bench_settle(b);
    evict_offer(b->u, 0, 0x0202, false);
    for (uint32_t page = 0; page < 16; page++)
        cr_expect_eq(b->u->pages->page[page].state, page == 1 || page == 9 ? PAGE_LEAVING : PAGE_DEVICE);
    cr_expect_eq(b->s.uvm_evicted_expired, 2);
    cr_expect_eq(b->s.uvm_put_off, 0);
    uvm_destroy(b->u);
    free(b);
}

/* Leases grow old while nothing happens. */
static struct uvm_bench *with_pauses(const char *skip)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=cap", "uvm.evict=ture", "uvm.fault_ns=100",
                                                               "uvm.device_kib=2048", "uvm.lease_bits=1",
                                                               "uvm.lease_duty=100", "uvm.lease_unit=0", skip, NULL},
                                         8192);
    for (uint32_t i = 0; i < 40; i++) {
        for (uint32_t k = 0; k < 4; k++) uvm_bench_touch(b, i * 277 % 2048 + k % 2);
        uvm_bench_until(b, b->env.sm_cycle + (i % 8 ? 500 : 30000));
    }
    uvm_bench_settle(b);
    cr_assert(uvm_finish(b->u, &b->err), "%s", b->err.text);
    return b;
}

Test(uvm, sleeping_changes_no_counter)
{
    struct uvm_bench *with = with_pauses("sim.skip=true"), *without = with_pauses("sim.skip=false");
    cr_expect_gt(with->s.uvm_expired, 0);
    cr_expect_eq(with->env.sm_cycle, without->env.sm_cycle);
    cr_expect_arr_eq(&with->s, &without->s, sizeof with->s);
    cr_assert_eq(with->events, without->events);
    for (uint32_t i = 0; i < with->events; i++) {
        const struct uvm_event *a = &with->event[i], *b = &without->event[i];
        cr_expect(a->kind == b->kind && a->page == b->page && a->sm == b->sm && a->cycle == b->cycle, "event %u", i);
    }
    uvm_bench_close(with);
    uvm_bench_close(without);
}

static void count_cycle(void *context, const char *block, const void *cfg, const void *in)
{
    (void)block, (void)cfg, (void)in;
    ++*(uint64_t *)context;
}

/* Cycles slept through are cycles of the block, too. */
Test(uvm, time_passes_in_the_block_while_the_driver_sleeps)
{
    uint64_t cycles = 0;
    const struct observer o = {.capture = count_cycle, .capture_unit = "gmmu", .context = &cycles};
    struct uvm_bench *b = malloc(sizeof *b);
    cr_assert(b);
    uvm_bench_config(b, NULL);
    uvm_bench_allocate(b, "a", UINT64_C(1) << 32, 256 << 10);
    env_observe(&b->env, &o);
    cr_assert(uvm_bench_start(b), "%s", b->err.text);
    uvm_bench_ask(b, 9, 0);
    uvm_bench_settle(b);
    uvm_bench_until(b, b->env.sm_cycle + 10000);
    const uint64_t before = cycles, at = b->env.sm_cycle;
    uvm_bench_ask(b, 10, 0);
    uvm_bench_until(b, b->env.sm_cycle + 1);
    cr_expect_geq(cycles - before, b->env.sm_cycle - at);
    cr_expect_geq(cycles, HANDLING + 10000, "found %lu of %lu cycles", cycles, b->env.sm_cycle);
    uvm_bench_close(b);
}

/* Expired pages that a fault brought and no access has used are put off; they leave after their first use. */
Test(uvm, pages_put_off_leave_after_their_first_use)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.evict=ture", "uvm.fault_ns=1", NULL}, 256);
    for (uint32_t page = 0; page < 3; page++) uvm_bench_ask(b, page, 0);
    uvm_bench_settle(b);
    evict_offer(b->u, 0, 0x7, false);
    cr_expect_eq(b->s.uvm_put_off, 3);
    cr_expect_eq(b->s.uvm_evicted_expired, 0);
    for (uint32_t page = 0; page < 3; page++) uvm_used(b->u, page);
    uvm_bench_settle(b);
    cr_expect_eq(b->s.uvm_evicted_expired, 3);
    for (uint32_t page = 0; page < 3; page++) cr_expect_not(uvm_bench_there(b, page), "page %u", page);
    uvm_destroy(b->u);
    free(b);
}

/* Every other page of nine blocks, in one cycle: each leaves alone. */
Test(uvm, any_number_of_departures_may_be_under_way)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=sp", "uvm.evict=ture", NULL}, 1024);
    for (uint32_t block = 0; block < 9; block++) uvm_bench_touch(b, block * 16);
    uvm_bench_settle(b);
    for (uint32_t block = 0; block < 9; block++) evict_offer(b->u, block, 0x5555, false);
    uvm_bench_settle(b);
    cr_expect_eq(b->s.uvm_departures, 72);
    for (uint32_t page = 0; page < 9 * 16; page++) cr_expect_eq(uvm_bench_there(b, page), page % 2, "page %u", page);
    uvm_destroy(b->u);
    free(b);
}

/* The table of far-faults has one entry.  A request counts as refused in each cycle until it is taken. */
Test(uvm, a_request_that_finds_the_table_full_waits_and_is_counted)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.mshr_entries=1", "uvm.fault_ns=1", NULL}, 256);
    uvm_bench_ask(b, 0, 0);
    cr_assert(uvm_bench_step(b, b->env.sm_cycle + 1));
    const uint64_t refused = b->env.sm_cycle;
    cr_expect_eq(uvm_request(b->u, 9, 1), UVM_RETRY);
    cr_expect_not(uvm_bench_ask(b, 9, 1));
    cr_expect_eq(b->s.uvm_refused, b->env.sm_cycle - refused, "%lu", b->s.uvm_refused);
    cr_expect_gt(b->s.uvm_refused, PAGE_TIME);
    uvm_bench_close(b);
}

/* Page 9 finds the table full; page 0 is in it. */
Test(uvm, a_full_table_still_merges)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.mshr_entries=1", "uvm.fault_ns=1", NULL}, 256);
    uvm_bench_ask(b, 0, 0);
    cr_assert(uvm_bench_step(b, b->env.sm_cycle + 1));
    cr_assert_eq(uvm_request(b->u, 9, 1), UVM_RETRY);
    uvm_bench_until(b, b->env.sm_cycle + 10);
    cr_expect_eq(uvm_request(b->u, 0, 1), UVM_WAITS);
    cr_expect_eq(b->s.uvm_faults_merged, 1);
    uvm_bench_close(b);
}
