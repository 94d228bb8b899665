/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a text file, plain or .xz (detected by content), with positions for messages and for seeking back. */
#ifndef MEMTWIN_LINES_H
#define MEMTWIN_LINES_H
#include "trace/source.h"

#define LINE_MAX_BYTES 65536u /* mangled C++ names are long */

struct lines;
struct line_mark {
    uint64_t offset, number; /* offset of a line's first byte in the decoded text; line number from 1 */
};

struct lines *lines_open(const char *path, struct error *err);
void lines_close(struct lines *l);

/* The next line without its newline; valid until the next call and writable by the caller.  SOURCE_END after the
 * last. */
enum source_status lines_next(struct lines *l, char **line, struct error *err);

struct line_mark lines_here(const struct lines *l); /* position of the line that lines_next() returns next */
uint64_t lines_number(const struct lines *l);       /* position of the last returned line */

/* Seeks to a position from lines_here().  In .xz, seeking forward decodes; the first backward seek spools all text
 * into an unlinked temporary file. */
bool lines_seek(struct lines *l, struct line_mark mark, struct error *err);

/* Splits off the next token at a character of `separators`; NULL at the end. */
char *token_next(char **rest, const char *separators);
/* Parses a whole string as a number, decimal or 0x hexadecimal; `base` 16 also accepts digits without 0x.  False if
 * it is not a number or above `limit`. */
bool token_number(const char *token, int base, uint64_t limit, uint64_t *value);

/* Value of a hexadecimal digit; 16: none. */
static inline int digit_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}
#endif
