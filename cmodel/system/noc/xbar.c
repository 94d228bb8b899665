/* SPDX-License-Identifier: Apache-2.0 */
#include "system/noc/xbar.h"

#include "base/arith.h"
#include "base/host.h"
#include "system/unit/pool.h"

#define WORDS (XBAR_PORTS / 64)
#define SOME_WORDS 4
#define LONGEST 127      /* most cycles for which a packet holds its ports */
#define CREDIT_CYCLES 2u /* from a place behind a link that becomes free to its use */

/* One bit per port.  Most machines have at most 64 ports, and events less than 64 cycles away: one word is enough.  The
 * functions that are called per packet take the number of words as a constant and are compiled for 1, SOME_WORDS and
 * WORDS. */
struct ports {
    uint64_t w[WORDS];
};

/* A word of each set of ports. */
struct sets {
    uint64_t asked;          /* outputs that are requested */
    uint64_t sending, held;  /* inputs that send flits or wait for a head; outputs that take flits */
    uint64_t refused;        /* inputs that had no room for a packet */
    uint64_t blocked, retry; /* outputs whose receiver has refused the head; that deliver again in the next cycle */
};

/* A packet in the crossbar: a place in `packets`, where it stays while queues link its tickets. */
struct ticket {
    uint64_t ready; /* at an output: cycle of its last flit */
    uint32_t next;  /* in the queue */
    uint16_t flits, output;
};

struct queue {
    uint32_t first, last; /* tickets, if `count` */
    uint32_t count, flits;
};

/* Flits are counted from the start of the run. */
struct input {
    struct queue queue;
    uint64_t pushed, come, gone; /* by the sender; into the router, in the first `cycles` cycles; of granted packets */
    uint64_t cycles;
    uint64_t free; /* router cycle from which the port is free */
};

struct output {
    _Alignas(HOST_LINE) struct queue queue; /* pipeline stages of the latency, and the output queue */
    uint64_t link;                          /* cycle in which the next packet's first flit may leave */
    uint64_t free;                          /* as of an input */
    uint32_t last;                          /* input granted last; with fixed priority: the highest input */
    struct ports asking;                    /* free inputs whose head packet requests this output */
};

/* Port events of a cycle. */
enum event {
    INPUT_FREE,
    OUTPUT_FREE,
    HEAD_DUE,
    ROOM_DUE,
    EVENTS
};                             /* a port is free; an output's head may be delivered; a
                                  refused packet has room in front of the link */
#define SLOT_WORDS (2048 / 64) /* for the longest latency and packet that options.def allows */

struct xbar {
    uint64_t wake;             /* first: unit_wake() */
    uint64_t next;             /* cycles below it are counted */
    uint32_t waiting, stalled; /* inputs that request in this cycle; that were not granted in the last ticked one */
    uint32_t words;            /* 1, SOME_WORDS or WORDS */
    uint32_t last_slot; /* highest slot of the wheel, whose size is a power of two above the distance of any event in
                           cycles */
    struct ticket *tickets;
    struct packet *packets;
    struct input *in;
    struct output *out;

    struct pool places; /* of packets */
    struct sets set[WORDS];

    uint64_t *wheel; /* [slot][event][word] */
    struct xbar_client client;
    uint32_t in_room, out_room;  /* of a port, in flits or packets */
    uint32_t router_flits;       /* places of an input's buffer in the router, behind its link */
    uint32_t link_flits;         /* most flits that wait in front of an output's link */
    uint32_t front_flits;        /* of the one in front of it, if packets need room there; else 0 */
    uint64_t events[SLOT_WORDS]; /* one bit per slot: anything happens */
    struct xbar_setup s;
};

static inline uint32_t word_of(uint32_t port, uint32_t words)
{
    return words == 1 ? 0 : port / 64;
}

/* The sets that contain a port. */
static inline struct sets *sets_of(struct xbar *x, uint32_t port, uint32_t words)
{
    return &x->set[word_of(port, words)];
}

static inline uint64_t bit_of(uint32_t port)
{
    return (uint64_t)1 << (port % 64);
}

static inline bool none(const struct ports *p, uint32_t words)
{
    uint64_t all = 0;
    for (uint32_t w = 0; w < words; w++) all |= p->w[w];
    return !all;
}

/* The slot of a cycle. */
static inline uint64_t *slot_of(const struct xbar *x, uint64_t cycle, uint32_t words)
{
    return &x->wheel[(cycle & x->last_slot) * EVENTS * words];
}

static inline void mark(uint64_t *slot, enum event event, uint32_t port, uint32_t words)
{
    slot[event * words + word_of(port, words)] |= bit_of(port);
}

/* Something happens in this cycle.  Returns its slot. */
static inline uint64_t *plan(struct xbar *x, uint64_t cycle, uint32_t words)
{
    const uint32_t slot = cycle & x->last_slot;
    x->events[word_of(slot, words)] |= bit_of(slot);
    return slot_of(x, cycle, words);
}

/* Most cycles for which a packet holds its ports. */
static uint32_t hold(const struct xbar_setup *s, uint32_t flits)
{
    return (uint32_t)ceil_div(flits + s->alloc_cycles, s->speedup); /* router cycles converted to link cycles */
}

static bool init_ports(struct xbar *x)
{
    const struct xbar_setup *s = &x->s;
    x->in_room = s->input_flits ? s->input_flits : s->input_queue;
    x->router_flits = s->input_flits ? max_u32(s->input_flits / 2, s->max_flits) : UINT32_MAX;
    x->link_flits = s->input_flits ? max_u32(x->router_flits - CREDIT_CYCLES, s->max_flits) : UINT32_MAX;
    if (s->input_flits && s->front) {
        x->front_flits = max_u32(s->input_flits - x->router_flits, s->max_flits);
        x->in_room = x->front_flits + x->router_flits;
    }
    x->out_room = (s->output_flits ? s->output_flits : s->output_queue) + s->latency;
    const uint32_t places = s->inputs * x->in_room + s->outputs * x->out_room; /* a packet has a flit at least */
    x->in = host_calloc(s->inputs, sizeof *x->in);
    x->out = host_calloc(s->outputs, sizeof *x->out);
    x->tickets = host_malloc(places * sizeof *x->tickets);
    x->packets = host_malloc(places * sizeof *x->packets);
    /* mutant: || -> && (1): differs only when memory runs out */
    if (!x->in || !x->out || !x->tickets || !x->packets || !pool_grow(&x->places, places)) return false;
    for (uint32_t o = 0; o < s->outputs; o++) x->out[o].last = s->inputs - 1; /* so that input 0 is granted first */
    return true;
}

static uint32_t words_for(uint32_t ports, uint32_t slots)
{
    if (ports <= 64 && slots <= 64) return 1;
    return ports <= 64 * SOME_WORDS ? SOME_WORDS : WORDS;
}

/* A head is due at most the latency and its flits after its grant, or its flits after the head before it. */
static bool init_wheel(struct xbar *x, uint32_t longest)
{
    const uint32_t slots = 2u << log2_floor(max_u64(longest, x->s.latency + x->s.max_flits));
    x->words = words_for(max_u32(x->s.inputs, x->s.outputs), slots);
    x->last_slot = slots - 1;
    x->wheel = slots <= 64 * SLOT_WORDS ? host_calloc(slots * EVENTS * x->words, sizeof *x->wheel) : NULL;
    return x->wheel;
}

struct xbar *xbar_create(const struct xbar_setup *setup, const struct xbar_client *client, struct error *err)
{
    const uint32_t longest = (uint32_t)max_u64(hold(setup, setup->max_flits), setup->max_flits);
    if (setup->inputs > XBAR_PORTS || setup->outputs > XBAR_PORTS || longest > LONGEST)
        return error_set(err, "%s: %u inputs, %u outputs, packets of %u cycles; at most %u, %u, %u", setup->name,
                         setup->inputs, setup->outputs, longest, XBAR_PORTS, XBAR_PORTS, LONGEST),
               NULL;
    struct xbar *x = host_calloc(1, sizeof *x);
    if (x) *x = (struct xbar){.s = *setup, .client = *client, .wake = NEVER};
    if (x && init_ports(x) && init_wheel(x, longest)) {
        return x;
    }
    xbar_destroy(x);
    return error_set(err, "%s: out of memory", setup->name), NULL;
}

void xbar_destroy(struct xbar *x)
{
    if (!x) return;
    pool_free(&x->places);
    free(x->packets);
    free(x->tickets);
    free(x->wheel);
    free(x->in);
    free(x->out);
    free(x);
}

bool xbar_empty(const struct xbar *x)
{
    return pool_used(&x->places) == 0;
}

/* Returns true if the queue was empty. */
static inline bool enqueue(struct xbar *x, struct queue *q, uint32_t ticket)
{
    const bool first = q->count++ == 0;
    *(first ? &q->first : &x->tickets[q->last].next) = ticket;
    q->last = ticket;
    q->flits += x->tickets[ticket].flits;
    return first;
}

/* Returns the ticket of the oldest packet, which leaves. */
static inline uint32_t dequeue(const struct xbar *x, struct queue *q)
{
    const uint32_t ticket = q->first;
    q->count--;
    q->first = x->tickets[ticket].next; /* arbitrary for the last ticket */
    q->flits -= x->tickets[ticket].flits;
    return ticket;
}

/* A flit a cycle comes over the link, while the router's buffer has room. */
static inline void advance(const struct xbar *x, struct input *in, uint64_t cycles)
{
    in->come = min_u64(in->come + (cycles - in->cycles), min_u64(in->pushed, in->gone + x->router_flits));
    in->cycles = cycles;
}

/* The link frees the room for a packet, if the router's buffer has room. */
static void expect_room(struct xbar *x, uint32_t input, uint32_t flits)
{
    const struct input *in = &x->in[input];
    const uint64_t come = in->pushed + flits - x->front_flits; /* then there is room */
    if (come > in->gone + x->router_flits) return;             /* a grant comes first */
    const uint64_t cycle = in->cycles + (come - in->come) - 1;
    mark(plan(x, cycle, x->words), ROOM_DUE, input, x->words);
    x->wake = min_u64(x->wake, cycle);
}

bool xbar_room(struct xbar *x, uint32_t input, uint32_t flits, uint64_t next)
{
    struct input *in = &x->in[input];
    if (x->front_flits) {
        advance(x, in, max_u64(next, in->cycles));
        if (in->pushed - in->come + flits <= x->front_flits) return true;
        expect_room(x, input, flits);
    } else if ((x->s.input_flits ? in->queue.flits + flits - 1 : in->queue.count) < x->in_room) {
        return true;
    }
    sets_of(x, input, WORDS)->refused |= bit_of(input);
    return false;
}

/* The cycle, from `now` on, in which the first `flits` flits of the oldest packet have come. */
static inline uint64_t comes(const struct input *in, uint64_t flits, uint64_t now)
{
    const uint64_t needed = in->gone + flits;
    return now + (needed > in->come ? needed - in->come : 0);
}

/* The input is free in cycle `now`, and has a packet: it requests its output, or waits for the head to come. */
static inline void offer(struct xbar *x, uint32_t i, uint64_t now, uint32_t words)
{
    struct input *in = &x->in[i];
    advance(x, in, now + 1);
    const uint64_t head = x->s.packets ? now : comes(in, 1, now);
    if (head > now) {
        sets_of(x, i, words)->sending |= bit_of(i);
        mark(plan(x, head, words), INPUT_FREE, i, words);
        return;
    }
    const uint32_t o = x->tickets[in->queue.first].output;
    x->out[o].asking.w[word_of(i, words)] |= bit_of(i);
    sets_of(x, o, words)->asked |= bit_of(o);
    x->waiting++;
}

struct packet *xbar_push(struct xbar *x, uint32_t input, uint32_t output, uint32_t flits, uint64_t next)
{
    if (!xbar_room(x, input, flits, next)) return NULL;
    struct input *in = &x->in[input];
    const uint32_t p = pool_take(&x->places);
    x->tickets[p] = (struct ticket){.flits = (uint16_t)flits, .output = (uint16_t)output};
    advance(x, in, max_u64(next, in->cycles));
    in->pushed += flits;
    x->wake = 0;
    if (!enqueue(x, &in->queue, p) || (sets_of(x, input, WORDS)->sending & bit_of(input))) return &x->packets[p];
    if (x->words == 1)
        offer(x, input, next, 1);
    else if (x->words == SOME_WORDS)
        offer(x, input, next, SOME_WORDS);
    else
        offer(x, input, next, WORDS);
    return &x->packets[p];
}

void xbar_resume(struct xbar *x, uint32_t output)
{
    struct sets *set = sets_of(x, output, WORDS);
    if (!(set->blocked & bit_of(output))) return;
    set->blocked &= ~bit_of(output);
    set->retry |= bit_of(output);
    x->wake = 0;
}

static inline void deliver(struct xbar *x, uint32_t o, uint64_t now, uint32_t words)
{
    struct queue *q = &x->out[o].queue;
    if (!x->client.deliver(x->client.context, o, &x->packets[q->first])) {
        sets_of(x, o, words)->blocked |= bit_of(o);
        return;
    }
    pool_give(&x->places, dequeue(x, q));
    if (q->count) mark(plan(x, max_u64(x->tickets[q->first].ready, now + 1), words), HEAD_DUE, o, words);
}

/* Every output delivers its head, if it is due. */
static inline void deliver_all(struct xbar *x, uint64_t now, uint32_t words)
{
    uint64_t *due = slot_of(x, now, words) + HEAD_DUE * words;
    for (uint32_t w = 0; w < words; w++) {
        for (uint64_t m = due[w] | x->set[w].retry; m; m &= m - 1)
            deliver(x, w * 64 + (uint32_t)__builtin_ctzll(m), now, words);
        due[w] = x->set[w].retry = 0;
    }
}

/* Releases ports whose last flit has passed. */
static inline void free_ports(struct xbar *x, uint64_t now, uint32_t words)
{
    uint64_t *slot = slot_of(x, now, words);
    uint64_t *inputs = slot + INPUT_FREE * words, *outputs = slot + OUTPUT_FREE * words;
    for (uint32_t w = 0; w < words; w++) {
        x->set[w].held &= ~outputs[w];
        x->set[w].sending &= ~inputs[w];
        for (uint64_t m = inputs[w]; m; m &= m - 1) {
            const uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(m);
            if (x->in[i].queue.count) offer(x, i, now, words);
        }
        inputs[w] = outputs[w] = 0;
    }
}

/* The next requesting input after the one granted last, or the lowest.  At least one must request. */
static inline uint32_t pick(const struct output *out, uint32_t words)
{
    uint32_t w = word_of(out->last, words);
    uint64_t m = out->asking.w[w] & ~(uint64_t)1 << (out->last % 64);
    if (words == 1) return (uint32_t)__builtin_ctzll(m ? m : out->asking.w[0]);
    while (!m) {
        w = w + 1 == words ? 0 : w + 1;
        m = out->asking.w[w];
    }
    return w * 64 + (uint32_t)__builtin_ctzll(m);
}

/* The output is held until cycle `end`. */
static inline void hold_output(struct xbar *x, uint32_t o, uint64_t end, uint32_t words)
{
    sets_of(x, o, words)->held |= bit_of(o);
    mark(plan(x, end, words), OUTPUT_FREE, o, words);
}

/* So are both ports. */
static inline void hold_ports(struct xbar *x, uint32_t o, uint32_t i, uint64_t end, uint32_t words)
{
    hold_output(x, o, end, words);
    sets_of(x, i, words)->sending |= bit_of(i);
    mark(slot_of(x, end, words), INPUT_FREE, i, words);
}

/* A packet that was refused at this input may have room. */
static inline void tell_room(struct xbar *x, uint32_t i, uint32_t words)
{
    struct sets *set = sets_of(x, i, words);
    if (!(set->refused & bit_of(i))) return;
    set->refused &= ~bit_of(i);
    x->client.room(x->client.context, i);
}

/* Cycle, after `now`, in which the ports are free again of a packet that is granted now and whose last flit comes in
 * cycle `come`. */
static inline uint64_t use_ports(struct xbar *x, struct input *in, struct output *out, uint32_t flits, uint64_t come,
                                 uint64_t now)
{
    const uint32_t speed = x->s.speedup;
    const uint64_t start = max_u64(now * speed, max_u64(in->free, out->free));
    const uint64_t end = max_u64(start + flits + x->s.alloc_cycles, (come + 1) * speed);
    in->free = out->free = end;
    return max_u64(speed == 1 ? end : end / speed, now + 1);
}

static inline void grant(struct xbar *x, uint32_t o, uint32_t i, uint64_t now, uint32_t words)
{
    struct output *out = &x->out[o];
    struct queue *from = &x->in[i].queue;
    const uint32_t p = dequeue(x, from);
    struct ticket *t = &x->tickets[p];
    advance(x, &x->in[i], now + 1);
    if (x->s.packets)
        hold_output(x, o, now + 1, words);
    else
        hold_ports(x, o, i, use_ports(x, &x->in[i], out, t->flits, comes(&x->in[i], t->flits, now), now), words);
    x->in[i].gone += t->flits;
    t->ready = max_u64(now + x->s.latency, out->link) + t->flits - 1;
    out->link = t->ready + 1;
    if (enqueue(x, &out->queue, p)) mark(plan(x, max_u64(t->ready, now + 1), words), HEAD_DUE, o, words);
    if (!x->s.fixed) out->last = i;
    out->asking.w[word_of(i, words)] &= ~bit_of(i);
    sets_of(x, o, words)->asked &= ~((uint64_t)none(&out->asking, words) << (o % 64));
    x->waiting--;
    if (x->s.packets && from->count) offer(x, i, now, words);
    tell_room(x, i, words);
}

/* Whether an output has room for a packet. */
static inline bool has_room(const struct xbar *x, const struct queue *q, uint32_t flits)
{
    return (x->s.output_flits ? q->flits + flits - 1 : q->count) < x->out_room;
}

/* Flits wait in front of a link for places of the buffer behind it, which is as long as the router's of an input. */
static inline bool link_keeps_up(const struct xbar *x, const struct output *out, uint32_t flits, uint64_t now)
{
    return out->link + flits <= now + x->s.latency + x->link_flits;
}

/* Every free output grants an input, unless there is no room for the selected packet.  A grant may bring a request for
 * an output behind. */
static inline void arbitrate(struct xbar *x, uint64_t now, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++) {
        for (uint64_t m, above = ~(uint64_t)0; (m = x->set[w].asked & ~x->set[w].held & above);) {
            const uint32_t o = w * 64 + (uint32_t)__builtin_ctzll(m);
            above = ~(uint64_t)1 << (o % 64);
            const uint32_t i = pick(&x->out[o], words);
            const struct ticket *head = &x->tickets[x->in[i].queue.first];
            if (!link_keeps_up(x, &x->out[o], head->flits, now))
                plan(x, now + 1, words);
            else if (has_room(x, &x->out[o].queue, head->flits))
                grant(x, o, i, now, words);
        }
    }
}

static void tell_rooms(struct xbar *x, uint64_t now, uint32_t words)
{
    uint64_t *due = slot_of(x, now, words) + ROOM_DUE * words;
    for (uint32_t w = 0; w < words; w++) {
        for (uint64_t m = due[w]; m; m &= m - 1) tell_room(x, w * 64 + (uint32_t)__builtin_ctzll(m), words);
        due[w] = 0;
    }
}

/* The next cycle after `now` in which anything happens. */
static inline uint64_t next_event(const struct xbar *x, uint64_t now, uint32_t words)
{
    const uint32_t start = (now + 1) & x->last_slot, last_word = words == 1 ? 0 : x->last_slot / 64;
    uint32_t w = word_of(start, words);
    uint64_t m = x->events[w] & ~(uint64_t)0 << (start % 64);
    for (uint32_t i = 0; !m && i <= last_word; i++) {
        w = w == last_word ? 0 : w + 1;
        m = x->events[w];
    }
    return m ? now + 1 + ((w * 64 + (uint32_t)__builtin_ctzll(m) - start) & x->last_slot) : NEVER;
}

void xbar_sync(struct xbar *x, uint64_t cycles)
{
    *x->s.stall_cycles += x->stalled * (cycles - x->next);
    x->next = cycles;
}

/* Order: a delivery frees room behind its output and a released port can be granted, both in the same cycle. */
static inline void tick_ports(struct xbar *x, uint64_t now, uint32_t words)
{
    const uint32_t slot = now & x->last_slot;
    x->events[word_of(slot, words)] &= ~bit_of(slot);
    deliver_all(x, now, words);
    free_ports(x, now, words);
    arbitrate(x, now, words);
    if (x->front_flits) tell_rooms(x, now, words);
    x->wake = next_event(x, now, words);
}

void xbar_tick(struct xbar *x, uint64_t now)
{
    xbar_sync(x, now);
    x->next = now + 1;
    if (x->words == 1)
        tick_ports(x, now, 1);
    else if (x->words == SOME_WORDS)
        tick_ports(x, now, SOME_WORDS);
    else
        tick_ports(x, now, WORDS);
    x->stalled = x->waiting;
    *x->s.stall_cycles += x->stalled;
}
