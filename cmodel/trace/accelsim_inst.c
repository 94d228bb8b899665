/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/accelsim_inst.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/accelsim_line.h"
#include "trace/accelsim_opcode.h"
#include "trace/check.h"
#include "trace/lines.h"

#define MOST_GROUPS 65534u /* that an inst.count can hold */

static bool skip_numbers(struct line *l, int n, const char *expected)
{
    uint64_t ignored;
    for (int i = 0; i < n; i++) {
        if (!number(l, 10, UINT64_MAX, expected, &ignored)) return false;
    }
    return true;
}

/* R0 to R254; R255 is the zero register.  Uniform registers and predicates have no scoreboard entry. */
static bool get_register(struct line *l, uint8_t *reg)
{
    uint64_t n;
    char *rest = *l->rest == 'R' ? plain_number(l->rest + 1, 10, INST_NO_REG, &n) : NULL;
    if (rest) {
        l->rest = rest;
        *reg = (uint8_t)n;
        return true;
    }
    char *token = token_next(&l->rest, " \t");
    const char *digits = token ? token + strspn(token, "URP") : "";
    if (!token || digits == token || !token_number(digits, 10, 255, &n)) return complain(l, token, "a register");
    *reg = !strncmp(token, "R", 1) && n < INST_NO_REG ? (uint8_t)n : INST_NO_REG;
    return true;
}

static bool get_destinations(struct line *l)
{
    uint64_t n;
    uint8_t reg;
    if (l->parser->format.version < 6 ? !number(l, 10, 2, "a number of destination registers, 0 to 2", &n)
                                      : !number(l, 10, 16, "a number of destination registers, 0 to 16", &n))
        return false;
    l->head->registers = (uint8_t)n;
    for (uint64_t i = 0; i < n; i++) {
        if (!get_register(l, &reg)) return false;
        l->head->second |= l->head->dst != INST_NO_REG && reg != INST_NO_REG;
        if (l->head->dst == INST_NO_REG) l->head->dst = reg;
    }
    return true;
}

static bool get_sources(struct line *l)
{
    uint64_t n;
    uint8_t reg;
    int used = 0;
    if (l->parser->format.version < 6 ? !number(l, 10, 8, "a number of source registers, 0 to 8", &n)
                                      : !number(l, 10, 16, "a number of source registers, 0 to 16", &n))
        return false;
    l->head->registers = (uint8_t)(l->head->registers + n);
    for (uint64_t i = 0; i < n; i++) {
        if (!get_register(l, &reg)) return false;
        if (reg == INST_NO_REG || memchr(l->head->src, reg, (size_t)used)) continue;
        if (used < INST_MAX_SRC) {
            l->head->src[used++] = reg;
        } else {
            l->head->dropped++;
        }
    }
    return true;
}

static bool get_opcode(struct line *l)
{
    struct accelsim_head *h = l->head;
    char *opcode = token_next(&l->rest, " \t");
    if (!opcode) return complain(l, NULL, "an opcode");
    const struct accelsim_opcode meaning = accelsim_opcode(opcode);
    h->class = meaning.class;
    h->size = meaning.size;
    h->around = meaning.around;
    h->loss = meaning.loss;
    name_copy(h->opcode, sizeof h->opcode, opcode, strlen(opcode));
    return !is_bulk(h->class) || l->parser->format.version >= 6 ||
           complain(l, opcode, "no bulk copies: tracers before version 6 do not record their addresses");
}

/* A line from its program counter on, as tracers write it: 4 to 7 digits, a mask of 8 digits, the other fields. */
struct split {
    uint64_t pc; /* the digits, as text */
    const char *mask, *fields;
};

static bool split_line(const char *text, struct split *s)
{
    unsigned digits = 4;
    while (digits < 8 && text[digits] != ' ') digits++;
    if (!*text || digits == 8 || text[digits + 9] != ' ')
        return false; /* a NUL: nothing to read; a line read before may follow */
    memcpy(&s->pc, text, sizeof s->pc);
    s->pc <<= 64 - 8 * digits; /* without the text that follows, on a little-endian host */
    s->mask = text + digits + 1;
    s->fields = text + digits + 10;
    return true;
}

/* By a hash of the program counter and of 14 bytes: they include most registers, and few heads are shorter. */
static struct accelsim_head *head_set(struct accelsim_parser *p, const struct split *s)
{
    uint64_t first, second, hash;
    memcpy(&first, s->fields, sizeof first);
    memcpy(&second, s->fields + 6, sizeof second);
    hash = (s->pc ^ first) * 0x9e3779b97f4a7c15u;
    hash = ((hash ^ hash >> 32) + second) * 0x9e3779b97f4a7c15u;
    return p->heads[hash >> (64 - ACCELSIM_SET_BITS)];
}

static struct accelsim_head *find_head(struct accelsim_parser *p, const struct split *s)
{
    struct accelsim_head *set = head_set(p, s);
    for (uint32_t way = 0; way < ACCELSIM_WAYS; way++) {
        if (set[way].pc_text == s->pc && !memcmp(s->fields, set[way].text, set[way].length)) return &set[way];
    }
    return NULL;
}

/* Bytes of the text from `fields` on that lines with the same head repeat: up to the addresses, or else with the
 * newline.  0: too many. */
static size_t head_length(const struct line *l, const char *fields)
{
    const char *newline = memchr(fields, '\n', HEAD_BYTES);
    if (!l->head->addresses) return newline ? (size_t)(newline + 1 - fields) : 0;
    const size_t length = (size_t)(l->end - l->fields);
    return length <= HEAD_BYTES && is_blank(fields[length - 1]) ? length : 0;
}

/* Keeps the head of a line that is found again; `text` is the line before it was parsed, with its
 * newline. */
static void keep_head(struct line *l, const char *text)
{
    struct accelsim_parser *p = l->parser;
    struct split s;
    if (!split_line(text, &s) || s.fields - text != l->fields - l->start) return;
    const size_t length = head_length(l, s.fields);
    if (!length) return;
    struct accelsim_head *place = find_head(p, &s);
    if (!place) place = &head_set(p, &s)[p->replaced++ % ACCELSIM_WAYS];
    *place = *l->head;
    place->pc_text = s.pc;
    place->length = (uint8_t)length;
    memcpy(place->text, s.fields, length);
    l->head = place;
}

/* Since version 6: whether the instruction ends a group. */
static bool get_gmma_flag(struct line *l)
{
    uint64_t flag;
    return l->parser->format.version < 6 || !strstr(l->head->opcode, "GMMA") ||
           number(l, 10, UINT32_MAX, "the flag of a GMMA instruction", &flag);
}

/* ARRIVES with the address of its mbarrier. */
static void find_arrival(struct accelsim_head *h)
{
    if (h->class != ARRIVE || !h->addresses) return;
    h->class = MBARRIER_ARRIVE;
    h->loss = LOSS_none;
}

/* LDC with the addresses in constant memory, which today's tracers do not write. */
static void find_constant(struct accelsim_head *h)
{
    if (h->class != CONSTANT || !h->addresses) return;
    h->class = CONSTANT_LOAD;
    h->loss = LOSS_none;
}

static bool parse_head(struct line *l)
{
    struct accelsim_head *h = l->head;
    uint64_t width;
    if (!get_destinations(l) || !get_opcode(l) || !get_sources(l) || !get_gmma_flag(l) ||
        !number(l, 10, l->parser->format.version < 6 ? 4096 : UINT16_MAX, "a memory width", &width))
        return false;
    h->width = (uint16_t)width;
    h->addresses = width != 0 || is_bulk(h->class);
    find_constant(h);
    h->simple = !h->dropped && !h->second &&
                (h->addresses ? h->class >= LOAD && h->class <= CONSTANT_LOAD && h->size : h->class <= CLUSTER_BARRIER);
    find_arrival(h);
    return true;
}

static bool get_head(struct line *l)
{
    uint64_t pc, mask;
    l->start = l->rest;
    if (!number(l, 16, UINT32_MAX, "a program counter", &pc) || !number(l, 16, UINT32_MAX, "an active mask", &mask))
        return false;
    l->fields = l->rest;
    l->inst->mask = (uint32_t)mask;
    l->head = &l->parser->latest;
    *l->head = (struct accelsim_head){.dst = INST_NO_REG, .pc = (uint32_t)pc, .count = 1};
    memset(l->head->src, INST_NO_REG, sizeof l->head->src);
    if (!parse_head(l)) return false;
    l->end = l->rest;
    return true;
}

/* Warps mostly keep their mask from line to line. */
static bool get_mask_again(struct line *l, const char *text)
{
    struct accelsim_parser *p = l->parser;
    uint64_t digits, mask;
    memcpy(&digits, text, sizeof digits);
    if (digits != p->mask_text) {
        if (plain_number((char *)text, 16, UINT32_MAX, &mask) != text + 9) return false;
        p->mask_text = digits;
        p->mask = (uint32_t)mask;
    }
    l->inst->mask = p->mask;
    return true;
}

static bool get_head_again(struct line *l)
{
    struct split s;
    if (!split_line(l->rest, &s) || !get_mask_again(l, s.mask)) return false;
    l->head = find_head(l->parser, &s);
    if (!l->head) return false;
    l->rest = (char *)s.fields + l->head->length;
    return true;
}

/* Mostly 0x, digits and a blank. */
static bool address(struct line *l, uint64_t *value)
{
    char *at = l->rest + 2;
    uint64_t more;
    unsigned digits = at[-2] == '0' && at[-1] == 'x' ? short_hexadecimal(at, value) : 0;
    if (digits == 8 && at[8] != ' ') {
        digits += short_hexadecimal(at + 8, &more);
        if (digits > 8) *value = *value << 4 * (digits - 8) | more;
    }
    if (digits && at[digits] == ' ') {
        l->rest = at + digits + 1;
        return true;
    }
    return number(l, 16, UINT64_MAX, "an address", value);
}

static bool get_list(struct line *l)
{
    for (uint32_t rest = l->inst->mask; rest; rest &= rest - 1) {
        if (!address(l, &l->inst->addr[__builtin_ctz(rest)])) return false;
    }
    if (l->inst->mask) pattern_find(l->addresses, l->inst);
    return true;
}

/* Between active lanes.  A line has a stride only without gaps. */
static bool has_gaps(uint32_t mask)
{
    const uint32_t run = mask ? mask >> __builtin_ctz(mask) : 0;
    return run & (run + 1);
}

static bool get_base_stride(struct line *l)
{
    struct pattern *p = l->addresses;
    if (!address(l, &p->base) || !difference(l, "a stride", &p->stride)) return false;
    if (has_gaps(l->inst->mask)) return complain(l, "a base and a stride", "that only for neighbouring active lanes");
    p->strided = true;
    return true;
}

/* A difference with the blank after it, as text, and its value. */
struct step {
    uint64_t text, bytes; /* the text in the lowest bytes, on a little-endian host; which bytes those are */
    uint64_t value;
    uint32_t length;
};

static bool read_step(struct line *l, struct step *s)
{
    uint64_t text;
    const char *first = l->rest;
    memcpy(&text, first, sizeof text);
    if (!difference(l, "a difference per further active lane", &s->value)) return false;
    s->length = (uint32_t)(l->rest - first);
    const bool keeps = s->length < sizeof text && l->rest[-1] == ' ';
    s->bytes = keeps ? (1ull << 8 * s->length) - 1 : 0;
    s->text = keeps ? text & s->bytes : 1; /* 1: no text is this one */
    return true;
}

/* Most differences of a line are that of the lane before. */
static bool get_steps(struct line *l, int count)
{
    uint64_t *const to = l->addresses->step;
    for (int n = 0; n < count;) {
        struct step step;
        if (!read_step(l, &step)) return false;
        to[n++] = step.value;
        char *at = l->rest;
        for (; n < count; n++) {
            uint64_t text;
            memcpy(&text, at, sizeof text);
            if ((text & step.bytes) != step.text) break;
            at += step.length;
            to[n] = step.value;
        }
        l->rest = at;
    }
    return true;
}

static bool get_base_delta(struct line *l)
{
    struct pattern *p = l->addresses;
    const uint32_t mask = l->inst->mask;
    const int steps = mask ? __builtin_popcount(mask) - 1 : 0;
    if (!address(l, &p->base) || !get_steps(l, steps)) return false;
    p->stride = 0;
    p->strided = steps == 0;
    if (has_gaps(mask)) pattern_find_stride(p, mask);
    return true;
}

static bool get_addresses(struct line *l)
{
    if (is_bulk(l->head->class)) return accelsim_bulk_parse(l, l->head->width);
    uint64_t mode = (uint64_t)*l->rest - '0';
    if (mode <= 2 && l->rest[1] == ' ')
        l->rest += 2;
    else if (!number(l, 10, 2, "an address mode: 0 (list), 1 (base and stride) or 2 (base and differences)", &mode))
        return false;
    return mode == 0 ? get_list(l) : mode == 1 ? get_base_stride(l) : get_base_delta(l);
}

/* DEPBAR's immediate: groups of copies that may be in flight. */
static void set_groups(struct accelsim_head *h, const char *immediate)
{
    uint64_t n;
    if (h->class != WAIT || !token_number(immediate, 10, UINT64_MAX, &n)) return;
    h->count = (uint16_t)(1 + (n < MOST_GROUPS ? n : MOST_GROUPS));
}

static bool get_immediate(struct line *l, char **token)
{
    uint64_t ignored;
    return token_number(*token + (**token == '-'), 16, UINT64_MAX, &ignored) ||
           complain(l, *token, "an immediate or the end of the line");
}

/* Of each of `count` registers one value, or one for each lane. */
static bool get_values(struct line *l, uint64_t count)
{
    uint64_t values, ignored;
    for (uint64_t n = 0; n < count; n++) {
        if (!number(l, 10, WARP_SIZE, "1 or 32 values of a register", &values)) return false;
        if (values != 1 && values != WARP_SIZE)
            return complain(l, "another number of values of a register", "1 or 32 of them");
        for (uint64_t v = 0; v < values; v++)
            if (!number(l, 16, UINT32_MAX, "a value of a register", &ignored)) return false;
    }
    return true;
}

/* Threads of a barrier: the second immediate, or the first one if the barrier's number is in a register. */
static void set_barrier_threads(struct line *l, uint64_t first, uint64_t second, bool values)
{
    struct accelsim_head *h = l->head;
    const uint64_t threads = second ? second : values && h->registers ? first : 0;
    if (h->class != BARRIER || !threads || threads >= l->parser->format.block_threads) return;
    h->class = INT;
    h->loss = LOSS_partial_barriers;
}

/* Version 6: a second immediate, and the registers' values or NoVal, each of which may be missing. */
static bool get_end_6(struct line *l, const char *first)
{
    uint64_t immediate[2] = {0};
    char *token = token_next(&l->rest, " \t");
    token_number(first, 10, UINT64_MAX, &immediate[0]);
    if (token && *token != 'N' && *token != 'V') {
        if (!get_immediate(l, &token)) return false;
        token_number(token, 10, UINT64_MAX, &immediate[1]);
        token = token_next(&l->rest, " \t");
    }
    const bool values = token && !strcmp(token, "Val");
    set_barrier_threads(l, immediate[0], immediate[1], values);
    if (!token) return true;
    if (!values && strcmp(token, "NoVal") != 0) return complain(l, token, "Val, NoVal or the end of the line");
    if (values && !get_values(l, l->head->registers)) return false;
    token = token_next(&l->rest, " \t");
    return !token || complain(l, token, "the end of the line");
}

/* Since version 4 an immediate may follow. */
static bool get_end(struct line *l)
{
    while (is_blank(*l->rest)) l->rest++;
    if (!*l->rest) return true;
    char *token = token_next(&l->rest, " \t");
    if (!get_immediate(l, &token)) return false;
    set_groups(l->head, token);
    if (l->parser->format.version >= 6) return get_end_6(l, token);
    token = token_next(&l->rest, " \t");
    return !token || complain(l, token, "the end of the line");
}

static bool skip_immediate(struct line *l)
{
    uint64_t ignored;
    l->rest = plain_number(l->rest + (*l->rest == '-'), 16, UINT64_MAX, &ignored);
    return l->rest != NULL;
}

static bool get_end_again(struct line *l)
{
    static const char no_values[] = "NoVal";
    if (*l->rest != '\n' && !skip_immediate(l)) return false;
    if (l->parser->format.version >= 6 && *l->rest != '\n') {
        if (*l->rest != 'N' && !skip_immediate(l)) return false;
        if (!strncmp(l->rest, no_values, sizeof no_values - 1)) l->rest += sizeof no_values - 1;
        while (is_blank(*l->rest)) l->rest++;
    }
    return *l->rest++ == '\n';
}

/* Predicated off in every lane, it issues to its unit and writes nothing. */
static void make_arithmetic(struct inst *i)
{
    i->size = 0;
    if (!i->mask) i->dst = INST_NO_REG;
}

static bool is_arithmetic(enum opcode_class class)
{
    return class <= DP || class == TENSOR;
}

static bool is_memory(enum opcode_class class)
{
    return class >= LOAD && class <= GENERIC_ATOMIC;
}

/* Whether the instruction can have the addresses that were found, or none. */
static bool check_addresses(struct line *l)
{
    const struct accelsim_head *h = l->head;
    if (h->class == UNKNOWN && h->addresses) return complain(l, h->opcode, "a known opcode where there are addresses");
    if (!is_memory(h->class) || !l->inst->mask) return true;
    if (!h->addresses) return complain(l, h->opcode, "addresses for this opcode");
    return h->size || complain(l, h->opcode, "an access of 1, 2, 4, 8, 16 or 32 bytes");
}

static void count_losses(const struct accelsim_head *h, struct accelsim_counts *counts)
{
    counts->loss[LOSS_dropped_registers] += h->dropped;
    counts->loss[LOSS_second_destinations] += h->second;
    if (h->class == UNKNOWN && !counts->loss[LOSS_unknown_opcodes]++)
        name_copy(counts->first_unknown, sizeof counts->first_unknown, h->opcode, strlen(h->opcode));
}

/* Thread block and warp in old traces, and the line number. */
static inline bool get_leading(struct line *l)
{
    const struct accelsim_format *f = &l->parser->format;
    return skip_numbers(l, (f->version < 3 ? 4 : 0) + f->line_numbers, "a thread block, a warp or a line number");
}

static void finish(struct line *l, const struct accelsim_warp *w)
{
    const struct accelsim_head *h = l->head;
    struct inst *i = l->inst;
    i->op = INST_INT;
    i->size = is_memory(h->class) ? h->size : 0;
    i->dst = h->dst;
    memcpy(i->src, h->src, sizeof i->src);
    i->count = h->count;
    i->pc = h->pc;
    count_losses(h, &l->parser->counts);
    const bool exits = h->class == EXIT && w->last; /* else some lanes exit, the warp continues */
    if (i->mask || exits || is_arithmetic(h->class)) accelsim_map(exits || h->class != EXIT ? h->class : INT, l, w);
    if (inst_is_arithmetic(i->op) && l->kind == ACCELSIM_ONE) make_arithmetic(i);
}

/* The same line can become other instructions: it is parsed each time. */
static bool is_stateful(enum opcode_class class)
{
    return class > EXIT && class != UNKNOWN;
}

void accelsim_begin_kernel(struct accelsim_parser *p)
{
    const struct accelsim_format *now = &p->format, *last = &p->last_format;
    const bool other = now->version != last->version || now->block_threads != last->block_threads;
    if (other && (now->version >= 6 || last->version >= 6)) memset(p->heads, 0, sizeof p->heads);
    p->last_format = *now;
}

static inline struct line line_begin(struct accelsim_parser *p, char *text, struct accelsim_inst *i)
{
    return (struct line){.rest = text, .inst = &i->inst, .addresses = &i->addresses, .parser = p};
}

/* Completes an instruction, unless it has its template from the last time. */
static inline void line_end(struct line *l, const struct accelsim_warp *w, struct accelsim_inst *i)
{
    struct accelsim_head *h = i->head = l->head;
    const bool simple = h->simple && i->inst.mask;
    l->kind = h->class == MARKER ? ACCELSIM_NONE : ACCELSIM_ONE;
    i->template = simple ? &h->template : &l->parser->latest.template;
    i->repeats = simple && h->template.chunk == l->parser->chunk;
    i->plain = !h->addresses && h->class != UNKNOWN && !is_stateful(h->class) && !h->dropped && !h->second &&
               (h->class != EXIT || w->last) && l->parser->format.version >= 3;
    if (!i->repeats) finish(l, w);
    i->kind = l->kind;
}

const char *accelsim_parse(struct accelsim_parser *p, char *line, const struct accelsim_warp *w,
                           struct accelsim_inst *inst)
{
    struct line l = line_begin(p, line, inst);
    char text[LINE_SLACK];
    if (!get_leading(&l)) return p->fault;
    memcpy(text, l.rest, sizeof text); /* parsing overwrites the line */
    char *nul = memchr(text, '\0', sizeof text);
    if (nul) *nul = '\n';
    if (!get_head(&l) || (l.head->addresses && !get_addresses(&l)) || !check_addresses(&l) || !get_end(&l))
        return p->fault;
    if (!is_stateful(l.head->class)) keep_head(&l, text);
    line_end(&l, w, inst);
    return NULL;
}

size_t accelsim_parse_again(struct accelsim_parser *p, char *text, const struct accelsim_warp *w,
                            struct accelsim_inst *inst)
{
    struct line l = line_begin(p, text, inst);
    l.again = true;
    if (!get_leading(&l) || !get_head_again(&l)) return 0;
    if (l.head->addresses && !(get_addresses(&l) && get_end_again(&l))) return 0;
    if (!l.head->simple && !check_addresses(&l)) return 0;
    line_end(&l, w, inst);
    return (size_t)(l.rest - text);
}
