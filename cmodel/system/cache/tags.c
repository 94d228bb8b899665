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
    uint8_t state; /* enum tag_state */
    bool dirty;
    bool leaves; /* once it is filled */
};

struct tags {
    uint32_t sets, ways;
    uint64_t uses;
    const struct replacement *replacement;
    /* [sets * ways], apart from each other, so that a probe or a choice reads few of the host's cache lines. */
    uint64_t *line;
    uint64_t *word; /* of the replacement policy; 0: invalid */
    struct way *way;
    uint16_t *reserved;      /* [sets]: ways reserved */
    struct line_index index; /* the last address and its set come first in it: on the host's same cache line */
};

void tags_destroy(struct tags *t)
{
    if (!t) return;
    index_close(&t->index);
    free(t->line);
    free(t->word);
    free(t->way);
    free(t->reserved);
    free(t);
}

static bool open_index(struct tags *t, const struct env *env, const struct tags_setup *s, struct error *err)
{
    char name[32];
    snprintf(name, sizeof name, "%s.index", s->unit);
    return index_open_sets(&t->index, env, s->index, t->sets, name, err);
}

static bool have_memory(const struct tags *t, const char *unit, struct error *err)
{
    return (t->line && t->word && t->way && t->reserved) || error_set(err, "%s: out of memory", unit);
}

struct tags *tags_create(const struct env *env, const struct tags_setup *setup, struct error *err)
{
    const uint32_t sets = setup->sets, ways = setup->ways;
    struct tags *t = calloc(1, sizeof *t);
    if (!t) return error_set(err, "%s: out of memory", setup->unit), NULL;
    *t = (struct tags){.sets = sets, .ways = ways};
    t->replacement = (const struct replacement *)policy_at("replacement", setup->replacement);
    t->line = malloc((size_t)sets * ways * sizeof *t->line);
    t->word = calloc((size_t)sets * ways, sizeof *t->word);
    t->way = calloc((size_t)sets * ways, sizeof *t->way);
    t->reserved = calloc(sets, sizeof *t->reserved);
    if (!have_memory(t, setup->unit, err) || !open_index(t, env, setup, err)) {
        tags_destroy(t);
        return NULL;
    }
    for (size_t i = 0; i < (size_t)sets * ways; i++) t->line[i] = NO_LINE;
    return t;
}

static size_t set_of(struct tags *t, uint64_t line)
{
    return index_of(&t->index, line);
}

uint32_t tags_set(struct tags *t, uint64_t line)
{
    return (uint32_t)set_of(t, line);
}

/* Its place in the arrays, or SIZE_MAX. */
static size_t find(struct tags *t, uint64_t line)
{
    size_t first = set_of(t, line) * t->ways;
    for (size_t i = first; i < first + t->ways; i++)
        if (t->line[i] == line) return i;
    return SIZE_MAX;
}

enum tag_state tags_probe(struct tags *t, uint64_t line)
{
    size_t i = find(t, line);
    return i == SIZE_MAX ? TAG_INVALID : (enum tag_state)t->way[i].state;
}

void tags_touch(struct tags *t, uint64_t line)
{
    size_t i = find(t, line);
    if (i != SIZE_MAX) t->word[i] = t->replacement->use(t->word[i], WAY_USED, ++t->uses);
}

void tags_dirty(struct tags *t, uint64_t line)
{
    size_t i = find(t, line);
    if (i != SIZE_MAX) t->way[i].dirty = true;
}

static void clear(struct tags *t, size_t i)
{
    t->line[i] = NO_LINE;
    t->word[i] = 0;
    t->way[i] = (struct way){0};
}

bool tags_invalidate(struct tags *t, uint64_t line)
{
    size_t i = find(t, line);
    if (i == SIZE_MAX) return false;
    bool dirty = t->way[i].dirty;
    t->reserved[set_of(t, line)] -= t->way[i].state == TAG_RESERVED;
    clear(t, i);
    return dirty;
}

void tags_flush_where(struct tags *t, uint64_t mask, uint64_t bits)
{
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++)
        if (t->way[i].state == TAG_VALID && (t->line[i] & mask) == bits) clear(t, i);
}

void tags_flush(struct tags *t)
{
    tags_flush_where(t, 0, 0);
}

bool tags_can_reserve(struct tags *t, uint64_t line)
{
    return t->reserved[set_of(t, line)] < t->ways;
}

/* The way with the smallest word of those that are not reserved. */
static size_t smallest(const struct tags *t, size_t set)
{
    size_t first = set * t->ways, best = SIZE_MAX;
    uint64_t word = UINT64_MAX;
    for (size_t i = first; i < first + t->ways; i++) {
        if (t->word[i] >= word || t->way[i].state == TAG_RESERVED) continue;
        word = t->word[i];
        best = i;
    }
    assert(best != SIZE_MAX);
    return best;
}

struct victim tags_take(struct tags *t, uint64_t line, enum tag_state as)
{
    const struct replacement *policy = t->replacement;
    size_t set = set_of(t, line), i = smallest(t, set), first = set * t->ways;
    struct victim v = {.valid = t->way[i].state == TAG_VALID, .dirty = t->way[i].dirty, .line = t->line[i]};
    if (v.valid && policy->replaced) policy->replaced(&t->word[first], t->ways, (uint32_t)(i - first));
    t->line[i] = line;
    t->way[i] = (struct way){.state = (uint8_t)as};
    t->word[i] = policy->use(t->word[i], WAY_TAKEN, ++t->uses);
    t->reserved[set] += as == TAG_RESERVED;
    return v;
}

void tags_fill(struct tags *t, uint64_t line)
{
    size_t i = find(t, line);
    assert(i != SIZE_MAX && t->way[i].state == TAG_RESERVED);
    t->reserved[set_of(t, line)]--;
    t->way[i].state = TAG_VALID;
    if (t->way[i].leaves) clear(t, i);
}

void tags_leave(struct tags *t, uint64_t line)
{
    const size_t i = find(t, line);
    assert(i != SIZE_MAX && t->way[i].state == TAG_RESERVED);
    t->way[i].leaves = true;
}

uint32_t tags_count_dirty(const struct tags *t)
{
    uint32_t n = 0;
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++) n += t->way[i].dirty;
    return n;
}
