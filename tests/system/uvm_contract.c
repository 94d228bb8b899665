/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's contract with the block gmmu: the checker on drivers that keep it and on drivers that break it. */
#include <criterion/criterion.h>
#include <string.h>

#include "system/uvm_bench.h"

/* A driver of two pages: both arrive, page 3's lease of one access runs out, the block is taken. */
struct fake {
    struct gmmu gmmu;
    struct uvm_contract contract;
    struct error err;
    uint64_t cycle;
};

static bool drive(struct fake *f, struct gmmu_in in)
{
    struct gmmu_out out;
    in.lease_enable_i = true;
    gmmu_eval(&f->gmmu, &in, &out);
    gmmu_tick(&f->gmmu, &in);
    return uvm_contract_edge(&f->contract, &in, &out, f->cycle++, &f->err);
}

#define DRIVE(f, ...) drive(f, (struct gmmu_in){__VA_ARGS__})
#define ACCESS(page) .req_valid_i = true, .req_page_i = (page), .req_resident_i = true
#define ARRIVE(page) .arrive_valid_i = true, .arrive_page_i = (page)
#define GONE(page) .gone_valid_i = true, .gone_page_i = (page)

static struct fake *page_3_is_taken(void)
{
    struct gmmu_cfg cfg = {
#define DEFAULT(name, def, min, max, text) .name = def,
        GMMU_PARAM(DEFAULT)};
    struct fake *f = calloc(1, sizeof *f);
    cfg.Pages = 32;
    cfg.InitLease = 1;
    cr_assert(f && uvm_contract_open(&f->contract, cfg.Pages));
    gmmu_init(&f->gmmu, &cfg);
    for (uint32_t i = 0; i < cfg.Pages; i++) cr_assert(drive(f, (struct gmmu_in){0}));
    cr_assert(DRIVE(f, ARRIVE(3)) && DRIVE(f, ARRIVE(4)) && DRIVE(f, ACCESS(3)) && DRIVE(f, .press_valid_i = true));
    for (uint32_t i = 0; i < 4; i++) cr_assert(DRIVE(f, .evict_ready_i = true));
    cr_assert_eq(f->contract.owed, 1);
    return f;
}

static void done(struct fake *f)
{
    uvm_contract_close(&f->contract);
    free(f);
}

Test(uvm_contract, a_page_that_is_taken_and_goes_is_settled)
{
    struct fake *f = page_3_is_taken();
    cr_expect(DRIVE(f, GONE(3)) && DRIVE(f, ARRIVE(3)));
    cr_expect(uvm_contract_end(&f->contract, &f->err), "%s", f->err.text);
    done(f);
}

Test(uvm_contract, a_page_that_is_taken_and_accessed_is_recalled)
{
    struct fake *f = page_3_is_taken();
    cr_expect(DRIVE(f, ACCESS(3)));
    cr_expect(uvm_contract_end(&f->contract, &f->err), "%s", f->err.text);
    for (uint32_t i = 0; i < 4; i++) drive(f, (struct gmmu_in){0});
    cr_expect_eq(f->gmmu.lease_table.page_q[3] & 1023, 1, "it has a lease again");
    done(f);
}

Test(uvm_contract, a_driver_that_does_not_evict_what_it_takes_is_told)
{
    struct fake *f = page_3_is_taken();
    cr_expect(DRIVE(f, GONE(4)));
    cr_expect_not(uvm_contract_end(&f->contract, &f->err));
    cr_expect_not_null(strstr(f->err.text, "page 3 was evicted by the block in cycle "), "%s", f->err.text);
    cr_expect_not_null(strstr(f->err.text, "neither gone nor been accessed since (1 such pages)"), "%s", f->err.text);
    done(f);
}

Test(uvm_contract, migrating_a_page_that_has_not_gone_is_an_error)
{
    struct fake *f = page_3_is_taken();
    cr_expect_not(DRIVE(f, ARRIVE(3)));
    cr_expect_not_null(strstr(f->err.text, "page 3 arrives, evicted by the block in cycle "), "%s", f->err.text);
    done(f);
}

/* In the machine: page 3 is expired and handed out before its first use; it goes after that. */
static struct uvm_bench *page_3_is_put_off(void)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=np", "uvm.evict=ture", "uvm.fault_ns=1",
                                                               "uvm.device_kib=64", "uvm.lease_bits=1", NULL},
                                         512);
    for (uint32_t page = 32; page < 47; page++) uvm_bench_touch(b, page);
    uvm_bench_ask(b, 3, 0);
    uvm_bench_settle(b);
    cr_assert(uvm_bench_ask(b, 3, 1) && b->u->pages->page[3].first_use);
    uvm_bench_until(b, b->env.sm_cycle + 10);
    uvm_bench_ask(b, 80, 0);
    uvm_bench_until(b, b->env.sm_cycle + 100);
    cr_assert(b->u->owed == 1 && b->s.uvm_put_off == 1 && uvm_bench_there(b, 3));
    return b;
}

Test(uvm_contract, the_machine_s_driver_evicts_later_what_it_cannot_evict_now)
{
    struct uvm_bench *b = page_3_is_put_off();
    uvm_used(b->u, 3);
    uvm_bench_until(b, b->env.sm_cycle + 1);
    cr_expect(!uvm_bench_there(b, 3) && !b->u->owed);
    uvm_bench_settle(b);
    uvm_used(b->u, 80);
    uvm_bench_close(b);
}

Test(uvm_contract, an_access_spares_a_page_that_was_put_off)
{
    struct uvm_bench *b = page_3_is_put_off();
    cr_expect(uvm_bench_ask(b, 3, 2));
    cr_expect_eq(b->u->owed, 0);
    uvm_used(b->u, 3);
    uvm_bench_until(b, b->env.sm_cycle + 10);
    cr_expect(uvm_bench_there(b, 3));
    uvm_bench_settle(b);
    uvm_used(b->u, 80);
    uvm_bench_close(b);
}

Test(uvm_contract, a_run_whose_driver_forgets_a_page_fails)
{
    struct uvm_bench *b = page_3_is_put_off();
    b->u->owed = b->u->put_off_count = 0;
    b->u->pages->page[3].put_off = 0;
    uvm_used(b->u, 3);
    uvm_bench_settle(b);
    cr_expect_not(uvm_finish(b->u, &b->err));
    cr_expect_not_null(strstr(b->err.text, "page 3 was evicted by the block"), "%s", b->err.text);
    uvm_destroy(b->u);
    free(b);
}

/* Pages 16 and 31 are handed out, the first and the last of block 1. */
static struct uvm_contract two_pages_owed(void)
{
    struct uvm_contract c;
    struct error err = {""};
    cr_assert(uvm_contract_open(&c, 32));
    const struct gmmu_in in = {.lease_enable_i = true, .evict_ready_i = true};
    const struct gmmu_out out = {.evict_valid_o = true, .evict_block_o = 1, .evict_pages_o = 0x8001};
    cr_assert(uvm_contract_edge(&c, &in, &out, 5, &err));
    return c;
}

Test(uvm_contract, every_page_of_a_block_that_is_taken_is_owed)
{
    struct uvm_contract c = two_pages_owed();
    struct error err = {""};
    cr_expect_eq(c.owed, 2);
    cr_expect_not(uvm_contract_end(&c, &err));
    cr_expect_not_null(strstr(err.text, "page 16 was evicted by the block in cycle 5"), "%s", err.text);
    uvm_contract_close(&c);
}

Test(uvm_contract, an_access_that_is_not_taken_settles_nothing)
{
    struct uvm_contract c = two_pages_owed();
    struct error err = {""};
    const struct gmmu_in in = {.lease_enable_i = true, ACCESS(31)};
    const struct gmmu_out busy = {.req_ready_o = false}, ready = {.req_ready_o = true};
    cr_expect(uvm_contract_edge(&c, &in, &busy, 6, &err));
    cr_expect_eq(c.owed, 2);
    cr_expect(uvm_contract_edge(&c, &in, &ready, 7, &err));
    cr_expect_eq(c.owed, 1);
    uvm_contract_close(&c);
}
