/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that read access ranges print the accesses that the ranges leave out. */
#include "command_line.h"

static const char tiles_note[] =
    "memtwin: note: tiles: access ranges (sm.ranges = ends); 1 of 20 accesses are outside all arrays; 1 of 3 thread "
    "blocks have no rectangle and no locality with another; 1 of 2 arrays have no pitch: each is one row\n";

Test(range_notes, a_run_that_reads_them_says_what_they_leave_out)
{
    struct outcome o = memtwin("run -q traces/small/tiles.mttx -s sm.dispatch=overlap");
    expect_status(o, 0);
    cr_expect_str_eq(o.text, tiles_note);
    o = memtwin("run -q traces/small/tiles.mttx -s sm.dispatch=round_robin");
    expect_status(o, 0);
    cr_expect_str_eq(o.text, "");
}

/* Around all accesses every thread block has a rectangle. */
Test(range_notes, they_are_of_the_rule_that_the_machine_uses)
{
    struct outcome o = memtwin("run -q traces/small/tiles.mttx -s sm.dispatch=overlap -s sm.ranges=bounds");
    expect_status(o, 0);
    expect_text(o, "(sm.ranges = bounds); 1 of 20 accesses are outside all arrays; 1 of 2 arrays");
}

Test(range_notes, each_is_printed_once)
{
    struct outcome o = memtwin("run -q traces/small/tiles.mttx -s sm.dispatch=overlap --case a: --case b:sm.count=2");
    expect_status(o, 0);
    cr_expect_str_eq(o.text, tiles_note);
}

/* A single kernel of Accel-Sim's traces comes without copies from the host. */
Test(range_notes, a_trace_without_arrays_runs)
{
    struct outcome o = memtwin("run -q tests/trace/data/kernel-1.traceg.xz -s sm.dispatch=overlap");
    expect_status(o, 0);
    expect_text(o, "access ranges (sm.ranges = ends); the workload declares no arrays; ");
    expect_text(o, " accesses are outside all arrays; ");
}
