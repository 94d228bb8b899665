/* SPDX-License-Identifier: Apache-2.0 */
/* mshr with a table of hashes in the place of its comparators equals the twin: from every state of small files with
 * every input, and in random traffic of large ones.  In the small files all addresses but one are in one bucket. */
#include "system/cache/miss_files/mshr_searched.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

enum { ENTRIES = 3, BUCKETS = 16, ADDRESSES = 4, TABLE = 1 << 20, STATES = TABLE / 2 };
static const uint64_t address[ADDRESSES] = {0, 16, 32, 1};

/* The registers that differ between states of a file of up to ENTRIES entries, if all requests have the same requester.
 */
struct registers {
    bool drain_valid;
    uint8_t drain_set, drain_slot, n_free, used_slots, error;
    uint8_t busy[ENTRIES], live[ENTRIES], addr[ENTRIES], last[ENTRIES];
};

struct state {
    struct registers r;
    uint8_t first[BUCKETS], next[ENTRIES + 1];
};

static struct registers registers_of(const struct mshr *m)
{
    struct registers r = {.drain_valid = m->drain_valid_q,
                          .drain_set = (uint8_t)m->drain_set_q,
                          .drain_slot = m->drain_slot_q,
                          .n_free = (uint8_t)m->n_free_q,
                          .used_slots = (uint8_t)m->used_slots_q,
                          .error = m->error_q};
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        r.busy[i] = m->busy_q[i];
        r.live[i] = m->live_q[i];
        r.addr[i] = (uint8_t)m->addr_q[i];
        r.last[i] = m->last_q[i];
    }
    return r;
}

static void set_registers(struct mshr *m, const struct registers *r)
{
    m->drain_valid_q = r->drain_valid;
    m->drain_set_q = r->drain_set;
    m->drain_slot_q = r->drain_slot;
    m->n_free_q = r->n_free;
    m->used_slots_q = r->used_slots;
    m->error_q = r->error;
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        m->busy_q[i] = r->busy[i];
        m->live_q[i] = r->live[i];
        m->addr_q[i] = r->addr[i];
        m->last_q[i] = r->last[i];
    }
}

static struct state state_of(const struct mshr_searched *s)
{
    struct state x = {registers_of(&s->m), {0}, {0}};
    for (uint32_t i = 0; i < BUCKETS; i++) x.first[i] = (uint8_t)s->first[i];
    for (uint32_t i = 0; i <= ENTRIES; i++) x.next[i] = (uint8_t)s->next[i];
    return x;
}

static void set_state(struct mshr_searched *s, const struct state *x)
{
    set_registers(&s->m, &x->r);
    for (uint32_t i = 0; i < BUCKETS; i++) s->first[i] = x->first[i];
    for (uint32_t i = 0; i <= ENTRIES; i++) s->next[i] = x->next[i];
}

static struct mshr_in input(uint32_t number)
{
    const uint32_t request = number % (ADDRESSES + 1), fill = number / (ADDRESSES + 1) % (ADDRESSES + 1);
    return (struct mshr_in){.req_valid_i = request,
                            .req_addr_i = request ? address[request - 1] : 0,
                            .fill_valid_i = fill,
                            .fill_addr_i = fill ? address[fill - 1] : 0,
                            .drain_ready_i = number >= (ADDRESSES + 1) * (ADDRESSES + 1)};
}

enum { INPUTS = 2 * (ADDRESSES + 1) * (ADDRESSES + 1) };

/* The states seen so far, in order, and where each is by its hash. */
struct seen {
    struct state *state;
    uint32_t *at, count;
};

static void see(struct seen *seen, const struct state *x)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < sizeof *x; i++) hash = (hash ^ ((const uint8_t *)x)[i]) * 16777619u;
    for (hash %= TABLE; seen->at[hash]; hash = (hash + 1) % TABLE)
        if (!memcmp(&seen->state[seen->at[hash] - 1], x, sizeof *x)) return;
    cr_assert(seen->count < STATES, "more than %u states", STATES);
    seen->state[seen->count++] = *x;
    seen->at[hash] = seen->count;
}

/* One cycle of both from this state: in one step, or as eval and tick.  The next state. */
static struct state cycle(struct mshr *plain, struct mshr_searched *searched, const struct state *from,
                          const struct mshr_in *in, bool apart)
{
    struct mshr_out expected = {0}, found = {0};
    set_registers(plain, &from->r);
    set_state(searched, from);
    mshr_eval(plain, in, &expected);
    mshr_tick(plain, in);
    if (apart) {
        mshr_searched.eval(searched, in, &found);
        mshr_searched.tick(searched, in);
    } else {
        mshr_searched.step(searched, in, &found);
    }
    const struct registers of_plain = registers_of(plain);
    const struct state to = state_of(searched);
    cr_assert(!memcmp(&expected, &found, sizeof found), "outputs");
    cr_assert(!memcmp(&of_plain, &to.r, sizeof of_plain), "registers");
    return to;
}

static struct mshr_searched *new_searched(const struct mshr_cfg *cfg)
{
    struct error err = {""};
    struct mshr_searched *s = mshr_searched.create(cfg, &err);
    cr_assert(s, "%s", err.text);
    return s;
}

static struct mshr *new_plain(const struct mshr_cfg *cfg)
{
    struct mshr *m = calloc(1, sizeof *m);
    cr_assert(m);
    mshr_init(m, cfg);
    return m;
}

static uint32_t visit_all(const struct mshr_cfg *cfg)
{
    struct mshr *plain = new_plain(cfg);
    struct mshr_searched *searched = new_searched(cfg);
    struct seen seen = {malloc(STATES * sizeof *seen.state), calloc(TABLE, sizeof *seen.at), 0};
    struct state x = state_of(searched);
    cr_assert(seen.state && seen.at);
    see(&seen, &x);
    for (uint32_t i = 0; i < seen.count; i++)
        for (uint32_t n = 0; n < 2 * INPUTS; n++) {
            const struct mshr_in in = input(n / 2);
            const struct state from = seen.state[i];
            x = cycle(plain, searched, &from, &in, n & 1);
            see(&seen, &x);
        }
    free(seen.state);
    free(seen.at);
    free(plain);
    free(searched);
    return seen.count;
}

Test(mshr_searched, equals_the_twin_in_every_state_of_small_files)
{
    const struct mshr_cfg two = {.Entries = 2, .Slots = 2, .AddrW = 6, .InfoW = 4};
    const struct mshr_cfg three = {.Entries = 3, .Slots = 1, .AddrW = 6, .InfoW = 4};
    const uint32_t of_two = visit_all(&two), of_three = visit_all(&three);
    cr_log_info("%u and %u states", of_two, of_three);
    cr_expect(of_two > 1000 && of_three > 1000, "%u and %u states", of_two, of_three);
}

/* The addresses of outstanding misses, so that fills hit. */
struct outstanding {
    uint64_t addr[MSHR_MAX_ENTRIES];
    uint32_t count;
};

static struct mshr_in random_input(struct rng *rng, const struct outstanding *o, uint64_t lines)
{
    const bool known = o->count && rng_below(rng, 8);
    struct mshr_in in = {.req_valid_i = rng_below(rng, 4),
                         .req_addr_i = rng_below(rng, lines) << rng_below(rng, 2) * 8,
                         .req_info_i = (uint32_t)rng_u64(rng),
                         .req_write_i = rng_below(rng, 2),
                         .fill_valid_i = rng_below(rng, 2),
                         .fill_addr_i = known ? o->addr[rng_below(rng, o->count)] : rng_below(rng, lines),
                         .drain_ready_i = rng_below(rng, 8)};
    for (uint32_t k = 0; k < 32; k++) in.req_data_i[k] = (uint32_t)rng_u64(rng);
    return in;
}

static void follow(struct outstanding *o, const struct mshr_in *in, const struct mshr_out *out)
{
    for (uint32_t i = 0; in->fill_valid_i && out->fill_ready_o && i < o->count; i++)
        if (o->addr[i] == in->fill_addr_i) o->addr[i] = o->addr[--o->count];
    if (out->rsp_valid_o && out->rsp_result_o == MSHR_PRIMARY) o->addr[o->count++] = in->req_addr_i;
}

static void random_traffic(const struct mshr_cfg *cfg, uint32_t cycles)
{
    struct mshr *plain = new_plain(cfg);
    struct mshr_searched *searched = new_searched(cfg);
    struct outstanding o = {.count = 0};
    struct rng rng;
    rng_seed(&rng, cfg->Entries);
    for (uint32_t c = 0; c < cycles; c++) {
        struct mshr_out expected = {0}, found = {0};
        const struct mshr_in in = random_input(&rng, &o, 2 * cfg->Entries);
        if (c == cycles / 2) mshr_reset(plain), mshr_searched.reset(searched), o.count = 0;
        mshr_step(plain, &in, &expected);
        mshr_searched.step(searched, &in, &found);
        cr_assert(!memcmp(&expected, &found, sizeof found), "%u entries, cycle %u", cfg->Entries, c);
        follow(&o, &in, &found);
    }
    cr_expect(!memcmp(plain, &searched->m, sizeof *plain), "%u entries: registers", cfg->Entries);
    free(plain);
    free(searched);
}

Test(mshr_searched, equals_the_twin_in_random_traffic_of_large_files)
{
    const struct mshr_cfg cfg[] = {{.Entries = 5, .Slots = 3, .AddrW = 41, .InfoW = 24, .DataW = 33},
                                   {.Entries = 32, .Slots = 8, .AddrW = 41, .InfoW = 24},
                                   {.Entries = 80, .Slots = 2, .AddrW = 20, .InfoW = 8},
                                   {.Entries = 256, .Slots = 64, .AddrW = 43, .InfoW = 24, .DataW = 1024},
                                   {.Entries = 512, .Slots = 1, .AddrW = 41, .InfoW = 24}};
    for (uint32_t i = 0; i < sizeof cfg / sizeof *cfg; i++) random_traffic(&cfg[i], 20000);
}
