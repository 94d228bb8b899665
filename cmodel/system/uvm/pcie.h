/* SPDX-License-Identifier: Apache-2.0 */
/* The PCIe link between host and device memory: two directions, independent of each other; in each, one transfer at a
 * time, the others in a queue.
 *
 * How long a transfer takes is a table (options pcie.mibps_*): for 4 KiB, 8 KiB ... 2 MiB an effective bandwidth, which
 * gives a time.  Between two sizes of the table the time is interpolated linearly, that is, a fixed cost and so much
 * for each byte; beyond 2 MiB the bandwidth of 2 MiB holds.  All in whole picoseconds, rounded to the nearest SM cycle.
 */
#ifndef MEMTWIN_PCIE_H
#define MEMTWIN_PCIE_H
#include "system/config/config.h"

enum pcie_direction { PCIE_TO_DEVICE, PCIE_TO_HOST, PCIE_DIRECTIONS };

struct pcie_transfer {
    uint32_t first, pages; /* pages of 4 KiB, one behind the other */
    uint32_t mark;         /* the sender's own */
};

struct pcie_counts {
    uint64_t transfers, pages, busy_cycles; /* transfers that have ended; busy until now */
};

struct pcie;

struct pcie *pcie_create(const struct config *c, struct error *err);
void pcie_destroy(struct pcie *p);
/* SM cycles of one transfer, at least 1. */
uint64_t pcie_cycles(const struct pcie *p, uint64_t bytes);
/* Puts a transfer into the queue; it starts now if nothing else is under way.  False: out of memory. */
bool pcie_send(struct pcie *p, enum pcie_direction d, const struct pcie_transfer *t, uint64_t now);
/* The transfer that ends at `now`, if there is one; the next starts. */
bool pcie_ended(struct pcie *p, enum pcie_direction d, uint64_t now, struct pcie_transfer *t);
/* The next cycle in which a transfer ends; NEVER if none is under way. */
uint64_t pcie_wake(const struct pcie *p);
/* Counts of the transfers so far. */
struct pcie_counts pcie_counts(const struct pcie *p, enum pcie_direction d, uint64_t now);
#endif
