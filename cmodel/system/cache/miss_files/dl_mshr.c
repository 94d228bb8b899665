/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamically linked: sets of slots, chained as misses need them (Gu20, section 3.4). */
#include "dl_mshr.h"
#include "system/config/miss_kind.h"

_Static_assert(sizeof(struct dl_mshr_cfg) <= MISS_CFG_WORDS * sizeof(uint32_t), "parameters");

static struct miss_shape dl_mshr_file_shape(const struct config *c, enum miss_cache cache)
{
    const uint32_t sets = MISS_OPTION(c, cache, dl_mshr_sets);
    return (struct miss_shape){sets, sets * MISS_OPTION(c, cache, dl_mshr_slots)};
}

static void dl_mshr_file_configure(void *cfg, const struct config *c, enum miss_cache cache, uint32_t data_bits)
{
    *(struct dl_mshr_cfg *)cfg = (struct dl_mshr_cfg){.Sets = MISS_OPTION(c, cache, dl_mshr_sets),
                                                      .Slots = MISS_OPTION(c, cache, dl_mshr_slots),
                                                      .AddrW = miss_addr_bits(c, cache),
                                                      .InfoW = MISS_INFO_BITS,
                                                      .DataW = data_bits,
                                                      .GateCmp = 1,
                                                      .TailPtr = MISS_OPTION(c, cache, dl_mshr_tail_ptr),
                                                      .Reserved = MISS_OPTION(c, cache, dl_mshr_reserved)};
}

static bool dl_mshr_file_check(const struct config *c, enum miss_cache cache, struct error *err)
{
    const char *name = cache == MISS_L1D ? "l1d" : "l2";
    const uint32_t reserved = MISS_OPTION(c, cache, dl_mshr_reserved), sets = MISS_OPTION(c, cache, dl_mshr_sets);
    return reserved < sets || error_set(err, "%s.dl_mshr.reserved: found %u, allowed: up to %u, below %s.dl_mshr.sets",
                                        name, reserved, sets - 1, name);
}

static const struct miss_kind dl_mshr = {
    .policy = {"dl_mshr", "dynamically linked: slot sets, chained on demand (block dl_mshr)"},
    .block = "dl_mshr",
    .registered = true,
    .shape = dl_mshr_file_shape,
    .configure = dl_mshr_file_configure,
    .check = dl_mshr_file_check};
MISS_KIND_REGISTER(dl_mshr, .blocks = {"dl_mshr"}, .when = "l1d.mshr.kind=dl_mshr or l2.mshr.kind=dl_mshr");
