// SPDX-License-Identifier: Apache-2.0
// Random inputs for any block, from its port list alone: each one-bit input has a rate, and wider inputs draw from a
// few values, the same ones for inputs of the same width, so that an address that was asked for comes back.
#pragma once
#include "bench.hpp"

namespace tb
{
class RandomInputs
{
  public:
    explicit RandomInputs(uint64_t seed) : random_(seed), ports_(block_inputs()), rate_(ports_.size())
    {
    }

    // A new stretch; how long it is.
    uint64_t begin()
    {
        static constexpr uint16_t rates[] = {0, 4, 32, 128, 200, 240, 256, 256};
        for (uint16_t &r : rate_) r = rates[random_.below(8)];
        const uint64_t kind = random_.below(3), base = random_.u64();
        pool_.resize(1 + random_.below(1u << random_.below(10)));
        for (size_t i = 0; i < pool_.size(); i++) // neighbours, values that differ in one bit, or anything
            pool_[i] = kind == 0 ? base + i : kind == 1 ? base ^ (uint64_t(i != 0) << i % 64) : random_.u64();
        return (256u << random_.below(6)) + random_.below(64);
    }
    bool chance()
    {
        return random_.below(2);
    }

    In next()
    {
        In in{};
        for (size_t i = 0; i < ports_.size(); i++) put(in, i);
        return in;
    }

  private:
    cosim::Random random_;
    std::vector<port_desc> ports_;
    std::vector<uint16_t> rate_;
    std::vector<uint64_t> pool_;

    void put(In &in, size_t i)
    {
        static constexpr size_t sizes[] = {sizeof(bool), 1, 2, 4, 8}; // by port_kind
        char *to = reinterpret_cast<char *>(&in) + ports_[i].offset;
        if (ports_[i].kind == PORT_KIND_BIT) {
            const bool bit = random_.chance(rate_[i]);
            std::memcpy(to, &bit, sizeof bit);
        } else if (ports_[i].kind == PORT_KIND_W1024) {
            uint32_t words[32];
            random_.words(words);
            if constexpr (sizeof(In) >= sizeof words) // a block without such ports may be smaller
                std::memcpy(to, words, sizeof words);
        } else {
            const uint64_t value = pool_[random_.below(pool_.size())];
            std::memcpy(to, &value, sizes[ports_[i].kind]); // little-endian; step() clips to the width
        }
    }
};
} // namespace tb
