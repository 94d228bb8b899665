// SPDX-License-Identifier: Apache-2.0
// Optimization 2 of dl_mshr, counted: GateCmp=1 and GateCmp=0 of one parameter set run the same stimulus side by side.
//   toggles TRAFFIC=FILE.vec ...     a line of the table each; status 1 if one of them does not hold
//
// A comparator is one set's search of one port.  Its operand is read in every set of both models, out of the net
// g_set[i].req_operand or g_set[i].fill_operand itself, once a cycle when everything has settled; a toggle is a bit of
// one comparator's operand that differs from the cycle before.  Verilator may keep equal nets in one place, which is
// why the count goes by comparator, and why the values read are checked: without gating every operand is the port's
// address, with it that address for a head and 0 for any other set.
#include <bit>
#include <cstdio>
#include <string>
#include <vector>

#include "rtl.hpp"
#include "verilated_syms.h"
#include "Vplain.h"
#include "Vplain___024root.h"

extern "C" {
#include "base/vec.h"
}

namespace
{
constexpr const char *kPort[] = {"req", "fill"};

// One of the two models, with the operands of its comparators.
template <class Rtl> class Side
{
  public:
    explicit Side(int seed)
    {
        Verilated::threadContextp(&context_);
        context_.randReset(2); // random initial registers, different in each model
        context_.randSeed(seed);
        rtl_ = std::make_unique<Rtl>(&context_, "TOP");
        for (uint32_t port = 0; port < 2; port++)
            for (uint32_t i = 0; i < cfg.Sets; i++) find(port, i);
        before_[0].resize(cfg.Sets);
        before_[1].resize(cfg.Sets);
    }
    ~Side()
    {
        Verilated::threadContextp(&context_);
        rtl_->final();
    }

    void settle(const In &in, bool reset)
    {
        block_drive(*rtl_, in);
        rtl_->rst_ni = !reset;
        rtl_->clk_i = 0;
        rtl_->eval();
    }
    void edge()
    {
        rtl_->clk_i = 1;
        rtl_->eval();
    }
    uint64_t operand(uint32_t port, uint32_t i) const
    {
        const void *net = operand_[port][i];
        if constexpr (cfg.AddrW <= 8) return *static_cast<const CData *>(net);
        if constexpr (cfg.AddrW > 8 && cfg.AddrW <= 16) return *static_cast<const SData *>(net);
        if constexpr (cfg.AddrW > 16 && cfg.AddrW <= 32) return *static_cast<const IData *>(net);
        if constexpr (cfg.AddrW > 32) return *static_cast<const QData *>(net);
    }
    // Operand bits of this port that differ from the previous call; the first call only records.
    void count(uint32_t port, bool first)
    {
        for (uint32_t i = 0; i < cfg.Sets; i++) {
            const uint64_t value = operand(port, i);
            if (!first) toggled[port] += uint64_t(std::popcount(value ^ before_[port][i]));
            before_[port][i] = value;
        }
    }
    const Rtl &rtl() const
    {
        return *rtl_;
    }

    uint64_t toggled[2] = {};

  private:
    VerilatedContext context_;
    std::unique_ptr<Rtl> rtl_;
    std::vector<const void *> operand_[2];
    std::vector<uint64_t> before_[2];

    void find(uint32_t port, uint32_t i)
    {
        const std::string scope = "TOP.mt_dl_mshr.g_set[" + std::to_string(i) + "]";
        const std::string name = std::string(kPort[port]) + "_operand";
        const VerilatedScope *const s = context_.scopeFind(scope.c_str());
        const VerilatedVar *const net = s ? s->varFind(name.c_str()) : nullptr;
        if (!net) throw scope + "." + name + ": no such net in the Verilated model";
        if (net->packed().elements() != int(cfg.AddrW)) throw scope + "." + name + ": is not AddrW bits wide";
        operand_[port].push_back(net->datap());
    }
};

class Pair
{
  public:
    explicit Pair(const char *traffic) : traffic_(traffic)
    {
    }

    void cycle(const In &in, bool reset)
    {
        gated_.settle(in, reset);
        plain_.settle(in, reset);
        if (cycles_ > 0) {
            compare(); // outputs are valid from the first reset on
            look(in);
        }
        gated_.edge();
        plain_.edge();
        cycles_++;
    }
    bool report() const
    {
        std::string problem = problem_;
        for (uint32_t port = 0; port < 2 && problem.empty(); port++)
            if (gated_.toggled[port] >= plain_.toggled[port])
                problem = std::string(kPort[port]) + "_operand: gating does not lower the toggles";
        const double n = double(cycles_ - 2);
        printf("%-9s %-9s %9llu %7.1f", Block::set, traffic_, (unsigned long long)cycles_, double(heads_) / n);
        for (uint32_t port = 0; port < 2; port++)
            printf(" %10.2f %10.2f %5.1f%%", double(plain_.toggled[port]) / n, double(gated_.toggled[port]) / n,
                   100 * double(gated_.toggled[port]) / double(plain_.toggled[port]));
        printf("\n");
        if (!problem.empty()) printf("FAIL toggles %s/%s %s  %s\n", Block::name, Block::set, traffic_, problem.c_str());
        return problem.empty();
    }

  private:
    const char *traffic_;
    Side<BlockRtl> gated_{1};
    Side<Vplain> plain_{2};
    uint64_t cycles_ = 0, heads_ = 0;
    std::string problem_; // the first one

    void complain(const std::string &text)
    {
        if (problem_.empty()) problem_ = "cycle=" + std::to_string(cycles_) + "  " + text;
    }
    void compare()
    {
        Out out{};
        block_sample(out, gated_.rtl());
        if (block_outputs_differ(plain_.rtl(), out)) complain("outputs differ between GateCmp=1 and GateCmp=0");
    }
    void look(const In &in)
    {
        const auto &gated = *gated_.rtl().rootp;
        const auto &plain = *plain_.rtl().rootp;
        const uint64_t address[] = {in.req_addr_i, in.fill_addr_i};
        for (uint32_t i = 0; i < cfg.Sets; i++) {
            const bool head = cosim::bit_of(gated.mt_dl_mshr__DOT__h, i);
            heads_ += head && cycles_ > 1;
            if (cosim::bit_of(gated.mt_dl_mshr__DOT__req_match, i) !=
                    cosim::bit_of(plain.mt_dl_mshr__DOT__req_match, i) ||
                cosim::bit_of(gated.mt_dl_mshr__DOT__fill_match, i) !=
                    cosim::bit_of(plain.mt_dl_mshr__DOT__fill_match, i))
                complain("match of set " + std::to_string(i) + " differs between GateCmp=1 and GateCmp=0");
            for (uint32_t port = 0; port < 2; port++) {
                if (plain_.operand(port, i) != address[port])
                    complain(std::string(kPort[port]) + "_operand is not the address, GateCmp=0");
                if (gated_.operand(port, i) != (head ? address[port] : 0))
                    complain(std::string(kPort[port]) + "_operand is not the address of a head and else 0, GateCmp=1");
            }
        }
        for (uint32_t port = 0; port < 2; port++) {
            gated_.count(port, cycles_ == 1);
            plain_.count(port, cycles_ == 1);
        }
    }
};

bool replay(const char *traffic, const char *path)
{
    port_desc in_desc[VEC_PORTS];
    param_desc params[VEC_PARAMS];
    const vec_block block = {Block::name, params, Block::params(params), in_desc, Block::in_desc(&cfg, in_desc),
                             sizeof(In),  &cfg};
    error err{};
    Pair pair(traffic);
    In in{};
    pair.cycle(in, true);
    vec_reader *const reader = vec_open(path, &err);
    if (reader && vec_bind(reader, &block, &err))
        for (vec_item item; (item = vec_get(reader, &in, &err)) == VEC_CYCLE || item == VEC_RESET;)
            pair.cycle(in, item == VEC_RESET);
    vec_close(reader);
    if (err.text[0]) throw std::string(err.text);
    return pair.report();
}
} // namespace

int main(int argc, char **argv)
{
    try {
        if (argc < 2) throw std::string("expected TRAFFIC=FILE.vec");
        bool holds = true;
        for (int i = 1; i < argc; i++) {
            const std::string word = argv[i];
            const size_t at = word.find('=');
            if (at == std::string::npos) throw word + ": expected TRAFFIC=FILE.vec";
            holds &= replay(word.substr(0, at).c_str(), word.substr(at + 1).c_str());
        }
        return !holds;
    } catch (const std::string &text) {
        fprintf(stderr, "toggles: %s\n", text.c_str());
        return 2;
    }
}
