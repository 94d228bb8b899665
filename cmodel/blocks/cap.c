/* SPDX-License-Identifier: Apache-2.0 */
#include "cap.h"

struct wires {
    bool alloc_ready, write, write_bad, fault_ready, start, start_bad, window, window_bad, step, push, pop;
    uint32_t index, total; /* the written table entry; Magg including it */
    uint32_t alloc;        /* allocation of the offered fault */
    uint64_t first, last;  /* the window */
    uint32_t absent;       /* pages of the current chunk */
    bool demand;
};

static uint64_t chunk_mask(const struct cap *m)
{
    return bits_mask(CAP_CHUNK_W(&m->p));
}

/* Number of chunks that hold so many pages. */
static uint64_t chunks(uint32_t pages)
{
    return (pages + 15) >> 4;
}

/* Pages of a chunk inside the allocation; the last chunk may be partial. */
static uint32_t pages_of(const struct cap *m, uint64_t chunk)
{
    const uint32_t tail = m->pages_q & 15;
    return chunk == m->last_q && tail != 0 ? (1u << tail) - 1 : 0xffff;
}

/* Sums are exact (no wrap-around): an allocation that does not fit or crosses the end of the address space is
 * refused. */
static void write_wires(const struct cap *m, const struct cap_in *in, struct wires *w)
{
    const bool there = in->alloc_index_i < m->p.Allocs;
    w->index = there ? in->alloc_index_i : 0;
    const uint64_t total = (uint64_t)m->total_q - m->alloc_pages_q[w->index] + in->alloc_pages_i;
    const uint64_t end = (in->alloc_base_i >> 4) + chunks(in->alloc_pages_i);
    const bool legal = (in->alloc_base_i & 15) == 0 && total >> m->p.CountW == 0 && end <= chunk_mask(m) + 1;
    w->total = (uint32_t)(total & bits_mask(m->p.CountW));
    w->alloc_ready = m->state_q == CAP_IDLE && m->count_q == 0;
    w->write = in->alloc_valid_i && w->alloc_ready && there && (in->alloc_pages_i == 0 || legal);
    w->write_bad = in->alloc_valid_i && w->alloc_ready && !w->write;
}

static void start_wires(const struct cap *m, const struct cap_in *in, struct wires *w)
{
    const bool there = in->fault_alloc_i < m->p.Allocs;
    w->alloc = there ? in->fault_alloc_i : 0;
    w->fault_ready = m->state_q == CAP_IDLE && !in->alloc_valid_i;
    w->start = in->fault_valid_i && w->fault_ready && there && m->alloc_pages_q[w->alloc] != 0;
    w->start_bad = in->fault_valid_i && w->fault_ready && !w->start;
}

/* The naturally aligned window around the fault, clipped to its allocation. */
static void window_wires(const struct cap *m, struct wires *w)
{
    const uint64_t chunk = m->fault_q >> 4, around = (uint64_t)((1u << m->log_q) - 1) & chunk_mask(m);
    const uint64_t first = chunk & ~around, last = chunk | around;
    const bool belongs = chunk >= m->base_q && chunk <= m->last_q && (pages_of(m, chunk) >> (m->fault_q & 15) & 1) != 0;
    w->first = first < m->base_q ? m->base_q : first;
    w->last = last > m->last_q ? m->last_q : last;
    w->window = m->state_q == CAP_WINDOW && belongs;
    w->window_bad = m->state_q == CAP_WINDOW && !belongs;
}

static void walk_wires(const struct cap *m, const struct cap_in *in, struct wires *w)
{
    const bool by_first = m->p.FirstPage && (in->look_resident_i & 1);
    w->demand = m->chunk_q == m->fault_q >> 4;
    w->absent = pages_of(m, m->chunk_q) & ~(uint32_t)in->look_resident_i;
    w->step = m->state_q == CAP_WALK && m->count_q < 2 && in->look_ready_i;
    w->push = w->step && w->absent != 0 && (w->demand || !by_first);
    w->pop = m->count_q != 0 && in->req_ready_i;
}

void cap_init(struct cap *m, const struct cap_cfg *cfg)
{
    m->p = *cfg;
    m->alloc_q = 0;
    m->fault_q = 0;
    m->over_q = false;
    m->base_q = 0;
    m->pages_q = 0;
    m->last_q = 0;
    m->left_q = 0;
    m->term_q = 0;
    m->sum_q = 0;
    m->limit_q = 0;
    m->log_q = 0;
    m->chunk_q = 0;
    m->end_q = 0;
    for (uint32_t i = 0; i < m->p.Allocs; i++) m->alloc_base_q[i] = 0;
    for (uint32_t i = 0; i < 2; i++) {
        m->req_chunk_q[i] = 0;
        m->req_pages_q[i] = 0;
        m->req_alloc_q[i] = 0;
        m->req_demand_q[i] = false;
    }
    cap_reset(m);
}

/* Registers that are don't-care while idle with no pending migration have no reset in the RTL, and none here. */
void cap_reset(struct cap *m)
{
    m->state_q = CAP_IDLE;
    m->total_q = 0;
    m->count_q = 0;
    m->faults_q = 0;
    m->asked_q = 0;
    m->error_q = CAP_OK;
    for (uint32_t i = 0; i < m->p.Allocs; i++) m->alloc_pages_q[i] = 0;
}

void cap_eval(const struct cap *m, const struct cap_in *in, struct cap_out *out)
{
    struct wires w;
    write_wires(m, in, &w);
    start_wires(m, in, &w);
    window_wires(m, &w);
    const bool look = m->state_q == CAP_WALK && m->count_q < 2, wait = m->count_q != 0;
    out->alloc_ready_o = w.alloc_ready;
    out->alloc_done_o = w.write;
    out->fault_ready_o = w.fault_ready;
    out->win_valid_o = w.window;
    out->win_log_o = w.window ? m->log_q : 0;
    out->win_first_o = w.window ? w.first : 0;
    out->win_last_o = w.window ? w.last : 0;
    out->look_valid_o = look;
    out->look_chunk_o = look ? m->chunk_q : 0;
    out->req_valid_o = wait;
    out->req_chunk_o = wait ? m->req_chunk_q[0] : 0;
    out->req_pages_o = wait ? m->req_pages_q[0] : 0;
    out->req_alloc_o = wait ? m->req_alloc_q[0] : 0;
    out->req_demand_o = wait && m->req_demand_q[0];
    out->total_o = m->total_q;
    out->faults_o = m->faults_q;
    out->asked_o = m->asked_q;
    out->error_o = m->error_q;
}

static void tick_write(struct cap *m, const struct cap_in *in, const struct wires *w)
{
    m->total_q = w->total;
    m->alloc_base_q[w->index] = in->alloc_base_i >> 4 & chunk_mask(m);
    m->alloc_pages_q[w->index] = in->alloc_pages_i & (uint32_t)bits_mask(m->p.CountW);
}

static void tick_start(struct cap *m, const struct cap_in *in, const struct wires *w)
{
    m->state_q = CAP_SCALE;
    m->alloc_q = (uint8_t)w->alloc;
    m->fault_q = in->fault_page_i & bits_mask(m->p.PageW);
    m->over_q = in->oversubscribed_i;
    m->base_q = m->alloc_base_q[w->alloc];
    m->pages_q = m->alloc_pages_q[w->alloc];
    m->left_q = in->avail_pages_i & (uint32_t)bits_mask(m->p.CountW);
}

static void tick_scale(struct cap *m)
{
    m->state_q = m->over_q ? CAP_WINDOW : CAP_MULTIPLY;
    m->log_q = (uint8_t)((m->over_q ? m->p.OverLog : m->p.MaxLog) & 7);
    m->last_q = (m->base_q + chunks(m->pages_q) - 1) & chunk_mask(m);
    m->term_q = (uint64_t)m->pages_q * m->p.CDen & bits_mask(CAP_PRODUCT_W(&m->p));
    m->sum_q = 0;
    m->limit_q = ((uint64_t)m->total_q * m->p.CNum << (4 + m->p.MaxLog)) & bits_mask(CAP_LIMIT_W(&m->p));
}

/* Shift-and-add multiplication: one bit of Mavail per cycle. */
static void tick_multiply(struct cap *m)
{
    const uint64_t mask = bits_mask(CAP_PRODUCT_W(&m->p));
    m->state_q = m->left_q ? CAP_MULTIPLY : CAP_CHOOSE;
    m->sum_q = (m->sum_q + (m->left_q & 1 ? m->term_q : 0)) & mask;
    m->term_q = m->term_q << 1 & mask;
    m->left_q = m->left_q >> 1;
}

/* Halves the granularity each cycle, from the largest, until equation 4.1 holds. */
static void tick_choose(struct cap *m)
{
    const bool fits = m->limit_q <= m->sum_q && m->pages_q >> 4 >> m->log_q != 0;
    const bool chosen = fits || m->log_q == 0;
    m->state_q = chosen ? CAP_WINDOW : CAP_CHOOSE;
    m->log_q = chosen ? m->log_q : (uint8_t)((m->log_q - 1u) & 7);
    m->limit_q = chosen ? m->limit_q : m->limit_q >> 1;
}

static void tick_window(struct cap *m, const struct wires *w)
{
    m->state_q = w->window ? CAP_WALK : CAP_IDLE;
    m->chunk_q = w->first;
    m->end_q = w->last;
    m->faults_q += w->window && m->faults_q != UINT32_MAX;
}

static void tick_walk(struct cap *m)
{
    m->state_q = m->chunk_q == m->end_q ? CAP_IDLE : CAP_WALK;
    m->chunk_q = (m->chunk_q + 1) & chunk_mask(m);
}

/* The oldest migration is at index 0. */
static void tick_requests(struct cap *m, const struct wires *w)
{
    const uint32_t left = (m->count_q - (uint32_t)w->pop) & 3, place = left != 0;
    if (w->pop) {
        m->req_chunk_q[0] = m->req_chunk_q[1];
        m->req_pages_q[0] = m->req_pages_q[1];
        m->req_alloc_q[0] = m->req_alloc_q[1];
        m->req_demand_q[0] = m->req_demand_q[1];
    }
    if (w->push) {
        m->req_chunk_q[place] = m->chunk_q;
        m->req_pages_q[place] = (uint16_t)w->absent;
        m->req_alloc_q[place] = m->alloc_q;
        m->req_demand_q[place] = w->demand;
    }
    m->count_q = (uint8_t)((left + (uint32_t)w->push) & 3);
    m->asked_q += w->push && m->asked_q != UINT32_MAX;
}

void cap_tick(struct cap *m, const struct cap_in *in)
{
    struct wires w;
    const uint8_t state = m->state_q;
    write_wires(m, in, &w);
    start_wires(m, in, &w);
    window_wires(m, &w);
    walk_wires(m, in, &w);
    tick_requests(m, &w);
    if (w.write) tick_write(m, in, &w);
    if (w.start) tick_start(m, in, &w);
    if (state == CAP_SCALE) tick_scale(m);
    if (state == CAP_MULTIPLY) tick_multiply(m);
    if (state == CAP_CHOOSE) tick_choose(m);
    if (state == CAP_WINDOW) tick_window(m, &w);
    if (w.step) tick_walk(m);
    if (m->error_q == CAP_OK)
        m->error_q = w.write_bad || w.start_bad ? CAP_ERROR_ALLOC : w.window_bad ? CAP_ERROR_FAULT : CAP_OK;
}

bool cap_idle(const struct cap *m)
{
    return m->state_q == CAP_IDLE && m->count_q == 0;
}

/* No register changes without a valid input. */
void cap_skip(struct cap *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
