// SPDX-License-Identifier: Apache-2.0
// set_hash in lockstep: small addresses all of them, wide ones at random and along strides.
#include "lockstep.hpp"
#include "set_hash_function.h"

struct Stimulus {
    // A new stretch: every address in turn, a stride of 2^n lines, single bits, or anything.
    void begin(Random &r)
    {
        mode_ = Mode(r.below(4));
        if (mode_ != kAll) at_ = r.u64();
        stride_ = uint64_t(1) << r.below(cfg.AddrW);
    }
    void reset()
    {
    }
    void next(Random &r, In &in, const In &, const Out &)
    {
        if (mode_ == kAny)
            at_ = r.u64();
        else if (mode_ == kBits)
            at_ = uint64_t(1) << r.below(cfg.AddrW) | uint64_t(1) << r.below(cfg.AddrW);
        else
            at_ += mode_ == kAll ? 1 : stride_;
        in.addr_i = at_ & bits_mask(cfg.AddrW);
    }

  private:
    enum Mode { kAll, kStride, kBits, kAny };
    Mode mode_ = kAll;
    uint64_t at_ = 0, stride_ = 1;
};

// Another way to the same index: long division, bit by bit.
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

static uint64_t index_of(cosim::Lockstep &run, uint64_t address)
{
    In in{};
    in.addr_i = address & bits_mask(cfg.AddrW);
    const uint64_t index = run.cycle(in).index_o;
    run.expect_equal(index, expected(in.addr_i), "the index by long division");
    return index;
}

SCENARIO(every_bit, "the index of each single bit, and of each run of ones, is what long division says")
{
    for (uint32_t i = 0; i < cfg.AddrW; i++) {
        index_of(run, uint64_t(1) << i);
        index_of(run, bits_mask(i + 1));
        index_of(run, ~bits_mask(i));
    }
}

SCENARIO(every_address, "so are the first 65536 addresses: all there are, in the small sets")
{
    for (uint64_t a = 0; a < std::min<uint64_t>(65536, bits_mask(std::min(cfg.AddrW, 17u)) + 1); a++) index_of(run, a);
}

SCENARIO(samples, "and 20000 others, seeded")
{
    Random r(7);
    for (int i = 0; i < 20000; i++) index_of(run, r.u64());
}

SCENARIO(strides, "lines 2^k apart collapse on one set under BMOD, and spread over all under BXOR, D_PRIME and IPOLY")
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

struct Coverage {
    void sample(Cover &cover, const Twin &, const In &in, const Out &out, bool)
    {
        const uint64_t top = bits_mask(cfg.IndexW), c = set_hash_constant(&cfg);
        const bool pmod = cfg.Function == SET_HASH_PMOD;
        const uint64_t last = pmod ? c - 1 : top;
        cover("the first index", out.index_o == 0);
        cover("the last index that is used", out.index_o == last);
        cover("an index beyond it", out.index_o > last, "PMOD leaves them unused, and no other function has any");
        cover("the lowest address", in.addr_i == 0);
        cover("the highest address bit", in.addr_i >> (cfg.AddrW - 1));
        cover("a multiple of 2^k, not 0", in.addr_i && !(in.addr_i & top),
              cfg.AddrW == cfg.IndexW ? "there is none" : nullptr);
        cover("the index is x", out.index_o == (in.addr_i & top));
        cover("the index is not x", out.index_o != (in.addr_i & top),
              is_x() ? "the function is A mod 2^k here" : nullptr);
    }

  private:
    static bool is_x()
    {
        return cfg.Function == SET_HASH_BMOD ||
               (cfg.Function == SET_HASH_PMOD && set_hash_constant(&cfg) == 1u << cfg.IndexW);
    }
};

COSIM_MAIN
