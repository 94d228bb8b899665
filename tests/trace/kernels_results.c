/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in workloads compute the results of plain C, and make as many memory accesses as worked out by hand. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "trace/kernel_trials.h"

static const char *const odd[] = {"vecadd:n=1",
                                  "vecadd:n=1000,block=96",
                                  "addvect:n=1",
                                  "addvect:n=1000,block=96",
                                  "2dconv:rows=37,columns=53",
                                  "2dconv:rows=3,columns=3",
                                  "2dconv:rows=2,columns=100", /* all border */
                                  "3dconv:ni=5,nj=19,nk=37",
                                  "3dconv:ni=3,nj=3,nk=3",
                                  "3dconv:ni=4,nj=1,nk=100",
                                  "fdtd2d:rows=37,columns=53,steps=3",
                                  "fdtd2d:rows=1,columns=1,steps=2",
                                  "fdtd2d:rows=1,columns=70,steps=1",
                                  "ra:bits=5,threads=77,updates=19", /* words that many lanes want at once */
                                  "ra:bits=9,threads=5,updates=150", /* all of a term's bits go through both halves */
                                  "ra:bits=13,threads=1,updates=1",
                                  "blackscholes:n=1003,blocks=3,block=96",
                                  "aligned_types:bytes=1999,blocks=2",
                                  "transpose:width=77,height=45",
                                  "transpose:width=1,height=33,variant=naive",
                                  "transpose:width=33,height=1,variant=tiled",
                                  "transpose:width=20,height=5,runs=3",
                                  "transpose:width=64,height=48,tile=16",
                                  "transpose:width=16,height=80,tile=16,variant=all,runs=2",
                                  "transpose:width=64,height=64,tile=16,variant=all",
                                  "atax:rows=70,columns=33",
                                  "mvt:n=67",
                                  "gesummv:rows=37,columns=9",
                                  "syrk:n=37,m=5",
                                  "bicg:rows=70,columns=33",
                                  "bicg:rows=1,columns=1000,block=96",
                                  "bicg:rows=70,columns=33,kernels=coalesced",
                                  "bicg:rows=70,columns=33,kernels=strided",
                                  "gemm:ni=37,nj=45,nk=19",
                                  "gemm:ni=1,nj=1,nk=1",
                                  "syr2k:n=37,m=5",
                                  "hotspot:rows=37,columns=53",
                                  "hotspot:rows=1,columns=1,steps=5",
                                  "hotspot:rows=61,columns=12,pyramid=5,steps=13",
                                  "hotspot:rows=7,columns=40,pyramid=7,steps=8",
                                  "pathfinder:columns=217,rows=9",
                                  "pathfinder:columns=1,rows=2",
                                  "pathfinder:columns=1003,rows=50,pyramid=7",
                                  "pathfinder:columns=65,rows=300,pyramid=127",
                                  "spmv:rows=333,columns=77",
                                  "spmv:rows=333,columns=77,variant=vector",
                                  "spmv:rows=1,columns=1,mean=1",
                                  "bfs:n=1003",
                                  "bfs:n=1003,graph=grid",
                                  "bfs:n=1",
                                  "kmeans:n=777,dimensions=3,clusters=7,iterations=4",
                                  "kmeans:n=2",
                                  "histogram:n=5001,blocks=7",
                                  "histogram:n=777,blocks=300",
                                  "histogram:n=999,counters=global",
                                  "histogram:n=3001,blocks=5,counters=cached",
                                  "histogram:n=4,bins=64",
                                  "histogram:n=4004,bins=64,runs=2",
                                  "histogram:n=5000,blocks=7,bins=both,runs=2"};

Test(kernels_results, every_kernel_is_right_at_odd_sizes)
{
    trial_right(odd, COUNT(odd));
}

Test(kernels_results, a_wrong_result_is_detected)
{
    static const struct corrupted cases[] = {{"vecadd:n=100", "c", "c[99]"},
                                             {"addvect:n=100", "y", "y[99]"},
                                             {"2dconv:rows=10,columns=10", "b", "b[99]"},
                                             {"3dconv:ni=4,nj=5,nk=5", "b", "b[99]"},
                                             {"fdtd2d:rows=10,columns=10,steps=2", "ex", "ex[109]"},
                                             {"fdtd2d:rows=10,columns=10,steps=2", "ey", "ey[109]"},
                                             {"fdtd2d:rows=10,columns=10,steps=2", "hz", "hz[99]"},
                                             {"ra:bits=7,threads=50", "table", "table[127]"},
                                             {"blackscholes:n=100", "put", "put[99]"},
                                             {"aligned_types:bytes=1024", "out", "out[1023]"},
                                             {"transpose:width=20,height=5", "naive", "naive[99]"},
                                             {"transpose:width=20,height=5", "tiled", "tiled[99]"},
                                             {"transpose:width=32,height=16,tile=16", "out", "out[511]"},
                                             {"atax:rows=40,columns=50", "y", "y[49]"},
                                             {"mvt:n=50", "x1", "x1[49]"},
                                             {"mvt:n=50", "x2", "x2[49]"},
                                             {"gesummv:rows=50,columns=40", "y", "y[49]"},
                                             {"syrk:n=10,m=3", "c", "c[99]"},
                                             {"bicg:rows=40,columns=50", "s", "s[49]"},
                                             {"bicg:rows=40,columns=50", "q", "q[39]"},
                                             {"bicg:rows=40,columns=50,kernels=strided", "q", "q[39]"},
                                             {"bicg:rows=40,columns=50,kernels=coalesced", "s", "s[49]"},
                                             {"gemm:ni=5,nj=20,nk=3", "c", "c[99]"},
                                             {"syr2k:n=10,m=3", "c", "c[99]"},
                                             {"hotspot:rows=5,columns=20,steps=2", "temp1", "temp1[99]"},
                                             {"hotspot:rows=5,columns=20,steps=3", "temp0", "temp0[99]"},
                                             {"pathfinder:columns=100,rows=9", "cost1", "cost1[99]"},
                                             {"spmv:rows=50", "y", "y[49]"},
                                             {"bfs:n=100", "cost", "cost[99]"},
                                             {"kmeans:n=100", "membership", "membership[99]"},
                                             {"histogram:n=100", "bins", "bins[255]"},
                                             {"histogram:n=100,bins=both", "bins_64", "bins_64[63]"}};
    trial_corrupted(cases, COUNT(cases));
}

/* 1024 elements, 32 warps: an access of 4 bytes by 32 neighbours is one line. */
Test(kernels_results, vecadd_loads_two_lines_and_stores_one_for_each_warp)
{
    struct reading r = reading_of("vecadd:n=1024");
    cr_assert(r.warps == 32 && r.ops[INST_LOAD] == 64 && r.ops[INST_STORE] == 32);
    cr_assert(r.lines[INST_LOAD] == 64 && r.lines[INST_STORE] == 32);
    /* S2R, S2R, IMAD, SETP, BRA, 3 address IMADs, FADD */
    cr_assert(r.ops[INST_SP] == 9 * 32 && r.ops[INST_EXIT] == 32);
}

/* 64 x 64 elements, 128 warps: a row of 32 goes in as one line and out as 32. */
Test(kernels_results, naive_transpose_stores_to_32_lines_and_tiled_to_one)
{
    struct reading naive = reading_of("transpose:width=64,height=64,variant=naive");
    cr_assert(naive.lines[INST_LOAD] == 128 && naive.lines[INST_STORE] == 128 * 32);
    struct reading tiled = reading_of("transpose:width=64,height=64,variant=tiled");
    cr_assert(tiled.lines[INST_LOAD] == 128 && tiled.lines[INST_STORE] == 128);
    cr_assert(tiled.ops[INST_SHARED_LOAD] == 128 && tiled.ops[INST_SHARED_STORE] == 128);
}

/* 64 x 64 elements, 16 thread blocks of eight warps: a warp is two rows of half a line. */
Test(kernels_results, transpose_by_tiles_of_16_has_two_lines_a_warp)
{
    struct reading naive = reading_of("transpose:width=64,height=64,tile=16,variant=naive");
    cr_assert_eq(naive.warps, 128);
    cr_assert(naive.lines[INST_LOAD] == 2 * 128 && naive.lines[INST_STORE] == 16 * 128);
    struct reading tiled = reading_of("transpose:width=64,height=64,tile=16,variant=tiled");
    cr_assert(tiled.lines[INST_LOAD] == 2 * 128 && tiled.lines[INST_STORE] == 2 * 128);
}

/* Chen16, table 4.2: 24 launches, 98304 thread blocks; here by a sixteenth of the elements. */
Test(kernels_results, the_older_transpose_has_eight_kernels)
{
    struct reading all = reading_of("transpose:width=256,height=256,tile=16,variant=all,runs=3");
    cr_expect_eq(all.kernels, 24);
    cr_expect_eq(all.warps, 98304 / 16 * 8);
}

/* A thread of 64 bins counts at most 15 loads of 16 bytes: 961 threads' worth of loads are two thread blocks. */
Test(kernels_results, a_thread_of_64_bins_counts_at_most_255_bytes)
{
    struct reading r = reading_of("histogram:n=3844,bins=64");
    cr_expect_eq(r.kernels, 2);
    cr_expect_eq(r.warps, 2 * 2 + 64 * 8);
    struct reading most = reading_of("histogram:n=3840,bins=64");
    cr_expect_eq(most.warps, 2 + 64 * 8);
}

/* 64 rows, 2 warps, 32 columns.  Rows kernel: tmp once, then for each column a 32-line load of A, one line of x, one
 * stored line. Columns kernel, 1 warp, 64 rows: y once, then a line of A, one of tmp, one stored. */
Test(kernels_results, atax_strides_over_rows_and_coalesces_over_columns)
{
    struct reading r = reading_of("atax:rows=64,columns=32");
    cr_assert_eq(r.lines[INST_LOAD], 2 * (1 + 32 * (32 + 1)) + (1 + 64 * 2));
    cr_assert_eq(r.lines[INST_STORE], 2 * 32 + 64);
}

/* 4096 bytes.  Lines of one side, by type: 1-byte loads of 32 neighbours touch one line; a record of 16 bytes in four
 * loads touches the same four lines each time. */
Test(kernels_results, misaligned_records_touch_the_same_lines_again)
{
    struct reading r = reading_of("aligned_types:bytes=4096");
    uint64_t lines = 4096 / 32        /* uint8 */
                     + 4096 / 64      /* uint16 */
                     + 4 * 4096 / 128 /* RGBA8_misaligned: 4 loads a line */
                     + 2 * 4096 / 128 /* LA32_misaligned: 2 loads for each 2 lines */
                     + 3 * 32 /* RGB32_misaligned: 341 records of 12 bytes, 3 loads that each touch all 32 lines */
                     + 4 * 4096 / 128 /* RGBA32_misaligned */
                     + 4 * 4096 / 128 /* RGBA8, LA32, RGB32, RGBA32: each line once */
                     + 2 * 4096 / 128 /* RGBA32_2: both halves in every line */;
    cr_assert_eq(r.lines[INST_STORE], lines, "%llu", (unsigned long long)r.lines[INST_STORE]);
    cr_assert_eq(r.lines[INST_LOAD], lines);
}

/* 192 words in 6 warps: one load each, four atomics each; 8 lines hold the 256 counters. */
Test(kernels_results, global_histogram_is_four_atomics_a_word)
{
    struct reading r = reading_of("histogram:n=192,counters=global,blocks=1");
    cr_assert(r.ops[INST_LOAD] == 6 && r.ops[INST_ATOMIC] == 24);
    cr_assert(r.lines[INST_ATOMIC] > 24 * 6 && r.lines[INST_ATOMIC] <= 24 * 8);
}

/* 192 words of one thread block.  A round of a byte loads, stores and loads again; the lanes of a warp that share a
 * counter need a round each.  Besides: the words, eight stores a thread that clear, 256 sums over six warps, and of
 * each thread block of the second kernel one load and one store. */
Test(kernels_results, cached_histogram_counts_in_rounds)
{
    struct reading r = reading_of("histogram:n=192,counters=cached,blocks=1");
    uint64_t rounds = r.ops[INST_STORE] - (6 * 8 + 8 + 256);
    cr_assert(rounds > 24 && rounds < 24 * 6, "%llu rounds", (unsigned long long)rounds);
    cr_assert_eq(r.ops[INST_LOAD], 6 + 2 * rounds + 6 * 8 + 256);
    cr_assert_eq(r.ops[INST_ATOMIC], 0);
}

Test(kernels_results, bfs_launches_two_kernels_a_level)
{
    struct reading r =
        reading_of("bfs:n=100,graph=grid"); /* 10 x 10 from a corner: 18 steps, and a level that finds nothing */
    cr_assert_eq(r.kernels, 2 * 19);
}

Test(kernels_results, a_specification_that_makes_no_sense_says_what_would)
{
    static const struct refused cases[] = {
        {"vecad", "unknown kernel \"vecad\"; the nearest is vecadd"},
        {"", "unknown kernel \"\""},
        {"vecadd:blok=3", "kernel vecadd: unknown option \"blok\"; the nearest is block"},
        {"vecadd:n=0", "kernel vecadd, option n: found \"0\", expected a number in 1.."},
        {"vecadd:n=12k", "found \"12k\", expected a number"},
        {"vecadd:n=99999999999999999999", "expected a number in 1.."},
        {"vecadd:n", "found \"n\", expected option=value"},
        {"vecadd:aling=256", "kernel vecadd: unknown option \"aling\"; the nearest is align"},
        {"vecadd:align=8", "option align: found \"8\", expected a power of two in 16..1073741824"},
        {"vecadd:align=384", "option align: found \"384\", expected a power of two in"},
        {"vecadd:only=", "option only: found \"\", expected a kernel's name of 1 to 63 characters"},
        {"3dconv:ni=2", "option ni: found \"2\", expected a number in 3..1024"},
        {"transpose:variant=tile", "option variant: found \"tile\", expected naive|tiled|both|all"},
        {"transpose:variant=all", "variant: found all, expected naive, tiled or both with tile=32"},
        {"transpose:width=40,height=32,tile=16", "width: found 40, expected a multiple of 16"},
        {"transpose:width=32,height=40,tile=16", "height: found 40, expected a multiple of 16"},
        {"histogram:n=10,bins=64", "n: found 10, expected a multiple of 4"},
        {"histogram:bins=both,counters=global", "counters: expected shared"},
        {"spmv:variant=vector,block=33", "block: found 33, expected a multiple of 32"},
        {"hotspot:pyramid=8", "option pyramid: found \"8\", expected a number in 1..7"},
        {"pathfinder:pyramid=128", "expected a number in 1..127"},
        {"pathfinder:rows=1", "option rows: found \"1\", expected a number in 2..1048576"},
        {"pathfinder:columns=10000000,rows=1000", "array wall: found 9990000000 elements"},
        {"gemm:nk=32769", "option nk: found \"32769\", expected a number in 1..32768"}};
    trial_refused(cases, COUNT(cases));
}

Test(kernels_results, names_and_lists_are_complete_and_sorted)
{
    static const char *const names[] = {
        "aligned_types", "atax",   "bfs",    "bicg",       "blackscholes", "gemm",  "gesummv", "histogram",
        "hotspot",       "kmeans", "mvt",    "pathfinder", "spmv",         "syr2k", "syrk",    "transpose",
        "vecadd",        "2dconv", "3dconv", "ra",         "fdtd2d",       "srad",  "addvect", "backprop"};
    struct error err = {""};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) cr_assert(kernel_find(names[i], &err), "%s", err.text);
    uint32_t n = 1;
    for (; kernel_list(n); n++) cr_assert_lt(strcmp(kernel_list(n - 1)->name, kernel_list(n)->name), 0);
    cr_assert_geq(n, 12);
    struct source *s = kernel_open("vecadd:n=5", 1, &err);
    cr_assert_str_eq(s->name, "vecadd:n=5,block=256");
    s->ops->close(s);
}

/* Every array of every kernel, and an address is where the arrays before it end, rounded up. */
Test(kernels_results, arrays_begin_at_multiples_of_align)
{
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        char spec[128];
        struct error err = {""};
        snprintf(spec, sizeof spec, "%s%calign=65536", odd[i], strchr(odd[i], ':') ? ',' : ':');
        cr_assert(kernel_check(spec, 1, &err), "%s: %s", spec, err.text);
        struct source *s = kernel_open(spec, 1, &err);
        uint64_t next = 0x10000000;
        for (uint32_t k = 0; k < s->allocation_count; k++) {
            cr_assert_eq(s->allocations[k].addr, next, "%s: %s at %#llx, expected %#llx", spec, s->allocations[k].name,
                         (unsigned long long)s->allocations[k].addr, (unsigned long long)next);
            next = (next + s->allocations[k].bytes + 65535) / 65536 * 65536;
        }
        s->ops->close(s);
    }
}

/* With the default of `align` the name of a workload stays as it was without the option. */
Test(kernels_results, a_name_has_align_only_where_it_is_not_256)
{
    const struct {
        const char *spec;
        int align;
        const char *name;
        uint64_t second;
    } cases[] = {{"vecadd:n=5", KERNEL_ALIGN, "vecadd:n=5,block=256", 0x10000100},
                 {"vecadd:align=256,n=5", KERNEL_ALIGN, "vecadd:n=5,block=256", 0x10000100},
                 {"vecadd:n=5,align=16", KERNEL_ALIGN, "vecadd:n=5,block=256,align=16", 0x10000020},
                 {"vecadd:n=5", KERNEL_ALIGN_UVM, "vecadd:n=5,block=256,align=2097152", 0x10200000},
                 {"vecadd:n=5,align=256", KERNEL_ALIGN_UVM, "vecadd:n=5,block=256", 0x10000100},
                 {"vecadd:n=5,align=0x40000000", KERNEL_ALIGN, "vecadd:n=5,block=256,align=1073741824", 0x80000000}};
    char identity[sizeof cases / sizeof cases[0]][65];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error err = {""};
        struct source *s = kernel_open_aligned(cases[i].spec, 1, cases[i].align, &err);
        cr_assert(s, "%s", err.text);
        cr_expect_str_eq(s->name, cases[i].name);
        cr_expect_eq(s->allocations[1].addr, cases[i].second, "%s: %#llx", cases[i].spec,
                     (unsigned long long)s->allocations[1].addr);
        strcpy(identity[i], s->identity);
        s->ops->close(s);
    }
    cr_expect_str_eq(identity[0], identity[1]);
    cr_expect_str_eq(identity[0], identity[4]);
    cr_expect_str_neq(identity[0], identity[2]);
}

/* The one kernel is read as in the whole workload: after those before it, which `only` does not show. */
Test(kernels_results, only_reads_the_launches_of_one_kernel)
{
    const struct reading all = reading_of("kmeans:n=300,dimensions=3,block=64"),
                         first = reading_of("kmeans:n=300,dimensions=3,block=64,only=invert_mapping"),
                         rest = reading_of("kmeans:n=300,dimensions=3,block=64,only=kmeansPoint");
    cr_expect_eq(all.kernels, 4);
    cr_expect_eq(first.kernels, 1);
    cr_expect_eq(rest.kernels, 3);
    cr_expect_eq(reading_of("kmeans:n=300,dimensions=3,block=64,only=kmeansPoint,launches=2").kernels, 2);
    cr_expect_eq(reading_of("kmeans:n=300,dimensions=3,block=64,launches=3").kernels, 3);
    cr_expect_eq(reading_of("kmeans:n=300,dimensions=3,block=64,launches=9").kernels, 4);
    cr_expect_gt(first.ops[INST_STORE], 0);
    for (int i = 0; i < INST_OPS; i++) cr_expect_eq(first.ops[i] + rest.ops[i], all.ops[i], "%d", i);
    struct error err = {""};
    cr_expect_not(kernel_check("kmeans:n=100,only=invert", 1, &err));
    cr_expect_str_eq(err.text, "kmeans: only: found no kernel \"invert\", the last one is \"kmeansPoint\"");
    cr_expect(kernel_check("srad:rows=20,columns=30,only=srad2", 1, &err), "%s", err.text);
}
