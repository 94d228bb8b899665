/* SPDX-License-Identifier: Apache-2.0 */
/* Tag array of a set-associative cache: replacement, index function, reservation, dirty bits.  Used by L1D and L2. */
#ifndef MEMTWIN_TAGS_H
#define MEMTWIN_TAGS_H
#include <stdbool.h>
#include <stdint.h>

#include "system/unit/gpu.h"

struct tags;

enum tag_state { TAG_INVALID, TAG_RESERVED, TAG_VALID };

struct tags_setup {
    uint32_t sets, ways;         /* sets: a power of two up to 65536 */
    uint32_t index, replacement; /* policies "set index" and "replacement", by number */
    const char *unit;            /* the index function is block "<unit>.index" */
};

/* NULL and an error if there is no
 * memory or no such face of it. */
struct tags *tags_create(const struct env *env, const struct tags_setup *setup, struct error *err);
void tags_destroy(struct tags *t);
uint32_t tags_set(struct tags *t, uint64_t line);         /* the set that the index function gives it */
enum tag_state tags_probe(struct tags *t, uint64_t line); /* changes nothing that can be seen */
/* These three do nothing for a line that is not there. */
void tags_touch(struct tags *t, uint64_t line); /* an access finds it, valid or on its way */
void tags_dirty(struct tags *t, uint64_t line);
bool tags_invalidate(struct tags *t, uint64_t line);                 /* true: it was dirty */
void tags_flush(struct tags *t);                                     /* every valid line; reserved ones stay */
void tags_flush_where(struct tags *t, uint64_t mask, uint64_t bits); /* those with these bits under the mask */
/* Is there a way in the line's set that is not reserved? */
bool tags_can_reserve(struct tags *t, uint64_t line);

struct victim {
    bool valid, dirty; /* a valid line was replaced; it was dirty */
    uint64_t line;
};
/* Takes an invalid way, else the one that the replacement policy chooses, for `line`, which is not there yet: reserved,
 * or valid at once.  tags_can_reserve() must hold. */
struct victim tags_take(struct tags *t, uint64_t line, enum tag_state as);
void tags_fill(struct tags *t, uint64_t line);  /* reserved becomes valid; its word stays, as in GPGPU-Sim */
void tags_leave(struct tags *t, uint64_t line); /* a reserved line: invalid, not valid, when it is filled */
uint32_t tags_count_dirty(const struct tags *t);
#endif
