#include "system/index.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "base/rng.h"

/* Paper 001, figure 7, for 32 sets: which address bits, A7 to A25, each index bit is the parity of.  I0, I3 and I4 as
 * printed there. */
#define A(bit) (1ull << ((bit)-7))

Test(index, ipoly_of_32_sets_is_poly_37_of_figure_7)
{
    const struct {
        uint32_t index_bit;
        uint64_t lines;
    } equation[] = {
        {0, A(25) | A(24) | A(23) | A(22) | A(21) | A(18) | A(17) | A(15) | A(12) | A(7)},
        {3, A(23) | A(22) | A(21) | A(20) | A(19) | A(16) | A(15) | A(13) | A(10)},
        {4, A(24) | A(23) | A(22) | A(21) | A(20) | A(17) | A(16) | A(14) | A(11)},
    };
    struct rng rng;
    rng_seed(&rng, 1);
    for (int i = 0; i < 10000; i++) {
        uint64_t line = rng_below(&rng, 1u << 19);
        uint32_t set = index_set(INDEX_IPOLY, 5, line);
        for (int e = 0; e < 3; e++)
            cr_assert_eq(set >> equation[e].index_bit & 1, (uint32_t)__builtin_parityll(line & equation[e].lines),
                         "I%u of line 0x%llx", equation[e].index_bit, (unsigned long long)line);
    }
}

/* GPGPU-Sim's function H for 32 sets: a[11:7] ^ {a19, a17, a15, a14, a13}. */
Test(index, fermi_is_the_low_bits_with_five_higher_ones)
{
    for (uint32_t bit = 0; bit < 5; bit++) cr_assert_eq(index_set(INDEX_FERMI, 5, 1u << bit), 1u << bit);
    cr_assert_eq(index_set(INDEX_FERMI, 5, A(13)), 1);
    cr_assert_eq(index_set(INDEX_FERMI, 5, A(14)), 2);
    cr_assert_eq(index_set(INDEX_FERMI, 5, A(15)), 4);
    cr_assert_eq(index_set(INDEX_FERMI, 5, A(17)), 8);
    cr_assert_eq(index_set(INDEX_FERMI, 5, A(19)), 16);
    cr_assert_eq(index_set(INDEX_FERMI, 5, A(12) | A(16) | A(18) | A(20) | A(40)), 0);
    cr_assert_eq(index_set(INDEX_FERMI, 5, A(7) | A(13)), 0);
}

static uint32_t sets_hit(enum index_function f, uint32_t k, uint64_t stride)
{
    bool hit[65536] = {false};
    uint32_t n = 0;
    for (uint64_t i = 0; i < 1u << k; i++) {
        uint32_t set = index_set(f, k, i * stride);
        cr_assert_lt(set, 1u << k);
        n += !hit[set];
        hit[set] = true;
    }
    return n;
}

Test(index, a_stride_of_all_sets_collapses_under_bmod_and_spreads_under_the_hashes)
{
    for (uint32_t k = 1; k <= 16; k++) {
        cr_assert_eq(sets_hit(INDEX_BMOD, k, 1u << k), 1, "k=%u", k);
        cr_assert_eq(sets_hit(INDEX_BXOR, k, 1u << k), 1u << k, "k=%u", k);
        cr_assert_eq(sets_hit(INDEX_IPOLY, k, 1u << k), 1u << k, "k=%u", k);
        cr_assert_eq(sets_hit(INDEX_D_PRIME, k, 1u << k), 1u << k, "k=%u", k); /* 9 is odd */
    }
}

/* A polynomial is irreducible if none of lower degree, from x on, divides it; the residue of p itself must be 0 and
 * multiplication by x must step through the residues: with P irreducible, x^(2^k) = x mod P. */
Test(index, ipoly_is_linear_and_its_modulus_irreducible)
{
    for (uint32_t k = 2; k <= 16; k++) {
        uint64_t p = 1u << k | index_set(INDEX_IPOLY, k, 1u << k);
        for (uint64_t d = 2; d < 1u << k; d++) {
            uint64_t r = p;
            int degree = 63 - __builtin_clzll(d);
            while (r >> degree) r ^= d << (63 - __builtin_clzll(r) - degree);
            cr_assert_neq(r, 0, "degree %u: %llu divides %llu", k, (unsigned long long)d, (unsigned long long)p);
        }
    }
    cr_assert_eq(index_set(INDEX_IPOLY, 5, 37), 0);
    cr_assert_eq(index_set(INDEX_IPOLY, 4, 19), 0);
    for (uint64_t a = 1; a < 1ull << 40; a *= 7)
        cr_assert_eq(index_set(INDEX_IPOLY, 5, a ^ 0x5a5a5a5aull),
                     index_set(INDEX_IPOLY, 5, a) ^ index_set(INDEX_IPOLY, 5, 0x5a5a5a5aull));
}

/* By hand, line 1000 = 31 * 32 + 8 = 32 * 31 + 8: T = 31, x = 8, t = 31.  BXOR 31 ^ 8 = 23; 1000 mod 31 = 8;
 * 1000 mod 37 = 1; 31 * 9 + 8 = 287 = 31 mod 32. */
Test(index, six_functions_of_one_line)
{
    cr_assert_eq(index_set(INDEX_BMOD, 5, 1000), 8);
    cr_assert_eq(index_set(INDEX_BXOR, 5, 1000), 23);
    cr_assert_eq(index_set(INDEX_PMOD, 5, 1000), 8);
    cr_assert_eq(index_set(INDEX_A_PRIME, 5, 1000), 1);
    cr_assert_eq(index_set(INDEX_D_PRIME, 5, 1000), 31);
    for (int f = INDEX_BMOD; f <= INDEX_IPOLY; f++) cr_assert_eq(index_set((enum index_function)f, 0, 1000), 0);
}

Test(index, pmod_wastes_what_its_prime_leaves_and_a_prime_does_not)
{
    bool pmod[32] = {false}, a_prime[32] = {false};
    for (uint64_t line = 0; line < 10000; line++) {
        pmod[index_set(INDEX_PMOD, 5, line)] = true;
        a_prime[index_set(INDEX_A_PRIME, 5, line)] = true;
    }
    for (int s = 0; s < 32; s++) {
        cr_assert_eq(pmod[s], s < 31);
        cr_assert(a_prime[s]);
    }
}

static void check_bijection(enum partition_map map, uint32_t count, uint32_t used)
{
    enum { UNITS = 1 << 14 };
    bool *seen = calloc(64 * UNITS, 1);
    for (uint64_t unit = 0; unit < UNITS; unit++) {
        uint32_t p = index_partition(map, count, unit);
        uint64_t local = index_local(map, count, unit);
        cr_assert_lt(p, used, "map %d count %u", map, count);
        cr_assert_leq(local, unit);
        cr_assert_not(seen[p * UNITS + local], "map %d count %u unit %llu", map, count, (unsigned long long)unit);
        seen[p * UNITS + local] = true;
    }
    free(seen);
}

Test(index, partition_and_local_address_together_tell_the_unit)
{
    const uint32_t primes[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61};
    for (uint32_t n = 1; n <= 64; n++) {
        uint32_t prime = 1;
        for (size_t i = 0; i < sizeof primes / sizeof *primes; i++)
            if (primes[i] <= n) prime = primes[i];
        check_bijection(MAP_MODULO, n, n);
        check_bijection(MAP_PRIME, n, prime);
        if (n & (n - 1)) continue;
        check_bijection(MAP_XOR, n, n);
        check_bijection(MAP_IPOLY, n, n);
    }
}

Test(index, the_papers_sixteen_partitions_use_13_under_prime)
{
    cr_assert_eq(index_partition(MAP_PRIME, 16, 100), 100 % 13);
    cr_assert_eq(index_partition(MAP_MODULO, 6, 100), 4);
    cr_assert_eq(index_local(MAP_MODULO, 6, 100), 16);
    cr_assert_eq(index_partition(MAP_XOR, 16, 0x35), 0x6);
}
