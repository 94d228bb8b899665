/* SPDX-License-Identifier: Apache-2.0 */
/* lbm, spmv in JDS form, and 3mm: right at awkward sizes, made of the instructions that a person would count. */
#include <criterion/criterion.h>

#include "trace/kernel_trials.h"

static const char *const odd[] = {"lbm:x=5,y=5,z=5,steps=4",
                                  "lbm:x=33,y=7,z=6,steps=3",
                                  "lbm:x=120,y=9,z=5,steps=2",
                                  "spmv:variant=jds,rows=1,columns=1,block=32",
                                  "spmv:variant=jds,rows=33,columns=1",
                                  "spmv:variant=jds,rows=1000,columns=77,mean=20,block=192",
                                  "spmv:variant=jds,rows=257,columns=4000,mean=1,block=1024",
                                  "3mm:ni=1,nj=1,nk=1,nl=1,nm=1",
                                  "3mm:ni=37,nj=45,nk=19,nl=5,nm=33",
                                  "3mm:ni=9,nj=5,nk=40,nl=70,nm=2"};

Test(kernels_parboil, every_kernel_is_right_at_awkward_sizes)
{
    trial_right(odd, COUNT(odd));
}

Test(kernels_parboil, a_wrong_result_is_detected)
{
    static const struct corrupted cases[] = {
        {"lbm:x=5,y=5,z=5,steps=1", "dstGrid", "dstGrid["}, {"lbm:x=5,y=5,z=5,steps=1", "srcGrid", "srcGrid["},
        {"spmv:variant=jds,rows=40", "y", "y[39]"},         {"3mm:ni=4,nj=5,nk=3,nl=2,nm=6", "e", "e[19]"},
        {"3mm:ni=4,nj=5,nk=3,nl=2,nm=6", "f", "f[9]"},      {"3mm:ni=4,nj=5,nk=3,nl=2,nm=6", "g", "g[7]"}};
    trial_corrupted(cases, COUNT(cases));
}

Test(kernels_parboil, sizes_that_make_no_sense_are_refused)
{
    static const struct refused cases[] = {
        {"lbm:x=4", "option x: found \"4\", expected a number in 5..1024"},
        {"spmv:variant=jds,block=48", "block: found 48, expected a multiple of 32"},
        {"spmv:variant=ell", "option variant: found \"ell\", expected scalar|vector|jds"}};
    trial_refused(cases, COUNT(cases));
}

Test(kernels_parboil, instructions_do_not_depend_on_the_order_of_reading)
{
    trial_orders("lbm:x=40,y=6,z=5,steps=2", 1);
    trial_orders("spmv:variant=jds,rows=500,columns=500", 1);
    trial_orders("3mm:ni=33,nj=40,nk=9,nl=7,nm=12", 1);
}

Test(kernels_parboil, the_seed_makes_the_inputs)
{
    static const struct seeded cases[] = {{"spmv:variant=jds,rows=50", "d_index"},
                                          {"spmv:variant=jds,rows=50,columns=50", "d_data"},
                                          {"3mm:ni=5,nj=5,nk=5,nl=5,nm=5", "d"}};
    trial_seeded(cases, COUNT(cases));
}

/* Rows of 32 cells, a warp each, of which 3 x 3 have fluid and its two ends.  Ten of the 19 directions are to the side,
 * where a load touches two lines.  Each access: index and address.  Two rows have accelerated cells. */
Test(kernels_parboil, lbm_loads_and_stores_a_word_for_each_direction)
{
    const uint64_t start = 2 + 20 * 2 + 2, stores = 19 * 2;
    const uint64_t sums = 18 + 3 * 9 + 2 + 4 + 1;                  /* density, flows, accelerated?, square, scale */
    const uint64_t along = 3 * 1 + 3 * (1 + 1 + 1 + 2);            /* the axes against theirs; diagonals */
    const uint64_t collide = sums + along + 18 * 2 + 19 * (3 + 2); /* two terms, but of the centre; sum and store */
    expect_mix("lbm:x=32,y=5,z=5",
               (uint64_t[INST_OPS]){[INST_SP] = 25 * (start + stores) + 9 * collide + 2 * 3,
                                    [INST_SFU] = 9 * 3,
                                    [INST_LOAD] = 25 * 20,
                                    [INST_STORE] = (25 + 9) * 19,
                                    [INST_EXIT] = 25},
               25 * (9 + 10 * 2 + 1), (25 + 9) * 19);
}

/* One warp.  A term: three loads, each with an address; two words of constant memory; index, sum, three moves, test. */
Test(kernels_parboil, jds_loads_a_line_for_each_array_of_a_term)
{
    const struct reading r = reading_of("spmv:variant=jds,rows=32,columns=20,mean=100,block=32");
    const uint64_t terms = (r.ops[INST_LOAD] - 1) / 3; /* one load: the row's number */
    cr_expect_geq(terms, 3);
    expect_op(&r, INST_SP, 16 + 8 + (terms - 2) * 12);
    expect_op(&r, INST_LOAD, 1 + 3 * terms);
    expect_op(&r, INST_STORE, 1);
    cr_expect_eq(r.lines[INST_LOAD], 1 + 3 * terms);
}

/* As two products, then one more: 8 x 32 = (8 x 17) (17 x 32), 32 x 64 = (32 x 5) (5 x 64), 8 x 64. */
Test(kernels_parboil, three_products_are_three_launches)
{
    const uint64_t start = 6 + 4 + 1 + 1 + 1 + 2, term = 2 + 5 + 1 + 1;
    expect_mix(
        "3mm:ni=8,nj=32,nk=17,nl=64,nm=5",
        (uint64_t[INST_OPS]){[INST_SP] = 8 * (start + 17 * term) + 64 * (start + 5 * term) + 16 * (start + 32 * term),
                             [INST_LOAD] = 8 * (1 + 17 * 2) + 64 * (1 + 5 * 2) + 16 * (1 + 32 * 2),
                             [INST_STORE] = 8 * 17 + 64 * 5 + 16 * 32,
                             [INST_EXIT] = 8 + 64 + 16},
        8 * (1 + 17 * 2) + 64 * (1 + 5 * 2) + 16 * (1 + 32 * 2), 8 * 17 + 64 * 5 + 16 * 32);
}
