/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the library compared. */
#ifndef TESTS_VALUES_H
#define TESTS_VALUES_H
#include <math.h>

#include "lib/memtwin.h"

static inline bool same(struct memtwin_value a, struct memtwin_value b)
{
    return a.whole == b.whole && (a.ratio == b.ratio || (isnan(a.ratio) && isnan(b.ratio)));
}
#endif
