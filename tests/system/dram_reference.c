/* SPDX-License-Identifier: Apache-2.0 */
/* The channel against a second one that is written another way: every clock is ticked, every timing rule is a counter
 * that counts down, every choice looks at all requests.  Random traffic, every completion in the same clock. */
#include "channel.h"

#include "base/rng.h"
#include "system/named.h"

#define QUEUE 64
#define BANKS 64

struct waiting {
    uint64_t address, row;
    uint32_t tag, bank, atoms;
    bool write, taken;
};

struct naive {
    const struct config *c;
    struct waiting queue[QUEUE + BANKS]; /* by age: the window and what banks have taken */
    uint32_t count, burst, activates, precharges, turn;
    bool open[BANKS];
    uint64_t row[BANKS];
    /* clocks still to wait, by rule */
    int rcd[BANKS], rcdwr[BANKS], ras[BANKS], rc[BANKS], rp[BANKS], rtp[BANKS], wtp[BANKS], ccdl[BANKS];
    int rtpl[BANKS], rrd, ccd, rtw, wtr;
    uint64_t *at;
};

static struct naive n;
static struct channel ch;

static void count_down(int *x, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) x[i] -= x[i] > 0;
}

static uint32_t group(uint32_t bank)
{
    const struct config *c = n.c;
    return c->dram_group_bits == GROUP_LOW ? bank % c->dram_bank_groups : bank / (c->dram_banks / c->dram_bank_groups);
}

static bool to_open_row(const struct waiting *w)
{
    return n.open[w->bank] && n.row[w->bank] == w->row;
}

/* The request that the bank would take: n.count if it has one, or if none waits. */
static uint32_t choice_of_bank(uint32_t bank)
{
    uint32_t oldest = n.count, hit = n.count;
    for (uint32_t i = n.count; i-- > 0;) {
        if (n.queue[i].bank != bank) continue;
        if (n.queue[i].taken) return n.count;
        oldest = i;
        if (to_open_row(&n.queue[i])) hit = i;
    }
    return hit < n.count && n.c->dram_scheduler == DRAM_SCHEDULER("fr_fcfs") ? hit : oldest;
}

/* The i-th bank in turn. */
static uint32_t in_turn(uint32_t i)
{
    return (n.turn + i) % n.c->dram_banks;
}

static void take(void)
{
    for (uint32_t i = 0; i < n.c->dram_banks; i++) {
        uint32_t chosen = choice_of_bank(in_turn(i));
        if (chosen == n.count) continue;
        n.queue[chosen].taken = true;
        n.turn = in_turn(1);
        return;
    }
}

/* The request that the bank has taken, or n.count. */
static uint32_t taken_by(uint32_t bank)
{
    for (uint32_t i = 0; i < n.count; i++)
        if (n.queue[i].taken && n.queue[i].bank == bank) return i;
    return n.count;
}

static bool may_column(const struct waiting *w)
{
    uint32_t b = w->bank;
    if (!to_open_row(w) || n.ccd || n.ccdl[group(b)]) return false;
    return w->write ? !n.rcdwr[b] && !n.rtw : !n.rcd[b] && !n.wtr;
}

static void column(uint32_t i, uint64_t now)
{
    const struct config *c = n.c;
    struct waiting *w = &n.queue[i];
    uint32_t b = w->bank;
    n.ccd = (int)c->dram_t_ccd;
    n.ccdl[group(b)] = (int)c->dram_t_ccdl;
    if (w->write) {
        n.wtr = (int)(c->dram_t_wl + n.burst + c->dram_t_cdlr);
        n.wtp[b] = (int)(c->dram_t_wl + n.burst + c->dram_t_wr);
    } else {
        n.rtw = (int)(c->dram_t_cl + n.burst + 2 - c->dram_t_wl);
        n.rtp[b] = (int)n.burst;
        n.rtpl[c->dram_rtpl_scope == RTPL_GROUP ? group(b) : b] = (int)c->dram_t_rtpl;
    }
    if (--w->atoms) return;
    n.at[w->tag] = now + (c->dram_done == DONE_FIRST ? 1 : n.burst) + (w->write ? c->dram_t_wl : c->dram_t_cl);
    memmove(w, w + 1, (--n.count - i) * sizeof *w);
}

static bool row_command(const struct waiting *w)
{
    const struct config *c = n.c;
    uint32_t b = w->bank;
    if (to_open_row(w)) return false;
    if (n.open[b]) {
        if (n.ras[b] || n.rtp[b] || n.rtpl[c->dram_rtpl_scope == RTPL_GROUP ? group(b) : b] || n.wtp[b]) return false;
        n.open[b] = false;
        n.rp[b] = (int)c->dram_t_rp;
        n.precharges++;
        return true;
    }
    if (n.rp[b] || n.rc[b] || n.rrd) return false;
    n.open[b] = true;
    n.row[b] = w->row;
    n.rrd = (int)c->dram_t_rrd;
    n.rcd[b] = (int)c->dram_t_rcd;
    n.rcdwr[b] = (int)(c->dram_t_rcd - c->dram_t_wl - 1);
    n.ras[b] = (int)c->dram_t_ras;
    n.rc[b] = (int)c->dram_t_rc;
    n.activates++;
    return true;
}

/* One pass over the banks in turn: the first command that may go does; `columns`, `rows`: which kinds.  On a turning
 * bus, the turn moves while the pass counts on, and columns may still go. */
static void issue(bool columns, bool rows, uint64_t now)
{
    for (uint32_t i = 0; i < n.c->dram_banks; i++) {
        uint32_t bank = in_turn(i), t = taken_by(bank);
        if (t == n.count) continue;
        if (columns && may_column(&n.queue[t])) {
            column(t, now);
            return;
        }
        if (rows && row_command(&n.queue[t])) {
            n.turn = bank + 1;
            rows = false;
            if (n.c->dram_command_bus != BUS_TURNING) return;
        }
    }
}

static void naive_tick(uint64_t now)
{
    take();
    if (n.c->dram_command_bus != BUS_DUAL) {
        issue(true, true, now);
    } else {
        issue(true, false, now);
        issue(false, true, now);
    }
    count_down(&n.ccd, 1);
    count_down(&n.rrd, 1);
    count_down(&n.rtw, 1);
    count_down(&n.wtr, 1);
    count_down(n.rcd, BANKS);
    count_down(n.rcdwr, BANKS);
    count_down(n.ras, BANKS);
    count_down(n.rc, BANKS);
    count_down(n.rp, BANKS);
    count_down(n.rtp, BANKS);
    count_down(n.rtpl, BANKS);
    count_down(n.wtp, BANKS);
    count_down(n.ccdl, BANKS);
}

static void both(uint64_t address, bool write)
{
    struct dram_place p = dram_map(&ch.c, address);
    uint32_t atoms = LINE_BYTES / ch.c.dram_atom_bytes;
    n.queue[n.count++] = (struct waiting){address, p.row, ch.pushed, p.bank, atoms, write, false};
    channel_push(&ch, address, LINE_BYTES, write);
}

static void compare(const char *const *options, uint64_t seed, uint32_t count)
{
    static uint64_t at[CHANNEL_REQUESTS];
    struct rng rng;
    rng_seed(&rng, seed);
    channel_open(&ch, options);
    memset(&n, 0, sizeof n);
    n.c = &ch.c;
    n.at = at;
    n.burst = ch.c.dram_atom_bytes / ch.c.dram_bus_bytes;
    uint64_t pause = 0;
    for (uint64_t stream = 0; ch.done<count; pause -= pause> 0) {
        if (!pause && rng_below(&rng, 200) == 0) pause = rng_below(&rng, 300);
        while (!pause && ch.pushed < count && dram_room(ch.d) && rng_below(&rng, 3)) {
            uint64_t line = rng_below(&rng, 2) ? stream++ : rng_below(&rng, 1 << rng_below(&rng, 18));
            both(line * LINE_BYTES, rng_below(&rng, 1000) < 300);
        }
        naive_tick(ch.clock);
        channel_until(&ch, ch.clock + 1);
    }
    channel_drain(&ch);
    for (uint32_t i = 0; i < count; i++)
        cr_assert_eq(ch.at[i], at[i], "seed %llu: request %u done in clock %llu, the other channel says %llu",
                     (unsigned long long)seed, i, (unsigned long long)ch.at[i], (unsigned long long)at[i]);
    cr_expect_eq(ch.s.dram_activates, n.activates);
    cr_expect_eq(ch.s.dram_precharges, n.precharges);
    channel_close(&ch);
}

Test(dram_reference, every_request_is_done_in_the_same_clock)
{
    const char *const configs[][8] = {
        {NULL},
        {"dram.queue=64", NULL},
        {"dram.scheduler=fcfs", NULL},
        {"dram.banks=4", "dram.bank_groups=1", "dram.queue=32", NULL},
        {"dram.banks=64", "dram.bank_groups=16", "dram.row_bytes=1024", NULL},
        {"dram.atom_bytes=64", "dram.bus_bytes=32", "dram.row_bytes=4096", "dram.queue=64", NULL},
        {"dram.t.rc=61", "dram.t.ras=33", "dram.t.rp=17", "dram.t.rcd=15", "dram.t.rrd=9", "dram.t.cl=21", NULL},
        {"dram.t.ccdl=7", "dram.t.cdlr=11", "dram.t.wr=23", "dram.t.rtpl=19", "dram.t.wl=9", NULL},
        {"dram.command_bus=dual", "dram.rtpl_scope=bank", "dram.t.rtpl=31", NULL},
        {"dram.group_bits=high", "dram.t.ccdl=6", "dram.t.rtpl=37", NULL},
        {"dram.group_bits=high", "dram.command_bus=dual", "dram.t.rrd=1", "dram.t.ccd=1", "dram.bus_bytes=32", NULL},
        {"dram.command_bus=turning", "dram.done=first", NULL},
        {"dram.command_bus=turning", "dram.banks=64", "dram.queue=64", "dram.t.rrd=1", NULL},
        {"dram.command_bus=turning", "dram.banks=4", "dram.bank_groups=2", "dram.scheduler=fcfs", "dram.t.ccdl=2",
         NULL},
    };
    for (uint32_t i = 0; i < sizeof configs / sizeof *configs; i++) compare(configs[i], 1000 + i, 5000);
}
