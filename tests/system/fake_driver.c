/* SPDX-License-Identifier: Apache-2.0 */
#include "system/fake_driver.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "system/unit/unit.h"

enum state { HOST, COMING, HERE, LEAVING };

struct page {
    enum state state;
    bool wanted;      /* requested while it leaves */
    bool used;        /* since it came */
    uint64_t arrival; /* of one that is coming */
    uint32_t pins;
    uint64_t waiting[4]; /* bit s: SM s */
};

struct fake {
    struct fake_driver *setup;
    struct env *env;
    struct uvm_client client;
    uint32_t here; /* pages here, coming or leaving */
    bool refused;  /* the last request */
    bool port_used;
    uint64_t port; /* when last */
    struct page page[FAKE_PAGES];
};

/* Criterion gives each test a process. */
static struct fake_driver *playing;

void fake_driver_play(struct fake_driver *setup)
{
    playing = setup;
}

#define FAKE(u) ((struct fake *)(u))
#define WRAP(type, name, parameters, arguments)                                                                        \
    type __real_##name parameters;                                                                                     \
    type __wrap_##name parameters;                                                                                     \
    type __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        return playing ? fake_##name arguments : __real_##name arguments;                                              \
    }                                                                                                                  \
    _Static_assert(true, "")

static struct uvm *fake_uvm_create(struct env *env, const struct source *source, const struct uvm_client *client,
                                   struct error *err)
{
    (void)source, (void)err;
    struct fake *f = calloc(1, sizeof *f);
    *f = (struct fake){.setup = playing, .env = env, .client = *client};
    cr_assert_leq(playing->pages, FAKE_PAGES);
    for (uint32_t i = 0; i < playing->pages && playing->resident; i++) f->page[i].state = HERE;
    f->here = playing->resident ? playing->pages : 0;
    playing->happened = (struct fake_events){0};
    return (struct uvm *)f;
}

static void fake_uvm_destroy(struct uvm *u)
{
    free(u);
}

static uint32_t fake_uvm_page(const struct uvm *u, uint64_t line)
{
    const struct fake_driver *s = FAKE(u)->setup;
    uint64_t page = (line - s->first_line) / LINES_PER_PAGE;
    return line >= s->first_line && page < s->pages ? (uint32_t)page : UVM_UNMANAGED;
}

static uint64_t fake_uvm_line(const struct uvm *u, uint32_t page)
{
    return FAKE(u)->setup->first_line + (uint64_t)page * LINES_PER_PAGE;
}

static uint32_t fake_uvm_pages(const struct uvm *u)
{
    return FAKE(u)->setup->pages;
}

static void leave(struct fake *f, uint32_t page)
{
    f->page[page].state = LEAVING;
    f->client.unmap(f->client.context, page);
    f->setup->happened.evictions++;
}

static void start(struct fake *f, uint32_t page)
{
    struct page *p = &f->page[page];
    p->state = COMING;
    p->wanted = p->used = false;
    p->arrival = f->setup->latency ? f->env->sm_cycle + f->setup->latency : NEVER;
    f->here++;
}

/* One request or note in a cycle. */
static void use_port(struct fake *f)
{
    cr_assert(!f->port_used || f->port < f->env->sm_cycle, "the port is used twice in cycle %lu", f->env->sm_cycle);
    f->port_used = true;
    f->port = f->env->sm_cycle;
}

static uint32_t fake_uvm_lease_unit(const struct uvm *u)
{
    return FAKE(u)->setup->lease_unit;
}

static enum uvm_noted fake_uvm_note(struct uvm *u, uint32_t page, uint32_t sm)
{
    struct fake *f = FAKE(u);
    struct fake_events *e = &f->setup->happened;
    cr_assert_lt(page, f->setup->pages);
    cr_assert_lt(sm, f->env->config->sm_count);
    use_port(f);
    if (f->env->sm_cycle < f->setup->note_until) return e->notes_refused++, UVM_NOTE_RETRY;
    if (f->page[page].state != HERE) return e->notes_late++, UVM_NOTE_LATE;
    e->notes++;
    e->noted[page]++;
    e->last_note = f->env->sm_cycle;
    return UVM_NOTE_TAKEN;
}

static enum uvm_answer fake_uvm_request(struct uvm *u, uint32_t page, uint32_t sm)
{
    struct fake *f = FAKE(u);
    struct page *p = &f->page[page];
    const uint64_t now = f->env->sm_cycle, bit = (uint64_t)1 << sm % 64;
    cr_assert_lt(page, f->setup->pages);
    cr_assert(!(p->waiting[sm / 64] & bit), "SM %u asks again for page %u", sm, page);
    use_port(f);
    if ((now >= f->setup->retry_from && now < f->setup->retry_until) ||
        (f->setup->retry_mod && now % f->setup->retry_mod == 0)) {
        f->setup->happened.retries++;
        f->refused = true;
        return UVM_RETRY;
    }
    f->refused = false;
    f->setup->happened.requests++;
    f->setup->happened.last_request = now;
    if (p->state == HERE) return UVM_RESIDENT;
    if (p->state == HOST) start(f, page);
    p->wanted = p->state == LEAVING;
    p->waiting[sm / 64] |= bit;
    f->setup->happened.waited++;
    return UVM_WAITS;
}

static void fake_uvm_used(struct uvm *u, uint32_t page)
{
    struct page *p = &FAKE(u)->page[page];
    cr_assert(p->state == HERE || (p->state == LEAVING && p->pins), "page %u is used, but not there", page);
    p->used = true;
    FAKE(u)->setup->happened.used++;
}

static void fake_uvm_wrote(struct uvm *u, uint32_t page)
{
    cr_assert_neq(FAKE(u)->page[page].state, HOST, "page %u is written, but not there", page);
    FAKE(u)->setup->happened.wrote++;
}

static void fake_uvm_pin(struct uvm *u, uint32_t page)
{
    struct page *p = &FAKE(u)->page[page];
    cr_assert(p->state == HERE || (p->state == LEAVING && p->pins), "page %u is pinned, but not there", page);
    p->pins++;
}

static void fake_uvm_unpin(struct uvm *u, uint32_t page)
{
    cr_assert(FAKE(u)->page[page].pins, "page %u has no pin", page);
    FAKE(u)->page[page].pins--;
}

static void arrive(struct fake *f, uint32_t page)
{
    struct page *p = &f->page[page];
    p->state = HERE;
    f->setup->happened.arrivals++;
    for (uint32_t sm = 0; sm < 256; sm++) {
        if (!(p->waiting[sm / 64] >> sm % 64 & 1)) continue;
        p->waiting[sm / 64] &= ~((uint64_t)1 << sm % 64);
        f->client.translated(f->client.context, page, sm);
    }
}

static void finish_leaving(struct fake *f, uint32_t page)
{
    f->setup->happened.dirty += f->client.drop(f->client.context, page);
    f->page[page].state = HOST;
    f->here--;
    if (f->page[page].wanted) start(f, page);
}

/* One page too many is there: the first used one behind the last evicted makes room. */
static void make_room(struct fake *f)
{
    for (uint32_t i = 0; i < f->setup->pages; i++) {
        uint32_t page = (f->setup->happened.evictions * 7 + i) % f->setup->pages;
        if (f->page[page].state != HERE || !f->page[page].used) continue;
        leave(f, page);
        return;
    }
}

static void evict_any(struct fake *f)
{
    uint32_t first = (uint32_t)(f->env->sm_cycle / f->setup->evict_interval * 2654435761u >> 8);
    for (uint32_t i = 0; i < f->setup->pages; i++) {
        uint32_t page = (first + i) % f->setup->pages;
        if (f->page[page].state != HERE) continue;
        leave(f, page);
        return;
    }
}

static bool fake_uvm_tick(struct uvm *u, struct error *err)
{
    (void)err;
    struct fake *f = FAKE(u);
    const struct fake_driver *s = f->setup;
    for (uint32_t i = 0; i < s->pages; i++) {
        if (f->page[i].state == LEAVING && !f->page[i].pins) finish_leaving(f, i);
        if (f->page[i].state == COMING && f->page[i].arrival <= f->env->sm_cycle) arrive(f, i);
    }
    if (s->capacity && f->here > s->capacity) make_room(f);
    if (s->evict_interval && f->env->sm_cycle % s->evict_interval == 0) evict_any(f);
    return true;
}

static uint64_t fake_uvm_wake(const struct uvm *u)
{
    const struct fake *f = FAKE(u);
    uint64_t wake = NEVER, next = f->env->sm_cycle + 1;
    uint32_t interval = f->setup->evict_interval;
    if (f->setup->capacity && f->here > f->setup->capacity) return next;
    if (f->refused) return next < f->setup->retry_until ? f->setup->retry_until : next;
    if (interval && f->here) wake = (next + interval - 1) / interval * interval;
    for (uint32_t i = 0; i < f->setup->pages; i++) {
        const struct page *p = &f->page[i];
        if (p->state == LEAVING && !p->pins) return next;
        if (p->state == COMING && p->arrival < wake) wake = p->arrival;
    }
    return wake;
}

static bool fake_uvm_empty(const struct uvm *u)
{
    for (uint32_t i = 0; i < FAKE(u)->setup->pages; i++)
        if (FAKE(u)->page[i].state == COMING || FAKE(u)->page[i].state == LEAVING) return false;
    return true;
}

static void fake_uvm_progress(struct uvm *u)
{
    FAKE(u)->setup->happened.progress++;
}

/* It counts nothing. */
static void fake_uvm_sync(struct uvm *u)
{
    (void)u;
}

static bool fake_uvm_finish(struct uvm *u, struct error *err)
{
    (void)err;
    for (uint32_t i = 0; i < FAKE(u)->setup->pages; i++)
        cr_expect_eq(FAKE(u)->page[i].pins, 0, "page %u: %u pins at the end", i, FAKE(u)->page[i].pins);
    return true;
}

#define WRAP_VOID(name, parameters, arguments)                                                                         \
    void __real_##name parameters;                                                                                     \
    void __wrap_##name parameters;                                                                                     \
    void __wrap_##name parameters                                                                                      \
    {                                                                                                                  \
        if (playing)                                                                                                   \
            fake_##name arguments;                                                                                     \
        else                                                                                                           \
            __real_##name arguments;                                                                                   \
    }                                                                                                                  \
    _Static_assert(true, "")

WRAP(struct uvm *, uvm_create,
     (struct env * env, const struct source *source, const struct uvm_client *client, struct error *err),
     (env, source, client, err));
WRAP_VOID(uvm_destroy, (struct uvm * u), (u));
WRAP(uint32_t, uvm_page, (const struct uvm *u, uint64_t line), (u, line));
WRAP(uint64_t, uvm_line, (const struct uvm *u, uint32_t page), (u, page));
WRAP(uint32_t, uvm_pages, (const struct uvm *u), (u));
WRAP(enum uvm_answer, uvm_request, (struct uvm * u, uint32_t page, uint32_t sm), (u, page, sm));
WRAP(uint32_t, uvm_lease_unit, (const struct uvm *u), (u));
WRAP(enum uvm_noted, uvm_note, (struct uvm * u, uint32_t page, uint32_t sm), (u, page, sm));
WRAP_VOID(uvm_used, (struct uvm * u, uint32_t page), (u, page));
WRAP_VOID(uvm_wrote, (struct uvm * u, uint32_t page), (u, page));
WRAP_VOID(uvm_pin, (struct uvm * u, uint32_t page), (u, page));
WRAP_VOID(uvm_unpin, (struct uvm * u, uint32_t page), (u, page));
WRAP(bool, uvm_tick, (struct uvm * u, struct error *err), (u, err));
WRAP(uint64_t, uvm_wake, (const struct uvm *u), (u));
WRAP(bool, uvm_empty, (const struct uvm *u), (u));
WRAP_VOID(uvm_progress, (struct uvm * u), (u));
WRAP_VOID(uvm_sync, (struct uvm * u), (u));
WRAP(bool, uvm_finish, (struct uvm * u, struct error *err), (u, err));
