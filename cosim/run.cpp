// SPDX-License-Identifier: Apache-2.0
// The lockstep program: directed scenarios, golden files, random traffic, in this order; reports failures.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <unistd.h>

#include "engine.hpp"

namespace cosim
{
namespace
{
struct Arguments {
    Options options;
    std::string vec, write, outputs, keep, make, rtl, coverage, select; // select: further words of make, " RTL=..."
    std::vector<std::string> golden;
    bool cover_table = false, bench = false;
};

// Verilator prints every assertion failure; shrinking a tape causes thousands, so they are silenced.
Tape quietly(const std::function<Tape()> &work)
{
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO), null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    Tape result = work();
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(null);
    return result;
}

uint64_t number(const std::string &key, const char *text)
{
    char *end;
    const uint64_t value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end) refuse(key + ": found \"" + text + "\", expected a number");
    return value;
}

Sides sides(const std::string &text)
{
    if (text == "cross") return Sides::Cross;
    if (text == "rtl") return Sides::Rtl;
    if (text == "model") return Sides::Model;
    refuse("--mode: found \"" + text + "\", expected cross, rtl or model");
}

Arguments parse(int argc, char **argv)
{
    Arguments a;
    a.options.cycles = 5000000;
    for (int i = 1; i < argc; i++) {
        const std::string key = argv[i];
        const auto value = [&] { return i + 1 < argc ? argv[++i] : (refuse(key + " needs a value"), ""); };
        if (key == "--seed")
            a.options.seed = number(key, value());
        else if (key == "--cycles")
            a.options.cycles = number(key, value());
        else if (key == "--state")
            a.options.state_every = number(key, value());
        else if (key == "--mode")
            a.options.sides = sides(value());
        else if (key == "--vec")
            a.vec = value();
        else if (key == "--golden")
            a.golden.push_back(value());
        else if (key == "--write")
            a.write = value();
        else if (key == "--outputs")
            a.outputs = value();
        else if (key == "--keep")
            a.keep = value();
        else if (key == "--rtl")
            a.rtl = value(); // read_parameters() has loaded it
        else if (key == "--set")
            value(); // read_parameters() has read it
        else if (key == "--select")
            a.select = value();
        else if (key == "--gates")
            a.options.gates = value();
        else if (key == "--activity")
            a.options.activity = value();
        else if (key == "--coverage")
            a.coverage = value();
        else if (key == "--make")
            a.make = value();
        else if (key == "--cover")
            a.cover_table = true;
        else if (key == "--bench")
            a.bench = true;
        else
            refuse("unknown argument " + key);
    }
    if (!a.outputs.empty() && a.write.empty()) refuse("--outputs needs --write");
    if (a.rtl.empty() && a.options.gates.empty() && a.options.sides != Sides::Model)
        refuse("found no RTL, expected --rtl FILE.so (make rtl), --gates FILE, or --mode model");
    if (!a.coverage.empty() && !(given().rtl && given().rtl->bench.coverage))
        refuse("--coverage: found no RTL built with coverage, expected --rtl FILE.cover.so (make coverage)");
    return a;
}

// One part of a run: a scenario, a file, or random traffic.  `key` selects it again for the wave.
struct Phase {
    std::string key, title, rerun;
    std::function<Failure(Options &)> body;
};

class Program
{
  public:
    Program(Bench &bench, Arguments a)
        : bench_(bench), a_(std::move(a)), name_(std::string(bench.block().name) + "/" + given().set),
          driven_(bench.block().in_size)
    {
    }

    int main()
    {
        collect();
        if (a_.bench) return bench_speed();
        if (!a_.write.empty()) return write_inputs();
        const auto begin = std::chrono::steady_clock::now();
        cover_.begin();
        for (const Phase &phase : phases_) {
            Options o = a_.options;
            o.dense = kDense;
            o.sampled = a_.coverage.empty() ? kDense : UINT64_MAX;
            if (o.sides != Sides::Rtl) o.cover = &cover_;
            o.driven = &driven_;
            Failure f = phase.body(o);
            if (f.failed) { // the state is not compared in every cycle: find the first bad one
                Options again = a_.options;
                again.state_every = 1;
                if (const Failure first = phase.body(again); first.failed) f = first;
            }
            cycles_ += o.ran;
            if (f.failed) return report(phase, f), 1;
        }
        const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
        const int status = summary(seconds.count());
        if (!a_.coverage.empty()) write_coverage();
        if (traced() && !a_.keep.empty() && a_.options.sides != Sides::Model) passed_waves();
        return status;
    }

  private:
    static constexpr uint64_t kDense =
        500000; // cycles of each phase with coverage and full state comparison; the rest runs at full speed
    static constexpr uint64_t kCoverNeeds = 200000; // shorter runs need not reach every point
    static constexpr uint64_t kWaveBefore = 200, kWaveAfter = 20, kWavePassed = 10000;
    Bench &bench_;
    Arguments a_;
    std::string name_;
    std::vector<Phase> phases_;
    size_t golden_ = 0;
    Cover cover_;
    Driven driven_;
    uint64_t cycles_ = 0;

    // The parameters are no set of the manifest: some points of the coverage may be out of reach.
    static bool custom()
    {
        return given().set.rfind("custom_", 0) == 0;
    }
    // Command line from make: a set of the manifest, or custom parameters.
    std::string selection() const
    {
        const vec_block b = bench_.block();
        std::string text = std::string("BLOCK=") + b.name;
        if (!custom()) return text + " SET=" + given().set + a_.select;
        const auto *cfg = static_cast<const uint32_t *>(b.cfg);
        for (uint32_t i = 0; i < b.param_count; i++)
            text.append(i ? " " : " PARAMS='").append(b.params[i].name).append("=").append(std::to_string(cfg[i]));
        return text + "'" + a_.select;
    }
    std::string make_line() const
    {
        return "make cosim " + selection();
    }

    Tape load(const std::string &path)
    {
        Tape tape(bench_.block().in_size);
        error err{};
        vec_reader *reader = vec_open(path.c_str(), &err);
        const vec_block block = bench_.block();
        std::vector<char> in(block.in_size);
        if (reader && vec_bind(reader, &block, &err))
            for (vec_item item; (item = vec_get(reader, in.data(), &err)) == VEC_CYCLE || item == VEC_RESET;)
                tape.push(item == VEC_RESET, in.data());
        vec_close(reader);
        if (err.text[0]) refuse(err.text);
        return tape;
    }

    // A golden file of another parameter set is for another program.  Any other problem in a file is an error.
    bool mine(const std::string &path)
    {
        const vec_block block = bench_.block();
        error err{};
        vec_reader *reader = vec_open(path.c_str(), &err);
        std::vector<uint32_t> cfg(VEC_PARAMS);
        const bool ok = reader && vec_params(reader, block.name, block.params, block.param_count, cfg.data(), &err);
        vec_close(reader);
        if (!ok) refuse(err.text);
        return !std::memcmp(cfg.data(), block.cfg, 4 * block.param_count);
    }

    void add_file(const std::string &path)
    {
        phases_.push_back({path, "vec=" + path, make_line() + " VEC=" + path,
                           [this, path](Options &o) { return bench_.replay(load(path), o); }});
    }

    void collect()
    {
        const std::string seed = std::to_string(a_.options.seed);
        if (!a_.vec.empty()) return add_file(a_.vec);
        for (size_t i = 0; i < bench_.scenarios() && a_.options.sides == Sides::Cross && !a_.bench; i++)
            phases_.push_back({"scenario" + std::to_string(i),
                               "scenario \"" + std::string(bench_.scenario_name(i)) + "\" seed=" + seed,
                               make_line() + " CYCLES=0 SEED=" + seed + " WAVES=1",
                               [this, i](Options &o) { return bench_.scenario(i, o); }});
        for (const std::string &path : a_.golden)
            if (mine(path)) {
                add_file(path);
                golden_++;
                printf("golden %s\n", path.c_str());
            }
        if (a_.options.cycles)
            phases_.push_back(
                {"random", "seed=" + seed,
                 make_line() + " SEED=" + seed + " CYCLES=" + std::to_string(a_.options.cycles) + " WAVES=1",
                 [this](Options &o) { return bench_.random(o); }});
    }

    int summary(double seconds)
    {
        const Options &o = a_.options;
        const bool counts = o.sides == Sides::Cross && a_.vec.empty();
        const bool complete = cover_.reached() == cover_.possible() && !cover_.contradicted();
        const bool needed = !custom() && o.cycles >= kCoverNeeds;
        const std::string still = a_.vec.empty() && o.cycles ? driven_.still(bench_.block()) : "";
        const bool ok = !counts || (!cover_.contradicted() && ((complete && still.empty()) || !needed));
        char coverage[128] = "";
        if (counts)
            snprintf(coverage, sizeof coverage, "  coverage %zu of %zu (%.0f %%), %zu impossible", cover_.reached(),
                     cover_.possible(),
                     cover_.possible() ? 100.0 * double(cover_.reached()) / double(cover_.possible()) : 100.0,
                     cover_.points().size() - cover_.possible());
        printf("%s cosim %-18s seed=%-4llu %10llu cycles %9.0f cycles/s%s  %zu scenarios, %zu golden%s%s\n",
               ok ? "PASS" : "FAIL", name_.c_str(), (unsigned long long)o.seed, (unsigned long long)cycles_,
               double(cycles_) / std::max(seconds, 1e-9), coverage, counts ? bench_.scenarios() : 0, golden_,
               a_.select.empty() ? "" : " ", a_.select.c_str());
        if (counts) printf("%s", bench_.skipped().c_str());
        if (!ok || a_.cover_table) printf("%s", cover_.table(a_.cover_table).c_str());
        if (!still.empty() && (!ok || a_.cover_table)) printf("%s", still.c_str());
        if (!ok)
            printf("  rerun  %s SEED=%llu CYCLES=%llu COVER=1\n", make_line().c_str(), (unsigned long long)o.seed,
                   (unsigned long long)o.cycles);
        return !ok;
    }

    // Of the RTL, as Verilator counts it, and the points of the bench.
    void write_coverage()
    {
        given().rtl->bench.coverage(a_.coverage.c_str());
        if (!cover_.append(a_.coverage, bench_.block().name)) refuse("--coverage: cannot write " + a_.coverage);
    }

    // The failing stimulus since the last reset, or all of it if that does not fail on its own.
    Tape record(const Phase &phase)
    {
        Tape tape(bench_.block().in_size);
        for (const bool all : {false, true}) {
            Options o = a_.options;
            o.state_every = 1;
            o.record = &tape;
            o.record_all = all;
            phase.body(o);
            Options again = a_.options;
            again.state_every = 1;
            if (bench_.replay(tape, again).failed) break;
        }
        return tape;
    }

    void save(const Tape &tape, const std::string &path, const std::string &comment)
    {
        save(tape, bench_.block(), path, comment);
    }
    static void save(const Tape &tape, const vec_block &block, const std::string &path, const std::string &comment)
    {
        error err{};
        vec_writer *w = vec_create(path.c_str(), &block, comment.c_str(), &err);
        for (size_t i = 0; w && i < tape.length(); i++) vec_put(w, tape.reset(i), tape.in(i));
        if (w) vec_finish(w, &err);
        if (err.text[0]) refuse(err.text);
    }

    static bool traced()
    {
        return given().rtl && given().rtl->bench.wave;
    }

    // The module of the RTL if its registers are the twin's.
    static const char *with_registers()
    {
        return given().rtl->bench.state_differs ? given().rtl->module : nullptr;
    }

    // The traced RTL, which make builds on demand, runs up to the failure.
    bool make_wave(const Phase &phase, const std::string &path, uint64_t at)
    {
        const rtl_set *const plain = given().rtl;
        std::filesystem::remove(path);
        if (!traced() && !load_traced(path + ".log")) return false;
        Options o = a_.options;
        o.wave = path;
        o.wave_from = at < kWaveBefore ? 0 : at - kWaveBefore;
        o.wave_to = at + kWaveAfter;
        o.cycles = std::max(o.cycles, o.wave_to + 2);
        phase.body(o);
        const bool written = std::filesystem::exists(path);
        if (written) write_gtkw(bench_, path, with_registers(), at);
        given().rtl = plain; // faster
        return written;
    }
    bool load_traced(const std::string &log)
    {
        const std::string path = std::filesystem::path(a_.rtl).replace_extension(".waves.so");
        const std::string command = a_.make + " rtl VEC= SET= PARAMS= " + selection() + " WAVES=1 >" + log + " 2>&1";
        error err{};
        if (a_.rtl.empty() || a_.make.empty() || system(command.c_str())) return false;
        const rtl_set *traced = rtl_open(path.c_str(), bench_.block().name, &err);
        if (traced) given().rtl = traced;
        return traced;
    }

    void report(const Phase &phase, const Failure &f)
    {
        printf("FAIL cosim %s  %s cycle=%llu  %s\n%s", name_.c_str(), phase.title.c_str(), (unsigned long long)f.cycle,
               f.what.c_str(), f.details.c_str());
        fflush(stdout);
        if (a_.keep.empty()) return;
        const std::string fst = a_.keep + ".fst", vec = a_.keep + ".vec";
        if (make_wave(phase, fst, f.cycle)) {
            printf("  wave   %s (cycles %llu..%llu), gtkwave %s.gtkw\n", fst.c_str(),
                   (unsigned long long)(f.cycle < kWaveBefore ? 0 : f.cycle - kWaveBefore),
                   (unsigned long long)(f.cycle + kWaveAfter), a_.keep.c_str());
        } else {
            printf("  wave   %s\n",
                   a_.make.empty() ? "none: WAVES=0" : ("could not be made: see " + fst + ".log").c_str());
        }
        printf("  rerun  %s\n", phase.rerun.c_str());
        fflush(stdout);
        keep(phase, f, vec);
    }

    void keep(const Phase &phase, const Failure &f, const std::string &path)
    {
        if (f.what.rfind("not as expected", 0) == 0) return; // a scenario is already short
        const Tape tape = record(phase);
        Options o = a_.options;
        o.state_every = 1;
        const Tape small = quietly([&] { return shrink(bench_, tape, o); });
        const Failure again = bench_.replay(small, o);
        save(small, path,
             "Fails: " + f.what + "\nfrom " + phase.title + ", cycle " + std::to_string(f.cycle) + "; shrunk from " +
                 std::to_string(tape.length()) + " cycles\nrerun  " + make_line() + " VEC=" + path);
        printf("  keep   %s -> tests/golden/%s/  (shrunk from %zu to %zu cycles; replayed: %s)\n", path.c_str(),
               bench_.block().name, tape.length(), small.length(),
               again.failed ? again.what.c_str() : "does NOT fail on its own");
    }

    // Without a failure the wave shows the start of the last phase: random traffic, or the requested file.  Without
    // random cycles, all scenarios and golden files.
    void passed_waves()
    {
        for (size_t i = a_.options.cycles || !a_.vec.empty() ? phases_.size() - 1 : 0; i < phases_.size(); i++) {
            std::string path = a_.keep;
            if (i + 1 < phases_.size()) path.append(".").append(std::to_string(i));
            path.append(".fst");
            Options o = a_.options;
            o.wave = path;
            o.wave_to = kWavePassed - 1;
            phases_[i].body(o);
            write_gtkw(bench_, path, with_registers(), 0);
            printf("  wave   %s (%s, cycles 0..%llu)\n", path.c_str(), phases_[i].title.c_str(),
                   (unsigned long long)std::min(o.ran, kWavePassed) - 1);
        }
    }

    int write_inputs()
    {
        Tape tape(bench_.block().in_size), outputs(bench_.outputs().in_size);
        Options o = a_.options;
        o.record = &tape;
        o.record_all = true;
        o.outputs = &outputs;
        const Failure f = phases_.back().body(o);
        if (f.failed) return report(phases_.back(), f), 1;
        save(tape, a_.write, phases_.back().title);
        if (!a_.outputs.empty()) save(outputs, bench_.outputs(), a_.outputs, "outputs of " + a_.write);
        printf("wrote  %s (%zu cycles)\n", a_.write.c_str(), tape.length());
        return 0;
    }

    // Cycles per second of CPU time.  Bare RTL: the Verilated block with this stimulus only; fed: stimulus from memory;
    // then the twin, fed, and complete lockstep.  Best of several, interleaved.
    int bench_speed()
    {
        constexpr int kRounds = 7;
        Tape tape(bench_.block().in_size);
        Options o = a_.options;
        o.cycles = std::min<uint64_t>(o.cycles, 1 << 17);
        Options record = o, rtl = o;
        record.record = &tape;
        record.record_all = true;
        if (bench_.random(record).failed) refuse(name_ + " fails: make cosim first");
        rtl.sides = Sides::Rtl;
        double bare = 0, fed = 0, model = 0, cross = 0;
        const auto measure = [&](double &best, const auto &body) {
            const clock_t begin = clock();
            body();
            best = std::max(best, double(tape.length()) * CLOCKS_PER_SEC / double(clock() - begin));
        };
        for (int i = 0; i < kRounds; i++) {
            measure(bare, [&] { bench_.random(rtl); });
            measure(fed, [&] { bench_.play_bare(tape); });
            measure(model, [&] { bench_.play_model(tape); });
            measure(cross, [&] { bench_.random(o); });
        }
        printf("bench cosim %-18s bare RTL %9.0f (fed %9.0f)  lockstep %9.0f  twin alone %9.0f cycles/s  lockstep/bare "
               "%.2f\n",
               name_.c_str(), bare, fed, cross, model, cross / bare);
        return 0;
    }
};
} // namespace

int run(Bench &bench, int argc, char **argv)
{
    return Program(bench, parse(argc, argv)).main();
}
} // namespace cosim
