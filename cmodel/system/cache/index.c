/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/index.h"

#include "system/cache/miss_file.h"

/* No line, nor any unit of lines, has this address. */
#define NO_ADDRESS UINT64_MAX

#define SAME(name)                                                                                                     \
    _Static_assert((int)INDEX_##name == (int)SET_HASH_##name, "l1d.index, l2.index and set_hash number " #name " alik" \
                                                              "e")
SAME(BMOD);
SAME(BXOR);
SAME(PMOD);
SAME(A_PRIME);
SAME(D_PRIME);
SAME(IPOLY);
SAME(FERMI);

static uint32_t log2_up(uint32_t n)
{
    return n > 1 ? bits_index(n) : 0;
}

static bool power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

/* Opens the block of `x->cfg`; where there is one place to go, there is no block. */
static bool open(struct line_index *x, const struct env *env, const char *unit, struct error *err)
{
    x->last = NO_ADDRESS;
    x->cfg.AddrW = MISS_ADDR_BITS;
    if (x->cfg.IndexW == 0) return true;
    const char *illegal = set_hash_illegal(&x->cfg);
    if (illegal) return error_set(err, "%s: set_hash.%s", unit, illegal);
    return block_socket_open(&x->socket, env, "set_hash", &x->cfg, unit, err);
}

bool index_open_sets(struct line_index *x, const struct env *env, enum index_function f, uint32_t sets,
                     const char *unit, struct error *err)
{
    *x = (struct line_index){.cfg = {.Function = f, .Kind = SET_HASH_SETS, .IndexW = log2_up(sets)}};
    return open(x, env, unit, err);
}

/* n up to 64; bit i of the constant says that i is prime. */
static uint32_t prime_not_above(uint32_t n)
{
    const uint64_t primes = 0x28208a20a08a28acu;
    uint64_t up_to_n = n >= 63 ? primes : primes & ((2ull << n) - 1);
    return up_to_n ? 63 - (uint32_t)__builtin_clzll(up_to_n) : 1;
}

/* What is no power of two is a remainder by a constant of its own. */
static void choose_modulo(struct line_index *x, uint32_t count)
{
    x->divisor = count;
    if (power_of_two(count)) return;
    x->cfg.Function = SET_HASH_PMOD;
    x->cfg.Constant = count;
}

static void choose_prime(struct line_index *x, uint32_t count)
{
    x->divisor = prime_not_above(count);
    if (count > 1 && set_hash_constant(&x->cfg) != x->divisor) x->cfg.Constant = x->divisor;
}

bool index_open_partitions(struct line_index *x, const struct env *env, enum partition_map map, uint32_t count,
                           const char *unit, struct error *err)
{
    static const uint32_t function[] = {
        [MAP_MODULO] = SET_HASH_BMOD, [MAP_XOR] = SET_HASH_BXOR,        [MAP_PRIME] = SET_HASH_PMOD,
        [MAP_IPOLY] = SET_HASH_IPOLY, [MAP_A_PRIME] = SET_HASH_A_PRIME, [MAP_D_PRIME] = SET_HASH_D_PRIME};
    *x = (struct line_index){.divisor = count, .folds = 1, .count = count};
    x->cfg = (struct set_hash_cfg){.Function = function[map], .Kind = SET_HASH_PARTITIONS, .IndexW = log2_up(count)};
    if (map == MAP_MODULO) choose_modulo(x, count);
    if (map == MAP_PRIME) choose_prime(x, count);
    if (map == MAP_A_PRIME && count > 1) {
        x->divisor = set_hash_constant(&x->cfg);
        x->folds = 2;
    }
    return open(x, env, unit, err);
}

void index_close(struct line_index *x)
{
    block_socket_close(&x->socket);
}

/* The block has no state: a clock edge is for whoever records its traffic. */
void index_look(struct line_index *x, uint64_t address)
{
    x->last = address;
    if (!x->socket.block) return;
    const struct set_hash_in in = {address};
    struct set_hash_out out;
    block_socket_eval(&x->socket, &in, &out);
    x->index = out.index_o;
    if (x->socket.capture) block_socket_tick(&x->socket, &in);
}

/* Dividing undoes each map: with the quotient known, the partition is a permutation of the remainder, but for A_PRIME,
 * which folds the remainders onto the partitions once. */
uint64_t index_local(const struct line_index *x, uint64_t unit)
{
    const uint32_t d = x->divisor;
    if (x->folds > 1) return unit / d * x->folds + unit % d / x->count;
    return power_of_two(d) ? unit >> __builtin_ctz(d) : unit / d;
}
