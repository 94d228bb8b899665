/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/coalescer.h"

#include <string.h>

enum { SECTOR_SHIFT = 5, WORD_BYTES = 4, MAX_BANKS = 128, MAX_WORDS = WARP_SIZE * 16 / WORD_BYTES + WARP_SIZE };

/* Which quarters of the line hold bytes first..last. */
static uint8_t sectors(uint64_t first, uint64_t last)
{
    uint32_t from = (uint32_t)(first & (LINE_BYTES - 1)) >> SECTOR_SHIFT;
    uint32_t to = (uint32_t)(last & (LINE_BYTES - 1)) >> SECTOR_SHIFT;
    return (uint8_t)((2u << to) - (1u << from));
}

static uint8_t bytes_of(uint8_t touched)
{
    if ((touched & (touched - 1)) == 0) return 32;
    return touched == 0x3 || touched == 0xc ? 64 : 128;
}

/* Lines, or segments of them; the line of an access is the segment's number until coalesce() ends. */
struct lines {
    uint32_t count, last; /* last: the one touched last */
    uint32_t shift;       /* log2 of a segment's bytes */
    uint64_t seen;        /* bit line % 64 is set: perhaps there already */
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

/* Mostly in the line of the lane before. */
static void touch(struct lines *l, uint64_t first, uint64_t last)
{
    uint64_t line = first >> l->shift;
    if (!l->count || l->out[l->last].line != line) l->last = place(l, line);
    l->touched[l->last] |= sectors(first, last);
}

/* All bytes from the first lane's to the last lane's, in the order of addresses? */
static bool unit_stride(const struct inst *inst)
{
    uint64_t differs = 0;
    for (uint32_t l = 0; l < WARP_SIZE; l++) differs |= inst->addr[l] ^ (inst->addr[0] + l * inst->size);
    return inst->mask == UINT32_MAX && !differs;
}

static void touch_range(struct lines *l, uint64_t first, uint64_t last)
{
    const uint64_t inside = ((uint64_t)1 << l->shift) - 1;
    for (; (first | inside) < last; first = (first | inside) + 1) touch(l, first, first | inside);
    touch(l, first, last);
}

static uint32_t segment_shift(const struct inst *inst)
{
    return inst->size == 1 ? 5 : inst->size == 2 ? 6 : LINE_SHIFT;
}

uint32_t coalesce(const struct inst *inst, bool segments, struct line_access out[COALESCER_MAX])
{
    struct lines l;
    l.count = l.last = 0;
    l.shift = segments ? segment_shift(inst) : LINE_SHIFT;
    l.seen = 0;
    l.out = out;
    uint32_t scattered = inst->mask;
    if (unit_stride(inst)) {
        touch_range(&l, inst->addr[0], inst->addr[WARP_SIZE - 1] + inst->size - 1);
        scattered = 0;
    }
    for (; scattered; scattered &= scattered - 1) {
        uint64_t first = inst->addr[__builtin_ctz(scattered)];
        touch_range(&l, first, first + inst->size - 1);
    }
    for (uint32_t i = 0; i < l.count; i++) {
        out[i].line >>= LINE_SHIFT - l.shift;
        out[i].bytes = bytes_of(l.touched[i]);
        out[i].full = false;
    }
    return l.count;
}

bool covers_line(const struct inst *inst, uint64_t line)
{
    uint64_t touched[LINE_BYTES / 64] = {0};
    for (uint32_t mask = inst->mask; mask; mask &= mask - 1) {
        const uint64_t first = inst->addr[__builtin_ctz(mask)];
        for (uint64_t byte = first; byte < first + inst->size; byte++)
            if (byte >> LINE_SHIFT == line) touched[byte % LINE_BYTES / 64] |= (uint64_t)1 << byte % 64;
    }
    return (touched[0] & touched[1]) == UINT64_MAX;
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
    const bool power = (banks & (banks - 1)) == 0; /* spares a division */
    const uint32_t bank = (uint32_t)(power ? word & (banks - 1) : word % banks);
    uint32_t n = w->in_bank[bank], i = n ? w->first[bank] : 0;
    for (; n; i = w->next[i], n--)
        if (w->word[i] == word) return;
    w->word[w->count] = word;
    if (w->in_bank[bank]) w->next[w->count] = w->first[bank];
    w->first[bank] = (uint16_t)w->count++;
    if (++w->in_bank[bank] > w->most) w->most = w->in_bank[bank];
}

uint32_t shared_bank_cycles(const struct inst *inst, uint32_t banks)
{
    struct words w;
    w.count = w.most = 0;
    memset(w.in_bank, 0, sizeof w.in_bank);
    for (uint32_t mask = inst->mask; mask; mask &= mask - 1) {
        uint64_t first = inst->addr[__builtin_ctz(mask)], last = first + inst->size - 1;
        for (uint64_t word = first / WORD_BYTES; word <= last / WORD_BYTES; word++) add_word(&w, word, banks);
    }
    return w.most;
}
