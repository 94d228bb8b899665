/* SPDX-License-Identifier: Apache-2.0 */
/* Warped-Slicer in the machine (Xu16, after Dai17, sections 4.1 and 4.2.5).  When a workload starts a kernel that is
 * not the one it was sampled with, the SMs are divided evenly, and each SM of a workload holds another number of its
 * thread blocks for cke.slicer.window cycles.  The speeds make a curve for each workload.  Then every SM is divided by
 * water-filling: the workload with the smallest share of its best speed gets thread blocks, up to the next number that
 * is faster, until none gets more. */
#include <stdlib.h>

#include "system/sm/sm_owners.h"
#include "system/sm/speed_window.h"

enum { MOST_BLOCKS = 64, FRACTION_BITS = 16 }; /* of sm.blocks; of a speed */

/* Warp instructions in the window, by thread blocks of an SM: [1] to [most]. */
struct curve {
    uint32_t most;
    uint64_t speed[MOST_BLOCKS + 1], best;
};

struct slicer {
    struct speed_window window;
    struct sm_owners owners; /* while it samples */
    uint32_t point[MAX_SMS]; /* thread blocks that the SM is sampled with */
    struct seen_kernel seen[MAX_WORKLOADS];
    struct curve curve[MAX_WORKLOADS];
};

static void *slicer_create(struct sm_array *a, struct error *err)
{
    struct slicer *s = calloc(1, sizeof *s);
    if (!s) return error_set(err, "cke.partition: out of memory"), NULL;
    if (owners_init(&s->owners, a, err) &&
        window_init(&s->window, a, "cke.slicer.window", a->c->cke_slicer_window, err))
        return s;
    free(s);
    return NULL;
}

/* Sizes 1 to `most`, cyclically over the SMs; with fewer SMs than sizes, equidistant sizes including `most`. */
static uint32_t point_of(uint32_t i, uint32_t sms, uint32_t most)
{
    return sms >= most ? i % most + 1 : ((i + 1) * most + sms - 1) / sms;
}

static void slicer_sample(struct slicer *s, struct sm_array *a)
{
    uint32_t sms[MAX_WORKLOADS] = {0}, number[MAX_WORKLOADS] = {0};
    owners_even(a, sms);
    owners_give(&s->owners, a, sms);
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        const uint32_t w = s->owners.owner[i];
        s->point[i] = point_of(number[w]++, sms[w], partition_most(a, &a->workload[w]));
        for (uint32_t v = 0; v < a->workloads; v++) partition_limit(&a->sms[i], v, v == w ? s->point[i] : 0);
    }
    window_start(&s->window, a);
}

/* Linear interpolation between sampled sizes; the first segment starts at 0. */
static void interpolate(struct curve *c, const uint32_t sampled[MOST_BLOCKS + 1])
{
    for (uint32_t n = 1, low = 0; n <= c->most; n++) {
        if (!sampled[n]) continue;
        const uint64_t from = c->speed[low], to = c->speed[n];
        for (uint32_t i = low + 1; i < n; i++) c->speed[i] = (from * (n - i) + to * (i - low)) / (n - low);
        low = n;
    }
    for (uint32_t n = 1; n <= c->most; n++) c->best = max_u64(c->best, c->speed[n]);
}

static void make_curve(struct slicer *s, const struct sm_array *a, uint32_t workload)
{
    struct curve *c = &s->curve[workload];
    uint32_t sampled[MOST_BLOCKS + 1] = {0};
    *c = (struct curve){.most = partition_most(a, &a->workload[workload])};
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        if (s->owners.owner[i] != workload) continue;
        sampled[s->point[i]]++;
        c->speed[s->point[i]] += s->window.issued[i];
    }
    for (uint32_t n = 1; n <= c->most; n++)
        if (sampled[n]) c->speed[n] = (c->speed[n] << FRACTION_BITS) / sampled[n];
    interpolate(c, sampled);
}

static bool is_slower(const struct curve *a, uint32_t blocks_a, const struct curve *b, uint32_t blocks_b)
{
    return (unsigned __int128)a->speed[blocks_a] * b->best < (unsigned __int128)b->speed[blocks_b] * a->best;
}

static bool fit(const struct sm_array *a, const uint32_t blocks[MAX_WORKLOADS])
{
    uint32_t has[PARTITION_RESOURCES];
    partition_has(a->c, has);
    for (uint32_t i = 0; i < PARTITION_RESOURCES; i++) {
        uint64_t sum = 0;
        for (uint32_t w = 0; w < a->workloads; w++) {
            uint32_t needs[PARTITION_RESOURCES];
            partition_needs(&a->workload[w], needs);
            sum += (uint64_t)blocks[w] * needs[i];
        }
        if (sum > has[i]) return false;
    }
    return true;
}

/* The next larger number of thread blocks that is faster; 0: none, or it does not fit. */
static uint32_t step_up(const struct slicer *s, const struct sm_array *a, const uint32_t blocks[MAX_WORKLOADS],
                        uint32_t workload)
{
    const struct curve *c = &s->curve[workload];
    uint32_t more[MAX_WORKLOADS], n = blocks[workload];
    while (n <= c->most && c->speed[n] <= c->speed[blocks[workload]]) n++;
    if (n > c->most) return 0;
    memcpy(more, blocks, sizeof more);
    more[workload] = n;
    return fit(a, more) ? n : 0;
}

static void slicer_fill(const struct slicer *s, const struct sm_array *a, uint32_t blocks[MAX_WORKLOADS])
{
    bool full[MAX_WORKLOADS];
    for (uint32_t w = 0; w < MAX_WORKLOADS; w++) {
        full[w] = w >= a->workloads || !workload_is_here(&a->workload[w]);
        blocks[w] = !full[w];
    }
    for (;;) {
        uint32_t found = MAX_WORKLOADS;
        for (uint32_t w = 0; w < a->workloads; w++)
            if (!full[w] &&
                (found == MAX_WORKLOADS || is_slower(&s->curve[w], blocks[w], &s->curve[found], blocks[found])))
                found = w;
        if (found == MAX_WORKLOADS) return;
        const uint32_t n = step_up(s, a, blocks, found);
        full[found] = !n;
        if (n) blocks[found] = n;
    }
}

static void slicer_divide(const struct slicer *s, struct sm_array *a)
{
    uint32_t blocks[MAX_WORKLOADS];
    slicer_fill(s, a, blocks);
    for (uint32_t w = 0; w < a->workloads; w++) partition_limit_all(a, w, blocks[w]);
}

static bool slicer_kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    struct slicer *s = state;
    uint32_t one[MAX_WORKLOADS];
    if (!window_is_new(&s->seen[k->number], k)) return true;
    for (uint32_t w = 0; w < MAX_WORKLOADS; w++) one[w] = 1;
    slicer_sample(s, a);
    return partition_fits(a, one);
}

static uint32_t count_left(const struct sm_array *a)
{
    uint32_t left = 0;
    for (uint32_t w = 0; w < a->workloads; w++) left += workload_is_here(&a->workload[w]);
    return left;
}

/* The others take over its share: by their curves, or after a new sample if these are unknown. */
static void slicer_kernel_ended(void *state, struct sm_array *a, struct workload *k)
{
    struct slicer *s = state;
    const bool sampled = window_next(&s->window) == NEVER && !s->window.waits;
    const uint32_t left = count_left(a);
    if (!k->done || !left) return;
    if (left == 1) {
        window_stop(&s->window);
        for (uint32_t w = 0; w < a->workloads; w++)
            /* mutant: 0 + 1: one that has ended starts no thread block, one that waits is sampled when it starts */
            partition_limit_all(a, w, workload_is_here(&a->workload[w]) ? UINT32_MAX : 0);
    } else if (sampled) {
        slicer_divide(s, a);
    } else {
        slicer_sample(s, a);
    }
}

static void slicer_block_finished(void *state, struct sm *sm, struct thread_block *b)
{
    (void)b;
    window_block_finished(&((struct slicer *)state)->window, sm->array);
}

static void slicer_issued(void *state, const struct sm *sm, uint32_t w, const struct inst *i)
{
    (void)w, (void)i;
    window_issued(&((struct slicer *)state)->window, sm);
}

static void slicer_begin(void *state, struct sm_array *a)
{
    struct slicer *s = state;
    if (!window_over(&s->window, a)) return;
    for (uint32_t w = 0; w < a->workloads; w++)
        if (workload_is_here(&a->workload[w])) make_curve(s, a, w);
    window_stop(&s->window);
    slicer_divide(s, a);
}

static uint64_t slicer_next(const void *state)
{
    return window_next(&((const struct slicer *)state)->window);
}

static const struct block_partition slicer = {
    .policy = {"slicer",
               "Warped-Slicer: water-filling on sampled curves; each SM samples a different number of thread blocks"},
    .hooks = {.create = slicer_create,
              .destroy = free,
              .kernel_started = slicer_kernel_started,
              .kernel_ended = slicer_kernel_ended,
              .block_finished = slicer_block_finished,
              .issued = slicer_issued,
              .begin = slicer_begin,
              .next = slicer_next}};
BLOCK_PARTITION_REGISTER(slicer);
