/* SPDX-License-Identifier: Apache-2.0 */
/* A driver for tests behind uvm.h: the linker puts its functions in front of the real ones (tests.mk), which are called
 * unless fake_driver_play() was.  It asserts the promises of the parts above: one request for an SM and page at a time,
 * one request or note in a cycle, no pin on a page that is not there, as many unpins as pins. */
#ifndef TESTS_FAKE_DRIVER_H
#define TESTS_FAKE_DRIVER_H
#include "system/uvm/uvm.h"

enum { FAKE_PAGES = 256 };

struct fake_events {
    uint32_t requests, waited, retries, arrivals, evictions, dirty, progress, used, wrote;
    uint32_t notes, notes_late, notes_refused, noted[FAKE_PAGES];
    uint64_t last_request, last_note; /* their cycles */
};

struct fake_driver {
    uint64_t first_line;     /* of page 0 */
    uint32_t pages;          /* at most FAKE_PAGES */
    bool resident;           /* all of them from the start; else none */
    uint32_t latency;        /* cycles from a request for a page that is not there to its arrival; 0: it never comes */
    uint32_t capacity;       /* pages at a time, at least 2; 0: all.  One that was used makes room */
    uint32_t evict_interval; /* every so many cycles a page leaves, used or not; 0: never */
    uint32_t retry_from;     /* from this cycle on, and ... */
    uint32_t retry_until;    /* before this one, every request must retry */
    uint32_t retry_mod;      /* in cycles that are a multiple of it, too; 0: none */
    uint32_t lease_unit;     /* result of uvm_lease_unit() */
    uint32_t note_until;     /* before this cycle every note must retry */
    struct fake_events happened;
};

void fake_driver_play(struct fake_driver *setup);
#endif
