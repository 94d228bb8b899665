/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/mshr/mt_mshr.sv.  Gu20, section 3.2; decisions in rtl/mshr/README.md. */
#ifndef MEMTWIN_MSHR_H
#define MEMTWIN_MSHR_H
#include "mshr_ports.h"

struct mshr_cfg {
    MSHR_PARAM(PARAM_FIELD)
};
struct mshr_in {
    MSHR_IN(PORT_FIELD)
};
struct mshr_out {
    MSHR_OUT(PORT_FIELD)
};

/* has[] keeps the live entries as sets, one bit per entry, in words of 64 entries.  There is a set for each value of
 * each digit of a hash of the address.  A search ANDs the sets of its six digits; the result is the candidates.  A
 * file of up to 16 entries uses one value per digit: every live entry is a candidate. */
enum { MSHR_DIGITS = 6, MSHR_DIGIT_BITS = 2, MSHR_VALUES = 1 << MSHR_DIGIT_BITS };
enum { MSHR_WORDS = (MSHR_MAX_ENTRIES + 63) / 64 };

struct mshr {
    struct mshr_cfg p;
    uint32_t free_mask, used_mask, slot_mask; /* of n_free_q, of used_slots_q, of a slot's number */
    uint32_t digit_mask, words;               /* words: for a bit an entry */
    uint32_t info_mask;                       /* InfoW ones, AddrW ones */
    uint64_t addr_mask;
    MSHR_REG(PORT_FIELD)
    uint64_t busy[MSHR_WORDS]; /* busy_q, a bit an entry */
    uint64_t has[MSHR_DIGITS * MSHR_VALUES * MSHR_WORDS];
    MSHR_MEM(MEM_FIELD)
};

void mshr_init(struct mshr *m, const struct mshr_cfg *cfg); /* cfg must be legal; resets */
void mshr_reset(struct mshr *m);
void mshr_derive(struct mshr *m); /* recomputes busy[] and has[] */
void mshr_eval(const struct mshr *m, const struct mshr_in *in, struct mshr_out *out);
void mshr_tick(struct mshr *m, const struct mshr_in *in);
void mshr_step(struct mshr *m, const struct mshr_in *in, struct mshr_out *out); /* eval, then tick: one search */
bool mshr_idle(const struct mshr *m);            /* ticks without valid inputs change nothing */
void mshr_skip(struct mshr *m, uint64_t cycles); /* as many such ticks */
#endif
