/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/way_partition/mt_way_partition.sv.  Qureshi06; decisions in rtl/way_partition/README.md. */
#ifndef MEMTWIN_WAY_PARTITION_H
#define MEMTWIN_WAY_PARTITION_H
#include "way_partition_ports.h"

struct way_partition_cfg {
    WAY_PARTITION_PARAM(PARAM_FIELD)
};
struct way_partition_in {
    WAY_PARTITION_IN(PORT_FIELD)
};
struct way_partition_out {
    WAY_PARTITION_OUT(PORT_FIELD)
};
struct way_partition {
    struct way_partition_cfg p;
    WAY_PARTITION_REG(PORT_FIELD)
    WAY_PARTITION_MEM(MEM_FIELD)
};

void way_partition_init(struct way_partition *m, const struct way_partition_cfg *cfg); /* cfg must be legal; resets */
void way_partition_reset(struct way_partition *m);
void way_partition_eval(const struct way_partition *m, const struct way_partition_in *in,
                        struct way_partition_out *out);
void way_partition_tick(struct way_partition *m, const struct way_partition_in *in);
bool way_partition_idle(const struct way_partition *m);            /* ticks without valid inputs change nothing */
void way_partition_skip(struct way_partition *m, uint64_t cycles); /* as many such ticks */
#endif
