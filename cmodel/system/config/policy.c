/* SPDX-License-Identifier: Apache-2.0 */
#include "system/config/policy.h"

#include <stddef.h>
#include <string.h>

/* Linker section with all registered policies. */
extern const struct policy_entry __start_memtwin_policies[], __stop_memtwin_policies[];

#define ENTRIES(e)                                                                                                     \
    const struct policy_entry *e = __start_memtwin_policies;                                                           \
    e < __stop_memtwin_policies;                                                                                       \
    e++

/* Policies of the same kind with an earlier name. */
static uint32_t place(const struct policy_entry *e)
{
    uint32_t before = 0;
    for (ENTRIES(o)) before += !strcmp(o->kind, e->kind) && strcmp(o->policy->name, e->policy->name) < 0;
    return before;
}

const struct policy *policy_at(const char *kind, uint32_t i)
{
    for (ENTRIES(e))
        if (!strcmp(e->kind, kind) && place(e) == i) return e->policy;
    return NULL;
}

uint32_t policy_number(const char *kind, const char *name)
{
    for (ENTRIES(e))
        if (!strcmp(e->kind, kind) && !strcmp(e->policy->name, name)) return place(e);
    return UINT32_MAX;
}

/* The kind's first policy by name represents the kind. */
const char *policy_kind(uint32_t i)
{
    for (ENTRIES(e)) {
        uint32_t before = 0;
        for (ENTRIES(o)) before += !place(o) && strcmp(o->kind, e->kind) < 0;
        if (!place(e) && before == i) return e->kind;
    }
    return NULL;
}
