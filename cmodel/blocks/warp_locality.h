/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/warp_locality/mt_warp_locality.sv; decisions in rtl/warp_locality/README.md. */
#ifndef MEMTWIN_WARP_LOCALITY_H
#define MEMTWIN_WARP_LOCALITY_H
#include "warp_locality_ports.h"

struct warp_locality_cfg {
    WARP_LOCALITY_PARAM(PARAM_FIELD)
};
struct warp_locality_in {
    WARP_LOCALITY_IN(PORT_FIELD)
};
struct warp_locality_out {
    WARP_LOCALITY_OUT(PORT_FIELD)
};
struct warp_locality {
    struct warp_locality_cfg p;
    WARP_LOCALITY_REG(PORT_FIELD)
    WARP_LOCALITY_MEM(MEM_FIELD)
};

void warp_locality_init(struct warp_locality *m, const struct warp_locality_cfg *cfg); /* cfg must be legal; resets */
void warp_locality_reset(struct warp_locality *m);
void warp_locality_eval(const struct warp_locality *m, const struct warp_locality_in *in,
                        struct warp_locality_out *out);
void warp_locality_tick(struct warp_locality *m, const struct warp_locality_in *in);
void warp_locality_step(struct warp_locality *m, const struct warp_locality_in *in,
                        struct warp_locality_out *out);            /* eval, then tick: one evaluation of the wires */
bool warp_locality_idle(const struct warp_locality *m);            /* ticks without valid inputs change nothing */
void warp_locality_skip(struct warp_locality *m, uint64_t cycles); /* as many such ticks */
#endif
