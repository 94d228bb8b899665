// SPDX-License-Identifier: Apache-2.0
// The capacity-aware prefetcher: Gu20, section 4.3.1.

#include "run.hpp"

static inline In allocate(uint32_t index, uint64_t base, uint64_t pages)
{
    In in{};
    in.alloc_valid_i = true;
    in.alloc_index_i = uint8_t(index);
    in.alloc_base_i = base;
    in.alloc_pages_i = uint32_t(pages);
    return in;
}

static inline In far_fault(uint32_t alloc, uint64_t page, uint64_t avail, bool over = false)
{
    In in{};
    in.fault_valid_i = true;
    in.fault_alloc_i = uint8_t(alloc);
    in.fault_page_i = page;
    in.avail_pages_i = uint32_t(avail);
    in.oversubscribed_i = over;
    return in;
}

static const uint64_t kPages = bits_mask(cfg.PageW), kMost = bits_mask(cfg.CountW);

// The requested migrations of a fault, and the chunks of its window.
struct Walk {
    std::vector<uint64_t> chunks;
    uint64_t pages = 0, demand = 0, first = 0, last = 0;
};

// The same residency for every chunk; ends when the next fault could be accepted.
static Walk walk(Run &run, const In &fault, uint16_t resident)
{
    Walk walk;
    run.expect(run.cycle(fault).fault_ready_o, "the fault is accepted");
    In in{};
    in.look_ready_i = true;
    in.req_ready_i = true;
    in.look_resident_i = resident;
    for (uint32_t i = 0; i < 200; i++) {
        const Out &out = run.cycle(in);
        if (out.win_valid_o) walk.first = out.win_first_o, walk.last = out.win_last_o;
        if (out.req_valid_o) walk.chunks.push_back(out.req_chunk_o);
        if (out.req_valid_o && out.req_demand_o) walk.demand = out.req_chunk_o;
        walk.pages += uint64_t(__builtin_popcount(out.req_pages_o));
        if (out.fault_ready_o && !out.req_valid_o) return walk;
    }
    run.expect(false, "an end of the walk");
    return walk;
}

static std::vector<uint64_t> ask(Run &run, const In &fault, uint16_t resident)
{
    return walk(run, fault, resident).chunks;
}

static const uint64_t kHalf = (kMost + 1) / 2;

SCENARIO(all_free, true, "with memory to spare, the window is the largest that the allocation can fill")
{
    run.cycle(allocate(0, 0, kHalf));
    uint64_t chunks = 1u << cfg.MaxLog;
    while (chunks * 16 > kHalf) chunks >>= 1;
    // Magg is Mreq, so all free pages exceed any window, if there are enough of them.
    uint64_t fits = chunks;
    while (fits > 1 && fits * 16 * cfg.CNum > kMost * cfg.CDen) fits >>= 1;
    run.expect_equal(ask(run, far_fault(0, kHalf - 1, kMost), 0).size(), fits, "chunks");
}

SCENARIO(none_free, true, "with no free page, 64 KiB")
{
    run.cycle(allocate(0, 0, kHalf));
    const auto chunks = ask(run, far_fault(0, kHalf - 1, 0), 0);
    run.expect_equal(chunks.size(), 1, "chunks");
    run.expect_equal(chunks.at(0), (kHalf - 1) / 16, "the fault's");
}

SCENARIO(oversubscribed, true, "4.3.1.2: over-subscribed, the window is fixed, and clipped to the allocation")
{
    run.cycle(allocate(0, 0, kHalf));
    const uint64_t whole = (kHalf + 15) / 16, window = 1u << cfg.OverLog;
    run.expect_equal(ask(run, far_fault(0, 0, 0, true), 0).size(), whole < window ? whole : window, "chunks");
}

SCENARIO(
    first_page, true,
    "4.3.1.3: the first page decides whether a chunk counts as present; the fault's own chunk is requested in any case")
{
    run.cycle(allocate(0, 0, kHalf));
    const uint64_t whole = (kHalf + 15) / 16, window = 1u << cfg.OverLog, n = whole < window ? whole : window;
    run.expect_equal(ask(run, far_fault(0, 0, 0, true), 1).size(), cfg.FirstPage ? 1 : n, "chunks");
    run.expect_equal(ask(run, far_fault(0, 0, 0, true), 0xffff).size(), 0, "chunks, all of them there");
}

SCENARIO(illegal, true,
         "a fault outside of its allocation, an allocation that is none: a sticky error, nothing else changes")
{
    run.cycle(allocate(0, 0, 17));
    run.expect_equal(ask(run, far_fault(0, 17, 9), 0).size(), 0, "chunks");
    run.expect_equal(run.idle().error_o, CAP_ERROR_FAULT, "error_o");
    run.cycle(allocate(0, 1, 5));
    run.expect_equal(run.idle().total_o, 17, "Magg");
    run.expect_equal(run.idle().error_o, CAP_ERROR_FAULT, "error_o: the first one");
    run.reset();
    run.cycle(far_fault(0, 0, 9));
    run.expect_equal(run.idle().error_o, CAP_ERROR_ALLOC, "error_o");
}

// Enters an allocation of so many pages; then far-faults in it see so much free memory.
static void allocate(Run &run, uint32_t index, uint64_t base, uint64_t pages)
{
    run.expect(run.cycle(allocate(index, base, pages)).alloc_ready_o, "the allocation is entered");
}

// Number of 64 KiB chunks requested after a fault, with that residency.
static size_t chunks(Run &run, uint64_t page, uint64_t avail, bool over, uint16_t resident = 0)
{
    return ask(run, far_fault(0, page, avail, over), resident).size();
}

static const bool kPaper = cfg.Allocs > 1 && cfg.CountW >= 22 && cfg.MaxLog == 4 && cfg.OverLog == 3;
static const bool kPaperRatio = kPaper && 10 * cfg.CNum == 11 * cfg.CDen; // c is 1.1

SCENARIO(rounded_down, kPaperRatio, "4.3.1.1: a G of 420 KiB gives 256 KiB")
{
    allocate(run, 0, 0, 256); // 1 MiB of 2 MiB
    allocate(run, 1, 4096, 256);
    const Walk w = walk(run, far_fault(0, 133, 231), 0); // G is 231 / (2 * 1.1) = 105 pages, 420 KiB
    run.expect(w.first == 8 && w.last == 11 && w.demand == 8, "the window of 256 KiB around page 133");
    run.expect(w.chunks.size() == 4 && w.pages == 64, "all of it");
}

SCENARIO(limited_by_mreq, kPaperRatio, "4.3.1.1: an allocation of 220 KiB has granularities of 64 and 128 KiB")
{
    allocate(run, 0, 0, 55);
    run.expect_equal(chunks(run, 0, 1 << 20, false), 2, "chunks, with memory to spare");
    run.expect_equal(chunks(run, 0, 20, false), 1, "chunks, with 80 KiB");
}

// 32 pages of 160: 32 * 160 * 11 = 176 * 32 * 10.
SCENARIO(equality, kPaperRatio, "equation 4.1: a G of exactly 128 KiB gives 128 KiB, one free page less 64 KiB")
{
    allocate(run, 0, 0, 32);
    allocate(run, 1, 4096, 128);
    run.expect_equal(chunks(run, 0, 176, false), 2, "chunks");
    run.expect_equal(chunks(run, 0, 175, false), 1, "chunks");
}

SCENARIO(largest_and_smallest, kPaper, "4.3.1.1: 1 MiB at most, 64 KiB at least")
{
    allocate(run, 0, 0, 4096);
    run.expect_equal(chunks(run, 0, 1 << 20, false), 16, "chunks");
    run.expect_equal(chunks(run, 0, 0, false), 1, "chunks");
}

SCENARIO(oversubscription, kPaper, "4.3.1.2: over-subscribed, the absent chunks of 512 KiB")
{
    allocate(run, 0, 0, 4096);
    run.expect_equal(chunks(run, 1000, 0, true), 8, "chunks");
    run.expect_equal(chunks(run, 1000, 0, true, 0xffff), 0, "chunks, all of them there");
    run.expect_equal(walk(run, far_fault(0, 1000, 0, true), 0x8000).pages, 8 * 15, "pages, one of each chunk there");
}

SCENARIO(clipped, true, "a window does not leave its allocation")
{
    allocate(run, 0, 16, 15);
    run.expect_equal(chunks(run, 16, 0, true), 1, "chunks");
}

SCENARIO(aligned, kPaper, "a window is aligned to its size, and clipped at both ends of its allocation")
{
    allocate(run, 0, 3 * 16, 4 * 16 + 5); // chunks 3 to 7, of the last one 5 pages
    Walk w = walk(run, far_fault(0, 3 * 16 + 1, 0, true), 0);
    run.expect(w.first == 3 && w.last == 7 && w.demand == 3, "512 KiB from page 0 on, without chunks 0 to 2");
    run.expect(w.chunks.size() == 5 && w.pages == 69, "all of the allocation");
    w = walk(run, far_fault(0, 7 * 16 + 4, 1 << 20), 0);
    run.expect(w.first == 4 && w.last == 7 && w.pages == 53, "69 pages allow 256 KiB: chunks 4 to 7");
    run.expect_equal(chunks(run, 7 * 16 + 5, 0, true), 0, "chunks: the page behind the last");
    run.expect_equal(run.idle().error_o, CAP_ERROR_FAULT, "error_o");
}

SCENARIO(magg, kPaper &&cfg.Allocs > 2 && cfg.PageW > cfg.CountW,
         "Magg is the sum of the allocations; one that does not fit is an error and is not entered")
{
    allocate(run, 0, 0, 100);
    allocate(run, 1, 4096, kMost - 100);
    run.expect_equal(run.idle().total_o, kMost, "Magg");
    allocate(run, 0, 0, 40);
    allocate(run, 1, 0, 0);
    run.expect_equal(run.idle().total_o, 40, "Magg: an entry that is rewritten counts once");
    run.expect_equal(run.idle().error_o, CAP_OK, "error_o");
    allocate(run, 2, 0, kMost - 39);
    run.expect_equal(run.idle().error_o, CAP_ERROR_ALLOC, "error_o");
    run.expect_equal(run.idle().total_o, 40, "Magg");
    run.expect_equal(run.registers().alloc_pages_q[2], 0, "pages of the entry");
}
