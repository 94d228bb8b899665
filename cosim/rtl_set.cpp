// SPDX-License-Identifier: Apache-2.0
// Compiled once for each block and parameter set that the system harness can have in place of the twin.
#include "block.hpp"
#include "rtl_face.hpp"

namespace
{
class Face final : public RtlFace
{
  public:
    // One thread each: without this, Verilator starts a pool of idle threads for every instance.
    Face() : rtl_((context_.threads(1), Verilated::threadContextp(&context_), &context_), "TOP")
    {
        reset();
    }
    ~Face() override
    {
        Verilated::threadContextp(&context_); // the model's scopes leave the current thread's context
        rtl_.final();
    }

    void reset() override
    {
        in_ = {};
        block_drive(rtl_, in_);
        rtl_.rst_ni = 0;
        clock();
        rtl_.rst_ni = 1;
        settled_ = false;
    }
    void eval(const void *in, void *out) override
    {
        settle(in);
        block_sample(*static_cast<Block::Out *>(out), rtl_);
    }
    void tick(const void *in) override
    {
        settle(in);
        rtl_.clk_i = 1;
        rtl_.eval();
        settled_ = false;
    }

  private:
    VerilatedContext context_;
    Block::Rtl rtl_;
    Block::In in_;
    bool settled_ = false; // clock low and evaluated with in_

    // The harness may evaluate twice in a cycle; it ticks with the inputs of the last evaluation.
    void settle(const void *in)
    {
        if (settled_ && !std::memcmp(&in_, in, sizeof in_)) return;
        std::memcpy(&in_, in, sizeof in_);
        Block::In clipped = in_;
        block_clip(clipped);
        block_drive(rtl_, clipped);
        rtl_.clk_i = 0;
        rtl_.eval();
        settled_ = true;
    }
    void clock()
    {
        rtl_.clk_i = 0;
        rtl_.eval();
        rtl_.clk_i = 1;
        rtl_.eval();
    }
};

RtlFace *create()
{
    return new Face;
}

constexpr RtlSet self = {Block::name, Block::set, &cfg, create};
[[gnu::used, gnu::section("memtwin_rtl_sets")]] const RtlSet *const entry = &self;
} // namespace
