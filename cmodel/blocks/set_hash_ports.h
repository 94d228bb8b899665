/* SPDX-License-Identifier: Apache-2.0 */
/* set_hash: maps a line address to a cache set or memory partition.  The only list of its parameters and ports;
 * format: ports.h.  It has no registers. */
#ifndef MEMTWIN_SET_HASH_PORTS_H
#define MEMTWIN_SET_HASH_PORTS_H
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
#endif
