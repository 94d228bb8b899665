/* The writing half of encoded.h. */
#include <xxhash.h>

#include "trace/check.h"
#include "trace/codec.h"

#define BUCKETS (2 * CHUNK_TEMPLATES) /* of the template lookup */

struct warp_writer {
    struct bytes out;
    struct warp_state state;
    bool ended;
};

struct encoder {
    struct kernel_info kernel;
    uint32_t warps, blocks;
    struct bytes templates, body; /* serialised templates; finished blocks */
    struct template *table;       /* CHUNK_TEMPLATES of them */
    uint32_t *buckets;            /* template number + 1, or 0 */
    uint32_t template_count;
    struct warp_writer warp[TRACE_MAX_WARPS];
};

struct encoder *encoder_new(void)
{
    struct encoder *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->table = calloc(CHUNK_TEMPLATES, sizeof *e->table);
    e->buckets = calloc(BUCKETS, sizeof *e->buckets);
    if (e->table && e->buckets) return e;
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

static bool same_template(const struct template *t, const struct inst *i)
{
    return t->op == i->op && t->size == i->size && t->dst == i->dst && !memcmp(t->src, i->src, INST_MAX_SRC) &&
           t->count == i->count && t->pc == i->pc;
}

/* The number of the instruction's template, a new one if need be; CHUNK_TEMPLATES if there are too many. */
static uint32_t find_template(struct encoder *e, const struct inst *i, uint64_t base, uint64_t stride)
{
    uint8_t key[16] = {i->op, i->size, i->dst, (uint8_t)i->count, (uint8_t)(i->count >> 8)};
    memcpy(key + 5, i->src, INST_MAX_SRC);
    memcpy(key + 9, &i->pc, sizeof i->pc);
    uint32_t at = (uint32_t)XXH3_64bits(key, sizeof key) % BUCKETS;
    for (; e->buckets[at]; at = (at + 1) % BUCKETS) {
        if (same_template(&e->table[e->buckets[at] - 1], i)) return e->buckets[at] - 1;
    }
    if (e->template_count == CHUNK_TEMPLATES) return CHUNK_TEMPLATES;
    struct template *t = &e->table[e->template_count++];
    *t = (struct template){.op = i->op, .size = i->size, .dst = i->dst, .count = i->count, .pc = i->pc, .base = base, .stride = stride};
    memcpy(t->src, i->src, INST_MAX_SRC);
    put_template(&e->templates, t);
    e->buckets[at] = e->template_count;
    return e->template_count - 1;
}

/* Whether the active lanes' addresses follow base + (lane - first lane) * stride; a single lane fits any stride. */
static bool find_stride(const struct inst *i, uint64_t base, uint64_t *stride, bool *single)
{
    int first = __builtin_ctz(i->mask);
    uint32_t rest = i->mask & (i->mask - 1);
    *single = rest == 0;
    if (!rest) return true;
    int second = __builtin_ctz(rest), gap = second - first;
    int64_t step = (int64_t)(i->addr[second] - base);
    if (step % gap) return false;
    *stride = (uint64_t)(step / gap);
    for (; rest; rest &= rest - 1) {
        int lane = __builtin_ctz(rest);
        if (i->addr[lane] != base + (uint64_t)(lane - first) * *stride) return false;
    }
    return true;
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

static void put_addresses(struct bytes *out, struct address_slot *slot, const struct inst *i, int mode, uint64_t base, uint64_t stride)
{
    bytes_varint(out, zigzag(base - slot->base));
    if (mode == ADDRESS_STRIDE) bytes_varint(out, zigzag(stride));
    if (mode == ADDRESS_LIST) put_differences(out, i);
    if (mode != ADDRESS_LIST) slot->stride = stride;
    slot->base = base;
}

const char *encoder_put(struct encoder *e, uint32_t warp, const struct inst *given)
{
    if (warp >= e->warps) return "an instruction of a warp that the thread block does not have";
    struct warp_writer *w = &e->warp[warp];
    const char *fault = inst_fault(given, kernel_lanes(&e->kernel, warp));
    if (fault) return fault;
    if (w->ended) return "an instruction after the warp's exit";
    struct inst stripped; /* a size means nothing outside memory accesses, so it must not tell templates apart */
    const struct inst *i = given;
    bool memory = inst_is_memory(given->op);
    if (!memory && given->size) {
        stripped = *given;
        stripped.size = 0;
        i = &stripped;
    }
    uint64_t base = memory ? i->addr[__builtin_ctz(i->mask)] : 0, stride = 0;
    bool single = false, strided = memory && find_stride(i, base, &stride, &single);
    uint32_t number = find_template(e, i, base, strided ? stride : 0);
    if (number == CHUNK_TEMPLATES) return "more than 65536 different instructions in one chunk";
    struct address_slot *slot = warp_state_slot(&w->state, number, &e->table[number]);
    if (single) stride = slot->stride;
    int mode = !memory ? ADDRESS_NONE : !strided ? ADDRESS_LIST : stride == slot->stride ? ADDRESS_SAME : ADDRESS_STRIDE;
    bool new_mask = i->mask != w->state.mask;
    uint64_t step = zigzag(number - w->state.next);
    bytes_varint(&w->out, step << CONTROL_BITS | (new_mask ? CONTROL_MASK : 0) | (unsigned)mode);
    if (new_mask) bytes_le(&w->out, i->mask, 4);
    if (memory) put_addresses(&w->out, slot, i, mode, base, stride);
    w->state.next = number + 1;
    w->state.mask = i->mask;
    w->ended = i->op == INST_EXIT;
    return w->out.size > CHUNK_MAX ? "a warp of more than 128 MiB" : w->out.failed ? "out of memory" : NULL;
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
    memset(e->buckets, 0, BUCKETS * sizeof *e->buckets);
    if (failed) bytes_free(raw);
    return failed ? "out of memory" : NULL;
}
