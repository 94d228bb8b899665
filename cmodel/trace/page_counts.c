/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/page_counts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ratio.h"
#include "trace/info.h"

struct collector {
    struct page_counts *counts;
    struct page_group **by_address;
    struct page_group *last; /* most accesses go to the same allocation as the previous one */
};

static uint64_t last_byte(const struct allocation *a)
{
    return a->addr + (a->bytes - 1);
}

static int address_order(const void *a, const void *b)
{
    uint64_t x = (*(struct page_group *const *)a)->allocation.addr;
    uint64_t y = (*(struct page_group *const *)b)->allocation.addr;
    return (x > y) - (x < y);
}

static bool sort_groups(struct collector *c, struct error *err)
{
    struct page_counts *p = c->counts;
    c->by_address = calloc(p->group_count + 1u, sizeof *c->by_address);
    if (!c->by_address) return error_set(err, "%s: out of memory", p->name);
    for (uint32_t i = 0; i < p->group_count; i++) c->by_address[i] = &p->groups[i];
    qsort(c->by_address, p->group_count, sizeof *c->by_address, address_order);
    for (uint32_t i = 1; i < p->group_count; i++) {
        const struct allocation *a = &c->by_address[i - 1]->allocation, *b = &c->by_address[i]->allocation;
        if (last_byte(a) >= b->addr)
            return error_set(err, "%s: found that allocations %s and %s overlap, expected each byte in one", p->name,
                             a->name, b->name);
    }
    return true;
}

static bool make_groups(struct page_counts *p, const struct source *s, struct error *err)
{
    p->groups = calloc(s->allocation_count + 1u, sizeof *p->groups);
    if (!p->groups) return error_set(err, "%s: out of memory", p->name);
    for (; p->group_count < s->allocation_count; p->group_count++) {
        struct page_group *g = &p->groups[p->group_count];
        g->allocation = s->allocations[p->group_count];
        g->first = g->allocation.addr / COUNTED_PAGE;
        g->use.pages = last_byte(&g->allocation) / COUNTED_PAGE - g->first + 1;
        if (g->use.pages > COUNTED_PAGES_MAX)
            return error_set(err, "%s: found allocation %s of %llu pages, expected at most %llu", p->name,
                             g->allocation.name, (unsigned long long)g->use.pages,
                             (unsigned long long)COUNTED_PAGES_MAX);
        g->accesses = calloc(g->use.pages, sizeof *g->accesses);
        if (!g->accesses) return error_set(err, "%s: out of memory", p->name);
    }
    return true;
}

static bool holds(const struct page_group *g, uint64_t line)
{
    const struct allocation *a = &g->allocation;
    return a->addr / INFO_LINE <= line && line <= last_byte(a) / INFO_LINE;
}

/* A line shared by two allocations belongs to the later one.  NULL: in none. */
static struct page_group *find_group(const struct collector *c, uint64_t line)
{
    uint32_t low = 0, high = c->counts->group_count; /* those below `low` start at or before the line */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->by_address[middle]->allocation.addr / INFO_LINE <= line) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low && holds(c->by_address[low - 1], line) ? c->by_address[low - 1] : NULL;
}

static bool count_inst(void *context, uint32_t warp, const struct inst *inst, struct error *err)
{
    (void)warp, (void)err;
    struct collector *c = context;
    uint64_t lines[INFO_MAX_LINES];
    uint32_t n = inst_is_global(inst->op) ? info_coalesce(inst, lines) : 0;
    for (uint32_t i = 0; i < n; i++) {
        struct page_group *g = find_group(c, lines[i]);
        if (g) {
            g->accesses[lines[i] / (COUNTED_PAGE / INFO_LINE) - g->first]++;
        } else {
            c->counts->elsewhere++;
        }
    }
    return true;
}

static bool count_all(struct collector *c, struct source *s, const struct trace_progress *progress, struct error *err)
{
    struct kernel_info kernel;
    enum source_status status;
    while ((status = s->ops->next_kernel(s, &kernel, err)) == SOURCE_OK) {
        for (uint32_t b = 0; b < kernel_blocks(&kernel); b++) {
            if (!block_visit(s, b, kernel_warps(&kernel), count_inst, c, err)) return false;
            progress_step(progress, &kernel, b + 1);
        }
    }
    return status == SOURCE_END && progress_accept(progress, s, err);
}

/* ---- Statistics. ---- */

static void add_page(struct page_use *u, uint64_t accesses)
{
    if (!accesses) return;
    u->min = u->touched && u->min < accesses ? u->min : accesses;
    u->max = u->max > accesses ? u->max : accesses;
    u->touched++;
    u->accesses += accesses;
}

static double squares(const struct page_group *g, double mean)
{
    double sum = 0;
    for (uint64_t i = 0; i < g->use.pages; i++) {
        if (g->accesses[i]) sum += ((double)g->accesses[i] - mean) * ((double)g->accesses[i] - mean);
    }
    return sum;
}

static void summarize(struct page_use *u, const struct page_group *groups, uint32_t count)
{
    u->mean = ratio_of((double)u->accesses, (double)u->touched);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += squares(&groups[i], u->mean);
    u->deviation = sqrt(ratio_of(sum, (double)u->touched));
}

static void summarize_all(struct page_counts *p)
{
    for (uint32_t i = 0; i < p->group_count; i++) {
        struct page_group *g = &p->groups[i];
        p->total.pages += g->use.pages;
        for (uint64_t k = 0; k < g->use.pages; k++) {
            add_page(&g->use, g->accesses[k]);
            add_page(&p->total, g->accesses[k]);
        }
        summarize(&g->use, g, 1);
    }
    summarize(&p->total, p->groups, p->group_count);
}

bool page_counts_collect(struct source *source, struct page_counts *counts, const struct trace_progress *progress,
                         struct error *err)
{
    struct collector c = {.counts = counts};
    memset(counts, 0, sizeof *counts);
    strcpy(counts->name, source->name);
    strcpy(counts->identity, source->identity);
    bool done = make_groups(counts, source, err) && sort_groups(&c, err) && count_all(&c, source, progress, err);
    if (done) summarize_all(counts);
    free(c.by_address);
    return done;
}

void page_counts_free(struct page_counts *counts)
{
    for (uint32_t i = 0; counts->groups && i < counts->group_count; i++) free(counts->groups[i].accesses);
    free(counts->groups);
    memset(counts, 0, sizeof *counts);
}
