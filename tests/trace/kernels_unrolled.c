/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels in the form that a compiler makes of their loops (code=unrolled): the same results and accesses, by fewer
 * instructions. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "trace/kernel_trials.h"

/* Loops of less than a turn, of whole turns alone, and with single terms after them. */
static const char *const plain[] = {"atax:rows=1,columns=3",
                                    "atax:rows=70,columns=33",
                                    "atax:rows=8,columns=40,block=96",
                                    "gemm:ni=1,nj=1,nk=1",
                                    "gemm:ni=37,nj=45,nk=19",
                                    "gemm:ni=9,nj=5,nk=40",
                                    "2mm:ni=37,nj=45,nk=19,nl=5",
                                    "3mm:ni=9,nj=5,nk=40,nl=7,nm=2",
                                    "spmv:rows=333,columns=77",
                                    "spmv:rows=100,columns=4000,mean=9",
                                    "spmv:rows=333,columns=77,variant=vector",
                                    "spmv:rows=100,columns=4000,mean=60,variant=vector",
                                    "spmv:rows=1,columns=1,block=32,variant=jds",
                                    "spmv:rows=33,columns=1,variant=jds",
                                    "spmv:rows=1000,columns=77,mean=20,block=192,variant=jds",
                                    "lud:n=16",
                                    "lud:n=32",
                                    "lud:n=112",
                                    "nw:n=16",
                                    "nw:n=32,penalty=0",
                                    "nw:n=144,penalty=3"};

static const char *unrolled(char *text, size_t size, const char *spec)
{
    snprintf(text, size, "%s,code=unrolled", spec);
    return text;
}

Test(kernels_unrolled, every_kernel_is_right_at_awkward_sizes)
{
    static char text[COUNT(plain)][128];
    const char *specs[COUNT(plain)];
    for (size_t i = 0; i < COUNT(plain); i++) specs[i] = unrolled(text[i], sizeof text[i], plain[i]);
    trial_right(specs, COUNT(plain));
}

Test(kernels_unrolled, a_wrong_result_is_detected)
{
    static const struct corrupted cases[] = {{"atax:rows=40,columns=50,code=unrolled", "y", "y[49]"},
                                             {"gemm:ni=5,nj=20,nk=3,code=unrolled", "c", "c[99]"},
                                             {"2mm:ni=4,nj=5,nk=3,nl=2,code=unrolled", "e", "e[7]"},
                                             {"3mm:ni=4,nj=5,nk=3,nl=2,nm=6,code=unrolled", "g", "g[7]"},
                                             {"spmv:rows=40,code=unrolled", "y", "y[39]"},
                                             {"spmv:variant=jds,rows=40,code=unrolled", "y", "y[39]"},
                                             {"lud:n=32,code=unrolled", "m", "m[1023]"},
                                             {"nw:n=16,code=unrolled", "matrix_cuda", "matrix_cuda[288]"}};
    trial_corrupted(cases, COUNT(cases));
}

/* Lanes whose rows end within a turn leave it, and make their last accesses later than others of the warp. */
static bool diverges(const char *spec)
{
    return strstr(spec, "spmv") && !strstr(spec, "jds");
}

/* A compiler saves arithmetic, and no load or store of the program. */
Test(kernels_unrolled, accesses_are_those_of_the_code_as_written)
{
    for (size_t i = 0; i < COUNT(plain); i++) {
        char text[128];
        const struct reading a = reading_of(plain[i]), b = reading_of(unrolled(text, sizeof text, plain[i]));
        cr_expect_eq(a.warps, b.warps, "%s", plain[i]);
        for (int op = 0; op < INST_OPS; op++) {
            const bool more = op == INST_LOAD && diverges(plain[i]);
            cr_expect(more ? b.lines[op] >= a.lines[op] : b.lines[op] == a.lines[op], "%s, operation %d", text, op);
            cr_expect(op == INST_SP || (more ? b.ops[op] >= a.ops[op] : b.ops[op] == a.ops[op]),
                      "%s, operation %d: found %llu, expected %llu", text, op, (unsigned long long)b.ops[op],
                      (unsigned long long)a.ops[op]);
        }
    }
}

Test(kernels_unrolled, each_has_fewer_instructions)
{
    static const char *const specs[] = {"atax:rows=64,columns=64",
                                        "gemm:ni=32,nj=32,nk=32",
                                        "2mm:ni=32,nj=32,nk=32,nl=32",
                                        "3mm:ni=32,nj=32,nk=32,nl=32,nm=32",
                                        "spmv:rows=512,columns=512",
                                        "spmv:rows=99,columns=512,mean=200,variant=vector",
                                        "spmv:rows=512,variant=jds",
                                        "lud:n=64",
                                        "nw:n=64"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        char text[128];
        const uint64_t written = reading_of(specs[i]).ops[INST_SP];
        const uint64_t found = reading_of(unrolled(text, sizeof text, specs[i])).ops[INST_SP];
        cr_expect(5 * found < 4 * written, "%s: found %llu, expected less than four fifths of %llu", text,
                  (unsigned long long)found, (unsigned long long)written);
    }
}

/* 17 terms: four turns and a single one.  A warp: two indices of three, a test of four, the address of C and its index,
 * those of A's row, that of B's column, k = 0, C scaled. */
Test(kernels_unrolled, gemm_shares_three_pointers_and_a_test_among_four_terms)
{
    const uint64_t start = 6 + 4 + 2 + 2 + 1 + 1 + 1, turn = 3 + 2, term = 2;
    expect_mix("gemm:ni=8,nj=32,nk=17,code=unrolled",
               (uint64_t[INST_OPS]){[INST_SP] = 8 * (start + 17 * term + (4 + 1) * turn + 2 * 2),
                                    [INST_LOAD] = 8 * (1 + 17 * 2),
                                    [INST_STORE] = 8 * (1 + 17),
                                    [INST_EXIT] = 8},
               8 * (1 + 17 * 2), 8 * (1 + 17));
}

/* A warp of rows and one of columns; the vector's pointer begins by a move. */
Test(kernels_unrolled, atax_shares_two_pointers_and_a_test_among_four_terms)
{
    const uint64_t start = 3 + 2 + 1 + 1 + 1 + 1,
                   turn = 3 + 2; /* index, test, three pointers, j; by rows the row's index, too */
    expect_mix("atax:rows=32,columns=32,block=32,code=unrolled",
               (uint64_t[INST_OPS]){[INST_SP] = 2 * (start + 32 + 8 * turn + 2 * 2) + 1,
                                    [INST_LOAD] = 2 * (1 + 32 * 2),
                                    [INST_STORE] = 2 * 32,
                                    [INST_EXIT] = 2},
               (1 + 32 * (1 + 32)) + (1 + 32 * (1 + 1)), 2 * 32);
}

/* Names of workloads that had no such option, and so their identities, are what they were. */
Test(kernels_unrolled, only_unrolled_code_is_in_the_name)
{
    static const char *const cases[][2] = {
        {"atax:rows=8", "atax:rows=8,columns=256,block=128"},
        {"atax:code=written", "atax:rows=4096,columns=256,block=128"},
        {"atax:rows=8,code=unrolled", "atax:rows=8,columns=256,block=128,code=unrolled"},
        {"lud:align=512,code=unrolled", "lud:n=256,code=unrolled,align=512"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct error err = {""};
        struct source *s = kernel_open(cases[i][0], 1, &err);
        cr_assert(s, "%s", err.text);
        cr_expect_str_eq(s->name, cases[i][1]);
        s->ops->close(s);
    }
}

Test(kernels_unrolled, another_word_is_refused)
{
    static const struct refused cases[] = {
        {"gemm:code=4", "kernel gemm, option code: found \"4\", expected written|unrolled"},
        {"bicg:code=unrolled", "unknown option \"code\""}};
    trial_refused(cases, COUNT(cases));
}
