// SPDX-License-Identifier: Apache-2.0
// way_partition: Qureshi06.
#include "run.hpp"

static const uint32_t kKernels = cfg.Kernels, kWays = cfg.Ways, kAll = (1u << kWays) - 1;
static const uint32_t kKernelW = bits_index(kKernels), kWayW = bits_index(kWays), kWaysW = bits_index(kWays + 1);

// A set full of lines of kernel 0, way 0 used least recently; kernel 0 has `ways` ways of the allocation, kernel 1 the
// others.
static In full_set(uint32_t kernel, uint32_t ways)
{
    In in{};
    in.ask_valid_i = true;
    in.ask_kernel_i = uint8_t(kernel);
    in.ask_alloc_i = ways | (kWays - ways) << kWaysW;
    in.ask_filled_i = uint16_t(kAll);
    for (uint32_t i = 0; i < kWays; i++) in.ask_order_i |= uint64_t(i) << (i * kWayW);
    return in;
}

static void own(In &in, uint32_t way, uint32_t kernel)
{
    in.ask_owners_i &= ~(uint32_t(bits_mask(kKernelW)) << (way * kKernelW));
    in.ask_owners_i |= kernel << (way * kKernelW);
}

static void expect_way(Run &run, const In &in, uint32_t way, bool others)
{
    const Out &out = run.cycle(in);
    run.expect(out.ask_ok_o && out.ask_others_o == others, "whose line goes");
    run.expect_equal(out.ask_way_o, way, "way");
}

SCENARIO(free_first, true, "a way without a line, the lowest, whatever the allocation")
{
    In in = full_set(0, 1);
    in.ask_filled_i = uint16_t(kAll & ~(1u << (kWays - 1)));
    expect_way(run, in, kWays - 1, false);
}

SCENARIO(below, true, "a kernel below its allocation takes the oldest line of a kernel above its own")
{
    expect_way(run, full_set(1, 1), 0, true);
}

SCENARIO(at_it, true, "a kernel at its allocation replaces its own oldest line, though that of another is older")
{
    In in = full_set(1, kWays - 1);
    own(in, kWays - 1, 1);
    expect_way(run, in, kWays - 1, false);
    in = full_set(0, kWays - 1);
    own(in, 0, 1);
    expect_way(run, in, 1, false);
}

SCENARIO(above, kWays > 2, "a kernel above a new allocation shrinks by no line of its own accord")
{
    expect_way(run, full_set(0, 1), 0, false);
}

SCENARIO(locked, kWays > 2, "an outstanding miss is not replaced; without another way the line waits")
{
    In in = full_set(1, 1);
    in.ask_held_i = 1;
    expect_way(run, in, 1, true);
    in = full_set(1, kWays - 1);
    own(in, 0, 1);
    in.ask_held_i = 1;
    run.expect(!run.cycle(in).ask_ok_o && run.last().ask_way_o == 0, "its one line is on its way");
    in.ask_held_i = uint16_t(kAll);
    run.expect(!run.cycle(in).ask_ok_o, "all are");
}

SCENARIO(entitled_but_locked, kWays > 2,
         "below its allocation, and the lines of those above are locked: its own line goes")
{
    In in = full_set(1, kWays - 2);
    own(in, 0, 1);
    in.ask_held_i = uint16_t(kAll & ~1u);
    expect_way(run, in, 0, false);
}

SCENARIO(third_kernel, kKernels > 2 && kWays > 3,
         "of the kernels above their allocations, the oldest line; the others keep theirs")
{
    In in = full_set(2, 1);
    in.ask_alloc_i = 1u | 2u << kWaysW | (kWays - 3) << (2 * kWaysW);
    own(in, 0, 1);
    own(in, 1, 1);
    expect_way(run, in, 2, true);
}

SCENARIO(equal_ages, true, "of equals the lowest way; without a question nothing")
{
    In in = full_set(0, 1);
    in.ask_order_i = 0;
    expect_way(run, in, 0, false);
    in.ask_valid_i = false;
    run.expect(!run.cycle(in).ask_ok_o && !run.last().ask_others_o, "nothing");
}

SCENARIO(errors, kKernels == 3, "a kernel or an owner that does not exist")
{
    In in = full_set(3, 1);
    run.cycle(in);
    run.expect_equal(run.idle().error_o, WAY_PARTITION_ERROR_KERNEL, "error");
    run.reset();
    in = full_set(0, 1);
    own(in, 0, 3);
    run.cycle(in);
    run.expect_equal(run.idle().error_o, WAY_PARTITION_ERROR_KERNEL, "error");
    run.reset();
    in.ask_filled_i = uint16_t(kAll & ~1u);
    run.cycle(in);
    run.expect_equal(run.idle().error_o, WAY_PARTITION_OK, "no line, no owner");
}
