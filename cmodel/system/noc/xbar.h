/* SPDX-License-Identifier: Apache-2.0 */
/* One direction of the crossbar: packets of flits from input ports to output ports, in crossbar cycles.
 *
 * A packet at the head of its input queue asks for its output.  Each free output picks one of the free inputs that ask,
 * round-robin (who was served last is asked last), if a place is left behind it.  The packet then holds its input and
 * its output for as many cycles as it has flits, and leaves its input queue at the start of that.  Its first flit comes
 * out xbar.latency cycles after the grant, and the receiver may have it when the last one has.  Behind an output lie
 * xbar.output_queue places and one for each of the latency's stages; both fill up when the receiver has no room, and
 * then nobody is granted the output.  The receiver takes at most one packet a cycle from a port. */
#ifndef MEMTWIN_XBAR_H
#define MEMTWIN_XBAR_H
#include "system/config/config.h"
#include "system/unit/request.h"
#include "system/unit/unit.h"

#define XBAR_PORTS 256

struct xbar;

struct xbar_client {
    /* Takes a packet; false if there is no room: asked again after xbar_resume(). */
    bool (*deliver)(void *context, uint32_t output, const struct packet *p);
    void (*room)(void *context, uint32_t input); /* the input queue was full and is not */
    void *context;
};

struct xbar_setup {
    const char *name; /* for errors */
    uint32_t inputs, outputs, latency, input_queue, output_queue;
    uint32_t max_flits;     /* of a packet; at most 127 */
    uint64_t *stall_cycles; /* packets that waited only because their output was taken or full, summed over cycles */
};

struct xbar *xbar_create(const struct xbar_setup *setup, const struct xbar_client *client, struct error *err);
void xbar_destroy(struct xbar *x);
bool xbar_room(const struct xbar *x, uint32_t input);
/* xbar_room() must hold.  The crossbar sees the packet at its next cycle. */
void xbar_push(struct xbar *x, uint32_t input, uint32_t output, uint32_t flits, const struct packet *p);
/* The receiver behind `output` has room again. */
void xbar_resume(struct xbar *x, uint32_t output);
void xbar_tick(struct xbar *x, uint64_t now);
void xbar_finish(struct xbar *x, uint64_t cycles); /* counts those slept, at the end of so many cycles */
static inline uint64_t xbar_wake(const struct xbar *x)
{
    return unit_wake(x);
}
bool xbar_empty(const struct xbar *x);
#endif
