/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of the unified-memory driver: uvm.c (clock, interface), uvm_gmmu.c (the block gmmu), uvm_service.c (from
 * far-fault to arrival), uvm_evict.c (from victim to free frame).  Decisions: driver.md. */
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

/* Contiguous pages that migrate as one transfer. */
struct migration {
    uint32_t first, pages;
    uint64_t after; /* end of the handling that selected it */
};

/* Contiguous pages that are evicted as one unit.  Requests may be in flight to them until their lines are dropped. */
struct departure {
    uint32_t first, pages;
    uint32_t pinned; /* of them, pages with requests in flight */
    uint64_t since, ready;
    bool taken; /* this slot is in use */
};

/* A pending command to the block gmmu; commands are sent in order. */
struct command {
    uint32_t page;
    bool arrive; /* true: arrival; false: departure */
};

/* Causes of an eviction. */
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
    uint64_t block_cycle; /* cycle of the block's registers */
    bool driven;          /* evaluated in this cycle: its clock edge is pending */
    bool asked;           /* uvm_request() has been called in this cycle; one is allowed */
    bool idle;
    bool full; /* this request was refused, and no page has arrived since */
    uint32_t full_page, full_sm;
    bool refused; /* the refused request that retries, and since when */
    uint64_t refused_since;
    struct uvm_contract contract;
    struct ring commands;  /* struct command */
    uint32_t gone_waiting; /* departures among them */

    /* uvm_service.c */
    struct ring buffer;  /* uint32_t: pages of far-faults in the fault buffer, oldest first */
    bool handling, open; /* a handling is in progress; it accepts more faults */
    uint64_t handling_ends;
    uint32_t batch;           /* faults accepted by it */
    bool deciding, cap_asked; /* waiting for cap's decision; cap has not accepted the fault */
    uint32_t demand;          /* the faulting page being decided */
    uint32_t *wanted, wanted_count;
    struct ring migrations; /* struct migration: queued for a transfer */
    bool oversubscribed;
    uint64_t moved; /* pages arrived since the last issue of a warp instruction */
    uint64_t progress;

    /* uvm_evict.c */
    struct departure *departures;
    uint32_t departure_places;
    struct ring leaving;              /* uint32_t: slots of departures, oldest first */
    uint32_t *evicted, evicted_count; /* evicted in this cycle, not yet in a departure */
    enum evict_why why;
    uint32_t *put_off, put_off_count; /* pages evicted by the block that may have to wait */
    uint32_t owed;                    /* those still to evict */
    bool starved;                     /* no page could be evicted; retry after a state change */
    bool press, pressing;             /* a request to the block for a batch is due; a batch is in progress */
};

/* uvm_gmmu.c */
bool gmmu_open(struct uvm *u, struct error *err);
void gmmu_catch_up(struct uvm *u); /* advances to now: applies the outputs of the last cycle's clock edge */
void gmmu_drive(struct uvm *u);    /* evaluates this cycle, if there is work */

/* uvm_service.c */
void service_fault(struct uvm *u, uint32_t page);   /* the block reports a far-fault */
void service_arrived(struct uvm *u, uint32_t page); /* the page is resident: its fault needs no handling */
void service_decided(struct uvm *u);                /* cap's decision is complete */
void service_full(struct uvm *u);                   /* memory is over-subscribed from now on */
void service_start(struct uvm *u);                  /* starts handlings */
void service_transfers(struct uvm *u);              /* starts and completes transfers to the device */
uint64_t service_wake(const struct uvm *u);

/* uvm_evict.c */
void evict_offer(struct uvm *u, uint32_t block, uint32_t pages, bool pressure); /* the block offers pages */
void evict_pressed(struct uvm *u, uint32_t blocks);                             /* the block's batch is complete,
                                                                                 * with so many blocks */
void evict_put_off(struct uvm *u);                                              /* evicts delayed pages */
void evict_spare(struct uvm *u, uint32_t page); /* an access has recalled it: cancels its eviction */
void evict_room(struct uvm *u);                 /* evicts until enough frames will be free */
void evict_departures(struct uvm *u);           /* advances departures: drops lines, starts transfers */
uint64_t evict_wake(const struct uvm *u);
bool evict_short(const struct uvm *u); /* more frames are needed than will be free */

static inline bool uvm_push(struct uvm *u, struct ring *r, const void *x)
{
    const bool ok = ring_put(r, x);
    u->no_memory |= !ok;
    return ok;
}

/* Queues an arrival or departure for the block gmmu. */
static inline void uvm_tell(struct uvm *u, uint32_t page, bool arrive)
{
    const struct command c = {page, arrive};
    if (uvm_push(u, &u->commands, &c)) u->gone_waiting += !arrive;
}

/* Something has changed that a delayed eviction may wait for. */
static inline void uvm_poke(struct uvm *u)
{
    u->starved = false;
    u->wake = 0;
}
#endif
