/* SPDX-License-Identifier: Apache-2.0 */
/* Arbitration of one SM's LSU between workloads (Dai17, sections 4.3.2 and 4.3.3).  The block qbmi selects the workload
 * that issues first; a block milg per workload limits its instructions in flight.
 *
 * Limits count global memory instructions: shared memory makes no request to the L1D.  Turns are for them alone, or
 * with cke.shared for those of shared memory, too.  A load or atomic is in flight from
 * issue to its data, a store until the L1D has accepted its last access: after that it holds no L1D resource.
 *
 * A cycle: the LSU reports the L1D's results; arbiter_choose() before the schedulers; at most one issue;
 * arbiter_tick(). A decision depends only on the blocks' state and the requesting workloads, so an SM in a fixed point
 * may sleep. arbiter_idle() ticks the blocks for the cycles slept, with the inputs of the last one.
 *
 * A block takes one request of a workload a cycle.  If an L1D accepts two (a late answer of a dl_mshr, and a hit), the
 * block gets the second one a cycle later.  A milg has a clock edge for each reservation failure of a cycle. */
#ifndef MEMTWIN_ARBITER_H
#define MEMTWIN_ARBITER_H
#include "system/unit/gpu.h"
#include "system/stats/workload_stats.h"

struct arbiter;

/* NULL without an error: cke.scheme has no arbiter. */
struct arbiter *arbiter_create(struct env *env, uint32_t sm, uint32_t workloads, struct error *err);
void arbiter_destroy(struct arbiter *a);
/* There is a qbmi: it grants one of the requesting workloads. */
bool arbiter_ranks(const struct arbiter *a);
/* Bit w of `asks`: a scheduler issues a memory instruction of workload w if w may.  Bit w of the answer: it may,
 * in this cycle.  If the arbiter ranks, that is at most one, and that one must issue. */
uint32_t arbiter_choose(struct arbiter *a, uint32_t asks);
void arbiter_issue(struct arbiter *a, uint32_t workload);
void arbiter_retire(struct arbiter *a, uint32_t workload);
void arbiter_access(struct arbiter *a, uint32_t workload, uint64_t accepted, uint64_t refused);
/* The clock edge; true if the next one has work; sets an error if a block broke a rule. */
bool arbiter_tick(struct arbiter *a, struct error *err);
void arbiter_idle(struct arbiter *a, uint64_t cycles);
#endif
