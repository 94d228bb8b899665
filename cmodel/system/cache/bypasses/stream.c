/* SPDX-License-Identifier: Apache-2.0 */
/* The block stream_bypass closes a cache, an L1D or an L2 slice, while its miss rate is above a threshold (Khairy15,
 * section 4.1).
 *
 * The block is ticked when it is next needed.  The end of a period may change the mode, so the owner wakes after it. */
#include "stream_bypass.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "system/block/block_socket.h"
#include "system/config/bypass_kind.h"
#include "system/config/gate_kind.h"
#include "system/stats/law.h"
#include "system/unit/unit.h"

struct counters {
    uint64_t *accesses, *misses, *decisions, *changes, *cycles, *entered, *no_data;
};

struct stream {
    bool closed;   /* in the owner's cycle */
    bool decided;  /* the block's last decision: the mode from the next cycle on */
    bool sampled;  /* an access in the period of cycle `next` */
    bool first;    /* the cache looks up several accesses a cycle, of which the block sees the first */
    uint64_t next; /* cycles below it are ticked */
    struct block_socket socket;
    struct stream_bypass_cfg cfg;
    struct counters n;
    struct stream_bypass_in in, another; /* another: a second access of this cycle, presented in the next */
    struct error fault;
};

static struct stream_bypass_cfg configure(const struct config *c, enum miss_cache cache)
{
    return (struct stream_bypass_cfg){.Period = MISS_OPTION(c, cache, stream_period),
                                      .ThreshNum = MISS_OPTION(c, cache, stream_num),
                                      .ThreshDen = MISS_OPTION(c, cache, stream_den),
                                      .MinAccesses = MISS_OPTION(c, cache, stream_min_accesses),
                                      .CountW = MISS_OPTION(c, cache, stream_count_bits),
                                      .MergeIsHit = MISS_OPTION(c, cache, stream_merge_is_hit)};
}

#define COUNTERS(s, x)                                                                                                 \
    (struct counters)                                                                                                  \
    {                                                                                                                  \
        &(s)->x##_stream_accesses, &(s)->x##_stream_misses, &(s)->x##_stream_decisions, &(s)->x##_stream_changes,      \
            &(s)->x##_stream_cycles, &(s)->x##_stream_entered, &(s)->x##_stream_no_data                                \
    }

static bool stream_drops(const struct config *c, enum miss_cache cache)
{
    return MISS_OPTION(c, cache, stream_tags) == STREAM_DROP;
}

static void stream_destroy(void *state)
{
    struct stream *s = state;
    block_socket_close(&s->socket);
    free(s);
}

static void *stream_create(struct env *env, enum miss_cache cache, const char *unit, struct error *err)
{
    char name[32];
    snprintf(name, sizeof name, "%.20s.stream", unit);
    struct stream *s = calloc(1, sizeof *s);
    if (!s) return error_set(err, "%s: out of memory", name), NULL;
    s->cfg = configure(env->config, cache);
    s->first = cache == MISS_L1D && env->config->l1d_banks;
    s->n = cache == MISS_L1D ? COUNTERS(env->stats, l1d) : COUNTERS(env->stats, l2);
    if (block_socket_open(&s->socket, env, "stream_bypass", &s->cfg, name, err)) return s;
    stream_destroy(s);
    return NULL;
}

static void stream_decide(struct stream *s, const struct stream_bypass_out *out)
{
    if (out->bypass_o != s->decided)
        error_set(&s->fault, "%s: bypass_o: found %u, expected %u, the last decision", s->socket.unit, out->bypass_o,
                  s->decided);
    if (!out->decide_o) return;
    ++*s->n.decisions;
    *s->n.changes += out->next_o != s->decided;
    s->decided = out->next_o;
}

/* Cycle `next`. */
static void stream_tick(struct stream *s)
{
    const bool ends = s->next % s->cfg.Period == s->cfg.Period - 1;
    struct stream_bypass_out out;
    if (ends) {
        block_socket_eval(&s->socket, &s->in, &out);
        stream_decide(s, &out);
    }
    block_socket_tick(&s->socket, &s->in);
    s->sampled = !ends && (s->sampled || s->in.acc_valid_i);
    s->in = s->another;
    s->another = (struct stream_bypass_in){0};
    s->next++;
}

/* Skips to cycle `to`; no access and no decision in between. */
static void skip(struct stream *s, uint64_t to)
{
    block_socket_skip(&s->socket, to - s->next);
    s->next = to;
}

/* A period without an access makes no decision. */
static void stream_catch_up(struct stream *s, uint64_t now)
{
    while (s->next < now) {
        const uint64_t last = s->next - s->next % s->cfg.Period + s->cfg.Period - 1;
        const uint64_t to = s->sampled ? min_u64(last, now) : now;
        if (s->in.acc_valid_i || to == s->next)
            stream_tick(s);
        else
            skip(s, to);
    }
}

static bool stream_begin(void *state, uint64_t now)
{
    struct stream *s = state;
    stream_catch_up(s, now);
    s->closed = s->decided;
    return s->closed;
}

static void stream_access(void *state, bool hit, bool merge)
{
    struct stream *s = state;
    if (s->first && s->in.acc_valid_i) return;
    struct stream_bypass_in *in = s->in.acc_valid_i ? &s->another : &s->in;
    if (in->acc_valid_i) error_set(&s->fault, "%s: three accesses wait for it, at most two can", s->socket.unit);
    *in = (struct stream_bypass_in){.acc_valid_i = true, .acc_hit_i = hit, .acc_merge_i = merge};
    ++*s->n.accesses;
    *s->n.misses += !hit && !(merge && s->cfg.MergeIsHit);
}

static void stream_entered(void *state)
{
    ++*((struct stream *)state)->n.entered;
}

static void stream_no_data(void *state)
{
    ++*((struct stream *)state)->n.no_data;
}

static void stream_idle(void *state, uint64_t cycles)
{
    *((struct stream *)state)->n.cycles += cycles;
}

static bool stream_end(void *state, uint64_t now, struct error *err)
{
    struct stream *s = state;
    *s->n.cycles += s->closed;
    if (s->in.acc_valid_i && s->next == now) stream_tick(s);
    return !s->fault.text[0] || error_set(err, "%s", s->fault.text);
}

static uint64_t stream_wake(const void *state)
{
    const struct stream *s = state;
    if (s->in.acc_valid_i || s->decided != s->closed) return s->next;
    return s->sampled ? s->next - s->next % s->cfg.Period + s->cfg.Period : NEVER;
}

static const struct gate_kind gate = {.drops = stream_drops,
                                      .create = stream_create,
                                      .destroy = stream_destroy,
                                      .begin = stream_begin,
                                      .access = stream_access,
                                      .entered = stream_entered,
                                      .no_data = stream_no_data,
                                      .end = stream_end,
                                      .idle = stream_idle,
                                      .wake = stream_wake};

static bool check_rate(const char *cache, const struct stream_bypass_cfg *x, struct error *err)
{
    if (x->ThreshNum >= x->ThreshDen)
        return error_set(err,
                         "%s.stream.num: found %u, allowed: up to %u, below %s.stream.den: no miss rate is above 1",
                         cache, x->ThreshNum, x->ThreshDen - 1, cache);
    return x->MinAccesses >> x->CountW == 0 ||
           error_set(
               err,
               "%s.stream.min_accesses: found %u, allowed: up to %u, the maximum count with %s.stream.count_bits = %u",
               cache, x->MinAccesses, (1u << x->CountW) - 1, cache, x->CountW);
}

static bool stream_check_l1d(const struct config *c, struct error *err)
{
    const struct stream_bypass_cfg cfg = configure(c, MISS_L1D);
    if (!c->l1d_enable)
        return error_set(err,
                         "l1d.bypass.mode: found stream with l1d.enable = false, allowed with it: off, static, bpg");
    return check_rate("l1d", &cfg, err);
}

/* A bypassed slice knows outstanding lines only by reserved tags, so on_fill is refused. */
static bool stream_check_l2(const struct config *c, struct error *err)
{
    const struct stream_bypass_cfg cfg = configure(c, MISS_L2);
    if (c->l2_alloc != ALLOC_ON_MISS)
        return error_set(err, "l2.bypass.mode: found stream with l2.alloc = on_fill, allowed with it: off");
    return check_rate("l2", &cfg, err);
}

static bool stream_none(const struct config *c, const void *learner, const void *decider, uint32_t owner)
{
    (void)c, (void)learner, (void)decider, (void)owner;
    return false;
}

static bool stream_laws_l1d(const struct config *c, const struct stats *s, struct error *err)
{
    const bool chosen = bypass_kind_of(c)->policy.laws == stream_laws_l1d;
    const struct law laws[] = {{"l1d.stream.accesses = l1d hits + misses + merged + bypassed", true,
                                s->l1d_stream_accesses, c->l1d_banks ? LAW_AT_MOST : LAW_EQUAL,
                                chosen ? s->l1d_accesses - s->l1d_writes : 0}};
    return laws_hold("", LAWS(laws), err);
}

static bool stream_laws_l2(const struct config *c, const struct stats *s, struct error *err)
{
    const bool chosen = l2_bypass_of(c)->policy.laws == stream_laws_l2;
    const struct law laws[] = {{"l2.stream.accesses = l2.accesses - l2.far.sent", true, s->l2_stream_accesses,
                                LAW_EQUAL, chosen ? s->l2_accesses - s->l2_far_sent : 0}};
    return laws_hold("memory: ", LAWS(laws), err);
}

static const struct bypass_kind of_l1d = {
    .policy = {"stream", "all reads, while the block stream_bypass selects bypass", stream_laws_l1d},
    .decide = stream_none,
    .gate = &gate,
    .check = stream_check_l1d};
static const struct l2_bypass of_l2 = {
    .policy = {"stream", "all requests except atomics, while the block stream_bypass selects bypass", stream_laws_l2},
    .gate = &gate,
    .check = stream_check_l2};
BYPASS_KIND_REGISTER(of_l1d, .blocks = {"stream_bypass"}, .when = "l1d.bypass.mode=stream");
L2_BYPASS_REGISTER(of_l2, .blocks = {"stream_bypass"}, .when = "l2.bypass.mode=stream");
