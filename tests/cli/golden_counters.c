/* SPDX-License-Identifier: Apache-2.0 */
/* No counter moves unseen: tests/golden/counters.py, which is tried itself with a counter that moves. */
#include "command_line.h"

static struct outcome golden(const char *program, const char *arguments)
{
    static struct outcome o;
    char line[1000];
    snprintf(line, sizeof line, "/usr/bin/python3 -B -m tests.golden.counters %s %s 2>&1", arguments, program);
    FILE *pipe = popen(line, "r");
    cr_assert_not_null(pipe);
    o.text[fread(o.text, 1, sizeof o.text - 1, pipe)] = 0;
    o.status = WEXITSTATUS(pclose(pipe));
    return o;
}

static const char *program(void)
{
    const char *given = getenv("MEMTWIN");
    return given ? given : "build/memtwin";
}

static const char *file_of(const char *name, const char *text)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", scratch(), name);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

Test(cli_golden_counters, are_those_that_are_kept)
{
    struct outcome o = golden(program(), "--jobs 2");
    expect_status(o, 0);
    expect_text(o, "golden  20 runs, ");
}

/* The program with another latency of the DRAM. */
Test(cli_golden_counters, that_move_are_printed_by_name)
{
    char text[400], wrapper[250];
    snprintf(text, sizeof text, "#!/bin/sh\nexec %s \"$@\" -s dram.t.cl=13\n", program());
    snprintf(wrapper, sizeof wrapper, "%s", file_of("slower", text));
    char chmod[300];
    snprintf(chmod, sizeof chmod, "chmod +x %s", wrapper);
    cr_assert_eq(system(chmod), 0);
    struct outcome o = golden(wrapper, "--runs mshr,cart");
    expect_status(o, 1);
    expect_text(o, "FAIL golden  mshr: ");
    expect_text(o, "FAIL golden  cart: ");
    expect_text(o, "dram.active_cycles ");
    expect_text(o, "FAIL golden  CHANGELOG.md: found no entry with the digest of these counters, ");
    expect_text(o, "; moved: ");
}

/* The counters are the kept ones, and the change is not named; then it is. */
Test(cli_golden_counters, that_changed_need_an_entry_in_the_changelog)
{
    char arguments[300], entry[100];
    snprintf(arguments, sizeof arguments, "--runs mshr --changelog %s", file_of("CHANGELOG.md", "# Changelog\n"));
    struct outcome o = golden(program(), arguments);
    expect_status(o, 1);
    cr_expect_null(strstr(o.text, "moved"), "%s", o.text);
    const char *said = strstr(o.text, "digest of these counters, ");
    cr_assert_not_null(said, "%s", o.text);
    snprintf(entry, sizeof entry, "# Changelog\n- Counters: %.12s\n", said + strlen("digest of these counters, "));
    file_of("CHANGELOG.md", entry);
    o = golden(program(), arguments);
    expect_status(o, 0);
}

Test(cli_golden_counters, of_a_run_that_fails_are_a_failure)
{
    struct outcome o = golden("/bin/false", "--runs mshr");
    expect_status(o, 1);
    expect_text(o, "FAIL golden  mshr: ");
}
