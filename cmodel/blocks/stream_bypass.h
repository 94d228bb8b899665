/* SPDX-License-Identifier: Apache-2.0 */
/* stream_bypass: decides by the miss rate of a period whether a cache is bypassed (Khairy15, section 4.1).  The only
 * list of its parameters, ports and registers; format: ports.h.  Bit-accurate twin of
 * rtl/stream_bypass/mt_stream_bypass.sv; decisions in rtl/stream_bypass/README.md. */
#ifndef MEMTWIN_STREAM_BYPASS_H
#define MEMTWIN_STREAM_BYPASS_H
#include "bits.h"
#include "ports.h"

/* clang-format off */
#define STREAM_BYPASS_CODES(X)

#define STREAM_BYPASS_PARAM(X) \
    X(Period,      10000, 2, 16777215, "cycles of a sampling period") \
    X(ThreshNum,       9, 0, 1022,     "threshold of the miss rate = ThreshNum/ThreshDen, its numerator") \
    X(ThreshDen,      10, 1, 1023,     "its denominator, above ThreshNum") \
    X(MinAccesses,    64, 1, 16777215, "a period with fewer accesses decides nothing; at most all ones of CountW") \
    X(CountW,         14, 1, 24,       "bits of the access and miss counters; a full access counter ends the sample") \
    X(MergeIsHit,      0, 0, 1,        "an access that merges with a miss in flight counts as: 0 a miss, 1 a hit")

#define STREAM_BYPASS_IN(X) \
    X(BIT, acc_valid_i, 1, "an access looks up the tags") \
    X(BIT, acc_hit_i,   1, "they have its line, with or without data") \
    X(BIT, acc_merge_i, 1, "its line is on its way")

#define STREAM_BYPASS_OUT(X) \
    X(BIT, bypass_o, 1, "the cache is bypassed") \
    X(BIT, decide_o, 1, "a period with enough accesses ends in this cycle") \
    X(BIT, next_o,   1, "with decide_o: bypass_o from the next cycle on; else 0")

#define STREAM_BYPASS_REG(X) \
    X(U32, cycle_q,    bits_index(p->Period), "cycle of the period") \
    X(U32, accesses_q, p->CountW,             "accesses counted in this period; saturates") \
    X(U32, misses_q,   p->CountW,             "of these, misses") \
    X(BIT, bypass_q,   1,                     "the cache is bypassed")

#define STREAM_BYPASS_MEM(X)

#define STREAM_BYPASS_INVARIANT(X) X(cycle_q, p->Period)
/* clang-format on */

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
