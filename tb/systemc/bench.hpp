// SPDX-License-Identifier: Apache-2.0
// One block at one parameter set: its Verilated RTL (--rtl FILE.so) and its twin on the same signals.  A thread drives
// them; in the middle of every cycle all outputs and all registers of the two are compared.
//
// A block's scenarios are those of lockstep, cosim/blocks/<block>/scenarios.cpp, which main.cpp includes.
#pragma once
#include "pins.hpp"
#include "run.hpp"

#include <functional>
#include <memory>

namespace tb
{
struct Failed {
    cosim::Failure failure;
};

struct Moment {
    In in;
    Out out;
    bool reset;
};

// A value on a pin, with noise on the bits of the pin's type beyond the port's width, which must be ignored.
template <uint32_t Width> twin::Pin<Width> dirty(const twin::Pin<Width> &pin, [[maybe_unused]] uint64_t noise)
{
    if constexpr (Width == 1 || Width == 32 || Width >= 64)
        return pin;
    else
        return twin::Pin<Width>(pin | noise << Width);
}

// The calls of a set of RTL as the model of a module with pins.
class RtlModel
{
  public:
    RtlModel(const rtl_set &set, uint64_t seed) : set_(set), self_(set.bench.create_random(seed))
    {
    }
    ~RtlModel()
    {
        set_.ops.destroy(self_);
    }
    RtlModel(const RtlModel &) = delete;
    void operator=(const RtlModel &) = delete;

    void settle(const In &in, bool reset, Out &out)
    {
        set_.bench.settle(self_, &in, reset);
        set_.bench.sample(self_, &out);
    }
    void edge(const In &in, bool reset)
    {
        set_.bench.settle(self_, &in, reset);
        holds_ = set_.bench.edge(self_) && holds_;
    }
    void load(Twin &twin) const
    {
        if (set_.bench.load) set_.bench.load(self_, &twin);
    }
    bool differs(const Twin &twin) const
    {
        return set_.bench.state_differs && set_.bench.state_differs(self_, &twin);
    }
    bool known() const // its registers are the twin's; else it starts in another state, and reset makes outputs equal
    {
        return set_.bench.load;
    }
    bool holds() const // no assertion of the RTL has failed
    {
        return holds_;
    }

  private:
    const rtl_set &set_;
    void *const self_;
    bool holds_ = true;
};

class Bench final : public sc_core::sc_module, public Run
{
  public:
    using Inputs = TwinModule::Inputs;
    using Outputs = TwinModule::Outputs;
    sc_core::sc_clock clk{"clk", sc_core::sc_time(2, sc_core::SC_NS), 0.5, sc_core::sc_time(1, sc_core::SC_NS)};
    sc_core::sc_signal<bool> rst_n{"rst_n"};
    Inputs in;
    Outputs from_rtl, from_twin;

    SC_HAS_PROCESS(Bench);
    Bench(const sc_core::sc_module_name &name, const rtl_set &rtl, uint64_t seed, std::function<void(Bench &)> body);

    const Out &cycle(const In &inputs) override
    {
        return step(inputs, false);
    }
    void reset(const In &inputs = In{}) override
    {
        step(inputs, true);
    }
    const Twin &registers() override
    {
        snapshot_ = true;
        idle();
        snapshot_ = false;
        return *twin_state_;
    }

    const Out &last() const override
    {
        return moments_[(now_ - 1) % kHistory].out;
    }
    uint64_t now() const override
    {
        return now_ - begun_;
    }
    void begin()
    {
        begun_ = now_;
    }
    void trace(sc_core::sc_trace_file *file);
    // After a failure: registers that differ would go on differing.
    void resynchronise()
    {
        snapshot_ = false;
        rst_n.write(false);
        wait(clk.negedge_event());
        rtl_.model().load(twin_.model().state());
        wait(clk.posedge_event());
    }

  private:
    static constexpr uint64_t kHistory = 8;
    PinModule<RtlModel> rtl_;
    TwinModule twin_;
    std::function<void(Bench &)> body_;
    std::unique_ptr<Twin> rtl_state_, twin_state_;
    Moment moments_[kHistory] = {};
    uint64_t now_ = 0, begun_ = 0, noise_ = 0;
    bool snapshot_ = false;

    void thread()
    {
        wait(clk.posedge_event()); // reset is on
        body_(*this);
        sc_core::sc_stop();
    }
    const Out &step(const In &inputs, bool reset);
    void drive(const In &values)
    {
        const auto write = [this](auto port, auto &pin, const auto &value) {
            pin.write(dirty<port.width>(twin::to_pin<port.width>(value), noise_));
        };
        each_input(write, in, values);
    }
    static void sample(Out &values, const Outputs &pins)
    {
        const auto read = [](auto port, auto &value, const auto &pin) {
            twin::from_pin<port.width>(value, pin.read());
        };
        each_output(read, values, pins);
    }
    bool outputs_differ() const
    {
        bool differ = false;
        each_output([&](auto, const auto &a, const auto &b) { differ |= a.read() != b.read(); }, from_rtl, from_twin);
        return differ;
    }
    [[gnu::cold]] void refuse(const std::string &what) override
    {
        fail(now_ - 1, what, in_step());
    }
    [[noreturn, gnu::cold]] void fail(uint64_t cycle, const std::string &what, const std::string &details,
                                      const cosim::Both *both = nullptr);
    [[gnu::cold]] void fail_outputs(const Out &model);
    [[gnu::cold]] void fail_registers();
};

inline Bench::Bench(const sc_core::sc_module_name &name, const rtl_set &rtl, uint64_t seed,
                    std::function<void(Bench &)> body)
    : sc_core::sc_module(name), rtl_("rtl", rtl, seed), twin_("twin"), body_(std::move(body)), rtl_state_(new Twin{}),
      twin_state_(new Twin{})
{
    rtl_.clk_i(clk), twin_.clk_i(clk);
    rtl_.rst_ni(rst_n), twin_.rst_ni(rst_n);
    const auto bind = [](auto, auto &pin, auto &signal) { pin(signal); };
    each_input(bind, rtl_, in);
    each_output(bind, rtl_, from_rtl);
    twin_.bind(in, from_twin);
    // The RTL starts with random bits in every register and the twin with the same ones, so that what has no reset is
    // compared too.
    rtl_.model().load(twin_.model().state());
    SC_THREAD(thread);
    set_stack_size(1 << 20);
}

inline const Out &Bench::step(const In &inputs, bool reset)
{
    Moment &m = moments_[now_ % kHistory];
    m.in = inputs;
    m.reset = reset;
    block_clip(m.in);
    noise_ = noise_ * 6364136223846793005u + 1442695040888963407u;
    drive(m.in);
    rst_n.write(!reset);
    wait(clk.negedge_event()); // outputs have settled, registers are those of this cycle
    sample(m.out, from_twin);
    if ((now_ > 0 || rtl_.model().known()) && outputs_differ()) fail_outputs(m.out);
    if (rtl_.model().differs(twin_.model().state())) fail_registers();
    if (!rtl_.model().holds()) fail(now_, "an assertion of the RTL does not hold; Verilator names it above", "");
    if (snapshot_) *twin_state_ = twin_.model().state(); // equal to the RTL's
    wait(clk.posedge_event());
    now_++;
    return m.out;
}

inline void Bench::fail(uint64_t cycle, const std::string &what, const std::string &details, const cosim::Both *both)
{
    std::vector<cosim::Row> rows;
    for (uint64_t c = std::max(begun_, cycle < kHistory - 1 ? 0 : cycle - (kHistory - 1)); c <= cycle; c++) {
        const Moment &m = moments_[c % kHistory];
        rows.push_back({c - begun_, m.reset, c == cycle, &m.in, &m.out});
    }
    cosim::Failure f;
    f.failed = true;
    f.cycle = cycle - begun_;
    f.what = what;
    f.details = details + cosim::table(block_inputs(), block_outputs(), rows, both);
    throw Failed{f};
}

inline void Bench::fail_outputs(const Out &model)
{
    Out rtl{};
    sample(rtl, from_rtl);
    size_t count, total;
    const cosim::Both both = {block_outputs(), &rtl, &model, true};
    const std::string text = cosim::differences(both.ports, both.rtl, both.model, &count, &total);
    fail(now_, std::to_string(count) + " of " + std::to_string(total) + " outputs differ", text, &both);
}

inline void Bench::fail_registers()
{
    rtl_.model().load(*rtl_state_);
    size_t count, total;
    const cosim::Both both = {block_registers(), rtl_state_.get(), &twin_.model().state(), false};
    const std::string text = cosim::differences(both.ports, both.rtl, both.model, &count, &total);
    fail(now_, std::to_string(count) + " of " + std::to_string(total) + " registers differ in this cycle", text, &both);
}

inline void Bench::trace(sc_core::sc_trace_file *file)
{
    sc_core::sc_trace(file, clk, "clk");
    sc_core::sc_trace(file, rst_n, "rst_n");
    const auto pin = [&](const std::string &prefix) {
        return [file, prefix](auto port, const auto &p) { sc_core::sc_trace(file, p, prefix + port.name); };
    };
    each_input(pin("in."), in);
    each_output(pin("rtl."), from_rtl);
    each_output(pin("twin."), from_twin);
}

} // namespace tb
