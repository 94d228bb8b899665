// SPDX-License-Identifier: Apache-2.0
// Figure 4.5 on the pins: far-faults, the prefetcher, leases, the coalescer of evictions.  Gu20,
// sections 4.2.1, 4.3.
#include "run.hpp"

// The lease of a page that arrives before the first sample.
static const uint32_t kLease = uint32_t(std::min<uint64_t>(cfg.InitLease, bits_mask(cfg.LeaseW)));

// A page that is resident, without a lease, and with half of that.
static const uint32_t kResident = 1u << cfg.LeaseW, kHalfLease = kResident | std::max(kLease / 2, 1u);

static inline In leases()
{
    In in{};
    in.lease_enable_i = true;
    return in;
}

static inline In request(uint32_t page, bool resident, uint32_t id = 0)
{
    In in = leases();
    in.req_valid_i = true;
    in.req_page_i = page;
    in.req_id_i = uint8_t(id);
    in.req_resident_i = resident;
    return in;
}

static inline In arrival(uint32_t page)
{
    In in = leases();
    in.arrive_valid_i = true;
    in.arrive_page_i = page;
    return in;
}

static inline In departure(uint32_t page)
{
    In in = leases();
    in.gone_valid_i = true;
    in.gone_page_i = page;
    return in;
}

// Clearing the table of a large set takes most of a scenario, so size-independent scenarios run on the other sets.
static const bool kLarge = cfg.Pages > 16384;

static void cleared(Run &run)
{
    for (uint32_t i = 0; i < cfg.Pages; i++) run.expect(!run.idle().ready_o, "the lease table is being cleared");
    run.expect(run.idle().ready_o, "one cycle a page");
    In in{};
    in.alloc_valid_i = true;
    in.alloc_pages_i = 32;
    run.expect(run.cycle(in).alloc_ready_o, "an allocation of 128 KiB");
}

// Accesses until the lease of a page that has just arrived expires.
static void expire(Run &run, uint32_t page)
{
    for (uint32_t i = 0; i < kLease; i++) run.expect(run.cycle(request(page, true)).req_ready_o, "an access");
    run.cycle(leases());
    run.cycle(leases());
}

SCENARIO(
    far_fault, true,
    "figure 4.5: a far-fault goes to the driver, the prefetcher selects the pages, waiting requesters get responses")
{
    cleared(run);
    run.expect_equal(run.cycle(request(17, false)).req_result_o, GMMU_PRIMARY, "the first request");
    if (cfg.Requesters > 1)
        run.expect_equal(run.cycle(request(17, false, 1)).req_result_o, GMMU_SECONDARY, "another one's");
    In take = leases();
    take.fault_ready_i = true;
    run.expect_equal(run.cycle(take).fault_page_o, 17, "the page offered to the driver");
    In serve = leases();
    serve.serve_valid_i = true;
    serve.serve_page_i = 17;
    serve.avail_pages_i = 2 * cfg.Pages - 1;
    run.expect(run.cycle(serve).serve_ready_o, "the prefetcher takes it");
    In look = leases();
    look.look_ready_i = look.mig_ready_i = true;
    uint32_t asked = 0;
    for (uint32_t i = 0; i < 64; i++) {
        const Out &out = run.cycle(look);
        if (out.win_valid_o) run.expect(out.win_first_o <= 1 && out.win_last_o == 1, "a window around the fault");
        if (out.mig_valid_o)
            run.expect(out.mig_pages_o == 0xffff && out.mig_demand_o == (out.mig_chunk_o == 1), "chunks");
        asked += out.mig_valid_o;
    }
    const bool both = cfg.MaxLog > 0 && (2 * cfg.Pages - 1) * cfg.CDen >= 32 * cfg.CNum; // equation 4.1
    run.expect(asked == 1u + both, "128 KiB: as much as the allocation has");
    run.expect(run.cycle(arrival(17)).arrive_ready_o, "the page arrives");
    In told = leases();
    told.rsp_ready_i = true;
    const Out &out = run.cycle(told);
    run.expect(out.rsp_valid_o && out.rsp_page_o == 17 && out.rsp_id_o == 0 && out.resident_o == 1,
               "waiting requesters get responses");
    run.cycle(told);
    run.expect_equal(run.cycle(request(17, true)).req_result_o, GMMU_RESIDENT, "the next request");
    In plain = request(18, false);
    plain.lease_enable_i = false;
    run.expect_equal(run.cycle(plain).req_result_o, GMMU_PRIMARY, "a far-fault without leases");
}

// Two leases end before a sample changes them: after a duty, a new lease takes three divisions.
static bool sampled_later()
{
    const lease_sampler_cfg sampler = gmmu_lease_sampler_cfg(&cfg);
    const uint64_t begin = cfg.Pages + 4, before = (begin + cfg.Period - cfg.Duty) / cfg.Period * cfg.Period;
    return begin + 2 * kLease + 16 < before + cfg.Duty + 3 * LEASE_SAMPLER_DIVIDE_W(&sampler);
}

SCENARIO(recall, !kLarge && sampled_later(),
         "4.3.2.2: an expired page that is accessed takes its block out of the coalescer, each page with half a lease")
{
    cleared(run);
    run.cycle(arrival(3));
    run.cycle(arrival(5));
    expire(run, 3);
    expire(run, 5);
    run.expect_equal(run.cycle(request(3, true)).expired_o, 2, "expired leases");
    for (uint32_t i = 0; i < 3; i++) {
        run.expect(!run.cycle(request(3, true)).req_ready_o || i == 0, "no access while leases are given");
        run.expect(!run.last().evict_valid_o, "no eviction is offered");
    }
    run.expect_equal(run.idle().recalled_o, 1, "blocks recalled");
    const Twin &now = run.registers();
    run.expect(now.lease_table.page_q[3] == kHalfLease && now.lease_table.page_q[5] == kHalfLease, "half a lease each");
    In press = leases();
    press.press_valid_i = press.evict_ready_i = true;
    run.cycle(press);
    const Out &out = run.idle();
    run.expect(out.press_done_o && out.press_count_o == 0, "pressure finds nothing");
}

SCENARIO(pressure, true, "4.3.2.2: expired pages of a block are evicted together when memory is over-subscribed")
{
    cleared(run);
    run.cycle(arrival(17));
    run.cycle(arrival(18));
    expire(run, 18);
    expire(run, 17);
    In press = leases();
    press.press_valid_i = true;
    run.cycle(press);
    const Out &offer = run.cycle(leases());
    run.expect(offer.evict_valid_o && offer.evict_block_o == 1 && offer.evict_pages_o == 6 && offer.evict_why_o,
               "both");
    // The driver's PCIe is busy; arrivals and departures do not wait for it.
    for (uint32_t i = 0; i < 40; i++)
        run.expect(i & 1 ? run.cycle(departure(0)).gone_ready_o : run.cycle(arrival(0)).arrive_ready_o, "no wait");
    run.expect_equal(run.cycle(departure(18)).evict_valid_o, false,
                     "one of them is evicted otherwise: in that cycle, no offer");
    In take = leases();
    take.evict_ready_i = true;
    run.expect_equal(run.cycle(take).evict_pages_o, 2, "the other");
    const Out &done = run.cycle(take);
    run.expect(done.press_done_o && done.press_count_o == 1 && done.evicted_o == 1, "one block");
}

// One access in a duty: the sample makes the leases of allocation 0 short.
static void sample(Run &run)
{
    run.cycle(arrival(0));
    while ((run.now() - 1) % cfg.Period >= cfg.Duty) run.idle();
    run.cycle(request(0, true));
    for (uint32_t i = 0; i < cfg.Period && !run.idle().samples_o; i++) run.idle();
    run.expect_equal(run.cycle(departure(0)).samples_o, 1, "leases set");
}

// A page arrives and is accessed until its lease expires; false: an access waits for too long.
static bool expire_one(Run &run, uint32_t page)
{
    run.cycle(arrival(page));
    const uint32_t before = run.idle().expired_o;
    for (uint32_t i = 0; i < 64; i++) {
        if (run.idle().expired_o != before) return true;
        run.cycle(request(page, true));
    }
    return false;
}

static const bool kFills = cfg.Pages / 16 > cfg.Coalesce; // more blocks than coalescer entries

SCENARIO(full, 16 * cfg.Events + 1 < cfg.Pages,
         "4.3.2.2: without a free entry the least recently updated block is evicted; accesses wait for the "
         "driver, nothing else does")
{
    if (!kFills) return;
    cleared(run);
    sample(run);
    for (uint32_t i = 0; i <= cfg.Coalesce; i++) run.expect(expire_one(run, 16 * i), "room");
    const Out &offer = run.cycle(leases());
    run.expect(offer.evict_valid_o && offer.evict_block_o == 0 && !offer.evict_why_o, "the oldest is offered");
    for (uint32_t i = 0; i < cfg.Events; i++) run.expect(expire_one(run, 16 * i + 1), "room in the queue");
    run.expect(!expire_one(run, 16 * cfg.Events + 1), "no room: the access waits");
    run.expect(run.cycle(request(2, false)).req_result_o == GMMU_PRIMARY, "a far-fault does not");
    run.expect(run.cycle(arrival(2)).arrive_ready_o && run.cycle(departure(1)).gone_ready_o,
               "nor arrivals and departures");
    In take = request(2, true);
    take.evict_ready_i = take.rsp_ready_i = true;
    bool went = false;
    for (uint32_t i = 0; i < 32; i++) went |= run.cycle(take).req_ready_o;
    run.expect(went, "the driver takes blocks: accesses go on");
}

SCENARIO(batch, true, "4.3.2.2: under pressure a batch of blocks is evicted, the least recently updated one first")
{
    if (cfg.Pages / 16 <= cfg.Batch || cfg.Coalesce < cfg.Batch) return;
    cleared(run);
    sample(run);
    for (uint32_t i = 0; i < cfg.Batch; i++) run.expect(expire_one(run, 16 * (cfg.Batch - i)), "room");
    run.cycle(leases());
    In press = leases();
    press.press_valid_i = press.evict_ready_i = true;
    run.cycle(press);
    press.press_valid_i = false;
    for (uint32_t i = 0; i < cfg.Batch; i++) run.expect_equal(run.cycle(press).evict_block_o, cfg.Batch - i, "block");
    const Out &done = run.cycle(press);
    run.expect(done.press_done_o && done.press_count_o == cfg.Batch, "the batch is done");
}

SCENARIO(recall_meets_departures, true,
         "a page that departs before its lease is renewed gets none; arrivals wait meanwhile")
{
    cleared(run);
    sample(run);
    for (uint32_t page = 4; page < 8; page++) run.expect(expire_one(run, page), "room");
    run.cycle(leases());
    run.cycle(request(4, true)); // takes the block out of the coalescer
    run.expect(run.cycle(departure(5)).gone_ready_o, "while the recall is to begin");
    In both = departure(7);
    both.arrive_valid_i = true;
    both.arrive_page_i = 8;
    for (uint32_t i = 0; i < 3; i++) {
        const Out &out = run.cycle(both);
        run.expect(!out.gone_ready_o && !out.arrive_ready_o, "pages 4, 6 and 7 get their leases first");
    }
    run.expect(run.cycle(both).gone_ready_o, "then the departure");
    run.expect(run.cycle(arrival(8)).arrive_ready_o, "then the arrival");
    run.expect(run.idle().resident_o == 3 && run.idle().error_o == GMMU_NONE, "pages 4, 6 and 8");
    // An expiry that waits behind pressure for the coalescer, and departs with its page.
    In press = leases();
    run.expect(expire_one(run, 9), "room");
    run.cycle(leases());
    press.press_valid_i = true;
    run.cycle(press);
    run.expect(expire_one(run, 10), "room in the queue");
    run.cycle(departure(10));
    run.expect_equal(run.idle().evict_pages_o, 1u << 9, "pages offered");
    run.cycle(request(9, true)); // revokes it
}

SCENARIO(stalled, true, "expiries wait while a block waits for the driver; when their queue is full, so do accesses")
{
    cleared(run);
    sample(run);
    run.expect(expire_one(run, 1), "room");
    run.cycle(leases());
    In press = leases();
    press.press_valid_i = true;
    run.cycle(press);
    for (uint32_t i = 0; i < cfg.Events; i++) run.expect(expire_one(run, 2 + i), "room in the queue");
    run.expect(!expire_one(run, 2 + cfg.Events), "no room");
    run.expect(run.idle().evict_valid_o, "the block still waits");
}

SCENARIO(queue, true, "an expiry on its way to the coalescer goes before an access")
{
    if (kLarge) return;
    if (cfg.Events == 1) return;
    cleared(run);
    sample(run);
    run.cycle(arrival(3));
    run.cycle(arrival(4));
    uint32_t expired = 0;
    bool waited = false;
    for (uint32_t i = 0; i < 64 && !waited; i++) {
        const Out out = run.cycle(request(3, true));
        waited |= expired != out.expired_o && !out.req_ready_o;
        expired = out.expired_o;
    }
    run.expect(waited, "the access after the expiry waits a cycle");
}

SCENARIO(late, true, "4.3.2.2: an access to a page whose expiry waits behind a batch: it is recalled, and not evicted")
{
    cleared(run);
    sample(run);
    run.expect(expire_one(run, 1), "room");
    run.cycle(leases());
    In press = leases(), take = leases();
    press.press_valid_i = take.evict_ready_i = true;
    run.cycle(press);
    run.expect(expire_one(run, 17), "room in the queue");
    const bool room = run.cycle(request(17, true)).req_ready_o;
    run.expect_equal(room, cfg.Events > 1, "the access goes on if there is room in the queue");
    if (!room) return;
    const Out &out = run.cycle(leases());
    run.expect(out.recalled_o == 1 && out.evict_valid_o && out.evict_block_o == 0,
               "recalled; the other block waits on");
    run.cycle(take);
    run.expect(run.cycle(take).press_done_o, "the batch is over");
    for (uint32_t i = 0; i < 4; i++) run.cycle(leases());
    run.cycle(press);
    run.expect(run.cycle(take).press_done_o && run.last().press_count_o == 0, "no other eviction");
    // A page that was evicted by the block and has not departed is recalled as well.
    run.expect_equal(run.registers().lease_table.page_q[1], kResident, "its lease: none");
    run.expect(run.cycle(request(1, true)).req_ready_o, "an access to it");
    run.expect_equal(run.cycle(leases()).recalled_o, 2, "blocks recalled");
    for (uint32_t i = 0; i < 4; i++) run.cycle(leases());
    run.expect(run.registers().lease_table.page_q[1] > kResident, "it has a lease again");
    run.expect(run.cycle(departure(1)).gone_ready_o && run.idle().error_o == GMMU_NONE, "and may leave");
}

SCENARIO(without_leases, true,
         "without leases nothing is counted, nothing runs out; far-faults and residency as before")
{
    if (kLarge) return;
    cleared(run);
    In arrive = arrival(2), access = request(2, true);
    arrive.lease_enable_i = access.lease_enable_i = false;
    run.cycle(arrive);
    for (uint32_t i = 0; i < kLease + 2; i++) run.expect(run.cycle(access).req_ready_o, "answered");
    run.expect(run.idle().expired_o == 0 && run.idle().resident_o == 1, "no lease, one page");
    const Twin &now = run.registers();
    run.expect(now.lease_table.page_q[2] == (1u << cfg.LeaseW | kLease) && now.lease_sampler.valid_q == 0,
               "its whole lease");
}

SCENARIO(arrival_in_the_cycle, true,
         "a request for a page in the cycle of its arrival is refused: it would wait for ever")
{
    if (kLarge) return;
    cleared(run);
    In both = arrival(9);
    both.req_valid_i = true;
    both.req_page_i = 9;
    run.expect_equal(run.cycle(both).req_result_o, GMMU_DRAINING, "result");
    const Twin &now = run.registers();
    run.expect(now.far_fault_mshr.used_q == 0 && now.lease_table.resident_q == 1,
               "no requester waits; the page is resident");
    run.expect_equal(run.cycle(request(9, true)).req_result_o, GMMU_RESIDENT, "then");
}

SCENARIO(access_beside_an_arrival_that_waits, cfg.Allocs > 1 && !kLarge,
         "an access gets the lease of its own allocation, not of the arrival that waits")
{
    cleared(run);
    sample(run); // leases of allocation 0 are shorter than those of allocation 1
    run.cycle(arrival(1));
    run.cycle(request(18, false));
    run.cycle(arrival(18)); // its response is not taken: the next arrival waits
    run.cycle(request(1, true));
    const uint32_t lease = uint32_t(run.registers().recall_lease_q);
    In both = request(1, true);
    both.arrive_valid_i = true;
    both.arrive_page_i = 17;
    both.arrive_alloc_i = 1;
    const Out &out = run.cycle(both);
    run.expect(out.req_ready_o && !out.arrive_ready_o, "the access does not wait, the arrival does");
    run.expect_equal(run.registers().recall_lease_q, lease, "lease");
}

SCENARIO(illegal, true, "each part's first error stays; error_o names the part")
{
    cleared(run);
    run.cycle(request(1, false));
    run.cycle(request(1, false));
    run.expect_equal(run.idle().error_o, GMMU_FAR_FAULT_MSHR, "asked twice");
    run.cycle(departure(4));
    run.expect_equal(run.idle().error_o, GMMU_LEASE_TABLE, "gone, but not there");
    run.expect_equal(run.idle().error_code_o, LEASE_TABLE_ERROR_ABSENT, "its code");
    In in{};
    in.alloc_valid_i = true;
    in.alloc_base_i = 16;
    in.alloc_pages_i = cfg.Pages;
    run.cycle(in);
    run.expect_equal(run.idle().error_o, GMMU_SELF, "an allocation beyond the last page");
    run.expect_equal(run.idle().error_code_o, GMMU_ERROR_ALLOC, "its code");
}

SCENARIO(refused_everywhere, true, "an input that one part refuses reaches no other part")
{
    cleared(run);
    sample(run);
    In in = leases();
    in.alloc_valid_i = true;
    in.alloc_base_i = 1;
    in.alloc_pages_i = 16;
    run.expect(run.cycle(in).alloc_ready_o, "an allocation that begins within a block");
    run.expect_equal(run.idle().error_o, GMMU_CAP, "the prefetcher refuses it");
    run.expect(expire_one(run, 3), "the lease of the sample stays");
    run.cycle(leases());
    run.cycle(arrival(3));
    run.expect_equal(run.idle().error_code_o, GMMU_CAP == run.last().error_o ? 1 : 0, "the first of the list of parts");
    In press = leases();
    press.press_valid_i = true;
    run.cycle(press);
    run.expect_equal(run.cycle(leases()).evict_pages_o, 1u << 3, "a page that arrives twice stays in the coalescer");
}

// An index beyond the count, if the count is not a power of two.
static const bool kPages = (cfg.Pages & (cfg.Pages - 1)) != 0;
static const bool kAllocs = cfg.Allocs == 1 || (cfg.Allocs & (cfg.Allocs - 1)) != 0;
static const bool kRequesters = cfg.Requesters == 1 || (cfg.Requesters & (cfg.Requesters - 1)) != 0;

SCENARIO(no_such_request, true, "a request with an illegal page, allocation or requester: an error, without effect")
{
    if (!kPages && !kRequesters) return;
    cleared(run);
    run.expect_equal(run.cycle(request(kPages ? cfg.Pages : 0, false, kPages ? 0 : cfg.Requesters)).req_result_o,
                     GMMU_RESIDENT, "result");
    const Out &out = run.idle();
    run.expect(out.error_o == GMMU_SELF && out.error_code_o == GMMU_ERROR_REQUEST && !out.fault_valid_o, "error");
    run.expect_equal(run.registers().far_fault_mshr.used_q, 0, "far-faults");
}

SCENARIO(no_such_arrival, true, "an arrival of a page that cannot be: an error, nothing else")
{
    if (!kPages) return;
    cleared(run);
    run.cycle(arrival(cfg.Pages));
    const Out &out = run.idle();
    run.expect(out.error_o == GMMU_SELF && out.error_code_o == GMMU_ERROR_ARRIVE && !out.resident_o, "error");
}

static const bool kSmall = cfg.Pages <= 4096;

SCENARIO(two_wait, kSmall &&cfg.Requesters > 1,
         "4.2.1: a far-fault goes to the driver; when its page has arrived, the requester gets a response")
{
    cleared(run);
    run.expect_equal(run.cycle(request(20, false, 1)).req_result_o, GMMU_PRIMARY, "the first request");
    run.expect_equal(run.cycle(request(20, false, 0)).req_result_o, GMMU_SECONDARY, "the second");
    In take = leases();
    take.fault_ready_i = true;
    run.expect_equal(run.cycle(take).fault_page_o, 20, "the page offered to the driver");
    run.cycle(arrival(20));
    In ready = leases();
    ready.rsp_ready_i = true;
    run.expect_equal(run.cycle(ready).rsp_id_o, 0, "the lowest number first");
    run.expect(run.cycle(ready).rsp_last_o, "then the other");
    run.expect_equal(run.cycle(request(20, true)).req_result_o, GMMU_RESIDENT, "the replay");
    const Twin &now = run.registers();
    run.expect_equal(now.far_fault_mshr.used_q, 0, "far-faults of the RTL");
    run.expect_equal(now.lease_table.resident_q, 1, "resident pages of the twin");
    run.expect_equal(run.registers().lease_table.page_q[20], kResident | (kLease - 1), "its lease, an access later");
}

SCENARIO(prefetch, kSmall, "4.3.1: prefetch with a far-fault by the free memory: a window of chunks, the absent ones")
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

SCENARIO(pressure_and_arrivals, kSmall,
         "4.3.2.2: under pressure expired pages are evicted by block, while arrivals continue")
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
    run.expect_equal(run.cycle(take).press_count_o, 1, "blocks evicted");
}
