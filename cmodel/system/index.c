#include "system/index.h"

/* Largest prime below 2^k and smallest above it.  No prime is below 2: one bit of index then takes 2, the plain modulo.
 */
static const uint32_t prime_below[17] = {1,   2,    3,    7,    13,   31,    61,    127,  251,
                                         509, 1021, 2039, 4093, 8191, 16381, 32749, 65521};
static const uint32_t prime_above[17] = {2,   3,    5,    11,   17,   37,    67,    131,  257,
                                         521, 1031, 2053, 4099, 8209, 16411, 32771, 65537};
/* Irreducible over GF(2), one of each degree; 37 and 19 are the papers'. */
static const uint32_t polynomial[17] = {1,   3,    7,    11,   19,   37,    67,    131,  285,
                                        529, 1033, 2053, 4179, 8219, 17475, 32771, 69643};
enum { DISPLACEMENT = 9 }; /* paper 000: 9 for sets */

static uint32_t poly_mod(uint64_t a, uint32_t k)
{
    uint64_t p = polynomial[k];
    while (a >> k) a ^= p << (63 - (uint32_t)__builtin_clzll(a) - k);
    return (uint32_t)a;
}

/* Byte address bits 19, 17, 15, 14 and 13, as GPGPU-Sim's function H has them for 32 sets. */
static uint64_t fermi_upper(uint64_t line)
{
    return (line >> 6 & 7) | (line >> 10 & 1) << 3 | (line >> 12 & 1) << 4;
}

uint32_t index_set(enum index_function f, uint32_t k, uint64_t line)
{
    uint32_t mask = (1u << k) - 1;
    switch (f) {
    case INDEX_BXOR:
        return (uint32_t)(line ^ line >> k) & mask;
    case INDEX_PMOD:
        return (uint32_t)(line % prime_below[k]);
    case INDEX_A_PRIME:
        return (uint32_t)(line % prime_above[k]) & mask;
    case INDEX_D_PRIME:
        return (uint32_t)((line >> k) * DISPLACEMENT + line) & mask;
    case INDEX_IPOLY:
        return poly_mod(line, k);
    case INDEX_FERMI:
        return (uint32_t)(line ^ fermi_upper(line)) & mask;
    case INDEX_BMOD:
        break;
    }
    return (uint32_t)line & mask;
}

static uint32_t log2_of(uint32_t power)
{
    return 31 - (uint32_t)__builtin_clz(power);
}

/* n up to 64; bit i of the constant says that i is prime. */
static uint32_t prime_not_above(uint32_t n)
{
    const uint64_t primes = 0x28208a20a08a28acu;
    uint64_t up_to_n = n >= 63 ? primes : primes & ((2ull << n) - 1);
    return up_to_n ? 63 - (uint32_t)__builtin_clzll(up_to_n) : 1;
}

static uint32_t partitions_used(enum partition_map map, uint32_t count)
{
    return map == MAP_PRIME ? prime_not_above(count) : count;
}

uint32_t index_partition(enum partition_map map, uint32_t count, uint64_t unit)
{
    switch (map) {
    case MAP_XOR:
        return index_set(INDEX_BXOR, log2_of(count), unit);
    case MAP_IPOLY:
        return poly_mod(unit, log2_of(count));
    case MAP_MODULO:
    case MAP_PRIME:
        break;
    }
    count = partitions_used(map, count);
    return (count & (count - 1)) == 0 ? (uint32_t)unit & (count - 1) : (uint32_t)(unit % count);
}

/* Dividing undoes each map: with the quotient known, the partition number is a permutation of the remainder. */
uint64_t index_local(enum partition_map map, uint32_t count, uint64_t unit)
{
    count = partitions_used(map, count);
    return (count & (count - 1)) == 0 ? unit >> log2_of(count) : unit / count;
}
