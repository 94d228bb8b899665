/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/arbiter.h"

#include <stdio.h>
#include <stdlib.h>

#include "milg.h"
#include "qbmi.h"
#include "system/block/block_socket.h"

/* A qbmi computes its next set of quotas in fewer cycles than this, then waits for its next input. */
enum { QBMI_SETTLES = 32 };

struct limiter {
    struct block_socket socket;
    struct milg_cfg cfg;
    struct milg_in in;
    uint64_t accepted, refused; /* by the L1D; not yet reported to the block */
};

struct arbiter {
    uint32_t workloads;
    bool limits, ranks;
    uint32_t may; /* bit w: its milg allows another instruction */
    struct limiter limiter[MAX_WORKLOADS];
    struct block_socket rank;
    struct qbmi_cfg rank_cfg;
    struct qbmi_in rank_in;
    uint64_t rank_accepted[MAX_WORKLOADS];
    uint32_t settled; /* clock edges of the qbmi without an input, since the last with one */
};

static uint32_t static_limit(const struct config *c, uint32_t workload, uint32_t none)
{
    const uint32_t limit = workload < sizeof c->cke_limit / sizeof *c->cke_limit ? c->cke_limit[workload] : 0;
    if (c->cke_scheme != CKE_SMIL) return 0;
    return limit && limit < none ? limit : none;
}

static bool open_limiter(struct arbiter *a, struct env *env, uint32_t sm, uint32_t workload, struct error *err)
{
    struct limiter *l = &a->limiter[workload];
    char unit[32];
    snprintf(unit, sizeof unit, "sm.%u.milg%u", sm, workload);
    l->cfg =
        (struct milg_cfg){.InflightW = 7, .RfW = env->config->cke_rf_bits, .ReqW = 10, .Relax = env->config->cke_relax};
    l->in.static_limit_i = (uint16_t)static_limit(env->config, workload, (uint32_t)bits_mask(l->cfg.InflightW));
    return block_socket_open(&l->socket, env, "milg", &l->cfg, unit, err);
}

/* Widths for two of the longest sets, 32, 32 * 31 and 32 * 31 * 29: the rest of one, and the next. */
enum { QBMI_CARRY = 1 };
static const uint32_t quota_bits[MAX_WORKLOADS + 1] = {[2] = 7, [3] = 11, [4] = 16};

static bool open_rank(struct arbiter *a, struct env *env, uint32_t sm, struct error *err)
{
    char unit[32];
    snprintf(unit, sizeof unit, "sm.%u.qbmi", sm);
    bool rbmi = env->config->cke_scheme == CKE_RBMI;
    a->rank_cfg = (struct qbmi_cfg){.Kernels = a->workloads,
                                    .ReqW = 10,
                                    .QuotaW = rbmi ? 7 : quota_bits[a->workloads],
                                    .Carry = QBMI_CARRY,
                                    .Rbmi = rbmi};
    /* mutant: false -> true: differs only when memory runs out: the parameters are always legal */
    if (!block_socket_open(&a->rank, env, "qbmi", &a->rank_cfg, unit, err)) return false;
    const struct qbmi_in all = {.kernels_valid_i = true, .kernels_i = (uint8_t)bits_mask(a->workloads)};
    block_socket_tick(&a->rank, &all);
    return true;
}

void arbiter_destroy(struct arbiter *a)
{
    if (!a) return;
    /* mutant: ++ -> --: a leak: the sanitized run of `make test` finds it */
    /* mutant: left out: a leak: the sanitized run of `make test` finds it */
    for (uint32_t w = 0; w < MAX_WORKLOADS; w++) block_socket_close(&a->limiter[w].socket);
    block_socket_close(&a->rank);
    free(a);
}

struct arbiter *arbiter_create(struct env *env, uint32_t sm, uint32_t workloads, struct error *err)
{
    uint32_t scheme = env->config->cke_scheme;
    bool limits = scheme == CKE_SMIL || scheme == CKE_DMIL || scheme == CKE_QBMI_DMIL;
    bool ranks = workloads > 1 && (scheme == CKE_RBMI || scheme == CKE_QBMI || scheme == CKE_QBMI_DMIL);
    if (!limits && !ranks) return NULL;
    /* mutant: 1 + 1: more memory than is needed */
    struct arbiter *a = calloc(1, sizeof *a);
    if (!a) return error_set(err, "sm.%u: out of memory", sm), NULL;
    *a = (struct arbiter){
        .workloads = workloads, .limits = limits, .ranks = ranks, .may = (uint32_t)bits_mask(workloads)};
    bool ok = true;
    for (uint32_t w = 0; ok && limits && w < workloads; w++) ok = open_limiter(a, env, sm, w, err);
    if (ok && ranks) ok = open_rank(a, env, sm, err);
    if (ok) return a;
    arbiter_destroy(a);
    return NULL;
}

bool arbiter_ranks(const struct arbiter *a)
{
    return a->ranks;
}

uint32_t arbiter_choose(struct arbiter *a, uint32_t asks)
{
    if (!a->ranks) return a->may;
    a->rank_in.ask_i = (uint8_t)(asks & a->may);
    if (!a->rank_in.ask_i) return 0;
    struct qbmi_out out;
    block_socket_eval(&a->rank, &a->rank_in, &out);
    return (uint32_t)out.grant_valid_o << out.grant_kernel_o;
}

void arbiter_issue(struct arbiter *a, uint32_t workload)
{
    a->limiter[workload].in.issue_valid_i = true;
    a->rank_in.issue_valid_i = true;
    a->rank_in.issue_kernel_i = (uint8_t)workload;
}

void arbiter_retire(struct arbiter *a, uint32_t workload)
{
    a->limiter[workload].in.retire_valid_i = true;
    a->limiter[workload].in.retire_count_i++;
}

void arbiter_access(struct arbiter *a, uint32_t workload, uint64_t accepted, uint64_t refused)
{
    a->limiter[workload].accepted += accepted;
    a->limiter[workload].refused += refused;
    a->rank_accepted[workload] += accepted;
}

/* A clock edge for each failure.  Failures beyond the saturated counter have no effect. */
static void tick_failures(struct limiter *l)
{
    const struct milg_in in = {.fail_valid_i = true, .static_limit_i = l->in.static_limit_i};
    if (l->refused > bits_mask(l->cfg.RfW)) l->refused = bits_mask(l->cfg.RfW);
    for (; l->refused; l->refused--) block_socket_tick(&l->socket, &in);
}

static void tick_limiter(struct arbiter *a, uint32_t w, struct error *err)
{
    struct limiter *l = &a->limiter[w];
    l->in.req_valid_i = l->accepted > 0;
    l->in.fail_valid_i = l->refused > 0;
    if (!l->in.req_valid_i && !l->in.fail_valid_i && !l->in.issue_valid_i && !l->in.retire_valid_i) return;
    block_socket_tick(&l->socket, &l->in);
    l->accepted -= l->in.req_valid_i;
    l->refused -= l->in.fail_valid_i;
    l->in = (struct milg_in){.static_limit_i = l->in.static_limit_i};
    tick_failures(l); /* more of this cycle: of other pipelines */
    struct milg_out out;
    block_socket_eval(&l->socket, &l->in, &out);
    a->may = (a->may & ~(1u << w)) | (uint32_t)out.issue_ok_o << w;
    if (out.error_o) error_set(err, "%s: error_o: found %u, expected 0", l->socket.unit, out.error_o);
}

/* A requesting workload could issue; if none issues, the grant went to a workload that could not. */
static void check_grant(const struct arbiter *a, struct error *err)
{
    if (a->rank_in.ask_i && !a->rank_in.issue_valid_i)
        error_set(err, "%s: ask_i = 0x%x, and no memory instruction was issued", a->rank.unit, a->rank_in.ask_i);
}

static void tick_rank(struct arbiter *a, struct error *err)
{
    struct qbmi_in *in = &a->rank_in;
    check_grant(a, err);
    for (uint32_t w = a->workloads; w-- > 0;) {
        if (!a->rank_accepted[w]) continue;
        in->req_valid_i = true;
        in->req_kernel_i = (uint8_t)w;
    }
    if (in->req_valid_i) a->rank_accepted[in->req_kernel_i]--;
    a->settled = in->req_valid_i || in->issue_valid_i ? 0 : a->settled + 1;
    if (a->settled >= QBMI_SETTLES) return;
    block_socket_tick(&a->rank, in);
    *in = (struct qbmi_in){0};
    struct qbmi_out out;
    block_socket_eval(&a->rank, in, &out);
    if (out.error_o) error_set(err, "%s: error_o: found %u, expected 0", a->rank.unit, out.error_o);
}

bool arbiter_tick(struct arbiter *a, struct error *err)
{
    bool more = false;
    for (uint32_t w = 0; w < a->workloads; w++) {
        if (a->limits) tick_limiter(a, w, err);
        more |= a->limits && a->limiter[w].accepted;
    }
    if (a->ranks) tick_rank(a, err);
    for (uint32_t w = 0; w < a->workloads; w++) more |= a->ranks && a->rank_accepted[w];
    return more;
}

void arbiter_idle(struct arbiter *a, uint64_t cycles)
{
    const struct qbmi_in in = {0};
    /* mutant: < -> <=: nothing was refused to the limiter behind the last; behind the fourth the sanitizers object to
     * the index */
    for (uint32_t w = 0; a->limits && w < a->workloads; w++) tick_failures(&a->limiter[w]);
    for (; a->ranks && cycles && a->settled + 1 < QBMI_SETTLES; cycles--) {
        block_socket_tick(&a->rank, &in);
        a->settled++;
    }
}
