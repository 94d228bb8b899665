/* SPDX-License-Identifier: Apache-2.0 */
/* DRAM schedulers: a file of schedulers/ each (config/policy.h), whose name is a value of dram.scheduler.  A scheduler
 * selects the request that a bank takes out of the channel's window when it has none.  dram.h, "Order", has the rest:
 * when a bank takes one, and the order of the commands. */
#ifndef MEMTWIN_DRAM_SCHEDULER_H
#define MEMTWIN_DRAM_SCHEDULER_H
#include <stdbool.h>
#include <stdint.h>

#include "base/host.h"
#include "system/config/config.h"
#include "system/config/policy.h"
#include "system/dram/dram.h"

enum { DRAM_NO_ENTRY = UINT16_MAX }; /* the end of a list */

/* A request: in the scheduling window (in its bank's list, by age), taken by its bank, or with its data in flight. */
struct dram_entry {
    _Alignas(HOST_LINE) struct dram_request r;
    uint64_t row;
    uint64_t done;       /* clock: its data have moved */
    uint16_t next, prev; /* in a bank's list; `next` of an entry in flight: the next one in flight */
    uint8_t bank, atoms, atoms_left;
    bool opened; /* a row was opened for it */
};

/* Of a bank: its row buffer, and its requests in the window, a list from the oldest to the youngest. */
struct dram_window {
    const struct dram_entry *entries;
    uint64_t row;   /* the open one, if `open` */
    uint16_t first; /* at least one request waits */
    bool open;
};

struct dram_scheduler {
    struct policy policy;
    uint16_t (*choose)(const struct dram_window *w); /* one of its requests */
};

#define DRAM_SCHEDULER_REGISTER(...) POLICY_REGISTER("DRAM scheduler", __VA_ARGS__)

static inline const struct dram_scheduler *dram_scheduler_of(const struct config *c)
{
    return (const struct dram_scheduler *)policy_at("DRAM scheduler", c->dram_scheduler);
}
#endif
