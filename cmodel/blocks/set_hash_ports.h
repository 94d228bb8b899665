/* SPDX-License-Identifier: Apache-2.0 */
/* set_hash: where a line goes, among the sets of a cache or among memory partitions.
 * The one list of its parameters and ports; ports.h says how to read it.  It has no register. */
#ifndef MEMTWIN_SET_HASH_PORTS_H
#define MEMTWIN_SET_HASH_PORTS_H
#include "bits.h"
#include "ports.h"

/* clang-format off */
#define SET_HASH_PARAM(X) \
    X(Function, 5,  0, 6,      "enum set_hash_function: 0 BMOD, 1 BXOR, 2 PMOD, 3 A_PRIME, 4 D_PRIME, 5 IPOLY, 6 FERMI") \
    X(Kind,     0,  0, 1,      "what the constant is derived for: 0 cache sets, 1 memory partitions") \
    X(IndexW,   5,  1, 16,     "bits of the index, k") \
    X(AddrW,    41, 1, 64,     "bits of the line address; at least IndexW") \
    X(Constant, 0,  0, 131071, "modulus, displacement or polynomial instead of the derived one; 0: derived")

#define SET_HASH_IN(X) \
    X(U64, addr_i, p->AddrW, "line address, or number of the interleave unit")

#define SET_HASH_VALID(X) X(addr_i, always)

#define SET_HASH_OUT(X) \
    X(U32, index_o, p->IndexW, "set or partition")

#define SET_HASH_REG(X)

#define SET_HASH_MEM(X)
/* clang-format on */
#endif
