/* SPDX-License-Identifier: Apache-2.0 */
/* Index functions of set_hash: Dai17, sections 3.4 and 3.7, and GPGPU-Sim's own for 32 sets. */
#ifndef MEMTWIN_SET_HASH_FUNCTION_H
#define MEMTWIN_SET_HASH_FUNCTION_H

enum set_hash_function {
    SET_HASH_BMOD = 0,    /* x, the low k bits of the line address A */
    SET_HASH_BXOR = 1,    /* t ^ x, t the next k bits */
    SET_HASH_PMOD = 2,    /* A mod p, p the largest prime not above 2^k */
    SET_HASH_A_PRIME = 3, /* A mod p mod 2^k, p above 2^k */
    SET_HASH_D_PRIME = 4, /* (T * p + x) mod 2^k, T all of A above x */
    SET_HASH_IPOLY = 5,   /* A(x) mod P(x) over GF(2), P irreducible of degree k */
    SET_HASH_FERMI = 6,   /* 32 sets: x ^ five of the bits of A from 6 to 12 */
};

enum set_hash_kind { SET_HASH_SETS = 0, SET_HASH_PARTITIONS = 1 };
#endif
