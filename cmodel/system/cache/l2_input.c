/* SPDX-License-Identifier: Apache-2.0 */
#include "system/cache/l2_input.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bank_reorder.h"
#include "cart.h"
#include "system/config/input_kind.h"
#include "system/dram/dram.h"
#include "system/unit/by_age.h"
#include "system/unit/pool.h"

enum { NONE = UINT32_MAX };

/* Both blocks have the same ports; one set of structs serves both. */
#define SAME_IN(kind, name, width, text)                                                                               \
    _Static_assert(offsetof(struct cart_in, name) == offsetof(struct bank_reorder_in, name), #name);
#define SAME_OUT(kind, name, width, text)                                                                              \
    _Static_assert(offsetof(struct cart_out, name) == offsetof(struct bank_reorder_out, name), #name);
CART_IN(SAME_IN)
CART_OUT(SAME_OUT)
_Static_assert(sizeof(struct cart_in) == sizeof(struct bank_reorder_in), "inputs");
_Static_assert(sizeof(struct cart_out) == sizeof(struct bank_reorder_out), "outputs");

struct l2_reorder {
    struct block_socket socket;
    uint32_t cfg[INPUT_CFG_WORDS]; /* the block's struct of parameters */
    struct stats *stats;
    bool rotate;

    struct packet *held; /* requests inside the block; the payload of a request is its number */
    struct pool places;  /* of held */
    struct by_age order;
    uint32_t stalls; /* block cycles in which a request found no room */

    /* This cycle. */
    bool evaluated, standing; /* standing: the offer of the last cycle was neither accepted nor withdrawn */
    bool changed, stalled;
    struct cart_in in;
    struct cart_out out;
    struct error fault;
};

/* Lowest bits of a slice's line address that select the DRAM bank and row.  The bits that select the slice in a
 * partition are left out of it. */
static uint32_t lowest_bit(const struct config *c, uint32_t bank, uint64_t row)
{
    const uint32_t unit = log2_floor(config_slice_unit(c)) - LINE_SHIFT, slices = log2_floor(c->partition_slices);
    for (uint32_t i = 0; i < INPUT_ADDR_BITS; i++) {
        const struct dram_place at = dram_map(c, (uint64_t)1 << (i < unit ? i : i + slices) << LINE_SHIFT);
        if (bank ? at.bank == bank : at.row == row) return i;
    }
    return NONE;
}

/* One request more than the capacity: it may be at the block's input. */
static bool make_places(struct l2_reorder *b, uint32_t capacity)
{
    b->held = calloc(capacity + 1, sizeof *b->held);
    return b->held && by_age_init(&b->order, capacity + 1) && pool_grow(&b->places, capacity + 1);
}

static bool open_block(struct l2_reorder *b, const struct input_kind *kind, struct env *env, uint32_t slice,
                       struct error *err)
{
    const struct config *c = env->config;
    const uint32_t row = lowest_bit(c, 0, 1);
    const struct input_bits bits = {.bank_lsb = c->dram_banks > 1 ? lowest_bit(c, 1, 0) : 0,
                                    .bank_msb = c->dram_banks > 2 ? lowest_bit(c, 2, 0) : row,
                                    .row_lsb = row};
    char unit[64];
    snprintf(unit, sizeof unit, "l2.%u.%s", slice, kind->block);
    b->stats = env->stats;
    b->rotate = c->l2_input_refused == REFUSED_ROTATE;
    if (!make_places(b, kind->configure(b->cfg, c, &bits))) return error_set(err, "%s: out of memory", unit);
    return block_socket_open(&b->socket, env, kind->block, b->cfg, unit, err);
}

bool l2_input_init(struct l2_input *q, struct env *env, uint32_t slice, struct error *err)
{
    const struct input_kind *kind = input_kind_of(env->config);
    *q = (struct l2_input){
        .limit = env->config->l2_input_queue, .latency = env->config->l2_rop_latency, .leaves = NEVER};
    if (!ring_init_growing(&q->queue, sizeof(struct packet), q->limit))
        return error_set(err, "l2.%u: out of memory", slice);
    if (!kind->block) return true;
    q->block = calloc(1, sizeof *q->block);
    if (!q->block) return error_set(err, "l2.%u: out of memory", slice);
    return open_block(q->block, kind, env, slice, err);
}

void l2_input_free(struct l2_input *q)
{
    ring_free(&q->queue);
    if (!q->block) return;
    block_socket_close(&q->block->socket);
    free(q->block->held);
    free(q->block->order.at);
    pool_free(&q->block->places);
    free(q->block);
}

static void enter(struct l2_reorder *b, const struct packet *p)
{
    const uint32_t i = pool_take(&b->places);
    b->held[i] = *p;
    by_age_enter(&b->order, i);
}

static void leave(struct l2_reorder *b, uint32_t i)
{
    b->stats->l2_input_reordered += by_age_leave(&b->order, i);
    pool_give(&b->places, i);
}

uint32_t l2_reorder_held(const struct l2_input *q)
{
    return pool_used(&q->block->places);
}

static void check(struct l2_reorder *b)
{
    const struct cart_out *o = &b->out;
    const uint32_t held = pool_used(&b->places);
    if (o->used_o != held)
        error_set(&b->fault, "%s: used_o: found %u, expected %u (requests in less out)", b->socket.unit, o->used_o,
                  held);
    if (o->stalls_o != b->stalls)
        error_set(&b->fault, "%s: stalls_o: found %u, expected %u", b->socket.unit, o->stalls_o, b->stalls);
    if (o->out_valid_o != (held != 0)) /* mutant: left out: a check of the block, which a correct block never fails */
        error_set(&b->fault, "%s: out_valid_o: found %d with %u requests held", b->socket.unit, o->out_valid_o, held);
}

/* The packet that the block offers. */
static const struct packet *offer(struct l2_reorder *b)
{
    const struct cart_out *o = &b->out;
    if (!o->out_valid_o) return NULL;
    if (o->out_info_o >= b->places.size || !b->order.at[o->out_info_o].inside) {
        error_set(&b->fault, "%s: out_info_o: found %" PRIu64 ", which is not inside", b->socket.unit, o->out_info_o);
        return NULL;
    }
    const struct packet *p = &b->held[o->out_info_o];
    if (o->out_addr_o != (p->local & bits_mask(INPUT_ADDR_BITS)))
        error_set(&b->fault, "%s: out_addr_o: found 0x%" PRIx64 ", expected 0x%" PRIx64, b->socket.unit, o->out_addr_o,
                  p->local);
    return p;
}

void l2_reorder_begin(struct l2_input *q)
{
    struct l2_reorder *b = q->block;
    const struct packet *head = l2_input_head(q);
    /* mutant: left out: a cycle without a block evaluated follows the pop of its last request, which clears it */
    q->offered = NULL;
    b->changed = b->stalled = false;
    b->evaluated = head || l2_reorder_held(q);
    if (!b->evaluated) return;
    const uint32_t place = pool_next(&b->places);
    b->in = (struct cart_in){.in_valid_i = head,
                             .in_addr_i = head ? head->local & bits_mask(INPUT_ADDR_BITS) : 0,
                             .in_info_i = head ? place : 0};
    block_socket_eval(&b->socket, &b->in, &b->out);
    /* mutant: left out: a check of the block, which fails only if the block is wrong: `make prove` and `make cosim` are
     * for that */
    check(b);
    q->offered = offer(b);
    b->stalled = head && !b->out.in_ready_o;
    if (!head || b->stalled) return;
    enter(b, head);
    l2_input_drop_head(q);
    b->changed = true;
}

void l2_reorder_pop(struct l2_input *q)
{
    q->block->in.out_ready_i = true;
    q->offered = NULL;
}

void l2_reorder_refused(struct l2_input *q)
{
    q->block->in.out_refused_i = true;
    if (q->block->rotate) q->offered = NULL;
}

bool l2_reorder_end(struct l2_input *q, struct error *err)
{
    struct l2_reorder *b = q->block;
    if (!b->evaluated) return true;
    if (b->fault.text[0]) return error_set(err, "%s", b->fault.text);
    const bool valid = b->out.out_valid_o, taken = valid && b->in.out_ready_i;
    const bool standing = valid && !taken && !(b->rotate && b->in.out_refused_i);
    b->changed |= taken || valid != standing || standing != b->standing;
    b->standing = standing;
    b->stalls += b->stalled && b->stalls != UINT32_MAX;
    if (taken) leave(b, (uint32_t)b->out.out_info_o);
    block_socket_tick(&b->socket, &b->in);
    return true;
}

bool l2_reorder_changed(const struct l2_input *q)
{
    return q->block->changed;
}

bool l2_reorder_stalled(const struct l2_input *q)
{
    return q->block->stalled;
}
