// SPDX-License-Identifier: Apache-2.0
// gmmu in lockstep: Gu20, sections 4.2.1 and 4.3, figure 4.5.
#include "gmmu_traffic.hpp"
#include "gmmu_inputs.hpp"

using Stimulus = GmmuTraffic;

// Clearing the table of a large set takes most of a scenario: what does not depend on its size is left to the others.
static constexpr bool kLarge = cfg.Pages > 16384;

static void cleared(cosim::Lockstep &run)
{
    run.expect(!run.idle(cfg.Pages).ready_o, "the lease table is cleared");
    run.expect(run.idle().ready_o, "one cycle a page");
    In in{};
    in.alloc_valid_i = true;
    in.alloc_pages_i = 32;
    run.expect(run.cycle(in).alloc_ready_o, "an allocation of 128 KiB");
}

// Accesses until the lease of a page that has just come has run out.
static void expire(cosim::Lockstep &run, uint32_t page)
{
    for (uint32_t i = 0; i < kLease; i++) run.expect(run.cycle(request(page, true)).req_ready_o, "an access");
    run.cycle(leases());
    run.cycle(leases());
}

SCENARIO(far_fault, "figure 4.5: a far-fault goes to the driver, the prefetcher decides what comes, who waits is told")
{
    cleared(run);
    run.expect_equal(run.cycle(request(17, false)).req_result_o, GMMU_PRIMARY, "the first request");
    if (cfg.Requesters > 1)
        run.expect_equal(run.cycle(request(17, false, 1)).req_result_o, GMMU_SECONDARY, "another one's");
    In take = leases();
    take.fault_ready_i = true;
    run.expect_equal(run.cycle(take).fault_page_o, 17, "what the driver is told");
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
    run.expect(asked == 1 + (cfg.MaxLog > 0), "128 KiB: as much as the allocation has");
    run.expect(run.cycle(arrival(17)).arrive_ready_o, "the page comes");
    In told = leases();
    told.rsp_ready_i = true;
    const Out &out = run.cycle(told);
    run.expect(out.rsp_valid_o && out.rsp_page_o == 17 && out.rsp_id_o == 0 && out.resident_o == 1,
               "who waits is told");
    run.cycle(told);
    run.expect_equal(run.cycle(request(17, true)).req_result_o, GMMU_RESIDENT, "the next request");
    In plain = request(18, false);
    plain.lease_enable_i = false;
    run.expect_equal(run.cycle(plain).req_result_o, GMMU_PRIMARY, "a far-fault without leases");
}

SCENARIO(recall,
         "4.3.2.2: an expired page that is accessed takes its block out of the coalescer, each page with half a lease")
{
    if (kLarge) return;
    cleared(run);
    run.cycle(arrival(3));
    run.cycle(arrival(5));
    expire(run, 3);
    expire(run, 5);
    run.expect_equal(run.cycle(request(3, true)).expired_o, 2, "leases that have run out");
    for (uint32_t i = 0; i < 3; i++) {
        run.expect(!run.cycle(request(3, true)).req_ready_o || i == 0, "no access while leases are given");
        run.expect(!run.last().out.evict_valid_o, "nothing is handed out");
    }
    run.expect_equal(run.idle().recalled_o, 1, "blocks recalled");
    In press = leases();
    press.press_valid_i = press.evict_ready_i = true;
    run.cycle(press);
    const Out &out = run.idle();
    run.expect(out.press_done_o && out.press_count_o == 0, "pressure finds nothing");
}

SCENARIO(pressure, "4.3.2.2: expired pages of a block are handed out as one when memory is over-subscribed")
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
    // The driver's PCIe is busy: what arrives and what is gone does not wait for that.
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
static void sample(cosim::Lockstep &run)
{
    while ((run.now() - 1) % cfg.Period != 1) run.idle();
    run.cycle(arrival(0));
    run.cycle(request(0, true));
    for (uint32_t i = 0; i < cfg.Period && !run.idle().samples_o; i++) run.idle();
    run.expect_equal(run.cycle(departure(0)).samples_o, 1, "leases set");
}

// A page arrives and is accessed until its lease has run out; false: an access waits for too long.
static bool expire_one(cosim::Lockstep &run, uint32_t page)
{
    run.cycle(arrival(page));
    const uint32_t before = run.idle().expired_o;
    for (uint32_t i = 0; i < 64; i++) {
        if (run.idle().expired_o != before) return true;
        run.cycle(request(page, true));
    }
    return false;
}

static constexpr bool kFills = cfg.Pages / 16 > cfg.Coalesce; // more blocks than places for expired ones

SCENARIO(full, "4.3.2.2: without a free place the block updated least recently is handed out; accesses wait for the "
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
    run.expect(run.cycle(arrival(2)).arrive_ready_o && run.cycle(departure(1)).gone_ready_o, "nor what comes and goes");
    In take = request(2, true);
    take.evict_ready_i = take.rsp_ready_i = true;
    bool went = false;
    for (uint32_t i = 0; i < 32; i++) went |= run.cycle(take).req_ready_o;
    run.expect(went, "the driver takes blocks: accesses go on");
}

SCENARIO(batch, "4.3.2.2: under pressure a batch of blocks is handed out, the one updated least recently first")
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

SCENARIO(recall_meets_departures, "a page that goes before it has its lease back gets none; what comes meanwhile waits")
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
    // An expiry that waits behind pressure for the coalescer, and goes with its page.
    In press = leases();
    run.expect(expire_one(run, 9), "room");
    run.cycle(leases());
    press.press_valid_i = true;
    run.cycle(press);
    run.expect(expire_one(run, 10), "room in the queue");
    run.cycle(departure(10));
    run.expect_equal(run.idle().evict_pages_o, 1u << 9, "what is offered");
    run.cycle(request(9, true)); // revokes it
}

SCENARIO(stalled, "expiries wait while a block waits for the driver; when their queue is full, so do accesses")
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

SCENARIO(queue, "an expiry on its way to the coalescer goes before an access")
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

SCENARIO(late, "4.3.2.2: a page is accessed while its expiry waits behind a batch: it is recalled, and not handed out")
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
    run.expect(run.cycle(take).press_done_o && run.last().out.press_count_o == 0, "nothing else is handed out");
    // A page that was handed out and has not left is recalled as well.
    run.expect(run.cycle(request(1, true)).req_ready_o, "an access to it");
    run.expect_equal(run.cycle(leases()).recalled_o, 2, "blocks recalled");
}

SCENARIO(without_leases, "without leases nothing is counted, nothing runs out; far-faults and residency as before")
{
    if (kLarge) return;
    cleared(run);
    In arrive = arrival(2), access = request(2, true);
    arrive.lease_enable_i = access.lease_enable_i = false;
    run.cycle(arrive);
    for (uint32_t i = 0; i < kLease + 2; i++) run.expect(run.cycle(access).req_ready_o, "answered");
    run.expect(run.idle().expired_o == 0 && run.idle().resident_o == 1, "no lease, one page");
}

SCENARIO(arrival_in_the_cycle,
         "who asks for a page in the cycle in which it arrives is refused: it would wait for ever")
{
    if (kLarge) return;
    cleared(run);
    In both = arrival(9);
    both.req_valid_i = true;
    both.req_page_i = 9;
    run.expect_equal(run.cycle(both).req_result_o, GMMU_DRAINING, "result");
    run.expect_equal(run.cycle(request(9, true)).req_result_o, GMMU_RESIDENT, "then");
}

SCENARIO(illegal, "each part's first error stays; error_o names the part")
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

SCENARIO(refused_everywhere, "what one part refuses, the others have not seen")
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
    run.expect_equal(run.idle().error_code_o, GMMU_CAP == run.last().out.error_o ? 1 : 0,
                     "the first of the list of parts");
    In press = leases();
    press.press_valid_i = true;
    run.cycle(press);
    run.expect_equal(run.cycle(leases()).evict_pages_o, 1u << 3, "a page that comes twice stays in the coalescer");
}

// A number that is none of these, where there are not a power of two of them.
static constexpr bool kPages = (cfg.Pages & (cfg.Pages - 1)) != 0;
static constexpr bool kAllocs = cfg.Allocs == 1 || (cfg.Allocs & (cfg.Allocs - 1)) != 0;
static constexpr bool kRequesters = cfg.Requesters == 1 || (cfg.Requesters & (cfg.Requesters - 1)) != 0;

SCENARIO(no_such_request,
         "a request of a page, an allocation or a requester that cannot be: an error, and nothing comes of it")
{
    if (!kPages && !kRequesters) return;
    cleared(run);
    run.expect_equal(run.cycle(request(kPages ? cfg.Pages : 0, false, kPages ? 0 : cfg.Requesters)).req_result_o,
                     GMMU_RESIDENT, "result");
    const Out &out = run.idle();
    run.expect(out.error_o == GMMU_SELF && out.error_code_o == GMMU_ERROR_REQUEST && !out.fault_valid_o, "error");
}

SCENARIO(no_such_arrival, "an arrival of a page that cannot be: an error, nothing else")
{
    if (!kPages) return;
    cleared(run);
    run.cycle(arrival(cfg.Pages));
    const Out &out = run.idle();
    run.expect(out.error_o == GMMU_SELF && out.error_code_o == GMMU_ERROR_ARRIVE && !out.resident_o, "error");
}

struct Coverage {
    static constexpr const char *kFew = kFills ? nullptr : "there are too few blocks";
    static constexpr const char *kNoBatch =
        cfg.Pages / 16 > cfg.Batch &&cfg.Coalesce >= cfg.Batch ? nullptr : "there are too few blocks";
    static constexpr const char *kAlone = cfg.Requesters > 1 ? nullptr : "there is one requester";

    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const bool there = in.req_page_i < cfg.Pages && in.req_alloc_i < cfg.Allocs && in.req_id_i < cfg.Requesters;
        const bool taken = in.req_valid_i && out.req_ready_o && there;
        requests(cover, m, in, out, taken);
        waits(cover, m, in, out, in.req_valid_i && !out.req_ready_o);
        commands(cover, m, in, out);
        evictions(cover, m, in, out);
        prefetch(cover, m, in, out);
        errors(cover, m, out, taken);
    }

  private:
    static bool page_of(uint32_t page, uint32_t block, uint32_t pages)
    {
        return page >> 4 == block && (pages >> (page & 15) & 1);
    }
    static bool arrives(const In &in, const Out &out)
    {
        return in.arrive_valid_i && out.arrive_ready_o && in.arrive_page_i < cfg.Pages &&
               in.arrive_alloc_i < cfg.Allocs;
    }
    void requests(Cover &cover, const Twin &m, const In &in, const Out &out, bool taken)
    {
        const bool command = m.recall_pages_q || in.gone_valid_i || in.arrive_valid_i;
        const bool draining = taken && out.req_result_o == GMMU_DRAINING, come = arrives(in, out);
        const bool miss = taken && !in.req_resident_i;
        cover("an access to a resident page", taken && in.req_resident_i && in.lease_enable_i);
        cover("a resident page, without leases", taken && in.req_resident_i && !in.lease_enable_i);
        cover("PRIMARY", miss && out.req_result_o == GMMU_PRIMARY);
        cover("SECONDARY", miss && out.req_result_o == GMMU_SECONDARY, kAlone);
        cover("FULL", miss && out.req_result_o == GMMU_FULL);
        cover("DRAINING", draining && !(come && in.arrive_page_i == in.req_page_i));
        cover("DRAINING, the page arrives", draining && come && in.arrive_page_i == in.req_page_i);
        cover("a far-fault in the cycle of a command", miss && command && m.lease_table.ready_q);
        cover("a far-fault without leases", miss && out.req_result_o == GMMU_PRIMARY && !in.lease_enable_i);
        cover("a fault is taken", out.fault_valid_o && in.fault_ready_i);
        cover("somebody is told", out.rsp_valid_o && in.rsp_ready_i);
        cover("somebody waits to be told", out.rsp_valid_o && !in.rsp_ready_i);
        cover("a sampled access", taken && in.lease_enable_i && m.lease_sampler.cycle_q < cfg.Duty);
        cover("a sample sets a lease", out.samples_o != 0);
        cover("everything is idle", gmmu_idle(&m));
    }
    void waits(Cover &cover, const Twin &m, const In &in, const Out &out, bool waits)
    {
        const bool access = waits && m.lease_table.ready_q && in.req_resident_i;
        const bool command = (in.gone_valid_i && out.gone_ready_o) || arrives(in, out);
        const bool full = m.lease_table.count_q == cfg.Events,
                   due = m.lease_table.count_q && (m.lease_table.live_q & 1);
        const bool quiet = !m.recall_pages_q && !m.evict_coalescer.recall_pages_q;
        cover("a request waits for the table to be cleared", waits && !m.lease_table.ready_q);
        cover("an access waits for a departure or an arrival", access && quiet && command);
        cover("an access waits while leases are given back", access && m.recall_pages_q);
        cover("an access waits for a recall to begin", access && m.evict_coalescer.recall_pages_q);
        cover("an access waits for room for an expiry", access && quiet && !command && full);
        cover("an access waits for an expiry that goes to the coalescer", access && quiet && !command && !full && due,
              cfg.Events > 1 ? nullptr : "one expiry waits at most");
        cover("an arrival waits for a recall", in.arrive_valid_i && m.recall_pages_q);
        cover("an arrival waits for a departure",
              in.arrive_valid_i && in.gone_valid_i && !m.recall_pages_q && m.lease_table.ready_q);
        cover("an arrival waits for those who are told",
              in.arrive_valid_i && m.far_fault_mshr.drain_wait_q && !out.arrive_ready_o);
        cover("a departure waits for a recall", in.gone_valid_i && m.recall_pages_q);
        cover("of a page that is to get its lease",
              in.gone_valid_i && page_of(in.gone_page_i, m.recall_block_q, m.recall_pages_q));
    }
    void commands(Cover &cover, const Twin &m, const In &in, const Out &out)
    {
        const bool gone = in.gone_valid_i && out.gone_ready_o, come = arrives(in, out);
        const Twin *t = &m;
        bool waited = false;
        for (uint32_t i = 0; i < cfg.Faults; i++)
            waited |= t->far_fault_mshr.busy_q[i] && t->far_fault_mshr.page_q[i] == in.arrive_page_i;
        const uint32_t offered = m.evict_coalescer.recall_pages_q;
        cover("a page arrives that is waited for", come && waited);
        cover("a page arrives by prefetch", come && !waited);
        cover("a page arrives with a sampled lease", come && (m.lease_sampler.known_q >> in.arrive_alloc_i & 1));
        cover("a page is gone", gone);
        cover("a page arrives that is there", in.arrive_valid_i && out.arrive_ready_o && in.arrive_page_i < cfg.Pages &&
                                                  (m.lease_table.page_q[in.arrive_page_i] >> cfg.LeaseW & 1));
        cover("a page is gone whose recall is to begin",
              gone && page_of(in.gone_page_i, m.evict_coalescer.recall_block_q, offered));
        cover("one page gets its lease back", m.recall_pages_q && !(m.recall_pages_q & (m.recall_pages_q - 1)));
        cover("several pages get their leases back", m.recall_pages_q & (m.recall_pages_q - 1));
        cover("an expiry is withdrawn by its departure",
              gone && m.lease_table.count_q && (m.lease_table.live_q & 1) && m.lease_table.exp_q[0] == in.gone_page_i);
        cover("pages are resident, all of one block at least", m.lease_table.resident_q >= 16);
    }
    void evictions(Cover &cover, const Twin &m, const In &in, const Out &out)
    {
        const auto &c = m.evict_coalescer;
        const bool offered = c.press_q && !c.pend_q && c.used_q && c.count_q != cfg.Batch;
        const bool gone = in.gone_valid_i && out.gone_ready_o;
        const uint32_t block = c.block_q[c.head_q], pages = c.pages_q[c.head_q];
        const bool access = in.req_valid_i && out.req_ready_o && in.req_resident_i && in.lease_enable_i;
        bool waits = false, held = false;
        for (uint32_t i = 0; i < m.lease_table.count_q; i++)
            waits |= (m.lease_table.live_q >> i & 1) && m.lease_table.exp_q[i] == in.req_page_i;
        for (uint32_t i = 0; i < cfg.Coalesce; i++) held |= page_of(in.req_page_i, c.block_q[i], c.pages_q[i]);
        held |= c.pend_q && c.pend_page_q == in.req_page_i;
        const bool out_of_lease =
            access && in.req_page_i < cfg.Pages && m.lease_table.page_q[in.req_page_i] == 1u << cfg.LeaseW;
        cover("an access to a page whose expiry waits", out_of_lease && waits,
              cfg.Events > 1 ? nullptr : "the access waits as well");
        cover("an access to a page that the coalescer has", out_of_lease && held);
        cover("an access to a page that was handed out and is not gone", out_of_lease && !waits && !held);
        cover("a block is handed out, its place is needed", out.evict_valid_o && !out.evict_why_o && in.evict_ready_i,
              kFew);
        cover("a block is handed out under pressure", out.evict_valid_o && out.evict_why_o && in.evict_ready_i);
        cover("a block waits to be taken", out.evict_valid_o && !in.evict_ready_i);
        cover("of several pages", out.evict_valid_o && (out.evict_pages_o & (out.evict_pages_o - 1)));
        cover("an access revokes the block that would be handed out",
              offered && access && page_of(in.req_page_i, block, pages) && !out.evict_valid_o);
        cover("a page of the block that would be handed out is gone",
              offered && gone && page_of(in.gone_page_i, block, pages));
        cover("a page is gone while a block waits to be taken", gone && out.evict_valid_o && !in.evict_ready_i);
        cover("pressure finds nothing", out.press_done_o && out.press_count_o == 0);
        cover("pressure finds a batch", out.press_done_o && out.press_count_o == cfg.Batch, kNoBatch);
        cover("pressure waits", in.press_valid_i && !out.press_ready_o);
    }
    void prefetch(Cover &cover, const Twin &m, const In &in, const Out &out)
    {
        cover("an allocation that the prefetcher refuses, its lease known",
              in.alloc_valid_i && out.alloc_ready_o && (in.alloc_base_i & 15) && in.alloc_pages_i &&
                  in.alloc_base_i + in.alloc_pages_i <= cfg.Pages && in.alloc_index_i < cfg.Allocs &&
                  (m.lease_sampler.known_q >> in.alloc_index_i & 1));
        cover("an allocation is written", in.alloc_valid_i && out.alloc_ready_o && in.alloc_pages_i && m.error_q == 0);
        cover("an allocation waits", in.alloc_valid_i && !out.alloc_ready_o);
        cover("a far-fault is serviced", in.serve_valid_i && out.serve_ready_o);
        cover("it waits", in.serve_valid_i && !out.serve_ready_o);
        cover("a window", out.win_valid_o);
        cover("of more than one chunk", out.win_valid_o && out.win_first_o != out.win_last_o);
        cover("a migration is taken", out.mig_valid_o && in.mig_ready_i);
        cover("a migration waits", out.mig_valid_o && !in.mig_ready_i);
        cover("a migration of a part of a chunk", out.mig_valid_o && out.mig_pages_o != 0xffff);
        cover("a chunk's residency is waited for", out.look_valid_o && !in.look_ready_i);
    }
    void errors(Cover &cover, const Twin &m, const Out &out, bool taken)
    {
        const char *const every = "every number is one";
        cover("error: a request that cannot be", m.error_q == GMMU_ERROR_REQUEST,
              kPages || kAllocs || kRequesters ? nullptr : every);
        cover("error: an arrival that cannot be", m.error_q == GMMU_ERROR_ARRIVE, kPages || kAllocs ? nullptr : every);
        cover("error: an allocation beyond the last page", m.error_q == GMMU_ERROR_ALLOC);
        cover("error: of the prefetcher", out.error_o == GMMU_CAP);
        cover("error: of the lease table", out.error_o == GMMU_LEASE_TABLE);
        cover("error: of the far-faults", out.error_o == GMMU_FAR_FAULT_MSHR);
        cover("requests go on after an error", taken && out.error_o);
    }
};

COSIM_MAIN
