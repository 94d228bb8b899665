/* SPDX-License-Identifier: Apache-2.0 */
/* Tag array of a set-associative cache: replacement, index function, reservation, dirty bits.  Used by L1D and L2.
 *
 * A way holds a line: its tag, and for each block of it (sectors.h) whether it is valid, reserved, dirty, or WRITTEN:
 * valid in the words that were written, the others not fetched.  Replacement is by line. */
#ifndef MEMTWIN_TAGS_H
#define MEMTWIN_TAGS_H
#include <stdbool.h>
#include <stdint.h>

#include "system/cache/sectors.h"
#include "system/unit/gpu.h"

struct tags;

enum { TAGS_NO_MARK = UINT8_MAX };

/* State of a block.  ONLY: tag without data (entered by a bypassed access, gate.h).  NO_SECTOR: its line has a way
 * with other sectors.  INVALID: its line has no way. */
enum tag_state { TAG_NO_SECTOR, TAG_RESERVED, TAG_VALID, TAG_WRITTEN, TAG_ONLY, TAG_INVALID };

struct tags_setup {
    uint32_t sets, ways;         /* sets: a power of two up to 65536 */
    uint32_t index, replacement; /* policies "set index" and "replacement", by number */
    const char *unit;            /* the index function is block "<unit>.index" */
    uint32_t sector_bytes;       /* 0: a block is a line */
    bool written;                /* blocks may be WRITTEN */
    bool only;                   /* blocks may be ONLY: which words have data is checked (tags_has_data()) */
    bool unbounded;              /* fully associative and unbounded: sets and ways are no limit */
};

/* NULL and an error if memory is out or the face is not linked. */
struct tags *tags_create(const struct env *env, const struct tags_setup *setup, struct error *err);
void tags_destroy(struct tags *t);
uint32_t tags_set(struct tags *t, uint64_t block);         /* the set that the index function gives its line */
enum tag_state tags_probe(struct tags *t, uint64_t block); /* no visible change */
/* These four ignore a block that is not present. */
void tags_touch(struct tags *t, uint64_t block); /* an access hits its line, valid or being fetched */
void tags_dirty(struct tags *t, uint64_t block);
/* Dirty by a write of these words of the line, which may complete a WRITTEN block. */
void tags_write(struct tags *t, uint64_t block, uint32_t words);
void tags_write_clean(struct tags *t, uint64_t block, uint32_t words); /* the same, without making it dirty */
/* Whether the block is valid, or WRITTEN in all of these words of the line. */
bool tags_has_words(struct tags *t, uint64_t block, uint32_t words);
bool tags_invalidate(struct tags *t, uint64_t block); /* true: it was dirty */
void tags_flush(struct tags *t);                      /* every block that is not reserved */
void tags_drop_clean(struct tags *t);                 /* every block, neither reserved nor dirty */
bool tags_is_dirty(struct tags *t, uint64_t block);
void tags_flush_where(struct tags *t, uint64_t mask, uint64_t bits); /* of lines with these bits under the mask */
/* Whether the set of the block has a way without a reserved block that the policy grants. */
bool tags_can_reserve(struct tags *t, uint64_t block);
uint32_t tags_reservable(struct tags *t, uint64_t block); /* ways of its set without a reserved block */
/* The same as tags_can_reserve() for a tag without data.  With a policy that learns it is the only line that gets a way
 * in its cycle: a line with data goes first. */
bool tags_can_enter(struct tags *t, uint64_t block);

bool tags_learn(const struct tags *t); /* whether its policy learns (replacement_kind.h) */
/* Only with such a policy: */
/* Whether a miss of the block should bypass the cache: the policy protects every way of its set. */
bool tags_protect(struct tags *t, uint64_t block);
/* A read of the block is accepted, or a write that allocates.  `hit`: its line had a way before. */
void tags_accept(struct tags *t, uint64_t block, bool hit);
void tags_went_around(struct tags *t, uint64_t block); /* a read that tags_protect() sent around the cache */
bool tags_end(struct tags *t, struct error *err);      /* the clock edge */
bool tags_settling(const struct tags *t);              /* the next clock edges change state without an input */
void tags_whose(struct tags *t, uint32_t workload);    /* workload that owns the blocks of the next calls */
bool tags_flush_workload(struct tags *t,
                         uint32_t workload); /* its lines were invalidated; true: work for the next clock edge */
uint64_t tags_wake(const struct tags *t);    /* the next SM cycle that has a clock edge without an input; NEVER: none */

/* So many ways, up to those of the setup, and no line.  No block may be reserved. */
void tags_resize(struct tags *t, uint32_t ways);

struct victim {
    bool valid;    /* a line with data was replaced */
    uint8_t dirty; /* its dirty blocks */
    uint8_t mark;  /* tags_mark() */
    uint64_t line;
};
/* Takes a way for a block whose line has none, an invalid way, else the one that the replacement policy chooses:
 * reserved, valid or WRITTEN at once.  tags_can_reserve() must hold. */
struct victim tags_take(struct tags *t, uint64_t block, enum tag_state as);
/* Takes a block that is not reserved in the way that its line has.  As ONLY: it must be clean. */
void tags_take_sector(struct tags *t, uint64_t block, enum tag_state as);
/* A number for the line of this block, which comes back with the victim; TAGS_NO_MARK until then. */
void tags_mark(struct tags *t, uint64_t block, uint8_t mark);
/* Lines with this mark have TAGS_NO_MARK. */
void tags_forget(struct tags *t, uint8_t mark);
void tags_fill(struct tags *t, uint64_t block);  /* reserved becomes valid; its word stays, as in GPGPU-Sim */
void tags_leave(struct tags *t, uint64_t block); /* a reserved block: invalid, not valid, when it is filled */
uint32_t tags_count_dirty(const struct tags *t); /* blocks */

/* Check of tags without data, independent of the states above: the words of its line that a way holds.  Data arrive
 * with a fill or a write, and are lost with the block or when a bypassing write makes them stale.  Without setup.only
 * all words are present. */
void tags_data_comes(struct tags *t, uint64_t block, uint32_t words);
void tags_data_leaves(struct tags *t, uint64_t block);
bool tags_has_data(struct tags *t, uint64_t block);
#endif
