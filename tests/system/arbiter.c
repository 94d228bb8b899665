/* SPDX-License-Identifier: Apache-2.0 */
/* The arbiter on its own: cycles slept are cycles. */
#include "system/sm/arbiter.h"

#include <criterion/criterion.h>

#include "system/config/config.h"

static struct arbiter *arbiter_of(uint32_t scheme, uint32_t workloads)
{
    static struct config c;
    static struct stats s;
    static struct env env = {.config = &c, .stats = &s};
    struct error err = {""};
    config_default(&c);
    c.cke_scheme = scheme;
    struct arbiter *a = arbiter_create(&env, 0, workloads, &err);
    cr_assert(a, "%s", err.text);
    return a;
}

static struct arbiter *new_arbiter(uint32_t scheme)
{
    return arbiter_of(scheme, 2);
}

static bool tick(struct arbiter *a)
{
    struct error err = {""};
    bool more = arbiter_tick(a, &err);
    cr_assert_not(err.text[0], "%s", err.text);
    return more;
}

static void instruction(struct arbiter *a, uint32_t workload, uint32_t requests)
{
    arbiter_issue(a, workload);
    arbiter_access(a, workload, requests, 0);
    while (tick(a)) continue;
}

/* As many instructions of both, up to request 1024 of workload 1, which has 32 in each. */
static void first_interval(struct arbiter *a)
{
    for (int i = 0; i < 32; i++) {
        instruction(a, 0, 1);
        instruction(a, 1, 32);
    }
}

/* Both always ready: who gets to issue, as bits. */
static uint64_t choices(struct arbiter *a)
{
    uint64_t bits = 0;
    for (int i = 0; i < 64; i++) {
        uint32_t may = arbiter_choose(a, 3);
        cr_assert(may == 1 || may == 2, "one of both, found %u", may);
        bits = bits << 1 | (may == 2);
        arbiter_issue(a, may == 2);
        tick(a);
    }
    return bits;
}

/* The 1024th request changes Req/Minst; the quotas that follow from it take a qbmi eighteen cycles. */
Test(arbiter, quotas_are_worked_out_while_the_sm_sleeps)
{
    struct arbiter *slept = new_arbiter(CKE_QBMI), *awake = new_arbiter(CKE_QBMI);
    first_interval(slept);
    first_interval(awake);
    arbiter_idle(slept, 18);
    for (int i = 0; i < 18; i++) tick(awake);
    uint64_t a = choices(slept), b = choices(awake);
    cr_expect_eq(a, b, "found %016lx asleep, %016lx awake", a, b);
    cr_expect_leq(__builtin_popcountll(b), 4, "workload 1 has 32 requests an instruction: %016lx", b);
    arbiter_destroy(slept);
    arbiter_destroy(awake);
}

/* Two failures a request: half of the most in flight. */
static void expect_half(struct arbiter *a)
{
    arbiter_access(a, 0, 1024, 0);
    while (tick(a)) continue;
    for (int done = 0; done < 5; done++) {
        cr_expect_eq(arbiter_choose(a, 3), 2, "%d in flight, the limit is 5", 10 - done);
        arbiter_retire(a, 0);
        tick(a);
    }
    cr_expect_eq(arbiter_choose(a, 3), 2, "5 in flight, the limit is 5");
    arbiter_retire(a, 0);
    tick(a);
    cr_expect_eq(arbiter_choose(a, 3), 3, "4 in flight");
}

static struct arbiter *ten_in_flight(void)
{
    struct arbiter *a = new_arbiter(CKE_DMIL);
    for (int i = 0; i < 10; i++) {
        arbiter_issue(a, 0);
        tick(a);
    }
    return a;
}

Test(arbiter, failures_count_while_the_sm_sleeps)
{
    struct arbiter *a = ten_in_flight();
    arbiter_access(a, 0, 0, 2048);
    arbiter_idle(a, 2048);
    expect_half(a);
    arbiter_destroy(a);
}

/* 2048 failures of workload 0, so many in each cycle. */
static void expect_half_after(uint64_t each)
{
    struct arbiter *a = ten_in_flight();
    for (uint64_t i = 0; i < 2048; i += each) {
        arbiter_access(a, 0, 0, each);
        tick(a);
    }
    expect_half(a);
    arbiter_destroy(a);
}

Test(arbiter, failures_count_while_nothing_else_happens)
{
    expect_half_after(1);
}

/* Each pipeline of a bank may have one. */
Test(arbiter, failures_of_one_cycle_all_count_in_it)
{
    expect_half_after(4);
}

/* As many as cke.limit0 can ask for. */
Test(arbiter, without_a_limit_127_instructions_may_be_in_flight)
{
    struct arbiter *a = new_arbiter(CKE_SMIL);
    for (int i = 0; i < 127; i++) {
        cr_assert_eq(arbiter_choose(a, 3), 3, "%d in flight", i);
        arbiter_issue(a, 0);
        tick(a);
    }
    cr_expect_eq(arbiter_choose(a, 3), 2, "127 in flight");
    arbiter_destroy(a);
}

/* With 32, 31 and 1 requests an instruction, sets of 31, 32 and 992: of 1000 instructions workload 2 issues 940. */
Test(arbiter, quotas_of_three_workloads_hold_their_least_common_multiple)
{
    static const uint32_t requests[] = {32, 31, 1};
    struct arbiter *a = arbiter_of(CKE_QBMI, 3);
    uint32_t issued[3] = {0};
    for (uint32_t w = 0; w < 3; w++)
        for (uint32_t sent = 0; sent < 1024; sent += requests[w]) instruction(a, w, requests[w]);
    arbiter_idle(a, 18);
    for (int i = 0; i < 3000; i++) {
        const uint32_t w = (uint32_t)__builtin_ctz(arbiter_choose(a, 7));
        issued[w]++;
        arbiter_issue(a, w);
        tick(a);
    }
    cr_expect_gt(issued[2], 2700, "found %u, %u and %u", issued[0], issued[1], issued[2]);
    arbiter_destroy(a);
}
