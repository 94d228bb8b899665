// SPDX-License-Identifier: Apache-2.0
// block_overlap in lockstep.
#include "lockstep.hpp"
#include "scenarios.cpp"

#include <vector>

struct Stimulus {
    // A new stretch: rates of each side; how far rectangles spread and how large they are; whether all keep to the
    // protocol.
    void begin(Random &r)
    {
        push_ = rates[r.below(8)];
        ask_ = r.chance(32) ? 0 : rates[r.below(8)]; // 0: the queue fills
        finish_ = rates[r.below(8)] >> r.below(6);
        take_ = rates[r.below(8)];
        clear_ = r.chance(40);
        spread_ = 1 + r.below(1u << r.below(cfg.FieldW + 1));
        size_ = 1 + r.below(1u << r.below(cfg.FieldW + 1));
        polite_ = r.chance(224);
        one_sm_ = r.chance(64);
    }
    void reset()
    {
        running_.clear();
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        follow(last_in, last);
        if (r.below(16 * cfg.Depth + 32) == 0) push_ = rates[r.below(8)]; // the queue fills and is served
        const bool granted =
            last.grant_valid_o && last_in.grant_ready_i; // the queue closes up, unless it was the oldest
        in.clear_valid_i = clear_ && r.below(granted ? 8 : 200) == 0;
        in.push_valid_i = polite_ && last_in.push_valid_i && !last.push_ready_o ? true : r.chance(push_);
        if (polite_ && last_in.push_valid_i && !last.push_ready_o)
            hold_push(in, last_in);
        else
            new_push(r, in);
        const bool asked = polite_ && last_in.req_valid_i && !last.req_ready_o;
        in.req_valid_i = r.chance(ask_);
        in.req_sm_i = asked && r.chance(200) ? last_in.req_sm_i : sm(r);
        finish(r, in);
        in.grant_ready_i = r.chance(take_);
    }

  private:
    static constexpr uint16_t rates[] = {4, 16, 64, 128, 192, 256, 256, 256};
    struct Place {
        uint8_t sm, slot;
    };
    std::vector<Place> running_;
    uint32_t push_ = 0, ask_ = 0, finish_ = 0, take_ = 0;
    uint64_t spread_ = 1, size_ = 1;
    bool clear_ = false, polite_ = true, one_sm_ = false;

    void follow(const In &in, const Out &out)
    {
        if (in.finish_valid_i && out.finish_ready_o)
            for (size_t i = 0; i < running_.size(); i++)
                if (running_[i].sm == in.finish_sm_i && running_[i].slot == in.finish_slot_i) {
                    running_.erase(running_.begin() + long(i));
                    break;
                }
        if (in.grant_ready_i && out.grant_valid_o) running_.push_back({out.grant_sm_o, out.grant_slot_o});
        if (in.clear_valid_i) running_.clear();
    }
    uint8_t sm(Random &r) const
    {
        if (!polite_ && r.below(500) == 0) return uint8_t(r.below(256));
        return uint8_t(one_sm_ ? cfg.Sms - 1 : r.below(cfg.Sms));
    }
    uint64_t side(Random &r, uint64_t below) const
    {
        uint64_t all = 0;
        for (uint32_t i = 0; i < cfg.Arrays; i++) {
            const uint64_t most = bits_mask(cfg.FieldW);
            uint64_t v = r.chance(8) ? most : r.below(below);
            if (v > most) v = most;
            all |= v << (i * cfg.FieldW);
        }
        return all;
    }
    void new_push(Random &r, In &in) const
    {
        in.push_id_i = uint32_t(r.u64());
        in.push_x_i = side(r, spread_);
        in.push_y_i = side(r, spread_);
        in.push_width_i = side(r, size_ + 1);
        in.push_height_i = side(r, size_ + 1);
    }
    static void hold_push(In &in, const In &last_in)
    {
        in.push_id_i = last_in.push_id_i;
        in.push_x_i = last_in.push_x_i;
        in.push_y_i = last_in.push_y_i;
        in.push_width_i = last_in.push_width_i;
        in.push_height_i = last_in.push_height_i;
    }
    void finish(Random &r, In &in) const
    {
        in.finish_valid_i = r.chance(finish_);
        if (!polite_ && r.below(300) == 0) {
            in.finish_sm_i = uint8_t(r.below(256));
            in.finish_slot_i = uint8_t(r.below(256));
        } else if (running_.empty()) {
            in.finish_valid_i = false;
        } else {
            const Place &p = running_[r.below(running_.size())];
            in.finish_sm_i = p.sm;
            in.finish_slot_i = p.slot;
        }
    }
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const char *const one_sm = cfg.Sms > 1 ? nullptr : "there is one SM only";
        const char *const one = cfg.Depth > 1 ? nullptr : "there is one candidate only";
        const char *const one_slot = cfg.Slots > 1 ? nullptr : "a request waits until the only slot is free";
        const char *const no_sm = bits_mask(bits_index(cfg.Sms)) >= cfg.Sms ? nullptr : "each number is an SM";
        const bool most = m.state_q == BLOCK_OVERLAP_MOST, least = m.state_q == BLOCK_OVERLAP_LEAST;
        const bool closes = m.state_q == BLOCK_OVERLAP_CLOSE;
        const bool granted = out.grant_valid_o && in.grant_ready_i;
        cover("the queue is full and more is offered", in.push_valid_i && m.count_q == cfg.Depth);
        cover("a candidate waits for the decision", in.push_valid_i && most, one_slot);
        cover("a request without candidates", in.req_valid_i && !m.count_q && m.state_q == BLOCK_OVERLAP_IDLE);
        cover("all three are accepted at once",
              in.push_valid_i && out.push_ready_o && out.req_ready_o && in.finish_valid_i && out.finish_ready_o, one);
        cover("the largest overlap wins", granted && !m.least_q, one_slot);
        cover("it is not the oldest", granted && !m.least_q && m.winner_q != m.head_q, one ? one : one_slot);
        cover("a running SM, and no candidate overlaps", granted && m.least_q && m.running_q[m.sm_q], one_slot);
        cover("the least overlap wins", granted && m.least_q && m.best_q, one_sm);
        cover("it is not the oldest, though it overlaps", granted && m.least_q && m.best_q && m.winner_q != m.head_q,
              one ? one : one_sm);
        cover("the first has no overlap at all", granted && m.least_q && !m.best_q && m.winner_q == m.head_q);
        cover("one without overlap ends the search",
              least && (m.valid_q & m.ends_q) >> 4 && !m.sum_q && !m.total_q && (m.at_q + 1u) % cfg.Depth != m.tail_q,
              one);
        cover("nothing else runs", least && m.look_q == m.sm_q);
        cover("the queue closes up beyond the end of the table", closes && m.place_q < m.head_q, one);
        cover("a candidate waits for the queue to close up", in.push_valid_i && closes, one);
        cover("a request waits for the queue to close up", in.req_valid_i && closes, one);
        cover("the kernel ends as the queue closes up", in.clear_valid_i && closes, one);
        cover("an SM is full", most && m.slot_q == cfg.Slots - 1, one_slot);
        cover("a grant waits", out.grant_valid_o && !in.grant_ready_i);
        cover("the kernel ends during a decision", in.clear_valid_i && (most || least));
        cover("the kernel ends as a thread block is granted", in.clear_valid_i && granted);
        cover("a thread block finishes that does not run", m.error_q == BLOCK_OVERLAP_ERROR_FINISH);
        cover("an SM that does not exist", m.error_q == BLOCK_OVERLAP_ERROR_SM, no_sm);
    }
};

COSIM_MAIN
