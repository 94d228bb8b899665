/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/ranges_file.h"

static void put_range(struct bytes *out, const struct range *g, uint32_t block)
{
    bytes_varint(out, g->block - block);
    bytes_varint(out, g->array);
    bytes_varint(out, g->accesses);
    for (uint32_t rule = 0; rule < RANGE_RULES; rule++) {
        bytes_varint(out, g->rect[rule].width);
        if (!g->rect[rule].width) continue;
        bytes_varint(out, g->rect[rule].height);
        bytes_varint(out, g->rect[rule].x);
        bytes_varint(out, g->rect[rule].y);
        bytes_varint(out, g->inside[rule]);
        bytes_varint(out, g->touched[rule]);
    }
}

void ranges_encode(const struct ranges *r, uint32_t kernel, uint64_t elsewhere, struct bytes *out)
{
    const struct range_kernel *k = &r->kernels[kernel];
    bytes_varint(out, elsewhere);
    bytes_varint(out, k->count);
    for (uint64_t i = k->first; i < k->first + k->count; i++)
        put_range(out, &r->range[i], i > k->first ? r->range[i - 1].block : 0);
}

/* A rectangle inside the array, at least one line of which is accessed. */
static void get_rect(struct reader *from, struct range *g, uint32_t rule, const struct range_array *a)
{
    struct rect *t = &g->rect[rule];
    t->width = (uint32_t)reader_limited(from, a->width);
    if (!t->width) return;
    t->height = (uint32_t)reader_limited(from, a->height);
    t->x = (uint32_t)reader_limited(from, a->width - t->width);
    t->y = (uint32_t)reader_limited(from, a->height - t->height);
    g->inside[rule] = reader_limited(from, g->accesses);
    g->touched[rule] = reader_limited(from, (uint64_t)t->width * t->height);
    from->bad |= !t->height || !g->touched[rule] || g->touched[rule] > g->inside[rule];
}

/* Thread blocks ascend, and so do the arrays of one. */
static bool in_order(const struct range *before, const struct range *g)
{
    return before->block < g->block || (before->block == g->block && before->array < g->array);
}

static const char *get_range(struct ranges *r, const struct kernel_info *info, struct reader *from)
{
    const struct range_kernel *k = &r->kernels[r->kernel_count - 1];
    const uint32_t before = r->range_count > k->first ? r->range[r->range_count - 1].block : 0;
    struct range g = {.block = before + (uint32_t)reader_limited(from, kernel_blocks(info) - 1 - before)};
    g.array = (uint32_t)reader_limited(from, r->array_count - 1);
    g.accesses = reader_varint(from);
    for (uint32_t rule = 0; !from->bad && rule < RANGE_RULES; rule++) get_rect(from, &g, rule, &r->arrays[g.array]);
    if (from->bad) return "a range outside its grid or its array, or without accesses";
    if (r->range_count > k->first && !in_order(&r->range[r->range_count - 1], &g)) return "ranges out of order";
    struct range *to = ranges_add(r);
    if (!to) return "no memory for its ranges";
    *to = g;
    return NULL;
}

#define RANGE_BYTES 5 /* at least, of a range in a file */

const char *ranges_decode(struct ranges *r, const struct kernel_info *info, struct reader *from, struct error *err)
{
    const char *fault = NULL;
    if (!ranges_add_kernel(r, info, err)) return "no memory for its kernel";
    r->elsewhere += reader_varint(from);
    const uint64_t n = reader_varint(from);
    if (from->bad || n > (uint64_t)(from->end - from->at) / RANGE_BYTES) return "more ranges than fit";
    if (n && !r->array_count) return "ranges without an array";
    for (uint64_t i = 0; !fault && i < n; i++) fault = get_range(r, info, from);
    if (fault) return fault;
    if (from->at != from->end) return "bytes after the last range";
    return ranges_end_kernel(r, err) ? NULL : "no memory for its arrays";
}
