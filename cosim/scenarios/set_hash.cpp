// SPDX-License-Identifier: Apache-2.0
// set_hash: index functions for cache sets and memory partitions; Dai17, sections 3.4 and 3.7, and Khairy15,
// section 4.3.
#include "run.hpp"

// Independent reference: long division, bit by bit.
static uint64_t long_division(uint64_t a)
{
    const uint64_t c = set_hash_constant(&cfg);
    const bool poly = cfg.Function == SET_HASH_IPOLY;
    uint64_t rest = 0;
    for (uint32_t i = cfg.AddrW; i-- > 0;) {
        rest = rest << 1 | (a >> i & 1);
        if (poly ? rest >> cfg.IndexW & 1 : rest >= c) rest = poly ? rest ^ c : rest - c;
    }
    return rest & bits_mask(cfg.IndexW);
}

static uint64_t expected(uint64_t a)
{
    const uint64_t x = a & bits_mask(cfg.IndexW), t = cfg.IndexW == cfg.AddrW ? 0 : a >> cfg.IndexW;
    switch (cfg.Function) {
    case SET_HASH_BMOD:
        return x;
    case SET_HASH_BXOR:
        return x ^ (t & bits_mask(cfg.IndexW));
    case SET_HASH_D_PRIME:
        return (t * set_hash_constant(&cfg) + x) & bits_mask(cfg.IndexW);
    case SET_HASH_FERMI:
        return x ^ (a >> 6 & 7) ^ (a >> 10 & 1) << 3 ^ (a >> 12 & 1) << 4;
    default:
        return long_division(a);
    }
}

static uint64_t index_of(Run &run, uint64_t address)
{
    In in{};
    in.addr_i = address & bits_mask(cfg.AddrW);
    const uint64_t index = run.cycle(in).index_o;
    run.expect_equal(index, expected(in.addr_i), "the index by long division");
    return index;
}

SCENARIO(every_bit, true, "the index of each single bit, and of each run of ones, is what long division says")
{
    for (uint32_t i = 0; i < cfg.AddrW; i++) {
        index_of(run, uint64_t(1) << i);
        index_of(run, bits_mask(i + 1));
        index_of(run, ~bits_mask(i));
    }
}

SCENARIO(every_address, true, "so are the first 65536 addresses: all there are, in the small sets")
{
    for (uint64_t a = 0; a < std::min<uint64_t>(65536, bits_mask(std::min(cfg.AddrW, 17u)) + 1); a++) index_of(run, a);
}

SCENARIO(samples, true, "and 20000 others, seeded")
{
    cosim::Random r(7);
    for (int i = 0; i < 20000; i++) index_of(run, r.u64());
}

SCENARIO(strides, true,
         "lines 2^k apart collapse on one set under BMOD, and spread over all under BXOR, D_PRIME and IPOLY")
{
    const uint64_t n = uint64_t(1) << cfg.IndexW;
    const uint64_t f = cfg.Function;
    if (cfg.AddrW < 2 * cfg.IndexW ||
        (f != SET_HASH_BMOD && f != SET_HASH_BXOR && f != SET_HASH_D_PRIME && f != SET_HASH_IPOLY))
        return;
    std::vector<bool> hit(n);
    for (uint64_t i = 0; i < n; i++) hit[index_of(run, i * n)] = true;
    run.expect_equal(uint64_t(std::count(hit.begin(), hit.end(), true)), f == SET_HASH_BMOD ? 1 : n,
                     "sets that were hit");
}

static constexpr uint32_t kSets = 1u << cfg.IndexW;
static constexpr bool kPaper = cfg.AddrW == 41 && cfg.IndexW == 5 && cfg.Constant == 0;

// Number of sets that `count` lines reach, `stride` apart.
static uint32_t sets_hit(Run &run, uint64_t stride, uint32_t count)
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
    // Index bits that depend on address bit A7, A8, ... A25: x^0 to x^18 modulo x^5 + x^2 + 1.
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
