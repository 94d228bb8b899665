// SPDX-License-Identifier: Apache-2.0
// The capacity-aware prefetcher: Gu20, section 4.3.1.
#include "bench.hpp"
#include "cap_inputs.hpp"

// Enters an allocation of so many pages; then far-faults in it find so much free memory.
static void allocate(tb::Bench &run, uint32_t index, uint64_t base, uint64_t pages)
{
    run.expect(run.cycle(allocate(index, base, pages)).alloc_ready_o, "the allocation is entered");
}

// Chunks of 64 KiB that are asked for after a fault, with residency as told.
static uint32_t chunks(tb::Bench &run, uint64_t page, uint64_t avail, bool over, uint16_t resident = 0)
{
    run.expect(run.cycle(far_fault(0, page, avail, over)).fault_ready_o, "the fault is accepted");
    In in{};
    in.look_ready_i = true;
    in.req_ready_i = true;
    in.look_resident_i = resident;
    for (uint32_t asked = 0, i = 0; i < 200; i++) {
        const Out &out = run.cycle(in);
        asked += out.req_valid_o;
        if (out.fault_ready_o && !out.req_valid_o) return asked;
    }
    run.expect(false, "the walk ends");
    return 0;
}

static constexpr bool kPaper = cfg.Allocs > 1 && cfg.CountW >= 22 && cfg.MaxLog == 4 && cfg.OverLog == 3;

SCENARIO(rounded_down, kPaper, "4.3.1.1: a G of 420 KiB gives 256 KiB")
{
    allocate(run, 0, 0, 256); // 1 MiB of 2 MiB
    allocate(run, 1, 4096, 256);
    run.expect_equal(chunks(run, 0, 231, false), 4, "chunks: G is 231 / (2 * 1.1) = 105 pages, 420 KiB");
}

SCENARIO(limited_by_mreq, kPaper, "4.3.1.1: an allocation of 220 KiB has granularities of 64 and 128 KiB")
{
    allocate(run, 0, 0, 55);
    run.expect_equal(chunks(run, 0, 1 << 20, false), 2, "chunks, with memory to spare");
    run.expect_equal(chunks(run, 0, 20, false), 1, "chunks, with 80 KiB");
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
}

SCENARIO(clipped, true, "a window does not leave its allocation")
{
    allocate(run, 0, 16, 15);
    run.expect_equal(chunks(run, 16, 0, true), 1, "chunks");
}
