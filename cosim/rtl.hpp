// SPDX-License-Identifier: Apache-2.0
// The Verilated class of a block at one parameter set beside the twin's structs: drive, sample, compare.  All is
// expanded from the port lists, with widths that are known at compile time.
//
// Besides what block.hpp takes, the build defines COSIM_RTL, the Verilated class, and COSIM_SIGNAL(x), the name of
// register x in its root; for RTL whose registers are not compared, COSIM_NO_STATE.
#pragma once
#include "block.hpp"

#include COSIM_TEXT(COSIM_RTL.h)
#include COSIM_TEXT(COSIM_CAT(COSIM_RTL, ___024root).h)

namespace
{
using BlockRtl = COSIM_RTL;

#define COSIM_PUT(kind, name, width, text) cosim::put(rtl.name, in.name);
#define COSIM_GET(kind, name, width, text) cosim::get(out.name, rtl.name);
#define COSIM_DIFFER(kind, name, width, text) any |= cosim::differ(rtl.name, out.name);
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

#ifndef COSIM_NO_STATE
#define COSIM_PART_DIFFER(part, PART) any |= state_of_##part::differ(root, m.part);
#define COSIM_PART_LOAD(part, PART) state_of_##part::load(m.part, root);
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
} // namespace
