/* The channel against a second one that is written another way: every clock is ticked, every timing rule is a counter
 * that counts down, every choice looks at all requests.  Random traffic, every completion in the same clock. */
#include "channel.h"

#include "base/rng.h"

#define QUEUE 64
#define BANKS 64

struct waiting {
    uint64_t address, row;
    uint32_t tag, bank, atoms;
    bool write;
};

struct naive {
    const struct config *c;
    struct waiting queue[QUEUE]; /* by age */
    uint32_t count, burst, activates, precharges;
    bool open[BANKS];
    uint64_t row[BANKS];
    /* clocks still to wait, by rule */
    int rcd[BANKS], rcdwr[BANKS], ras[BANKS], rc[BANKS], rp[BANKS], rtp[BANKS], wtp[BANKS], ccdl[BANKS];
    int rrd, ccd, rtw, wtr;
    uint64_t *at;
};

static struct naive n;
static struct channel ch;

static void count_down(int *x, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) x[i] -= x[i] > 0;
}

/* The request that its bank works for: the oldest to the open row, or the oldest. */
static uint32_t choice_of_bank(uint32_t bank)
{
    uint32_t oldest = n.count;
    for (uint32_t i = 0; i < n.count; i++) {
        if (n.queue[i].bank != bank) continue;
        if (oldest == n.count) oldest = i;
        if (n.c->dram_scheduler == DRAM_FR_FCFS && n.open[bank] && n.queue[i].row == n.row[bank]) return i;
    }
    return oldest;
}

static bool may_column(const struct waiting *w)
{
    uint32_t b = w->bank, g = b % n.c->dram_bank_groups;
    if (!n.open[b] || n.row[b] != w->row || n.ccd || n.ccdl[g]) return false;
    return w->write ? !n.rcdwr[b] && !n.rtw : !n.rcd[b] && !n.wtr;
}

static void column(uint32_t i, uint64_t now)
{
    const struct config *c = n.c;
    struct waiting *w = &n.queue[i];
    uint32_t b = w->bank;
    n.ccd = (int)c->dram_t_ccd;
    n.ccdl[b % c->dram_bank_groups] = (int)c->dram_t_ccdl;
    if (w->write) {
        n.wtr = (int)(c->dram_t_wl + n.burst + c->dram_t_cdlr);
        n.wtp[b] = (int)(c->dram_t_wl + n.burst + c->dram_t_wr);
    } else {
        n.rtw = (int)(c->dram_t_cl + n.burst + 2 - c->dram_t_wl);
        n.rtp[b] = (int)(c->dram_t_rtpl > n.burst ? c->dram_t_rtpl : n.burst);
    }
    if (--w->atoms) return;
    n.at[w->tag] = now + n.burst + (w->write ? c->dram_t_wl : c->dram_t_cl);
    memmove(w, w + 1, (--n.count - i) * sizeof *w);
}

static bool row_command(const struct waiting *w)
{
    const struct config *c = n.c;
    uint32_t b = w->bank;
    if (n.open[b] && n.row[b] == w->row) return false;
    if (n.open[b]) {
        if (n.ras[b] || n.rtp[b] || n.wtp[b]) return false;
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

static void naive_tick(uint64_t now)
{
    for (uint32_t i = 0; i < n.count; i++) {
        if (choice_of_bank(n.queue[i].bank) != i || !may_column(&n.queue[i])) continue;
        column(i, now);
        break;
    }
    /* A bank wants a row by its oldest request, and only if the open row serves none. */
    for (uint32_t i = 0; i < n.count; i++)
        if (choice_of_bank(n.queue[i].bank) == i && row_command(&n.queue[i])) break;
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
    count_down(n.wtp, BANKS);
    count_down(n.ccdl, BANKS);
}

static void both(uint64_t address, bool write)
{
    struct dram_place p = dram_map(&ch.c, address);
    uint32_t atoms = LINE_BYTES / ch.c.dram_atom_bytes;
    n.queue[n.count++] = (struct waiting){address, p.row, ch.pushed, p.bank, atoms, write};
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
    };
    for (uint32_t i = 0; i < sizeof configs / sizeof *configs; i++) compare(configs[i], 1000 + i, 5000);
}
