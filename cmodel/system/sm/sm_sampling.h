/* SPDX-License-Identifier: Apache-2.0 */
/* Warp instructions of each SM in a window of cycles, which begins when no SM holds thread blocks above its limits.
 * For partitions that learn; the functions are theirs of the same name. */
#ifndef MEMTWIN_SM_SAMPLING_H
#define MEMTWIN_SM_SAMPLING_H
#include "system/sm/block_partition.h"

struct sm_sampling {
    uint32_t window;
    uint64_t from, until;     /* cycles of the window, `until` not included; NEVER: not yet, or none */
    bool waits;               /* for thread blocks above their limits */
    uint64_t issued[MAX_SMS]; /* in the window */
};

/* False and an error if the window, the value of option `key`, is 0. */
bool sampling_init(struct sm_sampling *s, const struct sm_array *a, const char *key, uint32_t window,
                   struct error *err);
/* Begins a new window, or none, between begin() and the SMs' cycles. */
void sampling_start(struct sm_sampling *s, const struct sm_array *a);
void sampling_stop(struct sm_sampling *s);
/* Whether the window is over, in begin(). */
bool sampling_over(const struct sm_sampling *s, const struct sm_array *a);
void sampling_block_finished(struct sm_sampling *s, const struct sm_array *a);
void sampling_issued(struct sm_sampling *s, const struct sm *sm);
uint64_t sampling_next(const struct sm_sampling *s);

/* The kernel that a workload was last seen with. */
struct seen_kernel {
    char name[sizeof((struct kernel_info *)0)->name];
    uint32_t needs[PARTITION_RESOURCES];
};
/* Notes the workload's kernel; false: it is the one noted already. */
bool sampling_is_new(struct seen_kernel *seen, const struct workload *k);
#endif
