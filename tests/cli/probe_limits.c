/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of memtwin probe at their limits: addresses and numbers that a component has no bits for, cycles far away. */
#include <stdint.h>

#include "command_line.h"

static struct outcome probe(const char *input, const char *arguments)
{
    char line[1024];
    const char *program = getenv("MEMTWIN");
    snprintf(line, sizeof line, "--version >/dev/null; printf '%s' | %s probe %s", input,
             program ? program : "build/memtwin", arguments);
    return memtwin(line);
}

static void expect_wrong(const char *input, const char *arguments, const char *message)
{
    struct outcome o = probe(input, arguments);
    expect_status(o, 1);
    expect_text(o, message);
}

Test(cli_probe_limits, an_address_beyond_the_width_is_refused)
{
    expect_wrong("0 R 0\\n0 R 0x1000000000000\\n", "l1d",
                 "standard input:2: found \"0x1000000000000\", expected an address up to 0xffffffffffff");
    expect_status(probe("0 R 0xffffffffffff\\n", "l1d"), 0);
    expect_wrong("R 1\\n\\nR 0x20000000001\\n", "mshr",
                 "standard input:3: found \"0x20000000001\", expected a line number up to 0x1ffffffffff");
    expect_wrong("F 0x20000000001\\n", "dl_mshr", "expected a line number up to 0x1ffffffffff");
    expect_wrong("R 1 0x1000000\\n", "mshr", "expected requester information up to 0x");
    expect_status(probe("R 0x1ffffffffff 1\\n", "mshr"), 0);
    expect_wrong("0 R 0x10000000000000000\\n", "dram", "expected an address up to 0xffffffffffffffff");
    expect_wrong("0x4000000000000001 R 0\\n", "dram", "expected a cycle (CYCLE R|W ADDRESS) up to 0x4000000000000000");
}

Test(cli_probe_limits, a_nul_byte_is_refused)
{
    expect_wrong("0 R 0\\n5 R 0\\0 9\\n", "l1d", "standard input:2: found a NUL byte, expected text");
    expect_wrong("R 1\\0\\n", "mshr", "standard input:1: found a NUL byte, expected text");
}

/* Stepping would take hours. */
Test(cli_probe_limits, idle_cycles_are_jumped_over)
{
    struct outcome o = probe("0 R 0\\n4294967296000 R 4096\\n0x4000000000000000 R 0\\n", "l1d --latency 100");
    expect_status(o, 0);
    expect_text(o, "\n4294967296000 R 0x1000 miss accepted=4294967296000 done=4294967296102\n");
    expect_text(o, "\n4611686018427387904 R 0x0 hit accepted=4611686018427387904 ");
    o = probe("0 R 0\\n4294967296000 R 4096\\n", "dram");
    expect_status(o, 0);
    expect_text(o, "\n4294967296000 R 0x1000 queued=4294967296000 ");
}

/* Accesses with gaps of all lengths, refusals and merges among them. */
static void expect_equal_with_every_cycle_ticked(const char *arguments, uint32_t seed)
{
    char line[2048];
    const char *program = getenv("MEMTWIN"), *p = program ? program : "build/memtwin";
    struct outcome o[2];
    for (int ticked = 0; ticked < 2; ticked++) {
        snprintf(line, sizeof line,
                 "--version >/dev/null; awk 'BEGIN { srand(%u); for (i = 0; i < 3000; i++) { "
                 "if (rand() < 0.1) c += int(rand() * 2000); else if (rand() < 0.5) c += int(rand() * 4); "
                 "print c, rand() < 0.2 ? \"W\" : \"R\", 64 * int(rand() * 500) } }' | %s probe %s -s sim.skip=%s "
                 "| md5sum",
                 seed, p, arguments, ticked ? "false" : "true");
        o[ticked] = memtwin(line);
        expect_status(o[ticked], 0);
    }
    cr_expect_str_eq(o[0].text, o[1].text, "probe %s, seed %u", arguments, seed);
}

Test(cli_probe_limits, jumping_changes_no_outcome)
{
    for (uint32_t seed = 1; seed < 4; seed++) {
        expect_equal_with_every_cycle_ticked("l1d", seed);
        expect_equal_with_every_cycle_ticked("l1d --latency 900 -s l1d.ways=2 -s l1d.mshr.entries=4", seed);
        expect_equal_with_every_cycle_ticked("l1d -s l1d.mshr.kind=dl_mshr -s l1d.alloc=on_fill", seed);
        expect_equal_with_every_cycle_ticked("l1d -s l1d.enable=false -s l1d.bypass.slots=4", seed);
        expect_equal_with_every_cycle_ticked("dram", seed);
        expect_equal_with_every_cycle_ticked("dram -s dram.refresh=true -s dram.scheduler=fcfs", seed);
    }
}
