/* SPDX-License-Identifier: Apache-2.0 */
/* b_idle() and b_skip() let the harness jump over quiet cycles, and a snapshot is a copy of the struct.  Tests of both,
 * for any block. */
#ifndef MEMTWIN_TESTS_BLOCKS_SKIP_H
#define MEMTWIN_TESTS_BLOCKS_SKIP_H
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

/* In every round work(m, &rng) drives the block `m` for a while; then `cycles` cycles go by with the inputs given last,
 * none of them a valid. An idle block's copy skips as many cycles, another one's has the same inputs: in the end the
 * two are equal to the last byte. `cycles` is an expression of `rng`, the inputs are of `rng` and of `c`, the cycle. */
#define SKIP_ROUNDS(B, m, work, seed, rounds, cycles, ...)                                                             \
    do {                                                                                                               \
        struct B *other = malloc(sizeof *other);                                                                       \
        struct rng rng;                                                                                                \
        uint32_t idle = 0, busy = 0;                                                                                   \
        cr_assert(other);                                                                                              \
        rng_seed(&rng, seed);                                                                                          \
        for (uint32_t round = 0; round < (rounds); round++) {                                                          \
            work(m, &rng);                                                                                             \
            memcpy(other, m, sizeof *other);                                                                           \
            const bool was_idle = B##_idle(m);                                                                         \
            const uint32_t n = (uint32_t)(cycles);                                                                     \
            if (was_idle) B##_skip(other, n);                                                                          \
            for (uint32_t c = 0; c < n; c++) {                                                                         \
                const struct B##_in in = {__VA_ARGS__};                                                                \
                B##_tick(m, &in);                                                                                      \
                if (!was_idle) B##_tick(other, &in);                                                                   \
            }                                                                                                          \
            cr_assert(!memcmp(m, other, sizeof *other), "seed %u, round %u: %s, %u cycles", seed, round,               \
                      was_idle ? "skipped" : "copied", n);                                                             \
            *(was_idle ? &idle : &busy) += 1;                                                                          \
        }                                                                                                              \
        cr_expect(idle > 100 && busy > 20, "seed %u: %u rounds idle, %u busy", seed, idle, busy);                      \
        free(other);                                                                                                   \
    } while (0)
#endif
