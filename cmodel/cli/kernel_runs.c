/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kernel_runs.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static bool add(struct kernel_runs *r, struct kernel_run run)
{
    const uint32_t n = r->count;
    struct kernel_run *grown = n & (n - 1) ? r->list : realloc(r->list, (n ? 2 * (size_t)n : 1) * sizeof *grown);
    if (!grown) return false;
    r->list = grown;
    r->list[r->count++] = run;
    return true;
}

void kernel_runs_add(struct kernel_runs *r, const struct kernel_run *run)
{
    struct kernel_run copy = *run;
    copy.name = strdup(run->name);
    if (copy.name && add(r, copy)) return;
    free((char *)copy.name);
    r->lost = true;
}

void kernel_runs_free(struct kernel_runs *r)
{
    for (uint32_t i = 0; i < r->count; i++) free((char *)r->list[i].name);
    free(r->list);
    *r = (struct kernel_runs){0};
}

static int by_cycle(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]); /* ends before begins */
}

uint32_t kernel_runs_at_once(const struct kernel_runs *r)
{
    int64_t(*edge)[2] = calloc(2 * (size_t)r->count + 1, sizeof *edge), now = 0, most = 0;
    for (uint32_t i = 0; edge && i < r->count; i++) {
        memcpy(edge[2 * i], (int64_t[]){(int64_t)r->list[i].from, 1}, sizeof *edge);
        memcpy(edge[2 * i + 1], (int64_t[]){(int64_t)r->list[i].to, -1}, sizeof *edge);
    }
    if (edge) qsort(edge, 2 * (size_t)r->count, sizeof *edge, by_cycle);
    for (uint32_t i = 0; edge && i < 2 * r->count; i++)
        if ((now += edge[i][1]) > most) most = now;
    free(edge);
    return (uint32_t)most;
}

static void merge(struct kernel_run *to, const struct kernel_run *from)
{
    if (from->from < to->from) to->from = from->from;
    if (from->to > to->to) to->to = from->to;
#define WORKLOAD_STAT(field, name, text) to->stats.field += from->stats.field;
#define WORKLOAD_LEVEL(field, name, text)
#include "system/stats/workload_stats.def"
#undef WORKLOAD_STAT
}

static int by_begin(const void *a, const void *b)
{
    const struct kernel_run *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->stream > y->stream) - (x->stream < y->stream);
}

static int by_stream(const void *a, const void *b)
{
    const struct kernel_run *x = a, *y = b;
    return (x->stream > y->stream) - (x->stream < y->stream);
}

struct kernel_runs kernel_runs_by_stream(const struct kernel_runs *r)
{
    struct kernel_runs s = {.list = calloc(r->count + 1u, sizeof *s.list)};
    if (!s.list) return s.lost = true, s;
    if (r->count) memcpy(s.list, r->list, r->count * sizeof *s.list);
    qsort(s.list, r->count, sizeof *s.list, by_stream);
    for (uint32_t i = 0; i < r->count; i++) {
        if (s.count && s.list[s.count - 1].stream == s.list[i].stream)
            merge(&s.list[s.count - 1], &s.list[i]);
        else
            s.list[s.count++] = s.list[i];
    }
    for (uint32_t i = 0; i < r->count; i++) s.list[i].name = NULL;
    qsort(s.list, s.count, sizeof *s.list, by_begin);
    return s;
}

static const struct {
    const char *name;
    size_t at; /* in struct workload_stats */
} counters[] = {
#define COUNTER(field, name)                                                                                           \
    {                                                                                                                  \
        name, offsetof(struct workload_stats, field)                                                                   \
    }
    COUNTER(warp_instructions, "gpu.warp_instructions"),
    COUNTER(thread_instructions, "gpu.thread_instructions"),
    COUNTER(memory_instructions, "gpu.memory_instructions"),
    COUNTER(sp_instructions, "gpu.sp_instructions"),
    COUNTER(int_instructions, "gpu.int_instructions"),
    COUNTER(dp_instructions, "gpu.dp_instructions"),
    COUNTER(sfu_instructions, "gpu.sfu_instructions"),
    COUNTER(tensor_instructions, "gpu.tensor_instructions"),
    COUNTER(shared_instructions, "gpu.shared_instructions"),
    COUNTER(shared_conflict_cycles, "gpu.shared_conflict_cycles"),
    COUNTER(blocks, "gpu.blocks"),
    COUNTER(kernels, "gpu.kernels"),
    COUNTER(requests, "l1d.accesses"),
    COUNTER(l1d_hits, "l1d.hits"),
    COUNTER(l1d_misses, "l1d.misses"),
    COUNTER(l1d_merged, "l1d.merged"),
    COUNTER(l1d_bypassed, "l1d.bypassed"),
    COUNTER(l1d_writes, "l1d.writes"),
    COUNTER(l1d_rf, "l1d.rf.total"),
#undef COUNTER
};

void kernel_run_counters(const struct kernel_run *run, kernel_run_put *put, void *to)
{
    put(to, "gpu.cycles", run->to - run->from);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        put(to, counters[i].name, *(const uint64_t *)((const char *)&run->stats + counters[i].at));
}
