/* SPDX-License-Identifier: Apache-2.0 */
/* The instruction mix of the built-in kernels, counted by hand from their source, with the cost of each operation in
 * simt.h. */
#include <criterion/criterion.h>

#include "trace/kernel_trials.h"

/* 64 x 32: kernel 1 is a warp of columns, kernel 2 two warps of rows.  Nothing but A and the vector is loaded: the sums
 * start as a stored 0.  Each term: a multiply-add for the index, three for addresses, one of the sum, an increment. */
Test(kernels_mix, bicg_clears_its_sums)
{
    uint64_t sp = 3 + 2 + 2 + 1 + 2; /* index, test, sum = 0 stored, j = 0, the last test of the loop */
    uint64_t term = 2 + 1 + 3 + 1 + 1;
    /* The second warp of kernel 1's thread block has no column: index and test. */
    expect_mix("bicg:rows=64,columns=32,block=64",
               (uint64_t[INST_OPS]){[INST_SP] = (sp + 64 * term) + 5 + 2 * (sp + 32 * term),
                                    [INST_LOAD] = 64 * 2 + 2 * 32 * 2,
                                    [INST_STORE] = (1 + 64) + 2 * (1 + 32),
                                    [INST_EXIT] = 4},
               64 * (1 + 1) + 2 * 32 * (32 + 1), (1 + 64) + 2 * (1 + 32));
}

Test(kernels_mix, a_kernel_of_bicg_runs_alone)
{
    struct reading coalesced = reading_of("bicg:rows=64,columns=32,block=64,kernels=coalesced");
    struct reading strided = reading_of("bicg:rows=64,columns=32,block=64,kernels=strided");
    cr_expect(coalesced.lines[INST_LOAD] == 64 * (1 + 1) && coalesced.lines[INST_STORE] == 1 + 64);
    cr_expect(strided.lines[INST_LOAD] == 2 * 32 * (32 + 1) && strided.lines[INST_STORE] == 2 * (1 + 32));
}

/* Instructions of a warp of gemm, syrk or syr2k beside its terms: two indices of three, the test (two compares, an and,
 * a branch), the index of C, C loaded, scaled and stored, k = 0, and the last test of the loop. */
static const uint64_t product_sp = 6 + 4 + 1 + 3 + 1 + 2;
static const uint64_t product_loop = 2 + 1 + 1; /* test, increment, address of the store: with each term */

/* 8 x 32, one thread block.  Two loads and a store for each multiply-add, a line each. */
Test(kernels_mix, gemm_makes_three_memory_instructions_for_each_multiply_add)
{
    uint64_t term = 2 + 2 + 2; /* alpha a, the multiply-add; two indices, two addresses */
    expect_mix("gemm:ni=8,nj=32,nk=17",
               (uint64_t[INST_OPS]){[INST_SP] = 8 * (product_sp + 17 * (term + product_loop)),
                                    [INST_LOAD] = 8 * (1 + 17 * 2),
                                    [INST_STORE] = 8 * (1 + 17),
                                    [INST_EXIT] = 8},
               /* Rows of A are 68 bytes, but a warp loads one element of them; rows of B and C are a line. */
               8 * (1 + 17 * 2), 8 * (1 + 17));
}

/* 32 x 32, rows of 32 terms: a line. */
Test(kernels_mix, syr2k_loads_two_broadcast_lines_and_64_strided_ones_a_term)
{
    uint64_t term = 2 + 4 + 2 + 2 + 1; /* two indices, four addresses, two alphas, product and multiply-add, sum */
    expect_mix("syr2k:n=32,m=32",
               (uint64_t[INST_OPS]){[INST_SP] = 32 * (product_sp + 32 * (term + product_loop)),
                                    [INST_LOAD] = 32 * (1 + 32 * 4),
                                    [INST_STORE] = 32 * (1 + 32),
                                    [INST_EXIT] = 32},
               32 * (1 + 32 * (2 + 2 * 32)), 32 * (1 + 32));
    struct reading syrk = reading_of("syrk:n=32,m=32");
    cr_expect_eq(syrk.lines[INST_LOAD], 32 * (1 + 32 * (1 + 32)));
}

/* A dimension of a tile: where it begins (2), the cell, low (2), high (2), before (2), after (2), inside (4). */
static const uint64_t axis_sp = 15;

/* 12 x 12 cells are one tile of 16 x 16, of whose eight warps the first and the last are outside: cells -2 and -1, 12
 * and 13.  Two steps in one launch. */
Test(kernels_mix, hotspot_computes_nine_operations_on_six_loads_from_shared_memory)
{
    uint64_t start =
        2 + 2 * axis_sp + 7 + 8 + 2;        /* thread, axes, six indices and a product, in the grid?, i, computed */
    uint64_t step = 2 + 1 + 12 + 2 + 1 + 2; /* low, high; computed; computes?; last?; increment; test */
    uint64_t outside = start + 2 * step + 2 + 2 + 2; /* the last test; computed? after the first step and at the end */
    uint64_t stencil = 1 + 6 + 9 + 1;                /* computed, six addresses, the arithmetic, an address */
    uint64_t inside = outside + 4 + 2 * stencil + 2 + 2; /* four, two and two addresses of copies */
    expect_mix("hotspot:rows=12,columns=12,pyramid=2,steps=2",
               (uint64_t[INST_OPS]){[INST_SP] = 2 * outside + 6 * inside,
                                    [INST_SFU] = 8 * 4,
                                    [INST_LOAD] = 6 * 2,
                                    [INST_STORE] = 6,
                                    [INST_SHARED_LOAD] = 6 * (2 * 6 + 1 + 1),
                                    [INST_SHARED_STORE] = 6 * (2 + 2 + 1),
                                    [INST_BARRIER] = 8 * 4,
                                    [INST_EXIT] = 8},
               /* Two rows are 96 bytes, so of six warps three cross a line. */
               2 * 9, 9);
}

/* 216 cells are one tile of 256, from cell -20 on: the eight warps begin 12 cells into a line each.  One row. */
Test(kernels_mix, pathfinder_loads_two_lines_a_warp)
{
    uint64_t start = 1 + axis_sp + 4 + 2 + 2; /* thread, axis, in the grid?, two addresses, i, computed */
    uint64_t step = 2 + 1 + 2 + 6 + 1 + (3 + 2 + 3 + 2) + 2 + 1; /* test; computed; low, high; computes?; computed;
                                                              three addresses, two minima, wall; sum, store; last? */
    uint64_t end = 2 + 2 + 2;                                    /* test, computed?, two addresses */
    expect_mix("pathfinder:columns=216,rows=2,pyramid=20",
               (uint64_t[INST_OPS]){[INST_SP] = 8 * (start + step + end),
                                    [INST_LOAD] = 8 * 2,
                                    [INST_STORE] = 8,
                                    [INST_SHARED_LOAD] = 8 * (3 + 1),
                                    [INST_SHARED_STORE] = 8 * (1 + 1),
                                    [INST_BARRIER] = 8 * 2,
                                    [INST_EXIT] = 8},
               2 * (1 + 6 * 2 + 1), 1 + 6 * 2 + 1);
}

Test(kernels_mix, a_pyramid_makes_a_launch_of_so_many_steps)
{
    cr_expect_eq(reading_of("hotspot:rows=9,columns=9,pyramid=3,steps=8").kernels, 3);
    cr_expect_eq(reading_of("pathfinder:columns=9,rows=100,pyramid=20").kernels, 5);
}

/* First instructions of a warp of 2dconv, 3dconv or fdtd2d: two indices of three, then its compares with their ands and
 * a branch. */
static const uint64_t plane_sp = 6, inside_sp = 4 + 3 + 1;

/* 8 rows of two warps each, of which six rows are inside.  The first warp's loads to the right and the second one's to
 * the left reach into the other's line. */
Test(kernels_mix, conv2d_loads_nine_neighbours_for_a_store)
{
    uint64_t neighbour = 3; /* index, address, multiply-add */
    expect_mix("2dconv:rows=8,columns=64",
               (uint64_t[INST_OPS]){[INST_SP] = 16 * (plane_sp + inside_sp) + 12 * (1 + 1 + 9 * neighbour + 1),
                                    [INST_LOAD] = 12 * 9,
                                    [INST_STORE] = 12,
                                    [INST_EXIT] = 16},
               12 * 3 * (1 + 1 + 2), 12);
}

/* The same with one plane inside.  Of the eleven loads two are to the left, three in the middle, six to the right. */
Test(kernels_mix, conv3d_loads_eleven_neighbours_for_fifteen_terms)
{
    uint64_t corners = 2 * 2 + 6, neighbour = 3; /* of a corner: index and address */
    expect_mix(
        "3dconv:ni=3,nj=8,nk=64",
        (uint64_t[INST_OPS]){[INST_SP] = 16 * (plane_sp + inside_sp) + 12 * (2 + 1 + corners + 9 * neighbour + 1),
                             [INST_LOAD] = 12 * 11,
                             [INST_STORE] = 12,
                             [INST_EXIT] = 16},
        6 * (2 + 3 + 6 * 2) + 6 * (2 * 2 + 3 + 6), 12);
    cr_expect_eq(reading_of("3dconv:ni=7,nj=8,nk=8").kernels, 5);
}

/* 8 rows of one warp.  Rows of ex are 33 words, so that all but the first cross a line. */
Test(kernels_mix, fdtd2d_streams_over_two_or_three_fields_a_launch)
{
    uint64_t in = plane_sp + 4;           /* two compares, an and, a branch */
    uint64_t first = in + 1 + 2 + 1;      /* index; row 0?; address of the store */
    uint64_t ey = in + 1 + 2 + 4 + 1 + 2; /* index; row 0?; four addresses; the row above; difference, update */
    uint64_t ex = in + 2 + 2 + 4 + 1 + 2; /* j > 0 too; two indices */
    uint64_t hz = in + 2 + 2 + 6 + 4;     /* two indices, two neighbours, six addresses, curl and update */
    uint64_t crossing = 1 + 7 * 2;        /* a load or store of ex; to its right all cross */
    expect_mix("fdtd2d:rows=8,columns=32,steps=1",
               (uint64_t[INST_OPS]){[INST_SP] = first + 7 * ey + 8 * (ex + hz),
                                    [INST_LOAD] = 1 + 7 * 3 + 8 * 3 + 8 * 5,
                                    [INST_STORE] = 3 * 8,
                                    [INST_EXIT] = 3 * 8},
               (1 + 7 * 3) + (8 * 2 + crossing) + (8 * 2 + crossing + 3 * 8), 8 + crossing + 8);
    cr_expect_eq(reading_of("fdtd2d:rows=9,columns=9,steps=4").kernels, 12);
}

/* The sequence has no term twice that soon, so a warp's 32 words of a large table are 32 lines but for chance. */
Test(kernels_mix, ra_updates_32_lines_an_atomic)
{
    uint64_t update = 2 + 3 + 2 + 1 + 1 + 1; /* bit out, high half, low half, index, address, increment */
    uint64_t sp = 3 + 2 + 2 + 1 + 11 * 2 + 10 * update;
    struct reading r =
        expect_mix("ra:bits=24,threads=32,updates=10,block=32",
                   (uint64_t[INST_OPS]){[INST_SP] = sp, [INST_LOAD] = 2, [INST_ATOMIC] = 10, [INST_EXIT] = 1}, 2, 0);
    cr_expect(r.lines[INST_ATOMIC] > 10 * 31 && r.lines[INST_ATOMIC] <= 10 * 32, "%llu",
              (unsigned long long)r.lines[INST_ATOMIC]);
}

Test(kernels_mix, addvect_is_vecadd_with_two_arrays)
{
    expect_mix("addvect:n=1024",
               (uint64_t[INST_OPS]){[INST_SP] = 32 * 9, [INST_LOAD] = 32 * 2, [INST_STORE] = 32, [INST_EXIT] = 32},
               32 * 2, 32);
    struct error err = {""};
    struct source *s = kernel_open("addvect:n=1024", 1, &err);
    cr_expect_eq(s->allocation_count, 2);
    s->ops->close(s);
}
