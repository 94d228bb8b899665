/* SPDX-License-Identifier: Apache-2.0 */
/* Partition of the SMs between workloads: a file of partitions/ each (config/policy.h), whose name is a value of
 * cke.partition.  A partition sets how many thread blocks of each workload an SM may hold (partition_limit()).
 * The dispatch never exceeds these limits, nor the resources of the SM, so that limits whose sum does not fit are
 * served first come, first served.  Thread blocks above a lowered limit run to their end.  A limit that changes in an
 * SM's cycle holds from the next dispatch on.  A workload alone on the machine has the plain one, an even share. */
#ifndef MEMTWIN_BLOCK_PARTITION_H
#define MEMTWIN_BLOCK_PARTITION_H
#include "system/config/policy.h"
#include "system/sm/sm_state.h"

struct block_partition {
    struct policy policy;
    uint32_t most;         /* workloads; 0: any number */
    bool steps;            /* tlp_modulator (pair.c) changes the limits while both kernels run */
    bool of_streams;       /* the one of kernels of several streams */
    bool keeps_room;       /* room that a workload found on an SM cannot be lost to other workloads or to a limit */
    struct sm_hooks hooks; /* every limit is UINT32_MAX before create() */
};

/* Registers the partition of the run (sm_array.partition). */
bool partition_create(struct sm_array *a, struct error *err);

/* Resources of an SM: thread block slots, warps, registers, shared memory. */
enum { PARTITION_RESOURCES = 4 };
const char *partition_resource(uint32_t i); /* "registers" */
const char *partition_option(uint32_t i);   /* the option with an SM's number of them: "sm.registers" */
void partition_has(const struct config *c, uint32_t has[PARTITION_RESOURCES]);
void partition_needs(const struct workload *k, uint32_t needs[PARTITION_RESOURCES]);

/* Thread blocks of the workload's kernel that fit one of so many equal parts of an SM.  `scarce`, if not NULL: the
 * resource that allows no more. */
uint32_t partition_share(const struct sm_array *a, const struct workload *k, uint32_t parts, uint32_t *scarce);
/* Number that fits an empty SM. */
uint32_t partition_most(const struct sm_array *a, const struct workload *k);
/* Sets the limit of a workload on an SM, or on every SM; UINT32_MAX: as many as fit. */
void partition_limit(struct sm *sm, uint32_t workload, uint32_t blocks);
void partition_limit_all(struct sm_array *a, uint32_t workload, uint32_t blocks);
/* No limit for the first workload and those behind it, up to the first that has thread blocks to dispatch; none of the
 * others. */
void partition_in_turn(struct sm_array *a);
/* Whether an SM holds blocks[w] of each workload whose kernel runs.  False: an error in a->error. */
bool partition_fits(const struct sm_array *a, const uint32_t blocks[MAX_WORKLOADS]);

/* Liang17, algorithm 1: thread blocks of two workloads whose best numbers alone are cke.blocks.  False: both
 * run best with all that fits, or there is no room beside the first. */
bool partition_static(const struct sm_array *a, const struct workload *first, const struct workload *second,
                      uint32_t blocks[MAX_WORKLOADS]);

#define BLOCK_PARTITION_REGISTER(...) POLICY_REGISTER("block partition", __VA_ARGS__)
#endif
