/* SPDX-License-Identifier: Apache-2.0 */
/* backprop, srad, streamcluster and particlefilter: right at awkward sizes, the same for the same seed, and made of the
 * instructions that a person would count. */
#include <criterion/criterion.h>
#include <math.h>
#include <stddef.h>

#include "trace/kernel_trials.h"

static const char *const odd[] = {"backprop:inputs=16",
                                  "backprop:inputs=1040,epochs=3",
                                  "srad:rows=2,columns=2,iterations=2",
                                  "srad:rows=31,columns=17,iterations=3", /* one incomplete thread block */
                                  "srad:rows=32,columns=48",              /* complete ones only */
                                  "srad:rows=27,columns=19",              /* one element in the last one */
                                  "srad:rows=700,columns=750",            /* a reduction of three levels */
                                  "streamcluster:n=3,dim=1,kmin=2,kmax=2",
                                  "streamcluster:n=100,dim=3,kmin=2,kmax=9",
                                  "streamcluster:n=515,dim=7,kmin=5,kmax=5",
                                  "particlefilter:particles=1,frames=3",
                                  "particlefilter:particles=33,x=16,y=16,frames=40", /* the disc leaves the frame */
                                  "particlefilter:particles=513,x=40,y=64,frames=4"};

Test(kernels_rodinia, every_kernel_is_right_at_awkward_sizes)
{
    trial_right(odd, COUNT(odd));
}

Test(kernels_rodinia, a_wrong_result_is_detected)
{
    static const struct corrupted cases[] = {
        {"backprop:inputs=32", "input_hidden_cuda", "input_hidden_cuda[560]"},
        {"backprop:inputs=32", "input_prev_weights_cuda", "input_prev_weights_cuda[560]"},
        {"backprop:inputs=32", "hidden_partial_sum", "hidden_partial_sum[31]"},
        {"srad:rows=10,columns=10", "d_I", "d_I[99]"},
        {"srad:rows=10,columns=10", "d_c", "d_c[99]"},
        {"streamcluster:n=50,dim=2", "work_mem", "work_mem["},
        {"streamcluster:n=50,dim=2", "center_table", "center_table[49]"},
        {"particlefilter:particles=50,frames=2", "weights", "weights[49]"},
        {"particlefilter:particles=50,frames=2", "seed", "seed[49]"},
        {"particlefilter:particles=50,frames=2", "yj", "yj[49]"}};
    trial_corrupted(cases, COUNT(cases));
    static const struct corrupted point = {"streamcluster:n=50,dim=2", "points", "points[49] belongs to"};
    trial_corrupted_byte(&point, 4);  /* its cost */
    trial_corrupted_byte(&point, 12); /* its centre */
}

/* Of a few sizes; of backprop and srad other seeds give other data, whose addresses are the same (but for the clamped
 * coefficients of srad), so that only the other two can tell a seed by the instructions. */
Test(kernels_rodinia, instructions_depend_on_the_seed_alone_not_on_the_order_of_reading)
{
    static const char *const specs[] = {"backprop:inputs=64,epochs=2", "srad:rows=45,columns=31",
                                        "streamcluster:n=100,dim=3", "particlefilter:particles=600,frames=3"};
    for (int i = 0; i < 4; i++) {
        uint64_t hash = trial_orders(specs[i], 1).hash;
        if (i >= 2) cr_assert_neq(kernel_reading(specs[i], 2, ROUND_ROBIN, 0).hash, hash, "%s", specs[i]);
    }
}

Test(kernels_rodinia, the_seed_makes_the_inputs)
{
    static const struct seeded cases[] = {{"backprop:inputs=64", "input_cuda"},
                                          {"srad:rows=45,columns=31", "d_I"},
                                          {"streamcluster:n=100,dim=3", "coord"},
                                          {"particlefilter:particles=600,frames=3", "I"}};
    trial_seeded(cases, COUNT(cases));
}

/* ---- Instruction mixes. ---- */

/* One thread block of 8 warps with two inputs each.  Forward, per warp: places 6; input 5, weight 2, product 4; four
 * levels of exp2, F2I, remainder (21 and a reciprocal), SETP, BRA; 15 times in all, 8 + 4 + 2 + 1, an addition of 5;
 * weights back 2, partial sums 5.  Adjust: places 7, two changes of 6, weights 3, momentum 1, BRA and its SETP; 12 for
 * the threshold unit in one warp. */
Test(kernels_rodinia, backprop_is_a_tree_of_four_levels_with_a_remainder_each)
{
    struct reading r = reading_of("backprop:inputs=16");
    expect_op(&r, INST_SP, 8 * (6 + 5 + 2 + 4 + 4 * (1 + 21 + 2) + 2 + 5) + 15 * 5 + 8 * (7 + 2 * 6 + 3 + 1 + 2) + 12);
    expect_op(&r, INST_SFU, 8 * 4 * 2);
    expect_op(&r, INST_LOAD, 8 * 2 + 8 * (4 + 3) + 5);
    expect_op(&r, INST_STORE, 8 * 2 + 8 * 2 + 2);
    expect_op(&r, INST_SHARED_LOAD, 8 * (2 + 1 + 1) + 15 * 2);
    expect_op(&r, INST_SHARED_STORE, 8 * 3 + 15);
    expect_op(&r, INST_BARRIER, 8 * (3 + 4 + 1 + 1));
}

/* Four pixels: 16 warps, all of which find their places, but one of which has pixels.  Reduction of four elements: two
 * levels with a remainder in each warp. */
Test(kernels_rodinia, srad_divides_to_find_its_place_and_five_times_for_a_pixel)
{
    struct reading r = reading_of("srad:rows=2,columns=2");
    cr_assert_eq(r.kernels, 6);
    expect_op(&r, INST_SFU, 2 /* extract */ + 2 * 16 + (16 + 5) /* srad */ + 16 /* srad2 */ + 1 /* compress */);
    expect_op(&r, INST_LOAD, 1 + 2 + 2 + (1 + 4 * 2) + (1 + 2 * 2 + 4 + 1) + 1);
    expect_op(&r, INST_STORE, 1 + 2 + 2 + 5 + 1 + 1);
    expect_op(&r, INST_SHARED_LOAD, 2 * 2 * 2 + 2);
    expect_op(&r, INST_SHARED_STORE, 2 + 2 * 2);
    expect_op(&r, INST_BARRIER, 16 * (1 + 2));
}

/* 512 elements a thread block: 1025 of them take 3 launches' worth of thread blocks, 3 and 1. */
Test(kernels_rodinia, srad_reduces_until_one_thread_block_is_left)
{
    cr_assert_eq(reading_of("srad:rows=16,columns=32").kernels, 5 + 1);
    cr_assert_eq(reading_of("srad:rows=25,columns=41").kernels, 5 + 2);
    struct reading r = reading_of("srad:rows=700,columns=375,iterations=2"); /* 513 thread blocks */
    cr_assert_eq(r.kernels, 2 + 2 * (3 + 3));
}

/* 3 k log k candidates a round, k = 4: 16. */
Test(kernels_rodinia, streamcluster_launches_once_for_each_candidate)
{
    struct reading r = reading_of("streamcluster:n=100,dim=3,kmin=3,kmax=4");
    cr_assert(r.kernels >= 16 && r.kernels % 16 == 0, "found %llu", (unsigned long long)r.kernels);
    cr_assert_eq(r.warps, 16 * r.kernels);
}

/* The first warp of the first launch, with two coordinates: own and candidate's coordinates, then weight and cost of
 * 32-byte records.  Some go to the candidate: 1 byte and the last column of their row in work_mem; the others look up
 * their centre's column. */
Test(kernels_rodinia, streamcluster_strides_over_records_and_rows)
{
    struct error err = {""};
    struct kernel_info info;
    struct source *s = kernel_open("streamcluster:n=512,dim=2", 1, &err);
    cr_assert_eq(s->ops->next_kernel(s, &info, &err), SOURCE_OK);
    struct block_stream *b = s->ops->open_block(s, 0, &err);
    struct inst memory[16], i;
    uint32_t n = 0;
    for (; n < 16 && source_next_inst(s, b, 0, &i, &err) == SOURCE_OK;) {
        if (inst_is_global(i.op)) memory[n++] = i;
    }
    cr_assert_eq(n, 2 * 2 + 2 + (1 + 2) + (3 + 1), "found %u", n);
    uint64_t coord = s->allocations[1].addr, points = s->allocations[0].addr;
    for (uint64_t l = 0; l < WARP_SIZE; l++) {
        cr_assert_eq(memory[0].addr[l], coord + 4 * l);
        cr_assert_eq(memory[1].addr[l], memory[1].addr[0]);
        cr_assert_eq(memory[2].addr[l], coord + 4 * (512 + l));
        cr_assert_eq(memory[4].addr[l], points + 32 * l);
        cr_assert_eq(memory[5].addr[l], points + 32 * l + 24);
    }
    const struct inst *switched = &memory[6], *assign = &memory[9];
    cr_assert(switched->op == INST_STORE && switched->size == 1);
    cr_assert(assign->op == INST_LOAD && assign->size == 8);
    cr_assert_eq(switched->mask ^ assign->mask, UINT32_MAX);
    for (uint64_t l = 0; l < WARP_SIZE; l++) {
        if (assign->mask >> l & 1) cr_assert_eq(assign->addr[l], points + 32 * l + 16);
    }
    s->ops->close_block(b);
    s->ops->close(s);
}

/* One particle, one frame, 16 warps of which one has it; 69 pixels lie within 5 of a disc's middle.  SFU: 1/n, and for
 * two normal numbers log, sqrt, cos each; mean and exp; normalisation, 1/n, i/n.  The tree: 8 + 4 + 2 + 1 warps and
 * five times one. */
Test(kernels_rodinia, particlefilter_is_made_of_what_a_frame_takes)
{
    struct reading r = reading_of("particlefilter:particles=1,frames=2");
    cr_assert_eq(r.kernels, 6);
    expect_op(&r, INST_SFU, 1 + 2 * 3 + 2 + 1 + 1 + 1);
    expect_op(&r, INST_LOAD, 4 + 4 + (2 + 2 * 69) + (2 * 69 + 1) + 1 + 1 + 2 + 2 + 1 + 4);
    expect_op(&r, INST_STORE, 5 + 4 + 69 + 2 + 1 + 1 + 1 + 3 + 1 + 2);
    expect_op(&r, INST_SHARED_LOAD, 2 * 20 + 1 + 2 * 16);
    expect_op(&r, INST_SHARED_STORE, 16 + 1 + 20 + 2);
    expect_op(&r, INST_BARRIER, 16 * (3 + 9 + 1 + 1 + 1 + 1));
}

/* 32 particles, whose 69 indices each take 276 bytes: 32 lines a store.  All else is 32 neighbours, or one thread (the
 * 32 sums). */
Test(kernels_rodinia, particlefilter_stores_indices_to_32_lines)
{
    struct reading r = reading_of("particlefilter:particles=32,frames=2");
    cr_assert_eq(r.lines[INST_STORE], 5 + 4 + 69 * 32 + 2 + 1 + 1 + 1 + 32 + 2 + 1 + 2);
}

/* Dai17, table 6: 56.2 % of the registers, 13.3 % of the shared memory and all threads of an SM with 65536, 96 KiB
 * and 3072, which hold 12 thread blocks of 256. */
Test(kernels_rodinia, backprop_fills_an_sm_as_the_paper_says)
{
    struct error err = {""};
    struct kernel_info info;
    struct source *s = kernel_open("backprop:inputs=64", 1, &err);
    cr_assert_eq(s->ops->next_kernel(s, &info, &err), SOURCE_OK);
    uint32_t blocks = 3072 / kernel_threads(&info);
    cr_assert_eq(blocks * kernel_threads(&info), 3072);
    cr_assert_eq(1000 * info.regs_per_thread * 3072 / 65536, 562);
    cr_assert_eq(1000 * info.shared_bytes * blocks / 98304, 132); /* 13.28 */
    s->ops->close(s);
}

/* ---- Properties of the results. ---- */

static const float *result_of(const char *spec, uint64_t seed, const char *array, uint64_t *count, struct source **s)
{
    struct error err = {""};
    const float *data = kernel_array(spec, seed, array, count, s);
    cr_assert(kernel_execute(*s, &err), "%s", err.text);
    *count /= sizeof(float);
    return data;
}

Test(kernels_rodinia, particles_follow_the_disc)
{
    for (uint64_t seed = 0; seed < 5; seed++) {
        struct source *source;
        uint64_t n;
        const float *x = result_of("particlefilter", seed, "arrayX", &n, &source);
        const float *y = kernel_memory(source, "arrayY", &n), *weight = kernel_memory(source, "weights", &n);
        float mx = 0, my = 0;
        for (int i = 0; i < 1000; i++) mx += x[i] * weight[i], my += y[i] * weight[i];
        cr_assert(fabsf(mx - (64 + 8)) < 3 && fabsf(my - (64 - 16)) < 3, "seed %llu: (%g, %g)",
                  (unsigned long long)seed, (double)mx, (double)my);
        source->ops->close(source);
    }
}

/* The next number of the generator, in plain C. */
static int32_t next_seed(int32_t seed)
{
    return (int32_t)((uint32_t)seed * 1103515245u + 12345u) % INT32_MAX;
}

/* The seed before: the multiplier is odd, hence has an inverse modulo 2^32. */
static int32_t seed_before(int32_t product)
{
    uint32_t inverse = 1;
    for (int i = 0; i < 5; i++) inverse *= 2 - 1103515245u * inverse;
    return (int32_t)(((uint32_t)product - 12345u) * inverse);
}

/* The remainder by 2^31 - 1 is hardly ever anything but the product itself; here it is.  0 is a random number, too: it
 * moves a particle to infinity. */
Test(kernels_rodinia, random_numbers_are_those_of_the_generator_at_its_corners)
{
    static const int32_t products[] = {0, 1, -1, INT32_MAX, -INT32_MAX, INT32_MIN, INT32_MAX - 1, 1 - INT32_MAX};
    const int n = sizeof products / sizeof products[0];
    struct source *source;
    struct error err = {""};
    uint64_t bytes;
    int32_t want[sizeof products / sizeof products[0]];
    int32_t *seed = kernel_array("particlefilter:particles=8,frames=2", 1, "seed", &bytes, &source);
    for (int i = 0; i < n; i++) {
        want[i] = seed[i] = seed_before(products[i]);
        cr_assert_eq(next_seed(seed[i]), products[i] % INT32_MAX);
        for (int draw = 0; draw < (i ? 4 : 5); draw++) want[i] = next_seed(want[i]); /* the first one's for u, too */
    }
    cr_assert(kernel_execute(source, &err), "%s", err.text);
    cr_assert_arr_eq(seed, want, sizeof want);
    source->ops->close(source);
}

static double roughness(const float *image, uint64_t n)
{
    double sum = 0;
    for (uint64_t i = 1; i < n; i++) sum += fabs((double)image[i] - (double)image[i - 1]);
    return sum;
}

Test(kernels_rodinia, diffusion_removes_speckle)
{
    struct source *source;
    uint64_t n;
    struct error err = {""};
    const float *image = kernel_array("srad:rows=64,columns=64,iterations=10", 1, "d_I", &n, &source);
    double before = roughness(image, n / 4);
    cr_assert(kernel_execute(source, &err), "%s", err.text);
    double after = roughness(image, n / 4);
    cr_assert(after < 0.5 * before, "%g, then %g", before, after);
    source->ops->close(source);
}

Test(kernels_rodinia, training_makes_the_errors_smaller)
{
    double size[2] = {0, 0};
    static const char *const specs[] = {"backprop:inputs=16", "backprop:inputs=16,epochs=300"};
    for (int i = 0; i < 2; i++) {
        struct source *source;
        uint64_t n;
        const float *delta = result_of(specs[i], 1, "hidden_delta_cuda", &n, &source);
        for (uint64_t j = 0; j < n; j++) size[i] += fabs((double)delta[j]);
        source->ops->close(source);
    }
    cr_assert(size[1] < 0.5 * size[0], "%g, then %g", size[0], size[1]);
}

Test(kernels_rodinia, sizes_that_make_no_sense_are_refused)
{
    static const struct refused cases[] = {
        {"backprop:inputs=24", "inputs: found 24, expected a multiple of 16"},
        {"backprop:inputs=1048576", "option inputs: found \"1048576\", expected a number in 16..1048560"},
        {"srad:rows=1", "option rows: found \"1\", expected a number in 2..16384"},
        {"streamcluster:kmin=5,kmax=4", "kmax: found 4, expected at least kmin, 5"},
        {"streamcluster:n=4", "n: found 4, expected more points than centres (kmax, 4)"},
        {"streamcluster:kmin=1", "expected a number in 2..1000"},
        {"particlefilter:frames=1", "expected a number in 2..1024"},
        {"particlefilter:x=4096,y=4096,frames=1024", "array I: found 17179869184 elements"}};
    trial_refused(cases, COUNT(cases));
}
