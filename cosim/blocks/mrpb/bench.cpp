// SPDX-License-Identifier: Apache-2.0
// mrpb in lockstep.
#include "lockstep.hpp"
#include "scenarios.cpp"

struct Stimulus {
    // A new stretch: rates of requests, takes and refusals; how many warps send, and whether in turn; whether both
    // sides keep to the protocol.
    void begin(Random &r)
    {
        static constexpr uint16_t rates[] = {16, 64, 128, 192, 240, 256, 256, 256};
        offer_ = rates[r.below(8)];
        take_ = rates[r.below(8)] >> r.below(4);
        refuse_ = rates[r.below(8)];
        warps_ = 1 + r.below(r.chance(128) ? cfg.Queues : 4);
        from_ = r.below(cfg.Queues);
        same_ = rates[r.below(4)];
        polite_ = r.chance(192);
        turns_ = r.chance(32);
        if (!turns_) return;
        polite_ = false;
        take_ = take_ >> r.below(9);
    }
    void reset()
    {
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (polite_ && last_in.in_valid_i && !last.in_ready_o && !last.error_o) {
            in = last_in;
        } else {
            in.in_valid_i = r.chance(offer_);
            if (turns_)
                queue_ = uint8_t((queue_ + 1u) % cfg.Queues);
            else if (!r.chance(same_))
                queue_ = uint8_t((from_ + r.below(warps_)) % cfg.Queues);
            in.in_queue_i = polite_ || !r.chance(1) ? queue_ : uint8_t(r.below(256));
            in.in_info_i = r.u64();
        }
        in.out_ready_i = r.chance(take_);
        in.out_refused_i = r.chance(refuse_) && (!polite_ || (last.out_valid_o && !in.out_ready_i));
    }

  private:
    uint32_t offer_ = 0, take_ = 0, refuse_ = 0, same_ = 0;
    uint64_t warps_ = 1, from_ = 0;
    uint8_t queue_ = 0;
    bool polite_ = true, turns_ = false;
};

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const char *const one_queue = cfg.Queues > 1 ? nullptr : "there is one queue only";
        const char *const one_entry = cfg.Entries > 1 ? nullptr : "a queue holds one request";
        const char *const one_place = capacity() > 1 ? one_queue : "one request is held";
        const bool known = in.in_queue_i < cfg.Queues;
        const uint32_t queue = known ? in.in_queue_i : 0;
        const bool push = in.in_valid_i && out.in_ready_o, pop = out.out_valid_o && in.out_ready_i;
        const bool refused = out.out_valid_o && in.out_refused_i && !pop;
        const bool last = m.head_q[out.out_queue_o] == m.tail_q[out.out_queue_o];
        cover("a request comes into an empty queue", push && !m.valid_q[queue]);
        cover("a request comes behind others", push && m.valid_q[queue], one_entry);
        cover("a request does not fit", in.in_valid_i && known && !out.in_ready_o);
        cover("it does not fit though an entry is freed in this cycle",
              in.in_valid_i && known && !out.in_ready_o && pop && out.out_queue_o == queue);
        cover("all is full", m.used_q == capacity());
        cover("a queue runs empty", pop && last && !(push && queue == out.out_queue_o));
        cover("the last request of a queue leaves as another arrives", pop && last && push && queue == out.out_queue_o,
              one_entry);
        cover("a lower queue fills while an offer stands", m.hold_q && push && queue < m.hold_queue_q, one_place);
        cover("an offer stands in front of a lower queue", lower(m), one_place);
        cover("after a refusal a lower queue is offered",
              refused_ && out.out_valid_o && out.out_queue_o < refused_queue_, one_place);
        cover("after a refusal the same is offered", refused_ && out.out_queue_o == refused_queue_);
        cover("a queue that does not exist", in.in_valid_i && !known,
              bits_mask(bits_index(cfg.Queues)) >= cfg.Queues ? nullptr : "each number is a queue");
        cover("the youngest request lies in a lower entry than the oldest", wrapped(m), one_entry);
        refused_ = refused;
        refused_queue_ = out.out_queue_o;
    }

  private:
    bool refused_ = false;
    uint8_t refused_queue_ = 0;

    static bool lower(const Twin &m)
    {
        return m.hold_q && std::any_of(m.valid_q, m.valid_q + m.hold_queue_q, [](uint8_t v) { return v != 0; });
    }
    static bool wrapped(const Twin &m)
    {
        return m.hold_q && m.tail_q[m.hold_queue_q] < m.head_q[m.hold_queue_q];
    }
};

COSIM_MAIN
