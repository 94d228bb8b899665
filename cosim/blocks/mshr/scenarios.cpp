// SPDX-License-Identifier: Apache-2.0
// The conventional MSHR file: Gu20, section 3.2, and figure 3.7a.
#include "run.hpp"

static const uint32_t kSets = cfg.Entries;

#include "blocks/miss_scenarios.hpp"

SCENARIO(entry_full, bits_mask(cfg.AddrW) >= cfg.Entries,
         "3.2: as many primary misses as entries; the next is refused, entry-full")
{
    MissFile f(run);
    for (uint32_t i = 0; i < cfg.Entries; i++) {
        const Out out = f.ask(i, i);
        run.expect_equal(out.rsp_result_o, MSHR_PRIMARY, "result");
        run.expect_equal(out.rsp_set_o, i, "entry");
    }
    f.ask_expect(cfg.Entries, 1, MSHR_RF_ENTRY);
}

SCENARIO(
    merge_full, true,
    "3.2: as many requests of one line as an entry has slots; the next is refused, merge-full, though others are free")
{
    MissFile f(run);
    f.ask_expect(7, 0, MSHR_PRIMARY);
    run.expect_equal(f.merge_until_refused(7), cfg.Slots - 1, "secondary misses taken");
    run.expect_equal(f.free_now(), cfg.Entries - 1, "free entries");
}

SCENARIO(one_cycle, true, "the answer is there in the cycle of the request, and the next cycle sees it")
{
    MissFile f(run);
    const Out first = run.cycle(f.request(4, 1)), second = run.cycle(f.request(4, 2));
    run.expect(first.rsp_valid_o && first.rsp_result_o == MSHR_PRIMARY, "PRIMARY at once");
    run.expect(second.rsp_valid_o && second.rsp_result_o == (cfg.Slots > 1 ? MSHR_SECONDARY : MSHR_RF_MERGE),
               "then the second");
}

SCENARIO(reuse, bits_mask(cfg.AddrW) >= cfg.Entries, "the entry whose last slot leaves can be taken in that cycle")
{
    MissFile f(run);
    for (uint32_t i = 0; i < cfg.Entries; i++) f.ask_expect(i, i, MSHR_PRIMARY);
    f.bring_back(1);
    const Out &out = run.cycle(f.take(f.both(f.request(cfg.Entries, 3), f.fill(0))));
    run.expect(out.fill_ready_o, "so can the next fill");
    run.expect_equal(out.rsp_result_o, MSHR_PRIMARY, "result");
    run.expect_equal(out.rsp_set_o, 1, "entry");
}

// Slots taken in each entry, up to the last one in use; "-" for a draining entry.
static std::string describe(const Twin &m)
{
    std::string all, text;
    for (uint32_t i = 0; i < cfg.Entries; i++) {
        all.append(i ? " " : "").append(!m.busy_q[i] ? "0" : !m.live_q[i] ? "-" : std::to_string(m.last_q[i] + 1));
        if (m.busy_q[i]) text = all;
    }
    return text;
}

static const bool kFigure37a = cfg.Entries == 4 && cfg.Slots == 4 && cfg.AddrW >= 4;

SCENARIO(figure_3_7a, kFigure37a,
         "4 entries of 4 slots: a fifth line is refused, and a fifth miss on one line, though other entries have room")
{
    Steps f(run);
    f.play({
        {MISS, 'A', PRIMARY, "1"},
        {MISS, 'A', SECONDARY, "2"},
        {MISS, 'A', SECONDARY, "3"},
        {MISS, 'A', SECONDARY, "4"},
        {MISS, 'A', RF_MERGE, "4"}, // 12 slots are free
        {MISS, 'B', PRIMARY, "4 1"},
        {MISS, 'C', PRIMARY, "4 1 1"},
        {MISS, 'D', PRIMARY, "4 1 1 1"},
        {MISS, 'E', RF_ENTRY, "4 1 1 1"}, // 9 slots are free
        {RET, 'B', 0, "4 - 1 1"},
        {MISS, 'E', RF_ENTRY, "4 - 1 1"},
        {TAKE, 'B', 1, "4 0 1 1"},
        {MISS, 'E', PRIMARY, "4 1 1 1"},
        {RET, 'A', 0, "- 1 1 1"},
        {TAKE, 'A', 4, "0 1 1 1"},
        {MISS, 'A', PRIMARY, "1 1 1 1"},
    });
}

// The scenarios of dl_mshr with these names show the same slots as 8 sets of 2.
SCENARIO(figure_3_7b_primaries, kFigure37a, "of 9 lines 4 are taken, 5 refused, entry-full")
{
    Steps f(run);
    for (char line = 'A'; line <= 'I'; line++) f.miss(line, line <= 'D' ? PRIMARY : RF_ENTRY);
}

SCENARIO(figure_3_7b_secondaries, kFigure37a, "of 17 misses on one line 4 are taken, 13 refused, merge-full")
{
    Steps f(run);
    for (uint32_t i = 0; i < 17; i++) f.miss('A', i == 0 ? PRIMARY : i < 4 ? SECONDARY : RF_MERGE);
}

SCENARIO(figure_3_7c, kFigure37a, "misses that five super-entries hold: two lines and three merges are refused")
{
    Steps f(run);
    f.play({
        {MISS, 'A', PRIMARY, "1"},
        {MISS, 'B', PRIMARY, "1 1"},
        {MISS, 'A', SECONDARY, "2 1"},
        {MISS, 'A', SECONDARY, "3 1"},
        {MISS, 'C', PRIMARY, "3 1 1"},
        {MISS, 'B', SECONDARY, "3 2 1"},
        {MISS, 'B', SECONDARY, "3 3 1"},
        {MISS, 'A', SECONDARY, "4 3 1"},
        {MISS, 'A', RF_MERGE, "4 3 1"},
        {MISS, 'D', PRIMARY, "4 3 1 1"},
        {MISS, 'E', RF_ENTRY, "4 3 1 1"},
        {MISS, 'D', SECONDARY, "4 3 1 2"},
        {MISS, 'A', RF_MERGE, "4 3 1 2"},
        {MISS, 'A', RF_MERGE, "4 3 1 2"},
        {MISS, 'F', RF_ENTRY, "4 3 1 2"},
    });
}

SCENARIO(refetched, true,
         "a request in the cycle in which its line's last slot leaves is a primary miss, in the same entry")
{
    MissFile f(run);
    f.ask_expect(5, 0, MSHR_PRIMARY);
    run.expect_equal(run.cycle(f.both(f.request(5, 1), f.fill(5))).rsp_result_o, MSHR_RF_DRAIN, "in the fill's cycle");
    f.ask_expect(5, 1, MSHR_RF_DRAIN);
    const Out &out = run.cycle(f.take(f.request(5, 2)));
    run.expect(out.drain_valid_o && out.drain_last_o, "the last slot leaves");
    run.expect(out.rsp_result_o == MSHR_PRIMARY && out.rsp_set_o == 0, "the drain comes before the request");
}
