/* SPDX-License-Identifier: Apache-2.0 */
/* From far-fault to arrival: handlings, prefetch decisions, transfers to the device. */
#include "system/uvm/uvm_core.h"

static uint64_t handling_cycles(const struct config *c)
{
    return ceil_div((uint64_t)c->uvm_fault_ns * c->clock_sm_khz, 1000000);
}

void service_fault(struct uvm *u, uint32_t page)
{
    uvm_push(u, &u->buffer, &page);
}

/* Removes the i-th fault from the buffer. */
static void forget(struct uvm *u, uint32_t i)
{
    for (; i; i--) memcpy(ring_at(&u->buffer, i), ring_at(&u->buffer, i - 1), sizeof(uint32_t));
    ring_pop(&u->buffer);
}

/* When a page arrives, the block withdraws a fault that the driver has not taken; such a fault is not in the buffer. */
static void skip_fault(struct uvm *u, uint32_t page)
{
    u->pages->page[page].fault = false;
    u->s->uvm_faults_skipped++;
    for (uint32_t i = 0; i < u->buffer.count; i++)
        if (*(const uint32_t *)ring_at(&u->buffer, i) == page) forget(u, i);
}

void service_arrived(struct uvm *u, uint32_t page)
{
    if (u->pages->page[page].fault) skip_fault(u, page);
    u->s->uvm_refaults += u->pages->page[page].left_before;
    pages_arrive(u->pages, page);
    u->moved++;
    uvm_poke(u);
}

/* The oldest fault whose page is on the host; false: none.  A COMING page needs no handling.  The fault of a LEAVING
 * page waits until it is HOST. */
static bool next_fault(struct uvm *u, uint32_t *page)
{
    for (uint32_t i = 0; i < u->buffer.count;) {
        *page = *(const uint32_t *)ring_at(&u->buffer, i);
        uint8_t state = u->pages->page[*page].state;
        if (state == PAGE_LEAVING) {
            i++;
            continue;
        }
        if (state == PAGE_HOST) {
            forget(u, i);
            return true;
        }
        skip_fault(u, *page);
    }
    return false;
}

void uvm_want(struct uvm *u, uint32_t page)
{
    if (!pages_exist(u->pages, page) || u->pages->page[page].state != PAGE_HOST) return;
    bool demand = u->pages->page[page].waiting != 0;
    pages_coming(u->pages, page, demand);
    u->wanted[u->wanted_count++] = page;
    *(demand ? &u->s->uvm_pages_demanded : &u->s->uvm_pages_prefetched) += 1;
}

void uvm_ask_cap(struct uvm *u, uint32_t page)
{
    (void)page; /* equals u->demand */
    u->deciding = true;
    u->cap_asked = false;
}

static void push_run(struct uvm *u, uint32_t first, uint32_t pages)
{
    const struct migration m = {first, pages, u->handling_ends};
    if (pages) uvm_push(u, &u->migrations, &m);
}

/* The run with the faulting page: whole, with that page first, or cut after that page. */
static void push_demand(struct uvm *u, uint32_t first, uint32_t end)
{
    const uint32_t behind = u->demand + 1;
    switch (u->c->uvm_order) {
    case ORDER_RUN:
        push_run(u, first, end - first);
        break;
    case ORDER_PAGE:
        push_run(u, u->demand, 1);
        push_run(u, first, u->demand - first);
        push_run(u, behind, end - behind);
        break;
    default:
        push_run(u, first, behind - first);
        push_run(u, behind, end - behind);
    }
}

/* All runs by address, or the run with the faulting page first. */
static bool in_pass(const struct uvm *u, uint32_t pass, bool has_demand)
{
    return u->c->uvm_order == ORDER_ADDRESS ? !pass : has_demand == !pass;
}

/* Sorts the selected pages, because contiguous pages form one transfer.  Two passes give the order of uvm.order. */
void service_decided(struct uvm *u)
{
    uint32_t end;
    u->deciding = false;
    uvm_want(u, u->demand);
    if (!pages_exist(u->pages, u->demand) || u->pages->page[u->demand].state != PAGE_COMING)
        pages_break(u->pages, u->demand, "its far-fault was handled, but it does not arrive");
    pages_sort(u->wanted, u->wanted_count);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < u->wanted_count; i = end) {
            end = pages_run(u->pages, u->wanted, u->wanted_count, i);
            bool has_demand = u->wanted[i] <= u->demand && u->demand <= u->wanted[end - 1];
            if (!in_pass(u, pass, has_demand)) continue;
            if (has_demand)
                push_demand(u, u->wanted[i], u->wanted[end - 1] + 1);
            else
                push_run(u, u->wanted[i], end - i);
        }
    u->wanted_count = 0;
}

void service_full(struct uvm *u)
{
    if (u->oversubscribed) return;
    u->oversubscribed = true;
    u->s->uvm_oversubscribed_at = u->env->sm_cycle;
}

/* Whether the free frames hold the rest of the fault's 64 KiB block.  Gu20 does not define "over-subscribed"; here it
 * starts with the first fault for which this fails, or which needs an eviction (README.md). */
static bool block_fits(const struct uvm *u)
{
    uint32_t first = u->demand >> BLOCK_SHIFT << BLOCK_SHIFT, absent = 0;
    for (uint32_t i = first; i < first + PAGES_PER_BLOCK; i++)
        absent += pages_exist(u->pages, i) && u->pages->page[i].state == PAGE_HOST;
    return absent <= pages_available(u->pages);
}

static void decide(struct uvm *u, uint32_t page)
{
    u->demand = page;
    u->pages->page[page].fault = false;
    u->batch++;
    u->s->uvm_faults_handled++;
    if (!block_fits(u)) service_full(u);
    if (u->c->uvm_prefetch_when_full || !u->oversubscribed) u->prefetcher->choose(u, page);
    if (!u->deciding) service_decided(u);
}

static void begin_handling(struct uvm *u)
{
    u->handling = u->open = true;
    u->batch = 0;
    u->handling_ends = u->env->sm_cycle + handling_cycles(u->c);
    u->s->uvm_handlings++;
}

void service_start(struct uvm *u)
{
    uint32_t page;
    if (u->deciding) return;
    if (u->handling && u->handling_ends <= u->env->sm_cycle) u->handling = false;
    if (u->handling && !u->open) return;
    while (!u->deciding && !(u->handling && u->batch == u->c->uvm_fault_batch) && next_fault(u, &page)) {
        if (!u->handling) begin_handling(u);
        decide(u, page);
    }
    if (!u->deciding) u->open = false;
}

static void arrived(struct uvm *u, const struct pcie_transfer *t)
{
    for (uint32_t i = 0; i < t->pages; i++) uvm_tell(u, t->first + i, true);
}

void service_transfers(struct uvm *u)
{
    struct pcie_transfer t;
    const struct migration *m;
    uint64_t now = u->env->sm_cycle;
    if (pcie_ended(u->pcie, PCIE_TO_DEVICE, now, &t)) arrived(u, &t);
    while ((m = ring_peek(&u->migrations)) && m->after <= now && m->pages <= pages_free(u->pages)) {
        pages_grant(u->pages, m->first, m->pages);
        t = (struct pcie_transfer){.first = m->first, .pages = m->pages};
        /* mutant: |= -> &=: differs only when memory runs out */
        u->no_memory |= !pcie_send(u->pcie, PCIE_TO_DEVICE, &t, now);
        ring_pop(&u->migrations);
    }
}

uint64_t service_wake(const struct uvm *u)
{
    const struct migration *m = ring_peek(&u->migrations);
    uint64_t wake = pcie_wake(u->pcie);
    /* mutant: <= -> <: a migration is ready when its handling ends, for which the driver wakes anyway; one that waits
     * for memory goes in the cycle in which a page leaves */
    /* mutant: <= -> >: the driver ticks in every cycle in which a migration waits for memory: slower, and the same; one
     * that fits is ready when its handling ends, for which the driver wakes anyway */
    if (m && m->pages <= pages_free(u->pages)) wake = min_u64(wake, m->after);
    if (u->handling) wake = min_u64(wake, u->handling_ends);
    return wake;
}
