/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/collectors.h"

#include <stdlib.h>
#include <string.h>

#include "system/sm/lsu.h"
#include "system/sm/warp.h"

enum { PARTS = PORT_LSU + 1, WIDTH = 4, MAX_BANKS = 64, MAX_COLLECTORS = 64, OPERANDS = MAX_COLLECTORS * INST_MAX_SRC };
enum { MAX_SP = WIDTH, SHORTEST = 3 }; /* cycles from the entry into a unit to a result, of a unit with one stage */
_Static_assert(OPERANDS <= UINT8_MAX + 1, "an operand's number fits a byte");

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
    struct held of[WIDTH]; /* `issued`: the oldest first; `ready`: unordered */
};

struct part {
    uint32_t width;        /* of both stages */
    uint32_t ports;        /* instructions that enter collectors in a cycle, and leave them */
    uint32_t first, units; /* its collectors: a range of collectors.unit */
    uint64_t mine;         /* the same, as a set */
    uint32_t last[WIDTH];  /* of each port: the collector whose instruction left last, from `first` on */
    struct stage issued, ready;
};

/* The operands that wait for a bank are a list: collectors.behind.  Operand i of collector c is number 4 * c + i. */
struct bank {
    uint8_t oldest, youngest;
};

struct collectors {
    uint32_t held, memory; /* instructions; of these, the LSU's */
    uint64_t issues;
    uint64_t used, complete; /* bit i: unit[i] holds an instruction; and all its operands */
    uint64_t waiting;        /* bit b: operands wait for bank b */
    uint64_t first_result; /* no register that an instruction here writes is usable earlier, as the scoreboard has it */
    warp_set leaving;      /* warps with an exit that waits for results */
    struct part part[PARTS];
    struct bank bank[MAX_BANKS];
    uint8_t behind[OPERANDS];         /* each operand that waits: the next one of its bank */
    uint16_t latency[INST_OPS];       /* from the entry into a unit to the result */
    struct held unit[MAX_COLLECTORS]; /* the collectors */
    struct bank_writes writes;
    uint32_t before; /* a long instruction that entered so many cycles before has its result with a short one */
    uint64_t ticked; /* the last cycle with an instruction in front of the SP units */
    uint64_t entered[MAX_SP];   /* of each SP unit: bit i: a long instruction entered i cycles before */
    uint64_t done[MAX_WARPS];   /* the cycle of the last result of its instructions in units */
    uint8_t of_warp[MAX_WARPS]; /* instructions held */
    struct collected collected;
};

/* Barriers and exits take one stage of a unit. */
static bool is_short(uint8_t op)
{
    return op == INST_BARRIER || op == INST_EXIT;
}

static void config_part(struct collectors *s, enum port port, uint32_t width, uint32_t ports, uint32_t units)
{
    const uint32_t first = port ? s->part[port - 1].first + s->part[port - 1].units : 0;
    const uint64_t mine = (((uint64_t)1 << units) - 1) << first;
    s->part[port] = (struct part){.width = width, .ports = ports, .first = first, .units = units, .mine = mine};
}

static void config_latencies(struct collectors *s, const struct config *c)
{
    for (uint8_t op = 0; op < INST_OPS; op++)
        s->latency[op] =
            (uint16_t)(is_short(op) ? SHORTEST
                                    : (inst_is_sfu(op) ? c->sm_sfu_latency : c->sm_sp_latency) - COLLECTORS_PATH);
    s->before = c->sm_sp_latency - COLLECTORS_PATH - SHORTEST;
}

struct collectors *collectors_create(const struct config *c, struct error *err)
{
    if (!c->sm_reg_banks) return NULL;
    struct collectors *s = calloc(1, sizeof *s);
    if (!s) return error_set(err, "sm: out of memory"), NULL;
    const uint32_t places = c->sm_collectors_mem + 2;
    s->first_result = NEVER;
    bank_writes_init(&s->writes, c->sm_reg_banks, max_u32(c->sm_sp_latency, c->sm_sfu_latency));
    config_latencies(s, c);
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

uint32_t collectors_room(const struct collectors *s, enum port port)
{
    const struct part *p = &s->part[port == PORT_NONE ? PORT_SP : port];
    return p->width - p->issued.count;
}

static void take_operands(struct held *h, const struct bank_writes *b, uint32_t w, const struct inst *i)
{
    for (uint32_t n = 0; n < INST_MAX_SRC; n++) {
        h->bank[h->operands] = bank_of(b, w, i->src[n]);
        h->operands = (uint8_t)(h->operands + (i->src[n] != INST_NO_REG));
    }
}

static void take_memory(struct sm *sm, uint32_t w, struct held *h)
{
    struct collectors *s = sm->collectors;
    h->place = (uint8_t)__builtin_ctzll(~s->collected.used);
    s->collected.used |= (uint64_t)1 << h->place;
    s->memory++;
    lsu_fill(sm, w, &s->collected.at[h->place]);
}

void collectors_take(struct sm *sm, uint32_t w)
{
    struct collectors *s = sm->collectors;
    const struct inst *i = &sm->warps[w].inst;
    const uint8_t port = sm->port[w];
    struct part *p = &s->part[port == PORT_NONE ? PORT_SP : port];
    struct held *h = &p->issued.of[p->issued.count++];
    *h = (struct held){.number = s->issues++, .warp = (uint8_t)w, .dst = i->dst, .op = i->op};
    take_operands(h, &s->writes, w, i);
    s->held++;
    s->of_warp[w]++;
    if (port == PORT_LSU)
        take_memory(sm, w, h);
    else if (i->dst != INST_NO_REG)
        s->first_result = min_u64(s->first_result, sm->array->env->sm_cycle + sm->array->needs[i->op].latency);
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

/* The result is usable later than the scoreboard has it: the wait state of its warp is found anew. */
static void delay(struct sm *sm, const struct held *h, uint64_t usable)
{
    warp_write(sm, h->warp, h->dst, usable);
    sm->word[h->warp / 64].far |= (uint64_t)1 << h->warp % 64;
}

/* An instruction enters a unit of the SPs or SFUs in this cycle. */
static void enter_unit(struct sm *sm, struct part *p)
{
    struct collectors *s = sm->collectors;
    struct held *h = oldest(&p->ready);
    const uint64_t done = sm->array->env->sm_cycle + s->latency[h->op];
    if (h->dst != INST_NO_REG) {
        bank_write(&s->writes, done, h->warp, h->dst);
        if (*warp_register(sm, h->warp, h->dst) < done) delay(sm, h, done);
    }
    s->done[h->warp] = max_u64(s->done[h->warp], done);
    s->of_warp[h->warp]--;
    s->held--;
    *h = p->ready.of[--p->ready.count];
}

static void enter_lsu(struct sm *sm, struct part *p)
{
    struct collectors *s = sm->collectors;
    const struct held *h = &p->ready.of[0];
    lsu_enter(sm, &s->collected.at[h->place]);
    s->collected.used &= ~((uint64_t)1 << h->place);
    s->of_warp[h->warp]--;
    s->held--;
    s->memory--;
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

/* `entered` counts from this cycle. */
static void age_entries(struct collectors *s, uint64_t now)
{
    const uint64_t passed = now - s->ticked;
    for (uint32_t i = 0; i < MAX_SP; i++) s->entered[i] = passed < 64 ? s->entered[i] << passed : 0;
    s->ticked = now;
}

/* A unit has one result a cycle: a short instruction waits if a long one, which entered before it, has it. */
static bool has_result(const struct sm *sm, uint32_t unit, uint8_t op)
{
    const struct collectors *s = sm->collectors;
    return is_short(op) && s->before < 64 && s->entered[unit] >> s->before & 1;
}

/* Each unit looks at the oldest instruction. */
static bool enter_sps(struct sm *sm, struct part *p)
{
    bool entered = false;
    if (!p->ready.count) return false;
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

/* Of the complete collectors of the part, the next one behind `last`. */
static uint32_t next_complete(uint64_t complete, uint32_t last)
{
    const uint64_t behind = complete >> last >> 1 << last << 1;
    return (uint32_t)__builtin_ctzll(behind ? behind : complete);
}

static bool leave_part(struct collectors *s, struct part *p)
{
    bool changed = false;
    for (uint32_t n = 0; n < p->ports && p->ready.count < p->width && s->complete & p->mine; n++) {
        const uint32_t i = next_complete((s->complete & p->mine) >> p->first, p->last[n]);
        const uint64_t unit = (uint64_t)1 << (p->first + i);
        p->last[n] = i;
        p->ready.of[p->ready.count++] = s->unit[p->first + i];
        s->used ^= unit;
        s->complete ^= unit;
        changed = true;
    }
    return changed;
}

static bool leave_collectors(struct collectors *s)
{
    bool changed = false;
    for (uint32_t port = PORT_SP; port < PARTS; port++)
        if (s->complete & s->part[port].mine) changed |= leave_part(s, &s->part[port]);
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
        const uint8_t operand = bank->oldest;
        struct held *h = &s->unit[operand / INST_MAX_SRC];
        h->waiting &= (uint8_t) ~(1u << operand % INST_MAX_SRC);
        s->complete |= (uint64_t)!h->waiting << operand / INST_MAX_SRC;
        s->waiting ^= (uint64_t)(operand == bank->youngest) << b;
        bank->oldest = s->behind[operand];
    }
    return waited;
}

static void ask_banks(struct collectors *s, uint32_t unit)
{
    struct held *h = &s->unit[unit];
    h->waiting = (uint8_t)((1u << h->operands) - 1);
    s->complete |= (uint64_t)!h->waiting << unit;
    for (uint32_t i = 0; i < h->operands; i++) {
        struct bank *b = &s->bank[h->bank[i]];
        const uint8_t operand = (uint8_t)(unit * INST_MAX_SRC + i);
        *(s->waiting >> h->bank[i] & 1 ? &s->behind[b->youngest] : &b->oldest) = operand;
        b->youngest = operand;
        s->waiting |= (uint64_t)1 << h->bank[i];
    }
}

static bool enter_part(struct collectors *s, struct part *p)
{
    bool changed = false;
    for (uint32_t n = 0; n < p->ports && p->issued.count && p->mine & ~s->used; n++) {
        const uint32_t unit = (uint32_t)__builtin_ctzll(p->mine & ~s->used);
        s->unit[unit] = p->issued.of[0];
        p->issued.count--;
        for (uint32_t i = 0; i < p->issued.count; i++) p->issued.of[i] = p->issued.of[i + 1];
        s->used |= (uint64_t)1 << unit;
        ask_banks(s, unit);
        changed = true;
    }
    return changed;
}

static bool enter_collectors(struct collectors *s)
{
    bool changed = false;
    for (uint32_t port = PORT_SP; port < PARTS; port++)
        if (s->part[port].issued.count) changed |= enter_part(s, &s->part[port]);
    return changed;
}

/* An instruction is in no unit yet: if its register was usable now, it comes no earlier than from a unit entered in the
 * next cycle. */
static void delay_due(struct sm *sm, const struct held *h)
{
    struct collectors *s = sm->collectors;
    const uint64_t now = sm->array->env->sm_cycle;
    if (h->dst == INST_NO_REG) return;
    if (*warp_register(sm, h->warp, h->dst) <= now) delay(sm, h, now + 1 + s->latency[h->op]);
    s->first_result = min_u64(s->first_result, *warp_register(sm, h->warp, h->dst));
}

static void delay_results(struct sm *sm)
{
    struct collectors *s = sm->collectors;
    const uint32_t end = s->part[PORT_LSU].first;
    if (s->first_result > sm->array->env->sm_cycle) return;
    s->first_result = NEVER;
    for (uint32_t port = PORT_SP; port < PORT_LSU; port++) {
        const struct part *p = &s->part[port];
        for (uint32_t i = 0; i < p->issued.count; i++) delay_due(sm, &p->issued.of[i]);
        for (uint32_t i = 0; i < p->ready.count; i++) delay_due(sm, &p->ready.of[i]);
    }
    for (uint64_t rest = s->used & (((uint64_t)1 << end) - 1); rest; rest &= rest - 1)
        delay_due(sm, &s->unit[__builtin_ctzll(rest)]);
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
    changed |= leave_collectors(s);
    changed |= read_banks(s, sm->array->env->sm_cycle);
    changed |= enter_collectors(s);
    delay_results(sm);
    if (s->leaving) changed |= end_warps(sm);
    return changed || s->leaving || s->held > s->memory;
}
