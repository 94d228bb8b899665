/* SPDX-License-Identifier: Apache-2.0 */
/* Timing protocol between the units of the machine, on two levels.
 *
 * A unit (DRAM channel, L2 slice, crossbar, SM, translation, driver) has a clock and X_wake(): the next cycle of its
 * own clock in which X_tick() has anything to do, as far as the unit can know; NEVER if only an input can give it work.
 * The run loop ticks a unit once in each cycle of its clock with wake <= now, in a fixed order (DRAM, L2, crossbar,
 * SMs), and skips the others.  An input sets the wake of its unit to 0, the next clock edge.
 *
 * A unit may sleep only in a fixed point: a tick would change nothing but counters of cycles (stalls, occupancy).  At
 * its next tick it counts the cycles that it slept like the last one.  With sim.skip = false every unit is ticked in
 * every cycle, and all counters must be the same.
 *
 * A part of a unit (an L1D and an arbiter of an SM, the cache front, the input of a slice) has no clock of its own.  It
 * reports whether the cycle changed it (X_changed() or the result of its tick), and X_idle() counts cycles slept.  Its
 * unit sleeps only if no part has changed.
 *
 * Queues between units are bounded.  The sender asks for room first (X_room()); if there is none, it sleeps, and the
 * receiver wakes it when there is room again. */
#ifndef MEMTWIN_UNIT_H
#define MEMTWIN_UNIT_H
#include <stdint.h>

#define NEVER UINT64_MAX

/* `wake` is the first field of the units below the SMs: it is read in every cycle, without a call. */
static inline uint64_t unit_wake(const void *unit)
{
    return *(const uint64_t *)unit;
}
#endif
