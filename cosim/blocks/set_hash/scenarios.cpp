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
    case SET_HASH_XORSHIFT:
        return x ^ (a >> set_hash_constant(&cfg) & bits_mask(cfg.IndexW));
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

SCENARIO(every_bit, true, "the index of each single bit, and of each run of ones, equals that of long division")
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

static const uint32_t kSets = 1u << cfg.IndexW;
static const bool kPaper = cfg.AddrW == 41 && cfg.IndexW == 5 && cfg.Constant == 0;

// Number of sets that `count` lines reach, `stride` apart.
static uint32_t sets_hit(Run &run, uint64_t stride, uint32_t count)
{
    std::vector<bool> hit(kSets);
    for (uint32_t i = 0; i < count; i++) hit[index_of(run, i * stride)] = true;
    return uint32_t(std::count(hit.begin(), hit.end(), true));
}

SCENARIO(
    column, kPaper &&cfg.Function != SET_HASH_FERMI && cfg.Function != SET_HASH_XORSHIFT,
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

SCENARIO(in_a_row, cfg.IndexW <= 10 && cfg.AddrW >= cfg.IndexW + 5,
         "2^k lines in a row, from a multiple of 2^k on: a set each, but for the remainders")
{
    const bool remainder = cfg.Function == SET_HASH_PMOD || cfg.Function == SET_HASH_A_PRIME;
    for (uint64_t from = 0; from < 32; from++) {
        std::vector<uint32_t> lines(kSets);
        for (uint64_t i = 0; i < kSets; i++) lines.at(index_of(run, from * kSets + i))++;
        const size_t hit = kSets - size_t(std::count(lines.begin(), lines.end(), 0u));
        if (cfg.Function == SET_HASH_PMOD) run.expect_equal(hit, set_hash_constant(&cfg), "sets");
        if (!remainder) run.expect_equal(hit, kSets, "sets");
        run.expect(*std::max_element(lines.begin(), lines.end()) <= 1u + remainder, "lines of one set");
    }
}

SCENARIO(unused_sets, kPaper && (cfg.Function == SET_HASH_PMOD || cfg.Function == SET_HASH_A_PRIME),
         "Dai17, 3.4: PMOD never uses the sets from its prime on, A_PRIME uses all of them")
{
    run.expect_equal(sets_hit(run, 1, 10000), cfg.Function == SET_HASH_PMOD ? 31 : 32, "sets");
}

// 1000 is 31 * 32 + 8 and 32 * 31 + 8: T = 31, x = 8, t = 31.  BXOR 31 ^ 8 = 23; 1000 mod 31 = 8; 1000 mod 37 = 1;
// 31 * 9 + 8 = 287 = 31 mod 32; x^9 + x^8 + x^7 + x^6 + x^5 + x^3 is x^2 modulo x^5 + x^2 + 1; FERMI 8 ^ 7;
// XORSHIFT 8 ^ 1000 / 128 = 8 ^ 7.
SCENARIO(one_line, kPaper &&cfg.Kind == SET_HASH_SETS, "Dai17, 3.4: the index of line 1000 by hand, for each function")
{
    static constexpr uint32_t index[] = {8, 23, 8, 1, 31, 4, 15, 15};
    run.expect_equal(index_of(run, 1000), index[cfg.Function], "index");
}

// Line addresses start at A7.
static constexpr uint64_t address_bit(uint32_t n)
{
    return uint64_t(1) << (n - 7);
}

SCENARIO(fermi, kPaper &&cfg.Function == SET_HASH_FERMI,
         "GPGPU-Sim's function H: A7 to A11, with A13, A14, A15, A17 and A19 folded in")
{
    static constexpr uint32_t folded[] = {13, 14, 15, 17, 19}, ignored[] = {12, 16, 18, 20, 40};
    for (uint32_t i = 0; i < 5; i++) {
        run.expect_equal(index_of(run, address_bit(7 + i)), 1u << i, "index of a low bit");
        run.expect_equal(index_of(run, address_bit(folded[i])), 1u << i, "index of a higher bit");
        run.expect_equal(index_of(run, address_bit(ignored[i])), 0, "index of a bit that is not read");
    }
    run.expect_equal(index_of(run, address_bit(7) | address_bit(13)), 0, "index of both bits of a pair");
}

SCENARIO(published, cfg.Function == SET_HASH_XORSHIFT && cfg.Kind == SET_HASH_SETS && cfg.Constant == 0,
         "the index of byte 0x12345680 in DaiSim17: 28 of 32 sets, 60 of 64")
{
    const uint64_t index = index_of(run, 0x12345680 >> 7);
    if (cfg.IndexW == 5) run.expect_equal(index, 28, "index");
    if (cfg.IndexW == 6) run.expect_equal(index, 60, "index");
}

SCENARIO(rows_of_a_matrix, kPaper &&cfg.Function == SET_HASH_XORSHIFT && cfg.Kind == SET_HASH_SETS,
         "32 rows of a matrix: rows of 4 KB reach 8 sets, of 8 or 32 KB 16 sets, of 16 KB all sets")
{
    static constexpr struct {
        uint64_t lines;
        uint32_t sets;
    } rows[] = {{32, 8}, {64, 16}, {128, 32}, {256, 16}};
    for (const auto &row : rows) run.expect_equal(sets_hit(run, row.lines, 32), row.sets, "sets");
}

SCENARIO(figure_7, kPaper &&cfg.Function == SET_HASH_IPOLY,
         "Khairy15, figure 7: each address bit from A7 to A25 in the parities")
{
    // Index bits that depend on address bit A7, A8, ... A25: x^0 to x^18 modulo x^5 + x^2 + 1.
    static const uint32_t rows[] = {1, 2, 4, 8, 16, 5, 10, 20, 13, 26, 17, 7, 14, 28, 29, 31, 27, 19, 3};
    for (uint32_t i = 0; i < 19; i++)
        run.expect_equal(index_of(run, uint64_t(1) << i), rows[i], "index bits of one address bit");
    // As printed there: the address bits whose parity I0, I3 and I4 are.
    static constexpr struct {
        uint32_t index_bit;
        std::initializer_list<uint32_t> bits;
    } equations[] = {{0, {25, 24, 23, 22, 21, 18, 17, 15, 12, 7}},
                     {3, {23, 22, 21, 20, 19, 16, 15, 13, 10}},
                     {4, {24, 23, 22, 21, 20, 17, 16, 14, 11}}};
    for (const auto &e : equations)
        for (uint32_t bit = 7; bit <= 25; bit++)
            run.expect_equal(index_of(run, address_bit(bit)) >> e.index_bit & 1,
                             std::count(e.bits.begin(), e.bits.end(), bit), "index bit of one address bit");
}

SCENARIO(partitions, cfg.Kind == SET_HASH_PARTITIONS && cfg.IndexW == 4 && cfg.AddrW == 41 && cfg.Constant == 0,
         "Dai17, 3.7: units 16 apart: one partition under modulo, 13 under prime, two under xorshift, all 16 under the "
         "others")
{
    static constexpr uint32_t partitions[] = {1, 16, 13, 16, 16, 16, 0, 2};
    run.expect_equal(sets_hit(run, 16, 31), partitions[cfg.Function], "partitions");
}
