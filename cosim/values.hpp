// SPDX-License-Identifier: Apache-2.0
// Functions for values of C types and for lists of ports.  The generated headers of a block (header.py) call them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

extern "C" {
#include "bits.h"
#include "ports.h"
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

// What `fill` (b_in_desc, b_out_desc or b_state_desc of ports.h) lists.
template <class Fill, class Cfg> std::vector<port_desc> described(Fill fill, const Cfg &cfg)
{
    std::vector<port_desc> d(fill(&cfg, nullptr));
    fill(&cfg, d.data());
    return d;
}

// The name of the enum that the text of a port begins with; "": it is none.
inline std::string enum_of(const port_desc &port)
{
    const std::string text = port.text;
    return text.rfind("enum ", 0) ? "" : text.substr(5, text.find_first_of(" ,:", 5) - 5);
}

// The codes of that enum.
inline std::vector<code_desc> codes_of(const port_desc &port)
{
    const std::string wanted = enum_of(port);
    std::vector<code_desc> found;
    const code_desc *c = port.codes;
    while (c && c->name && !(c->begins && c->name == wanted)) c++;
    if (!wanted.empty() && c && c->name)
        for (c++; !c->begins; c++) found.push_back(*c);
    return found;
}

// Appends the registers of a part at byte `offset` of the twin; names get the prefix.
template <class Fill, class Cfg>
inline void add_part(std::vector<port_desc> &all, Fill fill, const Cfg &cfg, const char *prefix, size_t offset)
{
    static std::deque<std::string> names;
    for (port_desc d : described(fill, cfg)) {
        d.name = names.emplace_back(std::string(prefix) + d.name).c_str();
        d.offset += offset;
        all.push_back(d);
    }
}
} // namespace cosim
