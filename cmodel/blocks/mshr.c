/* SPDX-License-Identifier: Apache-2.0 */
#include "mshr.h"

struct found {
    bool hit;
    uint32_t set;
};

struct wires {
    bool pop, done, fill_ready, fill_ok, fill_bad;
    uint32_t fill_set;
    bool drain, hit, merge, alloc, rf_merge, new_found;
    uint32_t hit_set, new_set, set, slot;
};

/* The hash of an address: six digits of two bits. */
static inline uint32_t hash_of(uint64_t addr)
{
    return (uint32_t)(addr ^ addr >> 12);
}

/* Index in has[] of the set of entries whose addresses have the same value of this digit. */
static inline uint64_t words_at(const struct mshr *m, uint32_t hash, uint32_t digit)
{
    const uint32_t value = hash >> MSHR_DIGIT_BITS * digit & m->digit_mask;
    return (uint64_t)(digit * MSHR_VALUES + value) * m->words;
}

/* Adds entry i to the sets of its address. */
static inline void enter(struct mshr *m, uint32_t i)
{
    const uint32_t hash = hash_of(m->addr_q[i]);
    const uint64_t bit = (uint64_t)1 << i % 64;
    for (uint32_t d = 0; d < MSHR_DIGITS; d++) m->has[words_at(m, hash, d) + i / 64] |= bit;
}

/* Removes it. */
static inline void leave(struct mshr *m, uint32_t i)
{
    const uint32_t hash = hash_of(m->addr_q[i]);
    const uint64_t others = ~((uint64_t)1 << i % 64);
    for (uint32_t d = 0; d < MSHR_DIGITS; d++) m->has[words_at(m, hash, d) + i / 64] &= others;
}

static inline void match_entry(const struct mshr *m, uint32_t i, uint64_t addr, struct found *f)
{
    if (!m->live_q[i] || m->addr_q[i] != addr) return;
    f->hit = true;
    f->set |= i;
}

/* For several candidates, which is rare: compares the addresses of all entries. */
static void match_all(const struct mshr *m, uint64_t addr, struct found *f)
{
    for (uint32_t i = 0; i < m->p.Entries; i++) match_entry(m, i, addr, f);
}

/* Like the RTL's one-hot encoder, returns entry 0 without a match.  An entry with the address's hash is a
 * candidate: its address is compared.  The candidate may be in any word, so a branch for each word would be
 * mispredicted. */
static inline void search(const struct mshr *m, uint64_t addr, struct found *f)
{
    const uint32_t hash = hash_of(addr);
    uint64_t at[MSHR_DIGITS], any = 0, twice = 0;
    uint32_t last = 0;
    for (uint32_t d = 0; d < MSHR_DIGITS; d++) at[d] = words_at(m, hash, d);
    for (uint32_t k = 0; k < m->words; k++) {
        uint64_t word = m->has[at[0] + k];
        for (uint32_t d = 1; d < MSHR_DIGITS; d++) word &= m->has[at[d] + k];
        twice |= any & word;
        any |= word;
        last = word ? k : last;
    }
    f->hit = false;
    f->set = 0;
    if (!any) return;
    if (twice | (any & (any - 1)))
        match_all(m, addr, f);
    else
        match_entry(m, last * 64 + (uint32_t)__builtin_ctzll(any), addr, f);
}

/* The lowest entry that is not busy.  A result of p.Entries or more: all are busy. */
static inline uint32_t first_not_busy(const struct mshr *m)
{
    uint32_t first = 0;
    for (uint32_t k = m->words; k-- > 0;) first = ~m->busy[k] ? k : first;
    return ~m->busy[first] ? first * 64 + (uint32_t)__builtin_ctzll(~m->busy[first]) : m->p.Entries;
}

/* An entry freed in this cycle can be allocated in the same cycle. */
static inline void first_free(const struct mshr *m, const struct wires *w, struct found *f)
{
    uint32_t best = first_not_busy(m);
    if (w->done && m->drain_set_q < best) best = m->drain_set_q;
    f->hit = best < m->p.Entries;
    f->set = f->hit ? best : 0;
}

static inline void drain_wires(const struct mshr *m, const struct mshr_in *in, struct wires *w)
{
    w->pop = m->drain_valid_q && in->drain_ready_i;
    w->done = w->pop && m->drain_slot_q == m->last_q[m->drain_set_q];
    w->fill_ready = !m->drain_valid_q || w->done;
}

static inline void fill_wires(const struct mshr *m, const struct mshr_in *in, struct wires *w)
{
    struct found entry;
    entry.hit = false;
    entry.set = 0;
    if (in->fill_valid_i && w->fill_ready) search(m, in->fill_addr_i, &entry);
    w->fill_ok = in->fill_valid_i && w->fill_ready && entry.hit;
    w->fill_bad = in->fill_valid_i && w->fill_ready && !entry.hit;
    w->fill_set = entry.set;
}

static inline void no_request(struct wires *w)
{
    w->drain = w->hit = w->merge = w->alloc = w->rf_merge = w->new_found = false;
    w->hit_set = w->new_set = w->set = 0;
    w->slot = 0;
}

/* Order in a cycle: drain, fill, request.  The request sees an entry that the drain frees or the fill closes. */
static inline void request_wires(const struct mshr *m, const struct mshr_in *in, struct wires *w)
{
    const bool draining = m->drain_valid_q && !w->done && in->req_addr_i == m->addr_q[m->drain_set_q];
    struct found entry, spare;
    spare.hit = false;
    spare.set = 0;
    search(m, in->req_addr_i, &entry);
    w->drain = draining || (w->fill_ok && in->req_addr_i == in->fill_addr_i);
    w->hit = !w->drain && entry.hit;
    w->hit_set = entry.set;
    w->rf_merge = w->hit && m->last_q[w->hit_set] == m->p.Slots - 1;
    w->merge = w->hit && !w->rf_merge;
    w->alloc = !w->drain && !entry.hit && (m->n_free_q != 0 || w->done);
    if (w->alloc) first_free(m, w, &spare);
    w->new_found = spare.hit;
    w->new_set = spare.set;
    w->set = w->alloc ? w->new_set : w->hit_set;
    w->slot = w->alloc ? 0 : (m->last_q[w->hit_set] + 1u) & m->slot_mask;
}

void mshr_derive(struct mshr *m)
{
    for (uint32_t k = 0; k < MSHR_DIGITS * MSHR_VALUES * m->words; k++) m->has[k] = 0;
    for (uint32_t k = 0; k < m->words; k++) m->busy[k] = 0;
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        m->busy[i / 64] |= (uint64_t)m->busy_q[i] << i % 64;
        if (m->live_q[i]) enter(m, i);
    }
}

void mshr_init(struct mshr *m, const struct mshr_cfg *cfg)
{
    m->p = *cfg;
    m->free_mask = bits_index_mask(m->p.Entries + 1);
    m->used_mask = bits_index_mask(m->p.Entries * m->p.Slots + 1);
    m->slot_mask = bits_index_mask(m->p.Slots);
    m->words = (m->p.Entries + 63) / 64;
    m->digit_mask = m->p.Entries > 16 ? MSHR_VALUES - 1 : 0;
    m->addr_mask = bits_mask(m->p.AddrW);
    m->info_mask = (uint32_t)bits_mask(m->p.InfoW);
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        m->addr_q[i] = 0;
        m->last_q[i] = 0;
    }
    for (uint32_t i = 0; i < m->p.Entries * m->p.Slots; i++) {
        m->info_q[i] = 0;
        m->write_q[i] = false;
        for (uint32_t k = 0; m->p.DataW && k < 32; k++) m->data_q[i][k] = 0;
    }
    mshr_reset(m);
}

/* Registers that are don't-care while their entry is free have no reset in the RTL, and keep their value here too. */
void mshr_reset(struct mshr *m)
{
    m->drain_valid_q = false;
    m->drain_set_q = 0;
    m->drain_slot_q = 0;
    m->n_free_q = (uint16_t)m->p.Entries;
    m->used_slots_q = 0;
    m->error_q = MSHR_OK;
    for (uint32_t i = 0; i < m->p.Entries; i++) {
        m->busy_q[i] = 0;
        m->live_q[i] = 0;
    }
    mshr_derive(m);
}

static inline uint8_t result(const struct mshr_in *in, const struct wires *w)
{
    if (!in->req_valid_i) return 0;
    if (w->drain) return MSHR_RF_DRAIN;
    if (w->hit) return w->rf_merge ? MSHR_RF_MERGE : MSHR_SECONDARY;
    return w->alloc ? MSHR_PRIMARY : MSHR_RF_ENTRY;
}

/* Four words at a time: compilers turn a simpler loop into a string instruction, which is slow for 128 bytes. */
static inline void no_data(uint32_t data[32])
{
    for (uint32_t k = 0; k < 32; k += 4) data[k] = data[k + 1] = data[k + 2] = data[k + 3] = 0;
}

static inline void slot_outputs(const struct mshr *m, struct mshr_out *out)
{
    const uint32_t slot = m->drain_set_q * m->p.Slots + m->drain_slot_q;
    const bool valid = m->drain_valid_q;
    out->drain_valid_o = valid;
    out->drain_addr_o = valid ? m->addr_q[m->drain_set_q] : 0;
    out->drain_info_o = valid ? m->info_q[slot] : 0;
    out->drain_write_o = valid && m->write_q[slot];
    out->drain_last_o = valid && m->drain_slot_q == m->last_q[m->drain_set_q];
    if (valid && m->p.DataW)
        for (uint32_t k = 0; k < 32; k++) out->drain_data_o[k] = m->data_q[slot][k];
    else
        no_data(out->drain_data_o);
}

static inline void state_outputs(const struct mshr *m, const struct wires *w, struct mshr_out *out)
{
    out->req_ready_o = true;
    out->fill_ready_o = w->fill_ready;
    slot_outputs(m, out);
    out->free_o = m->n_free_q;
    out->free_reserved_o = 0;
    out->used_slots_o = m->used_slots_q;
    out->error_o = m->error_q;
}

static inline void answer_outputs(const struct mshr_in *in, const struct wires *w, struct mshr_out *out)
{
    out->rsp_valid_o = in->req_valid_i;
    out->rsp_result_o = result(in, w);
    out->rsp_set_o = w->merge || w->alloc ? (uint16_t)w->set : 0;
}

static inline void tick_counters(struct mshr *m, const struct wires *w)
{
    const uint32_t accept = w->alloc || w->merge;
    m->n_free_q = (uint16_t)((m->n_free_q + (uint32_t)w->done - (uint32_t)w->alloc) & m->free_mask);
    m->used_slots_q = (uint16_t)((m->used_slots_q + accept - (uint32_t)w->pop) & m->used_mask);
    m->error_q = w->fill_bad ? MSHR_ERROR_FILL : m->error_q;
}

static inline void tick_drain(struct mshr *m, const struct wires *w)
{
    if (w->fill_ok || w->done)
        m->drain_slot_q = 0;
    else if (w->pop)
        m->drain_slot_q = (uint8_t)((m->drain_slot_q + 1u) & m->slot_mask);
    m->drain_set_q = w->fill_ok ? (uint16_t)w->fill_set : m->drain_set_q;
    m->drain_valid_q = w->fill_ok || (m->drain_valid_q && !w->done);
}

static inline void set_busy(struct mshr *m, uint32_t i, uint8_t busy)
{
    const uint64_t bit = (uint64_t)1 << i % 64;
    m->busy_q[i] = busy;
    m->busy[i / 64] = (m->busy[i / 64] & ~bit) | (busy ? bit : 0);
}

static inline void close_entry(struct mshr *m, const struct wires *w)
{
    leave(m, w->fill_set);
    m->live_q[w->fill_set] = 0;
}

static inline void open_entry(struct mshr *m, const struct wires *w, uint64_t addr)
{
    const uint32_t i = w->new_set;
    if (m->live_q[i]) leave(m, i);
    if (w->new_found) {
        set_busy(m, i, 1);
        m->live_q[i] = 1;
    }
    m->addr_q[i] = addr;
    if (m->live_q[i]) enter(m, i);
}

/* The request gets its slot. */
static void take_request(struct mshr *m, const struct mshr_in *in, const struct wires *w)
{
    const uint32_t slot = w->set * m->p.Slots + w->slot;
    if (w->alloc) open_entry(m, w, in->req_addr_i & m->addr_mask);
    m->last_q[w->set] = (uint8_t)w->slot;
    m->info_q[slot] = in->req_info_i & m->info_mask;
    m->write_q[slot] = in->req_write_i;
    for (uint32_t k = 0; m->p.DataW && k < 32; k++) m->data_q[slot][k] = in->req_data_i[k];
}

static inline void tick_entries(struct mshr *m, const struct mshr_in *in, const struct wires *w)
{
    if (w->done) set_busy(m, m->drain_set_q, 0);
    if (w->fill_ok) close_entry(m, w);
    if (w->alloc || w->merge) take_request(m, in, w);
}

static inline void edge(struct mshr *m, const struct mshr_in *in, const struct wires *w)
{
    tick_entries(m, in, w);
    tick_counters(m, w);
    tick_drain(m, w);
}

static inline void find_wires(const struct mshr *m, const struct mshr_in *in, struct wires *w)
{
    drain_wires(m, in, w);
    fill_wires(m, in, w);
    if (in->req_valid_i)
        request_wires(m, in, w);
    else
        no_request(w);
}

void mshr_step(struct mshr *m, const struct mshr_in *in, struct mshr_out *out)
{
    struct wires w;
    find_wires(m, in, &w);
    state_outputs(m, &w, out);
    answer_outputs(in, &w, out);
    edge(m, in, &w);
}

/* For mshr_eval() and mshr_tick() with a request.  The harness uses mshr_step() instead, so these calls are rare. */
static void wires_apart(const struct mshr *m, const struct mshr_in *in, struct wires *w)
{
    find_wires(m, in, w);
}

void mshr_eval(const struct mshr *m, const struct mshr_in *in, struct mshr_out *out)
{
    struct wires w, all;
    drain_wires(m, in, &w);
    no_request(&w);
    if (in->req_valid_i) {
        wires_apart(m, in, &all);
        w = all;
    }
    state_outputs(m, &w, out);
    answer_outputs(in, &w, out);
}

void mshr_tick(struct mshr *m, const struct mshr_in *in)
{
    struct wires w, all;
    drain_wires(m, in, &w);
    fill_wires(m, in, &w);
    no_request(&w);
    if (in->req_valid_i) {
        wires_apart(m, in, &all);
        w = all;
    }
    edge(m, in, &w);
}

bool mshr_idle(const struct mshr *m)
{
    return !m->drain_valid_q;
}

/* No register changes without a valid input. */
void mshr_skip(struct mshr *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
