/* SPDX-License-Identifier: Apache-2.0 */
/* Partition maps of block set_hash. */
#include "base/arith.h"
#include "system/cache/index.h"

static bool is_prime(uint32_t n)
{
    uint32_t d = 2;
    while (d * d <= n && n % d) d++;
    return n > 1 && d * d > n;
}

/* 1: there is none. */
static uint32_t prime_not_above(uint32_t n)
{
    while (n > 1 && !is_prime(n)) n--;
    return n;
}

/* A count that is not a power of two uses modulo by that count. */
static void shape_modulo(struct line_index *x, uint32_t count)
{
    if (is_power_of_two(count)) return;
    x->cfg.Function = SET_HASH_PMOD;
    x->cfg.Constant = count;
}

static void shape_prime(struct line_index *x, uint32_t count)
{
    x->divisor = prime_not_above(count);
    /* mutant: 1 - 1: where there is one partition there is no block, whatever its constant */
    /* mutant: && -> ||: one partition has no block, so the constant is not used; with more, the constant is the one
     * that it stands for */
    if (count > 1 && set_hash_constant(&x->cfg) != x->divisor) x->cfg.Constant = x->divisor;
}

static void shape_a_prime(struct line_index *x, uint32_t count)
{
    /* mutant: left out: one partition: the prime 2, folded twice, leaves the unit as it is */
    if (count < 2) return;
    x->divisor = set_hash_constant(&x->cfg);
    x->folds = 2;
}

/* Of degree 1 to 9, enough for 128 partitions of 4 slices. */
static uint64_t modulo_polynomial(uint64_t n, uint32_t degree)
{
    static const uint64_t irreducible[] = {1, 3, 7, 0xb, 0x13, 0x25, 0x43, 0x83, 0x11d, 0x211};
    for (uint32_t bit = 63; bit >= degree && n; bit--)
        if (n >> bit & 1) n ^= irreducible[degree] << (bit - degree);
    return n;
}

/* Units of one quotient are on different partitions, in an order that depends on the quotient. */
static uint32_t rotate(uint64_t unit, uint32_t count)
{
    return (uint32_t)((unit + modulo_polynomial(unit / count, log2_ceil(count))) % count);
}

static const struct partition_map rotated = {
    .policy = {"rotated", "modulo their number, rotated by the quotient modulo an irreducible polynomial; any number"},
    .any = true,
    .of = rotate};
PARTITION_MAP_REGISTER(rotated);

#define PARTITIONS(name, constant, shaper, text, ...)                                                                  \
    static const struct partition_map name = {.policy = {#name, text},                                                 \
                                              .any = SET_HASH_##constant == SET_HASH_BMOD,                             \
                                              .function = SET_HASH_##constant,                                         \
                                              .shape = shaper};                                                        \
    PARTITION_MAP_REGISTER(name, __VA_ARGS__)

PARTITIONS(modulo, BMOD, shape_modulo, "modulo their number, any number", .plain = true);
PARTITIONS(xor, BXOR, NULL, "the low bits XOR those above them");
PARTITIONS(xorshift, XORSHIFT, NULL, "the low bits XOR those eight further up, for any number of partitions");
PARTITIONS(prime, PMOD, shape_prime, "modulo the largest prime not above their number: the others are not used");
PARTITIONS(ipoly, IPOLY, NULL, "modulo an irreducible polynomial");
PARTITIONS(a_prime, A_PRIME, shape_a_prime,
           "modulo the largest prime below twice their number, and the low bits of that");
PARTITIONS(d_prime, D_PRIME, NULL, "a prime times the tag, added to the low bits");
