/* SPDX-License-Identifier: Apache-2.0 */
/* Every file that a command writes appears whole or not at all: full disks, limits and signals leave nothing behind. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_line.h"

/* The names in the scratch folder, a line each. */
static const char *left_behind(void)
{
    static char text[4096];
    char line[256];
    snprintf(line, sizeof line, "ls -A %s", scratch());
    FILE *pipe = popen(line, "r");
    text[fread(text, 1, sizeof text - 1, pipe)] = 0;
    pclose(pipe);
    return text;
}

static const char *const writers[] = {
    "run spmv:rows=4096 -q -s sm.count=2 --json %s/out",
    "run spmv:rows=4096 -q -s sm.count=2 --capture l1d.0=%s/out",
    "cke vecadd vecadd -q -s sm.count=2 -s cke.cycles=100000 --json %s/out",
    "cke vecadd vecadd -q -s sm.count=2 -s cke.cycles=100000 --capture l1d.0=%s/out",
    "trace record spmv:rows=4096 -o %s/out",
    "trace record spmv:rows=4096 -o %s/out.mttx",
    "trace export spmv:rows=4096 -o %s/out",
    "trace import traces/small/stencil.mttx -o %s/out",
    "trace pages spmv:rows=4096 --pages %s/out",
};
enum { WRITERS = sizeof writers / sizeof *writers };

/* Only files of more than a few hundred bytes are written here. */
static bool is_small(int i)
{
    return strstr(writers[i], "import") != NULL;
}

static const char *program(void)
{
    const char *p = getenv("MEMTWIN");
    return p ? p : "build/memtwin";
}

static void writer_line(char *line, size_t size, int i)
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, writers[i], scratch());
    snprintf(line, size, "--version >/dev/null; ulimit -f 1; exec %s %s", program(), arguments);
}

/* ulimit -f 1: files of 512 or 1024 bytes. */
Test(cli_output, a_limit_is_an_error_and_leaves_nothing)
{
    for (int i = 0; i < WRITERS; i++) {
        char line[1024];
        if (is_small(i)) continue;
        writer_line(line, sizeof line, i);
        struct outcome o = memtwin(line);
        expect_status(o, 1);
        expect_text(o, "File too large");
        cr_expect_str_empty(left_behind(), "%s: %s", writers[i], left_behind());
    }
}

/* The file that was there stays as it was. */
Test(cli_output, a_failure_keeps_the_old_file)
{
    char line[1024], check[512];
    for (int i = 0; i < WRITERS; i++) {
        if (is_small(i) || strstr(writers[i], "mttx") || strstr(writers[i], "export")) continue;
        snprintf(check, sizeof check, "echo old > %s/out", scratch());
        cr_assert_eq(system(check), 0);
        writer_line(line, sizeof line, i);
        expect_status(memtwin(line), 1);
        snprintf(check, sizeof check, "grep -qx old %s/out", scratch());
        cr_expect_eq(system(check), 0, "%s", writers[i]);
        cr_expect_str_eq(left_behind(), "out\n", "%s", writers[i]);
    }
}

/* Stops a writer by a signal as soon as a file is there.  True if the signal ended it. */
static bool interrupt(int i, int number)
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, writers[i], scratch());
    char line[1024];
    snprintf(line, sizeof line, "exec %s %s >/dev/null 2>&1", program(), arguments);
    pid_t child = fork();
    if (!child) {
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    pid_t ended = 0;
    while (!*left_behind() && (ended = waitpid(child, &status, WNOHANG)) == 0) usleep(1000);
    if (!ended) {
        kill(child, number);
        waitpid(child, &status, 0);
    }
    /* It may have been faster than the signal, or the signal came while it ended: then its file is there, whole. */
    const char *left = left_behind();
    cr_expect(!strstr(left, ".part"), "%s, signal %d: status %x, left %s", writers[i], number, (unsigned)status, left);
    snprintf(line, sizeof line, "rm -rf %s/*", scratch());
    cr_assert_eq(system(line), 0);
    return WIFSIGNALED(status);
}

Test(cli_output, a_signal_leaves_nothing)
{
    int ended = 0;
    for (int i = 0; i < WRITERS; i++) {
        ended += interrupt(i, SIGINT);
        ended += interrupt(i, SIGTERM);
        ended += interrupt(i, SIGHUP);
    }
    cr_expect_gt(ended, 0, "no signal came in time");
}

Test(cli_output, two_outputs_are_two_files)
{
    const char *s = scratch();
    struct outcome o = memtwinf("run vecadd:n=1000 -q -s sm.count=2 --json %s/a --capture l1d.0=%s/../%s/a", s, s,
                                strrchr(s, '/') + 1);
    expect_status(o, 1);
    expect_text(o, "which is also the file of --json; expected a different file");
    expect_status(memtwinf("cke vecadd vecadd -q --json %s/a --capture l1d.0=%s/a", s, s), 1);
    cr_expect_str_empty(left_behind());
    expect_status(memtwinf("run vecadd:n=1000 -q -s sm.count=2 --json %s/a --capture l1d.0=%s/b", s, s), 0);
    cr_expect_str_eq(left_behind(), "a\nb\n");
}

Test(cli_output, a_capture_that_cannot_be_written_is_refused_before_the_run)
{
    expect_end("run spmv:rows=1000000 -q --capture l1d.0=/nonexistent/a.vec", 1,
               "/nonexistent/a.vec: cannot write: No such file or directory");
}

Test(cli_output, a_full_device_is_an_error_of_everything_that_prints)
{
    static const char *const printers[] = {"--help",
                                           "--version",
                                           "help",
                                           "run --help",
                                           "run --usage",
                                           "cke --help",
                                           "config",
                                           "config --help",
                                           "list presets",
                                           "list options",
                                           "list kernels",
                                           "list blocks",
                                           "list stats",
                                           "run vecadd:n=1000 -s sm.count=2",
                                           "run vecadd:n=1000 -s sm.count=2 -q -j -",
                                           "run vecadd:n=1000 -s sm.count=2 -q -j /dev/full",
                                           "run vecadd:n=1000 -s sm.count=2 -q --trace-request 1",
                                           "run vecadd:n=1000 -s sm.count=2 -q --capture l1d.0=/dev/full",
                                           "cke vecadd:n=1000 vecadd:n=1000 -s sm.count=2 -s cke.cycles=20000",
                                           "trace --help",
                                           "trace info --help",
                                           "trace info vecadd:n=1000",
                                           "trace info --json vecadd:n=1000",
                                           "trace pages vecadd:n=1000",
                                           "trace dump vecadd:n=1000",
                                           "probe --help"};
    for (size_t i = 0; i < sizeof printers / sizeof *printers; i++) {
        char line[256];
        snprintf(line, sizeof line, "%s >/dev/full", printers[i]);
        struct outcome o = memtwin(line);
        cr_expect_eq(o.status, 1, "%s: status %d: %s", printers[i], o.status, o.text);
        expect_text(o, "No space left on device");
    }
}
