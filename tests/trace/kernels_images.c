/* SPDX-License-Identifier: Apache-2.0 */
/* nn, gaussian, gabor and sift, the programs that Chen16 adds to the others' suites: right at awkward sizes;
 * instruction counts as worked out by hand; results checked against the program's purpose. */
#include <criterion/criterion.h>
#include <math.h>

#include "trace/kernel_trials.h"

Test(kernels_images, every_kernel_is_right_at_awkward_sizes)
{
    static const char *const odd[] = {"nn:n=1",
                                      "nn:n=1003,block=96",
                                      "gaussian:n=2",
                                      "gaussian:n=37",
                                      "gaussian:n=41,block=7,tile=5",
                                      "gaussian:n=19,block=1,tile=32",
                                      "gabor:width=1,height=1,orientations=1",
                                      "gabor:width=37,height=5,orientations=3",
                                      "gabor:width=16,height=33,orientations=2",
                                      "sift:keypoints=1,width=1,height=1",
                                      "sift:keypoints=9,width=3,height=50",
                                      "sift:keypoints=20,width=61,height=37"};
    trial_right(odd, COUNT(odd));
}

Test(kernels_images, a_wrong_result_is_detected)
{
    static const struct corrupted cases[] = {
        {"nn:n=100", "d_distances", "d_distances[99]"},
        {"gaussian:n=9", "m_cuda", "m_cuda[80]"},
        {"gaussian:n=9", "a_cuda", "a_cuda[80]"},
        {"gaussian:n=9", "b_cuda", "b_cuda[8]"},
        {"gabor:width=9,height=9,orientations=2", "responses", "responses[161]"},
        {"sift:keypoints=2,width=40,height=40", "orientations", "orientations[1]"},
        {"sift:keypoints=2,width=40,height=40", "descriptors", "descriptors[255]"}};
    trial_corrupted(cases, COUNT(cases));
}

Test(kernels_images, sizes_that_make_no_sense_are_refused)
{
    static const struct refused cases[] = {
        {"nn:n=0", "option n: found \"0\", expected a number in 1..268435456"},
        {"gaussian:n=1", "option n: found \"1\", expected a number in 2..16384"},
        {"gaussian:tile=33", "option tile: found \"33\", expected a number in 1..32"},
        {"gabor:orientations=0", "option orientations: found \"0\", expected a number in 1..256"},
        {"gabor:width=8192,height=8192,orientations=64", "array responses: found 4294967296 elements"},
        {"sift:keypoints=0", "option keypoints: found \"0\", expected a number in 1..4194304"},
        {"sift:width=20000", "option width: found \"20000\", expected a number in 1..16384"}};
    trial_refused(cases, COUNT(cases));
}

/* Only sift's addresses and turns depend on data. */
Test(kernels_images, instructions_do_not_depend_on_the_order_of_reading)
{
    static const char *const specs[] = {"nn:n=1003", "gaussian:n=40", "gabor:width=40,height=20,orientations=2"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        cr_assert_eq(trial_orders(specs[i], 1).hash, trial_orders(specs[i], 2).hash, "%s", specs[i]);
    }
    const char *sift = "sift:keypoints=5,width=40,height=40";
    cr_assert_neq(trial_orders(sift, 1).hash, trial_orders(sift, 2).hash);
}

Test(kernels_images, the_seed_makes_the_inputs)
{
    static const struct seeded cases[] = {{"nn:n=50", "d_locations"},
                                          {"gaussian:n=9", "a_cuda"},
                                          {"gaussian:n=9", "b_cuda"},
                                          {"gabor:width=9,height=9", "image"},
                                          {"sift:keypoints=5,width=20,height=20", "image"},
                                          {"sift:keypoints=5,width=20,height=20", "keypoints"}};
    trial_seeded(cases, COUNT(cases));
}

/* ---- Instruction mixes. ---- */

/* Index, test, two addresses and differences, sum of squares, address of the store.  A record is 8 bytes. */
Test(kernels_images, nn_touches_each_line_of_records_twice)
{
    expect_mix("nn:n=64,block=32",
               (uint64_t[INST_OPS]){[INST_SP] = 2 * (3 + 2 + 4 + 2 + 1),
                                    [INST_SFU] = 2,
                                    [INST_LOAD] = 2 * 2,
                                    [INST_STORE] = 2,
                                    [INST_EXIT] = 2},
               2 * 2 * 2, 2);
}

static uint64_t within(uint64_t first, uint64_t count, uint64_t limit)
{
    return limit <= first ? 0 : limit - first < count ? limit - first : count;
}

/* A matrix of 32 x 32, whose rows are lines.  Fan2: 4 x 4 thread blocks of two warps, each of 8 rows and 4 columns. */
Test(kernels_images, gaussian_touches_a_line_for_each_row)
{
    uint64_t ops[INST_OPS] = {0}, loaded = 0, stored = 0;
    for (uint64_t rows = 31; rows; rows--) { /* below the pivot; one more column than that */
        ops[INST_SP] += 3 + 2 + 1 + 2 + 32 * (3 + 3 + 4);
        ops[INST_SFU]++, ops[INST_LOAD] += 2, ops[INST_STORE]++, ops[INST_EXIT] += 1 + 32;
        loaded += rows + 1, stored += rows;
        for (uint64_t warp = 0; warp < 32; warp++) {
            const uint64_t lines = within(warp / 8 * 8, 8, rows), column = warp % 8 * 4;
            if (!lines || !within(column, 4, rows + 1)) continue;
            ops[INST_SP] += 2 + 1 + 2 + 1 + 1 + 1 + 1 + 2, ops[INST_LOAD] += 3, ops[INST_STORE]++;
            loaded += 2 * lines + 1, stored += lines;
            if (column) continue;
            ops[INST_SP] += 6, ops[INST_LOAD] += 3, ops[INST_STORE]++; /* the right-hand side */
            loaded += lines + 2, stored++;
        }
    }
    expect_mix("gaussian:n=32,block=32,tile=8", ops, loaded, stored);
}

/* Two tiles, two filters; a warp is two rows of 16.  Of the second half of a staged tile's rows six warps load one.
 * Rows above the image are its first one, so that three of the warps load one line; likewise below it. */
Test(kernels_images, gabor_loads_a_tile_with_its_border_for_169_taps)
{
    const uint64_t staged = 2 * 8 + 2 * 6, stage = 2 + 4 + 1 + 1 + 2 + 1, taps = 13 * 13;
    const uint64_t sp = 8 * (2 + 4 * 4 + 1 + 2 + taps * (2 + 2) + 2 + 4 + 2 + 2 + 1) + staged * stage;
    const uint64_t lines = 2 * (3 + 5 * 2 + 3 * 2 + 3);
    expect_mix("gabor:width=32,height=16,orientations=2",
               (uint64_t[INST_OPS]){[INST_SP] = 2 * 2 * sp,
                                    [INST_SFU] = 2 * 2 * 8,
                                    [INST_LOAD] = 2 * 2 * staged,
                                    [INST_STORE] = 2 * 2 * 8,
                                    [INST_SHARED_LOAD] = 2 * 2 * 8 * taps,
                                    [INST_SHARED_STORE] = 2 * 2 * staged,
                                    [INST_BARRIER] = 2 * 2 * 8,
                                    [INST_EXIT] = 2 * 2 * 8},
               2 * 2 * lines, 2 * 2 * 8 * 2);
}

/* An image of one pixel: all 32 lanes vote for direction 0, one a round; of a descriptor's lanes up to eight vote for
 * the same cell.  A warp is two rows of a window; each row of samples but the first and last pair has two rows of
 * cells.
 */
Test(kernels_images, sift_votes_in_rounds)
{
    const uint64_t gradient = 4 * (2 + 1 + 1) + 2 + 2, turn = 3 + 3 + 1 + 1 + 4 + 2 + 2 + 3 + 3;
    const uint64_t direction = 2 + 6 + gradient + turn + 5 + 3 + 3 + 32 + 1, peak = 2 + 36 * 2 + 35 * 5 + 2 * 5 + 11;
    const uint64_t orientation = 4 * (3 + 2 + 4 + 2 + 2 + 2 + 2 * direction + 2) + 2 + peak;
    const uint64_t sample = 2 + 2 * 2 + 2 * (4 + 4) + gradient + turn + 5 + 4 + 6 + 8 + 5 + 4 * 8 + 1;
    const uint64_t corners = 7 * (4 + 3 + 3 + 2) + 28 * (3 + 5 + 8 + 4 + 4 + 8), tree = 2 + 6;
    const uint64_t descriptor = 4 * (3 + 1 + 2 + 2 + 2 * sample + 2 + 2 * (2 + 7 * 2 + 2) + 3) + corners + 2 * tree * 5;
    expect_mix("sift:keypoints=1,width=1,height=1",
               (uint64_t[INST_OPS]){[INST_SP] = orientation + descriptor,
                                    [INST_SFU] = 4 * (1 + 2 * 3) + 1 + 4 * (2 + 2 * 3 + 2),
                                    [INST_LOAD] = 4 * (3 + 2 * 4) + 4 * (4 + 2 * 4),
                                    [INST_STORE] = 1 + 4,
                                    [INST_SHARED_LOAD] = 4 * 2 * 32 + 38 + 28 * 2 * 8 + 4 + 2 * (2 * tree + 4),
                                    [INST_SHARED_STORE] = 2 + 4 * 2 * 32 + 4 + 28 * 2 * 8 + 2 * (4 + tree),
                                    [INST_BARRIER] = 4 * 2 + 4 * (2 + 2 * 9),
                                    [INST_EXIT] = 4 + 4},
               4 * (3 + 2 * 4) + 4 * (4 + 2 * 4), 1 + 4);
}

/* ---- Results checked by their meaning, without the reference in plain C. ---- */

static void execute(struct source *source)
{
    struct error err = {""};
    cr_assert(kernel_execute(source, &err), "%s", err.text);
    cr_assert(kernel_verify(source, &err), "%s", err.text);
}

#define N 30

Test(kernels_images, gaussian_leads_to_the_solution)
{
    struct source *source;
    uint64_t bytes;
    const float *a = kernel_array("gaussian:n=30", 1, "a_cuda", &bytes, &source);
    const float *b = kernel_memory(source, "b_cuda", &bytes);
    float before[N][N], right[N];
    memcpy(before, a, sizeof before);
    memcpy(right, b, sizeof right);
    execute(source);
    double x[N];
    for (int i = N - 1; i >= 0; i--) {
        x[i] = b[i];
        for (int j = i + 1; j < N; j++) x[i] -= a[i * N + j] * x[j];
        x[i] /= a[i * N + i];
    }
    for (int i = 0; i < N; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) sum += before[i][j] * x[j];
        cr_expect_float_eq(sum, right[i], 1e-5, "row %d: %g, expected %g", i, sum, right[i]);
    }
    source->ops->close(source);
}

#define IMAGE 48

/* A grating of the filters' wavelength, 4 pixels. */
Test(kernels_images, gabor_answers_most_to_a_grating_of_its_orientation)
{
    for (int orientation = 0; orientation < 8; orientation++) {
        struct source *source;
        uint64_t bytes;
        float *image = kernel_array("gabor:width=48,height=48,orientations=8", 1, "image", &bytes, &source);
        const float *responses = kernel_memory(source, "responses", &bytes);
        const double angle = M_PI * orientation / 8;
        for (int i = 0; i < IMAGE * IMAGE; i++) {
            const double along = i % IMAGE * cos(angle) + i / IMAGE * sin(angle);
            image[i] = (float)cos(2 * M_PI * along / 4);
        }
        execute(source);
        int best = 0;
        for (int i = 1; i < 8; i++) {
            const float *center = responses + IMAGE / 2 * IMAGE + IMAGE / 2;
            if (center[i * IMAGE * IMAGE] > center[best * IMAGE * IMAGE]) best = i;
        }
        cr_expect_eq(best, orientation, "orientation %d: most in %d", orientation, best);
        source->ops->close(source);
    }
}

#undef IMAGE
#define IMAGE 120

/* An image that becomes brighter in one direction: votes for one of 36 directions, then for the first part of each cell
 * or its neighbours. */
Test(kernels_images, sift_finds_the_direction_of_a_slope)
{
    for (double turn = 0.05; turn < 1; turn += 0.11) {
        struct source *source;
        uint64_t bytes;
        float *image = kernel_array("sift:keypoints=1,width=120,height=120", 1, "image", &bytes, &source);
        for (int i = 0; i < IMAGE * IMAGE; i++) {
            const double along = i % IMAGE * cos(2 * M_PI * turn) + i / IMAGE * sin(2 * M_PI * turn);
            image[i] = (float)(along / IMAGE);
        }
        float *keypoint = kernel_memory(source, "keypoints", &bytes);
        keypoint[0] = keypoint[1] = IMAGE / 2;
        execute(source);
        const float *found = kernel_memory(source, "orientations", &bytes);
        cr_expect_float_eq(*found, turn, 0.5 / 36 + 1e-4, "%g, expected %g", *found, turn);
        const float *feature = kernel_memory(source, "descriptors", &bytes);
        double square = 0;
        for (int i = 0; i < 128; i++) {
            square += feature[i] * feature[i];
            if (i % 8 > 1 && i % 8 < 7) cr_expect_eq(feature[i], 0, "turn %g: feature %d is %g", turn, i, feature[i]);
        }
        cr_expect_float_eq(square, 1, 1e-5, "turn %g: length^2 is %g", turn, square);
        source->ops->close(source);
    }
}
