/* SPDX-License-Identifier: Apache-2.0 */
/* The PCIe link between host and device memory: two independent directions, each a FIFO with one transfer in progress.
 *
 * Transfer times come from a table (options pcie.mibps_*): effective bandwidth for 4 KiB, 8 KiB ... 2 MiB.  Between two
 * sizes the time is interpolated linearly (a fixed cost plus a cost per byte).  Beyond 2 MiB the bandwidth of 2 MiB
 * applies.  Times are whole picoseconds, rounded to the nearest SM cycle.
 * */
#ifndef MEMTWIN_PCIE_H
#define MEMTWIN_PCIE_H
#include "system/config/config.h"

enum pcie_direction { PCIE_TO_DEVICE, PCIE_TO_HOST, PCIE_DIRECTIONS };

struct pcie_transfer {
    uint32_t first, pages; /* contiguous pages of 4 KiB */
    uint32_t mark;         /* opaque to the link */
};

struct pcie_counts {
    uint64_t transfers, pages, busy_cycles; /* completed transfers; busy cycles so far */
};

struct pcie;

struct pcie *pcie_create(const struct config *c, struct error *err);
void pcie_destroy(struct pcie *p);
/* SM cycles of one transfer, at least 1. */
uint64_t pcie_cycles(const struct pcie *p, uint64_t bytes);
/* Queues a transfer; it starts at once on an idle link.  False: out of memory. */
bool pcie_send(struct pcie *p, enum pcie_direction d, const struct pcie_transfer *t, uint64_t now);
/* Completes the transfer that ends at `now`, if any, and starts the next. */
bool pcie_ended(struct pcie *p, enum pcie_direction d, uint64_t now, struct pcie_transfer *t);
/* Cycle in which the next transfer ends; NEVER if none is in progress. */
uint64_t pcie_wake(const struct pcie *p);
/* Counts transfers up to now. */
struct pcie_counts pcie_counts(const struct pcie *p, enum pcie_direction d, uint64_t now);
#endif
