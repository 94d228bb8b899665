// SPDX-License-Identifier: Apache-2.0
// Dynamically linked MSHRs: Gu20, sections 3.4.3 to 3.4.5, figures 3.7 and 3.8.
#include "run.hpp"

static const uint32_t kSets = cfg.Sets;

#include "blocks/miss_scenarios.hpp"

static const uint64_t kLastLine = bits_mask(cfg.AddrW);
static const uint32_t kOpen = cfg.Sets - cfg.Reserved;           // sets that may be attached
static const uint32_t kLinks = cfg.Reserved ? kOpen : kOpen - 1; // maximum number of sets that one line can attach

SCENARIO(primary, kLastLine >= cfg.Sets,
         "3.4.4 primary misses: each takes a set, reserved ones first; nFreeSet 0 refuses the next")
{
    MissFile f(run);
    for (uint32_t i = 0; i < cfg.Sets; i++) {
        const Out out = f.ask(i, i);
        run.expect_equal(out.rsp_result_o, MSHR_PRIMARY, "result");
        run.expect_equal(out.rsp_set_o, i, "set");
    }
    run.expect_equal(f.free_now(), 0, "free sets");
    f.ask_expect(cfg.Sets, 1, MSHR_RF_ENTRY);
}

SCENARIO(case_a, true, "3.4.4 case (a): a slot of the tail set is free: it is taken, no set is")
{
    MissFile f(run);
    const uint32_t set = f.ask(7, 0).rsp_set_o, free = f.free_now();
    for (uint32_t i = 1; i < cfg.Slots; i++) {
        const Out out = f.ask(7, i);
        run.expect_equal(out.rsp_result_o, MSHR_SECONDARY, "result");
        run.expect_equal(out.rsp_set_o, set, "set");
    }
    run.expect_equal(f.free_now(), free, "free sets");
    run.expect_equal(f.used_now(), cfg.Slots, "occupied slots");
}

SCENARIO(case_b, true,
         "3.4.4 case (b): the tail set is full and a set is free: it is linked, lowest first, never a reserved one")
{
    MissFile f(run);
    if (kLinks == 0) return;
    for (uint32_t i = 0; i < cfg.Slots; i++) f.ask(7, i);
    const Out out = f.ask(7, cfg.Slots);
    run.expect_equal(out.rsp_result_o, MSHR_SECONDARY, "result");
    run.expect_equal(out.rsp_set_o, cfg.Reserved ? cfg.Reserved : 1, "linked set");
    run.expect_equal(run.idle().free_o, kLinks - 1, "nFreeSet");
    f.bring_back(7);
    for (uint32_t i = 0; i <= cfg.Slots; i++) f.slot(7, i, false, i == cfg.Slots);
    run.expect_equal(f.free_now(), cfg.Sets, "free sets");
}

SCENARIO(case_c, kLastLine >= cfg.Reserved,
         "3.4.4 case (c): no set is free to link: refused until one is, then case (b)")
{
    MissFile f(run);
    uint32_t other = 0;
    f.ask_expect(0, 0, MSHR_PRIMARY);
    do other++;
    while (f.ask(other, 1).rsp_set_o < cfg.Reserved); // the last of them has a set that can be linked
    f.merge_until_refused(0);
    f.bring_back(other);
    f.ask_expect(0, 1, MSHR_RF_MERGE);
    f.slot(other, 1, false, true);
    f.ask_expect(0, 2, MSHR_SECONDARY);
}

SCENARIO(one_line, true,
         "3.4.3: all sets that may be linked, linked behind one: (links + 1) * slots requests of one line, in order")
{
    MissFile f(run);
    const uint32_t room = (kLinks + 1) * cfg.Slots;
    f.ask_expect(7, 99, MSHR_PRIMARY);
    run.expect_equal(f.merge_until_refused(7), room - 1, "secondary misses taken");
    run.expect_equal(f.used_now(), room, "occupied slots");
    f.bring_back(7);
    f.slot(7, 99, false, room == 1);
    for (uint32_t i = 1; i < room; i++) f.slot(7, i - 1, false, i + 1 == room);
    run.expect_equal(f.free_now(), cfg.Sets, "free sets");
}

SCENARIO(reserve, true, "3.4.6 optimization 4: links leave the reserved sets to new heads")
{
    MissFile f(run);
    f.ask_expect(0, 0, MSHR_PRIMARY);
    f.merge_until_refused(0);
    const Out &out = run.idle();
    run.expect_equal(out.free_o, 0, "nFreeSet");
    run.expect_equal(out.free_reserved_o, cfg.Reserved ? cfg.Reserved - 1 : 0, "nFreeSet of the reserved sets");
    f.ask_expect(1, 1, cfg.Reserved > 1 ? MSHR_PRIMARY : MSHR_RF_ENTRY);
}

SCENARIO(tail, true,
         "3.4.6 optimization 3: with a tail pointer an answer takes one cycle; without, one more for each link")
{
    MissFile f(run);
    f.ask_expect(0, 0, MSHR_PRIMARY);
    const uint32_t links = std::min<uint32_t>(kLinks, 5);
    for (uint32_t i = 1; i < (links + 1) * cfg.Slots; i++) f.ask_expect(0, i, MSHR_SECONDARY);
    run.cycle(f.request(0, 1));
    for (uint32_t i = 0; i < (cfg.TailPtr ? 0 : links); i++) {
        const Out &out = run.idle();
        run.expect(!out.rsp_valid_o && !out.req_ready_o && !out.fill_ready_o, "it walks, and takes nothing meanwhile");
    }
    run.expect(run.idle().rsp_valid_o, "the answer");
}

SCENARIO(same_line, true,
         "two requests for one line in a row: the second finds the entry that the first is about to write")
{
    MissFile f(run);
    run.cycle(f.request(4, 1));
    const Out first = run.cycle(f.request(4, 2)), second = f.answer(run.idle());
    run.expect_equal(first.rsp_result_o, MSHR_PRIMARY, "first result");
    run.expect_equal(second.rsp_result_o, cfg.Slots > 1 || kLinks > 0 ? MSHR_SECONDARY : MSHR_RF_MERGE,
                     "second result");
    if (cfg.Slots > 1) run.expect_equal(second.rsp_set_o, first.rsp_set_o, "set");
}

SCENARIO(last_set, kLastLine > cfg.Sets, "two requests in a row for the last free set: the first has it")
{
    MissFile f(run);
    for (uint32_t i = 1; i < cfg.Sets; i++) f.ask_expect(i, i, MSHR_PRIMARY);
    run.cycle(f.request(cfg.Sets, 1));
    const Out first = run.cycle(f.request(cfg.Sets + 1, 2)), second = run.cycle(f.request(cfg.Sets, 3));
    run.expect_equal(first.rsp_result_o, MSHR_PRIMARY, "first result");
    run.expect_equal(second.rsp_result_o, MSHR_RF_ENTRY, "second result");
    run.expect_equal(f.answer(run.idle()).rsp_result_o, cfg.Slots > 1 ? MSHR_SECONDARY : MSHR_RF_MERGE, "third result");
}

SCENARIO(fill_behind, true,
         "a request taken in the cycle before the fill drains with the line, even if it is the primary miss")
{
    MissFile f(run);
    run.cycle(f.request(4, 1));
    run.expect_equal(run.cycle(f.fill(4)).rsp_result_o, MSHR_PRIMARY, "result");
    f.slot(4, 1, false, true);
    f.ask_expect(4, 2, MSHR_PRIMARY);
    if (cfg.Slots == 1 && kLinks == 0) return;
    run.cycle(f.request(4, 3));
    run.expect_equal(run.cycle(f.fill(4)).rsp_result_o, MSHR_SECONDARY, "result");
    f.slot(4, 2, false, false);
    f.slot(4, 3, false, true);
}

// DAU states of sets 0, 1, ... as far as the last one in use.
static std::string describe(const Twin &m)
{
    std::string all, text;
    for (uint32_t i = 0; i < cfg.Sets; i++) {
        all.append(i ? " S" : "S").append(std::to_string(m.state_q[i]));
        if (m.state_q[i]) text = all;
    }
    return text;
}

static const bool kFigure37 = cfg.Sets == 8 && cfg.Slots == 2 && cfg.Reserved == 0 && cfg.AddrW >= 4;

// The sets of the super-entry whose head is `head`, in the order in which they are linked (H, L and P of 3.4.3).
static std::string chain(const Twin &m, uint32_t head)
{
    std::string text = std::to_string(head);
    for (uint32_t i = 0, set = head; i < cfg.Sets && (m.state_q[set] == 3 || m.state_q[set] == 8); i++) {
        set = m.next_q[set];
        text.append(" ").append(std::to_string(set));
    }
    return text;
}

SCENARIO(figure_3_7b_primaries, kFigure37,
         "8 sets of 2 slots: 8 primary misses outstanding; mshr with as many slots has 4")
{
    Steps f(run);
    f.play({
        {MISS, 'A', PRIMARY, "S1"},
        {MISS, 'B', PRIMARY, "S1 S1"},
        {MISS, 'C', PRIMARY, "S1 S1 S1"},
        {MISS, 'D', PRIMARY, "S1 S1 S1 S1"},
        {MISS, 'E', PRIMARY, "S1 S1 S1 S1 S1"},
        {MISS, 'F', PRIMARY, "S1 S1 S1 S1 S1 S1"},
        {MISS, 'G', PRIMARY, "S1 S1 S1 S1 S1 S1 S1"},
        {MISS, 'H', PRIMARY, "S1 S1 S1 S1 S1 S1 S1 S1"},
        {MISS, 'I', RF_ENTRY, "S1 S1 S1 S1 S1 S1 S1 S1"},
    });
}

SCENARIO(figure_3_7b_secondaries, kFigure37,
         "all 8 sets linked: 15 secondary misses behind one primary; mshr with as many slots takes 3")
{
    Steps f(run);
    f.miss('A', PRIMARY);
    for (int i = 0; i < 15; i++) f.miss('A', SECONDARY);
    f.miss('A', RF_MERGE);
    f.in_use("S3 S8 S8 S8 S8 S8 S8 S9");
    run.expect_equal(f.used_now(), 16, "occupied slots");
    f.ret_and_take_all('A');
    run.expect_equal(f.free_now(), 8, "free sets");
}

SCENARIO(figure_3_7c, kFigure37, "one possible logical state: five super-entries of different lengths")
{
    Steps f(run);
    f.play({
        {MISS, 'A', PRIMARY, "S1"},    // set 0
        {MISS, 'B', PRIMARY, "S1 S1"}, // set 1
        {MISS, 'A', SECONDARY, "S2 S1"},
        {MISS, 'A', SECONDARY, "S3 S1 S6"},  // set 2 linked behind set 0
        {MISS, 'C', PRIMARY, "S3 S1 S6 S1"}, // set 3
        {MISS, 'B', SECONDARY, "S3 S2 S6 S1"},
        {MISS, 'B', SECONDARY, "S3 S3 S6 S1 S6"}, // set 4 behind set 1
        {MISS, 'A', SECONDARY, "S3 S3 S7 S1 S6"},
        {MISS, 'A', SECONDARY, "S3 S3 S8 S1 S6 S6"},     // set 5 behind set 2
        {MISS, 'D', PRIMARY, "S3 S3 S8 S1 S6 S6 S1"},    // set 6
        {MISS, 'E', PRIMARY, "S3 S3 S8 S1 S6 S6 S1 S1"}, // set 7
        {MISS, 'D', SECONDARY, "S3 S3 S8 S1 S6 S6 S2 S1"},
        {MISS, 'A', SECONDARY, "S3 S3 S8 S1 S6 S7 S2 S1"},
        {MISS, 'A', RF_MERGE, "S3 S3 S8 S1 S6 S9 S2 S1"},
        {MISS, 'F', RF_ENTRY, "S3 S3 S8 S1 S6 S9 S2 S1"},
    });
    const Twin &now = run.registers();
    static constexpr struct {
        uint32_t head;
        const char *sets;
    } super_entries[] = {{0, "0 2 5"}, {1, "1 4"}, {3, "3"}, {6, "6"}, {7, "7"}};
    for (const auto &s : super_entries)
        run.expect(chain(now, s.head) == s.sets, "super-entry: " + chain(now, s.head) + ", should be " + s.sets);
    for (const char line : {'B', 'A', 'E', 'C', 'D'}) f.ret_and_take_all(line);
    run.expect_equal(f.free_now(), 8, "free sets");
}

SCENARIO(figure_3_8_free_sets, kFigure37,
         "S0 S1 S2 S3 S5 and S0 S6 S7 S8 S10: ReqH and ReqA while nFreeSet > 0, RET, S_free_EXT")
{
    Steps f(run);
    f.play({
        {MISS, 'A', PRIMARY, "S1"},         // ReqH
        {MISS, 'A', SECONDARY, "S2"},       // ReqH
        {MISS, 'A', SECONDARY, "S3 S6"},    // ReqH, nFreeSet > 0; ReqA
        {MISS, 'A', SECONDARY, "S3 S7"},    // ReqA
        {MISS, 'A', SECONDARY, "S3 S8 S6"}, // ReqA, nFreeSet > 0; ReqA
        {MISS, 'A', SECONDARY, "S3 S8 S7"},
        {MISS, 'A', SECONDARY, "S3 S8 S8 S6"},
        {RET, 'A', 0, "S5 S8 S8 S6"}, // RET
        {TAKE, 'A', 1, "S5 S8 S8 S6"},
        {TAKE, 'A', 1, "S0 S10 S8 S6"}, // S_free_EXT to set 1
        {TAKE, 'A', 2, "S0 S0 S10 S6"},
        {TAKE, 'A', 2, "S0 S0 S0 S10"},
        {TAKE, 'A', 1, ""},
        {MISS, 'B', PRIMARY, "S1"},
        {RET, 'B', 0, "S5"}, // S1 -> S5
        {TAKE, 'B', 1, ""},
        {MISS, 'C', PRIMARY, "S1"},
        {MISS, 'C', SECONDARY, "S2"},
        {RET, 'C', 0, "S5"}, // S2 -> S5
        {TAKE, 'C', 2, ""},
        {MISS, 'D', PRIMARY, "S1"},
        {MISS, 'D', SECONDARY, "S2"},
        {MISS, 'D', SECONDARY, "S3 S6"},
        {MISS, 'D', SECONDARY, "S3 S7"},
        {RET, 'D', 0, "S5 S7"},
        {TAKE, 'D', 2, "S0 S10"}, // S7 -> S10
        {TAKE, 'D', 2, ""},
    });
}

SCENARIO(figure_3_8_no_free_set, kFigure37,
         "S4 and S9: RF while nFreeSet = 0, back to S3 and S8 once a set is free, or on to S5 and S10")
{
    Steps f(run);
    f.play({
        {MISS, 'A', PRIMARY, "S1"},
        {MISS, 'A', SECONDARY, "S2"},
        {MISS, 'B', PRIMARY, nullptr},
        {MISS, 'C', PRIMARY, nullptr},
        {MISS, 'D', PRIMARY, nullptr},
        {MISS, 'E', PRIMARY, nullptr},
        {MISS, 'F', PRIMARY, nullptr},
        {MISS, 'G', PRIMARY, nullptr},
        {MISS, 'H', PRIMARY, "S2 S1 S1 S1 S1 S1 S1 S1"},
        {MISS, 'A', RF_MERGE, "S4 S1 S1 S1 S1 S1 S1 S1"}, // nFreeSet = 0: RF
        {MISS, 'A', RF_MERGE, "S4 S1 S1 S1 S1 S1 S1 S1"},
        {RET, 'B', 0, "S4 S5 S1 S1 S1 S1 S1 S1"},
        {MISS, 'A', RF_MERGE, "S4 S5 S1 S1 S1 S1 S1 S1"},
        {TAKE, 'B', 1, "S4 S0 S1 S1 S1 S1 S1 S1"},
        {MISS, 'A', SECONDARY, "S3 S6 S1 S1 S1 S1 S1 S1"}, // nFreeSet > 0: S4 -> S3
        {MISS, 'A', SECONDARY, "S3 S7 S1 S1 S1 S1 S1 S1"},
        {MISS, 'A', RF_MERGE, "S3 S9 S1 S1 S1 S1 S1 S1"}, // S7 -> S9
        {RET, 'C', 0, "S3 S9 S5 S1 S1 S1 S1 S1"},
        {TAKE, 'C', 1, "S3 S9 S0 S1 S1 S1 S1 S1"},
        {MISS, 'A', SECONDARY, "S3 S8 S6 S1 S1 S1 S1 S1"}, // S9 -> S8
        {MISS, 'A', SECONDARY, "S3 S8 S7 S1 S1 S1 S1 S1"},
        {MISS, 'A', RF_MERGE, "S3 S8 S9 S1 S1 S1 S1 S1"},
        {MISS, 'D', SECONDARY, "S3 S8 S9 S2 S1 S1 S1 S1"},
        {MISS, 'D', RF_MERGE, "S3 S8 S9 S4 S1 S1 S1 S1"},
        {RET, 'D', 0, "S3 S8 S9 S5 S1 S1 S1 S1"}, // S4 -> S5
        {TAKE, 'D', 2, "S3 S8 S9 S0 S1 S1 S1 S1"},
        {RET, 'A', 0, "S5 S8 S9 S0 S1 S1 S1 S1"},
        {TAKE, 'A', 2, "S0 S10 S9 S0 S1 S1 S1 S1"},
        {TAKE, 'A', 2, "S0 S0 S10 S0 S1 S1 S1 S1"}, // S9 -> S10
        {TAKE, 'A', 2, "S0 S0 S0 S0 S1 S1 S1 S1"},
    });
}

SCENARIO(two_stages, true,
         "the result comes a cycle after the request; a fill in that cycle includes the new head (S0 -> S5)")
{
    Steps f(run);
    const In in = f.request(f.address('A'), 1);
    run.expect(!run.cycle(in).rsp_valid_o, "no answer in the cycle of the request");
    const Out out = run.cycle(f.fill(f.address('A')));
    run.expect(out.rsp_valid_o && out.rsp_result_o == PRIMARY && out.fill_ready_o, "PRIMARY, and the fill is taken");
    f.in_use("S5");
    run.expect_equal(run.idle().drain_info_o, in.req_info_i, "the drained requester");
}

SCENARIO(order_over_links, kLinks > 0,
         "footnote of 3.2: W1, R1, W2, R2 ... of one line stay in order and apart, over linked sets")
{
    Steps f(run);
    const uint32_t n = (std::min<uint32_t>(kLinks, 3) + 1) * cfg.Slots;
    for (uint32_t i = 0; i < n; i++) f.miss('A', i ? SECONDARY : PRIMARY, i % 2 == 0);
    f.ret_and_take_all('A');
    run.expect_equal(f.free_now(), cfg.Sets, "free sets");
}

SCENARIO(three_in_a_row, cfg.TailPtr &&cfg.Slots == 2 && kLinks > 0,
         "three requests for one new line in a row: a head and a link")
{
    Steps f(run);
    run.expect(!run.cycle(f.request(9, 0)).rsp_valid_o, "the result comes in the next cycle");
    run.expect_equal(run.cycle(f.request(9, 1)).rsp_result_o, MSHR_PRIMARY, "first result");
    run.expect_equal(run.cycle(f.request(9, 2)).rsp_result_o, MSHR_SECONDARY, "second result");
    run.expect_equal(run.idle().rsp_result_o, MSHR_SECONDARY, "third result");
    if (cfg.Reserved == 0) f.in_use("S3 S6");
}

SCENARIO(fill_between, true, "a fill in the cycle of a primary answer takes it along, not the request of that cycle")
{
    MissFile f(run);
    run.cycle(f.request(3, 1));
    const Out answer = run.cycle(f.both(f.request(3, 2), f.fill(3)));
    run.expect(answer.rsp_result_o == MSHR_PRIMARY && answer.fill_ready_o && !answer.error_o, "the fill is taken");
    const Out &out = run.cycle(f.take());
    run.expect(out.drain_valid_o && out.drain_last_o && out.drain_info_o == 1, "the first request drains");
    run.expect_equal(out.rsp_result_o, MSHR_RF_DRAIN, "the second is refused, and waits for nothing");
    f.ask_expect(3, 3, MSHR_PRIMARY);
}

SCENARIO(fill_as_a_set_is_linked, kLinks > 0,
         "a fill in the cycle in which a secondary miss links a set takes it along")
{
    MissFile f(run);
    for (uint32_t i = 0; i < cfg.Slots; i++) f.ask_expect(3, i, i ? MSHR_SECONDARY : MSHR_PRIMARY);
    run.cycle(f.request(3, cfg.Slots));
    run.expect_equal(run.cycle(f.fill(3)).rsp_result_o, MSHR_SECONDARY, "result");
    for (uint32_t i = 0; i <= cfg.Slots; i++) f.slot(3, i, false, i == cfg.Slots);
    run.expect_equal(f.used_now(), 0, "occupied slots");
}

SCENARIO(until_the_last_slot, cfg.Slots == 2,
         "requests for a line that drains are refused until its last slot is taken")
{
    MissFile f(run);
    f.ask_expect(6, 0, MSHR_PRIMARY);
    f.ask_expect(6, 1, MSHR_SECONDARY);
    f.bring_back(6);
    f.ask_expect(6, 2, MSHR_RF_DRAIN);
    run.cycle(f.take(f.request(6, 3))); // the first slot drains
    run.expect_equal(run.cycle(f.take(f.request(6, 3))).rsp_result_o, MSHR_RF_DRAIN,
                     "the last slot goes, then the search");
    run.expect_equal(run.idle().rsp_result_o, MSHR_PRIMARY, "the line is gone");
}

SCENARIO(walk, !cfg.TailPtr && cfg.Slots == 2 && cfg.Reserved == 2 && kLinks > 2,
         "3.4.6: without a tail pointer a request and a fill wait while sets are walked over, then both are taken")
{
    Steps f(run);
    f.ask_expect(1, 0, MSHR_PRIMARY);
    f.ask_expect(2, 1, MSHR_PRIMARY);
    for (uint32_t i = 2; i < 6; i++) f.ask_expect(1, i, MSHR_SECONDARY);
    f.in_use("S3 S1 S8 S6"); // line 1 has sets 0, 2 and 3
    run.cycle(f.request(1, 6));
    const In both = f.both(f.request(2, 7), f.fill(2));
    for (uint32_t i = 0; i < 2; i++) {
        const Out &out = run.cycle(both);
        run.expect(!out.req_ready_o && !out.rsp_valid_o && !out.fill_ready_o, "sets 0 and 2 are linked");
    }
    const Out &out = run.cycle(both);
    run.expect(out.req_ready_o && out.rsp_valid_o && out.fill_ready_o && out.rsp_set_o == 3, "the tail is found");
    run.expect_equal(run.idle().rsp_result_o, MSHR_RF_DRAIN, "result");
}
