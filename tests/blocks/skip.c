/* SPDX-License-Identifier: Apache-2.0 */
/* idle and skip of the miss files, the reordering blocks and milg: ticks without a valid input, with other values on
 * the other inputs. */
#include "bank_reorder.h"
#include "base/rng.h"
#include "cart.h"
#include "files.h"
#include "milg.h"
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

/* bank_reorder and cart have the same inputs; `where`: bits of the addresses. */
#define SKIP_REORDER_TEST(B, seed, where, ...)                                                                         \
    static void B##_traffic(struct B *m, struct rng *rng)                                                              \
    {                                                                                                                  \
        for (uint64_t c = rng_below(rng, 6); c > 0; c--) {                                                             \
            const struct B##_in in = {.in_valid_i = rng_below(rng, 2),                                                 \
                                      .in_addr_i = rng_u64(rng) & (where),                                             \
                                      .in_info_i = c,                                                                  \
                                      .out_ready_i = rng_below(rng, 2),                                                \
                                      .out_refused_i = rng_below(rng, 2)};                                             \
            B##_tick(m, &in);                                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    Test(skip, B##_skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)                                               \
    {                                                                                                                  \
        const struct B##_cfg cfg = {__VA_ARGS__};                                                                      \
        struct B *m = calloc(1, sizeof *m);                                                                            \
        cr_assert(m);                                                                                                  \
        B##_init(m, &cfg);                                                                                             \
        SKIP_ROUNDS(B, m, B##_traffic, seed, 400, 9, .in_addr_i = c, .out_ready_i = c & 1, .out_refused_i = c & 2);    \
        free(m);                                                                                                       \
    }

SKIP_REORDER_TEST(bank_reorder, 5, 63, .Banks = 4, .Entries = 3, .AddrW = 16, .BankLsb = 1, .BankMsb = 5, .InfoW = 16,
                  .Rotate = 1)
SKIP_REORDER_TEST(cart, 11, 0x0313, .Banks = 2, .Rows = 2, .Cols = 2, .Entries = 2, .AddrW = 16, .BankLsb = 0,
                  .BankMsb = 4, .RowLsb = 8, .InfoW = 16, .Rotate = 1, .Patience = 8)

/* milg is idle in every cycle without a valid input. */
Test(skip, milg_skip_equals_quiet_ticks)
{
    const struct milg_cfg cfg = {.InflightW = 7, .RfW = 12, .ReqW = 10, .Relax = MILG_GROW};
    const struct milg_in quiet = {.retire_count_i = 5, .static_limit_i = 3};
    struct milg m = {0};
    struct rng rng;
    milg_init(&m, &cfg);
    rng_seed(&rng, 11);
    for (uint32_t round = 0; round < 3000; round++) {
        const struct milg_in in = {.issue_valid_i = rng_below(&rng, 2),
                                   .retire_valid_i = rng_below(&rng, 3) == 0,
                                   .retire_count_i = (uint8_t)rng_below(&rng, 3),
                                   .req_valid_i = rng_below(&rng, 2),
                                   .fail_valid_i = rng_below(&rng, 2),
                                   .start_valid_i = rng_below(&rng, 100) == 0};
        milg_tick(&m, &in);
        struct milg skipped = m;
        cr_assert(milg_idle(&m));
        milg_skip(&skipped, 9);
        for (uint32_t i = 0; i < 9; i++) milg_tick(&m, &quiet);
        cr_assert(memcmp(&m, &skipped, sizeof m) == 0);
    }
}
