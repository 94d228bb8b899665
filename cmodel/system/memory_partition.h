/* SPDX-License-Identifier: Apache-2.0 */
/* The memory partitions, each a DRAM channel and the L2 slices in front of it (partition.slices), between the
 * crossbars.  Slices are numbered through all partitions.
 *
 * In an SM cycle the channel ticks first, then the slices.  They share the room of the channel; the slice with priority
 * rotates every SM cycle.
 * With dram.intake = channel, the channel takes one request in each of its clocks: that of the next slice, after the
 * one whose request it took last, that has one.
 *
 * A partition may run ahead of the present SM cycle.  A delivered request stays in the pipeline before its slice for
 * l2.rop_latency cycles, so the partition is independent of the outside for that time.  It runs many cycles at once and
 * stays in the host's caches.  The crossbars see it as of the present cycle: responses leave in their own cycle, and
 * the partition stops before the crossbars could see a difference.  It does not run ahead while counters or requests
 * are observed (env->watched), with unified memory, which removes lines from slices, with a learning L2 replacement
 * policy, which may read the SM cycle, with halves of the L2, whose slices ask each other, or if the host may copy data
 * into slices beside running kernels. */
#ifndef MEMTWIN_MEMORY_PARTITION_H
#define MEMTWIN_MEMORY_PARTITION_H
#include "base/host.h"
#include "system/cache/l2.h"
#include "system/dram/dram.h"
#include "system/unit/domain.h"

#define MOST_PARTITIONS 128
#define MOST_SLICES 4 /* of a partition */

struct memory_partition_client {
    struct l2_client slice;
    void (*room)(void *context, uint32_t slice); /* the slice had no room and has */
    void *context;
};

struct memory_partition {
    uint64_t next; /* SM cycles below it are done; more than the present one, if it has gone ahead */
    uint64_t wake; /* SM cycle of its next work, from `next` on; if it does not go ahead, responses are work */
    struct memory_partitions *all;
    uint32_t number;
    uint32_t taken;         /* slice whose request the channel took last (dram.intake) */
    bool room[MOST_SLICES]; /* in front of its slices, in the SM cycles before `next` */
    struct dram *dram;
    struct l2 *l2[MOST_SLICES];
    struct domain clock, l2_clock; /* of the last completed cycle */
};

/* The partitions of a machine, and their common state. */
struct memory_partitions {
    struct env *env;
    const struct config *c;
    struct memory_partition_client client;
    struct domain clock, l2_clock; /* DRAM's: not entered; the slices': of the present SM cycle */
    uint32_t count;
    uint32_t slices, slice_shift;                /* of a partition; log2 */
    uint32_t interleave_shift, slice_unit_shift; /* log2 of consecutive bytes in a partition, in a slice of it */
    uint32_t most_responses;                     /* of a slice in an SM cycle */
    uint64_t ahead;                              /* SM cycles that a partition may run ahead */
    uint64_t soonest;                            /* SM cycle: of due[] and send[] */
    /* SM cycles in which a partition has something to do, in which a slice's next response is due (NEVER without
     * `ahead`). */
    _Alignas(HOST_LINE) uint64_t due[MOST_PARTITIONS];
    uint64_t send[MOST_PARTITIONS * MOST_SLICES];
    struct l2 *l2[MOST_PARTITIONS * MOST_SLICES];
    struct memory_partition partition[MOST_PARTITIONS];
};

void memory_partitions_init(struct memory_partitions *all, struct env *env,
                            const struct memory_partition_client *client);
/* False and an error: out of memory, or a face is not linked. */
bool memory_partitions_create(struct memory_partitions *all, struct error *err);
void memory_partitions_destroy(struct memory_partitions *all);
/* The present SM cycle. */
void memory_partitions_tick(struct memory_partitions *all);
/* A packet for a slice; p->local is the line inside the slice.  False: there is no room. */
bool memory_partitions_push(struct memory_partitions *all, uint32_t slice, const struct packet *packet);
/* The crossbar has room for responses of the slice again. */
void memory_partitions_resume(struct memory_partitions *all, uint32_t slice);
/* l2_drop(), l2_copied() */
bool memory_partitions_drop(struct memory_partitions *all, uint32_t slice, uint64_t local);
void memory_partitions_copied(struct memory_partitions *all, uint32_t slice, uint64_t local, uint32_t sector);
/* The slice in front of a line's home for SMs of the other half (cache/l2_far.h). */
uint32_t memory_partitions_partner(const struct memory_partitions *all, uint32_t slice);
bool memory_partitions_empty(const struct memory_partitions *all);
/* The names of the busy slices and channels, a blank before each. */
void memory_partitions_describe(const struct memory_partitions *all, char *text, size_t size);
void memory_partitions_sync(struct memory_partitions *all, uint64_t cycles);
bool memory_partitions_finish(struct memory_partitions *all, uint64_t cycles, struct error *err);
#endif
