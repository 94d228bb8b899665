// SPDX-License-Identifier: Apache-2.0
// qbmi: Dai17, section 4.3.2.
#include "bench.hpp"

static constexpr uint32_t kInterval = 1u << cfg.ReqW;

template <class Run> static void arrive(Run &run, uint32_t kernels)
{
    In in{};
    in.kernels_valid_i = true;
    in.kernels_i = uint8_t(kernels);
    run.cycle(in);
}

// Everybody asks; whoever is granted issues.
template <class Run> static uint32_t turn(Run &run, uint32_t ask)
{
    In in{};
    in.ask_i = uint8_t(ask);
    const uint32_t kernel = run.cycle(in).grant_kernel_o;
    in.issue_valid_i = true;
    in.issue_kernel_i = uint8_t(kernel);
    run.cycle(in);
    return kernel;
}

// As many instructions as it takes to send 2^ReqW requests of `ratio` each.
template <class Run> static void run_alone(Run &run, uint32_t kernel, uint32_t ratio)
{
    In in{};
    in.issue_valid_i = true;
    in.issue_kernel_i = in.req_kernel_i = uint8_t(kernel);
    for (uint32_t i = 0; i < kInterval; i++) {
        in.issue_valid_i = i % ratio == 0;
        in.req_valid_i = true;
        run.cycle(in);
    }
}

SCENARIO(rbmi, true, "4.3.2: before anything is known of two kernels, and always with RBMI, they issue in turn")
{
    arrive(run, 3);
    for (uint32_t i = 0; i < 8; i++) run.expect_equal(turn(run, 3), (i + 1) % 2, "kernel");
    run.expect_equal(turn(run, 1), 0, "loose: who does not ask is passed over");
    run.expect_equal(turn(run, 1), 0, "again");
}

SCENARIO(quotas, !cfg.Rbmi && cfg.ReqW >= 5 && cfg.QuotaW >= 6,
         "4.3.2: 2 and 16 requests an instruction: 8 instructions of one for one of the other, 16 requests of each")
{
    arrive(run, 3);
    run_alone(run, 0, 2);
    run_alone(run, 1, 16);
    for (uint32_t i = 0; i < 20; i++) run.idle();
    for (uint32_t i = 0; i < 2u << cfg.QuotaW; i++) turn(run, 3); // what is left of earlier sets is spent or saved up
    uint32_t issued[2] = {};
    for (uint32_t i = 0; i < 9 * 10; i++) issued[turn(run, 3) & 1]++;
    run.expect(issued[0] >= 79 && issued[0] <= 81, "80 of the first kernel");
    const auto now = run.registers();
    run.expect(now.rtl.set_q[0] == 8 && now.rtl.set_q[1] == 1, "the RTL's set");
    run.expect(now.twin.set_q[0] == 8 && now.twin.set_q[1] == 1, "the twin's set");
}

SCENARIO(absent, true, "a kernel that leaves holds nobody up, and one that comes has its turn at once")
{
    arrive(run, 1);
    for (uint32_t i = 0; i < 5; i++) run.expect_equal(turn(run, 3), 0, "kernel");
    arrive(run, 3);
    run.expect_equal(turn(run, 2), 1, "kernel");
    arrive(run, 2);
    for (uint32_t i = 0; i < 5; i++) run.expect_equal(turn(run, 3), 1, "kernel");
    run.expect(!run.idle().error_o, "no error");
}
