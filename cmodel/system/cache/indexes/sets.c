/* SPDX-License-Identifier: Apache-2.0 */
/* Set index functions of block set_hash. */
#include "set_hash.h"
#include "system/config/index_kind.h"

#define SETS(name, constant, serves, text, ...)                                                                        \
    static const struct set_index name = {.policy = {#name, text}, .function = SET_HASH_##constant, .sets = serves};   \
    SET_INDEX_REGISTER(name, __VA_ARGS__)

SETS(bmod, BMOD, 0, "the low bits", .plain = true);
SETS(bxor, BXOR, 0, "the low bits XOR those above them");
SETS(xorshift, XORSHIFT, 0, "the low bits XOR those seven further up, for any number of sets");
SETS(pmod, PMOD, 0, "modulo the largest prime not above the number of sets");
SETS(a_prime, A_PRIME, 0, "modulo the smallest prime above it, and the low bits of that");
SETS(d_prime, D_PRIME, 0, "a prime times the tag, added to the low bits");
SETS(ipoly, IPOLY, 0, "modulo an irreducible polynomial");
SETS(fermi, FERMI, 32, "as measured on Fermi; 32 sets");
