/* SPDX-License-Identifier: Apache-2.0 */
#include "system/sm/reorder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrpb.h"
#include "system/block/block_socket.h"
#include "system/unit/by_age.h"
#include "system/unit/pool.h"

enum { NUMBER_BITS = 24 }; /* of a request: its place */

/* Accesses of a request: those before `next` have been taken. */
struct group {
    uint32_t count, next;
};

struct reorder {
    struct block_socket socket;
    uint32_t cfg[REORDER_CFG_WORDS]; /* the block's struct of parameters */
    struct reorder_size size;
    struct stats *stats;

    struct staged *held; /* [places * width]: accesses of the requests inside the block */
    struct group *group; /* [places] */
    uint32_t width;      /* accesses of a request, at most */
    struct pool places;
    struct by_age order;
    uint32_t stalls; /* block cycles in which an access found no room */

    /* This cycle. */
    bool evaluated, standing; /* standing: the offer of the last cycle was neither taken nor refused */
    bool changed, stalled;
    const struct staged *offered;
    struct mrpb_in in;
    struct mrpb_out out;
    struct error fault;
};

/* One request more than the capacity: it may be at the block's input. */
static bool make_places(struct reorder *r)
{
    const uint32_t n = 1 + r->size.held;
    r->held = calloc((size_t)n * r->width, sizeof *r->held);
    r->group = calloc(n, sizeof *r->group);
    return r->held && r->group && by_age_init(&r->order, n) && pool_grow(&r->places, n);
}

struct reorder *reorder_create(struct env *env, uint32_t sm, struct error *err)
{
    const struct reorder_kind *kind = (const struct reorder_kind *)policy_at("L1D input", env->config->l1d_input);
    if (!kind->block) return NULL;
    char unit[64];
    snprintf(unit, sizeof unit, "l1d.%u.%s", sm, kind->block);
    struct reorder *r = calloc(1, sizeof *r);
    if (!r) return error_set(err, "%s: out of memory", unit), NULL;
    r->stats = env->stats;
    r->width = l1d_width(env->config);
    r->size = kind->configure(r->cfg, env->config);
    if (!make_places(r))
        error_set(err, "%s: out of memory", unit);
    else if (block_socket_open(&r->socket, env, kind->block, r->cfg, unit, err))
        return r;
    reorder_destroy(r);
    return NULL;
}

void reorder_destroy(struct reorder *r)
{
    if (!r) return;
    block_socket_close(&r->socket);
    free(r->held);
    free(r->group);
    free(r->order.at);
    pool_free(&r->places);
    free(r);
}

uint32_t reorder_held(const struct reorder *r)
{
    return pool_used(&r->places);
}

static uint64_t info_of(uint32_t number, const struct staged *first)
{
    return first->a.line << NUMBER_BITS | number;
}

/* The next access of a request. */
static const struct staged *next_of(const struct reorder *r, uint32_t number)
{
    return &r->held[(size_t)number * r->width + r->group[number].next];
}

static void check(struct reorder *r)
{
    const struct mrpb_out *o = &r->out;
    const uint32_t held = reorder_held(r);
    if (o->used_o != held)
        error_set(&r->fault, "%s: used_o: found %u, expected %u (accesses in less out)", r->socket.unit, o->used_o,
                  held);
    if (o->stalls_o != r->stalls)
        error_set(&r->fault, "%s: stalls_o: found %u, expected %u", r->socket.unit, o->stalls_o, r->stalls);
    if (o->out_valid_o != (held != 0))
        error_set(&r->fault, "%s: out_valid_o: found %d with %u requests held", r->socket.unit, o->out_valid_o, held);
    if (o->error_o != MRPB_OK) error_set(&r->fault, "%s: error_o: found %u, expected 0", r->socket.unit, o->error_o);
}

/* The access that the block offers. */
static const struct staged *offer(struct reorder *r)
{
    const struct mrpb_out *o = &r->out;
    if (!o->out_valid_o) return NULL;
    const uint32_t number = (uint32_t)(o->out_info_o & bits_mask(NUMBER_BITS));
    const bool inside = number < r->places.size && r->order.at[number].inside;
    if (inside && o->out_info_o == info_of(number, &r->held[(size_t)number * r->width])) return next_of(r, number);
    error_set(&r->fault, "%s: out_info_o: found 0x%" PRIx64 ", which is not inside", r->socket.unit, o->out_info_o);
    return NULL;
}

static bool enter(struct reorder *r, const struct staged *head, uint32_t count)
{
    const uint32_t number = pool_take(&r->places);
    memcpy(&r->held[(size_t)number * r->width], head, count * sizeof *head);
    r->group[number] = (struct group){.count = count};
    by_age_enter(&r->order, number);
    return r->changed = true;
}

bool reorder_begin(struct reorder *r, const struct staged *head, uint32_t count)
{
    r->offered = NULL;
    r->changed = r->stalled = false;
    r->evaluated = head || reorder_held(r);
    if (!r->evaluated) return false;
    r->in = (struct mrpb_in){.in_valid_i = head,
                             .in_queue_i = head ? (uint8_t)(head->a.warp % r->size.queues) : 0,
                             .in_info_i = head ? info_of(pool_next(&r->places), head) : 0};
    block_socket_eval(&r->socket, &r->in, &r->out);
    check(r);
    r->offered = offer(r);
    r->stalled = head && !r->out.in_ready_o;
    return head && !r->stalled && enter(r, head, count);
}

const struct staged *reorder_offer(const struct reorder *r)
{
    return r->offered;
}

static uint32_t number_of_offer(const struct reorder *r)
{
    return (uint32_t)(r->out.out_info_o & bits_mask(NUMBER_BITS));
}

bool reorder_take(struct reorder *r)
{
    const uint32_t number = number_of_offer(r);
    struct group *g = &r->group[number];
    r->changed = true;
    r->in.out_ready_i = ++g->next == g->count;
    r->offered = r->in.out_ready_i ? NULL : next_of(r, number);
    return r->offered;
}

void reorder_refuse(struct reorder *r)
{
    r->in.out_refused_i = true;
}

static void leave(struct reorder *r)
{
    const uint32_t number = number_of_offer(r);
    r->stats->l1d_input_reordered += by_age_leave(&r->order, number);
    pool_give(&r->places, number);
    r->changed = true;
}

static void count(struct reorder *r, uint64_t cycles)
{
    r->stats->l1d_input_waiting_cycles += cycles * reorder_held(r);
    r->stats->l1d_input_stall_cycles += cycles * r->stalled;
}

bool reorder_end(struct reorder *r, struct error *err)
{
    if (!r->evaluated) return true;
    if (r->fault.text[0]) return error_set(err, "%s", r->fault.text);
    const bool standing = r->out.out_valid_o && !r->in.out_ready_i && !r->in.out_refused_i;
    r->changed |= standing != r->standing;
    r->standing = standing;
    r->stalls += r->stalled && r->stalls != UINT32_MAX;
    if (r->in.out_ready_i) leave(r);
    count(r, 1);
    block_socket_tick(&r->socket, &r->in);
    return true;
}

bool reorder_changed(const struct reorder *r)
{
    return r->changed;
}

void reorder_idle(struct reorder *r, uint64_t cycles)
{
    if (r->evaluated) count(r, cycles);
}

const struct staged *reorder_at(const struct reorder *r, uint32_t i)
{
    for (uint32_t place = r->order.oldest; place != NO_PLACE; place = r->order.at[place].younger) {
        const uint32_t left = r->group[place].count - r->group[place].next;
        if (i < left) return next_of(r, place) + i;
        i -= left;
    }
    return NULL;
}
