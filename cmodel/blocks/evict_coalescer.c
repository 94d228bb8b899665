/* SPDX-License-Identifier: Apache-2.0 */
#include "evict_coalescer.h"

enum { NONE = 0x8000 }; /* beyond every entry number */

struct wires {
    bool exp_ready, acc_ready, clear, exp, acc; /* at most one of the three uses the search port */
    uint64_t page;
    uint32_t block, bit, pages, index; /* of the searched page: expired pages of its block, and their entry */
    bool cleared, revoked, touched;    /* bits cleared by a clear, by an access; source: the table or the waiting
                                        * page */
    bool late;                         /* an access to an expired page */
    bool pend_gone, exp_bad, update, wait, place, add;
    bool full, offer, take, done;
    uint32_t recall; /* pages still to be recalled, without one cleared in this cycle */
    bool write, freed;
    uint32_t entry, word; /* the written entry and its new pages */
};

static uint32_t block_of(const struct evict_coalescer *m, uint64_t page)
{
    return (uint32_t)(page >> 4 & bits_mask(m->p.PageW - 4));
}

static uint32_t bit_of(uint64_t page)
{
    return 1u << (page & 15);
}

static uint32_t all_if(bool condition)
{
    return 0u - (uint32_t)condition;
}

/* Search by block number: at most one entry matches.  A free entry has no pages, so its stale block number is
 * harmless. Runs for every access; branch-free so that gcc vectorises it. */
static uint32_t expired_pages(const struct evict_coalescer *m, uint32_t block)
{
    uint32_t pages = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) pages |= m->pages_q[i] & all_if(m->block_q[i] == block);
    return pages;
}

static uint32_t entry_of(const struct evict_coalescer *m, uint32_t block)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        const uint32_t match = all_if(m->block_q[i] == block) & all_if(m->pages_q[i] != 0);
        index |= i & match;
    }
    return index;
}

static uint32_t first_free(const struct evict_coalescer *m)
{
    uint16_t best = NONE;
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        const uint16_t candidate = (uint16_t)(i | (m->pages_q[i] ? NONE : 0));
        best = candidate < best ? candidate : best;
    }
    return best < NONE ? best : 0;
}

/* Priority: clear, expiry, access.  A stalled eviction blocks expiries only; a pending recall blocks accesses only. */
static void search_wires(const struct evict_coalescer *m, const struct evict_coalescer_in *in, struct wires *w)
{
    w->exp_ready = !m->pend_q && !m->press_q && !in->clear_valid_i;
    w->clear = in->clear_valid_i;
    w->exp = in->exp_valid_i && w->exp_ready;
    w->acc_ready = !w->clear && !w->exp && m->recall_pages_q == 0;
    w->acc = in->acc_valid_i && w->acc_ready;
    w->page = w->clear ? in->clear_page_i : w->exp ? in->exp_page_i : in->acc_page_i;
    w->block = block_of(m, w->page);
    w->bit = bit_of(w->page);
    w->pages = 0;
    w->index = 0;
    if (w->clear || w->exp || w->acc) w->pages = expired_pages(m, w->block);
    if (w->pages != 0) w->index = entry_of(m, w->block);
}

static void bit_wires(const struct evict_coalescer *m, bool acc_expired, struct wires *w)
{
    const bool there = (w->pages & w->bit) != 0;
    w->full = m->used_q == m->p.Entries;
    w->cleared = w->clear && there;
    w->late = w->acc && acc_expired;
    w->revoked = (w->acc && there) || (w->late && w->pages != 0);
    w->pend_gone = m->pend_q && (((w->clear || w->acc) && m->pend_page_q == w->page) ||
                                 (w->late && block_of(m, m->pend_page_q) == w->block));
    w->touched = w->cleared || w->revoked || w->pend_gone;
    w->exp_bad = w->exp && there;
    w->update = w->exp && !there && w->pages != 0;
    w->wait = w->exp && w->pages == 0 && w->full;
    w->place = m->pend_q && !w->full && !w->touched;
    w->add = (w->exp && w->pages == 0 && !w->full) || w->place;
    w->recall = m->recall_pages_q;
    if (w->clear && m->recall_block_q == w->block) w->recall &= ~w->bit;
}

/* An entry that loses bits in this cycle is not offered in it, so a revoked entry is never evicted. */
static void evict_wires(const struct evict_coalescer *m, const struct evict_coalescer_in *in, struct wires *w)
{
    const bool pressed = m->press_q && !m->pend_q, ended = m->used_q == 0 || m->count_q == m->p.Batch;
    w->offer = ((m->pend_q && w->full) || (pressed && !ended)) && !w->touched;
    w->take = w->offer && in->evict_ready_i;
    w->done = pressed && ended;
}

/* At most one entry is written per cycle. */
static void write_wires(const struct evict_coalescer *m, struct wires *w)
{
    w->entry = w->take ? m->head_q : w->index;
    w->word = w->cleared ? w->pages & ~w->bit : w->update ? w->pages | w->bit : 0;
    if (w->add) {
        w->entry = first_free(m);
        w->word = w->place ? bit_of(m->pend_page_q) : w->bit;
    }
    w->freed = (w->cleared || w->revoked || w->take) && w->word == 0;
    w->write = w->cleared || w->update || w->add || w->freed;
}

static void all_wires(const struct evict_coalescer *m, const struct evict_coalescer_in *in, struct wires *w)
{
    search_wires(m, in, w);
    bit_wires(m, in->acc_expired_i, w);
    evict_wires(m, in, w);
}

void evict_coalescer_init(struct evict_coalescer *m, const struct evict_coalescer_cfg *cfg)
{
    m->p = *cfg;
    m->pend_page_q = 0;
    m->recall_block_q = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        m->block_q[i] = 0;
        m->next_q[i] = 0;
        m->prev_q[i] = 0;
    }
    evict_coalescer_reset(m);
}

/* Registers that are don't-care while their entry is free or nothing is pending have no reset in the RTL, and none
 * here. */
void evict_coalescer_reset(struct evict_coalescer *m)
{
    m->used_q = 0;
    m->head_q = 0;
    m->tail_q = 0;
    m->pend_q = false;
    m->press_q = false;
    m->count_q = 0;
    m->recall_pages_q = 0;
    m->evicted_q = 0;
    m->recalled_q = 0;
    m->error_q = EVICT_COALESCER_OK;
    for (uint32_t i = 0; i < m->p.Entries; i++) m->pages_q[i] = 0;
}

void evict_coalescer_eval(const struct evict_coalescer *m, const struct evict_coalescer_in *in,
                          struct evict_coalescer_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    out->exp_ready_o = w.exp_ready;
    out->acc_ready_o = w.acc_ready;
    out->clear_ready_o = true;
    out->press_ready_o = !m->press_q;
    out->evict_valid_o = w.offer;
    out->evict_block_o = w.offer ? m->block_q[m->head_q] : 0;
    out->evict_pages_o = w.offer ? m->pages_q[m->head_q] : 0;
    out->evict_why_o = w.offer && !m->pend_q ? EVICT_COALESCER_PRESSURE : EVICT_COALESCER_FULL;
    out->press_done_o = w.done;
    out->press_count_o = w.done ? m->count_q : 0;
    out->recall_valid_o = w.recall != 0;
    out->recall_block_o = w.recall != 0 ? m->recall_block_q : 0;
    out->recall_pages_o = (uint16_t)w.recall;
    out->used_o = m->used_q;
    out->evicted_o = m->evicted_q;
    out->recalled_o = m->recalled_q;
    out->error_o = m->error_q;
}

/* The LRU neighbours of the matching entry are read in parallel with its pages. */
static void tick_close_gap(struct evict_coalescer *m, uint32_t block)
{
    uint32_t earlier = 0, later = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        const uint32_t match = all_if(m->block_q[i] == block) & all_if(m->pages_q[i] != 0);
        earlier |= m->prev_q[i] & match;
        later |= m->next_q[i] & match;
    }
    m->next_q[earlier] = (uint16_t)later;
    m->prev_q[later] = (uint16_t)earlier;
}

/* The links before the first and after the last entry are don't-care and not stored.  The first entry is the LRU
 * one, offered for eviction. */
static void tick_unlink(struct evict_coalescer *m, const struct wires *w)
{
    const bool first = w->entry == m->head_q, last = w->entry == m->tail_q;
    if (!first && !last) tick_close_gap(m, w->block);
    if (first && !last) m->head_q = m->next_q[m->head_q];
    if (last && !first) m->tail_q = m->prev_q[m->tail_q];
}

static void tick_append(struct evict_coalescer *m, uint32_t entry)
{
    if (m->used_q != 0) {
        m->next_q[m->tail_q] = (uint16_t)entry;
        m->prev_q[entry] = m->tail_q;
    } else {
        m->head_q = (uint16_t)entry;
    }
    m->tail_q = (uint16_t)entry;
}

static void tick_entry(struct evict_coalescer *m, const struct wires *w)
{
    const bool move = w->update && w->entry != m->tail_q;
    if (w->freed || move) tick_unlink(m, w);
    if (w->add || move) tick_append(m, w->entry);
    if (w->add) m->block_q[w->entry] = w->place ? block_of(m, m->pend_page_q) : w->block;
    m->pages_q[w->entry] = (uint16_t)w->word;
    m->used_q = (uint16_t)((m->used_q + (uint32_t)w->add - (uint32_t)w->freed) & bits_index_mask(m->p.Entries + 1));
}

static void tick_recall(struct evict_coalescer *m, const struct evict_coalescer_in *in, const struct wires *w)
{
    const bool revoke = w->acc && (w->touched || w->late);
    m->recall_pages_q = in->recall_ready_i ? 0 : (uint16_t)w->recall;
    m->recalled_q += revoke && m->recalled_q != UINT32_MAX;
    if (revoke) {
        m->recall_block_q = w->block;
        m->recall_pages_q = (uint16_t)((w->revoked ? w->pages : 0) | (w->pend_gone ? bit_of(m->pend_page_q) : 0) |
                                       (w->late ? w->bit : 0));
    }
}

static void tick_press(struct evict_coalescer *m, const struct evict_coalescer_in *in, const struct wires *w)
{
    const bool start = in->press_valid_i && !m->press_q, handed = w->take && !m->pend_q;
    m->count_q = start ? 0 : (uint8_t)((m->count_q + (uint32_t)handed) & bits_index_mask(m->p.Batch + 1));
    m->press_q = start || (m->press_q && !w->done);
    m->evicted_q += w->take && m->evicted_q != UINT32_MAX;
}

void evict_coalescer_tick(struct evict_coalescer *m, const struct evict_coalescer_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    write_wires(m, &w);
    tick_recall(m, in, &w);
    tick_press(m, in, &w);
    if (w.write) tick_entry(m, &w);
    if (w.wait) m->pend_page_q = in->exp_page_i & bits_mask(m->p.PageW);
    m->pend_q = w.wait || (m->pend_q && !w.pend_gone && !w.place);
    if (w.exp_bad) m->error_q = EVICT_COALESCER_ERROR_EXPIRED;
}

bool evict_coalescer_idle(const struct evict_coalescer *m)
{
    return !m->pend_q && !m->press_q && m->recall_pages_q == 0;
}

/* No register changes without a valid input. */
void evict_coalescer_skip(struct evict_coalescer *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
