/* SPDX-License-Identifier: Apache-2.0 */
/* An L2 slice: a cycle.  Its partner in the other half of the L2 is in l2_far.c, its start and end in l2_state.c. */
#include "system/cache/l2_core.h"

/* The packet wakes the slice when its first request has passed the pipeline in front.  Each sector is one request. */
void l2_push(struct l2 *s, const struct packet *p, uint64_t next)
{
    const uint32_t parts = blocks_in(&s->cache.sectors, p->r.bytes);
    const uint64_t ready = l2_input_push(&s->input, p, parts, next, s->env->sm_cycle);
    if (ready == NEVER) error_set(&s->error, "l2.%u: out of memory", s->slice);
    s->now.wake = min_u64(s->now.wake, ready);
    s->env->stats->l2_split += parts - 1;
    for (uint32_t i = 0; i < parts; i++) env_at(s->env, &p->r, AT_L2_IN, s->slice);
    l2_show(s);
}

void l2_fill(struct l2 *s, const struct dram_request *r, uint64_t ready)
{
    if (l2_output_done(&s->output, r, ready)) s->now.wake = min_u64(s->now.wake, ready);
}

void l2_resume(struct l2 *s)
{
    s->now.wake = 0;
}

bool l2_resume_responses(struct l2 *s)
{
    if (!s->now.responses || s->now.send != NEVER) return false;
    s->now.send = 0;
    return true;
}

/* A write that is forwarded to DRAM on a miss. */
static bool goes_through(const struct l2 *s, const struct request *r)
{
    return s->write_miss == WRITE_MISS_THROUGH && r->kind == REQUEST_WRITE;
}

static void respond(struct l2 *s, const struct packet *p, uint64_t now)
{
    struct packet *x = ring_push(&s->responses);
    *x = *p;
    x->ready = now + s->latency;
    if (s->responses.count == 1) s->now.send = x->ready;
    s->cache.changed = true;
}

static bool send_response(struct l2 *s, const struct packet *p, uint64_t now)
{
    if (p->far) return l2_send_answer(s, p, now);
    if (!s->client.respond(s->client.context, s->slice, p)) return false;
    env_at(s->env, &p->r, AT_XBAR_BACK, s->slice);
    return true;
}

/* A hit or a draining slot may wait for this place. */
void l2_send(struct l2 *s, uint64_t now)
{
    const struct packet *p = ring_peek(&s->responses);
    const bool due = p && p->ready <= now, sent = due && send_response(s, p, now);
    if (due && !sent && p->far) {
        s->now.send = s->far->back_free;
        return;
    }
    if (sent) {
        if (!ring_room(&s->responses)) s->now.wake = min_u64(s->now.wake, now);
        ring_pop(&s->responses);
        s->now.responses--;
        p = ring_peek(&s->responses);
    }
    s->now.send = p && (sent || p->ready > now) ? max_u64(p->ready, now + 1) : NEVER;
}

static inline void count_access(struct l2 *s, const struct request *r)
{
    struct stats *st = s->env->stats;
    st->l2_accesses++;
    raise_to(&st->l2_busiest, ++s->accepted);
    *(r->kind == REQUEST_READ ? &st->l2_reads : r->kind == REQUEST_WRITE ? &st->l2_writes : &st->l2_atomics) += 1;
    if (has_far(s) && !is_foreign(block_line(&s->cache.sectors, s->block))) l2_note_far(s, r);
}

/* The request that is looked up. */
static const struct packet *head_of(const struct l2 *s)
{
    return serves_far(s) ? ring_peek(&s->far->in) : l2_input_peek(&s->input);
}

/* It has been accepted. */
static inline void pop_input(struct l2 *s)
{
    if (serves_far(s))
        ring_pop(&s->far->in);
    else
        l2_input_pop(&s->input);
    s->reported = s->held = NULL;
    s->cache.changed = true;
}

static void count_refusal(struct l2 *s, const struct packet *p, uint64_t *counter)
{
    cache_refuse(&s->cache, counter);
    if (s->reported == counter) return;
    s->reported = counter;
    env_at(s->env, &p->r, AT_L2_REFUSED, s->slice);
}

static void refuse(struct l2 *s, const struct packet *p, uint64_t *counter)
{
    if (serves_far(s)) return;
    count_refusal(s, p, counter);
    l2_input_refused(&s->input);
}

static void hit(struct l2 *s, const struct packet *p, uint64_t now)
{
    struct stats *st = s->env->stats;
    if (!ring_room(&s->responses)) {
        refuse(s, p, &st->l2_rf_response);
        return;
    }
    count_access(s, &p->r);
    st->l2_hits++;
    st->l2_write_hits += p->r.kind == REQUEST_WRITE;
    cache_hit(&s->cache, s->block, p->r.bytes, p->r.kind != REQUEST_WRITE, now, &s->error);
    if (changes_line(&p->r)) tags_write(s->cache.tags, s->block, p->r.written);
    env_at(s->env, &p->r, AT_L2_HIT, s->slice);
    respond(s, p, now);
    pop_input(s);
}

/* Queues a dirty victim for DRAM; the miss queue has a place for it. */
static void write_back(struct l2 *s, struct victim v)
{
    if (!v.valid || !v.dirty) return;
    s->env->stats->l2_writebacks++;
    const uint32_t blocks = (uint32_t)__builtin_popcount(v.dirty);
    l2_output_write(&s->output, block_of(&s->cache.sectors, v.line, 0), blocks * s->cache.sectors.bytes, NO_REQUEST,
                    NULL);
}

/* Sends it to DRAM, which answers it; requires a miss queue entry.  A write moves its own bytes, a read the block's. */
static void pass(struct l2 *s, const struct packet *p)
{
    const uint32_t i = pool_take(&s->passing), bytes = (uint32_t)min_u64(p->r.bytes, s->cache.sectors.bytes);
    s->around[i] = *p;
    if (p->r.kind == REQUEST_WRITE)
        l2_output_write(&s->output, s->block, bytes, i, &s->around[i].r);
    else
        l2_output_read(&s->output, s->block, i, &s->around[i].r);
}

/* Requires a miss queue entry for the write. */
static void write_through(struct l2 *s, const struct packet *p)
{
    s->env->stats->l2_written_through++;
    pass(s, p);
}

static bool slot_around(const struct l2 *s)
{
    return pool_used(&s->passing) < s->env->config->l2_bypass_slots;
}

/* Sends it to DRAM as a bypass; requires a bypass slot and miss queue entries. */
static void bypass(struct l2 *s, const struct packet *p, bool hit)
{
    struct stats *st = s->env->stats;
    count_access(s, &p->r);
    gate_access(&s->cache.gate, hit, false);
    st->l2_bypassed++;
    pass(s, p);
    env_at(s->env, &p->r, AT_L2_BYPASS, s->slice);
    s->cache.changed = true;
    pop_input(s);
}

/* Whether a miss refused for this cause bypasses: a read whose data are valid in this slice's DRAM. */
static bool stalls_around(const struct l2 *s, const struct packet *p, enum tag_state state, const uint64_t *refused)
{
    return cache_stalls_around(&s->cache, refused) && p->r.kind == REQUEST_READ && state != TAG_RESERVED &&
           !tags_is_dirty(s->cache.tags, s->block) && !comes_from_far(s, s->block);
}

/* Counts the refusal; the miss bypasses, or waits at the head of the input. */
static void refuse_miss(struct l2 *s, const struct packet *p, enum tag_state state, uint64_t *counter)
{
    if (!stalls_around(s, p, state, counter) || !slot_around(s) || !l2_output_room(&s->output, 1)) {
        refuse(s, p, counter);
        return;
    }
    count_refusal(s, p, counter);
    s->env->stats->l2_bypassed_on_stall++;
    bypass(s, p, state == TAG_ONLY);
}

/* Fetches the block for the MSHR file. */
static void fetch(struct l2 *s, const struct packet *waiting)
{
    if (!comes_from_far(s, s->block)) {
        l2_output_read(&s->output, s->block, NO_REQUEST, &waiting->r);
        return;
    }
    struct packet whole = *waiting;
    whole.r.bytes = (uint8_t)s->cache.sectors.bytes;
    whole.r.sector = (uint8_t)block_sector(&s->cache.sectors, s->block);
    l2_ask_far(s, &whole);
    s->env->stats->l2_far_fetched++;
}

/* The MSHR file has answered the request that was presented. */
static void answered(struct l2 *s, enum mshr_result result)
{
    struct stats *st = s->env->stats;
    const struct packet *p = head_of(s);
    struct victim victim;
    if (comes_from_far(s, s->block)) s->cache.state = tags_probe(s->cache.tags, s->block); /* copies may have left */
    uint64_t *refused = cache_answer(&s->cache, s->block, result, &victim);
    if (refused) {
        refuse_miss(s, p, s->cache.state, refused);
        return;
    }
    const bool primary = result == MSHR_PRIMARY;
    struct packet *waiting = &s->waits[s->cache.place];
    *waiting = *p;
    count_access(s, &p->r);
    ++*(primary ? &st->l2_misses : &st->l2_merged);
    if (goes_through(s, &p->r)) write_through(s, p);
    if (has_far(s)) s->far->held += l2_far_counts(s, s->block, primary);
    if (primary) fetch(s, waiting);
    write_back(s, victim);
    env_at(s->env, &p->r, primary ? AT_L2_MISS : AT_L2_MERGE, s->slice);
    pop_input(s);
}

/* Miss queue entries: for a read of the block (not for a merge), for the victim of a line without a way, and for a
 * write-through. */
static bool miss_room(struct l2 *s, const struct request *r, enum tag_state state)
{
    const bool may_evict = state == TAG_INVALID && s->cache.on_miss && s->output.limit > 1;
    const bool through = goes_through(s, r);
    const uint32_t read = !comes_from_far(s, s->block);
    s->places = (state == TAG_RESERVED ? 0 : read + may_evict) + through;
    if (through && !s->passing.left) return false;
    return !s->places || l2_output_room(&s->output, s->places);
}

static void miss(struct l2 *s, const struct packet *p, enum tag_state state)
{
    struct miss_answer answer = {0};
    uint64_t *counter = cache_obstacle(&s->cache, s->block, state, miss_room(s, &p->r, state));
    if (!counter && has_far(s)) counter = l2_far_obstacle(s, state);
    if (!s->hooked) s->held = counter;
    if (counter)
        refuse_miss(s, p, state, counter);
    else if (cache_present(&s->cache, s->block, state, changes_line(&p->r), &answer) && answer.valid)
        answered(s, answer.result);
}

/* A write that does not wait for DRAM data allocates its block, unless the block is being fetched. */
static void take_block(struct l2 *s, const struct packet *p, enum tag_state state)
{
    struct stats *st = s->env->stats;
    gate_access(&s->cache.gate, state == TAG_ONLY, state == TAG_RESERVED);
    if (state == TAG_ONLY) gate_no_data(&s->cache.gate);
    if (state == TAG_RESERVED) {
        st->l2_merged++;
        tags_touch(s->cache.tags, s->block);
        return;
    }
    st->l2_misses++;
    st->l2_unfetched++;
    st->l2_sector_misses += state != TAG_INVALID;
    const bool whole = words_cover(&s->cache.sectors, s->block, p->r.written);
    write_back(s, cache_take(&s->cache, s->block, state, whole ? TAG_VALID : TAG_WRITTEN));
}

static void write_unfetched(struct l2 *s, const struct packet *p, enum tag_state state, uint64_t now)
{
    s->places = 1;
    uint64_t *counter = cache_obstacle(&s->cache, s->block, state, l2_output_room(&s->output, s->places));
    if (!s->hooked) s->held = counter;
    if (!counter && !ring_room(&s->responses)) counter = &s->env->stats->l2_rf_response;
    if (counter) {
        refuse(s, p, counter);
        return;
    }
    count_access(s, &p->r);
    take_block(s, p, state);
    tags_write(s->cache.tags, s->block, p->r.written);
    env_at(s->env, &p->r, state == TAG_RESERVED ? AT_L2_MERGE : AT_L2_MISS, s->slice);
    respond(s, p, now);
    pop_input(s);
}

/* fetch_partial: a write of the whole block, unless the block is being fetched; lazy: every write. */
static bool needs_no_data(const struct l2 *s, const struct packet *p, enum tag_state state)
{
    if (p->r.kind != REQUEST_WRITE) return false;
    if (s->write_miss == WRITE_MISS_LAZY) return true;
    return s->write_miss == WRITE_MISS_FETCH_PARTIAL && state != TAG_RESERVED &&
           words_cover(&s->cache.sectors, s->block, p->r.written);
}

/* With `drop`, no clean line of a closed slice counts as having data.  A foreign one enters with data alone. */
static enum tag_state look_up(struct l2 *s)
{
    const enum tag_state state = tags_probe(s->cache.tags, s->block);
    const bool unknown = s->cache.gate.closed && s->cache.gate.drop && state == TAG_VALID;
    return unknown && !tags_is_dirty(s->cache.tags, s->block) && !comes_from_far(s, s->block) ? TAG_ONLY : state;
}

/* Atomics execute in the slice; the data of a dirty block, or of a block being fetched, is not valid in DRAM, and that
 * of a foreign block is not in this one. */
static bool goes_around(struct l2 *s, const struct packet *p, enum tag_state state)
{
    return s->cache.gate.closed && p->r.kind != REQUEST_ATOMIC && state != TAG_RESERVED &&
           !tags_is_dirty(s->cache.tags, s->block) && !comes_from_far(s, s->block);
}

/* Updates the tag as if the slice were open; a bypassing write makes the block's data stale. */
static void enter_tag(struct l2 *s, const struct packet *p, enum tag_state state)
{
    write_back(s, cache_enter(&s->cache, s->block, state));
    if (p->r.kind != REQUEST_WRITE) return;
    if (state == TAG_VALID) tags_take_sector(s->cache.tags, s->block, TAG_ONLY);
    tags_data_leaves(s->cache.tags, s->block);
}

/* Needs a bypass slot, and miss queue entries for itself and for a dirty victim of its tag. */
static void access_bypass(struct l2 *s, const struct packet *p, enum tag_state state)
{
    struct stats *st = s->env->stats;
    const bool may_evict = state == TAG_INVALID && s->output.limit > 1;
    uint64_t *counter = slot_around(s) ? NULL : &st->l2_rf_bypass_slot;
    if (!counter && !l2_output_room(&s->output, 1 + may_evict)) counter = &st->l2_rf_miss_queue;
    if (counter) {
        refuse(s, p, counter);
        return;
    }
    st->l2_bypassed_writes += p->r.kind == REQUEST_WRITE;
    enter_tag(s, p, state);
    bypass(s, p, state == TAG_VALID || state == TAG_ONLY);
}

/* A write or an atomic of a foreign line goes to the other half.  A write updates a copy, but not one on its way. */
static __attribute__((noinline)) void pass_far(struct l2 *s, const struct packet *p, enum tag_state state)
{
    struct stats *st = s->env->stats;
    if (!ring_room(&s->far->out)) {
        refuse(s, p, &st->l2_rf_link);
        return;
    }
    count_access(s, &p->r);
    st->l2_far_sent++;
    l2_ask_far(s, p);
    env_at(s->env, &p->r, AT_L2_MISS, s->slice);
    if (p->r.kind == REQUEST_ATOMIC || state == TAG_RESERVED)
        cache_drop_copy(&s->cache, s->block);
    else
        tags_touch(s->cache.tags, s->block);
    pop_input(s);
}

static inline void look_up_and_do(struct l2 *s, const struct packet *p, uint64_t now, bool hooked)
{
    s->block = block_of(&s->cache.sectors, p->local, p->r.sector);
    const enum tag_state state = hooked ? look_up(s) : tags_probe(s->cache.tags, s->block);
    if (hooked && goes_around(s, p, state))
        access_bypass(s, p, state);
    else if (hooked && comes_from_far(s, s->block) && changes_line(&p->r))
        pass_far(s, p, state);
    else if (state == TAG_VALID || (state == TAG_WRITTEN && p->r.kind == REQUEST_WRITE))
        hit(s, p, now);
    else if (needs_no_data(s, p, state))
        write_unfetched(s, p, state, now);
    else
        miss(s, p, state);
}

static inline void access_input(struct l2 *s, uint64_t now, bool hooked)
{
    const struct packet *p = hooked ? l2_input_peek(&s->input) : l2_input_head(&s->input);
    if (p && s->held)
        refuse(s, p, s->held);
    else if (p)
        look_up_and_do(s, p, now, hooked);
}

/* One of the partner's, or of the SMs'. */
static void access_one(struct l2 *s, bool far, uint64_t now)
{
    s->far->serves = far;
    const struct packet *p = far ? l2_far_come(&s->far->in, now) : NULL;
    if (p)
        look_up_and_do(s, p, now, true);
    else if (!far)
        access_input(s, now, true);
}

/* Whether a request was accepted since, or the MSHR file is to answer one. */
static bool was_taken(const struct l2 *s, uint64_t before)
{
    return s->accepted != before || s->cache.presented;
}

static __attribute__((noinline)) void access_both(struct l2 *s, uint64_t now)
{
    const uint64_t before = s->accepted;
    const bool first = s->far->turn;
    access_one(s, first, now);
    if (!was_taken(s, before)) access_one(s, !first, now);
    if (was_taken(s, before)) s->far->turn = !s->far->serves;
    s->cache.changed |= s->far->turn != first;
}

static void access(struct l2 *s, uint64_t now, bool hooked)
{
    if (s->cache.presented || s->cache.data_free > now) return;
    if (hooked && s->far)
        access_both(s, now);
    else
        access_input(s, now, hooked);
}

/* A slot drained: its request is served, unless DRAM acknowledges it. */
static void drained(struct l2 *s, const struct miss_drain *d, uint64_t now)
{
    const struct packet *p = &s->waits[d->info];
    if (!goes_through(s, &p->r)) {
        env_at(s->env, &p->r, AT_L2_FILL, s->slice);
        s->draining_dirty |= changes_line(&p->r);
        respond(s, p, now);
    }
    s->cache.changed = true;
    pool_give(&s->cache.places, d->info);
    if (has_far(s)) s->far->held -= l2_far_counts(s, d->line, d->last);
    if (!d->last) return;
    l2_moved(s, d->line);
    tags_fill(s->cache.tags, d->line);
    if (s->draining_dirty) tags_dirty(s->cache.tags, d->line);
    s->draining_dirty = false;
}

/* DRAM completed a request that bypassed the slice. */
static bool acknowledge(struct l2 *s, uint32_t i, uint64_t now)
{
    if (!ring_room(&s->responses)) return false;
    respond(s, &s->around[i], now);
    pool_give(&s->passing, i);
    return true;
}

static bool fill_block(struct l2 *s, uint64_t block, uint64_t now)
{
    struct victim victim;
    const enum tag_state state = s->cache.on_miss ? TAG_RESERVED : tags_probe(s->cache.tags, block);
    if (!s->cache.on_miss && !l2_output_room(&s->output, 1)) return false;
    if (!cache_fill(&s->cache, block, state, now, &victim)) return false;
    write_back(s, victim);
    return true;
}

/* The partner has answered a write or an atomic. */
static bool far_acknowledges(struct l2 *s, const struct packet *p, uint64_t now)
{
    if (!ring_room(&s->responses)) return false;
    struct packet answer = *p;
    answer.far = false;
    respond(s, &answer, now);
    return true;
}

/* Takes the partner's oldest answer. */
static __attribute__((noinline)) bool fill_from_far(struct l2 *s, uint64_t now)
{
    const struct packet *p = l2_far_come(&s->far->back, now);
    if (!p) return false;
    const uint64_t block = block_of(&s->cache.sectors, p->local | FOREIGN, p->r.sector);
    if (!(p->r.kind == REQUEST_READ ? fill_block(s, block, now) : far_acknowledges(s, p, now))) return false;
    l2_moved(s, block);
    ring_pop(&s->far->back);
    return true;
}

/* Takes the oldest transfer that came back from DRAM. */
static void fill(struct l2 *s, uint64_t now, bool hooked)
{
    if (hooked && s->far && fill_from_far(s, now)) return;
    const struct transfer *t = l2_output_peek(&s->output, now);
    if (!t || !(t->tag == NO_REQUEST ? fill_block(s, t->block, now) : acknowledge(s, t->tag, now))) return;
    l2_moved(s, t->block);
    l2_output_pop(&s->output);
}

/* Nothing changed in the cycles slept, so each counts like the last one. */
void l2_sync(struct l2 *s, uint64_t cycles)
{
    if (cycles <= s->next) return;
    const uint64_t slept = cycles - s->next;
    s->next = cycles;
    cache_idle(&s->cache, slept);
    if (s->cache.refusal) *s->cache.refusal += slept;
    s->env->stats->l2_input_waiting_cycles += s->waiting * slept;
    s->env->stats->l2_input_stall_cycles += l2_input_stalled(&s->input) * slept;
}

/* The clock edge of the input block. */
static void end_reorder(struct l2 *s)
{
    /* mutant: ! dropped: the slice is ticked in every cycle: slower, and the same; a failure is in the error */
    /* mutant: true -> false: a check of the block, which fails only if the block is wrong: `make prove` and `make
     * cosim` are for that */
    if (!l2_input_end(&s->input, &s->error)) s->cache.changed = true;
    s->cache.changed |= l2_input_changed(&s->input);
    s->env->stats->l2_input_stall_cycles += l2_input_stalled(&s->input);
}

static void count_waiting(struct l2 *s)
{
    s->waiting = l2_input_waiting(&s->input);
    s->env->stats->l2_input_waiting_cycles += s->waiting;
}

bool l2_offers(const struct l2 *s)
{
    return l2_output_offers(&s->output);
}

void l2_take(struct l2 *s, uint64_t now)
{
    l2_output_move(&s->output, now);
    l2_moved(s, NO_BLOCK);
    s->now.wake = min_u64(s->now.wake, now);
}

static uint64_t next_wake(const struct l2 *s, uint64_t now)
{
    uint64_t wake = s->input.leaves > now ? s->input.leaves : NEVER;
    if (has_far(s)) wake = l2_far_wake(s->far, now, wake);
    return cache_wake(&s->cache, now, l2_output_wake(&s->output, now, wake));
}

void l2_tick(struct l2 *s, uint64_t now)
{
    const bool hooked = s->hooked;
    if (s->next != now) l2_sync(s, now);
    s->next = now + 1;
    const bool drops = cache_begin(&s->cache, now);
    struct miss_answer answer = {0};
    struct miss_drain drain = {0};
    bool ready;

    if (l2_input_advance(&s->input, now)) s->cache.changed = true;
    if (hooked && s->input.block) l2_reorder_begin(&s->input);
    ready = ring_room(&s->responses);
    miss_file_begin(s->cache.file, ready, &answer, &drain);
    if (answer.valid) answered(s, answer.result);
    if (drops) tags_drop_clean(s->cache.tags); /* not between a request and its answer */
    if (drain.valid && ready) drained(s, &drain, now);
    fill(s, now, hooked);
    if (l2_output_send(&s->output, now)) l2_moved(s, NO_BLOCK);
    if (hooked && s->far) l2_send_far(s, now);
    access(s, now, hooked);
    cache_end(&s->cache, now, &s->error);
    if (hooked) end_reorder(s);
    count_waiting(s);
    /* mutant: 1 - 1: a wake in this cycle is one in the next: a slice is ticked once a cycle */
    s->now.wake = s->cache.changed ? now + 1 : next_wake(s, now);
    l2_show(s);
}
