/* SPDX-License-Identifier: Apache-2.0 */
/* Clock domains: which ticks of another clock belong to an SM cycle. */
#ifndef MEMTWIN_DOMAIN_H
#define MEMTWIN_DOMAIN_H
#include <stdbool.h>
#include <stdint.h>

#include "base/arith.h"
#include "system/unit/unit.h"

/* A clock beside the SMs': tick k belongs to SM cycle ceil((k + 1) * f_sm / f) - 1.  Frequencies are in kHz, divided by
 * their greatest common divisor: only their ratio counts.  Exact while cycles times these numbers stay below 2^64: with
 * clocks of whole MHz for 1.8e14 SM cycles, two days of the machine's own time, at the fastest that options.def allows;
 * with three decimals for a thousandth of that. */
struct domain {
    uint64_t f, f_sm;
    uint64_t whole, part; /* f / f_sm and its rest */
    uint64_t start;       /* first tick of the SM cycle entered last */
    uint64_t end;         /* first tick after it: the next clock edge of every unit, once those of the cycle are done */
    uint64_t after;       /* the SM cycle that `end` belongs to */
    uint64_t rest;        /* after * f modulo f_sm */
};

/* The greatest; neither is 0. */
static inline uint32_t common_divisor(uint32_t a, uint32_t b)
{
    while (b) {
        const uint32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static inline struct domain domain_at(uint32_t khz, uint32_t sm_khz)
{
    const uint32_t d = common_divisor(khz, sm_khz), f = khz / d, f_sm = sm_khz / d;
    return (struct domain){.f = f, .f_sm = f_sm, .whole = f / f_sm, .part = f % f_sm};
}

/* Ticks of the domain before SM cycle s. */
static inline uint64_t ticks_before(const struct domain *d, uint64_t s)
{
    return d->f == d->f_sm ? s : s * d->f / d->f_sm;
}

static inline uint64_t sm_cycle_of(const struct domain *d, uint64_t tick)
{
    return d->f == d->f_sm ? tick : ceil_div((tick + 1) * d->f_sm, d->f) - 1;
}

/* Of another clock than the SMs'.  Mostly the cycle after the one before, which needs no division. */
static inline void enter_other(struct domain *d, uint64_t sm_cycle)
{
    if (sm_cycle != d->after) {
        d->end = ticks_before(d, sm_cycle);
        d->rest = sm_cycle * d->f - d->end * d->f_sm;
    }
    const uint64_t rest = d->rest + d->part;
    const uint64_t carry = rest >= d->f_sm;
    d->rest = rest - (carry ? d->f_sm : 0);
    d->start = d->end;
    d->end += d->whole + carry;
}

static inline void domain_enter(struct domain *d, uint64_t sm_cycle)
{
    if (d->f == d->f_sm) {
        d->start = sm_cycle;
        d->end = sm_cycle + 1;
    } else {
        enter_other(d, sm_cycle);
    }
    d->after = sm_cycle + 1;
}

/* The first tick after this SM cycle, also if the domain did not enter it. */
static inline uint64_t next_tick(const struct domain *d, uint64_t sm_cycle)
{
    return d->after == sm_cycle + 1 ? d->end : ticks_before(d, sm_cycle + 1);
}

/* SM cycle, after `cycle`, of a domain's tick `wake` (0: its next).  A clock that is not slower than the SMs' has a
 * tick in each of their cycles. */
static inline uint64_t in_sm_cycles(const struct domain *d, uint64_t cycle, uint64_t wake)
{
    if (d->f == d->f_sm || wake == NEVER) return max_u64(wake, cycle + 1);
    const uint64_t next = next_tick(d, cycle);
    if (wake <= next && d->f >= d->f_sm) return cycle + 1;
    return sm_cycle_of(d, max_u64(wake, next));
}

/* Defines run_X(): the ticks of a unit in the SM cycle that its domain has entered. */
#define DEFINE_RUN(X)                                                                                                  \
    static inline void run_##X(struct X *x, const struct domain *d, bool skip)                                         \
    {                                                                                                                  \
        for (uint64_t t = skip ? max_u64(d->start, X##_wake(x)) : d->start; t < d->end;                                \
             t = skip ? max_u64(t + 1, X##_wake(x)) : t + 1)                                                           \
            X##_tick(x, t);                                                                                            \
    }
#endif
