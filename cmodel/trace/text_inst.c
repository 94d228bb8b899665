/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/text_inst.h"

#include <inttypes.h>
#include <string.h>

#include "trace/check.h"
#include "trace/lines.h"

struct parser {
    struct inst *inst;
    uint32_t seen; /* fields of the line */
    char *at;      /* the value of at=, parsed when the mask is known */
    char *fault;
    size_t size;
};

static bool complain(struct parser *p, const char *found, const char *expected)
{
    snprintf(p->fault, p->size, "found '%.60s', expected %s", found, expected);
    return false;
}

static bool parse_register(struct parser *p, const char *text, uint8_t *reg)
{
    uint64_t n;
    if (text[0] != 'r' || !token_number(text + 1, 10, INST_NO_REG - 1, &n))
        return complain(p, text, "a register r0 to r254");
    *reg = (uint8_t)n;
    return true;
}

static bool parse_sources(struct parser *p, char *text)
{
    int n = 0;
    for (char *item; (item = token_next(&text, ",")); n++) {
        if (n == INST_MAX_SRC) return complain(p, item, "at most 4 source registers");
        if (strcmp(item, "-") != 0 && !parse_register(p, item, &p->inst->src[n])) return false;
    }
    return true;
}

/* Lanes of a mask: 0-15,20. */
static bool parse_lanes(struct parser *p, char *text)
{
    p->inst->mask = 0;
    for (char *item; (item = token_next(&text, ","));) {
        char *rest = item;
        uint64_t from, to;
        char *first = token_next(&rest, "-"), *second = token_next(&rest, "-");
        bool valid = first && token_number(first, 10, WARP_SIZE - 1, &from);
        if (valid) valid = second ? token_number(second, 10, WARP_SIZE - 1, &to) && from <= to : (to = from, true);
        if (!valid) return complain(p, item, "a lane or a range of lanes within 0-31");
        for (uint64_t lane = from; lane <= to; lane++) p->inst->mask |= 1u << lane;
    }
    return true;
}

static bool parse_limited(struct parser *p, const char *text, uint64_t limit, const char *expected, uint64_t *value)
{
    return token_number(text, 10, limit, value) || complain(p, text, expected);
}

bool text_seen(const char *const *keys, const char *key, uint32_t *seen)
{
    for (uint32_t i = 0; keys[i]; i++) {
        if (strcmp(keys[i], key) != 0) continue;
        bool before = *seen >> i & 1;
        *seen |= 1u << i;
        return before;
    }
    return false;
}

static bool parse_mbarrier(struct parser *p, const char *text)
{
    uint64_t n;
    if (!inst_has_mbarrier(p->inst->op)) return complain(p, "mbarrier=", "no mbarrier for this operation");
    if (!parse_limited(p, text, INST_MBARRIERS - 1, "an mbarrier of 0 to 255", &n)) return false;
    p->inst->size = (uint8_t)n;
    return true;
}

static bool parse_field(struct parser *p, char *field)
{
    static const char *const keys[] = {"pc", "dst", "src", "mask", "count", "at", "mbarrier", NULL};
    char *value = strchr(field, '=');
    uint64_t n;
    if (!value) return complain(p, field, "KEY=VALUE");
    *value++ = '\0';
    if (text_seen(keys, strcmp(field, "lanes") ? field : "mask", &p->seen))
        return complain(p, field, "each of pc, dst, src, mask (or lanes), count, at, mbarrier once");
    if (!strcmp(field, "dst")) return parse_register(p, value, &p->inst->dst);
    if (!strcmp(field, "src")) return parse_sources(p, value);
    if (!strcmp(field, "lanes")) return parse_lanes(p, value);
    if (!strcmp(field, "at")) {
        p->at = value;
        return true;
    }
    if (!strcmp(field, "pc"))
        return parse_limited(p, value, UINT32_MAX, "a 32-bit number", &n) && (p->inst->pc = (uint32_t)n, true);
    if (!strcmp(field, "mask"))
        return parse_limited(p, value, UINT32_MAX, "a 32-bit mask", &n) && (p->inst->mask = (uint32_t)n, true);
    if (!strcmp(field, "count"))
        return parse_limited(p, value, UINT16_MAX, "a count of 1 to 65535", &n) && (p->inst->count = (uint16_t)n, true);
    if (!strcmp(field, "mbarrier")) return parse_mbarrier(p, value);
    return complain(p, field, "one of pc, dst, src, mask, lanes, count, at, mbarrier");
}

static bool parse_op(struct parser *p, char *word)
{
    char *size = strchr(word, '.');
    uint64_t n = 0;
    if (size) *size++ = '\0';
    uint8_t op = 0;
    while (op < INST_OPS && strcmp(word, inst_op_name(op)) != 0) op++;
    if (op == INST_OPS)
        return complain(p, word,
                        "an operation: sp, sfu, int, dp, tensor, load, load_l2, store, atomic, shared_load, "
                        "shared_store, copy, copy_l2, commit, "
                        "wait, arrive, await, barrier, exit");
    if (inst_is_memory(op) && (!size || !token_number(size, 10, INST_MAX_SIZE, &n)))
        return complain(p, size ? size : "no size", "a size, as in load.4");
    if (!inst_is_memory(op) && size) return complain(p, size, "no size for this operation");
    p->inst->op = op;
    p->inst->size = (uint8_t)n;
    return true;
}

/* BASE, BASE+STRIDE or BASE-STRIDE per lane number, from the first active lane. */
static bool parse_strided(struct parser *p, char *text)
{
    char *sign = strpbrk(text, "+-"), minus = sign ? *sign : '+';
    uint64_t base, stride = 0;
    if (sign) *sign++ = '\0';
    if (!token_number(text, 10, UINT64_MAX, &base)) return complain(p, text, "an address");
    if (sign && !token_number(sign, 10, UINT64_MAX, &stride)) return complain(p, sign, "a stride");
    int first = __builtin_ctz(p->inst->mask);
    for (uint32_t rest = p->inst->mask; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        uint64_t offset = (uint64_t)(lane - first) * stride;
        p->inst->addr[lane] = minus == '-' ? base - offset : base + offset;
    }
    return true;
}

static bool parse_list(struct parser *p, char *text)
{
    uint32_t rest = p->inst->mask;
    for (char *item; (item = token_next(&text, ",")); rest &= rest - 1) {
        if (!rest) return complain(p, item, "one address per active lane, no more");
        if (!token_number(item, 10, UINT64_MAX, &p->inst->addr[__builtin_ctz(rest)]))
            return complain(p, item, "an address");
    }
    return rest ? complain(p, "fewer addresses", "one per active lane") : true;
}

static bool parse_addresses(struct parser *p, char *text)
{
    if (!inst_is_memory(p->inst->op)) return text ? complain(p, "at=", "no addresses for this operation") : true;
    if (!text) return complain(p, "no addresses", "at=BASE, at=BASE+STRIDE or at=A,B,...");
    return strchr(text, ',') ? parse_list(p, text) : parse_strided(p, text);
}

const char *text_parse_inst(char *line, const struct text_defaults *defaults, struct inst *inst, char *fault,
                            size_t size)
{
    struct parser p = {.inst = inst, .fault = fault, .size = size};
    char *rest = line, *word = token_next(&rest, " \t");
    memset(inst, 0, sizeof *inst);
    *inst = (struct inst){.dst = INST_NO_REG, .count = 1, .pc = defaults->pc, .mask = defaults->lanes};
    memset(inst->src, INST_NO_REG, sizeof inst->src);
    if (!word || !parse_op(&p, word)) return fault;
    for (char *field; (field = token_next(&rest, " \t"));) {
        if (field[0] == '#') break;
        if (!parse_field(&p, field)) return fault;
    }
    const char *wrong = inst_fault(inst, defaults->lanes);
    if (wrong) {
        snprintf(fault, size, "found %s", wrong);
        return fault;
    }
    return parse_addresses(&p, p.at) ? NULL : fault;
}

static bool strided(const struct inst *i, uint64_t *stride)
{
    int first = __builtin_ctz(i->mask);
    uint32_t rest = i->mask & (i->mask - 1);
    if (!rest) return true;
    int second = __builtin_ctz(rest);
    int64_t step = (int64_t)(i->addr[second] - i->addr[first]);
    if (step % (second - first)) return false;
    *stride = (uint64_t)(step / (second - first));
    for (; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        if (i->addr[lane] != i->addr[first] + (uint64_t)(lane - first) * *stride) return false;
    }
    return true;
}

static void print_addresses(FILE *to, const struct inst *i)
{
    uint64_t stride = 0, base = i->addr[__builtin_ctz(i->mask)];
    fprintf(to, " at=0x%" PRIx64, base);
    if (!strided(i, &stride)) {
        for (uint32_t rest = i->mask & (i->mask - 1); rest; rest &= rest - 1)
            fprintf(to, ",0x%" PRIx64, i->addr[__builtin_ctz(rest)]);
    } else if ((int64_t)stride < 0) {
        fprintf(to, "-%" PRIu64, 0 - stride);
    } else if (stride) {
        fprintf(to, "+%" PRIu64, stride);
    }
}

static void print_sources(FILE *to, const struct inst *i)
{
    int n = INST_MAX_SRC;
    while (n && i->src[n - 1] == INST_NO_REG) n--;
    for (int s = 0; s < n; s++) {
        fputs(s ? "," : " src=", to);
        if (i->src[s] == INST_NO_REG)
            fputc('-', to);
        else
            fprintf(to, "r%u", i->src[s]);
    }
}

void text_print_inst(FILE *to, const struct text_defaults *defaults, const struct inst *i)
{
    fputs(inst_op_name(i->op), to);
    if (inst_is_memory(i->op)) fprintf(to, ".%u", i->size);
    if (i->pc != defaults->pc) fprintf(to, " pc=0x%" PRIx32, i->pc);
    if (i->dst != INST_NO_REG) fprintf(to, " dst=r%u", i->dst);
    print_sources(to, i);
    if (i->mask != defaults->lanes) fprintf(to, " mask=0x%08" PRIx32, i->mask);
    if (i->count != 1) fprintf(to, " count=%u", i->count);
    if (inst_has_mbarrier(i->op)) fprintf(to, " mbarrier=%u", i->size);
    if (inst_is_memory(i->op)) print_addresses(to, i);
    fputc('\n', to);
}
