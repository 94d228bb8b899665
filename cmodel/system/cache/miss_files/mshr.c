/* SPDX-License-Identifier: Apache-2.0 */
/* The conventional file. */
#include "mshr.h"
#include "system/config/miss_kind.h"

_Static_assert(sizeof(struct mshr_cfg) <= MISS_CFG_WORDS * sizeof(uint32_t), "parameters");

static struct miss_shape mshr_file_shape(const struct config *c, enum miss_cache cache)
{
    const uint32_t entries = MISS_OPTION(c, cache, mshr_entries);
    return (struct miss_shape){entries, entries * MISS_OPTION(c, cache, mshr_slots)};
}

static void mshr_file_configure(void *cfg, const struct config *c, enum miss_cache cache, uint32_t data_bits)
{
    *(struct mshr_cfg *)cfg = (struct mshr_cfg){.Entries = MISS_OPTION(c, cache, mshr_entries),
                                                .Slots = MISS_OPTION(c, cache, mshr_slots),
                                                .AddrW = miss_addr_bits(c, cache),
                                                .InfoW = MISS_INFO_BITS,
                                                .DataW = data_bits};
}

static const struct miss_kind mshr = {
    .policy = {"mshr", "conventional: a fixed number of slots per entry (block mshr)"},
    .block = "mshr",
    .shape = mshr_file_shape,
    .configure = mshr_file_configure};
MISS_KIND_REGISTER(mshr, .blocks = {"mshr"}, .when = "l1d.mshr.kind=mshr or l2.mshr.kind=mshr");
