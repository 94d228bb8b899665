/* SPDX-License-Identifier: Apache-2.0 */
#include "system/dram/dram.h"

#include <stdlib.h>

#include "base/arith.h"
#include "system/unit/pool.h"
#include "system/unit/ring.h"
#include "system/unit/unit.h"

#define NONE UINT16_MAX
#define BANKS 64

/* A request: in the scheduling window (in its bank's list, by age), or taken by its bank. */
struct entry {
    struct dram_request r;
    uint64_t row;
    uint16_t next, prev;
    uint8_t bank, atoms, atoms_left;
    bool opened; /* a row was opened for it */
};

struct bank {
    _Alignas(HOST_LINE) uint64_t row; /* the open one, if `open` */
    uint64_t activate_at;             /* earliest clocks in which the bank's own timing allows a command */
    uint64_t precharge_at;
    uint64_t column_at[2]; /* read, write */
    uint16_t first, last;  /* its requests in the window by age */
    uint16_t work;         /* the taken request, or NONE */
    uint16_t pending;      /* requests waiting or in service */
    bool open, write;      /* write: the request that it has taken */
};

/* Limits of a bank group for a column command, for a precharge. */
struct group {
    uint64_t column_at, precharge_at;
};

/* Issued column commands; data in flight. */
struct flight {
    struct dram_request r;
    uint64_t clock;
    uint8_t bank;
};

/* Clocks derived from dram.t.* (dram.h, "Commands").  Index 0: read, 1: write; turn[]: until the opposite direction. */
struct timing {
    uint32_t burst, ccd, ccdl, rcd[2], data[2], turn[2], precharge[2], group_precharge;
};

/* Bits of the fields of an address, from the low end. */
struct fields {
    uint32_t low, low_bank, high, high_bank;
};

struct dram {
    uint64_t wake;                  /* first: unit_wake() */
    uint64_t next;                  /* clocks below it are counted */
    uint64_t column_at, row_at;     /* no column or row command can issue before these clocks */
    uint64_t column_mask, row_mask; /* banks that want a column command, a row command */
    uint64_t idle_mask;             /* banks without a taken request and with some in the window */
    uint64_t refresh_at;

    struct env *env;
    uint32_t queue, waiting, arrived_count, busy_banks;
    uint32_t turn; /* round-robin bank, for taking requests and for commands */
    uint32_t channel;
    struct ring flights; /* struct flight */
    struct pool places;  /* of entries */
    struct entry *entries;
    uint16_t *arrived;

    const struct config *c;
    uint64_t bus_at[2]; /* channel-wide limits for a column read, write */
    uint64_t rrd_at;
    uint64_t synced; /* in dram_cycles those below this one */
    struct timing t;
    bool fcfs, dual;
    uint32_t group_shift, group_mask;
    struct group group[BANKS];
    struct bank bank[BANKS];
    struct fields fields;
    struct dram_client client;
};

/* Field by field from the low end, in the order of dram.h, "Addresses". */
static struct fields fields_of(const struct config *c)
{
    const uint32_t low = log2_floor(max_u64(4 * c->dram_atom_bytes, LINE_BYTES)); /* at least four atoms, and a line */
    const uint32_t row = log2_floor(c->dram_row_bytes), bank = log2_floor(c->dram_banks), low_bank = bank ? 1 : 0;
    return (struct fields){
        .low = low, .low_bank = low_bank, .high = row > low ? row - low : 0, .high_bank = bank - low_bank};
}

static struct dram_place place_of(const struct fields *f, uint64_t address)
{
    uint64_t a = address;
    struct dram_place p = {.column = (uint32_t)(a & ((1u << f->low) - 1))};
    a >>= f->low;
    p.bank = (uint32_t)(a & f->low_bank);
    a >>= f->low_bank;
    p.column |= (uint32_t)(a & ((1u << f->high) - 1)) << f->low;
    a >>= f->high;
    p.bank |= (uint32_t)(a & ((1u << f->high_bank) - 1)) << f->low_bank;
    p.row = a >> f->high_bank;
    return p;
}

struct dram_place dram_map(const struct config *c, uint64_t address)
{
    const struct fields f = fields_of(c);
    return place_of(&f, address);
}

static uint32_t at_least_1(int64_t x)
{
    return x < 1 ? 1 : (uint32_t)x;
}

static void set_timing(struct timing *t, const struct config *c)
{
    int64_t b = (int64_t)ceil_div(c->dram_atom_bytes, c->dram_bus_bytes);
    int64_t cl = c->dram_t_cl, wl = c->dram_t_wl;
    t->burst = (uint32_t)b;
    t->ccd = (uint32_t)max_u64(c->dram_t_ccd, t->burst);
    t->ccdl = (uint32_t)max_u64(c->dram_t_ccdl, t->ccd);
    t->rcd[0] = c->dram_t_rcd;
    /* GDDR5's RCDWR: write data follow the command by WL, so a write may issue earlier than a read. */
    t->rcd[1] = at_least_1((int64_t)c->dram_t_rcd - (wl + 1));
    t->data[0] = (uint32_t)(cl + b);
    t->data[1] = (uint32_t)(wl + b);
    t->turn[0] = at_least_1(cl + b + 2 - wl); /* after a read, until a write */
    t->turn[1] = (uint32_t)(wl + b) + c->dram_t_cdlr;
    /* RTPL delays the whole group, its own bank included, or its own bank only. */
    bool group = c->dram_rtpl_scope == RTPL_GROUP;
    t->group_precharge = group ? c->dram_t_rtpl : 0;
    t->precharge[0] = group ? t->burst : (uint32_t)max_u64(c->dram_t_rtpl, t->burst);
    t->precharge[1] = (uint32_t)(wl + b) + c->dram_t_wr;
}

struct dram *dram_create(struct env *env, uint32_t channel, const struct dram_client *client, struct error *err)
{
    const struct config *c = env->config;
    struct dram *d = host_calloc(1, sizeof *d);
    if (!d) return error_set(err, "dram.%u: out of memory", channel), NULL;
    *d =
        (struct dram){.env = env, .c = c, .client = *client, .channel = channel, .queue = c->dram_queue, .wake = NEVER};
    set_timing(&d->t, c);
    d->fields = fields_of(c);
    d->group_mask = c->dram_bank_groups - 1;
    if (c->dram_group_bits == GROUP_HIGH) d->group_shift = log2_floor(c->dram_banks / c->dram_bank_groups);
    d->fcfs = c->dram_scheduler == DRAM_FCFS;
    d->dual = c->dram_command_bus == BUS_DUAL;
    d->column_at = d->row_at = NEVER;
    d->refresh_at = c->dram_refresh ? c->dram_t_refi : NEVER;
    const uint32_t entries = c->dram_queue + c->dram_banks; /* each bank holds one that has left the window */
    const uint32_t flights =
        d->t.data[0] + d->t.data[1] + 2; /* at most one more every CCD clocks; each leaves after its data */
    d->entries = host_calloc(entries, sizeof *d->entries);
    d->arrived = host_calloc(d->queue, sizeof *d->arrived);
    if (!d->entries || !d->arrived || !pool_grow(&d->places, entries) ||
        !ring_init(&d->flights, sizeof(struct flight), flights)) {
        dram_destroy(d);
        return error_set(err, "dram.%u: out of memory", channel), NULL;
    }
    for (uint32_t i = 0; i < BANKS; i++) d->bank[i].first = d->bank[i].last = d->bank[i].work = NONE;
    return d;
}

void dram_destroy(struct dram *d)
{
    if (!d) return;
    ring_free(&d->flights);
    pool_free(&d->places);
    free(d->entries);
    free(d->arrived);
    free(d);
}

bool dram_room(const struct dram *d)
{
    return d->waiting < d->queue;
}

bool dram_empty(const struct dram *d)
{
    return !d->busy_banks && !d->arrived_count;
}

void dram_push(struct dram *d, const struct dram_request *r)
{
    uint16_t i = (uint16_t)pool_take(&d->places);
    const struct dram_place p = place_of(&d->fields, r->address);
    const uint8_t atoms = (uint8_t)ceil_div(r->bytes, d->c->dram_atom_bytes);
    d->entries[i] = (struct entry){.r = *r,
                                   .row = p.row,
                                   .bank = (uint8_t)p.bank,
                                   .atoms = atoms,
                                   .atoms_left = atoms,
                                   .next = NONE,
                                   .prev = NONE};
    d->arrived[d->arrived_count++] = i;
    d->waiting++;
    d->wake = 0;
    if (r->who) env_at(d->env, r->who, AT_DRAM_QUEUE, d->channel);
}

static uint32_t group_of(const struct dram *d, uint32_t b)
{
    return b >> d->group_shift & d->group_mask;
}

static uint64_t column_ready(const struct dram *d, uint32_t b)
{
    uint32_t w = d->bank[b].write;
    return max_u64(max_u64(d->bank[b].column_at[w], d->bus_at[w]), d->group[group_of(d, b)].column_at);
}

static uint64_t precharge_ready(const struct dram *d, uint32_t b)
{
    return max_u64(d->bank[b].precharge_at, d->group[group_of(d, b)].precharge_at);
}

static uint64_t row_ready(const struct dram *d, uint32_t b)
{
    const struct bank *k = &d->bank[b];
    return k->open ? precharge_ready(d, b) : max_u64(k->activate_at, d->rrd_at);
}

/* The bank serves a request: its next command depends on whether the open row matches. */
static void want(struct dram *d, uint32_t b)
{
    uint64_t bit = (uint64_t)1 << b;
    struct bank *k = &d->bank[b];
    const struct entry *e = &d->entries[k->work];
    k->write = e->r.write;
    if (k->open && k->row == e->row) {
        d->column_mask |= bit;
        d->row_mask &= ~bit;
        d->column_at = min_u64(d->column_at, column_ready(d, b));
    } else {
        d->column_mask &= ~bit;
        d->row_mask |= bit;
        d->row_at = min_u64(d->row_at, row_ready(d, b));
    }
}

static void accept(struct dram *d, uint16_t i)
{
    struct entry *e = &d->entries[i];
    struct bank *k = &d->bank[e->bank];
    e->prev = k->last;
    if (k->last == NONE)
        k->first = i;
    else
        d->entries[k->last].next = i;
    k->last = i;
    d->busy_banks += k->pending++ == 0;
    if (k->work == NONE) d->idle_mask |= (uint64_t)1 << e->bank;
}

static void remove_entry(struct dram *d, struct bank *k, uint16_t i)
{
    struct entry *e = &d->entries[i];
    if (e->prev == NONE)
        k->first = e->next;
    else
        d->entries[e->prev].next = e->next;
    if (e->next == NONE)
        k->last = e->prev;
    else
        d->entries[e->next].prev = e->prev;
}

/* FR-FCFS: the oldest request to the open row, else the oldest. */
static uint16_t choose(const struct dram *d, const struct bank *k)
{
    if (!k->open || d->fcfs) return k->first;
    for (uint16_t i = k->first; i != NONE; i = d->entries[i].next)
        if (d->entries[i].row == k->row) return i;
    return k->first;
}

/* The number of banks is a power of two. */
static uint32_t bank_after(const struct dram *d, uint32_t b)
{
    return (b + 1) & (d->c->dram_banks - 1);
}

/* One bank per clock takes a request out of the window, banks in round robin. */
static void take(struct dram *d)
{
    uint64_t from = d->idle_mask & ~(uint64_t)0 << d->turn;
    uint32_t b = (uint32_t)__builtin_ctzll(from ? from : d->idle_mask);
    struct bank *k = &d->bank[b];
    /* Chosen when the bank becomes idle, not on arrival: a newcomer to the open row may overtake (dram.h, "Order"). */
    k->work = choose(d, k);
    remove_entry(d, k, k->work);
    d->idle_mask &= ~((uint64_t)1 << b);
    d->turn = bank_after(d, d->turn);
    want(d, b);
    if (d->waiting-- == d->queue) d->client.room(d->client.context);
}

/* Adds the clocks up to `now`, in which no state has changed, to the counters. */
static void account(struct dram *d, uint64_t now)
{
    uint64_t clocks = now - d->next;
    d->next = now;
    if (!clocks || !d->busy_banks) return;
    struct stats *s = d->env->stats;
    s->dram_active_cycles += clocks;
    s->dram_bank_cycles += clocks * d->busy_banks;
    s->dram_queue_cycles += clocks * (d->waiting - d->arrived_count);
}

/* All refreshes due up to `now`.  Each is computed as a whole at the first tick after its due clock.  This is exact:
 * no command issued in between, because a command would have been a tick, and a channel that is not empty ticks then.
 */
static void refresh(struct dram *d, uint64_t now)
{
    struct stats *s = d->env->stats;
    for (; d->refresh_at <= now; d->refresh_at += d->c->dram_t_refi) {
        /* An all-bank refresh starts when the last bank could activate again. */
        uint64_t start = d->refresh_at;
        for (uint32_t b = 0; b < d->c->dram_banks; b++) {
            struct bank *k = &d->bank[b];
            uint64_t closed = k->open ? max_u64(precharge_ready(d, b), d->refresh_at) + d->c->dram_t_rp : 0;
            start = max_u64(start, max_u64(closed, k->activate_at));
            s->dram_precharges += k->open;
        }
        s->dram_refreshes++;
        for (uint32_t b = 0; b < d->c->dram_banks; b++) {
            struct bank *k = &d->bank[b];
            k->open = false;
            k->activate_at = start + d->c->dram_t_rfc;
            if (k->work != NONE) want(d, b);
        }
    }
}

static void complete(struct dram *d, uint64_t now)
{
    struct stats *s = d->env->stats;
    for (const struct flight *f; (f = ring_peek(&d->flights)) && f->clock <= now;) {
        *(f->r.write ? &s->dram_writes : &s->dram_reads) += 1;
        s->dram_bytes += f->r.bytes;
        d->busy_banks -= --d->bank[f->bank].pending == 0;
        ring_pop(&d->flights);
        if (f->r.who) env_at(d->env, f->r.who, AT_DRAM_DONE, d->channel);
        d->client.done(d->client.context, &f->r, now);
    }
}

/* Data follow the order of the column commands: a read after a write starts after the write's data, and a write
 * after a read ends after the read's, for any CL and WL. */
static void fly(struct dram *d, const struct entry *e, uint64_t now)
{
    *(struct flight *)ring_push(&d->flights) =
        (struct flight){.r = e->r, .clock = now + d->t.data[e->r.write], .bank = e->bank};
}

/* All column commands of the bank's request have issued; the bank may take another one in the next clock. */
static void leave(struct dram *d, uint32_t b, uint64_t now)
{
    uint64_t bit = (uint64_t)1 << b;
    struct bank *k = &d->bank[b];
    fly(d, &d->entries[k->work], now);
    pool_give(&d->places, k->work);
    k->work = NONE;
    d->column_mask &= ~bit;
    if (k->first != NONE) d->idle_mask |= bit;
}

static void first_column(struct dram *d, const struct entry *e)
{
    struct stats *s = d->env->stats;
    *(e->opened ? &s->dram_row_misses : &s->dram_row_hits) += 1;
    if (e->r.who) env_at(d->env, e->r.who, AT_DRAM_ISSUE, d->channel);
}

static void column(struct dram *d, uint32_t b, uint64_t now)
{
    struct bank *k = &d->bank[b];
    struct entry *e = &d->entries[k->work];
    uint32_t w = e->r.write, g = group_of(d, b);
    d->bus_at[w] = now + d->t.ccd;
    d->bus_at[!w] = max_u64(d->bus_at[!w], now + max_u64(d->t.turn[w], d->t.ccd));
    d->group[g].column_at = now + d->t.ccdl;
    if (!w) d->group[g].precharge_at = now + d->t.group_precharge;
    k->precharge_at = max_u64(k->precharge_at, now + d->t.precharge[w]);
    d->env->stats->dram_data_cycles += d->t.burst;
    if (e->atoms_left == e->atoms) first_column(d, e);
    d->column_at = now + d->t.ccd;
    if (--e->atoms_left == 0) leave(d, b, now);
}

static void activate(struct dram *d, uint32_t b, uint64_t now)
{
    struct bank *k = &d->bank[b];
    struct entry *e = &d->entries[k->work];
    k->open = e->opened = true;
    k->row = e->row;
    k->activate_at = now + d->c->dram_t_rc;
    k->precharge_at = now + d->c->dram_t_ras;
    k->column_at[0] = now + d->t.rcd[0];
    k->column_at[1] = now + d->t.rcd[1];
    d->rrd_at = now + d->c->dram_t_rrd;
    d->env->stats->dram_activates++;
}

static void precharge(struct dram *d, uint32_t b, uint64_t now)
{
    struct bank *k = &d->bank[b];
    k->open = false;
    k->activate_at = max_u64(k->activate_at, now + d->c->dram_t_rp);
    d->env->stats->dram_precharges++;
    d->env->stats->dram_row_conflicts++;
}

static void row(struct dram *d, uint32_t b, uint64_t now)
{
    if (d->bank[b].open)
        precharge(d, b, now);
    else
        activate(d, b, now);
    d->row_at = now + 1;
    d->turn = bank_after(d, b);
    want(d, b);
}

/* Round-robin position of a bank in this clock. */
static uint32_t order(const struct dram *d, uint32_t b)
{
    return (b - d->turn) & (d->c->dram_banks - 1);
}

typedef uint64_t ready_clock(const struct dram *d, uint32_t bank);

/* The lowest of these banks whose next command may issue, or BANKS; *soonest: at least as early as any of them may. */
static inline uint32_t lowest(const struct dram *d, uint64_t banks, ready_clock *ready, uint64_t now, uint64_t *soonest)
{
    for (uint64_t m = banks; m; m &= m - 1) {
        const uint32_t b = (uint32_t)__builtin_ctzll(m);
        *soonest = min_u64(*soonest, ready(d, b));
        if (*soonest <= now) return b;
    }
    return BANKS;
}

/* The first bank in round robin whose next command may issue, or BANKS; *soonest: when the first may, if none may now.
 */
static inline uint32_t find(const struct dram *d, uint64_t banks, ready_clock *ready, uint64_t now, uint64_t *soonest)
{
    const uint64_t from_turn = ~(uint64_t)0 << d->turn;
    if (*soonest > now) return BANKS;
    *soonest = NEVER;
    const uint32_t b = lowest(d, banks & from_turn, ready, now, soonest);
    return b < BANKS ? b : lowest(d, banks & ~from_turn, ready, now, soonest);
}

static void issue(struct dram *d, uint64_t now)
{
    uint32_t c = find(d, d->column_mask, column_ready, now, &d->column_at);
    if (d->dual && c < BANKS) column(d, c, now);
    uint32_t r = find(d, d->row_mask, row_ready, now, &d->row_at);
    if (!d->dual && c < BANKS && (r == BANKS || order(d, c) < order(d, r)))
        column(d, c, now);
    else if (r < BANKS)
        row(d, r, now);
}

void dram_tick(struct dram *d, uint64_t now)
{
    account(d, now);
    if (d->refresh_at <= now) refresh(d, now);
    complete(d, now);
    for (uint32_t i = 0; i < d->arrived_count; i++) accept(d, d->arrived[i]);
    d->arrived_count = 0;
    if (d->idle_mask) take(d);
    issue(d, now);
    uint64_t wake = d->idle_mask ? now + 1 : min_u64(d->column_at, d->row_at);
    const struct flight *f = ring_peek(&d->flights);
    if (f) wake = min_u64(wake, f->clock);
    wake = min_u64(wake, d->refresh_at); /* a row that it closes may be opened before the next command is due */
    d->wake = dram_empty(d) ? NEVER : max_u64(wake, now + 1);
}

void dram_sync(struct dram *d, uint64_t clocks)
{
    account(d, clocks);
    if (clocks) refresh(d, clocks - 1);
    d->env->stats->dram_cycles += clocks - d->synced;
    d->synced = clocks;
}
