// SPDX-License-Identifier: Apache-2.0
// set_hash: index functions for cache sets and memory partitions; Dai17, sections 3.4 and 3.7, and Khairy15,
// section 4.3.
#include "bench.hpp"
#include "set_hash_function.h"

static uint64_t index_of(tb::Bench &run, uint64_t address)
{
    In in{};
    in.addr_i = address & bits_mask(cfg.AddrW);
    return run.cycle(in).index_o;
}

static constexpr uint32_t kSets = 1u << cfg.IndexW;
static constexpr bool kPaper = cfg.AddrW == 41 && cfg.IndexW == 5 && cfg.Constant == 0;

// Sets that `count` lines reach, `stride` apart.
static uint32_t sets_hit(tb::Bench &run, uint64_t stride, uint32_t count)
{
    std::vector<bool> hit(kSets);
    for (uint32_t i = 0; i < count; i++) hit[index_of(run, i * stride)] = true;
    return uint32_t(std::count(hit.begin(), hit.end(), true));
}

SCENARIO(
    column, kPaper &&cfg.Function != SET_HASH_FERMI,
    "Dai17, 3.4.1: a column of a matrix whose rows are 32 lines long; BMOD puts it into one set, the others spread it")
{
    const uint32_t hit = sets_hit(run, 32, 31);
    if (cfg.Function == SET_HASH_BMOD)
        run.expect_equal(hit, 1, "sets");
    else if (cfg.Function == SET_HASH_A_PRIME)
        run.expect(hit >= 25, "31 of 37 residues, of which five pairs share a set");
    else
        run.expect_equal(hit, 31, "sets");
}

SCENARIO(row, kPaper, "32 lines in a row: a set each, but for the remainders; PMOD leaves set 31 unused")
{
    const uint32_t hit = sets_hit(run, 1, 32);
    if (cfg.Function == SET_HASH_PMOD)
        run.expect_equal(hit, 31, "sets");
    else
        run.expect_equal(hit, 32, "sets");
}

SCENARIO(figure_7, kPaper &&cfg.Function == SET_HASH_IPOLY,
         "Khairy15, figure 7: each address bit from A7 to A25 in the parities")
{
    // Bits of the index that bit A7, A8, ... A25 is an input of: x^0 to x^18 modulo x^5 + x^2 + 1.
    static const uint32_t rows[] = {1, 2, 4, 8, 16, 5, 10, 20, 13, 26, 17, 7, 14, 28, 29, 31, 27, 19, 3};
    for (uint32_t i = 0; i < 19; i++)
        run.expect_equal(index_of(run, uint64_t(1) << i), rows[i], "index bits of one address bit");
}

SCENARIO(partitions, cfg.Kind == SET_HASH_PARTITIONS && cfg.IndexW == 4 && cfg.AddrW == 41 && cfg.Constant == 0,
         "Dai17, 3.7: units 16 apart: one partition under modulo, 13 under prime, all 16 under the others")
{
    const uint32_t hit = sets_hit(run, 16, 31);
    run.expect_equal(hit, cfg.Function == SET_HASH_BMOD ? 1 : cfg.Function == SET_HASH_PMOD ? 13 : 16, "partitions");
}
