/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/sm_translate.h"

#include <stdlib.h>

#include "base/arith.h"
#include "system/unit/pool.h"
#include "system/uvm/tlb.h"
#include "system/uvm/uvm.h"

/* Places and pages are numbered from 1: 0 is none. */
struct place_of_access {
    struct access access;
    uint16_t next; /* of the same page */
};

/* A page that accesses wait for. */
struct page_wait {
    uint32_t page, count;
    uint16_t first, last; /* places */
    uint16_t next;        /* behind it in `ready` */
    bool ready;
};

struct sm_translate {
    struct env *env;
    struct translate *shared;
    uint32_t sm, places;
    struct tlb tlb;
    uint64_t frame; /* the last line's address by pages, and its page */
    uint32_t page;
    struct place_of_access *place; /* [places + 1] */
    struct page_wait *wait;        /* [places + 1]; few have no access: unmapped while the last one was accepted */
    uint16_t *wait_of;             /* [pages] */
    struct pool free_places, free_waits; /* numbered from 0 */
    uint16_t ready, ready_last;          /* pages whose accesses may continue, oldest response first */
    uint64_t offered;                    /* id of the access that was presented last */
    bool changed;                        /* it differs from the previous cycle's */
    uint16_t replaying;                  /* page of the replayed access that was presented last */
    uint32_t parked;
    uint32_t unit;  /* accesses to a page per note; 0: no notes */
    uint16_t *left; /* [pages] of a page in the TLB: accesses left of those covered by its request or last note */
    bool full;      /* in the last cycle the LSU's head found no free place */
};

struct sm_translate *sm_translate_create(struct env *env, struct translate *shared, uint32_t sm, struct error *err)
{
    const struct config *c = env->config;
    struct sm_translate *t = calloc(1, sizeof *t);
    if (!t) return error_set(err, "sm.%u: out of memory", sm), NULL;
    *t = (struct sm_translate){.env = env, .shared = shared, .sm = sm, .places = c->uvm_replay, .frame = UINT64_MAX};
    t->place = calloc(t->places + 1, sizeof *t->place);
    t->wait = calloc(t->places + 1, sizeof *t->wait);
    t->wait_of = calloc(uvm_pages(env->uvm) + 1, sizeof *t->wait_of);
    t->unit = uvm_lease_unit(env->uvm);
    /* mutant: 1 + 1: more memory than is needed */
    t->left = calloc(t->unit ? uvm_pages(env->uvm) : 1, sizeof *t->left);
    /* mutant: || -> && (4): differs only when memory runs out */
    if (!tlb_init(&t->tlb, c->tlb_l1_sets, c->tlb_l1_ways) || !t->place || !t->wait || !t->wait_of || !t->left ||
        !pool_grow(&t->free_places, t->places) || !pool_grow(&t->free_waits, t->places)) {
        sm_translate_destroy(t);
        return error_set(err, "sm.%u: out of memory", sm), NULL;
    }
    return t;
}

void sm_translate_destroy(struct sm_translate *t)
{
    if (!t) return;
    tlb_free(&t->tlb);
    pool_free(&t->free_places);
    pool_free(&t->free_waits);
    free(t->place);
    free(t->wait);
    free(t->wait_of);
    free(t->left);
    free(t);
}

/* Pages that wait. */

static uint16_t start_wait(struct sm_translate *t, uint32_t page)
{
    uint16_t n = (uint16_t)(1 + pool_take(&t->free_waits));
    t->wait[n] = (struct page_wait){.page = page};
    t->wait_of[page] = n;
    translate_ask(t->shared, t->sm, page);
    return n;
}

static void end_wait(struct sm_translate *t, uint16_t n)
{
    t->wait_of[t->wait[n].page] = 0;
    pool_give(&t->free_waits, n - 1u);
}

static void push_ready(struct sm_translate *t, uint16_t n)
{
    t->wait[n].ready = true;
    t->wait[n].next = 0;
    *(t->ready ? &t->wait[t->ready_last].next : &t->ready) = n;
    t->ready_last = n;
}

static void remove_ready(struct sm_translate *t, uint16_t n)
{
    uint16_t *link = &t->ready, before = 0;
    while (*link != n) {
        before = *link;
        link = &t->wait[before].next;
    }
    *link = t->wait[n].next;
    if (t->ready_last == n) t->ready_last = before;
    t->wait[n].ready = false;
}

void sm_translate_answer(struct sm_translate *t, uint32_t page)
{
    uint16_t n = t->wait_of[page];
    tlb_fill(&t->tlb, page);
    if (t->unit) t->left[page] = (uint16_t)t->unit;
    if (t->wait[n].count) {
        push_ready(t, n);
        return;
    }
    end_wait(t, n);
    uvm_used(t->env->uvm, page); /* no access will follow: the page need not stay resident */
}

bool sm_translate_maps(const struct sm_translate *t, uint32_t page)
{
    return t->wait[t->wait_of[page]].ready || tlb_has(&t->tlb, page); /* page wait 0 is never ready */
}

bool sm_translate_unmap(struct sm_translate *t, uint32_t page)
{
    uint16_t n = t->wait_of[page];
    if (t->wait[n].ready) {
        remove_ready(t, n);
        t->env->stats->tlb_replay_again += t->wait[n].count;
        translate_ask(t->shared, t->sm, page);
    }
    return tlb_drop(&t->tlb, page);
}

/* Accesses that wait. */

static void tell(const struct sm_translate *t, const struct access *a)
{
    const struct request r = {.line = a->line,
                              .id = a->id,
                              .born = t->env->sm_cycle,
                              .sm = (uint16_t)t->sm,
                              .kind = a->kind,
                              .bytes = a->bytes,
                              .bypass = a->bypass};
    env_at(t->env, &r, AT_TLB_MISS, t->sm);
}

static void park(struct sm_translate *t, const struct access *a)
{
    struct stats *s = t->env->stats;
    uint16_t place = (uint16_t)(1 + pool_take(&t->free_places)), n = t->wait_of[t->page];
    s->tlb_l1_misses++;
    s->tlb_l1_merged += n != 0;
    if (!n) n = start_wait(t, t->page);
    struct page_wait *w = &t->wait[n];
    t->place[place] = (struct place_of_access){.access = *a};
    *(w->count++ ? &t->place[w->last].next : &w->first) = place;
    w->last = place;
    raise_to(&s->tlb_replay_peak, ++t->parked);
    tell(t, a);
}

static void unpark(struct sm_translate *t, uint16_t n)
{
    struct page_wait *w = &t->wait[n];
    uint16_t place = w->first;
    w->first = t->place[place].next;
    pool_give(&t->free_places, place - 1u);
    t->parked--;
    t->env->stats->tlb_replay_replayed++;
    if (--w->count || !w->ready) return;
    remove_ready(t, n);
    end_wait(t, n);
}

/* The LSU's side. */

static uint32_t page_of(struct sm_translate *t, uint64_t line)
{
    if (line / LINES_PER_PAGE != t->frame) {
        t->frame = line / LINES_PER_PAGE;
        t->page = uvm_page(t->env->uvm, line);
    }
    return t->page;
}

static const struct access *offer(struct sm_translate *t, const struct access *a)
{
    /* mutant: |= -> &=: the SM sleeps from the first refusal of an access on, not from the second: each cycle counts
     * the same refusal */
    t->changed |= a->id != t->offered;
    t->offered = a->id;
    return a;
}

const struct access *sm_translate_replay(struct sm_translate *t)
{
    t->full = false;
    t->replaying = t->ready;
    return t->ready ? offer(t, &t->place[t->wait[t->ready].first].access) : NULL;
}

/* Counts an access to the page in its TLB entry: the request that filled the entry stands for the first `unit`
 * accesses, each note for `unit` more. */
static void count(struct sm_translate *t, uint32_t page)
{
    if (!tlb_has(&t->tlb, page)) return;
    if (!t->left[page]) {
        translate_note(t->shared, t->sm, page);
        t->left[page] = (uint16_t)t->unit;
    }
    t->left[page]--;
}

enum translation sm_translate_access(struct sm_translate *t, const struct access *a)
{
    uint32_t page = page_of(t, a->line);
    if (page == UVM_UNMANAGED || tlb_hit(&t->tlb, page)) return offer(t, a), TRANSLATED;
    t->full = !t->free_places.left || (!t->wait_of[page] && !t->free_waits.left);
    t->env->stats->tlb_replay_full_cycles += t->full;
    if (t->full) return TRANSLATION_FULL;
    park(t, a);
    return TRANSLATION_PARKED;
}

bool sm_translate_accepted(struct sm_translate *t)
{
    struct stats *s = t->env->stats;
    uint16_t n = t->replaying;
    uint32_t page = n ? t->wait[n].page : t->page;
    if (page == UVM_UNMANAGED)
        s->tlb_unmanaged++;
    else
        uvm_used(t->env->uvm, page);
    if (t->unit && page != UVM_UNMANAGED) count(t, page);
    if (n)
        unpark(t, n);
    else if (page != UVM_UNMANAGED)
        s->tlb_l1_hits++;
    return n;
}

bool sm_translate_changed(struct sm_translate *t)
{
    bool changed = t->changed;
    t->changed = false;
    return changed;
}

void sm_translate_idle(struct sm_translate *t, uint64_t cycles)
{
    if (t->full) t->env->stats->tlb_replay_full_cycles += cycles;
}

uint32_t sm_translate_parked(const struct sm_translate *t)
{
    return t->parked;
}
