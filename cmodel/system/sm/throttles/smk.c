/* SPDX-License-Identifier: Apache-2.0 */
/* SMK's quotas (Dai17, section 4.4): the block warp_quota of each SM ("sm.3.quota") holds back the warps of workloads
 * that have used up their quota.
 *
 * A workload is present in an SM while it has warps there.  The block ticks in cycles with an instruction or with
 * another set of workloads present; its outputs change in no other. */
#include "warp_quota.h"

#include <stdio.h>
#include <stdlib.h>

#include "system/block/block_socket.h"
#include "system/sm/throttle.h"
#include "system/sm/warp_scheduler.h"

enum { QUOTA_BITS = 16, QUOTAS = 4 }; /* QUOTAS: workloads that the block serves, as many as there are options */

/* Of one SM. */
struct share {
    struct block_socket socket;
    struct warp_quota_in in;
    struct warp_quota_out out; /* after the last clock edge */
    uint32_t present;          /* as known to the block */
};

struct smk {
    struct warp_quota_cfg cfg;
    struct stats *stats;
    uint32_t sms;
    struct share shares[];
};

_Static_assert(sizeof((struct config){0}).cke_quota == QUOTAS * sizeof(uint32_t), "a quota for each");

/* With a limit on warps, the oldest warps could be those of a workload without quota left, and others wait for it. */
static bool smk_can_be(const struct sm_array *a, struct error *err)
{
    if (a->workloads < 2 || a->workloads > QUOTAS)
        return error_set(err, "sm.throttle: found smk with %u workload%s, allowed with it: 2 to %u that share an SM",
                         a->workloads, a->workloads == 1 ? "" : "s", QUOTAS);
    if (a->scheduler->limits)
        return error_set(err,
                         "sm.throttle: found smk with sm.scheduler = %s, allowed with it: a scheduler without "
                         "a static warp limit, since all warps within the limit may be out of quota",
                         a->scheduler->policy.name);
    for (uint32_t w = 0; w < a->workloads; w++)
        if (!a->c->cke_quota[w])
            return error_set(err,
                             "cke.quota%u: found 0 with sm.throttle = smk, allowed with it: 1 to %u, the warp "
                             "instructions of %s in a period",
                             w, (1u << QUOTA_BITS) - 1, a->workload[w].source->name);
    return true;
}

static void smk_destroy(void *state)
{
    struct smk *t = state;
    for (uint32_t i = 0; i < t->sms; i++) block_socket_close(&t->shares[i].socket);
    free(t);
}

static void smk_look(struct share *s)
{
    const struct warp_quota_in nothing = {0};
    block_socket_eval(&s->socket, &nothing, &s->out);
}

static bool open_share(struct smk *t, const struct sm_array *a, uint32_t sm, struct error *err)
{
    struct share *s = &t->shares[sm];
    char unit[32];
    snprintf(unit, sizeof unit, "sm.%u.quota", sm);
    if (!block_socket_open(&s->socket, a->env, "warp_quota", &t->cfg, unit, err)) return false;
    for (uint32_t w = 0; w < a->workloads; w++) {
        const struct warp_quota_in in = {
            .set_valid_i = true, .set_kernel_i = (uint8_t)w, .set_quota_i = (uint16_t)a->c->cke_quota[w]};
        block_socket_tick(&s->socket, &in);
    }
    smk_look(s);
    return true;
}

static void *smk_create(struct sm_array *a, struct error *err)
{
    if (!smk_can_be(a, err)) return NULL;
    struct smk *t = calloc(1, sizeof *t + a->c->sm_count * sizeof t->shares[0]);
    if (!t) return error_set(err, "sm.throttle: out of memory"), NULL;
    t->cfg = (struct warp_quota_cfg){
        .Kernels = a->workloads, .QuotaW = QUOTA_BITS, .Issues = MAX_SCHEDULERS, .Debt = a->c->cke_quota_debt};
    t->stats = a->env->stats;
    t->sms = a->c->sm_count;
    bool ok = true;
    for (uint32_t i = 0; ok && i < t->sms; i++) ok = open_share(t, a, i, err);
    if (ok) return t;
    smk_destroy(t);
    return NULL;
}

static warp_set smk_may_issue(const void *state, const struct sm *sm)
{
    const struct smk *t = state;
    const uint32_t workloads = t->shares[sm->number].out.may_issue_o;
    warp_set may = 0;
    for (uint32_t w = 0; w < MAX_WORKLOADS; w++)
        if (workloads >> w & 1) may |= sm->of[w];
    return may;
}

static void smk_issued(void *state, const struct sm *sm, uint32_t w, const struct inst *i)
{
    struct warp_quota_in *in = &((struct smk *)state)->shares[sm->number].in;
    (void)i;
    in->issue_valid_i = true;
    in->issue_counts_i += (uint16_t)(1u << (sm->warps[w].block->workload->number * WARP_QUOTA_COUNT_W));
}

static uint32_t smk_present(const struct sm *sm)
{
    uint32_t workloads = 0;
    for (uint32_t w = 0; w < MAX_WORKLOADS; w++) workloads |= (uint32_t)(sm->of[w] != 0) << w;
    return workloads;
}

static uint32_t above(const struct smk *t, const struct share *s)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < t->cfg.Kernels; w++) {
        const uint32_t count = s->in.issue_counts_i >> (w * WARP_QUOTA_COUNT_W) & bits_mask(WARP_QUOTA_COUNT_W);
        const uint32_t left = (uint32_t)(s->out.left_o >> (w * QUOTA_BITS) & bits_mask(QUOTA_BITS));
        n += count > left ? count - left : 0;
    }
    return n;
}

/* True: the set of workloads that may issue changed. */
static bool smk_tick(void *state, const struct sm *sm, struct error *err)
{
    struct smk *t = state;
    struct share *s = &t->shares[sm->number];
    const uint32_t now = smk_present(sm), before = s->out.may_issue_o;
    s->in.kernels_valid_i = now != s->present;
    s->in.kernels_i = (uint8_t)now;
    if (!s->in.issue_valid_i && !s->in.kernels_valid_i) return false;
    t->stats->smk_above += above(t, s);
    block_socket_step(&s->socket, &s->in, &s->out);
    t->stats->smk_refills += s->out.refill_o;
    s->in = (struct warp_quota_in){0};
    s->present = now;
    smk_look(s);
    if (s->out.error_o) error_set(err, "%s: error_o: found %u, expected 0", s->socket.unit, s->out.error_o);
    return s->out.may_issue_o != before;
}

static const struct throttle smk = {
    .policy = {"smk", "warp instruction quotas per workload and period (2 to 4 workloads; block warp_quota)"},
    .hooks = {.create = smk_create,
              .destroy = smk_destroy,
              .may_issue = smk_may_issue,
              .issued = smk_issued,
              .tick = smk_tick}};
THROTTLE_REGISTER(smk, .blocks = {"warp_quota"}, .when = "sm.throttle=smk");
