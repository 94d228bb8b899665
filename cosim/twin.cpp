// SPDX-License-Identifier: Apache-2.0
// Runs the scenarios of one block on its twin alone: fast, without Verilator, and under sanitizers.
#include <cstdio>

#include "run.hpp"

#include "scenarios.cpp"

namespace
{
struct Refused {
    std::string what;
};

class TwinAlone final : public Run
{
  public:
    TwinAlone()
    {
        Block::init(twin_.get(), &cfg);
        step(In{}, true);
    }
    const Out &cycle(const In &in) override
    {
        return step(in, false);
    }
    void reset(const In &in = In{}) override
    {
        step(in, true);
    }
    const Out &last() const override
    {
        return out_[(now_ - 1) % kHistory];
    }
    uint64_t now() const override
    {
        return now_;
    }
    const Twin &registers() override
    {
        *seen_ = *twin_;
        idle();
        return *seen_;
    }

  private:
    static constexpr uint64_t kHistory = 8; // outputs that a scenario may still read
    std::unique_ptr<Twin> twin_ = std::make_unique<Twin>(), seen_ = std::make_unique<Twin>();
    Out out_[kHistory] = {};
    uint64_t now_ = 0;

    const Out &step(In in, bool reset)
    {
        Out &out = out_[now_++ % kHistory];
        block_clip(in);
        Block::eval(twin_.get(), &in, &out);
        if (reset)
            Block::reset(twin_.get());
        else
            Block::tick(twin_.get(), &in);
        return out;
    }
    void refuse(const std::string &what) override
    {
        throw Refused{"cycle=" + std::to_string(now_ - 1) + "  " + what + "\n" + in_step()};
    }
};
} // namespace

int main()
{
    size_t passed = 0, failed = 0;
    for (const Scenario &s : scenarios()) {
        if (!s.applies) continue;
        try {
            TwinAlone run;
            s.body(run);
            passed++;
        } catch (const Refused &r) {
            printf("FAIL scenarios %s/%s  %s  %s", Block::name, cosim::given().set.c_str(), s.name, r.what.c_str());
            failed++;
        }
    }
    printf("%s scenarios %s/%s  %zu passed, %zu failed\n", failed || !passed ? "FAIL" : "PASS", Block::name,
           cosim::given().set.c_str(), passed, failed);
    printf("%s", skipped_scenarios().c_str());
    return failed || !passed;
}
