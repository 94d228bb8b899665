/* SPDX-License-Identifier: Apache-2.0 */
/* From victim to free frame: choice by the policy, drain of requests in flight, transfer to the host. */
#include "system/uvm/uvm_core.h"

bool evict_short(const struct uvm *u)
{
    const struct pages *p = u->pages;
    return p->in_state[PAGE_COMING] - p->granted > pages_free(p) + p->in_state[PAGE_LEAVING];
}

bool uvm_evict(struct uvm *u, uint32_t page)
{
    uint64_t *const counter[] = {[EVICT_BY_POLICY] = &u->s->uvm_evicted_policy,
                                 [EVICT_EXPIRED] = &u->s->uvm_evicted_expired,
                                 [EVICT_PRESSURE] = &u->s->uvm_evicted_pressure};
    if (!pages_evictable(u->pages, page)) return false;
    u->s->uvm_evicted_unused += u->pages->page[page].prefetched;
    pages_leave(u->pages, page);
    evict_spare(u, page);
    u->client.unmap(u->client.context, page);
    uvm_tell(u, page, false);
    u->evicted[u->evicted_count++] = page;
    *counter[u->why] += 1;
    return true;
}

uint32_t uvm_evict_block(struct uvm *u, uint32_t block)
{
    uint32_t first = block << BLOCK_SHIFT, gone = 0;
    if (pages_under_way(u->pages, block)) return 0;
    for (uint32_t i = first; i < first + PAGES_PER_BLOCK; i++) gone += pages_exist(u->pages, i) && uvm_evict(u, i);
    return gone;
}

/* Eviction removes the unit from the list, so its successor is read first. */
uint32_t uvm_evict_oldest(struct uvm *u, uint32_t (*evict)(struct uvm *u, uint32_t unit))
{
    uint32_t gone = 0, next;
    for (uint32_t unit = u->pages->lru.oldest; unit != LRU_NONE && !gone; unit = next) {
        next = u->pages->lru.newer[unit];
        gone = evict(u, unit);
    }
    return gone;
}

void evict_spare(struct uvm *u, uint32_t page)
{
    u->owed -= u->pages->page[page].put_off != 0;
    u->pages->page[page].put_off = 0;
}

/* The block has dropped the page from its table, so the driver must remember a delayed eviction. */
static void put_off(struct uvm *u, uint32_t page)
{
    struct page *g = &u->pages->page[page];
    if (g->state != PAGE_DEVICE || g->put_off) return;
    g->put_off = (uint8_t)u->why;
    u->put_off[u->put_off_count++] = page;
    u->owed++;
    u->s->uvm_put_off++;
}

/* Still owed after another attempt? */
static bool try_again(struct uvm *u, uint32_t page)
{
    u->why = u->pages->page[page].put_off;
    if (u->why != EVICT_BY_POLICY && !pages_under_way(u->pages, page >> BLOCK_SHIFT)) uvm_evict(u, page);
    u->why = EVICT_BY_POLICY;
    return u->pages->page[page].put_off;
}

void evict_put_off(struct uvm *u)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < u->put_off_count; i++)
        if (try_again(u, u->put_off[i])) u->put_off[left++] = u->put_off[i];
    u->put_off_count = left;
}

/* Under pressure the whole block is evicted, expired or not (Gu20, section 4.3.2); otherwise its expired pages only. */
void evict_offer(struct uvm *u, uint32_t block, uint32_t pages, bool pressure)
{
    uint32_t first = block << BLOCK_SHIFT;
    u->why = pressure ? EVICT_PRESSURE : EVICT_EXPIRED;
    if (pressure) uvm_evict_block(u, block);
    for (uint32_t i = 0; i < PAGES_PER_BLOCK; i++)
        if (!pressure && pages >> i & 1) uvm_evict(u, first + i);
    for (uint32_t i = 0; i < PAGES_PER_BLOCK; i++)
        if (pages >> i & 1) put_off(u, first + i);
    u->why = EVICT_BY_POLICY;
    u->wake = 0;
}

/* One turn of the policy.  If no page can be evicted, waits for a state change. */
static bool choose_victim(struct uvm *u)
{
    u->starved = !u->eviction->choose(u);
    return !u->starved;
}

/* The coalescer may hold fewer blocks than a batch; the policy then evicts the rest. */
void evict_pressed(struct uvm *u, uint32_t blocks)
{
    u->pressing = false;
    while (blocks++ < u->c->uvm_coalesce_batch && choose_victim(u)) continue;
}

/* With leases, the block is asked for a batch first; it answers some cycles later. */
void evict_room(struct uvm *u)
{
    if (!evict_short(u)) return;
    service_full(u);
    if (u->eviction->leases) {
        if (!u->starved && !u->pressing) u->press = u->pressing = true;
        return;
    }
    while (!u->starved && evict_short(u)) choose_victim(u);
}

/* A free departure slot.  Pages store its index, which stays valid when the array grows. */
static uint32_t place(struct uvm *u)
{
    uint32_t i = 0, places = u->departure_places;
    while (i < places && u->departures[i].taken) i++;
    if (i != places) return i;
    struct departure *more = realloc(u->departures, 2 * places * sizeof *more);
    if (!more) {
        u->no_memory = true;
        return UINT32_MAX;
    }
    u->departures = more;
    u->departure_places = 2 * places;
    memset(more + places, 0, places * sizeof *more);
    return i;
}

static void depart(struct uvm *u, uint32_t first, uint32_t pages)
{
    uint64_t now = u->env->sm_cycle;
    uint32_t d = place(u);
    if (d == UINT32_MAX) return;
    struct departure *x = &u->departures[d];
    *x = (struct departure){
        .first = first, .pages = pages, .since = now, .ready = now + u->c->uvm_shootdown, .taken = true};
    for (uint32_t i = first; i < first + pages; i++) {
        u->pages->page[i].departure = d;
        x->pinned += u->pages->page[i].pins != 0;
    }
    uvm_push(u, &u->leaving, &d);
}

/* Adjacent pages evicted in this cycle form one departure. */
static void gather(struct uvm *u)
{
    if (!u->evicted_count) return;
    pages_sort(u->evicted, u->evicted_count);
    for (uint32_t i = 0, end; i < u->evicted_count; i = end) {
        end = pages_run(u->pages, u->evicted, u->evicted_count, i);
        depart(u, u->evicted[i], end - i);
    }
    u->evicted_count = 0;
}

static bool goes_home(const struct uvm *u, uint32_t page)
{
    return u->c->uvm_writeback == WRITEBACK_ALL || u->pages->page[page].dirty;
}

/* Dirty pages are written back over PCIe; the others are gone at once. */
static void send(struct uvm *u, const struct departure *d)
{
    for (uint32_t i = d->first, end; i < d->first + d->pages; i = end) {
        end = i + 1;
        if (!goes_home(u, i)) {
            pages_gone(u->pages, i);
            continue;
        }
        while (end < d->first + d->pages && goes_home(u, end)) end++;
        const struct pcie_transfer t = {.first = i, .pages = end - i};
        u->s->uvm_writebacks += t.pages;
        u->no_memory |= !pcie_send(u->pcie, PCIE_TO_HOST, &t, u->env->sm_cycle);
    }
}

static void drop(struct uvm *u, struct departure *d)
{
    for (uint32_t i = d->first; i < d->first + d->pages; i++) {
        struct page *g = &u->pages->page[i];
        g->dropped = true;
        if (u->client.drop(u->client.context, i)) g->dirty = true;
    }
    u->s->uvm_shootdown_cycles += u->env->sm_cycle - d->since;
    u->s->uvm_departures++;
    send(u, d);
    /* mutant: false -> true: places of departures are not used again, and the table grows: the same departures */
    d->taken = false;
}

void evict_departures(struct uvm *u)
{
    struct pcie_transfer t;
    uint64_t now = u->env->sm_cycle;
    if (pcie_ended(u->pcie, PCIE_TO_HOST, now, &t))
        for (uint32_t i = 0; i < t.pages; i++) pages_gone(u->pages, t.first + i);
    gather(u);
    for (uint32_t n = u->leaving.count; n; n--) {
        uint32_t d = *(const uint32_t *)ring_peek(&u->leaving);
        ring_pop(&u->leaving);
        if (u->departures[d].pinned || u->departures[d].ready > now)
            uvm_push(u, &u->leaving, &d);
        else
            drop(u, &u->departures[d]);
    }
}

uint64_t evict_wake(const struct uvm *u)
{
    uint64_t wake = NEVER;
    for (uint32_t i = 0; i < u->leaving.count; i++) {
        const struct departure *d = &u->departures[*(const uint32_t *)ring_at(&u->leaving, i)];
        if (!d->pinned) wake = min_u64(wake, d->ready);
    }
    return wake;
}
