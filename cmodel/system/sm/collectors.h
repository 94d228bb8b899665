/* SPDX-License-Identifier: Apache-2.0 */
/* Register banks and operand collectors of an SM, between its schedulers and its units; with sm.reg_banks.
 *
 * An instruction that issues enters a register of its part: SP units, SFUs or LSU.  From there it takes a free
 * collector of the part, whose operands queue at their banks (bank_writes.h).
 * A bank reads one register a cycle, or is written.  With all operands an instruction moves to the
 * register in front of its units, and from there to a unit.  Each of the four steps takes a cycle or more; an
 * instruction without operands spends one less.  The latency of an instruction includes COLLECTORS_PATH cycles of them.
 *
 * Barriers and exits take an SP unit.  A warp that has exited ends when its instructions have their results.
 *
 * A cycle of an SM: results and returned loads, collectors_tick(), the schedulers with collectors_take(). */
#ifndef MEMTWIN_COLLECTORS_H
#define MEMTWIN_COLLECTORS_H
#include "system/sm/bank_writes.h"
#include "system/sm/sm_state.h"

/* NULL without an error: sm.reg_banks = 0. */
struct collectors *collectors_create(const struct config *c, struct error *err);
void collectors_destroy(struct collectors *s);
/* Instructions that the part of a port can take in this cycle. */
uint32_t collectors_room(const struct collectors *s, enum port port);
/* The next instruction of warp `w`, which issues in this cycle; its part has room. */
void collectors_take(struct sm *sm, uint32_t w);
struct bank_writes *collectors_writes(struct collectors *s);           /* NULL for NULL */
const struct collected *collectors_memory(const struct collectors *s); /* the same */
/* A cycle; false: the next one is alike, unless the LSU gets room. */
bool collectors_tick(struct sm *sm);
bool collectors_empty(const struct collectors *s);
#endif
