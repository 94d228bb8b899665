/* SPDX-License-Identifier: Apache-2.0 */
/* Encoder of encoded.h. */
#include <xxhash.h>

#include "trace/check.h"
#include "trace/codec.h"

#define FIRST_TEMPLATES 512 /* room at the start; doubled when full */

struct warp_writer {
    struct bytes out;
    struct warp_state state;
    bool ended;
};

struct encoder {
    struct kernel_info kernel;
    uint32_t warps, blocks;
    struct bytes templates, body; /* serialised templates; finished blocks */
    struct template *table;
    uint32_t *buckets; /* template number + 1, or 0; twice as many buckets as templates */
    uint32_t template_count, template_room;
    struct warp_writer warp[TRACE_MAX_WARPS];
};

static uint32_t hash_template(const struct template *t)
{
    uint8_t key[16] = {t->op, t->size, t->dst, (uint8_t)t->count, (uint8_t)(t->count >> 8)};
    memcpy(key + 5, t->src, INST_MAX_SRC);
    memcpy(key + 9, &t->pc, sizeof t->pc);
    return (uint32_t)XXH3_64bits(key, sizeof key);
}

/* The bucket of a template, or a free bucket for it. */
static uint32_t find_bucket(const struct encoder *e, const struct template *t)
{
    uint32_t last = 2 * e->template_room - 1, at = hash_template(t) & last;
    for (; e->buckets[at]; at = (at + 1) & last) {
        const struct template *o = &e->table[e->buckets[at] - 1];
        bool same = o->op == t->op && o->size == t->size && o->dst == t->dst && o->count == t->count && o->pc == t->pc;
        if (same && !memcmp(o->src, t->src, INST_MAX_SRC)) break;
    }
    return at;
}

static bool grow_table(struct encoder *e, uint32_t room)
{
    struct template *table = realloc(e->table, room * sizeof *table);
    if (table) e->table = table;
    uint32_t *buckets = calloc(2 * (size_t)room, sizeof *buckets);
    if (!table || !buckets) {
        free(buckets);
        return false;
    }
    free(e->buckets);
    e->buckets = buckets;
    e->template_room = room;
    for (uint32_t i = 0; i < e->template_count; i++) e->buckets[find_bucket(e, &e->table[i])] = i + 1;
    return true;
}

struct encoder *encoder_new(void)
{
    struct encoder *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    if (grow_table(e, FIRST_TEMPLATES)) return e;
    encoder_free(e);
    return NULL;
}

void encoder_free(struct encoder *e)
{
    if (!e) return;
    for (uint32_t w = 0; w < TRACE_MAX_WARPS; w++) bytes_free(&e->warp[w].out);
    bytes_free(&e->templates);
    bytes_free(&e->body);
    free(e->table);
    free(e->buckets);
    free(e);
}

const char *encoder_begin(struct encoder *e, const struct kernel_info *kernel)
{
    const char *fault = kernel_fault(kernel);
    if (fault) return fault;
    e->kernel = *kernel;
    e->warps = kernel_warps(kernel);
    for (uint32_t w = 0; w < e->warps; w++) {
        e->warp[w].out.size = 0;
        e->warp[w].ended = false;
        warp_state_init(&e->warp[w].state);
    }
    return NULL;
}

static void put_template(struct bytes *out, const struct template *t)
{
    bytes_u8(out, t->op);
    bytes_u8(out, t->size);
    bytes_u8(out, t->dst);
    bytes_put(out, t->src, INST_MAX_SRC);
    bytes_varint(out, t->count);
    bytes_varint(out, t->pc);
    if (!inst_is_memory(t->op)) return;
    bytes_varint(out, t->base);
    bytes_varint(out, zigzag(t->stride));
}

/* Template number of the instruction, allocated if new; CHUNK_TEMPLATES if the table is full. */
static uint32_t find_template(struct encoder *e, const struct inst *i, uint64_t base, uint64_t stride)
{
    struct template t = {
        .op = i->op, .size = i->size, .dst = i->dst, .count = i->count, .pc = i->pc, .base = base, .stride = stride};
    memcpy(t.src, i->src, INST_MAX_SRC);
    uint32_t at = find_bucket(e, &t);
    if (e->buckets[at]) return e->buckets[at] - 1;
    if (e->template_count == e->template_room) {
        if (e->template_room == CHUNK_TEMPLATES || !grow_table(e, 2 * e->template_room)) return CHUNK_TEMPLATES;
        at = find_bucket(e, &t);
    }
    e->table[e->template_count] = t;
    put_template(&e->templates, &t);
    e->buckets[at] = ++e->template_count;
    return e->template_count - 1;
}

/* Address pattern of the active lanes. */
struct shape {
    uint64_t base, stride; /* of the first active lane; per lane number from there */
    bool strided, single;  /* a single lane fits any stride */
};

static struct shape find_shape(const struct inst *i)
{
    int first = __builtin_ctz(i->mask);
    uint32_t rest = i->mask & (i->mask - 1);
    struct shape s = {.base = i->addr[first], .strided = true, .single = rest == 0};
    if (s.single) return s;
    int second = __builtin_ctz(rest), gap = second - first;
    int64_t step = (int64_t)(i->addr[second] - s.base);
    s.stride = (uint64_t)(step / gap);
    s.strided = step % gap == 0;
    for (; s.strided && rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        s.strided = i->addr[lane] == s.base + (uint64_t)(lane - first) * s.stride;
    }
    if (!s.strided) s.stride = 0;
    return s;
}

static int choose_mode(const struct shape *s, const struct address_slot *slot)
{
    if (!s->strided) return ADDRESS_LIST;
    return s->single || s->stride == slot->stride ? ADDRESS_SAME : ADDRESS_STRIDE;
}

static void put_differences(struct bytes *out, const struct inst *i)
{
    uint64_t last = i->addr[__builtin_ctz(i->mask)];
    for (uint32_t rest = i->mask & (i->mask - 1); rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        bytes_varint(out, zigzag(i->addr[lane] - last));
        last = i->addr[lane];
    }
}

static void put_addresses(struct bytes *out, struct address_slot *slot, const struct inst *i, int mode,
                          const struct shape *s)
{
    bytes_varint(out, zigzag(s->base - slot->base));
    if (mode == ADDRESS_STRIDE) bytes_varint(out, zigzag(s->stride));
    if (mode == ADDRESS_STRIDE) slot->stride = s->stride;
    if (mode == ADDRESS_LIST) put_differences(out, i);
    slot->base = s->base;
}

static const char *put_inst(struct encoder *e, struct warp_writer *w, const struct inst *i)
{
    bool memory = inst_is_memory(i->op), new_mask = i->mask != w->state.mask;
    struct shape shape = memory ? find_shape(i) : (struct shape){0};
    uint32_t number = find_template(e, i, shape.base, shape.stride);
    if (number == CHUNK_TEMPLATES) return "more than 65536 different instructions in one chunk, or too little memory";
    struct address_slot *slot = memory ? warp_state_slot(&w->state, number, &e->table[number]) : NULL;
    int mode = memory ? choose_mode(&shape, slot) : ADDRESS_NONE;
    bytes_varint(&w->out,
                 zigzag(number - w->state.next) << CONTROL_BITS | (new_mask ? CONTROL_MASK : 0) | (unsigned)mode);
    if (new_mask) bytes_le(&w->out, i->mask, 4);
    if (memory) put_addresses(&w->out, slot, i, mode, &shape);
    w->state.next = number + 1;
    w->state.mask = i->mask;
    w->ended = i->op == INST_EXIT;
    return w->out.size > CHUNK_MAX ? "a warp of more than 128 MiB" : w->out.failed ? "out of memory" : NULL;
}

const char *encoder_put(struct encoder *e, uint32_t warp, const struct inst *inst)
{
    if (warp >= e->warps) return "an instruction of a warp that the thread block does not have";
    const char *fault = inst_fault(inst, kernel_lanes(&e->kernel, warp));
    if (fault) return fault;
    if (e->warp[warp].ended) return "an instruction after the warp's exit";
    if (inst_is_memory(inst->op) || !inst->size) return put_inst(e, &e->warp[warp], inst);
    struct inst stripped = *inst; /* the size is don't-care here and must not create another template */
    stripped.size = 0;
    return put_inst(e, &e->warp[warp], &stripped);
}

static size_t raw_size(const struct encoder *e)
{
    return 10 + e->templates.size + e->body.size;
}

const char *encoder_end(struct encoder *e)
{
    for (uint32_t w = 0; w < e->warps; w++) {
        if (!e->warp[w].ended) return "a warp that does not end with an exit";
        bytes_varint(&e->body, e->warp[w].out.size);
    }
    for (uint32_t w = 0; w < e->warps; w++) bytes_put(&e->body, e->warp[w].out.data, e->warp[w].out.size);
    e->blocks++;
    if (e->body.failed || e->templates.failed) return "out of memory";
    return raw_size(e) > CHUNK_MAX ? "a chunk of more than 128 MiB" : NULL;
}

bool encoder_full(const struct encoder *e)
{
    return raw_size(e) >= CHUNK_TARGET || e->template_count >= CHUNK_TEMPLATES / 2;
}

uint32_t encoder_blocks(const struct encoder *e)
{
    return e->blocks;
}

const char *encoder_take(struct encoder *e, struct bytes *raw)
{
    *raw = (struct bytes){0};
    bytes_varint(raw, e->template_count);
    bytes_put(raw, e->templates.data, e->templates.size);
    bytes_put(raw, e->body.data, e->body.size);
    bool failed = raw->failed || e->templates.failed || e->body.failed;
    e->templates.size = e->body.size = 0;
    e->template_count = e->blocks = 0;
    memset(e->buckets, 0, 2 * (size_t)e->template_room * sizeof *e->buckets);
    if (failed) bytes_free(raw);
    return failed ? "out of memory" : NULL;
}
