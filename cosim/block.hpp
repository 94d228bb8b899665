// SPDX-License-Identifier: Apache-2.0
// One block in a test bench: the structs of its twin, its parameters `cfg`, and the expansions of its port lists.
//
// The build defines (rules.py): COSIM_BLOCK dl_mshr, COSIM_LIST DL_MSHR, and for a block made of others COSIM_PARTS, a
// file that includes state.hpp for each of them.  What is compiled for one parameter set (the RTL, SystemC) has
// COSIM_SET c.Sets = 2; ... and COSIM_SET_NAME "tiny" as well, so that widths are constants.  Lockstep and the twin
// alone are compiled once for a block; they take the parameters from their arguments, before any other variable is
// initialised.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#ifndef COSIM_SET
#include "engine.hpp"
#endif
#ifdef COSIM_RTL
#include "signals.hpp"
#endif

#define COSIM_CAT_(a, b) a##b
#define COSIM_CAT(a, b) COSIM_CAT_(a, b)
#define COSIM_TEXT_(a) #a
#define COSIM_TEXT(a) COSIM_TEXT_(a)

extern "C" {
#include COSIM_TEXT(COSIM_BLOCK.h)
}

namespace cosim
{
using Words = uint32_t[32]; // a C value of kind W1024

constexpr uint32_t word_mask(uint32_t width, uint32_t word)
{
    return uint32_t(width >= 32 * (word + 1) ? ~0u : width <= 32 * word ? 0 : bits_mask(width - 32 * word));
}

template <class C> inline void clip(C &value, uint32_t width)
{
    if constexpr (std::is_same_v<C, Words>) {
        for (uint32_t i = 0; i < 32; i++) value[i] &= word_mask(width, i);
    } else if constexpr (!std::is_same_v<C, bool>) {
        value = C(value & bits_mask(width));
    }
}

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

// One namespace per file: a program may hold several parameter sets of a block.
namespace
{
struct Block {
    using Cfg = struct COSIM_CAT(COSIM_BLOCK, _cfg);
    using In = struct COSIM_CAT(COSIM_BLOCK, _in);
    using Out = struct COSIM_CAT(COSIM_BLOCK, _out);
    using Twin = struct COSIM_BLOCK;
    static constexpr const char *name = COSIM_TEXT(COSIM_BLOCK);
};
using In = Block::In;
using Out = Block::Out;
using Twin = Block::Twin;

#ifdef COSIM_SET
// Defaults from the list, then the parameter set; an unknown name is a compile error.
constexpr Block::Cfg block_cfg()
{
    Block::Cfg c{};
#define COSIM_DEFAULT(name, def, min, max, text) c.name = def;
    COSIM_CAT(COSIM_LIST, _PARAM)(COSIM_DEFAULT) COSIM_SET return c;
}
#define COSIM_CONST inline constexpr const
COSIM_CONST Block::Cfg cfg = block_cfg();

#define COSIM_RANGE(name, def, min, max, text)                                                                         \
    static_assert(int64_t(cfg.name) >= (min) && cfg.name <= (max), "parameter " #name " of this set is out of range");
COSIM_CAT(COSIM_LIST, _PARAM)
(COSIM_RANGE)
#else
#define COSIM_CONST [[maybe_unused]] static const
COSIM_CONST Block::Cfg cfg = cosim::given_parameters<Block>(BLOCK_CALL(params));
#endif
    COSIM_CONST Block::Cfg *p = &cfg; // the lists' widths are expressions over p

#define COSIM_CLIP(kind, name, width, text) cosim::clip(in.name, (width));

// Inputs are cut to their widths.
inline void block_clip(Block::In &in)
{
    COSIM_CAT(COSIM_LIST, _IN)(COSIM_CLIP)
}

#define STATE_TWIN COSIM_BLOCK
#define STATE_LIST COSIM_LIST
#define STATE_CFG cfg
#define STATE_SIGNAL(x) COSIM_SIGNAL(x)
#include "state.hpp"
#ifdef COSIM_PARTS
#include COSIM_PARTS
#define COSIM_PART_LIST(part, PART) state_of_##part::list(all, #part ".", offsetof(Block::Twin, part));
#define COSIM_EACH_PART(what) COSIM_CAT(COSIM_LIST, _PARTS)(what)
#else
#define COSIM_EACH_PART(what)
#endif

inline std::vector<port_desc> block_registers()
{
    std::vector<port_desc> all;
    COSIM_CAT(state_of_, COSIM_BLOCK)::list(all, "", 0);
    COSIM_EACH_PART(COSIM_PART_LIST) return all;
}

template <class Fill> std::vector<port_desc> descriptors(Fill fill)
{
    std::vector<port_desc> d(fill(&cfg, nullptr));
    fill(&cfg, d.data());
    return d;
}
inline std::vector<port_desc> block_inputs()
{
    return descriptors(BLOCK_CALL(in_desc));
}
inline std::vector<port_desc> block_outputs()
{
    return descriptors(BLOCK_CALL(out_desc));
}
} // namespace
