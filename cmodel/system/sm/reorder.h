/* SPDX-License-Identifier: Apache-2.0 */
/* Between an SM's LSU and its L1D: a block that reorders accesses by warp, driven by its ports, which are those of
 * mrpb.  Each block is a file of inputs/ (config/policy.h), whose name is a value of l1d.input.  Warp w uses queue
 * w mod the number of queues.
 *
 * All global accesses pass through it: reads, writes and atomics, bypassed or not; accesses of a warp stay in order.
 * Shared-memory instructions do not pass through it.
 *
 * A cycle: reorder_begin(), which presents the LSU's request and makes an offer; reorder_take() for each access of it
 * that is taken, reorder_refuse() for one that is refused; reorder_end(), the clock edge.  A request can be offered one
 * cycle after its arrival; after a refusal a new offer is selected.  A request leaves the block with its last access. A
 * block that holds nothing and is presented nothing is not ticked. */
#ifndef MEMTWIN_REORDER_H
#define MEMTWIN_REORDER_H
#include "system/cache/l1d_front.h"
#include "system/config/policy.h"

/* A request of the block is an access, or with l1d.banks those that the L1D looks up together: their number, and the
 * low bits of the first one's line. */
enum { REORDER_INFO_BITS = 64, REORDER_CFG_WORDS = 8 };

struct reorder_size {
    uint32_t queues, held; /* requests that the block holds */
};

struct reorder_kind {
    struct policy policy;
    const char *block; /* NULL: none, as issued */
    /* Fills the block's struct of parameters. */
    struct reorder_size (*configure)(void *cfg, const struct config *c);
};

#define REORDER_KIND_REGISTER(...) POLICY_REGISTER("L1D input", __VA_ARGS__)

struct reorder;

/* NULL without an error: a kind without a block. */
struct reorder *reorder_create(struct env *env, uint32_t sm, struct error *err);
void reorder_destroy(struct reorder *r);
/* `head`: the `count` accesses of the LSU's request, or NULL.  True: the buffers take it. */
bool reorder_begin(struct reorder *r, const struct staged *head, uint32_t count);
const struct staged *reorder_offer(const struct reorder *r); /* the next access of the offer; NULL: none */
bool reorder_take(struct reorder *r);                        /* true: the request has another one, which is offered */
void reorder_refuse(struct reorder *r);
bool reorder_end(struct reorder *r, struct error *err); /* false: the block broke a rule */
bool reorder_changed(const struct reorder *r);          /* whether the cycle changed anything except counters */
void reorder_idle(struct reorder *r, uint64_t cycles);  /* counts cycles like the last one */
uint32_t reorder_held(const struct reorder *r);
const struct staged *reorder_at(const struct reorder *r, uint32_t i); /* the i-th access; NULL: there are fewer */
#endif
