/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/streams.h"

#include <stdlib.h>
#include <string.h>

#include "system/stats/counters.h"
#include "system/stats/law.h"
#include "trace/launches.h"

/* Its kernels start in order, each after the end of the one before. */
struct stream {
    uint64_t id;
    uint32_t next; /* its first kernel that has not started; launches.count: none */
    bool busy;
};

/* The kernel of a lane. */
struct started {
    struct stream *stream;
    uint32_t kernel;
    uint64_t cycle;
    struct workload_stats before; /* of the lane, at its start */
};

struct streams {
    const struct launches *launches;
    struct stream *stream; /* by id */
    uint32_t count;
    uint32_t *follower; /* of each kernel: the next one of its stream */
    uint32_t end;       /* the first kernel behind the next barrier: no kernel from there on may start */
    uint32_t left;      /* kernels in front of it that have not ended */
    bool changed;       /* a kernel has ended since the last launch */
    struct started lane[MAX_WORKLOADS];
    struct workload_stats ended; /* sum over the kernels that have */
};

void streams_destroy(struct streams *s)
{
    if (!s) return;
    free(s->stream);
    free(s->follower);
    free(s);
}

static int by_id(const void *a, const void *b)
{
    const struct stream *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static struct stream *stream_of(const struct streams *s, uint32_t kernel)
{
    const struct stream key = {.id = s->launches->list[kernel].stream};
    return bsearch(&key, s->stream, s->count, sizeof key, by_id);
}

static void pass_barrier(struct streams *s)
{
    const uint32_t begin = s->end;
    while (s->end < s->launches->count && (s->end == begin || !launches_barrier(s->launches, s->end))) s->end++;
    s->left = s->end - begin;
}

static bool sort_kernels(struct streams *s)
{
    const uint32_t kernels = s->launches->count;
    uint64_t *ids = launches_streams(s->launches, &s->count);
    s->stream = calloc(s->count + 1u, sizeof *s->stream);
    s->follower = calloc(kernels + 1u, sizeof *s->follower);
    const bool ok = ids && s->stream && s->follower;
    for (uint32_t i = 0; ok && i < s->count; i++) s->stream[i] = (struct stream){.id = ids[i], .next = kernels};
    for (uint32_t i = kernels; ok && i--;) {
        struct stream *x = stream_of(s, i);
        s->follower[i] = x->next;
        x->next = i;
    }
    free(ids);
    return ok;
}

/* Of options that give each workload its own part of the machine, those that no lane has. */
static bool options_fit(const struct config *c, struct error *err)
{
    return c->cke_scheme == CKE_PLAIN ||
           error_set(err, "cke.scheme: found a scheme with kernels of several streams at once, allowed with them: "
                          "plain; cke.kernels = 1 runs them one after the other");
}

bool streams_create(struct sm_array *a, struct error *err)
{
    if (!a->setup.launches) return true;
    struct streams *s = a->streams = calloc(1, sizeof *s);
    if (!options_fit(a->c, err)) return false;
    if (!s) return error_set(err, "sm: out of memory");
    s->launches = a->setup.launches;
    if (!sort_kernels(s)) return error_set(err, "sm: out of memory");
    pass_barrier(s);
    s->changed = true;
    return true;
}

/* The first of the kernels that may start; launches.count: none. */
static uint32_t next_kernel(const struct streams *s)
{
    uint32_t first = s->end;
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->stream[i].busy) first = min_u32(first, s->stream[i].next);
    return first < s->end ? first : s->launches->count;
}

/* The lane's kernel is the latest: its thread blocks are dispatched behind all others'. */
static void to_the_end(struct sm_array *a, const struct workload *k)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < a->workloads; i++)
        if (a->order[i] != k->number) a->order[n++] = a->order[i];
    a->order[n] = (uint8_t)k->number;
}

static bool launch(struct sm_array *a, struct workload *k, uint32_t kernel)
{
    struct streams *s = a->streams;
    struct stream *stream = stream_of(s, kernel);
    k->source = a->setup.kernel(a->setup.context, k->number, kernel, a->error);
    if (!k->source) return false;
    stream->busy = true;
    stream->next = s->follower[kernel];
    s->lane[k->number] = (struct started){.stream = stream, .kernel = kernel};
    k->waits = false;
    to_the_end(a, k);
    return true;
}

static void finish(struct sm_array *a)
{
    for (uint32_t w = 0; w < a->workloads; w++) {
        a->workload[w].done = true;
        a->workload[w].waits = false;
        a->workload[w].stats.ended = a->env->sm_cycle + 1;
    }
}

bool streams_launch(struct sm_array *a)
{
    struct streams *s = a->streams;
    s->changed = false;
    if (!s->left) pass_barrier(s);
    if (!s->left) return finish(a), true;
    for (uint32_t w = 0; w < a->workloads; w++) {
        const uint32_t kernel = next_kernel(s);
        if (kernel == s->launches->count) return true;
        if (a->workload[w].waits && !launch(a, &a->workload[w], kernel)) return false;
    }
    return true;
}

bool streams_wait(const struct sm_array *a)
{
    return a->streams && a->streams->changed;
}

uint32_t streams_kernel(const struct sm_array *a, const struct workload *k)
{
    return a->streams->lane[k->number].kernel;
}

void streams_started(struct sm_array *a, struct workload *k)
{
    struct started *x = &a->streams->lane[k->number];
    k->stats.block_warps = k->stats.block_registers = k->stats.block_shared = k->stats.blocks_beside = 0;
    x->cycle = a->env->sm_cycle;
    x->before = k->stats;
}

static void add(struct workload_stats *sum, const struct workload_stats *s)
{
#define WORKLOAD_STAT(field, name, text) sum->field += s->field;
#define WORKLOAD_LEVEL(field, name, text)
#include "system/stats/workload_stats.def"
#undef WORKLOAD_STAT
}

void streams_ended(struct sm_array *a, struct workload *k)
{
    struct streams *s = a->streams;
    const struct started *x = &s->lane[k->number];
    const struct kernel_run run = {.name = k->kernel.name,
                                   .stream = x->stream->id,
                                   .kernel = x->kernel,
                                   .from = x->cycle,
                                   .to = a->env->sm_cycle,
                                   .stats = workload_stats_between(&x->before, &k->stats)};
    add(&s->ended, &run.stats);
    x->stream->busy = false;
    s->left--;
    s->changed = true;
    k->waits = true;
    if (a->setup.kernel_over) a->setup.kernel_over(a->setup.machine, &run);
}

struct workload_stats streams_sum(const struct sm_array *a)
{
    struct workload_stats sum = {0};
    for (uint32_t w = 0; w < a->workloads; w++) add(&sum, &a->workload[w].stats);
    return sum;
}

bool streams_laws_hold(const struct sm_array *a, struct error *err)
{
    if (!a->streams) return true;
    const struct workload_stats sum = streams_sum(a);
#define WORKLOAD_STAT(field, name, text)                                                                               \
    {"sum over kernels of " name " = the run's", true, a->streams->ended.field, LAW_EQUAL, sum.field},
#define WORKLOAD_LEVEL(field, name, text)
    const struct law laws[] = {
#include "system/stats/workload_stats.def"
    };
#undef WORKLOAD_STAT
    return laws_hold("", LAWS(laws), err);
}
