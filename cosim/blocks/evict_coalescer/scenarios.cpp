// SPDX-License-Identifier: Apache-2.0
// Evictions coalesced by 64 KiB block: Gu20, sections 4.3.2.2 and 4.5.5.
#include "run.hpp"

static inline uint64_t page(uint64_t block, uint32_t n = 0)
{
    return (block << 4 | n) & bits_mask(cfg.PageW);
}

static inline In expire(uint64_t block, uint32_t n = 0)
{
    In in{};
    in.exp_valid_i = true;
    in.exp_page_i = page(block, n);
    return in;
}

static inline In touch(uint64_t block, uint32_t n = 0)
{
    In in{};
    in.acc_valid_i = true;
    in.acc_page_i = page(block, n);
    return in;
}

// An access to an expired page: in an entry, or its expiry still in flight.
static inline In late(uint64_t block, uint32_t n = 0)
{
    In in = touch(block, n);
    in.acc_expired_i = true;
    return in;
}

static inline In clear(uint64_t block, uint32_t n = 0)
{
    In in{};
    in.clear_valid_i = true;
    in.clear_page_i = page(block, n);
    return in;
}

static inline In take(bool evict = true, bool press = false)
{
    In in{};
    in.evict_ready_i = evict;
    in.press_valid_i = press;
    return in;
}

static const uint64_t kBlocks = uint64_t(1) << (cfg.PageW - 4);

static void fill(Run &run)
{
    for (uint64_t b = 0; b < cfg.Entries; b++) run.expect(run.cycle(expire(b, b % 16)).exp_ready_o, "accepted");
    run.expect_equal(run.idle().used_o, cfg.Entries, "entries");
    run.expect(!run.idle().evict_valid_o, "no eviction before another block needs an entry");
}

SCENARIO(full, cfg.Entries < kBlocks,
         "4.3.2.2: all entries are in use and another block expires: the least recently updated one is evicted")
{
    fill(run);
    run.expect(run.cycle(expire(cfg.Entries, 1)).exp_ready_o, "its expiry is accepted");
    const Out &out = run.idle();
    run.expect(out.evict_valid_o && out.evict_why_o == EVICT_COALESCER_FULL && !out.exp_ready_o, "one has to go");
    run.expect_equal(out.evict_block_o, 0, "block");
    run.expect_equal(out.evict_pages_o, 1, "its pages");
    run.cycle(take());
    run.expect_equal(run.idle().used_o, cfg.Entries - 1, "entries: it is gone");
    run.expect_equal(run.idle().used_o, cfg.Entries, "entries: the new one has come");
    run.expect(run.cycle(expire(cfg.Entries, 2)).exp_ready_o, "further expiries are accepted");
}

SCENARIO(update, cfg.Entries < kBlocks, "4.3.2.2: least recently updated, not least recently allocated")
{
    fill(run);
    run.cycle(expire(0, 9));
    run.cycle(expire(cfg.Entries));
    run.expect_equal(run.idle().evict_block_o, cfg.Entries > 1 ? 1 : 0, "block: 0 was updated since");
}

SCENARIO(pressure, cfg.Entries <= kBlocks,
         "4.3.2.2: memory is over-subscribed: a batch of blocks is evicted, oldest first")
{
    fill(run);
    const uint32_t count = cfg.Batch < cfg.Entries ? cfg.Batch : cfg.Entries;
    run.cycle(take(true, true));
    for (uint32_t i = 0; i < count; i++) {
        const Out &out = run.cycle(take());
        run.expect(out.evict_valid_o && out.evict_why_o == EVICT_COALESCER_PRESSURE, "offered");
        run.expect_equal(out.evict_block_o, i, "block");
    }
    const Out &out = run.cycle(take());
    run.expect(out.press_done_o && !out.evict_valid_o, "the batch is over");
    run.expect_equal(out.press_count_o, count, "entries of it");
    run.expect_equal(run.cycle(take()).used_o, cfg.Entries - count, "entries left");
}

SCENARIO(recall, true, "4.3.2.2: an expired page is accessed: its whole entry is revoked")
{
    run.cycle(expire(1, 3));
    run.cycle(expire(1, 15));
    run.cycle(touch(1, 4));
    run.expect(!run.idle().recall_valid_o, "page 4 of the block has not expired");
    run.cycle(touch(1, 3));
    const Out &out = run.idle();
    run.expect(out.recall_valid_o && !out.acc_ready_o && out.used_o == 0, "revoked; the next access waits");
    run.expect_equal(out.recall_block_o, 1, "block");
    run.expect_equal(out.recall_pages_o, 1u << 3 | 1u << 15, "pages");
    run.expect_equal(run.cycle(clear(1, 3)).recall_pages_o, 1u << 15, "pages: one has been evicted meanwhile");
    In in{};
    in.recall_ready_i = true;
    run.cycle(in);
    run.expect(run.idle().acc_ready_o, "accesses go on");
    run.expect_equal(run.idle().recalled_o, 1, "recalls");
}

SCENARIO(withdrawn, cfg.Entries < kBlocks,
         "a revoked entry is never offered in its cycle, and the waiting page takes its place")
{
    fill(run);
    run.cycle(expire(cfg.Entries));
    In in = touch(0, 0);
    in.evict_ready_i = true;
    run.expect(!run.cycle(in).evict_valid_o, "the offer is withdrawn");
    run.expect(run.cycle(take()).recall_valid_o, "recalled instead");
    run.expect_equal(run.idle().used_o, cfg.Entries, "entries");
    run.expect_equal(run.idle().evicted_o, 0, "evictions");
}

SCENARIO(waiting_page, cfg.Entries < kBlocks,
         "the page that waits for an entry can be recalled, too; then nothing needs to be evicted")
{
    fill(run);
    run.cycle(expire(cfg.Entries, 5));
    run.expect(run.cycle(touch(cfg.Entries, 4)).evict_valid_o, "another page of its block: nothing");
    run.expect(!run.cycle(touch(cfg.Entries, 5)).evict_valid_o, "this page: the offer is withdrawn");
    const Out &out = run.idle();
    run.expect(out.recall_valid_o && !out.evict_valid_o, "recalled");
    run.expect_equal(out.recall_pages_o, 1u << 5, "pages");
}

SCENARIO(
    late, cfg.Entries < kBlocks,
    "4.3.2.2: an access to a page before its expiry arrives: the page is recalled, with the expired pages of its block")
{
    fill(run);
    In in = late(cfg.Entries, 2);
    run.expect(run.cycle(in).acc_ready_o, "a block without an entry");
    In recall{};
    recall.recall_ready_i = true;
    const Out &alone = run.cycle(recall);
    run.expect(alone.recall_valid_o && alone.recall_block_o == cfg.Entries, "recalled");
    run.expect(alone.recall_pages_o == 1u << 2 && alone.used_o == cfg.Entries, "this page; no entry is touched");
    run.cycle(take(true, true));
    in = late(0, 6);
    in.evict_ready_i = true;
    run.expect(!run.cycle(in).evict_valid_o, "a block with an entry, otherwise offered: not in that cycle");
    const Out &both = run.cycle(recall);
    run.expect(both.recall_block_o == 0 && both.recall_pages_o == (1u << 0 | 1u << 6), "the whole entry, and the page");
    run.expect(both.used_o == cfg.Entries - 1 && both.evicted_o == 0, "the entry is free");
}

SCENARIO(late_beside_a_waiting_page, cfg.Entries < kBlocks,
         "a page is accessed whose expiry has not come, another one of its block waits for an entry: both are recalled")
{
    fill(run);
    run.cycle(expire(cfg.Entries, 5));
    run.expect(run.idle().evict_valid_o, "one of the entries has to go");
    run.expect(!run.cycle(late(cfg.Entries, 9)).evict_valid_o, "it need not");
    const Out &out = run.idle();
    run.expect(out.recall_pages_o == (1u << 5 | 1u << 9) && out.used_o == cfg.Entries, "both");
    run.expect_equal(out.recalled_o, 1, "recalls");
}

SCENARIO(together, cfg.Entries < kBlocks,
         "a page waits for an entry and memory is short in one cycle; the page is cleared, the batch goes on")
{
    fill(run);
    In in = expire(cfg.Entries);
    in.press_valid_i = true;
    run.cycle(in);
    run.expect_equal(run.idle().evict_why_o, EVICT_COALESCER_FULL, "evict_why_o: the page that waits goes first");
    run.expect(!run.cycle(clear(cfg.Entries)).evict_valid_o, "it is cleared");
    run.expect_equal(run.cycle(take()).evict_why_o, EVICT_COALESCER_PRESSURE, "evict_why_o");
    run.expect_equal(run.idle().evicted_o, 1, "evictions");
}

SCENARIO(illegal, true, "a page that expires twice: a sticky error, nothing else changes")
{
    run.cycle(expire(0, 2));
    const auto wanted = std::make_unique<Twin>(run.registers());
    run.cycle(expire(0, 2));
    wanted->error_q = EVICT_COALESCER_ERROR_EXPIRED;
    run.expect(!std::memcmp(wanted.get(), &run.registers(), sizeof *wanted), "the other registers are as before");
    run.cycle(expire(0, 3));
    run.expect(run.idle().error_o == EVICT_COALESCER_ERROR_EXPIRED && run.idle().used_o == 1, "the error stays");
}

SCENARIO(coalesced, true, "pages of one block expire one by one and are evicted together")
{
    for (uint32_t n = 0; n < 16; n++) run.expect(run.cycle(expire(1, n)).exp_ready_o, "into the table");
    run.cycle(take(true, true));
    const Out &out = run.cycle(take());
    run.expect(out.evict_valid_o && out.evict_why_o == EVICT_COALESCER_PRESSURE, "memory is short");
    run.expect(out.evict_block_o == 1 && out.evict_pages_o == 0xffff, "64 KiB at once");
    const Twin &now = run.registers();
    run.expect(now.used_q == 0, "gone from the table");
}

SCENARIO(table_full, cfg.Entries < kBlocks, "4.3.2.2: the least recently updated entry makes room for another block")
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

SCENARIO(recalled, true, "4.3.2.2: an expired page is accessed: the entire entry is revoked, and never evicted")
{
    run.cycle(expire(0, 3));
    run.cycle(expire(0, 7));
    run.cycle(take(true, true));
    In in = touch(0, 7);
    in.evict_ready_i = true;
    run.expect(!run.cycle(in).evict_valid_o, "not offered in the cycle in which it is revoked");
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

SCENARIO(batches, cfg.Batch == 4 && cfg.Entries > 6 && kBlocks > 6,
         "4.3.2.2: the four blocks updated least recently each time, or as many as there are")
{
    for (uint32_t b = 0; b < 7; b++) run.cycle(expire(b, 2));
    run.cycle(expire(1, 4));
    run.expect(run.cycle(take(true, true)).press_ready_o, "memory is short");
    for (const uint32_t block : {0, 2, 3, 4}) {
        const Out &out = run.cycle(take(true, true));
        run.expect(out.evict_valid_o && out.evict_why_o == EVICT_COALESCER_PRESSURE && !out.press_ready_o, "offered");
        run.expect_equal(out.evict_block_o, block, "block");
    }
    const Out &four = run.cycle(take());
    run.expect(four.press_done_o && four.press_count_o == 4 && !four.evict_valid_o && four.used_o == 3, "no fifth one");
    run.cycle(take(true, true));
    for (uint32_t i = 0; i < 3; i++) run.expect(run.cycle(take()).evict_valid_o, "one of the rest");
    run.expect_equal(run.cycle(take()).press_count_o, 3, "blocks of the second batch");
    run.cycle(take(true, true));
    const Out &none = run.cycle(take());
    run.expect(none.press_done_o && none.press_count_o == 0, "an empty batch");
    run.expect_equal(run.idle().evicted_o, 7, "evictions");
}

SCENARIO(withdrawn_from_a_batch, cfg.Batch == 4 && cfg.Entries == 4 && kBlocks >= 4,
         "revoked or cleared pages are not offered in the same cycle")
{
    fill(run);
    run.cycle(take(false, true));
    run.expect_equal(run.idle().evict_block_o, 0, "block");
    In in = touch(0, 0);
    in.evict_ready_i = true;
    run.expect(!run.cycle(in).evict_valid_o, "the offer is withdrawn");
    const Out &out = run.cycle(take());
    run.expect(out.evict_valid_o && out.evict_block_o == 1, "the next block");
    run.expect(out.recall_valid_o && out.recall_block_o == 0, "the revoked one is recalled");
    in = clear(2, 2);
    in.evict_ready_i = true;
    run.expect(!run.cycle(in).evict_valid_o, "nor are cleared pages");
    run.expect_equal(run.cycle(take()).evict_block_o, 3, "block");
    const Out &done = run.cycle(take());
    run.expect(done.press_done_o && done.press_count_o == 2 && done.evicted_o == 2, "two blocks");
}

SCENARIO(cleared_anywhere, cfg.Entries == 2 && kBlocks > 3,
         "a page is cleared from an entry, from the place where it waits for one, and from a recall")
{
    run.cycle(expire(1, 3));
    run.cycle(expire(1, 4));
    run.cycle(expire(2, 0));
    run.cycle(expire(3, 1));
    run.expect_equal(run.idle().evict_pages_o, 0x18, "pages of block 1");
    run.cycle(clear(1, 3));
    run.expect_equal(run.idle().evict_pages_o, 0x10, "pages of block 1");
    run.cycle(clear(3, 1));
    run.expect(!run.idle().evict_valid_o && run.idle().exp_ready_o, "no page waits");
    run.cycle(touch(1, 4));
    In in = clear(1, 4);
    in.recall_ready_i = true;
    run.expect(!run.cycle(in).recall_valid_o, "in the very cycle of the recall");
    run.cycle(clear(2, 0));
    run.expect_equal(run.idle().used_o, 0, "entries");
}

SCENARIO(many_recalls, true, "recalled_o counts each access that revokes an entry")
{
    for (uint32_t i = 0; i < 8200; i++) {
        In in = expire(i % kBlocks, i % 16);
        in.recall_ready_i = true; // of the page before
        run.cycle(in);
        run.expect(run.cycle(touch(i % kBlocks, i % 16)).acc_ready_o, "the entry is revoked");
    }
    run.expect_equal(run.idle().recalled_o, 8200, "recalls");
}
