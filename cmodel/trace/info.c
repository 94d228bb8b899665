/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/info.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/binary.h"
#include "trace/digest.h"

/* Set of line numbers: open addressing; 0 marks an empty bucket, so lines are stored as number + 1. */
struct line_set {
    uint64_t *slot;
    uint64_t size, used; /* size: a power of two or 0 */
};

struct collector {
    struct trace_info *info;
    struct trace_counts *counts; /* of the current kernel */
    struct digest digest;
    struct line_set seen;
    uint64_t last_line; /* most lines repeat: checked before the set */
};

static void set_insert(struct line_set *s, uint64_t key)
{
    uint64_t at = (key * 0x9e3779b97f4a7c15u) >> 20;
    while (s->slot[at &= s->size - 1] && s->slot[at] != key) at++;
    if (s->slot[at]) return;
    s->slot[at] = key;
    s->used++;
}

static bool set_grow(struct line_set *s)
{
    struct line_set bigger = {.size = s->size ? 2 * s->size : 4096};
    bigger.slot = calloc(bigger.size, sizeof *bigger.slot);
    if (!bigger.slot) return false;
    for (uint64_t i = 0; i < s->size; i++) {
        if (s->slot[i]) set_insert(&bigger, s->slot[i]);
    }
    free(s->slot);
    *s = bigger;
    return true;
}

static bool note_line(struct collector *c, uint64_t line, struct error *err)
{
    if (c->last_line == line + 1) return true;
    c->last_line = line + 1;
    if (2 * c->seen.used >= c->seen.size && !set_grow(&c->seen))
        return error_set(err, "%s: out of memory", c->info->name);
    set_insert(&c->seen, line + 1);
    return true;
}

uint32_t info_coalesce(const struct inst *inst, uint64_t lines[INFO_MAX_LINES])
{
    uint32_t n = 0;
    for (uint32_t rest = inst->mask; rest; rest &= rest - 1) {
        uint64_t addr = inst->addr[__builtin_ctz(rest)], last = (addr + inst->size - 1) / INFO_LINE;
        for (uint64_t line = addr / INFO_LINE;; line = last) {
            uint32_t i = n;
            while (i && lines[i - 1] != line) i--;
            if (!i) lines[n++] = line;
            if (line == last) break;
        }
    }
    return n;
}

/* Lanes that access the same address as a lower one. */
static uint32_t merged_lanes(const struct inst *inst)
{
    uint32_t n = 0;
    for (uint32_t rest = inst->mask; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint32_t lower = inst->mask & ((1u << lane) - 1);
        while (lower && inst->addr[__builtin_ctz(lower)] != inst->addr[lane]) lower &= lower - 1;
        n += lower != 0;
    }
    return n;
}

static bool count_inst(void *context, uint32_t warp, const struct inst *inst, struct error *err)
{
    struct collector *c = context;
    struct trace_counts *k = c->counts;
    uint64_t lines[INFO_MAX_LINES];
    digest_inst(&c->digest, warp, inst);
    k->by_op[inst->op] += inst_length(inst);
    k->warp_instructions += inst_length(inst);
    if (!inst_is_global(inst->op)) return true;
    uint32_t n = info_coalesce(inst, lines);
    k->memory_instructions++;
    k->lines += n;
    k->merged_lanes += inst->op == INST_ATOMIC ? merged_lanes(inst) : 0;
    k->bytes += (uint64_t)__builtin_popcount(inst->mask) * inst->size;
    for (uint32_t i = 0; i < n; i++) {
        if (!note_line(c, lines[i], err)) return false;
    }
    return true;
}

static bool count_block(struct collector *c, struct source *s, uint32_t index, uint32_t warps, struct error *err)
{
    bool done = block_visit(s, index, warps, count_inst, c, err);
    digest_block(&c->digest, warps);
    c->counts->thread_blocks++;
    c->counts->warps += warps;
    return done;
}

static void add_counts(struct trace_counts *to, const struct trace_counts *from)
{
    to->kernels += from->kernels;
    to->thread_blocks += from->thread_blocks;
    to->warps += from->warps;
    to->warp_instructions += from->warp_instructions;
    to->memory_instructions += from->memory_instructions;
    to->lines += from->lines;
    to->bytes += from->bytes;
    to->merged_lanes += from->merged_lanes;
    for (int op = 0; op < INST_OPS; op++) to->by_op[op] += from->by_op[op];
}

static bool count_kernel(struct collector *c, struct source *s, const struct kernel_info *kernel,
                         const struct trace_progress *progress, struct error *err)
{
    struct trace_info *info = c->info;
    uint64_t n = info->total.kernels;
    struct kernel_counts *grown = n & (n - 1) ? info->kernels : realloc(info->kernels, (n ? 2 * n : 1) * sizeof *grown);
    if (!grown) return error_set(err, "%s: out of memory", s->name);
    info->kernels = grown;
    info->kernels[n] = (struct kernel_counts){.info = *kernel, .counts = {.kernels = 1}};
    c->counts = &info->kernels[n].counts;
    digest_kernel(&c->digest, kernel);
    for (uint32_t b = 0; b < kernel_blocks(kernel); b++) {
        if (!count_block(c, s, b, kernel_warps(kernel), err)) return false;
        progress_step(progress, kernel, b + 1);
    }
    add_counts(&info->total, c->counts);
    return true;
}

static bool count_all(struct collector *c, struct source *s, const struct trace_progress *progress, struct error *err)
{
    for (;;) {
        struct kernel_info kernel;
        enum source_status status = s->ops->next_kernel(s, &kernel, err);
        if (status == SOURCE_ERROR) return false;
        if (status == SOURCE_END) return true;
        if (!count_kernel(c, s, &kernel, progress, err)) return false;
    }
}

static bool copy_allocations(struct trace_info *info, const struct source *s, struct error *err)
{
    info->allocations = calloc(s->allocation_count + 1u, sizeof *info->allocations);
    if (!info->allocations) return error_set(err, "%s: out of memory", s->name);
    for (uint32_t i = 0; i < s->allocation_count; i++) {
        info->allocations[i] = s->allocations[i];
        info->allocated += s->allocations[i].bytes;
    }
    info->allocation_count = s->allocation_count;
    return true;
}

static bool finish(struct collector *c, struct source *s, struct error *err)
{
    struct trace_info *info = c->info;
    uint8_t digest[DIGEST_BYTES];
    digest_allocations(&c->digest, s);
    digest_finish(&c->digest, digest);
    digest_text(digest, info->digest);
    info->distinct_lines = c->seen.used;
    info->accelsim = accelsim_counts(s, &info->unmapped);
    if (strncmp(info->identity, "xxh128:", 7) != 0 || !strcmp(info->identity, info->digest))
        return copy_allocations(info, s, err);
    return error_set(err, "%s: is damaged: its contents have the digest %s, expected %s", s->name, info->digest,
                     info->identity);
}

bool info_collect(struct source *s, struct trace_info *info, const struct trace_progress *progress, struct error *err)
{
    struct collector c = {.info = info};
    memset(info, 0, sizeof *info);
    strcpy(info->name, s->name);
    strcpy(info->identity, s->identity);
    bool done = digest_init(&c.digest) ? count_all(&c, s, progress, err) : error_set(err, "%s: out of memory", s->name);
    if (done) done = finish(&c, s, err);
    digest_free(&c.digest);
    free(c.seen.slot);
    return done;
}

void info_free(struct trace_info *info)
{
    free(info->kernels);
    free(info->allocations);
    memset(info, 0, sizeof *info);
}
