/* SPDX-License-Identifier: Apache-2.0 */
#include "system/config/policy.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { MOST_OF_A_KIND = 64 };

/* Linker section with all registered policies. */
extern const struct policy_entry __start_memtwin_policies[], __stop_memtwin_policies[];

#define ENTRIES(e)                                                                                                     \
    const struct policy_entry *e = __start_memtwin_policies;                                                           \
    e < __stop_memtwin_policies;                                                                                       \
    e++

/* A start of the program compares thousands of these; most differ in the first character, and equal literals tend to be
 * one in the program. */
static bool same(const char *a, const char *b)
{
    return a == b || (*a == *b && !strcmp(a, b));
}

/* Policies of the same kind with an earlier name. */
static uint32_t place(const struct policy_entry *e)
{
    uint32_t before = 0;
    for (ENTRIES(o)) before += same(o->kind, e->kind) && strcmp(o->policy->name, e->policy->name) < 0;
    return before;
}

/* The kind's policies, in the order of their names. */
static uint32_t all_of(const char *kind, const struct policy *sorted[MOST_OF_A_KIND])
{
    uint32_t count = 0;
    for (ENTRIES(e)) {
        if (!same(e->kind, kind)) continue;
        assert(count < MOST_OF_A_KIND);
        uint32_t at = count++;
        for (; at && strcmp(sorted[at - 1]->name, e->policy->name) > 0; at--) sorted[at] = sorted[at - 1];
        sorted[at] = e->policy;
    }
    return count;
}

const struct policy *policy_at(const char *kind, uint32_t i)
{
    const struct policy *sorted[MOST_OF_A_KIND];
    return i < all_of(kind, sorted) ? sorted[i] : NULL;
}

uint32_t policy_number(const char *kind, const char *name)
{
    for (ENTRIES(e))
        if (same(e->policy->name, name) && same(e->kind, kind)) return place(e);
    return UINT32_MAX;
}

uint32_t policy_plain(const char *kind)
{
    for (ENTRIES(e))
        if (e->plain && same(e->kind, kind)) return place(e);
    return UINT32_MAX;
}

const struct policy_entry *policy_entry(uint32_t i)
{
    const struct policy_entry *e = __start_memtwin_policies + i;
    return e < __stop_memtwin_policies ? e : NULL;
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

bool policy_laws_hold(const char *kind, const struct config *c, const struct stats *s, struct error *err)
{
    const struct policy *p;
    for (uint32_t i = 0; (p = policy_at(kind, i)); i++)
        if (p->laws && !p->laws(c, s, err)) return false;
    return true;
}
