/* SPDX-License-Identifier: Apache-2.0 */
#include "system/config/dram_timing.h"

#include "base/arith.h"

static uint32_t at_least_1(int64_t x)
{
    return x < 1 ? 1 : (uint32_t)x;
}

struct dram_timing dram_timing_of(const struct config *c)
{
    struct dram_timing t = {0};
    int64_t b = (int64_t)ceil_div(c->dram_atom_bytes, c->dram_bus_bytes);
    int64_t cl = c->dram_t_cl, wl = c->dram_t_wl;
    t.burst = (uint32_t)b;
    t.ccd = (uint32_t)max_u64(c->dram_t_ccd, t.burst);
    t.ccdl = (uint32_t)max_u64(c->dram_t_ccdl, t.ccd);
    t.rcd[0] = c->dram_t_rcd;
    /* GDDR5's RCDWR: write data follow the command by WL, so a write may issue earlier than a read. */
    t.rcd[1] = at_least_1((int64_t)c->dram_t_rcd - (wl + 1));
    t.data[0] = (uint32_t)(cl + (c->dram_done == DONE_FIRST ? 1 : b));
    t.data[1] = (uint32_t)(wl + (c->dram_done == DONE_FIRST ? 1 : b));
    t.turn[0] = max_u32(at_least_1(cl + b + 2 - wl), t.ccd); /* after a read, until a write */
    t.turn[1] = max_u32((uint32_t)(wl + b) + c->dram_t_cdlr, t.ccd);
    /* RTPL delays the whole group, its own bank included, or its own bank only. */
    bool group = c->dram_rtpl_scope == RTPL_GROUP;
    t.group_precharge[0] = group ? c->dram_t_rtpl : 0;
    t.precharge[0] = group ? t.burst : (uint32_t)max_u64(c->dram_t_rtpl, t.burst);
    t.precharge[1] = (uint32_t)(wl + b) + c->dram_t_wr;
    return t;
}

/* Clocks from the last one before a refresh is due to its start: a command in that clock may keep the banks busy for
 * this long. */
static uint64_t until_refresh(const struct config *c, const struct dram_timing *t)
{
    const uint64_t activated = max_u64(c->dram_t_rc, (uint64_t)c->dram_t_ras + c->dram_t_rp);
    const uint64_t column = max_u32(max_u32(t->precharge[0], t->precharge[1]), t->group_precharge[0]);
    return max_u64(activated, column + c->dram_t_rp);
}

/* Row commands of other banks that may precede a column command on a single command bus: all while one is due in every
 * clock, else one. */
static uint64_t row_commands_before(const struct config *c)
{
    if (c->dram_command_bus == BUS_DUAL) return 0;
    return c->dram_t_rrd == 1 ? c->dram_banks - 1 : 1;
}

uint64_t dram_least_refi(const struct config *c)
{
    const struct dram_timing t = dram_timing_of(c);
    const uint64_t activate = max_u64(until_refresh(c, &t) + c->dram_t_rfc, c->dram_t_rrd);
    const uint64_t bus = max_u64(max_u32(t.turn[0], t.turn[1]), t.ccdl);
    return max_u64(activate + max_u32(t.rcd[0], t.rcd[1]), bus) + row_commands_before(c);
}
