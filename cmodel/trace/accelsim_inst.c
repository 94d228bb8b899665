/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/accelsim_inst.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/check.h"
#include "trace/lines.h"

/* clang-format off */
enum opcode_class {
    SP, SFU, LOAD, STORE, ATOMIC, SHARED_LOAD, SHARED_STORE, /* kind given by the opcode */
    LOCAL_LOAD, LOCAL_STORE,                                 /* the thread's own memory */
    GENERIC_LOAD, GENERIC_STORE, GENERIC_ATOMIC,             /* generic: the address selects the memory */
    BARRIER, EXIT,
    BULK,   /* bulk tensor copies, whose registers a trace does not record: refused */
    UNKNOWN /* counted as SP */
};
/* clang-format on */

struct opcode {
    const char *name; /* up to the first '.' */
    enum opcode_class class;
};

/* SASS from Kepler to Hopper, sorted. */
static const struct opcode opcodes[] = {
#define OPCODE(name, class) {#name, class},
#include "trace/accelsim_opcodes.def"
#undef OPCODE
};

#define LOCAL_WINDOW 0xffffffu /* local addresses are offsets into 16 MiB per thread */
#define SHARED_WINDOW 0xffffffu
/* Base of the interleaved local memory of all threads: below the addresses that CUDA allocates on 64-bit hosts.  A
 * thread has at most 512 KiB of it, anywhere in its window. */
#define LOCAL_AREA ((uint64_t)1 << 46)
#define LOCAL_BYTES (512u << 10)

struct line {
    char *rest;
    struct inst *inst;
    enum opcode_class class;
    char *opcode, *modifiers;
    char *fault;
    size_t size;
};

static bool complain(struct line *l, const char *found, const char *expected)
{
    snprintf(l->fault, l->size, "found '%.60s', expected %s", found ? found : "the end of the line", expected);
    return false;
}

static bool number(struct line *l, int base, uint64_t limit, const char *expected, uint64_t *value)
{
    char *token = token_next(&l->rest, " \t");
    return (token && token_number(token, base, limit, value)) || complain(l, token, expected);
}

/* A signed decimal, modulo 2^64. */
static bool difference(struct line *l, const char *expected, uint64_t *value)
{
    char *token = token_next(&l->rest, " \t");
    bool minus = token && *token == '-';
    if (!token || !token_number(token + minus, 10, UINT64_MAX, value)) return complain(l, token, expected);
    if (minus) *value = 0 - *value;
    return true;
}

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
    char *token = token_next(&l->rest, " \t");
    const char *digits = token ? token + strspn(token, "URP") : "";
    uint64_t n;
    if (!token || digits == token || !token_number(digits, 10, 255, &n)) return complain(l, token, "a register");
    *reg = !strncmp(token, "R", 1) && n < INST_NO_REG ? (uint8_t)n : INST_NO_REG;
    return true;
}

static bool get_destinations(struct line *l)
{
    uint64_t n;
    uint8_t reg;
    if (!number(l, 10, 2, "a number of destination registers, 0 to 2", &n)) return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!get_register(l, &reg)) return false;
        if (l->inst->dst == INST_NO_REG) l->inst->dst = reg;
    }
    return true;
}

static bool get_sources(struct line *l, struct accelsim_counts *counts)
{
    uint64_t n;
    uint8_t reg;
    int used = 0;
    if (!number(l, 10, 8, "a number of source registers, 0 to 8", &n)) return false;
    for (uint64_t i = 0; i < n; i++) {
        if (!get_register(l, &reg)) return false;
        if (reg == INST_NO_REG || memchr(l->inst->src, reg, (size_t)used)) continue;
        if (used < INST_MAX_SRC) {
            l->inst->src[used++] = reg;
        } else {
            counts->dropped_registers++;
        }
    }
    return true;
}

static int compare_opcode(const void *key, const void *row)
{
    return strcmp(key, ((const struct opcode *)row)->name);
}

static bool get_opcode(struct line *l)
{
    l->opcode = token_next(&l->rest, " \t");
    if (!l->opcode) return complain(l, NULL, "an opcode");
    char *dot = strchr(l->opcode, '.');
    l->modifiers = dot ? dot + 1 : NULL;
    if (dot) *dot = '\0';
    const struct opcode *row =
        bsearch(l->opcode, opcodes, sizeof opcodes / sizeof *opcodes, sizeof *opcodes, compare_opcode);
    l->class = row ? row->class : UNKNOWN;
    if (l->class == BARRIER && l->modifiers && !strncmp(l->modifiers, "ARV", 3)) l->class = SP; /* does not wait */
    return l->class != BULK || complain(l, l->opcode, "no bulk tensor copies: they are not modelled");
}

/* Width in bits of a modifier such as 128, U8, S16, F64 or F16x2 (two halves); 0: none. */
static unsigned modifier_bits(const char *modifier)
{
    const char *digits = modifier + strspn(modifier, "USF");
    char *end;
    if (digits - modifier > 1 || *digits < '0' || *digits > '9') return 0;
    unsigned long bits = strtoul(digits, &end, 10);
    if (!strcmp(end, "x2"))
        bits *= 2;
    else if (*end || bits < 8)
        return 0;
    return bits > 4096 ? 4096 : (unsigned)bits;
}

/* Access size.  The tracer's width column repeats the opcode's modifier, but is wrong for one with a type letter.
 * So the opcode decides: 4 bytes unless a modifier gives a size. */
static bool get_size(struct line *l)
{
    unsigned bits = 0;
    char *rest = l->modifiers ? l->modifiers : l->opcode + strlen(l->opcode);
    for (char *m; !bits && (m = token_next(&rest, "."));) bits = modifier_bits(m);
    if (!strcmp(l->opcode, "LDSM") || !strcmp(l->opcode, "STSM"))
        bits = 128; /* each lane addresses a row of 16
                     * bytes */
    unsigned bytes = bits ? bits / 8 : 4;
    l->inst->size = (uint8_t)bytes;
    bool power = bits % 8 == 0 && (bytes & (bytes - 1)) == 0 && bytes <= 16;
    return power || complain(l, l->opcode, "an access of 1, 2, 4, 8 or 16 bytes");
}

static bool address(struct line *l, uint64_t *value)
{
    return number(l, 16, UINT64_MAX, "an address", value);
}

static bool get_list(struct line *l)
{
    for (uint32_t rest = l->inst->mask; rest; rest &= rest - 1) {
        if (!address(l, &l->inst->addr[__builtin_ctz(rest)])) return false;
    }
    return true;
}

static bool get_base_stride(struct line *l)
{
    uint64_t at, stride;
    if (!address(l, &at) || !difference(l, "a stride", &stride)) return false;
    uint32_t mask = l->inst->mask;
    uint32_t run = mask ? mask >> __builtin_ctz(mask) : 0;
    if (run & (run + 1)) return complain(l, "a base and a stride", "that only for neighbouring active lanes");
    for (; mask; mask &= mask - 1, at += stride) l->inst->addr[__builtin_ctz(mask)] = at;
    return true;
}

static bool get_base_delta(struct line *l)
{
    uint64_t at, delta;
    if (!address(l, &at)) return false;
    uint32_t mask = l->inst->mask;
    if (mask) l->inst->addr[__builtin_ctz(mask)] = at;
    for (mask &= mask - 1; mask; mask &= mask - 1) {
        if (!difference(l, "a difference per further active lane", &delta)) return false;
        l->inst->addr[__builtin_ctz(mask)] = at += delta;
    }
    return true;
}

static bool get_addresses(struct line *l)
{
    uint64_t mode;
    if (!number(l, 10, 2, "an address mode: 0 (list), 1 (base and stride) or 2 (base and differences)", &mode))
        return false;
    return mode == 0 ? get_list(l) : mode == 1 ? get_base_stride(l) : get_base_delta(l);
}

/* Since version 4 an immediate may follow. */
static bool get_end(struct line *l)
{
    char *token = token_next(&l->rest, " \t");
    uint64_t ignored;
    if (!token) return true;
    if (!token_number(token + (*token == '-'), 16, UINT64_MAX, &ignored))
        return complain(l, token, "an immediate or the end of the line");
    token = token_next(&l->rest, " \t");
    return !token || complain(l, token, "the end of the line");
}

/* Occupies a pipeline slot only. */
static void make_plain(struct inst *i, uint32_t lanes)
{
    i->op = INST_SP;
    i->size = 0;
    if (i->mask) return;
    i->mask = lanes; /* predicated off in every lane: issues, writes nothing */
    i->dst = INST_NO_REG;
}

/* Local memory in the hardware's layout: the same element of neighbouring threads is contiguous. */
static void interleave(struct inst *i, const struct accelsim_format *f, const struct accelsim_warp *w, uint64_t base)
{
    for (uint32_t rest = i->mask; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        uint64_t element = (i->addr[lane] - base) % LOCAL_BYTES / i->size;
        i->addr[lane] = LOCAL_AREA + (element * f->threads + w->first_thread + (unsigned)lane) * i->size;
    }
}

/* The first active lane's address selects the memory of a generic access. */
static void resolve_generic(struct inst *i, const struct accelsim_format *f, const struct accelsim_warp *w,
                            uint8_t global, uint8_t shared)
{
    uint64_t first = i->addr[__builtin_ctz(i->mask)];
    bool windows = f->shared_base && f->local_base && f->shared_base < f->local_base;
    i->op = global;
    if (!windows || first < f->shared_base || first > f->local_base + LOCAL_WINDOW) return;
    if (first >= f->local_base) {
        if (global != INST_ATOMIC) interleave(i, f, w, f->local_base);
        return;
    }
    i->op = shared;
    for (uint32_t rest = i->mask; rest; rest &= rest - 1) {
        uint64_t *at = &i->addr[__builtin_ctz(rest)];
        *at = (*at - f->shared_base) & SHARED_WINDOW;
    }
}

static void map(struct line *l, const struct accelsim_format *f, const struct accelsim_warp *w)
{
    struct inst *i = l->inst;
    switch (l->class) {
    case SFU:
        i->op = INST_SFU;
        break;
    case LOAD:
        i->op = INST_LOAD;
        break;
    case STORE:
        i->op = INST_STORE;
        break;
    case ATOMIC:
        i->op = INST_ATOMIC;
        break;
    case SHARED_LOAD:
        i->op = INST_SHARED_LOAD;
        break;
    case SHARED_STORE:
        i->op = INST_SHARED_STORE;
        break;
    case LOCAL_LOAD:
        i->op = INST_LOAD;
        interleave(i, f, w, 0);
        break;
    case LOCAL_STORE:
        i->op = INST_STORE;
        interleave(i, f, w, 0);
        break;
    case GENERIC_LOAD:
        resolve_generic(i, f, w, INST_LOAD, INST_SHARED_LOAD);
        break;
    case GENERIC_STORE:
        resolve_generic(i, f, w, INST_STORE, INST_SHARED_STORE);
        break;
    case GENERIC_ATOMIC:
        resolve_generic(i, f, w, INST_ATOMIC, INST_SHARED_LOAD);
        break;
    case BARRIER:
        i->op = INST_BARRIER;
        break;
    case EXIT:
        i->op = INST_EXIT;
        break;
    case SP:
    case BULK:
    case UNKNOWN:
        break;
    }
}

static bool is_memory(enum opcode_class class)
{
    return class >= LOAD && class <= GENERIC_ATOMIC;
}

static bool get_memory(struct line *l, uint64_t width)
{
    if (width && !get_addresses(l)) return false;
    if (l->class == UNKNOWN && width) return complain(l, l->opcode, "a known opcode where there are addresses");
    if (!is_memory(l->class) || !l->inst->mask) return true;
    return width ? get_size(l) : complain(l, l->opcode, "addresses for this opcode");
}

static void count_unknown(const struct line *l, struct accelsim_counts *counts)
{
    if (l->class != UNKNOWN) return;
    if (!counts->unknown_opcodes++)
        name_copy(counts->first_unknown, sizeof counts->first_unknown, l->opcode, strlen(l->opcode));
}

const char *accelsim_parse(char *line, const struct accelsim_format *f, const struct accelsim_warp *w,
                           struct inst *inst, struct accelsim_counts *counts, char *fault, size_t size)
{
    struct line l = {.rest = line, .inst = inst, .fault = fault, .size = size};
    uint64_t pc, mask, width;
    memset(inst, 0, sizeof *inst);
    *inst = (struct inst){.op = INST_SP, .dst = INST_NO_REG, .count = 1};
    memset(inst->src, INST_NO_REG, sizeof inst->src);
    if (!skip_numbers(&l, (f->version < 3 ? 4 : 0) + f->line_numbers, "a thread block, a warp or a line number"))
        return fault;
    if (!number(&l, 16, UINT32_MAX, "a program counter", &pc) || !number(&l, 16, UINT32_MAX, "an active mask", &mask))
        return fault;
    inst->pc = (uint32_t)pc;
    inst->mask = (uint32_t)mask;
    if (!get_destinations(&l) || !get_opcode(&l) || !get_sources(&l, counts)) return fault;
    if (!number(&l, 10, 4096, "a memory width", &width) || !get_memory(&l, width) || !get_end(&l)) return fault;
    count_unknown(&l, counts);
    if (l.class == EXIT && !w->last) l.class = SP; /* some lanes exit, the warp continues */
    if (inst->mask || l.class == EXIT) map(&l, f, w);
    if (inst->op == INST_SP) make_plain(inst, w->lanes);
    const char *wrong = inst_fault(inst, w->lanes);
    if (!wrong) return NULL;
    snprintf(fault, size, "found %s", wrong);
    return fault;
}
