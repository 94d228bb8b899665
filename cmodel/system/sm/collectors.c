/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/collectors.h"

#include <stdlib.h>
#include <string.h>

#include "system/sm/lsu.h"
#include "system/sm/warp.h"

enum { PARTS = PORT_LSU + 1, WIDTH = 4, MAX_BANKS = 64, MAX_COLLECTORS = 64, QUEUE = 256 };
enum { MAX_SP = WIDTH, SHORTEST = 3 }; /* cycles from the entry into a unit to a result, of a unit with one stage */
_Static_assert(MAX_COLLECTORS *INST_MAX_SRC <= QUEUE, "a bank's queue has room for all operands");

/* An instruction between its issue and its unit. */
struct held {
    uint64_t number; /* in the order of issue */
    uint8_t warp, dst, op, operands;
    uint8_t waiting; /* bit i: operand i is not read yet */
    uint8_t place;   /* of the LSU: in collectors.collected */
    uint8_t bank[INST_MAX_SRC];
};

/* Up to WIDTH instructions between two stages. */
struct stage {
    uint32_t count;
    struct held of[WIDTH]; /* unordered */
};

struct part {
    uint32_t width;        /* of both stages */
    uint32_t ports;        /* instructions that enter collectors in a cycle, and leave them */
    uint32_t first, units; /* its collectors: a range of collectors.unit */
    uint32_t last[WIDTH];  /* of each port: the collector whose instruction left last, from `first` on */
    struct stage issued, ready;
};

/* The operands that wait for a bank, the oldest first: 4 * collector + operand. */
struct bank {
    uint8_t head, count;
    uint8_t queue[QUEUE];
};

struct collectors {
    uint32_t held;
    uint64_t issues;
    struct part part[PARTS];
    uint64_t used;                    /* bit i: unit[i] holds an instruction */
    struct held unit[MAX_COLLECTORS]; /* the collectors */
    uint64_t waiting;                 /* bit b: bank b has operands in its queue */
    struct bank_writes writes;
    uint64_t ticked;            /* the last cycle */
    uint64_t entered[MAX_SP];   /* of each SP unit: bit i: a long instruction entered i cycles before */
    warp_set leaving;           /* warps with an exit that waits for results */
    uint64_t done[MAX_WARPS];   /* the cycle of the last result of its instructions in units */
    uint8_t of_warp[MAX_WARPS]; /* instructions held */
    struct collected collected;
    struct bank bank[MAX_BANKS];
};

static bool config_part(struct collectors *s, enum port port, uint32_t width, uint32_t ports, uint32_t units)
{
    const uint32_t first = port ? s->part[port - 1].first + s->part[port - 1].units : 0;
    s->part[port] = (struct part){.width = width, .ports = ports, .first = first, .units = units};
    return first + units <= MAX_COLLECTORS;
}

struct collectors *collectors_create(const struct config *c, struct error *err)
{
    if (!c->sm_reg_banks) return NULL;
    struct collectors *s = calloc(1, sizeof *s);
    if (!s) return error_set(err, "sm: out of memory"), NULL;
    const uint32_t places = c->sm_collectors_mem + 2;
    s->writes.banks = c->sm_reg_banks;
    config_part(s, PORT_SP, c->sm_sp_units, c->sm_sp_units, c->sm_collectors_sp);
    config_part(s, PORT_SFU, c->sm_sfu_units, 1, c->sm_collectors_sfu);
    config_part(s, PORT_LSU, 1, 1, c->sm_collectors_mem);
    s->collected.at = malloc(places * sizeof *s->collected.at);
    if (s->collected.at) return s;
    collectors_destroy(s);
    return error_set(err, "sm: out of memory"), NULL;
}

void collectors_destroy(struct collectors *s)
{
    if (s) free(s->collected.at);
    free(s);
}

struct bank_writes *collectors_writes(struct collectors *s)
{
    return s ? &s->writes : NULL;
}

const struct collected *collectors_memory(const struct collectors *s)
{
    return s ? &s->collected : NULL;
}

bool collectors_empty(const struct collectors *s)
{
    return !s->held && !s->leaving;
}

static enum port part_of(uint8_t op)
{
    return inst_is_sfu(op) ? PORT_SFU : inst_is_memory(op) ? PORT_LSU : PORT_SP;
}

uint32_t collectors_room(const struct collectors *s, enum port port)
{
    const struct part *p = &s->part[port == PORT_NONE ? PORT_SP : port];
    return p->width - p->issued.count;
}

void collectors_take(struct sm *sm, uint32_t w)
{
    struct collectors *s = sm->collectors;
    const struct inst *i = &sm->warps[w].inst;
    struct part *p = &s->part[part_of(i->op)];
    struct held *h = &p->issued.of[p->issued.count++];
    *h = (struct held){.number = s->issues++, .warp = (uint8_t)w, .dst = i->dst, .op = i->op};
    for (uint32_t n = 0; n < INST_MAX_SRC; n++)
        if (i->src[n] != INST_NO_REG) h->bank[h->operands++] = bank_of(&s->writes, w, i->src[n]);
    s->held++;
    s->of_warp[w]++;
    if (part_of(i->op) == PORT_LSU) {
        h->place = (uint8_t)__builtin_ctzll(~s->collected.used);
        s->collected.used |= (uint64_t)1 << h->place;
        lsu_fill(sm, w, &s->collected.at[h->place]);
    }
    if (i->op != INST_EXIT) return;
    sm->warps[w].pending++;
    s->leaving |= warp_bit(w);
}

static struct held *oldest(struct stage *g)
{
    struct held *h = &g->of[0];
    for (uint32_t i = 1; i < g->count; i++)
        if (g->of[i].number < h->number) h = &g->of[i];
    return h;
}

static void leave(struct stage *g, struct held *h)
{
    *h = g->of[--g->count];
}

/* Takes one stage of a unit. */
static bool is_short(uint8_t op)
{
    return op == INST_BARRIER || op == INST_EXIT;
}

/* From the entry into a unit to the result. */
static uint32_t latency_of(const struct sm *sm, uint8_t op)
{
    const struct config *c = sm->array->c;
    if (is_short(op)) return SHORTEST;
    return (inst_is_sfu(op) ? c->sm_sfu_latency : c->sm_sp_latency) - COLLECTORS_PATH;
}

/* An instruction enters a unit of the SPs or SFUs in this cycle. */
static void enter_unit(struct sm *sm, struct part *p)
{
    struct collectors *s = sm->collectors;
    struct held *h = oldest(&p->ready);
    const uint64_t done = sm->array->env->sm_cycle + latency_of(sm, h->op);
    if (h->dst != INST_NO_REG) bank_write(&s->writes, done, h->warp, h->dst);
    s->done[h->warp] = max_u64(s->done[h->warp], done);
    s->of_warp[h->warp]--;
    s->held--;
    leave(&p->ready, h);
}

static void enter_lsu(struct sm *sm, struct part *p)
{
    struct collectors *s = sm->collectors;
    const struct held *h = &p->ready.of[0];
    lsu_enter(sm, &s->collected.at[h->place]);
    s->collected.used &= ~((uint64_t)1 << h->place);
    s->of_warp[h->warp]--;
    s->held--;
    p->ready.count = 0;
}

/* False: nothing entered. */
static bool enter_sfus(struct sm *sm, struct part *p)
{
    const uint64_t now = sm->array->env->sm_cycle;
    bool entered = false;
    for (uint32_t i = 0; i < sm->array->c->sm_sfu_units && p->ready.count; i++) {
        if (sm->sfu_free[i] > now) continue;
        sm->sfu_free[i] = now + sm->array->c->sm_sfu_interval;
        enter_unit(sm, p);
        entered = true;
    }
    return entered;
}

/* Time has passed since the last tick: `entered` counts from this cycle. */
static void age_entries(struct collectors *s, uint64_t now)
{
    const uint64_t passed = now - s->ticked;
    for (uint32_t i = 0; i < MAX_SP; i++) s->entered[i] = passed < 64 ? s->entered[i] << passed : 0;
    s->ticked = now;
}

/* A unit has one result a cycle: a short instruction waits if a long one, which entered before it, has it. */
static bool has_result(const struct sm *sm, uint32_t unit, uint8_t op)
{
    const uint32_t before = sm->array->c->sm_sp_latency - COLLECTORS_PATH - SHORTEST;
    return is_short(op) && before < 64 && sm->collectors->entered[unit] >> before & 1;
}

/* Each unit looks at the oldest instruction. */
static bool enter_sps(struct sm *sm, struct part *p)
{
    bool entered = false;
    age_entries(sm->collectors, sm->array->env->sm_cycle);
    for (uint32_t i = 0; i < p->width && p->ready.count; i++) {
        const uint8_t op = oldest(&p->ready)->op;
        if (has_result(sm, i, op)) continue;
        sm->collectors->entered[i] |= !is_short(op);
        enter_unit(sm, p);
        entered = true;
    }
    return entered;
}

static bool enter_units(struct sm *sm)
{
    struct part *part = sm->collectors->part;
    bool changed = enter_sps(sm, &part[PORT_SP]);
    changed |= enter_sfus(sm, &part[PORT_SFU]);
    if (part[PORT_LSU].ready.count && ring_room(&sm->queue)) {
        enter_lsu(sm, &part[PORT_LSU]);
        changed = true;
    }
    return changed;
}

/* The next collector of the part with all operands, behind the last one of the port; `units`: none. */
static uint32_t next_complete(const struct collectors *s, const struct part *p, uint32_t port)
{
    for (uint32_t n = 1; n <= p->units; n++) {
        const uint32_t i = (p->last[port] + n) % p->units;
        if (s->used >> (p->first + i) & 1 && !s->unit[p->first + i].waiting) return i;
    }
    return p->units;
}

static bool leave_collectors(struct collectors *s, struct part *p)
{
    bool changed = false;
    for (uint32_t n = 0; n < p->ports && p->ready.count < p->width; n++) {
        const uint32_t i = next_complete(s, p, n);
        if (i == p->units) break;
        p->last[n] = i;
        p->ready.of[p->ready.count++] = s->unit[p->first + i];
        s->used &= ~((uint64_t)1 << (p->first + i));
        changed = true;
    }
    return changed;
}

/* Each bank that is not written reads the operand that waits longest. */
static bool read_banks(struct collectors *s, uint64_t now)
{
    const uint64_t written = banks_written(&s->writes, now);
    const uint64_t waited = s->waiting;
    for (uint64_t rest = s->waiting & ~written; rest; rest &= rest - 1) {
        const uint32_t b = (uint32_t)__builtin_ctzll(rest);
        struct bank *bank = &s->bank[b];
        const uint8_t operand = bank->queue[bank->head++];
        s->unit[operand / INST_MAX_SRC].waiting &= (uint8_t) ~(1u << operand % INST_MAX_SRC);
        if (--bank->count) continue;
        bank->head = 0;
        s->waiting &= ~((uint64_t)1 << b);
    }
    return waited;
}

static void ask_banks(struct collectors *s, uint32_t unit)
{
    struct held *h = &s->unit[unit];
    h->waiting = (uint8_t)((1u << h->operands) - 1);
    for (uint32_t i = 0; i < h->operands; i++) {
        struct bank *b = &s->bank[h->bank[i]];
        b->queue[(uint8_t)(b->head + b->count++)] = (uint8_t)(unit * INST_MAX_SRC + i);
        s->waiting |= (uint64_t)1 << h->bank[i];
    }
}

static bool enter_collectors(struct collectors *s, struct part *p)
{
    const uint64_t mine = (((uint64_t)1 << p->units) - 1) << p->first;
    bool changed = false;
    for (uint32_t n = 0; n < p->ports && p->issued.count && mine & ~s->used; n++) {
        struct held *h = oldest(&p->issued);
        const uint32_t unit = (uint32_t)__builtin_ctzll(mine & ~s->used);
        s->unit[unit] = *h;
        s->used |= (uint64_t)1 << unit;
        ask_banks(s, unit);
        leave(&p->issued, h);
        changed = true;
    }
    return changed;
}

/* The result of an instruction that is in no unit yet comes no earlier than from a unit entered in the next cycle. */
static void delay(struct sm *sm, const struct held *h)
{
    const uint64_t earliest = sm->array->env->sm_cycle + 1 + latency_of(sm, h->op);
    if (h->dst == INST_NO_REG || *warp_register(sm, h->warp, h->dst) >= earliest) return;
    warp_write(sm, h->warp, h->dst, earliest);
    sm->word[h->warp / 64].far |= (uint64_t)1 << h->warp % 64; /* its wait state is found anew */
}

static void delay_results(struct sm *sm)
{
    struct collectors *s = sm->collectors;
    const uint32_t end = s->part[PORT_LSU].first;
    for (uint32_t port = PORT_SP; port < PORT_LSU; port++) {
        const struct part *p = &s->part[port];
        for (uint32_t i = 0; i < p->issued.count; i++) delay(sm, &p->issued.of[i]);
        for (uint32_t i = 0; i < p->ready.count; i++) delay(sm, &p->ready.of[i]);
    }
    for (uint64_t rest = s->used & (((uint64_t)1 << end) - 1); rest; rest &= rest - 1)
        delay(sm, &s->unit[__builtin_ctzll(rest)]);
}

static bool end_warps(struct sm *sm)
{
    struct collectors *s = sm->collectors;
    const warp_set before = s->leaving;
    for (warp_set rest = s->leaving; rest; rest &= rest - 1) {
        const uint32_t w = warp_first(rest);
        if (s->of_warp[w] || s->done[w] >= sm->array->env->sm_cycle) continue;
        s->leaving &= ~warp_bit(w);
        if (warp_stored(sm, w)) warp_finish(sm, w);
    }
    return s->leaving != before;
}

bool collectors_tick(struct sm *sm)
{
    struct collectors *s = sm->collectors;
    if (collectors_empty(s)) return false;
    bool changed = enter_units(sm);
    for (uint32_t port = PORT_SP; port < PARTS; port++) changed |= leave_collectors(s, &s->part[port]);
    changed |= read_banks(s, sm->array->env->sm_cycle);
    for (uint32_t port = PORT_SP; port < PARTS; port++) changed |= enter_collectors(s, &s->part[port]);
    delay_results(sm);
    changed |= end_warps(sm);
    const struct part *lsu = &s->part[PORT_LSU];
    const uint64_t others = s->used & (((uint64_t)1 << lsu->first) - 1);
    return changed || s->leaving || others || s->part[PORT_SP].issued.count || s->part[PORT_SFU].issued.count ||
           s->part[PORT_SP].ready.count || s->part[PORT_SFU].ready.count;
}
