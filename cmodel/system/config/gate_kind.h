/* SPDX-License-Identifier: Apache-2.0 */
/* Gates of a cache, an L1D or an L2 slice.  While a gate closes its cache, all accesses bypass the cache except
 * atomics, and the tags are updated as if it were open (cache/gate.h).  A kind of bypass (bypass_kind.h) may have a
 * gate.
 *
 * A cycle of the owner, in its clock: begin(); accesses, at most one more than there were cycles; end().  Cycles in
 * between are skipped. */
#ifndef MEMTWIN_GATE_KIND_H
#define MEMTWIN_GATE_KIND_H
#include "system/config/config.h"
#include "system/config/miss_kind.h"

struct env;

struct gate_kind {
    bool (*drops)(const struct config *c, enum miss_cache cache); /* clean lines are dropped when the cache opens */
    /* The gate of unit "l1d.3"; NULL and an error if it fails. */
    void *(*create)(struct env *env, enum miss_cache cache, const char *unit, struct error *err);
    void (*destroy)(void *state);
    bool (*begin)(void *state, uint64_t now); /* true: the cache is closed in cycle `now` */
    /* An access is accepted.  `hit`: the tags have its line, with data or without; `merge`: it is being fetched. */
    void (*access)(void *state, bool hit, bool merge);
    void (*entered)(void *state);                              /* a line has entered the tags without data */
    void (*no_data)(void *state);                              /* an access of the open cache has found such a line */
    bool (*end)(void *state, uint64_t now, struct error *err); /* false: the block broke a rule */
    void (*idle)(void *state, uint64_t cycles);                /* that many more cycles like the last one, closed */
    uint64_t (*wake)(const void *state); /* the next cycle in which it may open or close; NEVER: none without access */
};
#endif
