// SPDX-License-Identifier: Apache-2.0
// The block-independent part of lockstep: stimulus tapes, failures, coverage, randomness, and the program.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "values.hpp"

extern "C" {
#include "base/error.h"
#include "base/rng.h"
#include "base/vec.h"
#include "system/block/rtl_set.h"
}

namespace cosim
{
// The parameter set of this program, from its arguments: --rtl FILE.so, a set of RTL, or --set FILE, a file of
// parameters that is named like the set.
struct Given {
    std::string set;
    const rtl_set *rtl = nullptr; // NULL: there is none
};
Given &given();
// Refuses the command line: prints the text, exits with status 2.
[[noreturn]] void refuse(const std::string &text);

struct Sizes {
    size_t cfg, in, out, twin; // of the structs of a block
};
void read_parameters(const char *block, uint32_t (*params)(param_desc *), const Sizes &sizes, void *cfg);
// Called before main(): the static variables of a bench depend on the parameters.
template <class Cfg, class In, class Out, class Twin>
Cfg given_parameters(const char *block, uint32_t (*params)(param_desc *))
{
    Cfg cfg{};
    read_parameters(block, params, {sizeof(Cfg), sizeof(In), sizeof(Out), sizeof(Twin)}, &cfg);
    return cfg;
}

// Inputs or outputs of a block, cycle by cycle.
class Tape
{
  public:
    explicit Tape(size_t in_size) : size_(in_size)
    {
    }
    size_t length() const
    {
        return reset_.size();
    }
    bool reset(size_t i) const
    {
        return reset_[i];
    }
    const void *in(size_t i) const
    {
        return &bytes_[i * size_];
    }
    void *in(size_t i)
    {
        return &bytes_[i * size_];
    }
    void clear();
    void push(bool reset, const void *in);
    void erase(size_t from, size_t count);

  private:
    size_t size_;
    std::vector<char> reset_;
    std::vector<unsigned char> bytes_;
};

// A 64-bit random word cut into small decisions, so that each costs no more than a shift.
class Draw
{
  public:
    explicit Draw(uint64_t bits) : bits_(bits)
    {
    }
    uint32_t bits(uint32_t n)
    {
        const uint32_t value = uint32_t(bits_ & ((uint64_t(1) << n) - 1));
        bits_ >>= n;
        return value;
    }
    bool chance(uint32_t of_256)
    {
        return bits(8) < of_256;
    } // 256: always
    uint32_t below(uint32_t n)
    {
        return uint32_t((bits(16) * uint64_t(n)) >> 16);
    } // n <= 2^16

  private:
    uint64_t bits_;
};

class Random
{
  public:
    explicit Random(uint64_t seed)
    {
        rng_seed(&rng_, seed);
    }
    uint64_t u64()
    {
        return rng_u64(&rng_);
    }
    uint64_t below(uint64_t n)
    {
        return rng_below(&rng_, n);
    }
    bool chance(uint32_t of_256)
    {
        return below(256) < of_256;
    }
    Draw draw()
    {
        return Draw(u64());
    }
    void words(uint32_t (&value)[32]) // cheap: words differ but are not independent
    {
        const uint64_t seed = u64();
        for (uint32_t i = 0; i < 32; i++) value[i] = uint32_t(seed >> 32) * (2 * i + 1) ^ uint32_t(seed);
    }

  private:
    struct rng rng_;
};

// Functional coverage.  A sample calls cover(name, expression) for every point, always in the same order.  A point that
// this parameter set cannot reach gives the reason; reaching it is a failure.
class Cover
{
  public:
    struct Point {
        std::string name;
        const char *impossible;
        uint64_t hits;
    };
    void begin()
    {
        next_ = 0;
    }
    void operator()(const char *name, bool hit, const char *impossible = nullptr)
    {
        if (next_ == points_.size()) points_.push_back({name, impossible, 0});
        points_[next_++].hits += hit;
    }
    const std::vector<Point> &points() const
    {
        return points_;
    }
    size_t possible() const;
    size_t reached() const;
    bool contradicted() const; // an impossible point was reached
    std::string table(bool all) const;
    // Appends the possible points to a coverage file of Verilator.
    bool append(const std::string &path, const std::string &block) const;

  private:
    std::vector<Point> points_;
    size_t next_ = 0;
};

// Bits of the inputs that random traffic has driven to 0, and to 1.  A bit with one value tests nothing.  Each
// parameter set counts by itself.
class Driven
{
  public:
    explicit Driven(size_t size) : zero_(size), one_(size)
    {
    }
    void see(const void *in)
    {
        const auto *bytes = static_cast<const uint8_t *>(in);
        for (size_t i = 0; i < one_.size(); i++) {
            zero_[i] |= uint8_t(~bytes[i]);
            one_[i] |= bytes[i];
        }
    }
    // A line for each input that has such bits.
    std::string still(const vec_block &block) const;

  private:
    std::vector<uint8_t> zero_, one_;
};

enum class Sides { Cross, Rtl, Model };

struct Failure {
    bool failed = false;
    uint64_t cycle = 0;
    std::string what;    // "1 of 14 outputs differ"
    std::string details; // the differences, then the last cycles
};

struct Options {
    Sides sides = Sides::Cross;
    uint64_t seed = 1, cycles = 0;
    uint64_t state_every = 0; // 0: every cycle for the first `dense` ones, then less often for larger blocks
    uint64_t dense = 0;       // number of cycles with full state comparison
    uint64_t sampled = 0;     // number of cycles with functional coverage
    Cover *cover = nullptr;
    Driven *driven = nullptr;
    std::string gates, activity; // a netlist takes the place of the RTL; file to which its activity is appended
    Tape *record = nullptr;      // inputs since the last reset, or all
    bool record_all = false;
    Tape *outputs = nullptr; // outputs in the cycles of a record of all
    std::string wave;        // FST file: written for cycles wave_from to wave_to, then the run ends
    uint64_t wave_from = 0, wave_to = 0;
    uint64_t ran = 0; // out: cycles
};

// A block at one parameter set, with its stimulus.
class Bench
{
  public:
    virtual ~Bench() = default;
    virtual vec_block block() const = 0;
    virtual vec_block outputs() const = 0; // the same for outputs
    virtual std::vector<port_desc> registers() const = 0;
    virtual size_t scenarios() const = 0;
    virtual const char *scenario_name(size_t i) const = 0;
    virtual std::string skipped() const = 0; // the scenarios that do not apply, a line
    virtual Failure scenario(size_t i, Options &o) = 0;
    virtual Failure random(Options &o) = 0;
    virtual Failure replay(const Tape &tape, Options &o) = 0;
    virtual void play_bare(const Tape &tape) = 0;  // the RTL alone, not sampled
    virtual void play_model(const Tape &tape) = 0; // the twin alone: eval and tick
};

// The program around a bench, called by COSIM_MAIN of lockstep.hpp.
int run(Bench &bench, int argc, char **argv);

// A save file of GTKWave beside a wave: `mismatch`, the inputs, then each output and register of the RTL beside the
// twin's, with the names of enums.  `module`: of the RTL; NULL: its registers are not the twin's.  `cycle`: the marker.
void write_gtkw(Bench &bench, const std::string &wave, const char *module, uint64_t cycle);

// Shortest tape found that still fails: drops cycles in ever smaller chunks, then zeroes inputs one by one.
Tape shrink(Bench &bench, Tape tape, const Options &o);

// A netlist in place of the RTL: gates.cpp.  The calls of its instances, made by create_random().
const rtl_bench &netlist(const std::string &file, const std::string &activity, const vec_block &inputs,
                         const vec_block &outputs);
void netlist_destroy(void *instance);

// For failure reports: differing values, and rows of ports as a table.
struct Row {
    uint64_t cycle;
    bool reset, bad;
    const void *in, *out;
};
// The values of both sides in the bad cycle: outputs, or registers.
struct Both {
    std::vector<port_desc> ports;
    const void *rtl, *model;
    bool outputs;
};
std::string table(const std::vector<port_desc> &in, const std::vector<port_desc> &out, const std::vector<Row> &rows,
                  const Both *both);
// One line per value of `ports` that differs between the structs; `count`: their number, `total`: of all.
std::string differences(const std::vector<port_desc> &ports, const void *rtl, const void *model, size_t *count,
                        size_t *total);
} // namespace cosim
