/* SPDX-License-Identifier: Apache-2.0 */
/* Conservation laws: two sums that are equal, or one not above the other, at the end of a run.  A unit has a table of
 * them, a row each; those of a policy stand in its file. */
#ifndef MEMTWIN_LAW_H
#define MEMTWIN_LAW_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum law_is { LAW_EQUAL, LAW_AT_MOST };

struct law {
    const char *name; /* states the law: "requests sent = responses received" */
    bool applies;     /* to this run */
    uint64_t left;
    enum law_is is;
    uint64_t right;
};

#define LAWS(table) table, sizeof table / sizeof *table

/* False and an error for the first that does not hold.  `unit`: the beginning of the message, "memory: ", or "". */
bool laws_hold(const char *unit, const struct law *laws, size_t count, struct error *err);
#endif
