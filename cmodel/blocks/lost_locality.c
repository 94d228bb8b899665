/* SPDX-License-Identifier: Apache-2.0 */
#include "lost_locality.h"

enum { IDLE = 0, CHECK = 1, NO_WARP = 0xff };

struct wires {
    bool start, finish, miss, evict, bad_start, bad_absent; /* of a warp that is present; a start: of one that is not */
    uint32_t warp, miss_row, evict_row;
    uint32_t match; /* ways of the miss's set that hold its tag */
    bool raised, last, divide, apply;
    uint64_t ends, loses; /* the warp that ends, the one with lost locality: one bit, or none */
};

static uint32_t done(const struct lost_locality *m)
{
    return m->p.ScoreW + 2;
}

static uint32_t cutoff(const struct lost_locality *m)
{
    return m->count_q * m->p.BaseScore & (uint32_t)bits_mask(LOST_LOCALITY_CUTOFF_W(&m->p));
}

static bool is_present(const struct lost_locality *m, uint32_t warp)
{
    return warp < m->p.Warps && (m->present_q >> warp & 1);
}

static uint32_t row_of(const struct lost_locality *m, uint32_t warp, uint32_t tag)
{
    const uint32_t sets = m->p.Entries / m->p.Ways;
    return warp * sets + (tag & (sets - 1));
}

/* The tag of a way: TagW bits of a row, wherever they begin. */
static uint32_t tag_of(const struct lost_locality *m, uint32_t row, uint32_t way)
{
    const uint32_t bit = way * m->p.TagW, word = bit / 32;
    const uint64_t two = m->tags_q[row][word] | (word < 31 ? (uint64_t)m->tags_q[row][word + 1] << 32 : 0);
    return (uint32_t)(two >> (bit % 32) & bits_mask(m->p.TagW));
}

static void put_tag(struct lost_locality *m, uint32_t row, uint32_t way, uint32_t tag)
{
    const uint32_t bit = way * m->p.TagW, word = bit / 32;
    const uint64_t mask = bits_mask(m->p.TagW) << (bit % 32), bits = (uint64_t)tag << (bit % 32) & mask;
    m->tags_q[row][word] = (m->tags_q[row][word] & ~(uint32_t)mask) | (uint32_t)bits;
    if (mask >> 32)
        m->tags_q[row][word + 1] = (m->tags_q[row][word + 1] & ~(uint32_t)(mask >> 32)) | (uint32_t)(bits >> 32);
}

static uint32_t find(const struct lost_locality *m, uint32_t row, uint32_t tag)
{
    uint32_t match = 0;
    for (uint32_t k = 0; k < m->p.Ways; k++)
        match |= (uint32_t)((m->valid_q[row] >> k & 1) && tag_of(m, row, k) == tag) << k;
    return match;
}

static void warp_wires(const struct lost_locality *m, const struct lost_locality_in *in, struct wires *w)
{
    const bool present = is_present(m, in->warp_number_i);
    w->warp = in->warp_number_i < m->p.Warps ? in->warp_number_i : 0;
    w->start = in->warp_valid_i && in->warp_start_i && !present && in->warp_number_i < m->p.Warps;
    w->finish = in->warp_valid_i && !in->warp_start_i && present;
    w->bad_start = in->warp_valid_i && in->warp_start_i && !w->start;
    w->ends = (uint64_t)w->finish << w->warp;
}

static void tag_wires(const struct lost_locality *m, const struct lost_locality_in *in, struct wires *w)
{
    w->miss = in->miss_valid_i && is_present(m, in->miss_warp_i);
    w->evict = in->evict_valid_i && is_present(m, in->evict_warp_i);
    w->bad_absent = (in->warp_valid_i && !in->warp_start_i && !w->finish) || (in->miss_valid_i && !w->miss);
    w->miss_row = w->miss ? row_of(m, in->miss_warp_i, in->miss_tag_i) : 0;
    w->evict_row = w->evict ? row_of(m, in->evict_warp_i, in->evict_tag_i) : 0;
    w->match = 0;
    if (w->miss) w->match = find(m, w->miss_row, in->miss_tag_i);
    w->loses = (uint64_t)(w->match != 0) << (w->miss ? in->miss_warp_i : 0);
}

static void score_wires(const struct lost_locality *m, struct wires *w)
{
    bool raised = false;
    for (uint32_t i = 0; i < m->p.Warps; i++) raised |= m->score_q[i] > m->p.BaseScore;
    w->raised = raised;
    w->last = m->walk_q && m->turn_q == m->p.Warps - 1;
    w->divide = m->step_q == IDLE && m->pending_q != 0;
    w->apply = m->step_q == done(m) && (!m->walk_q || w->last);
}

static void all_wires(const struct lost_locality *m, const struct lost_locality_in *in, struct wires *w)
{
    warp_wires(m, in, w);
    tag_wires(m, in, w);
    score_wires(m, w);
}

void lost_locality_init(struct lost_locality *m, const struct lost_locality_cfg *cfg)
{
    m->p = *cfg;
    m->rest_q = 0;
    m->quotient_q = 0;
    m->divisor_q = 0;
    for (uint32_t r = 0; r < LOST_LOCALITY_ROWS(&m->p); r++)
        for (uint32_t k = 0; k < 32; k++) m->tags_q[r][k] = 0;
    lost_locality_reset(m);
}

/* Tags and the division have no reset: they are don't-care without valid_q and step_q. */
void lost_locality_reset(struct lost_locality *m)
{
    m->present_q = 0;
    m->count_q = 0;
    m->lost_q = 0;
    m->issued_q = 0;
    m->pending_q = 0;
    m->raising_q = 0;
    m->step_q = IDLE;
    m->walk_q = false;
    m->turn_q = 0;
    m->gated_q = 0;
    m->error_q = LOST_LOCALITY_OK;
    for (uint32_t i = 0; i < m->p.Warps; i++) {
        m->score_q[i] = m->p.BaseScore;
        m->rank_q[i] = 0;
        m->sum_q[i] = 0;
    }
    for (uint32_t r = 0; r < LOST_LOCALITY_ROWS(&m->p); r++) {
        m->valid_q[r] = 0;
        m->next_q[r] = 0;
    }
}

static void outputs(const struct lost_locality *m, const struct wires *w, struct lost_locality_out *out)
{
    out->lost_o = w->match != 0;
    out->gated_o = m->present_q & ~m->gated_q ? m->gated_q : 0;
    out->raise_valid_o = w->apply;
    out->raise_score_o = w->apply ? m->quotient_q : 0;
    out->error_o = m->error_q;
}

/* A hit removes its tag; a new one takes the next way.  A warp's end clears its array. */
static void tick_tags(struct lost_locality *m, const struct lost_locality_in *in, const struct wires *w)
{
    const uint32_t sets = m->p.Entries / m->p.Ways;
    if (w->miss) m->valid_q[w->miss_row] &= (uint16_t)~w->match;
    if (w->evict) {
        const uint8_t way = m->next_q[w->evict_row];
        for (uint32_t k = 0; k < m->p.Ways; k++)
            if (k == way) put_tag(m, w->evict_row, k, in->evict_tag_i);
        m->valid_q[w->evict_row] |= (uint16_t)((1u << way) & bits_mask(m->p.Ways));
        m->next_q[w->evict_row] = way == m->p.Ways - 1 ? 0 : (uint8_t)((way + 1u) & bits_index_mask(m->p.Ways));
    }
    for (uint32_t s = 0; w->finish && s < sets; s++) m->valid_q[w->warp * sets + s] = 0;
}

/* When a counter is full, both halve, which keeps their ratio. */
static void tick_counters(struct lost_locality *m, const struct lost_locality_in *in, const struct wires *w,
                          uint32_t count)
{
    const uint32_t lost = m->lost_q + (w->match != 0);
    const uint32_t issued = m->issued_q + (in->issue_valid_i ? in->issue_count_i : 0u);
    const bool halve = (lost | issued) >> m->p.CountW & 1;
    m->lost_q = count ? lost >> halve : 0;
    m->issued_q = count ? issued >> halve : 0;
}

/* VtaHits * KThrottle * cutoff / instructions: a bit of the quotient a cycle, the highest first. */
static void tick_division(struct lost_locality *m, const struct wires *w)
{
    const uint32_t top = m->quotient_q >> (m->p.ScoreW - 1) & 1;
    const uint64_t row = (m->rest_q & bits_mask(m->p.CountW)) << 1 | top;
    const bool fits = row >= m->divisor_q;
    if (w->divide) {
        const uint32_t factor = m->count_q * (m->p.KThrottle * m->p.BaseScore);
        const uint64_t product = m->lost_q * (factor & bits_mask(LOST_LOCALITY_FACTOR_W(&m->p)));
        m->rest_q = product >> m->p.ScoreW & bits_mask(LOST_LOCALITY_REST_W(&m->p));
        m->quotient_q = (uint32_t)(product & bits_mask(m->p.ScoreW));
        m->divisor_q = m->issued_q;
        m->step_q = CHECK;
    } else if (m->step_q == CHECK) {
        const bool over = m->rest_q >= m->divisor_q; /* more than ScoreW bits: saturates */
        m->quotient_q = over ? (uint32_t)bits_mask(m->p.ScoreW) : m->quotient_q;
        m->step_q = over ? (uint8_t)done(m) : CHECK + 1;
    } else if (m->step_q != IDLE && m->step_q < done(m)) {
        m->rest_q = (fits ? row - m->divisor_q : row) & bits_mask(LOST_LOCALITY_REST_W(&m->p));
        m->quotient_q = (uint32_t)((m->quotient_q << 1 | fits) & bits_mask(m->p.ScoreW));
        m->step_q++;
    } else if (w->apply) {
        m->step_q = IDLE;
    }
}

static uint32_t smaller(uint64_t a, uint64_t b)
{
    return (uint32_t)(a < b ? a : b);
}

/* Adds the score of the warp whose turn it is to the sums of those behind it.  Returns those beyond the cutoff. */
static uint64_t add_scores(struct lost_locality *m, const struct wires *w)
{
    const uint64_t most = bits_mask(LOST_LOCALITY_CUTOFF_W(&m->p));
    const uint64_t behind = is_present(m, m->turn_q) ? m->present_q : 0;
    const uint32_t score = m->score_q[m->turn_q], rank = m->rank_q[m->turn_q], limit = cutoff(m);
    uint64_t beyond = 0;
    for (uint32_t i = 0; i < m->p.Warps; i++) {
        const bool first = score > m->score_q[i] || (score == m->score_q[i] && rank < m->rank_q[i]);
        const bool add = first && (behind >> i & 1);
        const uint32_t sum = add ? smaller((uint64_t)m->sum_q[i] + score, most) : m->sum_q[i];
        beyond |= (uint64_t)(sum >= limit) << i;
        m->sum_q[i] = w->last ? 0 : sum;
    }
    return beyond;
}

/* After the last warp of a walk, renews the gated warps. */
static void tick_walk(struct lost_locality *m, const struct wires *w)
{
    const uint64_t beyond = m->walk_q ? add_scores(m, w) : 0;
    for (uint32_t i = 0; !m->walk_q && i < m->p.Warps; i++) m->sum_q[i] = 0;
    if (w->last)
        m->gated_q = m->present_q & beyond;
    else if (!m->walk_q && !w->raised)
        m->gated_q = 0;
    m->gated_q &= ~w->ends;
    m->turn_q = m->walk_q && !w->last ? (uint8_t)((m->turn_q + 1u) & bits_index_mask(m->p.Warps)) : 0;
    m->walk_q = (m->walk_q && !w->last) || w->raised;
}

/* Scores fall, then rise; a warp that starts or ends has the base score. */
static void tick_scores(struct lost_locality *m, const struct wires *w)
{
    if (!w->raised && !w->apply && !w->start && !w->finish) return;
    for (uint32_t i = 0; i < m->p.Warps; i++) {
        const uint32_t fallen = m->score_q[i] - (m->score_q[i] > m->p.BaseScore);
        const bool rises = w->apply && (m->raising_q >> i & 1) && m->quotient_q > fallen;
        const bool anew = (w->start || w->finish) && i == w->warp;
        m->score_q[i] = anew ? m->p.BaseScore : rises ? m->quotient_q : fallen;
    }
}

static void tick_ranks(struct lost_locality *m, const struct wires *w)
{
    const uint8_t rank = m->rank_q[w->warp];
    const uint32_t mask = bits_index_mask(m->p.Warps);
    if (!w->start && !w->finish) return;
    for (uint32_t i = 0; i < m->p.Warps; i++) {
        const bool younger = w->finish && is_present(m, i) && m->rank_q[i] > rank;
        const bool anew = w->start && i == w->warp;
        const uint32_t next = anew ? m->count_q : m->rank_q[i] - (uint32_t)younger;
        m->rank_q[i] = (uint8_t)(next & mask);
    }
}

static void tick_sets(struct lost_locality *m, const struct wires *w)
{
    const uint64_t waiting = m->pending_q;
    m->pending_q = ((w->divide ? 0 : waiting) | w->loses) & ~w->ends;
    m->raising_q = (w->divide ? waiting : w->apply ? 0 : m->raising_q) & ~w->ends;
    m->present_q = (m->present_q | (uint64_t)w->start << w->warp) & ~w->ends;
}

static void edge(struct lost_locality *m, const struct lost_locality_in *in, const struct wires *w)
{
    const uint32_t count = (m->count_q + (uint32_t)w->start - (uint32_t)w->finish) & bits_index_mask(m->p.Warps + 1);
    tick_tags(m, in, w);
    tick_walk(m, w);
    tick_scores(m, w);
    tick_ranks(m, w);
    tick_division(m, w);
    tick_counters(m, in, w, count);
    tick_sets(m, w);
    m->count_q = (uint8_t)count;
    const uint8_t error = w->bad_start    ? LOST_LOCALITY_ERROR_START
                          : w->bad_absent ? LOST_LOCALITY_ERROR_ABSENT
                                          : LOST_LOCALITY_OK;
    m->error_q = m->error_q ? m->error_q : error;
}

void lost_locality_eval(const struct lost_locality *m, const struct lost_locality_in *in, struct lost_locality_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    outputs(m, &w, out);
}

void lost_locality_tick(struct lost_locality *m, const struct lost_locality_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    edge(m, in, &w);
}

void lost_locality_step(struct lost_locality *m, const struct lost_locality_in *in, struct lost_locality_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    outputs(m, &w, out);
    edge(m, in, &w);
}

/* Scores that fall and the walk need no input: skip() has them in closed form. */
bool lost_locality_idle(const struct lost_locality *m)
{
    return m->step_q == IDLE && !m->pending_q;
}

static uint32_t highest(const struct lost_locality *m)
{
    uint32_t top = m->p.BaseScore;
    for (uint32_t i = 0; i < m->p.Warps; i++) top = m->score_q[i] > top ? m->score_q[i] : top;
    return top - m->p.BaseScore;
}

static void fall(struct lost_locality *m, uint64_t cycles)
{
    for (uint32_t i = 0; i < m->p.Warps; i++) {
        const uint32_t above = m->score_q[i] - m->p.BaseScore;
        m->score_q[i] -= smaller(above, cycles);
    }
}

/* Nothing is raised, and the last walk is over. */
static void settle(struct lost_locality *m)
{
    for (uint32_t i = 0; i < m->p.Warps; i++) {
        m->score_q[i] = m->p.BaseScore;
        m->sum_q[i] = 0;
    }
    m->walk_q = false;
    m->turn_q = 0;
    m->gated_q = 0;
}

/* Of the walks that follow each other, only the last two matter: the end of one, and a whole one behind it.  Those
 * before are jumped over as long as a score stays raised, so that each of them is followed by another. */
void lost_locality_skip(struct lost_locality *m, uint64_t cycles)
{
    const struct lost_locality_in nothing = {0};
    const uint64_t warps = m->p.Warps, above = highest(m);
    if (cycles > 2 * warps + 2 && cycles - (2 * warps + 2) > above) {
        settle(m);
        return;
    }
    uint64_t walks = 0;
    if (m->walk_q && above && cycles >= 3 * warps) {
        walks = cycles / warps - 2;
        walks = smaller(walks, (above - 1) / warps);
    }
    fall(m, walks * warps);
    for (uint64_t i = walks * warps; i < cycles; i++) lost_locality_tick(m, &nothing);
}
