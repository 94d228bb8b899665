/* SPDX-License-Identifier: Apache-2.0 */
/* Assignment of SMs to workloads: an SM holds thread blocks of its owner only, and drains before its owner changes. */
#ifndef MEMTWIN_SM_OWNERS_H
#define MEMTWIN_SM_OWNERS_H
#include "system/sm/block_partition.h"

struct sm_owners {
    uint8_t owner[MAX_SMS]; /* MAX_WORKLOADS: none yet */
    uint32_t sms[MAX_WORKLOADS];
    uint32_t limit[MAX_WORKLOADS]; /* thread blocks per SM; UINT32_MAX: as many as fit */
};

/* No owner, no limit.  False and an error if there are fewer SMs than workloads. */
bool owners_init(struct sm_owners *o, const struct sm_array *a, struct error *err);
/* The same of its own, released by free(); NULL and an error. */
struct sm_owners *owners_create(const struct sm_array *a, struct error *err);
/* Number of SMs per workload: as even as possible over the running ones; the first ones get one more. */
void owners_even(const struct sm_array *a, uint32_t sms[MAX_WORKLOADS]);
/* Gives each workload that many SMs, sm.count in all; as many SMs as possible keep their owners. */
void owners_give(struct sm_owners *o, struct sm_array *a, const uint32_t sms[MAX_WORKLOADS]);
/* Sets the limits of an SM; after a thread block has finished on it, and after a change of `limit`. */
void owners_apply(const struct sm_owners *o, struct sm *sm);
void owners_apply_all(const struct sm_owners *o, struct sm_array *a);
#endif
