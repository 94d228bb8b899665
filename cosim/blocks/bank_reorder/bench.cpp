// SPDX-License-Identifier: Apache-2.0
// bank_reorder in lockstep: Gu20, section 2.3.3.
#include "blocks/reorder_traffic.hpp"
#include "scenarios.cpp"

struct Coverage {
    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const char *const fifo = cfg.Banks > 1 ? nullptr : "there is one queue only";
        const bool push = in.in_valid_i && out.in_ready_o, pop = out.out_valid_o && in.out_ready_i;
        const bool refused = out.out_valid_o && in.out_refused_i && !in.out_ready_i;
        const uint32_t bank =
            uint32_t((in.in_addr_i >> cfg.BankMsb << 1 | (in.in_addr_i >> cfg.BankLsb & 1)) & (cfg.Banks - 1));
        cover("a request comes into an empty queue", push && !(m.busy_q >> bank & 1));
        cover("a request comes behind others", push && (m.busy_q >> bank & 1),
              cfg.Entries > 1 ? nullptr : "a queue has one entry");
        cover("a request does not fit", in.in_valid_i && !out.in_ready_o);
        cover("a request does not fit though its queue frees an entry in this cycle",
              in.in_valid_i && !out.in_ready_o && pop && out.out_bank_o == bank);
        cover("all is full", m.used_q == cfg.Banks * cfg.Entries);
        cover("a queue runs empty", pop && m.count_q[out.out_bank_o] == 1 && !(push && bank == out.out_bank_o));
        cover("the last request of a queue leaves as another arrives",
              pop && m.count_q[out.out_bank_o] == 1 && push && bank == out.out_bank_o,
              cfg.Entries > 1 ? nullptr : "its one entry is taken");
        cover("the turn goes past an empty queue", pop && !m.hold_q && out.out_bank_o != m.turn_bank_q, fifo);
        cover("an offer stands while a request comes", m.hold_q && push);
        cover("a refused offer stands", refused && m.hold_q, nullptr);
        cover("after a refusal another queue is offered",
              rotated_ && out.out_valid_o && out.out_bank_o != refused_bank_, !cfg.Rotate ? "HOLD" : fifo);
        rotated_ = refused && cfg.Rotate;
        refused_bank_ = out.out_bank_o;
    }

  private:
    bool rotated_ = false;
    uint8_t refused_bank_ = 0;
};

COSIM_MAIN
