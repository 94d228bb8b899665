/* SPDX-License-Identifier: Apache-2.0 */
/* set_hash against the plain arithmetic of the papers: every small address, samples of wide ones. */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "set_hash.h"

enum { ADDR_W = 41, SAMPLES = 200000 };

static struct set_hash make(uint32_t function, uint32_t kind, uint32_t k, uint32_t addr_w, uint32_t constant)
{
    const struct set_hash_cfg cfg = {function, kind, k, addr_w, constant};
    struct set_hash m;
    cr_assert_null(set_hash_illegal(&cfg), "%s", set_hash_illegal(&cfg));
    set_hash_init(&m, &cfg);
    return m;
}

static uint32_t index_of(const struct set_hash *m, uint64_t address)
{
    struct set_hash_out out;
    set_hash_eval(m, &(struct set_hash_in){address}, &out);
    return out.index_o;
}

static bool prime(uint32_t n)
{
    for (uint32_t d = 2; d * d <= n; d++)
        if (n % d == 0) return false;
    return n > 1;
}

/* Polynomials over GF(2): a mod p, and is p irreducible? */
static uint64_t poly_rest(uint64_t a, uint64_t p)
{
    const int degree = 63 - __builtin_clzll(p);
    while (a >> degree) a ^= p << (63 - __builtin_clzll(a) - degree);
    return a;
}

static bool irreducible(uint64_t p, uint32_t degree)
{
    for (uint64_t d = 2; d < 1u << (degree / 2 + 1); d++)
        if (poly_rest(p, d) == 0) return d == p;
    return true;
}

/* FERMI has no k of its own and no arithmetic: lockstep's scenarios check it bit by bit. */
static const uint32_t arithmetic[] = {SET_HASH_BMOD,    SET_HASH_BXOR,  SET_HASH_PMOD,    SET_HASH_A_PRIME,
                                      SET_HASH_D_PRIME, SET_HASH_IPOLY, SET_HASH_XORSHIFT};
enum { ARITHMETIC = sizeof arithmetic / sizeof *arithmetic };

static uint64_t reference(const struct set_hash_cfg *c, uint64_t a)
{
    const uint64_t sets = 1ull << c->IndexW, x = a % sets, t = a / sets % sets, p = set_hash_constant(c);
    switch (c->Function) {
    case SET_HASH_BMOD:
        return x;
    case SET_HASH_BXOR:
        return t ^ x;
    case SET_HASH_PMOD:
        return a % p;
    case SET_HASH_A_PRIME:
        return a % p % sets;
    case SET_HASH_XORSHIFT:
        return (a ^ a / (1ull << p)) % sets;
    case SET_HASH_D_PRIME:
        return (a / sets * p + x) % sets;
    default:
        return poly_rest(a, p);
    }
}

Test(set_hash, constants_are_what_their_names_say)
{
    for (uint32_t k = 1; k <= 16; k++) {
        const struct set_hash_cfg pmod = {SET_HASH_PMOD, 0, k, ADDR_W, 0}, above = {SET_HASH_A_PRIME, 0, k, ADDR_W, 0},
                                  twice = {SET_HASH_A_PRIME, 1, k, ADDR_W, 0}, poly = {SET_HASH_IPOLY, 0, k, ADDR_W, 0};
        uint32_t p = 1u << k, q = p + 1, r = 2 * p;
        while (!prime(p)) p--;
        while (!prime(q)) q++;
        while (!prime(r)) r--;
        cr_expect_eq(set_hash_constant(&pmod), p, "largest prime not above 2^%u", k);
        cr_expect_eq(set_hash_constant(&above), q, "smallest prime above 2^%u", k);
        cr_expect_eq(set_hash_constant(&twice), r, "largest prime not above 2^%u", k + 1);
        cr_expect_eq(set_hash_constant(&poly) >> k, 1, "degree %u", k);
        cr_expect(irreducible(set_hash_constant(&poly), k), "degree %u", k);
    }
}

/* Dai17: 32 sets, section 3.4; 16 partitions, section 3.7. D_PRIME's 9 is not from it: it names 11, for partitions.
 * XORSHIFT: DaiSim17. */
Test(set_hash, constants_of_the_papers_machines)
{
    static const struct {
        struct set_hash_cfg cfg;
        uint32_t constant;
    } given[] = {{{SET_HASH_PMOD, 0, 5, ADDR_W, 0}, 31},    {{SET_HASH_PMOD, 1, 4, ADDR_W, 0}, 13},
                 {{SET_HASH_A_PRIME, 0, 5, ADDR_W, 0}, 37}, {{SET_HASH_A_PRIME, 1, 4, ADDR_W, 0}, 31},
                 {{SET_HASH_D_PRIME, 0, 5, ADDR_W, 0}, 9},  {{SET_HASH_D_PRIME, 1, 4, ADDR_W, 0}, 11},
                 {{SET_HASH_IPOLY, 0, 5, ADDR_W, 0}, 37},   {{SET_HASH_IPOLY, 1, 4, ADDR_W, 0}, 19},
                 {{SET_HASH_XORSHIFT, 0, 5, ADDR_W, 0}, 7}, {{SET_HASH_XORSHIFT, 1, 4, ADDR_W, 0}, 8}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        cr_expect_eq(set_hash_constant(&given[i].cfg), given[i].constant, "row %zu", i);
}

/* Every function, both kinds, every k, every address of 16 bits; 20 bits for the papers' sizes. */
Test(set_hash, every_small_address_has_the_index_of_the_reference)
{
    for (uint32_t i = 0; i < ARITHMETIC; i++)
        for (uint32_t kind = 0; kind < 2; kind++)
            for (uint32_t k = 1; k <= 16; k++) {
                const uint32_t f = arithmetic[i];
                const uint32_t w = k == 4 || k == 5 ? 20 : 16;
                const struct set_hash m = make(f, kind, k, w, 0);
                for (uint64_t a = 0; a >> w == 0; a++)
                    cr_assert_eq(index_of(&m, a), reference(&m.p, a), "function %u kind %u k %u line 0x%llx", f, kind,
                                 k, (unsigned long long)a);
            }
}

static void check_samples(const struct set_hash *m, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    for (uint32_t i = 0; i < SAMPLES; i++) {
        const uint64_t a = rng_u64(&rng) >> (64 - m->p.AddrW);
        cr_assert_eq(index_of(m, a), reference(&m->p, a), "function %u kind %u k %u seed %llu line 0x%llx",
                     m->p.Function, m->p.Kind, m->p.IndexW, (unsigned long long)seed, (unsigned long long)a);
    }
    for (uint32_t i = 0; i < m->p.AddrW; i++) /* runs of ones: the largest sums, the longest carries */
        for (uint32_t j = 0; j <= i; j++) {
            const uint64_t a = bits_mask(i + 1) & ~bits_mask(j);
            cr_assert_eq(index_of(m, a), reference(&m->p, a));
        }
}

Test(set_hash, wide_addresses_have_the_index_of_the_reference)
{
    for (uint32_t i = 0; i < ARITHMETIC; i++)
        for (uint32_t kind = 0; kind < 2; kind++)
            for (uint32_t k = 1; k <= 16; k++) {
                const uint32_t f = arithmetic[i];
                const struct set_hash m = make(f, kind, k, ADDR_W, 0), widest = make(f, kind, k, 64, 0);
                check_samples(&m, 100 * f + k);
                check_samples(&widest, 100 * f + k);
            }
}

/* Any modulus will do, not only a prime: partitions come in sixes and twelves. */
Test(set_hash, every_modulus)
{
    for (uint32_t p = 2; p <= 300; p++) {
        uint32_t k = 1;
        while (1u << k < p) k++;
        const struct set_hash m = make(SET_HASH_PMOD, SET_HASH_PARTITIONS, k, ADDR_W, p);
        for (uint64_t a = 0; a < 5000; a++) cr_assert_eq(index_of(&m, a), a % p, "modulus %u", p);
        struct rng rng;
        rng_seed(&rng, p);
        for (uint32_t i = 0; i < 5000; i++) {
            const uint64_t a = rng_u64(&rng) >> (64 - ADDR_W);
            cr_assert_eq(index_of(&m, a), a % p, "modulus %u", p);
        }
    }
}

Test(set_hash, what_is_no_legal_configuration_is_told)
{
    static const struct set_hash_cfg illegal[] = {
        {SET_HASH_BXOR, 0, 5, 4, 0},    {SET_HASH_PMOD, 0, 4, ADDR_W, 17},    {SET_HASH_PMOD, 0, 4, ADDR_W, 1},
        {SET_HASH_IPOLY, 0, 5, 41, 19}, {SET_HASH_A_PRIME, 0, 5, 41, 64},     {SET_HASH_FERMI, 0, 6, ADDR_W, 0},
        {SET_HASH_FERMI, 0, 5, 12, 0},  {SET_HASH_A_PRIME, 0, 5, ADDR_W, 31}, {SET_HASH_XORSHIFT, 0, 5, ADDR_W, 64}};
    for (size_t i = 0; i < sizeof illegal / sizeof *illegal; i++)
        cr_expect(set_hash_illegal(&illegal[i]), "row %zu", i);
}

/* Combinational: always idle, and no tick, skip or reset changes a byte. */
Test(set_hash, has_no_state)
{
    struct set_hash m = make(SET_HASH_A_PRIME, 0, 5, ADDR_W, 0);
    const struct set_hash before = m;
    set_hash_tick(&m, &(struct set_hash_in){12345});
    set_hash_skip(&m, 9);
    set_hash_reset(&m);
    cr_expect(set_hash_idle(&m));
    cr_expect_arr_eq(&m, &before, sizeof m);
}
