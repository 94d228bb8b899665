/* SPDX-License-Identifier: Apache-2.0 */
/* Far-faults that meet other pages on their way: which is handled when, which needs no handling. */
#include "system/uvm_bench.h"

/* From a request to its answer, as in uvm.c. */
enum { TOLD = 2, HANDLING = 66645, PAGE_TIME = 2606, BLOCK_TIME = 8702, ANSWER = 2 };

/* The smallest capacities, the shortest handling: a departure takes far longer than a handling. */
#define SMALL(...) ((const char *const[]){"uvm.prefetch=sp", "uvm.fault_ns=1", __VA_ARGS__, NULL})

static uint64_t first_answer(const char *ns)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){ns, NULL}, 64);
    cr_expect_not(uvm_bench_ask(b, 9, 0));
    uint64_t start = b->env.sm_cycle;
    uvm_bench_settle(b);
    uint64_t cycles = uvm_bench_find(b, 't', 9)->cycle - start;
    uvm_bench_close(b);
    return cycles - TOLD - PAGE_TIME - ANSWER;
}

/* At 1481 MHz. */
Test(uvm_faults, a_handling_takes_whole_cycles_rounded_up)
{
    cr_expect_eq(first_answer("uvm.fault_ns=1"), 2, "1.481 cycles");
    cr_expect_eq(first_answer("uvm.fault_ns=2"), 3, "2.962 cycles");
    cr_expect_eq(first_answer("uvm.fault_ns=1000"), 1481, "1481 cycles, no more");
    cr_expect_eq(first_answer("uvm.fault_ns=1001"), 1483, "1482.481 cycles");
}

/* Page 7 comes with page 3, while the fault of page 35 is handled; nobody looks at faults meanwhile. */
Test(uvm_faults, the_fault_of_a_page_that_arrives_is_over)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=sp", NULL}, 256);
    uvm_bench_ask(b, 3, 0);
    uvm_bench_ask(b, 35, 0);
    uvm_bench_until(b, HANDLING + BLOCK_TIME / 2);
    cr_assert_eq(b->s.uvm_handlings, 2);
    uvm_bench_ask(b, 7, 1);
    uvm_bench_until(b, HANDLING + BLOCK_TIME / 2 + 100);
    cr_expect(b->u->pages->page[7].fault);
    uvm_bench_until(b, HANDLING + 2 * BLOCK_TIME);
    cr_assert(uvm_bench_find(b, 't', 7));
    cr_expect_eq(b->s.uvm_faults_skipped, 1);
    cr_expect_not(b->u->pages->page[7].fault);
    cr_expect_eq(b->u->buffer.count, 0);
    uvm_bench_settle(b);
    cr_expect_eq(b->s.uvm_handlings, 2);
    cr_expect_eq(b->s.uvm_faults_skipped, 1);
    uvm_bench_close(b);
}

/* A fault may reach the driver in any cycle around the arrival of its page, or not at all: the laws that uvm_finish()
 * checks hold, and every page is reported once. */
Test(uvm_faults, a_request_beside_the_arrival_of_its_page_is_answered)
{
    for (int64_t offset = -8; offset <= 24; offset++) {
        struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=sp", NULL}, 256);
        uvm_bench_ask(b, 3, 0);
        uvm_bench_ask(b, 35, 0);
        uvm_bench_until(b, (uint64_t)(TOLD + HANDLING + BLOCK_TIME + offset));
        bool there = uvm_bench_ask(b, 7, 1);
        uvm_bench_settle(b);
        cr_expect_eq(uvm_bench_find(b, 't', 7) != NULL, !there, "%ld cycles after the transfer", offset);
        cr_expect_eq(b->s.uvm_faults, b->s.uvm_faults_handled + b->s.uvm_faults_skipped);
        cr_expect_eq(b->s.uvm_faults_handled, 2);
        uvm_bench_close(b);
    }
}

/* Block 0 leaves for block 2 and cannot, since page 3 is pinned.  The fault of page 3 has to wait; that of page 67,
 * behind it, has not: that page is on its list to come. */
Test(uvm_faults, a_page_that_leaves_holds_up_its_own_fault_only)
{
    struct uvm_bench *b = uvm_bench_open(SMALL("uvm.device_kib=128"), 1024);
    uvm_bench_touch(b, 3);
    uvm_bench_touch(b, 19);
    uvm_bench_settle(b);
    uvm_pin(b->u, 3);
    uvm_bench_ask(b, 35, 0);
    uvm_bench_until(b, b->env.sm_cycle + 20);
    cr_assert_eq(b->u->pages->page[3].state, PAGE_LEAVING);
    uvm_bench_ask(b, 3, 1);
    uvm_bench_until(b, b->env.sm_cycle + 20);
    uvm_bench_ask(b, 67, 2);
    uvm_bench_until(b, b->env.sm_cycle + 4 * BLOCK_TIME);
    cr_expect_eq(b->u->pages->page[67].state, PAGE_COMING);
    cr_expect_eq(b->u->pages->page[3].state, PAGE_LEAVING);
    cr_expect(b->u->pages->page[3].fault);
    cr_expect_eq(b->s.uvm_faults_handled, 4);
    uvm_unpin(b->u, 3);
    uvm_bench_until(b, b->env.sm_cycle + 4 * BLOCK_TIME);
    uvm_used(b->u, 35);
    uvm_used(b->u, 67);
    uvm_bench_settle(b);
    cr_expect(uvm_bench_there(b, 3));
    uvm_bench_close(b);
}

/* Blocks 1 and 2 are there.  With page 48, of block 3, the tree wants block 0, too. */
Test(uvm_faults, the_run_of_the_faulting_page_comes_first)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=tp", NULL}, 2048);
    uvm_bench_touch(b, 16);
    uvm_bench_touch(b, 32);
    uvm_bench_settle(b);
    cr_assert_not(uvm_bench_there(b, 0));
    uvm_bench_ask(b, 48, 0);
    uint64_t start = b->env.sm_cycle;
    uvm_bench_until(b, start + TOLD + HANDLING + BLOCK_TIME + BLOCK_TIME / 2);
    cr_expect(uvm_bench_there(b, 48));
    cr_expect_eq(b->u->pages->page[0].state, PAGE_COMING);
    uvm_bench_settle(b);
    cr_expect(uvm_bench_there(b, 0));
    uvm_bench_close(b);
}

Test(uvm_faults, memory_is_oversubscribed_first_once)
{
    struct uvm_bench *b = uvm_bench_open(SMALL("uvm.device_kib=64"), 1024);
    uvm_bench_touch(b, 0);
    cr_expect_eq(b->s.uvm_oversubscribed_at, 0);
    uvm_bench_touch(b, 16);
    uint64_t first = b->s.uvm_oversubscribed_at;
    cr_expect_gt(first, 0);
    for (uint32_t page = 32; page < 256; page += 16) uvm_bench_touch(b, page);
    cr_expect_eq(b->s.uvm_oversubscribed_at, first);
    uvm_bench_close(b);
}

/* One page comes; or a block comes, and goes for another one. */
Test(uvm_faults, the_link_is_busy_while_pages_are_on_it)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.fault_ns=1", NULL}, 256);
    uvm_bench_touch(b, 3);
    uvm_bench_settle(b);
    cr_assert(uvm_finish(b->u, &b->err), "%s", b->err.text);
    cr_expect_eq(b->s.pcie_in_busy, PAGE_TIME);
    cr_expect_eq(b->s.pcie_out_busy, 0);
    uvm_bench_close(b);
    b = uvm_bench_open(SMALL("uvm.device_kib=64"), 256);
    uvm_bench_touch(b, 3);
    uvm_bench_touch(b, 35);
    uvm_bench_settle(b);
    cr_assert(uvm_finish(b->u, &b->err), "%s", b->err.text);
    cr_expect_eq(b->s.pcie_in_busy, 2 * BLOCK_TIME);
    cr_expect_eq(b->s.pcie_out_busy, BLOCK_TIME);
    uvm_bench_close(b);
}
