/* SPDX-License-Identifier: Apache-2.0 */
#include "block_overlap.h"

/* Of a thread block: its rectangles, of which each side is a word of all arrays. */
struct rects {
    uint64_t x, y, width, height;
};

struct wires {
    bool idle, push, accept, finish, pop;
    bool bad_finish, bad_sm;
    uint32_t slot; /* the lowest free one of the SM that requests */
};

static uint64_t sum_mask(const struct block_overlap *m)
{
    return bits_mask(BLOCK_OVERLAP_SUM_W(&m->p));
}

static uint32_t field(const struct block_overlap *m, uint64_t side, uint32_t array)
{
    return (uint32_t)(side >> array * m->p.FieldW & bits_mask(m->p.FieldW));
}

/* Length of what two intervals share. */
static uint32_t shared(uint32_t a, uint32_t a_length, uint32_t b, uint32_t b_length)
{
    const uint32_t a_end = a + a_length, b_end = b + b_length;
    const uint32_t begin = a > b ? a : b, end = a_end < b_end ? a_end : b_end;
    return end > begin ? end - begin : 0;
}

/* Lines of an array that two thread blocks share. */
static uint64_t shared_lines(const struct block_overlap *m, const struct rects *a, const struct rects *b, uint32_t i)
{
    const uint64_t across = shared(field(m, a->x, i), field(m, a->width, i), field(m, b->x, i), field(m, b->width, i));
    return across * shared(field(m, a->y, i), field(m, a->height, i), field(m, b->y, i), field(m, b->height, i));
}

static uint32_t lowest(uint64_t set, uint32_t count)
{
    uint32_t first = 0;
    for (uint32_t i = count; i > 0; i--)
        if (set >> (i - 1) & 1) first = i - 1;
    return first;
}

/* The candidate that is compared, or granted. */
static struct rects candidate(const struct block_overlap *m)
{
    const uint32_t at = m->state_q == BLOCK_OVERLAP_GRANT ? m->winner_q : m->index_q;
    return (struct rects){m->x_q[at], m->y_q[at], m->width_q[at], m->height_q[at]};
}

/* Its overlap with the thread blocks of the SM of the request, or of the next of the others. */
static uint64_t overlap(const struct block_overlap *m)
{
    const bool least = m->state_q == BLOCK_OVERLAP_LEAST;
    const uint32_t sm = least ? lowest(m->todo_q, m->p.Sms) : m->sm_q;
    const uint32_t running = least && m->todo_q == 0 ? 0 : m->running_q[sm];
    const struct rects a = candidate(m);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < m->p.Slots; k++) {
        const uint32_t at = sm * m->p.Slots + k;
        const struct rects b = {m->run_x_q[at], m->run_y_q[at], m->run_width_q[at], m->run_height_q[at]};
        for (uint32_t i = 0; i < m->p.Arrays; i++) sum += running >> k & 1 ? shared_lines(m, &a, &b, i) : 0;
    }
    return sum;
}

static uint32_t lowest_free(const struct block_overlap *m, uint32_t sm)
{
    uint32_t slot = 0;
    for (uint32_t k = m->p.Slots; k > 0; k--)
        if (!(m->running_q[sm] >> (k - 1) & 1)) slot = k - 1;
    return slot;
}

/* The other SMs on which something runs, one bit each. */
static uint64_t others(const struct block_overlap *m, uint32_t sm)
{
    uint64_t busy = 0;
    for (uint32_t s = 0; s < m->p.Sms; s++) busy |= (uint64_t)(s != sm && m->running_q[s] != 0) << s;
    return busy;
}

static void finish_wires(const struct block_overlap *m, const struct block_overlap_in *in, struct wires *w)
{
    const bool exists = in->finish_sm_i < m->p.Sms && in->finish_slot_i < m->p.Slots;
    const uint32_t sm = exists ? in->finish_sm_i : 0, slot = exists ? in->finish_slot_i : 0;
    const bool runs = exists && (m->running_q[sm] >> slot & 1);
    const bool taken = in->finish_valid_i && w->idle;
    w->finish = taken && runs;
    w->bad_finish = taken && !runs;
}

static void all_wires(const struct block_overlap *m, const struct block_overlap_in *in, struct wires *w)
{
    const bool exists = in->req_sm_i < m->p.Sms;
    const uint32_t sm = exists ? in->req_sm_i : 0;
    const bool room = exists && m->running_q[sm] != bits_mask(m->p.Slots);
    w->idle = m->state_q == BLOCK_OVERLAP_IDLE && !in->clear_valid_i;
    w->push = in->push_valid_i && w->idle && m->count_q < m->p.Depth;
    w->accept = in->req_valid_i && w->idle && m->count_q && room;
    w->bad_sm = in->req_valid_i && !exists;
    w->slot = lowest_free(m, sm);
    w->pop = m->state_q == BLOCK_OVERLAP_GRANT && in->grant_ready_i;
    finish_wires(m, in, w);
}

void block_overlap_init(struct block_overlap *m, const struct block_overlap_cfg *cfg)
{
    m->p = *cfg;
    for (uint32_t i = 0; i < m->p.Depth; i++) {
        m->id_q[i] = 0;
        m->x_q[i] = 0;
        m->y_q[i] = 0;
        m->width_q[i] = 0;
        m->height_q[i] = 0;
    }
    for (uint32_t i = 0; i < m->p.Sms * m->p.Slots; i++) {
        m->run_x_q[i] = 0;
        m->run_y_q[i] = 0;
        m->run_width_q[i] = 0;
        m->run_height_q[i] = 0;
    }
    block_overlap_reset(m);
}

/* Rectangles and numbers have no reset: they are don't-care without count_q and running_q. */
void block_overlap_reset(struct block_overlap *m)
{
    m->state_q = BLOCK_OVERLAP_IDLE;
    m->count_q = 0;
    m->index_q = 0;
    m->winner_q = 0;
    m->best_q = 0;
    m->total_q = 0;
    m->todo_q = 0;
    m->sm_q = 0;
    m->slot_q = 0;
    m->least_q = false;
    m->error_q = BLOCK_OVERLAP_OK;
    for (uint32_t s = 0; s < m->p.Sms; s++) m->running_q[s] = 0;
}

void block_overlap_eval(const struct block_overlap *m, const struct block_overlap_in *in, struct block_overlap_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    const bool grant = m->state_q == BLOCK_OVERLAP_GRANT;
    out->push_ready_o = w.idle && m->count_q < m->p.Depth;
    out->req_ready_o = w.accept;
    out->finish_ready_o = w.idle;
    out->grant_valid_o = grant;
    out->grant_id_o = grant ? m->id_q[m->winner_q] : 0;
    out->grant_sm_o = grant ? m->sm_q : 0;
    out->grant_slot_o = grant ? m->slot_q : 0;
    out->grant_sum_o = grant ? m->best_q : 0;
    out->grant_least_o = grant && m->least_q;
    out->error_o = m->error_q;
}

static void tick_push(struct block_overlap *m, const struct block_overlap_in *in)
{
    const uint64_t side = bits_mask(BLOCK_OVERLAP_SIDE_W(&m->p));
    for (uint32_t i = 0; i < m->p.Depth; i++) {
        if (i != m->count_q) continue;
        m->id_q[i] = in->push_id_i & (uint32_t)bits_mask(m->p.IdW);
        m->x_q[i] = in->push_x_i & side;
        m->y_q[i] = in->push_y_i & side;
        m->width_q[i] = in->push_width_i & side;
        m->height_q[i] = in->push_height_i & side;
    }
    m->count_q++;
}

static void tick_accept(struct block_overlap *m, const struct block_overlap_in *in, const struct wires *w)
{
    const uint8_t sm = in->req_sm_i;
    m->least_q = m->running_q[sm] == 0;
    m->state_q = m->least_q ? BLOCK_OVERLAP_LEAST : BLOCK_OVERLAP_MOST;
    m->index_q = 0;
    m->winner_q = 0;
    m->best_q = 0;
    m->total_q = 0;
    m->todo_q = others(m, sm);
    m->sm_q = sm;
    m->slot_q = (uint8_t)w->slot;
}

/* The next candidate, from none of the other SMs' thread blocks on. */
static void begin_candidate(struct block_overlap *m, uint32_t index)
{
    m->index_q = (uint8_t)(index & bits_index_mask(m->p.Depth));
    m->total_q = 0;
    m->todo_q = others(m, m->sm_q);
}

static bool is_last(const struct block_overlap *m)
{
    return m->index_q + 1u >= m->count_q;
}

/* One candidate. */
static void tick_most(struct block_overlap *m, uint64_t sum)
{
    const bool last = is_last(m);
    if (sum > m->best_q) {
        m->best_q = sum;
        m->winner_q = m->index_q;
    }
    if (last) {
        m->least_q = m->best_q == 0;
        m->state_q = m->least_q ? BLOCK_OVERLAP_LEAST : BLOCK_OVERLAP_GRANT;
    }
    begin_candidate(m, last ? 0 : m->index_q + 1u);
}

/* One candidate and one SM.  A candidate is given up when it cannot be the least any more. */
static void tick_least(struct block_overlap *m, uint64_t sum)
{
    const uint64_t total = (m->total_q + sum) & sum_mask(m), left = m->todo_q & (m->todo_q - 1);
    const bool beaten = m->index_q && total >= m->best_q, better = !beaten && !left, last = is_last(m);
    if (better) {
        m->best_q = total;
        m->winner_q = m->index_q;
    }
    if (!beaten && left) {
        m->total_q = total;
        m->todo_q = left;
        return;
    }
    if (last || (better && total == 0)) m->state_q = BLOCK_OVERLAP_GRANT;
    begin_candidate(m, last ? 0 : m->index_q + 1u);
}

/* The winner runs; those behind it move up. */
static void tick_pop(struct block_overlap *m)
{
    const uint32_t at = m->sm_q * m->p.Slots + m->slot_q;
    const struct rects r = candidate(m);
    m->run_x_q[at] = r.x;
    m->run_y_q[at] = r.y;
    m->run_width_q[at] = r.width;
    m->run_height_q[at] = r.height;
    m->running_q[m->sm_q] |= (uint32_t)1 << m->slot_q;
    for (uint32_t i = 0; i + 1 < m->p.Depth; i++) {
        if (i < m->winner_q) continue;
        m->id_q[i] = m->id_q[i + 1];
        m->x_q[i] = m->x_q[i + 1];
        m->y_q[i] = m->y_q[i + 1];
        m->width_q[i] = m->width_q[i + 1];
        m->height_q[i] = m->height_q[i + 1];
    }
    m->count_q = (uint8_t)(m->count_q - (m->count_q != 0));
    m->state_q = BLOCK_OVERLAP_IDLE;
}

static void tick_clear(struct block_overlap *m)
{
    m->state_q = BLOCK_OVERLAP_IDLE;
    m->count_q = 0;
    for (uint32_t s = 0; s < m->p.Sms; s++) m->running_q[s] = 0;
}

static void tick_error(struct block_overlap *m, const struct wires *w)
{
    if (m->error_q != BLOCK_OVERLAP_OK) return;
    if (w->bad_finish) m->error_q = BLOCK_OVERLAP_ERROR_FINISH;
    if (w->bad_sm && !w->bad_finish) m->error_q = BLOCK_OVERLAP_ERROR_SM;
}

void block_overlap_tick(struct block_overlap *m, const struct block_overlap_in *in)
{
    const uint8_t state = m->state_q;
    const bool compares = state == BLOCK_OVERLAP_MOST || state == BLOCK_OVERLAP_LEAST;
    const uint64_t sum = compares ? overlap(m) : 0;
    struct wires w;
    all_wires(m, in, &w);
    tick_error(m, &w);
    if (w.accept) tick_accept(m, in, &w);
    if (w.push) tick_push(m, in);
    if (w.finish) m->running_q[in->finish_sm_i] &= ~((uint32_t)1 << in->finish_slot_i);
    if (state == BLOCK_OVERLAP_MOST) tick_most(m, sum);
    if (state == BLOCK_OVERLAP_LEAST) tick_least(m, sum);
    if (w.pop) tick_pop(m);
    if (in->clear_valid_i) tick_clear(m);
}

bool block_overlap_idle(const struct block_overlap *m)
{
    return m->state_q == BLOCK_OVERLAP_IDLE;
}

/* Nothing in this block runs free. */
void block_overlap_skip(struct block_overlap *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
