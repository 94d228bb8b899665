// SPDX-License-Identifier: Apache-2.0
// The Cache Access Reordering Tree: Gu20, sections 2.4.3 and 2.4.4, figure 2.6.
#include "blocks/reorder_scenarios.hpp"

static const uint32_t kColBits = cfg.RowLsb - bits_index(cfg.Banks);

// Line address from bank, row and column.
static inline uint64_t line(uint64_t bank, uint64_t row, uint64_t col)
{
    return line_of(bank, row << kColBits | col);
}

static const uint32_t kQueues = cfg.Rows * cfg.Cols;
static const uint64_t kLastRow = bits_mask(cfg.AddrW - cfg.RowLsb);

SCENARIO(latency, true, "a request can leave in the cycle after its arrival; one arrives and one leaves in every cycle")
{
    run.expect(!run.cycle(offer(line(0, 0, 0), 0, true)).out_valid_o, "nothing is there yet");
    for (uint64_t i = 1; i < 20; i++) {
        const Out &out = run.cycle(offer(line(i % cfg.Banks, 0, 0), i, true));
        run.expect(out.in_ready_o && out.out_valid_o, "one arrives and one leaves");
        run.expect_equal(out.out_info_o, (i - 1) & bits_mask(cfg.InfoW), "the payload");
        run.expect_equal(out.out_addr_o, line((i - 1) % cfg.Banks, 0, 0), "the line");
    }
}

SCENARIO(one_line, true,
         "2.4.3: a line takes queue after queue of its row's group, and no other; its requests leave in order")
{
    for (uint64_t i = 0; i < cfg.Cols * cfg.Entries; i++)
        run.expect(run.cycle(offer(line(1, 1, 0), i)).in_ready_o, "it fits");
    run.expect(!run.cycle(offer(line(1, 1, 0), 0)).in_ready_o, "its row's group is full");
    run.expect_equal(run.idle().stalls_o, 1, "stalls");
    for (uint64_t i = 0; i < cfg.Cols * cfg.Entries; i++)
        run.expect_equal(run.cycle(take()).out_info_o, i & bits_mask(cfg.InfoW), "the next of the line");
    run.expect(!run.idle().out_valid_o, "all are out");
}

SCENARIO(groups, kLastRow >= cfg.Rows,
         "2.4.3: as many rows as groups; one more stalls, and takes the group that has run empty")
{
    for (uint64_t row = 0; row < cfg.Rows; row++)
        run.expect(run.cycle(offer(line(0, row, 0), row)).in_ready_o, "it fits");
    run.expect(!run.cycle(offer(line(0, cfg.Rows, 0), 9)).in_ready_o, "no group is left");
    run.expect(!run.cycle(offer(line(0, cfg.Rows, 0), 9, true)).in_ready_o, "one is given up in this cycle");
    run.expect(run.cycle(offer(line(0, cfg.Rows, 0), 9)).in_ready_o, "and is there in the next");
}

SCENARIO(refused, true, "HOLD offers the refused request until it is taken, ROTATE the next branch's")
{
    run.cycle(offer(line(0, 0, 0), 1));
    run.cycle(offer(line(1, 1, 0), 2));
    In in{};
    in.out_refused_i = true;
    run.expect_equal(run.cycle(in).out_info_o, 1, "the first");
    run.expect_equal(run.cycle(in).out_info_o, cfg.Rotate ? 2 & bits_mask(cfg.InfoW) : 1, "the offer after a refusal");
}

static void fill(Run &run, uint64_t addr, std::initializer_list<uint64_t> requests)
{
    for (uint64_t r : requests) {
        run.about("MR" + std::to_string(r));
        run.expect(run.cycle(offer(addr, r)).in_ready_o, "it finds a place");
    }
}

static void drain(Run &run, std::initializer_list<uint64_t> requests)
{
    for (uint64_t r : requests) {
        run.about("MR" + std::to_string(r));
        const Out &out = run.cycle(take());
        run.expect(out.out_valid_o, "a request is offered");
        run.expect_equal(out.out_info_o, r & bits_mask(cfg.InfoW), "it");
    }
    run.about("");
}

static const bool kFigure26 = cfg.Banks == 4 && cfg.Rows == 2 && cfg.Cols == 2 && cfg.Entries == 5 &&
                              cfg.Patience == 0 && kLastRow >= 2 && kColBits >= 2 && cfg.InfoW >= 7;

// Q4 was begun when Q3 was full.  So Q3 once held three more; the last of them leaves as MR7 arrives, and bank 1 is
// next.
SCENARIO(figure_2_6, kFigure26, "the drain order that section 2.4.4 prints, starting with bank 1")
{
    fill(run, line(2, 1, 1), {100, 101, 102, 13, 12, 15, 14});
    drain(run, {100, 101});
    run.expect_equal(run.cycle(offer(line(1, 1, 1), 7, true)).out_info_o, 102, "the last of the three");
    fill(run, line(1, 1, 1), {6, 5, 4, 3});
    fill(run, line(1, 1, 0), {2, 1, 0});
    fill(run, line(1, 2, 2), {11, 10, 9, 8});
    fill(run, line(3, 3, 1), {18, 17, 16});
    drain(run, {7, 13, 18, 6, 12, 17, 5, 15, 16, 4, 14, 3, 2, 1, 0, 11, 10, 9, 8});
    run.expect(!run.idle().out_valid_o, "all are out");
}

SCENARIO(row_hits, cfg.Cols > 1 && cfg.Rows > 1,
         "2.4.4: the same line, then the same row, though another row waits longer")
{
    fill(run, line(0, 1, 0), {1});
    fill(run, line(0, 0, 0), {2});
    fill(run, line(0, 1, 1), {3});
    drain(run, {1, 3, 2});
}

SCENARIO(bank_level_parallelism, cfg.Entries > 1, "2.4.4: one request of a branch, then the next branch has its turn")
{
    fill(run, line(0, 0, 0), {1, 2});
    fill(run, line(1, 0, 0), {3, 4});
    drain(run, {1, 3, 2, 4});
}

SCENARIO(stall, true, "2.4.3: no place in the row's group: the request waits outside, and the cycles are counted")
{
    for (uint64_t i = 0; i < cfg.Cols * cfg.Entries; i++) run.cycle(offer(line(1, 0, 0), i));
    for (uint32_t i = 0; i < 3; i++) run.expect(!run.cycle(offer(line(1, 0, 0), 9)).in_ready_o, "it waits");
    run.expect_equal(run.idle().stalls_o, 3, "stalls");
}

static const bool kTable = cfg.Banks == 16 && cfg.Rows == 4 && cfg.Cols == 2 && cfg.Entries == 2 && kLastRow >= 6 &&
                           kColBits >= 2 && cfg.InfoW >= 6;

SCENARIO(figure_2_5, kTable,
         "the second request of a line follows the first, the next is of the open row; banks in turn")
{
    fill(run, line(0, 0, 0), {10});
    fill(run, line(0, 1, 1), {11});
    fill(run, line(0, 0, 0), {12});
    fill(run, line(1, 0, 0), {13});
    fill(run, line(0, 0, 1), {14});
    drain(run, {10, 13, 12, 14, 11});
    run.expect(!run.idle().out_valid_o, "all are out");
}

SCENARIO(second_queue, kTable, "2.4.3: a full queue gets a second one; the line stays in order")
{
    fill(run, line(1, 5, 3), {0, 1, 2, 3});
    run.expect(!run.cycle(offer(line(1, 5, 3), 9)).in_ready_o, "both queues of the row's group are full");
    fill(run, line(1, 6, 3), {20}); // another row has its own group
    drain(run, {0});
    run.expect(!run.cycle(offer(line(1, 5, 3), 9)).in_ready_o,
               "the older queue has room, but the younger one takes the line's requests");
    drain(run, {1});
    fill(run, line(1, 5, 3), {4}); // the older queue has become empty, and starts again behind the younger one
    drain(run, {2, 3, 4, 20});
}

SCENARIO(own_group, kTable, "2.4.3: a row keeps to its group; a row without a group stalls")
{
    for (uint64_t row = 0; row < 4; row++) fill(run, line(0, row, 0), {row});
    run.expect(!run.cycle(offer(line(0, 4, 0), 4)).in_ready_o, "a fifth row");
    fill(run, line(0, 3, 1), {30}); // the second column of a row
    run.expect(!run.cycle(offer(line(0, 3, 2), 31)).in_ready_o, "no third, though other groups have empty queues");
    fill(run, line(1, 4, 0), {40}); // another bank has its own branch
    run.expect_equal(run.idle().stalls_o, 2, "stalls");
}

SCENARIO(longest_first, kTable,
         "2.4.4: the longest queue of a branch goes first, the lowest of equals; its row is drained")
{
    fill(run, line(0, 0, 0), {1}); // is offered while it is alone
    fill(run, line(0, 1, 0), {10});
    fill(run, line(0, 2, 0), {20, 21});
    fill(run, line(0, 3, 0), {30});
    drain(run, {1, 20, 21, 10, 30});
}

SCENARIO(offer_stands, kTable, "an offer stands until it is taken; with ROTATE the next branch's follows a refusal")
{
    In refused{};
    refused.out_refused_i = true;
    fill(run, line(2, 0, 0), {20});
    fill(run, line(0, 0, 0), {1});
    run.expect_equal(run.idle().out_info_o, 20, "offered first, though bank 0 has a request, too");
    run.expect_equal(run.cycle(refused).out_info_o, 20, "it stands");
    run.expect_equal(run.cycle(refused).out_info_o, cfg.Rotate ? 1 : 20, "after a refusal");
    run.expect_equal(run.cycle(refused).out_info_o, 20, "after two");
}

// Requests of a branch that can leave before one that waits in it.
static const uint32_t kWait = cfg.Cols * cfg.Entries * kQueues * cfg.Patience;

SCENARIO(patience, cfg.Rows > 1 && cfg.InfoW > 1 && kWait < 900,
         "a line that never ends: with patience the other rows have their turn")
{
    uint32_t taken = 0;
    bool out = false;
    run.cycle(offer(line(0, 0, 0), 1));
    run.cycle(offer(line(0, 1, 0), 2));
    for (uint32_t t = 0; t < 1000 && !out; t++) {
        const Out &o = run.cycle(offer(line(0, 0, 0), 1, true));
        out = o.out_valid_o && o.out_info_o == 2;
        taken += o.out_valid_o;
    }
    run.expect_equal(out, cfg.Patience != 0 || (cfg.Cols == 1 && cfg.Entries == 1), "the other row has its turn");
    if (cfg.Patience)
        run.expect(taken <= kWait, std::to_string(taken) + " leave before it, at most " + std::to_string(kWait));
}

SCENARIO(reset_empties, true, "reset empties it, and clears its counters")
{
    for (uint64_t i = 0; i < 20; i++) run.cycle(offer(line(i % 2, i % 3, i % 2), i));
    run.reset();
    const Out &out = run.idle();
    run.expect(!out.out_valid_o && !out.out_addr_o && !out.used_o && !out.stalls_o, "nothing is left");
}
