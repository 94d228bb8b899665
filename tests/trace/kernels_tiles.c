/* SPDX-License-Identifier: Apache-2.0 */
/* scalarprod, convsep, lud, fwt, nw, 2mm and covar: right at awkward sizes, made of the instructions that a person
 * would count, with the access patterns of the originals. */
#include <criterion/criterion.h>
#include <math.h>

#include "trace/kernel_trials.h"

static const char *const odd[] = {"scalarprod:vectors=1,elements=1",
                                  "scalarprod:vectors=5,elements=3001,blocks=2,block=96",
                                  "scalarprod:vectors=3,elements=1025,blocks=7,block=1024,sums=global",
                                  "scalarprod:vectors=9,elements=77,blocks=4,block=33,sums=global",
                                  "convsep:width=128,height=64", /* a thread block has both halos */
                                  "convsep:width=384,height=192",
                                  "lud:n=16",
                                  "lud:n=32",
                                  "lud:n=112",
                                  "fwt:log2n=2,log2kernel=0",
                                  "fwt:log2n=5,log2kernel=5",
                                  "fwt:log2n=8", /* radix 4 alone */
                                  "fwt:log2n=11",
                                  "fwt:log2n=12",
                                  "fwt:log2n=15,log2kernel=3",
                                  "nw:n=16",
                                  "nw:n=32,penalty=0",
                                  "nw:n=144,penalty=3",
                                  "2mm:ni=1,nj=1,nk=1,nl=1",
                                  "2mm:ni=37,nj=45,nk=19,nl=5",
                                  "2mm:ni=9,nj=5,nk=40,nl=70",
                                  "covar:m=1,n=1",
                                  "covar:m=70,n=9,block=64",
                                  "covar:m=33,n=40"};

Test(kernels_tiles, every_kernel_is_right_at_awkward_sizes)
{
    trial_right(odd, COUNT(odd));
}

Test(kernels_tiles, a_wrong_result_is_detected)
{
    static const struct corrupted cases[] = {{"scalarprod:vectors=100,elements=5", "c", "c[99]"},
                                             {"convsep:width=128,height=64", "buffer", "buffer[8191]"},
                                             {"convsep:width=128,height=64", "out", "out[8191]"},
                                             {"lud:n=32", "m", "m[1023]"},
                                             {"fwt:log2n=7", "d_Kernel", "d_Kernel[127]"},
                                             {"fwt:log2n=7", "d_Data", "d_Data[127]"},
                                             {"nw:n=16", "matrix_cuda", "matrix_cuda[288]"},
                                             {"2mm:ni=4,nj=5,nk=3,nl=2", "c", "c[19]"},
                                             {"2mm:ni=4,nj=5,nk=3,nl=2", "e", "e[7]"},
                                             {"covar:m=9,n=4", "data", "data[49]"},
                                             {"covar:m=9,n=4", "mean", "mean[9]"},
                                             {"covar:m=9,n=4", "symmat", "symmat[99]"}};
    trial_corrupted(cases, COUNT(cases));
}

Test(kernels_tiles, sizes_that_make_no_sense_are_refused)
{
    static const struct refused cases[] = {
        {"convsep:width=192", "width: found 192, expected a multiple of 128"},
        {"convsep:height=96", "height: found 96, expected a multiple of 64"},
        {"lud:n=40", "n: found 40, expected a multiple of 16"},
        {"nw:n=40", "n: found 40, expected a multiple of 16"},
        {"nw:penalty=-1", "option penalty: found \"-1\", expected a number in 0..1000"},
        {"fwt:log2n=6", "log2kernel: found 7, expected at most log2n, 6"},
        {"fwt:log2n=1", "option log2n: found \"1\", expected a number in 2..26"},
        {"scalarprod:vectors=4096,elements=1048576", "array a: found 4294967296 elements"},
        {"scalarprod:sums=local", "option sums: found \"local\", expected shared|global"}};
    trial_refused(cases, COUNT(cases));
}

/* No address or branch of these depends on data, so that another seed gives the same instructions. */
Test(kernels_tiles, instructions_depend_neither_on_the_order_of_reading_nor_on_the_seed)
{
    static const char *const specs[] = {"scalarprod:vectors=5,elements=1100,blocks=3",
                                        "scalarprod:vectors=5,elements=1100,blocks=3,sums=global",
                                        "convsep:width=256,height=64",
                                        "lud:n=64",
                                        "fwt:log2n=13",
                                        "nw:n=64",
                                        "2mm:ni=33,nj=40,nk=9,nl=7",
                                        "covar:m=50,n=9"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        uint64_t hash = trial_orders(specs[i], 1).hash;
        cr_assert_eq(kernel_reading(specs[i], 2, ROUND_ROBIN, 0).hash, hash, "%s", specs[i]);
    }
}

Test(kernels_tiles, the_seed_makes_the_inputs)
{
    static const struct seeded cases[] = {{"scalarprod:vectors=2,elements=50", "b"},
                                          {"convsep:width=128,height=64", "in"},
                                          {"lud:n=16", "m"},
                                          {"fwt:log2n=7", "d_Kernel"},
                                          {"nw:n=16", "referrence_cuda"},
                                          {"2mm:ni=5,nj=5,nk=5,nl=5", "d"},
                                          {"covar:m=5,n=5", "data"}};
    trial_seeded(cases, COUNT(cases));
}

/* ---- Instruction mixes. ---- */

/* A thread block of 8 warps, two vectors of two elements for each of the 1024 sums.  An addition of the tree: index,
 * two addresses of loads, sum, address of the store, increment.  It is done by 16 warps of 32 sums, 8, 4, 2, and six
 * times by one. */
Test(kernels_tiles, scalarprod_is_two_streams_and_a_tree_of_ten_levels)
{
    const uint64_t sum = 2 + 1 + 1 + 2 * (2 + 2 + 1 + 1) + 2 + 1 + 1; /* tests, sum, index, terms, store, increment */
    const uint64_t products = 2 + 1 + 4 * sum + 2;                    /* first, end; index; last test */
    const uint64_t additions = 16 + 8 + 4 + 2 + 6, levels = 10 * 8 * (1 + 2) + additions * (2 + 6);
    const uint64_t pair = 8 * (2 + products + 2 + 1) + levels + 2; /* test, last one: thread 0?, two addresses; next */
    expect_mix("scalarprod:vectors=2,elements=2048,blocks=1",
               (uint64_t[INST_OPS]){[INST_SP] = 2 * pair + 8 * (1 + 1 + 1 + 2),
                                    [INST_LOAD] = 2 * 8 * 4 * 2 * 2,
                                    [INST_STORE] = 2,
                                    [INST_SHARED_LOAD] = 2 * (2 * additions + 1),
                                    [INST_SHARED_STORE] = 2 * (8 * 4 + additions),
                                    [INST_BARRIER] = 2 * 8 * 10,
                                    [INST_EXIT] = 8},
               2 * 2 * 2048 / 32, 2);
}

/* The sums in global memory are a line each for a warp, and no other sum is. */
Test(kernels_tiles, scalarprod_has_its_tree_in_the_l1d_on_request)
{
    struct reading shared = reading_of("scalarprod:vectors=3,elements=1024,blocks=2");
    struct reading global = reading_of("scalarprod:vectors=3,elements=1024,blocks=2,sums=global");
    cr_assert_eq(global.ops[INST_SHARED_LOAD] + global.ops[INST_SHARED_STORE], 0);
    cr_assert_eq(global.ops[INST_LOAD], shared.ops[INST_LOAD] + shared.ops[INST_SHARED_LOAD]);
    cr_assert_eq(global.lines[INST_STORE], shared.lines[INST_STORE] + shared.ops[INST_SHARED_STORE]);
    cr_assert_gt(shared.ops[INST_SHARED_STORE], 0);
}

/* 256 x 128: rows in 2 x 32 thread blocks of two warps, columns in 16 x 2 of four; half of the halos are outside.  A
 * warp is two rows of 16. */
Test(kernels_tiles, convsep_loads_two_lines_for_17_terms)
{
    const uint64_t start = 2 + 2 + 2, loads = 8 * 4, halos = 2 * 2 + 4 + 2, terms = 8 * (1 + 17 * 3 + 2);
    expect_mix("convsep:width=256,height=128",
               (uint64_t[INST_OPS]){[INST_SP] = 2 * 128 * (start + loads + halos + terms),
                                    [INST_LOAD] = 2 * 128 * 9,
                                    [INST_STORE] = 2 * 128 * 8,
                                    [INST_SHARED_LOAD] = 2 * 128 * 8 * 17,
                                    [INST_SHARED_STORE] = 2 * 128 * 10,
                                    [INST_BARRIER] = 2 * 128,
                                    [INST_EXIT] = 2 * 128},
               2 * 2 * 128 * 9, 2 * 2 * 128 * 8);
}

/* Instructions that eliminate element e of a row or column: its address, its value; for each term index and address,
 * product, difference, address of the store. */
static uint64_t elimination(uint64_t e)
{
    return 2 + 5 * e;
}

/* 32 x 32: two tiles on the diagonal, one to the right, one below, one to update.  Elements 0 to 15 have 120 terms. */
Test(kernels_tiles, lud_stores_after_each_term)
{
    uint64_t row = 0, rest = 0;
    for (uint64_t e = 0; e < 15; e++) row += elimination(e);
    for (uint64_t e = 1; e < 16; e++) rest += elimination(e);
    const uint64_t copy = 4, division = 4;
    const uint64_t diagonal = 2 + 16 * copy + 15 * (2 + division + 2) + row + rest + 15 * copy;
    const uint64_t perimeter =
        2 + 3 * 2 + 2 * 24 * copy + rest + 1 + (row + elimination(15)) + 16 * division + (15 + 16) * copy;
    const uint64_t internal = 2 + 3 + 2 * 3 + 1 + 16 * 5 + 1 + 3;
    /* Terms: 105 of elements 0 to 14, 120 of 1 to 15 (or 0 to 15). */
    const uint64_t loads = (15 + 2 * 105) + (15 + 2 * 120), stores = 105 + 120;
    expect_mix("lud:n=32",
               (uint64_t[INST_OPS]){[INST_SP] = 2 * diagonal + perimeter + 8 * internal,
                                    [INST_SFU] = 2 * 15 + 16,
                                    [INST_LOAD] = 2 * 16 + 2 * 24 + 8 * 3,
                                    [INST_STORE] = 2 * 15 + 15 + 16 + 8,
                                    [INST_SHARED_LOAD] = 2 * (loads + 2 * 15 + 15) + (15 + 2 * 120) + (16 + 2 * 120) +
                                                         2 * 16 + 31 + 8 * 32,
                                    [INST_SHARED_STORE] = 2 * (16 + stores + 15) + 48 + 2 * 120 + 16 + 8 * 2,
                                    [INST_BARRIER] = 2 * 31 + 2 + 8,
                                    [INST_EXIT] = 2 + 1 + 8},
               2 * 16 + 2 * 24 + 8 * 3 * 2, 2 * 15 + 15 + 16 + 8 * 2); /* a row is a line */
}

/* 4096 elements: three transforms of one launch over all and one of four parts of 1024, a product. */
Test(kernels_tiles, fwt_is_a_stream_for_each_two_levels)
{
    const uint64_t index = 5, four = 3 + 4 + 8 + 4; /* three indices, addresses, butterfly, addresses */
    const uint64_t level = 2 + index + four + 1, copy = 4 * (2 + 3 + 1) + 2;
    const uint64_t global = 3 + index + 1 + four, shared = 2 + copy + 1 + 5 * level + 2 + 1 + copy;
    expect_mix(
        "fwt:log2n=12",
        (uint64_t[INST_OPS]){[INST_SP] = 3 * 32 * (global + shared) + 1024 * (3 + 1 + 2) + 128 * (2 + 2 + 2 + 1 + 1),
                             [INST_SFU] = 1024,
                             [INST_LOAD] = 3 * 2 * 128 + 2 * 128,
                             [INST_STORE] = 3 * 2 * 128 + 128,
                             [INST_SHARED_LOAD] = 3 * 32 * (5 * 4 + 4),
                             [INST_SHARED_STORE] = 3 * 32 * (4 + 5 * 4),
                             [INST_BARRIER] = 3 * 32 * 6,
                             [INST_EXIT] = 3 * 2 * 32 + 1024},
        3 * 2 * 128 + 2 * 128, 3 * 2 * 128 + 128);
    /* An odd number of levels: one more, two pairs a thread. */
    const uint64_t last = 1 + 2 * (2 + 2 + 2 + 2 + 2 + 1) + 2;
    cr_expect_eq(reading_of("fwt:log2n=11").ops[INST_SP], 3 * 16 * (shared + last) + 1024 * (3 + 1 + 2) + 64 * 8);
    cr_expect_eq(reading_of("fwt:log2n=15").kernels, 3 * 3 + 1);
}

static uint64_t lines_of(uint64_t first, uint64_t count)
{
    return (first + count - 1) / 32 - first / 32 + 1;
}

/* One tile: 16 diagonals that grow, 15 that shrink.  Rows of 17 words are not aligned; the border's column takes nine
 * lines, as a row is 68 bytes. */
Test(kernels_tiles, nw_goes_through_a_tile_by_31_diagonals)
{
    const uint64_t copies = 16 * 4, borders = 2 + 2 * 4, diagonal = 2 + 1 + 1 + (2 + 1 + 1 + 3 + 3 + 2 + 1);
    uint64_t rows = 0;
    for (uint64_t y = 1; y <= 16; y++) rows += lines_of(y * 17 + 1, 16);
    expect_mix("nw:n=16",
               (uint64_t[INST_OPS]){[INST_SP] = 1 + copies + borders + 2 + 31 * diagonal + copies,
                                    [INST_LOAD] = 16 + 3,
                                    [INST_STORE] = 16,
                                    [INST_SHARED_LOAD] = 31 * 4 + 16,
                                    [INST_SHARED_STORE] = 16 + 3 + 31,
                                    [INST_BARRIER] = 3 + 31,
                                    [INST_EXIT] = 1},
               rows + 1 + 9 + 1, rows);
}

/* 8 x 32 = (8 x 17) (17 x 32), then 8 x 64; each launch is thread blocks of 8 warps. */
Test(kernels_tiles, two_products_have_no_store_before_the_first_term)
{
    const uint64_t start = 6 + 4 + 1 + 1 + 1 + 2, term = 2 + 5 + 1 + 1;
    expect_mix("2mm:ni=8,nj=32,nk=17,nl=64",
               (uint64_t[INST_OPS]){[INST_SP] = 8 * (start + 17 * term) + 16 * (start + 32 * term),
                                    [INST_LOAD] = 8 * (1 + 17 * 2) + 16 * (1 + 32 * 2),
                                    [INST_STORE] = 8 * 17 + 16 * 32,
                                    [INST_EXIT] = 8 + 16},
               8 * (1 + 17 * 2) + 16 * (1 + 32 * 2), 8 * 17 + 16 * 32);
}

/* 8 rows of 32 columns, 33 words with the unused one.  The triangle's rows begin 34 words apart, so that its stores
 * scatter, those to the other triangle as well; each of its iterations has one thread less. */
Test(kernels_tiles, covar_stores_to_a_line_a_thread)
{
    const uint64_t n = 8, mean = 3 + 1 + 2 + 1 + 1 + 1 + n * (2 + 3 + 1 + 1) + 2 + 1;
    const uint64_t reduce = 2 * (3 + 1) + 4 + 1 + 4;
    const uint64_t row = 2 + 1 + 1 + 1 + 1 + n * (2 + 5 + 1 + 1) + 2 + 2 + 1, triangle = 3 + 1 + 2 + 1 + 32 * row + 2;
    uint64_t rows = 0, loads = n * 2, scattered = 0;
    for (uint64_t i = 1; i <= n; i++) {
        rows += lines_of(i * 33 + 1, 32);
        for (uint64_t t = 0; t < 32; t++) loads += lines_of(i * 33 + 1, 32 - t) + lines_of(i * 33 + 1 + t, 32 - t);
    }
    for (uint64_t t = 0; t < 32; t++) scattered += (n + 2) * (32 - t);
    expect_mix("covar:m=32,n=8,block=32",
               (uint64_t[INST_OPS]){[INST_SP] = mean + 8 * reduce + triangle,
                                    [INST_SFU] = 1,
                                    [INST_LOAD] = n + 8 * 2 + 32 * 2 * n,
                                    [INST_STORE] = n + 2 + 8 + 32 * (n + 2),
                                    [INST_EXIT] = 1 + 8 + 1},
               loads + 2 * rows, 2 * (n + 2) + rows + scattered);
}

/* ---- Access patterns. ---- */

/* The launches of `spec` up to `launch`, and the instructions of the first warp of its thread block 0. */
static uint32_t read_first_warp(const char *spec, uint32_t launch, struct kernel_info *info, struct inst *to,
                                uint32_t max)
{
    struct error err = {""};
    struct source *s = kernel_open(spec, 1, &err);
    cr_assert(s, "%s", err.text);
    for (uint32_t i = 0; i <= launch; i++) {
        cr_assert_eq(s->ops->next_kernel(s, info, &err), SOURCE_OK, "%s", err.text);
        for (uint32_t b = 0; i < launch && b < kernel_blocks(info); b++) {
            struct block_stream *block = s->ops->open_block(s, b, &err);
            struct inst skipped;
            for (uint32_t w = 0; w < (kernel_threads(info) + WARP_SIZE - 1) / WARP_SIZE; w++) {
                while (source_next_inst(s, block, w, &skipped, &err) == SOURCE_OK) {
                }
            }
            s->ops->close_block(block);
        }
    }
    struct block_stream *block = s->ops->open_block(s, 0, &err);
    uint32_t n = 0;
    while (n < max && source_next_inst(s, block, 0, &to[n], &err) == SOURCE_OK) n++;
    s->ops->close_block(block);
    s->ops->close(s);
    return n;
}

/* The most different words that one of 32 banks has to deliver. */
static uint32_t conflicts(const struct inst *i)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < 32; bank++) {
        uint32_t words = 0;
        for (uint32_t l = 0; l < WARP_SIZE; l++) {
            bool mine = i->mask >> l & 1 && i->addr[l] / 4 % 32 == bank, seen = false;
            for (uint32_t before = 0; before < l; before++) {
                seen |= i->mask >> before & 1 && i->addr[before] == i->addr[l];
            }
            words += mine && !seen;
        }
        most = words > most ? words : most;
    }
    return most;
}

static uint32_t worst(const struct inst *insts, uint32_t n, uint8_t op)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (insts[i].op == op && conflicts(&insts[i]) > most) most = conflicts(&insts[i]);
    }
    return most;
}

static struct inst insts[4096];

/* Threads of a diagonal are 16 words apart: sixteen of them meet in two banks. */
Test(kernels_tiles, nw_meets_in_two_banks)
{
    struct kernel_info info;
    uint32_t n = read_first_warp("nw:n=64", 3, &info, insts, 4096);
    cr_assert_eq(kernel_blocks(&info), 4);
    cr_assert_eq(kernel_threads(&info), 16);
    cr_assert_eq(info.shared_bytes, (17 * 17 + 16 * 16) * 4);
    cr_assert_eq(worst(insts, n, INST_SHARED_LOAD), 8);
    uint32_t lanes[17] = {0}, stores = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (insts[i].op == INST_SHARED_STORE) lanes[__builtin_popcount(insts[i].mask)]++, stores++;
    }
    cr_assert_eq(stores, 16 + 3 + 31);
    for (uint32_t k = 2; k < 16; k++) cr_assert_eq(lanes[k], 2, "diagonals of %u cells: %u", k, lanes[k]);
    cr_assert_eq(lanes[1], 1 + 2); /* the corner of the border */
}

/* Rows of 65 words: 16 of them are 4 KiB. */
Test(kernels_tiles, nw_loads_the_column_to_the_left_of_a_tile_from_16_lines)
{
    struct kernel_info info;
    uint32_t n = read_first_warp("nw:n=64", 0, &info, insts, 4096), loads = 0;
    const struct inst *column = NULL;
    for (uint32_t i = 0; i < n; i++) {
        if (insts[i].op == INST_LOAD && ++loads == 18) column = &insts[i];
    }
    cr_assert(column && column->mask == 0xffff);
    for (uint32_t l = 1; l < 16; l++) cr_assert_eq(column->addr[l] - column->addr[l - 1], 65 * 4);
}

Test(kernels_tiles, nw_has_as_many_thread_blocks_as_tiles_on_the_diagonal)
{
    struct kernel_info info;
    static const uint32_t blocks[] = {1, 2, 3, 2, 1};
    for (uint32_t launch = 0; launch < 5; launch++) {
        read_first_warp("nw:n=48", launch, &info, insts, 1);
        cr_assert_eq(kernel_blocks(&info), blocks[launch]);
        cr_assert_str_eq(info.name, launch < 3 ? "needle_cuda_shared_1" : "needle_cuda_shared_2");
    }
    cr_assert_eq(reading_of("nw:n=48").kernels, 5);
}

/* Nothing that touches memory is done by both halves at once. */
Test(kernels_tiles, lud_diverges_at_the_perimeter)
{
    struct kernel_info info;
    uint32_t n = read_first_warp("lud:n=64", 1, &info, insts, 4096), halves[2] = {0, 0};
    cr_assert_str_eq(info.name, "lud_perimeter");
    cr_assert_eq(kernel_threads(&info), 32);
    cr_assert_eq(kernel_blocks(&info), 3);
    for (uint32_t i = 0; i < n; i++) {
        if (!inst_is_memory(insts[i].op)) continue;
        cr_assert(insts[i].mask == 0xffff || insts[i].mask == 0xffff0000, "mask %x", insts[i].mask);
        halves[insts[i].mask != 0xffff]++;
    }
    cr_assert(halves[0] > 400 && halves[1] > halves[0], "%u, %u", halves[0], halves[1]);
    /* The lower half reads a column of its tile, 16 words apart, and one word of the diagonal's. */
    cr_assert_eq(worst(insts, n, INST_SHARED_LOAD), 8);
}

/* A warp is two rows of 16, 160 words apart along rows: the same banks.  Columns are 81 words apart. */
Test(kernels_tiles, convsep_meets_in_pairs)
{
    struct kernel_info info;
    uint32_t n = read_first_warp("convsep:width=128,height=64", 0, &info, insts, 4096);
    cr_assert_eq(worst(insts, n, INST_SHARED_LOAD), 2);
    n = read_first_warp("convsep:width=128,height=64", 1, &info, insts, 4096);
    cr_assert_eq(kernel_threads(&info), 128);
    cr_assert_eq(info.shared_bytes, 16 * 81 * 4);
    cr_assert_eq(worst(insts, n, INST_SHARED_LOAD), 2);
}

/* ---- Properties of the results. ---- */

static float *executed(const char *spec, const char *array, uint64_t *count, float **before, struct source **source)
{
    struct error err = {""};
    float *data = kernel_array(spec, 3, array, count, source);
    *before = malloc(*count);
    memcpy(*before, data, *count);
    cr_assert(kernel_execute(*source, &err), "%s", err.text);
    *count /= sizeof(float);
    return data;
}

Test(kernels_tiles, the_factors_of_lud_multiply_to_the_matrix)
{
    enum { N = 48 };
    struct source *source;
    uint64_t count;
    float *before;
    const float *m = executed("lud:n=48", "m", &count, &before, &source);
    cr_assert_eq(count, N * N);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = i <= j ? (double)m[i * N + j] : 0;
            for (int k = 0; k < (i <= j ? i : j + 1); k++) sum += (double)m[i * N + k] * (double)m[k * N + j];
            cr_assert(fabs(sum - (double)before[i * N + j]) < 1e-3, "%d, %d: %g, %g", i, j, sum,
                      (double)before[i * N + j]);
        }
    }
    free(before);
    source->ops->close(source);
}

Test(kernels_tiles, walsh_transforms_make_a_dyadic_convolution)
{
    struct source *source;
    uint64_t count, kernel_bytes;
    float *before, kernel[8];
    memcpy(kernel, kernel_array("fwt:log2n=12,log2kernel=3", 3, "d_Kernel", &kernel_bytes, &source), sizeof kernel);
    source->ops->close(source);
    const float *data = executed("fwt:log2n=12,log2kernel=3", "d_Data", &count, &before, &source);
    cr_assert_eq(count, 4096);
    for (uint64_t i = 0; i < count; i++) {
        double sum = 0;
        for (uint64_t j = 0; j < 8; j++) sum += (double)kernel[j] * (double)before[i ^ j];
        cr_assert(fabs(sum - (double)data[i]) < 1e-2, "%llu: %g, %g", (unsigned long long)i, (double)data[i], sum);
    }
    free(before);
    source->ops->close(source);
}

/* With no penalty a gap costs nothing, so that scores never fall along a row or column. */
Test(kernels_tiles, alignments_without_penalty_never_get_worse)
{
    struct source *source;
    struct error err = {""};
    uint64_t bytes;
    const int32_t *m = kernel_array("nw:n=32,penalty=0", 3, "matrix_cuda", &bytes, &source);
    cr_assert(kernel_execute(source, &err), "%s", err.text);
    cr_assert_gt(m[33 * 33 - 1], 0);
    for (int i = 1; i <= 32; i++) {
        for (int j = 1; j <= 32; j++)
            cr_assert(m[i * 33 + j] >= m[i * 33 + j - 1] && m[i * 33 + j] >= m[i * 33 + j - 33]);
    }
    source->ops->close(source);
}

/* The same sums in the same order. */
Test(kernels_tiles, products_do_not_depend_on_where_the_sums_are)
{
    uint64_t count;
    float *before[2], *c[2];
    struct source *source[2];
    c[0] = executed("scalarprod:vectors=20,elements=2000", "c", &count, &before[0], &source[0]);
    c[1] = executed("scalarprod:vectors=20,elements=2000,sums=global", "c", &count, &before[1], &source[1]);
    cr_assert_eq(count, 20);
    cr_assert_arr_eq(c[0], c[1], 20 * sizeof(float));
    cr_assert(c[0][0] > 300 && c[0][0] < 700, "%g", (double)c[0][0]); /* the mean of a product is a quarter */
    for (int i = 0; i < 2; i++) {
        free(before[i]);
        source[i]->ops->close(source[i]);
    }
}
