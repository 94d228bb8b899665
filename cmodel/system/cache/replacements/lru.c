/* SPDX-License-Identifier: Apache-2.0 */
/* LRU. */
#include "system/config/replacement_kind.h"

static uint64_t lru_use(uint64_t word, enum way_use use, uint64_t uses)
{
    (void)word, (void)use;
    return uses;
}

static const struct replacement lru = {.policy = {"lru", "the least recently used line"}, .use = lru_use};
REPLACEMENT_REGISTER(lru);
