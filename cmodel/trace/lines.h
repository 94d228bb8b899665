/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a text file, plain or .xz (told by content), with places for messages and a way back for random access. */
#ifndef MEMTWIN_LINES_H
#define MEMTWIN_LINES_H
#include "trace/source.h"

#define LINE_MAX_BYTES 65536u /* mangled C++ names are long */

struct lines;
struct line_mark {
    uint64_t offset, number; /* of a line's first byte in the decoded text; from 1 */
};

struct lines *lines_open(const char *path, struct error *err);
void lines_close(struct lines *l);

/* The next line without its end, valid until the next call and the caller's to cut up; SOURCE_END after the last. */
enum source_status lines_next(struct lines *l, char **line, struct error *err);

struct line_mark lines_here(const struct lines *l); /* the line that lines_next delivers next */
uint64_t lines_number(const struct lines *l);       /* of the line delivered last */

/* Goes to a place that lines_here gave. In .xz the way forward is decoded, and the first way back spools all of the
 * text into an unlinked temporary file. */
bool lines_seek(struct lines *l, struct line_mark mark, struct error *err);

/* Tokens of a line: cuts the next one off at a character of `separators`; NULL at the end. */
char *token_next(char **rest, const char *separators);
/* A number, all of the string: decimal or 0x hexadecimal; `base` 16 takes digits without 0x too. False if it is none or
 * above `limit`. */
bool token_number(const char *token, int base, uint64_t limit, uint64_t *value);
#endif
