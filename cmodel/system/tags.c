#include "system/tags.h"

#include <assert.h>
#include <stdlib.h>

#include "system/index.h"

/* A line number never reaches 2^57, so an invalid way matches nothing. */
#define NO_LINE UINT64_MAX

struct way {
    uint64_t used; /* when last, in uses of the whole array */
    uint8_t state; /* enum tag_state */
    bool dirty;
};

struct tags {
    uint32_t sets, ways, set_bits;
    enum index_function index;
    uint64_t uses;
    uint64_t *line; /* [sets * ways]: apart from the rest, so that a probe reads few cache lines */
    struct way *way;
};

void tags_destroy(struct tags *t)
{
    if (!t) return;
    free(t->line);
    free(t->way);
    free(t);
}

struct tags *tags_create(uint32_t sets, uint32_t ways, enum index_function index)
{
    struct tags *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    *t = (struct tags){.sets = sets, .ways = ways, .index = index, .set_bits = 31 - (uint32_t)__builtin_clz(sets)};
    t->line = malloc((size_t)sets * ways * sizeof *t->line);
    t->way = calloc((size_t)sets * ways, sizeof *t->way);
    if (!t->line || !t->way) {
        tags_destroy(t);
        return NULL;
    }
    for (size_t i = 0; i < (size_t)sets * ways; i++) t->line[i] = NO_LINE;
    return t;
}

static size_t first_way(const struct tags *t, uint64_t line)
{
    return (size_t)index_set(t->index, t->set_bits, line) * t->ways;
}

/* Its place in the arrays, or SIZE_MAX. */
static size_t find(const struct tags *t, uint64_t line)
{
    size_t first = first_way(t, line);
    for (size_t i = first; i < first + t->ways; i++)
        if (t->line[i] == line) return i;
    return SIZE_MAX;
}

enum tag_state tags_probe(const struct tags *t, uint64_t line)
{
    size_t i = find(t, line);
    return i == SIZE_MAX ? TAG_INVALID : (enum tag_state)t->way[i].state;
}

void tags_touch(struct tags *t, uint64_t line)
{
    size_t i = find(t, line);
    if (i != SIZE_MAX) t->way[i].used = ++t->uses;
}

void tags_dirty(struct tags *t, uint64_t line)
{
    size_t i = find(t, line);
    if (i != SIZE_MAX) t->way[i].dirty = true;
}

static void clear(struct tags *t, size_t i)
{
    t->line[i] = NO_LINE;
    t->way[i] = (struct way){0};
}

void tags_invalidate(struct tags *t, uint64_t line)
{
    size_t i = find(t, line);
    if (i != SIZE_MAX) clear(t, i);
}

void tags_flush(struct tags *t)
{
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++)
        if (t->way[i].state == TAG_VALID) clear(t, i);
}

bool tags_can_reserve(const struct tags *t, uint64_t line)
{
    size_t first = first_way(t, line);
    for (size_t i = first; i < first + t->ways; i++)
        if (t->way[i].state != TAG_RESERVED) return true;
    return false;
}

/* An invalid way was never used, or was cleared: its `used` is 0, less than any valid way's. */
static size_t choose(const struct tags *t, uint64_t line)
{
    size_t first = first_way(t, line), best = SIZE_MAX;
    for (size_t i = first; i < first + t->ways; i++) {
        if (t->way[i].state == TAG_RESERVED) continue;
        if (best == SIZE_MAX || t->way[i].used < t->way[best].used) best = i;
    }
    return best;
}

struct victim tags_take(struct tags *t, uint64_t line, enum tag_state as)
{
    size_t i = choose(t, line);
    assert(i != SIZE_MAX);
    struct victim v = {.valid = t->way[i].state == TAG_VALID, .dirty = t->way[i].dirty, .line = t->line[i]};
    t->line[i] = line;
    t->way[i] = (struct way){.used = ++t->uses, .state = (uint8_t)as};
    return v;
}

void tags_fill(struct tags *t, uint64_t line)
{
    size_t i = find(t, line);
    assert(i != SIZE_MAX && t->way[i].state == TAG_RESERVED);
    t->way[i].state = TAG_VALID;
    t->way[i].used = ++t->uses;
}

uint32_t tags_count_dirty(const struct tags *t)
{
    uint32_t n = 0;
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++) n += t->way[i].dirty;
    return n;
}
