/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks with decimals: their text, and exact time. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "base/rng.h"
#include "system/config/options.h"
#include "system/machine.h"
#include "system/unit/domain.h"

static struct machine t, other;

static void expect_text(const char *value, uint32_t khz, const char *text)
{
    struct config c;
    struct error err = {""};
    char assignment[64], found[OPTION_TEXT];
    config_default(&c);
    snprintf(assignment, sizeof assignment, "clock.dram=%s", value);
    cr_assert(config_set(&c, assignment, &err), "%s", err.text);
    cr_expect_eq(c.clock_dram_khz, khz, "%s: %u", value, c.clock_dram_khz);
    option_text(&c, option_find("clock.dram"), found);
    cr_expect_str_eq(found, text);
    cr_expect_eq(option_number(&c, option_find("clock.dram")), khz / 1000.0);
}

Test(clocks, a_clock_has_up_to_three_decimals)
{
    expect_text("3500.5", 3500500, "3500.5");
    expect_text("3500.50", 3500500, "3500.5");
    expect_text("1000", 1000000, "1000");
    expect_text("1000.000", 1000000, "1000");
    expect_text("1.001", 1001, "1.001");
    expect_text("850.010", 850010, "850.01");
    expect_text("100000", 100000000, "100000");
    expect_text("100000.0", 100000000, "100000");
    expect_text("99999.999", 99999999, "99999.999");
}

Test(clocks, other_texts_are_refused)
{
    static const char *const wrong[] = {"",           "0",     "0.999", ".5",          "1.",    "1.2345",
                                        "1,5",        "1.-5",  "1e3",   "-1",          "+1",    "1..2",
                                        "100000.001", "1.2.3", "nan",   "4294967.297", "100001"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct config c;
        struct error err = {""};
        char assignment[64];
        config_default(&c);
        snprintf(assignment, sizeof assignment, "clock.l2=%s", wrong[i]);
        cr_expect_not(config_set(&c, assignment, &err), "accepted: %s", wrong[i]);
        cr_expect_eq(c.clock_l2_khz, 1137000);
        if (*wrong[i])
            cr_expect(strstr(err.text, "clock.l2: found \"") &&
                          strstr(err.text, "allowed: 1..100000, up to 3 decimals"),
                      "%s: %s", wrong[i], err.text);
    }
}

/* Against numbers of 128 bits, in kHz. */
static void check_domain(uint32_t khz, uint32_t sm_khz, struct rng *rng)
{
    struct domain d = domain_at(khz, sm_khz);
    for (uint64_t cycle = 0; cycle < 3000; cycle++) {
        domain_enter(&d, cycle);
        cr_assert_eq(d.start, (uint64_t)((unsigned __int128)cycle * khz / sm_khz));
        cr_assert_eq(d.end, (uint64_t)((unsigned __int128)(cycle + 1) * khz / sm_khz));
    }
    for (int i = 0; i < 1000; i++) {
        const uint64_t cycle = rng_below(rng, 100000000000);
        cr_assert_eq(ticks_before(&d, cycle), (uint64_t)((unsigned __int128)cycle * khz / sm_khz));
    }
}

Test(clocks, time_is_exact)
{
    struct rng rng;
    rng_seed(&rng, 3);
    check_domain(3500500, 1132000, &rng);
    check_domain(3500500, 1365000, &rng);
    check_domain(1000, 100000000, &rng);
    check_domain(99999999, 99999998, &rng);
    for (int i = 0; i < 50; i++)
        check_domain(1000 + (uint32_t)rng_below(&rng, 4000000), 1000 + (uint32_t)rng_below(&rng, 4000000), &rng);
}

static void run_at(struct machine *m, const char *const *clocks)
{
    machine_open(m, clocks, NULL);
    for (uint32_t n = 0; n < 2000; n++) {
        while (!machine_room_for_read(m, n % 28)) machine_step(m, NEVER);
        machine_send(m, n % 28, n % 5 ? REQUEST_READ : REQUEST_WRITE, n * 7 % 1000, 128);
    }
    machine_drain(m);
    machine_close(m);
}

/* Only ratios count: all four clocks doubled are the same machine. */
Test(clocks, halves_of_whole_clocks_give_their_counters)
{
    run_at(&t, (const char *const[]){"clock.sm=700.5", "clock.xbar=650", "clock.l2=333.5", "clock.dram=924.25", NULL});
    run_at(&other, (const char *const[]){"clock.sm=2802", "clock.xbar=2600", "clock.l2=1334", "clock.dram=3697", NULL});
    cr_expect_arr_eq(&t.s, &other.s, sizeof t.s);
    cr_expect_arr_eq(t.at, other.at, sizeof t.at);
    run_at(&other, (const char *const[]){"clock.sm=701", "clock.xbar=650", "clock.l2=334", "clock.dram=924", NULL});
    cr_expect_arr_neq(t.at, other.at, sizeof t.at);
}
