/* SPDX-License-Identifier: Apache-2.0 */
/* Address translation shared by all SMs: the path of a miss in an SM's own TLB (sm_translate.h).
 *
 * Order in a cycle:
 *   1. the driver ticks (uvm.h)
 *   2. one request is taken, SMs in round robin; its lookup in the shared TLB takes tlb.l2.latency cycles
 *   3. finished page table walks end, and waiting ones start while one of uvm.walkers is free; a walk takes
 *      uvm.walk_latency cycles and serves all SMs that request its page before it ends
 *   4. the oldest request with a translation goes to the driver, which answers at once (resident), later (the page is
 *      in transfer), or refuses it until a retry (requests behind it wait, too)
 *
 * In a cycle without such a request, or after a refusal, an SM's note may use the port instead.  A note reports
 * accesses that hit in the SM's TLB; it gets no answer (uvm_note).
 *
 * A TLB holds only pages in device memory: an answer fills the shared TLB and the SM's.  When the driver unmaps a page,
 * all TLBs drop it in the same cycle. */
#ifndef MEMTWIN_TRANSLATE_H
#define MEMTWIN_TRANSLATE_H
#include <stddef.h>

#include "system/unit/gpu.h"
#include "trace/source.h"

struct translate;

/* Callbacks to the units that hold translations and lines. */
struct translate_client {
    void (*answer)(void *context, uint32_t sm, uint32_t page); /* answers translate_ask(), exactly once */
    uint32_t (*unmap)(void *context, uint32_t page);           /* returns the number of SMs' TLBs that held it */
    bool (*drop)(void *context, uint64_t line);                /* true: the L2 held it dirty */
    void *context;
};

/* Also creates the driver and sets env->uvm. */
struct translate *translate_create(struct env *env, const struct source *source, const struct translate_client *client,
                                   struct error *err);
void translate_destroy(struct translate *t);
/* SM `sm` requests the page's translation; not again until it is answered. */
void translate_ask(struct translate *t, uint32_t sm, uint32_t page);
/* A note: another uvm_lease_unit() accesses to the page hit.  Dropped if uvm.note_queue notes of the SM wait. */
void translate_note(struct translate *t, uint32_t sm, uint32_t page);
/* One SM cycle, after the memory's tick and before the SMs'.  Must tick in every cycle with work (translate_wake). */
bool translate_tick(struct translate *t, struct error *err);
uint64_t translate_wake(const struct translate *t); /* as memory_wake() */
/* No request, fault, migration or eviction in flight. */
bool translate_empty(const struct translate *t);
/* At the end of the run: checks the laws of the driver and of translation. */
void translate_sync(struct translate *t); /* counts up to env->sm_cycle */
bool translate_finish(struct translate *t, struct error *err);
/* Writes the number of requests in flight at each stage, for an error message. */
void translate_describe(const struct translate *t, char *text, size_t size);
#endif
