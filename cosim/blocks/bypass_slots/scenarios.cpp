// SPDX-License-Identifier: Apache-2.0
// Slots of bypassed requests: Dai17, section 3.8.
#include "run.hpp"

static inline In ask(uint32_t info)
{
    In in{};
    in.req_valid_i = true;
    in.req_info_i = info & uint32_t(bits_mask(cfg.InfoW));
    return in;
}

static inline In back(uint32_t slot, In in = In{})
{
    in.ret_valid_i = true;
    in.ret_slot_i = uint16_t(slot);
    return in;
}

static void fill(Run &run)
{
    for (uint32_t i = 0; i < cfg.Slots; i++) {
        const Out &out = run.cycle(ask(i));
        run.expect(out.req_ready_o, "taken");
        run.expect_equal(out.req_slot_o, i, "slot: the lowest free one");
    }
}

SCENARIO(as_many_as_slots, true, "as many requests in flight as slots; one more is refused until data returns")
{
    fill(run);
    for (uint32_t i = 0; i < 3; i++) run.expect(!run.cycle(ask(7)).req_ready_o, "refused");
    run.expect_equal(run.idle().used_o, cfg.Slots, "slots in use");
    const Out &out = run.cycle(back(cfg.Slots - 1, ask(9)));
    run.expect(out.ret_valid_o && out.req_ready_o, "one returns, one leaves");
    run.expect_equal(out.req_slot_o, cfg.Slots - 1, "slot: the one that is freed");
    run.expect_equal(run.cycle(back(cfg.Slots - 1)).ret_info_o, 9 & bits_mask(cfg.InfoW), "requester");
    run.expect_equal(run.idle().used_o, cfg.Slots - 1, "slots in use");
}

SCENARIO(requester, true, "the returned requester is the one that took the slot")
{
    fill(run);
    for (uint32_t i = cfg.Slots; i-- > 0;)
        run.expect_equal(run.cycle(back(i)).ret_info_o, i & bits_mask(cfg.InfoW), "requester");
    run.expect_equal(run.idle().used_o, 0, "slots in use");
}

SCENARIO(bad_return, true, "data for a free slot: a sticky error, nothing else changes")
{
    run.expect(!run.cycle(back(0)).ret_valid_o, "no release");
    for (uint32_t i = 0; i < 3; i++) run.expect_equal(run.idle().error_o, BYPASS_SLOTS_ERROR_RETURN, "error_o");
    run.expect_equal(run.idle().used_o, 0, "slots in use");
    run.reset();
    run.expect_equal(run.idle().error_o, BYPASS_SLOTS_OK, "error_o after reset");
}

SCENARIO(not_its_own, true, "a request cannot come back in the cycle in which it goes out")
{
    const Out &out = run.cycle(back(0, ask(1)));
    run.expect(!out.ret_valid_o && out.req_ready_o, "the release is bad, the request is taken");
    run.expect_equal(run.idle().error_o, BYPASS_SLOTS_ERROR_RETURN, "error_o");
}

SCENARIO(requesters_come_back, true, "data return in any order, each with its requester")
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

SCENARIO(nothing_else, cfg.Slots > 1,
         "data for a free slot sets the error and changes no other register; the error stays")
{
    run.cycle(ask(1));
    Twin wanted = run.registers();
    run.expect(!run.cycle(back(1)).ret_valid_o, "no release");
    wanted.error_q = BYPASS_SLOTS_ERROR_RETURN;
    run.expect(!std::memcmp(&wanted, &run.registers(), sizeof wanted), "the other registers are as before");
    run.expect(run.cycle(back(0)).ret_valid_o, "a release");
    run.expect_equal(run.idle().error_o, BYPASS_SLOTS_ERROR_RETURN, "error_o");
}

SCENARIO(no_such_slot, (cfg.Slots & (cfg.Slots - 1)) != 0, "data for a slot that does not exist: the error")
{
    run.expect(!run.cycle(back(cfg.Slots)).ret_valid_o, "no release");
    run.expect_equal(run.idle().error_o, BYPASS_SLOTS_ERROR_RETURN, "error_o");
}
