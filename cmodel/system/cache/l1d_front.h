/* SPDX-License-Identifier: Apache-2.0 */
/* The front of an L1D: between an L1D and the sender of its accesses, which is the LSU of an SM, a lane of a stepped
 * machine (lib/stepped.c) or `probe l1d`.  l1d_front_tick() is the cycle of an L1D from top to bottom.
 *
 * With l1d.latency_at = front, accesses pass a pipeline in front of the L1D, which is l1d.latency - l1d.data_latency
 * cycles long and as many entries deep: the sender's access enters it, one a cycle; the oldest one that has passed is
 * presented to the L1D until that accepts it.  With l1d.banks, the accesses of an instruction that the L1D looks up in
 * one cycle enter in one, too.  With l1d.bank_pipelines each bank has a pipeline: an access waits for those of its bank
 * alone.  The oldest access of each bank is presented in one cycle, the lowest bank first.
 *
 * The sender has the queue and selects the access of its turn.  The LSU alone has instructions of several accesses,
 * shared memory, translation and reordering.
 *
 * The functions are inline and a struct l1d_sender is a constant, so the sender's functions are called directly. */
#ifndef MEMTWIN_L1D_FRONT_H
#define MEMTWIN_L1D_FRONT_H
#include "base/arith.h"
#include "system/cache/l1d.h"
#include "system/unit/ring.h"
#include "system/unit/unit.h"

/* An access between its sender's queue and the L1D. */
struct staged {
    struct access a;
    uint64_t ready;  /* first cycle in which it has passed the pipeline */
    bool ends_store; /* it is the last access of a store */
};

struct l1d_front {
    struct l1d *l1d;
    uint64_t counted;              /* first cycle not counted yet */
    struct ring stages[L1D_WIDTH]; /* struct staged: pipelines; without one, an access that l1d_front_hold() keeps */
    uint32_t pipelines, pipeline;  /* their number; the one whose access is presented */
    uint32_t latency;              /* of a pipeline; 0: none */
    bool changed;                  /* in this cycle, front or sender; either sets it */
    bool full;                     /* in this cycle the pipeline of the sender's access had no room */
};

struct l1d_sender {
    /* The sender's part of a cycle, with at most one l1d_front_send(); `free`: the L1D would take an access. */
    void (*turn)(void *sender, bool free);
    /* The L1D has accepted an access later than in its turn: this one of `stages`; NULL: the one that was sent last. */
    void (*accepted)(void *sender, const struct staged *x);
    /* The next three may be NULL.  Data return; `load` of their access. */
    void (*returned)(void *sender, uint32_t load);
    /* The L1D has counted for the oldest access: this many cycles slept, or, with 0, its part of this cycle. */
    void (*counted)(void *sender, uint64_t cycles);
    /* Id of the access of the next turn, or L1D_NO_ACCESS; NULL or L1D_ANY_ACCESS: unknown. */
    uint64_t (*next)(const void *sender);
};

/* `path`: cycles of l1d.latency that an access has spent before. */
static inline bool l1d_front_init(struct l1d_front *f, const struct config *c, uint32_t path)
{
    f->latency = c->l1d_latency_at == LATENCY_FRONT ? l1d_latency_front(c) - path : 0;
    f->pipelines =
        f->latency && c->l1d_bank_pipelines && c->l1d_bank_bytes == SECTOR_BYTES ? max_u32(c->l1d_banks, 1) : 1;
    const uint32_t width = f->pipelines > 1 ? 1 : l1d_width(c);
    bool made = true;
    for (uint32_t i = 0; i < f->pipelines; i++)
        made = ring_init(&f->stages[i], sizeof(struct staged), f->latency ? f->latency * width : 1) && made;
    return made;
}

static inline void l1d_front_free(struct l1d_front *f)
{
    l1d_destroy(f->l1d);
    for (uint32_t i = 0; i < f->pipelines; i++) ring_free(&f->stages[i]);
}

/* The oldest access of the present pipeline. */
static inline const struct staged *l1d_front_oldest(const struct l1d_front *f)
{
    return ring_peek(&f->stages[f->pipeline]);
}

static inline bool l1d_front_empty(const struct l1d_front *f)
{
    for (uint32_t i = 0; i < f->pipelines; i++)
        if (f->stages[i].count) return false;
    return true;
}

/* The pipeline of an access: that of its bank, which holds a sector. */
static inline uint32_t l1d_front_pipeline(const struct l1d_front *f, const struct access *a)
{
    const uint64_t sector = a->line * (LINE_BYTES / SECTOR_BYTES) + a->sector;
    return f->pipelines == 1 ? 0 : (uint32_t)sector & (f->pipelines - 1);
}

static inline void l1d_front_count(const struct l1d_sender *s, void *sender, uint64_t cycles)
{
    if (s->counted) s->counted(sender, cycles);
}

/* The cycles slept, up to `until`, were like the last one. */
static inline void l1d_front_catch_up(struct l1d_front *f, const struct l1d_sender *s, void *sender, uint64_t until)
{
    if (until <= f->counted) return;
    const uint64_t cycles = until - f->counted;
    f->counted = until;
    const uint32_t present = f->pipeline;
    l1d_idle(f->l1d, cycles);
    l1d_front_count(s, sender, cycles);
    for (uint32_t m = l1d_refusals(f->l1d); m; m &= m - 1) {
        f->pipeline = (uint32_t)__builtin_ctz(m);
        l1d_idle_refused(f->l1d, f->pipeline, cycles);
        l1d_front_count(s, sender, 0);
    }
    f->pipeline = present;
}

/* The cycle being ticked. */
static inline uint64_t l1d_front_now(const struct l1d_front *f)
{
    return f->counted - 1;
}

/* Keeps an access in front of the L1D: in the pipeline, or until the L1D has answered it. */
static inline void l1d_front_hold(struct l1d_front *f, const struct staged *x)
{
    const uint32_t pipeline = l1d_front_pipeline(f, &x->a);
    struct staged *to = ring_push(&f->stages[pipeline]); /* there is room: it need not grow */
    *to = *x;
    to->a.pipeline = (uint8_t)pipeline;
    to->a.beside &= f->pipelines == 1;
    to->ready = l1d_front_now(f) + f->latency;
    to->a.entered = (uint32_t)l1d_front_now(f);
    f->changed = true;
}

static inline enum l1d_outcome l1d_front_present(struct l1d_front *f, const struct l1d_sender *s, void *sender,
                                                 const struct access *a)
{
    const enum l1d_outcome answer = l1d_access(f->l1d, a);
    l1d_front_count(s, sender, 0);
    return answer;
}

/* The access of the sender's turn.  L1D_ACCEPTED: by the L1D or the pipeline.  L1D_NONE: neither takes one. */
static inline enum l1d_outcome l1d_front_send(struct l1d_front *f, const struct l1d_sender *s, void *sender,
                                              const struct staged *x, bool free)
{
    if (!f->latency) return free ? l1d_front_present(f, s, sender, &x->a) : L1D_NONE;
    f->full = !ring_room(&f->stages[l1d_front_pipeline(f, &x->a)]);
    if (f->full) return L1D_NONE;
    l1d_front_hold(f, x);
    return L1D_ACCEPTED;
}

/* The L1D has accepted the access presented to it: the oldest of `stages`, or without one the sender's. */
static inline void l1d_front_accepted(struct l1d_front *f, const struct l1d_sender *s, void *sender)
{
    const struct staged *x = l1d_front_oldest(f);
    s->accepted(sender, x);
    if (x) ring_pop(&f->stages[f->pipeline]);
    f->changed = true;
}

/* The oldest access of a pipeline, and those beside it; the answer to the last one. */
static inline enum l1d_outcome l1d_front_present_oldest(struct l1d_front *f, const struct l1d_sender *s, void *sender)
{
    const struct staged *x = l1d_front_oldest(f);
    enum l1d_outcome answer = L1D_NONE;
    if (!x || x->ready > l1d_front_now(f)) return answer;
    do {
        answer = l1d_front_present(f, s, sender, &x->a);
        if (answer != L1D_ACCEPTED) return answer;
        l1d_front_accepted(f, s, sender);
        x = l1d_front_oldest(f);
    } while (x && x->a.beside);
    return answer;
}

/* A pipeline whose access the L1D holds stays the present one.  The L1D has one bypass a cycle. */
static inline void l1d_front_present_all(struct l1d_front *f, const struct l1d_sender *s, void *sender)
{
    bool bypassed = false;
    for (f->pipeline = 0; f->pipeline < f->pipelines; f->pipeline++) {
        const struct staged *x = l1d_front_oldest(f);
        const bool bypass = x && x->a.bypass, waits = bypass && bypassed;
        const enum l1d_outcome answer = waits ? L1D_REFUSED : l1d_front_present_oldest(f, s, sender);
        if (answer == L1D_WAIT) return;
        bypassed |= bypass && answer != L1D_NONE;
    }
    f->pipeline = 0;
}

/* Whether the L1D answers in the next cycle as in this one: its accesses are those that it refused, and it refuses them
 * again.  `turn`: id of the access of the sender's turn. */
static inline bool l1d_front_repeats(const struct l1d_front *f, uint64_t turn)
{
    const bool enters = f->latency && turn != L1D_NO_ACCESS && !f->full;
    uint32_t presented = !f->latency && l1d_front_empty(f) && turn != L1D_NO_ACCESS;
    if (turn == L1D_ANY_ACCESS || enters || (presented && !l1d_refuses_again(f->l1d, 0, turn))) return false;
    for (uint32_t i = 0; i < f->pipelines; i++) {
        const struct staged *x = ring_peek(&f->stages[i]);
        if (!x || x->ready > l1d_front_now(f)) continue;
        if (!l1d_refuses_again(f->l1d, i, x->a.id)) return false;
        presented |= 1u << i;
    }
    return presented == l1d_refusals(f->l1d);
}

/* The next cycle in which an access leaves the pipeline, or the L1D or the sender has work. */
static inline uint64_t l1d_front_wake(const struct l1d_front *f, const struct l1d_sender *s, const void *sender)
{
    uint64_t leaves = NEVER;
    for (uint32_t i = 0; i < f->pipelines; i++) {
        const struct staged *x = ring_peek(&f->stages[i]);
        if (x && x->ready > l1d_front_now(f)) leaves = min_u64(leaves, x->ready);
    }
    const uint64_t turn = s->next ? s->next(sender) : L1D_ANY_ACCESS;
    return min_u64(leaves, l1d_next(f->l1d, f->changed, l1d_front_repeats(f, turn)));
}

static inline void l1d_front_return(const struct l1d_sender *s, void *sender, const struct l1d_done *done)
{
    for (uint32_t i = 0; s->returned && i < done->count; i++) s->returned(sender, done->load[i]);
}

/* Cycle `now`: the data that return, the answer to a late access, the oldest access of the pipeline, the sender's turn,
 * the clock edge.  Returns the next cycle with work. */
static inline uint64_t l1d_front_tick(struct l1d_front *f, const struct l1d_sender *s, void *sender,
                                      const struct memory_port *port, uint64_t now, struct error *err)
{
    struct l1d_done done;
    l1d_front_catch_up(f, s, sender, now);
    f->counted = now + 1;
    f->changed = f->full = false;
    const enum l1d_outcome answer = l1d_begin(f->l1d, port, &done);
    l1d_front_count(s, sender, 0);
    l1d_front_return(s, sender, &done);
    if (answer == L1D_ACCEPTED) l1d_front_accepted(f, s, sender);
    const bool free = answer != L1D_WAIT && l1d_front_empty(f);
    if (answer != L1D_WAIT) l1d_front_present_all(f, s, sender);
    if (f->latency) {
        l1d_finish(f->l1d, &done);
        l1d_front_return(s, sender, &done);
    }
    s->turn(sender, free);
    l1d_end(f->l1d, err);
    return l1d_front_wake(f, s, sender);
}
#endif
