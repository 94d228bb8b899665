// SPDX-License-Identifier: Apache-2.0
// The conventional MSHR file: Gu20, section 3.2, and figure 3.7a.
#include "miss_file.hpp"

// Slots taken in each entry, as far as the last one in use; "-" for an entry whose data is back.
static std::string describe(const Twin &m)
{
    std::string all, text;
    for (uint32_t i = 0; i < cfg.Entries; i++) {
        all.append(i ? " " : "").append(!m.busy_q[i] ? "0" : !m.live_q[i] ? "-" : std::to_string(m.last_q[i] + 1));
        if (m.busy_q[i]) text = all;
    }
    return text;
}

static constexpr bool kFigure37a = cfg.Entries == 4 && cfg.Slots == 4;

SCENARIO(figure_3_7a, kFigure37a,
         "4 entries of 4 slots: a fifth line is refused, and a fifth miss on one line, whatever else is free")
{
    MissFile f(run);
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

SCENARIO(entry_full, true, "3.2: as many lines as entries, lowest first; one more is refused")
{
    MissFile f(run);
    for (uint32_t i = 0; i < cfg.Entries; i++) f.miss(char('A' + i), PRIMARY);
    run.expect_equal(f.free_now(), 0, "free entries");
    f.miss(char('A' + cfg.Entries), RF_ENTRY);
}

SCENARIO(merge_full, true, "3.2: as many misses on a line as slots; one more is refused though entries are free")
{
    MissFile f(run);
    for (uint32_t i = 0; i < cfg.Slots; i++) f.miss('A', i ? SECONDARY : PRIMARY);
    f.miss('A', RF_MERGE);
    run.expect_equal(f.free_now(), cfg.Entries - 1, "free entries");
    f.ret_and_take_all('A');
}

SCENARIO(one_cycle, true,
         "the answer is combinational: it is there in the cycle of the request, and the next request sees it")
{
    MissFile f(run);
    const Out first = run.cycle(f.request('A')), second = run.cycle(f.request('A')), none = run.idle();
    run.expect(first.rsp_valid_o && first.rsp_result_o == PRIMARY, "PRIMARY in the same cycle");
    run.expect(second.rsp_valid_o && second.rsp_result_o == (cfg.Slots > 1 ? SECONDARY : RF_MERGE),
               "the next cycle's answer");
    run.expect(!none.rsp_valid_o, "no answer without a request");
}
