/* SPDX-License-Identifier: Apache-2.0 */
/* Policies by name, as options number them. */
#ifndef TESTS_NAMED_H
#define TESTS_NAMED_H
#include <criterion/criterion.h>

#include "system/config/policy.h"

static inline uint32_t named(const char *kind, const char *name)
{
    const uint32_t n = policy_number(kind, name);
    cr_assert_neq(n, UINT32_MAX, "%s %s", kind, name);
    return n;
}

static inline uint32_t policies_of(const char *kind)
{
    uint32_t n = 0;
    while (policy_at(kind, n)) n++;
    return n;
}

#define SCHEDULER(name) named("warp scheduler", name)
#define SET_INDEX(name) named("set index", name)
#define PARTITION_MAP(name) named("partition map", name)
#define MISS_FILE(name) named("miss file", name)
#define L1D_BYPASS(name) named("L1D bypass", name)
#define L1D_INPUT(name) named("L1D input", name)
#define L2_INPUT(name) named("L2 input", name)
#define ON_STALL(name) named("bypass on stall", name)
#define L2_BYPASS(name) named("L2 bypass", name)
#define DRAM_SCHEDULER(name) named("DRAM scheduler", name)
#define REPLACEMENT(name) named("replacement", name)
#endif
