// SPDX-License-Identifier: Apache-2.0
// Figure 4.5 on the pins: far-faults, the prefetcher, leases, the coalescer of evictions.  Gu20,
// sections 4.2.1, 4.3.
#include "bench.hpp"
#include "gmmu_inputs.hpp"

static void cleared(tb::Bench &run)
{
    for (uint32_t i = 0; i < cfg.Pages; i++) run.expect(!run.idle().ready_o, "the lease table is being cleared");
    In in{};
    in.alloc_valid_i = true;
    in.alloc_pages_i = 32;
    run.expect(run.cycle(in).alloc_ready_o, "an allocation of 128 KiB");
}

static constexpr bool kSmall = cfg.Pages <= 4096;

SCENARIO(far_fault, kSmall &&cfg.Requesters > 1,
         "4.2.1: a far-fault goes to the driver; when its page has come, who asked is told")
{
    cleared(run);
    run.expect_equal(run.cycle(request(20, false, 1)).req_result_o, GMMU_PRIMARY, "the first request");
    run.expect_equal(run.cycle(request(20, false, 0)).req_result_o, GMMU_SECONDARY, "the second");
    In take = leases();
    take.fault_ready_i = true;
    run.expect_equal(run.cycle(take).fault_page_o, 20, "what the driver is told");
    run.cycle(arrival(20));
    In ready = leases();
    ready.rsp_ready_i = true;
    run.expect_equal(run.cycle(ready).rsp_id_o, 0, "the lowest number first");
    run.expect(run.cycle(ready).rsp_last_o, "then the other");
    run.expect_equal(run.cycle(request(20, true)).req_result_o, GMMU_RESIDENT, "the replay");
    const auto now = run.registers();
    run.expect_equal(now.rtl.far_fault_mshr.used_q, 0, "far-faults of the RTL");
    run.expect_equal(now.twin.lease_table.resident_q, 1, "resident pages of the twin");
}

SCENARIO(prefetch, kSmall,
         "4.3.1: what comes with a far-fault by the free memory: a window of chunks, those that are absent")
{
    cleared(run);
    In serve = leases();
    serve.serve_valid_i = true;
    serve.serve_page_i = 5;
    serve.avail_pages_i = 2 * cfg.Pages - 1;
    run.expect(run.cycle(serve).serve_ready_o, "the fault is taken");
    In look = leases();
    look.look_ready_i = look.mig_ready_i = true;
    look.look_resident_i = 0x0f00;
    uint32_t pages = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const Out &out = run.cycle(look);
        if (out.mig_valid_o && out.mig_demand_o) pages = out.mig_pages_o;
    }
    run.expect_equal(pages, 0xf0ff, "pages of the fault's chunk");
}

SCENARIO(lease_and_recall, kSmall,
         "4.3.2: a lease runs out, the page waits in the coalescer; an access gives half a lease back")
{
    cleared(run);
    run.cycle(arrival(3));
    for (uint32_t i = 0; i < kLease; i++) run.expect(run.cycle(request(3, true)).req_ready_o, "it lives");
    run.cycle(leases());
    run.expect_equal(run.cycle(leases()).expired_o, 1, "it has expired");
    run.cycle(request(3, true));
    run.cycle(leases());
    run.expect(!run.cycle(request(3, true)).req_ready_o, "its lease is being given back");
    run.expect_equal(run.cycle(leases()).recalled_o, 1, "blocks recalled");
}

SCENARIO(pressure, kSmall, "4.3.2.2: under pressure expired pages are handed out by block, while arrivals go on")
{
    cleared(run);
    run.cycle(arrival(17));
    for (uint32_t i = 0; i < kLease; i++) run.cycle(request(17, true));
    run.cycle(leases());
    run.cycle(leases());
    In press = leases();
    press.press_valid_i = true;
    run.cycle(press);
    run.expect(run.cycle(arrival(18)).arrive_ready_o, "the driver brings a page first");
    In take = leases();
    take.evict_ready_i = true;
    const Out offer = run.cycle(take);
    run.expect(offer.evict_valid_o && offer.evict_block_o == 1 && offer.evict_pages_o == 2, "page 17");
    run.expect_equal(run.cycle(take).press_count_o, 1, "blocks handed out");
}
