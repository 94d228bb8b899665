/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/coalescer.h"

#include <string.h>

#include "base/arith.h"
#include "bits.h"

enum { MAX_BANKS = 128, MAX_WORDS = WARP_SIZE * INST_MAX_SIZE / WORD_BYTES + WARP_SIZE };

/* A bit for each byte of a line. */
typedef unsigned __int128 line_bytes;
_Static_assert(LINE_BYTES == 128, "as many bits");

/* Which quarters of the line hold bytes first..last. */
static uint8_t sectors(uint64_t first, uint64_t last)
{
    uint32_t from = (uint32_t)(first & (LINE_BYTES - 1)) / SECTOR_BYTES;
    uint32_t to = (uint32_t)(last & (LINE_BYTES - 1)) / SECTOR_BYTES;
    return (uint8_t)((2u << to) - (1u << from));
}

/* The smallest aligned part of the line that holds the quarters of this mask: its bytes and its first sector. */
static const struct part {
    uint8_t bytes, sector;
} part_of[16] = {{0, 0},  {32, 0},  {32, 1},  {64, 0},  {32, 2}, {128, 0}, {128, 0}, {128, 0},
                 {32, 3}, {128, 0}, {128, 0}, {128, 0}, {64, 2}, {128, 0}, {128, 0}, {128, 0}};

/* Lines, or segments of them; the line of an access is the segment's number until coalesce() ends. */
struct lines {
    uint32_t count, last; /* last: the one touched last */
    uint64_t last_line;
    uint32_t shift; /* log2 of a segment's bytes */
    uint64_t seen;  /* bit line % 64 set: the line may be listed already */
    struct line_access *out;
    uint8_t touched[COALESCER_MAX];
};

static uint32_t place(struct lines *l, uint64_t line)
{
    uint64_t bit = 1ull << (line & 63);
    uint32_t i = l->seen & bit ? l->count - 1 : UINT32_MAX;
    while (i != UINT32_MAX && l->out[i].line != line) i--;
    if (i != UINT32_MAX) return i;
    l->seen |= bit;
    l->out[l->count].line = line;
    l->touched[l->count] = 0;
    return l->count++;
}

/* Usually the line of the previous lanes. */
static inline void touch(struct lines *l, uint64_t first, uint64_t last)
{
    uint64_t line = first >> l->shift;
    if (l->last_line != line) {
        l->last = place(l, line);
        l->last_line = line;
    }
    l->touched[l->last] |= sectors(first, last);
}

struct span {
    uint64_t first, bytes;
};

/* Span of addresses that are listed.  The address of the last lane refutes most that are not in a row. */
static struct span listed_span(const struct inst *inst)
{
    const uint32_t lowest = (uint32_t)__builtin_ctz(inst->mask), lanes = (uint32_t)__builtin_popcount(inst->mask);
    const uint64_t *addr = &inst->addr[lowest];
    uint64_t differs = 0, at = addr[0];
    if (inst->mask >> lowest != UINT32_MAX >> (WARP_SIZE - lanes) || addr[lanes - 1] != at + (lanes - 1) * inst->size)
        return (struct span){0};
    for (uint32_t l = 0; l < lanes; l++, at += inst->size) differs |= addr[l] ^ at;
    return (struct span){addr[0], differs ? 0 : lanes * inst->size};
}

/* The bytes of the active lanes, if these access one address or are in a row: ascending, without a gap.  Else 0 bytes.
 */
static struct span span_of(const struct inst *inst)
{
    if (!inst->strided) return listed_span(inst);
    const uint32_t lowest = (uint32_t)__builtin_ctz(inst->mask), lanes = (uint32_t)__builtin_popcount(inst->mask);
    const bool in_row = inst->stride == inst->size && inst->mask >> lowest == UINT32_MAX >> (WARP_SIZE - lanes);
    const uint32_t elements = in_row ? lanes : inst->stride == 0 || lanes == 1;
    return (struct span){inst_address(inst, lowest), elements * inst->size};
}

/* The bytes of the next lanes that are in a row, one lane at least; takes these lanes from *mask. */
static inline struct span next_run(const struct inst *inst, uint32_t *mask)
{
    const uint64_t first = inst_address(inst, (uint32_t)__builtin_ctz(*mask));
    uint64_t end = first;
    do {
        end += inst->size;
        *mask &= *mask - 1;
    } while (*mask && inst_address(inst, (uint32_t)__builtin_ctz(*mask)) == end);
    return (struct span){first, end - first};
}

static inline void touch_range(struct lines *l, uint64_t first, uint64_t last)
{
    const uint64_t inside = ((uint64_t)1 << l->shift) - 1;
    for (bool more = true; more; first = (first | inside) + 1) {
        more = (first | inside) < last;
        touch(l, first, more ? first | inside : last);
    }
}

static uint32_t segment_shift(const struct inst *inst, enum coalesce_unit unit)
{
    if (unit == COALESCE_LINE || (unit == COALESCE_SEGMENT && inst->size > 2)) return LINE_SHIFT;
    return unit == COALESCE_SEGMENT && inst->size == 2 ? 6 : 5;
}

static inline struct line_access access_of(uint64_t line, uint8_t touched)
{
    const struct part part = part_of[touched];
    return (struct line_access){.line = line, .bytes = part.bytes, .sector = part.sector};
}

/* Of bytes first..last: ascending segments, each once. */
static uint32_t coalesce_span(uint64_t first, uint64_t last, uint32_t shift, struct line_access out[COALESCER_MAX])
{
    const uint64_t inside = ((uint64_t)1 << shift) - 1;
    uint32_t n = 0;
    for (; (first | inside) < last; first = (first | inside) + 1)
        out[n++] = access_of(first >> LINE_SHIFT, sectors(first, first | inside));
    out[n++] = access_of(first >> LINE_SHIFT, sectors(first, last));
    return n;
}

static inline void touch_lanes(struct lines *l, const struct inst *inst, uint32_t shift,
                               struct line_access out[COALESCER_MAX])
{
    l->count = l->last = 0;
    l->last_line = UINT64_MAX; /* none */
    l->shift = shift;
    l->seen = 0;
    l->out = out;
    for (uint32_t mask = inst->mask; mask;) {
        const struct span run = next_run(inst, &mask);
        touch_range(l, run.first, run.first + run.bytes - 1);
    }
}

static uint32_t coalesce_lanes(const struct inst *inst, uint32_t shift, struct line_access out[COALESCER_MAX])
{
    struct lines l;
    touch_lanes(&l, inst, shift, out);
    for (uint32_t i = 0; i < l.count; i++) out[i] = access_of(out[i].line >> (LINE_SHIFT - shift), l.touched[i]);
    return l.count;
}

uint32_t coalesce(const struct inst *inst, enum coalesce_unit unit, struct line_access out[COALESCER_MAX])
{
    const uint32_t shift = segment_shift(inst, unit);
    const struct span s = span_of(inst);
    return s.bytes ? coalesce_span(s.first, s.first + s.bytes - 1, shift, out) : coalesce_lanes(inst, shift, out);
}

uint32_t coalesce_blocks(const struct inst *inst, uint32_t bytes, struct line_access out[COALESCER_MAX])
{
    struct lines l;
    const uint32_t shift = log2_floor(bytes);
    touch_lanes(&l, inst, shift, out);
    for (uint32_t i = 0; i < l.count; i++) {
        const uint64_t at = out[i].line << shift;
        out[i] = (struct line_access){
            .line = at >> LINE_SHIFT, .bytes = (uint8_t)bytes, .sector = (uint8_t)(at % LINE_BYTES / SECTOR_BYTES)};
    }
    return l.count;
}

/* Of a cycle of the L1D: the place of each bank in use, by its number, and the lines. */
struct bank_cycle {
    uint32_t used, lines; /* used: a bit for each bank */
    uint64_t place[32], line[8];
};

/* Whether the cycle has the line, or room for it. */
static bool takes_line(const struct bank_cycle *cycle, uint64_t line, uint32_t most)
{
    uint32_t i = 0;
    while (i < cycle->lines && cycle->line[i] != line) i++;
    return i < most;
}

static void add_line(struct bank_cycle *cycle, uint64_t line)
{
    uint32_t i = 0;
    while (i < cycle->lines && cycle->line[i] != line) i++;
    cycle->line[i] = line;
    if (i == cycle->lines) cycle->lines++;
}

/* Number of the place of a word of the access; the banks take consecutive ones in turn. */
static uint64_t place_of_word(const struct line_access *a, uint32_t word, uint32_t bank_bytes)
{
    return (a->line << LINE_SHIFT | a->sector * SECTOR_BYTES | word * WORD_BYTES) / bank_bytes;
}

static bool takes_words(const struct bank_cycle *cycle, const struct bank_rules *r, const struct line_access *a,
                        uint32_t words)
{
    for (uint32_t m = words; m; m &= m - 1) {
        const uint64_t place = place_of_word(a, (uint32_t)__builtin_ctz(m), r->bytes), bank = place & (r->banks - 1);
        if (cycle->used >> bank & 1 && cycle->place[bank] != place) return false;
    }
    return true;
}

static void add_words(struct bank_cycle *cycle, const struct bank_rules *r, const struct line_access *a, uint32_t words)
{
    for (uint32_t m = words; m; m &= m - 1) {
        const uint64_t place = place_of_word(a, (uint32_t)__builtin_ctz(m), r->bytes), bank = place & (r->banks - 1);
        cycle->used |= 1u << bank;
        cycle->place[bank] = place;
    }
}

/* The words of each access that lanes touch. */
struct touched {
    const struct line_access *access;
    uint32_t count, last; /* last: the access found last */
    uint8_t words[COALESCER_MAX];
};

static uint32_t access_at(struct touched *t, uint64_t sector)
{
    uint32_t i = t->last;
    while ((t->access[i].line << (LINE_SHIFT - 5) | t->access[i].sector) != sector) i = i + 1 < t->count ? i + 1 : 0;
    return t->last = i;
}

/* `run` touches bytes in a row. */
static void touch_words(struct touched *t, struct span run)
{
    const uint64_t last = run.first + run.bytes - 1;
    for (uint64_t sector = run.first / SECTOR_BYTES; sector <= last / SECTOR_BYTES; sector++) {
        const uint64_t start = sector * SECTOR_BYTES, from = max_u64(run.first, start) - start;
        const uint64_t to = min_u64(last - start, SECTOR_BYTES - 1);
        t->words[access_at(t, sector)] |= (uint8_t)((2u << to / WORD_BYTES) - (1u << from / WORD_BYTES));
    }
}

void coalesce_words(const struct inst *inst, struct line_access *access, uint32_t count)
{
    struct touched t = {.access = access, .count = count};
    for (uint32_t mask = inst->mask; mask;) touch_words(&t, next_run(inst, &mask));
    for (uint32_t i = 0; i < count; i++)
        access[i].written = (uint32_t)t.words[i] << access[i].sector * (SECTOR_BYTES / WORD_BYTES);
}

static uint64_t address_of(const struct line_access *a)
{
    return a->line * (LINE_BYTES / SECTOR_BYTES) + a->sector;
}

/* Few instructions have accesses that do not ascend. */
void coalesce_from_highest(struct line_access *access, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        const struct line_access a = access[i];
        uint32_t to = i;
        for (; to && address_of(&access[to - 1]) > address_of(&a); to--) access[to] = access[to - 1];
        access[to] = a;
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        const struct line_access a = access[i];
        access[i] = access[count - 1 - i];
        access[count - 1 - i] = a;
    }
}

void coalesce_cycles(const struct inst *inst, const struct bank_rules *rules, struct line_access *access,
                     uint32_t count)
{
    struct bank_cycle cycle = {0};
    struct touched t = {.access = access, .count = count};
    const bool whole = rules->bytes == SECTOR_BYTES;
    for (uint32_t mask = inst->mask; mask && !whole;) touch_words(&t, next_run(inst, &mask));
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t touched = whole ? 1 : t.words[i];
        access[i].beside =
            i && takes_line(&cycle, access[i].line, rules->lines) && takes_words(&cycle, rules, &access[i], touched);
        if (!access[i].beside) cycle.used = cycle.lines = 0;
        add_line(&cycle, access[i].line);
        add_words(&cycle, rules, &access[i], touched);
    }
}

/* Bytes `first` to `last` of one segment, for the first access to it that has none of them. */
static uint32_t touch_apart(uint64_t first, uint64_t last, uint32_t count, uint32_t taken[COALESCER_MAX],
                            struct line_access out[COALESCER_MAX])
{
    const uint32_t inside = SECTOR_BYTES - 1, from = (uint32_t)first & inside, to = (uint32_t)last & inside;
    const uint32_t bytes = (uint32_t)((2ull << to) - (1ull << from));
    const struct line_access a = access_of(first >> LINE_SHIFT, sectors(first, last));
    uint32_t i = 0;
    while (i < count && (out[i].line != a.line || out[i].sector != a.sector || taken[i] & bytes)) i++;
    if (i == count) {
        out[i] = a;
        taken[i] = 0;
    }
    taken[i] |= bytes;
    return i == count ? count + 1 : count;
}

uint32_t coalesce_apart(const struct inst *inst, struct line_access out[COALESCER_MAX])
{
    uint32_t taken[COALESCER_MAX], count = 0;
    for (uint32_t mask = inst->mask; mask; mask &= mask - 1) {
        const uint64_t first = inst_address(inst, (uint32_t)__builtin_ctz(mask)), last = first + inst->size - 1;
        const uint64_t end = first | (SECTOR_BYTES - 1);
        count = touch_apart(first, min_u64(end, last), count, taken, out);
        if (end < last) count = touch_apart(end + 1, last, count, taken, out);
    }
    return count;
}

/* The words of the line that lie in `bytes` bytes at `first`. */
static uint32_t words_inside(uint64_t first, uint64_t bytes, uint64_t line)
{
    const uint64_t start = line << LINE_SHIFT, from = max_u64(first, start);
    const uint64_t to = min_u64(first + bytes, start + LINE_BYTES);
    if (from >= to) return 0;
    const uint64_t lowest = ceil_div(from - start, WORD_BYTES), behind = (to - start) / WORD_BYTES;
    return lowest < behind ? (uint32_t)(((uint64_t)1 << behind) - ((uint64_t)1 << lowest)) : 0;
}

/* A bit for each byte of the line that an access of `size` bytes at `first` covers. */
static line_bytes bytes_in_line(uint64_t first, uint32_t size, uint64_t line)
{
    const uint64_t start = line << LINE_SHIFT, before = start - first, behind = first - start;
    const line_bytes all = ((line_bytes)1 << size) - 1;
    if (behind < LINE_BYTES) return all << behind;
    return before < size ? all >> before : 0;
}

/* Words that several lanes may touch in part. */
static uint32_t shared_words(const struct inst *inst, uint64_t line)
{
    line_bytes bytes = 0;
    uint32_t words = 0;
    for (uint32_t mask = inst->mask; mask; mask &= mask - 1)
        bytes |= bytes_in_line(inst_address(inst, (uint32_t)__builtin_ctz(mask)), inst->size, line);
    for (uint32_t w = 0; w < LINE_BYTES / WORD_BYTES; w++)
        words |= (uint32_t)((bytes >> w * WORD_BYTES & 0xf) == 0xf) << w;
    return words;
}

/* Whether each lane accesses distinct words. */
static bool whole_words(const struct inst *inst)
{
    uint64_t any = inst->size;
    if (inst->strided) return (any | inst->base | (uint64_t)inst->stride) % WORD_BYTES == 0;
    for (uint32_t l = 0; l < WARP_SIZE; l++) any |= inst->addr[l];
    return any % WORD_BYTES == 0;
}

uint32_t words_written(const struct inst *inst, uint64_t line)
{
    uint32_t words = 0;
    const struct span s = span_of(inst);
    if (s.bytes) return words_inside(s.first, s.bytes, line);
    if (!whole_words(inst)) return shared_words(inst, line);
    for (uint32_t mask = inst->mask; mask;) {
        const struct span run = next_run(inst, &mask);
        words |= words_inside(run.first, run.bytes, line);
    }
    return words;
}

/* Words met so far, chained by bank. */
struct words {
    uint32_t count, most;
    uint8_t in_bank[MAX_BANKS];
    uint16_t first[MAX_BANKS]; /* valid if the bank has any */
    uint16_t next[MAX_WORDS];
    uint64_t word[MAX_WORDS];
};

static void add_word(struct words *w, uint64_t word, uint32_t banks)
{
    const bool power = (banks & (banks - 1)) == 0; /* avoids a division */
    const uint32_t bank = (uint32_t)(power ? word & (banks - 1) : word % banks);
    uint32_t n = w->in_bank[bank], i = n ? w->first[bank] : 0;
    for (; n; i = w->next[i], n--)
        if (w->word[i] == word) return;
    w->word[w->count] = word;
    if (w->in_bank[bank]) w->next[w->count] = w->first[bank];
    w->first[bank] = (uint16_t)w->count++;
    if (++w->in_bank[bank] > w->most) w->most = w->in_bank[bank];
}

/* The stride is an odd number of words.  With a power of two of banks, at least one for each lane, no two lanes access
 * the same bank. */
static bool odd_stride(const struct inst *inst, uint32_t banks)
{
    return inst->strided && inst->size == WORD_BYTES && inst->base % WORD_BYTES == 0 &&
           inst->stride % (2 * WORD_BYTES) != 0 && inst->stride % WORD_BYTES == 0 && banks % WARP_SIZE == 0 &&
           is_power_of_two(banks);
}

/* Whether each active lane uses one word and each bank at most one (the usual case); conservative: may be false
 * although it holds. */
static bool one_word_in_each_bank(const struct inst *inst, uint32_t banks)
{
    uint64_t word_of[64], seen = 0; /* bit b: bank b has word_of[b] */
    if (banks > 64 || (banks & (banks - 1))) return false;
    for (uint32_t mask = inst->mask; mask; mask &= mask - 1) {
        const uint64_t first = inst_address(inst, (uint32_t)__builtin_ctz(mask)), word = first / WORD_BYTES;
        const uint64_t bank = word & (banks - 1);
        const bool taken = seen >> bank & 1 && word_of[bank] != word;
        if (taken || first % WORD_BYTES + inst->size > WORD_BYTES) return false;
        seen |= (uint64_t)1 << bank;
        word_of[bank] = word;
    }
    return true;
}

uint32_t shared_bank_cycles(const struct inst *inst, uint32_t banks)
{
    const struct span s = span_of(inst);
    if (s.bytes) /* words in a row */
        return (uint32_t)ceil_div((s.first + s.bytes - 1) / WORD_BYTES - s.first / WORD_BYTES + 1, banks);
    if (odd_stride(inst, banks) || one_word_in_each_bank(inst, banks)) return 1;
    struct words w;
    w.count = w.most = 0;
    memset(w.in_bank, 0, sizeof w.in_bank);
    for (uint32_t mask = inst->mask; mask; mask &= mask - 1) {
        uint64_t first = inst_address(inst, (uint32_t)__builtin_ctz(mask)), last = first + inst->size - 1;
        for (uint64_t word = first / WORD_BYTES; word <= last / WORD_BYTES; word++) add_word(&w, word, banks);
    }
    return w.most;
}
