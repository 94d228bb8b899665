// SPDX-License-Identifier: Apache-2.0
// far_fault_mshr in lockstep: Gu20, sections 4.2.1 and 4.3.
#include "lockstep.hpp"
#include "scenarios.cpp"

// Requesters request a few pages at a time, each once until its response.  Pages arrive that are waited for, or
// unsolicited.
struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {8, 32, 96, 160, 224, 256, 256, 256};
        ask_ = rates[r.below(8)];
        take_ = r.chance(64) ? uint32_t(r.below(2)) : rates[r.below(8)]; // 0, 1: the queue of faults fills
        fill_ = rates[r.below(6)] >> r.below(5);
        tell_ = r.chance(64) ? 16 : rates[r.below(8)];
        prefetch_ = r.chance(128) ? 16 : 96;
        rude_ = r.chance(40);
        pages_ = 1 + uint32_t(r.below(r.below(2) ? 3 * cfg.Entries : 4));
        bit_ = r.chance(128);
    }
    void reset()
    {
        base_ = 0;
        waits_.assign(kPages, 0);
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (!base_) base_ = r.u64() | 1;
        follow(last_in, last);
        in.fault_ready_i = r.chance(take_);
        in.rsp_ready_i = r.chance(tell_);
        request(r, in, last_in, last);
        fill(r, in, last_in, last);
    }

  private:
    static inline const uint32_t kPages = 3 * cfg.Entries + 4;
    uint32_t ask_ = 0, take_ = 0, fill_ = 0, tell_ = 0, prefetch_ = 0, pages_ = 1;
    bool rude_ = false, bit_ = false;
    uint64_t base_ = 0;                                           // 0: chosen anew
    std::vector<uint64_t> waits_ = std::vector<uint64_t>(kPages); // waiting requesters of each page

    // Adjacent pages, or pages that differ in one bit.
    uint64_t page(uint32_t i) const
    {
        return (bit_ ? base_ ^ (uint64_t(i != 0) << (i % cfg.PageW)) : base_ + i) & bits_mask(cfg.PageW);
    }
    uint64_t *waits(uint64_t number)
    {
        for (uint32_t i = 0; i < kPages; i++)
            if (page(i) == number) return &waits_[i];
        return nullptr;
    }
    void follow(const In &in, const Out &out)
    {
        uint64_t *asked = waits(in.req_page_i), *told = waits(out.rsp_page_o);
        if (out.rsp_valid_o && in.rsp_ready_i && told) *told &= ~(uint64_t(1) << out.rsp_id_o);
        const bool waits = out.req_result_o == FAR_FAULT_PRIMARY || out.req_result_o == FAR_FAULT_SECONDARY;
        if (in.req_valid_i && waits && asked && in.req_id_i < 64) *asked |= uint64_t(1) << in.req_id_i;
    }
    void request(Random &r, In &in, const In &last_in, const Out &last)
    {
        const bool refused = last_in.req_valid_i && last.req_result_o > FAR_FAULT_SECONDARY;
        if (refused && !rude_ && r.chance(192)) {
            in.req_page_i = last_in.req_page_i;
            in.req_id_i = last_in.req_id_i;
        } else {
            in.req_page_i = r.chance(16) && last.rsp_valid_o ? last.rsp_page_o : page(uint32_t(r.below(pages_)));
            in.req_id_i = uint8_t(r.below(rude_ ? 64 : cfg.Requesters));
        }
        const uint64_t *w = waits(in.req_page_i);
        in.req_valid_i = r.chance(ask_) && ((rude_ && r.chance(16)) || !(w && *w >> in.req_id_i & 1));
    }
    void fill(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (last_in.fill_valid_i && !last.fill_ready_o && !rude_) {
            in.fill_valid_i = true;
            in.fill_page_i = last_in.fill_page_i;
            return;
        }
        in.fill_page_i = r.chance(prefetch_)                  ? in.req_page_i
                         : last.fault_valid_o && r.chance(48) ? last.fault_page_o
                         : r.chance(16)                       ? last_in.req_page_i
                                                              : page(uint32_t(r.below(pages_)));
        in.fill_valid_i = r.chance(fill_);
    }
};

struct Coverage {
    static inline const char *const kOne = cfg.Entries > 1 ? nullptr : "one far-fault is outstanding at most";
    static inline const char *const kThree = cfg.Entries > 2 ? nullptr : "two far-faults are outstanding at most";
    static inline const char *const kAlone = cfg.Requesters > 1 ? nullptr : "there is one requester";
    static inline const bool kPower = cfg.Requesters > 1 && (cfg.Requesters & (cfg.Requesters - 1)) == 0;

    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const bool v = in.req_valid_i, there = in.req_id_i < cfg.Requesters;
        const bool fill = in.fill_valid_i && out.fill_ready_o, told = out.rsp_valid_o && in.rsp_ready_i;
        const bool same = v && in.req_page_i == in.fill_page_i;
        const uint32_t at = waiting_at(m, in.fill_page_i);
        const bool withdrawn = out.fill_hit_o && at < m.waiting_q;
        const uint8_t result = out.req_result_o;
        const bool again = twice(m, in, out), primary = v && result == FAR_FAULT_PRIMARY;
        const bool secondary = v && result == FAR_FAULT_SECONDARY && there && !again;
        cover("PRIMARY", primary);
        cover("PRIMARY takes the last entry", primary && m.used_q == cfg.Entries - 1);
        cover("PRIMARY while another page comes", primary && fill);
        cover("SECONDARY", secondary, kAlone);
        cover("SECONDARY, the driver has taken the fault", secondary && waiting_at(m, in.req_page_i) >= m.waiting_q,
              kAlone);
        cover("FULL", v && result == FAR_FAULT_FULL);
        cover("FULL in the cycle in which an entry is freed", v && result == FAR_FAULT_FULL && out.fill_hit_o);
        cover("DRAINING, the page's requesters are told", v && result == FAR_FAULT_DRAINING && !fill);
        cover("DRAINING, the page comes", v && result == FAR_FAULT_DRAINING && same && out.fill_hit_o);
        cover("DRAINING, the page comes by prefetch",
              v && result == FAR_FAULT_DRAINING && same && fill && !out.fill_hit_o);
        cover("a fault is taken", out.fault_valid_o && in.fault_ready_i);
        cover("a fault waits", out.fault_valid_o && !in.fault_ready_i);
        cover("a fault is taken and another comes", out.fault_valid_o && in.fault_ready_i && primary, kOne);
        cover("every far-fault waits for the driver", m.waiting_q == cfg.Entries);
        cover("the fault that is offered is withdrawn", withdrawn && at == 0);
        cover("it is withdrawn while it would be taken", withdrawn && at == 0 && in.fault_ready_i);
        cover("a fault further behind is withdrawn", withdrawn && at > 0, kOne);
        cover("one in the middle is withdrawn", withdrawn && at > 0 && at + 1 < m.waiting_q, kThree);
        cover("one is withdrawn and another comes", withdrawn && primary, kOne);
        cover("a page comes whose fault was taken", out.fill_hit_o && !withdrawn);
        cover("a page arrives without a waiting requester", fill && !out.fill_hit_o);
        cover("a page waits while requesters are told", in.fill_valid_i && !out.fill_ready_o);
        cover("a page comes with the last response of another", out.fill_hit_o && told);
        cover("a response waits", out.rsp_valid_o && !in.rsp_ready_i);
        cover("a response that is not the last", told && !out.rsp_last_o, kAlone);
        cover("the last response", told && out.rsp_last_o);
        cover("every requester waits for one page", m.drain_wait_q == bits_mask(cfg.Requesters));
        cover("a response to the last requester", told && out.rsp_id_o == cfg.Requesters - 1);
        cover("request, page, fault and response in one cycle",
              v && fill && told && out.fault_valid_o && in.fault_ready_i);
        cover("nothing is outstanding", m.used_q == 0);
        cover("refused: no such requester", v && !there, kPower ? "every number is a requester" : nullptr);
        cover("refused: asked twice", again);
    }

  private:
    static uint32_t waiting_at(const Twin &m, uint64_t page)
    {
        uint32_t at = cfg.Entries;
        for (uint32_t i = m.waiting_q; i-- > 0;)
            if (m.page_q[m.order_q[i]] == page) at = i;
        return at;
    }
    static bool twice(const Twin &m, const In &in, const Out &out)
    {
        bool any = false;
        for (uint32_t i = 0; i < cfg.Entries; i++)
            any |= m.busy_q[i] && m.page_q[i] == in.req_page_i && (m.wait_q[i] >> (in.req_id_i & 63) & 1);
        return any && in.req_valid_i && out.req_result_o == FAR_FAULT_SECONDARY;
    }
};

COSIM_MAIN
