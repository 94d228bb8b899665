/* SPDX-License-Identifier: Apache-2.0 */
/* Policy discovery: each variant of a mechanism is a file that registers itself with one line.  Its name becomes a
 * value of the options of its kind (OPT_POLICY in options.def), and stands nowhere else in the machine. */
#ifndef MEMTWIN_POLICY_H
#define MEMTWIN_POLICY_H
#include <stdbool.h>
#include <stdint.h>

struct config;
struct error;
struct stats;

/* First member of each kind's struct. */
struct policy {
    const char *name, *text; /* the option's value; description for `memtwin list policies` */
    /* Conservation laws at the end of any run: the counters of a policy that the run does not have are 0.  May be NULL.
     */
    bool (*laws)(const struct config *c, const struct stats *s, struct error *err);
};

enum { POLICY_BLOCKS = 2 };

struct policy_entry {
    const char *kind; /* "warp scheduler" */
    const struct policy *policy;
    /* Optional. */
    bool plain; /* the kind's policy that stands for a machine without the mechanism: accesses in order, no bypass */
    const char *blocks[POLICY_BLOCKS]; /* the blocks that it drives */
    const char *when;                  /* conditions under which a machine builds them (option_use.h) */
};

/* The i-th policy by name; the option holds this index.  NULL past the last. */
const struct policy *policy_at(const char *kind, uint32_t i);
uint32_t policy_number(const char *kind, const char *name); /* UINT32_MAX: unknown name */
const char *policy_kind(uint32_t i);                        /* The kinds, in order; NULL past the last. */
uint32_t policy_plain(const char *kind);                    /* number of its plain policy; UINT32_MAX: it has none */
const struct policy_entry *policy_entry(uint32_t i);        /* in any order; NULL past the last */
/* The laws of all policies of a kind. */
bool policy_laws_hold(const char *kind, const struct config *c, const struct stats *s, struct error *err);

/* `p` is a static const struct whose first member is `policy`; then the optional fields, as .plain = true. */
#define POLICY_REGISTER(its_kind, p, ...)                                                                              \
    __attribute__((used, section("memtwin_policies"),                                                                  \
                   aligned(sizeof(void *)))) static const struct policy_entry registered_##p = {                       \
        .kind = its_kind, .policy = &p.policy, __VA_ARGS__}
#endif
