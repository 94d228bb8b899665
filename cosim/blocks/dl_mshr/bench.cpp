// SPDX-License-Identifier: Apache-2.0
// dl_mshr in lockstep: Gu20, sections 3.4.1 to 3.4.6.
#include "blocks/miss_traffic.hpp"
#include "scenarios.cpp"

struct Stimulus : MissTraffic {
    Stimulus() : MissTraffic(cfg.Sets)
    {
    }
};

#define SHORT_STATE(code, value, text) S##value = value,
enum { DL_MSHR_STATE(SHORT_STATE) STATES };

// Figure 3.8, S0 to S5: stage 2 makes a head in the cycle that takes its line's fill.
struct Arrow {
    uint8_t from, to;
    const char *name, *impossible;
};
static const char *const kNoLink = kLinks >= 1 ? nullptr : "no set may be attached";
static const char *const kNoSecondLink = kLinks >= 2 ? nullptr : "no line can have two sets attached";
static const char *const kSingle = cfg.Slots > 1 ? nullptr : "with one slot a set in use is full";
static const char *const kDouble = cfg.Slots > 1 ? "with more than one slot a new set is not full" : nullptr;
static constexpr const char *either(const char *a, const char *b)
{
    return a ? a : b;
}
static const Arrow kArrows[] = {
    {S0, S1, "S0 -> S1  ReqH", kSingle},
    {S0, S2, "S0 -> S2  ReqH, one slot", kDouble},
    {S0, S5, "S0 -> S5  ReqH and RET", nullptr},
    {S1, S2, "S1 -> S2  ReqH", kSingle},
    {S2, S3, "S2 -> S3  ReqH, nFreeSet > 0", kNoLink},
    {S2, S4, "S2 -> S4  ReqH, nFreeSet = 0", nullptr},
    {S4, S3, "S4 -> S3  ReqH, nFreeSet > 0", kNoLink},
    {S1, S5, "S1 -> S5  RET", kSingle},
    {S2, S5, "S2 -> S5  RET", nullptr},
    {S3, S5, "S3 -> S5  RET", kNoLink},
    {S4, S5, "S4 -> S5  RET", nullptr},
    {S5, S0, "S5 -> S0  released", nullptr},
    {S0, S6, "S0 -> S6  ReqA", either(kNoLink, kSingle)},
    {S0, S7, "S0 -> S7  ReqA, one slot", either(kNoLink, kDouble)},
    {S6, S7, "S6 -> S7  ReqA", either(kNoLink, kSingle)},
    {S7, S8, "S7 -> S8  ReqA, nFreeSet > 0", kNoSecondLink},
    {S7, S9, "S7 -> S9  ReqA, nFreeSet = 0", kNoLink},
    {S9, S8, "S9 -> S8  ReqA, nFreeSet > 0", kNoSecondLink},
    {S6, S10, "S6 -> S10 S_free_EXT", either(kNoLink, kSingle)},
    {S7, S10, "S7 -> S10 S_free_EXT", kNoLink},
    {S8, S10, "S8 -> S10 S_free_EXT", kNoSecondLink},
    {S9, S10, "S9 -> S10 S_free_EXT", kNoLink},
    {S10, S0, "S10 -> S0 released", kNoLink},
};

struct Coverage {
    uint8_t before[std::extent_v<decltype(Twin::state_q)>] = {};

    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool first)
    {
        states(cover, m, first);
        answers(cover, m, out);
        handshakes(cover, m, in, out);
        forwarding(cover, m, in, out);
    }

    void states(Cover &cover, const Twin &m, bool first)
    {
        static constexpr const char *names[] = {"S0 free",
                                                "S1 head with room",
                                                "S2 head full",
                                                "S3 head linked",
                                                "S4 head refused a merge",
                                                "S5 head releasing",
                                                "S6 attached with room",
                                                "S7 attached full",
                                                "S8 attached linked",
                                                "S9 attached refused a merge",
                                                "S10 attached releasing"};
        uint16_t to[STATES] = {}; // one bit per state in which some set was in the previous cycle
        uint16_t seen = 0;
        for (uint32_t i = 0; i < cfg.Sets; i++) {
            seen = uint16_t(seen | 1u << m.state_q[i]);
            if (!first && before[i] != m.state_q[i]) to[m.state_q[i]] = uint16_t(to[m.state_q[i]] | 1u << before[i]);
        }
        std::memcpy(before, m.state_q, sizeof before);
        for (uint32_t s = 0; s < STATES; s++)
            cover(names[s], seen >> s & 1,
                  s == S1              ? kSingle
                  : s == S6            ? either(kNoLink, kSingle)
                  : s == S8            ? kNoSecondLink
                  : s == S3 || s >= S6 ? kNoLink
                                       : nullptr);
        for (const Arrow &a : kArrows) {
            cover(a.name, to[a.to] >> a.from & 1, a.impossible);
            to[a.to] = uint16_t(to[a.to] & ~(1u << a.from));
        }
        uint16_t others = 0;
        for (const uint16_t from : to) others = uint16_t(others | from);
        cover("any other change of state", others, "figure 3.8 has no such arrow");
    }

    void answers(Cover &cover, const Twin &m, const Out &out)
    {
        const bool v = out.rsp_valid_o, secondary = v && out.rsp_result_o == MSHR_SECONDARY;
        const uint8_t target = m.state_q[out.rsp_set_o];
        const bool primary = v && out.rsp_result_o == MSHR_PRIMARY, rf_merge = v && out.rsp_result_o == MSHR_RF_MERGE;
        const uint8_t tail = m.state_q[cfg.TailPtr ? m.tail_q[m.s2_set_q] : m.s2_set_q];
        cover("PRIMARY in a reserved set", primary && out.rsp_set_o < cfg.Reserved,
              cfg.Reserved ? nullptr : "no set is reserved");
        cover("PRIMARY in a set that is not reserved", primary && out.rsp_set_o >= cfg.Reserved);
        cover("SECONDARY case (a), tail is the head", secondary && target == S1, kSingle);
        cover("SECONDARY case (a), tail is attached", secondary && target == S6, either(kNoLink, kSingle));
        cover("SECONDARY case (b), tail is the head", secondary && target == S0 && tail == S2, kNoLink);
        cover("SECONDARY case (b), tail is attached", secondary && target == S0 && tail == S7, kNoSecondLink);
        cover("SECONDARY case (b) after case (c)", secondary && target == S0 && (tail == S4 || tail == S9), kNoLink);
        cover("RF_MERGE case (c), tail is the head", rf_merge && tail == S2);
        cover("RF_MERGE case (c), tail is attached", rf_merge && tail == S7, kNoLink);
        cover("RF_MERGE case (c) again", rf_merge && (tail == S4 || tail == S9));
        cover("RF_MERGE while reserved sets are free", rf_merge && m.n_free_reserved_q,
              cfg.Reserved ? nullptr : "no set is reserved");
        cover("RF_ENTRY", v && out.rsp_result_o == MSHR_RF_ENTRY);
        cover("RF_DRAIN", v && out.rsp_result_o == MSHR_RF_DRAIN);
        cover("the last free set is taken",
              (primary || (secondary && target == S0)) && m.n_free_set_q + m.n_free_reserved_q == 1);
        cover("everything is free", m.used_slots_q == 0);
        cover("every slot is occupied", m.used_slots_q == cfg.Sets * cfg.Slots);
    }

    void handshakes(Cover &cover, const Twin &m, const In &in, const Out &out)
    {
        const bool taken = out.drain_valid_o && in.drain_ready_i, last = taken && out.drain_last_o;
        const bool fill = in.fill_valid_i && out.fill_ready_o;
        const bool walk = !out.req_ready_o;
        const char *const no_walk = cfg.TailPtr ? "the tail pointer makes walking needless" : kNoLink;
        cover("a slot waits to be taken", out.drain_valid_o && !in.drain_ready_i);
        cover("a write comes out", taken && out.drain_write_o);
        cover("a read comes out", taken && !out.drain_write_o);
        cover("write data comes out", taken && out.drain_data_o[0],
              cfg.DataW ? nullptr : "there is no write data buffer");
        cover("a fill waits for the drain", in.fill_valid_i && !out.fill_ready_o && !walk);
        cover("a fill is taken with the last slot of another line", fill && last && in.fill_addr_i != out.drain_addr_o);
        cover("a fill for the line whose last slot leaves", fill && last && in.fill_addr_i == out.drain_addr_o);
        cover("the error is raised", out.error_o == MSHR_ERROR_FILL);
        cover("a request waits for a walk", in.req_valid_i && walk, no_walk);
        cover("a fill waits for a walk", in.fill_valid_i && walk && !m.drain_valid_q, no_walk);
        cover("the drain goes on during a walk", taken && walk, no_walk);
    }

    // Cases of an unpipelined file: back-to-back requests, a fill together with any request.
    void forwarding(Cover &cover, const Twin &m, const In &in, const Out &out)
    {
        const bool request = in.req_valid_i && out.req_ready_o, fill = in.fill_valid_i && out.fill_ready_o;
        const bool again = request && m.s2_valid_q && in.req_addr_i == m.s2_addr_q, v = out.rsp_valid_o;
        const bool behind = fill && v && in.fill_addr_i == m.s2_addr_q, last = out.drain_last_o && in.drain_ready_i;
        const bool link = v && out.rsp_result_o == MSHR_SECONDARY && m.state_q[out.rsp_set_o] == S0;
        cover("next to a PRIMARY, the same line", again && v && out.rsp_result_o == MSHR_PRIMARY);
        cover("next to a merge, the same line", again && v && out.rsp_result_o == MSHR_SECONDARY && !link, kSingle);
        cover("next to a link, the same line", again && link, kNoLink);
        cover("next to a refusal, the same line", again && v && out.rsp_result_o >= MSHR_RF_ENTRY);
        cover("request and fill of one line in one cycle", request && fill && in.req_addr_i == in.fill_addr_i);
        cover("fill right behind its PRIMARY", behind && out.rsp_result_o == MSHR_PRIMARY);
        cover("fill right behind a merge", behind && out.rsp_result_o == MSHR_SECONDARY && !link, kSingle);
        cover("fill right behind a link", behind && link, kNoLink);
        cover("fill right behind a refused merge", behind && out.rsp_result_o == MSHR_RF_MERGE);
        cover("request for a line whose last slot leaves", request && last && in.req_addr_i == out.drain_addr_o);
        cover("request, answer, fill and slot in one cycle", request && v && fill && last);
    }
};

COSIM_MAIN
