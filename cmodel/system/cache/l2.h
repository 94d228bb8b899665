/* SPDX-License-Identifier: Apache-2.0 */
/* One L2 slice: write-back, write-allocate, one access in an L2 cycle, in the order in which l2_input.h offers them.
 *
 * With l2.sector_bytes = 32, a request of several sectors enters as one request per sector, and "line" below means a
 * sector, except for ways: all sectors of a line share one way.  The dirty sectors of a victim are one write.
 *
 * A cycle, in this order: the oldest response that is due goes to the crossbar; the MSHR file answers the request
 * presented before (dl_mshr) and drains a slot; one line that returned from DRAM enters the MSHR file; the oldest
 * read or write-back goes to DRAM; one new access.
 *
 * Access.  A valid line is a hit; a write or atomic hit makes it dirty.  Otherwise, in this order and each refusal
 * counted once in every cycle: a way that can be reserved (on_miss; l2.rf.line), places in the miss queue (one for the
 * read and, on_miss, one for a dirty victim, whether or not there will be one; l2.rf.miss_queue), the MSHR file
 * (l2.rf.mshr_*).  A request to a reserved line can only merge and needs neither way nor miss queue entry.
 * Reads, writes and atomics wait in the MSHR file alike.
 *
 * Write misses, by l2.write_miss.  fetch: as above, also if the write covers the whole line.  fetch_partial: a write of
 * the whole line needs a reservable way and a miss queue entry for a victim, and is then like a hit.  through: the
 * write's own 32, 64 or 128 bytes are sent to DRAM at once, which needs one more miss queue entry, and acknowledged
 * when DRAM completes them; a slot of the MSHR file holds them until the line arrives, which is then clean.  lazy:
 * every write takes a way and waits for no data.  The cache remembers which words were written.  A read or an atomic
 * of a line with unwritten words is a miss; the fetched data fill only the unwritten words.
 *
 * While a gate closes the slice (l2.bypass.mode, gate.h), reads and writes go to DRAM, which answers them,
 * and their tags enter without data.  Each needs one of l2.bypass.slots and the places of a miss.  Four kinds are
 * handled as in an open slice: atomics, which need the slice; hits of dirty lines, whose data are not in DRAM; misses
 * of partially written lines; requests to a line being fetched, which a waiting request may write.  A bypassing write
 * leaves a tag without data.
 *
 * With l2.bypass.on_stall a refused read miss bypasses the slice in the same cycle, if one of l2.bypass.slots and a
 * miss queue entry are free.  Both the refusal and the bypass are counted.  No tag is allocated.  Three kinds of
 * refused read still wait: of a line being fetched, which a waiting request may write; of a partially written line,
 * whose words are not in DRAM; and a hit.
 *
 * Ports (l2.port_bytes).  A hit of b bytes holds the data port for b / port cycles, in which no request is looked up; a
 * fill holds the fill port for those of a line, in which nothing else is taken from DRAM.
 *
 * An optional pipeline of l2.rop_latency cycles precedes the input queue, with unlimited capacity (in a GPU, that of
 * the raster unit).  With dram.latency_at = front, requests to DRAM pass a FIFO of dram.front_queue entries,
 * dram.extra_latency cycles long.
 *
 * Fill.  With on_fill the way is allocated now, after waiting for a miss queue entry for its victim.  The line
 * stays reserved while the MSHR file drains its slots, one a cycle and oldest first, so no access can evict it or hit
 * it in between; with the last slot it becomes valid, dirty if a write or an atomic was among them.
 *
 * Responses leave l2.latency cycles after the acceptance of a hit, or after the drain of a slot: a miss passes the same
 * pipeline.  After its stages there are l2.response_queue places; when all are taken, hits are refused (l2.rf.response)
 * and slots stay.  The response to a write is an acknowledgement: after its hit, the drain of its slot, or its
 * completion in DRAM. */
#ifndef MEMTWIN_L2_H
#define MEMTWIN_L2_H
#include "system/dram/dram.h"
#include "system/unit/request.h"

struct l2;

enum { MOST_RESPONSES = 3 }; /* responses per cycle: to a slot, to a request completed by DRAM, and to a hit */

/* State of a slice that its neighbours read in every cycle. */
struct l2_state {
    uint64_t wake; /* unit_wake() */
    uint64_t send; /* as `wake`, of l2_send() */
    uint32_t responses, response_limit;
    bool room; /* for all sectors of a line */
    bool busy; /* it holds something besides responses */
};

static inline const struct l2_state *l2_state(const struct l2 *s)
{
    return (const struct l2_state *)s;
}

static inline uint64_t l2_wake(const struct l2 *s)
{
    return l2_state(s)->wake;
}

static inline bool l2_room(const struct l2 *s)
{
    return l2_state(s)->room;
}

static inline bool l2_empty(const struct l2 *s)
{
    return !l2_state(s)->busy && !l2_state(s)->responses;
}

/* The slice's partner in the other half (l2_far.h). */
struct l2_link {
    bool (*room)(void *context, uint32_t slice);                                      /* for a request */
    void (*send)(void *context, uint32_t slice, bool answer, const struct packet *p); /* comes at p->ready */
    bool (*drop)(void *context, uint32_t slice, uint64_t local, uint32_t sector);     /* l2_far_drop() */
    void *context;
};

struct l2_client {
    bool (*respond)(void *context, uint32_t slice, const struct packet *p); /* false if there is no room */
    void *context;
    struct l2_link link; /* with l2.halves = 2 */
};

/* Slices are numbered through all partitions, partition.slices in each.  The slices of a
 * partition take its units of config_slice_unit() bytes in turn.  The caller keeps the channel, and forwards done() of
 * the slice's requests as l2_fill() and each room() as l2_resume(). */
struct l2 *l2_create(struct env *env, uint32_t slice, struct dram *channel, const struct l2_client *client,
                     struct error *err);
void l2_destroy(struct l2 *s);
/* l2_room() must hold; p->local is the line inside the slice. The slice sees the request at its next cycle, `next`.
 */
void l2_push(struct l2 *s, const struct packet *p, uint64_t next);
/* DRAM completed a read or write; visible to the slice from L2 cycle `ready` on. */
void l2_fill(struct l2 *s, const struct dram_request *r, uint64_t ready);
/* The channel has room again. */
void l2_resume(struct l2 *s);
/* Whether a request to DRAM finds room behind the miss queue.  With dram.intake = channel the slice does not send it:
 * l2_take() does, in front of the slice's cycle `now`, and requires l2_offers(). */
bool l2_offers(const struct l2 *s);
void l2_take(struct l2 *s, uint64_t now);
/* The oldest response leaves, if it is due and the crossbar has room.  Comes before l2_tick() of the cycle; a slice
 * that runs ahead (memory_partition.h) is ticked first and sends when that cycle is reached. */
void l2_send(struct l2 *s, uint64_t now);
/* The crossbar has room again.  True if a response was refused, which may leave now. */
bool l2_resume_responses(struct l2 *s);
/* Drops the line without a write-back; no request to it is in the slice, except the read of a write-through.  True if
 * it was dirty. */
bool l2_drop(struct l2 *s, uint64_t local);
/* A copy from the host brings a block of the line (l2.host_copies). */
void l2_copied(struct l2 *s, uint64_t local, uint32_t sector);
/* Of its partner: whether there is room for a request; a request, or an answer to one of its own; a block of the
 * partner's line `local` has changed. */
bool l2_far_room(const struct l2 *s);
void l2_far_take(struct l2 *s, bool answer, const struct packet *p);
bool l2_far_drop(struct l2 *s, uint64_t local, uint32_t sector);
void l2_tick(struct l2 *s, uint64_t now);
void l2_sync(struct l2 *s, uint64_t cycles); /* counts the cycles below `cycles` that were skipped */
/* The run ends after `cycles` cycles; false if the MSHR file raised an error, or if anything is still in the slice. */
bool l2_finish(struct l2 *s, uint64_t cycles, struct error *err);
#endif
