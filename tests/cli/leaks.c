/* SPDX-License-Identifier: Apache-2.0 */
/* Each command frees what it allocates. The sanitized program tells, by its exit status, if MEMTWIN_LEAKS is set. */
#include "command_line.h"

#define SMALL "vecadd:n=4096 -s sm.count=2 -q "

static void expect_freed(const char *arguments, int status)
{
    setenv("MEMTWIN_LEAKS", "1", 1);
    expect_status(memtwin(arguments), status);
}

static void expect_freed_in_scratch(const char *format, int status)
{
    char line[2048];
    snprintf(line, sizeof line, format, scratch(), scratch(), scratch());
    expect_freed(line, status);
}

Test(cli_leaks, lists_and_configurations)
{
    expect_freed("list options", 0);
    expect_freed("list presets", 0);
    expect_freed("config -p fermi-001-t1 -s l1d.mshr.kind=dl_mshr", 0);
    expect_freed("config -s l1d.mshr.kind=none", 2);
}

Test(cli_leaks, runs_and_results)
{
    expect_freed_in_scratch("run " SMALL "--case a: --case b:l1d.mshr.kind=dl_mshr --json %s/r.json --csv %s/r.csv", 0);
    expect_freed_in_scratch("compare %s/r.json %s/r.json", 0);
    expect_freed_in_scratch("compare %s/r.json %s/none.json", 2);
    expect_freed("run " SMALL "--energy", 0);
    expect_freed("run vecadd:n=4096 -s sim.max_cycles=100 -q", 1);
    expect_freed("run vecadd:n=none -q", 1);
    expect_freed("cke vecadd:n=4096 copy:n=4096 -s sm.count=2 -s cke.cycles=3000 -q", 0);
}

Test(cli_leaks, traces)
{
    expect_freed_in_scratch("trace record vecadd:n=4096 -o %s/v.mttx", 0);
    expect_freed_in_scratch("trace info %s/v.mttx", 0);
    expect_freed_in_scratch("trace export %s/v.mttx -o %s/packed --format tracez", 0);
    expect_freed_in_scratch("run %s/packed -s sm.count=2 -q", 0);
    expect_freed_in_scratch("run %s/none.mttx -q", 1);
}

Test(cli_leaks, probes)
{
    expect_freed("probe l1d </dev/null", 0);
    expect_freed("probe dram </dev/null", 0);
    expect_freed("probe mshr </dev/null", 0);
    expect_freed("probe dl_mshr </dev/null", 0);
}
