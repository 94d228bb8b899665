/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config_summary.h"

#include <stdio.h>

#include "system/config/miss_kind.h"

/* 10^9 bytes a second. */
static double gbs(double bytes_a_clock, uint32_t mhz)
{
    return bytes_a_clock * mhz / 1000;
}

static double kib(uint32_t sets, uint32_t ways)
{
    return (double)sets * ways * 128 / 1024;
}

static void row(const char *name, double value, const char *unit, const char *meaning)
{
    printf("%-24s %12.6g %-6s %s\n", name, value, unit, meaning);
}

static void print_sm(const struct config *c)
{
    row("sm_warps_resident", (double)c->sm_count * c->sm_warps, "warps", "in all SMs");
    row("sm_peak_ipc", (double)c->sm_count * c->sm_schedulers, "",
        "warp instructions per cycle that the schedulers can issue");
    row("sm_registers_kib", (double)c->sm_count * c->sm_registers * 4 / 1024, "KiB", "register files of all SMs");
    row("sm_shared_kib", (double)c->sm_count * c->sm_shared_bytes / 1024, "KiB", "shared memory of all SMs");
}

static void print_l1d(const struct config *c)
{
    const struct miss_shape in_flight = miss_kind_of(c, MISS_L1D)->shape(c, MISS_L1D);
    if (!c->l1d_enable) return;
    row("l1d_kib", kib(c->l1d_sets, c->l1d_ways), "KiB", "L1D of one SM");
    row("l1d_all_kib", kib(c->l1d_sets, c->l1d_ways) * c->sm_count, "KiB", "L1Ds of all SMs");
    row("l1d_lines_in_flight", in_flight.lines, "lines", "maximum outstanding lines of one L1D");
    row("l1d_requests_in_flight", in_flight.slots, "", "maximum accesses waiting for them");
}

static void print_l2(const struct config *c)
{
    const double slices = (double)c->partition_count * c->partition_slices;
    const struct miss_shape in_flight = miss_kind_of(c, MISS_L2)->shape(c, MISS_L2);
    row("l2_slices", slices, "", "of all partitions");
    row("l2_kib", kib(c->l2_sets, c->l2_ways) * slices, "KiB", "of all slices");
    row("l2_lines_in_flight", in_flight.lines * slices, "lines", "maximum outstanding lines of all slices");
}

static void print_links(const struct config *c)
{
    const double flit = (double)c->xbar_flit_bytes * c->xbar_speedup;
    row("xbar_request_gbs", gbs(flit * c->partition_count, config_mhz(c->clock_xbar_khz)), "GB/s",
        "flits into all partitions");
    row("xbar_response_gbs", gbs(flit * c->partition_count, config_mhz(c->clock_xbar_khz)), "GB/s",
        "flits out of all partitions");
    row("dram_peak_gbs", gbs((double)c->dram_bus_bytes * c->partition_count, config_mhz(c->clock_dram_khz)), "GB/s",
        "data buses of all channels");
    row("dram_bytes_a_cycle",
        (double)c->dram_bus_bytes * c->partition_count * config_mhz(c->clock_dram_khz) / config_mhz(c->clock_sm_khz),
        "bytes", "the same per SM cycle");
    row("dram_banks", (double)c->dram_banks * c->partition_count, "", "of all channels");
}

void config_summary(const struct config *c)
{
    print_sm(c);
    print_l1d(c);
    print_l2(c);
    print_links(c);
    if (c->uvm_enable && !c->uvm_oversubscribe_percent)
        row("uvm_device_mib", c->uvm_device_kib / 1024.0, "MiB", "device memory");
    if (c->uvm_enable)
        row("pcie_peak_gbs", c->pcie_mibps_2m * 1.048576e-3, "GB/s", "PCIe, each direction, long transfers");
}
