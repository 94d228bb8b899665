/* SPDX-License-Identifier: Apache-2.0 */
/* set_hash: maps a line address to a cache set or memory partition.  The only list of its parameters and ports;
 * format: ports.h.  It has no registers.  Bit-accurate twin of rtl/set_hash/mt_set_hash.sv; decisions in
 * rtl/set_hash/README.md. */
#ifndef MEMTWIN_SET_HASH_H
#define MEMTWIN_SET_HASH_H
#include "bits.h"
#include "ports.h"

/* clang-format off */
#define SET_HASH_FUNCTION(X) \
    X(SET_HASH_BMOD,     0, "x, the low k bits of the line address A") \
    X(SET_HASH_BXOR,     1, "t ^ x, t the next k bits") \
    X(SET_HASH_PMOD,     2, "A mod p, p the largest prime not above 2^k") \
    X(SET_HASH_A_PRIME,  3, "A mod p mod 2^k, p above 2^k") \
    X(SET_HASH_D_PRIME,  4, "(T * p + x) mod 2^k, T the bits of A above x") \
    X(SET_HASH_IPOLY,    5, "A(x) mod P(x) over GF(2), P irreducible of degree k") \
    X(SET_HASH_FERMI,    6, "32 sets: x ^ five of the bits of A from 6 to 12") \
    X(SET_HASH_XORSHIFT, 7, "(A ^ A >> s) mod 2^k, s the same for every k")

#define SET_HASH_KIND(X) \
    X(SET_HASH_SETS,       0, "cache sets") \
    X(SET_HASH_PARTITIONS, 1, "memory partitions")

#define SET_HASH_CODES(X) X(set_hash_function, SET_HASH_FUNCTION) X(set_hash_kind, SET_HASH_KIND)
enum set_hash_function { SET_HASH_FUNCTION(ENUM_CODE) };
enum set_hash_kind { SET_HASH_KIND(ENUM_CODE) };

#define SET_HASH_PARAM(X) \
    X(Function, 5,  0, 7,      "enum set_hash_function: 0 BMOD, 1 BXOR, 2 PMOD, 3 A_PRIME, 4 D_PRIME, 5 IPOLY, 6 FERMI, 7 XORSHIFT") \
    X(Kind,     0,  0, 1,      "enum set_hash_kind, target of the derived constant: 0 cache sets, 1 memory partitions") \
    X(IndexW,   5,  1, 16,     "bits of the index, k") \
    X(AddrW,    41, 1, 64,     "bits of the line address; at least IndexW") \
    X(Constant, 0,  0, 131071, "overrides the derived modulus, displacement, polynomial or shift; 0: derived")

#define SET_HASH_IN(X) \
    X(U64, addr_i, p->AddrW, "line address, or interleave unit number")

#define SET_HASH_VALID(X) X(addr_i, always)

#define SET_HASH_OUT(X) \
    X(U32, index_o, p->IndexW, "set or partition")

#define SET_HASH_REG(X)

#define SET_HASH_MEM(X)
/* clang-format on */

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
