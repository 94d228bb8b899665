/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/stream.h"

#include <stdio.h>

bool stream_open(struct stream *s, struct env *env, const struct stream_setup *setup, const char *unit,
                 struct error *err)
{
    char name[32];
    snprintf(name, sizeof name, "%s.stream", unit);
    *s = (struct stream){.cfg = setup->cfg, .n = setup->n, .drop = setup->drop, .on = true};
    return block_socket_open(&s->socket, env, "stream_bypass", &s->cfg, name, err);
}

void stream_close(struct stream *s)
{
    block_socket_close(&s->socket);
}

static void decide(struct stream *s, const struct stream_bypass_out *out)
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
static void tick(struct stream *s)
{
    const bool ends = s->next % s->cfg.Period == s->cfg.Period - 1;
    struct stream_bypass_out out;
    if (ends) {
        block_socket_eval(&s->socket, &s->in, &out);
        decide(s, &out);
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
static void catch_up(struct stream *s, uint64_t now)
{
    while (s->next < now) {
        const uint64_t last = s->next - s->next % s->cfg.Period + s->cfg.Period - 1;
        const uint64_t to = s->sampled ? min_u64(last, now) : now;
        if (s->in.acc_valid_i || to == s->next)
            tick(s);
        else
            skip(s, to);
    }
}

bool stream_on_begin(struct stream *s, uint64_t now)
{
    catch_up(s, now);
    const bool opens = s->closed && !s->decided;
    s->closed = s->decided;
    return opens;
}

void stream_on_access(struct stream *s, bool hit, bool merge)
{
    struct stream_bypass_in *in = s->in.acc_valid_i ? &s->another : &s->in;
    if (in->acc_valid_i) error_set(&s->fault, "%s: three accesses wait for it, at most two can", s->socket.unit);
    *in = (struct stream_bypass_in){.acc_valid_i = true, .acc_hit_i = hit, .acc_merge_i = merge};
    ++*s->n.accesses;
    *s->n.misses += !hit && !(merge && s->cfg.MergeIsHit);
}

bool stream_on_end(struct stream *s, uint64_t now, struct error *err)
{
    stream_idle(s, 1);
    if (s->in.acc_valid_i && s->next == now) tick(s);
    return !s->fault.text[0] || error_set(err, "%s", s->fault.text);
}
