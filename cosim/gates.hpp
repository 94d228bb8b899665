// SPDX-License-Identifier: Apache-2.0
// A netlist in place of the Verilated block: one clock, three-input truth tables in topological order, flip-flops;
// counts toggles of selected nets.  synth/gates.py writes the file.  Interpreted, because compiling a netlist takes
// minutes and Verilator simulates some netlists wrongly.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine.hpp"

namespace cosim
{
inline std::string gates_file, gates_activity; // --gates, --activity

class Gates
{
  public:
    explicit Gates(uint64_t seed)
    {
        load();
        randomise(seed);
    }
    ~Gates()
    {
        if (!gates_activity.empty() && cycles_) write_activity();
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
        FILE *f = fopen(gates_file.c_str(), "rb");
        if (!f) throw std::runtime_error("--gates: cannot read \"" + gates_file + "\"");
        const auto word = [&] {
            uint32_t w = 0;
            if (fread(&w, sizeof w, 1, f) != 1) throw std::runtime_error(gates_file + ": ends too early");
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
        FILE *f = fopen(gates_activity.c_str(), "a");
        if (!f) return;
        uint64_t in = 0, other = 0;
        for (size_t i = 0; i < counted_.size(); i++) (i < input_bits_ ? in : other) += toggles_[i];
        fprintf(f, "%llu %llu %u %llu %zu\n", (unsigned long long)cycles_, (unsigned long long)in, input_bits_,
                (unsigned long long)other, counted_.size() - input_bits_);
        fclose(f);
    }
};
} // namespace cosim
