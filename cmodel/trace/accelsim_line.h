/* SPDX-License-Identifier: Apache-2.0 */
/* An instruction line while accelsim_inst.c parses it, and its numbers. */
#ifndef MEMTWIN_ACCELSIM_LINE_H
#define MEMTWIN_ACCELSIM_LINE_H
#include <stdio.h>

#include "trace/accelsim_inst.h"
#include "trace/accelsim_opcode.h"
#include "trace/lines.h"

struct line {
    char *rest;
    const char *start, *fields, *end; /* of the head: its program counter, what follows its mask, its end */
    struct inst *inst;
    struct pattern *addresses;
    struct accelsim_parser *parser;
    struct accelsim_head *head;
    uint8_t kind; /* enum accelsim_kind */
    bool again;   /* whatever is not plain is given up, without a complaint */
};

/* Sets operation and addresses of the line's instruction, which has an active lane, and `kind`.  INST_INT stays what it
 * is. */
void accelsim_map(enum opcode_class class, struct line *l, const struct accelsim_warp *w);

static inline bool complain(struct line *l, const char *found, const char *expected)
{
    if (l->again) return false;
    snprintf(l->parser->fault, sizeof l->parser->fault, "found '%.60s', expected %s",
             found ? found : "the end of the line", expected);
    return false;
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Fast path: an unsigned number that surely fits 64 bits, and the blank or the end of the line after it.  Returns what
 * follows; NULL: anything else, or a number above the limit. */
static inline char *plain_number(char *at, unsigned base, uint64_t limit, uint64_t *value)
{
    if (at[0] == '0' && at[1] == 'x') {
        base = 16;
        at += 2;
    }
    const char *first = at;
    uint64_t v = 0;
    if (base == 16) {
        for (unsigned digit; (digit = digit_value(*at)) < 16; at++) v = v << 4 | digit;
    } else {
        for (unsigned digit; (digit = (unsigned)*at - '0') < 10; at++) v = v * 10 + digit;
    }
    const long digits = at - first, safe = base == 16 ? 16 : 19;
    if (!digits || digits > safe || v > limit) return NULL;
    *value = v;
    if (is_blank(*at)) return at + 1;
    return *at && *at != '\n' ? NULL : at;
}

static inline bool number(struct line *l, unsigned base, uint64_t limit, const char *expected, uint64_t *value)
{
    char *rest = plain_number(l->rest, base, limit, value);
    if (rest) {
        l->rest = rest;
        return true;
    }
    char *token = l->again ? NULL : token_next(&l->rest, " \t");
    return (token && token_number(token, base, limit, value)) || complain(l, token, expected);
}

/* A signed decimal, modulo 2^64. */
static inline bool difference(struct line *l, const char *expected, uint64_t *value)
{
    bool minus = *l->rest == '-';
    char *rest = l->rest + minus;
    const unsigned digits = short_decimal(rest, value);
    rest = digits && rest[digits] == ' ' ? rest + digits + 1 : plain_number(rest, 10, UINT64_MAX, value);
    if (rest) {
        l->rest = rest;
    } else {
        char *token = l->again ? NULL : token_next(&l->rest, " \t");
        minus = token && *token == '-';
        if (!token || !token_number(token + minus, 10, UINT64_MAX, value)) return complain(l, token, expected);
    }
    if (minus) *value = 0 - *value;
    return true;
}
#endif
