/* SPDX-License-Identifier: Apache-2.0 */
/* evict_coalescer: expired pages, collected by 64 KiB block until they are evicted or recalled (Gu20, sections 4.3.2.2
 * and 4.5.5).  The only list of its parameters, ports and registers; format: ports.h.  Bit-accurate twin of
 * rtl/evict_coalescer/mt_evict_coalescer.sv; decisions in rtl/evict_coalescer/README.md. */
#ifndef MEMTWIN_EVICT_COALESCER_H
#define MEMTWIN_EVICT_COALESCER_H
#include "bits.h"
#include "ports.h"

#ifndef EVICT_COALESCER_MAX_ENTRIES
#define EVICT_COALESCER_MAX_ENTRIES 512
#endif

/* clang-format off */
#define EVICT_COALESCER_WHY(X) \
    X(EVICT_COALESCER_FULL,     0, "another block needs the entry") \
    X(EVICT_COALESCER_PRESSURE, 1, "memory is over-subscribed")

#define EVICT_COALESCER_ERROR(X) \
    X(EVICT_COALESCER_OK,            0, "no error") \
    X(EVICT_COALESCER_ERROR_EXPIRED, 1, "the page has expired already")

#define EVICT_COALESCER_CODES(X) X(evict_coalescer_why, EVICT_COALESCER_WHY) X(evict_coalescer_error, EVICT_COALESCER_ERROR)
enum evict_coalescer_why { EVICT_COALESCER_WHY(ENUM_CODE) };
enum evict_coalescer_error { EVICT_COALESCER_ERROR(ENUM_CODE) };

#define EVICT_COALESCER_PARAM(X) \
    X(Entries, 256, 1, EVICT_COALESCER_MAX_ENTRIES, "64 KiB blocks with expired pages") \
    X(PageW,    18, 5, 36,                          "bits of a page number") \
    X(Batch,     4, 1, 16,                          "entries evicted per batch under memory pressure")

#define EVICT_COALESCER_IN(X) \
    X(BIT, exp_valid_i,    1,        "the lease of a page expires") \
    X(U64, exp_page_i,     p->PageW, "the page") \
    X(BIT, acc_valid_i,    1,        "a page is accessed: if it has expired, its entry is revoked") \
    X(U64, acc_page_i,     p->PageW, "the page") \
    X(BIT, acc_expired_i,  1,        "its lease has expired, whether it has an entry or not: it is recalled with its block") \
    X(BIT, clear_valid_i,  1,        "a page was evicted or has just arrived: its bit is cleared") \
    X(U64, clear_page_i,   p->PageW, "the page") \
    X(BIT, press_valid_i,  1,        "memory is over-subscribed: evict a batch of entries") \
    X(BIT, evict_ready_i,  1,        "the entry offered for eviction is taken") \
    X(BIT, recall_ready_i, 1,        "the offered recall is taken")

#define EVICT_COALESCER_OUT(X) \
    X(BIT, exp_ready_o,    1,                         "an expiry is accepted at this clock edge") \
    X(BIT, acc_ready_o,    1,                         "an access is accepted at this clock edge") \
    X(BIT, clear_ready_o,  1,                         "always") \
    X(BIT, press_ready_o,  1,                         "no batch is in progress") \
    X(BIT, evict_valid_o,  1,                         "the least recently updated entry is offered for eviction") \
    X(U32, evict_block_o,  p->PageW - 4,              "its block; else 0") \
    X(U16, evict_pages_o,  16,                        "expired pages of the block; else 0") \
    X(BIT, evict_why_o,    1,                         "enum evict_coalescer_why") \
    X(BIT, press_done_o,   1,                         "the batch is complete, or no entry is left") \
    X(U8,  press_count_o,  bits_index(p->Batch + 1),  "entries evicted by the batch, when press_done_o; else 0") \
    X(BIT, recall_valid_o, 1,                         "pages of a revoked entry need a new lease") \
    X(U32, recall_block_o, p->PageW - 4,              "their block; else 0") \
    X(U16, recall_pages_o, 16,                        "these pages; else 0") \
    X(U16, used_o,         bits_index(p->Entries + 1), "entries in use") \
    X(U32, evicted_o,      32,                        "entries evicted; saturates") \
    X(U32, recalled_o,     32,                        "entries revoked by an access; saturates") \
    X(U8,  error_o,        1,                         "enum evict_coalescer_error: sticky until reset")

#define EVICT_COALESCER_REG(X) \
    X(U16, used_q,         bits_index(p->Entries + 1), "entries in use") \
    X(U16, head_q,         bits_index(p->Entries),    "the least recently updated entry, if any is in use") \
    X(U16, tail_q,         bits_index(p->Entries),    "the most recently updated entry, if any is in use") \
    X(BIT, pend_q,         1,                         "an expired page waits for an entry: all were in use") \
    X(U64, pend_page_q,    p->PageW,                  "this page") \
    X(BIT, press_q,        1,                         "a batch is in progress") \
    X(U8,  count_q,        bits_index(p->Batch + 1),  "entries evicted by it so far") \
    X(U32, recall_block_q, p->PageW - 4,              "the block of the revoked entry") \
    X(U16, recall_pages_q, 16,                        "its pages still to be recalled; 0: none") \
    X(U32, evicted_q,      32,                        "entries evicted") \
    X(U32, recalled_q,     32,                        "entries revoked") \
    X(U8,  error_q,        1,                         "enum evict_coalescer_error")

#define EVICT_COALESCER_MEM(X) \
    X(U32, block_q, p->PageW - 4,           EVICT_COALESCER_MAX_ENTRIES, p->Entries, "the 64 KiB block: page >> 4") \
    X(U16, pages_q, 16,                     EVICT_COALESCER_MAX_ENTRIES, p->Entries, "its expired pages; 0: the entry is free") \
    X(U16, next_q,  bits_index(p->Entries), EVICT_COALESCER_MAX_ENTRIES, p->Entries, "the next more recently updated entry") \
    X(U16, prev_q,  bits_index(p->Entries), EVICT_COALESCER_MAX_ENTRIES, p->Entries, "the next less recently updated entry")

/* Index bounds for the prover (tb/prove/README.md): the count need not be a power of two. */
#define EVICT_COALESCER_INVARIANT(X) \
    X(head_q, p->Entries) \
    X(tail_q, p->Entries) \
    X(next_q, p->Entries) \
    X(prev_q, p->Entries)
/* clang-format on */

struct evict_coalescer_cfg {
    EVICT_COALESCER_PARAM(PARAM_FIELD)
};
struct evict_coalescer_in {
    EVICT_COALESCER_IN(PORT_FIELD)
};
struct evict_coalescer_out {
    EVICT_COALESCER_OUT(PORT_FIELD)
};
struct evict_coalescer {
    struct evict_coalescer_cfg p;
    EVICT_COALESCER_REG(PORT_FIELD)
    EVICT_COALESCER_MEM(MEM_FIELD)
};

void evict_coalescer_init(struct evict_coalescer *m,
                          const struct evict_coalescer_cfg *cfg); /* cfg must be legal; resets */
void evict_coalescer_reset(struct evict_coalescer *m);
void evict_coalescer_eval(const struct evict_coalescer *m, const struct evict_coalescer_in *in,
                          struct evict_coalescer_out *out);
void evict_coalescer_tick(struct evict_coalescer *m, const struct evict_coalescer_in *in);
bool evict_coalescer_idle(const struct evict_coalescer *m);            /* ticks without valid inputs change nothing */
void evict_coalescer_skip(struct evict_coalescer *m, uint64_t cycles); /* as many such ticks */

/* Invariants of reachable states, for sizes at which an index may be out of range; the prover shows them
 * (tb/prove/README.md). */
BITS_FUNCTION bool evict_coalescer_invariant_one_entry_a_block(const struct evict_coalescer *m)
{
    if (bits_power_of_two(m->p.Entries)) return true;
    bool one = true;
    for (uint32_t i = 0; i < m->p.Entries; i++)
        for (uint32_t j = 0; j < i; j++) one &= !m->pages_q[i] || !m->pages_q[j] || m->block_q[i] != m->block_q[j];
    return one;
}

BITS_FUNCTION bool evict_coalescer_invariant_pending(const struct evict_coalescer *m)
{
    if (bits_power_of_two(m->p.Entries)) return true;
    bool none = true;
    for (uint32_t i = 0; i < m->p.Entries; i++)
        none &= !m->pages_q[i] || m->block_q[i] != (uint32_t)(m->pend_page_q >> 4);
    return none || !m->pend_q;
}
#endif
