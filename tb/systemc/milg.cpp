// SPDX-License-Identifier: Apache-2.0
// milg: Dai17, section 4.3.3.
#include "bench.hpp"
#include "milg_inputs.hpp"

// One request of the L1D, refused so many times before it is accepted.
template <class Run> static Out request(Run &run, uint32_t refused)
{
    for (uint32_t i = 0; i < refused; i++) run.cycle(failure());
    return run.cycle(request());
}

SCENARIO(
    dmil, (bits_mask(cfg.RfW) >> cfg.ReqW) >= 2 && kTop > 1,
    "4.3.3.2: two reservation failures a request halve what is in flight; then the kernel may issue no more than that")
{
    for (uint32_t i = 0; i < kTop; i++) run.expect(run.cycle(issue()).issue_ok_o, "no limit yet");
    run.expect(!run.idle().issue_ok_o, "but the counter's end");
    for (uint32_t i = 0; i < kInterval - 1; i++) run.expect(!request(run, 2).update_o, "not yet");
    const Out last = request(run, 2);
    run.expect(last.update_o, "1024 requests");
    run.expect_equal(last.new_limit_o, kTop / 2, "the new limit");
    for (uint32_t n = kTop; n >= kTop / 2; n--)
        run.expect(!run.cycle(retire(1)).issue_ok_o, "still too many in flight");
    run.expect(run.cycle(issue()).issue_ok_o, "one less than the limit");
    run.expect(!run.idle().issue_ok_o, "at the limit");
    const auto now = run.registers();
    run.expect_equal(now.rtl.limit_q, kTop / 2, "the RTL's limit");
    run.expect_equal(now.twin.limit_q, kTop / 2, "the twin's limit");
}

SCENARIO(smil, kTop > 2, "4.3.3.1: a static limit of 2 takes the dynamic one's place")
{
    In in = issue();
    in.static_limit_i = 2;
    run.expect(run.cycle(in).issue_ok_o && run.cycle(in).issue_ok_o, "two");
    in.issue_valid_i = false;
    run.expect(!run.cycle(in).issue_ok_o, "not three");
    run.expect(run.idle().issue_ok_o, "the dynamic one again: there is none yet");
}

SCENARIO(relaxed, true, "less than one failure a request: LIFT, GROW or HOLD, and a limit of 1 at the least")
{
    Out out{};
    for (uint32_t i = 0; i < kInterval; i++) out = request(run, 0);
    run.expect_equal(out.new_limit_o, kTop, "nothing was in flight and nothing failed: no limit");
    if ((bits_mask(cfg.RfW) >> cfg.ReqW) == 0) return;
    for (uint32_t i = 0; i < kInterval; i++) out = request(run, 1);
    run.expect_equal(out.new_limit_o, 1, "a failure a request, nothing in flight");
    run.cycle(issue());
    for (uint32_t i = 0; i < kInterval; i++) out = request(run, 0);
    const uint32_t grown = kTop > 1 ? 2 : 1;
    run.expect_equal(out.new_limit_o, cfg.Relax == 0 ? kTop : cfg.Relax == 1 ? grown : 1, "one was in flight");
    run.cycle(retire(1));
    for (uint32_t i = 0; i < kInterval; i++) out = request(run, 0);
    run.expect_equal(out.new_limit_o, cfg.Relax == 0 ? kTop : cfg.Relax == 1 ? grown : 1, "GROW goes up only");
}
