/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/lease_table/mt_lease_table.sv.  Gu20, sections 4.3.2 and 4.5.5; decisions in
 * rtl/lease_table/README.md. */
#ifndef MEMTWIN_LEASE_TABLE_H
#define MEMTWIN_LEASE_TABLE_H
#include "lease_table_ports.h"

struct lease_table_cfg {
    LEASE_TABLE_PARAM(PARAM_FIELD)
};
struct lease_table_in {
    LEASE_TABLE_IN(PORT_FIELD)
};
struct lease_table_out {
    LEASE_TABLE_OUT(PORT_FIELD)
};
struct lease_table {
    struct lease_table_cfg p;
    LEASE_TABLE_REG(PORT_FIELD)
    LEASE_TABLE_MEM(MEM_FIELD)
};

void lease_table_init(struct lease_table *m, const struct lease_table_cfg *cfg); /* cfg must be legal; resets */
void lease_table_reset(struct lease_table *m);
void lease_table_eval(const struct lease_table *m, const struct lease_table_in *in, struct lease_table_out *out);
void lease_table_tick(struct lease_table *m, const struct lease_table_in *in);
bool lease_table_idle(const struct lease_table *m);            /* ticks without valid inputs change nothing */
void lease_table_skip(struct lease_table *m, uint64_t cycles); /* as many such ticks */
#endif
