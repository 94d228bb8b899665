// SPDX-License-Identifier: Apache-2.0
// Signals of a Verilated class beside values of C.
#pragma once
#include "values.hpp"
#include "verilated.h"

namespace cosim
{
template <class C> inline uint64_t low_bits(const C &value)
{
    if constexpr (std::is_same_v<C, Words>)
        return value[0] | uint64_t(value[1]) << 32;
    else
        return value;
}

template <class C> inline uint64_t high_bits(const C &value)
{
    uint32_t any = 0;
    if constexpr (std::is_same_v<C, Words>)
        for (uint32_t i = 2; i < 32; i++) any |= value[i];
    return any;
}

// C value to RTL signal.
template <class S, class C> inline void put(S &signal, const C &value)
{
    signal = S(low_bits(value));
}
template <size_t N> inline void put(VlWide<N> &signal, const Words &value)
{
    std::memcpy(signal.data(), value, 4 * N);
}

// RTL signal to C value.
template <class C, class S> inline void get(C &value, const S &signal)
{
    if constexpr (std::is_same_v<C, Words>) {
        std::memset(value, 0, sizeof value);
        value[0] = uint32_t(signal);
        value[1] = uint32_t(uint64_t(signal) >> 32);
    } else {
        value = C(signal);
    }
}
template <size_t N> inline void get(Words &value, const VlWide<N> &signal)
{
    std::memset(value, 0, sizeof value);
    std::memcpy(value, signal.data(), 4 * N);
}

// Not 0 if they differ; C bits beyond the signal's width must be 0.
template <class S, class C> inline uint64_t differ(const S &signal, const C &value)
{
    return (uint64_t(signal) ^ low_bits(value)) | high_bits(value);
}
template <size_t N> inline uint64_t differ(const VlWide<N> &signal, const Words &value)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < N; i++) any |= signal.data()[i] ^ value[i];
    for (uint32_t i = N; i < 32; i++) any |= value[i];
    return any;
}

// Tables: an array of the RTL, or a packed vector of single bits.
template <uint32_t Depth, class S, size_t N, class C, size_t Max>
inline uint64_t differ_table(const VlUnpacked<S, N> &table, const C (&value)[Max])
{
    static_assert(Depth == N && Depth <= Max, "the RTL's table is not as deep as the list says");
    uint64_t any = 0;
    if constexpr (sizeof(S) == sizeof(C))
        any = std::memcmp(&table[0], value, Depth * sizeof(C)) != 0;
    else
        for (uint32_t i = 0; i < Depth; i++) any |= differ(table[i], value[i]);
    return any;
}
template <uint32_t Depth, class S, size_t N, class C, size_t Max>
inline void get_table(C (&value)[Max], const VlUnpacked<S, N> &table)
{
    for (uint32_t i = 0; i < Depth; i++) get(value[i], table[i]);
}

template <class S> inline bool bit_of(const S &vector, uint32_t i)
{
    return vector >> i & 1;
}
template <size_t N> inline bool bit_of(const VlWide<N> &vector, uint32_t i)
{
    return vector.data()[i / 32] >> i % 32 & 1;
}
template <uint32_t Depth, class S, class C, size_t Max>
inline uint64_t differ_table(const S &vector, const C (&value)[Max])
{
    uint64_t any = 0;
    for (uint32_t i = 0; i < Depth; i++) any |= uint64_t(bit_of(vector, i) ^ (value[i] != 0));
    return any;
}
template <uint32_t Depth, class S, class C, size_t Max> inline void get_table(C (&value)[Max], const S &vector)
{
    for (uint32_t i = 0; i < Depth; i++) value[i] = C(bit_of(vector, i));
}
} // namespace cosim
