/* SPDX-License-Identifier: Apache-2.0 */
/* The register banks of an SM that results write, by cycle; with sm.reg_banks.  Register r of warp slot w is in bank
 * (r + w) mod sm.reg_banks. */
#ifndef MEMTWIN_BANK_WRITES_H
#define MEMTWIN_BANK_WRITES_H
#include <stdint.h>

#include "base/arith.h"
#include "system/sm/warp_set.h"

enum { BANK_WRITES = 1024 }; /* more cycles than the longest latency */

struct bank_writes {
    uint8_t of[MAX_WARPS + UINT8_MAX]; /* the bank, by register + warp */
    uint32_t mask;                     /* of a cycle: its place in `at`; a short table stays in the host's cache */
    struct {
        uint64_t cycle, banks; /* bit b: bank b is written in that cycle */
    } at[BANK_WRITES];
};

/* `latency`: no register is written so many cycles later, or more. */
static inline void bank_writes_init(struct bank_writes *s, uint32_t banks, uint32_t latency)
{
    for (uint32_t i = 0; i < sizeof s->of; i++) s->of[i] = (uint8_t)(i % banks);
    s->mask = ((uint32_t)2 << log2_floor(latency)) - 1;
}

static inline uint8_t bank_of(const struct bank_writes *s, uint32_t warp, uint8_t reg)
{
    return s->of[reg + warp];
}

/* A register of the warp gets its value in this cycle. */
static inline void bank_write(struct bank_writes *s, uint64_t cycle, uint32_t warp, uint8_t reg)
{
    const uint32_t i = cycle & s->mask;
    if (s->at[i].cycle != cycle) s->at[i].banks = 0;
    s->at[i].cycle = cycle;
    s->at[i].banks |= (uint64_t)1 << bank_of(s, warp, reg);
}

static inline uint64_t banks_written(const struct bank_writes *s, uint64_t cycle)
{
    return s->at[cycle & s->mask].cycle == cycle ? s->at[cycle & s->mask].banks : 0;
}
#endif
