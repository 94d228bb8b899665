/* SPDX-License-Identifier: Apache-2.0 */
#include "system/uvm/translate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arith.h"
#include "system/unit/ring.h"
#include "system/uvm/tlb.h"
#include "system/unit/unit.h"
#include "system/stats/law.h"
#include "system/uvm/uvm.h"

struct ask {
    uint32_t page, sm;
};

struct lookup {
    struct ask ask;
    uint64_t ready;
};

struct walk {
    uint32_t page;
    uint64_t time; /* waiting: start cycle; walking: end cycle */
};

struct translate {
    struct env *env;
    const struct config *c;
    struct translate_client client;
    struct tlb tlb;
    struct ring *queue;  /* [sm.count] of uint32_t: requested pages */
    uint32_t queued;     /* total over SMs */
    uint32_t next_sm;    /* round-robin SM */
    struct ring lookups; /* struct lookup */
    struct ring waiting; /* struct walk: wait for a walker */
    struct ring walking; /* struct walk; walks end in start order */
    struct ring walked;  /* struct ask: queue to the driver */
    struct ring *notes;  /* [sm.count] of uint32_t: pages */
    uint32_t noted;      /* total over SMs */
    uint32_t next_note;  /* round-robin SM */
    uint64_t notes_taken;
    uint32_t words;   /* for 64 SMs */
    uint64_t *wanted; /* [pages * words]: bit s: SM s waits for the page's walk; any bit: a walk exists */
    uint64_t *absent; /* [pages * words]: bit s: SM s waits for the driver's answer */
    uint32_t share;   /* uvm_share() */
    bool refused;     /* the head of `walked` is blocked until the driver changes state */
    bool gave_way;    /* a note used the port in the last cycle */
    uint64_t asked, answered;
    uint64_t issued; /* gpu.warp_instructions at the last check */
    bool no_memory;
};

static void push(struct translate *t, struct ring *r, const void *x)
{
    t->no_memory |= !ring_put(r, x);
}

static void answer(struct translate *t, struct ask a)
{
    t->answered++;
    tlb_fill(&t->tlb, a.page);
    t->client.answer(t->client.context, a.sm, a.page);
}

static uint64_t *absent_word(const struct translate *t, struct ask a)
{
    return &t->absent[(size_t)a.page * t->words + a.sm / 64];
}

static bool is_absent(const struct translate *t, struct ask a)
{
    return *absent_word(t, a) >> a.sm % 64 & 1;
}

/* Whether another SM of its requester waits for the page. */
static bool is_asked(const struct translate *t, struct ask a)
{
    const uint32_t first = a.sm / t->share * t->share, end = min_u32(first + t->share, t->c->sm_count);
    for (uint32_t sm = first; sm < end; sm++)
        if (is_absent(t, (struct ask){a.page, sm})) return true;
    return false;
}

static void wait_for_page(struct translate *t, struct ask a)
{
    *absent_word(t, a) |= (uint64_t)1 << a.sm % 64;
    t->env->stats->tlb_absent++;
}

/* Callbacks of the driver. */

/* All SMs of the requester that wait for the page get it, lowest first. */
static void translated(void *context, uint32_t page, uint32_t requester)
{
    struct translate *t = context;
    const uint32_t first = requester * t->share, end = min_u32(first + t->share, t->c->sm_count);
    for (uint32_t sm = first; sm < end; sm++) {
        const struct ask a = {page, sm};
        if (!is_absent(t, a)) continue;
        *absent_word(t, a) &= ~((uint64_t)1 << sm % 64);
        answer(t, a);
    }
}

static void unmap(void *context, uint32_t page)
{
    struct translate *t = context;
    struct stats *s = t->env->stats;
    s->tlb_shootdowns++;
    s->tlb_shot += tlb_drop(&t->tlb, page) + t->client.unmap(t->client.context, page);
}

static uint32_t drop(void *context, uint32_t page)
{
    struct translate *t = context;
    uint64_t first = uvm_line(t->env->uvm, page);
    uint32_t dirty = 0;
    for (uint64_t line = first; line < first + LINES_PER_PAGE; line++) dirty += t->client.drop(t->client.context, line);
    return dirty;
}

static bool init(struct translate *t, const struct source *source, struct error *err)
{
    const struct uvm_client client = {.translated = translated, .unmap = unmap, .drop = drop, .context = t};
    t->env->uvm = uvm_create(t->env, source, &client, err);
    if (!t->env->uvm) return false;
    t->words = (uint32_t)ceil_div(t->c->sm_count, 64);
    t->share = uvm_share(t->c);
    t->wanted = calloc((size_t)uvm_pages(t->env->uvm) * t->words, sizeof *t->wanted);
    t->absent = calloc((size_t)uvm_pages(t->env->uvm) * t->words, sizeof *t->absent);
    t->queue = calloc(t->c->sm_count, sizeof *t->queue);
    t->notes = calloc(t->c->sm_count, sizeof *t->notes);
    bool ok = t->wanted && t->absent && t->queue && t->notes &&
              tlb_init(&t->tlb, t->c->tlb_l2_sets, t->c->tlb_l2_ways) &&
              ring_init_growing(&t->lookups, sizeof(struct lookup), t->c->tlb_l2_latency + 1) &&
              ring_init_growing(&t->waiting, sizeof(struct walk), 64) &&
              ring_init_growing(&t->walking, sizeof(struct walk), 64) &&
              ring_init_growing(&t->walked, sizeof(struct ask), 64);
    for (uint32_t i = 0; ok && i < t->c->sm_count; i++) /* mutant: 16 + 1: more memory than is needed */
        ok = ring_init_growing(&t->queue[i], sizeof(uint32_t), 16) &&
             ring_init(&t->notes[i], sizeof(uint32_t), t->c->uvm_note_queue);
    return ok || error_set(err, "translate: out of memory");
}

struct translate *translate_create(struct env *env, const struct source *source, const struct translate_client *client,
                                   struct error *err)
{
    struct translate *t = calloc(1, sizeof *t);
    if (!t) return error_set(err, "translate: out of memory"), NULL;
    *t = (struct translate){.env = env, .c = env->config, .client = *client};
    if (init(t, source, err)) return t;
    translate_destroy(t);
    return NULL;
}

void translate_destroy(struct translate *t)
{
    if (!t) return;
    if (t->env->uvm) uvm_destroy(t->env->uvm);
    t->env->uvm = NULL;
    /* mutant: < -> >=: a leak: the sanitized run of `make test` finds it */
    for (uint32_t i = 0; t->queue && i < t->c->sm_count; i++) ring_free(&t->queue[i]);
    /* mutant: 0 + 1: a leak: the sanitized run of `make test` finds it */
    /* mutant: < -> >=: a leak: the sanitized run of `make test` finds it */
    for (uint32_t i = 0; t->notes && i < t->c->sm_count; i++) ring_free(&t->notes[i]);
    free(t->queue);
    free(t->notes);
    ring_free(&t->lookups);
    ring_free(&t->waiting);
    ring_free(&t->walking);
    ring_free(&t->walked);
    free(t->wanted);
    free(t->absent);
    tlb_free(&t->tlb);
    free(t);
}

void translate_ask(struct translate *t, uint32_t sm, uint32_t page)
{
    push(t, &t->queue[sm], &page);
    t->queued++;
    t->asked++;
}

void translate_note(struct translate *t, uint32_t sm, uint32_t page)
{
    t->env->stats->uvm_notes++;
    if (!ring_room(&t->notes[sm])) {
        t->env->stats->uvm_notes_dropped++;
        return;
    }
    push(t, &t->notes[sm], &page);
    t->noted++;
}

static void take_request(struct translate *t)
{
    uint32_t sm = t->next_sm, n = t->c->sm_count;
    if (!t->queued) return;
    while (!t->queue[sm].count) sm = sm + 1 < n ? sm + 1 : 0;
    const uint32_t *page = ring_peek(&t->queue[sm]);
    push(t, &t->lookups, &(struct lookup){{*page, sm}, t->env->sm_cycle + t->c->tlb_l2_latency});
    ring_pop(&t->queue[sm]);
    t->queued--;
    t->next_sm = sm + 1 < n ? sm + 1 : 0;
}

/* Joins the page's walk, or starts one. */
static void want_walk(struct translate *t, struct ask a)
{
    uint64_t *wanted = &t->wanted[(size_t)a.page * t->words], any = 0;
    for (uint32_t i = 0; i < t->words; i++) any |= wanted[i];
    wanted[a.sm / 64] |= (uint64_t)1 << a.sm % 64;
    t->env->stats->tlb_l2_merged += any != 0;
    if (!any) push(t, &t->waiting, &(struct walk){a.page, t->env->sm_cycle});
}

static void look_up(struct translate *t)
{
    const struct lookup *l = ring_peek(&t->lookups);
    if (!l || l->ready > t->env->sm_cycle) return;
    struct ask a = l->ask;
    ring_pop(&t->lookups);
    if (tlb_hit(&t->tlb, a.page)) {
        t->env->stats->tlb_l2_hits++;
        push(t, &t->walked, &a);
    } else {
        t->env->stats->tlb_l2_misses++;
        want_walk(t, a);
    }
}

/* The walk ends: each waiting SM's request goes to the driver's queue, lowest SM first. */
static void end_walk(struct translate *t, uint32_t page)
{
    uint64_t *wanted = &t->wanted[(size_t)page * t->words];
    for (uint32_t i = 0; i < t->words; i++) {
        for (uint64_t m = wanted[i]; m; m &= m - 1)
            push(t, &t->walked, &(struct ask){page, i * 64 + (uint32_t)__builtin_ctzll(m)});
        wanted[i] = 0;
    }
}

static void end_walks(struct translate *t)
{
    const struct walk *w;
    while ((w = ring_peek(&t->walking)) && w->time <= t->env->sm_cycle) {
        end_walk(t, w->page);
        ring_pop(&t->walking);
    }
}

static void start_walks(struct translate *t)
{
    const struct walk *w;
    struct stats *s = t->env->stats;
    while (t->walking.count < t->c->uvm_walkers && (w = ring_peek(&t->waiting))) {
        s->tlb_walks++;
        s->tlb_walk_wait_cycles += t->env->sm_cycle - w->time;
        push(t, &t->walking, &(struct walk){w->page, t->env->sm_cycle + t->c->uvm_walk_latency});
        ring_pop(&t->waiting);
    }
}

static void request(struct translate *t)
{
    const struct ask *a = ring_peek(&t->walked);
    if (!a) return;
    struct ask now = *a;
    t->refused = false;
    const bool joins = is_asked(t, now);
    switch (joins ? UVM_WAITS : uvm_request(t->env->uvm, now.page, now.sm / t->share)) {
    case UVM_RETRY:
        t->refused = true;
        return;
    case UVM_RESIDENT:
        answer(t, now);
        break;
    case UVM_WAITS:
        wait_for_page(t, now);
    }
    ring_pop(&t->walked);
}

/* One request per cycle, SMs in round robin, oldest of the SM first.  A refused request stays at the head. */
static void note(struct translate *t)
{
    uint32_t n = t->c->sm_count;
    while (!t->notes[t->next_note].count) t->next_note = t->next_note + 1 < n ? t->next_note + 1 : 0;
    struct ring *r = &t->notes[t->next_note];
    enum uvm_noted answer = uvm_note(t->env->uvm, *(const uint32_t *)ring_peek(r), t->next_note / t->share);
    if (answer == UVM_NOTE_RETRY) return;
    t->notes_taken += answer == UVM_NOTE_TAKEN;
    t->env->stats->uvm_notes_late += answer == UVM_NOTE_LATE;
    ring_pop(r);
    t->noted--;
    t->next_note = t->next_note + 1 < n ? t->next_note + 1 : 0;
}

/* The driver has one port.  Requests have priority, but a refused one yields to a note every other cycle. */
static void to_driver(struct translate *t)
{
    t->gave_way = t->noted && (!t->walked.count || (t->refused && !t->gave_way));
    if (t->gave_way)
        note(t);
    else
        request(t);
}

/* State of the previous cycle. */
static void tell_progress(struct translate *t)
{
    if (t->issued == t->env->stats->gpu_warp_instructions) return;
    t->issued = t->env->stats->gpu_warp_instructions;
    uvm_progress(t->env->uvm);
}

bool translate_tick(struct translate *t, struct error *err)
{
    tell_progress(t);
    if (!uvm_tick(t->env->uvm, err)) return false;
    if (t->asked == t->answered && !t->noted) return true;
    take_request(t);
    look_up(t);
    end_walks(t);
    start_walks(t);
    to_driver(t);
    return !t->no_memory || error_set(err, "translate: out of memory");
}

uint64_t translate_wake(const struct translate *t)
{
    /* mutant: 1 - 1: the machine's next cycle is the one after this at the earliest */
    if (t->queued || t->noted || (t->walked.count && (!t->refused || t->gave_way))) return t->env->sm_cycle + 1;
    uint64_t wake = uvm_wake(t->env->uvm);
    const struct lookup *l = ring_peek(&t->lookups);
    const struct walk *w = ring_peek(&t->walking);
    if (l) wake = min_u64(wake, l->ready);
    return w ? min_u64(wake, w->time) : wake;
}

bool translate_empty(const struct translate *t)
{
    return t->asked == t->answered && uvm_empty(t->env->uvm);
}

void translate_sync(struct translate *t)
{
    uvm_sync(t->env->uvm);
}

bool translate_finish(struct translate *t, struct error *err)
{
    const struct stats *s = t->env->stats;
    bool ok = uvm_finish(t->env->uvm, err);
    const struct law laws[] = {
        {"requests = answers", true, t->asked, LAW_EQUAL, t->answered},
        {"requests = tlb.l2.hits + tlb.l2.misses", true, t->asked, LAW_EQUAL, s->tlb_l2_hits + s->tlb_l2_misses},
        {"tlb.l2.misses = tlb.walks + tlb.l2.merged", true, s->tlb_l2_misses, LAW_EQUAL,
         s->tlb_walks + s->tlb_l2_merged},
        {"uvm.notes = taken by the driver + uvm.notes_dropped + uvm.notes_late + waiting", true, s->uvm_notes,
         LAW_EQUAL, t->notes_taken + s->uvm_notes_dropped + s->uvm_notes_late + t->noted},
    };
    return laws_hold("translate: ", LAWS(laws), err) && ok;
}

void translate_describe(const struct translate *t, char *text, size_t size)
{
    snprintf(text, size,
             "%" PRIu64 " page requests not answered: %u in front of the shared TLB, %u in it, %u walks waiting, %u "
             "walking, %u in front of the driver",
             t->asked - t->answered, t->queued, t->lookups.count, t->waiting.count, t->walking.count, t->walked.count);
}
