/* SPDX-License-Identifier: Apache-2.0 */
/* The constant cache of an SM: read-only, LRU, a line is allocated when its data come; behind it an MSHR file.
 *
 * A cycle: one access that waits for a line that came before gets its data, the line waited for longest first; one
 * response is taken, and fills its line; one request is sent to the crossbar; then the LSU's accesses, one a cycle.  A
 * read of a filled line hits, also while accesses that merged before still wait for their turn.
 *
 * Requests go past the L1D to the SM's crossbar port.  The queue in front of it has a place for each MSHR entry, so it
 * is never full.
 *
 * Constant memory is an address space of its own: here addresses lie above all global ones (CONSTANT_BIT), by workload
 * where several share the SMs. */
#ifndef MEMTWIN_CONSTANT_H
#define MEMTWIN_CONSTANT_H
#include "system/unit/gpu.h"
#include "system/unit/port.h"

/* Of a request's line: addresses of global memory are below 2^47, those of constant memory modulo 2^44. */
#define CONSTANT_BIT ((uint64_t)1 << (47 - LINE_SHIFT))
#define CONSTANT_LINES ((uint64_t)1 << (44 - LINE_SHIFT))

enum constant_outcome { CONSTANT_HIT, CONSTANT_WAITS, CONSTANT_REFUSED };

struct constant_access {
    uint64_t line;   /* request.line */
    uint64_t usable; /* first cycle in which the data of a hit may be used */
    uint32_t load;   /* the sender's tag, returned with the data */
    uint8_t sector;  /* request.sector */
};

struct constant;

/* NULL without an error: constant.bytes = 0. */
struct constant *constant_create(struct env *env, uint32_t sm, struct error *err);
void constant_destroy(struct constant *k);
/* The part of a cycle before the access.  True: an access has its data, *done.  *err: memory broke a rule. */
bool constant_begin(struct constant *k, const struct memory_port *port, struct constant_access *done,
                    struct error *err);
/* CONSTANT_WAITS: constant_begin() returns it with its data.  CONSTANT_REFUSED: it retries in the next cycle. */
enum constant_outcome constant_access(struct constant *k, const struct constant_access *a);
void constant_idle(struct constant *k, uint64_t cycles); /* counts cycles like the last one, in which nothing changed */
uint64_t constant_next(const struct constant *k);        /* the next cycle with work; NEVER: none without an input */
void constant_respond(struct constant *k, const struct request *r);
void constant_flush(struct constant *k);
void constant_flush_workload(struct constant *k, uint32_t workload);
/* The line of constant memory of a workload, from a line of the instruction's addresses. */
uint64_t constant_line(uint64_t line, uint32_t workload);
bool constant_quiet(const struct constant *k);                     /* nothing in flight; also NULL */
uint64_t constant_sent(const struct constant *k);                  /* requests; of NULL: 0 */
uint64_t constant_received(const struct constant *k);              /* responses; the same */
uint32_t constant_in_flight(const struct constant *k);             /* lines, for a message; the same */
bool constant_laws_hold(const struct env *env, struct error *err); /* of all, also if requests are in flight */
#endif
