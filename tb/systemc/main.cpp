// SPDX-License-Identifier: Apache-2.0
// The program for one block and parameter set: its scenarios, then random inputs; a line for each.
#include "random.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "scenarios.cpp"

namespace tb
{
namespace
{
struct Arguments {
    uint64_t seed = 1, cycles = 100000;
    std::string only, wave, rtl;
};

Arguments parse(int argc, char **argv)
{
    Arguments a;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string key = argv[i], value = argv[i + 1];
        if (key == "--seed")
            a.seed = strtoull(value.c_str(), nullptr, 10);
        else if (key == "--cycles")
            a.cycles = strtoull(value.c_str(), nullptr, 10);
        else if (key == "--scenario")
            a.only = value;
        else if (key == "--rtl")
            a.rtl = value;
        else if (key == "--wave")
            a.wave = value;
        else
            fprintf(stderr, "tb: unknown argument %s\n", key.c_str()), exit(2);
    }
    return a;
}

class Program
{
  public:
    explicit Program(Arguments a) : a_(std::move(a))
    {
    }
    bool failed() const
    {
        return failed_;
    }

    void run(Bench &bench)
    {
        for (const Scenario &s : scenarios()) {
            if (!a_.only.empty() && a_.only != s.name) continue;
            if (s.applies)
                part(bench, s.name, s.text, s.body);
            else
                printf("other tb %s/%s  %s\n", Block::name, Block::set, s.name); // for another parameter set
        }
        if (a_.only.empty() && a_.cycles) part(bench, "random", "", [this](Bench &b) { random(b); });
    }

  private:
    Arguments a_;
    bool failed_ = false;

    void random(Bench &bench)
    {
        RandomInputs inputs(a_.seed);
        while (bench.now() < a_.cycles) {
            const uint64_t end = std::min(bench.now() + inputs.begin(), a_.cycles);
            if (inputs.chance()) bench.reset(inputs.next());
            while (bench.now() < end) bench.cycle(inputs.next());
        }
    }

    template <class Body> void part(Bench &bench, const std::string &name, const char *text, const Body &body)
    {
        const std::string who = std::string(Block::name) + "/" + Block::set;
        const unsigned long long seed = a_.seed;
        bench.about("");
        bench.begin();
        try {
            bench.reset();
            body(bench);
            printf("PASS tb %-18s seed=%llu %7llu cycles  %s%s%s\n", who.c_str(), seed, (unsigned long long)bench.now(),
                   name.c_str(), *text ? ": " : "", text);
        } catch (const Failed &f) {
            failed_ = true;
            printf("FAIL tb %s  %s seed=%llu cycle=%llu  %s\n%s", who.c_str(), name.c_str(), seed,
                   (unsigned long long)f.failure.cycle, f.failure.what.c_str(), f.failure.details.c_str());
            printf("  rerun  make tb BLOCK=%s SET=%s SEED=%llu %s WAVES=1\n", Block::name, Block::set, seed,
                   name == "random" ? ("CYCLES=" + std::to_string(a_.cycles)).c_str() : ("SCENARIO=" + name).c_str());
            bench.resynchronise();
        }
        fflush(stdout);
    }
};
} // namespace
} // namespace tb

int sc_main(int argc, char **argv)
{
    const tb::Arguments arguments = tb::parse(argc, argv);
    error err{};
    const rtl_set *const rtl = rtl_open(arguments.rtl.c_str(), Block::name, &err);
    if (!rtl || std::memcmp(rtl->cfg, &cfg, sizeof cfg)) {
        fprintf(stderr, "tb: %s\n", rtl ? (arguments.rtl + ": found RTL of another parameter set").c_str() : err.text);
        return 2;
    }
    tb::Program program(arguments);
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    tb::Bench bench("bench", *rtl, arguments.seed, [&](tb::Bench &b) { program.run(b); });
    sc_core::sc_trace_file *file = nullptr;
    if (!arguments.wave.empty()) {
        file = sc_core::sc_create_vcd_trace_file(arguments.wave.c_str()); // appends .vcd
        bench.trace(file);
    }
    sc_core::sc_start();
    if (file) sc_core::sc_close_vcd_trace_file(file);
    return program.failed();
}
