/* SPDX-License-Identifier: Apache-2.0 */
/* --trace-request: where each of the first requests of a run was, and when. */
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
    size_t order; /* of time */
    uint64_t cycle;
};

struct journal {
    struct journal_entry *entries;
    size_t count, room;
};

void journal_at(struct journal *j, const struct request *r, enum place place, uint32_t unit, uint64_t cycle);
/* Request by request, as text for the caller to free; NULL if there is no memory. Empties the journal. */
char *journal_text(struct journal *j);
#endif
