// SPDX-License-Identifier: Apache-2.0
// bank_reorder in lockstep: Gu20, section 2.3.3.
#include "bank_reorder_traffic.hpp"

SCENARIO(latency,
         "a request can leave in the cycle after the one in which it came; one comes and one goes in every cycle")
{
    run.expect(!run.cycle(offer(0, 0, true)).out_valid_o, "nothing is there yet");
    for (uint64_t i = 1; i < 20; i++) {
        const Out &out = run.cycle(offer(i, i, true));
        run.expect(out.in_ready_o && out.out_valid_o, "one comes and one goes");
        run.expect_equal(out.out_info_o, (i - 1) & bits_mask(cfg.InfoW), "the payload");
    }
}

SCENARIO(in_turn, "figure 2.3: the queues are drained in turn; in a queue the oldest request goes first")
{
    for (uint64_t i = 0; i < cfg.Banks * cfg.Entries; i++)
        run.expect(run.cycle(offer(line_of(i / cfg.Entries, i), i)).in_ready_o, "it fits");
    run.expect(!run.cycle(offer(line_of(0, 0), 0)).in_ready_o, "its queue is full");
    run.expect_equal(run.idle().stalls_o, 1, "stalls");
    for (uint64_t i = 0; i < cfg.Banks * cfg.Entries; i++) {
        const Out &out = run.cycle(take());
        run.expect_equal(out.out_bank_o, i % cfg.Banks, "the queue");
        run.expect_equal(out.out_info_o, (i % cfg.Banks * cfg.Entries + i / cfg.Banks) & bits_mask(cfg.InfoW),
                         "the request");
    }
    run.expect(!run.idle().out_valid_o, "all are out");
}

SCENARIO(refused, "HOLD offers the refused request until it is taken, ROTATE the next queue's")
{
    run.cycle(offer(line_of(0, 0), 1));
    run.cycle(offer(line_of(cfg.Banks - 1, 1), 2));
    In in{};
    in.out_refused_i = true;
    run.expect_equal(run.cycle(in).out_info_o, 1, "the oldest");
    run.expect_equal(run.cycle(in).out_info_o, cfg.Rotate && cfg.Banks > 1 ? 2 : 1, "what is offered after a refusal");
}

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
        cover("a request does not fit though its queue gives up a place",
              in.in_valid_i && !out.in_ready_o && pop && out.out_bank_o == bank);
        cover("all is full", m.used_q == cfg.Banks * cfg.Entries);
        cover("a queue runs empty", pop && m.count_q[out.out_bank_o] == 1 && !(push && bank == out.out_bank_o));
        cover("the last request of a queue leaves as another comes",
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
