/* SPDX-License-Identifier: Apache-2.0 */
/* The link between an L2 slice and its partner in the other half of the L2 (l2.halves = 2; Nvidia20).
 *
 * The lower half of the partitions is half 0.  Each line has its home slice, in front of its DRAM channel.  Even SMs
 * are at half 0, odd ones at half 1; all requests of an SM go to slices of its own half: for a line whose home is in
 * the other half, to the partner of its home, partition.count / 2 partitions away.  There the line is foreign; its
 * number has the bit FOREIGN.
 *
 * A read of a foreign block is looked up as any other.  A miss is fetched from the home slice over the link, and leaves
 * a copy in a way.  Writes and atomics are sent to the home slice, which performs and answers them: a write updates a
 * copy that it finds here, an atomic drops it, and neither takes a way.
 *
 * A home slice that performs a write or an atomic drops the copy of its partner, unless the partner's write has updated
 * it.  This takes effect in the same cycle; if there is a copy, a message holds the link for a cycle.  A copy that is
 * being fetched, when a write or an atomic of either half passes, leaves when it comes, since its data may be older.
 *
 * The link carries requests one way and answers the other, in each direction, l2.link_bytes a cycle of data; a message
 * holds it for a cycle at least, and comes l2.far_latency cycles later.  A slice has l2.link_queue places for requests
 * to its partner and as many for those from it, on the link or waiting.  Requests of SMs and of the partner take turns
 * at the tags; if one is refused, the other is looked up in the same cycle.  Refusals of the partner's are not counted.
 *
 * No deadlock: a request of the partner waits only for DRAM, the crossbar and answers on the link, all of which go on.
 * Foreign lines never take the last entry of the MSHR file, nor the last way of a set that can be reserved, and answers
 * always find room.  If lines of the file share its slots, foreign requests are fewer than the lines that it can have.
 *
 * Only a line's home has it in front of DRAM: requests of foreign lines do not bypass the slice. */
#ifndef MEMTWIN_L2_FAR_H
#define MEMTWIN_L2_FAR_H
#include "system/cache/sectors.h"
#include "system/config/config.h"
#include "system/config/miss_kind.h"
#include "system/unit/ring.h"
#include "system/unit/unit.h"

/* Bit of the number, in a slice, of a line whose home is another slice: the highest one that caches and MSHR files
 * keep. No line of one of several slices has it.  Also of l2.upper_half = next, which is refused with two halves. */
#define FOREIGN ((uint64_t)1 << (MISS_ADDR_BITS - 1))

struct l2_far {
    struct ring in, out, back;    /* struct packet: the partner's requests; those to it; its answers */
    uint64_t out_free, back_free; /* cycles from which the link takes the next request; the next answer */
    uint32_t held, most;          /* foreign blocks in the MSHR file, or with `shared` requests; most of them */
    uint32_t latency, width;      /* of the link: cycles, bytes a cycle */
    bool shared;                  /* lines of the MSHR file share slots */
    bool turn;                    /* of the partner */
    bool serves;                  /* the last lookup is the partner's */
};

/* False without memory. */
bool l2_far_init(struct l2_far *f, const struct config *c);
void l2_far_free(struct l2_far *f);

static inline bool is_foreign(uint64_t local)
{
    return local & FOREIGN;
}

static inline bool l2_far_empty(const struct l2_far *f)
{
    return !f->in.count && !f->out.count && !f->back.count;
}

/* The oldest that has come, or NULL. */
static inline const struct packet *l2_far_come(const struct ring *r, uint64_t now)
{
    const struct packet *p = ring_peek(r);
    return p && p->ready <= now ? p : NULL;
}

/* Bytes of data in a request, in its answer. */
static inline uint32_t l2_far_request(const struct packet *p)
{
    return p->r.kind == REQUEST_READ ? 0 : p->r.bytes;
}

static inline uint32_t l2_far_answer(const struct packet *p)
{
    return p->r.kind == REQUEST_WRITE ? 0 : p->r.bytes;
}

/* Occupies the link, which is free, for so many bytes.  Returns the cycle in which they have come. */
uint64_t l2_far_carry(const struct l2_far *f, uint64_t *free, uint32_t bytes, uint64_t now);

static inline uint64_t l2_far_due(const struct ring *r, uint64_t now)
{
    const struct packet *p = ring_peek(r);
    return p && p->ready > now ? p->ready : NEVER;
}

/* The earlier of `wake` and the next cycle in which a message comes or may leave. */
static inline uint64_t l2_far_wake(const struct l2_far *f, uint64_t now, uint64_t wake)
{
    wake = min_u64(wake, min_u64(l2_far_due(&f->in, now), l2_far_due(&f->back, now)));
    return f->out.count ? min_u64(wake, max_u64(now + 1, f->out_free)) : wake;
}
#endif
