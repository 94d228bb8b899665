/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlock detection: the units stay busy, but a sum of work counters does not change. */
#ifndef MEMTWIN_WATCHDOG_H
#define MEMTWIN_WATCHDOG_H
#include <stdbool.h>
#include <stdint.h>

/* More cycles of the slowest clock than any option makes a request wait (dram.t.refi: 10 million). */
#define WATCHDOG_CYCLES ((uint64_t)1 << 26)

struct watchdog {
    uint64_t work, since; /* the sum, and the cycle in which it was first seen */
};

/* False: the sum has not changed for `patience` cycles or more. */
static inline bool watchdog_sees(struct watchdog *w, uint64_t work, uint64_t now, uint64_t patience)
{
    if (work != w->work) *w = (struct watchdog){work, now};
    return now - w->since < patience;
}
#endif
