/* SPDX-License-Identifier: Apache-2.0 */
/* Progress line on a terminal: share done, runs, simulated cycles per second, remaining time. */
#ifndef MEMTWIN_PROGRESS_H
#define MEMTWIN_PROGRESS_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
    pthread_mutex_t lock;
    bool shown;           /* off: prints nothing */
    uint32_t count, done; /* number of runs */
    double *share;        /* share done of each run, 0..1 */
    uint64_t *cycles;
    double started, printed; /* seconds */
};

double progress_seconds(void); /* by a monotonic clock */
void progress_begin(struct progress *p, uint32_t count, bool shown);
void progress_at(struct progress *p, uint32_t run, double share, uint64_t cycles);
void progress_done(struct progress *p, uint32_t run);
void progress_end(struct progress *p); /* Clears the line. */
#endif
