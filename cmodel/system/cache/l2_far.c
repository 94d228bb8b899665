/* SPDX-License-Identifier: Apache-2.0 */
/* The other half of the L2: the link, and what a slice does for its partner and asks of it. */
#include "system/cache/l2_core.h"

bool l2_far_init(struct l2_far *f, const struct config *c)
{
    const struct miss_kind *file = miss_kind_of(c, MISS_L2);
    const uint32_t places = c->l2_link_queue;
    *f = (struct l2_far){.latency = c->l2_far_latency,
                         .width = c->l2_link_bytes,
                         .most = file->shape(c, MISS_L2).lines - 1,
                         .shared = !file->own_slots};
    return ring_init(&f->in, sizeof(struct packet), places) && ring_init(&f->out, sizeof(struct packet), places) &&
           ring_init_growing(&f->back, sizeof(struct packet), 2 * places);
}

void l2_far_free(struct l2_far *f)
{
    ring_free(&f->in);
    ring_free(&f->out);
    ring_free(&f->back);
}

uint64_t l2_far_carry(const struct l2_far *f, uint64_t *free, uint32_t bytes, uint64_t now)
{
    const uint64_t cycles = bytes ? ceil_div(bytes, f->width) : 1;
    *free = now + cycles;
    return now + cycles - 1 + f->latency;
}

bool l2_far_room(const struct l2 *s)
{
    return ring_room(&s->far->in);
}

void l2_far_take(struct l2 *s, bool answer, const struct packet *p)
{
    if (!ring_put(answer ? &s->far->back : &s->far->in, p)) error_set(&s->error, "l2.%u: out of memory", s->slice);
    if (!answer) env_at(s->env, &p->r, AT_L2_IN, s->slice);
    s->now.wake = min_u64(s->now.wake, p->ready);
    l2_show(s);
}

bool l2_far_drop(struct l2 *s, uint64_t local, uint32_t sector)
{
    s->held = NULL;
    return cache_drop_copy(&s->cache, block_of(&s->cache.sectors, local | FOREIGN, sector));
}

bool l2_send_answer(struct l2 *s, const struct packet *p, uint64_t now)
{
    const struct l2_link *link = &s->client.link;
    struct packet answer = *p;
    if (s->far->back_free > now) return false;
    answer.ready = l2_far_carry(s->far, &s->far->back_free, l2_far_answer(p), now);
    link->send(link->context, s->slice, true, &answer);
    return true;
}

/* The other half's copy of a block that changes here. */
static void drop_copy(struct l2 *s, const struct request *r)
{
    const struct l2_link *link = &s->client.link;
    const bool updated = s->far->serves && r->kind == REQUEST_WRITE;
    const uint64_t line = block_line(&s->cache.sectors, s->block);
    if (updated || !link->drop(link->context, s->slice, line, block_sector(&s->cache.sectors, s->block))) return;
    s->far->back_free = max_u64(s->far->back_free, s->next - 1) + 1;
}

void l2_note_far(struct l2 *s, const struct request *r)
{
    struct stats *st = s->env->stats;
    if (changes_line(r)) drop_copy(s, r);
    if (!s->far->serves) return;
    *(r->kind == REQUEST_READ    ? &st->l2_far_reads
      : r->kind == REQUEST_WRITE ? &st->l2_far_writes
                                 : &st->l2_far_atomics) += 1;
}

/* The partner knows the line without FOREIGN. */
void l2_ask_far(struct l2 *s, const struct packet *p)
{
    struct packet *x = ring_push(&s->far->out);
    *x = *p;
    x->r.bytes = (uint8_t)min_u64(p->r.bytes, s->cache.sectors.bytes);
    x->local &= ~FOREIGN;
    x->far = true;
}

bool l2_far_counts(const struct l2 *s, uint64_t block, bool whole)
{
    return comes_from_far(s, block) && (whole || s->far->shared);
}

uint64_t *l2_far_obstacle(const struct l2 *s, enum tag_state state)
{
    if (!comes_from_far(s, s->block)) return NULL;
    const bool full = s->far->held == s->far->most;
    if (state == TAG_RESERVED) return full && s->far->shared ? s->cache.n.rf_mshr_merge : NULL;
    if (tags_reservable(s->cache.tags, s->block) < 2) return s->cache.n.rf_line;
    if (!ring_room(&s->far->out)) return &s->env->stats->l2_rf_link;
    return full ? s->cache.n.rf_mshr_entry : NULL;
}

void l2_send_far(struct l2 *s, uint64_t now)
{
    const struct l2_link *link = &s->client.link;
    struct packet *p = ring_peek(&s->far->out);
    if (!p || s->far->out_free > now || !link->room(link->context, s->slice)) return;
    p->ready = l2_far_carry(s->far, &s->far->out_free, l2_far_request(p), now);
    link->send(link->context, s->slice, false, p);
    ring_pop(&s->far->out);
    l2_moved(s, NO_BLOCK);
}
