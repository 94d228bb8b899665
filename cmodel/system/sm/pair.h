/* SPDX-License-Identifier: Apache-2.0 */
/* Learning hardware for two workloads on each SM (pair.c). */
#ifndef MEMTWIN_PAIR_H
#define MEMTWIN_PAIR_H
#include "system/sm/sm_state.h"

/* Listens, if the bypass or the partition of the SMs learns; after the partition. */
bool pair_create(struct sm_array *a, struct error *err);
#endif
