// SPDX-License-Identifier: Apache-2.0
// The interface of scenarios: a block driven one cycle at a time.  Drivers: lockstep (lockstep.hpp), SystemC
// (tb/systemc/bench.hpp), and the twin alone (twin.cpp).
#pragma once
#include "block.hpp"
#include "engine.hpp"

class Run
{
  public:
    virtual ~Run() = default;
    // Runs one cycle with these inputs; returns its outputs.
    virtual const Out &cycle(const In &in) = 0;
    virtual void reset(const In &in = In{}) = 0;
    virtual const Out &last() const = 0;
    virtual uint64_t now() const = 0; // cycles since the beginning, which is a reset
    // The registers, which are those of the RTL and of the twin; an idle cycle goes by.
    virtual const Twin &registers() = 0;

    const Out &idle(uint32_t cycles = 1)
    {
        for (uint32_t i = 0; i < cycles; i++) cycle(In{});
        return last();
    }
    // Checks the last cycle against the paper or the contract.  Needed because RTL and twin may agree and both be
    // wrong.
    void expect(bool holds, const std::string &text)
    {
        if (!holds) [[unlikely]]
            refuse("not as expected: " + text);
    }
    template <class A, class B> void expect_equal(const A &found, const B &wanted, const std::string &what)
    {
        if (uint64_t(found) != uint64_t(wanted)) [[unlikely]]
            refuse("not as expected: " + what + " is " + std::to_string(uint64_t(found)) + ", should be " +
                   std::to_string(uint64_t(wanted)));
    }
    // Steps of a list put their names into failures.
    void about(const std::string &what)
    {
        about_ = what;
    }

  protected:
    std::string in_step() const
    {
        return about_.empty() ? "" : "  in step " + about_ + "\n";
    }

  private:
    std::string about_;
    virtual void refuse(const std::string &what) = 0;
};

struct Scenario {
    const char *name, *text;
    const char *needs; // the condition on the parameters, in words of C
    bool applies;      // it holds
    void (*body)(Run &run);
};
inline std::vector<Scenario> &scenarios()
{
    static std::vector<Scenario> list;
    return list;
}
// The scenarios that this parameter set is too small for, or not made for, and what they need; empty: none.
inline std::string skipped_scenarios()
{
    std::string text;
    size_t count = 0;
    for (const Scenario &s : scenarios())
        if (!s.applies) text.append(count++ ? ", " : "").append(s.name).append(" (").append(s.needs).append(")");
    const std::string all = count == scenarios().size() ? "all " : "";
    return count ? "  skipped " + all + std::to_string(count) + " scenarios at these sizes: " + text + "\n" : "";
}
struct AddScenario {
    AddScenario(const Scenario &s)
    {
        scenarios().push_back(s);
    }
};

// SCENARIO(name, condition on cfg, "what it shows") { ... run.cycle(in) ... run.expect(...) }
#define SCENARIO(name, condition, text)                                                                                \
    static void scenario_##name(Run &run);                                                                             \
    static const AddScenario scenario_add_##name({#name, text, #condition, (condition), scenario_##name});             \
    static void scenario_##name([[maybe_unused]] Run &run)
