/* SPDX-License-Identifier: Apache-2.0 */
/* Unified memory: the path of a page request after its translation (Gu20, chapter 4).
 *
 * Device memory holds a part of the workload's pages.  A request for an absent page is a far-fault.  The driver handles
 * it in uvm.fault_ns, selects further pages (a prefetcher, policies/), frees frames (an eviction policy, policies/) and
 * moves the pages over PCIe (pcie.h).  The block `gmmu` records the waiting SMs; it also holds the leases and the
 * capacity-aware prefetcher.
 *
 * A page is identified by its page table entry number.  Allocations are laid out one after another, each aligned to a
 * multiple of 512 entries, and keep their virtual addresses modulo 2 MiB.  So page >> 4 is its 64 KiB block, page >> 9
 * its 2 MiB tree. */
#ifndef MEMTWIN_UVM_H
#define MEMTWIN_UVM_H
#include "system/unit/gpu.h"
#include "trace/source.h"

#define PAGE_SHIFT 12
#define LINES_PER_PAGE (1u << (PAGE_SHIFT - LINE_SHIFT))
#define UVM_UNMANAGED UINT32_MAX /* in no allocation: device memory that is never paged */

struct uvm;

/* Callbacks of the driver (translate.h). */
struct uvm_client {
    /* The page is resident: answers a uvm_request() of this SM that had to wait, exactly once. */
    void (*translated)(void *context, uint32_t page, uint32_t sm);
    /* TLB shootdown: no TLB may keep the page from this cycle on. */
    void (*unmap)(void *context, uint32_t page);
    /* No request to the page is in flight: drops its lines from all L1Ds and the L2. Returns the number of dirty
     * ones. */
    uint32_t (*drop)(void *context, uint32_t page);
    void *context;
};

enum uvm_answer {
    UVM_RESIDENT, /* resident: proceed */
    UVM_WAITS,    /* translated() will be called */
    UVM_RETRY     /* refused: retry, not before uvm_wake(); the answer cannot change earlier */
};

enum { UVM_REQUESTERS = 64 };

/* SMs of a requester. */
static inline uint32_t uvm_share(const struct config *c)
{
    return (uint32_t)ceil_div(c->sm_count, UVM_REQUESTERS);
}

enum uvm_noted {
    UVM_NOTE_TAKEN,
    UVM_NOTE_LATE, /* the page has left device memory: it has no lease to count down */
    UVM_NOTE_RETRY /* not accepted in this cycle */
};

/* NULL and an error: no allocation, two of them in one 64 KiB block, too many pages for the tables, or an illegal
 * combination of policies. */
struct uvm *uvm_create(struct env *env, const struct source *source, const struct uvm_client *client,
                       struct error *err);
void uvm_destroy(struct uvm *u);
/* Page number of a line, or UVM_UNMANAGED. */
uint32_t uvm_page(const struct uvm *u, uint64_t line);
/* First line of a page. */
uint64_t uvm_line(const struct uvm *u, uint32_t page);
uint32_t uvm_pages(const struct uvm *u); /* page numbers are below */
/* A page request after its translation.  A requester is an SM, or with more than 64 SMs as many neighbours as it takes
 * (uvm_share).  At most one request per requester and page may wait.  One per cycle is accepted; the others must retry.
 */
enum uvm_answer uvm_request(struct uvm *u, uint32_t page, uint32_t requester);
/* TLB hits on a page per note; 0: no notes, hits need not be counted. */
uint32_t uvm_lease_unit(const struct uvm *u);
/* A requester reports that it has accessed the page so often.  Counts on the lease like a page request, without an
 * answer. Not in a cycle with a uvm_request(). */
enum uvm_noted uvm_note(struct uvm *u, uint32_t page, uint32_t requester);
/* An access to the page has gone to the L1D.  A page that arrives is not a victim until its first access. */
void uvm_used(struct uvm *u, uint32_t page);
/* A write or atomic to the page has left an L1D: the page is dirty. */
void uvm_wrote(struct uvm *u, uint32_t page);
/* A request to the page is in flight from the L1D's miss queue to its response.  Lines of managed pages only. */
void uvm_pin(struct uvm *u, uint32_t page);
void uvm_unpin(struct uvm *u, uint32_t page);
/* One SM cycle, after the memory's tick and before the SMs'. */
bool uvm_tick(struct uvm *u, struct error *err);
uint64_t uvm_wake(const struct uvm *u); /* as memory_wake() */
bool uvm_empty(const struct uvm *u);    /* no migration, eviction or fault in flight */
/* A warp instruction issued: there is progress.  Thrashing without progress ends the run. */
void uvm_progress(struct uvm *u);
/* At the end of the run: counts, and checks the laws. */
void uvm_sync(struct uvm *u); /* counts up to env->sm_cycle */
bool uvm_finish(struct uvm *u, struct error *err);
#endif
