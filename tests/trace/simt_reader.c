/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/simt_reader.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

bool small_check(struct host *h, void *state, struct error *err)
{
    (void)h, (void)state, (void)err;
    return true;
}

struct small *small_arrays(struct host *h, void *state)
{
    struct small *s = state;
    s->in = device_i32(h, "in", 1024);
    s->out = device_i32(h, "out", 1024);
    s->f = device_f32(h, "f", 1024);
    s->u = device_u32(h, "u", 1024);
    for (int i = 0; i < 1024; i++) s->in.host[i] = i;
    return s;
}

uint32_t read_warp(const struct kernel_def *def, struct inst *to, uint32_t max, struct error *err)
{
    struct error own = {""};
    struct error *e = err ? err : &own;
    struct source *s = kernel_open_definition(def, NULL, 1, e);
    cr_assert(s, "%s", e->text);
    struct kernel_info info;
    cr_assert(s->ops->next_kernel(s, &info, e) == SOURCE_OK, "%s", e->text);
    struct block_stream *b = s->ops->open_block(s, 0, e);
    cr_assert(b, "%s", e->text);
    uint32_t n = 0;
    enum source_status status;
    while ((status = source_next_inst(s, b, 0, &to[n], e)) == SOURCE_OK) {
        n++;
        cr_assert(n < max);
    }
    cr_assert(err || status == SOURCE_END, "%s", e->text);
    s->ops->close_block(b);
    s->ops->close(s);
    return n;
}

const int32_t *run_small(const struct kernel_def *def, struct source **source)
{
    struct error err = {""};
    *source = kernel_open_definition(def, NULL, 1, &err);
    cr_assert(*source, "%s", err.text);
    cr_assert(kernel_execute(*source, &err), "%s", err.text);
    uint64_t bytes;
    return kernel_memory(*source, "out", &bytes);
}

/* ---- Reading in different orders. ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static uint64_t hash_inst(uint64_t h, const struct inst *i)
{
    h = mix(h, (uint64_t)i->op | (uint64_t)i->size << 8 | (uint64_t)i->dst << 16 | (uint64_t)i->count << 24);
    for (int s = 0; s < INST_MAX_SRC; s++) h = mix(h, i->src[s]);
    h = mix(h, (uint64_t)i->pc << 32 | i->mask);
    for (int l = 0; l < WARP_SIZE && inst_is_memory(i->op); l++) h = mix(h, i->addr[l]);
    return h;
}

static uint64_t count_lines(const struct inst *i)
{
    uint64_t seen[WARP_SIZE];
    uint32_t n = 0;
    for (int l = 0; l < WARP_SIZE; l++) {
        bool known = !(i->mask >> l & 1);
        for (uint32_t k = 0; k < n && !known; k++) known = seen[k] == i->addr[l] / 128;
        if (!known) seen[n++] = i->addr[l] / 128;
    }
    return n;
}

#define MAX_WARPS 32
#define MAX_OPEN 7

struct open {
    struct block_stream *stream;
    uint32_t index, warps, waiting, ended;
    uint64_t hash[MAX_WARPS];
    bool at_barrier[MAX_WARPS], end[MAX_WARPS];
};

struct reader {
    struct source *source;
    struct reading *r;
    struct error *err;
    struct rng rng;
};

/* One instruction of a warp; false after an error. */
static bool step(struct reader *reader, struct open *o, uint32_t warp)
{
    struct inst inst;
    enum source_status status = source_next_inst(reader->source, o->stream, warp, &inst, reader->err);
    if (status == SOURCE_OK) {
        o->hash[warp] = hash_inst(o->hash[warp], &inst);
        reader->r->ops[inst.op == INST_INT ? INST_SP : inst.op] += inst.count;
        if (inst_is_global(inst.op)) reader->r->lines[inst.op] += count_lines(&inst);
        o->at_barrier[warp] = inst.op == INST_BARRIER;
        o->waiting += o->at_barrier[warp];
    } else if (!o->end[warp]) {
        o->end[warp] = true;
        o->ended++;
    }
    if (o->waiting && o->waiting + o->ended == o->warps) {
        o->waiting = 0;
        memset(o->at_barrier, 0, sizeof o->at_barrier);
    }
    return status != SOURCE_ERROR;
}

static bool open_one(struct reader *reader, struct open *o, uint32_t index, uint32_t warps)
{
    memset(o, 0, sizeof *o);
    cr_assert(warps <= MAX_WARPS);
    o->index = index;
    o->warps = warps;
    o->stream = reader->source->ops->open_block(reader->source, index, reader->err);
    return o->stream;
}

static void close_one(struct reader *reader, struct open *o)
{
    for (uint32_t w = 0; w < o->warps; w++) {
        reader->r->hash += mix(mix(mix(o->hash[w], reader->r->kernels), o->index), w);
        reader->r->warps++;
    }
    reader->source->ops->close_block(o->stream);
    o->stream = NULL;
}

/* Which warp next, if the order does not forbid it. */
static bool read_block(struct reader *reader, enum reading_order order, struct open *o)
{
    while (o->ended < o->warps) {
        for (uint32_t w = 0; w < o->warps; w++) {
            bool one = order == ROUND_ROBIN;
            bool through = order == WARP_TO_THE_END;
            do {
                if (o->end[w] || (o->at_barrier[w] && !through)) break;
                if (!step(reader, o, w)) return false;
            } while (!one);
        }
    }
    return true;
}

static bool read_in_turn(struct reader *reader, enum reading_order order, uint32_t blocks, uint32_t warps)
{
    for (uint32_t i = 0; i < blocks; i++) {
        struct open o;
        if (!open_one(reader, &o, i, warps)) return false;
        bool ok = read_block(reader, order, &o);
        close_one(reader, &o);
        if (!ok) return false;
    }
    return true;
}

static bool read_at_random(struct reader *reader, uint32_t blocks, uint32_t warps)
{
    struct open open[MAX_OPEN] = {{0}};
    uint32_t next = blocks, left = blocks; /* from the last block down: any order of opening will do */
    while (left) {
        struct open *o = &open[rng_below(&reader->rng, MAX_OPEN)];
        if (!o->stream && !next) continue;
        if (!o->stream && !open_one(reader, o, --next, warps)) return false;
        uint32_t w = (uint32_t)rng_below(&reader->rng, warps);
        uint32_t n = (uint32_t)rng_below(&reader->rng, 20);
        for (uint32_t i = 0; i < n && !o->end[w] && !o->at_barrier[w]; i++) {
            if (!step(reader, o, w)) return false;
        }
        if (o->ended == o->warps) {
            close_one(reader, o);
            left--;
        }
    }
    return true;
}

bool read_source(struct source *source, enum reading_order order, uint64_t seed, struct reading *r, struct error *err)
{
    struct reader reader = {source, r, err, {{0}}};
    struct kernel_info k;
    enum source_status status;
    rng_seed(&reader.rng, seed);
    *r = (struct reading){0};
    while ((status = source->ops->next_kernel(source, &k, err)) == SOURCE_OK) {
        uint32_t blocks = kernel_blocks(&k), warps = kernel_warps(&k);
        bool ok = order == RANDOM_BLOCKS ? read_at_random(&reader, blocks, warps)
                                         : read_in_turn(&reader, order, blocks, warps);
        if (!ok) return false;
        r->kernels++;
    }
    return status == SOURCE_END;
}
