// SPDX-License-Identifier: Apache-2.0
// The Verilated RTL of one parameter set as a shared object (cmodel/system/block/rtl_set.h), plain and traced.
#include <cstdio>

#include "rtl.hpp"
#ifdef COSIM_TRACE
#include "twin_wave.hpp"
#endif

extern "C" {
#include "system/block/rtl_set.h"
}

namespace
{
#if VM_COVERAGE
// Of each point of the coverage, the most hits in one instance: a bit that changed twice there went both ways.
std::vector<uint32_t> most_hits;
#endif

// Each instance has its own Verilated context, so that instances may run in parallel threads.
class Rtl
{
#if VM_COVERAGE
    auto &points()
    {
        return rtl_.rootp->vlSymsp->__Vcoverage;
    }
#endif
  public:
    // One thread each: without this, Verilator starts a pool of idle threads for every instance.
    Rtl() : rtl_((context_.threads(1), Verilated::threadContextp(&context_), &context_), "TOP")
    {
        reset();
    }
    explicit Rtl(uint64_t seed) : rtl_((random(context_, seed), &context_), "TOP")
    {
        rtl_.clk_i = 0;
        rtl_.eval();
    }
    ~Rtl()
    {
        Verilated::threadContextp(&context_); // the model's scopes leave the current thread's context
#ifdef COSIM_TRACE
        if (fst_) fst_->close();
#endif
#if VM_COVERAGE
        auto &hits = points();
        most_hits.resize(std::size(hits));
        for (size_t i = 0; i < most_hits.size(); i++) most_hits[i] = std::max(most_hits[i], uint32_t(hits[i]));
#endif
        rtl_.final();
    }

    void reset()
    {
        in_ = {};
        settle(in_, true);
        edge();
        rtl_.rst_ni = 1;
    }
    void settle(const In &in, bool reset)
    {
        block_drive(rtl_, in);
        rtl_.rst_ni = !reset;
        rtl_.clk_i = 0;
        rtl_.eval();
    }
    // The machine may evaluate twice in a cycle; it ticks with the inputs of the last evaluation.
    void present(const In &in)
    {
        if (settled_ && !std::memcmp(&in_, &in, sizeof in_)) return;
        std::memcpy(&in_, &in, sizeof in_);
        In clipped = in_;
        block_clip(clipped);
        settle(clipped, false);
        settled_ = true;
    }
    bool edge()
    {
        rtl_.clk_i = 1;
        rtl_.eval();
        settled_ = false;
#if VM_COVERAGE
        if (!std::exchange(was_reset_, true)) std::fill(std::begin(points()), std::end(points()), 0);
#endif
        return !context_.gotError();
    }
    const BlockRtl &verilated() const
    {
        return rtl_;
    }
    void wave([[maybe_unused]] const char *path, [[maybe_unused]] const Out *out, [[maybe_unused]] const Twin *twin)
    {
#ifdef COSIM_TRACE
        fst_ = std::make_unique<VerilatedFstC>();
        rtl_.trace(fst_.get(), 99);
        out_ = out;
        twin_ = twin;
        if (twin) {
            twin_wave_.add_mismatch(&mismatch_);
            twin_wave_.add(block_outputs(), out);
            twin_wave_.add(block_registers(), twin);
            twin_wave_.attach(*fst_->spTrace());
        }
        fst_->open(path);
#endif
    }
    void dump([[maybe_unused]] uint64_t time)
    {
#ifdef COSIM_TRACE
        mismatch_ = twin_ && (block_outputs_differ(rtl_, *out_) || (kState && state_differs(*rtl_.rootp, *twin_)));
        fst_->dump(time);
#endif
    }
    void write_coverage([[maybe_unused]] const char *path)
    {
#if VM_COVERAGE
        std::copy(most_hits.begin(), most_hits.end(), std::begin(points()));
        context_.coveragep()->forcePerInstance(true);
        context_.coveragep()->write(path);
#endif
    }

  private:
    VerilatedContext context_;
    BlockRtl rtl_;
    In in_ = {};
    bool settled_ = false; // clock low and evaluated with in_
#if VM_COVERAGE
    bool was_reset_ = false;
#endif
#ifdef COSIM_TRACE
    std::unique_ptr<VerilatedFstC> fst_;
    cosim::TwinWave twin_wave_;
    const Out *out_ = nullptr;
    const Twin *twin_ = nullptr;
    bool mismatch_ = false;
#endif

    static void random(VerilatedContext &context, uint64_t seed)
    {
        Verilated::threadContextp(&context);
        context.threads(1);
        context.randReset(2); // with --x-initial unique, every register starts with random bits
        context.randSeed(int(seed % 0x7fffffff) + 1);
        context.fatalOnError(false); // a failed assertion is a failure of that cycle
#ifdef COSIM_TRACE
        context.traceEverOn(true);
#endif
    }
};

Rtl &of(void *rtl)
{
    return *static_cast<Rtl *>(rtl);
}
const BlockRtl &verilated(const void *rtl)
{
    return static_cast<const Rtl *>(rtl)->verilated();
}
const In &inputs(const void *in)
{
    return *static_cast<const In *>(in);
}
Out &outputs(void *out)
{
    return *static_cast<Out *>(out);
}

void *create(const void *wanted, struct error *err)
{
    if (!std::memcmp(wanted, &cfg, sizeof cfg)) return new Rtl;
    std::snprintf(err->text, sizeof err->text, "%s: found other parameters than those of set %s", Block::name,
                  Block::set);
    return nullptr;
}
void load(const void *rtl, void *twin)
{
    state_load(*static_cast<Twin *>(twin), *verilated(rtl).rootp);
}
bool differs(const void *rtl, const void *twin)
{
    return state_differs(*verilated(rtl).rootp, *static_cast<const Twin *>(twin));
}
#ifdef COSIM_TRACE
void signals(const char *path, void *to, void (*each)(void *to, const char *name))
{
    void *const wave = fstReaderOpen(path);
    std::vector<std::string> scopes = {""};
    while (const fstHier *h = wave ? fstReaderIterateHier(wave) : nullptr)
        if (h->htyp == FST_HT_SCOPE) {
            scopes.push_back(scopes.back() + h->u.scope.name + ".");
        } else if (h->htyp == FST_HT_UPSCOPE) {
            scopes.pop_back();
        } else if (h->htyp == FST_HT_VAR) {
            std::string name = scopes.back() + h->u.var.name;
            name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
            each(to, name.c_str());
        }
    if (wave) fstReaderClose(wave);
}
#endif
void skip(void *rtl, uint64_t cycles)
{
    const In nothing = {};
    for (uint64_t i = 0; i < cycles; i++) of(rtl).present(nothing), of(rtl).edge();
}
} // namespace

extern "C" [[gnu::visibility("default")]] const rtl_set memtwin_rtl_set = {
    .version = RTL_SET_VERSION,
    .set = Block::set,
    .module = kModule,
    .cfg = &cfg,
    .twin_size = sizeof(Twin),
    .foreign = kForeign,
    .ops = {
        .name = Block::name,
        .face = "rtl",
        .create = create,
        .destroy = [](void *r) { delete static_cast<Rtl *>(r); },
        .reset = [](void *r) { of(r).reset(); },
        .eval = [](void *r, const void *in,
                   void *out) { of(r).present(inputs(in)), block_sample(outputs(out), verilated(r)); },
        .tick = [](void *r, const void *in) { of(r).present(inputs(in)), of(r).edge(); },
        .step =
            [](void *r, const void *in, void *out) {
                of(r).present(inputs(in));
                block_sample(outputs(out), verilated(r));
                of(r).edge();
            },
        .idle = [](const void *) { return false; }, // not visible from outside
        .skip = skip,
        .params = Block::params,
        .in_desc = [](const void *c, port_desc *d) { return Block::in_desc(static_cast<const Cfg *>(c), d); },
        .out_desc = [](const void *c, port_desc *d) { return Block::out_desc(static_cast<const Cfg *>(c), d); },
        .cfg_size = sizeof cfg,
        .in_size = sizeof(In),
        .out_size = sizeof(Out),
    },
    .bench = {
        .create_random = [](uint64_t seed) -> void * { return new Rtl(seed); },
        .clip = [](void *in) { block_clip(*static_cast<In *>(in)); },
        .settle = [](void *r, const void *in, bool reset) { of(r).settle(inputs(in), reset); },
        .sample = [](const void *r, void *out) { block_sample(outputs(out), verilated(r)); },
        .outputs_differ =
            [](const void *r, const void *out) {
                return block_outputs_differ(verilated(r), *static_cast<const Out *>(out));
            },
        .edge = [](void *r) { return of(r).edge(); },
        .load = kState ? load : nullptr,
        .state_differs = kState ? differs : nullptr,
#ifdef COSIM_TRACE
        .wave =
            [](void *r, const char *path, const void *out, const void *twin) {
                of(r).wave(path, static_cast<const Out *>(out), static_cast<const Twin *>(twin));
            },
        .dump = [](void *r, uint64_t time) { of(r).dump(time); },
        .signals = signals,
#else
        .wave = nullptr,
        .dump = nullptr,
        .signals = nullptr,
#endif
#if VM_COVERAGE
        .coverage = [](const char *path) { Rtl(1).write_coverage(path); },
#else
        .coverage = nullptr,
#endif
    },
};
