/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/stream_bypass/mt_stream_bypass.sv.  Khairy15, section 4.1; decisions in
 * rtl/stream_bypass/README.md. */
#ifndef MEMTWIN_STREAM_BYPASS_H
#define MEMTWIN_STREAM_BYPASS_H
#include "stream_bypass_ports.h"

struct stream_bypass_cfg {
    STREAM_BYPASS_PARAM(PARAM_FIELD)
};
struct stream_bypass_in {
    STREAM_BYPASS_IN(PORT_FIELD)
};
struct stream_bypass_out {
    STREAM_BYPASS_OUT(PORT_FIELD)
};
struct stream_bypass {
    struct stream_bypass_cfg p;
    STREAM_BYPASS_REG(PORT_FIELD)
    STREAM_BYPASS_MEM(MEM_FIELD)
};

void stream_bypass_init(struct stream_bypass *m, const struct stream_bypass_cfg *cfg); /* cfg must be legal; resets */
void stream_bypass_reset(struct stream_bypass *m);
void stream_bypass_eval(const struct stream_bypass *m, const struct stream_bypass_in *in,
                        struct stream_bypass_out *out);
void stream_bypass_tick(struct stream_bypass *m, const struct stream_bypass_in *in);
bool stream_bypass_idle(const struct stream_bypass *m);            /* always true: skip() advances the period */
void stream_bypass_skip(struct stream_bypass *m, uint64_t cycles); /* as many ticks without an access */
#endif
