// SPDX-License-Identifier: Apache-2.0
// cart in lockstep: Gu20, sections 2.4.2 to 2.4.4.
#include "blocks/reorder_traffic.hpp"
#include "scenarios.cpp"

struct Coverage {
    // Order of a line: the older queue is full when the younger starts, and drains completely, except for turns of
    // other rows.
    static inline const char *const kOne = kQueues > 1 ? nullptr : "there is one queue";
    static inline const char *const kHalfway = cfg.Rows > 1 && cfg.Cols > 1 && cfg.Entries > 1 && cfg.Patience > 1
                                                   ? nullptr
                                                   : "a full queue is drained to its end";
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const char *const lane = cfg.Cols > 1 ? nullptr : "a row group has one queue";
        const char *const slot = cfg.Entries > 1 ? nullptr : "a queue has one entry";
        const bool push = in.in_valid_i && out.in_ready_o, pop = out.out_valid_o && in.out_ready_i;
        const bool refused = out.out_valid_o && in.out_refused_i && !in.out_ready_i;
        fill(m, in);
        const bool same = in_bank_ == out.out_bank_o && pop;
        cover("a request joins its line", push && match_ && !full_, slot);
        cover("a line's first request opens a row group", push && !group_);
        cover("a line's first request joins its row", push && group_ && !match_, lane);
        cover("a full queue gets a second one behind it", push && full_, lane);
        cover("a third queue of a line", push && full_ && (m.blocked_q[in_bank_] & match_),
              cfg.Cols > 2 ? nullptr : "a row group has two queues at most");
        cover("stall: the row's group is taken", in.in_valid_i && !push && group_);
        cover("stall: every row group is taken", in.in_valid_i && !push && !group_);
        cover("stall as the place is given up", in.in_valid_i && !push && same);
        drain(m, out, pop, push);
        cover("a queue gives and takes", same && push && (match_ >> out.out_queue_o & 1) && !full_, slot);
        cover("a queue's last request leaves as another arrives",
              same && push && (match_ >> out.out_queue_o & 1) && !full_ && last_one_, slot);
        cover("a queue becomes empty as another is linked to it",
              same && push && full_ && last_one_ && (match_ >> out.out_queue_o & 1),
              cfg.Entries > 1 ? "a full queue has more than one request" : lane);
        cover("a queue becomes empty and unblocks the next queue of its line", pop && last_one_ && linked_, lane);
        cover("the same queue as last time", fresh_ && m.same_q[out.out_bank_o] && !turn_, slot);
        cover("the last queue is empty: another one of its row",
              fresh_ && !m.same_q[out.out_bank_o] && m.stay_q[out.out_bank_o] && !turn_, lane);
        cover("the last row is empty: another one of the branch",
              fresh_ && !m.stay_q[out.out_bank_o] && several_ && !turn_, kOne);
        cover("the longest is not the lowest", fresh_ && free_choice_ && several_ && lower_, kOne ? kOne : slot);
        cover("a longer queue waits for an older one of its line", fresh_ && free_choice_ && blocked_longer_, kHalfway);
        cover("a queue has its turn", pop && turn_, cfg.Patience ? nullptr : "no patience needed");
        cover("the turn goes against the policy",
              pop && turn_ && m.same_q[out.out_bank_o] && m.last_q[out.out_bank_o] != out.out_queue_o,
              !cfg.Patience  ? "no patience needed"
              : kQueues == 1 ? "there is one queue"
                             : slot);
        cover("the branch that is next is empty", fresh_ && out.out_bank_o != next_bank_);
        cover("every branch holds something", m.busy_q == bits_mask(cfg.Banks));
        cover("an offer stands while a request comes", m.hold_q && push);
        cover("a request is held though a longer queue exists", m.hold_q && free_choice_ && lower_longer_,
              kOne ? kOne : slot);
        cover("a refused offer stands", refused && m.hold_q);
        cover("after a refusal another branch is offered",
              rotated_ && out.out_valid_o && out.out_bank_o != refused_bank_, cfg.Rotate ? nullptr : "HOLD");
        cover("after a refusal the same branch is offered, the only one",
              rotated_ && out.out_valid_o && out.out_bank_o == refused_bank_, cfg.Rotate ? nullptr : "HOLD");
        rotated_ = refused && cfg.Rotate;
        if (pop || rotated_) next_bank_ = uint8_t((out.out_bank_o + 1) & (cfg.Banks - 1));
        refused_bank_ = out.out_bank_o;
    }

  private:
    uint32_t in_bank_ = 0;
    uint64_t match_ = 0; // the queue with the request's tag that accepts requests
    bool group_ = false, full_ = false, last_one_ = false, linked_ = false, fresh_ = false, turn_ = false,
         several_ = false;
    bool free_choice_ = false, lower_ = false, lower_longer_ = false, blocked_longer_ = false, rotated_ = false;
    uint8_t refused_bank_ = 0, next_bank_ = 0;

    void fill(const Twin &m, const In &in)
    {
        in_bank_ = uint32_t((in.in_addr_i >> cfg.BankMsb << 1 | (in.in_addr_i >> cfg.BankLsb & 1)) & (cfg.Banks - 1));
        const uint64_t col = in.in_addr_i & bits_mask(cfg.RowLsb) & ~line_of(cfg.Banks - 1, 0),
                       row = in.in_addr_i >> cfg.RowLsb;
        match_ = 0;
        group_ = full_ = false;
        for (uint32_t q = 0; q < kQueues; q++) {
            if (!(m.valid_q[in_bank_] >> q & 1) || m.row_q[in_bank_ * cfg.Rows + q / cfg.Cols] != row) continue;
            group_ = true;
            if (m.col_q[in_bank_ * kQueues + q] != col || (m.linked_q[in_bank_] >> q & 1)) continue;
            match_ |= uint64_t(1) << q;
            full_ = m.count_q[in_bank_ * kQueues + q] == cfg.Entries;
        }
    }

    void drain(const Twin &m, const Out &out, bool pop, bool)
    {
        const uint32_t b = out.out_bank_o, q = out.out_queue_o;
        const uint64_t eligible = m.valid_q[b] & ~m.blocked_q[b];
        const uint8_t count = m.count_q[b * kQueues + q];
        fresh_ = pop && !m.hold_q;
        last_one_ = count == 1;
        linked_ = m.linked_q[b] >> q & 1;
        turn_ = cfg.Patience && m.served_q[b] == cfg.Patience - 1;
        several_ = (eligible & (eligible - 1)) != 0;
        free_choice_ = out.out_valid_o && !m.stay_q[b] && !turn_;
        lower_ = (eligible & bits_mask(q)) != 0;
        lower_longer_ = blocked_longer_ = false;
        for (uint32_t i = 0; i < kQueues; i++) {
            const bool longer = m.count_q[b * kQueues + i] > count;
            lower_longer_ |= longer && (eligible >> i & 1);
            blocked_longer_ |= longer && (m.valid_q[b] & m.blocked_q[b]) >> i & 1;
        }
    }
};

COSIM_MAIN
