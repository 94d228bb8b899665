/* SPDX-License-Identifier: Apache-2.0 */
/* A conservation law: two sums of counters that are equal at the end of a run. */
#ifndef MEMTWIN_LAW_H
#define MEMTWIN_LAW_H
#include <inttypes.h>

#include "base/error.h"

/* `text` states the law: "requests sent = responses received".  False and an error if it does not hold. */
static inline bool law(const char *text, uint64_t left, uint64_t right, struct error *err)
{
    return left == right || error_set(err, "%s does not hold: %" PRIu64 " is not %" PRIu64, text, left, right);
}
#endif
