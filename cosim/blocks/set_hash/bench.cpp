// SPDX-License-Identifier: Apache-2.0
// set_hash in lockstep: small addresses all of them, wide ones at random and along strides.
#include "lockstep.hpp"
#include "scenarios.cpp"

struct Stimulus {
    // A new stretch: sequential addresses, a stride of 2^n lines, single bits, or random.
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
