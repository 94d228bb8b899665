/* SPDX-License-Identifier: Apache-2.0 */
/* Warp instructions of each SM in a window of cycles, which begins when no SM holds thread blocks above its limits.
 * For partitions that sample; they call the function of the same name. */
#ifndef MEMTWIN_SPEED_WINDOW_H
#define MEMTWIN_SPEED_WINDOW_H
#include "system/sm/block_partition.h"

struct speed_window {
    uint32_t window;
    uint64_t from, until;     /* cycles of the window, `until` not included; NEVER: not yet, or none */
    bool waits;               /* for thread blocks above their limits */
    uint64_t issued[MAX_SMS]; /* in the window */
};

/* False and an error if the window, the value of option `key`, is 0. */
bool window_init(struct speed_window *s, const struct sm_array *a, const char *key, uint32_t window, struct error *err);
/* Starts or cancels a window, between begin() and the SMs' cycles. */
void window_start(struct speed_window *s, const struct sm_array *a);
void window_stop(struct speed_window *s);
/* Whether the window is over, in begin(). */
bool window_over(const struct speed_window *s, const struct sm_array *a);
void window_block_finished(struct speed_window *s, const struct sm_array *a);
void window_issued(struct speed_window *s, const struct sm *sm);
uint64_t window_next(const struct speed_window *s);

/* The last known kernel of a workload. */
struct seen_kernel {
    char name[sizeof((struct kernel_info *)0)->name];
    uint32_t needs[PARTITION_RESOURCES];
};
/* Records the kernel of the workload; false: unchanged. */
bool window_is_new(struct seen_kernel *seen, const struct workload *k);
#endif
