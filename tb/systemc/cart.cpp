// SPDX-License-Identifier: Apache-2.0
// The Cache Access Reordering Tree: Gu20, sections 2.4.3 and 2.4.4, figure 2.6.
#include "bench.hpp"
#include "cart_inputs.hpp"

static void fill(tb::Bench &run, uint64_t addr, std::initializer_list<uint64_t> requests)
{
    for (uint64_t r : requests) {
        run.about("MR" + std::to_string(r));
        run.expect(run.cycle(offer(addr, r)).in_ready_o, "it finds a place");
    }
}

static void drain(tb::Bench &run, std::initializer_list<uint64_t> requests)
{
    for (uint64_t r : requests) {
        run.about("MR" + std::to_string(r));
        const Out &out = run.cycle(take());
        run.expect(out.out_valid_o, "a request is offered");
        run.expect_equal(out.out_info_o, r & bits_mask(cfg.InfoW), "it");
    }
    run.about("");
}

static constexpr bool kFigure26 = cfg.Banks == 4 && cfg.Rows == 2 && cfg.Cols == 2 && cfg.Entries == 5;

// Q4 was begun when Q3 was full, so Q3 held three more once; the last of them leaves as MR7 comes, and bank 1 is next.
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

SCENARIO(one_in_one_out, true, "a request comes and another one leaves in every cycle")
{
    for (uint64_t i = 0; i < 40; i++) {
        const Out &out = run.cycle(offer(line(i % cfg.Banks, 0, 0), i, true));
        run.expect(out.in_ready_o && out.out_valid_o == (i > 0), "one comes and one leaves");
    }
}

SCENARIO(stall, true, "2.4.3: no place in the row's group: the request waits outside, and the cycles are counted")
{
    for (uint64_t i = 0; i < cfg.Cols * cfg.Entries; i++) run.cycle(offer(line(1, 0, 0), i));
    for (uint32_t i = 0; i < 3; i++) run.expect(!run.cycle(offer(line(1, 0, 0), 9)).in_ready_o, "it waits");
    run.expect_equal(run.idle().stalls_o, 3, "stalls");
}
