/* SPDX-License-Identifier: Apache-2.0 */
/* Locality-aware dispatch (Chen16, section 3.3) by the block block_overlap, one for each workload ("dispatch",
 * "dispatch.1"): thread blocks of different workloads share no lines.
 *
 * Waiting thread blocks enter its queue in grid order.  SMs with room request in turn, as soon as the queue is full or
 * holds the last thread block of the grid, and all finished thread blocks have been reported to the block. */
#include "block_overlap.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "system/block/block_socket.h"
#include "system/sm/block_dispatch.h"
#include "system/sm/block_partition.h"
#include "system/sm/share.h"
#include "trace/ranges.h"

enum { ID_BITS = 24, ROW_BITS = 1024 };

_Static_assert((int)ACCESS_ENDS == (int)RANGE_ENDS && (int)ACCESS_BOUNDS == (int)RANGE_BOUNDS, "sm.ranges");
_Static_assert(MAX_SMS <= BLOCK_OVERLAP_MAX_SMS, "sm.count");

struct finish {
    uint8_t sm, slot;
};

/* Of one workload. */
struct queue {
    struct block_socket socket;
    struct ring finished; /* struct finish: not yet reported to the block */
    uint32_t pushed;      /* thread blocks of the kernel that entered */
    bool clear, deciding; /* a kernel has started; a request was accepted */
    bool closing;         /* older candidates move up to a granted one's place: the block accepts nothing */
};

struct overlap {
    struct block_overlap_cfg cfg;
    uint32_t workloads;
    struct queue queue[MAX_WORKLOADS];
};

static bool overlap_can_be(const struct sm_array *a, struct error *err)
{
    const struct config *const c = a->c;
    if (!a->partition->keeps_room)
        return error_set(err,
                         "sm.dispatch: found overlap with cke.partition = %s, allowed with it: a partition in which "
                         "workloads keep the room that they found on an SM, such as even",
                         a->partition->policy.name);
    if (c->sm_blocks > BLOCK_OVERLAP_MAX_SLOTS)
        return error_set(err, "sm.dispatch: found overlap with sm.blocks = %u, allowed with it: 1 to %u", c->sm_blocks,
                         BLOCK_OVERLAP_MAX_SLOTS);
    const uint32_t bits = ROW_BITS / (RANGE_SLOTS * c->sm_blocks);
    return c->sm_overlap_bits <= bits ||
           error_set(err,
                     "sm.overlap.bits: found %u with sm.blocks = %u, allowed with it: 1 to %u (%u rectangles of each "
                     "thread block of an SM in %u bits)",
                     c->sm_overlap_bits, c->sm_blocks, bits, RANGE_SLOTS, ROW_BITS);
}

static void overlap_destroy(void *state)
{
    struct overlap *d = state;
    for (uint32_t w = 0; w < d->workloads; w++) {
        block_socket_close(&d->queue[w].socket);
        ring_free(&d->queue[w].finished);
    }
    free(d);
}

static bool open_queue(struct overlap *d, const struct env *env, uint32_t workload, struct error *err)
{
    struct queue *q = &d->queue[workload];
    char unit[32] = "dispatch";
    if (workload) snprintf(unit, sizeof unit, "dispatch.%u", workload);
    if (!ring_init_growing(&q->finished, sizeof(struct finish), 64)) return error_set(err, "%s: out of memory", unit);
    return block_socket_open(&q->socket, env, "block_overlap", &d->cfg, unit, err);
}

static void *overlap_create(struct sm_array *a, struct error *err)
{
    if (!overlap_can_be(a, err)) return NULL;
    struct overlap *d = calloc(1, sizeof *d);
    if (!d) return error_set(err, "sm.dispatch: out of memory"), NULL;
    *d = (struct overlap){.cfg = {.Depth = a->c->sm_overlap_entries,
                                  .Arrays = RANGE_SLOTS,
                                  .FieldW = a->c->sm_overlap_bits,
                                  .Sms = a->c->sm_count,
                                  .Slots = a->c->sm_blocks,
                                  .IdW = ID_BITS},
                          .workloads = a->workloads};
    bool ok = true;
    for (uint32_t w = 0; ok && w < d->workloads; w++) ok = open_queue(d, a->env, w, err);
    if (ok) return d;
    overlap_destroy(d);
    return NULL;
}

static bool overlap_kernel_started(void *state, struct sm_array *a, struct workload *k)
{
    struct queue *q = &((struct overlap *)state)->queue[k->number];
    q->clear = true;
    q->pushed = 0;
    while (q->finished.count) ring_pop(&q->finished);
    return k->blocks <= 1u << ID_BITS ||
           error_set(a->error, "%s: kernel %s: found %u thread blocks, sm.dispatch = overlap allows at most %u",
                     k->source->name, k->kernel.name, k->blocks, 1u << ID_BITS);
}

static void overlap_block_finished(void *state, struct sm *sm, struct thread_block *b)
{
    struct queue *q = &((struct overlap *)state)->queue[b->workload->number];
    const struct finish f = {(uint8_t)sm->number, (uint8_t)b->slot};
    if (!ring_put(&q->finished, &f)) error_set(sm->array->error, "sm.dispatch: out of memory");
}

static struct range_entry entry_of(const struct sm_array *a, const struct workload *k, uint32_t block)
{
    uint32_t kernel;
    if (!workload_in_ranges(k, &kernel)) return (struct range_entry){0};
    return ranges_entry(k->ranges, kernel, block, (enum range_rule)a->c->sm_ranges, a->c->sm_overlap_bits);
}

static void overlap_offer(struct block_overlap_in *in, const struct sm_array *a, const struct workload *k,
                          uint32_t block)
{
    const struct range_entry e = entry_of(a, k, block);
    in->push_valid_i = true;
    in->push_id_i = block;
    for (uint32_t i = 0; i < RANGE_SLOTS; i++) {
        const uint32_t at = i * a->c->sm_overlap_bits;
        in->push_x_i |= (uint64_t)e.slot[i].x << at;
        in->push_y_i |= (uint64_t)e.slot[i].y << at;
        in->push_width_i |= (uint64_t)e.slot[i].width << at;
        in->push_height_i |= (uint64_t)e.slot[i].height << at;
    }
}

static bool next_sm(const struct sm_array *a, const struct workload *k, uint32_t *sm)
{
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        *sm = (k->next_sm + i) % a->c->sm_count;
        if (share_fits(&a->sms[*sm], k, 1)) return true;
    }
    return false;
}

/* False: there is nothing to do. */
static bool overlap_inputs(struct block_overlap_in *in, const struct overlap *d, const struct sm_array *a,
                           const struct workload *k)
{
    const struct queue *q = &d->queue[k->number];
    const struct finish *f = ring_peek(&q->finished);
    const bool more = q->pushed < k->blocks && q->pushed - k->next_block < d->cfg.Depth;
    uint32_t sm;
    *in = (struct block_overlap_in){.clear_valid_i = q->clear, .grant_ready_i = true};
    if (q->clear || q->deciding) return true;
    if (more) overlap_offer(in, a, k, q->pushed);
    if (f) {
        in->finish_valid_i = true;
        in->finish_sm_i = f->sm;
        in->finish_slot_i = f->slot;
    }
    if (!more && !f && next_sm(a, k, &sm)) {
        in->req_valid_i = true;
        in->req_sm_i = (uint8_t)sm;
    }
    return in->push_valid_i || in->finish_valid_i || in->req_valid_i || q->closing;
}

static bool has_rectangle(const struct sm_array *a, const struct workload *k, uint32_t block)
{
    const struct range_entry e = entry_of(a, k, block);
    for (uint32_t i = 0; i < RANGE_SLOTS; i++)
        if (e.slot[i].width) return true;
    return false;
}

static void overlap_count(struct sm_array *a, const struct workload *k, const struct block_overlap_out *out)
{
    struct stats *s = a->env->stats;
    s->dispatch_decisions++;
    if (out->grant_least_o)
        s->dispatch_by_least++;
    else
        s->dispatch_by_overlap++, s->dispatch_lines += out->grant_sum_o;
    s->dispatch_no_range += !has_rectangle(a, k, out->grant_id_o);
}

static bool overlap_start(struct sm_array *a, struct workload *k, const struct block_overlap_out *out)
{
    struct sm *sm = &a->sms[out->grant_sm_o];
    assert(share_fits(sm, k, 1)); /* the partition keeps the room that an accepted request found (keeps_room) */
    struct thread_block *b = block_launch(a, k, sm, out->grant_id_o);
    if (!b) return false;
    b->slot = out->grant_slot_o;
    k->next_sm = (sm->number + 1) % a->c->sm_count;
    overlap_count(a, k, out);
    return true;
}

/* A clock edge of the block.  *waits: an SM waits for a decision. */
static bool overlap_step(struct overlap *d, struct sm_array *a, struct workload *k, bool *waits)
{
    struct queue *q = &d->queue[k->number];
    struct block_overlap_in in;
    struct block_overlap_out out;
    k->dispatch = overlap_inputs(&in, d, a, k);
    if (!k->dispatch) return true;
    *waits |= q->deciding || in.req_valid_i;
    block_socket_eval(&q->socket, &in, &out);
    block_socket_tick(&q->socket, &in);
    if (out.error_o) return error_set(a->error, "%s: error_o: found %u, expected 0", q->socket.unit, out.error_o);
    q->closing = !out.finish_ready_o && !q->clear;
    q->clear = false;
    q->pushed += in.push_valid_i && out.push_ready_o;
    if (in.finish_valid_i && out.finish_ready_o) ring_pop(&q->finished);
    if (in.req_valid_i && out.req_ready_o) q->deciding = true;
    if (!out.grant_valid_o) return true;
    q->deciding = false;
    return overlap_start(a, k, &out);
}

static bool overlap_place(void *state, struct sm_array *a, struct workload *k)
{
    bool waits = false, ok = true;
    for (uint32_t i = 0; ok && k->dispatch && k->next_block < k->blocks && i < a->c->sm_overlap_steps; i++)
        ok = overlap_step(state, a, k, &waits);
    a->env->stats->dispatch_wait_cycles += waits;
    return ok;
}

static const struct block_dispatch overlap = {
    .policy = {"overlap",
               "SMs in turn; each gets the thread block that shares most lines with its own (block block_overlap)"},
    .needs_ranges = true,
    .hooks = {.create = overlap_create,
              .destroy = overlap_destroy,
              .kernel_started = overlap_kernel_started,
              .block_finished = overlap_block_finished},
    .place = overlap_place};
BLOCK_DISPATCH_REGISTER(overlap, .blocks = {"block_overlap"}, .when = "sm.dispatch=overlap");
