/* SPDX-License-Identifier: Apache-2.0 */
/* Address translation that all SMs share: what an SM's own TLB does not hold (sm_translate.h) is asked for here.
 *
 * A cycle: the driver's tick (uvm.h); then one request is taken, of the SMs in turn, and looked up in the shared TLB
 * tlb.l2.latency cycles later; then walks of the page table that are through end, and waiting ones start while one of
 * uvm.walkers is free: a walk takes uvm.walk_latency cycles and is for all SMs that ask for its page until it ends;
 * then the oldest request that was found or walked goes to the driver.  It answers at once (the page is in device
 * memory), or later (it is on its way), or in the next cycle (then the ones behind wait, too).
 *
 * In a cycle without such a request, or behind one that was told to wait, an SM's note may go there instead: "my page
 * has been accessed so often", which is not answered (uvm_note).
 *
 * A TLB holds only pages in device memory: an answer fills the shared TLB and the SM's, and a page leaves them all in
 * the cycle in which the driver unmaps it. */
#ifndef MEMTWIN_TRANSLATE_H
#define MEMTWIN_TRANSLATE_H
#include <stddef.h>

#include "system/unit/gpu.h"
#include "trace/source.h"

struct translate;

/* The parts that hold translations and lines. */
struct translate_client {
    void (*answer)(void *context, uint32_t sm, uint32_t page); /* to its translate_ask(), exactly once */
    uint32_t (*unmap)(void *context, uint32_t page);           /* returns how many SMs' TLBs held it */
    bool (*drop)(void *context, uint64_t line);                /* true: the L2 held it, dirty */
    void *context;
};

/* With the driver: sets env->uvm. */
struct translate *translate_create(struct env *env, const struct source *source, const struct translate_client *client,
                                   struct error *err);
void translate_destroy(struct translate *t);
/* SM `sm` wants this page's translation; it asks once until it is answered. */
void translate_ask(struct translate *t, uint32_t sm, uint32_t page);
/* It has used the page for another uvm_lease_unit() accesses.  Lost if uvm.note_queue of its notes wait already. */
void translate_note(struct translate *t, uint32_t sm, uint32_t page);
/* One SM cycle, after the memory's tick and before the SMs'.  Ticked in every cycle in which anything is. */
bool translate_tick(struct translate *t, struct error *err);
uint64_t translate_wake(const struct translate *t); /* as memory_wake() */
/* No request, fault, migration or eviction on its way. */
bool translate_empty(const struct translate *t);
/* At the end: the driver's counters and laws, and this side's. */
bool translate_finish(struct translate *t, struct error *err);
/* What is on its way, for a message. */
void translate_describe(const struct translate *t, char *text, size_t size);
#endif
