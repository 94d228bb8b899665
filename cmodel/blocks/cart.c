/* SPDX-License-Identifier: Apache-2.0 */
#include "cart.h"

#include "onehot.h"

struct wires {
    /* Fill: leaf queue of the incoming request. */
    bool match_full, merge, assign, push;
    uint32_t in_bank, in_queue, match_queue;
    uint64_t match, row_group, in_onehot;
    /* Drain: the offered request, and its leaf queue and row group after a pop. */
    bool valid, turn, pop, emptied;
    uint32_t bank, queue;
};

static uint32_t queues(const struct cart *m)
{
    return m->p.Rows * m->p.Cols;
}

/* Leaf queues of row group g. */
static uint64_t group_mask(const struct cart *m, uint32_t g)
{
    return bits_mask(m->p.Cols) << (g * m->p.Cols);
}

/* Row group and index of a leaf queue. */
static uint64_t group_around(const struct cart *m, uint32_t queue)
{
    uint64_t around = 0;
    for (uint32_t g = 0; g < m->p.Rows; g++) around |= group_mask(m, g) >> queue & 1 ? group_mask(m, g) : 0;
    return around;
}

static uint32_t group_number(const struct cart *m, uint32_t queue)
{
    uint32_t number = 0;
    for (uint32_t g = 0; g < m->p.Rows; g++) number |= group_mask(m, g) >> queue & 1 ? g : 0;
    return number;
}

/* Queue c of every row group. */
static uint64_t lane(const struct cart *m, uint32_t c)
{
    uint64_t bits = 0;
    for (uint32_t g = 0; g < m->p.Rows; g++) bits |= (uint64_t)1 << (g * m->p.Cols) << c;
    return bits;
}

/* Extracts the bank bits as a contiguous number; and inserts it. */
static uint32_t bank_of(const struct cart *m, uint64_t addr)
{
    return (uint32_t)((addr >> m->p.BankMsb << 1 | (addr >> m->p.BankLsb & 1)) & (m->p.Banks - 1));
}

static uint64_t bank_bits(const struct cart *m, uint32_t bank)
{
    return (uint64_t)(bank >> 1) << m->p.BankMsb | (uint64_t)(bank & 1) << m->p.BankLsb;
}

static uint64_t col_of(const struct cart *m, uint64_t addr)
{
    return addr & bits_mask(m->p.RowLsb) & ~bank_bits(m, m->p.Banks - 1);
}

/* Row groups of the branch with this row; first queues of the empty row groups. */
static void search_rows(const struct cart *m, uint32_t bank, uint64_t row, uint64_t *same, uint64_t *empty)
{
    *same = 0;
    *empty = 0;
    for (uint32_t g = 0; g < m->p.Rows; g++) {
        const uint64_t mask = group_mask(m, g);
        const bool busy = (m->valid_q[bank] & mask) != 0;
        *same |= busy && m->row_q[bank * m->p.Rows + g] == row ? mask : 0;
        *empty |= busy ? 0 : first_one(mask);
    }
}

static uint64_t search_cols(const struct cart *m, uint32_t bank, uint64_t col)
{
    uint64_t same = 0;
    for (uint32_t q = 0; q < queues(m); q++) same |= (uint64_t)(m->col_q[bank * queues(m) + q] == col) << q;
    return same;
}

/* Reads registers only: a place freed in this cycle can be used in the next one. */
static void fill_wires(const struct cart *m, const struct cart_in *in, struct wires *w)
{
    uint64_t empty, spare;
    w->in_bank = bank_of(m, in->in_addr_i);
    search_rows(m, w->in_bank, in->in_addr_i >> m->p.RowLsb, &w->row_group, &empty);
    w->match = search_cols(m, w->in_bank, col_of(m, in->in_addr_i)) & w->row_group & m->valid_q[w->in_bank] &
               ~m->linked_q[w->in_bank];
    w->match_queue = onehot_index(w->match);
    w->match_full = m->count_q[w->in_bank * queues(m) + w->match_queue] == m->p.Entries;
    w->merge = w->match != 0 && !w->match_full;
    spare = first_one(w->row_group ? w->row_group & ~m->valid_q[w->in_bank] : empty);
    w->assign = !w->merge && spare != 0;
    w->push = in->in_valid_i && (w->merge || w->assign);
    w->in_onehot = w->merge ? w->match : spare;
    w->in_queue = onehot_index(w->in_onehot);
}

/* The candidate queue with the most requests; ties: lowest index. */
static uint32_t longest(const struct cart *m, uint32_t bank, uint64_t candidates)
{
    uint64_t most = 0;
    uint8_t best = 0;
    for (uint32_t q = 0; q < queues(m); q++) {
        const uint8_t count = candidates >> q & 1 ? m->count_q[bank * queues(m) + q] : 0;
        best = count > best ? count : best;
    }
    for (uint32_t q = 0; q < queues(m); q++)
        most |= (candidates & (uint64_t)1 << q) && m->count_q[bank * queues(m) + q] == best ? (uint64_t)1 << q : 0;
    return onehot_index(first_one(most));
}

static bool has_turn(const struct cart *m, uint32_t bank)
{
    return m->p.Patience != 0 && m->served_q[bank] == m->p.Patience - 1;
}

/* Priority: the queue drained last, the longest of its row, the longest of the branch. */
static uint32_t choose(const struct cart *m, uint32_t bank)
{
    const uint64_t eligible = m->valid_q[bank] & ~m->blocked_q[bank];
    if (has_turn(m, bank)) return onehot_index(first_from(eligible, m->turn_q[bank]));
    if (m->same_q[bank]) return m->last_q[bank];
    return longest(m, bank, m->stay_q[bank] ? eligible & group_around(m, m->last_q[bank]) : eligible);
}

static void drain_wires(const struct cart *m, const struct cart_in *in, struct wires *w)
{
    w->valid = m->hold_q || m->busy_q != 0;
    w->bank = m->bank_q;
    w->queue = m->hold_q ? m->hold_queue_q : choose(m, w->bank);
    w->turn = has_turn(m, w->bank);
    w->pop = w->valid && in->out_ready_i;
    w->emptied = w->pop && m->count_q[w->bank * queues(m) + w->queue] == 1;
}

void cart_init(struct cart *m, const struct cart_cfg *cfg)
{
    m->p = *cfg;
    for (uint32_t i = 0; i < m->p.Banks * m->p.Rows; i++) m->row_q[i] = 0;
    for (uint32_t i = 0; i < m->p.Banks * queues(m); i++) {
        m->col_q[i] = 0;
        m->count_q[i] = 0;
        m->head_q[i] = 0;
        m->next_q[i] = 0;
    }
    for (uint32_t i = 0; i < m->p.Banks * queues(m) * m->p.Entries; i++) m->info_q[i] = 0;
    cart_reset(m);
}

/* Tags, counts, links and payload of an empty queue are don't-care: no reset in the RTL, and none here. */
void cart_reset(struct cart *m)
{
    m->busy_q = 0;
    m->bank_q = 0;
    m->hold_q = false;
    m->hold_queue_q = 0;
    m->used_q = 0;
    m->stalls_q = 0;
    for (uint32_t b = 0; b < m->p.Banks; b++) {
        m->valid_q[b] = 0;
        m->linked_q[b] = 0;
        m->blocked_q[b] = 0;
        m->last_q[b] = 0;
        m->same_q[b] = false;
        m->stay_q[b] = false;
        m->served_q[b] = 0;
        m->turn_q[b] = 0;
    }
}

void cart_eval(const struct cart *m, const struct cart_in *in, struct cart_out *out)
{
    struct wires w;
    w.push = false;
    if (in->in_valid_i) fill_wires(m, in, &w);
    drain_wires(m, in, &w);
    const uint32_t queue = w.bank * queues(m) + w.queue;
    const uint64_t row = m->row_q[w.bank * m->p.Rows + group_number(m, w.queue)];
    out->in_ready_o = w.push;
    out->out_valid_o = w.valid;
    out->out_addr_o = w.valid ? row << m->p.RowLsb | m->col_q[queue] | bank_bits(m, w.bank) : 0;
    out->out_info_o = w.valid ? m->info_q[queue * m->p.Entries + m->head_q[queue]] : 0;
    out->out_bank_o = w.valid ? (uint8_t)w.bank : 0;
    out->out_queue_o = w.valid ? (uint8_t)w.queue : 0;
    out->used_o = m->used_q;
    out->stalls_o = m->stalls_q;
}

static uint8_t slot_after(const struct cart *m, uint32_t slot)
{
    return (uint8_t)((slot >= m->p.Entries ? slot - m->p.Entries : slot) & bits_index_mask(m->p.Entries));
}

/* Round robin over branches: the next one that holds or gets a request in this cycle; if none, the same again. */
static uint8_t next_bank(const struct cart *m, const struct wires *w)
{
    const uint64_t others = (m->busy_q | (uint64_t)w->push << w->in_bank) & ~((uint64_t)1 << m->bank_q);
    return others ? (uint8_t)onehot_index(first_from(others, m->bank_q)) : m->bank_q;
}

static void tick_offer(struct cart *m, const struct cart_in *in, const struct wires *w)
{
    const bool rotate = m->p.Rotate && in->out_refused_i;
    const bool stuck = w->valid && !w->pop && !rotate;
    if (!stuck) m->bank_q = next_bank(m, w);
    m->hold_q = stuck;
    m->hold_queue_q = stuck ? (uint8_t)w->queue : m->hold_queue_q;
}

static void tick_counters(struct cart *m, const struct cart_in *in, const struct wires *w)
{
    const uint32_t mask = bits_index_mask(m->p.Banks * queues(m) * m->p.Entries + 1);
    m->used_q = (m->used_q + (uint32_t)w->push - (uint32_t)w->pop) & mask;
    if (in->in_valid_i && !w->push && m->stalls_q != UINT32_MAX) m->stalls_q = m->stalls_q + 1;
}

/* Pops the request.  If its queue becomes empty, the next queue with the same tag may drain. */
static void tick_pop(struct cart *m, const struct wires *w)
{
    const uint64_t onehot = (uint64_t)1 << w->queue;
    const uint32_t queue = w->bank * queues(m) + w->queue;
    const uint64_t successor = m->p.Cols > 1 ? group_around(m, w->queue) & lane(m, m->next_q[queue]) : 0;
    if (w->emptied) {
        if (m->linked_q[w->bank] & onehot) m->blocked_q[w->bank] &= ~successor;
        m->linked_q[w->bank] &= ~onehot;
        m->valid_q[w->bank] &= ~onehot;
    }
    m->count_q[queue] = (uint8_t)((m->count_q[queue] - 1u) & bits_index_mask(m->p.Entries + 1));
    if (m->p.Entries > 1) m->head_q[queue] = slot_after(m, m->head_q[queue] + 1u);
    m->last_q[w->bank] = (uint8_t)w->queue;
    if (m->p.Patience == 0) return;
    m->served_q[w->bank] = w->turn ? 0 : (uint16_t)((m->served_q[w->bank] + 1u) & bits_index_mask(m->p.Patience));
    if (w->turn)
        m->turn_q[w->bank] = w->queue == queues(m) - 1 ? 0 : (uint8_t)((w->queue + 1) & bits_index_mask(queues(m)));
}

/* A full queue links to the new queue that continues its tag, unless the full one becomes empty in this cycle.  The
 * link keeps requests to one line in order. */
static void tick_link(struct cart *m, const struct wires *w)
{
    const uint32_t queue = w->in_bank * queues(m) + w->match_queue;
    m->linked_q[w->in_bank] |= w->match;
    m->blocked_q[w->in_bank] |= w->in_onehot;
    m->next_q[queue] = 0;
    for (uint32_t c = 0; c < m->p.Cols; c++) m->next_q[queue] |= w->in_onehot & lane(m, c) ? (uint8_t)c : 0;
}

static void tick_push(struct cart *m, const struct cart_in *in, const struct wires *w, uint8_t slot)
{
    const uint32_t queue = w->in_bank * queues(m) + w->in_queue;
    const bool gone = w->emptied && w->bank == w->in_bank && w->queue == w->match_queue;
    const uint32_t count = w->assign ? 1 : m->count_q[queue] + 1u;
    if (w->assign) {
        m->row_q[w->in_bank * m->p.Rows + group_number(m, w->in_queue)] =
            in->in_addr_i >> m->p.RowLsb & bits_mask(m->p.AddrW - m->p.RowLsb);
        m->col_q[queue] = col_of(m, in->in_addr_i);
        if (m->p.Entries > 1) m->head_q[queue] = 0;
        if (m->p.Cols > 1 && w->match != 0 && !gone) tick_link(m, w);
    }
    m->valid_q[w->in_bank] |= w->in_onehot;
    m->count_q[queue] = (uint8_t)(count & bits_index_mask(m->p.Entries + 1));
    m->info_q[queue * m->p.Entries + slot] = in->in_info_i & bits_mask(m->p.InfoW);
}

void cart_tick(struct cart *m, const struct cart_in *in)
{
    struct wires w;
    uint8_t slot = 0;
    w.push = false;
    w.in_bank = 0;
    if (in->in_valid_i) fill_wires(m, in, &w);
    drain_wires(m, in, &w);
    tick_offer(m, in, &w);
    tick_counters(m, in, &w);
    if (w.push) {
        const uint32_t queue = w.in_bank * queues(m) + w.in_queue;
        slot = w.assign || m->p.Entries == 1 ? 0 : slot_after(m, (uint32_t)m->head_q[queue] + m->count_q[queue]);
        w.emptied = w.emptied && !(w.in_bank == w.bank && w.in_queue == w.queue);
    }
    if (w.pop) tick_pop(m, &w);
    if (w.push) tick_push(m, in, &w, slot);
    if (w.pop) {
        m->same_q[w.bank] = !w.emptied;
        m->stay_q[w.bank] = (m->valid_q[w.bank] & group_around(m, w.queue)) != 0;
        m->busy_q = (m->busy_q & ~((uint64_t)1 << w.bank)) | (uint64_t)(m->valid_q[w.bank] != 0) << w.bank;
    }
    if (w.push) m->busy_q |= (uint64_t)1 << w.in_bank;
}

bool cart_idle(const struct cart *m)
{
    return !m->hold_q && m->busy_q == 0;
}

/* No register changes without a valid input. */
void cart_skip(struct cart *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
