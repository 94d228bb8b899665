// SPDX-License-Identifier: Apache-2.0
// Outstanding far-faults: Gu20, sections 4.2.1 and 4.3.
#include "run.hpp"

static inline In request(uint64_t page, uint32_t id)
{
    In in{};
    in.req_valid_i = true;
    in.req_page_i = page;
    in.req_id_i = uint8_t(id);
    return in;
}

static inline In fill(uint64_t page)
{
    In in{};
    in.fill_valid_i = true;
    in.fill_page_i = page;
    return in;
}

static inline In ready(bool driver, bool requesters)
{
    In in{};
    in.fault_ready_i = driver;
    in.rsp_ready_i = requesters;
    return in;
}

SCENARIO(merged, true,
         "4.2.1: faults on one page are one far-fault; each requester gets one response when the page has arrived")
{
    for (uint32_t id = cfg.Requesters; id-- > 0;)
        run.expect_equal(run.cycle(request(1, id)).req_result_o,
                         id + 1 == cfg.Requesters ? FAR_FAULT_PRIMARY : FAR_FAULT_SECONDARY, "result");
    const Out &fault = run.cycle(ready(true, false));
    run.expect(fault.fault_valid_o && fault.fault_page_o == 1, "the fault is offered to the driver");
    run.expect(!run.idle().fault_valid_o, "once");
    run.expect(run.idle().used_o == 1 && run.idle().faults_o == 1, "one entry, one far-fault");
    run.expect(run.cycle(fill(1)).fill_hit_o, "a requester waits for the page");
    run.expect_equal(run.idle().used_o, 0, "entries: it is free while responses are sent");
    for (uint32_t id = 0; id < cfg.Requesters; id++) {
        const Out &out = run.cycle(ready(false, true));
        run.expect(out.rsp_valid_o && out.rsp_page_o == 1 && out.rsp_id_o == id, "the lowest number first");
        run.expect_equal(out.rsp_last_o, id + 1 == cfg.Requesters, "rsp_last_o");
    }
    run.expect(!run.cycle(ready(false, true)).rsp_valid_o, "nobody twice");
    run.expect_equal(run.idle().merged_o, cfg.Requesters - 1, "merged");
}

SCENARIO(full, true, "as many far-faults as entries; the next is refused, and taken in the cycle after a page has come")
{
    if (cfg.Entries >= 1u << std::min(cfg.PageW, 31u)) return;
    for (uint32_t i = 0; i < cfg.Entries; i++) run.cycle(request(i, 0));
    run.expect_equal(run.cycle(request(cfg.Entries, 0)).req_result_o, FAR_FAULT_FULL, "result");
    In both = request(cfg.Entries, 0);
    both.fill_valid_i = true;
    run.expect_equal(run.cycle(both).req_result_o, FAR_FAULT_FULL, "result in the page's cycle");
    run.expect_equal(run.cycle(request(cfg.Entries, 0)).req_result_o, FAR_FAULT_PRIMARY, "result");
    run.expect_equal(run.cycle(request(0, 0)).req_result_o, FAR_FAULT_DRAINING,
                     "result while page 0's responses are sent");
}

SCENARIO(prefetched, true, "a page that another fault's prefetch has brought: its fault is withdrawn, the order stays")
{
    if (cfg.Entries < 3 || cfg.PageW < 2) return;
    for (uint32_t i = 0; i < 3; i++) run.cycle(request(i, 0));
    In in = fill(1);
    in.fault_ready_i = true;
    run.expect(!run.cycle(in).fault_valid_o, "no fault is offered in the cycle in which one is withdrawn");
    run.expect_equal(run.cycle(ready(true, true)).fault_page_o, 0, "the oldest");
    run.expect_equal(run.cycle(ready(true, true)).fault_page_o, 2, "the next");
    run.expect(!run.cycle(fill(3)).fill_hit_o, "no requester waits for this one");
    run.expect_equal(run.idle().error_o, FAR_FAULT_MSHR_OK, "which is no error");
}

SCENARIO(illegal, true, "a second request for a page, or an unknown requester: a sticky error, nothing else changes")
{
    run.cycle(request(2, 0));
    run.cycle(request(2, 0));
    run.expect_equal(run.idle().error_o, FAR_FAULT_MSHR_ERROR_TWICE, "error_o");
    run.cycle(request(1, cfg.Requesters));
    run.expect_equal(run.idle().error_o, FAR_FAULT_MSHR_ERROR_TWICE, "error_o: the first one");
    run.expect_equal(run.idle().used_o,
                     cfg.Requesters & (cfg.Requesters - 1) || cfg.Requesters == 1 ? 1 : 2 - (cfg.Entries == 1),
                     "far-faults");
}

static const bool kThree = cfg.Entries >= 3 && cfg.Requesters >= 3;

SCENARIO(far_fault, cfg.Requesters >= 2,
         "4.2.1: an entry for a far-fault, which goes to the driver; waiting requesters are replayed")
{
    run.expect_equal(run.cycle(request(1, 1)).req_result_o, FAR_FAULT_PRIMARY, "the first");
    run.expect_equal(run.cycle(request(1, 0)).req_result_o, FAR_FAULT_SECONDARY, "the second merges with it");
    run.expect_equal(run.cycle(ready(true, false)).fault_page_o, 1, "the page offered to the driver");
    for (uint32_t i = 0; i < 45; i++) run.expect(!run.idle().fault_valid_o, "it is offered once");
    run.expect(run.cycle(fill(1)).fill_hit_o, "the page is waited for");
    run.expect_equal(run.cycle(ready(false, true)).rsp_id_o, 0, "the lowest number first");
    run.expect(run.cycle(ready(false, true)).rsp_last_o, "then the other, which is the last");
    const Twin &now = run.registers();
    run.expect_equal(now.used_q, 0, "entries in use");
}

SCENARIO(order, kThree &&cfg.PageW > 1,
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

SCENARIO(withdrawn, kThree &&cfg.PageW > 3,
         "the fault of a page that arrives first is withdrawn, even while it is offered")
{
    for (uint64_t page = 1; page < 4; page++) run.cycle(request(page, 0));
    run.expect(!run.cycle(fill(1)).fault_valid_o, "no offer in this cycle");
    run.expect_equal(run.cycle(ready(true, true)).fault_page_o, 2, "the next");
    run.expect_equal(run.cycle(ready(true, false)).fault_page_o, 3, "the last");
    run.expect(!run.cycle(fill(9)).fill_hit_o, "no requester waits for this page");
    const Out &out = run.idle();
    run.expect(out.used_o == 2 && out.waiting_o == 0 && out.error_o == FAR_FAULT_MSHR_OK,
               "two pages are still to come");
}

SCENARIO(no_such_requester, cfg.Requesters == 3,
         "a requester that does not exist: the first error, nothing else changes")
{
    run.cycle(request(5, 2));
    const auto wanted = std::make_unique<Twin>(run.registers());
    run.expect_equal(run.cycle(request(6, 3)).req_result_o, FAR_FAULT_SECONDARY, "answered, without effect");
    run.cycle(request(5, 2));
    wanted->error_q = FAR_FAULT_MSHR_ERROR_REQUESTER;
    run.expect(!std::memcmp(wanted.get(), &run.registers(), sizeof *wanted), "the other registers are as before");
}
