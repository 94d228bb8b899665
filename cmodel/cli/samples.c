/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system/stats/counters.h"

static struct sample *add(struct samples *s)
{
    if (s->count == SAMPLES_MAX) return NULL;
    if (s->count == s->room) {
        const uint32_t room = s->room ? 2 * s->room : 16;
        struct sample *grown = realloc(s->list, room * sizeof *grown);
        if (!grown) return NULL;
        s->list = grown;
        s->room = room;
    }
    return &s->list[s->count++];
}

static void end(struct samples *s, uint64_t cycle, const struct stats *so_far, const struct workload_stats *parts)
{
    const struct sample *now = &s->now;
    struct sample *x = add(s);
    s->lost |= !x;
    if (!x) return;
    *x = *now;
    x->to = cycle;
    x->stats = stats_between(&now->stats, so_far);
    for (uint32_t i = 0; parts && i < MAX_WORKLOADS; i++) x->part[i] = workload_stats_between(&now->part[i], &parts[i]);
}

void samples_next(struct samples *s, const char *name, uint64_t cycle, const struct stats *so_far,
                  const struct workload_stats *parts)
{
    if (s->open) end(s, cycle, so_far, parts);
    s->open = true;
    s->now = (struct sample){.from = cycle, .stats = *so_far, .launch = s->count + 1};
    snprintf(s->now.name, sizeof s->now.name, "%s", name);
    if (parts) memcpy(s->now.part, parts, sizeof s->now.part);
}

void samples_over(struct samples *s, const struct kernel_run *run, const struct stats *so_far)
{
    snprintf(s->now.name, sizeof s->now.name, "%s", run->name);
    s->now.stream = run->stream;
    s->now.launch = run->kernel + 1;
    end(s, run->to, so_far, NULL);
    s->now = (struct sample){.from = run->to, .stats = *so_far};
    s->over = true;
}

/* The counts behind the last kernel's end are its own. */
static void end_run(struct samples *s, const struct stats *whole)
{
    const struct stats rest = stats_between(&s->now.stats, whole);
    struct sample *last = &s->list[s->count - 1];
    stats_add(&last->stats, &rest);
    last->to = whole->gpu_cycles;
}

bool samples_end(struct samples *s, const char *option, const struct stats *whole, const struct workload_stats *parts,
                 struct error *err)
{
    if (s->open && whole->gpu_cycles > s->now.from) end(s, whole->gpu_cycles, whole, parts);
    if (s->over && s->count) end_run(s, whole);
    s->open = false;
    return !s->lost || error_set(err, "%s: found more than %" PRIu32 " of them in %" PRIu64 " cycles, or no memory",
                                 option, s->count, whole->gpu_cycles);
}

void samples_free(struct samples *s)
{
    free(s->list);
    *s = (struct samples){0};
}
