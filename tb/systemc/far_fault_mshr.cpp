// SPDX-License-Identifier: Apache-2.0
// Outstanding far-faults: Gu20, sections 4.2.1 and 4.3.
#include "bench.hpp"
#include "far_fault_mshr_inputs.hpp"

static constexpr bool kThree = cfg.Entries >= 3 && cfg.Requesters >= 3;

SCENARIO(far_fault, cfg.Requesters >= 2,
         "4.2.1: an entry for a far-fault, the driver is told, the waiting ones are replayed")
{
    run.expect_equal(run.cycle(request(1, 1)).req_result_o, FAR_FAULT_PRIMARY, "the first");
    run.expect_equal(run.cycle(request(1, 0)).req_result_o, FAR_FAULT_SECONDARY, "the second merges with it");
    run.expect_equal(run.cycle(ready(true, false)).fault_page_o, 1, "what the driver is told");
    for (uint32_t i = 0; i < 45; i++) run.expect(!run.idle().fault_valid_o, "it is told once");
    run.expect(run.cycle(fill(1)).fill_hit_o, "the page is waited for");
    run.expect_equal(run.cycle(ready(false, true)).rsp_id_o, 0, "the lowest number first");
    run.expect(run.cycle(ready(false, true)).rsp_last_o, "then the other, which is the last");
    const auto now = run.registers();
    run.expect_equal(now.rtl.used_q, 0, "entries of the RTL in use");
    run.expect_equal(now.twin.used_q, 0, "entries of the twin in use");
}

SCENARIO(order, kThree,
         "faults go to the driver in their order; one whose page has come by another's prefetch does not")
{
    for (uint32_t page = 1; page <= 3; page++) run.cycle(request(page, page - 1));
    run.cycle(fill(2));
    run.expect_equal(run.cycle(ready(true, true)).fault_page_o, 1, "the oldest");
    run.expect_equal(run.cycle(ready(true, true)).fault_page_o, 3, "the next");
    run.expect(!run.idle().fault_valid_o, "no other");
}

SCENARIO(refused, cfg.Requesters >= 2, "FULL and DRAINING are to be tried again")
{
    if (cfg.Entries >= 1u << std::min(cfg.PageW, 31u)) return;
    for (uint32_t page = 0; page < cfg.Entries; page++) run.cycle(request(page, 0));
    run.expect_equal(run.cycle(request(cfg.Entries, 0)).req_result_o, FAR_FAULT_FULL, "no entry");
    run.cycle(fill(0));
    run.expect_equal(run.cycle(request(0, 1)).req_result_o, FAR_FAULT_DRAINING, "the page has come");
    run.expect_equal(run.cycle(request(cfg.Entries, 0)).req_result_o, FAR_FAULT_PRIMARY, "an entry");
}
