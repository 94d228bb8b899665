/* SPDX-License-Identifier: Apache-2.0 */
/* A machine without warps: accesses of the caller enter each SM's L1D, or its crossbar input.
 *
 * The queue of an SM stands where its LSU does.  The access at its head is presented to the L1D in each cycle until it
 * is accepted, and each refusal counts as a reservation failure.  With l1d.latency_at = front, a pipeline of
 * l1d.latency cycles is between them, as in the LSU.  With an L1D of sectors, an access is one for each sector. */
#ifndef MEMTWIN_STEPPED_H
#define MEMTWIN_STEPPED_H
#include "lib/machine.h"

/* Keeps `m`, whose configuration it reads and whose counters it increments. */
struct stepped *stepped_create(struct memtwin *m, struct error *err);
void stepped_destroy(struct stepped *s);
enum memtwin_answer stepped_offer(struct stepped *s, const struct memtwin_access *a, struct error *err);
/* Ticks at most `cycles`, if `to_done` up to the first one after which a completion can be polled. */
bool stepped_step(struct stepped *s, uint64_t cycles, bool to_done, struct error *err);
bool stepped_drain(struct stepped *s, uint64_t limit, struct error *err);
bool stepped_poll(struct stepped *s, struct memtwin_done *done);
uint64_t stepped_cycle(const struct stepped *s);
uint64_t stepped_in_flight(const struct stepped *s);
uint64_t stepped_next(const struct stepped *s); /* the next cycle with work; NEVER: none */
bool stepped_finish(struct stepped *s, struct error *err);
#endif
