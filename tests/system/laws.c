/* SPDX-License-Identifier: Apache-2.0 */
/* A memory that breaks the rules is found out, and so is a machine that cannot go on. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/bench.h"
#include "system/config/policy.h"
#include "system/fake_driver.h"
#include "system/unit/watchdog.h"

static struct inst four_reads(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n < 4 ? inst_line(INST_LOAD, (uint8_t)n, n) : inst_exit();
}

static struct inst four_writes(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n < 4 ? inst_line(INST_STORE, INST_NO_REG, n) : inst_exit();
}

static struct inst four_atomics(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n < 4 ? inst_line(INST_ATOMIC, (uint8_t)n, n) : inst_exit();
}

static void check_fault(struct config c, struct program p, enum fault fault, const char *message)
{
    struct fixed_memory m = bench_memory();
    m.fault = fault;
    m.fault_at = 2;
    for (int skip = 0; skip < 2; skip++) {
        c.sim_skip = (uint32_t)skip;
        struct outcome *o = bench_run(&c, &p, &m);
        cr_assert_not(o->ok);
        cr_assert_not_null(strstr(o->err.text, message), "found \"%s\", expected \"%s\"", o->err.text, message);
        cr_assert_eq(o->open_blocks, 0);
        free(o);
    }
}

Test(laws, a_lost_response_is_a_deadlock_that_says_who_waits)
{
    const struct config c = bench_config();
    check_fault(
        c, program_of(1, 1, four_reads), FAULT_LOSE,
        "nothing can go on: kernel test has 0 of 1 thread blocks finished; sm.0 has 1 warps: 0 wait for a load, 0 at "
        "a barrier; LSU holds 0 instructions; l1d.0 has 1 reads and atomics and 0 writes in flight");
    check_fault(c, program_of(1, 1, four_writes), FAULT_LOSE, "l1d.0 has 0 reads and atomics and 1 writes in flight");
}

/* The units of a machine that is not stuck wait for something that happens sooner. */
Test(laws, a_machine_that_works_and_moves_nothing_says_who_waits)
{
    struct config c = bench_config();
    struct program p = program_of(1, 1, four_reads);
    struct fixed_memory m = bench_memory();
    c.sim_max_cycles = 0;
    m.fault = FAULT_BUSY;
    m.fault_at = 2;
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert_not(o->ok);
    cr_expect_not_null(strstr(o->err.text, ": nothing has moved since cycle 40"), "found \"%s\"", o->err.text);
    cr_expect_not_null(strstr(o->err.text, "l1d.0 has 1 reads and atomics and 0 writes in flight"), "%s", o->err.text);
    free(o);
}

Test(laws, a_watchdog_waits_for_a_sum_that_stands_still)
{
    struct watchdog w = {0};
    cr_expect(watchdog_sees(&w, 5, 100, 50));
    cr_expect(watchdog_sees(&w, 5, 149, 50));
    cr_expect(watchdog_sees(&w, 6, 150, 50));
    cr_expect(watchdog_sees(&w, 6, 199, 50));
    cr_expect_not(watchdog_sees(&w, 6, 200, 50));
    cr_expect_eq(w.since, 150);
}

/* The driver never answers. */
Test(laws, a_deadlock_with_unified_memory_says_which_page_requests_wait)
{
    struct config c = bench_config();
    struct program p = program_of(1, 1, four_reads);
    struct fake_driver d = {.pages = 1};
    c.uvm_enable = true;
    fake_driver_play(&d);
    struct outcome *o = bench_run(&c, &p, NULL);
    cr_assert_not(o->ok);
    const char *last = strstr(o->err.text, "; 1 page requests not answered");
    cr_assert_not_null(last, "found \"%s\"", o->err.text);
    cr_assert_str_eq(last, "; 1 page requests not answered: 0 in front of the shared TLB, 0 in it, 0 walks waiting, "
                           "0 walking, 0 in front of the driver");
    free(o);
}

Test(laws, a_response_without_a_request_is_an_error)
{
    struct config c = bench_config();
    check_fault(c, program_of(1, 1, four_reads), FAULT_TWICE,
                "data of line 0x2 came back, but no way is reserved for it");
    check_fault(c, program_of(1, 1, four_reads), FAULT_OTHER_LINE,
                "l1d.0: data of line 0x3 came back, but no way is reserved for it");
    check_fault(c, program_of(1, 1, four_writes), FAULT_TWICE, "l1d.0: more writes acknowledged than sent");
    check_fault(c, program_of(1, 1, four_atomics), FAULT_TWICE, "a response for line 0x2 that no access waits for");
    c.l1d_alloc = ALLOC_ON_FILL; /* only the MSHR file knows */
    check_fault(c, program_of(1, 1, four_reads), FAULT_TWICE, "l1d.0: error_o: found 1, expected 0");
    c.l1d_bypass_from_warp = 0;
    check_fault(c, program_of(1, 1, four_reads), FAULT_TWICE, "a response for line 0x2 that no access waits for");
    check_fault(c, program_of(1, 1, four_reads), FAULT_OTHER_LINE, "a response for line 0x3 that no access waits for");
}

static struct inst never_ends(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp, (void)n;
    return inst_of(INST_SP, 1, 1);
}

Test(laws, a_run_that_is_too_long_is_stopped)
{
    struct config c = bench_config();
    c.sim_max_cycles = 5000;
    check_fault(c, program_of(1, 1, never_ends), FAULT_NONE, "sim.max_cycles: 5000 cycles, and the run is not over");
    struct program p = program_of(1, 1, never_ends);
    struct fixed_memory m = bench_memory();
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert_eq(o->stats.gpu_warp_instructions, 500); /* one every 10 cycles: counted, though the run failed */
    free(o);
}

Test(laws, rtl_that_is_not_built_is_an_error)
{
    struct stats s;
    struct error err = {""};
    struct source none = {.ops = NULL};
    const struct run_setup setup = {.config = bench_config(), .source = &none, .rtl_blocks = "dl_mshr,mshr"};
    cr_assert_not(run_workload(&setup, &s, &err));
    cr_assert_not_null(
        strstr(err.text,
               "l1d.0: mshr: found no RTL with these parameters in rtl/mshr, expected: make rtl BLOCK=mshr PARAMS="),
        "%s", err.text);
}

static struct inst same_line(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    struct inst i = n < 3 ? inst_line(INST_LOAD, (uint8_t)(n + 1), 2) : inst_exit();
    if (n == 2) i.src[0] = 1;
    return i;
}

/* All bypass the L1D.  The second answer of read 1 arrives while read 2 of the same line has the slot of read 0. */
Test(laws, a_second_response_is_an_error_though_another_read_of_its_line_waits)
{
    struct config c = bench_config();
    struct program p = program_of(1, 1, same_line);
    struct fixed_memory m = bench_memory();
    c.l1d_bypass_from_warp = 0;
    m.interval = 50;
    m.fault = FAULT_TWICE;
    m.fault_at = 1;
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert_not(o->ok);
    cr_expect_not_null(strstr(o->err.text, "a response for line 0x2 that no access waits for"), "%s", o->err.text);
    cr_expect_lt(o->stats.gpu_cycles, 210, "found only in cycle %lu", o->stats.gpu_cycles);
    free(o);
}

static struct inst one_read_each(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block;
    struct inst i = n < 2 ? inst_line(INST_LOAD, (uint8_t)(n + 1), 2) : inst_exit();
    if (n == 1 || warp >= 70) i.src[0] = 1;
    return i;
}

Test(laws, a_deadlock_counts_warps_beyond_the_first_64)
{
    struct config c = bench_config();
    c.sm_warps = 128;
    c.sm_registers = 1 << 20;
    c.l1d_mshr_slots = 64;
    c.l1d_mshr_entries = 4;
    struct program p = program_of(3, 32, one_read_each);
    struct fixed_memory m = bench_memory();
    m.fault = FAULT_LOSE;
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert_not(o->ok);
    cr_expect_not_null(strstr(o->err.text, "sm.0 has 96 warps: 68 wait for a load"), "%s", o->err.text);
    free(o);
}

/* Thread block 0 loads line 0, thread block 1 line 1. */
static struct inst own_line(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)warp;
    return n ? inst_exit() : inst_line(INST_LOAD, 1, block);
}

Test(laws, a_deadlock_names_the_sm_that_waits)
{
    struct config c = bench_config();
    const struct program p = program_of(2, 1, own_line);
    struct fixed_memory m = bench_memory();
    c.sm_count = 2;
    m.fault = FAULT_LOSE;
    m.fault_at = 1;
    struct outcome *o = bench_run(&c, &p, &m);
    cr_assert_not(o->ok);
    cr_expect_not_null(strstr(o->err.text, "1 of 2 thread blocks finished; sm.1 has 1 warps"), "%s", o->err.text);
    free(o);
}

static struct inst no_memory(const struct program *p, uint32_t block, uint32_t warp, uint32_t n)
{
    (void)p, (void)block, (void)warp;
    return n < 3 ? inst_of(INST_SP, 1, 1) : inst_exit();
}

Test(laws, a_deadlock_names_the_kernel_that_is_not_finished)
{
    const struct config c = bench_config();
    struct program done = program_of(1, 1, no_memory), stuck = program_of(1, 1, own_line);
    struct fixed_memory m = bench_memory();
    snprintf(stuck.kernel.name, sizeof stuck.kernel.name, "stuck");
    m.fault = FAULT_LOSE;
    struct outcome *o = bench_run_beside(&c, (const struct program *const[]){&done, &stuck}, 2, &m, false);
    cr_assert_not(o->ok);
    cr_expect_not_null(strstr(o->err.text, "kernel stuck has 0 of 1 thread blocks finished"), "%s", o->err.text);
    free(o);
}

/* Those of a policy are looked at whether it is chosen or not. */
Test(laws, a_policy_s_law_that_does_not_hold_is_told)
{
    const struct config c = bench_config();
    struct stats *s = calloc(1, sizeof *s);
    struct error err = {""};
    cr_assert(s);
    cr_expect(policy_laws_hold("replacement", &c, s, &err), "%s", err.text);
    s->pdp_accesses = 1;
    cr_expect_not(policy_laws_hold("replacement", &c, s, &err));
    cr_expect_not_null(strstr(err.text, "pdp.accesses"), "%s", err.text);
    free(s);
}
