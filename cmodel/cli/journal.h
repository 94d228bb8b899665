/* SPDX-License-Identifier: Apache-2.0 */
/* --trace-request: place and cycle of each step of the first requests of a run. */
#ifndef MEMTWIN_JOURNAL_H
#define MEMTWIN_JOURNAL_H
#include <stddef.h>
#include <stdint.h>

#include "system/stats/observe.h"
#include "system/unit/request.h"

struct journal_entry {
    struct request request;
    enum place place;
    uint32_t unit;
    size_t order; /* unit of the cycles */
    uint64_t cycle;
};

struct journal {
    struct journal_entry *entries;
    size_t count, room;
};

void journal_at(struct journal *j, const struct request *r, enum place place, uint32_t unit, uint64_t cycle);
/* One text for all requests, freed by the caller; NULL if out of memory.  Empties the journal. */
char *journal_text(struct journal *j);
#endif
