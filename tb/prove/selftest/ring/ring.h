/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RING_H
#define RING_H
#include "ring_ports.h"

struct ring_cfg {
    RING_PARAM(PARAM_FIELD)
};
struct ring_in {
    RING_IN(PORT_FIELD)
};
struct ring_out {
    RING_OUT(PORT_FIELD)
};
struct ring {
    struct ring_cfg p;
    RING_REG(PORT_FIELD)
    RING_MEM(MEM_FIELD)
    bool room; /* derived from u_fill_count_q */
};
#endif
