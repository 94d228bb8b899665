/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/jobs.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/energy.h"
#include "cli/journal.h"
#include "cli/progress.h"
#include "cli/range_notes.h"
#include "lib/workloads.h"
#include "trace/accelsim.h"

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

static void watch_block(void *context, const struct block_ops *face, const void *cfg, const char *unit)
{
    struct watcher *w = context;
    struct result *r = &w->pool->jobs[w->run].result;
    rtl_used(&r->uses, face, unit);
    if (r->energy) block_rows_add(&r->energy->blocks, face, cfg, unit);
}

static void watch_kernel(void *context, const struct kernel_info *kernel, uint64_t cycle, const struct stats *so_far)
{
    struct watcher *w = context;
    struct samples *s = &w->pool->jobs[w->run].result.kernels;
    const struct stats nothing = {0}; /* the first kernel has all counts since cycle 0 */
    samples_next(s, kernel->name, cycle, s->open ? so_far : &nothing, NULL);
    s->now.stream = kernel->stream;
}

static void watch_kernel_over(void *context, const struct kernel_run *run, const struct stats *so_far)
{
    struct watcher *w = context;
    struct result *r = &w->pool->jobs[w->run].result;
    kernel_runs_add(&r->runs, run);
    if (so_far) samples_over(&r->kernels, run, so_far);
}

static void watch_interval(void *context, uint64_t cycle, const struct stats *so_far,
                           const struct workload_stats *workloads)
{
    struct watcher *w = context;
    samples_next(&w->pool->jobs[w->run].result.intervals, "", cycle, so_far, workloads);
}

static const char *workload(const struct job *job, uint32_t i)
{
    return i ? job->beside[i - 1] : job->workload;
}

static void take_names(struct result *r, const struct workloads *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        struct part *p = &r->part[i];
        snprintf(p->workload, sizeof p->workload, "%s", w->source[i]->name);
        snprintf(p->identity, sizeof p->identity, "%s", w->source[i]->identity);
    }
    r->parts = w->count;
}

static bool collect_ranges(struct job *job, struct workloads *w, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; ok && run_needs_ranges(w->config) && i < w->count; i++) {
        ok = workloads_collect(w, i, err);
        if (ok) job->range_note[i] = range_note(&w->ranges[i], (enum range_rule)w->config->sm_ranges);
    }
    return ok;
}

static enum verdict verdict_of(const struct workloads *w)
{
    enum verdict v = VERDICT_VERIFIED;
    for (uint32_t i = 0; i < w->count; i++) {
        if (!workloads_is_kernel(w, i)) return VERDICT_TRACE;
        if (!w->complete[i]) v = VERDICT_CUT;
    }
    return v;
}

/* How the kernels of several streams ran. */
static void note_streams(struct job *job, const struct workloads *w)
{
    struct accelsim_counts counts;
    for (uint32_t i = 0; i < w->count; i++) {
        int length = 0;
        const char *name = w->source[i]->name;
        if (w->launches.list)
            length = asprintf(&job->stream_note[i], "%s: kernels of %" PRIu32 " streams, at most %" PRIu32 " at once",
                              name, w->streams, kernel_runs_at_once(&job->result.runs));
        else if (accelsim_counts(w->source[i], &counts) && counts.loss[LOSS_other_streams])
            length = asprintf(&job->stream_note[i],
                              "%s: %" PRIu64 " kernels of another stream than the first one's run one after the other",
                              name, counts.loss[LOSS_other_streams]);
        if (length < 0) job->stream_note[i] = NULL;
    }
}

static void run_sources(struct job *job, struct workloads *w)
{
    struct result *r = &job->result;
    bool ran = workloads_run(w, &r->stats, &r->err) &&
               samples_end(&r->kernels, "--kernels", &r->stats, NULL, &r->err) &&
               samples_end(&r->intervals, "--interval", &r->stats, w->stats, &r->err);
    if (job->capture) ran = capture_finish(job->capture, &r->err) && ran;
    if (r->runs.lost) ran = error_set(&r->err, "--kernels: out of memory");
    note_streams(job, w);
    if (!ran || !rtl_ran(r->rtl, &r->config, w->count, &r->uses, &r->err)) return;
    if (!run_energy_end(r->energies, r->energy, &r->config, &r->stats, &r->err)) return;
    if (!r->config.cke_cycles) workloads_verify(w, &r->err);
    for (uint32_t i = 0; i < w->count; i++) r->part[i].stats = w->stats[i];
    r->verdict = verdict_of(w);
}

/* Workload names, known even if a source cannot be opened. */
static void join_names(struct job *job)
{
    struct result *r = &job->result;
    size_t n = 0, room = sizeof r->workload;
    for (uint32_t i = 0; n < room && i < MAX_WORKLOADS && (!i || workload(job, i)); i++)
        n += (size_t)snprintf(r->workload + n, room - n, "%s%s", i ? " + " : "",
                              i < r->parts ? r->part[i].workload : workload(job, i));
    text_escape(r->workload, room);
    snprintf(r->identity, sizeof r->identity, "%s", r->part[0].identity);
}

static struct observer observer_of(const struct job *job, struct watcher *watcher)
{
    struct observer o = {.trace_requests = job->trace_requests,
                         .request_at = watch_request,
                         .progress = watch_progress,
                         .block = watch_block,
                         .kernel_over = watch_kernel_over,
                         .context = watcher};
    if (job->kernels) o.kernel_starts = watch_kernel;
    if (job->interval) {
        o.interval = job->interval;
        o.interval_over = watch_interval;
    }
    if (job->capture) {
        o.capture = watch_capture;
        o.capture_unit = job->capture->unit;
    }
    return o;
}

static void run_job(struct pool *pool, uint32_t i)
{
    struct job *job = &pool->jobs[i];
    struct result *r = &job->result;
    struct watcher watcher = {.pool = pool, .run = i};
    double started = progress_seconds();
    r->energy = run_energy_begin(r->energies);
    const struct observer observer = observer_of(job, &watcher);
    char folder[RTL_PATH];
    struct workloads w = {
        .config = &r->config, .seed = r->seed, .rtl = r->rtl, .rtl_folder = rtl_folder(folder), .observer = &observer};
    const struct stats nothing = {0};
    for (uint32_t k = 0; k < MAX_WORKLOADS; k++) w.name[k] = workload(job, k);
    if (job->interval) watch_interval(&watcher, 0, &nothing, w.stats);
    bool opened = workloads_open(&w, &r->err);
    take_names(r, &w);
    join_names(job);
    if (opened && collect_ranges(job, &w, &r->err)) run_sources(job, &w);
    workloads_close(&w);
    job->journal = journal_text(&watcher.journal);
    r->seconds = progress_seconds() - started;
    progress_done(&pool->progress, i);
}

void job_free(struct job *j)
{
    free(j->journal);
    samples_free(&j->result.kernels);
    samples_free(&j->result.intervals);
    kernel_runs_free(&j->result.runs);
    for (uint32_t i = 0; i < MAX_WORKLOADS; i++) {
        free(j->range_note[i]);
        free(j->stream_note[i]);
    }
    rtl_free(&j->result.uses);
    free(j->result.energy);
}

enum { JOB_NOTES = 2 * MAX_WORKLOADS };

/* A run that failed has its error alone. */
static const char *note_of(const struct job *jobs, uint32_t n)
{
    const struct job *job = &jobs[n / JOB_NOTES];
    const uint32_t i = n % JOB_NOTES;
    if (job->result.err.text[0]) return NULL;
    return i < MAX_WORKLOADS ? job->range_note[i] : job->stream_note[i - MAX_WORKLOADS];
}

/* Each note once, however many runs it is about. */
static void print_notes(const struct job *jobs, uint32_t count)
{
    for (uint32_t n = 0; n < count * JOB_NOTES; n++) {
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
