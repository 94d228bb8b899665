/* SPDX-License-Identifier: Apache-2.0 */
/* The register banks of an SM that results write, by cycle; with sm.reg_banks.  Register r of warp slot w is in bank
 * (r + w) mod sm.reg_banks. */
#ifndef MEMTWIN_BANK_WRITES_H
#define MEMTWIN_BANK_WRITES_H
#include <stdint.h>

enum { BANK_WRITES = 1024 }; /* more cycles than the longest latency */

struct bank_writes {
    uint32_t banks;
    struct {
        uint64_t cycle, banks; /* bit b: bank b is written in that cycle */
    } at[BANK_WRITES];         /* by cycle mod BANK_WRITES */
};

static inline uint8_t bank_of(const struct bank_writes *s, uint32_t warp, uint8_t reg)
{
    return (uint8_t)((reg + warp) % s->banks);
}

/* A register of the warp gets its value in this cycle. */
static inline void bank_write(struct bank_writes *s, uint64_t cycle, uint32_t warp, uint8_t reg)
{
    const uint32_t i = cycle % BANK_WRITES;
    if (s->at[i].cycle != cycle) s->at[i].banks = 0;
    s->at[i].cycle = cycle;
    s->at[i].banks |= (uint64_t)1 << bank_of(s, warp, reg);
}

static inline uint64_t banks_written(const struct bank_writes *s, uint64_t cycle)
{
    return s->at[cycle % BANK_WRITES].cycle == cycle ? s->at[cycle % BANK_WRITES].banks : 0;
}
#endif
