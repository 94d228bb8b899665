/* SPDX-License-Identifier: Apache-2.0 */
#include "block_overlap.h"

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

/* Rectangle r of a row, slot * Arrays + array. */
static uint32_t row_field(const struct block_overlap *m, const uint32_t *row, uint32_t r)
{
    const uint32_t bit = r * m->p.FieldW, word = bit / 32;
    const uint64_t two = row[word] | (word < 31 ? (uint64_t)row[word + 1] << 32 : 0);
    return (uint32_t)(two >> (bit % 32) & bits_mask(m->p.FieldW));
}

static void put_row_field(const struct block_overlap *m, uint32_t *row, uint32_t r, uint32_t value)
{
    const uint32_t bit = r * m->p.FieldW, word = bit / 32;
    const uint64_t mask = bits_mask(m->p.FieldW) << (bit % 32), bits = (uint64_t)value << (bit % 32);
    row[word] = (row[word] & ~(uint32_t)mask) | (uint32_t)bits;
    if (mask >> 32) row[word + 1] = (row[word + 1] & ~(uint32_t)(mask >> 32)) | (uint32_t)(bits >> 32);
}

static uint16_t after(const struct block_overlap *m, uint16_t place)
{
    return (uint16_t)(place + 1u < m->p.Depth ? place + 1u : 0);
}

static uint16_t before(const struct block_overlap *m, uint16_t place)
{
    return (uint16_t)((place ? place - 1u : m->p.Depth - 1) & bits_index_mask(m->p.Depth));
}

static uint32_t lowest_free(const struct block_overlap *m, uint32_t sm)
{
    uint32_t slot = 0;
    for (uint32_t k = m->p.Slots; k > 0; k--)
        if (!(m->running_q[sm] >> (k - 1) & 1)) slot = k - 1;
    return slot;
}

/* The first of the other SMs from `from` on that runs something; Sms: none. */
static uint32_t other(const struct block_overlap *m, uint32_t from)
{
    uint32_t first = m->p.Sms;
    for (uint32_t s = m->p.Sms; s > 0; s--)
        if (s > from && s - 1 != m->sm_q && m->running_q[s - 1] != 0) first = s - 1;
    return first;
}

/* The SM of the request, which shares nothing, if no other runs anything. */
static uint8_t first_other(const struct block_overlap *m)
{
    const uint32_t first = other(m, 0);
    return (uint8_t)(first < m->p.Sms ? first : m->sm_q);
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
    w->slot = w->accept ? lowest_free(m, sm) : 0;
    w->pop = m->state_q == BLOCK_OVERLAP_GRANT && in->grant_ready_i;
    finish_wires(m, in, w);
}

static void init_row(uint32_t *row)
{
    for (uint32_t i = 0; i < 32; i++) row[i] = 0;
}

static void init_pipeline(struct block_overlap *m)
{
    m->cand_x_q = 0;
    m->cand_y_q = 0;
    m->cand_width_q = 0;
    m->cand_height_q = 0;
    m->row_running_q = 0;
    init_row(m->row_x_q);
    init_row(m->row_y_q);
    init_row(m->row_width_q);
    init_row(m->row_height_q);
    for (uint32_t r = 0; r < BLOCK_OVERLAP_RECTS(&m->p); r++) {
        m->across_q[r] = 0;
        m->down_q[r] = 0;
        m->area_q[r] = 0;
    }
    for (uint32_t k = 0; k < m->p.Slots; k++) m->part_q[k] = 0;
    m->sum_q = 0;
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
    for (uint32_t s = 0; s < m->p.Sms; s++) {
        init_row(m->run_x_q[s]);
        init_row(m->run_y_q[s]);
        init_row(m->run_width_q[s]);
        init_row(m->run_height_q[s]);
    }
    init_pipeline(m);
    block_overlap_reset(m);
}

/* Rectangles, numbers and the comparison have no reset: they are don't-care without count_q, running_q and valid_q. */
void block_overlap_reset(struct block_overlap *m)
{
    m->state_q = BLOCK_OVERLAP_IDLE;
    m->count_q = 0;
    m->head_q = 0;
    m->tail_q = 0;
    m->place_q = 0;
    m->look_q = 0;
    m->issue_q = false;
    m->valid_q = 0;
    m->ends_q = 0;
    m->at_q = 0;
    m->winner_q = 0;
    m->best_q = 0;
    m->total_q = 0;
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
    m->id_q[m->tail_q] = in->push_id_i & (uint32_t)bits_mask(m->p.IdW);
    m->x_q[m->tail_q] = in->push_x_i & side;
    m->y_q[m->tail_q] = in->push_y_i & side;
    m->width_q[m->tail_q] = in->push_width_i & side;
    m->height_q[m->tail_q] = in->push_height_i & side;
    m->tail_q = after(m, m->tail_q);
    m->count_q++;
}

static void tick_accept(struct block_overlap *m, const struct block_overlap_in *in, const struct wires *w)
{
    const uint8_t sm = in->req_sm_i;
    m->least_q = m->running_q[sm] == 0;
    m->state_q = m->least_q ? BLOCK_OVERLAP_TURN : BLOCK_OVERLAP_MOST;
    m->place_q = m->head_q;
    m->look_q = sm;
    m->issue_q = true;
    m->at_q = m->head_q;
    m->winner_q = m->head_q;
    m->best_q = 0;
    m->total_q = 0;
    m->sm_q = sm;
    m->slot_q = (uint8_t)w->slot;
}

/* ---- the comparison */

static void copy_row(const struct block_overlap *m, uint32_t *to, const uint32_t *from)
{
    for (uint32_t i = 0; i < (BLOCK_OVERLAP_ROW_W(&m->p) + 31) / 32; i++) to[i] = from[i];
}

/* Stage 0: the next candidate and an SM's thread blocks. */
static void tick_read(struct block_overlap *m)
{
    m->cand_x_q = m->x_q[m->place_q];
    m->cand_y_q = m->y_q[m->place_q];
    m->cand_width_q = m->width_q[m->place_q];
    m->cand_height_q = m->height_q[m->place_q];
    m->row_running_q = m->running_q[m->look_q];
    copy_row(m, m->row_x_q, m->run_x_q[m->look_q]);
    copy_row(m, m->row_y_q, m->run_y_q[m->look_q]);
    copy_row(m, m->row_width_q, m->run_width_q[m->look_q]);
    copy_row(m, m->row_height_q, m->run_height_q[m->look_q]);
}

/* Stage 1: sides of the intersections with the thread block of slot k in array i. */
static void intersect(struct block_overlap *m, uint32_t k, uint32_t i)
{
    const bool runs = m->row_running_q >> k & 1;
    const uint32_t r = k * m->p.Arrays + i;
    const uint32_t across = shared(field(m, m->cand_x_q, i), field(m, m->cand_width_q, i), row_field(m, m->row_x_q, r),
                                   row_field(m, m->row_width_q, r));
    const uint32_t down = shared(field(m, m->cand_y_q, i), field(m, m->cand_height_q, i), row_field(m, m->row_y_q, r),
                                 row_field(m, m->row_height_q, r));
    m->across_q[r] = (uint16_t)(runs ? across : 0);
    m->down_q[r] = (uint16_t)(runs ? down : 0);
}

static void tick_intersect(struct block_overlap *m)
{
    for (uint32_t k = 0; k < m->p.Slots; k++)
        for (uint32_t i = 0; i < m->p.Arrays; i++) intersect(m, k, i);
}

/* Stage 2. */
static void tick_areas(struct block_overlap *m)
{
    for (uint32_t r = 0; r < BLOCK_OVERLAP_RECTS(&m->p); r++) m->area_q[r] = (uint32_t)m->across_q[r] * m->down_q[r];
}

/* Stage 3: the arrays of a thread block. */
static void tick_parts(struct block_overlap *m)
{
    for (uint32_t k = 0; k < m->p.Slots; k++) {
        uint64_t part = 0;
        for (uint32_t i = 0; i < m->p.Arrays; i++) part += m->area_q[k * m->p.Arrays + i];
        m->part_q[k] = part & bits_mask(BLOCK_OVERLAP_PART_W(&m->p));
    }
}

/* Stage 4: the thread blocks of an SM. */
static void tick_sum(struct block_overlap *m)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < m->p.Slots; k++) sum += m->part_q[k];
    m->sum_q = sum & sum_mask(m);
}

static void tick_stages(struct block_overlap *m, uint8_t valid, bool reads)
{
    if (valid >> 3 & 1) tick_sum(m);
    if (valid >> 2 & 1) tick_parts(m);
    if (valid >> 1 & 1) tick_areas(m);
    if (valid & 1) tick_intersect(m);
    if (reads) tick_read(m);
}

/* ---- the decision */

static bool is_last(const struct block_overlap *m, uint16_t place)
{
    return after(m, place) == m->tail_q;
}

/* The next candidate and SM to read. */
static void tick_issue(struct block_overlap *m, bool least, uint32_t above)
{
    if (least) m->look_q = above < m->p.Sms ? (uint8_t)above : first_other(m);
    if (above < m->p.Sms) return;
    m->issue_q = !is_last(m, m->place_q);
    m->place_q = after(m, m->place_q);
}

/* The first rule, for the candidate whose overlap is sum_q; true: it is the last one. */
static bool tick_most(struct block_overlap *m)
{
    const bool last = is_last(m, m->at_q);
    if (m->sum_q > m->best_q) {
        m->best_q = m->sum_q;
        m->winner_q = m->at_q;
    }
    m->at_q = after(m, m->at_q);
    if (!last) return false;
    m->least_q = m->best_q == 0;
    m->state_q = m->least_q ? BLOCK_OVERLAP_TURN : BLOCK_OVERLAP_GRANT;
    return true;
}

/* The second rule, for a candidate and an SM.  A candidate that shares nothing ends the search. */
static bool tick_least(struct block_overlap *m, bool ends)
{
    const uint64_t total = (m->total_q + m->sum_q) & sum_mask(m);
    const bool last = is_last(m, m->at_q);
    m->total_q = ends ? 0 : total;
    if (!ends) return false;
    if (m->at_q == m->head_q || total < m->best_q) {
        m->best_q = total;
        m->winner_q = m->at_q;
    }
    m->at_q = after(m, m->at_q);
    if (!last && total != 0) return false;
    m->state_q = BLOCK_OVERLAP_GRANT;
    return true;
}

static void tick_turn(struct block_overlap *m)
{
    m->state_q = BLOCK_OVERLAP_LEAST;
    m->place_q = m->head_q;
    m->look_q = first_other(m);
    m->issue_q = true;
    m->at_q = m->head_q;
}

/* A cycle of a decision. */
static void tick_scan(struct block_overlap *m)
{
    const bool least = m->state_q == BLOCK_OVERLAP_LEAST, reads = m->issue_q;
    const bool ends = m->ends_q >> 4 & 1;
    const uint32_t above = least ? other(m, m->look_q + 1u) : m->p.Sms;
    const uint8_t valid = m->valid_q;
    bool found = false;
    if (valid >> 4 & 1) found = least ? tick_least(m, ends) : tick_most(m);
    tick_stages(m, valid, reads);
    if (reads) tick_issue(m, least, above);
    m->valid_q = (uint8_t)(found ? 0 : (valid << 1 | reads) & bits_mask(BLOCK_OVERLAP_STAGES));
    m->ends_q = (uint8_t)((m->ends_q << 1 | (above == m->p.Sms)) & bits_mask(BLOCK_OVERLAP_STAGES));
}

/* ---- the granted candidate */

static void tick_leave(struct block_overlap *m)
{
    m->head_q = after(m, m->head_q);
    m->count_q = (uint16_t)(m->count_q - (m->count_q != 0));
    m->state_q = BLOCK_OVERLAP_IDLE;
}

/* It runs. */
static void tick_pop(struct block_overlap *m)
{
    const uint16_t at = m->winner_q;
    for (uint32_t i = 0; i < m->p.Arrays; i++) {
        const uint32_t r = m->slot_q * m->p.Arrays + i;
        put_row_field(m, m->run_x_q[m->sm_q], r, field(m, m->x_q[at], i));
        put_row_field(m, m->run_y_q[m->sm_q], r, field(m, m->y_q[at], i));
        put_row_field(m, m->run_width_q[m->sm_q], r, field(m, m->width_q[at], i));
        put_row_field(m, m->run_height_q[m->sm_q], r, field(m, m->height_q[at], i));
    }
    m->running_q[m->sm_q] |= (uint32_t)1 << m->slot_q;
    m->place_q = at;
    m->state_q = BLOCK_OVERLAP_CLOSE;
    if (at == m->head_q) tick_leave(m);
}

/* The candidate before place_q moves up to it. */
static void tick_close(struct block_overlap *m)
{
    const uint16_t from = before(m, m->place_q), to = m->place_q;
    m->id_q[to] = m->id_q[from];
    m->x_q[to] = m->x_q[from];
    m->y_q[to] = m->y_q[from];
    m->width_q[to] = m->width_q[from];
    m->height_q[to] = m->height_q[from];
    m->place_q = from;
    if (from == m->head_q) tick_leave(m);
}

static void tick_clear(struct block_overlap *m)
{
    m->state_q = BLOCK_OVERLAP_IDLE;
    m->count_q = 0;
    m->head_q = 0;
    m->tail_q = 0;
    m->valid_q = 0;
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
    const uint8_t state = m->state_q, valid = m->valid_q;
    const bool scans = state == BLOCK_OVERLAP_MOST || state == BLOCK_OVERLAP_LEAST;
    struct wires w;
    all_wires(m, in, &w);
    tick_error(m, &w);
    if (scans) {
        tick_scan(m);
    } else {
        tick_stages(m, valid, false);
        m->valid_q = 0;
    }
    if (w.accept) tick_accept(m, in, &w);
    if (w.push) tick_push(m, in);
    if (w.finish) m->running_q[in->finish_sm_i] &= ~((uint32_t)1 << in->finish_slot_i);
    if (state == BLOCK_OVERLAP_TURN) tick_turn(m);
    if (w.pop) tick_pop(m);
    if (state == BLOCK_OVERLAP_CLOSE) tick_close(m);
    if (in->clear_valid_i) tick_clear(m);
}

bool block_overlap_idle(const struct block_overlap *m)
{
    return m->state_q == BLOCK_OVERLAP_IDLE && m->valid_q == 0;
}

/* Nothing in this block runs free. */
void block_overlap_skip(struct block_overlap *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
