/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cli/journal.h"
#include "cli/progress.h"
#include "cli/range_notes.h"
#include "system/run.h"
#include "trace/kernels.h"
#include "trace/open.h"

struct pool {
    struct job *jobs;
    uint32_t count;
    atomic_uint next;
    struct progress progress;
};

struct watcher { /* context of one run's observer */
    struct pool *pool;
    uint32_t run;
    struct journal journal;
};

static void watch_progress(void *context, double share, uint64_t sm_cycle)
{
    struct watcher *w = context;
    progress_at(&w->pool->progress, w->run, share, sm_cycle);
}

static void watch_request(void *context, const struct request *r, enum place place, uint32_t unit, uint64_t sm_cycle)
{
    struct watcher *w = context;
    journal_at(&w->journal, r, place, unit, sm_cycle);
}

static void watch_capture(void *context, const char *block, const void *cfg, const void *in)
{
    struct watcher *w = context;
    capture_cycle(w->pool->jobs[w->run].capture, block, cfg, in);
}

static void watch_block(void *context, const char *block, const char *face, const char *unit)
{
    struct watcher *w = context;
    rtl_used(&w->pool->jobs[w->run].result.uses, block, face, unit);
}

static void watch_kernel(void *context, const char *kernel, uint64_t cycle, const struct stats *so_far)
{
    struct watcher *w = context;
    struct samples *s = &w->pool->jobs[w->run].result.kernels;
    const struct stats nothing = {0}; /* what was counted before the first one is its own */
    samples_next(s, kernel, cycle, s->open ? so_far : &nothing, NULL);
}

static void watch_interval(void *context, uint64_t cycle, const struct stats *so_far,
                           const struct workload_stats *workloads)
{
    struct watcher *w = context;
    samples_next(&w->pool->jobs[w->run].result.intervals, "", cycle, so_far, workloads);
}

/* Sources of one run. */
struct sources {
    struct job *job;
    struct source *source[MAX_WORKLOADS]; /* NULL: could not be opened */
    uint32_t count, complete[MAX_WORKLOADS];
    struct ranges ranges[MAX_WORKLOADS]; /* empty unless the machine reads them */
};

static const char *workload(const struct job *job, uint32_t i)
{
    return i ? job->beside[i - 1] : job->workload;
}

static struct source *open_workload(const struct job *job, uint32_t i, struct error *err)
{
    const struct result *r = &job->result;
    return source_open_aligned(workload(job, i), r->seed, r->config.uvm_enable ? KERNEL_ALIGN_UVM : KERNEL_ALIGN, err);
}

static bool open_sources(struct sources *s, struct error *err)
{
    struct result *r = &s->job->result;
    do {
        struct source *source = open_workload(s->job, s->count, err);
        if (!source) return false;
        struct part *p = &r->part[s->count];
        s->source[s->count++] = source;
        snprintf(p->workload, sizeof p->workload, "%s", source->name);
        snprintf(p->identity, sizeof p->identity, "%s", source->identity);
    } while (s->count < MAX_WORKLOADS && s->job->beside[s->count - 1]);
    r->parts = s->count;
    return true;
}

static void close_sources(struct sources *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->source[i]) s->source[i]->ops->close(s->source[i]);
        ranges_free(&s->ranges[i]);
    }
}

static bool collect_warps(struct sources *s, uint32_t i, struct error *err)
{
    struct warp_range_rules rules;
    if (!run_warp_rules(&s->job->result.config, &rules)) return true;
    struct source *source = open_workload(s->job, i, err);
    const bool ok = source && warp_ranges_collect(source, &s->ranges[i], &rules, err);
    if (source) source->ops->close(source);
    return ok;
}

/* A source is read once, from its start to its end, so each pass that collects ranges has one of its own. */
static bool collect_ranges(struct sources *s, struct error *err)
{
    struct job *job = s->job;
    const struct config *c = &job->result.config;
    bool ok = true;
    for (uint32_t i = 0; ok && run_needs_ranges(c) && i < s->count; i++) {
        struct source *source = open_workload(job, i, err);
        ok = source && ranges_collect(source, &s->ranges[i], NULL, err);
        if (source) source->ops->close(source);
        ok = ok && collect_warps(s, i, err);
        if (ok) job->range_note[i] = range_note(&s->ranges[i], (enum range_rule)c->sm_ranges);
    }
    return ok;
}

static bool is_kernel(const struct sources *s, uint32_t i)
{
    return source_kind(workload(s->job, i)) == SOURCE_KERNEL;
}

/* Verifies the results of kernels that were read to their end. */
static bool complete(struct sources *s, uint32_t i, struct error *err)
{
    if (!is_kernel(s, i)) return true;
    s->complete[i]++;
    return kernel_verify(s->source[i], err);
}

static struct source *restart(void *context, uint32_t i, struct error *err)
{
    struct sources *s = context;
    if (!complete(s, i, err)) return NULL;
    s->source[i]->ops->close(s->source[i]);
    return s->source[i] = open_workload(s->job, i, err);
}

static enum verdict verdict_of(const struct sources *s)
{
    enum verdict v = VERDICT_VERIFIED;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!is_kernel(s, i)) return VERDICT_TRACE;
        if (!s->complete[i]) v = VERDICT_CUT;
    }
    return v;
}

static void run_sources(struct sources *s, struct watcher *watcher)
{
    struct job *job = s->job;
    struct result *r = &job->result;
    struct workload_stats stats[MAX_WORKLOADS] = {0};
    struct observer observer = {.trace_requests = job->trace_requests,
                                .request_at = watch_request,
                                .progress = watch_progress,
                                .block = watch_block,
                                .context = watcher};
    const struct stats nothing = {0};
    if (job->kernels) observer.kernel_starts = watch_kernel;
    if (job->interval) {
        observer.interval = job->interval;
        observer.interval_over = watch_interval;
        watch_interval(watcher, 0, &nothing, stats);
    }
    if (job->capture) {
        observer.capture = watch_capture;
        observer.capture_unit = job->capture->unit;
    }
    struct run_setup setup = {.config = r->config,
                              .source = s->source[0],
                              .restart = restart,
                              .restart_context = s,
                              .workload_stats = stats,
                              .rtl_blocks = r->rtl,
                              .observer = &observer};
    memcpy(setup.beside, s->source + 1, sizeof setup.beside);
    for (uint32_t i = 0; run_needs_ranges(&r->config) && i < s->count; i++) setup.ranges[i] = &s->ranges[i];
    bool ran = run_workload(&setup, &r->stats, &r->err);
    ran = ran && samples_end(&r->kernels, "--kernels", &r->stats, NULL, &r->err) &&
          samples_end(&r->intervals, "--interval", &r->stats, stats, &r->err);
    if (job->capture) ran = capture_finish(job->capture, &r->err) && ran;
    if (!ran || !rtl_ran(r->rtl, &r->config, s->count, &r->uses, &r->err)) return;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!r->config.cke_cycles) complete(s, i, &r->err);
        r->part[i].stats = stats[i];
    }
    r->verdict = verdict_of(s);
}

/* Workload names, known even if a source cannot be opened. */
static void join_names(struct sources *s)
{
    struct result *r = &s->job->result;
    size_t n = 0, room = sizeof r->workload;
    for (uint32_t i = 0; n < room && i < MAX_WORKLOADS && (!i || workload(s->job, i)); i++)
        n += (size_t)snprintf(r->workload + n, room - n, "%s%s", i ? " + " : "",
                              i < s->count ? r->part[i].workload : workload(s->job, i));
    text_escape(r->workload, room);
    snprintf(r->identity, sizeof r->identity, "%s", r->part[0].identity);
}

static void run_job(struct pool *pool, uint32_t i)
{
    struct job *job = &pool->jobs[i];
    struct result *r = &job->result;
    struct watcher watcher = {.pool = pool, .run = i};
    double started = progress_seconds();
    struct sources sources = {.job = job};
    bool opened = open_sources(&sources, &r->err);
    join_names(&sources);
    if (opened && collect_ranges(&sources, &r->err)) run_sources(&sources, &watcher);
    close_sources(&sources);
    job->journal = journal_text(&watcher.journal);
    r->seconds = progress_seconds() - started;
    progress_done(&pool->progress, i);
}

void job_free(struct job *j)
{
    free(j->journal);
    samples_free(&j->result.kernels);
    samples_free(&j->result.intervals);
    for (uint32_t i = 0; i < MAX_WORKLOADS; i++) free(j->range_note[i]);
    rtl_free(&j->result.uses);
}

/* A run that failed has its error alone. */
static const char *note_of(const struct job *jobs, uint32_t n)
{
    const struct job *job = &jobs[n / MAX_WORKLOADS];
    return job->result.err.text[0] ? NULL : job->range_note[n % MAX_WORKLOADS];
}

/* Each note once, however many runs it is about. */
static void print_notes(const struct job *jobs, uint32_t count)
{
    for (uint32_t n = 0; n < count * MAX_WORKLOADS; n++) {
        const char *note = note_of(jobs, n);
        bool printed = !note;
        for (uint32_t k = 0; !printed && k < n; k++) {
            const char *before = note_of(jobs, k);
            printed = before && !strcmp(before, note);
        }
        if (!printed) fprintf(stderr, "memtwin: note: %s\n", note);
    }
}

static void *work(void *context)
{
    struct pool *pool = context;
    for (uint32_t i; (i = atomic_fetch_add(&pool->next, 1)) < pool->count;) run_job(pool, i);
    return NULL;
}

void jobs_run(struct job *jobs, uint32_t count, uint32_t threads, bool progress)
{
    struct pool pool = {.jobs = jobs, .count = count};
    progress_begin(&pool.progress, count, progress);
    uint32_t others = (threads < count ? threads : count) - 1, started = 0;
    pthread_t *ids = calloc(others + 1, sizeof *ids);
    while (ids && started < others && !pthread_create(&ids[started], NULL, work, &pool)) started++;
    work(&pool); /* this thread works, too: if thread creation fails, the run is slower but correct */
    for (uint32_t i = 0; i < started; i++) pthread_join(ids[i], NULL);
    free(ids);
    progress_end(&pool.progress);
    print_notes(jobs, count);
}
