/* SPDX-License-Identifier: Apache-2.0 */
/* The conventional file, and its twin with a faster search. */
#include <stdlib.h>
#include <string.h>

#include "system/block/block_model.h"
#include "system/cache/miss_files/mshr_searched.h"
#include "system/config/miss_kind.h"

BLOCK_DESC(mshr, MSHR)

static uint16_t *searched_bucket(struct mshr_searched *s, uint64_t addr)
{
    return &s->first[(addr ^ addr >> 8 ^ addr >> 16) & s->bucket_mask];
}

/* As the comparators: the numbers of all live entries with the address, ORed. */
static bool searched_search(struct mshr_searched *s, uint64_t addr, uint32_t *set)
{
    bool any = false;
    *set = 0;
    for (uint32_t i = *searched_bucket(s, addr); i; i = s->next[i]) {
        if (s->m.addr_q[i - 1] != addr) continue;
        any = true;
        *set |= i - 1;
    }
    return any;
}

static void searched_enter(struct mshr_searched *s, uint32_t entry)
{
    uint16_t *first = searched_bucket(s, s->m.addr_q[entry]);
    s->next[entry + 1] = *first;
    *first = (uint16_t)(entry + 1);
}

static void searched_leave(struct mshr_searched *s, uint32_t entry)
{
    uint16_t *at = searched_bucket(s, s->m.addr_q[entry]);
    while (*at != entry + 1) at = &s->next[*at];
    *at = s->next[*at];
}

static struct mshr_matches searched_matches(struct mshr_searched *s, const struct mshr_in *in)
{
    struct mshr_matches x = {0};
    if (in->req_valid_i) x.req = searched_search(s, in->req_addr_i, &x.req_set);
    if (in->fill_valid_i) x.fill = searched_search(s, in->fill_addr_i, &x.fill_set);
    return x;
}

static void searched_reset(void *block)
{
    struct mshr_searched *s = block;
    mshr_reset(&s->m);
    memset(s->first, 0, sizeof s->first);
}

/* Its write data are zeros already: they are not written, so that they take no memory before they are used. */
static void init_zeroed(struct mshr *m, const struct mshr_cfg *cfg)
{
    struct mshr_cfg without = *cfg;
    without.DataW = 0;
    mshr_init(m, &without);
    m->p.DataW = cfg->DataW;
}

static void *searched_create(const void *cfg, struct error *err)
{
    struct param_desc params[sizeof(struct mshr_cfg) / sizeof(uint32_t)];
    if (!block_check("mshr", params, mshr_params(params), cfg, err)) return NULL;
    struct mshr_searched *s = calloc(1, sizeof *s);
    if (!s) return error_set(err, "mshr: out of memory: %zu bytes for its twin", sizeof *s), NULL;
    init_zeroed(&s->m, cfg);
    s->bucket_mask = bits_index_mask(4 * s->m.p.Entries);
    return s;
}

static void searched_eval(void *block, const void *in, void *out)
{
    struct mshr_searched *s = block;
    mshr_eval(&s->m, in, out);
}

static void searched_step(void *block, const void *inputs, void *outputs)
{
    struct mshr_searched *s = block;
    const struct mshr_in *in = inputs;
    struct mshr_out *out = outputs;
    const struct mshr_matches x = searched_matches(s, in);
    mshr_step_matched(&s->m, in, &x, out);
    if (x.fill && !s->m.live_q[x.fill_set]) searched_leave(s, x.fill_set);
    if (out->rsp_valid_o && out->rsp_result_o == MSHR_PRIMARY) searched_enter(s, out->rsp_set_o);
}

static void searched_tick(void *block, const void *inputs)
{
    struct mshr_searched *s = block;
    const struct mshr_in *in = inputs;
    struct mshr_out out;
    if (in->req_valid_i) return searched_step(block, in, &out);
    const struct mshr_matches x = searched_matches(s, in);
    mshr_tick_matched(&s->m, in, &x);
    if (x.fill && !s->m.live_q[x.fill_set]) searched_leave(s, x.fill_set);
}

static bool searched_idle(const void *block)
{
    const struct mshr_searched *s = block;
    return mshr_idle(&s->m);
}

static void searched_skip(void *block, uint64_t cycles)
{
    struct mshr_searched *s = block;
    mshr_skip(&s->m, cycles);
}

static uint32_t searched_in_desc(const void *cfg, struct port_desc *d)
{
    return mshr_in_desc(cfg, d);
}

static uint32_t searched_out_desc(const void *cfg, struct port_desc *d)
{
    return mshr_out_desc(cfg, d);
}

const struct block_ops mshr_searched = {.name = "mshr",
                                        .face = "model",
                                        .create = searched_create,
                                        .destroy = free,
                                        .reset = searched_reset,
                                        .eval = searched_eval,
                                        .tick = searched_tick,
                                        .step = searched_step,
                                        .idle = searched_idle,
                                        .skip = searched_skip,
                                        .params = mshr_params,
                                        .in_desc = searched_in_desc,
                                        .out_desc = searched_out_desc,
                                        .cfg_size = sizeof(struct mshr_cfg),
                                        .in_size = sizeof(struct mshr_in),
                                        .out_size = sizeof(struct mshr_out)};

_Static_assert(sizeof(struct mshr_cfg) <= MISS_CFG_WORDS * sizeof(uint32_t), "parameters");

static struct miss_shape mshr_file_shape(const struct config *c, enum miss_cache cache)
{
    const uint32_t entries = MISS_OPTION(c, cache, mshr_entries);
    return (struct miss_shape){entries, entries * MISS_OPTION(c, cache, mshr_slots)};
}

static void mshr_file_configure(void *cfg, const struct config *c, enum miss_cache cache, uint32_t data_bits)
{
    *(struct mshr_cfg *)cfg = (struct mshr_cfg){.Entries = MISS_OPTION(c, cache, mshr_entries),
                                                .Slots = MISS_OPTION(c, cache, mshr_slots),
                                                .AddrW = miss_addr_bits(c, cache),
                                                .InfoW = MISS_INFO_BITS,
                                                .DataW = data_bits};
}

static const struct miss_kind mshr = {
    .policy = {"mshr", "conventional: a fixed number of slots per entry (block mshr)"},
    .block = "mshr",
    .twin = &mshr_searched,
    .own_slots = true,
    .shape = mshr_file_shape,
    .configure = mshr_file_configure};
MISS_KIND_REGISTER(mshr, .blocks = {"mshr"}, .when = "l1d.mshr.kind=mshr or l2.mshr.kind=mshr");
