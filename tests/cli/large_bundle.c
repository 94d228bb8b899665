/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a run does not depend on the size of its trace: a bundle of 16 MB of text beside one of 1 MB.
 * `make trace-memory` does the same with as many gigabytes as you like. */
#include <sys/resource.h>
#include <unistd.h>

#include "command_line.h"

enum { LINES = 500, MEBIBYTE = 1024 /* of the kibibytes that the host counts */, ALLOWED = 3 * MEBIBYTE };

/* A load of scattered words: 31 differences, which need much text and much memory. */
static size_t put_load(FILE *to, int n)
{
    size_t size = (size_t)fprintf(to, "0010 ffffffff 1 R4 LDG.E 1 R2 4 2 0x7f4000%06x", 4096 * (n % 2048));
    for (int lane = 1; lane < 32; lane++) size += (size_t)fprintf(to, " %d", (n * lane * 52) % 4096 * 4 - 8192);
    return size + (size_t)fprintf(to, " 0\n");
}

/* A bundle of at least `size` bytes of text, packed. */
static const char *write_bundle(const char *name, size_t size)
{
    static char path[600];
    char line[1400], *text;
    size_t block, blocks;
    FILE *one = open_memstream(&text, &block);
    for (int n = 0; n < LINES; n++) put_load(one, n);
    fputs("0020 ffffffff 0 EXIT 0 0 0\n#END_TB\n", one);
    fclose(one);
    blocks = size / block + 1;
    snprintf(path, sizeof path, "%s/%s.traceg.gz", scratch(), name);
    snprintf(line, sizeof line, "gzip -1 >%s", path);
    FILE *to = popen(line, "w");
    cr_assert_not_null(to);
    fprintf(to, "-kernel name = large\n-grid dim = (%zu,1,1)\n-block dim = (32,1,1)\n-accelsim tracer version = 4\n",
            blocks);
    for (size_t b = 0; b < blocks; b++)
        fprintf(to, "#BEGIN_TB\nthread block = %zu,0,0\nwarp = 0\ninsts = %d\n%s", b, LINES + 1, text);
    cr_assert_eq(pclose(to), 0);
    free(text);
    return path;
}

/* Most memory of a run of it, in KiB. */
static long memory_of(const char *path)
{
    const char *program = getenv("MEMTWIN");
    struct rusage used;
    int status;
    const pid_t child = fork();
    if (!child) {
        setenv("ASAN_OPTIONS", "quarantine_size_mb=1:detect_leaks=0", 1);
        execlp(program ? program : "build/memtwin", "memtwin", "run", path, "-q", "-s", "sm.count=1", "-s",
               "sm.blocks=2", (char *)NULL);
        _exit(127);
    }
    cr_assert_eq(wait4(child, &status, 0, &used), child);
    cr_assert(WIFEXITED(status) && !WEXITSTATUS(status), "status %d", status);
    return used.ru_maxrss;
}

Test(large_bundle, takes_no_more_memory_than_a_small_one)
{
    const long small = memory_of(write_bundle("small", 1000000)), large = memory_of(write_bundle("large", 16000000));
    cr_expect_lt(large, small + ALLOWED, "%ld KiB, a small one %ld", large, small);
}
