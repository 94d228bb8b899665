/* SPDX-License-Identifier: Apache-2.0 */
/* Decoder of encoded.h.  The bytes are untrusted: every count is compared with the remaining length before memory is
 * allocated, and every instruction is checked against source.h before delivery. */
#include <inttypes.h>

#include "base/arith.h"
#include "base/host.h"
#include "trace/check.h"
#include "trace/codec.h"

#define TEMPLATE_BYTES 9 /* minimum size */

struct chunk {
    uint32_t references;
    struct bytes raw;
    struct kernel_info kernel;
    struct chunk_place place;
    uint32_t first, blocks, warps;
    struct templates *templates;
    uint32_t *begin; /* blocks * (warps + 1) offsets into raw */
};

/* One cache line of the host (base/host.h): a warp's reader is mostly out of the cache when its next instruction is
 * read. */
struct warp_reader {
    _Alignas(HOST_LINE) const uint8_t *at;
    const uint8_t *end;
    const struct templates *templates;
    struct address_slot *slot; /* as many as the templates need */
    uint32_t claimed;          /* slots that hold a template */
    uint32_t next;             /* expected next template number: last + 1; 0 at the start */
    uint32_t mask;             /* of the last instruction; all lanes at the start */
    uint32_t lanes;            /* that hold a thread */
};

struct encoded_stream {
    struct chunk *chunk;
    uint32_t index;
    struct address_slot *slots; /* of all warps */
    struct warp_reader warp[];  /* kernel_warps */
};

void chunk_retain(struct chunk *c)
{
    c->references++;
}

void chunk_release(struct chunk *c)
{
    if (!c || --c->references) return;
    bytes_free(&c->raw);
    templates_release(c->templates);
    free(c->begin);
    free(c);
}

static void get_template(struct reader *r, struct template *t)
{
    const uint8_t *fixed = reader_take(r, 3 + INST_MAX_SRC);
    if (!fixed) return;
    *t = (struct template){.op = fixed[0], .size = fixed[1], .dst = fixed[2]};
    memcpy(t->src, fixed + 3, INST_MAX_SRC);
    t->count = (uint16_t)reader_limited(r, 0xffff);
    t->pc = (uint32_t)reader_limited(r, 0xffffffffu);
    if (!inst_is_memory(t->op)) return;
    t->base = reader_varint(r);
    t->stride = unzigzag(reader_varint(r));
}

static const char *template_fault(const struct template *t)
{
    struct inst i = {.op = t->op, .size = t->size, .count = t->count, .mask = 1};
    return inst_fault(&i, 1);
}

static const char *get_templates(struct chunk *c, struct reader *r)
{
    uint64_t n = reader_limited(r, CHUNK_TEMPLATES);
    if (r->bad || n > (size_t)(r->end - r->at) / TEMPLATE_BYTES) return "more templates than fit";
    c->templates = templates_new((uint32_t)n, false);
    if (!c->templates) return "out of memory";
    for (uint64_t i = 0; i < n; i++) {
        struct template t = {0};
        get_template(r, &t);
        if (r->bad) return "a template cut short";
        const char *fault = template_fault(&t);
        if (fault) return fault;
        templates_add(c->templates, &t);
    }
    return NULL;
}

/* One block's warp lengths, then its streams: records the start of each and skips it. */
static const char *get_block(struct chunk *c, struct reader *r, uint32_t *begin)
{
    uint64_t size[TRACE_MAX_WARPS], at;
    for (uint32_t w = 0; w < c->warps; w++) {
        size[w] = reader_limited(r, c->raw.size);
        if (!size[w]) return "a warp of 0 bytes or more than the chunk has";
    }
    at = (uint64_t)(r->at - c->raw.data);
    for (uint32_t w = 0; w < c->warps; w++) {
        begin[w] = (uint32_t)at;
        at += size[w];
        if (!reader_take(r, size[w])) return "a warp cut short";
    }
    begin[c->warps] = (uint32_t)at;
    return NULL;
}

static const char *get_blocks(struct chunk *c, struct reader *r)
{
    uint64_t entries = (uint64_t)c->blocks * (c->warps + 1);
    if ((uint64_t)c->blocks * c->warps * 2 > (uint64_t)(r->end - r->at)) return "more warps than fit";
    c->begin = malloc(entries * sizeof *c->begin + 1);
    if (!c->begin) return "out of memory";
    for (uint32_t b = 0; b < c->blocks; b++) {
        const char *fault = get_block(c, r, c->begin + (uint64_t)b * (c->warps + 1));
        if (fault) return fault;
    }
    return r->at == r->end ? NULL : "bytes after the last warp";
}

struct chunk *chunk_parse(struct bytes *raw, const struct kernel_info *kernel, uint32_t first, uint32_t blocks,
                          const struct chunk_place *place, struct error *err)
{
    struct chunk *c = calloc(1, sizeof *c);
    if (!c) {
        bytes_free(raw);
        error_set(err, "%s: out of memory", place->file);
        return NULL;
    }
    *c = (struct chunk){
        .references = 1, .raw = *raw, .kernel = *kernel, .place = *place, .first = first, .blocks = blocks};
    *raw = (struct bytes){0};
    c->warps = kernel_warps(kernel);
    struct reader r = {c->raw.data, c->raw.data + c->raw.size, false};
    const char *fault = c->raw.size > CHUNK_MAX ? "more than 128 MiB" : get_templates(c, &r);
    if (!fault) fault = get_blocks(c, &r);
    if (!fault) return c;
    error_set(err,
              "%s: kernel %" PRIu32 " (%s): the chunk of thread block %" PRIu32 " at %s %" PRIu64
              " is damaged: found %s",
              place->file, place->kernel, kernel->name, first, place->unit, place->offset, fault);
    chunk_release(c);
    return NULL;
}

static void init_warps(struct encoded_stream *s)
{
    const struct chunk *c = s->chunk;
    const uint32_t *begin = c->begin + (uint64_t)(s->index - c->first) * (c->warps + 1);
    for (uint32_t w = 0; w < c->warps; w++) {
        s->warp[w] = (struct warp_reader){.at = c->raw.data + begin[w],
                                          .end = c->raw.data + begin[w + 1],
                                          .templates = c->templates,
                                          .slot = s->slots + w * c->templates->slots,
                                          .mask = 0xffffffffu,
                                          .lanes = kernel_lanes(&c->kernel, w)};
    }
}

struct block_stream *chunk_open_block(struct chunk *c, uint32_t index, struct error *err)
{
    struct encoded_stream *s = host_malloc(sizeof *s + c->warps * sizeof *s->warp);
    struct address_slot *slots = malloc(c->warps * c->templates->slots * sizeof *slots + 1);
    if (!s || !slots) {
        free(s);
        free(slots);
        error_set(err, "%s: out of memory", c->place.file);
        return NULL;
    }
    s->chunk = c;
    s->index = index;
    s->slots = slots;
    chunk_retain(c);
    init_warps(s);
    return (struct block_stream *)s;
}

struct block_stream *chunk_open_single(struct templates *templates, struct bytes *raw, uint32_t *begin,
                                       const struct kernel_info *kernel, uint32_t index,
                                       const struct chunk_place *place)
{
    struct error ignored;
    struct chunk *c = malloc(sizeof *c);
    if (!c) {
        bytes_free(raw);
        free(begin);
        return NULL;
    }
    *c = (struct chunk){.references = 1,
                        .raw = *raw,
                        .kernel = *kernel,
                        .place = *place,
                        .first = index,
                        .blocks = 1,
                        .warps = kernel_warps(kernel),
                        .templates = templates,
                        .begin = begin};
    *raw = (struct bytes){0};
    templates->references++;
    struct block_stream *stream = chunk_open_block(c, index, &ignored);
    chunk_release(c);
    return stream;
}

void chunk_close_block(struct block_stream *b)
{
    struct encoded_stream *s = (struct encoded_stream *)b;
    if (!s) return;
    chunk_release(s->chunk);
    free(s->slots);
    free(s);
}

/* Each address is coded as its distance from the one before. */
static void get_list(struct reader *r, struct inst *i, uint64_t at)
{
    if (i->mask == UINT32_MAX) {
        i->addr[0] = at;
        for (uint32_t lane = 1; lane < WARP_SIZE; lane++) i->addr[lane] = at += unzigzag(reader_varint(r));
        return;
    }
    memset(i->addr, 0, sizeof i->addr);
    i->addr[__builtin_ctz(i->mask)] = at;
    for (uint32_t rest = i->mask & (i->mask - 1); rest; rest &= rest - 1)
        i->addr[__builtin_ctz(rest)] = at += unzigzag(reader_varint(r));
}

static void get_addresses(struct reader *r, struct address_slot *slot, unsigned mode, struct inst *i)
{
    slot->base += unzigzag(reader_varint(r));
    if (mode == ADDRESS_STRIDE) slot->stride = unzigzag(reader_varint(r));
    i->stride = (int32_t)slot->stride;
    i->strided = mode != ADDRESS_LIST && (uint64_t)i->stride == slot->stride;
    if (i->strided)
        i->base = slot->base - (uint64_t)__builtin_ctz(i->mask) * slot->stride;
    else if (mode == ADDRESS_LIST)
        get_list(r, i, slot->base);
    else
        inst_fill_strided(i, slot->base, slot->stride);
}

/* A template begins with the first fields of an instruction. */
_Static_assert(sizeof(struct inst_head) == offsetof(struct inst, size) &&
                   offsetof(struct template, size) == offsetof(struct inst, size) &&
                   offsetof(struct template, pc) == offsetof(struct inst, pc),
               "templates are copied as bytes");

static const char *get_inst(struct warp_reader *w, struct reader *r, struct inst *i)
{
    struct address_slot passing;
    uint64_t control = reader_varint(r);
    uint64_t number = w->next + unzigzag(control >> CONTROL_BITS);
    if (r->bad) return "an instruction cut short";
    if (number >= w->templates->count) return "a template number beyond the table";
    const struct template *t = &w->templates->row[number];
    memcpy(i, t, offsetof(struct inst, mask));
    if (control & CONTROL_MASK) w->mask = (uint32_t)reader_le(r, 4);
    i->mask = w->mask;
    unsigned mode = control & CONTROL_MODE;
    if (inst_is_memory(i->op) != (mode != ADDRESS_NONE)) return "addresses where none belong, or none";
    const char *fault = inst_mask_fault(i->op, i->mask, w->lanes); /* the rest of it is checked */
    if (fault) return fault;
    w->next = (uint32_t)number + 1;
    if (mode != ADDRESS_NONE)
        get_addresses(r, address_slot_find(w->templates, w->slot, &w->claimed, (uint32_t)number, &passing), mode, i);
    return r->bad ? "an instruction cut short" : NULL;
}

static enum source_status stream_error(struct encoded_stream *s, uint32_t warp, const char *fault, struct error *err)
{
    const struct chunk *c = s->chunk;
    error_set(err,
              "%s: kernel %" PRIu32 " (%s), thread block %" PRIu32 ", warp %" PRIu32 ": found %s (%s %" PRIu64
              ", byte %" PRIu32 " of the chunk there)",
              c->place.file, c->place.kernel, c->kernel.name, s->index, warp, fault, c->place.unit, c->place.offset,
              (uint32_t)(s->warp[warp].at - c->raw.data));
    return SOURCE_ERROR;
}

enum source_status chunk_next_inst(struct block_stream *b, uint32_t warp, struct inst *inst, struct error *err)
{
    struct encoded_stream *s = (struct encoded_stream *)b;
    struct warp_reader *w = &s->warp[warp];
    struct reader r = {w->at, w->end, false};
    if (r.at == r.end) return SOURCE_END;
    const char *fault = get_inst(w, &r, inst);
    if (!fault && (r.at == r.end) != (inst->op == INST_EXIT)) fault = "a warp that does not end with its exit";
    if (fault) return stream_error(s, warp, fault, err);
    w->at = r.at;
    return SOURCE_OK;
}

/* Counts the next instructions of one zero byte each, at most 8.  Such an instruction has the template after that of
 * the instruction before, and the same mask. */
static inline uint32_t in_row(const uint8_t *at, const uint8_t *end)
{
    uint64_t code;
    if (end - at <= (ptrdiff_t)sizeof code) return 0; /* get_inst() reads the last one */
    memcpy(&code, at, sizeof code);
    return code ? (uint32_t)__builtin_ctzll(code) / 8 : 8; /* on a little-endian host */
}

/* Reads an instruction of one byte or two, and those after it whose templates follow in the table.  The host could not
 * predict a branch between one byte and two, so there is none.  get_inst() reads all others, and reports faults. */
uint32_t chunk_next_heads(struct block_stream *b, uint32_t warp, const struct inst_head **heads, uint32_t *mask)
{
    struct warp_reader *w = &((struct encoded_stream *)b)->warp[warp];
    if (w->end - w->at < 3 || *w->at & (CONTROL_MASK | CONTROL_MODE)) return 0;
    const unsigned more = *w->at >> 7, second = w->at[1] & (0u - more);
    const uint64_t number = w->next + unzigzag((*w->at & 0x7fu) >> CONTROL_BITS | second << (7 - CONTROL_BITS));
    if (second > 0x7f || number >= w->templates->count || w->mask & ~w->lanes) return 0;
    const uint32_t plain = w->templates->row[number].plain;
    if (!plain) return 0;
    const uint32_t behind = min_u32(plain - 1, in_row(w->at + 1 + more, w->end));
    *heads = &w->templates->head[number];
    *mask = w->mask;
    w->next = (uint32_t)number + 1 + behind;
    w->at += 1 + more + behind;
    return 1 + behind;
}

const uint8_t *const *chunk_reader(const struct block_stream *b, uint32_t warp)
{
    return &((const struct encoded_stream *)b)->warp[warp].at;
}
