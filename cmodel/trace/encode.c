/* SPDX-License-Identifier: Apache-2.0 */
/* Encoder of encoded.h. */
#include <xxhash.h>

#include "trace/check.h"
#include "trace/codec.h"

#define FIRST_TEMPLATES 512 /* room at the start; doubled when full */

struct warp_writer {
    struct bytes out;
    uint32_t next;    /* expected next template number: last + 1; 0 at the start */
    uint32_t mask;    /* of the last instruction; all lanes at the start */
    uint32_t lanes;   /* that hold a thread */
    uint32_t claimed; /* slots that hold a template of this block */
    bool ended;
    struct address_slot slot[ADDRESS_SLOTS];
};

struct encoder {
    bool in_memory; /* encodes blocks to open, not chunks of a file */
    uint64_t chunk; /* from 1 */
    const struct kernel_info *kernel;
    uint32_t warps, blocks;
    struct bytes templates, body; /* serialised templates; finished blocks */
    struct templates *table;
    uint32_t *buckets; /* template number + 1, or 0; twice as many buckets as the table has rows */
    struct warp_writer warp[TRACE_MAX_WARPS];
};

static uint32_t hash_template(const struct template *t)
{
    uint8_t key[16] = {t->op, t->size, t->dst, (uint8_t)t->count, (uint8_t)(t->count >> 8)};
    memcpy(key + 5, t->src, INST_MAX_SRC);
    memcpy(key + 9, &t->pc, sizeof t->pc);
    return (uint32_t)XXH3_64bits(key, sizeof key);
}

static bool same_template(const struct template *a, const struct template *b)
{
    return a->op == b->op && a->size == b->size && a->dst == b->dst && !memcmp(a->src, b->src, INST_MAX_SRC) &&
           a->count == b->count && a->pc == b->pc;
}

/* The bucket of a template, or a free bucket for it. */
static uint32_t find_bucket(const struct encoder *e, const struct template *t)
{
    uint32_t last = 2 * e->table->room - 1, at = hash_template(t) & last;
    for (; e->buckets[at]; at = (at + 1) & last) {
        if (same_template(&e->table->row[e->buckets[at] - 1], t)) break;
    }
    return at;
}

static bool grow_table(struct encoder *e)
{
    const uint32_t room = 2 * e->table->room;
    uint32_t *buckets = calloc(2 * (size_t)room, sizeof *buckets);
    if (!buckets || !templates_resize(e->table, room)) {
        free(buckets);
        return false;
    }
    free(e->buckets);
    e->buckets = buckets;
    for (uint32_t i = 0; i < e->table->count; i++) e->buckets[find_bucket(e, &e->table->row[i])] = i + 1;
    return true;
}

/* Empties the table, or begins another if open blocks hold it. */
static bool new_table(struct encoder *e)
{
    e->templates.size = 0;
    e->chunk++;
    if (e->table && e->table->references == 1) {
        templates_clear(e->table);
        memset(e->buckets, 0, 2 * (size_t)e->table->room * sizeof *e->buckets);
        return true;
    }
    templates_release(e->table);
    free(e->buckets);
    e->table = templates_new(FIRST_TEMPLATES, e->in_memory);
    e->buckets = calloc((size_t)2 * FIRST_TEMPLATES, sizeof *e->buckets);
    return e->table && e->buckets;
}

struct encoder *encoder_new(bool in_memory)
{
    struct encoder *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->in_memory = in_memory;
    if (new_table(e)) return e;
    encoder_free(e);
    return NULL;
}

void encoder_free(struct encoder *e)
{
    if (!e) return;
    for (uint32_t w = 0; w < TRACE_MAX_WARPS; w++) bytes_free(&e->warp[w].out);
    bytes_free(&e->templates);
    bytes_free(&e->body);
    templates_release(e->table);
    free(e->buckets);
    free(e);
}

const char *encoder_begin(struct encoder *e, const struct kernel_info *kernel)
{
    const char *fault = kernel_fault(kernel);
    if (fault) return fault;
    const bool full = !e->blocks && e->table && e->table->count >= CHUNK_TEMPLATES / 2;
    if (!e->table || !e->buckets || (full && !new_table(e))) return "out of memory";
    e->kernel = kernel;
    e->warps = kernel_warps(kernel);
    for (uint32_t w = 0; w < e->warps; w++) {
        struct warp_writer *to = &e->warp[w];
        to->out.size = 0;
        to->ended = false;
        to->lanes = kernel_lanes(kernel, w);
        to->next = to->claimed = 0;
        to->mask = 0xffffffffu;
    }
    return NULL;
}

static void put_template(struct bytes *out, const struct template *t)
{
    uint8_t *const first = bytes_reserve(out, 3 + INST_MAX_SRC + 4 * VARINT_MAX), *to = first;
    if (!to) return;
    *to++ = t->op;
    *to++ = t->size;
    *to++ = t->dst;
    memcpy(to, t->src, INST_MAX_SRC);
    to = write_varint(to + INST_MAX_SRC, t->count);
    to = write_varint(to, t->pc);
    if (inst_is_memory(t->op)) {
        to = write_varint(to, t->base);
        to = write_varint(to, zigzag(t->stride));
    }
    out->size += (size_t)(to - first);
}

/* Number of a new template, of which `at` is the bucket; CHUNK_TEMPLATES if the table is full. */
static uint32_t add_template(struct encoder *e, const struct template *t, uint32_t at)
{
    if (e->table->count == e->table->room) {
        if (e->table->room == CHUNK_TEMPLATES || !grow_table(e)) return CHUNK_TEMPLATES;
        at = find_bucket(e, t);
    }
    templates_add(e->table, t);
    put_template(&e->templates, t);
    e->buckets[at] = e->table->count;
    return e->table->count - 1;
}

/* Template number of the instruction, mostly the expected one; CHUNK_TEMPLATES if the table is full. */
static uint32_t find_template(struct encoder *e, const struct inst *i, const struct pattern *p, uint64_t expected)
{
    struct template t = {.op = i->op, .dst = i->dst, .count = i->count, .pc = i->pc};
    if (inst_is_memory(i->op)) { /* else these are don't-care and must not create another template */
        t.size = i->size;
        t.base = p->base;
        t.stride = p->stride;
    }
    if (inst_has_mbarrier(i->op)) t.size = i->size;
    memcpy(t.src, i->src, INST_MAX_SRC);
    if (expected < e->table->count && same_template(&e->table->row[expected], &t)) return (uint32_t)expected;
    const uint32_t at = find_bucket(e, &t);
    return e->buckets[at] ? e->buckets[at] - 1 : add_template(e, &t, at);
}

static unsigned choose_mode(uint32_t mask, const struct pattern *p, const struct address_slot *slot)
{
    if (!p->strided) return ADDRESS_LIST;
    const bool single = !(mask & (mask - 1)); /* it fits any stride */
    return single || p->stride == slot->stride ? ADDRESS_SAME : ADDRESS_STRIDE;
}

static uint8_t *write_addresses(uint8_t *to, struct address_slot *slot, uint32_t mask, const struct pattern *p,
                                unsigned mode)
{
    to = write_varint(to, zigzag(p->base - slot->base));
    slot->base = p->base;
    if (mode == ADDRESS_STRIDE) {
        to = write_varint(to, zigzag(p->stride));
        slot->stride = p->stride;
    }
    if (mode == ADDRESS_LIST) {
        const int steps = __builtin_popcount(mask) - 1;
        for (int n = 0; n < steps; n++) to = write_varint(to, zigzag(p->step[n]));
    }
    return to;
}

/* Maximum size: template number, mask and addresses. */
#define INST_BYTES (VARINT_MAX + 4 + WARP_SIZE * VARINT_MAX)

static const char *put_inst(struct encoder *e, struct warp_writer *w, uint32_t number, uint32_t mask,
                            const struct pattern *p)
{
    const struct template *t = &e->table->row[number];
    uint8_t *const first = bytes_reserve(&w->out, INST_BYTES), *to = first;
    if (!to) return "out of memory";
    const bool memory = inst_is_memory(t->op), new_mask = mask != w->mask;
    struct address_slot passing,
        *slot = memory ? address_slot_find(e->table, w->slot, &w->claimed, number, &passing) : NULL;
    const unsigned mode = memory ? choose_mode(mask, p, slot) : ADDRESS_NONE;
    to = write_varint(to, zigzag((uint64_t)number - w->next) << CONTROL_BITS | (new_mask ? CONTROL_MASK : 0) | mode);
    if (new_mask) to = write_le(to, mask, 4);
    if (memory) to = write_addresses(to, slot, mask, p, mode);
    w->out.size += (size_t)(to - first);
    w->next = number + 1;
    w->mask = mask;
    w->ended = t->op == INST_EXIT;
    return w->out.size > CHUNK_MAX ? "a warp of more than 128 MiB" : NULL;
}

static const char after_exit[] = "an instruction after the warp's exit";

const char *encoder_put_pattern(struct encoder *e, uint32_t warp, const struct inst *inst,
                                const struct pattern *pattern, struct encoder_template *template)
{
    if (warp >= e->warps) return "an instruction of a warp that the thread block does not have";
    struct warp_writer *w = &e->warp[warp];
    const char *fault = inst_fault(inst, w->lanes);
    if (fault) return fault;
    if (w->ended) return after_exit;
    const uint32_t number = find_template(e, inst, pattern, w->next);
    if (number == CHUNK_TEMPLATES) return "more than 65536 different instructions in one chunk, or too little memory";
    *template = (struct encoder_template){e->chunk, number};
    return put_inst(e, w, number, inst->mask, pattern);
}

const char *encoder_repeat(struct encoder *e, uint32_t warp, const struct encoder_template *template, uint32_t mask,
                           const struct pattern *pattern)
{
    struct warp_writer *w = &e->warp[warp];
    const char *fault = inst_mask_fault(e->table->row[template->number].op, mask, w->lanes);
    if (fault) return fault;
    return w->ended ? after_exit : put_inst(e, w, template->number, mask, pattern);
}

struct encoder_place encoder_place(const struct encoder *e, uint32_t warp)
{
    const struct warp_writer *w = &e->warp[warp];
    return (struct encoder_place){e->chunk, w->out.size, w->next, w->mask, w->lanes, w->ended};
}

bool encoder_run(const struct encoder *e, uint32_t warp, const struct encoder_place *from, struct encoder_run *run)
{
    const struct warp_writer *w = &e->warp[warp];
    const size_t size = w->out.size - from->size;
    if (size > RUN_CODE) return false;
    run->from = *from;
    run->to = encoder_place(e, warp);
    memcpy(run->code, w->out.data + from->size, size);
    return true;
}

bool encoder_has_room(struct encoder *e, uint32_t warp)
{
    struct bytes *out = &e->warp[warp].out;
    return out->size < CHUNK_MAX - RUN_CODE && bytes_reserve(out, RUN_CODE);
}

void encoder_put_run(struct encoder *e, uint32_t warp, const struct encoder_run *run)
{
    struct warp_writer *w = &e->warp[warp];
    memcpy(w->out.data + w->out.size, run->code, RUN_CODE); /* the room for all of it costs less than a length */
    w->out.size += run->to.size - run->from.size;
    w->next = run->to.next;
    w->mask = run->to.mask;
    w->ended = run->to.ended;
}

const char *encoder_put(struct encoder *e, uint32_t warp, const struct inst *inst)
{
    struct pattern pattern;
    struct encoder_template template;
    if (inst_is_memory(inst->op) && inst->mask) pattern_find(&pattern, inst);
    return encoder_put_pattern(e, warp, inst, &pattern, &template);
}

static size_t raw_size(const struct encoder *e)
{
    return 10 + e->templates.size + e->body.size;
}

static const char *check_ends(const struct encoder *e)
{
    for (uint32_t w = 0; w < e->warps; w++)
        if (!e->warp[w].ended) return "a warp that does not end with an exit";
    return NULL;
}

static const char too_large[] = "a chunk of more than 128 MiB";

const char *encoder_end(struct encoder *e)
{
    const char *fault = check_ends(e);
    if (fault) return fault;
    for (uint32_t w = 0; w < e->warps; w++) bytes_varint(&e->body, e->warp[w].out.size);
    for (uint32_t w = 0; w < e->warps; w++) bytes_put(&e->body, e->warp[w].out.data, e->warp[w].out.size);
    e->blocks++;
    if (e->body.failed || e->templates.failed) return "out of memory";
    return raw_size(e) > CHUNK_MAX ? too_large : NULL;
}

bool encoder_full(const struct encoder *e)
{
    return raw_size(e) >= CHUNK_TARGET || e->table->count >= CHUNK_TEMPLATES / 2;
}

uint64_t encoder_chunk(const struct encoder *e)
{
    return e->chunk;
}

uint32_t encoder_blocks(const struct encoder *e)
{
    return e->blocks;
}

const char *encoder_take(struct encoder *e, struct bytes *raw)
{
    *raw = (struct bytes){0};
    bytes_varint(raw, e->table->count);
    bytes_put(raw, e->templates.data, e->templates.size);
    bytes_put(raw, e->body.data, e->body.size);
    bool failed = raw->failed || e->templates.failed || e->body.failed;
    e->body.size = 0;
    e->blocks = 0;
    if (!new_table(e)) failed = true;
    if (failed) bytes_free(raw);
    return failed ? "out of memory" : NULL;
}

/* Joins the bytes of the warps, which begin at `begin` in them. */
static bool join_warps(const struct encoder *e, struct bytes *raw, uint32_t *begin)
{
    uint64_t size = 0;
    for (uint32_t w = 0; w < e->warps; w++) size += e->warp[w].out.size;
    *raw = (struct bytes){.data = malloc(size), .capacity = size};
    if (!raw->data) return false;
    for (uint32_t w = 0; w < e->warps; w++) {
        begin[w] = (uint32_t)raw->size;
        bytes_put(raw, e->warp[w].out.data, e->warp[w].out.size);
    }
    begin[e->warps] = (uint32_t)raw->size;
    return true;
}

void encoder_restart(struct encoder *e)
{
    new_table(e);
}

const char *encoder_open(struct encoder *e, uint32_t index, const struct chunk_place *place,
                         struct block_stream **stream)
{
    struct bytes raw;
    uint64_t size = raw_size(e);
    const char *fault = check_ends(e);
    for (uint32_t w = 0; w < e->warps; w++) size += e->warp[w].out.size;
    if (fault || size > CHUNK_MAX) return fault ? fault : too_large;
    uint32_t *begin = malloc((e->warps + 1) * sizeof *begin);
    if (!begin || !join_warps(e, &raw, begin)) {
        free(begin);
        return "out of memory";
    }
    *stream = chunk_open_single(e->table, &raw, begin, e->kernel, index, place);
    return *stream ? NULL : "out of memory";
}
