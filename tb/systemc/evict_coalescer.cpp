// SPDX-License-Identifier: Apache-2.0
// Evictions coalesced by 64 KiB block: Gu20, sections 4.3.2.2 and 4.5.5.
#include "bench.hpp"
#include "evict_coalescer_inputs.hpp"

static void fill(tb::Bench &run)
{
    for (uint32_t b = 0; b < cfg.Entries; b++) run.cycle(expire(b));
    run.expect_equal(run.idle().used_o, cfg.Entries, "entries");
}

SCENARIO(coalesced, true, "pages of one block expire one by one and are evicted together")
{
    for (uint32_t n = 0; n < 16; n++) run.expect(run.cycle(expire(1, n)).exp_ready_o, "into the table");
    run.cycle(take(true, true));
    const Out &out = run.cycle(take());
    run.expect(out.evict_valid_o && out.evict_why_o == EVICT_COALESCER_PRESSURE, "memory is short");
    run.expect(out.evict_block_o == 1 && out.evict_pages_o == 0xffff, "64 KiB at once");
    const auto now = run.registers();
    run.expect(now.rtl.used_q == 0 && now.twin.used_q == 0, "gone from both tables");
}

SCENARIO(table_full, true, "4.3.2.2: the least recently updated entry makes room for another block")
{
    fill(run);
    run.cycle(expire(0, 1));
    run.cycle(expire(cfg.Entries));
    const Out &out = run.cycle(take());
    run.expect(out.evict_valid_o && out.evict_why_o == EVICT_COALESCER_FULL, "one has to go");
    run.expect_equal(out.evict_block_o, cfg.Entries > 1 ? 1 : 0, "block");
    run.idle();
    run.expect_equal(run.idle().used_o, cfg.Entries, "entries");
    run.expect_equal(run.idle().evicted_o, 1, "evictions");
}

SCENARIO(four_blocks, cfg.Batch == 4 && cfg.Entries > 4, "4.3.2.2: over-subscribed: four blocks each time, by LRU")
{
    fill(run);
    run.cycle(take(true, true));
    for (uint32_t i = 0; i < 4; i++) run.expect_equal(run.cycle(take()).evict_block_o, i, "block");
    const Out &out = run.cycle(take());
    run.expect(out.press_done_o && !out.evict_valid_o, "no fifth one");
    run.expect_equal(out.press_count_o, 4, "blocks");
}

SCENARIO(recalled, true, "4.3.2.2: an expired page is accessed: the entire entry is revoked, and never evicted")
{
    run.cycle(expire(0, 3));
    run.cycle(expire(0, 7));
    run.cycle(take(true, true));
    In in = touch(0, 7);
    in.evict_ready_i = true;
    run.expect(!run.cycle(in).evict_valid_o, "not handed out in the cycle in which it is revoked");
    const Out &out = run.cycle(take());
    run.expect(out.recall_valid_o && out.recall_pages_o == (1u << 3 | 1u << 7), "both pages get a new lease");
    run.expect(out.press_done_o && out.press_count_o == 0, "nothing is evicted");
    run.expect(!run.cycle(touch(0, 3)).acc_ready_o, "an access waits until they are taken");
    in = touch(0, 3);
    in.recall_ready_i = true;
    run.cycle(in);
    run.expect(run.cycle(touch(0, 3)).acc_ready_o, "then it goes on");
    run.expect_equal(run.idle().recalled_o, 1, "recalls");
}
