/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/locality.h"

#include <stdlib.h>
#include <string.h>

#include "trace/info.h"

/* The last access to a line; kernels count from 1, and 0 is a free place. */
struct last {
    uint64_t line;
    uint32_t kernel, block, lanes;
    uint16_t warp;
};

struct collector {
    struct locality *to;
    struct last *table; /* open addressing; size: a power of two */
    uint64_t size, used;
    uint32_t kernel, block;
};

static struct last *find(struct last *table, uint64_t size, uint64_t line)
{
    uint64_t i = (line * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (size - 1);
    while (table[i].kernel && table[i].line != line) i = (i + 1) & (size - 1);
    return &table[i];
}

/* At most half of the table is in use. */
static bool grow(struct collector *c, struct error *err)
{
    if (c->table && 2 * (c->used + 1) <= c->size) return true;
    const uint64_t size = c->table ? 2 * c->size : 1024;
    struct last *table = calloc(size, sizeof *table);
    if (!table) return error_set(err, "%s: out of memory", c->to->name);
    for (uint64_t i = 0; c->table && i < c->size; i++)
        if (c->table[i].kernel) *find(table, size, c->table[i].line) = c->table[i];
    free(c->table);
    c->table = table;
    c->size = size;
    return true;
}

static enum locality_class class_of(const struct collector *c, const struct last *before, const struct last *now)
{
    if (!before->kernel) return LOCALITY_COLD;
    if (before->kernel != now->kernel) return LOCALITY_INTER_KERNEL;
    if (before->block % c->to->sms != now->block % c->to->sms) return LOCALITY_INTER_CORE;
    if (before->block != now->block) return LOCALITY_INTRA_CORE;
    if (before->warp != now->warp) return LOCALITY_INTRA_BLOCK;
    return before->lanes & now->lanes ? LOCALITY_INTRA_THREAD : LOCALITY_INTRA_WARP;
}

/* The lanes that access a byte of the line. */
static uint32_t lanes_in(const struct inst *inst, uint64_t line)
{
    uint32_t lanes = 0;
    for (uint32_t rest = inst->mask; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const uint64_t first = inst->addr[lane] / INFO_LINE, last = (inst->addr[lane] + inst->size - 1) / INFO_LINE;
        if (first <= line && line <= last) lanes |= 1u << lane;
    }
    return lanes;
}

static bool note_inst(void *context, uint32_t warp, const struct inst *inst, struct error *err)
{
    struct collector *c = context;
    uint64_t lines[INFO_MAX_LINES];
    const uint32_t n = inst_is_global(inst->op) ? info_coalesce(inst, lines) : 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!grow(c, err)) return false;
        const struct last now = {lines[i], c->kernel, c->block, lanes_in(inst, lines[i]), (uint16_t)warp};
        struct last *before = find(c->table, c->size, lines[i]);
        c->used += !before->kernel;
        if (inst_is_load(inst->op)) {
            c->to->reads++;
            c->to->of[class_of(c, before, &now)]++;
        }
        *before = now;
    }
    return true;
}

static bool note_all(struct collector *c, struct source *s, const struct trace_progress *progress, struct error *err)
{
    struct kernel_info kernel;
    enum source_status status;
    while ((status = s->ops->next_kernel(s, &kernel, err)) == SOURCE_OK) {
        c->kernel++;
        for (c->block = 0; c->block < kernel_blocks(&kernel); c->block++) {
            if (!block_visit(s, c->block, kernel_warps(&kernel), note_inst, c, err)) return false;
            progress_step(progress, &kernel, c->block + 1);
        }
    }
    return status == SOURCE_END && progress_accept(progress, s, err);
}

bool locality_collect(struct source *source, uint32_t sms, struct locality *l, const struct trace_progress *progress,
                      struct error *err)
{
    struct collector c = {.to = l};
    *l = (struct locality){.sms = sms};
    strcpy(l->name, source->name);
    strcpy(l->identity, source->identity);
    const bool done = note_all(&c, source, progress, err);
    free(c.table);
    return done;
}
