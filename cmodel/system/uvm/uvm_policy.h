/* SPDX-License-Identifier: Apache-2.0 */
/* Policies of unified memory: prefetchers choose the pages that migrate with a faulting page; evictions free frames.
 * Each is a file in policies/ that registers itself; its name becomes a value of uvm.prefetch or uvm.evict. */
#ifndef MEMTWIN_UVM_POLICY_H
#define MEMTWIN_UVM_POLICY_H
#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "system/config/config.h"
#include "system/config/policy.h"

struct uvm;
struct pages;

/* The driver's interface for policies. */
const struct pages *uvm_view(const struct uvm *u);
struct rng *uvm_random(struct uvm *u);
/* A prefetcher requests a page; ignored if the page is not on the host. */
void uvm_want(struct uvm *u, uint32_t page);
/* A prefetcher leaves the choice to cap in the block gmmu, which answers some cycles later. */
void uvm_ask_cap(struct uvm *u, uint32_t page);
/* Evicts a page; false if it may not be evicted (pages_evictable). */
bool uvm_evict(struct uvm *u, uint32_t page);
/* Evicts all evictable pages of the 64 KiB block; returns their number. */
uint32_t uvm_evict_block(struct uvm *u, uint32_t block);
/* Starts at the least recently used unit (eviction.lru) and stops at the first with an evictable page; returns the
 * number of evicted pages. */
uint32_t uvm_evict_oldest(struct uvm *u, uint32_t (*evict)(struct uvm *u, uint32_t unit));

struct prefetcher {
    struct policy policy;
    uint32_t (*window)(const struct config *c); /* maximum number of pages per request */
    bool marks;                                 /* requires that 64 KiB blocks are resident whole or not at all */
    /* Requests the pages that migrate with `page`, which always migrates. */
    void (*choose)(struct uvm *u, uint32_t page);
};

struct eviction {
    struct policy policy;
    uint32_t unit; /* maximum number of pages evicted at once */
    bool scatters; /* may evict parts of 64 KiB blocks before memory is full */
    bool leases;   /* pages get leases; the block gmmu's coalescer is asked first for victims */
    uint32_t lru;  /* unit of its LRU order: pages (0), blocks (BLOCK_SHIFT), trees (TREE_SHIFT) */
    /* Evicts one unit; 0 pages if nothing can be evicted. */
    uint32_t (*choose)(struct uvm *u);
};

#define PREFETCHER_REGISTER(...) POLICY_REGISTER("prefetcher", __VA_ARGS__)
#define EVICTION_REGISTER(...) POLICY_REGISTER("eviction", __VA_ARGS__)
#endif
