/* SPDX-License-Identifier: Apache-2.0 */
/* One GDDR5 channel: banks in groups behind one command bus and one data bus, in DRAM command clocks.
 *
 * Addresses.  A byte address inside the partition is, from the low end:
 *     bytes and low columns  U = max(4 atoms, one line) bytes
 *     one bank bit           the lowest; it is the lowest bit of the bank group, so that a stream alternates groups
 *     high columns           dram.row_bytes / U
 *     the other bank bits
 *     row
 * which for 64-byte atoms, 4 KiB rows and 16 banks is row:bank(3):column(4):bank(1):column(2):byte(6), and for 32-byte
 * atoms and 2 KiB rows the same with byte(5).  The bank group is the low bits of the bank number, so that a stream
 * alternates groups, or the high ones (dram.group_bits).
 *
 * Commands.  In a clock one column command or one row command (activate or precharge); with dram.command_bus = dual one
 * of each, and with turning as described under Order.  A request of n bytes is n / dram.atom_bytes column commands to
 * one row, rounded up: a shorter one takes a whole atom, and the rest of the burst is wasted.  With B = burst clocks =
 * atom / bus (at least 1), and from the options dram.t.*:
 *     activate    to column: read RCD, write RCDWR = RCD - (WL + 1); to precharge RAS; to activate RC (its bank), RRD
 *     read        to column CCD, CCDL in its group; to write RTW = CL + B + 2 - WL; to precharge B (its bank) and RTPL
 *                 (its group; with dram.rtpl_scope = bank its bank)
 *     write       to column CCD, CCDL in its group; to read WTR = WL + B + CDLR; to precharge WTP = WL + B + WR
 *     precharge   to activate RP
 * CCD is at least B: the data bus moves one burst at a time.  A read is done CL + B clocks after its last column
 * command, a write WL + B; with dram.done = first CL + 1 and WL + 1.
 *
 * Order.  dram.queue requests wait in the scheduling window.  A bank takes one out of it when it has none, and serves
 * it to its last column command, also if a row hit arrives meanwhile; so a channel holds up to dram.queue + dram.banks
 * requests.  One bank a clock takes: fr_fcfs the oldest request to its open row, newcomers included, or else its
 * oldest; fcfs its oldest. No age limit.  Banks go in turn, for taking and for commands: the first one is the bank
 * after that of the last row command, and moves on by one with every request taken.  On a single command bus the first
 * bank that may issue does, with any command.  With dram.command_bus = turning, the turn moves on behind a row command
 * in the same clock, as in GPGPU-Sim 4.x: if it is of the bank in place i, from 0, the banks in places 2 i + 2 and
 * later may still issue a column command.  Requests to one line are never reordered.
 *
 * Refresh (dram.refresh).  Every REFI clocks: no further command; once every bank could activate again (open rows are
 * precharged as soon as their timing allows), all banks are busy for RFC.  A request whose row is closed keeps the
 * columns that it has; dram_least_refi() leaves it one more in each REFI. */
#ifndef MEMTWIN_DRAM_H
#define MEMTWIN_DRAM_H
#include "system/unit/gpu.h"
#include "system/unit/unit.h"

struct dram;

struct dram_request {
    uint64_t address; /* byte address inside the partition */
    uint64_t block;   /* the L2's number of the block; opaque to the channel */
    uint32_t tag;     /* opaque to the channel */
    uint16_t bytes;   /* of one line: the L2's block, or the dirty ones of a victim, counted from `address` */
    bool write;
    const struct request *who; /* for request_at(); may be NULL; must live until done() */
};

struct dram_client {
    void (*done)(void *context, const struct dram_request *r, uint64_t clock); /* data moved, reads and writes */
    void (*room)(void *context);                                               /* called when a full queue has room
                                                                                * again */
    void *context;
};

struct dram_place {
    uint32_t bank, column; /* column: byte inside the row */
    uint64_t row;
};
struct dram_place dram_map(const struct config *c, uint64_t address);

/* Requires env->config and env->stats only, so it works alone or in a machine.  NULL and an error: out of memory. */
struct dram *dram_create(struct env *env, uint32_t channel, const struct dram_client *client, struct error *err);
void dram_destroy(struct dram *d);
bool dram_room(const struct dram *d);
/* Requires dram_room().  The channel sees the request at its next clock. */
void dram_push(struct dram *d, const struct dram_request *r);
/* Clock `now`, from 0; unit.h says which clocks may be skipped. */
void dram_tick(struct dram *d, uint64_t now);
static inline uint64_t dram_wake(const struct dram *d)
{
    return unit_wake(d);
}
bool dram_empty(const struct dram *d);
/* Counts the clocks below `clocks` that were skipped, and their refreshes. */
void dram_sync(struct dram *d, uint64_t clocks);
#endif
