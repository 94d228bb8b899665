/* SPDX-License-Identifier: Apache-2.0 */
/* Whose memory instructions may go to the LSU of one SM (Dai17, sections 4.3.2 and 4.3.3): the blocks qbmi, which
 * of the workloads that have one for the LSU comes first, and milg, one for each workload, how many it may have in
 * flight.
 *
 * Only global memory instructions count: shared memory takes no request to the L1D.  One is in flight from its issue
 * until its data is there (loads, atomics) or its last access is in the L1D (stores: nobody waits for more of them, and
 * what they hold below is no resource of the L1D's).
 *
 * A cycle: the LSU reports what the L1D did; arbiter_choose() before the schedulers; at most one issue; arbiter_tick().
 * What is decided depends on the blocks' state and on who asks alone, so an SM in a fixed point may sleep:
 * arbiter_idle() lets the blocks have the cycles slept, which were like the last one.
 *
 * The blocks take one request of a workload a cycle.  When an L1D accepts two (a late answer of a dl_mshr, and a hit),
 * they see the second one a cycle later. */
#ifndef MEMTWIN_ARBITER_H
#define MEMTWIN_ARBITER_H
#include "system/unit/gpu.h"
#include "system/stats/workload_stats.h"

struct arbiter;

/* NULL without an error: cke.scheme wants none. */
struct arbiter *arbiter_create(struct env *env, uint32_t sm, uint32_t workloads, struct error *err);
void arbiter_destroy(struct arbiter *a);
/* There is a qbmi: it takes one workload of those that ask. */
bool arbiter_ranks(const struct arbiter *a);
/* Bit w of `asks`: a scheduler issues a global memory instruction of workload w if w may.  Bit w of the answer: it may,
 * in this cycle.  If the arbiter ranks, that is at most one, and that one must issue. */
uint32_t arbiter_choose(struct arbiter *a, uint32_t asks);
void arbiter_issue(struct arbiter *a, uint32_t workload);
void arbiter_retire(struct arbiter *a, uint32_t workload);
void arbiter_access(struct arbiter *a, uint32_t workload, uint64_t accepted, uint64_t refused);
/* The clock edge; true if there is something for the next one, and an error if a block broke a rule. */
bool arbiter_tick(struct arbiter *a, struct error *err);
void arbiter_idle(struct arbiter *a, uint64_t cycles);
#endif
