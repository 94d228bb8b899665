/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks during a run: the harness itself never prints. */
#ifndef MEMTWIN_OBSERVE_H
#define MEMTWIN_OBSERVE_H
#include <stdint.h>

struct block_ops;
struct request;
struct stats;
struct kernel_info;
struct kernel_run;
struct workload_stats;

/* Events of a request; `unit` is the SM, slice or channel number. */
enum place {
    /* clang-format off */
    AT_COALESCER, AT_TLB_MISS, AT_L1D_HIT, AT_L1D_MISS, AT_L1D_MERGE, AT_L1D_REFUSED, AT_L1D_BYPASS, AT_L1D_WRITE,
    AT_MISS_QUEUE, AT_XBAR_IN, AT_L2_IN, AT_L2_HIT, AT_L2_MISS, AT_L2_MERGE, AT_L2_BYPASS, AT_L2_REFUSED, AT_DRAM_QUEUE,
    AT_DRAM_ISSUE, AT_DRAM_DONE, AT_L2_FILL, AT_XBAR_BACK, AT_L1D_FILL, AT_DONE, PLACES
    /* clang-format on */
};
extern const char *const place_names[PLACES];

struct observer {
    uint64_t trace_requests; /* requests with a lower id are reported */
    void (*request_at)(void *context, const struct request *r, enum place place, uint32_t unit, uint64_t sm_cycle);
    /* Called about every 100 ms of wall time; estimated share done, 0..1. */
    void (*progress)(void *context, double share, uint64_t sm_cycle);
    /* Inputs of one block (stem, struct b_cfg, struct b_in) in every cycle in which it ticks (--capture,
     * base/vec.h); NULL: off. */
    void (*capture)(void *context, const char *block, const void *cfg, const void *in);
    const char *capture_unit; /* the captured unit, as block_socket.h names it */
    /* Called for every block when the machine is built: face ("model" or "rtl"), struct b_cfg, unit; NULL: off. */
    void (*block)(void *context, const struct block_ops *face, const void *cfg, const char *unit);
    /* Called with the counters of all SM cycles below `cycle`: when `interval` further cycles are over (0: off), and
     * when a kernel of the first workload starts (NULL: off).  The memory's half of that cycle, in which nothing is in
     * flight unless other workloads run beside, counts as before it. */
    uint64_t interval;
    void (*interval_over)(void *context, uint64_t cycle, const struct stats *so_far,
                          const struct workload_stats *workloads);
    void (*kernel_starts)(void *context, const struct kernel_info *kernel, uint64_t cycle, const struct stats *so_far);
    /* With kernels of several streams at once, instead of kernel_starts(): one has ended.  `so_far`: as there, if
     * kernel_starts() is wanted, too, else NULL. */
    void (*kernel_over)(void *context, const struct kernel_run *run, const struct stats *so_far);
    void *context;
};
#endif
