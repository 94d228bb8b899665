/* SPDX-License-Identifier: Apache-2.0 */
/* One direction of the crossbar: packets of flits from input ports to output ports, in crossbar cycles.
 *
 * The packet at the head of an input queue requests its output.  Each free output grants one of the free requesting
 * inputs, round-robin after the last grant or always the lowest (xbar.arbiter), if there is room behind the output. The
 * packet then holds input and output for as many cycles as it has flits, and leaves its input queue in the first of
 * them.  Its first flit comes out xbar.latency cycles after the grant; the receiver gets the packet with the last flit.
 * Behind an output are xbar.output_queue entries and one per stage of the latency.  When the receiver has no room they
 * fill up, and the output grants no input.  The receiver takes at most one packet per cycle from a port.
 *
 * Buffers may count flits instead of packets: xbar.input_flits, and xbar.output_flits with one more per stage of the
 * latency.  A packet of F flits takes F places when it enters the buffer, and returns them when it leaves.
 *
 * The router runs xbar.speedup cycles per link cycle.  A router that allocates its virtual channel and switch
 * packet by packet does not send the next packet in the cycle after a tail: xbar.alloc_cycles is that gap, in its own
 * cycles.  A packet of F flits holds its ports for F + alloc_cycles router cycles, or until its last flit has
 * come; a port starts one packet a cycle at most.  Links move one flit a cycle all the same: a packet can be granted
 * when its head has come, and packets leave an output at least their flits apart.  A router faster than its links keeps
 * them busier, since packets after a blocked head wait less.
 *
 * With xbar.input_flits, half of them are a buffer in the router.  The others wait in front of the link until it has
 * room.  With xbar.input_room = front a packet needs room there, and with both in the two together.  As many flits may
 * wait in front of an output's link.
 *
 * With xbar.transfer = packets every packet has one flit, no link is in front of the router, and an output that grants
 * an input leaves it free: the packet behind may go to an output with a higher number in the same cycle.  So does the
 * local crossbar of GPGPU-Sim 4. */
#ifndef MEMTWIN_XBAR_H
#define MEMTWIN_XBAR_H
#include "system/config/config.h"
#include "system/unit/request.h"
#include "system/unit/unit.h"

#define XBAR_PORTS 512

struct xbar;

struct xbar_client {
    /* Takes a packet; false if it has no room: retried after xbar_resume(). */
    bool (*deliver)(void *context, uint32_t output, const struct packet *p);
    /* Called when an input that had no room when it was asked may have some. */
    void (*room)(void *context, uint32_t input);
    void *context;
};

struct xbar_setup {
    const char *name; /* for errors */
    uint32_t inputs, outputs, latency;
    uint32_t input_queue, output_queue; /* packets */
    uint32_t input_flits, output_flits; /* in their place, if not 0; at least max_flits */
    uint32_t max_flits;                 /* of a packet */
    uint32_t alloc_cycles, speedup;
    bool fixed;             /* fixed priority: grants the lowest requesting input */
    bool packets;           /* ports are held by packets of one flit, and an input for no time (xbar.transfer) */
    bool front;             /* with input_flits: a packet needs room in front of the link */
    uint64_t *stall_cycles; /* packets that waited only because their output was busy or full, summed over cycles */
};

struct xbar *xbar_create(const struct xbar_setup *setup, const struct xbar_client *client, struct error *err);
void xbar_destroy(struct xbar *x);
/* Whether the input has room for a packet of `flits` flits (ignored if capacities count packets) before its cycle
 * `next`. */
bool xbar_room(struct xbar *x, uint32_t input, uint32_t flits, uint64_t next);
/* The crossbar sees the packet at its next cycle, `next`.  Returns the packet's place, to be written before the next
 * call; NULL if there is no room. */
struct packet *xbar_push(struct xbar *x, uint32_t input, uint32_t output, uint32_t flits, uint64_t next);
/* The receiver behind `output` has room again. */
void xbar_resume(struct xbar *x, uint32_t output);
void xbar_tick(struct xbar *x, uint64_t now);
void xbar_sync(struct xbar *x, uint64_t cycles); /* counts the cycles below `cycles` that were skipped */
static inline uint64_t xbar_wake(const struct xbar *x)
{
    return unit_wake(x);
}
bool xbar_empty(const struct xbar *x);
#endif
