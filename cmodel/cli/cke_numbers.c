/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cke.h"

#include "base/ratio.h"

double cke_ipc(const struct result *r, uint32_t workload)
{
    const struct workload_stats *s = &r->part[workload].stats;
    return ratio_of((double)s->warp_instructions, (double)(s->ended ? s->ended : r->stats.gpu_cycles));
}

double cke_ipc_alone(const struct result *r, uint32_t workload)
{
    return cke_ipc(r->part[workload].alone, 0);
}

double cke_progress(const struct result *r, uint32_t workload)
{
    return ratio_of(cke_ipc(r, workload), cke_ipc_alone(r, workload));
}

double cke_stp(const struct result *r)
{
    double sum = 0;
    for (uint32_t w = 0; w < r->parts; w++) sum += cke_progress(r, w);
    return sum;
}

double cke_antt(const struct result *r)
{
    double sum = 0;
    for (uint32_t w = 0; w < r->parts; w++) sum += ratio_of(1, cke_progress(r, w));
    return sum / r->parts;
}

struct writer {
    const struct cke_sink *to;
    char head[32]; /* "cke.k0." */
};

static void ratio(const struct writer *w, const char *name, double value)
{
    char full[96];
    snprintf(full, sizeof full, "%s%s", w->head, name);
    w->to->ratio(w->to->context, full, value);
}

static void whole(const struct writer *w, const char *name, uint64_t value)
{
    char full[96];
    snprintf(full, sizeof full, "%s%s", w->head, name);
    w->to->whole(w->to->context, full, value);
}

/* How busy it keeps the units, and the columns of Dai17, table 6, for one workload of a run. */
static void character(const struct writer *w, const struct workload_stats *s, const struct config *c, double sm_cycles)
{
    double reads = (double)(s->l1d_hits + s->l1d_misses + s->l1d_merged);
    ratio(w, "compute_per_memory",
          ratio_of((double)(s->warp_instructions - s->memory_instructions), (double)s->memory_instructions));
    ratio(w, "requests_per_memory", ratio_of((double)s->requests, (double)s->memory_instructions));
    ratio(w, "l1d.hit_rate", ratio_of((double)s->l1d_hits, reads));
    ratio(w, "l1d.rf_per_request", ratio_of((double)s->l1d_rf, (double)s->requests));
    ratio(w, "lsu_stalled", ratio_of((double)s->l1d_rf, sm_cycles));
    ratio(w, "sp_utilisation",
          ratio_of((double)s->sp_instructions * config_sp_interval(c), sm_cycles * config_units(c, c->sm_sp_units)));
    ratio(w, "sfu_utilisation",
          ratio_of((double)s->sfu_instructions * c->sm_sfu_interval, sm_cycles * config_units(c, c->sm_sfu_units)));
    ratio(w, "ldst_utilisation",
          ratio_of((double)(s->requests + s->shared_instructions + s->shared_conflict_cycles), sm_cycles));
}

static double sm_cycles(const struct result *r)
{
    return (double)r->stats.gpu_cycles * r->config.sm_count;
}

void cke_counts(const struct workload_stats *s, uint32_t i, const struct cke_sink *to)
{
    struct writer w = {.to = to};
    snprintf(w.head, sizeof w.head, "cke.k%u.", i);
#define WORKLOAD_STAT(field, name, text) whole(&w, name, s->field);
#include "system/stats/workload_stats.def"
#undef WORKLOAD_STAT
}

static void workload_numbers(const struct result *r, uint32_t i, const struct cke_sink *to)
{
    struct writer w = {.to = to};
    const struct workload_stats *s = &r->part[i].stats;
    cke_counts(s, i, to);
    snprintf(w.head, sizeof w.head, "cke.k%u.", i);
    ratio(&w, "ipc", cke_ipc(r, i));
    ratio(&w, "ipc_alone", cke_ipc_alone(r, i));
    ratio(&w, "progress", cke_progress(r, i));
    ratio(&w, "slowdown", ratio_of(1, cke_progress(r, i)));
    character(&w, s, &r->config, sm_cycles(r));
    const struct result *alone = r->part[i].alone;
    snprintf(w.head, sizeof w.head, "cke.k%u.alone.", i);
    character(&w, &alone->part[0].stats, &alone->config, sm_cycles(alone));
}

void cke_numbers(const struct result *r, const struct cke_sink *to)
{
    const struct writer w = {.to = to, .head = "cke."};
    ratio(&w, "stp", cke_stp(r));
    ratio(&w, "antt", cke_antt(r));
    for (uint32_t i = 1; i < r->parts; i++) {
        char name[32];
        snprintf(name, sizeof name, "request_ratio_%u", i);
        ratio(&w, name, ratio_of((double)r->part[i].stats.requests, (double)r->part[0].stats.requests));
    }
    for (uint32_t i = 0; i < r->parts; i++) workload_numbers(r, i, to);
}
