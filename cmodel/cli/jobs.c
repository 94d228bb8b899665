#include "cli/jobs.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cli/journal.h"
#include "cli/progress.h"
#include "system/run.h"
#include "trace/kernels.h"
#include "trace/open.h"

struct pool {
    struct job *jobs;
    uint32_t count;
    atomic_uint next;
    struct progress progress;
};

struct watcher { /* the context of one run's observer */
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

static void run_source(struct job *job, struct source *source, struct watcher *watcher)
{
    struct result *r = &job->result;
    struct observer observer = {.trace_requests = job->trace_requests,
                                .request_at = watch_request,
                                .progress = watch_progress,
                                .context = watcher};
    if (job->capture) {
        observer.capture = watch_capture;
        observer.capture_unit = job->capture->unit;
    }
    struct run_setup setup = {.config = r->config, .source = source, .rtl_blocks = r->rtl, .observer = &observer};
    bool ran = run_workload(&setup, &r->stats, &r->err);
    if (job->capture) ran = capture_finish(job->capture, &r->err) && ran;
    if (!ran) return;
    if (source_kind(job->workload) == SOURCE_KERNEL) r->verified = kernel_verify(source, &r->err);
}

static void run_job(struct pool *pool, uint32_t i)
{
    struct job *job = &pool->jobs[i];
    struct result *r = &job->result;
    struct watcher watcher = {.pool = pool, .run = i};
    double started = progress_seconds();
    struct source *source = source_open(job->workload, r->seed, &r->err);
    if (source) {
        snprintf(r->workload, sizeof r->workload, "%s", source->name);
        snprintf(r->identity, sizeof r->identity, "%s", source->identity);
        run_source(job, source, &watcher);
        source->ops->close(source);
    } else
        snprintf(r->workload, sizeof r->workload, "%s", job->workload);
    job->journal = journal_text(&watcher.journal);
    r->seconds = progress_seconds() - started;
    progress_done(&pool->progress, i);
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
    work(&pool); /* this thread is one of them: fewer threads than wished are slower, not wrong */
    for (uint32_t i = 0; i < started; i++) pthread_join(ids[i], NULL);
    free(ids);
    progress_end(&pool.progress);
}
