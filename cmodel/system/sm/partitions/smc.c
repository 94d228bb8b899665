/* SPDX-License-Identifier: Apache-2.0 */
/* SM-centric partition and throttling (Wu15, after Liang17, section 5.2): two workloads on disjoint sets of SMs. First,
 * with the SMs in equal parts, hill climbing on the thread blocks per SM of each workload, from as many as fit
 * downwards; then on the number of SMs of each.  Every step is a sample of cke.smc.period cycles. */
#include <stdlib.h>

#include "system/sm/sm_owners.h"
#include "system/sm/speed_window.h"

enum step { STEP_BLOCKS, STEP_BASE, STEP_SMS, STEP_DONE };

struct smc {
    struct speed_window window;
    struct sm_owners owners;
    struct seen_kernel seen[MAX_WORKLOADS];
    enum step step;
    bool climbs[2];        /* STEP_BLOCKS: the workload tries one thread block less */
    bool sampled;          /* STEP_BLOCKS: `best` has the speeds of the start */
    uint64_t best[2];      /* STEP_BLOCKS: warp instructions at the best number so far */
    uint64_t base[2];      /* later: at the equal parts */
    int32_t direction;     /* STEP_SMS: SMs that workload 0 gets in this try, 1 or -1 */
    bool turned;           /* STEP_SMS: the other direction has been tried, or need not be */
    unsigned __int128 sum; /* STEP_SMS: of the best parts so far */
};

static void *smc_create(struct sm_array *a, struct error *err)
{
    struct smc *s = calloc(1, sizeof *s);
    if (!s) return error_set(err, "cke.partition: out of memory"), NULL;
    s->step = STEP_DONE;
    if (owners_init(&s->owners, a, err) && window_init(&s->window, a, "cke.smc.period", a->c->cke_smc_period, err))
        return s;
    free(s);
    return NULL;
}

static void smc_sample(struct smc *s, struct sm_array *a, enum step step)
{
    s->step = step;
    owners_apply_all(&s->owners, a);
    window_start(&s->window, a);
}

static void smc_start(struct smc *s, struct sm_array *a)
{
    uint32_t sms[MAX_WORKLOADS] = {0};
    owners_even(a, sms);
    owners_give(&s->owners, a, sms);
    for (uint32_t w = 0; w < 2; w++) {
        s->owners.limit[w] = partition_most(a, &a->workload[w]);
        s->climbs[w] = true;
    }
    s->sampled = false;
    smc_sample(s, a, STEP_BLOCKS);
}

static uint64_t speed(const struct smc *s, const struct sm_array *a, uint32_t workload)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < a->c->sm_count; i++)
        if (s->owners.owner[i] == workload) sum += s->window.issued[i];
    return sum;
}

/* Keeps the number of thread blocks if it is faster, else restores the previous one and stops. */
static void climb(struct smc *s, const struct sm_array *a, uint32_t workload)
{
    const uint64_t now = speed(s, a, workload);
    uint32_t *limit = &s->owners.limit[workload];
    if (!s->climbs[workload]) return;
    if (s->sampled && now <= s->best[workload]) {
        s->climbs[workload] = false;
        ++*limit;
        return;
    }
    s->best[workload] = now;
    s->climbs[workload] = *limit > 1;
    *limit -= *limit > 1;
}

static void blocks_sampled(struct smc *s, struct sm_array *a)
{
    for (uint32_t w = 0; w < 2; w++) climb(s, a, w);
    s->sampled = true;
    smc_sample(s, a, s->climbs[0] || s->climbs[1] ? STEP_BLOCKS : STEP_BASE);
}

static bool may_shift(const struct smc *s)
{
    return s->direction > 0 ? s->owners.sms[1] > 1 : s->owners.sms[0] > 1;
}

static void smc_shift(struct smc *s, struct sm_array *a, int32_t sms)
{
    uint32_t parts[MAX_WORKLOADS] = {s->owners.sms[0] + (uint32_t)sms, s->owners.sms[1] - (uint32_t)sms};
    owners_give(&s->owners, a, parts);
}

static void try_shift(struct smc *s, struct sm_array *a)
{
    if (!may_shift(s) && !s->turned) {
        s->turned = true;
        s->direction = -1;
    }
    if (!may_shift(s)) {
        s->step = STEP_DONE;
        return;
    }
    smc_shift(s, a, s->direction);
    smc_sample(s, a, STEP_SMS);
}

/* Sum of both speeds, each relative to that with equal parts, times the product of these. */
static unsigned __int128 gain(const struct smc *s, const struct sm_array *a)
{
    return (unsigned __int128)speed(s, a, 0) * s->base[1] + (unsigned __int128)speed(s, a, 1) * s->base[0];
}

static void base_sampled(struct smc *s, struct sm_array *a)
{
    for (uint32_t w = 0; w < 2; w++) s->base[w] = max_u64(1, speed(s, a, w));
    s->sum = gain(s, a);
    s->direction = 1;
    s->turned = false;
    try_shift(s, a);
}

static void sms_sampled(struct smc *s, struct sm_array *a)
{
    const unsigned __int128 sum = gain(s, a);
    if (sum > s->sum) {
        s->sum = sum;
        s->turned = true; /* this direction improves */
        try_shift(s, a);
        return;
    }
    smc_shift(s, a, -s->direction);
    if (s->turned) {
        s->step = STEP_DONE;
        return;
    }
    s->turned = true;
    s->direction = -s->direction;
    try_shift(s, a);
}

static bool smc_kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    struct smc *s = state;
    if (window_is_new(&s->seen[k->number], k) && !a->workload[!k->number].done) smc_start(s, a);
    return true;
}

static void smc_kernel_ended(void *state, struct sm_array *a, struct workload *k)
{
    struct smc *s = state;
    uint32_t sms[MAX_WORKLOADS] = {0};
    if (!k->done) return;
    s->step = STEP_DONE;
    window_stop(&s->window);
    memset(s->owners.limit, 0xff, sizeof s->owners.limit); /* it takes over all SMs */
    owners_even(a, sms);
    owners_give(&s->owners, a, sms);
}

static void smc_block_finished(void *state, struct sm *sm, struct thread_block *b)
{
    struct smc *s = state;
    (void)b;
    owners_apply(&s->owners, sm);
    window_block_finished(&s->window, sm->array);
}

static void smc_issued(void *state, struct sm *sm, const struct thread_block *b, const struct inst *i)
{
    (void)b, (void)i;
    window_issued(&((struct smc *)state)->window, sm);
}

static void smc_begin(void *state, struct sm_array *a)
{
    static void (*const sampled[])(struct smc *, struct sm_array *) = {
        [STEP_BLOCKS] = blocks_sampled, [STEP_BASE] = base_sampled, [STEP_SMS] = sms_sampled};
    struct smc *s = state;
    if (!window_over(&s->window, a)) return;
    window_stop(&s->window);
    sampled[s->step](s, a);
}

static uint64_t smc_next(const void *state)
{
    return window_next(&((const struct smc *)state)->window);
}

static const struct block_partition smc = {
    .policy = {"smc", "disjoint sets of SMs: hill climbing on thread blocks per SM, then on the sizes of the sets"},
    .most = 2,
    .create = smc_create,
    .destroy = free,
    .kernel_started = smc_kernel_started,
    .kernel_ended = smc_kernel_ended,
    .block_finished = smc_block_finished,
    .issued = smc_issued,
    .begin = smc_begin,
    .next = smc_next};
BLOCK_PARTITION_REGISTER(smc);
