// SPDX-License-Identifier: Apache-2.0
// Dynamically linked MSHRs: Gu20, sections 3.4.3 to 3.4.5, figures 3.7 and 3.8.
#include "miss_file.hpp"

extern "C" {
#include "mshr.h"
}
TWIN_MODULE(mshr, MSHR)

// DAU states of sets 0, 1, ... as far as the last one in use.
static std::string describe(const Twin &m)
{
    std::string all, text;
    for (uint32_t i = 0; i < cfg.Sets; i++) {
        all.append(i ? " S" : "S").append(std::to_string(m.state_q[i]));
        if (m.state_q[i]) text = all;
    }
    return text;
}

// Figure 3.7a, beside: a conventional file of 4 entries with 4 slots sees the same misses.
inline constexpr mshr_cfg kConventional = {4, 4, cfg.AddrW, cfg.InfoW, cfg.DataW};

class Conventional : public sc_core::sc_module
{
  public:
    SC_HAS_PROCESS(Conventional);
    explicit Conventional(const sc_core::sc_module_name &name, tb::Bench &bench)
        : sc_core::sc_module(name), bench_(bench)
    {
#define CONVENTIONAL_IN(kind, name, width, text) file_.name(bench.in.name);
#define CONVENTIONAL_OUT(kind, name, width, text) file_.name(out_.name);
        MSHR_IN(CONVENTIONAL_IN) MSHR_OUT(CONVENTIONAL_OUT) file_.clk_i(bench.clk);
        file_.rst_ni(bench.rst_n);
        SC_METHOD(count);
        sensitive << bench.clk.posedge_event();
        dont_initialize();
    }
    uint32_t answers(mshr_result result) const
    {
        return answers_[result];
    } // since reset

  private:
    tb::Bench &bench_;
    mshr_twin<&kConventional> file_{"file"};
    mshr_twin<&kConventional>::Outputs out_;
    uint32_t answers_[8] = {};

    void count()
    {
        if (!bench_.rst_n.read())
            std::memset(answers_, 0, sizeof answers_);
        else if (out_.rsp_valid_o.read())
            answers_[out_.rsp_result_o.read()]++;
    }
};
static Conventional *conventional;
static const tb::AddBeside add_conventional([](tb::Bench &bench) {
    static Conventional beside("conventional", bench);
    conventional = &beside;
});

static constexpr bool kFigure37 = cfg.Sets == 8 && cfg.Slots == 2 && cfg.Reserved == 0;

// The sets of the super-entry whose head is `head`, in the order in which they are linked (H, L and P of 3.4.3).
static std::string chain(const Twin &m, uint32_t head)
{
    std::string text = std::to_string(head);
    for (uint32_t i = 0, set = head; i < cfg.Sets && (m.state_q[set] == 3 || m.state_q[set] == 8); i++) {
        set = m.next_q[set];
        text.append(" ").append(std::to_string(set));
    }
    return text;
}

SCENARIO(figure_3_7b_primaries, kFigure37,
         "8 sets of 2 slots: 8 primary misses outstanding; 4 entries of 4 refuse half of them, entry-full")
{
    MissFile f(run);
    f.play({
        {MISS, 'A', PRIMARY, "S1"},
        {MISS, 'B', PRIMARY, "S1 S1"},
        {MISS, 'C', PRIMARY, "S1 S1 S1"},
        {MISS, 'D', PRIMARY, "S1 S1 S1 S1"},
        {MISS, 'E', PRIMARY, "S1 S1 S1 S1 S1"},
        {MISS, 'F', PRIMARY, "S1 S1 S1 S1 S1 S1"},
        {MISS, 'G', PRIMARY, "S1 S1 S1 S1 S1 S1 S1"},
        {MISS, 'H', PRIMARY, "S1 S1 S1 S1 S1 S1 S1 S1"},
        {MISS, 'I', RF_ENTRY, "S1 S1 S1 S1 S1 S1 S1 S1"},
    });
    run.expect_equal(conventional->answers(PRIMARY), 4, "primary misses that the conventional file took");
    run.expect_equal(conventional->answers(RF_ENTRY), 5, "its entry-full refusals");
}

SCENARIO(figure_3_7b_secondaries, kFigure37,
         "all 8 sets linked: 15 secondary misses behind one primary; 4 entries of 4 take 3, then merge-full")
{
    MissFile f(run);
    f.miss('A', PRIMARY);
    for (int i = 0; i < 15; i++) f.miss('A', SECONDARY);
    f.miss('A', RF_MERGE);
    f.in_use("S3 S8 S8 S8 S8 S8 S8 S9");
    run.expect_equal(f.used_now(), 16, "occupied slots");
    run.expect_equal(conventional->answers(SECONDARY), 3, "secondary misses that the conventional file took");
    run.expect_equal(conventional->answers(RF_MERGE), 13, "its merge-full refusals");
    f.ret_and_take_all('A');
    run.expect_equal(f.free_now(), 8, "free sets");
}

SCENARIO(figure_3_7c, kFigure37,
         "one possible logical state: five super-entries of different lengths; 4 entries of 4 refuse a line and three "
         "merges")
{
    MissFile f(run);
    f.play({
        {MISS, 'A', PRIMARY, "S1"},    // set 0
        {MISS, 'B', PRIMARY, "S1 S1"}, // set 1
        {MISS, 'A', SECONDARY, "S2 S1"},
        {MISS, 'A', SECONDARY, "S3 S1 S6"},  // set 2 linked behind set 0
        {MISS, 'C', PRIMARY, "S3 S1 S6 S1"}, // set 3
        {MISS, 'B', SECONDARY, "S3 S2 S6 S1"},
        {MISS, 'B', SECONDARY, "S3 S3 S6 S1 S6"}, // set 4 behind set 1
        {MISS, 'A', SECONDARY, "S3 S3 S7 S1 S6"},
        {MISS, 'A', SECONDARY, "S3 S3 S8 S1 S6 S6"},     // set 5 behind set 2
        {MISS, 'D', PRIMARY, "S3 S3 S8 S1 S6 S6 S1"},    // set 6
        {MISS, 'E', PRIMARY, "S3 S3 S8 S1 S6 S6 S1 S1"}, // set 7
        {MISS, 'D', SECONDARY, "S3 S3 S8 S1 S6 S6 S2 S1"},
        {MISS, 'A', SECONDARY, "S3 S3 S8 S1 S6 S7 S2 S1"},
        {MISS, 'A', RF_MERGE, "S3 S3 S8 S1 S6 S9 S2 S1"},
        {MISS, 'F', RF_ENTRY, "S3 S3 S8 S1 S6 S9 S2 S1"},
    });
    const auto now = run.registers();
    static constexpr struct {
        uint32_t head;
        const char *sets;
    } super_entries[] = {{0, "0 2 5"}, {1, "1 4"}, {3, "3"}, {6, "6"}, {7, "7"}};
    for (const auto &s : super_entries)
        run.expect(chain(now.rtl, s.head) == s.sets && chain(now.twin, s.head) == s.sets,
                   "super-entry: rtl \"" + chain(now.rtl, s.head) + "\", twin \"" + chain(now.twin, s.head) +
                       "\", should be \"" + s.sets + "\"");
    run.expect_equal(conventional->answers(RF_ENTRY), 2, "entry-full refusals of the conventional file: lines E and F");
    run.expect_equal(conventional->answers(RF_MERGE), 3, "its merge-full refusals: the fifth to seventh miss on A");
    for (const char line : {'B', 'A', 'E', 'C', 'D'}) f.ret_and_take_all(line);
    run.expect_equal(f.free_now(), 8, "free sets");
}

SCENARIO(figure_3_8_free_sets, kFigure37,
         "S0 S1 S2 S3 S5 and S0 S6 S7 S8 S10: ReqH and ReqA while nFreeSet > 0, RET, S_free_EXT")
{
    MissFile f(run);
    f.play({
        {MISS, 'A', PRIMARY, "S1"},         // ReqH
        {MISS, 'A', SECONDARY, "S2"},       // ReqH
        {MISS, 'A', SECONDARY, "S3 S6"},    // ReqH, nFreeSet > 0; ReqA
        {MISS, 'A', SECONDARY, "S3 S7"},    // ReqA
        {MISS, 'A', SECONDARY, "S3 S8 S6"}, // ReqA, nFreeSet > 0; ReqA
        {MISS, 'A', SECONDARY, "S3 S8 S7"},
        {MISS, 'A', SECONDARY, "S3 S8 S8 S6"},
        {RET, 'A', 0, "S5 S8 S8 S6"}, // RET
        {TAKE, 'A', 1, "S5 S8 S8 S6"},
        {TAKE, 'A', 1, "S0 S10 S8 S6"}, // S_free_EXT to set 1
        {TAKE, 'A', 2, "S0 S0 S10 S6"},
        {TAKE, 'A', 2, "S0 S0 S0 S10"},
        {TAKE, 'A', 1, ""},
        {MISS, 'B', PRIMARY, "S1"},
        {RET, 'B', 0, "S5"}, // S1 -> S5
        {TAKE, 'B', 1, ""},
        {MISS, 'C', PRIMARY, "S1"},
        {MISS, 'C', SECONDARY, "S2"},
        {RET, 'C', 0, "S5"}, // S2 -> S5
        {TAKE, 'C', 2, ""},
        {MISS, 'D', PRIMARY, "S1"},
        {MISS, 'D', SECONDARY, "S2"},
        {MISS, 'D', SECONDARY, "S3 S6"},
        {MISS, 'D', SECONDARY, "S3 S7"},
        {RET, 'D', 0, "S5 S7"},
        {TAKE, 'D', 2, "S0 S10"}, // S7 -> S10
        {TAKE, 'D', 2, ""},
    });
}

SCENARIO(figure_3_8_no_free_set, kFigure37,
         "S4 and S9: RF while nFreeSet = 0, back to S3 and S8 once a set is free, or on to S5 and S10")
{
    MissFile f(run);
    f.play({
        {MISS, 'A', PRIMARY, "S1"},
        {MISS, 'A', SECONDARY, "S2"},
        {MISS, 'B', PRIMARY, nullptr},
        {MISS, 'C', PRIMARY, nullptr},
        {MISS, 'D', PRIMARY, nullptr},
        {MISS, 'E', PRIMARY, nullptr},
        {MISS, 'F', PRIMARY, nullptr},
        {MISS, 'G', PRIMARY, nullptr},
        {MISS, 'H', PRIMARY, "S2 S1 S1 S1 S1 S1 S1 S1"},
        {MISS, 'A', RF_MERGE, "S4 S1 S1 S1 S1 S1 S1 S1"}, // nFreeSet = 0: RF
        {MISS, 'A', RF_MERGE, "S4 S1 S1 S1 S1 S1 S1 S1"},
        {RET, 'B', 0, "S4 S5 S1 S1 S1 S1 S1 S1"},
        {MISS, 'A', RF_MERGE, "S4 S5 S1 S1 S1 S1 S1 S1"},
        {TAKE, 'B', 1, "S4 S0 S1 S1 S1 S1 S1 S1"},
        {MISS, 'A', SECONDARY, "S3 S6 S1 S1 S1 S1 S1 S1"}, // nFreeSet > 0: S4 -> S3
        {MISS, 'A', SECONDARY, "S3 S7 S1 S1 S1 S1 S1 S1"},
        {MISS, 'A', RF_MERGE, "S3 S9 S1 S1 S1 S1 S1 S1"}, // S7 -> S9
        {RET, 'C', 0, "S3 S9 S5 S1 S1 S1 S1 S1"},
        {TAKE, 'C', 1, "S3 S9 S0 S1 S1 S1 S1 S1"},
        {MISS, 'A', SECONDARY, "S3 S8 S6 S1 S1 S1 S1 S1"}, // S9 -> S8
        {MISS, 'A', SECONDARY, "S3 S8 S7 S1 S1 S1 S1 S1"},
        {MISS, 'A', RF_MERGE, "S3 S8 S9 S1 S1 S1 S1 S1"},
        {MISS, 'D', SECONDARY, "S3 S8 S9 S2 S1 S1 S1 S1"},
        {MISS, 'D', RF_MERGE, "S3 S8 S9 S4 S1 S1 S1 S1"},
        {RET, 'D', 0, "S3 S8 S9 S5 S1 S1 S1 S1"}, // S4 -> S5
        {TAKE, 'D', 2, "S3 S8 S9 S0 S1 S1 S1 S1"},
        {RET, 'A', 0, "S5 S8 S9 S0 S1 S1 S1 S1"},
        {TAKE, 'A', 2, "S0 S10 S9 S0 S1 S1 S1 S1"},
        {TAKE, 'A', 2, "S0 S0 S10 S0 S1 S1 S1 S1"}, // S9 -> S10
        {TAKE, 'A', 2, "S0 S0 S0 S0 S1 S1 S1 S1"},
    });
}

SCENARIO(two_stages, true,
         "the answer comes a cycle after the request; a fill in that cycle takes the new head with it (S0 -> S5)")
{
    MissFile f(run);
    const In in = f.request('A');
    run.expect(!run.cycle(in).rsp_valid_o, "no answer in the cycle of the request");
    const Out out = run.cycle(f.fill('A'));
    run.expect(out.rsp_valid_o && out.rsp_result_o == PRIMARY && out.fill_ready_o, "PRIMARY, and the fill is taken");
    f.in_use("S5");
    run.expect_equal(run.idle().drain_info_o, in.req_info_i, "the requester that comes out");
}

// Sets that may be linked behind one line's head: all that are not reserved, less the head if it is one of them.
static constexpr uint32_t kLinks = cfg.Sets - cfg.Reserved - (cfg.Reserved ? 0 : 1);

SCENARIO(longest_line, true,
         "3.4.3: every set that may be linked behind one head; refused after that; all slots come out in order")
{
    MissFile f(run);
    const uint32_t room = (kLinks + 1) * cfg.Slots;
    for (uint32_t i = 0; i < room; i++) f.miss('A', i ? SECONDARY : PRIMARY);
    f.miss('A', RF_MERGE);
    run.expect_equal(f.used_now(), room, "occupied slots");
    run.expect_equal(run.idle().free_o, 0, "nFreeSet");
    f.miss('B', cfg.Reserved > 1 ? PRIMARY : RF_ENTRY); // optimization 4: links have left the reserved sets
    f.ret_and_take_all('A');
    run.expect_equal(f.free_now(), cfg.Sets - (cfg.Reserved > 1), "free sets");
}
