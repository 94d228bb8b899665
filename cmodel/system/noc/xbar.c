/* SPDX-License-Identifier: Apache-2.0 */
#include "system/noc/xbar.h"

#include <string.h>

#include "base/arith.h"
#include "system/unit/ring.h"
#include "system/unit/unit.h"

#define WORDS (XBAR_PORTS / 64)
_Static_assert(XBAR_PORTS <= UINT8_MAX + 1, "packet.output");
#define WHEEL 128 /* most slots of the wheel */

struct ports {
    uint64_t w[WORDS]; /* one bit per port */
};

struct input {
    struct ring queue; /* struct packet */
    uint32_t flits;    /* in it */
    bool busy;         /* it sends flits, or waits for a head */
    uint64_t link;     /* cycle in which the next packet's head may come */
};

struct output {
    _Alignas(HOST_LINE) uint64_t ready; /* of the head packet, if any */
    uint64_t free;       /* cycle in which the next packet may be granted: some input becomes free in it, too */
    uint64_t link;       /* cycle in which the next packet's first flit may leave */
    uint32_t flits;      /* in the queue */
    uint32_t last;       /* input granted last */
    struct ring queue;   /* struct packet: pipeline stages of the latency, and the output queue */
    struct ports asking; /* free inputs whose head packet requests this output */
    uint32_t askers;     /* of them */
};

struct xbar {
    uint64_t wake; /* first: unit_wake() */
    struct xbar_setup s;
    struct xbar_client client;
    uint64_t next;             /* cycles below it are counted */
    uint32_t waiting, stalled; /* inputs that request in this cycle; that were not granted in the last ticked one */
    uint32_t packets, in_words, out_words;
    uint32_t
        last_slot; /* of the wheel.  It has a power of two of slots, more than a packet holds its ports in cycles */
    uint32_t busy; /* inputs */
    uint8_t hold[WHEEL];                 /* cycles for which a packet of so many flits holds its ports */
    struct ports asked, filled, blocked; /* outputs: requested; with a packet behind it; with a stalled receiver */
    struct ports in_free[WHEEL];         /* inputs that become free, by cycle in the wheel */
    bool any_free[WHEEL];
    struct input *in;
    struct output *out;
};

static bool has(const struct ports *p, uint32_t i)
{
    return p->w[i / 64] >> (i % 64) & 1;
}

static void add(struct ports *p, uint32_t i)
{
    p->w[i / 64] |= (uint64_t)1 << (i % 64);
}

static void drop(struct ports *p, uint32_t i)
{
    p->w[i / 64] &= ~((uint64_t)1 << (i % 64));
}

/* Cycles for which a packet holds its ports. */
static uint32_t hold(const struct xbar_setup *s, uint32_t flits)
{
    return (uint32_t)ceil_div(flits + s->alloc_cycles, s->speedup); /* router cycles, in those of the links */
}

static bool init_ports(struct xbar *x)
{
    const uint32_t at_input = x->s.input_flits ? x->s.input_flits : x->s.input_queue; /* a packet has a flit at least */
    const uint32_t at_output = x->s.output_flits ? x->s.output_flits : x->s.output_queue;
    x->in = host_calloc(x->s.inputs, sizeof *x->in);
    x->out = host_calloc(x->s.outputs, sizeof *x->out);
    if (!x->in || !x->out) return false;
    for (uint32_t i = 0; i < x->s.inputs; i++)
        if (!ring_init(&x->in[i].queue, sizeof(struct packet), at_input)) return false;
    for (uint32_t o = 0; o < x->s.outputs; o++) {
        if (!ring_init(&x->out[o].queue, sizeof(struct packet), at_output + x->s.latency)) return false;
        x->out[o].last = x->s.inputs - 1; /* so that input 0 has the first turn */
    }
    return true;
}

struct xbar *xbar_create(const struct xbar_setup *setup, const struct xbar_client *client, struct error *err)
{
    const uint32_t longest = (uint32_t)max_u64(hold(setup, setup->max_flits), setup->max_flits);
    if (setup->inputs > XBAR_PORTS || setup->outputs > XBAR_PORTS || longest >= WHEEL)
        return error_set(err, "%s: %u inputs, %u outputs, packets of %u cycles; at most %u, %u, %u", setup->name,
                         setup->inputs, setup->outputs, longest, XBAR_PORTS, XBAR_PORTS, WHEEL - 1),
               NULL;
    struct xbar *x = host_calloc(1, sizeof *x);
    if (x) *x = (struct xbar){.s = *setup, .client = *client, .wake = NEVER};
    if (x && init_ports(x)) {
        x->in_words = (uint32_t)ceil_div(setup->inputs, 64);
        x->out_words = (uint32_t)ceil_div(setup->outputs, 64);
        x->last_slot = (2u << log2_floor(longest)) - 1;
        for (uint32_t i = 0; i <= setup->max_flits; i++) x->hold[i] = (uint8_t)hold(setup, i);
        return x;
    }
    xbar_destroy(x);
    return error_set(err, "%s: out of memory", setup->name), NULL;
}

void xbar_destroy(struct xbar *x)
{
    if (!x) return;
    for (uint32_t i = 0; x->in && i < x->s.inputs; i++) ring_free(&x->in[i].queue);
    for (uint32_t o = 0; x->out && o < x->s.outputs; o++) ring_free(&x->out[o].queue);
    free(x->in);
    free(x->out);
    free(x);
}

bool xbar_room(const struct xbar *x, uint32_t input, uint32_t flits)
{
    const struct input *in = &x->in[input];
    return x->s.input_flits ? in->flits + flits <= x->s.input_flits : ring_room(&in->queue);
}

bool xbar_empty(const struct xbar *x)
{
    return x->packets == 0;
}

/* A free input with a packet requests that packet's output. */
static inline void ask(struct xbar *x, uint32_t i)
{
    const struct packet *head = ring_peek(&x->in[i].queue);
    const uint32_t o = head->output;
    struct output *out = &x->out[o];
    add(&out->asking, i);
    if (out->askers++ == 0) add(&x->asked, o);
    x->waiting++;
}

static inline void hold_input(struct xbar *x, uint32_t i, uint64_t until)
{
    x->in[i].busy = true;
    x->busy++;
    add(&x->in_free[until & x->last_slot], i);
    x->any_free[until & x->last_slot] = true;
}

/* The input is free in cycle `now`, and has a packet: it requests its output, or waits for the head to come. */
static inline void offer(struct xbar *x, uint32_t i, uint64_t now)
{
    const struct packet *head = ring_peek(&x->in[i].queue);
    if (head->ready > now)
        hold_input(x, i, head->ready);
    else
        ask(x, i);
}

void xbar_push(struct xbar *x, uint32_t input, uint32_t output, uint32_t flits, const struct packet *p, uint64_t next)
{
    struct input *in = &x->in[input];
    struct packet *queued = ring_push(&in->queue);
    *queued = *p;
    queued->output = (uint8_t)output;
    queued->flits = (uint16_t)flits;
    queued->ready = max_u64(next, in->link);
    in->link = queued->ready + flits;
    in->flits += flits;
    if (in->queue.count == 1 && !in->busy) offer(x, input, next);
    x->packets++;
    x->wake = 0;
}

void xbar_resume(struct xbar *x, uint32_t output)
{
    if (!has(&x->blocked, output)) return;
    drop(&x->blocked, output);
    x->wake = 0;
}

/* Returns the cycle of the output's next delivery. */
static uint64_t deliver(struct xbar *x, uint32_t o, uint64_t now)
{
    struct output *out = &x->out[o];
    if (out->ready > now) return out->ready;
    const struct packet *p = ring_peek(&out->queue);
    if (!x->client.deliver(x->client.context, o, p)) {
        add(&x->blocked, o);
        return NEVER;
    }
    out->flits -= p->flits;
    ring_pop(&out->queue);
    x->packets--;
    p = ring_peek(&out->queue);
    if (p) return out->ready = p->ready;
    drop(&x->filled, o);
    return NEVER;
}

/* Every output delivers its due packets; returns the cycle of the next delivery. */
static uint64_t deliver_all(struct xbar *x, uint64_t now)
{
    uint64_t soonest = NEVER;
    for (uint32_t w = 0; w < x->out_words; w++) {
        for (uint64_t m = x->filled.w[w] & ~x->blocked.w[w]; m; m &= m - 1) {
            soonest = min_u64(soonest, deliver(x, w * 64 + (uint32_t)__builtin_ctzll(m), now));
        }
    }
    return soonest;
}

/* Releases inputs whose last flit has passed. */
static void free_inputs(struct xbar *x, uint64_t now)
{
    const uint32_t slot = now & x->last_slot;
    if (!x->any_free[slot]) return;
    for (uint32_t w = 0; w < x->in_words; w++) {
        for (uint64_t m = x->in_free[slot].w[w]; m; m &= m - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(m);
            x->in[i].busy = false;
            x->busy--;
            if (x->in[i].queue.count) offer(x, i, now);
        }
        x->in_free[slot].w[w] = 0;
    }
    x->any_free[slot] = false;
}

/* The next requesting input after the one granted last, or the lowest.  At least one must request. */
static uint32_t pick(const struct xbar *x, const struct output *out)
{
    const uint32_t start = x->s.fixed || out->last + 1 == x->s.inputs ? 0 : out->last + 1;
    uint32_t w = start / 64;
    uint64_t m = out->asking.w[w] & ~(uint64_t)0 << (start % 64);
    while (!m) {
        w = w + 1 == x->in_words ? 0 : w + 1;
        m = out->asking.w[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(m);
}

static void grant(struct xbar *x, uint32_t o, uint32_t i, uint64_t now)
{
    struct output *out = &x->out[o];
    struct input *in = &x->in[i];
    const struct packet *head = ring_peek(&in->queue);
    const uint32_t flits = head->flits;
    const uint64_t end = now + x->hold[flits];
    struct packet *p = ring_push(&out->queue);
    *p = *head;
    p->ready = max_u64(now + x->s.latency, out->link) + flits - 1; /* cycle of the last flit */
    out->link = p->ready + 1;
    out->flits += flits;
    bool full = x->s.input_flits || !ring_room(&in->queue);
    in->flits -= flits;
    ring_pop(&in->queue);
    if (out->queue.count == 1) out->ready = p->ready;
    out->last = i;
    drop(&out->asking, i);
    if (--out->askers == 0) drop(&x->asked, o);
    add(&x->filled, o);
    hold_input(x, i, end);
    out->free = end;
    x->waiting--;
    if (full) x->client.room(x->client.context, i);
}

/* False if the output is busy, or has no room for the packet whose turn it is. */
static bool try_grant(struct xbar *x, uint32_t o, uint64_t now)
{
    const struct output *out = &x->out[o];
    if (out->free > now || (!x->s.output_flits && !ring_room(&out->queue))) return false;
    const uint32_t i = pick(x, out);
    const struct packet *head = ring_peek(&x->in[i].queue);
    if (x->s.output_flits && out->flits + head->flits > x->s.output_flits + x->s.latency) return false;
    grant(x, o, i, now);
    return true;
}

static void arbitrate(struct xbar *x, uint64_t now, uint64_t *soonest)
{
    for (uint32_t w = 0; w < x->out_words; w++) {
        for (uint64_t m = x->asked.w[w]; m; m &= m - 1) {
            uint32_t o = w * 64 + (uint32_t)__builtin_ctzll(m);
            if (!try_grant(x, o, now)) continue;
            if (!has(&x->blocked, o)) *soonest = min_u64(*soonest, x->out[o].ready);
        }
    }
}

/* The wheel has no index by time, so the next release is searched. */
static uint64_t next_free(const struct xbar *x, uint64_t now)
{
    if (!x->busy) return NEVER;
    const uint64_t again = now + x->last_slot + 1; /* in the slot of `now` */
    for (uint64_t t = now + 1; t < again; t++)
        if (x->any_free[t & x->last_slot]) return t;
    return NEVER;
}

void xbar_sync(struct xbar *x, uint64_t cycles)
{
    *x->s.stall_cycles += x->stalled * (cycles - x->next);
    x->next = cycles;
}

/* Order: a delivery frees room behind its output and a released port can be granted, both in the same cycle. */
void xbar_tick(struct xbar *x, uint64_t now)
{
    xbar_sync(x, now);
    x->next = now + 1;
    uint64_t soonest = deliver_all(x, now);
    free_inputs(x, now);
    arbitrate(x, now, &soonest);
    x->stalled = x->waiting;
    *x->s.stall_cycles += x->stalled;
    x->wake = max_u64(min_u64(soonest, next_free(x, now)), now + 1);
}
