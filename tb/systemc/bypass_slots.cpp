// SPDX-License-Identifier: Apache-2.0
// Slots of bypassed requests: Dai17, section 3.8.
#include "bench.hpp"
#include "bypass_slots_inputs.hpp"

SCENARIO(bpr_limit, true, "no more bypassed requests in flight than #_BpR; the next one is a reservation failure")
{
    for (uint32_t i = 0; i < cfg.Slots; i++) run.expect(run.cycle(ask(i)).req_ready_o, "taken");
    for (uint32_t i = 0; i < 3; i++) run.expect(!run.cycle(ask(i)).req_ready_o, "refused");
    run.expect_equal(run.idle().used_o, cfg.Slots, "requests in flight");
    run.expect(run.cycle(back(0)).ret_valid_o, "one comes back");
    run.expect(run.cycle(ask(1)).req_ready_o, "the next is taken");
}

SCENARIO(requesters_come_back, true, "data comes back in any order, each with its requester")
{
    for (uint32_t i = 0; i < cfg.Slots; i++) run.cycle(ask(3 * i + 1));
    for (uint32_t i = 0; i < cfg.Slots; i++) {
        const uint32_t slot = i % 2 ? i / 2 : cfg.Slots - 1 - i / 2;
        const Out &out = run.cycle(back(slot));
        run.expect(out.ret_valid_o, "released");
        run.expect_equal(out.ret_info_o, (3 * slot + 1) & bits_mask(cfg.InfoW), "requester");
    }
    run.expect_equal(run.idle().used_o, 0, "requests in flight");
}

SCENARIO(nobody_waits, true, "data that nobody waits for raises the error, and it stays")
{
    run.cycle(ask(1));
    run.cycle(back(0));
    run.cycle(back(0));
    run.expect_equal(run.idle().error_o, BYPASS_SLOTS_ERROR_RETURN, "error_o");
    run.reset();
    run.expect_equal(run.idle().error_o, BYPASS_SLOTS_OK, "error_o");
}
