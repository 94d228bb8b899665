/* SPDX-License-Identifier: Apache-2.0 */
/* Output of memtwin trace pages, as table, JSON and CSV. */
#include <stdarg.h>

#include "command_line.h"

/* Two pages of `in, "put"` with one and two accesses, one of `out` with none. */
static const char *trace(void)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/two.mttx", scratch());
    FILE *f = fopen(path, "w");
    cr_assert(f);
    fputs("memtwin-trace 1\nname two\nalloc 0x10000 8192 in, \"put\"\nalloc 0x20000 100 out\n"
          "kernel block=32 name=k\nblock 0\nwarp 0\n"
          "load.4 at=0x10000+4\nload.4 at=0x11000+4\nload.4 at=0x11000+4\nload.4 at=0x90000+4\nexit\n",
          f);
    fclose(f);
    return path;
}

static struct outcome __attribute__((format(printf, 1, 2))) pages(const char *format, ...)
{
    char arguments[512];
    va_list args;
    va_start(args, format);
    vsnprintf(arguments, sizeof arguments, format, args);
    va_end(args);
    return memtwin(arguments);
}

Test(trace_pages, a_table)
{
    struct outcome o = pages("trace pages %s", trace());
    expect_status(o, 0);
    expect_text(o, "workload     two\n");
    expect_text(o, "elsewhere    1 accesses outside all allocations\n");
    expect_text(o,
                "in, \"put\"                         2          2   100.00              3        1.500        0.500  "
                "   0.333          1          2\n");
    expect_text(o, "out                               1          0     0.00              0            -            -  "
                   "       -          -          -\n");
    expect_text(o, "total                             3          2    66.67              3        1.500        0.500  "
                   "   0.333          1          2\n");
}

Test(trace_pages, json)
{
    struct outcome o = pages("trace pages --json %s", trace());
    expect_status(o, 0);
    expect_text(o, "\"elsewhere\": 1,");
    expect_text(o, "\"page_bytes\": 4096,");
    expect_text(o,
                "      \"accesses\": 3,\n      \"address\": 65536,\n      \"bytes\": 8192,\n      \"deviation\": 0.5,\n"
                "      \"max\": 2,\n      \"mean\": 1.5,\n      \"min\": 1,\n      \"name\": \"in, \\\"put\\\"\",\n"
                "      \"pages\": 2,\n      \"touched\": 2,\n      \"touched_share\": 1.0,\n"
                "      \"variation\": 0.33333333333333331\n");
}

Test(trace_pages, csv)
{
    char csv[128], line[256] = "", text[256] = "";
    snprintf(csv, sizeof csv, "%s/two.csv", scratch());
    expect_status(pages("trace pages %s --pages %s", trace(), csv), 0);
    FILE *f = fopen(csv, "r");
    cr_assert(f);
    while (fgets(line, sizeof line, f)) strcat(text, line);
    fclose(f);
    cr_expect_str_eq(text, "allocation,page,accesses\n\"in, \"\"put\"\"\",16,1\n\"in, \"\"put\"\"\",17,2\n"
                           "out,32,0\n");
}

Test(trace_pages, a_kernels_arrays_are_as_far_apart_as_with_unified_memory)
{
    struct outcome o = pages("trace pages vecadd:n=1000");
    expect_status(o, 0);
    expect_text(o, "workload     vecadd:n=1000,block=256,align=2097152\n");
    o = pages("trace pages --json vecadd:n=1000,align=4096");
    expect_text(o, "\"address\": 268439552,");
}

Test(trace_pages, what_cannot_be_done_ends_with_a_reason)
{
    struct outcome o = pages("trace pages %s --pages /dev/full", trace());
    expect_status(o, 1);
    expect_text(o, "/dev/full: cannot write: No space left on device");
    o = pages("trace pages");
    expect_status(o, 2);
    expect_text(o, "expected a workload");
    o = pages("trace pages vecad");
    expect_status(o, 1);
    expect_text(o, "the nearest is vecadd");
}

static void expect_name(const char *arguments, const char *name)
{
    struct outcome o = pages("run %s --quiet --json -", arguments);
    expect_text(o, name);
}

/* No two arrays share a tree of 2 MiB, and the result says so. */
Test(trace_pages, a_run_with_unified_memory_aligns_arrays)
{
    expect_name("vecadd:n=1000 --set uvm.enable=true", "vecadd:n=1000,block=256,align=2097152");
    expect_name("vecadd:n=1000", "\"vecadd:n=1000,block=256\"");
    expect_name("vecadd:n=1000,align=256", "\"vecadd:n=1000,block=256\"");
}
