/* SPDX-License-Identifier: Apache-2.0 */
/* Bypassing of one L1D: decides which reads bypass, and tracks them in flight (Dai17, sections 2.6 and 3.8).
 *
 * The kind decides (bypass_kind.h); the block "l1d.N.bypass", a bypass_slots, tracks.
 *
 * Per L1D cycle: at most one call of each function, then the clock edge, bypass_end().  A late dl_mshr answer may add a
 * second bypass_access(): at most one more call than cycles in total. */
#ifndef MEMTWIN_BYPASS_H
#define MEMTWIN_BYPASS_H
#include <stdbool.h>
#include <stdint.h>

#include "bypass_slots.h"
#include "system/block/block_socket.h"
#include "system/unit/gpu.h"

struct bypass {
    uint32_t used;
    bool asked;    /* bypass_take() or bypass_return() in this cycle */
    void *learner; /* NULL: the kind has no learner */
    const struct bypass_kind *kind;
    const struct config *c;
    struct block_socket slots;
    struct bypass_slots_cfg slots_cfg;
    struct bypass_slots_in slots_in;
    struct error fault;
};

struct bypass *bypass_create(struct env *env, uint32_t sm, struct error *err);
void bypass_destroy(struct bypass *b);

/* Whether reads of this owner bypass.  `decider`: the bypass of the deciding L1D (this one or SM 0's). */
bool bypass_decide(const struct bypass *b, const struct bypass *decider, uint32_t owner);
/* Data of a bypassed read returns with its slot; sets `info` of the read.  False: the slot is free. */
bool bypass_return(struct bypass *b, uint32_t slot, uint32_t *info);
/* A read bypasses and takes a slot.  False: no slot is free. */
bool bypass_take(struct bypass *b, uint32_t info, uint32_t *slot);
/* Whether the kind has a learner; only then call bypass_access() and bypass_failure(). */
static inline bool bypass_learns(const struct bypass *b)
{
    return b->learner;
}

/* A read was accepted, by the tags or as a bypass. */
void bypass_access(struct bypass *b, uint64_t line, uint32_t set, uint32_t owner, uint32_t owners);
/* An access to the tags was refused in this cycle. */
void bypass_failure(struct bypass *b);
void bypass_idle(struct bypass *b, uint64_t failures); /* that many cycles with a failure and no other event */
void bypass_flush(struct bypass *b);                   /* the L1D was invalidated */

/* The clock edge; without a learner, it matters only after a call in this cycle. */
bool bypass_edge(struct bypass *b, struct error *err);
bool bypass_learner_settling(const struct bypass *b);

static inline bool bypass_end(struct bypass *b, struct error *err)
{
    return !(b->asked || b->learner) || bypass_edge(b, err);
}

/* The next clock edges change state without an input. */
static inline bool bypass_settling(const struct bypass *b)
{
    return b->learner && bypass_learner_settling(b);
}

/* Idle: nothing moves, nothing is in flight. */
static inline bool bypass_rests(const struct bypass *b)
{
    return !b->asked && !b->learner && !b->used;
}

/* A read has taken a slot in this cycle: no other can. */
static inline bool bypass_taken(const struct bypass *b)
{
    return b->slots_in.req_valid_i;
}

/* Slots in use after the last clock edge. */
static inline uint32_t bypass_used(const struct bypass *b)
{
    return b->used;
}
#endif
