/* SPDX-License-Identifier: Apache-2.0 */
#include "system/uvm/pages.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "system/config/options.h"

#define PAGE_BYTES 4096u
#define BLOCK_BYTES 65536u
#define TREE_BYTES 2097152u

static const char *const state_names[PAGE_STATES] = {"on the host", "coming", "in device memory", "leaving"};

void pages_break(struct pages *p, uint32_t page, const char *law)
{
    if (!pages_exist(p, page)) {
        error_set(&p->broken, "unified memory, cycle %" PRIu64 ": page %u, in no allocation: %s", p->env->sm_cycle,
                  page, law);
        return;
    }
    const struct page *g = &p->page[page];
    error_set(&p->broken,
              "unified memory, cycle %" PRIu64 ": page %u (0x%" PRIx64 " of %s), %s with %u requests below the L1D: %s",
              p->env->sm_cycle, page, pages_address(p, page), pages_group(p, page)->name, state_names[g->state],
              g->pins, law);
}

static int by_address(const void *a, const void *b)
{
    const struct page_group *x = a, *y = b;
    return (x->address > y->address) - (x->address < y->address);
}

static bool apart(const struct page_group *a, const struct page_group *b, struct error *err)
{
    uint64_t end = a->address + (uint64_t)a->count * PAGE_BYTES;
    if (ceil_div(end, BLOCK_BYTES) * BLOCK_BYTES <= b->address) return true;
    return error_set(err,
                     "unified memory: found bytes of allocations %s and %s in one 64 KiB block, at 0x%" PRIx64
                     ", expected each in its own blocks, as cudaMallocManaged returns them; the built-in kernels do so "
                     "with align=2097152",
                     a->name, b->name, b->address);
}

static uint32_t most_of(const char *key)
{
    return option_find(key)->max;
}

/* The table has `found` entries; the workload needs so many. */
static bool table_fits(const struct source *source, uint64_t needed, uint32_t found, struct error *err)
{
    const uint32_t most = most_of("uvm.table_pages");
    if (needed <= found) return true;
    if (needed > most)
        return error_set(err,
                         "uvm.table_pages: %s needs %" PRIu64
                         " entries, as each allocation begins at a multiple of 2 MiB; at most %u pages, %u MiB, can be "
                         "managed",
                         source->name, needed, most, most / (1024 * 1024 / PAGE_BYTES));
    return error_set(err,
                     "uvm.table_pages: found %u, expected at least %" PRIu64
                     ", the entries of %s, as each allocation begins at a multiple of 2 MiB",
                     found, needed, source->name);
}

/* First page number of each allocation. */
static bool number(struct pages *p, const struct source *source, uint32_t table, struct error *err)
{
    uint64_t tree = 0;
    for (uint32_t i = 0; i < p->group_count; i++) {
        struct page_group *g = &p->groups[i];
        if (i && !apart(g - 1, g, err)) return false;
        uint64_t first = tree * PAGES_PER_TREE + g->address % TREE_BYTES / PAGE_BYTES;
        uint64_t end = first + g->count;
        g->first = (uint32_t)first;
        p->footprint += g->count;
        tree = ceil_div(end, PAGES_PER_TREE);
    }
    if (!table_fits(source, tree * PAGES_PER_TREE, table, err)) return false;
    p->count = (uint32_t)tree * PAGES_PER_TREE;
    return true;
}

static bool allocs_fit(const struct source *source, uint32_t found, struct error *err)
{
    const uint32_t most = most_of("uvm.table_allocs");
    uint32_t needed = 0;
    for (uint32_t i = 0; i < source->allocation_count; i++) needed += source->allocations[i].bytes != 0;
    if (needed <= found) return true;
    if (needed > most)
        return error_set(err, "uvm.table_allocs: %s has %u allocations; at most %u can be managed", source->name,
                         needed, most);
    return error_set(err, "uvm.table_allocs: found %u, expected at least %u, the allocations of %s", found, needed,
                     source->name);
}

static bool gather(struct pages *p, const struct source *source, struct error *err)
{
    if (!allocs_fit(source, p->env->config->uvm_table_allocs, err)) return false;
    for (uint32_t i = 0; i < source->allocation_count; i++) {
        const struct allocation *a = &source->allocations[i];
        if (!a->bytes) continue;
        uint64_t start = a->addr / BLOCK_BYTES * BLOCK_BYTES;
        uint64_t pages = ceil_div(a->addr + a->bytes - start, PAGE_BYTES);
        if (pages > most_of("uvm.table_pages"))
            return table_fits(source, ceil_div(pages, PAGES_PER_TREE) * PAGES_PER_TREE, p->env->config->uvm_table_pages,
                              err);
        struct page_group *g = &p->groups[p->group_count++];
        *g = (struct page_group){.address = start, .count = (uint32_t)pages};
        snprintf(g->name, sizeof g->name, "%s", a->name);
    }
    if (!p->group_count)
        return error_set(err, "uvm.enable: %s has no allocation; only memory of an allocation is paged", source->name);
    qsort(p->groups, p->group_count, sizeof *p->groups, by_address);
    return true;
}

static bool reserve(struct pages *p)
{
    uint32_t units = p->count >> p->lru_shift;
    p->page = calloc(p->count, sizeof *p->page);
    p->group_of_tree = calloc(p->count / PAGES_PER_TREE, sizeof *p->group_of_tree);
    p->listed = calloc(units, sizeof *p->listed);
    p->device = calloc(p->count, sizeof *p->device);
    p->place = calloc(p->count, sizeof *p->place);
    return lru_init(&p->lru, units) && p->page && p->group_of_tree && p->listed && p->device && p->place;
}

static uint32_t capacity_of(const struct config *c, uint32_t footprint)
{
    uint64_t pages = c->uvm_device_kib / (PAGE_BYTES / 1024);
    if (c->uvm_oversubscribe_percent) pages = (uint64_t)footprint * 100 / c->uvm_oversubscribe_percent;
    pages = pages / PAGES_PER_BLOCK * PAGES_PER_BLOCK;
    return pages > UINT32_MAX ? UINT32_MAX : (uint32_t)pages;
}

struct pages *pages_create(const struct env *env, const struct source *source, uint32_t lru_shift, struct error *err)
{
    struct pages *p = calloc(1, sizeof *p);
    if (!p) return error_set(err, "unified memory: out of memory"), NULL;
    p->env = env;
    p->lru_shift = lru_shift;
    p->groups = calloc(env->config->uvm_table_allocs, sizeof *p->groups);
    bool ok = p->groups || error_set(err, "unified memory: out of memory");
    ok = ok && gather(p, source, err) && number(p, source, env->config->uvm_table_pages, err);
    if (ok && !reserve(p)) ok = error_set(err, "unified memory: out of memory for %u pages", p->count);
    if (!ok) {
        pages_destroy(p);
        return NULL;
    }
    for (uint32_t i = 0; i < p->group_count; i++)
        for (uint32_t t = p->groups[i].first >> TREE_SHIFT;
             t <= (p->groups[i].first + p->groups[i].count - 1) >> TREE_SHIFT; t++)
            p->group_of_tree[t] = (uint8_t)i;
    p->in_state[PAGE_HOST] = p->footprint;
    p->capacity = capacity_of(env->config, p->footprint);
    return p;
}

void pages_destroy(struct pages *p)
{
    if (!p) return;
    lru_free(&p->lru);
    free(p->page);
    free(p->groups);
    free(p->group_of_tree);
    free(p->listed);
    free(p->device);
    free(p->place);
    free(p);
}

uint32_t pages_find(const struct pages *p, uint64_t address)
{
    uint32_t low = 0, high = p->group_count; /* the last group that begins at or before it */
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        *(p->groups[middle].address <= address ? &low : &high) = middle;
    }
    const struct page_group *g = &p->groups[low];
    uint64_t page = (address - g->address) / PAGE_BYTES;
    return address >= g->address && page < g->count ? g->first + (uint32_t)page : UINT32_MAX;
}

uint64_t pages_address(const struct pages *p, uint32_t page)
{
    const struct page_group *g = pages_group(p, page);
    return g->address + (uint64_t)(page - g->first) * PAGE_BYTES;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void pages_sort(uint32_t *list, uint32_t count)
{
    if (count) qsort(list, count, sizeof *list, by_number);
}

uint32_t pages_run(const struct pages *p, const uint32_t *list, uint32_t count, uint32_t i)
{
    uint32_t end = i + 1;
    while (end < count && list[end] == list[end - 1] + 1 && pages_group(p, list[end]) == pages_group(p, list[i])) end++;
    return end;
}

/* Checks a precondition on the page's state.  If it fails: false, and the law is recorded as broken. */
static bool step(struct pages *p, uint32_t page, enum page_state from, enum page_state to, const char *law)
{
    if (!pages_exist(p, page) || p->page[page].state != from) {
        pages_break(p, page, law);
        return false;
    }
    p->page[page].state = (uint8_t)to;
    p->in_state[from]--;
    p->in_state[to]++;
    return true;
}

bool pages_under_way(const struct pages *p, uint32_t block)
{
    for (uint32_t i = block << BLOCK_SHIFT; i < (block + 1) << BLOCK_SHIFT; i++)
        if (p->page[i].framed) return true;
    return false;
}

void pages_coming(struct pages *p, uint32_t page, bool demand)
{
    if (!step(p, page, PAGE_HOST, PAGE_COMING, "only a page on the host can be migrated")) return;
    struct page *g = &p->page[page];
    g->prefetched = !demand;
    g->dirty = g->dropped = false;
}

void pages_grant(struct pages *p, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++) {
        if (p->page[i].state != PAGE_COMING || p->page[i].framed)
            pages_break(p, i, "only a COMING page can get a frame");
        p->page[i].framed = true;
    }
    p->granted += count;
    uint32_t held = p->granted + p->in_state[PAGE_DEVICE] + p->in_state[PAGE_LEAVING];
    if (held > p->capacity)
        error_set(&p->broken, "unified memory, cycle %" PRIu64 ": %u pages hold a frame of device memory, which has %u",
                  p->env->sm_cycle, held, p->capacity);
    if (held > p->peak) p->peak = held;
}

void pages_arrive(struct pages *p, uint32_t page)
{
    if (!step(p, page, PAGE_COMING, PAGE_DEVICE, "only a COMING page can arrive")) return;
    struct page *g = &p->page[page];
    if (!g->framed) {
        pages_break(p, page, "it arrives without a frame");
        return;
    }
    g->framed = false;
    p->granted--;
    p->arrivals++;
    g->first_use = g->waiting != 0;
    p->place[page] = p->in_state[PAGE_DEVICE] - 1;
    p->device[p->place[page]] = page;
    p->listed[page >> p->lru_shift]++;
    lru_touch(&p->lru, page >> p->lru_shift);
}

void pages_leave(struct pages *p, uint32_t page)
{
    if (!pages_evictable(p, page)) {
        pages_break(p, page, "only a page in device memory without waiting SMs can be evicted");
        return;
    }
    step(p, page, PAGE_DEVICE, PAGE_LEAVING, "only a page in device memory can be evicted");
    uint32_t last = p->device[p->in_state[PAGE_DEVICE]];
    p->device[p->place[page]] = last;
    p->place[last] = p->place[page];
    if (!--p->listed[page >> p->lru_shift]) lru_remove(&p->lru, page >> p->lru_shift);
}

void pages_gone(struct pages *p, uint32_t page)
{
    if (pages_exist(p, page) && p->page[page].pins) {
        pages_break(p, page, "only a page without requests in flight can leave");
        return;
    }
    if (!step(p, page, PAGE_LEAVING, PAGE_HOST, "only a LEAVING page can complete its eviction")) return;
    p->page[page].left_before = true;
    p->departures++;
}

void pages_wait(struct pages *p, uint32_t page, uint32_t sm)
{
    struct page *g = &p->page[page];
    if (g->state == PAGE_DEVICE) pages_break(p, page, "an SM waits for a resident page");
    if (g->waiting >> sm & 1) pages_break(p, page, "an SM waits for it twice");
    g->waiting |= (uint64_t)1 << sm;
    p->answers++;
}

void pages_answer(struct pages *p, uint32_t page, uint32_t sm)
{
    if (!pages_exist(p, page) || sm > 63 || !(p->page[page].waiting >> sm & 1)) {
        pages_break(p, page, "an answer to an SM that does not wait for it");
        return;
    }
    struct page *g = &p->page[page];
    if (g->state != PAGE_DEVICE) pages_break(p, page, "an answer to an SM, but the page is not resident");
    g->waiting &= ~((uint64_t)1 << sm);
    p->answers--;
}

void pages_use(struct pages *p, uint32_t page)
{
    struct page *g = &p->page[page];
    if (g->state != PAGE_DEVICE && (g->state != PAGE_LEAVING || g->dropped))
        pages_break(p, page, "only a page in device memory can be accessed");
    g->first_use = g->prefetched = false;
    if (g->state == PAGE_DEVICE) lru_touch(&p->lru, page >> p->lru_shift);
}

void pages_pin(struct pages *p, uint32_t page)
{
    struct page *g = &p->page[page];
    g->pins++;
    if (g->state != PAGE_DEVICE && (g->state != PAGE_LEAVING || g->dropped))
        pages_break(p, page, "a request for it leaves an L1D");
}

void pages_unpin(struct pages *p, uint32_t page)
{
    if (!p->page[page].pins) {
        pages_break(p, page, "a response without a request");
        return;
    }
    p->page[page].pins--;
}

static bool audit_page(struct pages *p, uint32_t page, bool quiet, uint32_t in_state[static PAGE_STATES])
{
    const struct page *g = &p->page[page];
    in_state[g->state]++;
    if (g->pins && g->state != PAGE_DEVICE && g->state != PAGE_LEAVING)
        pages_break(p, page, "a pin on a page that is not in device memory");
    if (g->state == PAGE_DEVICE && p->device[p->place[page]] != page)
        pages_break(p, page, "missing from the list of pages in device memory");
    if (g->state == PAGE_DEVICE && !p->lru.listed[page >> p->lru_shift])
        pages_break(p, page, "missing from the LRU order");
    if (quiet && g->waiting) pages_break(p, page, "an SM still waits for it at the end of the run");
    if (quiet && g->pins) pages_break(p, page, "requests are still in flight to it at the end of the run");
    return !p->broken.text[0];
}

static void audit_counts(struct pages *p, const uint32_t in_state[static PAGE_STATES])
{
    for (uint32_t s = 0; s < PAGE_STATES; s++)
        if (in_state[s] != p->in_state[s])
            error_set(&p->broken, "unified memory, cycle %" PRIu64 ": found %u pages %s, expected %u", p->env->sm_cycle,
                      in_state[s], state_names[s], p->in_state[s]);
    uint64_t resident = (uint64_t)in_state[PAGE_DEVICE] + in_state[PAGE_LEAVING];
    if (resident != p->arrivals - p->departures)
        error_set(&p->broken,
                  "unified memory, cycle %" PRIu64 ": found %" PRIu64 " pages resident, expected %" PRIu64
                  " arrivals less %" PRIu64 " departures",
                  p->env->sm_cycle, resident, p->arrivals, p->departures);
}

bool pages_audit(struct pages *p, bool quiet)
{
    uint32_t in_state[PAGE_STATES] = {0};
    for (uint32_t i = 0; i < p->group_count; i++)
        for (uint32_t k = 0; k < p->groups[i].count; k++)
            if (!audit_page(p, p->groups[i].first + k, quiet, in_state)) return false;
    audit_counts(p, in_state);
    /* mutant: 0 + 1: no message has one character */
    return !p->broken.text[0];
}
