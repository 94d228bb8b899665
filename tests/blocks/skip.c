/* idle and skip let the harness jump over quiet time: they must mean exactly as many ticks without a valid input. */
#include "base/rng.h"
#include "files.h"

enum { ROUNDS = 300 };

/* An idle file is left alone for n cycles, with whatever on its other inputs: the whole state must equal skip(n)'s. */
#define SKIP_TEST(B, create)                                                                                           \
    Test(skip, B##_skip_equals_that_many_quiet_ticks)                                                                  \
    {                                                                                                                  \
        struct B *m = create, *skipped = calloc(1, sizeof *skipped);                                                   \
        struct rng rng;                                                                                                \
        uint32_t idle = 0, busy = 0;                                                                                   \
        rng_seed(&rng, 11);                                                                                            \
        for (uint32_t round = 0; round < ROUNDS; round++) {                                                            \
            for (uint32_t c = rng_below(&rng, 12); c > 0; c--) {                                                       \
                const struct B##_in in = {.req_valid_i = rng_below(&rng, 2),                                           \
                                          .req_addr_i = rng_below(&rng, 6),                                            \
                                          .fill_valid_i = rng_below(&rng, 2),                                          \
                                          .fill_addr_i = rng_below(&rng, 6),                                           \
                                          .drain_ready_i = rng_below(&rng, 2)};                                        \
                B##_tick(m, &in);                                                                                      \
            }                                                                                                          \
            const uint64_t n = 1 + rng_below(&rng, 50);                                                                \
            const bool was_idle = B##_idle(m);                                                                         \
            *skipped = *m;                                                                                             \
            for (uint64_t c = 0; c < n; c++) {                                                                         \
                const struct B##_in quiet = {.req_addr_i = rng_u64(&rng) & 7,                                          \
                                             .fill_addr_i = rng_u64(&rng) & 7,                                         \
                                             .drain_ready_i = rng_below(&rng, 2)};                                     \
                B##_tick(m, &quiet);                                                                                   \
            }                                                                                                          \
            if (was_idle) {                                                                                            \
                B##_skip(skipped, n);                                                                                  \
                cr_assert_arr_eq(m, skipped, sizeof *m);                                                               \
            }                                                                                                          \
            idle += was_idle;                                                                                          \
            busy += !was_idle;                                                                                         \
        }                                                                                                              \
        cr_expect(idle > 20 && busy > 20, "%u idle, %u busy", idle, busy);                                             \
        free(m);                                                                                                       \
        free(skipped);                                                                                                 \
    }

SKIP_TEST(mshr, mshr_new(4, 2, 0))
SKIP_TEST(dl_mshr, dl_new(4, 2, 1, 1, 0))

/* Idle must not be answered out of caution either: a file with outstanding misses and nothing under way is idle. */
Test(skip, a_file_that_waits_for_memory_is_idle)
{
    struct dl_mshr *m = dl_new(4, 2, 0, 1, 0);
    struct dl_mshr_in in = {.req_valid_i = true, .req_addr_i = 1};
    struct dl_mshr_out out;
    dl_cycle(m, &in, &out);
    cr_expect(!dl_mshr_idle(m));
    dl_cycle(m, &in, &out);
    cr_expect(dl_mshr_idle(m) && m->used_slots_q == 1);
    in.fill_valid_i = true, in.fill_addr_i = 1;
    dl_cycle(m, &in, &out);
    cr_expect(!dl_mshr_idle(m));
    free(m);
}
