/* SPDX-License-Identifier: Apache-2.0 */
/* The driver of unified memory, as its files share it: uvm.c (time, and what uvm.h promises), uvm_gmmu.c (the block
 * gmmu), uvm_service.c (from a far-fault to a page that has come), uvm_evict.c (from a page that must go to a free
 * frame).  README.md, "Unified memory: the driver". */
#ifndef MEMTWIN_UVM_CORE_H
#define MEMTWIN_UVM_CORE_H
#include "gmmu.h"
#include "system/block/block_socket.h"
#include "system/uvm/pages.h"
#include "system/uvm/pcie.h"
#include "base/arith.h"
#include "system/unit/ring.h"
#include "system/unit/unit.h"
#include "system/uvm/uvm.h"
#include "system/uvm/uvm_contract.h"
#include "system/uvm/uvm_policy.h"

/* Pages that come together, one behind the other. */
struct migration {
    uint32_t first, pages;
    uint64_t after; /* end of the handling that decided on it */
};

/* Pages that leave together.  Until they are dropped, requests may still be in flight to them. */
struct departure {
    uint32_t first, pages;
    uint32_t pinned; /* of them, pages with requests in flight */
    uint64_t since, ready;
    bool taken; /* this place is in use */
};

/* What the block gmmu is still to be told, in this order. */
struct command {
    uint32_t page;
    bool arrive; /* else: gone */
};

/* Why pages go. */
enum evict_why { EVICT_BY_POLICY, EVICT_EXPIRED, EVICT_PRESSURE };

struct uvm {
    struct env *env;
    const struct config *c;
    struct stats *s;
    struct uvm_client client;
    struct pages *pages;
    struct pcie *pcie;
    const struct prefetcher *prefetcher;
    const struct eviction *eviction;
    struct rng rng;
    uint64_t wake;
    bool no_memory;

    /* uvm_gmmu.c */
    struct block_socket socket;
    struct gmmu_cfg cfg;
    struct gmmu_in in;
    struct gmmu_out out;
    uint64_t block_cycle; /* the cycle that the block's state belongs to */
    bool driven;          /* it was evaluated in this cycle: its clock edge is to come */
    bool asked;           /* uvm_request() has had its one request of this cycle */
    bool idle;
    bool full; /* this request was refused, and no page has arrived since */
    uint32_t full_page, full_sm;
    bool refused; /* the request that is asked again and again: since when */
    uint64_t refused_since;
    struct uvm_contract contract;
    struct ring commands;  /* struct command */
    uint32_t gone_waiting; /* of them, how many tell of departures */

    /* uvm_service.c */
    struct ring buffer;  /* uint32_t: pages of far-faults that wait for a handling, oldest first */
    bool handling, open; /* a handling is under way; it takes further faults */
    uint64_t handling_ends;
    uint32_t batch;           /* faults that it has taken */
    bool deciding, cap_asked; /* cap has not said all yet; nor accepted the fault */
    uint32_t demand;          /* the page of the fault that is decided on */
    uint32_t *wanted, wanted_count;
    struct ring migrations; /* struct migration: not under way yet */
    bool oversubscribed;
    uint64_t moved; /* pages that have come since a warp instruction was issued */
    uint64_t progress;

    /* uvm_evict.c */
    struct departure *departures;
    uint32_t departure_places;
    struct ring leaving;              /* uint32_t: places of departures, oldest first */
    uint32_t *evicted, evicted_count; /* in this cycle, not yet in a departure */
    enum evict_why why;
    uint32_t *put_off, put_off_count; /* pages that the block has handed out, some of them not evictable at once */
    uint32_t owed;                    /* those that are still to go */
    bool starved;                     /* nothing could be evicted; tried again when something has changed */
    bool press, pressing;             /* the block is to be asked for blocks; has not handed out all yet */
};

/* uvm_gmmu.c */
bool gmmu_open(struct uvm *u, struct error *err);
void gmmu_catch_up(struct uvm *u); /* to now: what came out at the clock edge of the last cycle */
void gmmu_drive(struct uvm *u);    /* evaluates this cycle, if there is anything to do */

/* uvm_service.c */
void service_fault(struct uvm *u, uint32_t page);   /* the block tells of a far-fault */
void service_arrived(struct uvm *u, uint32_t page); /* a page is in device memory: its fault needs no handling */
void service_decided(struct uvm *u);                /* cap has said all */
void service_full(struct uvm *u);                   /* memory is over-subscribed from now on */
void service_start(struct uvm *u);                  /* begins handlings */
void service_transfers(struct uvm *u);              /* begins transfers to the device, and ends them */
uint64_t service_wake(const struct uvm *u);

/* uvm_evict.c */
void evict_offer(struct uvm *u, uint32_t block, uint32_t pages, bool pressure); /* the block offers pages */
void evict_pressed(struct uvm *u, uint32_t blocks);                             /* it has handed out so many blocks */
void evict_put_off(struct uvm *u);              /* evicts pages that were handed out and put off */
void evict_spare(struct uvm *u, uint32_t page); /* an access to it has recalled it: it is not to go any more */
void evict_room(struct uvm *u);                 /* evicts until there will be frames enough */
void evict_departures(struct uvm *u);           /* lines and pages that can go do */
uint64_t evict_wake(const struct uvm *u);
bool evict_short(const struct uvm *u); /* more frames are wanted than will be free */

static inline bool uvm_push(struct uvm *u, struct ring *r, const void *x)
{
    const bool ok = ring_put(r, x);
    u->no_memory |= !ok;
    return ok;
}

/* The block gmmu is to hear that a page has come, or gone. */
static inline void uvm_tell(struct uvm *u, uint32_t page, bool arrive)
{
    const struct command c = {page, arrive};
    if (uvm_push(u, &u->commands, &c)) u->gone_waiting += !arrive;
}

/* Something has changed that an eviction may have waited for. */
static inline void uvm_poke(struct uvm *u)
{
    u->starved = false;
    u->wake = 0;
}
#endif
