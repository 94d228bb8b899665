/* SPDX-License-Identifier: Apache-2.0 */
/* The semantics of C, construct by construct: each function f_ is run by gcc and by the prover's interpreter on the
 * same values. For a function u_, the function w_ of the same name says when C leaves its behaviour undefined. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum kind { RED, GREEN = 5, BLUE };
struct pair {
    uint8_t a;
    uint16_t b[3];
};
static const uint8_t table[4] = {3, [2] = 9, 1};

uint64_t f_promotion(uint64_t a, uint64_t b, uint32_t c)
{
    uint8_t x = (uint8_t)a, y = (uint8_t)b;
    return (uint64_t)((x + y) >> 1) + (uint64_t)(~x < 0) + c;
}
uint64_t f_signed_compare(uint64_t a, uint64_t b, uint32_t c)
{
    int32_t x = (int32_t)(a & 0x7fffffff), y = -(int32_t)(b & 0x7fff);
    return (uint64_t)(x < y) | (uint64_t)((uint32_t)x < (uint32_t)y) << 1 | (uint64_t)(y < (int64_t)c) << 2 |
           (uint64_t)(y < c) << 3;
}
uint64_t f_sign_extension(uint64_t a, uint64_t b, uint32_t c)
{
    int8_t x = (int8_t)a;
    int16_t y = (int16_t)b;
    return (uint64_t)x ^ (uint64_t)(uint32_t)y ^ c;
}
uint64_t f_bool(uint64_t a, uint64_t b, uint32_t c)
{
    bool x = a & 0x100, y = (bool)(b & 0xff00);
    x += y;
    return (uint64_t)(x + y + !c) + (uint64_t)(-x & 6);
}
uint64_t f_shifts(uint64_t a, uint64_t b, uint32_t c)
{
    int32_t s = (int32_t)a;
    return (a << (b & 63)) ^ (a >> (c & 63)) ^ (uint64_t)(s >> (b & 31)) ^ (uint64_t)((uint8_t)a << (c & 15)) ^
           (c >> (a & 31));
}
uint64_t f_division(uint64_t a, uint64_t b, uint32_t c)
{
    int32_t x = (int32_t)(a >> 40) - 5000000, y = (int32_t)(b & 0xff) - 300;
    return a / (b | 1) + a % (c | 1u) + (uint64_t)(x / y) * 3 + (uint64_t)(x % y);
}
uint64_t f_multiply(uint64_t a, uint64_t b, uint32_t c)
{
    return a * b + c * (uint32_t)a + (uint64_t)((uint8_t)a * (uint8_t)b) + (uint64_t)((int16_t)a * (int16_t)b);
}
uint64_t f_ternary_type(uint64_t a, uint64_t b, uint32_t c)
{
    int32_t neg = -1;
    return (uint64_t)((a & 1 ? neg : c) > 5) + (uint64_t)((1 ? neg : c) > 5) * 2 + (b & 1 ? (uint8_t)a : (int64_t)-2);
}
uint64_t f_compound_assignment(uint64_t a, uint64_t b, uint32_t c)
{
    uint8_t x = (uint8_t)a;
    uint16_t y = (uint16_t)b;
    x += 200, x -= (uint8_t)c, x *= 3, x ^= 0x5a, x |= 1, x &= 0x7f, x <<= 2, x >>= 1;
    y++, --y, y %= 1000;
    return (uint64_t)x << 20 | (uint64_t)y-- << 2 | (uint64_t)(y & 1) | (uint64_t)(++x == 0) << 40;
}
uint64_t f_early_return(uint64_t a, uint64_t b, uint32_t c)
{
    if (a & 1) {
        if (b & 1) return c;
        b += 5;
    } else if (b & 2)
        return a;
    return b + 1;
}
uint64_t f_break_continue(uint64_t a, uint64_t b, uint32_t c)
{
    uint64_t sum = c;
    uint32_t i;
    for (i = 0; i < 12; i++) {
        if (a >> i & 1) continue;
        if ((b >> i & 3) == 3) break;
        sum = sum * 3 + i;
    }
    return sum * 16 + i;
}
uint64_t f_return_in_loop(uint64_t a, uint64_t b, uint32_t c)
{
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t k = 0; k < 4; k++)
            if ((a >> (i * 4 + k) & 1) && (b >> i & 1)) return i * 100 + k + c;
    return 7;
}
uint64_t f_unknown_bounds(uint64_t a, uint64_t b, uint32_t c)
{
    uint64_t n = 0;
    for (uint32_t i = a & 1 ? 2 : 0; i < (b & 1 ? 5u : 9u); i++) n = n * 5 + (c >> i & 3);
    uint32_t k = c & 7;
    while (k & 4) k += 3;
    do k++;
    while (k & 2);
    return n * 64 + k;
}
static bool four_ones(const uint8_t *byte, uint32_t first)
{
    return byte[first] && byte[first + 1] && byte[first + 2] && byte[first + 3];
}
/* No bit of `i` is a constant where the last loop starts: its end follows from the branches before it. */
static uint32_t search_in_groups(const uint8_t *byte, uint32_t count)
{
    uint32_t i = 0;
    while (i + 4 <= count && four_ones(byte, i)) i += 4;
    if (i + 4 <= count) return i + !!byte[i] + (byte[i] && byte[i + 1]);
    while (i < count && byte[i]) i++;
    return i;
}
uint64_t f_end_of_a_search(uint64_t a, uint64_t b, uint32_t c)
{
    uint8_t byte[15];
    for (uint32_t i = 0; i < 15; i++) byte[i] = a >> i & 1 || b >> i & 1 || c >> i & 1;
    return search_in_groups(byte, 12) * 16 + search_in_groups(byte, 15);
}
uint64_t f_switch(uint64_t a, uint64_t b, uint32_t c)
{
    uint64_t r = c;
    switch ((enum kind)(a & 7)) {
    case RED:
        r += 1;
        break;
    case GREEN:
        r += 2; /* falls through */
    case BLUE:
        r *= 3;
        if (b & 1) break;
        r += 9;
        break;
    case 3:
        return b;
    default:
        r ^= 0x55;
    }
    return r + BLUE;
}
static void swap(struct pair *p, struct pair *q)
{
    struct pair t = *p;
    *p = *q;
    *q = t;
}
static uint16_t sum3(const uint16_t *x)
{
    return (uint16_t)(x[0] + x[1] + x[2]);
}
uint64_t f_structs(uint64_t a, uint64_t b, uint32_t c)
{
    struct pair p = {(uint8_t)a, {1, (uint16_t)b}}, q = {.b = {[1] = (uint16_t)c}};
    struct pair pair[2];
    memset(pair, 0, sizeof pair);
    swap(&p, &q);
    pair[a & 1] = p;
    pair[b & 1].b[c & 1] = sum3(q.b);
    const struct pair *last = &pair[c & 1];
    return (uint64_t)last->a | (uint64_t)sum3(last->b) << 8 | (uint64_t)(*last).b[b & 1] << 24 | (uint64_t)q.a << 40;
}
uint64_t f_tables(uint64_t a, uint64_t b, uint32_t c)
{
    uint8_t m[6] = {0};
    for (uint32_t i = 0; i < sizeof m / sizeof *m; i++) m[i] = (uint8_t)(a >> i * 8);
    m[b % 6] = (uint8_t)c;
    m[c % 5]++;
    return (uint64_t)m[a % 6] + (uint64_t)table[b & 3] * 256 + (uint64_t)m[5] * 65536;
}
uint64_t f_short_circuit(uint64_t a, uint64_t b, uint32_t c)
{
    uint32_t n = 0, x = 0;
    bool r = (a & 1 && ++n) || (b & 1 && (n += 4, c & 1));
    if (c & 2 && n) x = 3;
    return n | (uint64_t)r << 8 | (uint64_t)x << 16;
}
uint64_t f_constants(uint64_t a, uint64_t b, uint32_t c)
{
    return (uint64_t)(-1 < 0u) + (uint64_t)(0xffffffff > -1) + (uint64_t)(2147483648 > -1) * 4 + 010 + 'A' + (a & ~0u) +
           (b & ~0) + (c & ~(uint64_t)0) + sizeof(uint64_t) + sizeof(struct pair);
}

uint64_t f_trailing_zeros(uint64_t a, uint64_t b, uint32_t c)
{
    return (uint64_t)__builtin_ctzll(a & b & c | 1ull << 40) + (c & 1 ? (uint64_t)__builtin_ctzll(c) : a);
}

uint64_t u_index(uint64_t a, uint64_t b, uint32_t c)
{
    uint16_t x[5] = {1, 2, 3, 4, 5};
    return b & 1 ? x[a & 7] : c;
}
uint64_t w_index(uint64_t a, uint64_t b, uint32_t c)
{
    (void)c;
    return b & 1 && (a & 7) > 4;
}
uint64_t u_add(uint64_t a, uint64_t b, uint32_t c)
{
    return (uint64_t)((int32_t)a + (int32_t)b) + c;
}
uint64_t w_add(uint64_t a, uint64_t b, uint32_t c)
{
    int64_t s = (int64_t)(int32_t)a + (int32_t)b;
    (void)c;
    return s != (int32_t)s;
}
uint64_t u_multiply(uint64_t a, uint64_t b, uint32_t c)
{
    return (uint64_t)((uint16_t)a * (uint16_t)b) + c;
}
uint64_t w_multiply(uint64_t a, uint64_t b, uint32_t c)
{
    (void)c;
    return (uint64_t)(uint16_t)a * (uint16_t)b > 0x7fffffff;
}
uint64_t u_shift(uint64_t a, uint64_t b, uint32_t c)
{
    return ((uint32_t)a << (b & 63)) + (uint64_t)((uint16_t)c << (a & 31));
}
uint64_t w_shift(uint64_t a, uint64_t b, uint32_t c)
{
    return (b & 63) > 31 || ((uint64_t)(uint16_t)c << (a & 31)) > 0x7fffffff;
}
uint64_t u_trailing_zeros(uint64_t a, uint64_t b, uint32_t c)
{
    return (uint64_t)__builtin_ctzll(a & b & 3) + c;
}
uint64_t w_trailing_zeros(uint64_t a, uint64_t b, uint32_t c)
{
    (void)c;
    return (a & b & 3) == 0;
}
uint64_t u_divide(uint64_t a, uint64_t b, uint32_t c)
{
    return a / (b & 3) + (uint64_t)((int32_t)c / ((int32_t)(b >> 2 & 3) - 1));
}
uint64_t w_divide(uint64_t a, uint64_t b, uint32_t c)
{
    (void)a;
    return (b & 3) == 0 || (b >> 2 & 3) == 1 || ((b >> 2 & 3) == 0 && c == 0x80000000);
}
