/* SPDX-License-Identifier: Apache-2.0 */
/* How the parts of the machine share time.
 *
 * Every unit X has a clock domain and a field `wake`: the next cycle of its own clock in which X_tick() has
 * anything to do, as far as X can know; NEVER when only an input can give it work.  The run loop calls
 *     X_tick(x, now)
 * once for each cycle of X's clock with wake <= now, in a fixed order (DRAM, L2, crossbar, SMs), and skips the others.
 * Whoever hands X something sets X's wake to 0 ("at your next clock edge").  A unit that was skipped catches up at
 * its next tick: counters that count cycles (stalls, occupancy) grow by the cycles slept, since nothing changed in
 * them.  A unit may sleep only in a fixed point: when ticking it would change nothing but those counters.
 * With sim.skip off every unit is ticked in every cycle; all counters must come out the same.
 *
 * Queues between units are bounded; the sender asks for room first (X_room), and who is refused sleeps and is woken by
 * the receiver when room appears. */
#ifndef MEMTWIN_UNIT_H
#define MEMTWIN_UNIT_H
#include <stdint.h>

#define NEVER UINT64_MAX

/* `wake` is the first field of the units below the SMs: they are asked for it in every cycle, without a call. */
static inline uint64_t unit_wake(const void *unit)
{
    return *(const uint64_t *)unit;
}
#endif
