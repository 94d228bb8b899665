// SPDX-License-Identifier: Apache-2.0
// Random traffic for gmmu: requests, and the driver that serves them.
#pragma once
#include "lockstep.hpp"

// A small driver of unified memory: tracks resident pages, asks the prefetcher about faults, migrates and evicts pages,
// and applies pressure.  Requests go to a few pages at a time, so that leases expire and are recalled.  With few pages,
// three times in four the traffic from one reset to the next is a storm, in which one kind of event is as frequent as
// it can be: its counter gets high bits.
struct GmmuTraffic {
    static inline const bool kFewPages = cfg.Pages <= 1024;
    static inline const uint32_t kResetOneIn = kFewPages ? 16 : 64;

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
        one_ = false;
        if (storm_ != Storm::kNone) rage(r);
    }
    void reset()
    {
        static constexpr Storm order[] = {Storm::kNone, Storm::kFaults, Storm::kLeases, Storm::kEvictions};
        storm_ = kFewPages ? order[resets_++ % 4] : Storm::kNone;
        there_.assign(cfg.Pages, false);
        leaves_.assign(cfg.Pages, false);
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
        request(r, in, last_in, last);
        service(r, in, last_in, last);
        pages(r, in, last_in, last);
    }

  private:
    enum class Storm { kNone, kFaults, kLeases, kEvictions };
    Storm storm_ = Storm::kNone;
    uint32_t resets_ = 0;
    bool one_ = false; // one requester: no far-fault merges with another
    static inline const uint32_t kShare = std::max(16u, cfg.Pages / cfg.Allocs & ~15u); // pages of an allocation
    uint32_t ask_ = 0, take_ = 0, arrive_ = 0, gone_ = 0, tell_ = 0, evict_ = 0, serve_ = 0, press_ = 0, resident_ = 0;
    uint32_t hot_ = 1, base_ = 0, step_ = 1;
    bool lease_ = true, rude_ = false;
    std::vector<bool> there_ = std::vector<bool>(cfg.Pages), leaves_ = std::vector<bool>(cfg.Pages); // leaves_: evicted
    std::vector<uint64_t> waits_ = std::vector<uint64_t>(cfg.Pages); // waiting requesters of each page

    // A stretch of a storm.
    void rage(Random &r)
    {
        ask_ = serve_ = arrive_ = 256;
        take_ = tell_ = evict_ = r.chance(32) ? 128 : 256;
        lease_ = !r.chance(12);
        one_ = r.chance(128);
        step_ = r.chance(128) ? 16 : 1;
        hot_ = r.chance(48) ? cfg.Pages : r.chance(64) ? 16 : 2 + uint32_t(r.below(8));
        if (r.chance(128)) base_ &= ~15u;
        gone_ = storm_ == Storm::kLeases ? 0 : 256;
        resident_ = storm_ == Storm::kFaults ? 4 : 256;
        press_ = storm_ == Storm::kEvictions ? 256 : 0;
        if (storm_ != Storm::kFaults || one_) return;
        hot_ = 1 + uint32_t(r.below(4)); // a page waits until several have asked for it
        arrive_ = r.chance(128) ? 256 : 64;
    }
    // A page of this stretch for which `wanted` holds, else any such page, else one of this stretch.
    template <class Wanted> uint32_t find(Random &r, Wanted wanted)
    {
        const uint32_t first = uint32_t(r.below(hot_));
        for (uint32_t i = 0; i < hot_; i++) {
            const uint32_t p = (base_ + step_ * ((first + i) % hot_)) % cfg.Pages;
            if (wanted(p)) return p;
        }
        const uint32_t any = uint32_t(r.below(cfg.Pages));
        for (uint32_t i = 0; i < cfg.Pages; i++)
            if (wanted((any + i) % cfg.Pages)) return (any + i) % cfg.Pages;
        return page(r);
    }
    // In a storm: the requester asks for the page, the page arrives, the page leaves.
    bool asks(uint32_t p, uint32_t id) const
    {
        return !there_[p] && (one_ ? !waits_[p] : !(waits_[p] >> id & 1));
    }
    bool comes(uint32_t p) const
    {
        return !there_[p] && (storm_ != Storm::kFaults || waits_[p]);
    }
    bool goes(uint32_t p) const
    {
        return there_[p] && (storm_ == Storm::kEvictions ? leaves_[p] : !waits_[p]);
    }
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
        for (uint32_t i = 0; i < 16 && out.evict_valid_o && in.evict_ready_i; i++)
            if (out.evict_pages_o >> i & 1) leaves_[out.evict_block_o << 4 | i] = true;
        if (in.gone_valid_i && out.gone_ready_o && in.gone_page_i < cfg.Pages)
            there_[in.gone_page_i] = leaves_[in.gone_page_i] = false;
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
        if (in.alloc_pages_i == 0) in.alloc_base_i = 16 * uint32_t(r.below(cfg.Pages / 16));
        if (rude_ && r.chance(64)) in.alloc_pages_i = uint32_t(r.u64());
        if (rude_ && r.chance(64)) in.alloc_base_i |= uint32_t(r.below(16));
    }
    void request(Random &r, In &in, const In &last_in, const Out &last)
    {
        const bool expired = storm_ == Storm::kNone && last.evict_valid_o && r.chance(64); // pages of the offered block
        in.req_id_i = one_ ? 0 : uint8_t(r.below(cfg.Requesters));
        in.req_page_i = expired                    ? last.evict_block_o << 4 | uint32_t(r.below(16))
                        : storm_ == Storm::kNone   ? page(r)
                        : storm_ == Storm::kFaults ? find(r, [&](uint32_t p) { return asks(p, in.req_id_i); })
                                                   : find(r, [&](uint32_t p) { return there_[p]; });
        if (in.req_page_i >= cfg.Pages) in.req_page_i = 0;
        in.req_alloc_i = allocation_of(in.req_page_i);
        in.req_resident_i = there_[in.req_page_i];
        in.req_valid_i =
            r.chance(ask_) && (in.req_resident_i ? r.chance(resident_) : !(waits_[in.req_page_i] >> in.req_id_i & 1));
        // The page table was read before the page arrived, whose responses are being sent.
        const bool drains = last.rsp_valid_o && !(last.rsp_last_o && last_in.rsp_ready_i);
        if (drains && r.chance(16)) {
            in.req_page_i = last.rsp_page_o;
            in.req_alloc_i = allocation_of(in.req_page_i);
            in.req_resident_i = false;
            in.req_valid_i = true;
        }
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
        in.avail_pages_i = uint32_t(r.below(r.chance(128) ? 2 * cfg.Pages : 64));
        in.oversubscribed_i = r.chance(storm_ == Storm::kNone ? 64 : 248);
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
            const bool storm = storm_ != Storm::kNone;
            in.arrive_page_i = storm          ? find(r, [&](uint32_t p) { return comes(p); })
                               : r.chance(64) ? in.req_page_i % cfg.Pages
                                              : page(r);
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
        const bool offered = storm_ == Storm::kNone && last.evict_valid_o && r.chance(128);
        in.gone_page_i = offered                  ? last.evict_block_o << 4 | uint32_t(r.below(16))
                         : storm_ == Storm::kNone ? page(r)
                                                  : find(r, [&](uint32_t p) { return goes(p); });
        in.gone_valid_i = r.chance(gone_) && in.gone_page_i < cfg.Pages && there_[in.gone_page_i];
        if (storm_ != Storm::kNone) in.gone_valid_i = in.gone_valid_i && goes(in.gone_page_i);
        if (rude_ && r.chance(2)) in.gone_valid_i = true;
    }
};
