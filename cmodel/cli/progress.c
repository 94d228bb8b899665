/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BAR 24
#define INTERVAL 0.1 /* seconds between two updates */

double progress_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_begin(struct progress *p, uint32_t count, bool shown)
{
    *p = (struct progress){.count = count, .started = progress_seconds()};
    pthread_mutex_init(&p->lock, NULL);
    p->share = calloc(count, sizeof *p->share);
    p->cycles = calloc(count, sizeof *p->cycles);
    p->shown = shown && p->share && p->cycles;
}

static void print(struct progress *p)
{
    double now = progress_seconds(), share = 0, cycles = 0;
    if (now - p->printed < INTERVAL) return;
    p->printed = now;
    for (uint32_t i = 0; i < p->count; i++) share += p->share[i] / p->count, cycles += (double)p->cycles[i];
    double passed = now - p->started, left = share > 0 ? passed * (1 - share) / share : 0;
    int filled = (int)(share * BAR);
    fprintf(stderr, "\r\033[K  [%.*s%.*s] %3.0f %%  run %u of %u  %.0f kcycles/s  ", filled, "########################",
            BAR - filled, "                        ", 100 * share, p->done < p->count ? p->done + 1 : p->count,
            p->count, passed > 0 ? cycles / passed / 1000 : 0);
    if (share > 0.01) fprintf(stderr, "%d:%02d left", (int)left / 60, (int)left % 60);
    fflush(stderr);
}

void progress_at(struct progress *p, uint32_t run, double share, uint64_t cycles)
{
    if (!p->shown) return;
    pthread_mutex_lock(&p->lock);
    p->share[run] = share < 0 ? 0 : share > 1 ? 1 : share;
    p->cycles[run] = cycles;
    print(p);
    pthread_mutex_unlock(&p->lock);
}

void progress_done(struct progress *p, uint32_t run)
{
    if (!p->shown) return;
    pthread_mutex_lock(&p->lock);
    p->share[run] = 1;
    p->done++;
    print(p);
    pthread_mutex_unlock(&p->lock);
}

void progress_end(struct progress *p)
{
    if (p->shown && p->printed > 0) fputs("\r\033[K", stderr);
    free(p->share);
    free(p->cycles);
    pthread_mutex_destroy(&p->lock);
}
