/* SPDX-License-Identifier: Apache-2.0 */
#include "system/dram/dram.h"

#include <stdlib.h>

#include "base/arith.h"
#include "base/host.h"
#include "system/config/dram_timing.h"
#include "system/dram/dram_scheduler.h"
#include "system/unit/pool.h"
#include "system/unit/unit.h"

#define NONE DRAM_NO_ENTRY
#define BANKS 64

struct bank {
    _Alignas(HOST_LINE) uint64_t row; /* the open one, if `open` */
    uint64_t row_at[2];    /* earliest clocks in which the bank's own timing allows a command: activate, precharge */
    uint64_t column_at[2]; /* read, write */
    uint16_t first, last;  /* its requests in the window by age */
    uint16_t work;         /* the taken request, or NONE */
    uint16_t pending;      /* requests waiting or in service */
    bool open, write;      /* write: the request that it has taken */
    uint8_t group;
};

/* Limits of a bank group for a column command, for a precharge. */
struct group {
    uint64_t column_at, precharge_at;
};

/* Fields of an address. */
struct fields {
    uint32_t low, high;       /* bits of the columns */
    uint32_t low_bank;        /* bits, and mask, of the bank between them */
    uint32_t bank_mask;       /* of the other bits of the bank, in their place in its number */
    uint32_t bank_at, row_at; /* shifts of those bits and of the row */
};

struct dram {
    uint64_t wake;                  /* first: unit_wake() */
    uint64_t counted;               /* clocks below it are in the counters; see add() */
    uint64_t column_at, row_at;     /* no column or row command can issue before these clocks */
    uint64_t column_mask, row_mask; /* banks that want a column command, a row command */
    uint64_t idle_mask;             /* banks without a taken request and with some in the window */
    uint64_t refresh_at;
    uint64_t done_at; /* of the oldest flight; NEVER: none */

    struct env *env;
    struct stats *stats;
    uint32_t queue, waiting, busy_banks;
    uint32_t arrived, arrived_banks; /* since the last tick: requests, banks that became busy */
    uint32_t turn;                   /* round-robin bank, for taking requests and for commands */
    uint32_t last_bank;
    uint16_t first_flight, last_flight; /* entries with data in flight, in the order of their column commands */
    struct pool places;                 /* of entries */
    struct dram_entry *entries;

    uint32_t channel, atom_shift;
    const struct config *c;
    uint64_t bus_at[2]; /* channel-wide limits for a column read, write */
    uint64_t rrd_at;
    uint64_t synced; /* in dram_cycles those below this one */
    struct dram_timing t;
    uint16_t (*choose)(const struct dram_window *w);
    bool dual, turning;
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
    /* mutant: > -> >=: where both are equal their difference is 0, too */
    const uint32_t high = row > low ? row - low : 0;
    return (struct fields){.low = low,
                           .high = high,
                           .low_bank = low_bank,
                           .bank_mask = (c->dram_banks - 1) & ~low_bank,
                           .bank_at = low + high,
                           .row_at = low + high + bank};
}

static struct dram_place place_of(const struct fields *f, uint64_t a)
{
    const uint32_t low = (uint32_t)a & ((1u << f->low) - 1);
    const uint32_t high = (uint32_t)(a >> (f->low + f->low_bank)) & ((1u << f->high) - 1);
    return (struct dram_place){.bank = ((uint32_t)(a >> f->low) & f->low_bank) |
                                       ((uint32_t)(a >> f->bank_at) & f->bank_mask),
                               .column = low | high << f->low,
                               .row = a >> f->row_at};
}

struct dram_place dram_map(const struct config *c, uint64_t address)
{
    const struct fields f = fields_of(c);
    return place_of(&f, address);
}

static void init_banks(struct dram *d)
{
    const struct config *c = d->c;
    const uint32_t shift = c->dram_group_bits == GROUP_HIGH ? log2_floor(c->dram_banks / c->dram_bank_groups) : 0;
    for (uint32_t b = 0; b < BANKS; b++) {
        d->bank[b].first = d->bank[b].last = d->bank[b].work = NONE;
        d->bank[b].group = (uint8_t)(b >> shift & (c->dram_bank_groups - 1));
    }
}

struct dram *dram_create(struct env *env, uint32_t channel, const struct dram_client *client, struct error *err)
{
    const struct config *c = env->config;
    struct dram *d = host_calloc(1, sizeof *d);
    if (!d) return error_set(err, "dram.%u: out of memory", channel), NULL;
    *d = (struct dram){.env = env,
                       .stats = env->stats,
                       .c = c,
                       .client = *client,
                       .channel = channel,
                       .queue = c->dram_queue,
                       .wake = NEVER};
    d->t = dram_timing_of(c);
    d->fields = fields_of(c);
    d->last_bank = c->dram_banks - 1;
    d->atom_shift = log2_floor(c->dram_atom_bytes);
    d->choose = dram_scheduler_of(c)->choose;
    d->dual = c->dram_command_bus == BUS_DUAL;
    d->turning = c->dram_command_bus == BUS_TURNING;
    d->column_at = d->row_at = d->done_at = NEVER;
    d->refresh_at = c->dram_refresh ? c->dram_t_refi : NEVER;
    const uint32_t flights =
        /* mutant: 2 - 1: a queue that is too short grows */
        d->t.data[0] + d->t.data[1] + 2; /* at most one more every CCD clocks; each leaves after its data */
    const uint32_t entries = c->dram_queue + c->dram_banks + flights; /* each bank holds one that has left the window */
    d->entries = host_calloc(entries, sizeof *d->entries);
    if (!d->entries || !pool_grow(&d->places, entries)) {
        dram_destroy(d);
        return error_set(err, "dram.%u: out of memory", channel), NULL;
    }
    init_banks(d);
    return d;
}

void dram_destroy(struct dram *d)
{
    if (!d) return;
    pool_free(&d->places);
    free(d->entries);
    free(d);
}

bool dram_room(const struct dram *d)
{
    return d->waiting < d->queue;
}

bool dram_empty(const struct dram *d)
{
    return !d->busy_banks && !d->arrived;
}

/* To its bank's list. */
static void accept(struct dram *d, uint16_t i)
{
    struct dram_entry *e = &d->entries[i];
    struct bank *k = &d->bank[e->bank];
    e->prev = k->last;
    *(k->last == NONE ? &k->first : &d->entries[k->last].next) = i;
    k->last = i;
    d->arrived++;
    d->arrived_banks += k->pending++ == 0;
    d->idle_mask |= (uint64_t)(k->work == NONE) << e->bank;
}

void dram_push(struct dram *d, const struct dram_request *r)
{
    const uint16_t i = (uint16_t)pool_take(&d->places);
    const struct dram_place p = place_of(&d->fields, r->address);
    const uint8_t atoms = (uint8_t)((r->bytes + d->c->dram_atom_bytes - 1) >> d->atom_shift);
    d->entries[i] = (struct dram_entry){
        .r = *r, .row = p.row, .bank = (uint8_t)p.bank, .atoms = atoms, .atoms_left = atoms, .next = NONE};
    accept(d, i);
    d->waiting++;
    d->wake = 0;
    if (r->who) env_at(d->env, r->who, AT_DRAM_QUEUE, d->channel);
}

static inline uint64_t column_ready(const struct dram *d, uint32_t b)
{
    const struct bank *k = &d->bank[b];
    return max_u64(max_u64(k->column_at[k->write], d->bus_at[k->write]), d->group[k->group].column_at);
}

static inline uint64_t precharge_ready(const struct dram *d, uint32_t b)
{
    return max_u64(d->bank[b].row_at[1], d->group[d->bank[b].group].precharge_at);
}

/* Whether a row is open is not predictable for the host, so this is without a branch. */
static inline uint64_t row_ready(const struct dram *d, uint32_t b)
{
    const struct bank *k = &d->bank[b];
    const uint64_t open = -(uint64_t)k->open;
    return max_u64(k->row_at[k->open], (d->group[k->group].precharge_at & open) | (d->rrd_at & ~open));
}

/* The bank serves a request: its next command depends on whether the open row matches. */
static inline void want(struct dram *d, uint32_t b)
{
    uint64_t bit = (uint64_t)1 << b;
    struct bank *k = &d->bank[b];
    const struct dram_entry *e = &d->entries[k->work];
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

static void remove_entry(struct dram *d, struct bank *k, uint16_t i)
{
    struct dram_entry *e = &d->entries[i];
    if (e->prev == NONE)
        k->first = e->next;
    else
        d->entries[e->prev].next = e->next;
    if (e->next == NONE)
        k->last = e->prev;
    else
        d->entries[e->next].prev = e->prev;
}

/* The number of banks is a power of two. */
static inline uint32_t bank_after(const struct dram *d, uint32_t b)
{
    return (b + 1) & d->last_bank;
}

/* A counter sums a number of banks or requests over all clocks.  dram_sync() adds the present number for every clock
 * since `counted`.  So each change of the number is corrected here: `gone` banks or requests were counted from
 * `counted` to `now`, and are missing in the present number.  A negative `gone`: new ones, which were not there. */
static inline void add(const struct dram *d, uint64_t *counter, uint64_t gone, uint64_t now)
{
    *counter += gone * (now - d->counted);
}

/* One bank per clock takes a request out of the window, banks in round robin. */
static void take(struct dram *d, uint64_t now)
{
    uint64_t from = d->idle_mask & ~(uint64_t)0 << d->turn;
    uint32_t b = (uint32_t)__builtin_ctzll(from ? from : d->idle_mask);
    struct bank *k = &d->bank[b];
    /* Chosen when the bank becomes idle, not on arrival: a newcomer to the open row may overtake (dram.h, "Order"). */
    k->work = d->choose(&(struct dram_window){d->entries, k->row, k->first, k->open});
    add(d, &d->stats->dram_queue_cycles, 1, now);
    remove_entry(d, k, k->work);
    d->idle_mask &= ~((uint64_t)1 << b);
    d->turn = bank_after(d, d->turn);
    want(d, b);
    if (d->waiting-- == d->queue) d->client.room(d->client.context);
}

/* All refreshes due up to `now`.  Each is computed as a whole at the first tick after its due clock.  This is exact:
 * no command issued in between, because a command would have been a tick, and a channel that is not empty ticks then.
 */
static void refresh(struct dram *d, uint64_t now)
{
    struct stats *s = d->stats;
    for (; d->refresh_at <= now; d->refresh_at += d->c->dram_t_refi) {
        /* An all-bank refresh starts when the last bank could activate again. */
        uint64_t start = d->refresh_at;
        for (uint32_t b = 0; b < d->c->dram_banks; b++) {
            struct bank *k = &d->bank[b];
            /* mutant: 0 + 1: a refresh is due in clock 1 at the earliest, and begins when it is due or later */
            uint64_t closed = k->open ? max_u64(precharge_ready(d, b), d->refresh_at) + d->c->dram_t_rp : 0;
            start = max_u64(start, max_u64(closed, k->row_at[0]));
            s->dram_precharges += k->open;
        }
        s->dram_refreshes++;
        for (uint32_t b = 0; b < d->c->dram_banks; b++) {
            struct bank *k = &d->bank[b];
            k->open = false;
            k->row_at[0] = start + d->c->dram_t_rfc;
            if (k->work != NONE) want(d, b);
        }
    }
}

static inline void end_busy(struct dram *d, uint32_t banks, uint64_t now)
{
    d->busy_banks -= banks;
    add(d, &d->stats->dram_bank_cycles, banks, now);
    add(d, &d->stats->dram_active_cycles, banks && !d->busy_banks, now);
}

/* Requests that have arrived since the last tick are in the window from this clock on.  No branch tests whether there
 * are any: the host could not predict it. */
static inline void begin_busy(struct dram *d, uint64_t now)
{
    struct stats *s = d->stats;
    add(d, &s->dram_queue_cycles, -(uint64_t)d->arrived, now);
    add(d, &s->dram_bank_cycles, -(uint64_t)d->arrived_banks, now);
    if (!d->busy_banks && d->arrived_banks) add(d, &s->dram_active_cycles, -(uint64_t)1, now);
    d->busy_banks += d->arrived_banks;
    d->arrived = d->arrived_banks = 0;
}

/* The oldest request in flight is done. */
static void complete(struct dram *d, uint64_t now)
{
    struct stats *s = d->stats;
    const uint16_t i = d->first_flight;
    const struct dram_entry *e = &d->entries[i];
    *(e->r.write ? &s->dram_writes : &s->dram_reads) += 1;
    s->dram_bytes += e->r.bytes;
    end_busy(d, --d->bank[e->bank].pending == 0, now);
    if (e->r.who) env_at(d->env, e->r.who, AT_DRAM_DONE, d->channel);
    d->client.done(d->client.context, &e->r, now);
    pool_give(&d->places, i);
    d->first_flight = e->next;
    d->done_at = e->next == NONE ? NEVER : d->entries[e->next].done;
}

/* All column commands of the bank's request have issued; the bank may take another one in the next clock.  Data follow
 * the order of the column commands: a read after a write starts after the write's data, and a write after a read ends
 * after the read's, for any CL and WL. */
static void leave(struct dram *d, uint32_t b, uint64_t now)
{
    struct bank *k = &d->bank[b];
    struct dram_entry *e = &d->entries[k->work];
    e->done = now + d->t.data[e->r.write];
    e->next = NONE;
    *(d->done_at == NEVER ? &d->first_flight : &d->entries[d->last_flight].next) = k->work;
    d->last_flight = k->work;
    d->done_at = min_u64(d->done_at, e->done);
    k->work = NONE;
    d->column_mask &= ~((uint64_t)1 << b);
    d->idle_mask |= (uint64_t)(k->first != NONE) << b;
}

/* Whether it is the first of its request, or the last, is not predictable for the host: few branches. */
static inline void column(struct dram *d, uint32_t b, uint64_t now)
{
    struct bank *k = &d->bank[b];
    struct dram_entry *e = &d->entries[k->work];
    struct group *g = &d->group[k->group];
    struct stats *s = d->stats;
    const bool w = e->r.write, first = e->atoms_left == e->atoms;
    d->bus_at[w] = now + d->t.ccd;
    d->bus_at[!w] = max_u64(d->bus_at[!w], now + d->t.turn[w]);
    g->column_at = now + d->t.ccdl;
    g->precharge_at = max_u64(g->precharge_at, now + d->t.group_precharge[w]);
    k->row_at[1] = max_u64(k->row_at[1], now + d->t.precharge[w]);
    s->dram_data_cycles += d->t.burst;
    s->dram_row_misses += first & e->opened;
    s->dram_row_hits += first & !e->opened;
    if (d->env->traces && first && e->r.who) env_at(d->env, e->r.who, AT_DRAM_ISSUE, d->channel);
    d->column_at = now + d->t.ccd;
    if (--e->atoms_left == 0) leave(d, b, now);
}

static void activate(struct dram *d, uint32_t b, uint64_t now)
{
    struct bank *k = &d->bank[b];
    struct dram_entry *e = &d->entries[k->work];
    k->open = e->opened = true;
    k->row = e->row;
    k->row_at[0] = now + d->c->dram_t_rc;
    k->row_at[1] = now + d->c->dram_t_ras;
    k->column_at[0] = now + d->t.rcd[0];
    k->column_at[1] = now + d->t.rcd[1];
    d->rrd_at = now + d->c->dram_t_rrd;
    d->stats->dram_activates++;
}

static void precharge(struct dram *d, uint32_t b, uint64_t now)
{
    struct bank *k = &d->bank[b];
    k->open = false;
    k->row_at[0] = max_u64(k->row_at[0], now + d->c->dram_t_rp);
    d->stats->dram_precharges++;
    d->stats->dram_row_conflicts++;
}

static void row(struct dram *d, uint32_t b, uint64_t now)
{
    if (d->bank[b].open)
        precharge(d, b, now);
    else
        activate(d, b, now);
    /* mutant: + -> -: a lower bound of the next row command, which is looked at in the next clock at the earliest */
    d->row_at = now + 1;
    d->turn = bank_after(d, b);
    want(d, b);
}

/* Round-robin position of a bank in this clock. */
static uint32_t order(const struct dram *d, uint32_t b)
{
    return (b - d->turn) & d->last_bank;
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

/* The bank that may issue a column command behind the row command of bank `r`, or BANKS. */
static uint32_t late_column(const struct dram *d, uint32_t r, uint64_t now)
{
    for (uint32_t place = 2 * order(d, r) + 2; place <= d->last_bank; place++) {
        const uint32_t b = (d->turn + place) & d->last_bank;
        if (d->column_mask >> b & 1 && column_ready(d, b) <= now) return b;
    }
    return BANKS;
}

static void issue(struct dram *d, uint64_t now)
{
    uint32_t c = find(d, d->column_mask, column_ready, now, &d->column_at);
    if (d->dual && c < BANKS) column(d, c, now);
    uint32_t r = find(d, d->row_mask, row_ready, now, &d->row_at);
    if (!d->dual && c < BANKS && (r == BANKS || order(d, c) < order(d, r))) {
        column(d, c, now);
    } else if (r < BANKS) {
        const uint32_t late = d->turning && c < BANKS ? late_column(d, r, now) : BANKS;
        row(d, r, now);
        if (late < BANKS) column(d, late, now);
    }
}

void dram_tick(struct dram *d, uint64_t now)
{
    if (d->refresh_at <= now) refresh(d, now);
    while (d->done_at <= now) complete(d, now);
    begin_busy(d, now);
    if (d->idle_mask) take(d, now);
    issue(d, now);
    uint64_t wake = d->idle_mask ? now + 1 : min_u64(d->column_at, d->row_at);
    wake = min_u64(min_u64(wake, d->done_at),
                   d->refresh_at); /* a row that it closes may be opened before the next command is due */
    d->wake = dram_empty(d) ? NEVER : max_u64(wake, now + 1);
}

void dram_sync(struct dram *d, uint64_t clocks)
{
    struct stats *s = d->stats;
    add(d, &s->dram_active_cycles, d->busy_banks != 0, clocks);
    add(d, &s->dram_bank_cycles, d->busy_banks, clocks);
    add(d, &s->dram_queue_cycles, d->waiting - d->arrived, clocks);
    d->counted = clocks;
    if (clocks) refresh(d, clocks - 1);
    s->dram_cycles += clocks - d->synced;
    d->synced = clocks;
}
