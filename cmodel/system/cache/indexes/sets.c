/* SPDX-License-Identifier: Apache-2.0 */
/* Set index functions of block set_hash. */
#include "system/cache/index.h"

#define SETS(name, constant, text)                                                                                     \
    static const struct set_index name = {.policy = {#name, text}, .function = SET_HASH_##constant};                   \
    SET_INDEX_REGISTER(name)

SETS(bmod, BMOD, "the low bits");
SETS(bxor, BXOR, "the low bits XOR those above them");
SETS(xorshift, XORSHIFT, "the low bits XOR those seven further up, for any number of sets");
SETS(pmod, PMOD, "modulo the largest prime not above the number of sets");
SETS(a_prime, A_PRIME, "modulo the smallest prime above it, and the low bits of that");
SETS(d_prime, D_PRIME, "a prime times the tag, added to the low bits");
SETS(ipoly, IPOLY, "modulo an irreducible polynomial");
SETS(fermi, FERMI, "as measured on Fermi; 32 sets");
