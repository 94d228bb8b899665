/* SPDX-License-Identifier: Apache-2.0 */
/* Policies by discovery: a mechanism of the machine of which there are several is a file each.  It registers itself
 * with one line, and so its name becomes a value of the options of its kind (OPT_POLICY in options.def). */
#ifndef MEMTWIN_POLICY_H
#define MEMTWIN_POLICY_H
#include <stdint.h>

/* The first field of each kind's struct. */
struct policy {
    const char *name, *text; /* the option's value; what it does, for `memtwin list policies` */
};

struct policy_entry {
    const char *kind; /* "warp scheduler" */
    const struct policy *policy;
};

/* In the order of their names: the option's number is the place in it.  NULL behind the last. */
const struct policy *policy_at(const char *kind, uint32_t i);
uint32_t policy_number(const char *kind, const char *name); /* UINT32_MAX: there is none of this name */
const char *policy_kind(uint32_t i);                        /* the kinds in order; NULL behind the last */

/* `p` is a static const struct whose field `policy` comes first. */
#define POLICY_REGISTER(kind, p)                                                                                       \
    __attribute__((used, section("memtwin_policies"),                                                                  \
                   aligned(sizeof(void *)))) static const struct policy_entry registered_##p = {kind, &p.policy}
#endif
