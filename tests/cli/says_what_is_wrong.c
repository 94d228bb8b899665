/* SPDX-License-Identifier: Apache-2.0 */
/* An error on the command line names the word or value found and the nearest or the allowed ones. */
#include "command_line.h"

Test(cli_mistakes, names_the_nearest_command)
{
    expect_end("rnu", 2, "unknown command \"rnu\"; the nearest is run");
    expect_end("cmopare", 2, "the nearest is compare");
}

Test(cli_mistakes, names_the_nearest_option_of_the_machine)
{
    expect_end("config --set l1d.mshr.entires=64", 2,
               "unknown option \"l1d.mshr.entires\"; the nearest is l1d.mshr.entries");
    expect_end("run vecadd --set dram.t.rpc=1", 2, "the nearest is dram.t.rp");
}

Test(cli_mistakes, says_what_a_value_may_be)
{
    expect_end("config --set l1d.mshr.entries=1", 2, "l1d.mshr.entries: found \"1\", allowed: 2..512");
    expect_end("config --set l1d.mshr.entries=many", 2, "found \"many\", allowed: 2..512");
    expect_end("config --set l1d.mshr.entries=-3", 2, "found \"-3\", allowed: 2..512");
    expect_end("config --set l1d.mshr.entries=99999999999999999999", 2, "allowed: 2..512");
    expect_end("config --set l1d.alloc=never", 2, "l1d.alloc: found \"never\", allowed: on_miss, on_fill");
    expect_end("config --set sim.skip=1", 2, "sim.skip: found \"1\", allowed: true, false");
}

Test(cli_mistakes, says_what_does_not_fit_together)
{
    expect_end("config --set partition.count=6 --set partition.map=xor", 2, "partition.map");
    expect_end("config --set l1d.sets=48", 2, "l1d.sets: found 48, allowed: a power of two");
    expect_end("config --set l1d.mshr.kind=dl_mshr --set l1d.dl_mshr.reserved=200", 2,
               "allowed: up to 127, below l1d.dl_mshr.sets");
}

Test(cli_mistakes, names_the_nearest_preset_and_workload)
{
    expect_end("config --preset sond", 2, "unknown preset \"sond\"; the nearest is sound");
    expect_end("run vecad --quiet", 1, "vecadd");
}

Test(cli_mistakes, names_nothing_that_is_not_near_and_what_begins_alike_first)
{
    struct outcome o = memtwin("config --preset x");
    expect_status(o, 2);
    expect_text(o, "unknown preset \"x\" (memtwin list presets shows all)");
    expect_end("config --preset dlmshr-002", 2, "the nearest is dlmshr-002-t3.2");
    expect_end("run vecadd --set qqqqqqqqqqqqqqqq=1", 2, "unknown option \"qqqqqqqqqqqqqqqq\" (memtwin list options");
    expect_end("xyzzyxyzzy", 2, "unknown command \"xyzzyxyzzy\" (memtwin --help");
    expect_end("list 0123456789", 2, "unknown topic \"0123456789\" (");
    expect_end("probe 0123456789", 2, "unknown component \"0123456789\"; expected l1d, mshr, dl_mshr or dram");
    expect_end("run vecadd --set sm.scheduler=0123456789", 2, "found \"0123456789\"; allowed: ");
    expect_end("run 0123456789", 1, "unknown kernel \"0123456789\"\n");
    expect_end("run vecadd:zzzzzzz=1", 1, "unknown option \"zzzzzzz\"\n");
}

Test(cli_mistakes, every_command_has_a_short_option_for_help)
{
    static const char *const commands[] = {
        "run",        "cke",         "config",       "list",           "compare",
        "probe",      "trace",       "trace info",   "trace record",   "trace pages",
        "trace dump", "trace shape", "trace import", "trace locality", "trace ranges"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        struct outcome o = memtwinf("%s -h", commands[i]);
        expect_status(o, 0);
        expect_text(o, "Usage: memtwin ");
    }
}

Test(cli_mistakes, a_whole_machine_says_what_it_replaces)
{
    expect_end("config -p fermi-001-t1 -p sound", 0,
               "warning: --preset sound is a whole machine: --preset fermi-001-t1 before it has no effect\n");
    expect_end("config -s l1d.ways=2 -p sound", 0, "--set l1d.ways=2 before it has no effect\n");
    expect_status(memtwinf("config -p sound >%s/whole.ini", scratch()), 0);
    struct outcome o = memtwinf("config -p fermi-001-t1 -c %s/whole.ini", scratch());
    expect_text(o, "--preset fermi-001-t1 before it has no effect");
    expect_end("run vecadd:n=64 -q --case a:l1d.ways=2,preset=sound", 0, "l1d.ways=2 before it has no effect");
    o = memtwin("config -p dlmshr-002-t3.2 -p dlmshr -s l1d.ways=2");
    cr_expect_null(strstr(o.text, "warning"), "%.300s", o.text);
}

Test(cli_mistakes, compare_names_the_file)
{
    struct outcome o = memtwinf("compare %s/none.json %s/none.json", scratch(), scratch());
    expect_status(o, 2);
    expect_text(o, "/none.json: cannot open: No such file or directory\n");
    expect_status(memtwinf("list presets >%s/text.json", scratch()), 0);
    o = memtwinf("compare %s/text.json %s/text.json", scratch(), scratch());
    expect_status(o, 2);
    expect_text(o, "/text.json:1: ");
    expect_text(o, "; expected a result file of memtwin run --json");
}

Test(cli_mistakes, names_file_line_and_key_of_a_config_file)
{
    char line[512];
    snprintf(line, sizeof line, "printf '# ours\\n[l1d]\\nways = 8\\nsetz = 4\\n' > %s/a.ini", scratch());
    cr_assert_eq(system(line), 0);
    struct outcome o = memtwinf("config --config %s/a.ini", scratch());
    expect_status(o, 2);
    expect_text(o, "a.ini:4: unknown option \"l1d.setz\"; the nearest is l1d.sets");
    snprintf(line, sizeof line, "config --config %s/none.ini", scratch());
    expect_end(line, 2, "none.ini: cannot be read: No such file or directory");
}

Test(cli_mistakes, refuses_what_makes_no_sense)
{
    expect_end("run", 2, "found no workload");
    expect_end("run vecadd --threads 0", 2, "--threads: found \"0\", allowed: 1..4096");
    expect_end("run vecadd --case dl", 2, "found \"dl\", expected NAME:KEY=VALUE");
    expect_end("run vecadd --case dl:l1d.mshr.knd=dl_mshr", 2, "--case dl: unknown option \"l1d.mshr.knd\"");
    expect_end("run vecadd --capture l1d.99=x.vec", 2, "expected l1d.0 to l1d.27, l2.0 to l2.7");
    expect_end("list preset", 2, "unknown topic \"preset\"; the nearest is presets");
    expect_end("compare one.json", 2, "found 1 file, expected 2");
}

Test(cli_mistakes, probe_names_the_line)
{
    struct outcome o = memtwin("probe mshr < /dev/null");
    expect_status(o, 0);
    char line[512];
    snprintf(line, sizeof line, "printf 'R 1\\nR x\\n' > %s/accesses && true", scratch());
    cr_assert_eq(system(line), 0);
    o = memtwinf("probe mshr < %s/accesses", scratch());
    expect_status(o, 1);
    expect_text(o, "standard input:2: found \"x\", expected a line number");
}

/* The outcomes by hand: two ways of one set are reserved, so that the third line waits for the first one's data. */
Test(cli_probe, l1d_tells_hits_merges_and_refusals)
{
    struct outcome o =
        memtwin("probe l1d --latency 50 --set l1d.ways=2 <<END\n0 R 0\n0 R 64\n0 R 4096\n0 R 8192\n200 R 8192\nEND");
    expect_status(o, 0);
    expect_text(o, "0 R 0x0 miss accepted=0 ");
    expect_text(o, "0 R 0x40 merged accepted=1 ");
    expect_text(o, "0 R 0x1000 miss accepted=2 ");
    expect_text(o, "line=");
    expect_text(o, "200 R 0x2000 hit accepted=200 done=228");
}

/* Line 1 has two accesses to drain when the data of line 0 come.  GPGPU-Sim: at_once. */
Test(cli_probe, l1d_fills_a_line_in_turn_or_at_once)
{
    static const char accesses[] = "<<END\n3 R 0x10000180\n3 R 0x10000000\n3 R 0x10000180\n8 R 0x10000000\nEND";
    static const char machine[] = "--latency 3 -s l1d.sets=1 -s l1d.mshr.entries=8 -s l1d.mshr.slots=4";
    struct outcome o = memtwinf("probe l1d %s %s", machine, accesses);
    expect_status(o, 0);
    expect_text(o, "8 R 0x10000000 merged accepted=8 done=11");
    o = memtwinf("probe l1d -s l1d.fill=at_once %s %s", machine, accesses);
    expect_text(o, "3 R 0x10000180 merged accepted=5 done=9");
    expect_text(o, "8 R 0x10000000 hit accepted=8 done=36");
}

/* In cycle 9 line 3 is filled and line 2 hit, in this order: line 0 replaces line 3.  In GPGPU-Sim both have the same
 * stamp, line 0 replaces the lower way, and the last access hits. */
Test(cli_probe, l1d_stamps_a_fill_before_a_hit_of_its_cycle)
{
    struct outcome o =
        memtwin("probe l1d --latency 3 -s l1d.sets=1 -s l1d.ways=2 -s l1d.alloc=on_fill <<END\n2 R 0x080\n4 R "
                "0x100\n4 R 0x180\n9 R 0x100\n9 R 0x000\n14 R 0x180\nEND");
    expect_status(o, 0);
    expect_text(o, "9 R 0x100 hit accepted=9 ");
    expect_text(o, "14 R 0x180 miss accepted=14 ");
}

Test(cli_probe, l1d_has_a_pipeline_in_front)
{
    struct outcome o =
        memtwin("probe l1d -s l1d.latency_at=front -s l1d.latency=10 -s l1d.miss_queue=1 -s l1d.replacement=drrip "
                "<<END\n0 R 0\n0 R 64\n0 R 256\n300 R 0\nEND");
    expect_status(o, 0);
    expect_text(o, "0 R 0x0 miss accepted=10 done=212");
    expect_text(o, "0 R 0x40 merged accepted=11 ");
    expect_text(o, "300 R 0x0 hit accepted=310 done=310");
    expect_status(memtwin("probe l1d -s l1d.unbounded=true -s l1d.port_bytes=32 </dev/null"), 0);
}

/* A column command in the clock of a row command: GPGPU-Sim 3.2 and 4.x. */
Test(cli_probe, dram_issues_a_later_column_in_the_clock_of_a_row)
{
    static const char accesses[] = "<<END\n0 W 0x0\n10 R 0x12100\nEND";
    for (int turning = 0; turning < 2; turning++) {
        struct outcome o =
            memtwinf("probe dram -p gpgpusim -s dram.bank_groups=4 -s dram.group_bits=low -s dram.command_bus=%s %s",
                     turning ? "turning" : "single", accesses);
        expect_status(o, 0);
        expect_text(o, turning ? "0 W 0x0 queued=0 issued=7 done=16 " : "0 W 0x0 queued=0 issued=7 done=17 ");
    }
}

Test(cli_probe, dl_mshr_merges_and_drains_in_order)
{
    struct outcome o = memtwin(
        "probe dl_mshr --set l1d.dl_mshr.sets=4 --set l1d.dl_mshr.reserved=2 <<END\nR 7 1\nR 7 2\nW 7 3\nF 7\nEND");
    expect_status(o, 0);
    expect_text(o, "1 answer=primary set=0 ");
    expect_text(o, "2 answer=secondary set=0 ");
    expect_text(o, "answer=secondary set=2 "); /* the head is full: the first set that is not reserved is linked */
    expect_text(o, "out=0x7 info=1 R ");
    expect_text(o, "out=0x7 info=2 R ");
    expect_text(o, "out=0x7 info=3 W last ");
}
