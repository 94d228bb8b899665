// SPDX-License-Identifier: Apache-2.0
// Lockstep of a C twin and its Verilated RTL.  A block adds one file that includes this and its scenarios, and gives
//   struct Stimulus { void begin(Random &); void reset(); void next(Random &, In &in, const In &last_in, const Out &last); }
//   struct Coverage { void sample(Cover &, const Twin &before_the_edge, const In &, const Out &, bool first_after_reset); }
//   COSIM_MAIN
// README.md walks through one.
#pragma once
#include <algorithm>
#include <memory>

#include "run.hpp"

using cosim::Cover;
using cosim::Random;
struct Coverage;
void cover_sample(Coverage &c, Cover &cover, const Twin &m, const In &in, const Out &out, bool first);

namespace cosim
{
struct Mismatch {
    Failure failure;
};
struct Stop {
}; // the end of the wave

struct Moment {
    In in;
    Out out;
    bool reset;
};

inline vec_block listed(const std::vector<param_desc> &params, const std::vector<port_desc> &ports, size_t size)
{
    return {Block::name, params.data(), uint32_t(params.size()), ports.data(), uint32_t(ports.size()), size, &cfg};
}

// An instance of the RTL, or of a netlist in its place.
class Device
{
  public:
    explicit Device(const Options &o)
        : calls_(o.gates.empty() ? given().rtl->bench : netlist_calls(o)),
          destroy_(o.gates.empty() ? given().rtl->ops.destroy : netlist_destroy), self_(calls_.create_random(o.seed))
    {
    }
    ~Device()
    {
        destroy_(self_);
    }
    Device(const Device &) = delete;
    void operator=(const Device &) = delete;

    void clip(In &in) const
    {
        if (calls_.clip)
            calls_.clip(&in); // with widths that are constants there
        else
            block_clip(in);
    }
    void settle(const In &in, bool reset)
    {
        calls_.settle(self_, &in, reset);
    }
    bool edge()
    {
        return calls_.edge(self_);
    }
    void sample(Out &out) const
    {
        calls_.sample(self_, &out);
    }
    bool outputs_differ(const Out &out) const
    {
        return calls_.outputs_differ(self_, &out);
    }
    bool state_differs(const Twin &twin) const
    {
        return calls_.state_differs && calls_.state_differs(self_, &twin);
    }
    void load(Twin &twin) const
    {
        if (calls_.load) calls_.load(self_, &twin);
    }
    void wave(const std::string &path, const Out *out, const Twin *twin)
    {
        calls_.wave(self_, path.c_str(), out, twin);
    }
    void dump(uint64_t time)
    {
        calls_.dump(self_, time);
    }

  private:
    const rtl_bench &calls_;
    void (*destroy_)(void *);
    void *self_;

    static const rtl_bench &netlist_calls(const Options &o)
    {
        static const std::vector<port_desc> in = block_inputs(), out = block_outputs();
        return netlist(o.gates, o.activity, listed({}, in, sizeof(In)), listed({}, out, sizeof(Out)));
    }
};

class Lockstep final : public Run
{
  public:
    Lockstep(Options &o, Coverage *coverage);
    ~Lockstep() override
    {
        finish();
    }

    const Out &cycle(const In &in) override
    {
        Moment &m = next();
        m.in = in;
        step(m, false);
        return m.out;
    }
    void reset(const In &in = In{}) override
    {
        Moment &m = next();
        m.in = in;
        step(m, true);
    }
    const Twin &registers() override
    {
        if (!seen_) seen_ = std::make_unique<Twin>();
        *seen_ = *twin_;
        idle();
        return *seen_;
    }

    const Out &last() const override
    {
        return before().out;
    }
    uint64_t now() const override
    {
        return now_;
    }

    // For random stimulus.
    Moment &next()
    {
        Moment &m = moments_[now_ % kHistory];
        m.in = In{};
        return m;
    }
    const Moment &before() const
    {
        return moments_[(now_ - 1) % kHistory];
    }
    void step(Moment &m, bool reset);

  private:
    static constexpr uint64_t kHistory = 8;
    Options &o_;
    Coverage *coverage_;
    uint64_t state_every_, state_due_ = 1;
    std::unique_ptr<Device> rtl_;
    std::unique_ptr<Twin> twin_, seen_;
    Moment moments_[kHistory] = {};
    uint64_t now_ = 0;
    bool after_reset_ = true, dumping_ = false;
    Out twin_out_{}; // kept for the wave between an edge and the next inputs
    void edge(const Moment &m, bool reset);
    void dump(uint64_t half, const In &in);
    void finish();
    [[gnu::cold]] void fail(uint64_t cycle, const std::string &what, const std::string &details,
                            const Both *both = nullptr);
    [[gnu::cold]] void refuse(const std::string &what) override
    {
        fail(now_ - 1, what, in_step());
    }
    [[gnu::cold]] void fail_outputs();
    [[gnu::cold]] void fail_state();
};

// Comparing the state costs about its size, so large blocks do it less often; a failing run is repeated with every
// cycle compared.
inline uint64_t default_state_every()
{
    uint64_t bits = 0;
    for (const port_desc &d : block_registers()) bits += uint64_t(d.width) * d.depth;
    return std::clamp<uint64_t>(bits / 32, 4, 64);
}

inline Lockstep::Lockstep(Options &o, Coverage *coverage)
    : o_(o), coverage_(coverage), state_every_(o.state_every ? o.state_every : default_state_every())
{
    if (o.record) o.record->clear();
    if (o.outputs) o.outputs->clear();
    if (o.sides != Sides::Model) rtl_ = std::make_unique<Device>(o);
    if (o.sides != Sides::Rtl) {
        twin_ = std::make_unique<Twin>();
        Block::init(twin_.get(), &cfg);
    }
    // The twin starts in the random state of the RTL.  So reset is compared from any state, and registers without reset
    // are equal from the start and can be compared, too.
    if (o.sides == Sides::Cross) rtl_->load(*twin_);
    reset();
}

inline void Lockstep::edge(const Moment &m, bool reset)
{
    if (rtl_ && !rtl_->edge()) [[unlikely]]
        fail(now_, "an assertion of the RTL does not hold; Verilator names it above", "");
    if (twin_) {
        if (reset)
            Block::reset(twin_.get()); // registers without reset keep their values: the RTL must agree
        else
            Block::tick(twin_.get(), &m.in);
    }
    dump(1, m.in);
}

inline void Lockstep::step(Moment &m, bool reset)
{
    if (rtl_)
        rtl_->clip(m.in);
    else
        block_clip(m.in);
    m.reset = reset;
    if (o_.record) {
        if (reset && !o_.record_all) o_.record->clear();
        o_.record->push(reset, &m.in);
    }
    if (rtl_) {
        rtl_->settle(m.in, reset);
        dump(0, m.in);
    }
    if (twin_)
        Block::eval(twin_.get(), &m.in, &m.out);
    else
        rtl_->sample(m.out);
    if (o_.outputs) o_.outputs->push(reset, &m.out);
    // Outputs are valid from the first reset on.
    if (o_.sides == Sides::Cross && now_ > 0 && rtl_->outputs_differ(m.out)) [[unlikely]]
        fail_outputs();
    if (coverage_ && now_ < o_.sampled && !reset) {
        o_.cover->begin();
        cover_sample(*coverage_, *o_.cover, *twin_, m.in, m.out, after_reset_);
    }
    edge(m, reset);
    after_reset_ = reset;
    if (o_.sides == Sides::Cross && (reset || --state_due_ == 0)) {
        state_due_ = now_ < o_.dense && !o_.state_every ? 1 : state_every_;
        if (rtl_->state_differs(*twin_)) [[unlikely]]
            fail_state();
    }
    now_++;
}

inline void Lockstep::dump(uint64_t half, const In &in)
{
    if (!rtl_ || o_.wave.empty() || now_ < o_.wave_from) return;
    if (now_ > o_.wave_to) throw Stop{};
    if (!dumping_) rtl_->wave(o_.wave, &twin_out_, twin_.get());
    dumping_ = true;
    if (twin_) Block::eval(twin_.get(), &in, &twin_out_);
    rtl_->dump(2 * now_ + half);
}

inline void Lockstep::finish()
{
    o_.ran = now_;
}

inline void Lockstep::fail(uint64_t cycle, const std::string &what, const std::string &details, const Both *both)
{
    if (!o_.wave.empty()) return; // the failure is known: the wave continues a little
    std::vector<Row> rows;
    for (uint64_t c = cycle < kHistory - 1 ? 0 : cycle - (kHistory - 1); c <= cycle; c++) {
        const Moment &m = moments_[c % kHistory];
        rows.push_back({c, m.reset, c == cycle, &m.in, &m.out});
    }
    Failure f;
    f.failed = true;
    f.cycle = cycle;
    f.what = what;
    f.details = details + table(block_inputs(), block_outputs(), rows, both);
    throw Mismatch{f};
}

inline void Lockstep::fail_outputs()
{
    Out rtl{};
    rtl_->sample(rtl);
    size_t count, total;
    const Both both = {block_outputs(), &rtl, &moments_[now_ % kHistory].out, true};
    const std::string text = differences(both.ports, both.rtl, both.model, &count, &total);
    fail(now_, std::to_string(count) + " of " + std::to_string(total) + " outputs differ", text, &both);
}

inline void Lockstep::fail_state()
{
    auto rtl = std::make_unique<Twin>();
    rtl_->load(*rtl);
    size_t count, total;
    const Both both = {block_registers(), rtl.get(), twin_.get(), false};
    const std::string text = differences(both.ports, both.rtl, both.model, &count, &total);
    fail(now_, std::to_string(count) + " of " + std::to_string(total) + " registers differ after this cycle", text,
         &both);
}

// Stretches per reset: two, unless the stimulus defines kResetOneIn.
template <class Stimulus> uint32_t stretches_per_reset()
{
    if constexpr (requires { Stimulus::kResetOneIn; })
        return Stimulus::kResetOneIn;
    else
        return 2;
}

// Stretches of 2^8 to 2^13 cycles, each with its own traffic mode, some of them after a reset.
template <class Stimulus> void random_traffic(Lockstep &l, const Options &o)
{
    Random r(o.seed);
    Stimulus stimulus;
    stimulus.reset();
    while (l.now() < o.cycles) {
        stimulus.begin(r);
        if (r.below(stretches_per_reset<Stimulus>()) == stretches_per_reset<Stimulus>() - 1) {
            Moment &m = l.next();
            stimulus.next(r, m.in, l.before().in, l.before().out);
            l.step(m, true);
            stimulus.reset();
        }
        const uint64_t end = std::min(o.cycles, l.now() + (256u << r.below(6)) + r.below(64));
        while (l.now() < end) {
            Moment &m = l.next();
            stimulus.next(r, m.in, l.before().in, l.before().out);
            l.step(m, false);
            if (o.driven && l.now() < o.sampled) o.driven->see(&m.in);
        }
    }
}

template <class Stimulus, class Cov> class BlockBench final : public Bench
{
  public:
    BlockBench() : in_(block_inputs()), out_(block_outputs()), params_(Block::params(nullptr))
    {
        Block::params(params_.data());
    }
    vec_block block() const override
    {
        return listed(params_, in_, sizeof(In));
    }
    vec_block outputs() const override
    {
        return listed(params_, out_, sizeof(Out));
    }
    std::vector<port_desc> registers() const override
    {
        return block_registers();
    }
    size_t scenarios() const override
    {
        return applicable().size();
    }
    const char *scenario_name(size_t i) const override
    {
        return applicable()[i].text;
    }
    std::string skipped() const override
    {
        return skipped_scenarios();
    }
    Failure scenario(size_t i, Options &o) override
    {
        return guarded(o, [&](Lockstep &l) { applicable()[i].body(l); });
    }
    Failure random(Options &o) override
    {
        return guarded(o, [&](Lockstep &l) { random_traffic<Stimulus>(l, o); });
    }
    Failure replay(const Tape &tape, Options &o) override
    {
        return guarded(o, [&](Lockstep &l) {
            for (size_t i = 0; i < tape.length(); i++) {
                Moment &m = l.next();
                std::memcpy(&m.in, tape.in(i), sizeof m.in);
                l.step(m, tape.reset(i));
            }
        });
    }
    void play_bare(const Tape &tape) override
    {
        Device rtl({});
        for (size_t i = 0; i < tape.length(); i++) {
            rtl.settle(*static_cast<const In *>(tape.in(i)), tape.reset(i));
            rtl.edge();
        }
    }
    void play_model(const Tape &tape) override
    {
        auto twin = std::make_unique<Twin>();
        Block::init(twin.get(), &cfg);
        for (size_t i = 0; i < tape.length(); i++) {
            Out out;
            const In &in = *static_cast<const In *>(tape.in(i));
            Block::eval(twin.get(), &in, &out);
            if (tape.reset(i))
                Block::reset(twin.get());
            else
                Block::tick(twin.get(), &in);
        }
    }

  private:
    std::vector<port_desc> in_, out_;
    std::vector<param_desc> params_;

    static std::vector<Scenario> applicable()
    {
        std::vector<Scenario> found;
        for (const Scenario &s : ::scenarios())
            if (s.applies) found.push_back(s);
        return found;
    }
    template <class Body> Failure guarded(Options &o, Body body)
    {
        Cov coverage;
        try {
            Lockstep l(o, o.cover ? &coverage : nullptr);
            body(l);
        } catch (const Mismatch &m) {
            return m.failure;
        } catch (const Stop &) {
        }
        return {};
    }
};
} // namespace cosim

#define COSIM_MAIN                                                                                                     \
    void cover_sample(Coverage &c, Cover &cover, const Twin &m, const In &in, const Out &out, bool first)              \
    {                                                                                                                  \
        c.sample(cover, m, in, out, first);                                                                            \
    }                                                                                                                  \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        cosim::BlockBench<Stimulus, Coverage> bench;                                                                   \
        return cosim::run(bench, argc, argv);                                                                          \
    }
