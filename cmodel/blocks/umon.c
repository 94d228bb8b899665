/* SPDX-License-Identifier: Apache-2.0 */
#include "umon.h"

struct wires {
    bool access, sampled, bad, counts; /* counts: the hit is counted */
    uint32_t row, match;               /* match: the stack position that holds the tag, one bit */
    bool better, last, done;           /* of a step of the computation */
    uint32_t sum, more;
};

static uint32_t shift(const struct umon *m)
{
    return bits_index(2 * m->p.Sets) - bits_index(2 * m->p.SampledSets);
}

/* The XOR of the set number's fields of as many bits as one in so many sets is sampled. */
static bool is_sampled(const struct umon *m, uint32_t set)
{
    const uint32_t bits = shift(m);
    uint32_t fold = 0;
    for (uint32_t b = 0; b < 8; b++)
        if (bits != 0 && b * bits < 8) fold ^= set >> (b * bits);
    return (fold & (uint32_t)bits_mask(bits)) == 0;
}

static uint32_t row_of(const struct umon *m, uint32_t kernel, uint32_t set)
{
    const uint32_t sampler = m->p.SampledSets > 1 ? set >> shift(m) & (m->p.SampledSets - 1) : 0;
    return kernel * m->p.SampledSets + sampler;
}

/* The tag of a stack position: TagW bits of a row, wherever they begin. */
static uint32_t tag_of(const struct umon *m, uint32_t row, uint32_t at)
{
    const uint32_t bit = at * m->p.TagW, word = bit / 32;
    const uint64_t two = m->tags_q[row][word] | (uint64_t)m->tags_q[row][word + 1] << 32;
    return (uint32_t)(two >> (bit % 32) & bits_mask(m->p.TagW));
}

static void put_tag(struct umon *m, uint32_t row, uint32_t at, uint32_t tag)
{
    const uint32_t bit = at * m->p.TagW, word = bit / 32;
    const uint64_t mask = bits_mask(m->p.TagW) << (bit % 32), bits = (uint64_t)tag << (bit % 32) & mask;
    m->tags_q[row][word] = (m->tags_q[row][word] & ~(uint32_t)mask) | (uint32_t)bits;
    m->tags_q[row][word + 1] = (m->tags_q[row][word + 1] & ~(uint32_t)(mask >> 32)) | (uint32_t)(bits >> 32);
}

static void access_wires(const struct umon *m, const struct umon_in *in, struct wires *w)
{
    const bool exists = in->acc_kernel_i < m->p.Kernels;
    w->access = in->acc_valid_i && exists;
    w->bad = (in->acc_valid_i && !exists) || (in->flush_valid_i && in->flush_kernel_i >= m->p.Kernels);
    w->sampled = w->access && is_sampled(m, in->acc_set_i);
    w->row = w->sampled ? row_of(m, in->acc_kernel_i, in->acc_set_i) : 0;
    w->match = 0;
    for (uint32_t i = 0; i < m->p.Ways; i++) {
        const bool found = w->match == 0 && (m->valid_q[w->row] >> i & 1) && tag_of(m, w->row, i) == in->acc_tag_i;
        w->match |= (uint32_t)(w->sampled && found) << i;
    }
    w->counts = w->match != 0 && !m->busy_q;
}

/* Hits of the first way beyond those that the kernel has and those already in the sum. */
static uint32_t hits_of_next(const struct umon *m)
{
    uint32_t own = 0, hits = 0;
    for (uint32_t k = 0; k < m->p.Kernels; k++) own |= m->kernel_q == k ? m->next_q[k] : 0u;
    const uint32_t at = own + m->more_q;
    for (uint32_t k = 0; k < m->p.Kernels; k++)
        for (uint32_t i = 0; i < m->p.Ways; i++)
            hits |= m->kernel_q == k && i == at ? m->hits_q[k * m->p.Ways + i] : 0u;
    return hits;
}

/* Of two kernels with as many hits per way, the one with fewer ways. */
static bool has_fewer(const struct umon *m)
{
    uint32_t own = 0, best = 0;
    for (uint32_t k = 0; k < m->p.Kernels; k++) {
        own |= m->kernel_q == k ? m->next_q[k] : 0u;
        best |= m->best_kernel_q == k ? m->next_q[k] : 0u;
    }
    return own < best;
}

static void step_wires(const struct umon *m, struct wires *w)
{
    w->more = (m->more_q + 1u) & (uint32_t)bits_mask(UMON_WAYS_W(&m->p));
    w->sum = (m->sum_q + hits_of_next(m)) & (uint32_t)bits_mask(UMON_SUM_W(&m->p));
    const uint32_t mine = w->sum * m->best_ways_q, best = m->best_sum_q * w->more;
    w->better = m->best_ways_q == 0 || mine > best || (mine == best && has_fewer(m));
    w->done = m->busy_q && m->left_q == 0;
    w->last = m->busy_q && !w->done && w->more == m->left_q;
}

static void all_wires(const struct umon *m, const struct umon_in *in, struct wires *w)
{
    access_wires(m, in, w);
    step_wires(m, w);
}

void umon_init(struct umon *m, const struct umon_cfg *cfg)
{
    m->p = *cfg;
    m->kernel_q = m->more_q = m->best_kernel_q = m->best_ways_q = m->left_q = 0;
    m->sum_q = m->best_sum_q = 0;
    for (uint32_t k = 0; k < UMON_MAX_KERNELS; k++) m->next_q[k] = 0;
    for (uint32_t r = 0; r < m->p.Kernels * m->p.SampledSets; r++)
        for (uint32_t i = 0; i < 32; i++) m->tags_q[r][i] = 0;
    umon_reset(m);
}

/* Tags and the computation have no reset: they are don't-care without valid_q and busy_q. */
void umon_reset(struct umon *m)
{
    m->busy_q = false;
    m->strobe_q = false;
    m->error_q = UMON_OK;
    for (uint32_t k = 0; k < UMON_MAX_KERNELS; k++) {
        const uint32_t even = m->p.Ways / m->p.Kernels + (k < m->p.Ways % m->p.Kernels);
        m->alloc_q[k] = (uint8_t)(k < m->p.Kernels ? even : 0);
    }
    for (uint32_t i = 0; i < m->p.Kernels * m->p.Ways; i++) m->hits_q[i] = 0;
    for (uint32_t r = 0; r < m->p.Kernels * m->p.SampledSets; r++) m->valid_q[r] = 0;
}

void umon_eval(const struct umon *m, const struct umon_in *in, struct umon_out *out)
{
    struct wires w;
    all_wires(m, in, &w);
    out->acc_sampled_o = w.sampled;
    out->acc_hit_o = w.match != 0;
    out->acc_depth_o = 0;
    for (uint32_t i = 0; i < m->p.Ways; i++)
        if (w.match >> i & 1) out->acc_depth_o |= (uint8_t)i;
    out->alloc_o = 0;
    for (uint32_t k = 0; k < m->p.Kernels; k++) out->alloc_o |= (uint32_t)m->alloc_q[k] << (k * UMON_WAYS_W(&m->p));
    out->busy_o = m->busy_q;
    out->strobe_o = m->strobe_q;
    out->error_o = m->error_q;
}

/* The tag becomes the most recent; those that were more recent move by one. */
static void tick_stack(struct umon *m, const struct umon_in *in, const struct wires *w)
{
    uint32_t newer = in->acc_tag_i;
    bool moves = true;
    for (uint32_t i = 0; i < m->p.Ways; i++) {
        const uint32_t tag = tag_of(m, w->row, i);
        if (moves) put_tag(m, w->row, i, newer);
        moves = moves && !(w->match >> i & 1);
        newer = tag;
    }
    const uint32_t valid = (m->valid_q[w->row] << 1 | 1u) & (uint32_t)bits_mask(m->p.Ways);
    if (w->match == 0) m->valid_q[w->row] = (uint16_t)valid;
}

static void tick_hits(struct umon *m, const struct umon_in *in, const struct wires *w)
{
    bool full = false;
    for (uint32_t i = 0; i < m->p.Ways; i++) {
        const bool here = w->counts && (w->match >> i & 1);
        full = full || (here && m->hits_q[in->acc_kernel_i * m->p.Ways + i] == bits_mask(m->p.CountW));
    }
    for (uint32_t k = 0; k < m->p.Kernels; k++) {
        for (uint32_t i = 0; i < m->p.Ways; i++) {
            const bool here = w->counts && in->acc_kernel_i == k && (w->match >> i & 1);
            const uint32_t kept = m->hits_q[k * m->p.Ways + i] >> (full || w->done);
            m->hits_q[k * m->p.Ways + i] = (uint16_t)(kept + here);
        }
    }
}

/* Every kernel gets one way; the others are given away in rounds. */
static void tick_start(struct umon *m)
{
    m->busy_q = true;
    m->left_q = (uint8_t)(m->p.Ways - m->p.Kernels);
    m->kernel_q = m->more_q = m->best_kernel_q = m->best_ways_q = 0;
    m->sum_q = m->best_sum_q = 0;
    for (uint32_t k = 0; k < m->p.Kernels; k++) m->next_q[k] = 1;
}

/* The end of a round: the best kernel gets its ways. */
static void give(struct umon *m, uint32_t kernel, uint32_t ways)
{
    const uint32_t mask = (uint32_t)bits_mask(UMON_WAYS_W(&m->p));
    for (uint32_t k = 0; k < m->p.Kernels; k++)
        m->next_q[k] = (uint8_t)(kernel == k ? (m->next_q[k] + ways) & mask : m->next_q[k]);
    m->left_q = (uint8_t)((m->left_q - ways) & mask);
}

static void tick_step(struct umon *m, const struct wires *w)
{
    const uint32_t kernel = w->better ? m->kernel_q : m->best_kernel_q;
    const uint32_t ways = w->better ? w->more : m->best_ways_q;
    const bool round = w->last && m->kernel_q == m->p.Kernels - 1;
    if (round) give(m, kernel, ways);
    m->best_kernel_q = (uint8_t)(round ? 0 : kernel);
    m->best_ways_q = (uint8_t)(round ? 0 : ways);
    m->best_sum_q = round ? 0 : w->better ? w->sum : m->best_sum_q;
    m->kernel_q = (uint8_t)(round ? 0 : (m->kernel_q + (uint32_t)w->last) & bits_index_mask(m->p.Kernels));
    m->more_q = (uint8_t)(w->last ? 0 : w->more);
    m->sum_q = w->last ? 0 : w->sum;
}

void umon_tick(struct umon *m, const struct umon_in *in)
{
    struct wires w;
    all_wires(m, in, &w);
    tick_hits(m, in, &w);
    if (w.sampled) tick_stack(m, in, &w);
    for (uint32_t s = 0; in->flush_valid_i && in->flush_kernel_i < m->p.Kernels && s < m->p.SampledSets; s++)
        m->valid_q[in->flush_kernel_i * m->p.SampledSets + s] = 0;
    for (uint32_t k = 0; w.done && k < m->p.Kernels; k++) m->alloc_q[k] = m->next_q[k];
    if (m->busy_q && !w.done) tick_step(m, &w);
    if (in->part_valid_i && !m->busy_q)
        tick_start(m);
    else
        m->busy_q = m->busy_q && !w.done;
    m->strobe_q = w.done;
    m->error_q = m->error_q ? m->error_q : w.bad ? UMON_ERROR_KERNEL : UMON_OK;
}

bool umon_idle(const struct umon *m)
{
    return !m->busy_q && !m->strobe_q;
}

void umon_skip(struct umon *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
