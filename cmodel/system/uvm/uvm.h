/* SPDX-License-Identifier: Apache-2.0 */
/* Unified memory: what happens to a page request once its translation has been looked up (Gu20, chapter 4).
 *
 * Device memory holds a part of the pages that the workload allocates.  A request for a page that is not there is a
 * far-fault: the driver handles it in uvm.fault_ns, decides what else is to come with it (a prefetcher, policies/),
 * makes room (an eviction policy, policies/), and moves the pages over PCIe (pcie.h).  Who waits for a page is
 * remembered by the block `gmmu`, which also keeps the leases and has the capacity-aware prefetcher in it.
 *
 * A page is named by the number of its page table entry: allocations lie one behind the other, each beginning at a
 * multiple of 512, and keep their virtual addresses modulo 2 MiB.  So page >> 4 is its 64 KiB block, page >> 9 its
 * 2 MiB tree. */
#ifndef MEMTWIN_UVM_H
#define MEMTWIN_UVM_H
#include "system/unit/gpu.h"
#include "trace/source.h"

#define PAGE_SHIFT 12
#define LINES_PER_PAGE (1u << (PAGE_SHIFT - LINE_SHIFT))
#define UVM_UNMANAGED UINT32_MAX /* in no allocation: device memory that is never paged */

struct uvm;

/* What the driver does to the parts above it (translate.h). */
struct uvm_client {
    /* The page is there now: answers a uvm_request() of this SM that had to wait, exactly once. */
    void (*translated)(void *context, uint32_t page, uint32_t sm);
    /* No TLB may keep the page from this cycle on. */
    void (*unmap)(void *context, uint32_t page);
    /* Nothing is in flight to the page any more: its lines leave all L1Ds and the L2. Returns how many were dirty. */
    uint32_t (*drop)(void *context, uint32_t page);
    void *context;
};

enum uvm_answer {
    UVM_RESIDENT, /* go on */
    UVM_WAITS,    /* translated() will be called */
    UVM_RETRY     /* not now: ask again, not before uvm_wake(); the answer cannot be another one earlier */
};

enum uvm_noted {
    UVM_NOTE_TAKEN,
    UVM_NOTE_LATE, /* the page is not in device memory any more: there is no lease to count on */
    UVM_NOTE_RETRY /* not in this cycle */
};

/* NULL and an error: no allocation, two of them in one 64 KiB block, more pages than the tables hold, an impossible
 * combination of policies (the message has the reason). */
struct uvm *uvm_create(struct env *env, const struct source *source, const struct uvm_client *client,
                       struct error *err);
void uvm_destroy(struct uvm *u);
/* The page of a line, or UVM_UNMANAGED. */
uint32_t uvm_page(const struct uvm *u, uint64_t line);
/* First line of a page. */
uint64_t uvm_line(const struct uvm *u, uint32_t page);
uint32_t uvm_pages(const struct uvm *u); /* page numbers are below */
/* A page request of an SM reaches the GMMU, its translation looked up (shared TLB or walk); at most one is waiting for
 * each SM and page. One a cycle is taken; the others are told to retry. */
enum uvm_answer uvm_request(struct uvm *u, uint32_t page, uint32_t sm);
/* Accesses of a page that hit in an SM's TLB between two notes; 0: nobody counts them, and no note is to be made. */
uint32_t uvm_lease_unit(const struct uvm *u);
/* An SM tells that it has accessed the page so often.  To its lease that is what a page request is, but nobody waits
 * for an answer.  Not in a cycle in which uvm_request() was called. */
enum uvm_noted uvm_note(struct uvm *u, uint32_t page, uint32_t sm);
/* An access to the page has gone on to the L1D: until the first one after its arrival a page is no victim. */
void uvm_used(struct uvm *u, uint32_t page);
/* A write or atomic to it has left an L1D: the page is dirty. */
void uvm_wrote(struct uvm *u, uint32_t page);
/* A request to this page is on its way between the L1D's miss queue and its response: lines of managed pages only. */
void uvm_pin(struct uvm *u, uint32_t page);
void uvm_unpin(struct uvm *u, uint32_t page);
/* One SM cycle: after the memory's tick, before the SMs'. */
bool uvm_tick(struct uvm *u, struct error *err);
uint64_t uvm_wake(const struct uvm *u); /* as memory_wake() */
bool uvm_empty(const struct uvm *u);    /* no migration, eviction or fault on its way */
/* A warp instruction was issued: there is progress (thrashing without any ends the run). */
void uvm_progress(struct uvm *u);
/* At the end of the run: counters, and the checker's laws. */
bool uvm_finish(struct uvm *u, struct error *err);
#endif
