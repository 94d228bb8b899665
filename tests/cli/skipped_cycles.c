/* SPDX-License-Identifier: Apache-2.0 */
/* Runs in which a skipped cycle changed a counter: found by config-fuzz, and kept. */
#include "command_line.h"

static void expect_equal(const char *arguments)
{
    for (int ticked = 0; ticked < 2; ticked++)
        expect_status(memtwinf("%s --quiet --json %s/%d.json -s sim.skip=%s", arguments, scratch(), ticked,
                               ticked ? "false" : "true"),
                      0);
    expect_status(memtwinf("compare %s/0.json %s/1.json", scratch(), scratch()), 0);
}

/* A late answer and a hit in one cycle: the learner sees the second access in the next one, whose clock edge makes room
 * in the set of a read that was refused in it. */
Test(cli_skipped_cycles, a_refused_read_sees_the_clock_edge_of_a_second_access)
{
    expect_equal("run spmv:rows=4096,columns=4096 -p gpgpusim -s sm.count=2 -s partition.count=2 -s l1d.sets=16 "
                 "-s l1d.ways=4 -s l1d.pdp.interval=256 -s l1d.bypass.from_warp=8 -s l1d.replacement=pdp "
                 "-s l1d.mshr.kind=dl_mshr -s cke.cycles=4000");
}
