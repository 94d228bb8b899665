/* SPDX-License-Identifier: Apache-2.0 */
#include "set_hash.h"

/* By k.  Largest prime not above 2^k, smallest above it; one irreducible polynomial over GF(2) per degree, 37 and 19
 * being the papers'. */
static const uint32_t prime_up_to[18] = {1,   2,    3,    7,    13,   31,    61,    127,   251,
                                         509, 1021, 2039, 4093, 8191, 16381, 32749, 65521, 131071};
static const uint32_t prime_above[17] = {2,   3,    5,    11,   17,   37,    67,    131,  257,
                                         521, 1031, 2053, 4099, 8209, 16411, 32771, 65537};
static const uint32_t polynomial[17] = {1,   3,    7,    11,   19,   37,    67,    131,  285,
                                        529, 1033, 2053, 4179, 8219, 17475, 32771, 69643};

uint32_t set_hash_constant(const struct set_hash_cfg *cfg)
{
    const uint32_t k = cfg->IndexW;
    const bool sets = cfg->Kind == SET_HASH_SETS;
    if (cfg->Constant) return cfg->Constant;
    if (cfg->Function == SET_HASH_PMOD) return prime_up_to[k];
    if (cfg->Function == SET_HASH_A_PRIME) return sets ? prime_above[k] : prime_up_to[k + 1];
    if (cfg->Function == SET_HASH_D_PRIME) return sets ? 9 : 11;
    if (cfg->Function == SET_HASH_XORSHIFT) return sets ? 7 : 8;
    return cfg->Function == SET_HASH_IPOLY ? polynomial[k] : 0;
}

const char *set_hash_illegal(const struct set_hash_cfg *cfg)
{
    const uint32_t k = cfg->IndexW, c = set_hash_constant(cfg);
    if (cfg->AddrW < k) return "AddrW: allowed: IndexW or more";
    switch (cfg->Function) {
    case SET_HASH_PMOD:
        return c >= 2 && c <= 1u << k ? NULL : "Constant of PMOD, a modulus: allowed: 2 to 2^IndexW";
    case SET_HASH_A_PRIME:
    case SET_HASH_IPOLY:
        return c >> k == 1 ? NULL : "Constant of A_PRIME or IPOLY: allowed: 2^IndexW to 2^(IndexW + 1) - 1";
    case SET_HASH_FERMI:
        return k == 5 && cfg->AddrW >= 13 ? NULL : "FERMI: allowed: IndexW 5, AddrW 13 or more";
    case SET_HASH_XORSHIFT:
        return c <= 63 ? NULL : "Constant of XORSHIFT, a shift: allowed: up to 63";
    default:
        return NULL;
    }
}

/* ---- residues of single bits, as integers modulo `odd` or as polynomials modulo `constant` */
static uint32_t add(const struct set_hash *m, uint32_t a, uint32_t b)
{
    if (m->p.Function == SET_HASH_IPOLY) return a ^ b;
    return a + b >= m->odd ? a + b - m->odd : a + b;
}

static uint32_t twice(const struct set_hash *m, uint32_t a)
{
    if (m->p.Function != SET_HASH_IPOLY) return add(m, a, a);
    return a << 1 >> m->p.IndexW ? a << 1 ^ m->constant : a << 1;
}

static void fill_tables(struct set_hash *m)
{
    uint32_t column = 1;
    for (uint32_t i = 0; i < SET_HASH_TABLES; i++) {
        for (uint32_t v = 0; v < 16; v++) m->residue[i][v] = 0;
        for (uint32_t bit = 0; bit < 4; bit++) {
            for (uint32_t v = 0; v < 16; v++)
                if (v >> bit & 1) m->residue[i][v] = add(m, m->residue[i][v], column);
            column = twice(m, column);
        }
    }
}

static void split_modulus(struct set_hash *m)
{
    const bool modulus = m->p.Function == SET_HASH_PMOD || m->p.Function == SET_HASH_A_PRIME;
    m->odd = modulus ? m->constant : 1;
    m->twos = 0;
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t even = ~m->odd & 1;
        m->odd >>= even;
        m->twos += even;
    }
    m->end_around = m->odd > 1 && (m->odd & (m->odd + 1)) == 0;
}

void set_hash_init(struct set_hash *m, const struct set_hash_cfg *cfg)
{
    m->p = *cfg;
    m->mask = (uint32_t)bits_mask(cfg->IndexW);
    m->divides = cfg->Function == SET_HASH_PMOD || cfg->Function == SET_HASH_A_PRIME || cfg->Function == SET_HASH_IPOLY;
    m->constant = set_hash_constant(cfg);
    split_modulus(m);
    m->digit_bits = 4;
    if (m->end_around)
        for (uint32_t i = 0; i < 18; i++)
            if (m->odd >> i == 1) m->digit_bits = i + 1;
    m->digits = m->p.AddrW > m->twos ? (m->p.AddrW - m->twos + m->digit_bits - 1) / m->digit_bits : 1;
    m->subtractions = m->digits > 1 ? bits_index(m->digits) : 0;
    if (m->divides) fill_tables(m);
}

/* ---- A mod p */
/* Modulo 2^n - 1, 2^n is 1: n-bit digits are added with end-around carry.  2^n - 1 is a second representation of 0. */
static uint32_t end_around_sum(const struct set_hash *m, uint64_t a)
{
    const uint32_t odd = m->odd, bits = m->digit_bits;
    uint32_t node[2 * SET_HASH_MAX_DIGITS]; /* 1 to 2 * digits - 1 */
    for (uint32_t i = m->digits; i < 2 * m->digits; i++, a >>= bits) node[i] = (uint32_t)a & odd;
    for (uint32_t i = m->digits - 1; i > 0; i--) {
        const uint32_t sum = node[2 * i] + node[2 * i + 1];
        node[i] = (sum & odd) + (sum >> bits);
    }
    return node[1] == odd ? 0 : node[1];
}

/* For another modulus p, each four-bit digit is replaced by its residue; the sum is below digits * p. */
static uint32_t table_sum(const struct set_hash *m, uint64_t a)
{
    uint32_t node[2 * SET_HASH_MAX_DIGITS] = {0};
    for (uint32_t i = 0; i < m->digits; i++) node[m->digits + i] = m->residue[i][a >> 4 * i & 15];
    for (uint32_t i = m->digits - 1; i > 0; i--) node[i] = node[2 * i] + node[2 * i + 1];
    uint32_t sum = node[1];
    for (uint32_t i = m->subtractions; i > 0; i--) {
        const uint32_t multiple = m->odd << (i - 1);
        sum = sum >= multiple ? sum - multiple : sum;
    }
    return sum;
}

/* A mod (q * 2^z) is (A / 2^z mod q) above the low z bits of A. */
static uint32_t modulo(const struct set_hash *m, uint64_t a)
{
    const uint32_t low = (uint32_t)(a & bits_mask(m->twos));
    const uint64_t high = a >> m->twos;
    if (m->odd == 1) return low;
    return (m->end_around ? end_around_sum(m, high) : table_sum(m, high)) << m->twos | low;
}

/* ---- A(x) mod P(x): residues are added without carry */
static uint32_t poly_modulo(const struct set_hash *m, uint64_t a)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < m->digits; i++) sum ^= m->residue[i][a >> 4 * i & 15];
    return sum;
}

/* Byte address bits 19, 17, 15, 14 and 13, of 128-byte lines. */
static uint64_t fermi_upper(uint64_t a)
{
    return (a >> 6 & 7) | (a >> 10 & 1) << 3 | (a >> 12 & 1) << 4;
}

/* Functions of a few gates. */
static uint64_t mix(const struct set_hash *m, uint64_t a)
{
    switch (m->p.Function) {
    case SET_HASH_BXOR:
        return a ^ a >> m->p.IndexW;
    case SET_HASH_D_PRIME:
        return (a >> m->p.IndexW) * m->constant + a;
    case SET_HASH_FERMI:
        return a ^ fermi_upper(a);
    case SET_HASH_XORSHIFT:
        return a ^ a >> m->constant;
    default:
        return a;
    }
}

void set_hash_eval(const struct set_hash *m, const struct set_hash_in *in, struct set_hash_out *out)
{
    if (!m->divides)
        out->index_o = (uint32_t)mix(m, in->addr_i) & m->mask;
    else if (m->p.Function == SET_HASH_IPOLY)
        out->index_o = poly_modulo(m, in->addr_i);
    else
        out->index_o = modulo(m, in->addr_i) & m->mask;
}

/* Combinational: no register, never busy. */
void set_hash_reset(struct set_hash *m)
{
    (void)m;
}

void set_hash_tick(struct set_hash *m, const struct set_hash_in *in)
{
    (void)m;
    (void)in;
}

bool set_hash_idle(const struct set_hash *m)
{
    (void)m;
    return true;
}

void set_hash_skip(struct set_hash *m, uint64_t cycles)
{
    (void)m;
    (void)cycles;
}
