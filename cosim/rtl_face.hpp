// SPDX-License-Identifier: Apache-2.0
// The Verilated RTL of one parameter set behind the calls of system/block/block_ops.h.
#pragma once

extern "C" {
#include "system/block/block_ops.h"
}

// An instance; each has its own Verilated context, so that instances may run in parallel threads.
class RtlFace
{
  public:
    virtual ~RtlFace() = default;
    virtual void reset() = 0;
    virtual void eval(const void *in, void *out) = 0;
    virtual void tick(const void *in) = 0;
};

// One per linked set; rtl_block.cpp finds them in a linker section.
struct RtlSet {
    const char *block, *set;
    const void *cfg; // struct b_cfg
    RtlFace *(*create)();
};
