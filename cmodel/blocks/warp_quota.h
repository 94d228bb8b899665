/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/warp_quota/mt_warp_quota.sv.  Dai17, section 4.4; decisions in rtl/warp_quota/README.md. */
#ifndef MEMTWIN_WARP_QUOTA_H
#define MEMTWIN_WARP_QUOTA_H
#include "warp_quota_ports.h"

struct warp_quota_cfg {
    WARP_QUOTA_PARAM(PARAM_FIELD)
};
struct warp_quota_in {
    WARP_QUOTA_IN(PORT_FIELD)
};
struct warp_quota_out {
    WARP_QUOTA_OUT(PORT_FIELD)
};
struct warp_quota {
    struct warp_quota_cfg p;
    WARP_QUOTA_REG(PORT_FIELD)
    WARP_QUOTA_MEM(MEM_FIELD)
};

void warp_quota_init(struct warp_quota *m, const struct warp_quota_cfg *cfg); /* cfg must be legal; resets */
void warp_quota_reset(struct warp_quota *m);
void warp_quota_eval(const struct warp_quota *m, const struct warp_quota_in *in, struct warp_quota_out *out);
void warp_quota_tick(struct warp_quota *m, const struct warp_quota_in *in);
bool warp_quota_idle(const struct warp_quota *m);            /* ticks without valid inputs change nothing */
void warp_quota_skip(struct warp_quota *m, uint64_t cycles); /* as many such ticks */
#endif
