// SPDX-License-Identifier: Apache-2.0
// One block at one parameter set, as C++ sees it: the twin's structs, the Verilated class, and drive, sample and
// compare between the two, all expanded from the block's port lists with widths that are known at compile time.
//
// The build defines (rules.py): COSIM_BLOCK dl_mshr, COSIM_LIST DL_MSHR, COSIM_SET c.Sets = 2; ..., COSIM_SET_NAME
// "tiny", COSIM_RTL the Verilated class, COSIM_SIGNAL(x), the name of register x in its root, and for a block made of
// others COSIM_PARTS, a file that includes state.hpp for each of them.  For RTL from outside the tree COSIM_SELECT, the
// words of make that name it, and COSIM_NO_STATE if its registers are not compared.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#ifndef COSIM_TWIN // the twin alone: nothing here needs the RTL
#include "verilated.h"
#endif

#define COSIM_CAT_(a, b) a##b
#define COSIM_CAT(a, b) COSIM_CAT_(a, b)
#define COSIM_TEXT_(a) #a
#define COSIM_TEXT(a) COSIM_TEXT_(a)

#ifdef COSIM_NETLIST
#include "gates.hpp"
#elif !defined(COSIM_TWIN)
#include COSIM_TEXT(COSIM_RTL.h)
#include COSIM_TEXT(COSIM_CAT(COSIM_RTL, ___024root).h)
#endif
extern "C" {
#include COSIM_TEXT(COSIM_BLOCK.h)
}

namespace cosim
{
// A C value of kind W1024, and a Verilated signal of up to 32, up to 64 or more bits.
using Words = uint32_t[32];

template <uint32_t Width> constexpr uint32_t word_mask(uint32_t word)
{
    return uint32_t(Width >= 32 * (word + 1) ? ~0u : Width <= 32 * word ? 0 : bits_mask(Width - 32 * word));
}

template <uint32_t Width, class C> inline void clip(C &value)
{
    if constexpr (std::is_same_v<C, Words>) {
        for (uint32_t i = 0; i < 32; i++) value[i] &= word_mask<Width>(i);
    } else if constexpr (!std::is_same_v<C, bool>) {
        value = C(value & bits_mask(Width));
    }
}

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

#ifndef COSIM_TWIN
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

#ifdef COSIM_NETLIST // its ports are C values
inline void put(Words &signal, const Words &value)
{
    std::memcpy(signal, value, sizeof signal);
}
inline void get(Words &value, const Words &signal)
{
    std::memcpy(value, signal, sizeof value);
}
inline uint64_t differ(const Words &signal, const Words &value)
{
    return std::memcmp(signal, value, sizeof signal) != 0;
}
#endif

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

#endif

// Appends the fields that `fill` (a b_state_desc) lists, for a block at byte `offset` of the struct; names get the
// prefix.
template <class Fill, class Cfg>
inline void list_registers(std::vector<port_desc> &all, Fill fill, const Cfg *cfg, const char *prefix, size_t offset)
{
    static std::deque<std::string> names;
    std::vector<port_desc> own(fill(cfg, nullptr));
    fill(cfg, own.data());
    for (port_desc &d : own) {
        d.name = names.emplace_back(std::string(prefix) + d.name).c_str();
        d.offset += offset;
        all.push_back(d);
    }
}
} // namespace cosim

#define COSIM_DESC(b, B) BLOCK_DESC(b, B)
COSIM_DESC(COSIM_BLOCK, COSIM_LIST)
#define BLOCK_CALL(what) COSIM_CAT(COSIM_BLOCK, _##what)

#ifdef COSIM_NETLIST
#define COSIM_NAME(kind, name, width, text) #name,
#define COSIM_DRIVE(kind, name, width, text) gates_.drive(place_[i++], &name);
#define COSIM_SAMPLE(kind, name, width, text) gates_.sample(place_[i++], &name, sizeof name);
namespace cosim
{
// A netlist with the ports and calls of a Verilated block.
class Netlist
{
  public:
    uint8_t clk_i = 0, rst_ni = 0;
    COSIM_CAT(COSIM_LIST, _IN)(PORT_FIELD) COSIM_CAT(COSIM_LIST, _OUT)(PORT_FIELD) Netlist *rootp = this;

    Netlist(VerilatedContext *context, const char *) : gates_(uint64_t(context->randSeed()))
    {
        for (std::vector<std::string> names :
             {std::vector<std::string>{COSIM_CAT(COSIM_LIST, _IN)(COSIM_NAME) "rst_ni"},
              std::vector<std::string>{COSIM_CAT(COSIM_LIST, _OUT)(COSIM_NAME)}}) {
            const std::vector<std::string> listed = names;
            std::sort(names.begin(), names.end());
            for (const std::string &name : listed)
                place_.push_back(size_t(std::find(names.begin(), names.end(), name) - names.begin()));
        }
    }
    void eval()
    {
        if (clk_i) {
            gates_.edge();
            return;
        }
        size_t i = 0;
        COSIM_CAT(COSIM_LIST, _IN)(COSIM_DRIVE) gates_.drive(place_[i++], &rst_ni);
        gates_.settle();
        COSIM_CAT(COSIM_LIST, _OUT)(COSIM_SAMPLE)
    }
    void final()
    {
    }

  private:
    cosim::Gates gates_;
    std::vector<size_t> place_; // of each port of the lists, inputs with reset, then outputs
};
} // namespace cosim
#undef COSIM_RTL
#define COSIM_RTL cosim::Netlist
#endif

// One namespace per file: a program may hold several parameter sets of a block.
namespace
{
struct Block {
    using Cfg = struct COSIM_CAT(COSIM_BLOCK, _cfg);
    using In = struct COSIM_CAT(COSIM_BLOCK, _in);
    using Out = struct COSIM_CAT(COSIM_BLOCK, _out);
    using Twin = struct COSIM_BLOCK;
#ifndef COSIM_TWIN
    using Rtl = COSIM_RTL;
#endif
    static constexpr const char *name = COSIM_TEXT(COSIM_BLOCK);
    static constexpr const char *set = COSIM_SET_NAME;
#ifdef COSIM_SELECT
    static constexpr const char *select = COSIM_SELECT;
#else
    static constexpr const char *select = "";
#endif
};
using In = Block::In;
using Out = Block::Out;
using Twin = Block::Twin;

// Defaults from the list, then the parameter set; an unknown name is a compile error.
constexpr Block::Cfg block_cfg()
{
    Block::Cfg c{};
#define COSIM_DEFAULT(name, def, min, max, text) c.name = def;
    COSIM_CAT(COSIM_LIST, _PARAM)(COSIM_DEFAULT) COSIM_SET return c;
}
inline constexpr Block::Cfg cfg = block_cfg();
inline constexpr const Block::Cfg *p = &cfg; // the lists' widths are expressions over p

#define COSIM_RANGE(name, def, min, max, text)                                                                         \
    static_assert(int64_t(cfg.name) >= (min) && cfg.name <= (max), "parameter " #name " of this set is out of range");
COSIM_CAT(COSIM_LIST, _PARAM)
(COSIM_RANGE)

#define COSIM_CLIP(kind, name, width, text) cosim::clip<(width)>(in.name);
#define COSIM_PUT(kind, name, width, text) cosim::put(rtl.name, in.name);
#define COSIM_GET(kind, name, width, text) cosim::get(out.name, rtl.name);
#define COSIM_DIFFER(kind, name, width, text) any |= cosim::differ(rtl.name, out.name);

    // Inputs are cut to their widths.  Functions that touch ports are templates: the ports of `verilator --sc` are not
    // plain values, and tb/systemc, which uses other types for them, shares the rest of this file.
    inline void block_clip(Block::In &in)
{
    COSIM_CAT(COSIM_LIST, _IN)(COSIM_CLIP)
}
#ifndef COSIM_TWIN
template <class Rtl> inline void block_drive(Rtl &rtl, const Block::In &in)
{
    COSIM_CAT(COSIM_LIST, _IN)(COSIM_PUT)
}
template <class Rtl> inline void block_sample(Block::Out &out, const Rtl &rtl)
{
    COSIM_CAT(COSIM_LIST, _OUT)(COSIM_GET)
}
template <class Rtl> inline bool block_outputs_differ(const Rtl &rtl, const Block::Out &out)
{
    uint64_t any = 0;
    COSIM_CAT(COSIM_LIST, _OUT)(COSIM_DIFFER) return any != 0;
}

// A register or table of width or depth 0 does not exist in the RTL: C must keep it 0.
#define COSIM_REG_DIFFER(kind, name, width, text)                                                                      \
    if constexpr ((width) > 0)                                                                                         \
        any |= cosim::differ(root.STATE_SIGNAL(name), m.name);                                                         \
    else                                                                                                               \
        any |= cosim::low_bits(m.name) | cosim::high_bits(m.name);
#define COSIM_MEM_DIFFER(kind, name, width, max, depth, text)                                                          \
    if constexpr ((width) > 0 && (depth) > 0) any |= cosim::differ_table<(depth)>(root.STATE_SIGNAL(name), m.name);
#define COSIM_REG_GET(kind, name, width, text)                                                                         \
    if constexpr ((width) > 0) cosim::get(m.name, root.STATE_SIGNAL(name));
#define COSIM_MEM_GET(kind, name, width, max, depth, text)                                                             \
    if constexpr ((width) > 0 && (depth) > 0) cosim::get_table<(depth)>(m.name, root.STATE_SIGNAL(name));

#if defined COSIM_NETLIST ||                                                                                           \
    defined COSIM_NO_STATE // only outputs are compared: the registers have other names, or none
template <class Root> inline bool state_differs(const Root &, const Block::Twin &)
{
    return false;
}
template <class Root> inline void state_load(Block::Twin &, const Root &)
{
}
#endif
#ifdef COSIM_NETLIST
inline std::vector<port_desc> block_registers()
{
    return {};
}
#else
#define STATE_TWIN COSIM_BLOCK
#define STATE_LIST COSIM_LIST
#define STATE_CFG cfg
#define STATE_SIGNAL(x) COSIM_SIGNAL(x)
#include "state.hpp"
#ifdef COSIM_PARTS
#include COSIM_PARTS
#define COSIM_PART_DIFFER(part, PART) any |= state_of_##part::differ(root, m.part);
#define COSIM_PART_LOAD(part, PART) state_of_##part::load(m.part, root);
#define COSIM_PART_LIST(part, PART) state_of_##part::list(all, #part ".", offsetof(Block::Twin, part));
#define COSIM_EACH_PART(what) COSIM_CAT(COSIM_LIST, _PARTS)(what)
#else
#define COSIM_EACH_PART(what)
#endif
#ifndef COSIM_NO_STATE
template <class Root> inline bool state_differs(const Root &root, const Block::Twin &m)
{
    bool any = COSIM_CAT(state_of_, COSIM_BLOCK)::differ(root, m);
    COSIM_EACH_PART(COSIM_PART_DIFFER) return any;
}
template <class Root> inline void state_load(Block::Twin &m, const Root &root)
{
    COSIM_CAT(state_of_, COSIM_BLOCK)::load(m, root);
    COSIM_EACH_PART(COSIM_PART_LOAD)
}
#endif
inline std::vector<port_desc> block_registers()
{
    std::vector<port_desc> all;
    COSIM_CAT(state_of_, COSIM_BLOCK)::list(all, "", 0);
    COSIM_EACH_PART(COSIM_PART_LIST) return all;
}
#endif
#endif
} // namespace
