/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of UVMBench, and those that Gu20, tables 2.3 and 3.1, names beside them: right at awkward sizes, a wrong
 * result is detected, instructions do not depend on the order of reading. */
#include <criterion/criterion.h>

#include "trace/kernel_trials.h"

static const char *const odd[] = {"asyncapi:n=1003,block=96",
                                  "bfs_queue:n=1003",
                                  "bfs_queue:n=1003,variant=simple",
                                  "bfs_queue:n=1003,variant=queue",
                                  "bfs_queue:n=1",
                                  "binomial:options=3,steps=320",
                                  "bn:nodes=2,rows=1,orders=1",
                                  "bn:nodes=9,rows=11,orders=3",
                                  "cfd:n=1",
                                  "cfd:n=203,iterations=2,block=64",
                                  "cnn:images=2",
                                  "convtexture:width=37,height=5",
                                  "corr:m=37,n=19",
                                  "corr:m=1,n=1",
                                  "dwt2d:width=77,height=45,levels=3",
                                  "dwt2d:width=1,height=1,levels=2",
                                  "dwt2d:width=500,height=131,levels=1",
                                  "gramschm:rows=37,columns=19",
                                  "hotspot3d:rows=5,columns=70,layers=3,iterations=3",
                                  "hotspot3d:rows=1,columns=1,layers=1,iterations=2",
                                  "kmeans_2d:n=101,clusters=5,iterations=4",
                                  "knn:references=77,queries=45,dim=19,k=77",
                                  "knn:references=1,queries=1,dim=1,k=1",
                                  "lr:instances=333,features=7,iterations=2",
                                  "merge_sort:n=8192",
                                  "mriq:samples=1100,voxels=33",
                                  "mriq:samples=1100,voxels=33,constants=1",
                                  "quasirandom:n=1003",
                                  "ra_lookup:n=1003,every=7,block=96",
                                  "radix_sort:n=5120,bits=12",
                                  "reduction:n=10003,block=64,blocks=3",
                                  "reduction:n=1",
                                  "scan:arrays=3,length=4096",
                                  "sgemm:m=128,n=48,k=24",
                                  "sobol:vectors=1003,dimensions=5",
                                  "sorting_net:arrays=3,length=64",
                                  "sorting_net:arrays=3,length=4096",
                                  "stencil:nx=70,ny=9,nz=5,iterations=3",
                                  "stencil:nx=3,ny=3,nz=3",
                                  "svm:images=37,features=21,passes=3",
                                  "svm:images=1,features=1",
                                  "tpacf:points=300,sets=2",
                                  "tpacf:points=1,sets=1",
                                  "cutcp:atoms=100,x=2,y=1,z=2",
                                  "cutcp:atoms=1,x=1,y=1,z=1",
                                  "histo:n=1",
                                  "histo:n=7777,bins=9999,parts=3",
                                  "histo:n=9999,bins=64,parts=1",
                                  "sad:columns=2,rows=1",
                                  "hybridsort:n=1",
                                  "hybridsort:n=7777",
                                  "heartwall:points=1,template=1,search=1,move=1,frames=3,rows=27,columns=23",
                                  "heartwall:points=3,rows=101,columns=93,template=2,search=4,move=5,frames=12"};

#define HEARTWALL "heartwall:points=2,rows=60,columns=60,template=2,search=4"

Test(kernels_programs, every_kernel_is_right_at_awkward_sizes)
{
    trial_right(odd, COUNT(odd));
}

Test(kernels_programs, a_wrong_result_is_detected)
{
    static const struct corrupted cases[] = {{"asyncapi:n=100", "d_a", "d_a[99]"},
                                             {"bfs_queue:n=100", "d_distance", "d_distance[99]"},
                                             {"bfs_queue:n=100", "d_parent", "d_parent[99]"},
                                             {"binomial:options=2,steps=64", "d_CallValue", "d_CallValue[1]"},
                                             {"bn:nodes=4,rows=5,orders=1", "D_localscore", "D_localscore["},
                                             {"bn:nodes=4,rows=5,orders=1", "D_Score", "D_Score[3]"},
                                             {"bn:nodes=4,rows=5,orders=1", "D_resP", "D_resP[15]"},
                                             {"cfd:n=50", "variables", "variables[249]"},
                                             {"cfd:n=50", "fluxes", "fluxes[249]"},
                                             {"cnn:images=1", "c1_weight", "c1_weight[149]"},
                                             {"cnn:images=1", "f_bias", "f_bias[9]"},
                                             {"convtexture:width=10,height=10", "d_Output", "d_Output[99]"},
                                             {"corr:m=9,n=9", "symmat", "symmat[99]"},
                                             {"corr:m=9,n=9", "stddev", "stddev[9]"},
                                             {"dwt2d:width=10,height=10", "b_out", "b_out[99]"},
                                             {"gramschm:rows=10,columns=10", "q", "q[99]"},
                                             {"gramschm:rows=10,columns=10", "r", "r[99]"},
                                             {"hotspot3d:rows=5,columns=5,layers=4", "tIn_cuda", "tIn_cuda[99]"},
                                             {"kmeans_2d:n=100", "group", "group[99]"},
                                             {"knn:references=20,queries=5,dim=3,k=4", "ind", "ind[19]"},
                                             {"knn:references=20,queries=5,dim=3,k=4", "dist", "dist[99]"},
                                             {"lr:instances=50,features=10", "weights", "weights[9]"},
                                             {"merge_sort:n=2048", "d_DstKey", "d_DstKey[2047]"},
                                             {"merge_sort:n=2048", "d_DstVal", "d_DstKey[2047]"},
                                             {"mriq:samples=10,voxels=100", "Qi_d", "Qi_d[99]"},
                                             {"quasirandom:n=100", "d_Normal", "d_Normal[299]"},
                                             {"quasirandom:n=100", "d_Output", "d_Output[299]"},
                                             {"ra_lookup:n=100", "out", "out[99]"},
                                             {"radix_sort:n=1024", "keys", "keys[1023]"},
                                             {"reduction:n=100,blocks=1", "d_odata", "d_odata[0]"},
                                             {"scan:arrays=1,length=1024", "d_Output", "d_Output[1023]"},
                                             {"sgemm:m=128,n=16,k=8", "dC", "dC[2047]"},
                                             {"sobol:vectors=100,dimensions=3", "d_output", "d_output[299]"},
                                             {"sorting_net:length=64", "d_OutputKey", "d_OutputVal[63]"},
                                             {"sorting_net:length=64", "d_OutputVal", "d_OutputVal[63]"},
                                             {"stencil:nx=5,ny=5,nz=4", "d_Anext", "d_Anext[99]"},
                                             {"svm:images=10,features=9", "K", "K[99]"},
                                             {"svm:images=10,features=9", "alpha", "alpha[9]"},
                                             {"tpacf:points=20,sets=1", "d_hists", "d_hists[59]"},
                                             {"cutcp:atoms=10,x=1,y=1,z=1", "regionZeroAddr", "regionZeroAddr[511]"},
                                             {"histo:n=100,bins=100", "final_histo", "final_histo[99]"},
                                             {"sad:columns=1,rows=1", "blk_sad", "blk_sad[17423]"},
                                             {"sad:columns=1,rows=1", "blk_sad_16", "blk_sad_16[1088]"},
                                             {HEARTWALL, "d_tRowLoc", "d_tRowLoc[3]"},
                                             {HEARTWALL, "d_tColLoc", "d_tColLoc[3]"},
                                             {HEARTWALL, "d_T", "d_T[49]"}};
    trial_corrupted(cases, COUNT(cases));
    /* 4096 floats more than elements, for buckets whose records are not full */
    trial_corrupted_byte(&(struct corrupted){"hybridsort:n=100", "d_input", "d_input[99]"}, 4 * 4096);
}

Test(kernels_programs, sizes_that_do_not_fit_are_named)
{
    static const struct refused cases[] = {
        {"binomial:steps=100", "steps: found 100, expected a multiple of 32"},
        {"gramschm:rows=9,columns=10", "rows: found 9, expected at least as many as columns, 10"},
        {"knn:references=9,k=10", "k: found 10, expected at most the number of references, 9"},
        {"merge_sort:n=3000", "n: found 3000, expected a power of two"},
        {"radix_sort:n=1025", "n: found 1025, expected a multiple of 1024"},
        {"radix_sort:bits=9", "bits: found 9, expected a multiple of 4"},
        {"reduction:block=96", "block: found 96, expected a power of two"},
        {"scan:length=3000", "length: found 3000, expected a power of two"},
        {"sgemm:m=130", "m: found 130, expected a multiple of 128"},
        {"sobol:blocks=3", "blocks: found 3, expected a power of two"},
        {"sorting_net:length=100", "length: found 100, expected a power of two"},
        {"heartwall:search=9", "search: found 9, expected at least template, 10"},
        {"heartwall:rows=56", "rows: found 56, expected at least 57"}};
    trial_refused(cases, COUNT(cases));
}

/* Of bfs_queue, variant=queue takes nodes in whatever order the thread blocks find them. */
Test(kernels_programs, instructions_do_not_depend_on_the_order_of_reading)
{
    static const char *const specs[] = {"asyncapi:n=5000",
                                        "bfs_queue:n=3000",
                                        "bfs_queue:n=3000,variant=simple",
                                        "binomial:options=2,steps=64",
                                        "bn:nodes=6,rows=5",
                                        "cfd:n=500",
                                        "cnn:images=1",
                                        "corr:m=20,n=9",
                                        "dwt2d:width=100,height=40,levels=2",
                                        "gramschm:rows=20,columns=10",
                                        "hotspot3d:rows=9,columns=70,layers=2,iterations=2",
                                        "kmeans_2d:n=50,iterations=2",
                                        "knn:references=40,queries=40,dim=9,k=5",
                                        "lr:instances=200,features=5",
                                        "merge_sort:n=4096",
                                        "radix_sort:n=2048,bits=8",
                                        "reduction:n=9999",
                                        "scan:arrays=2,length=2048",
                                        "sgemm:m=128,n=32,k=8",
                                        "sorting_net:length=4096",
                                        "stencil:nx=70,ny=9,nz=4",
                                        "svm:images=20,features=9",
                                        "tpacf:points=100,sets=2",
                                        "cutcp:atoms=20,x=1,y=1,z=1",
                                        "histo:n=3000,bins=900,parts=2",
                                        "hybridsort:n=3000",
                                        HEARTWALL,
                                        "sad:columns=1,rows=1"};
    for (size_t i = 0; i < COUNT(specs); i++) trial_orders(specs[i], 1);
}

/* 1024 elements, 32 warps: index, test, branch, two addresses, the sum. */
Test(kernels_programs, asyncapi_is_a_stream_in_place)
{
    expect_mix(
        "asyncapi:n=1024",
        (uint64_t[INST_OPS]){[INST_SP] = 32 * (3 + 2 + 2 + 1), [INST_LOAD] = 32, [INST_STORE] = 32, [INST_EXIT] = 32},
        32, 32);
}

/* One warp, 20 samples of 16 bytes, which all lanes read. */
Test(kernels_programs, mriq_loads_each_sample_from_constant_memory)
{
    const struct reading plain = reading_of("mriq:samples=20,voxels=32");
    const struct reading r = reading_of("mriq:samples=20,voxels=32,constants=1");
    cr_expect_eq(plain.ops[INST_CONST_LOAD], 0);
    cr_expect_eq(r.ops[INST_CONST_LOAD], 20);
    cr_expect_eq(r.ops[INST_LOAD], plain.ops[INST_LOAD]);
    cr_expect_eq(r.ops[INST_SFU], plain.ops[INST_SFU]);
}

/* A norm, a division, a subtraction. */
Test(kernels_programs, gramschm_has_three_launches_a_column)
{
    const struct reading r = reading_of("gramschm:rows=64,columns=32,block=32");
    cr_expect_eq(r.kernels, 3 * 32);
}

/* 3200 threads: the 32 that divide by 100 are in 32 warps. */
Test(kernels_programs, ra_lookup_has_one_lookup_for_each_hundred_threads)
{
    const struct reading r = reading_of("ra_lookup:n=3200");
    cr_expect_eq(r.ops[INST_STORE], 32); /* each of another warp */
    cr_expect_eq(r.lines[INST_STORE], 32);
    cr_expect_eq(r.ops[INST_LOAD], 2 * 32);
}

/* Rows of 16 words of B for each eight terms; A once a term; C loaded and stored. */
Test(kernels_programs, sgemm_loads_a_line_of_a_for_each_term)
{
    const struct reading r = reading_of("sgemm:m=128,n=16,k=32");
    cr_expect_eq(r.ops[INST_LOAD], 4 * (32 / 8 + 32 + 16));
    cr_expect_eq(r.ops[INST_STORE], 4 * 16);
    cr_expect_eq(r.ops[INST_SHARED_LOAD], 4 * 32 * 16);
    cr_expect_eq(r.ops[INST_BARRIER], 4 * 2 * 32 / 8);
}

/* Six launches for 4096 elements: a sort of 1024, then for 2048 and 4096 the long steps and a short one. */
Test(kernels_programs, sorting_net_has_a_launch_for_each_long_step)
{
    cr_expect_eq(reading_of("sorting_net:length=4096").kernels, 1 + (1 + 1) + (2 + 1));
    cr_expect_eq(reading_of("merge_sort:n=4096").kernels, 1 + 2 * 4);
    cr_expect_eq(reading_of("radix_sort:n=1024,bits=8").kernels, 2 * 4);
    cr_expect_eq(reading_of("cnn:images=1").kernels, 23);
}
