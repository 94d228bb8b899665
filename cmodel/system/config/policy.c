/* SPDX-License-Identifier: Apache-2.0 */
#include "system/config/policy.h"

#include <stddef.h>
#include <string.h>

/* The linker delimits what registered itself. */
extern const struct policy_entry __start_memtwin_policies[], __stop_memtwin_policies[];

/* How many of its kind have a name that comes before. */
static uint32_t place(const struct policy_entry *e)
{
    uint32_t before = 0;
    for (const struct policy_entry *o = __start_memtwin_policies; o < __stop_memtwin_policies; o++)
        before += !strcmp(o->kind, e->kind) && strcmp(o->policy->name, e->policy->name) < 0;
    return before;
}

const struct policy *policy_at(const char *kind, uint32_t i)
{
    for (const struct policy_entry *e = __start_memtwin_policies; e < __stop_memtwin_policies; e++)
        if (!strcmp(e->kind, kind) && place(e) == i) return e->policy;
    return NULL;
}
