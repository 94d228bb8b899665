/* SPDX-License-Identifier: Apache-2.0 */
/* The miss files, idle and skip: ticks without a valid input, with whatever on the other inputs. */
#include "base/rng.h"
#include "files.h"
#include "skip.h"

#define SKIP_TEST(B, create)                                                                                           \
    static void B##_traffic(struct B *m, struct rng *rng)                                                              \
    {                                                                                                                  \
        for (uint64_t c = rng_below(rng, 12); c > 0; c--) {                                                            \
            const struct B##_in in = {.req_valid_i = rng_below(rng, 2),                                                \
                                      .req_addr_i = rng_below(rng, 6),                                                 \
                                      .fill_valid_i = rng_below(rng, 2),                                               \
                                      .fill_addr_i = rng_below(rng, 6),                                                \
                                      .drain_ready_i = rng_below(rng, 2)};                                             \
            B##_tick(m, &in);                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    Test(skip, B##_skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)                                               \
    {                                                                                                                  \
        struct B *m = create;                                                                                          \
        SKIP_ROUNDS(B, m, B##_traffic, 11, 600, 1 + rng_below(&rng, 50), .req_addr_i = rng_u64(&rng) & 7,              \
                    .fill_addr_i = rng_u64(&rng) & 7, .drain_ready_i = rng_below(&rng, 2));                            \
        free(m);                                                                                                       \
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
