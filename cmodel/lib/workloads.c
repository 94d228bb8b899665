/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/workloads.h"

#include <stdlib.h>
#include <string.h>

#include "trace/kernels.h"
#include "trace/launches.h"
#include "trace/open.h"

static struct source *open_one(const struct workloads *w, uint32_t i, struct error *err)
{
    const int align = w->config->uvm_enable ? KERNEL_ALIGN_UVM : KERNEL_ALIGN;
    return source_open_aligned(w->name[i], w->seed, align, err);
}

/* Kernels of several streams run at once in a run of the workload alone to its end, in device memory. */
static bool find_streams(struct workloads *w, struct error *err)
{
    struct source *s = w->source[0];
    const struct config *c = w->config;
    if (!s->launches || w->count > 1 || c->cke_kernels == 1 || c->cke_cycles || c->uvm_enable) return true;
    if (!s->launches(s, &w->launches, err)) return false;
    uint64_t *ids = launches_streams(&w->launches, &w->streams);
    const bool ok = ids || error_set(err, "%s: out of memory", s->name);
    free(ids);
    if (w->streams > 1) return ok;
    free(w->launches.list);
    w->launches.list = NULL;
    return ok;
}

bool workloads_open(struct workloads *w, struct error *err)
{
    do {
        w->source[w->count] = open_one(w, w->count, err);
        if (!w->source[w->count]) return false;
        w->count++;
    } while (w->count < MAX_WORKLOADS && w->name[w->count]);
    return find_streams(w, err);
}

void workloads_close(struct workloads *w)
{
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->source[i]) w->source[i]->ops->close(w->source[i]);
        ranges_free(&w->ranges[i]);
    }
    for (uint32_t i = 1; i < MAX_WORKLOADS; i++)
        if (w->lane[i]) w->lane[i]->ops->close(w->lane[i]);
    free(w->launches.list);
}

static bool collect_warps(struct workloads *w, uint32_t i, struct error *err)
{
    struct warp_range_rules rules;
    if (!run_warp_rules(w->config, &rules)) return true;
    struct source *source = open_one(w, i, err);
    const bool ok = source && warp_ranges_collect(source, &w->ranges[i], &rules, err);
    if (source) source->ops->close(source);
    return ok;
}

/* A source is read once, from its start to its end, so each pass that collects ranges has one of its own. */
bool workloads_collect(struct workloads *w, uint32_t i, struct error *err)
{
    struct source *source = open_one(w, i, err);
    const bool ok = source && ranges_collect(source, &w->ranges[i], NULL, err);
    if (source) source->ops->close(source);
    return ok && collect_warps(w, i, err);
}

bool workloads_is_kernel(const struct workloads *w, uint32_t i)
{
    return source_kind(w->name[i]) == SOURCE_KERNEL;
}

/* Verifies the result of a kernel that was read to its end. */
static bool verify(struct workloads *w, uint32_t i, struct error *err)
{
    if (!workloads_is_kernel(w, i)) return true;
    w->complete[i] += kernel_is_complete(w->source[i]);
    return kernel_verify(w->source[i], err);
}

static struct source *restart(void *context, uint32_t i, struct error *err)
{
    struct workloads *w = context;
    if (!verify(w, i, err)) return NULL;
    w->source[i]->ops->close(w->source[i]);
    return w->source[i] = open_one(w, i, err);
}

/* A source has one current kernel, so each lane has a source of its own. */
static struct source *kernel(void *context, uint32_t lane, uint32_t number, struct error *err)
{
    struct workloads *w = context;
    w->lane[0] = w->source[0];
    if (!w->lane[lane]) w->lane[lane] = open_one(w, 0, err);
    if (w->lane[lane]) w->lane[lane]->skip_to(w->lane[lane], number);
    return w->lane[lane];
}

static struct run_setup setup_of(struct workloads *w)
{
    struct run_setup setup = {.config = *w->config,
                              .source = w->source[0],
                              .restart = restart,
                              .kernel = kernel,
                              .context = w,
                              .workload_stats = w->stats,
                              .rtl_blocks = w->rtl,
                              .rtl_folder = w->rtl_folder,
                              .observer = w->observer};
    memcpy(setup.beside, w->source + 1, sizeof setup.beside);
    if (w->launches.list) {
        setup.launches = &w->launches;
        setup.lanes = w->config->cke_kernels < w->streams ? w->config->cke_kernels : w->streams;
    }
    for (uint32_t i = 0; run_needs_ranges(w->config) && i < w->count; i++) setup.ranges[i] = &w->ranges[i];
    return setup;
}

bool workloads_build(struct workloads *w, struct error *err)
{
    const struct run_setup setup = setup_of(w);
    return run_build(&setup, err);
}

bool workloads_run(struct workloads *w, struct stats *stats, struct error *err)
{
    const struct run_setup setup = setup_of(w);
    return run_workload(&setup, stats, err);
}

bool workloads_verify(struct workloads *w, struct error *err)
{
    bool ok = true;
    for (uint32_t i = 0; i < w->count; i++) ok = verify(w, i, err) && ok;
    return ok;
}
