/* SPDX-License-Identifier: Apache-2.0 */
/* Refresh closes every row.  From dram_least_refi() on every request completes; below it one may wait forever. */
#include "channel.h"

#include "base/rng.h"
#include "system/config/dram_timing.h"

static struct channel ch;

static void open_with(uint32_t refi, uint32_t rfc)
{
    channel_open(&ch, (const char *const[]){"dram.refresh=true", NULL});
    ch.c.dram_t_refi = refi;
    ch.c.dram_t_rfc = rfc;
    dram_destroy(ch.d);
    struct error err = {0};
    struct dram_client client = {.done = channel_done, .room = channel_room, .context = &ch};
    ch.d = dram_create(&ch.env, 0, &client, &err);
}

/* A command in the last clock before the refresh is due: RC 40, RAS 28 + RP 12, write to precharge 18 + RP 12.  Then
 * RFC 160, RCD 12, and one row command of another bank. */
Test(dram_refresh, the_least_interval_by_hand)
{
    struct config c;
    config_default(&c);
    c.dram_t_rfc = 160;
    cr_expect_eq(dram_least_refi(&c), 40 + 160 + 12 + 1);
    c.dram_command_bus = BUS_DUAL;
    cr_expect_eq(dram_least_refi(&c), 40 + 160 + 12);
    c.dram_t_rrd = 300;
    cr_expect_eq(dram_least_refi(&c), 300 + 12);
    c.dram_t_rrd = 1;
    c.dram_t_wr = 100;
    c.dram_command_bus = BUS_SINGLE;
    cr_expect_eq(dram_least_refi(&c), 4 + 2 + 100 + 12 + 160 + 12 + 15);
}

/* Requests in the clocks before each refresh, which open rows that it closes. */
static bool drains(uint64_t clocks)
{
    struct rng r;
    rng_seed(&r, 5);
    for (uint64_t end = ch.clock + clocks; ch.clock < end && !(ch.pushed == 200 && dram_empty(ch.d));) {
        while (ch.pushed < 200 && dram_room(ch.d) && rng_below(&r, 4))
            channel_push(&ch, rng_below(&r, 1 << 20) * LINE_BYTES, LINE_BYTES, rng_below(&r, 3) == 0);
        channel_until(&ch, ch.clock + 1);
    }
    return dram_empty(ch.d);
}

Test(dram_refresh, a_shorter_interval_may_hold_a_request_for_ever)
{
    const uint32_t stuck[] = {161, 170, 180, 200};
    for (uint32_t i = 0; i < 4; i++) {
        open_with(stuck[i], 160);
        cr_expect_not(drains(1000000), "refi %u", stuck[i]);
        channel_close(&ch);
    }
}

static uint32_t value(struct rng *r, uint32_t most)
{
    return 1 + (uint32_t)rng_below(r, 1u << rng_below(r, 1 + (uint64_t)most));
}

static void random_timing(struct rng *r, struct config *c)
{
    uint32_t *const t[] = {&c->dram_t_ccd,  &c->dram_t_ccdl, &c->dram_t_rrd, &c->dram_t_rcd,
                           &c->dram_t_ras,  &c->dram_t_rp,   &c->dram_t_rc,  &c->dram_t_cl,
                           &c->dram_t_cdlr, &c->dram_t_wl,   &c->dram_t_wr,  &c->dram_t_rtpl};
    for (uint32_t i = 0; i < sizeof t / sizeof *t; i++) *t[i] = value(r, 6);
    c->dram_t_ccdl = max_u32(c->dram_t_ccd, c->dram_t_ccdl);
    c->dram_t_rc = max_u32(c->dram_t_ras, c->dram_t_rc);
    c->dram_t_rfc = value(r, 8);
    c->dram_banks = 1u << rng_below(r, 7);
    c->dram_bank_groups = 1;
    c->dram_command_bus = (uint32_t)rng_below(r, BUS_TURNING + 1);
    c->dram_rtpl_scope = rng_below(r, 2) ? RTPL_GROUP : RTPL_BANK;
    c->dram_bus_bytes = 1u << rng_below(r, 6);
    c->dram_refresh = true;
}

/* Shorter ones are refused; with the least one every request is done. */
Test(dram_refresh, with_the_least_interval_every_request_is_done)
{
    struct rng r;
    rng_seed(&r, 11);
    for (uint32_t turn = 0; turn < 400; turn++) {
        struct error err = {0}, none = {0};
        channel_open(&ch, NULL);
        random_timing(&r, &ch.c);
        const uint64_t least = dram_least_refi(&ch.c);
        ch.c.dram_t_refi = (uint32_t)least - 1;
        cr_assert_not(config_check(&ch.c, &err));
        cr_assert_not_null(strstr(err.text, "dram.t.refi: found "), "%s", err.text);
        ch.c.dram_t_refi = (uint32_t)least;
        cr_assert(config_check(&ch.c, &none), "%s", none.text);
        dram_destroy(ch.d);
        struct dram_client client = {.done = channel_done, .room = channel_room, .context = &ch};
        ch.d = dram_create(&ch.env, 0, &client, &err);
        cr_expect(drains(least * 1000), "turn %u, refi %lu: %u of %u done", turn, least, ch.done, ch.pushed);
        channel_close(&ch);
    }
}
