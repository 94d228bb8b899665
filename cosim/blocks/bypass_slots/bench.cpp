// SPDX-License-Identifier: Apache-2.0
// bypass_slots in lockstep: Dai17, section 3.8.
#include "lockstep.hpp"
#include "scenarios.cpp"

// Requests at any rate.  Data return for slots in flight, except in stretches that return any slot.
struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {16, 64, 128, 200, 240, 256, 256, 256};
        ask_ = rates[r.below(8)];
        back_ = rates[r.below(8)];
        rude_ = r.chance(48);
    }
    void reset()
    {
        out_.clear();
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (last.ret_valid_o) out_.erase(std::remove(out_.begin(), out_.end(), last_in.ret_slot_i), out_.end());
        if (last_in.req_valid_i && last.req_ready_o) out_.push_back(last.req_slot_o);
        in.req_valid_i = r.chance(ask_);
        in.req_info_i = uint32_t(r.u64());
        const bool any = rude_ && r.chance(64);
        in.ret_valid_i = r.chance(back_) && (any || !out_.empty());
        in.ret_slot_i = any || out_.empty() ? uint16_t(r.u64()) : out_[r.below(out_.size())];
    }

  private:
    uint32_t ask_ = 0, back_ = 0;
    bool rude_ = false;
    std::vector<uint16_t> out_;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const bool taken = in.req_valid_i && out.req_ready_o, full = m.used_q == cfg.Slots;
        cover("a request takes the first slot", taken && m.used_q == 0);
        cover("a request takes the last free slot", taken && m.used_q == cfg.Slots - 1 && !out.ret_valid_o);
        cover("a request takes the slot that is freed", taken && full);
        cover("a request and a release of another slot", taken && out.ret_valid_o && out.req_slot_o != in.ret_slot_i,
              cfg.Slots > 1 ? nullptr : "there is one slot only");
        cover("a request is refused", in.req_valid_i && !out.req_ready_o);
        cover("a request is refused with a bad release", in.req_valid_i && !out.req_ready_o && in.ret_valid_i,
              cfg.Slots == 1u << bits_index(cfg.Slots) ? "every slot there is is taken" : nullptr);
        cover("data comes back", out.ret_valid_o);
        cover("the last one comes back", out.ret_valid_o && m.used_q == 1 && !taken);
        cover("data for a free slot", in.ret_valid_i && in.ret_slot_i < cfg.Slots && !out.ret_valid_o);
        cover("data for a slot that does not exist", in.ret_valid_i && in.ret_slot_i >= cfg.Slots,
              cfg.Slots == 1u << bits_index(cfg.Slots) ? "every number is a slot" : nullptr);
        cover("the error is raised", out.error_o == BYPASS_SLOTS_ERROR_RETURN);
        cover("a hole below slots in use", m.used_q && !m.busy_q[0],
              cfg.Slots > 1 ? nullptr : "there is one slot only");
    }
};

COSIM_MAIN
