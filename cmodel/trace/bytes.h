/* SPDX-License-Identifier: Apache-2.0 */
/* A growable byte buffer, and a bounded reader over one.  Errors are sticky, so callers need not check every step: a
 * writer out of memory sets `failed`; a reader past the end sets `bad` and returns zeros. */
#ifndef MEMTWIN_BYTES_H
#define MEMTWIN_BYTES_H
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    uint8_t *data;
    size_t size, capacity;
    bool failed;
};

/* Room for n more bytes, not counted in size yet; NULL: out of memory. */
static inline uint8_t *bytes_reserve(struct bytes *b, size_t n)
{
    if (b->capacity - b->size < n) {
        size_t capacity = 2 * b->capacity + n + 64;
        uint8_t *data = b->failed ? NULL : realloc(b->data, capacity);
        if (!data) {
            b->failed = true;
            return NULL;
        }
        b->data = data;
        b->capacity = capacity;
    }
    return b->data + b->size;
}

static inline void bytes_put(struct bytes *b, const void *from, size_t n)
{
    uint8_t *to = bytes_reserve(b, n);
    if (!to || !n) return;
    memcpy(to, from, n);
    b->size += n;
}

/* The lowest n bytes, lowest first.  Returns the end. */
static inline uint8_t *write_le(uint8_t *to, uint64_t v, int n)
{
    for (int i = 0; i < n; i++) *to++ = (uint8_t)(v >> (8 * i));
    return to;
}

static inline void bytes_le(struct bytes *b, uint64_t v, int n)
{
    uint8_t *to = bytes_reserve(b, (size_t)n);
    if (to) b->size += (size_t)(write_le(to, v, n) - to);
}

#define VARINT_MAX 10 /* bytes */

/* Seven bits a byte, lowest first, the top bit set on all but the last.  Returns the end; there must be room for the
 * maximum. */
static inline uint8_t *write_varint(uint8_t *to, uint64_t v)
{
    if (v < 1u << 14) { /* see reader_varint() */
        const bool more = v >= 0x80;
        to[0] = (uint8_t)(v | (more ? 0x80 : 0));
        to[1] = (uint8_t)(v >> 7);
        return to + 1 + more;
    }
    for (; v >= 0x80; v >>= 7) *to++ = (uint8_t)(v | 0x80);
    *to++ = (uint8_t)v;
    return to;
}

static inline void bytes_varint(struct bytes *b, uint64_t v)
{
    uint8_t *to = bytes_reserve(b, VARINT_MAX);
    if (to) b->size += (size_t)(write_varint(to, v) - to);
}

static inline uint64_t zigzag(uint64_t v)
{
    return (v << 1) ^ (0 - (v >> 63));
}

static inline uint64_t unzigzag(uint64_t v)
{
    return (v >> 1) ^ (0 - (v & 1));
}

static inline void bytes_free(struct bytes *b)
{
    free(b->data);
    *b = (struct bytes){0};
}

struct reader {
    const uint8_t *at, *end;
    bool bad;
};

static inline const uint8_t *reader_take(struct reader *r, size_t n)
{
    if ((size_t)(r->end - r->at) < n) {
        r->bad = true;
        r->at = r->end;
        return NULL;
    }
    const uint8_t *p = r->at;
    r->at += n;
    return p;
}

static inline uint64_t reader_le(struct reader *r, int n)
{
    const uint8_t *p = reader_take(r, (size_t)n);
    uint64_t v = 0;
    for (int i = 0; p && i < n; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* Longer than two bytes, or at the end: rare, so not inlined. */
__attribute__((noinline)) static uint64_t reader_long_varint(struct reader *r)
{
    uint64_t v = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (r->at == r->end) break;
        uint8_t byte = *r->at++;
        if (shift == 63 && byte > 1) break;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80)) return v;
    }
    r->bad = true;
    r->at = r->end;
    return 0;
}

static inline uint64_t reader_varint(struct reader *r)
{
    if (r->end - r->at > 1) { /* one byte or two, the common lengths, without a branch: their order is random */
        const unsigned first = r->at[0], more = first >> 7, second = r->at[1] & (0u - more);
        if (second < 0x80) {
            r->at += 1 + more;
            return (first & 0x7f) | second << 7;
        }
    }
    return reader_long_varint(r);
}

/* A varint that must be at most `limit`. */
static inline uint64_t reader_limited(struct reader *r, uint64_t limit)
{
    uint64_t v = reader_varint(r);
    if (v <= limit) return v;
    r->bad = true;
    r->at = r->end;
    return 0;
}
#endif
