/* SPDX-License-Identifier: Apache-2.0 */
/* One direction of the crossbar: latency of packets, arbitration, blocking.  Cycle numbers are worked out by hand from
 * xbar.h: a packet of F flits that is granted in cycle t is delivered in cycle t + latency + F - 1. */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "system/unit/unit.h"
#include "system/noc/xbar.h"

#define PACKETS 20000

struct bench {
    struct xbar *x;
    uint64_t stalls, clock, at[PACKETS];
    uint32_t order[PACKETS], delivered, pushed, rooms, outputs;
    bool refuse[XBAR_PORTS], skip;
};
static struct bench b, other;

static bool deliver(void *context, uint32_t output, const struct packet *p)
{
    struct bench *t = context;
    if (t->refuse[output]) return false;
    cr_assert_eq(p->local, output, "packet %u came out elsewhere", p->r.tag);
    t->at[p->r.tag] = t->clock;
    t->order[t->delivered++] = p->r.tag;
    return true;
}

static void room(void *context, uint32_t input)
{
    (void)input;
    ((struct bench *)context)->rooms++;
}

static struct xbar_setup setup_of(uint32_t inputs, uint32_t outputs, uint32_t latency, uint32_t queue)
{
    return (struct xbar_setup){.name = "test",
                               .inputs = inputs,
                               .outputs = outputs,
                               .latency = latency,
                               .input_queue = queue,
                               .output_queue = queue,
                               .max_flits = 9,
                               .speedup = 1};
}

static void open_with(struct bench *t, struct xbar_setup s)
{
    struct error err = {0};
    memset(t, 0, sizeof *t);
    t->skip = true;
    t->outputs = s.outputs;
    s.stall_cycles = &t->stalls;
    t->x = xbar_create(&s, &(struct xbar_client){deliver, room, t}, &err);
    cr_assert(t->x, "%s", err.text);
}

static void open_bench(struct bench *t, uint32_t inputs, uint32_t outputs, uint32_t latency, uint32_t queue)
{
    open_with(t, setup_of(inputs, outputs, latency, queue));
}

static uint32_t push(struct bench *t, uint32_t in, uint32_t out, uint32_t flits)
{
    cr_assert(xbar_room(t->x, in, flits, t->clock));
    *xbar_push(t->x, in, out, flits, t->clock) =
        (struct packet){.r.tag = t->pushed, .r.sm = (uint16_t)in, .local = out};
    return t->pushed++;
}

static void until(struct bench *t, uint64_t clock)
{
    for (; t->clock < clock; t->clock++)
        if (!t->skip || xbar_wake(t->x) <= t->clock) xbar_tick(t->x, t->clock);
}

static void drain(struct bench *t)
{
    for (uint64_t limit = t->clock + 100000; !xbar_empty(t->x); until(t, t->clock + 1))
        cr_assert(t->clock < limit, "packets are stuck");
    xbar_tick(t->x, t->clock++);
}

Test(xbar_packets, latency_and_flits)
{
    open_bench(&b, 4, 2, 12, 8);
    uint32_t one = push(&b, 0, 0, 1), five = push(&b, 1, 1, 5);
    drain(&b);
    cr_expect_eq(b.at[one], 12);
    cr_expect_eq(b.at[five], 16);
    cr_expect_eq(b.stalls, 0);
    xbar_destroy(b.x);
}

Test(xbar_packets, an_output_is_held_for_all_flits)
{
    open_bench(&b, 4, 2, 12, 8);
    uint32_t first = push(&b, 0, 0, 5), second = push(&b, 1, 0, 5);
    drain(&b);
    cr_expect_eq(b.at[first], 16);
    cr_expect_eq(b.at[second], 21);
    cr_expect_eq(b.stalls, 5); /* cycles 0 to 4 */
    xbar_destroy(b.x);
}

Test(xbar_packets, an_input_is_held_for_all_flits)
{
    open_bench(&b, 4, 2, 12, 8);
    uint32_t first = push(&b, 0, 0, 5), second = push(&b, 0, 1, 1);
    drain(&b);
    cr_expect_eq(b.at[first], 16);
    cr_expect_eq(b.at[second], 17);
    cr_expect_eq(b.stalls, 0); /* it did not wait for its output */
    xbar_destroy(b.x);
}

/* xbar.transfer = packets.  Input 0 sends to outputs 0, 1 and 2; input 1 to 3, and to lower ones in later cycles. */
Test(xbar_packets, an_input_sends_to_outputs_with_higher_numbers_in_a_cycle)
{
    struct xbar_setup s = setup_of(2, 4, 1, 8);
    uint32_t up[3], down[3];
    s.packets = true;
    open_with(&b, s);
    for (uint32_t k = 0; k < 3; k++) up[k] = push(&b, 0, k, 1);
    for (uint32_t k = 0; k < 3; k++) down[k] = push(&b, 1, 3 - k, 1);
    drain(&b);
    for (uint32_t k = 0; k < 3; k++) {
        cr_expect_eq(b.at[up[k]], 1);
        cr_expect_eq(b.at[down[k]], 1 + k);
    }
    xbar_destroy(b.x);
}

/* One packet a cycle at an output, of its inputs in turn. */
Test(xbar_packets, an_output_takes_a_packet_a_cycle_from_its_inputs_in_turn)
{
    struct xbar_setup s = setup_of(3, 1, 1, 8);
    s.packets = true;
    open_with(&b, s);
    for (uint32_t k = 0; k < 6; k++) push(&b, k % 3, 0, 1);
    drain(&b);
    for (uint32_t k = 0; k < 6; k++) {
        cr_expect_eq(b.order[k], k);
        cr_expect_eq(b.at[k], 1 + k);
    }
    xbar_destroy(b.x);
}

Test(xbar_packets, outputs_serve_their_inputs_in_turn)
{
    open_bench(&b, 4, 1, 3, 8);
    for (uint32_t n = 0; n < 4; n++)
        for (uint32_t in = 0; in < 4; in++) push(&b, in, 0, 2);
    drain(&b);
    for (uint32_t n = 0; n < 16; n++) {
        cr_expect_eq(b.order[n], n); /* 0 1 2 3 0 1 2 3: each input's next packet */
        cr_expect_eq(b.at[n], 2 * n + 3 + 1);
    }
    xbar_destroy(b.x);
}

Test(xbar_packets, the_one_served_last_is_asked_last)
{
    open_bench(&b, 200, 1, 3, 8);
    uint32_t a = push(&b, 70, 0, 1);
    until(&b, 1);
    uint32_t low = push(&b, 5, 0, 1), same = push(&b, 70, 0, 1), high = push(&b, 150, 0, 1);
    drain(&b);
    cr_expect(b.at[a] < b.at[high] && b.at[high] < b.at[low] && b.at[low] < b.at[same]);
    xbar_destroy(b.x);
}

Test(xbar_packets, a_full_output_stops_its_inputs_only)
{
    open_bench(&b, 2, 2, 3, 2);
    b.refuse[0] = true;
    uint32_t held = 0;
    for (uint64_t t = 1; t < 40; t++) {
        if (xbar_room(b.x, 0, 1, b.clock)) {
            push(&b, 0, 0, 1);
            held++;
        }
        until(&b, t);
    }
    cr_expect_eq(held, 2 + 3 + 2); /* output queue, stages of the latency, input queue */
    uint32_t free_way = push(&b, 1, 1, 1);
    until(&b, 60);
    cr_expect_eq(b.at[free_way], 39 + 3);
    uint32_t before = b.rooms;
    b.refuse[0] = false;
    xbar_resume(b.x, 0);
    drain(&b);
    cr_expect_eq(b.delivered, 8);
    cr_expect_eq(b.rooms, before + 1);
    for (uint32_t n = 1; n < 8; n++) cr_expect_eq(b.order[n], n - 1);
    cr_expect_eq(b.at[1], 61); /* one packet a cycle */
    xbar_destroy(b.x);
}

Test(xbar_packets, a_packet_too_long_is_an_error)
{
    struct error err = {0};
    uint64_t stalls;
    struct xbar_setup s = setup_of(1, 1, 1, 1);
    s.max_flits = 125;
    s.alloc_cycles = 3;
    s.stall_cycles = &stalls;
    cr_expect_null(xbar_create(&s, &(struct xbar_client){deliver, room, &b}, &err));
    cr_expect(strstr(err.text, "packets of 128 cycles; at most 512, 512, 127"), "%s", err.text);
    s.speedup = 2; /* 64 cycles in the router, 125 on the links */
    struct xbar *x = xbar_create(&s, &(struct xbar_client){deliver, room, &b}, &err);
    cr_expect(x);
    xbar_destroy(x);
}

/* Packets of so many flits, two by two: from one input to one output, from two to one, and from one to two.  Cycles
 * from the first one's delivery to the second one's. */
static void check_gaps(uint32_t alloc_cycles, uint32_t speedup, uint32_t flits, uint32_t gap)
{
    static const uint32_t ports[][2][2] = {{{0, 0}, {0, 0}}, {{0, 0}, {1, 0}}, {{0, 0}, {0, 1}}};
    for (uint32_t i = 0; i < 3; i++) {
        struct xbar_setup s = setup_of(2, 2, 4, 8);
        s.alloc_cycles = alloc_cycles;
        s.speedup = speedup;
        open_with(&b, s);
        const uint32_t one = push(&b, ports[i][0][0], ports[i][0][1], flits);
        const uint32_t two = push(&b, ports[i][1][0], ports[i][1][1], flits);
        drain(&b);
        cr_expect_eq(b.at[one], 4 + flits - 1);
        cr_expect_eq(b.at[two], b.at[one] + gap, "case %u: %u flits, found %llu, expected %u", i, flits,
                     (unsigned long long)(b.at[two] - b.at[one]), gap);
        xbar_destroy(b.x);
    }
}

Test(xbar_packets, allocation_keeps_a_port_between_two_packets)
{
    check_gaps(0, 1, 5, 5);
    check_gaps(3, 1, 5, 8);
    check_gaps(3, 1, 1, 4);
    check_gaps(3, 2, 5, 5); /* eight router cycles take four; five flits take five */
    check_gaps(3, 2, 1, 2);
    check_gaps(4, 2, 1, 2); /* five router cycles end in the middle of the third */
}

Test(xbar_packets, a_port_is_free_within_a_cycle)
{
    struct xbar_setup s = setup_of(1, 1, 4, 8);
    s.alloc_cycles = 4;
    s.speedup = 2;
    open_with(&b, s);
    for (int n = 0; n < 5; n++) push(&b, 0, 0, 1);
    drain(&b);
    for (uint32_t n = 0; n < 5; n++) cr_expect_eq(b.at[n], 4 + 5 * n / 2);
    xbar_destroy(b.x);
}

/* Random packets of five flits, and an input never empty: the share of cycles in which an output has a flit. */
static double saturated(uint32_t speedup)
{
    struct rng r;
    struct xbar_setup s = setup_of(8, 8, 4, 4);
    rng_seed(&r, 5);
    s.speedup = speedup;
    open_with(&b, s);
    while (b.pushed < PACKETS - 8) {
        for (uint32_t in = 0; in < 8; in++)
            if (xbar_room(b.x, in, 5, b.clock)) push(&b, in, (uint32_t)rng_below(&r, 8), 5);
        until(&b, b.clock + 1);
    }
    const double share = 5.0 * b.delivered / (8 * (double)b.clock);
    drain(&b);
    xbar_destroy(b.x);
    return share;
}

/* Head-of-line blocking: about six tenths of the links' throughput are left; a faster router makes up for it, and no
 * link moves more than a flit a cycle. */
Test(xbar_packets, a_faster_router_keeps_its_links_busy)
{
    const double slow = saturated(1), fast = saturated(2);
    cr_expect(slow > 0.55 && slow < 0.7, "%.3f", slow);
    cr_expect(fast > 0.8 && fast <= 1, "%.3f", fast);
}

/* Ten packets at once: the input's link takes a flit a cycle, and so does the output's. */
Test(xbar_packets, a_faster_router_does_not_make_links_faster)
{
    struct xbar_setup s = setup_of(1, 2, 4, 16);
    s.speedup = 8;
    open_with(&b, s);
    for (uint32_t n = 0; n < 10; n++) push(&b, 0, n % 2, 5);
    drain(&b);
    for (uint32_t n = 0; n < 10; n++) cr_expect_eq(b.at[n], 4 + 4 + 5 * n);
    xbar_destroy(b.x);
}

/* Packets of five flits from four inputs to one output, and a router of any speed.  Flits come in cycles 0 to 4, so the
 * first packet holds the output until 5, and the others go on in 5, 6 and 7.  With half of 20 flits behind the router,
 * whose free places are used two cycles later, the last one waits until the link has moved those before it. */
Test(xbar_packets, a_faster_router_waits_for_its_links)
{
    for (int flits = 0; flits < 2; flits++) {
        struct xbar_setup s = setup_of(4, 1, 4, 32);
        s.speedup = 5;
        s.input_flits = flits ? 20 : 0;
        s.output_flits = flits ? 100 : 0;
        open_with(&b, s);
        for (uint32_t in = 0; in < 4; in++) push(&b, in, 0, 5);
        drain(&b);
        cr_expect_eq(b.stalls, 5 + 6 + (flits ? 11 : 7), "%lu", b.stalls);
        for (uint32_t n = 0; n < 4; n++) cr_expect_eq(b.at[n], 4 + 4 + 5 * n);
        xbar_destroy(b.x);
    }
}

Test(xbar_packets, an_input_may_count_flits)
{
    struct xbar_setup s = setup_of(1, 1, 3, 8);
    s.input_flits = 9;
    open_with(&b, s);
    push(&b, 0, 0, 5);
    cr_expect_not(xbar_room(b.x, 0, 5, b.clock));
    cr_expect(xbar_room(b.x, 0, 4, b.clock));
    until(&b, 1); /* it has been granted, and has left its buffer */
    cr_expect_eq(b.rooms, 1);
    push(&b, 0, 0, 5);
    push(&b, 0, 0, 4);
    cr_expect_not(xbar_room(b.x, 0, 1, b.clock));
    drain(&b);
    cr_expect_eq(b.delivered, 3);
    xbar_destroy(b.x);
}

/* Ten places in front of the link, which one flit a cycle leaves.  The first call is that of the first grant. */
Test(xbar_packets, a_packet_may_need_room_in_front_of_the_link)
{
    struct xbar_setup s = setup_of(1, 1, 3, 8);
    s.input_flits = 20;
    s.front = true;
    open_with(&b, s);
    b.refuse[0] = true;
    push(&b, 0, 0, 5);
    push(&b, 0, 0, 5);
    cr_expect_not(xbar_room(b.x, 0, 3, b.clock));
    until(&b, 1);
    cr_expect_eq(b.rooms, 1);
    cr_expect_not(xbar_room(b.x, 0, 3, b.clock));
    until(&b, 2);
    cr_expect_eq(b.rooms, 1);
    until(&b, 3);
    cr_expect_eq(b.rooms, 2);
    cr_expect_not(xbar_room(b.x, 0, 4, b.clock));
    push(&b, 0, 0, 3);
    b.refuse[0] = false;
    drain(&b);
    cr_expect_eq(b.delivered, 3);
    xbar_destroy(b.x);
}

Test(xbar_packets, an_output_may_count_flits)
{
    struct xbar_setup s = setup_of(1, 1, 3, 100);
    s.output_flits = 9;
    open_with(&b, s);
    b.refuse[0] = true;
    for (uint32_t n = 0; n < 6; n++) push(&b, 0, 0, 5);
    until(&b, 200);
    b.refuse[0] = false;
    xbar_resume(b.x, 0);
    until(&b, 204);
    cr_expect_eq(b.delivered, 2, "two packets of five flits fit three stages and nine places, found %u", b.delivered);
    drain(&b);
    cr_expect_eq(b.delivered, 6);
    xbar_destroy(b.x);
}

Test(xbar_packets, a_fixed_arbiter_prefers_the_lowest_input)
{
    for (int fixed = 0; fixed < 2; fixed++) {
        struct xbar_setup s = setup_of(3, 1, 3, 8);
        s.fixed = fixed;
        open_with(&b, s);
        for (uint32_t n = 0; n < 2; n++)
            for (uint32_t in = 0; in < 3; in++) push(&b, 2 - in, 0, 1);
        drain(&b);
        /* tags by input: 0: 2, 5; 1: 1, 4; 2: 0, 3 */
        static const uint32_t order[2][6] = {{2, 1, 0, 5, 4, 3}, {2, 5, 1, 4, 0, 3}};
        cr_expect_arr_eq(b.order, order[fixed], sizeof order[fixed]);
        xbar_destroy(b.x);
    }
}

/* The same random traffic; receivers that refuse now and then. */
static void random_traffic(struct bench *t, uint64_t seed, uint32_t inputs)
{
    struct rng rng;
    rng_seed(&rng, seed);
    while (t->pushed < PACKETS) {
        until(t, t->clock + rng_below(&rng, rng_below(&rng, 50) ? 3 : 200));
        for (uint64_t n = 1 + rng_below(&rng, inputs); n && t->pushed < PACKETS; n--) {
            uint32_t in = (uint32_t)rng_below(&rng, inputs), out = (uint32_t)rng_below(&rng, t->outputs);
            uint32_t length = rng_below(&rng, 2) ? 1 : 5;
            if (xbar_room(t->x, in, length, t->clock)) push(t, in, out, length);
        }
        uint32_t o = (uint32_t)rng_below(&rng, t->outputs);
        t->refuse[o] = rng_below(&rng, 3) == 0;
        if (!t->refuse[o]) xbar_resume(t->x, o);
    }
    for (uint32_t o = 0; o < t->outputs; o++) {
        t->refuse[o] = false;
        xbar_resume(t->x, o);
    }
    drain(t);
}

Test(xbar_packets, sleeping_changes_nothing)
{
    const uint32_t sizes[][3] = {{28, 8, 12},  {8, 28, 12},   {1, 1, 1},     {256, 256, 2},   {65, 3, 30},
                                 {28, 8, 200}, {132, 160, 3}, {132, 257, 9}, {256, 512, 200}, {512, 256, 2}};
    for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct xbar_setup s = setup_of(sizes[i][0], sizes[i][1], sizes[i][2], 4);
        if (i % 2) {
            s.input_flits = 9;
            s.output_flits = 24;
            s.alloc_cycles = 3;
            s.speedup = i / 2 + 1;
            s.fixed = true;
        }
        open_with(&b, s);
        open_with(&other, s);
        other.skip = false;
        random_traffic(&b, i, sizes[i][0]);
        random_traffic(&other, i, sizes[i][0]);
        cr_expect_arr_eq(b.at, other.at, sizeof b.at, "seed %u: a packet came at another time", i);
        cr_expect_eq(b.stalls, other.stalls, "seed %u: %llu stalls, %llu ticked", i, (unsigned long long)b.stalls,
                     (unsigned long long)other.stalls);
        cr_expect_eq(b.delivered, PACKETS);
        cr_expect(b.stalls > 0);
        xbar_destroy(b.x);
        xbar_destroy(other.x);
    }
}

static void turn_goes_on(uint32_t inputs, uint32_t from, uint32_t to)
{
    open_bench(&b, inputs, 1, 3, 8);
    push(&b, from, 0, 1);
    until(&b, 1);
    uint32_t low = push(&b, 0, 0, 1), next = push(&b, to, 0, 1);
    drain(&b);
    cr_expect_lt(b.at[next], b.at[low], "from %u to %u", from, to);
    xbar_destroy(b.x);
}

Test(xbar_packets, the_turn_goes_to_the_next_input_of_many)
{
    turn_goes_on(70, 62, 63);
    turn_goes_on(160, 127, 159);
    turn_goes_on(512, 300, 511);
}

/* Their numbers need more than eight bits. */
Test(xbar_packets, every_one_of_512_outputs_gets_its_packet)
{
    open_bench(&b, 2, 512, 3, 300);
    for (uint32_t o = 0; o < 512; o++) push(&b, o % 2, o, 1);
    drain(&b);
    cr_expect_eq(b.delivered, 512);
    xbar_destroy(b.x);
}

/* Output 1 comes free in every clock in which output 0 is in the middle of a packet. */
Test(xbar_packets, an_output_is_held_however_often_others_come_free)
{
    open_bench(&b, 4, 2, 3, 200);
    for (uint32_t i = 0; i < 100; i++) {
        push(&b, 0, 0, 5);
        push(&b, 1, 0, 5);
        push(&b, 2, 1, 1);
        push(&b, 3, 1, 1);
    }
    drain(&b);
    uint64_t last = 0;
    for (uint32_t n = 0; n < b.delivered; n++) {
        if (b.order[n] % 4 > 1) continue;
        cr_expect(!last || b.at[b.order[n]] == last + 5, "packet %u", b.order[n]);
        last = b.at[b.order[n]];
    }
    xbar_destroy(b.x);
}
