/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the program as a user would.  MEMTWIN in the environment says which one; build/memtwin if it does not. */
#ifndef TESTS_COMMAND_LINE_H
#define TESTS_COMMAND_LINE_H
#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

struct outcome {
    int status;
    char text[65536]; /* standard output and error, as they came */
};

/* `arguments` as a shell takes them, behind the program's name. */
static inline struct outcome memtwin(const char *arguments)
{
    static struct outcome o;
    const char *program = getenv("MEMTWIN");
    char line[8192];
    snprintf(line, sizeof line, "exec 2>&1; %s %s", program ? program : "build/memtwin", arguments);
    FILE *pipe = popen(line, "r");
    cr_assert_not_null(pipe, "popen failed for: %s", line);
    size_t n = fread(o.text, 1, sizeof o.text - 1, pipe);
    o.text[n] = 0;
    int status = pclose(pipe);
    cr_assert(WIFEXITED(status), "ended by signal %d: %s\n%s", WTERMSIG(status), line, o.text);
    o.status = WEXITSTATUS(status);
    return o;
}

#define expect_status(o, wanted)                                                                                       \
    cr_expect_eq((o).status, wanted, "status %d, expected %d:\n%s", (o).status, wanted, (o).text)
#define expect_text(o, wanted) cr_expect(strstr((o).text, wanted) != NULL, "expected \"%s\" in:\n%s", wanted, (o).text)

/* The same of a format. */
static inline struct outcome __attribute__((format(printf, 1, 2))) memtwinf(const char *format, ...)
{
    char arguments[8000];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(arguments, sizeof arguments, format, args);
    va_end(args);
    cr_assert_lt(n, (int)sizeof arguments);
    return memtwin(arguments);
}

static inline void expect_end(const char *arguments, int status, const char *text)
{
    struct outcome o = memtwin(arguments);
    expect_status(o, status);
    expect_text(o, text);
}

static char scratch_folder[] = "/tmp/memtwin-test-XXXXXX";

static inline void scratch_remove(void)
{
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", scratch_folder);
    if (system(line)) perror(line);
}

/* A folder of its own for a test, gone when it ends. */
static inline const char *scratch(void)
{
    if (strstr(scratch_folder, "XXXXXX")) {
        cr_assert_not_null(mkdtemp(scratch_folder));
        atexit(scratch_remove);
    }
    return scratch_folder;
}
#endif
