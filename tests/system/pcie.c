/* SPDX-License-Identifier: Apache-2.0 */
/* The PCIe link: how long a transfer takes, and one at a time in each direction. */
#include "system/uvm/pcie.h"

#include <criterion/criterion.h>
#include <math.h>

#include "system/unit/unit.h"

static struct config at_1481(void)
{
    struct config c;
    config_default(&c);
    c.clock_sm_khz = 1481000;
    return c;
}

static struct pcie *open_link(const struct config *c)
{
    struct error err = {""};
    struct pcie *p = pcie_create(c, &err);
    cr_assert(p, "%s", err.text);
    return p;
}

/* Cycles of the paper's simulator: 12 * 2/pi * atan(0.07292 * KB) GB/s of 2^30 bytes. */
static double formula(double kib)
{
    double gb = 24 / M_PI * atan(0.07292 * kib);
    return kib * 1024 / (gb * 0x1p30) * 1481e6;
}

Test(pcie, the_table_is_the_simulators_formula)
{
    const struct config c = at_1481();
    struct pcie *p = open_link(&c);
    for (uint32_t kib = 4; kib <= 2048; kib *= 2) {
        /* A bandwidth in whole MiB/s is off by half of one at most. */
        double cycles = formula(kib), mibps = kib / 1024.0 * 1481e6 / cycles;
        cr_expect_float_eq((double)pcie_cycles(p, (uint64_t)kib << 10), cycles, 1 + cycles * 0.5 / mibps, "%u KiB",
                           kib);
    }
    cr_expect_eq(pcie_cycles(p, 4096), 2606); /* 2,605.7 by the formula */
    cr_expect_eq(pcie_cycles(p, 65536), 8702);
    cr_expect_float_eq((double)pcie_cycles(p, 2 << 20), 242080, 10);
    pcie_destroy(p);
}

Test(pcie, between_two_sizes_the_time_is_linear)
{
    const struct config c = at_1481();
    struct pcie *p = open_link(&c);
    for (uint64_t pages = 2; pages <= 512; pages++) {
        uint64_t low = 1;
        while (low * 2 < pages) low *= 2;
        double a = (double)pcie_cycles(p, low * 4096), b = (double)pcie_cycles(p, low * 2 * 4096);
        double expected = a + (b - a) * (double)(pages - low) / (double)low;
        cr_expect_float_eq((double)pcie_cycles(p, pages * 4096), expected, 1.01, "%u pages", (unsigned)pages);
        cr_expect_geq(pcie_cycles(p, pages * 4096), pcie_cycles(p, (pages - 1) * 4096));
    }
    cr_expect_float_eq((double)pcie_cycles(p, 8 << 20), 4.0 * (double)pcie_cycles(p, 2 << 20), 2);
    pcie_destroy(p);
}

Test(pcie, bandwidths_are_options)
{
    struct config c = at_1481();
    c.pcie_mibps_4k = 1000000;
    struct pcie *p = open_link(&c);
    cr_expect_eq(pcie_cycles(p, 4096), 6); /* 3.9 ns */
    pcie_destroy(p);
    c.clock_sm_khz = 1000;
    p = open_link(&c);
    cr_expect_eq(pcie_cycles(p, 4096), 1); /* never none */
    pcie_destroy(p);
}

Test(pcie, one_transfer_at_a_time_in_each_direction)
{
    const struct config c = at_1481();
    struct pcie *p = open_link(&c);
    const struct pcie_transfer page = {.first = 7, .pages = 1}, block = {.first = 32, .pages = 16};
    struct pcie_transfer t;
    cr_expect_eq(pcie_wake(p), NEVER);
    cr_expect(pcie_send(p, PCIE_TO_DEVICE, &page, 100));
    cr_expect(pcie_send(p, PCIE_TO_DEVICE, &block, 110));
    cr_expect(pcie_send(p, PCIE_TO_HOST, &block, 120));
    cr_expect_eq(pcie_wake(p), 2706);
    cr_expect_eq(pcie_counts(p, PCIE_TO_DEVICE, 150).busy_cycles, 50); /* of the one on its way */
    cr_expect_not(pcie_ended(p, PCIE_TO_DEVICE, 2705, &t));
    cr_expect_not(pcie_ended(p, PCIE_TO_HOST, 2706, &t));
    cr_assert(pcie_ended(p, PCIE_TO_DEVICE, 2706, &t));
    cr_expect_eq(t.first, 7);
    cr_expect_not(pcie_ended(p, PCIE_TO_DEVICE, 2706, &t));
    cr_expect_eq(pcie_wake(p), 120 + 8702); /* the other direction did not wait */
    cr_assert(pcie_ended(p, PCIE_TO_HOST, 8822, &t));
    cr_expect_eq(t.first, 32);
    cr_assert(pcie_ended(p, PCIE_TO_DEVICE, 2706 + 8702, &t));
    cr_expect_eq(pcie_wake(p), NEVER);
    struct pcie_counts in = pcie_counts(p, PCIE_TO_DEVICE, 20000), out = pcie_counts(p, PCIE_TO_HOST, 20000);
    cr_expect_eq(in.transfers, 2);
    cr_expect_eq(in.pages, 17);
    cr_expect_eq(in.busy_cycles, 2606 + 8702);
    cr_expect_eq(out.busy_cycles, 8702);
    pcie_destroy(p);
}
