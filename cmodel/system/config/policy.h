/* SPDX-License-Identifier: Apache-2.0 */
/* Policy discovery: each variant of a mechanism is a file that registers itself with one line.  Its name becomes a
 * value of the options of its kind (OPT_POLICY in options.def). */
#ifndef MEMTWIN_POLICY_H
#define MEMTWIN_POLICY_H
#include <stdint.h>

/* First member of each kind's struct. */
struct policy {
    const char *name, *text; /* the option's value; description for `memtwin list policies` */
};

struct policy_entry {
    const char *kind; /* "warp scheduler" */
    const struct policy *policy;
};

/* The i-th policy by name; the option holds this index.  NULL past the last. */
const struct policy *policy_at(const char *kind, uint32_t i);
uint32_t policy_number(const char *kind, const char *name); /* UINT32_MAX: unknown name */
const char *policy_kind(uint32_t i);                        /* The kinds, in order; NULL past the last. */

/* `p` is a static const struct whose first member is `policy`. */
#define POLICY_REGISTER(kind, p)                                                                                       \
    __attribute__((used, section("memtwin_policies"),                                                                  \
                   aligned(sizeof(void *)))) static const struct policy_entry registered_##p = {kind, &p.policy}
#endif
