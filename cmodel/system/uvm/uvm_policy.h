/* SPDX-License-Identifier: Apache-2.0 */
/* Policies of unified memory: what comes with the page of a far-fault (prefetchers), and what makes room (evictions).
 * Each is a file of policies/ that registers itself; the options uvm.prefetch and uvm.evict take their names. */
#ifndef MEMTWIN_UVM_POLICY_H
#define MEMTWIN_UVM_POLICY_H
#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "system/config/config.h"
#include "system/config/policy.h"

struct uvm;
struct pages;

/* What a policy may see of the driver, and do. */
const struct pages *uvm_view(const struct uvm *u);
struct rng *uvm_random(struct uvm *u);
/* A prefetcher asks for a page; one that is not on the host is left out. */
void uvm_want(struct uvm *u, uint32_t page);
/* A prefetcher leaves the choice to the block gmmu's part cap, which answers some cycles later. */
void uvm_ask_cap(struct uvm *u, uint32_t page);
/* An eviction evicts a page; false if it may not go now (pages_evictable). */
bool uvm_evict(struct uvm *u, uint32_t page);
/* What of the 64 KiB block can go; how many pages that were. */
uint32_t uvm_evict_block(struct uvm *u, uint32_t block);
/* From the least recently used unit of its order (eviction.lru) on, until something could go; how many pages that were.
 */
uint32_t uvm_evict_oldest(struct uvm *u, uint32_t (*evict)(struct uvm *u, uint32_t unit));

struct prefetcher {
    struct policy policy;
    uint32_t (*window)(const struct config *c); /* pages that it may ask for at once, at most */
    bool marks; /* relies on 64 KiB blocks being there or not, never in part, while it is at work */
    /* Asks for pages that are to come with `page`, which comes in any case. */
    void (*choose)(struct uvm *u, uint32_t page);
};

struct eviction {
    struct policy policy;
    uint32_t unit; /* pages that go at once, at most */
    bool scatters; /* evicts parts of 64 KiB blocks, though memory may not be full */
    bool leases;   /* pages get leases; the block gmmu's coalescer is asked first when room is needed */
    uint32_t lru;  /* what its order of recency lists: pages (0), blocks (BLOCK_SHIFT), trees (TREE_SHIFT) */
    /* Evicts once what it evicts at a time; 0 pages if nothing can go now. */
    uint32_t (*choose)(struct uvm *u);
};

#define PREFETCHER_REGISTER(p) POLICY_REGISTER("prefetcher", p)
#define EVICTION_REGISTER(p) POLICY_REGISTER("eviction", p)
#endif
