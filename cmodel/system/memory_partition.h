/* SPDX-License-Identifier: Apache-2.0 */
/* One memory partition: a DRAM channel and the L2 slices in front of it (partition.slices), between the crossbars.
 *
 * In an SM cycle the channel ticks first, then the slices.  They share the room of the channel, and have it first in
 * turn, an SM cycle each.
 *
 * A partition goes ahead.  A request that the crossbar delivers stays in the pipeline in front of its slice for
 * l2.rop_latency cycles.  So what the partition does in that time depends on nothing outside, and it does many cycles
 * at once: meanwhile it stays in the host's caches.  The crossbars see it as if it were in the present cycle.
 * Responses leave in their own cycle, and the partition stops where the crossbars would see a difference.
 * It does not go ahead while somebody looks at counters or requests (env->watched), with unified memory, which takes
 * lines out of slices, and with a policy of the L2's tags that learns, since it may look at the SMs' cycle. */
#ifndef MEMTWIN_MEMORY_PARTITION_H
#define MEMTWIN_MEMORY_PARTITION_H
#include "system/cache/l2.h"
#include "system/dram/dram.h"
#include "system/unit/domain.h"

#define MOST_SLICES 4 /* of a partition */

struct memory_partition_client {
    struct l2_client slice;
    void (*room)(void *context, uint32_t slice); /* the slice had no room and has */
    void *context;
};

/* What the partitions of a machine have in common. */
struct memory_partitions {
    struct env *env;
    const struct config *c;
    struct memory_partition_client client;
    struct domain clock, l2_clock; /* DRAM's: not entered; the slices': of the present SM cycle */
    uint32_t slices, slice_shift;  /* of a partition; log2 */
    uint32_t interleave_shift;
    uint32_t most_responses; /* of a slice in an SM cycle */
    uint64_t ahead;          /* SM cycles that a partition may go ahead */
};

struct memory_partition {
    uint64_t next; /* SM cycles below it are done; more than the present one, if it has gone ahead */
    uint64_t wake; /* SM cycle of its next work, from `next` on */
    const struct memory_partitions *all;
    uint32_t number;
    bool room[MOST_SLICES]; /* in front of its slices, in the SM cycles before `next` */
    struct dram *dram;
    struct l2 *l2[MOST_SLICES];
    struct domain clock, l2_clock; /* of the cycle done last */
};

void memory_partitions_init(struct memory_partitions *all, struct env *env,
                            const struct memory_partition_client *client);

/* `all` stays the caller's.  False and an error: out of memory, or a face is not linked. */
bool memory_partition_create(struct memory_partition *p, const struct memory_partitions *all, uint32_t number,
                             struct error *err);
void memory_partition_destroy(struct memory_partition *p);
/* A packet for its slice `k`; p->local is the line inside the slice.  False: there is no room. */
bool memory_partition_push(struct memory_partition *p, uint32_t k, const struct packet *packet);
/* The crossbar has room for responses of slice `k` again. */
void memory_partition_resume(struct memory_partition *p, uint32_t k);
/* The present SM cycle.  Returns the next SM cycle in which there is anything to do; NEVER: none. */
uint64_t memory_partition_tick(struct memory_partition *p);
/* l2_drop() */
bool memory_partition_drop(struct memory_partition *p, uint32_t k, uint64_t local);
bool memory_partition_empty(const struct memory_partition *p);
void memory_partition_sync(struct memory_partition *p, uint64_t cycles);
bool memory_partition_finish(struct memory_partition *p, uint64_t cycles, struct error *err);
#endif
