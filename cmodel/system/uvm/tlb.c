/* SPDX-License-Identifier: Apache-2.0 */
#include "system/uvm/tlb.h"

#include <stdlib.h>
#include <string.h>

#define NO_PAGE UINT32_MAX

bool tlb_init(struct tlb *t, uint32_t sets, uint32_t ways)
{
    size_t entries = (size_t)sets * ways;
    *t = (struct tlb){.sets = sets, .ways = ways, .page = malloc((entries ? entries : 1) * sizeof *t->page)};
    for (size_t i = 0; t->page && i < entries; i++) t->page[i] = NO_PAGE;
    return t->page;
}

void tlb_free(struct tlb *t)
{
    free(t->page);
}

static uint32_t *set_of(const struct tlb *t, uint32_t page)
{
    return &t->page[(size_t)(page & (t->sets - 1)) * t->ways];
}

static uint32_t find(const struct tlb *t, const uint32_t *set, uint32_t page)
{
    uint32_t way = 0;
    while (way < t->ways && set[way] != page) way++;
    return way;
}

/* Entries before `way` move back by one. */
static void put_first(uint32_t *set, uint32_t way, uint32_t page)
{
    memmove(set + 1, set, way * sizeof *set);
    set[0] = page;
}

bool tlb_has(const struct tlb *t, uint32_t page)
{
    return find(t, set_of(t, page), page) < t->ways;
}

bool tlb_hit(struct tlb *t, uint32_t page)
{
    uint32_t *set = set_of(t, page), way = find(t, set, page);
    if (way == t->ways) return false;
    if (way) put_first(set, way, page);
    return true;
}

void tlb_fill(struct tlb *t, uint32_t page)
{
    if (t->ways && !tlb_hit(t, page)) put_first(set_of(t, page), t->ways - 1, page);
}

/* Entries behind it move up: free ways stay last. */
bool tlb_drop(struct tlb *t, uint32_t page)
{
    uint32_t *set = set_of(t, page), way = find(t, set, page);
    if (way == t->ways) return false;
    memmove(set + way, set + way + 1, (t->ways - 1 - way) * sizeof *set);
    set[t->ways - 1] = NO_PAGE;
    return true;
}
