/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/tags.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/host.h"
#include "system/cache/index.h"
#include "system/config/replacement_kind.h"
#include "system/unit/unit.h"

/* Tag and state of a way.  A set of four ways is a line of the host's cache. */
struct way {
    uint64_t tag;           /* the number of its line plus 1; 0: none */
    uint8_t state[SECTORS]; /* enum tag_state: of each block */
    uint16_t set;           /* set of the line in this way, so the index function is not evaluated again */
    uint16_t here : 3;      /* blocks present */
    uint16_t reserved : 3;  /* of these, reserved ones */
    uint16_t dirty : 4;     /* a bit for each block */
    uint16_t leaving : 4;   /* reserved blocks that are invalidated when filled; a bit for each block */
};
_Static_assert(SECTORS <= 4 && sizeof(struct way) == HOST_LINE / 4, "a set of four ways is a line of the host's cache");

enum { FOUND = 64 }; /* entries of tags.found */

/* A search first compares one byte per way, eight at once. */
enum { HINTS = 8, HINT_BITS = 8 };
#define EVERY_HINT 0x0101010101010101u

/* Initial size of an unbounded array: a hash table whose ways grow. */
enum { BUCKETS = 4096, FIRST_WAYS = 4 };

enum part { WAY, WORD, HINT, MARK, WORDS, DATA, PARTS };

struct tags {
    struct way *way; /* [sets * ways] */
    uint64_t *word;  /* [sets * ways]: of the replacement policy; 0: invalid */
    uint64_t *hints; /* [sets * ways / HINTS, rounded up]: hash of the last line of a way; 0: none yet */
    uint64_t uses;
    struct sectors sectors;
    uint32_t ways, sets;
    bool unbounded;
    bool taken; /* learning policy: a line got a way in this cycle */
    const struct replacement *replacement;
    void *learner;           /* state of the policy; NULL: no learner */
    uint8_t *mark;           /* tags_mark() */
    uint16_t *reserved;      /* [sets]: ways with a reserved block */
    uint32_t *words;         /* [sets * ways]: written, of WRITTEN blocks; NULL: there are none */
    uint32_t *data;          /* [sets * ways]: words with data; NULL: not checked */
    struct line_index index; /* its first fields, the last address and set, share the host's cache line */
    void *base[PARTS];       /* of the arrays, to be freed; NULL: not there */
    uint32_t found[FOUND];   /* places of lines that were found or taken, by the low bits of the line */
};

static size_t hint_words(const struct tags *t)
{
    return ceil_div(t->ways, HINTS);
}

/* Never 0. */
static uint64_t hint_of(uint64_t line)
{
    return line * 0x9e3779b97f4a7c15u >> 57 | 0x80;
}

static void set_hint(struct tags *t, size_t set, size_t way, uint64_t line)
{
    uint64_t *word = &t->hints[set * hint_words(t) + way / HINTS];
    const uint32_t shift = (uint32_t)(way % HINTS) * HINT_BITS;
    *word = (*word & ~((uint64_t)0xff << shift)) | hint_of(line) << shift;
}

/* Sets the top bit of each byte that equals this hint; rarely also of another byte. */
static uint64_t have_hint(uint64_t word, uint64_t hint)
{
    const uint64_t differ = word ^ hint * EVERY_HINT;
    return (differ - EVERY_HINT) & ~differ & 0x80 * EVERY_HINT;
}

/* An array of zeros, which takes no memory where it is not written. */
static void *zeros(struct tags *t, enum part part, size_t count, size_t size)
{
    t->base[part] = calloc(count + ceil_div(HOST_LINE, size), size);
    return t->base[part] ? host_align(t->base[part]) : NULL;
}

/* Arrays for `ways` ways, all invalid. */
static bool allocate(struct tags *t, uint32_t ways, bool written, bool only)
{
    const size_t places = (size_t)t->sets * ways;
    t->ways = ways;
    t->word = zeros(t, WORD, places, sizeof *t->word);
    t->way = zeros(t, WAY, places, sizeof *t->way);
    t->hints = zeros(t, HINT, t->sets * hint_words(t), sizeof *t->hints);
    t->mark = zeros(t, MARK, places, sizeof *t->mark);
    t->words = written ? zeros(t, WORDS, places, sizeof *t->words) : NULL;
    t->data = only ? zeros(t, DATA, places, sizeof *t->data) : NULL;
    return t->word && t->way && t->hints && t->mark && (t->words || !written) && (t->data || !only);
}

static void free_arrays(struct tags *t)
{
    for (int i = 0; i < PARTS; i++) free(t->base[i]);
}

void tags_destroy(struct tags *t)
{
    if (!t) return;
    /* mutant: left out: a leak: the sanitized run of `make test` finds it */
    index_close(&t->index);
    if (t->learner) t->replacement->destroy(t->learner);
    free_arrays(t);
    free(t->reserved);
    free(t);
}

static bool open_index(struct tags *t, const struct env *env, const struct tags_setup *s, struct error *err)
{
    char name[32];
    snprintf(name, sizeof name, "%s.index", s->unit);
    return index_open_sets(&t->index, env, s->index, s->sets, name, err);
}

static bool create_learner(struct tags *t, const struct env *env, const struct tags_setup *s, struct error *err)
{
    if (!t->replacement->create) return true;
    t->learner = t->replacement->create(env, s->unit, err);
    return t->learner;
}

struct tags *tags_create(const struct env *env, const struct tags_setup *setup, struct error *err)
{
    struct tags *t = host_calloc(1, sizeof *t);
    if (!t) return error_set(err, "%s: out of memory", setup->unit), NULL;
    *t = (struct tags){.sets = setup->unbounded ? BUCKETS : setup->sets,
                       .unbounded = setup->unbounded,
                       .sectors = sectors_of(setup->sector_bytes)};
    t->replacement = (const struct replacement *)policy_at("replacement", setup->replacement);
    t->reserved = calloc(t->sets, sizeof *t->reserved);
    if (!allocate(t, t->unbounded ? FIRST_WAYS : setup->ways, setup->written, setup->only) || !t->reserved)
        error_set(err, "%s: out of memory", setup->unit);
    else if (open_index(t, env, setup, err) && create_learner(t, env, setup, err))
        return t;
    tags_destroy(t);
    return NULL;
}

uint32_t tags_set(struct tags *t, uint64_t block)
{
    return index_of(&t->index, block_line(&t->sectors, block));
}

static size_t set_of(struct tags *t, uint64_t block)
{
    if (!t->unbounded) return tags_set(t, block);
    return block_line(&t->sectors, block) * 0x9e3779b97f4a7c15u >> 32 & (BUCKETS - 1);
}

static uint8_t *state_of(const struct tags *t, size_t i, uint64_t block)
{
    return &t->way[i].state[block_sector(&t->sectors, block)];
}

static uint8_t bit_of(const struct tags *t, uint64_t block)
{
    return (uint8_t)(1u << block_sector(&t->sectors, block));
}

/* Places beyond the ways of a set have no hint. */
static size_t search(struct tags *t, uint64_t block)
{
    const uint64_t line = block_line(&t->sectors, block), hint = hint_of(line);
    const size_t set = set_of(t, block), words = hint_words(t);
    for (size_t k = 0; k < words; k++) {
        for (uint64_t m = have_hint(t->hints[set * words + k], hint); m; m &= m - 1) {
            const size_t i = set * t->ways + k * HINTS + (uint32_t)__builtin_ctzll(m) / HINT_BITS;
            if (t->way[i].tag == line + 1) return t->found[line % FOUND] = (uint32_t)i;
        }
    }
    return SIZE_MAX;
}

/* The place of its line in the arrays, or SIZE_MAX.  Tries the cached place first: an access looks its line up several
 * times, and its fill and later accesses follow soon. */
static inline size_t find(struct tags *t, uint64_t block)
{
    const uint64_t line = block_line(&t->sectors, block);
    const size_t i = t->found[line % FOUND];
    return t->way[i].tag == line + 1 ? i : search(t, block);
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

bool tags_is_dirty(struct tags *t, uint64_t block)
{
    const size_t i = find(t, block);
    return i != SIZE_MAX && (t->way[i].dirty & bit_of(t, block));
}

void tags_data_comes(struct tags *t, uint64_t block, uint32_t words)
{
    const size_t i = t->data ? find(t, block) : SIZE_MAX;
    if (i != SIZE_MAX) t->data[i] |= words;
}

void tags_data_leaves(struct tags *t, uint64_t block)
{
    const size_t i = t->data ? find(t, block) : SIZE_MAX;
    if (i != SIZE_MAX) t->data[i] &= ~block_words(&t->sectors, block);
}

bool tags_has_data(struct tags *t, uint64_t block)
{
    const size_t i = t->data ? find(t, block) : SIZE_MAX;
    return !t->data || (i != SIZE_MAX && words_cover(&t->sectors, block, t->data[i]));
}

bool tags_has_words(struct tags *t, uint64_t block, uint32_t words)
{
    const size_t i = find(t, block);
    if (i == SIZE_MAX) return false;
    const uint8_t state = *state_of(t, i, block);
    return state == TAG_VALID || (state == TAG_WRITTEN && !(block_words(&t->sectors, block) & words & ~t->words[i]));
}

void tags_write(struct tags *t, uint64_t block, uint32_t words)
{
    tags_dirty(t, block);
    tags_write_clean(t, block, words);
}

void tags_write_clean(struct tags *t, uint64_t block, uint32_t words)
{
    tags_data_comes(t, block, words);
    const size_t i = t->words ? find(t, block) : SIZE_MAX;
    if (i == SIZE_MAX) return;
    uint8_t *state = state_of(t, i, block);
    t->words[i] |= words;
    if (*state == TAG_WRITTEN && words_cover(&t->sectors, block, t->words[i])) *state = TAG_VALID;
}

/* The reservation of one of its blocks ends. */
static void release(struct tags *t, size_t i)
{
    struct way *w = &t->way[i];
    t->reserved[w->set] -= --w->reserved == 0;
}

static void clear(struct tags *t, size_t i)
{
    t->word[i] = 0;
    t->way[i] = (struct way){0};
    if (t->data) t->data[i] = 0;
}

/* Removes the block, and the line with its last block. */
static void remove_block(struct tags *t, size_t i, uint64_t block)
{
    struct way *w = &t->way[i];
    uint8_t *state = state_of(t, i, block);
    if (*state == TAG_RESERVED) release(t, i);
    w->here -= *state != TAG_NO_SECTOR;
    w->dirty &= (uint16_t)~bit_of(t, block);
    w->leaving &= (uint16_t)~bit_of(t, block);
    *state = TAG_NO_SECTOR;
    if (t->data) t->data[i] &= ~block_words(&t->sectors, block);
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

/* All blocks except reserved ones and `kept`, a bit for each block. */
static void flush_way(struct tags *t, size_t i, uint32_t kept)
{
    const uint64_t line = t->way[i].tag - 1;
    for (uint32_t k = 0; k <= t->sectors.last; k++) {
        const enum tag_state state = (enum tag_state)t->way[i].state[k];
        if (state != TAG_NO_SECTOR && state != TAG_RESERVED && !(kept >> k & 1))
            remove_block(t, i, block_of(&t->sectors, line, k));
    }
}

void tags_flush_where(struct tags *t, uint64_t mask, uint64_t bits)
{
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++)
        if (t->way[i].here && ((t->way[i].tag - 1) & mask) == bits) flush_way(t, i, 0);
}

void tags_drop_clean(struct tags *t)
{
    for (size_t i = 0; i < (size_t)t->sets * t->ways; i++)
        if (t->way[i].here) flush_way(t, i, t->way[i].dirty);
}

void tags_flush(struct tags *t)
{
    tags_flush_where(t, 0, 0);
    if (t->replacement->flush) t->replacement->flush(t->learner);
}

void tags_resize(struct tags *t, uint32_t ways)
{
    tags_flush_where(t, 0, 0);
    memset(t->hints, 0, t->sets * hint_words(t) * sizeof *t->hints);
    for (uint32_t i = 0; i < t->sets; i++) assert(!t->reserved[i]);
    t->ways = ways;
}

static struct way_masks masks_of(const struct tags *t, size_t set)
{
    const size_t first = set * t->ways;
    struct way_masks ways = {.words = &t->word[first]};
    for (uint32_t i = 0; i < t->ways; i++) {
        ways.free |= (uint16_t)((uint32_t)!t->way[first + i].here << i);
        ways.held |= (uint16_t)((uint32_t)(t->way[first + i].reserved != 0) << i);
    }
    return ways;
}

bool tags_can_reserve(struct tags *t, uint64_t block)
{
    if (t->unbounded) return true;
    const size_t set = set_of(t, block);
    if (t->reserved[set] == t->ways) return false;
    return !t->replacement->has_way || t->replacement->has_way(t->learner, (uint32_t)set, masks_of(t, set));
}

uint32_t tags_reservable(struct tags *t, uint64_t block)
{
    return t->unbounded ? UINT32_MAX : t->ways - t->reserved[set_of(t, block)];
}

bool tags_can_enter(struct tags *t, uint64_t block)
{
    return !t->taken && tags_can_reserve(t, block);
}

/* Among ways without a reserved block, the one with the smallest word. */
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

/* The choice of the policy's learner. */
static size_t learned(struct tags *t, size_t set, bool *bypass)
{
    return set * t->ways + t->replacement->victim(t->learner, (uint32_t)set, masks_of(t, set), bypass);
}

bool tags_learn(const struct tags *t)
{
    return t->learner;
}

bool tags_protect(struct tags *t, uint64_t block)
{
    bool bypass = false;
    learned(t, set_of(t, block), &bypass);
    return bypass;
}

void tags_accept(struct tags *t, uint64_t block, bool hit)
{
    const size_t set = set_of(t, block), i = hit ? find(t, block) : SIZE_MAX;
    const bool there = i != SIZE_MAX;
    t->replacement->access(t->learner, block_line(&t->sectors, block), (uint32_t)set, there,
                           there ? (uint32_t)(i - set * t->ways) : 0);
}

void tags_went_around(struct tags *t, uint64_t block)
{
    t->replacement->bypassed(t->learner, block_line(&t->sectors, block), (uint32_t)set_of(t, block));
}

bool tags_end(struct tags *t, struct error *err)
{
    t->taken = false;
    return !t->replacement->edge || t->replacement->edge(t->learner, err);
}

bool tags_settling(const struct tags *t)
{
    return t->replacement->settling && t->replacement->settling(t->learner);
}

void tags_whose(struct tags *t, uint32_t workload)
{
    if (t->replacement->whose) t->replacement->whose(t->learner, workload);
}

bool tags_flush_workload(struct tags *t, uint32_t workload)
{
    return t->replacement->flush_workload && t->replacement->flush_workload(t->learner, workload);
}

uint64_t tags_wake(const struct tags *t)
{
    return t->replacement->wake ? t->replacement->wake(t->learner) : NEVER;
}

/* Doubles the ways. */
static bool grow(struct tags *t)
{
    struct tags old = *t;
    if (!allocate(t, 2 * old.ways, old.words, old.data)) {
        free_arrays(t);
        *t = old;
        return false;
    }
    for (size_t i = 0; i < (size_t)old.sets * old.ways; i++) {
        const size_t to = i / old.ways * t->ways + i % old.ways;
        t->word[to] = old.word[i];
        t->way[to] = old.way[i];
        t->mark[to] = old.mark[i];
        set_hint(t, i / old.ways, i % old.ways, old.way[i].tag - 1);
        if (t->data) t->data[to] = old.data[i];
        if (t->words) t->words[to] = old.words[i];
    }
    free_arrays(&old);
    return true;
}

/* A way without a line.  If memory is out, a line is replaced, which a law of the run reports. */
static size_t unused(struct tags *t, size_t set)
{
    for (size_t i = set * t->ways; i < (set + 1) * t->ways; i++)
        if (!t->way[i].here) return i;
    const size_t ways = t->ways;
    return grow(t) ? set * t->ways + ways : smallest(t, set);
}

static size_t choose_way(struct tags *t, size_t set)
{
    bool bypass;
    return t->learner ? learned(t, set, &bypass) : t->unbounded ? unused(t, set) : smallest(t, set);
}

/* Sets the state of a block that is not reserved, in the way of its line. */
static void take_block(struct tags *t, uint64_t block, size_t i, enum tag_state as)
{
    struct way *w = &t->way[i];
    uint8_t *state = state_of(t, i, block);
    w->here += *state == TAG_NO_SECTOR;
    assert(as != TAG_ONLY || !(w->dirty & bit_of(t, block)));
    *state = (uint8_t)as;
    if (as == TAG_RESERVED) t->reserved[w->set] += w->reserved++ == 0;
    if (as == TAG_WRITTEN) t->words[i] &= ~block_words(&t->sectors, block);
}

/* A block with data. */
static bool has_data(const struct way *w)
{
    bool data = false;
    for (uint32_t k = 0; k < SECTORS; k++) data |= w->state[k] != TAG_NO_SECTOR && w->state[k] != TAG_ONLY;
    return data;
}

struct victim tags_take(struct tags *t, uint64_t block, enum tag_state as)
{
    const struct replacement *policy = t->replacement;
    size_t set = set_of(t, block), i = choose_way(t, set), first = set * t->ways;
    const struct way *w = &t->way[i];
    struct victim v = {.valid = has_data(w), .dirty = w->dirty, .mark = t->mark[i], .line = t->way[i].tag - 1};
    if (w->here && policy->replaced) policy->replaced(&t->word[first], t->ways, (uint32_t)(i - first));
    const uint64_t line = block_line(&t->sectors, block);
    t->found[line % FOUND] = (uint32_t)i;
    t->way[i] = (struct way){.tag = line + 1, .set = (uint16_t)set};
    t->mark[i] = TAGS_NO_MARK;
    set_hint(t, set, i - first, line);
    if (t->data) t->data[i] = 0;
    t->word[i] = policy->use(t->word[i], WAY_TAKEN, ++t->uses);
    if (t->learner) policy->taken(t->learner, (uint32_t)set, (uint32_t)(i - first));
    t->taken = t->learner;
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
    release(t, i);
    if (t->way[i].leaving & bit_of(t, block)) remove_block(t, i, block);
}

void tags_leave(struct tags *t, uint64_t block)
{
    const size_t i = find(t, block);
    assert(i != SIZE_MAX && *state_of(t, i, block) == TAG_RESERVED);
    t->way[i].leaving |= bit_of(t, block);
}

/* Whether a line has had a way of the set. */
static bool has_had_lines(const struct tags *t, size_t set)
{
    for (size_t k = 0; k < hint_words(t); k++)
        if (t->hints[set * hint_words(t) + k]) return true;
    return false;
}

/* Other sets are not read: their pages stay without memory. */
uint32_t tags_count_dirty(const struct tags *t)
{
    uint32_t n = 0;
    for (size_t set = 0; set < t->sets; set++) {
        if (!has_had_lines(t, set)) continue;
        for (size_t i = set * t->ways; i < (set + 1) * t->ways; i++) n += (uint32_t)__builtin_popcount(t->way[i].dirty);
    }
    return n;
}
