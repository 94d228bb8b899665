/* SPDX-License-Identifier: Apache-2.0 */
/* One SM's L1 data cache: tags, MSHR file, miss queue, and the bypass.
 *
 * A cycle: the answer of a dl_mshr to the access presented in the cycle before; one MSHR slot drains; one response is
 * taken; one request leaves the miss queue; one access is looked up.  A read miss needs, asked in this order: a way to
 * reserve (allocate-on-miss, unless the line is reserved already), room in the miss queue (merges too: whether it
 * merges is known only afterwards), and the MSHR file.  A refused access retries in each cycle, and each refusal counts
 * as one reservation failure with its cause.
 *
 * A write or atomic needs room in the miss queue, allocates nothing, and evicts the line if it is valid (or, write
 * through, leaves it).  With l1d.write_miss a write takes a way, of which its words are valid (TAG_WRITTEN): a read of
 * other words fetches the block, which stays.  In a set that l1d.replacement protects it takes none.  The memory
 * acknowledges it; no warp waits for a write.  A bypassed read neither looks up nor fills the line; it needs room in
 * the miss queue and a bypass slot (bypass.h).  With l1d.enable off all reads bypass, limited by the bypass slots. With
 * l1d.bypass.path = direct it needs room in the crossbar instead of the miss queue; waiting for the crossbar is not a
 * reservation failure.
 *
 * With a gate (l1d.bypass.mode = stream) a policy can close the L1D (gate.h).  While it is closed, all reads bypass
 * it, hits too.  Each of these reads still updates the tags.  Writes and atomics are handled as in an open L1D, so no
 * line becomes stale.
 *
 * With l1d.bypass.on_stall a refused read bypasses the L1D in the same cycle, if a bypass slot and room are free.  It
 * counts as a reservation failure and as a bypassed read; a gate counts it as a miss.  Without a slot or room
 * it retries.  A dl_mshr refuses one cycle late; that read bypasses at its retry.
 *
 * With l1d.sector_bytes = 32, "line" above means a sector, except for ways: all sectors of a line share one way.
 *
 * With l1d.banks, an L1D accepts several accesses of an instruction in a cycle: those that its sender marks, each of
 * which follows an accepted one.  The MSHR file and the learners of l1d.bypass.mode and l1d.replacement then have a
 * clock edge for each of them that they see.  What learns from accesses sees sectors of one line that are looked up
 * together once.  One read a cycle takes a bypass slot; the next one waits.
 *
 * Ports (l1d.port_bytes).  A hit of b bytes holds the data port for b / port cycles, in which other accesses but
 * bypassed reads wait; a fill holds the fill port for those of a line, in which other fills wait.  That is no
 * reservation failure either. */
#ifndef MEMTWIN_L1D_H
#define MEMTWIN_L1D_H
#include <stddef.h>

#include "system/unit/gpu.h"
#include "system/unit/port.h"

enum l1d_outcome { L1D_NONE, L1D_WAIT, L1D_ACCEPTED, L1D_REFUSED };
#define L1D_NO_ACCESS UINT64_MAX
#define L1D_ANY_ACCESS (UINT64_MAX - 1)

struct access {
    uint64_t line;
    uint64_t id;
    uint32_t load;         /* the sender's tag, returned with the data of a read or atomic; of a write: request.tag */
    uint32_t written;      /* request.written; of a read: the words of the line that it needs, or 0: all of them */
    uint32_t entered;      /* cycle in which it entered the pipeline in front of the L1D, low bits */
    uint8_t kind;          /* enum request_kind */
    uint8_t bytes, sector; /* request.bytes, request.sector; of one sector if the L1D has sectors */
    uint8_t warp;          /* slot of the warp that makes it */
    uint8_t workload;      /* workload that shares the SM */
    bool bypass;
    bool beside;            /* looked up in the cycle of the access before it, if that is accepted in it */
    uint8_t pipeline;       /* of the front (l1d_front.h) */
    bool around;            /* l1d_send_around() */
    uint16_t owner, owners; /* owner of the access, by l1d.bypass.level; owners present are below `owners` */
};

enum { L1D_WIDTH = 32 }; /* accesses of a cycle, at most */

/* Accesses of a cycle: with l1d.banks, each needs a bank and is one of the four sectors of a line looked up. */
static inline uint32_t l1d_width(const struct config *c)
{
    return c->l1d_banks ? min_u32(c->l1d_banks, c->l1d_lookups * (LINE_BYTES / SECTOR_BYTES)) : 1;
}

/* SM cycles of a hit. */
static inline uint32_t l1d_latency(const struct config *c)
{
    return c->l1d_latency;
}

/* Those in front of the tags, and those behind them. */
static inline uint32_t l1d_latency_front(const struct config *c)
{
    return c->l1d_latency_at == LATENCY_FRONT ? l1d_latency(c) - c->l1d_data_latency : 0;
}

static inline uint32_t l1d_latency_behind(const struct config *c)
{
    return l1d_latency(c) - l1d_latency_front(c);
}

/* Whether a write miss of L1D or L2 depends on the words written. */
static inline bool l1d_words_matter(const struct config *c)
{
    return c->l2_write_miss == WRITE_MISS_FETCH_PARTIAL || c->l2_write_miss == WRITE_MISS_LAZY ||
           c->l1d_write_miss != L1_WRITE_NONE;
}

struct l1d_done {
    uint32_t count;
    uint32_t load[L1D_WIDTH + 2]; /* the data of hits, a slot of the MSHR file, a bypassed read or an atomic */
};

/* Events of an L1D, reported in their cycle. */
struct l1d_listener {
    /* A read is accepted: AT_L1D_HIT, AT_L1D_MISS, AT_L1D_MERGE or AT_L1D_BYPASS.  For a read that bypasses an
     * L1D closed by its gate: the result of its tag lookup. */
    void (*read)(void *context, const struct access *a, enum place how);
    /* A valid line is replaced; `warp` fetched it, or TAGS_NO_MARK (l1d_forget()). */
    void (*replaced)(void *context, uint64_t line, uint32_t warp);
    void *context;
};

struct l1d;

struct l1d *l1d_create(struct env *env, uint32_t sm, struct error *err);
void l1d_destroy(struct l1d *l);
void l1d_listen(struct l1d *l, const struct l1d_listener *listener); /* stays owned by the caller */
/* The part of a cycle before the access. Fills *done. Returns the outcome of the access that waited for an answer:
 * L1D_NONE if none did, L1D_WAIT if it still does. */
enum l1d_outcome l1d_begin(struct l1d *l, const struct memory_port *port, struct l1d_done *done);
/* Presents an access, none while one waits; at most one a cycle, and after an accepted one those that are `beside`. */
enum l1d_outcome l1d_access(struct l1d *l, const struct access *a);
/* With l1d.latency_at = front, after the access: the data of its hit. */
void l1d_finish(struct l1d *l, struct l1d_done *done);
/* The clock edge; false if a rule was broken. */
bool l1d_end(struct l1d *l, struct error *err);
/* After l1d_end(): the pipelines whose access was refused in this cycle, a bit for each; and whether the L1D refuses an
 * access of a pipeline in the next cycle, too, for the same reason. */
uint32_t l1d_refusals(const struct l1d *l);
bool l1d_refuses_again(const struct l1d *l, uint32_t pipeline, uint64_t id);
/* After l1d_end(): the next cycle with work.  `changed`: the sender's part of this cycle changed something.  `repeats`:
 * the accesses of the next cycle are those that were refused in this one, and are refused again. */
uint64_t l1d_next(const struct l1d *l, bool changed, bool repeats);
/* Counts cycles like the last one, in which nothing changed; and the refusals of a pipeline in them. */
void l1d_idle(struct l1d *l, uint64_t cycles);
void l1d_idle_refused(struct l1d *l, uint32_t pipeline, uint64_t cycles);
/* Whether reads of this owner bypass `l`.  `decider`: the deciding L1D. */
bool l1d_sends_around(const struct l1d *l, const struct l1d *decider, uint32_t owner);
/* Sends an atomic or a read to the crossbar, past the tags, the miss queue and the bypass slots.  False: the crossbar
 * has no room, and wakes the SM when it has. */
bool l1d_send_around(struct l1d *l, const struct access *a);
/* A response from memory; true if there is work for the next l1d_begin(). */
bool l1d_respond(struct l1d *l, const struct request *r);
void l1d_flush(struct l1d *l);
/* So many of its ways are used from now on.  No read may be in flight; the lines leave. */
void l1d_resize(struct l1d *l, uint32_t ways);
void l1d_flush_where(struct l1d *l, uint64_t mask, uint64_t bits); /* lines with these bits under the mask */
/* The lines of the workload were invalidated; true: there is work for the next cycle. */
bool l1d_flush_workload(struct l1d *l, uint32_t workload);
void l1d_forget(struct l1d *l, uint8_t warp); /* forgets which lines this warp fetched */
void l1d_drop(struct l1d *l, uint64_t line);  /* no request to it is in flight */
bool l1d_quiet(const struct l1d *l);          /* nothing in flight */
uint64_t l1d_sent(const struct l1d *l);       /* requests sent to memory and responses received */
uint64_t l1d_received(const struct l1d *l);
struct l1d_held {
    uint64_t reads;   /* reads and atomics in flight */
    uint64_t writes;  /* accepted and not acknowledged */
    uint64_t to_send; /* requests in the miss queue */
};
void l1d_holds(const struct l1d *l, struct l1d_held *h);
/* Of all L1Ds, whose counters are those of the run: the laws at its end, also if requests are in flight. */
bool l1d_laws_hold(const struct env *env, struct error *err);
/* Requests in flight, for a message. */
void l1d_describe(const struct l1d *l, char *text, size_t size);
#endif
