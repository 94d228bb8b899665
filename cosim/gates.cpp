// SPDX-License-Identifier: Apache-2.0
// A netlist in place of the RTL: one clock, three-input truth tables in topological order, flip-flops; counts toggles
// of selected nets.  synth/gates.py writes the file.  Interpreted, because compiling a netlist takes minutes and
// Verilator simulates some netlists wrongly.
#include <algorithm>
#include <cstdio>

#include "engine.hpp"

namespace cosim
{
namespace
{
class Gates
{
  public:
    Gates(std::string file, std::string activity, uint64_t seed)
        : file_(std::move(file)), activity_(std::move(activity))
    {
        load();
        randomise(seed);
    }
    ~Gates()
    {
        if (!activity_.empty() && cycles_) write_activity();
    }

    // Ports by index in alphabetical order, without the clock; bit 0 is the least significant.
    void drive(size_t port, const void *value)
    {
        const uint8_t *bytes = static_cast<const uint8_t *>(value);
        const std::vector<uint32_t> &nets = inputs_.at(port);
        for (uint32_t k = 0; k < nets.size(); k++) value_[nets[k]] = bytes[k / 8] >> k % 8 & 1;
    }
    void sample(size_t port, void *value, size_t size) const
    {
        uint8_t *bytes = static_cast<uint8_t *>(value);
        const std::vector<uint32_t> &nets = outputs_.at(port);
        std::memset(bytes, 0, size);
        for (uint32_t k = 0; k < nets.size(); k++) bytes[k / 8] |= uint8_t(value_[nets[k]] << k % 8);
    }

    void settle()
    {
        uint8_t *v = value_.data();
        for (const Op &op : ops_) v[op.y] = op.table >> (v[op.a] | v[op.b] << 1 | v[op.c] << 2) & 1;
    }
    void edge()
    {
        for (size_t i = 0; i < counted_.size(); i++) {
            const uint8_t now = value_[counted_[i]];
            toggles_[i] += now ^ before_[i];
            before_[i] = now;
        }
        cycles_++;
        for (size_t i = 0; i < flops_.size(); i++) next_[i] = value_[flops_[i].first];
        for (size_t i = 0; i < flops_.size(); i++) value_[flops_[i].second] = next_[i];
    }

  private:
    const std::string file_, activity_;
    struct Op {
        uint32_t a, b, c, y, table;
    };
    std::vector<Op> ops_;
    std::vector<std::pair<uint32_t, uint32_t>> flops_; // D, Q
    std::vector<std::vector<uint32_t>> inputs_, outputs_;
    std::vector<uint32_t> counted_; // inputs first: input_bits_ of them
    std::vector<uint8_t> value_, next_, before_;
    std::vector<uint64_t> toggles_;
    uint64_t cycles_ = 0;
    uint32_t input_bits_ = 0;

    void load()
    {
        FILE *f = fopen(file_.c_str(), "rb");
        if (!f) refuse("--gates: cannot read \"" + file_ + "\"");
        const auto word = [&] {
            uint32_t w = 0;
            if (fread(&w, sizeof w, 1, f) != 1) refuse(file_ + ": ends too early");
            return w;
        };
        const auto list = [&] {
            std::vector<uint32_t> l(word());
            for (uint32_t &w : l) w = word();
            return l;
        };
        value_.assign(word(), 0);
        value_[1] = 1; // nets 0 and 1 are the constants
        ops_.resize(word());
        for (Op &op : ops_) op = {word(), word(), word(), word(), word()};
        flops_.resize(word());
        for (auto &flop : flops_) flop = {word(), word()};
        inputs_.resize(word());
        for (auto &port : inputs_) port = list();
        outputs_.resize(word());
        for (auto &port : outputs_) port = list();
        input_bits_ = word();
        counted_ = list();
        fclose(f);
        next_.resize(flops_.size());
        before_.resize(counted_.size());
        toggles_.resize(counted_.size());
    }
    void randomise(uint64_t seed)
    {
        Random random(seed);
        for (const auto &flop : flops_) value_[flop.second] = uint8_t(random.chance(128));
    }
    // One line per run: cycles, then toggles and number of the inputs and of the other nets.
    void write_activity() const
    {
        FILE *f = fopen(activity_.c_str(), "a");
        if (!f) return;
        uint64_t in = 0, other = 0;
        for (size_t i = 0; i < counted_.size(); i++) (i < input_bits_ ? in : other) += toggles_[i];
        fprintf(f, "%llu %llu %u %llu %zu\n", (unsigned long long)cycles_, (unsigned long long)in, input_bits_,
                (unsigned long long)other, counted_.size() - input_bits_);
        fclose(f);
    }
};

// Of the one netlist of the program.
struct Chosen {
    std::string file, activity;
    std::vector<port_desc> in, out;
    std::vector<size_t> in_place, out_place; // among the netlist's ports, which are sorted by name; reset first
} chosen;

size_t bytes(const port_desc &port)
{
    static constexpr size_t size[] = {sizeof(bool), 1, 2, 4, 8, 128};
    return size[port.kind];
}

std::vector<size_t> places(const std::vector<port_desc> &ports, std::vector<std::string> names)
{
    for (const port_desc &port : ports) names.emplace_back(port.name);
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    std::vector<size_t> place;
    for (const std::string &name : names)
        place.push_back(size_t(std::find(sorted.begin(), sorted.end(), name) - sorted.begin()));
    return place;
}

Gates &of(void *instance)
{
    return *static_cast<Gates *>(instance);
}

void settle(void *instance, const void *in, bool reset)
{
    const uint8_t rst_ni = !reset;
    of(instance).drive(chosen.in_place[0], &rst_ni);
    for (size_t i = 0; i < chosen.in.size(); i++)
        of(instance).drive(chosen.in_place[i + 1], static_cast<const char *>(in) + chosen.in[i].offset);
    of(instance).settle();
}

void sample(const void *instance, void *out)
{
    for (size_t i = 0; i < chosen.out.size(); i++)
        static_cast<const Gates *>(instance)->sample(
            chosen.out_place[i], static_cast<char *>(out) + chosen.out[i].offset, bytes(chosen.out[i]));
}

bool outputs_differ(const void *instance, const void *out)
{
    char own[128];
    for (size_t i = 0; i < chosen.out.size(); i++) {
        const port_desc &port = chosen.out[i];
        static_cast<const Gates *>(instance)->sample(chosen.out_place[i], own, bytes(port));
        if (std::memcmp(own, static_cast<const char *>(out) + port.offset, bytes(port))) return true;
    }
    return false;
}

void *create(uint64_t seed)
{
    auto *const gates = new Gates(chosen.file, chosen.activity, seed % 0x7fffffff + 1);
    gates->settle();
    return gates;
}
bool edge(void *instance)
{
    of(instance).edge();
    return true;
}

const rtl_bench calls = {.create_random = create,
                         .clip = nullptr,
                         .settle = settle,
                         .sample = sample,
                         .outputs_differ = outputs_differ,
                         .edge = edge,
                         .load = nullptr, // registers have other names, or none
                         .state_differs = nullptr,
                         .wave = nullptr,
                         .dump = nullptr,
                         .signals = nullptr,
                         .coverage = nullptr};
} // namespace

const rtl_bench &netlist(const std::string &file, const std::string &activity, const vec_block &inputs,
                         const vec_block &outputs)
{
    if (chosen.file == file) return calls;
    chosen = {file, activity, {inputs.in, inputs.in + inputs.in_count}, {outputs.in, outputs.in + outputs.in_count},
              {},   {}};
    chosen.in_place = places(chosen.in, {"rst_ni"});
    chosen.out_place = places(chosen.out, {});
    return calls;
}

void netlist_destroy(void *instance)
{
    delete static_cast<Gates *>(instance);
}
} // namespace cosim
