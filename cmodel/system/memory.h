/* SPDX-License-Identifier: Apache-2.0 */
/* Everything below the SMs: crossbar, partitions, L2 slices, DRAM channels, in their own clock domains. */
#ifndef MEMTWIN_MEMORY_H
#define MEMTWIN_MEMORY_H
#include "system/unit/gpu.h"
#include "system/unit/port.h"
#include "trace/source.h"

struct memory;

struct memory *memory_create(struct env *env, const struct memory_client *client, struct error *err);
void memory_destroy(struct memory *m);
/* Whether SM `sm` may send one more packet now. */
bool memory_room(struct memory *m, uint32_t sm, const struct request *r);
/* Sends a request to its partition; memory_room() must hold.  Reads and atomics return through respond(), and so do
 * writes (an acknowledgement of header size), so every request in flight is tracked. */
void memory_send(struct memory *m, uint32_t sm, const struct request *r);
/* A line of a page that goes to the host leaves the L2, without traffic; no request to it is in flight.  True if it was
 * dirty. */
bool memory_drop(struct memory *m, uint64_t line);
/* The host copies these bytes to the device: their blocks are in the L2, clean, the last ones as the most recently
 * used. Of a copy of more than 16 times the L2's size, the last bytes. */
void memory_copied(struct memory *m, const struct host_copy *copy);
/* All ticks of the memory's domains that belong to SM cycle env->sm_cycle, in the order DRAM, L2, crossbar.  Partitions
 * may also run later cycles ahead of time if there is no observer (env->watched); the rest of the machine sees no
 * difference. */
void memory_tick(struct memory *m);
/* Earliest SM cycle from env->sm_cycle + 1 on in which memory_tick() has anything to do; NEVER if it is empty. */
uint64_t memory_wake(const struct memory *m);
/* Names the busy units; an empty text: there are none. */
void memory_describe(const struct memory *m, char *text, size_t size);
/* Nothing in flight anywhere. */
bool memory_empty(const struct memory *m);
/* Adds skipped cycles to the counters, up to SM cycle `cycles` (not included). */
void memory_sync(struct memory *m, uint64_t cycles);
/* At the end: catch up counters, count dirty lines, check this side's conservation laws. */
bool memory_finish(struct memory *m, struct error *err);
#endif
