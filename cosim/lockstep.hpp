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
#ifdef COSIM_TRACE
#include "twin_wave.hpp"
#endif

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
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Block::Rtl> rtl_;
    std::unique_ptr<Twin> twin_, seen_;
    Moment moments_[kHistory] = {};
    uint64_t now_ = 0;
    bool after_reset_ = true;
#ifdef COSIM_TRACE
    std::unique_ptr<VerilatedFstC> fst_;
    TwinWave twin_wave_;
    Out twin_out_{}; // kept for the wave between an edge and the next inputs
#endif
    void edge(const Moment &m, bool reset);
    void dump(uint64_t half, const In &in);
    void finish();
    [[gnu::cold]] void fail(uint64_t cycle, const std::string &what, const std::string &details);
    [[gnu::cold]] void refuse(const std::string &what) override
    {
        fail(now_ - 1, what, in_step());
    }
    [[gnu::cold]] void fail_outputs();
    [[gnu::cold]] void fail_state();
};

template <class Fill> std::vector<port_desc> descriptors(Fill fill)
{
    std::vector<port_desc> d(fill(&cfg, nullptr));
    fill(&cfg, d.data());
    return d;
}
inline std::vector<port_desc> inputs()
{
    return descriptors(BLOCK_CALL(in_desc));
}
inline std::vector<port_desc> outputs()
{
    return descriptors(BLOCK_CALL(out_desc));
}

// Comparing the state costs about its size, so large blocks do it less often; a failing run is repeated with every
// cycle compared.
inline uint64_t default_state_every()
{
    uint64_t bits = 0;
    for (const port_desc &d : block_registers()) bits += uint64_t(d.width) * d.depth;
    return std::clamp<uint64_t>(bits / 32, 4, 64);
}

inline std::unique_ptr<Block::Rtl> make_rtl(VerilatedContext &context, uint64_t seed)
{
    Verilated::threadContextp(&context);
    context.randReset(2); // with --x-initial unique, every register starts with random bits
    context.randSeed(int(seed % 0x7fffffff) + 1);
#ifdef COSIM_TRACE
    context.traceEverOn(true);
#endif
    auto rtl = std::make_unique<Block::Rtl>(&context, "TOP");
    rtl->clk_i = 0;
    rtl->eval();
    return rtl;
}

inline Lockstep::Lockstep(Options &o, Coverage *coverage)
    : o_(o), coverage_(coverage), state_every_(o.state_every ? o.state_every : default_state_every())
{
    if (o.record) o.record->clear();
    if (o.outputs) o.outputs->clear();
    if (o.sides != Sides::Model) {
        context_ = std::make_unique<VerilatedContext>();
        context_->fatalOnError(false); // a failed assertion is a failure of that cycle
        rtl_ = make_rtl(*context_, o.seed);
    }
    if (o.sides != Sides::Rtl) {
        twin_ = std::make_unique<Twin>();
        BLOCK_CALL(init)(twin_.get(), &cfg);
    }
    // The twin starts in the random state of the RTL.  So reset is compared from any state, and registers without reset
    // are equal from the start and can be compared, too.
    if (o.sides == Sides::Cross) state_load(*twin_, *rtl_->rootp);
    reset();
}

inline void Lockstep::edge(const Moment &m, bool reset)
{
    if (rtl_) {
        rtl_->clk_i = 1;
        rtl_->eval();
        if (context_->gotError()) [[unlikely]]
            fail(now_, "an assertion of the RTL does not hold; Verilator names it above", "");
    }
    if (twin_) {
        if (reset)
            BLOCK_CALL(reset)(twin_.get()); // registers without reset keep their values: the RTL must agree
        else
            BLOCK_CALL(tick)(twin_.get(), &m.in);
    }
    dump(1, m.in);
}

inline void Lockstep::step(Moment &m, bool reset)
{
    block_clip(m.in);
    m.reset = reset;
    if (o_.record) {
        if (reset && !o_.record_all) o_.record->clear();
        o_.record->push(reset, &m.in);
    }
    if (rtl_) {
        block_drive(*rtl_, m.in);
        rtl_->rst_ni = !reset;
        rtl_->clk_i = 0;
        rtl_->eval();
        dump(0, m.in);
    }
    if (twin_)
        BLOCK_CALL(eval)(twin_.get(), &m.in, &m.out);
    else
        block_sample(m.out, *rtl_);
    if (o_.outputs) o_.outputs->push(reset, &m.out);
    // Outputs are valid from the first reset on.
    if (o_.sides == Sides::Cross && now_ > 0 && block_outputs_differ(*rtl_, m.out)) [[unlikely]]
        fail_outputs();
    if (coverage_ && now_ < o_.dense && !reset) {
        o_.cover->begin();
        cover_sample(*coverage_, *o_.cover, *twin_, m.in, m.out, after_reset_);
    }
    edge(m, reset);
    after_reset_ = reset;
    if (o_.sides == Sides::Cross && (reset || --state_due_ == 0)) {
        state_due_ = now_ < o_.dense && !o_.state_every ? 1 : state_every_;
        if (state_differs(*rtl_->rootp, *twin_)) [[unlikely]]
            fail_state();
    }
    now_++;
}

inline void Lockstep::dump([[maybe_unused]] uint64_t half, [[maybe_unused]] const In &in)
{
#ifdef COSIM_TRACE
    if (!rtl_ || o_.wave.empty() || now_ < o_.wave_from) return;
    if (now_ > o_.wave_to) throw Stop{};
    if (!fst_) {
        fst_ = std::make_unique<VerilatedFstC>();
        rtl_->trace(fst_.get(), 99);
        if (twin_) {
            twin_wave_.add(outputs(), &twin_out_);
            twin_wave_.add(block_registers(), twin_.get());
            twin_wave_.attach(*fst_->spTrace());
        }
        fst_->open(o_.wave.c_str());
    }
    if (twin_) BLOCK_CALL(eval)(twin_.get(), &in, &twin_out_);
    fst_->dump(2 * now_ + half);
#endif
}

inline void Lockstep::finish()
{
    o_.ran = now_;
#ifdef COSIM_TRACE
    if (fst_) fst_->close();
#endif
    if (rtl_) rtl_->final();
}

inline void Lockstep::fail(uint64_t cycle, const std::string &what, const std::string &details)
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
    f.details = details + table(inputs(), outputs(), rows);
    throw Mismatch{f};
}

inline void Lockstep::fail_outputs()
{
    Out rtl{};
    block_sample(rtl, *rtl_);
    size_t count, total;
    const std::string text = differences(outputs(), &rtl, &moments_[now_ % kHistory].out, &count, &total);
    fail(now_, std::to_string(count) + " of " + std::to_string(total) + " outputs differ", text);
}

inline void Lockstep::fail_state()
{
    auto rtl = std::make_unique<Twin>();
    state_load(*rtl, *rtl_->rootp);
    size_t count, total;
    const std::string text = differences(block_registers(), rtl.get(), twin_.get(), &count, &total);
    fail(now_, std::to_string(count) + " of " + std::to_string(total) + " registers differ after this cycle", text);
}

// Stretches per reset: two, unless the stimulus defines kResetOneIn.
template <class Stimulus> constexpr uint32_t stretches_per_reset()
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
        }
    }
}

template <class Stimulus, class Cov> class BlockBench final : public Bench
{
  public:
    BlockBench() : in_(inputs()), out_(::cosim::outputs()), params_(BLOCK_CALL(params)(nullptr))
    {
        BLOCK_CALL(params)(params_.data());
    }
    const char *set() const override
    {
        return Block::set;
    }
    const char *select() const override
    {
        return Block::select;
    }
    vec_block block() const override
    {
        return {Block::name, params_.data(), uint32_t(params_.size()), in_.data(), uint32_t(in_.size()), sizeof(In),
                &cfg};
    }
    vec_block outputs() const override
    {
        vec_block b = block();
        b.in = out_.data(), b.in_count = uint32_t(out_.size()), b.in_size = sizeof(Out);
        return b;
    }
    size_t scenarios() const override
    {
        return applicable().size();
    }
    const char *scenario_name(size_t i) const override
    {
        return applicable()[i].text;
    }
    bool traced() const override
    {
#ifdef COSIM_TRACE
        return true;
#else
        return false;
#endif
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
        VerilatedContext context;
        auto rtl = make_rtl(context, 1);
        for (size_t i = 0; i < tape.length(); i++) {
            block_drive(*rtl, *static_cast<const In *>(tape.in(i)));
            rtl->rst_ni = !tape.reset(i);
            rtl->clk_i = 0;
            rtl->eval();
            rtl->clk_i = 1;
            rtl->eval();
        }
        rtl->final();
    }
    void play_model(const Tape &tape) override
    {
        auto twin = std::make_unique<Twin>();
        BLOCK_CALL(init)(twin.get(), &cfg);
        for (size_t i = 0; i < tape.length(); i++) {
            Out out;
            const In &in = *static_cast<const In *>(tape.in(i));
            BLOCK_CALL(eval)(twin.get(), &in, &out);
            if (tape.reset(i))
                BLOCK_CALL(reset)(twin.get());
            else
                BLOCK_CALL(tick)(twin.get(), &in);
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
