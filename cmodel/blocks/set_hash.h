/* SPDX-License-Identifier: Apache-2.0 */
/* Bit-accurate twin of rtl/set_hash/mt_set_hash.sv; decisions in rtl/set_hash/README.md. */
#ifndef MEMTWIN_SET_HASH_H
#define MEMTWIN_SET_HASH_H
#include "set_hash_ports.h"

enum { SET_HASH_MAX_DIGITS = 32, SET_HASH_TABLES = 16 };

struct set_hash_cfg {
    SET_HASH_PARAM(PARAM_FIELD)
};
struct set_hash_in {
    SET_HASH_IN(PORT_FIELD)
};
struct set_hash_out {
    SET_HASH_OUT(PORT_FIELD)
};

/* No registers: set_hash_init() derives every member from the parameters, as the RTL's localparams are. */
struct set_hash {
    struct set_hash_cfg p;
    uint32_t mask;     /* of the index */
    bool divides;      /* PMOD, A_PRIME, IPOLY */
    uint32_t constant; /* modulus, displacement, polynomial or shift */
    uint32_t odd;      /* PMOD, A_PRIME: the modulus is odd * 2^twos */
    uint32_t twos;
    bool end_around;     /* odd is 2^digit_bits - 1 */
    uint32_t digit_bits; /* the address is cut into digits of this width */
    uint32_t digits;
    uint32_t subtractions;                 /* 2^subtractions >= digits */
    uint32_t residue[SET_HASH_TABLES][16]; /* of a four-bit digit at its place in the address; only if `divides` */
};

void set_hash_init(struct set_hash *m, const struct set_hash_cfg *cfg); /* cfg must be legal */
void set_hash_reset(struct set_hash *m);
void set_hash_eval(const struct set_hash *m, const struct set_hash_in *in, struct set_hash_out *out);
void set_hash_tick(struct set_hash *m, const struct set_hash_in *in);
bool set_hash_idle(const struct set_hash *m);
void set_hash_skip(struct set_hash *m, uint64_t cycles);

/* Checks combinations of parameters that are each in range.  Returns an error text; NULL: legal. */
const char *set_hash_illegal(const struct set_hash_cfg *cfg);
/* Modulus, displacement, polynomial or shift of the configuration; 0 for a function without one. */
uint32_t set_hash_constant(const struct set_hash_cfg *cfg);
#endif
