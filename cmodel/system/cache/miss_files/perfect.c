/* SPDX-License-Identifier: Apache-2.0 */
/* A file of any size that looks up and allocates in the cycle of the request: the perfect file of Gu20, section 3.6.3,
 * the upper bound of every hashed or filtered one.  With the shared option its entries share all slots.
 *
 * A model in C with the ports of mshr, and with its order of drain, fill and request in a cycle. */
#include <stdlib.h>

#include "base/arith.h"
#include "mshr.h"
#include "system/block/block_ops.h"
#include "system/config/miss_kind.h"
#include "system/unit/pool.h"

enum { NONE = UINT32_MAX, MOST_SLOTS = 65535 };

struct perfect_cfg {
    uint32_t lines, slots_per_line, slots; /* lines in flight; requests per line; requests in all */
};

struct line {
    uint64_t addr;
    uint32_t first, last, used; /* its slots, oldest first */
    uint32_t next;              /* of the same bucket */
};

struct slot {
    uint32_t info, data, next;
    bool write;
};

struct perfect {
    struct perfect_cfg p;
    struct pool free_lines, free_slots;
    struct line *line;
    struct slot *slot;
    uint32_t *bucket; /* first line of each; lines that drain are in none */
    uint32_t buckets;
    uint32_t draining; /* line, or NONE */
    enum mshr_error error;
};

struct wires {
    bool pop, done, fill_ready, fill_ok, fill_bad, accept;
    uint32_t filled, line; /* line: of the request, if one is open */
    enum mshr_result result;
};

static void perfect_destroy(void *block)
{
    struct perfect *m = block;
    pool_free(&m->free_lines);
    pool_free(&m->free_slots);
    free(m->line);
    free(m->slot);
    free(m->bucket);
    free(m);
}

static void *perfect_create(const void *cfg, struct error *err)
{
    struct perfect *m = calloc(1, sizeof *m);
    if (!m) return error_set(err, "perfect: out of memory"), NULL;
    *m = (struct perfect){.p = *(const struct perfect_cfg *)cfg, .draining = NONE};
    m->buckets = 2u << log2_floor(m->p.lines);
    m->line = calloc(m->p.lines, sizeof *m->line);
    m->slot = calloc(m->p.slots, sizeof *m->slot);
    m->bucket = malloc(m->buckets * sizeof *m->bucket);
    if (!m->line || !m->slot || !m->bucket || !pool_grow(&m->free_lines, m->p.lines) ||
        !pool_grow(&m->free_slots, m->p.slots))
        return error_set(err, "perfect: out of memory"), perfect_destroy(m), NULL;
    for (uint32_t i = 0; i < m->buckets; i++) m->bucket[i] = NONE;
    return m;
}

static uint32_t *bucket_of(const struct perfect *m, uint64_t addr)
{
    return &m->bucket[(addr * 0x9e3779b97f4a7c15u >> 32) & (m->buckets - 1)];
}

static uint32_t perfect_find(const struct perfect *m, uint64_t addr)
{
    uint32_t i = *bucket_of(m, addr);
    while (i != NONE && m->line[i].addr != addr) i = m->line[i].next;
    return i;
}

static enum mshr_result perfect_answer(const struct perfect *m, const struct mshr_in *in, const struct wires *w)
{
    const bool draining = m->draining != NONE && !w->done && m->line[m->draining].addr == in->req_addr_i;
    const bool slot = m->free_slots.left + w->pop > 0;
    if (draining || (w->fill_ok && in->fill_addr_i == in->req_addr_i)) return MSHR_RF_DRAIN;
    if (w->line != NONE) return slot && m->line[w->line].used < m->p.slots_per_line ? MSHR_SECONDARY : MSHR_RF_MERGE;
    return slot && m->free_lines.left + w->done > 0 ? MSHR_PRIMARY : MSHR_RF_ENTRY;
}

static struct wires perfect_evaluate(const struct perfect *m, const struct mshr_in *in)
{
    struct wires w = {.line = NONE};
    w.pop = m->draining != NONE && in->drain_ready_i;
    w.done = w.pop && m->line[m->draining].first == m->line[m->draining].last;
    w.fill_ready = m->draining == NONE || w.done;
    w.filled = in->fill_valid_i && w.fill_ready ? perfect_find(m, in->fill_addr_i) : NONE;
    w.fill_ok = w.filled != NONE;
    w.fill_bad = in->fill_valid_i && w.fill_ready && !w.fill_ok;
    if (!in->req_valid_i) return w;
    w.line = perfect_find(m, in->req_addr_i);
    w.result = perfect_answer(m, in, &w);
    w.accept = w.result == MSHR_PRIMARY || w.result == MSHR_SECONDARY;
    return w;
}

static void eval(void *block, const void *inputs, void *outputs)
{
    const struct perfect *m = block;
    const struct mshr_in *in = inputs;
    const struct wires w = perfect_evaluate(m, in);
    struct mshr_out *out = outputs;
    *out = (struct mshr_out){.req_ready_o = true,
                             .rsp_valid_o = in->req_valid_i,
                             .rsp_result_o = w.result,
                             .fill_ready_o = w.fill_ready,
                             .used_slots_o = (uint16_t)pool_used(&m->free_slots),
                             .error_o = m->error};
    if (m->draining == NONE) return;
    const struct line *l = &m->line[m->draining];
    const struct slot *s = &m->slot[l->first];
    out->drain_valid_o = true;
    out->drain_addr_o = l->addr;
    out->drain_info_o = s->info;
    out->drain_write_o = s->write;
    out->drain_data_o[0] = s->data;
    out->drain_last_o = l->first == l->last;
}

/* The oldest slot of the line that drains, and with its last one the line. */
static void perfect_pop(struct perfect *m, bool done)
{
    struct line *l = &m->line[m->draining];
    pool_give(&m->free_slots, l->first);
    l->first = m->slot[l->first].next;
    if (!done) return;
    pool_give(&m->free_lines, m->draining);
    m->draining = NONE;
}

/* The line accepts no more requests. */
static void close_line(struct perfect *m, uint32_t line)
{
    uint32_t *at = bucket_of(m, m->line[line].addr);
    while (*at != line) at = &m->line[*at].next;
    *at = m->line[line].next;
    m->draining = line;
}

static uint32_t open_line(struct perfect *m, uint64_t addr)
{
    const uint32_t i = pool_take(&m->free_lines);
    uint32_t *first = bucket_of(m, addr);
    m->line[i] = (struct line){.addr = addr, .next = *first};
    *first = i;
    return i;
}

static void perfect_push(struct perfect *m, uint32_t line, const struct mshr_in *in)
{
    struct line *l = &m->line[line];
    const uint32_t i = pool_take(&m->free_slots);
    m->slot[i] = (struct slot){.info = in->req_info_i, .data = in->req_data_i[0], .write = in->req_write_i};
    *(l->used ? &m->slot[l->last].next : &l->first) = i;
    l->last = i;
    l->used++;
}

static void perfect_tick(void *block, const void *inputs)
{
    struct perfect *m = block;
    const struct mshr_in *in = inputs;
    const struct wires w = perfect_evaluate(m, in);
    if (w.pop) perfect_pop(m, w.done);
    if (w.fill_ok) close_line(m, w.filled);
    if (w.fill_bad) m->error = MSHR_ERROR_FILL;
    if (w.accept) perfect_push(m, w.result == MSHR_PRIMARY ? open_line(m, in->req_addr_i) : w.line, in);
}

static void perfect_step(void *block, const void *inputs, void *outputs)
{
    eval(block, inputs, outputs);
    perfect_tick(block, inputs);
}

static const struct block_ops model = {.name = "perfect",
                                       .face = "model",
                                       .create = perfect_create,
                                       .destroy = perfect_destroy,
                                       .eval = eval,
                                       .tick = perfect_tick,
                                       .step = perfect_step};

static struct miss_shape perfect_shape(const struct config *c, enum miss_cache cache)
{
    const uint32_t entries = MISS_OPTION(c, cache, perfect_entries);
    const uint32_t slots = entries * MISS_OPTION(c, cache, perfect_slots);
    return (struct miss_shape){MISS_OPTION(c, cache, perfect_shared) ? slots : entries, slots};
}

static void perfect_configure(void *cfg, const struct config *c, enum miss_cache cache, uint32_t data_bits)
{
    (void)data_bits; /* the machine checks one word of it */
    const struct miss_shape s = perfect_shape(c, cache);
    const bool shared = MISS_OPTION(c, cache, perfect_shared);
    *(struct perfect_cfg *)cfg =
        (struct perfect_cfg){s.lines, shared ? s.slots : MISS_OPTION(c, cache, perfect_slots), s.slots};
}

static bool perfect_check(const struct config *c, enum miss_cache cache, struct error *err)
{
    const char *name = cache == MISS_L1D ? "l1d" : "l2";
    const uint32_t entries = MISS_OPTION(c, cache, perfect_entries), slots = MISS_OPTION(c, cache, perfect_slots);
    return (uint64_t)entries * slots <= MOST_SLOTS ||
           error_set(err, "%s.perfect.slots: found %u with %s.perfect.entries = %u, allowed: up to %u, %u slots in all",
                     name, slots, name, entries, MOST_SLOTS / entries, MOST_SLOTS);
}

static const struct miss_kind perfect = {
    .policy = {"perfect", "idealised: any size, result in the same cycle, slots optionally shared by all entries"},
    .model = &model,
    .shape = perfect_shape,
    .configure = perfect_configure,
    .check = perfect_check};
MISS_KIND_REGISTER(perfect);
