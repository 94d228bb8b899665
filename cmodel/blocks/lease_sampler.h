/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/lease_sampler/mt_lease_sampler.sv.  Gu20, section 4.3.2.1; decisions in
 * rtl/lease_sampler/README.md. */
#ifndef MEMTWIN_LEASE_SAMPLER_H
#define MEMTWIN_LEASE_SAMPLER_H
#include "lease_sampler_ports.h"

struct lease_sampler_cfg {
    LEASE_SAMPLER_PARAM(PARAM_FIELD)
};
struct lease_sampler_in {
    LEASE_SAMPLER_IN(PORT_FIELD)
};
struct lease_sampler_out {
    LEASE_SAMPLER_OUT(PORT_FIELD)
};
struct lease_sampler {
    struct lease_sampler_cfg p;
    LEASE_SAMPLER_REG(PORT_FIELD)
    LEASE_SAMPLER_MEM(MEM_FIELD)
};

void lease_sampler_init(struct lease_sampler *m, const struct lease_sampler_cfg *cfg); /* cfg must be legal; resets */
void lease_sampler_reset(struct lease_sampler *m);
void lease_sampler_eval(const struct lease_sampler *m, const struct lease_sampler_in *in,
                        struct lease_sampler_out *out);
void lease_sampler_tick(struct lease_sampler *m, const struct lease_sampler_in *in);
bool lease_sampler_idle(const struct lease_sampler *m);            /* no entry in use and no division in progress:
                                                                    * only the period counter runs */
void lease_sampler_skip(struct lease_sampler *m, uint64_t cycles); /* as many ticks without valid inputs */

/* Upper bound of the cycles after Duty until every lease is set. */
uint32_t lease_sampler_longest(const struct lease_sampler_cfg *cfg);
/* Checks combinations of parameters that are each in range.  Returns an error text; NULL: legal. */
const char *lease_sampler_illegal(const struct lease_sampler_cfg *cfg);
#endif
