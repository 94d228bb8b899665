/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel as a source: the same instructions in any order of reading, and no state outside the source. */
#include <criterion/criterion.h>
#include <pthread.h>

#include "trace/kernel_trials.h"

/* Small, with tails, and every feature: barriers, shared memory, several launches, divergence, atomics. */
static const char *const specs[] = {"vecadd:n=1001",
                                    "transpose:width=45,height=70",
                                    "bfs:n=301",
                                    "spmv:rows=77,columns=50,variant=vector",
                                    "kmeans:n=130,iterations=2",
                                    "hotspot:rows=30,columns=41,pyramid=3,steps=4",
                                    "pathfinder:columns=500,rows=9,pyramid=4",
                                    "histogram:n=3001,blocks=5",
                                    "addvect:n=1001",
                                    "2dconv:rows=37,columns=53",
                                    "3dconv:ni=5,nj=19,nk=37",
                                    "fdtd2d:rows=37,columns=53,steps=2",
                                    "ra:bits=5,threads=300,updates=9"};

Test(simt_streaming, any_order_of_reading_gives_the_same_instructions_and_results)
{
    for (size_t i = 0; i < COUNT(specs); i++) trial_orders(specs[i], 3);
}

static void *read_in_thread(void *hash)
{
    for (size_t i = 0; i < COUNT(specs); i++) *(uint64_t *)hash += kernel_reading(specs[i], 3, RANDOM_BLOCKS, i).hash;
    return NULL;
}

Test(simt_streaming, sources_in_two_threads_do_not_know_of_each_other)
{
    uint64_t alone = 0, hash[2] = {0, 0};
    read_in_thread(&alone);
    pthread_t thread[2];
    for (int t = 0; t < 2; t++) cr_assert_eq(pthread_create(&thread[t], NULL, read_in_thread, &hash[t]), 0);
    for (int t = 0; t < 2; t++) pthread_join(thread[t], NULL);
    cr_assert(hash[0] == alone && hash[1] == alone);
}

Test(simt_streaming, another_seed_gives_other_instructions)
{
    const char *spec = "spmv:rows=100";
    cr_assert_neq(kernel_reading(spec, 0, ROUND_ROBIN, 0).hash, kernel_reading(spec, 1, ROUND_ROBIN, 0).hash);
}

Test(simt_streaming, a_source_may_be_left_in_the_middle)
{
    for (size_t i = 0; i < COUNT(specs); i++) {
        struct error err = {""};
        struct kernel_info info;
        struct inst inst;
        struct source *s = kernel_open(specs[i], 1, &err);
        cr_assert_eq(s->ops->next_kernel(s, &info, &err), SOURCE_OK);
        struct block_stream *b = s->ops->open_block(s, 0, &err);
        for (int n = 0; n < 3; n++) cr_assert_eq(source_next_inst(s, b, 0, &inst, &err), SOURCE_OK);
        cr_assert_not(kernel_verify(s, &err));
        cr_assert(strstr(err.text, "before it was read to its end"), "%s", err.text);
        s->ops->close_block(b);
        s->ops->close(s);
    }
}

Test(simt_streaming, the_next_kernel_waits_for_open_blocks)
{
    struct error err = {""};
    struct kernel_info info;
    struct source *s = kernel_open("vecadd:n=100", 1, &err);
    cr_assert_eq(s->ops->next_kernel(s, &info, &err), SOURCE_OK);
    struct block_stream *b = s->ops->open_block(s, 0, &err);
    cr_assert_eq(s->ops->next_kernel(s, &info, &err), SOURCE_ERROR);
    cr_assert(strstr(err.text, "1 thread blocks are open"), "%s", err.text);
    err.text[0] = '\0';
    cr_assert_null(s->ops->open_block(s, 1, &err));
    s->ops->close_block(b);
    s->ops->close(s);
}

/* Warp 0 stores before the barrier, warp 1 loads the value after it, and the other way round, many times. */
static void ping_pong(struct warp *w)
{
    const struct small *s = simt_args(w);
    vi32 i = vvar(vthread_x());
    si32 cell = vshared_i32("cell", 64);
    for (int round = 0; round < 10; round++) {
        vstore(cell, i, vadd(i, round));
        vsync();
        vi32 other = vload(cell, vxor(i, 32));
        vred_add(s->out, i, other);
        vsync();
    }
}
SMALL_KERNEL(small_ping_pong, ping_pong, 1, 64, 16, 256)

Test(simt_streaming, barriers_order_the_warps_in_every_order_of_reading)
{
    for (int order = ROUND_ROBIN; order < ORDERS; order++) {
        struct error err = {""};
        struct reading r;
        struct source *s = kernel_open_definition(&small_ping_pong, NULL, 1, &err);
        cr_assert(read_source(s, order, 5, &r, &err), "%s", err.text);
        uint64_t bytes;
        const int32_t *out = kernel_memory(s, "out", &bytes);
        for (int i = 0; i < 64; i++) cr_assert_eq(out[i], 10 * (i ^ 32) + 45);
        cr_assert_eq(r.ops[INST_BARRIER], 40);
        s->ops->close(s);
    }
}
