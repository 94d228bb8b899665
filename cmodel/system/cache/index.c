/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/index.h"

#include "base/arith.h"
#include "system/cache/miss_file.h"

/* Address of no line and no unit. */
#define NO_ADDRESS UINT64_MAX

/* Opens the block of `x->cfg`; with one set or partition there is no block. */
static bool open(struct line_index *x, const struct env *env, const char *unit, struct error *err)
{
    x->last = NO_ADDRESS;
    x->cfg.AddrW = MISS_ADDR_BITS;
    if (x->cfg.IndexW == 0 || x->of) return true;
    const char *illegal = set_hash_illegal(&x->cfg);
    if (illegal) return error_set(err, "%s: set_hash.%s", unit, illegal);
    return block_socket_open(&x->socket, env, "set_hash", &x->cfg, unit, err);
}

bool index_open_sets(struct line_index *x, const struct env *env, uint32_t index, uint32_t sets, const char *unit,
                     struct error *err)
{
    const struct set_index *f = set_index_at(index);
    *x = (struct line_index){.count = sets, .of = f->of};
    x->cfg = (struct set_hash_cfg){.Function = f->function, .Kind = SET_HASH_SETS, .IndexW = log2_ceil(sets)};
    return open(x, env, unit, err);
}

bool index_open_partitions(struct line_index *x, const struct env *env, uint32_t map, uint32_t count, const char *unit,
                           struct error *err)
{
    const struct partition_map *f = partition_map_at(map);
    *x = (struct line_index){.count = count, .divisor = count, .folds = 1, .of = f->of};
    x->cfg = (struct set_hash_cfg){.Function = f->function, .Kind = SET_HASH_PARTITIONS, .IndexW = log2_ceil(count)};
    if (f->shape) f->shape(x, count);
    return open(x, env, unit, err);
}

void index_close(struct line_index *x)
{
    block_socket_close(&x->socket);
}

/* The block has no state.  Its clock edge only records captured traffic. */
void index_look(struct line_index *x, uint64_t address)
{
    x->last = address;
    if (x->of) x->index = x->of(address, x->count);
    if (!x->socket.block) return;
    const struct set_hash_in in = {address};
    struct set_hash_out out;
    block_socket_eval(&x->socket, &in, &out);
    x->index = out.index_o;
    if (x->socket.capture) block_socket_tick(&x->socket, &in);
}

/* Each map is inverted by division: for a given quotient the partition is a permutation of the remainder.  A_PRIME
 * first folds the remainders onto the partitions. */
uint64_t index_local(const struct line_index *x, uint64_t unit)
{
    const uint32_t d = x->divisor;
    if (x->folds > 1) return unit / d * x->folds + unit % d / x->count;
    return is_power_of_two(d) ? unit >> log2_floor(d) : unit / d;
}
