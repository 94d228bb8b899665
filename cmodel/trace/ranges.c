/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/ranges.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arith.h"
#include "trace/warp_ranges.h"

/* Accesses to a line of an array.  Array number ranges.array_count is the memory outside all arrays, in one row. */
struct cell {
    uint64_t line; /* number in its array, row by row */
    uint64_t accesses;
    uint32_t array;
};

/* The bytes around an address that are in the same cell. */
struct span {
    uint64_t first, last; /* first > last: none */
    uint64_t line;
    uint32_t array;
};

/* First accesses of a block's first and last thread to an array. */
struct ends {
    bool seen[2];
    uint64_t line[2];
};

struct range_pass {
    struct ranges *to;
    uint32_t *by_address; /* arrays */
    struct ends *ends;    /* of the current block, by array */
    struct cell *cells;   /* of the current block: a list, sorted and merged when it is full and at the end */
    uint64_t cell_count, cell_room;
    uint32_t threads, block;
};

/* ---- The arrays. ---- */

static uint64_t last_byte(const struct allocation *a)
{
    return a->addr + (a->bytes - 1);
}

static uint64_t pitch_of(const struct allocation *a)
{
    return a->pitch ? a->pitch : a->bytes;
}

static bool measure(struct ranges *r, struct range_array *to, const struct allocation *a, struct error *err)
{
    const uint64_t width = (pitch_of(a) - 1) / RANGE_LINE + 1, height = (a->bytes - 1) / pitch_of(a) + 1;
    if (width > UINT32_MAX || height > UINT32_MAX)
        return error_set(err,
                         "%s: found array %s of %" PRIu64 " lines in a row and %" PRIu64
                         " rows, expected at most 4294967295: the coordinates of a rectangle have 32 bits",
                         r->name, a->name, width, height);
    *to = (struct range_array){*a, (uint32_t)width, (uint32_t)height};
    return true;
}

static bool make_arrays(struct ranges *r, const struct source *s, struct error *err)
{
    r->arrays = calloc(s->allocation_count + 1u, sizeof *r->arrays);
    if (!r->arrays) return error_set(err, "%s: out of memory", r->name);
    for (; r->array_count < s->allocation_count; r->array_count++)
        if (!measure(r, &r->arrays[r->array_count], &s->allocations[r->array_count], err)) return false;
    return true;
}

static int address_order(const void *a, const void *b, void *context)
{
    const struct range_array *arrays = context;
    const uint64_t x = arrays[*(const uint32_t *)a].allocation.addr, y = arrays[*(const uint32_t *)b].allocation.addr;
    return (x > y) - (x < y);
}

static bool sort_arrays(struct range_pass *c, struct error *err)
{
    struct ranges *r = c->to;
    c->by_address = calloc(r->array_count + 1u, sizeof *c->by_address);
    c->ends = calloc(r->array_count + 1u, sizeof *c->ends);
    if (!c->by_address || !c->ends) return error_set(err, "%s: out of memory", r->name);
    for (uint32_t i = 0; i < r->array_count; i++) c->by_address[i] = i;
    qsort_r(c->by_address, r->array_count, sizeof *c->by_address, address_order, r->arrays);
    for (uint32_t i = 1; i < r->array_count; i++) {
        const struct allocation *a = &r->arrays[c->by_address[i - 1]].allocation;
        const struct allocation *b = &r->arrays[c->by_address[i]].allocation;
        if (last_byte(a) >= b->addr)
            return error_set(err, "%s: found that allocations %s and %s overlap, expected each byte in one", r->name,
                             a->name, b->name);
    }
    return true;
}

/* Arrays, by address, that start at or before the address. */
static uint32_t arrays_before(const struct range_pass *c, uint64_t addr)
{
    uint32_t low = 0, high = c->to->array_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (c->to->arrays[c->by_address[middle]].allocation.addr <= addr) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static struct span span_outside(const struct range_pass *c, uint64_t addr, uint32_t before)
{
    const uint64_t line = addr / RANGE_LINE, first = line * RANGE_LINE;
    struct span s = {addr, first + (RANGE_LINE - 1), line, c->to->array_count};
    if (before < c->to->array_count) {
        const uint64_t next = c->to->arrays[c->by_address[before]].allocation.addr;
        if (next <= s.last) s.last = next - 1;
    }
    return s;
}

static struct span span_of(const struct range_pass *c, uint64_t addr)
{
    const uint32_t before = arrays_before(c, addr), array = before ? c->by_address[before - 1] : 0;
    const struct range_array *a = &c->to->arrays[array];
    if (!before || last_byte(&a->allocation) < addr) return span_outside(c, addr, before);
    const uint64_t pitch = pitch_of(&a->allocation), offset = addr - a->allocation.addr;
    const uint64_t row = offset / pitch, x = offset % pitch / RANGE_LINE;
    const uint64_t first = a->allocation.addr + row * pitch + x * RANGE_LINE;
    const uint64_t row_left = pitch - x * RANGE_LINE, array_left = last_byte(&a->allocation) - first;
    const uint64_t more = min_u64(min_u64(RANGE_LINE, row_left) - 1, array_left);
    return (struct span){first, first + more, row * a->width + x, array};
}

/* ---- The accesses of a block. ---- */

static int cell_order(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    if (x->array != y->array) return x->array < y->array ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static void merge_cells(struct range_pass *c)
{
    uint64_t n = 0;
    if (!c->cell_count) return;
    qsort(c->cells, c->cell_count, sizeof *c->cells, cell_order);
    for (uint64_t i = 0; i < c->cell_count; i++) {
        if (n && !cell_order(&c->cells[n - 1], &c->cells[i])) {
            c->cells[n - 1].accesses += c->cells[i].accesses;
        } else {
            c->cells[n++] = c->cells[i];
        }
    }
    c->cell_count = n;
}

/* Merging keeps the list as short as the block's footprint allows. */
static bool make_room(struct range_pass *c, struct error *err)
{
    if (c->cell_count + WARP_SIZE * 16 <= c->cell_room) return true;
    merge_cells(c);
    if (c->cell_room && c->cell_count <= c->cell_room / 2) return true;
    const uint64_t room = c->cell_room ? 2 * c->cell_room : 8192;
    struct cell *grown = realloc(c->cells, room * sizeof *grown);
    if (!grown) return error_set(err, "%s: out of memory", c->to->name);
    c->cells = grown;
    c->cell_room = room;
    return true;
}

/* Once for an instruction, whose cells are those from `from` on. */
static void note_cell(struct range_pass *c, uint64_t from, const struct span *s)
{
    for (uint64_t i = c->cell_count; i > from; i--)
        if (c->cells[i - 1].line == s->line && c->cells[i - 1].array == s->array) return;
    c->cells[c->cell_count++] = (struct cell){s->line, 1, s->array};
}

static void note_end(struct range_pass *c, uint32_t thread, const struct span *s)
{
    struct ends *e = &c->ends[s->array];
    const bool is[2] = {thread == 0, thread == c->threads - 1};
    for (uint32_t i = 0; i < 2; i++) {
        if (!is[i] || e->seen[i]) continue;
        e->seen[i] = true;
        e->line[i] = s->line;
    }
}

static void move_to(struct range_pass *c, struct span *s, uint64_t addr, uint64_t from)
{
    if (s->first <= addr && addr <= s->last) return;
    *s = span_of(c, addr);
    note_cell(c, from, s);
}

bool range_pass_inst(void *context, uint32_t warp, const struct inst *inst, struct error *err)
{
    struct range_pass *c = context;
    if (!inst_is_global(inst->op)) return true;
    if (!make_room(c, err)) return false;
    const uint64_t from = c->cell_count;
    struct span s = {1, 0, 0, 0};
    for (uint32_t rest = inst->mask; rest; rest &= rest - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(rest);
        const uint64_t first = inst->addr[lane], last = max_u64(first, first + (inst->size - 1u));
        move_to(c, &s, first, from);
        note_end(c, warp * WARP_SIZE + lane, &s);
        while (s.last < last) move_to(c, &s, s.last + 1, from);
    }
    return true;
}

/* ---- The ranges of a block. ---- */

static void extend(struct rect *to, uint32_t x, uint32_t y)
{
    if (!to->width) {
        *to = (struct rect){x, y, 1, 1};
        return;
    }
    const uint32_t left = x < to->x ? x : to->x, top = y < to->y ? y : to->y;
    to->width = (uint32_t)max_u64(to->x + to->width, (uint64_t)x + 1) - left;
    to->height = (uint32_t)max_u64(to->y + to->height, (uint64_t)y + 1) - top;
    to->x = left;
    to->y = top;
}

static bool holds(const struct rect *r, uint32_t x, uint32_t y)
{
    return x - r->x < r->width && y - r->y < r->height; /* modulo 2^32: not before it either */
}

static void measure_cells(struct range *g, const struct cell *cells, uint64_t count, uint32_t row)
{
    for (uint64_t i = 0; i < count; i++) {
        extend(&g->rect[RANGE_BOUNDS], (uint32_t)(cells[i].line % row), (uint32_t)(cells[i].line / row));
        g->accesses += cells[i].accesses;
    }
    for (uint64_t i = 0; i < count; i++) {
        for (uint32_t rule = 0; rule < RANGE_RULES; rule++) {
            if (!holds(&g->rect[rule], (uint32_t)(cells[i].line % row), (uint32_t)(cells[i].line / row))) continue;
            g->inside[rule] += cells[i].accesses;
            g->touched[rule]++;
        }
    }
}

static void *grown_to(void *list, uint64_t count, uint64_t *room, size_t size)
{
    if (count < *room) return list;
    const uint64_t more = *room ? 2 * *room : 64;
    void *grown = realloc(list, more * size);
    if (grown) *room = more;
    return grown;
}

struct range *ranges_add(struct ranges *r)
{
    struct range *grown = grown_to(r->range, r->range_count, &r->range_room, sizeof *grown);
    if (grown) r->range = grown;
    return grown ? &grown[r->range_count++] : NULL;
}

/* The cells of one array. */
static bool note_range(struct range_pass *c, const struct cell *cells, uint64_t count, struct error *err)
{
    struct ranges *r = c->to;
    struct range *g = ranges_add(r);
    if (!g) return error_set(err, "%s: out of memory", r->name);
    *g = (struct range){.block = c->block, .array = cells->array};
    const uint32_t row = r->arrays[cells->array].width;
    const struct ends *e = &c->ends[cells->array];
    for (uint32_t i = 0; i < 2; i++)
        if (e->seen[i]) extend(&g->rect[RANGE_ENDS], (uint32_t)(e->line[i] % row), (uint32_t)(e->line[i] / row));
    measure_cells(g, cells, count, row);
    return true;
}

bool range_pass_block(struct range_pass *c, struct error *err)
{
    merge_cells(c);
    for (uint64_t i = 0, n; i < c->cell_count; i += n) {
        const struct cell *first = &c->cells[i];
        for (n = 1; i + n < c->cell_count && first[n].array == first->array;) n++;
        if (first->array < c->to->array_count) {
            if (!note_range(c, first, n, err)) return false;
        } else {
            for (uint64_t k = 0; k < n; k++) c->to->elsewhere += first[k].accesses;
        }
    }
    c->cell_count = 0;
    c->block++;
    memset(c->ends, 0, (c->to->array_count + 1u) * sizeof *c->ends);
    return true;
}

/* ---- Kernels. ---- */

static uint32_t most_accessed(const struct range_sum *sums, uint32_t count, const struct range_kernel *k)
{
    uint32_t best = count;
    for (uint32_t i = 0; i < count; i++) {
        bool taken = !sums[i].accesses;
        for (uint32_t n = 0; n < k->slots; n++) taken |= k->array[n] == i;
        if (!taken && (best == count || sums[i].accesses > sums[best].accesses)) best = i;
    }
    return best;
}

static int number_order(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool choose_slots(struct ranges *r, uint32_t kernel, struct error *err)
{
    struct range_kernel *k = &r->kernels[kernel];
    struct range_sum *sums = calloc(r->array_count + 1u, sizeof *sums);
    if (!sums) return error_set(err, "%s: out of memory", r->name);
    ranges_sum(r, kernel, sums);
    for (uint32_t array; k->slots < RANGE_SLOTS && (array = most_accessed(sums, r->array_count, k)) < r->array_count;)
        k->array[k->slots++] = array;
    qsort(k->array, k->slots, sizeof *k->array, number_order);
    free(sums);
    return true;
}

bool ranges_add_kernel(struct ranges *r, const struct kernel_info *info, struct error *err)
{
    struct range_kernel *grown = grown_to(r->kernels, r->kernel_count, &r->kernel_room, sizeof *grown);
    if (!grown) return error_set(err, "%s: out of memory", r->name);
    r->kernels = grown;
    r->kernels[r->kernel_count++] = (struct range_kernel){.info = *info, .first = r->range_count};
    return true;
}

bool ranges_end_kernel(struct ranges *r, struct error *err)
{
    struct range_kernel *k = &r->kernels[r->kernel_count - 1];
    k->count = r->range_count - k->first;
    return choose_slots(r, r->kernel_count - 1, err);
}

/* ---- A pass. ---- */

bool ranges_begin(struct ranges *r, const struct source *source, struct error *err)
{
    *r = (struct ranges){0};
    strcpy(r->name, source->name);
    strcpy(r->identity, source->identity);
    return make_arrays(r, source, err);
}

struct range_pass *range_pass_begin(const struct source *source, struct ranges *r, struct error *err)
{
    if (!ranges_begin(r, source, err)) return NULL;
    struct range_pass *p = calloc(1, sizeof *p);
    if (!p) return error_set(err, "%s: out of memory", r->name), NULL;
    p->to = r;
    if (sort_arrays(p, err)) return p;
    range_pass_free(p);
    return NULL;
}

bool range_pass_kernel(struct range_pass *p, const struct kernel_info *info, struct error *err)
{
    p->threads = kernel_threads(info);
    p->block = 0;
    return ranges_add_kernel(p->to, info, err);
}

bool range_pass_kernel_end(struct range_pass *p, struct error *err)
{
    return ranges_end_kernel(p->to, err);
}

void range_pass_free(struct range_pass *p)
{
    if (!p) return;
    free(p->by_address);
    free(p->ends);
    free(p->cells);
    free(p);
}

static bool pass_kernel(struct range_pass *p, struct source *s, const struct kernel_info *info,
                        const struct trace_progress *progress, struct error *err)
{
    if (!range_pass_kernel(p, info, err)) return false;
    for (uint32_t b = 0; b < kernel_blocks(info); b++) {
        if (!block_visit(s, b, kernel_warps(info), range_pass_inst, p, err) || !range_pass_block(p, err)) return false;
        progress_step(progress, info, b + 1);
    }
    return range_pass_kernel_end(p, err);
}

bool ranges_collect(struct source *source, struct ranges *r, const struct trace_progress *progress, struct error *err)
{
    struct kernel_info info;
    enum source_status status = SOURCE_OK;
    if (source->read_ranges) return source->read_ranges(source, r, err);
    struct range_pass *p = range_pass_begin(source, r, err);
    bool done = p != NULL;
    while (done && (status = source->ops->next_kernel(source, &info, err)) == SOURCE_OK)
        done = pass_kernel(p, source, &info, progress, err);
    range_pass_free(p);
    return done && status == SOURCE_END && progress_accept(progress, source, err);
}

void ranges_free(struct ranges *r)
{
    free(r->arrays);
    free(r->kernels);
    free(r->range);
    warp_ranges_free(r->warps);
    *r = (struct ranges){0};
}

/* ---- Queries. ---- */

const struct range *ranges_of_block(const struct ranges *r, uint32_t kernel, uint32_t block, uint32_t *count)
{
    const struct range_kernel *k = &r->kernels[kernel];
    const struct range *first = r->range + k->first, *end = first + k->count;
    for (uint64_t left = k->count; left;) {
        const uint64_t half = left / 2;
        if (first[half].block < block)
            first += half + 1, left -= half + 1;
        else
            left = half;
    }
    for (*count = 0; first + *count < end && first[*count].block == block;) ++*count;
    return first;
}

void ranges_sum(const struct ranges *r, uint32_t kernel, struct range_sum *sums)
{
    const struct range_kernel *k = &r->kernels[kernel];
    memset(sums, 0, r->array_count * sizeof *sums);
    for (const struct range *g = r->range + k->first; g < r->range + k->first + k->count; g++) {
        struct range_sum *s = &sums[g->array];
        s->blocks++;
        s->accesses += g->accesses;
        for (uint32_t rule = 0; rule < RANGE_RULES; rule++) {
            s->of[rule].rectangles += g->rect[rule].width > 0;
            s->of[rule].width += g->rect[rule].width;
            s->of[rule].height += g->rect[rule].height;
            s->of[rule].lines += (uint64_t)g->rect[rule].width * g->rect[rule].height;
            s->of[rule].inside += g->inside[rule];
            s->of[rule].touched += g->touched[rule];
        }
    }
}

/* Log2 of the smallest power of two that divides an axis of `count` lines, or rows, into at most 2^bits - 1 units: a
 * field holds the width of the whole array, too. */
static uint32_t unit_for(uint32_t count, uint32_t bits)
{
    uint32_t log2 = 0;
    while (((uint64_t)count - 1) >> log2 >= (UINT64_C(1) << bits) - 1) log2++;
    return log2;
}

struct range_unit ranges_unit(const struct range_array *a, uint32_t bits)
{
    return (struct range_unit){unit_for(a->width, bits), unit_for(a->height, bits)};
}

static struct rect in_units(const struct rect *r, struct range_unit u)
{
    if (!r->width) return (struct rect){0};
    const uint32_t x = r->x >> u.log2_lines, y = r->y >> u.log2_rows;
    return (struct rect){x, y, ((r->x + (r->width - 1)) >> u.log2_lines) - x + 1,
                         ((r->y + (r->height - 1)) >> u.log2_rows) - y + 1};
}

struct range_entry ranges_entry(const struct ranges *r, uint32_t kernel, uint32_t block, enum range_rule rule,
                                uint32_t bits)
{
    struct range_entry e = {0};
    uint32_t count;
    const struct range *g = ranges_of_block(r, kernel, block, &count);
    const struct range_kernel *k = &r->kernels[kernel];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = 0; n < k->slots; n++)
            if (g[i].array == k->array[n])
                e.slot[n] = in_units(&g[i].rect[rule], ranges_unit(&r->arrays[g[i].array], bits));
    return e;
}

/* ---- Gaps. ---- */

static uint32_t arrays_accessed(const struct ranges *r, const struct range_kernel *k)
{
    uint32_t n = 0;
    for (uint32_t array = 0; array < r->array_count; array++) {
        bool accessed = false;
        for (uint64_t i = 0; i < k->count && !accessed; i++) accessed = r->range[k->first + i].array == array;
        n += accessed;
    }
    return n;
}

static bool is_bare(const struct ranges *r, uint32_t kernel, uint32_t block, enum range_rule rule)
{
    const struct range_entry e = ranges_entry(r, kernel, block, rule, RANGE_BITS_MAX);
    for (uint32_t i = 0; i < RANGE_SLOTS; i++)
        if (e.slot[i].width) return false;
    return true;
}

struct range_gaps ranges_gaps(const struct ranges *r, enum range_rule rule)
{
    struct range_gaps g = {.accesses = r->elsewhere, .elsewhere = r->elsewhere, .kernels = r->kernel_count};
    for (uint64_t i = 0; i < r->range_count; i++) g.accesses += r->range[i].accesses;
    for (uint32_t i = 0; i < r->array_count; i++) g.flat += !r->arrays[i].allocation.pitch;
    for (uint32_t k = 0; k < r->kernel_count; k++) {
        const uint32_t blocks = kernel_blocks(&r->kernels[k].info);
        g.blocks += blocks;
        g.crowded += arrays_accessed(r, &r->kernels[k]) > RANGE_SLOTS;
        for (uint32_t b = 0; b < blocks; b++) g.bare += is_bare(r, k, b, rule);
    }
    return g;
}
