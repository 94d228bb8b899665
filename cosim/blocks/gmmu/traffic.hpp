// SPDX-License-Identifier: Apache-2.0
// Random traffic for gmmu: requests, and the driver that serves them.
#pragma once
#include "lockstep.hpp"

// A small driver of unified memory: tracks resident pages, asks the prefetcher about faults, migrates and evicts pages,
// and applies pressure.  Requests go to a few pages at a time, so that leases expire and are recalled.
struct GmmuTraffic {
    static inline const uint32_t kResetOneIn = cfg.Pages > 1024 ? 64 : 4;

    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {4, 16, 64, 128, 192, 240, 256, 256};
        ask_ = rates[r.below(8)];
        take_ = rates[r.below(8)];
        arrive_ = rates[r.below(6)] / 2;
        gone_ = rates[r.below(5)] / 4;
        tell_ = rates[2 + r.below(6)];
        evict_ = r.chance(64) ? 2 : rates[r.below(8)];
        serve_ = rates[r.below(6)];
        press_ = r.chance(128) ? 0 : 8;
        resident_ = rates[2 + r.below(6)];
        hot_ = 1 + uint32_t(r.below(r.chance(128) ? 4 : 48));
        base_ = uint32_t(r.below(cfg.Pages));
        step_ = r.chance(96) ? 16 : 1;
        lease_ = !r.chance(24);
        rude_ = r.chance(32);
    }
    void reset()
    {
        there_.assign(cfg.Pages, false);
        waits_.assign(cfg.Pages, 0);
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        follow(last_in, last);
        in.lease_enable_i = lease_;
        in.fault_ready_i = r.chance(take_);
        in.rsp_ready_i = r.chance(tell_);
        in.evict_ready_i = r.chance(evict_);
        in.press_valid_i = r.chance(press_);
        in.mig_ready_i = r.chance(take_);
        allocation(r, in, last_in, last);
        request(r, in, last);
        service(r, in, last_in, last);
        pages(r, in, last_in, last);
    }

  private:
    static inline const uint32_t kShare = std::max(16u, cfg.Pages / cfg.Allocs & ~15u); // pages of an allocation
    uint32_t ask_ = 0, take_ = 0, arrive_ = 0, gone_ = 0, tell_ = 0, evict_ = 0, serve_ = 0, press_ = 0, resident_ = 0;
    uint32_t hot_ = 1, base_ = 0, step_ = 1;
    bool lease_ = true, rude_ = false;
    std::vector<bool> there_ = std::vector<bool>(cfg.Pages);
    std::vector<uint64_t> waits_ = std::vector<uint64_t>(cfg.Pages); // waiting requesters of each page

    uint32_t page(Random &r)
    {
        return uint32_t((base_ + step_ * r.below(hot_)) % cfg.Pages);
    }
    static uint8_t allocation_of(uint32_t page)
    {
        return uint8_t(std::min(page / kShare, cfg.Allocs - 1));
    }
    void follow(const In &in, const Out &out)
    {
        if (in.arrive_valid_i && out.arrive_ready_o && in.arrive_page_i < cfg.Pages) there_[in.arrive_page_i] = true;
        if (in.gone_valid_i && out.gone_ready_o && in.gone_page_i < cfg.Pages) there_[in.gone_page_i] = false;
        if (out.rsp_valid_o && in.rsp_ready_i && out.rsp_page_o < cfg.Pages)
            waits_[out.rsp_page_o] &= ~(uint64_t(1) << out.rsp_id_o);
        const bool waits = out.req_result_o == GMMU_PRIMARY || out.req_result_o == GMMU_SECONDARY;
        if (in.req_valid_i && waits && in.req_page_i < cfg.Pages) waits_[in.req_page_i] |= uint64_t(1) << in.req_id_i;
    }
    // Written at the start, then sometimes; the last one gets the remaining pages.
    void allocation(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (last_in.alloc_valid_i && !last.alloc_ready_o) {
            in.alloc_valid_i = true;
            in.alloc_index_i = last_in.alloc_index_i;
            in.alloc_base_i = last_in.alloc_base_i;
            in.alloc_pages_i = last_in.alloc_pages_i;
            return;
        }
        in.alloc_valid_i = r.chance(last.ready_o ? 1 : 48);
        in.alloc_index_i = uint8_t(r.below(rude_ ? 256 : cfg.Allocs));
        in.alloc_base_i = kShare * in.alloc_index_i;
        in.alloc_pages_i = kShare - uint32_t(r.chance(128) ? r.below(15) : 0);
        if (in.alloc_base_i + kShare > cfg.Pages || r.chance(8)) in.alloc_pages_i = 0;
        if (rude_ && r.chance(64)) in.alloc_pages_i = uint32_t(r.u64());
        if (rude_ && r.chance(64)) in.alloc_base_i |= uint32_t(r.below(16));
    }
    void request(Random &r, In &in, const Out &last)
    {
        const bool expired = last.evict_valid_o && r.chance(64); // pages of the offered block
        in.req_page_i = expired ? last.evict_block_o << 4 | uint32_t(r.below(16)) : page(r);
        if (in.req_page_i >= cfg.Pages) in.req_page_i = 0;
        in.req_id_i = uint8_t(r.below(cfg.Requesters));
        in.req_alloc_i = allocation_of(in.req_page_i);
        in.req_resident_i = there_[in.req_page_i];
        in.req_valid_i =
            r.chance(ask_) && (in.req_resident_i ? r.chance(resident_) : !(waits_[in.req_page_i] >> in.req_id_i & 1));
        if (!rude_ || !r.chance(8)) return;
        in.req_page_i = uint32_t(r.u64());
        in.req_alloc_i = uint8_t(r.u64());
        in.req_id_i = uint8_t(r.u64());
        in.req_resident_i = r.chance(128);
    }
    // The prefetcher is asked about faulting pages; its lookups get the true residency.
    void service(Random &r, In &in, const In &last_in, const Out &last)
    {
        const bool held = last_in.serve_valid_i && !last.serve_ready_o;
        in.serve_valid_i = held || r.chance(serve_);
        in.serve_page_i = held ? last_in.serve_page_i : last.fault_valid_o ? last.fault_page_o : page(r);
        in.serve_alloc_i = held ? last_in.serve_alloc_i : allocation_of(in.serve_page_i);
        if (rude_ && r.chance(16)) in.serve_alloc_i = uint8_t(r.u64());
        in.avail_pages_i = uint32_t(r.below(r.chance(128) ? cfg.Pages + 1 : 64));
        in.oversubscribed_i = r.chance(64);
        in.look_ready_i = r.chance(take_);
        for (uint32_t i = 0; i < 16; i++) {
            const uint32_t p = last.look_chunk_o << 4 | i;
            in.look_resident_i |= uint16_t((p < cfg.Pages && there_[p]) << i);
        }
    }
    // Requested pages and waited-for pages arrive; evicted pages leave, and others, too.
    void pages(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (last_in.arrive_valid_i && !last.arrive_ready_o) {
            in.arrive_valid_i = true;
            in.arrive_page_i = last_in.arrive_page_i;
            in.arrive_alloc_i = last_in.arrive_alloc_i;
        } else {
            in.arrive_page_i = r.chance(64) ? in.req_page_i % cfg.Pages : page(r);
            in.arrive_alloc_i = allocation_of(in.arrive_page_i);
            in.arrive_valid_i = r.chance(arrive_) && (!there_[in.arrive_page_i] || (rude_ && r.chance(16)));
            if (rude_ && r.chance(8)) in.arrive_page_i = uint32_t(r.u64());
            if (rude_ && r.chance(8)) in.arrive_alloc_i = uint8_t(r.u64());
        }
        if (last_in.gone_valid_i && !last.gone_ready_o) {
            in.gone_valid_i = true;
            in.gone_page_i = last_in.gone_page_i;
            return;
        }
        const bool offered = last.evict_valid_o && r.chance(128);
        in.gone_page_i = offered ? last.evict_block_o << 4 | uint32_t(r.below(16)) : page(r);
        in.gone_valid_i = r.chance(gone_) && in.gone_page_i < cfg.Pages && there_[in.gone_page_i];
        if (rude_ && r.chance(2)) in.gone_valid_i = true;
    }
};
