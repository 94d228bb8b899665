/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of kernels (struct launches in source.h). */
#ifndef MEMTWIN_LAUNCHES_H
#define MEMTWIN_LAUNCHES_H
#include "trace/source.h"

/* The streams, each once, in ascending order; the caller frees them.  NULL: out of memory. */
uint64_t *launches_streams(const struct launches *l, uint32_t *count);
/* A copy is between kernel `kernel` - 1 and this one, or one of the two is of the default stream: the later one starts
 * when all kernels before it have ended. */
bool launches_barrier(const struct launches *l, uint32_t kernel);
#endif
