// SPDX-License-Identifier: Apache-2.0
// gmmu in lockstep: Gu20, sections 4.2.1 and 4.3, figure 4.5.
#include "traffic.hpp"
#include "scenarios.cpp"

using Stimulus = GmmuTraffic;

struct Coverage {
    static inline const char *const kFew = kFills ? nullptr : "there are too few blocks";
    static inline const char *const kNoBatch =
        cfg.Pages / 16 > cfg.Batch &&cfg.Coalesce >= cfg.Batch ? nullptr : "there are too few blocks";
    static inline const char *const kAlone = cfg.Requesters > 1 ? nullptr : "there is one requester";

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
    // A second request of a requester for a page: an error, with the result SECONDARY.
    static bool waits_already(const Twin &m, const In &in)
    {
        const auto &f = m.far_fault_mshr;
        bool any = false;
        for (uint32_t i = 0; i < cfg.Faults; i++)
            any |= f.busy_q[i] && f.page_q[i] == in.req_page_i && (f.wait_q[i] >> in.req_id_i & 1);
        return any;
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
        cover("SECONDARY", miss && out.req_result_o == GMMU_SECONDARY && !waits_already(m, in), kAlone);
        cover("FULL", miss && out.req_result_o == GMMU_FULL);
        cover("DRAINING", draining && !(come && in.arrive_page_i == in.req_page_i));
        cover("DRAINING, the page arrives", draining && come && in.arrive_page_i == in.req_page_i);
        cover("a far-fault in the cycle of a command", miss && command && m.lease_table.ready_q);
        cover("a far-fault without leases", miss && out.req_result_o == GMMU_PRIMARY && !in.lease_enable_i);
        cover("a fault is taken", out.fault_valid_o && in.fault_ready_i);
        cover("a response is taken", out.rsp_valid_o && in.rsp_ready_i);
        cover("a response is stalled", out.rsp_valid_o && !in.rsp_ready_i);
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
        cover("an access waits while a recall renews leases", access && m.recall_pages_q);
        cover("an access waits for a recall to begin", access && m.evict_coalescer.recall_pages_q);
        cover("an access waits for room for an expiry", access && quiet && !command && full);
        cover("an access waits for the coalescer to accept an expiry", access && quiet && !command && !full && due,
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
        cover("an access to a page in the coalescer", out_of_lease && held);
        cover("an access to a page that was evicted and is not gone", out_of_lease && !waits && !held);
        cover("a block is evicted because its entry is needed",
              out.evict_valid_o && !out.evict_why_o && in.evict_ready_i, kFew);
        cover("a block is evicted under pressure", out.evict_valid_o && out.evict_why_o && in.evict_ready_i);
        cover("a block waits to be taken", out.evict_valid_o && !in.evict_ready_i);
        cover("of several pages", out.evict_valid_o && (out.evict_pages_o & (out.evict_pages_o - 1)));
        cover("an access revokes the offered block",
              offered && access && page_of(in.req_page_i, block, pages) && !out.evict_valid_o);
        cover("a page of the offered block is gone", offered && gone && page_of(in.gone_page_i, block, pages));
        cover("a page is gone while an eviction is stalled", gone && out.evict_valid_o && !in.evict_ready_i);
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
