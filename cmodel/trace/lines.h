/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a text file, plain or packed (unpack.h), without a byte-order mark, with positions for messages and for
 * seeking back. */
#ifndef MEMTWIN_LINES_H
#define MEMTWIN_LINES_H
#include <string.h>
#include <sys/types.h>

#include "trace/source.h"

#define LINE_MAX_BYTES 65536u /* mangled C++ names are long */
#define LINE_SLACK 96u        /* bytes that may be read after the end of a line: of any content */

struct lines;
struct line_mark {
    uint64_t offset, number; /* offset of a line's first byte in the decoded text; line number from 1 */
};

struct lines *lines_open(const char *path, struct error *err);
void lines_close(struct lines *l);

/* At most `size` bytes of text; 0: the end; -1 and an error. */
typedef ssize_t lines_reader(void *context, void *to, size_t size, struct error *err);
/* Lines that a function delivers; `path` is for messages.  They cannot be sought. */
struct lines *lines_from(const char *path, lines_reader *read, void *context, struct error *err);
/* Drops the text that has been read.  The next line has number 1 and starts with the next byte of the function. */
void lines_restart(struct lines *l);

/* The next line without its newline; valid until the next call and writable by the caller.  SOURCE_END after the
 * last. */
enum source_status lines_next(struct lines *l, char **line, struct error *err);

/* Gives back the line that lines_next() returned last, right after it: it is the next one again. */
void lines_back(struct lines *l);

/* For readers that find a line's end themselves: the text that lines_next() has not returned yet, as far as it is in
 * memory.  A NUL follows it, and LINE_SLACK more bytes: of lines read before, or of any content. */
char *lines_peek(struct lines *l);
/* So many bytes of it: whole lines, as many as `count`, with their newlines; of no NUL. */
void lines_take(struct lines *l, size_t length, uint64_t count);
/* The same if these bytes are the next ones. */
bool lines_take_same(struct lines *l, const char *text, size_t length, uint64_t count);
/* The bytes before lines_peek(), as they were read if none of them was returned by lines_next(); NULL: not in memory.
 */
const char *lines_taken(const struct lines *l, size_t length);

struct line_mark lines_here(const struct lines *l); /* position of the line that lines_next() returns next */
uint64_t lines_number(const struct lines *l);       /* position of the last returned line */

/* Seeks to a position from lines_here().  In packed text, seeking forward decodes; the first backward seek spools all
 * text into an unlinked temporary file. */
bool lines_seek(struct lines *l, struct line_mark mark, struct error *err);

/* Splits off the next token at a character of `separators`; NULL at the end. */
char *token_next(char **rest, const char *separators);
/* Parses a whole string as a number, decimal or 0x hexadecimal; `base` 16 also accepts digits without 0x.  False if
 * it is not a number or above `limit`. */
bool token_number(const char *token, unsigned base, uint64_t limit, uint64_t *value);

/* Value of a hexadecimal digit; none: above 15. */
static inline unsigned digit_value(char c)
{
    static const uint8_t plus_1[256] = {
        ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
        ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
        ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
    };
    return plus_1[(uint8_t)c] - 1u;
}

/* Parses up to 7 decimal digits at once; reads 8 bytes.  Without a loop, whose exit the host's branch predictor would
 * miss for numbers of random length.  Returns the number of digits; 0: none, or more than 7. */
static inline unsigned short_decimal(const char *at, uint64_t *value)
{
    uint64_t bytes, pairs;
    memcpy(&bytes, at, sizeof bytes);
    bytes ^= 0x3030303030303030u; /* digits become their values, all others more than 9 */
    const uint64_t others = ((bytes + 0x7676767676767676u) | bytes) & 0x8080808080808080u;
    const unsigned digits = others ? (unsigned)__builtin_ctzll(others) / 8 : 0;
    if (!digits) return 0;
    bytes <<= 64 - 8 * digits; /* zeros before them, on a little-endian host */
    pairs = bytes * 10 + (bytes >> 8);
    *value = ((pairs & 0xff000000ff) * (100 + (1000000ull << 32)) +
              ((pairs >> 16) & 0xff000000ff) * (1 + (10000ull << 32))) >>
             32;
    return digits;
}

/* The same for hexadecimal digits, at most 8 of a longer number. */
static inline unsigned short_hexadecimal(const char *at, uint64_t *value)
{
    const uint64_t high = 0x8080808080808080u, ones = 0x0101010101010101u;
    uint64_t bytes;
    memcpy(&bytes, at, sizeof bytes);
    const uint64_t low = bytes & ~high, lower = low | 0x20 * ones;
    const uint64_t decimal = (low + (0x80 - '0') * ones) & ~(low + (0x80 - '9' - 1) * ones);
    const uint64_t letter = (lower + (0x80 - 'a') * ones) & ~(lower + (0x80 - 'f' - 1) * ones);
    const uint64_t others = (~(decimal | letter) | bytes) & high;
    const unsigned digits = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
    if (!digits) return 0;
    bytes = (bytes & 0x0f * ones) + 9 * (bytes >> 6 & ones);
    bytes <<= 64 - 8 * digits;
    bytes = (bytes << 4 | bytes >> 8) & 0x00ff00ff00ff00ff;
    bytes = (bytes << 8 | bytes >> 16) & 0x0000ffff0000ffff;
    *value = (bytes << 16 | bytes >> 32) & 0xffffffff;
    return digits;
}

/* "KEY = VALUE" and a newline; what follows them, or NULL. */
static inline const char *plain_field(const char *at, const char *key, uint64_t *value)
{
    const size_t length = strlen(key);
    if (strncmp(at, key, length) != 0) return NULL;
    const unsigned digits = short_decimal(at + length, value);
    return digits && at[length + digits] == '\n' ? at + length + digits + 1 : NULL;
}
#endif
