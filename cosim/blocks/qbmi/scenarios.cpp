// SPDX-License-Identifier: Apache-2.0
// qbmi: Dai17, section 4.3.2.
#include "run.hpp"

static const uint32_t kKernels = cfg.Kernels, kAll = (1u << kKernels) - 1, kInterval = 1u << cfg.ReqW;

static In present(uint32_t kernels)
{
    In in{};
    in.kernels_valid_i = true;
    in.kernels_i = uint8_t(kernels);
    return in;
}

static In issue(uint32_t kernel)
{
    In in{};
    in.issue_valid_i = true;
    in.issue_kernel_i = uint8_t(kernel);
    return in;
}

static In request(uint32_t kernel)
{
    In in{};
    in.req_valid_i = true;
    in.req_kernel_i = uint8_t(kernel);
    return in;
}

// An interval of kernel k with so many instructions.
static void interval(Run &run, uint32_t k, uint32_t instructions)
{
    for (uint32_t i = 0; i < instructions; i++) run.cycle(issue(k));
    for (uint32_t i = 0; i < kInterval; i++) run.cycle(request(k));
}

// The kernels of `ask` request; the granted one issues.
static uint32_t turn(Run &run, uint32_t ask)
{
    In in{};
    in.ask_i = uint8_t(ask);
    const uint32_t kernel = run.cycle(in).grant_kernel_o;
    in.issue_valid_i = true;
    in.issue_kernel_i = uint8_t(kernel);
    run.cycle(in);
    return kernel;
}

static uint32_t ratio(const Out &out, uint32_t k)
{
    return out.ratio_o >> (k * QBMI_RATIO_W) & bits_mask(QBMI_RATIO_W);
}

static uint32_t quota(const Out &out, uint32_t k)
{
    return uint32_t(out.quota_o >> (k * cfg.QuotaW) & bits_mask(cfg.QuotaW));
}

SCENARIO(turns, true, "4.3.2: equal kernels, and RBMI, issue in turn")
{
    run.cycle(present(kAll));
    for (uint32_t i = 0; i < 3 * kKernels; i++) {
        const uint32_t k = (i + 1) % kKernels;
        In in = issue(k);
        in.ask_i = uint8_t(kAll);
        const Out &out = run.cycle(in);
        run.expect(out.grant_valid_o, "one is granted");
        run.expect_equal(out.grant_kernel_o, k, "kernel");
    }
}

SCENARIO(passed_over, true, "who does not ask, or is not there, is passed over")
{
    In in{};
    in.ask_i = uint8_t(kAll);
    run.expect(!run.cycle(in).grant_valid_o, "no kernel is present");
    run.cycle(present(2));
    run.expect_equal(run.cycle(in).grant_kernel_o, 1, "kernel");
    in.ask_i = 1;
    run.expect(!run.cycle(in).grant_valid_o, "the one that is there does not ask");
}

SCENARIO(formula, true, "4.3.2: after 16 and after 2 requests an instruction, quotas are 1 and 8, 18 cycles later")
{
    if (cfg.Rbmi || cfg.ReqW < 4 || cfg.QuotaW < 4) return;
    run.cycle(present(3));
    interval(run, 0, kInterval / 2);
    interval(run, 1, kInterval / 16);
    run.expect_equal(ratio(run.idle(), 0), 2, "Req/Minst of kernel 0");
    run.expect_equal(ratio(run.idle(), 1), 16, "Req/Minst of kernel 1");
    run.idle(18);
    const uint32_t before = quota(run.cycle(present(3)), 0);
    uint32_t first = before, n = 0;
    while (!run.cycle(issue(0)).refill_o && n++ < first) {
    }
    const Out &out = run.idle();
    run.expect(quota(out, 0) == 8, "8 for the kernel whose instructions need 2 requests");
}

// Maximum quota of a kernel with sets of `set`.
static uint32_t most_quota(uint32_t set)
{
    const uint32_t most = (cfg.Carry + 1) * set;
    return most < bits_mask(cfg.QuotaW) ? most : uint32_t(bits_mask(cfg.QuotaW));
}

// Whether a quota can reach its counter's maximum.
static const uint32_t kSetMost = kKernels == 2 ? 32 : kKernels == 3 ? 32 * 31 : 32 * 31 * 29;
static const bool kSaturates = (cfg.Carry + 1) * kSetMost >= bits_mask(cfg.QuotaW);

SCENARIO(saves_up, true, "a kernel that does not ask keeps Carry sets and gets the next one; it goes first")
{
    if (cfg.Rbmi) return;
    run.cycle(present(3));
    interval(run, 0, 0); // 32 requests per instruction, so 32 instructions of kernel 1 for each of kernel 0
    run.idle(18);
    for (uint32_t i = 0; i < 2 * cfg.Carry + 4; i++) run.cycle(issue(0));
    run.expect_equal(quota(run.idle(), 1), most_quota(32), "quota");
    In in{};
    in.ask_i = 3;
    if (cfg.QuotaW > 1) run.expect_equal(run.cycle(in).grant_kernel_o, 1, "kernel");
    const uint32_t saved = quota(run.last(), 1);
    uint32_t row = 0;
    while (turn(run, 3) == 1 && row <= saved) row++;
    run.expect(row <= saved && row + cfg.Carry + 1 >= saved, "it issues its quota, down to that of the other");
}

SCENARIO(one_cycle, true, "an instruction, the last request of an interval, kernels that come and go and a new set")
{
    if (cfg.Rbmi) return;
    run.cycle(present(1));
    for (uint32_t i = 0; i < kInterval - 1; i++) run.cycle(request(0));
    In all = present(2);
    all.issue_valid_i = all.req_valid_i = true;
    run.expect(run.cycle(all).refill_o, "a new set for the kernel that arrives");
    const Out &out = run.idle();
    run.expect(quota(out, 0) == 0 && quota(out, 1) == 1, "one has left, one has come");
    run.expect_equal(ratio(out, 0), 1, "Req/Minst of the one that has left");
}

SCENARIO(all_counters, true, "as many instructions as an interval has requests, and none at all")
{
    if (cfg.Rbmi) return;
    run.cycle(present(1));
    interval(run, 0, kInterval + 1);
    run.expect_equal(ratio(run.idle(), 0), 1, "Req/Minst");
    interval(run, 0, 0);
    run.expect_equal(ratio(run.idle(), 0), 32, "Req/Minst");
    run.idle(20);
}

SCENARIO(changes, true, "a Req/Minst that changes while a set is worked out starts that again")
{
    if (cfg.Rbmi) return;
    run.cycle(present(3));
    for (uint32_t i = 0; i < kInterval - 1; i++) run.cycle(request(0));
    for (uint32_t i = 0; i < kInterval - 1; i++) run.cycle(request(1));
    run.cycle(request(0));
    run.idle(5);
    run.cycle(request(1));
    run.idle(17);
    run.cycle(present(1));
    run.idle(20);
}

// What an instruction or a request of a kernel changes besides the error.
static bool changes_nothing(Run &run, const In &in)
{
    const Twin before = run.registers();
    run.cycle(in);
    Twin after = run.registers();
    after.error_q = before.error_q;
    return !std::memcmp(&before, &after, sizeof before);
}

SCENARIO(errors, true, "an instruction of a kernel that is not there: an error, nothing else; the first error stays")
{
    run.cycle(present(1));
    run.expect(changes_nothing(run, issue(1)), "nothing else changes");
    run.expect_equal(run.idle().error_o, QBMI_ERROR_ISSUE, "error");
    run.cycle(request(1));
    run.expect_equal(run.idle().error_o, QBMI_ERROR_ISSUE, "error");
}

// Issues instructions of `ratio` requests each until 2^ReqW requests are sent.
static void run_alone(Run &run, uint32_t kernel, uint32_t ratio)
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
    run.cycle(present(3));
    for (uint32_t i = 0; i < 8; i++) run.expect_equal(turn(run, 3), (i + 1) % 2, "kernel");
    run.expect_equal(turn(run, 1), 0, "loose: who does not ask is passed over");
    run.expect_equal(turn(run, 1), 0, "again");
}

SCENARIO(quotas, !cfg.Rbmi && cfg.ReqW >= 5 && cfg.QuotaW >= 6,
         "4.3.2: 2 and 16 requests an instruction: 8 instructions of one for one of the other, 16 requests of each")
{
    run.cycle(present(3));
    run_alone(run, 0, 2);
    run_alone(run, 1, 16);
    for (uint32_t i = 0; i < 20; i++) run.idle();
    for (uint32_t i = 0; i < 2u << cfg.QuotaW; i++) turn(run, 3); // spends or saves the rest of earlier sets
    uint32_t issued[2] = {};
    for (uint32_t i = 0; i < 9 * 10; i++) issued[turn(run, 3) & 1]++;
    run.expect(issued[0] >= 79 && issued[0] <= 81, "80 of the first kernel");
    const Twin &now = run.registers();
    run.expect(now.set_q[0] == 8 && now.set_q[1] == 1, "the set");
}

SCENARIO(absent, true, "a kernel that leaves blocks no other, and one that arrives has its turn at once")
{
    run.cycle(present(1));
    for (uint32_t i = 0; i < 5; i++) run.expect_equal(turn(run, 3), 0, "kernel");
    run.cycle(present(3));
    run.expect_equal(turn(run, 2), 1, "kernel");
    run.cycle(present(2));
    for (uint32_t i = 0; i < 5; i++) run.expect_equal(turn(run, 3), 1, "kernel");
    run.expect(!run.idle().error_o, "no error");
}

SCENARIO(table_6, cfg.Kernels == 2 && cfg.ReqW == 10 && !cfg.Rbmi,
         "4.3.2, table 6: sets of the least common multiple, divided by Req/Minst")
{
    static constexpr struct {
        const char *kernels;
        uint32_t instructions[2], ratio[2], set[2];
    } rows[] = {{"bp, ks", {512, 60}, {2, 17}, {17, 2}},
                {"hs, pf", {341, 512}, {3, 2}, {2, 3}},
                {"hs, sv", {341, 341}, {3, 3}, {1, 1}},
                {"3m, ax", {1024, 93}, {1, 11}, {11, 1}},
                {"ks, ax", {60, 93}, {17, 11}, {11, 17}}};
    for (const auto &row : rows) {
        run.about(row.kernels);
        run.reset();
        run.cycle(present(3));
        for (uint32_t k = 0; k < 2; k++) interval(run, k, row.instructions[k]);
        run.idle(18);
        for (uint32_t k = 0; k < 2; k++) {
            run.expect_equal(ratio(run.idle(), k), row.ratio[k], "Req/Minst");
            run.expect_equal(run.registers().set_q[k], row.set[k], "set");
        }
    }
}

SCENARIO(
    largest_set, cfg.Kernels == 4 && cfg.ReqW == 10 && !cfg.Rbmi,
    "the largest quotas of a set: products of three Req/Minst without a common factor; twice as much with Carry = 1")
{
    static constexpr struct {
        uint32_t instructions[3], ratio[3];
    } rows[] = {{{32, 33, 35}, {32, 31, 29}}, {{33, 35, 38}, {31, 29, 27}}};
    for (const auto &row : rows) {
        const uint32_t set = row.ratio[0] * row.ratio[1] * row.ratio[2];
        for (uint32_t k = 0; k < kKernels; k++) {
            run.reset();
            run.cycle(present(kAll));
            for (uint32_t i = 0; i < 3; i++) interval(run, (k + 1 + i) % kKernels, row.instructions[i]);
            run.idle(18);
            for (uint32_t i = 0; i < 3; i++)
                run.expect_equal(ratio(run.idle(), (k + 1 + i) % kKernels), row.ratio[i], "Req/Minst");
            run.expect_equal(run.registers().set_q[k], set, "set");
            uint32_t refills = 0; // another kernel has used its quota
            for (uint32_t i = 0; i < 2000 && refills < 2; i++) refills += run.cycle(issue((k + 1) % kKernels)).refill_o;
            run.expect_equal(quota(run.idle(), k), std::min(2 * set, uint32_t(bits_mask(cfg.QuotaW))), "quota");
        }
    }
}

SCENARIO(gap, cfg.Kernels >= 3 && !cfg.Rbmi && cfg.ReqW >= 5 && cfg.QuotaW >= 6,
         "a kernel between two others that is not there is in no set; who leaves is forgotten, who comes has a quota")
{
    run.cycle(present(5));
    run_alone(run, 0, 2);
    run_alone(run, 2, 16);
    run.idle(18);
    const Twin &now = run.registers();
    run.expect(now.set_q[0] == 8 && now.set_q[2] == 1, "the sets of the two that are there");
    In in{};
    in.ask_i = 2;
    run.expect(!run.cycle(in).grant_valid_o, "nothing of the other is granted");
    for (uint32_t i = 0; i < 100; i++) run.cycle(issue(2));
    run.expect(quota(run.idle(), 0) && quota(run.idle(), 2) && !quota(run.idle(), 1), "new sets come without it");
    run.cycle(present(6));
    const Out &out = run.idle();
    run.expect(!quota(out, 0) && quota(out, 1), "quotas");
    run.expect_equal(ratio(out, 0), 1, "Req/Minst of the one that has left");
}

SCENARIO(late_requests, cfg.Kernels == 3, "the last requests of a kernel that has left are legal; a fourth has none")
{
    run.cycle(present(3));
    run.cycle(request(2));
    run.expect_equal(run.idle().error_o, QBMI_OK, "error");
    run.expect(changes_nothing(run, request(3)), "nothing else changes");
    run.expect_equal(run.idle().error_o, QBMI_ERROR_REQUEST, "error");
    run.cycle(issue(2));
    run.expect_equal(run.idle().error_o, QBMI_ERROR_REQUEST, "error: the first one");
}
