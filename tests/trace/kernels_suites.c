/* SPDX-License-Identifier: Apache-2.0 */
/* btree, neuralnet, pest, srad_v2, iix and bh: right at awkward sizes, of the originals' shape, and made of the
 * instructions that a person would count. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "trace/kernel_trials.h"

static const char *const odd[] = {"btree:records=1,queries=3,ranges=2,length=0,order=4",
                                  "btree:records=100,queries=99,ranges=50,length=7,order=4", /* a tree of many levels */
                                  "btree:records=1000,queries=20,ranges=20,length=999,order=33",
                                  "btree:records=255,queries=20,ranges=20,length=9", /* a full leaf */
                                  "btree:records=256,queries=20,ranges=20,length=9", /* one that was split */
                                  "neuralnet:images=1",
                                  "neuralnet:images=2",
                                  "pest:sims=1,blocks=1,block=1",
                                  "pest:sims=77,blocks=9,block=32",
                                  "pest:sims=1000,blocks=2,block=256",
                                  "srad_v2:rows=16,columns=16,iterations=2",
                                  "srad_v2:rows=48,columns=16,iterations=3",
                                  "srad_v2:rows=16,columns=80,iterations=1",
                                  "srad_v2:rows=144,columns=160,iterations=2", /* more than the host's corner */
                                  "iix:kib=1",
                                  "iix:kib=40,block=32",
                                  "bh:bodies=1,steps=2,sms=1",
                                  "bh:bodies=33,steps=3,sms=1",
                                  "bh:bodies=600,steps=2,sms=2"};

Test(kernels_suites, every_kernel_is_right_at_awkward_sizes)
{
    trial_right(odd, COUNT(odd));
}

/* The last byte of each array that a kernel writes. */
Test(kernels_suites, a_wrong_result_is_detected)
{
    static const struct {
        const char *spec, *arrays;
    } cases[] = {
        {"btree:records=50,queries=5,ranges=4,length=9,order=8", "RecstartD ReclenD ansD"},
        {"neuralnet:images=1", "Layer2_Neurons_GPU Layer3_Neurons_GPU Layer4_Neurons_GPU Layer5_Neurons_GPU"},
        {"pest:sims=100,blocks=1,block=32", "rngStates results"},
        {"srad_v2:rows=32,columns=16,iterations=1", "J_cuda C_cuda N_C S_C W_C E_C"},
        {"iix:kib=4", "file_buf interKeysSizePerTask interValsSizePerTask interCountPerTask interKeys interVals "
                      "interOffsetSizes"},
        {"bh:bodies=40,steps=2,sms=1", "posx posy posz velx vely velz accx accy accz mass child count start sort"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char arrays[160], *rest = strcpy(arrays, cases[i].arrays);
        for (char *name; (name = strtok_r(rest, " ", &rest));) {
            char place[64];
            snprintf(place, sizeof place, "wrong result: %s[", name);
            trial_corrupted(&(struct corrupted){cases[i].spec, name, place}, 1);
        }
    }
}

Test(kernels_suites, sizes_that_do_not_fit_are_named)
{
    static const struct refused cases[] = {
        {"srad_v2:rows=17", "rows: found 17, expected a multiple of 16"},
        {"srad_v2:columns=40", "columns: found 40, expected a multiple of 16"},
        {"pest:block=48", "block: found 48, expected a power of two"},
        {"btree:records=10", "length: found 3000, expected less than the records, 10"}};
    trial_refused(cases, COUNT(cases));
}

/* ---- Shapes of the originals at their own sizes: the first kernel's grid and the largest arrays. ---- */

struct expected_shape {
    const char *spec, *kernel;
    uint32_t grid[2], block[2], shared;
    const char *array;
    uint64_t bytes;
};

static void expect_shape(const struct expected_shape *e)
{
    struct error err = {""};
    struct kernel_info k;
    struct source *s = kernel_open(e->spec, 1, &err);
    cr_assert(s, "%s", err.text);
    cr_assert_eq(s->ops->next_kernel(s, &k, &err), SOURCE_OK, "%s", err.text);
    cr_expect_str_eq(k.name, e->kernel);
    for (int d = 0; d < 2; d++) {
        cr_expect_eq(k.grid[d], e->grid[d], "%s: grid %u", e->spec, k.grid[d]);
        cr_expect_eq(k.block[d], e->block[d], "%s: block %u", e->spec, k.block[d]);
    }
    cr_expect_eq(k.shared_bytes, e->shared, "%s: shared %u", e->spec, k.shared_bytes);
    uint64_t bytes = 0;
    cr_expect(kernel_memory(s, e->array, &bytes));
    cr_expect_eq(bytes, e->bytes, "%s: %s has %llu bytes", e->spec, e->array, (unsigned long long)bytes);
    s->ops->close(s);
}

/* b+tree: a million keys are 7874 nodes of 2068 bytes. */
Test(kernels_suites, defaults_have_the_shapes_of_the_originals)
{
    static const struct expected_shape shapes[] = {
        {"btree", "findRangeK", {6000, 1}, {256, 1}, 0, "knodesD", 7874 * 2068},
        {"neuralnet", "executeFirstLayer", {6, 28}, {13, 13}, 0, "Layer3_Weights_GPU", 100 * 1251 * 4},
        {"pest", "initRNG", {195, 1}, {256, 1}, 0, "rngStates", 195 * 256 * 48},
        {"iix:kib=64", "MapperCount", {1, 1}, {256, 1}, 0, "file_buf", 65536},
        {"bh", "BoundingBoxKernel", {45, 1}, {512, 1}, 12288, "child", 20000 * 8 * 4},
        {"srad_v2:rows=512,columns=256", "srad_cuda_1", {16, 32}, {16, 16}, 6144, "J_cuda", 512 * 256 * 4}};
    for (size_t i = 0; i < COUNT(shapes); i++) expect_shape(&shapes[i]);
}

/* ---- Instructions. ---- */

/* 40 keys are a root over two leaves; a thread block is one warp.  A level: node and query, then key, next key and
 * index, each with an index and an address; two compares and branches for the keys, one for the child; the step of
 * thread 0. */
Test(kernels_suites, btree_loads_a_node_word_by_word_of_neighbouring_threads)
{
    struct reading r = reading_of("btree:records=40,queries=1,ranges=1,length=5,order=32");
    uint64_t child = 1 + 4 + 4 + 4, level = 2 + 1 + 2; /* thread 0?; increment; test */
    uint64_t start = 1 + 1 + 2, leaf = 1 + 4, key_end = 2 + 1, range_end = 2 + 2 + 2;
    expect_op(&r, INST_SP,
              (start + child + level + leaf + key_end) + (start + 2 * child + level + 2 * leaf + range_end));
    expect_op(&r, INST_LOAD, (5 + 1 + 3 + 2) + (2 * 5 + 2 + 2 * 3 + 3));
    expect_op(&r, INST_STORE, (1 + 1 + 1) + (2 + 2 + 2));
    expect_op(&r, INST_BARRIER, 2 + 3);
    expect_op(&r, INST_EXIT, 2);
}

/* Six warps of 13 x 13 threads, one of 5 x 5, one of a thread.  A term of a convolution: index, address, multiply-add;
 * of a full layer: two indices and addresses, multiply-add, increment, test. */
Test(kernels_suites, neuralnet_has_two_loads_for_each_multiply_add)
{
    struct reading r = reading_of("neuralnet:images=1");
    uint64_t warps[] = {6 * 6, 50, 100, 10}, terms[] = {25, 150, 1250, 100};
    uint64_t around[] = {4 + 4 + 3, 4 + 4 + 3, 1 + 2 + 4, 1 + 2 + 4}; /* activation: four and two of the SFU */
    uint64_t sp = 0, loads = 0, all = 0;
    for (int i = 0; i < 4; i++) {
        sp += warps[i] * (around[i] + terms[i] * (i < 2 ? 3 : 8));
        loads += warps[i] * (1 + 2 * terms[i]);
        all += warps[i];
    }
    expect_op(&r, INST_SP, sp);
    expect_op(&r, INST_SFU, 2 * all);
    expect_op(&r, INST_LOAD, loads);
    expect_op(&r, INST_STORE, all);
}

/* Lines of a generator's word for the lanes whose number has at least `times` as its digit, base 4. */
static uint64_t generator_lines(int digit, int times, int word)
{
    uint64_t lines = 0;
    for (int lane = 0, last = -1; lane < 32; lane++) {
        int line = (48 * lane + 4 * word) / 128;
        if ((lane >> 2 * digit & 3) < times || line == last) continue;
        last = line;
        lines++;
    }
    return lines;
}

/* One warp.  Numbers up to 31 are the digits 3, 3 and 1, so that it multiplies seven times, lanes with a smaller digit
 * less often; generators have 48 bytes, matrices' rows are a line for all lanes. */
Test(kernels_suites, pest_reads_matrices_a_line_a_load)
{
    struct reading r = reading_of("pest:sims=32,blocks=1,block=32");
    uint64_t states = 0;
    for (int word = 1; word <= 5; word++) {
        for (int times = 1; times <= 3; times++)
            states += generator_lines(0, times, word) + generator_lines(1, times, word);
        states += generator_lines(2, 1, word);
    }
    expect_op(&r, INST_STORE, 6 + 7 * 5 + 1);
    cr_expect_eq(r.lines[INST_STORE], 6 * 12 + states + 1);
    expect_op(&r, INST_SHARED_STORE, 1 + 5);
    expect_op(&r, INST_SHARED_LOAD, 2 * 5 + 1);
    expect_op(&r, INST_BARRIER, 6);
    uint64_t rows = r.ops[INST_LOAD] - 7 * 5 - 6;
    cr_expect(rows % 5 == 0 && rows > 7 * 160 * 5 / 2 && rows <= 7 * 160 * 5, "%llu", (unsigned long long)rows);
    cr_expect_eq(r.lines[INST_LOAD], rows + states + 6 * 12);
}

/* One tile, eight warps of two rows.  The first kernel's warps take six, three and six of nine branches with four loads
 * each, the second one's two or four of four with two. */
Test(kernels_suites, srad_v2_stages_a_tile_and_branches_at_its_edge)
{
    struct reading r = reading_of("srad_v2:rows=16,columns=16,iterations=1");
    expect_op(&r, INST_LOAD, 8 * (5 + 8));
    expect_op(&r, INST_STORE, 8 * (5 + 1));
    expect_op(&r, INST_SHARED_LOAD, 8 * 2 + 4 * (2 * 6 + 6 * 3) + 8 * 3 + 2 * (7 * 2 + 4));
    expect_op(&r, INST_BARRIER, 8 * (4 + 5));
    cr_expect_eq(r.kernels, 2);
}

/* One piece, one thread: it loads record, place and size, then each byte, and a link's bytes again to the quote. */
Test(kernels_suites, iix_loads_a_byte_at_a_time)
{
    struct reading r = reading_of("iix:kib=1");
    cr_expect_eq(r.kernels, 2);
    cr_expect_eq(r.lines[INST_LOAD], r.ops[INST_LOAD]);
    cr_expect(r.ops[INST_LOAD] > 2 * (3 + 1000) && r.ops[INST_LOAD] < 2 * 1200, "%llu",
              (unsigned long long)r.ops[INST_LOAD]);
    struct reading many = reading_of("iix:kib=64,block=32");
    cr_expect(many.lines[INST_LOAD] > 3 * many.ops[INST_LOAD], "lanes share no line");
}

/* One body, one cell.  Bounding box: three thread blocks of sixteen warps; six arrays joined; a cell with eight
 * children; five thread blocks that read the radius; the body's attraction by itself. */
Test(kernels_suites, bh_visits_eight_children_of_the_root)
{
    struct reading r = reading_of("bh:bodies=1,steps=1,sms=1");
    uint64_t box = 3 * 16 * 3 + 3, join = 6 + 2 * 6, sum = 8 + 4, sort = 1 + 8, force = 5 + 1 + 3 + 8 + 4, move = 9;
    expect_op(&r, INST_LOAD, box + join + sum + sort + force + move);
    expect_op(&r, INST_STORE, 3 * 6 + (3 + 3 + 8) + (1 + 3 + 1) + 1 + 3 + 6);
    cr_expect_eq(r.kernels, 6);
    cr_expect_eq(reading_of("bh:bodies=1,steps=3,sms=1").kernels, 18);
    cr_expect_eq(reading_of("bh:bodies=1,steps=2,sms=1").ops[INST_LOAD], 2 * r.ops[INST_LOAD] + 6); /* the velocity */
}
