/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/tags.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "system/cache/index.h"
#include "system/cache/replacement.h"

/* A line number never reaches 2^57, so an invalid way matches nothing. */
#define NO_LINE UINT64_MAX

struct way {
    _Alignas(
        8) uint8_t state[SECTORS]; /* enum tag_state: of each block; aligned: ways are searched one after the other */
    uint8_t here, reserved;        /* blocks that are there, and of these, reserved ones */
    uint8_t dirty;                 /* a bit for each block */
    uint8_t leaving;               /* reserved blocks that leave when they are filled: likewise */
};

struct tags {
    struct sectors sectors;
    uint32_t sets, ways;
    uint64_t uses;
    const struct replacement *replacement;
    /* [sets * ways], apart from each other, so that a probe or a choice reads few of the host's cache lines. */
    uint64_t *line;
    uint64_t *word; /* of the replacement policy; 0: invalid */
    struct way *way;
    uint8_t *mark;           /* tags_mark() */
    uint16_t *reserved;      /* [sets]: ways with a reserved block */
    uint32_t *words;         /* [sets * ways]: written, of WRITTEN blocks; NULL: there are none */
    struct line_index index; /* the last address and its set come first in it: on the host's same cache line */
};

void tags_destroy(struct tags *t)
{
    if (!t) return;
    index_close(&t->index);
    free(t->line);
    free(t->word);
    free(t->way);
    free(t->mark);
    free(t->reserved);
    free(t->words);
    free(t);
}

static bool open_index(struct tags *t, const struct env *env, const struct tags_setup *s, struct error *err)
{
    char name[32];
    snprintf(name, sizeof name, "%s.index", s->unit);
    return index_open_sets(&t->index, env, s->index, t->sets, name, err);
}

static bool have_memory(const struct tags *t, const struct tags_setup *s, struct error *err)
{
    return (t->line && t->word && t->way && t->mark && t->reserved && (t->words || !s->written)) ||
           error_set(err, "%s: out of memory", s->unit);
}

struct tags *tags_create(const struct env *env, const struct tags_setup *setup, struct error *err)
{
    const uint32_t sets = setup->sets, ways = setup->ways;
    struct tags *t = calloc(1, sizeof *t);
    if (!t) return error_set(err, "%s: out of memory", setup->unit), NULL;
    *t = (struct tags){.sets = sets, .ways = ways, .sectors = sectors_of(setup->sector_bytes)};
    t->replacement = (const struct replacement *)policy_at("replacement", setup->replacement);
    t->line = malloc((size_t)sets * ways * sizeof *t->line);
    t->word = calloc((size_t)sets * ways, sizeof *t->word);
    t->way = calloc((size_t)sets * ways, sizeof *t->way);
    t->mark = calloc((size_t)sets * ways, sizeof *t->mark);
    t->reserved = calloc(sets, sizeof *t->reserved);
    if (setup->written) t->words = calloc((size_t)sets * ways, sizeof *t->words);
    if (!have_memory(t, setup, err) || !open_index(t, env, setup, err)) {
        tags_destroy(t);
        return NULL;
    }
    for (size_t i = 0; i < (size_t)sets * ways; i++) t->line[i] = NO_LINE;
    return t;
}

static size_t set_of(struct tags *t, uint64_t block)
{
    return index_of(&t->index, block_line(&t->sectors, block));
}

uint32_t tags_set(struct tags *t, uint64_t block)
{
    return (uint32_t)set_of(t, block);
}

static uint8_t *state_of(const struct tags *t, size_t i, uint64_t block)
{
    return &t->way[i].state[block_sector(&t->sectors, block)];
}

static uint8_t bit_of(const struct tags *t, uint64_t block)
{
    return (uint8_t)(1u << block_sector(&t->sectors, block));
}

/* The place of its line in the arrays, or SIZE_MAX. */
static size_t find(struct tags *t, uint64_t block)
{
    const uint64_t line = block_line(&t->sectors, block);
    size_t first = set_of(t, block) * t->ways;
    for (size_t i = first; i < first + t->ways; i++)
        if (t->line[i] == line) return i;
    return SIZE_MAX;
}

enum tag_state tags_probe(struct tags *t, uint64_t block)
{
    const size_t i = find(t, block);
    return i == SIZE_MAX ? TAG_INVALID : (enum tag_state) * state_of(t, i, block);
}

void tags_touch(struct tags *t, uint64_t block)
{
    size_t i = find(t, block);
    if (i != SIZE_MAX) t->word[i] = t->replacement->use(t->word[i], WAY_USED, ++t->uses);
}

void tags_dirty(struct tags *t, uint64_t block)
{
    size_t i = find(t, block);
    if (i != SIZE_MAX) t->way[i].dirty |= bit_of(t, block);
}

void tags_write(struct tags *t, uint64_t block, uint32_t words)
{
    tags_dirty(t, block);
    const size_t i = t->words ? find(t, block) : SIZE_MAX;
    if (i == SIZE_MAX) return;
    uint8_t *state = state_of(t, i, block);
    t->words[i] |= words;
    if (*state == TAG_WRITTEN && words_cover(&t->sectors, block, t->words[i])) *state = TAG_VALID;
}

/* The reservation of one of its blocks ends. */
static void release(struct tags *t, uint64_t block, size_t i)
{
    t->reserved[set_of(t, block)] -= --t->way[i].reserved == 0;
}

static void clear(struct tags *t, size_t i)
{
    t->line[i] = NO_LINE;
    t->word[i] = 0;
    t->way[i] = (struct way){0};
}

/* The block leaves, and the line with its last block. */
static void remove_block(struct tags *t, size_t i, uint64_t block)
{
    struct way *w = &t->way[i];
    uint8_t *state = state_of(t, i, block);
    if (*state == TAG_RESERVED) release(t, block, i);
    w->here -= *state != TAG_NO_SECTOR;
    w->dirty &= (uint8_t)~bit_of(t, block);
    w->leaving &= (uint8_t)~bit_of(t, block);
    *state = TAG_NO_SECTOR;
    if (!w->here) clear(t, i);
}

bool tags_invalidate(struct tags *t, uint64_t block)
{
    const size_t i = find(t, block);
    if (i == SIZE_MAX) return false;
    const bool dirty = t->way[i].dirty & bit_of(t, block);
    remove_block(t, i, block);
    return dirty;
}

static void flush_way(struct tags *t, size_t i)
{
    const uint64_t line = t->line[i];
    for (uint32_t k = 0; k <= t->sectors.last; k++) {
        const enum tag_state state = (enum tag_state)t->way[i].state[k];
        if (state == TAG_VALID || state == TAG_WRITTEN) remove_block(t, i, block_of(&t->sectors, line, k));
    }
}

void tags_flush_where(struct tags *t, uint64_t mask, uint64_t bits)
{
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++)
        if (t->way[i].here && (t->line[i] & mask) == bits) flush_way(t, i);
}

void tags_flush(struct tags *t)
{
    tags_flush_where(t, 0, 0);
}

bool tags_can_reserve(struct tags *t, uint64_t block)
{
    return t->reserved[set_of(t, block)] < t->ways;
}

/* The way with the smallest word of those without a reserved block. */
static size_t smallest(const struct tags *t, size_t set)
{
    size_t first = set * t->ways, best = SIZE_MAX;
    uint64_t word = UINT64_MAX;
    for (size_t i = first; i < first + t->ways; i++) {
        if (t->word[i] >= word || t->way[i].reserved) continue;
        word = t->word[i];
        best = i;
    }
    assert(best != SIZE_MAX);
    return best;
}

/* A block that is not reserved gets its state in the way of its line. */
static void take_block(struct tags *t, uint64_t block, size_t i, enum tag_state as)
{
    struct way *w = &t->way[i];
    uint8_t *state = state_of(t, i, block);
    w->here += *state == TAG_NO_SECTOR;
    *state = (uint8_t)as;
    if (as == TAG_RESERVED) t->reserved[set_of(t, block)] += w->reserved++ == 0;
    if (as == TAG_WRITTEN) t->words[i] &= ~block_words(&t->sectors, block);
}

struct victim tags_take(struct tags *t, uint64_t block, enum tag_state as)
{
    const struct replacement *policy = t->replacement;
    size_t set = set_of(t, block), i = smallest(t, set), first = set * t->ways;
    struct victim v = {.valid = t->way[i].here, .dirty = t->way[i].dirty, .mark = t->mark[i], .line = t->line[i]};
    if (v.valid && policy->replaced) policy->replaced(&t->word[first], t->ways, (uint32_t)(i - first));
    t->line[i] = block_line(&t->sectors, block);
    t->way[i] = (struct way){0};
    t->mark[i] = 0;
    t->word[i] = policy->use(t->word[i], WAY_TAKEN, ++t->uses);
    take_block(t, block, i, as);
    return v;
}

void tags_take_sector(struct tags *t, uint64_t block, enum tag_state as)
{
    const size_t i = find(t, block);
    assert(i != SIZE_MAX);
    t->word[i] = t->replacement->use(t->word[i], WAY_USED, ++t->uses);
    take_block(t, block, i, as);
}

void tags_mark(struct tags *t, uint64_t block, uint8_t mark)
{
    const size_t i = find(t, block);
    if (i != SIZE_MAX) t->mark[i] = mark;
}

void tags_forget(struct tags *t, uint8_t mark)
{
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++)
        if (t->mark[i] == mark) t->mark[i] = TAGS_NO_MARK;
}

void tags_fill(struct tags *t, uint64_t block)
{
    const size_t i = find(t, block);
    assert(i != SIZE_MAX && *state_of(t, i, block) == TAG_RESERVED);
    *state_of(t, i, block) = TAG_VALID;
    release(t, block, i);
    if (t->way[i].leaving & bit_of(t, block)) remove_block(t, i, block);
}

void tags_leave(struct tags *t, uint64_t block)
{
    const size_t i = find(t, block);
    assert(i != SIZE_MAX && *state_of(t, i, block) == TAG_RESERVED);
    t->way[i].leaving |= bit_of(t, block);
}

uint32_t tags_count_dirty(const struct tags *t)
{
    uint32_t n = 0;
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++) n += (uint32_t)__builtin_popcount(t->way[i].dirty);
    return n;
}
