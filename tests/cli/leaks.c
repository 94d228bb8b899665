/* SPDX-License-Identifier: Apache-2.0 */
/* Each command frees what it allocates. The sanitized program tells, by its exit status, if MEMTWIN_LEAKS is set. */
#include "command_line.h"

#define SMALL "vecadd:n=4096 -s sm.count=2 -q "

static void look_for_leaks(void)
{
    setenv("MEMTWIN_LEAKS", "1", 1);
}

TestSuite(cli_leaks, .init = look_for_leaks);

Test(cli_leaks, lists_and_configurations)
{
    expect_status(memtwin("list options"), 0);
    expect_status(memtwin("list presets"), 0);
    expect_status(memtwin("config -p fermi-001-t1 -s l1d.mshr.kind=dl_mshr"), 0);
    expect_status(memtwin("config -s l1d.mshr.kind=none"), 2);
}

Test(cli_leaks, runs_and_results)
{
    const char *in = scratch();
    expect_status(
        memtwinf("run " SMALL "--case a: --case b:l1d.mshr.kind=dl_mshr --json %s/r.json --csv %s/r.csv", in, in), 0);
    expect_status(memtwinf("compare %s/r.json %s/r.json", in, in), 0);
    expect_status(memtwinf("compare %s/r.json %s/none.json", in, in), 2);
    expect_status(memtwin("run " SMALL "--energy"), 0);
    expect_status(memtwin("run vecadd:n=4096 -s sim.max_cycles=100 -q"), 1);
    expect_status(memtwin("run vecadd:n=none -q"), 1);
    expect_status(memtwin("cke vecadd:n=4096 copy:n=4096 -s sm.count=2 -s cke.cycles=3000 -q"), 0);
}

Test(cli_leaks, traces)
{
    const char *in = scratch();
    expect_status(memtwinf("trace record vecadd:n=4096 -o %s/v.mttx", in), 0);
    expect_status(memtwinf("trace info %s/v.mttx", in), 0);
    expect_status(memtwinf("trace export %s/v.mttx -o %s/packed --format tracez", in, in), 0);
    expect_status(memtwinf("run %s/packed -s sm.count=2 -q", in), 0);
    expect_status(memtwinf("run %s/none.mttx -q", in), 1);
}

Test(cli_leaks, probes)
{
    expect_status(memtwin("probe l1d </dev/null"), 0);
    expect_status(memtwin("probe dram </dev/null"), 0);
    expect_status(memtwin("probe mshr </dev/null"), 0);
    expect_status(memtwin("probe dl_mshr </dev/null"), 0);
}
