/* Every mistake on the command line names what was found and what was meant. */
#include "command_line.h"

static void expect_mistake(const char *arguments, const char *message)
{
    struct outcome o = memtwin(arguments);
    expect_status(o, 2);
    expect_text(o, message);
}

Test(cli_mistakes, names_the_nearest_command)
{
    expect_mistake("rnu", "unknown command \"rnu\"; the nearest is run");
    expect_mistake("cmopare", "the nearest is compare");
}

Test(cli_mistakes, names_the_nearest_option_of_the_machine)
{
    expect_mistake("config --set l1d.mshr.entires=64",
                   "unknown option \"l1d.mshr.entires\"; the nearest is l1d.mshr.entries");
    expect_mistake("run vecadd --set dram.t.rpc=1", "the nearest is dram.t.rp");
}

Test(cli_mistakes, says_what_a_value_may_be)
{
    expect_mistake("config --set l1d.mshr.entries=1", "l1d.mshr.entries: found \"1\", allowed: 2..512");
    expect_mistake("config --set l1d.mshr.entries=many", "found \"many\", allowed: 2..512");
    expect_mistake("config --set l1d.mshr.entries=-3", "found \"-3\", allowed: 2..512");
    expect_mistake("config --set l1d.mshr.entries=99999999999999999999", "allowed: 2..512");
    expect_mistake("config --set l1d.alloc=never", "l1d.alloc: found \"never\", allowed: on_miss, on_fill");
    expect_mistake("config --set sim.skip=1", "sim.skip: found \"1\", allowed: true, false");
}

Test(cli_mistakes, says_what_does_not_fit_together)
{
    expect_mistake("config --set partition.count=6 --set partition.map=xor", "partition.map");
    expect_mistake("config --set l1d.sets=48", "l1d.sets: found 48, allowed: a power of two");
    expect_mistake("config --set l1d.mshr.kind=dl_mshr --set l1d.dl_mshr.reserved=200", "below l1d.dl_mshr.sets = 128");
}

Test(cli_mistakes, names_the_nearest_preset_and_workload)
{
    expect_mistake("config --preset sond", "unknown preset \"sond\"; the nearest is sound");
    struct outcome o = memtwin("run vecad --quiet");
    expect_status(o, 1);
    expect_text(o, "vecadd");
}

Test(cli_mistakes, names_file_line_and_key_of_a_config_file)
{
    char line[512];
    snprintf(line, sizeof line, "printf '# ours\\n[l1d]\\nways = 8\\nsetz = 4\\n' > %s/a.ini", scratch());
    cr_assert_eq(system(line), 0);
    snprintf(line, sizeof line, "config --config %s/a.ini", scratch());
    struct outcome o = memtwin(line);
    expect_status(o, 2);
    expect_text(o, "a.ini:4: unknown option \"l1d.setz\"; the nearest is l1d.sets");
    snprintf(line, sizeof line, "config --config %s/none.ini", scratch());
    expect_mistake(line, "none.ini: cannot be read: No such file or directory");
}

Test(cli_mistakes, refuses_what_makes_no_sense)
{
    expect_mistake("run", "found no workload");
    expect_mistake("run vecadd --threads 0", "--threads: found \"0\", allowed: 1..4096");
    expect_mistake("run vecadd --case dl", "found \"dl\", expected NAME:KEY=VALUE");
    expect_mistake("run vecadd --case dl:l1d.mshr.knd=dl_mshr", "--case dl: unknown option \"l1d.mshr.knd\"");
    expect_mistake("run vecadd --capture l1d.99=x.vec", "expected l1d.0 to l1d.27, l2.0 to l2.7");
    expect_mistake("list preset", "unknown topic \"preset\"; the nearest is presets");
    expect_mistake("compare one.json", "found 1 file, expected 2");
}

Test(cli_mistakes, probe_names_the_line)
{
    struct outcome o = memtwin("probe mshr < /dev/null");
    expect_status(o, 0);
    char line[512];
    snprintf(line, sizeof line, "printf 'R 1\\nR x\\n' > %s/accesses && true", scratch());
    cr_assert_eq(system(line), 0);
    snprintf(line, sizeof line, "probe mshr < %s/accesses", scratch());
    o = memtwin(line);
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
