/* SPDX-License-Identifier: Apache-2.0 */
/* Internal state of an L1D.  Included by the L1D's own files only. */
#ifndef MEMTWIN_L1D_CORE_H
#define MEMTWIN_L1D_CORE_H
#include "system/cache/bypass.h"
#include "system/cache/cache.h"
#include "system/cache/l1d.h"
#include "system/unit/ring.h"

/* A read or atomic in flight. */
struct flight {
    struct request r;
    uint64_t accepted; /* cycle */
    uint32_t load;
    uint8_t warp, workload;
    bool used;
};

#define AROUND ((uint32_t)1 << 31) /* in the tag of a request of l1d_send_around(), beside its flight */

/* The access of a pipeline that was refused last. */
struct refused {
    uint64_t id, line;
    uint64_t *counter;
    bool inside; /* it was not of a bypassed read */
};

struct hit {
    uint64_t ready;
    uint32_t flight;
};

struct l1d {
    struct env *env;
    const struct config *c;
    const struct memory_port *port;
    struct bypass *bypass;
    uint32_t refusals; /* of this cycle, a bit for each pipeline */
    uint32_t stuck;    /* refusals that are repeated until the tag of the line or the cause changes, a bit for each */
    uint32_t sm;
    uint32_t writes;        /* writes not acknowledged */
    bool timed;             /* a refusal must be re-evaluated every cycle */
    bool restless;          /* needs a tick every cycle */
    bool allocates;         /* writes do: l1d.write_miss */
    bool guarded;           /* the line looked up last had no way, and the replacement policy let it have none */
    bool around;            /* `bypass` may have moved in this cycle, or has slots in use */
    bool blocked;           /* the oldest of `misses` waits for crossbar room; the crossbar wakes the L1D */
    struct error fault;     /* its first byte is read in every cycle: before the end of the host's cache line */
    struct ring hits;       /* struct hit */
    struct ring responses;  /* struct request: come from the crossbar */
    struct ring misses;     /* struct request: to be sent to it */
    struct flight *flights; /* by cache.places */
    const struct l1d_listener *listener; /* NULL: none */
    uint64_t refused_id;                 /* of the access that was refused last */
    uint64_t sent;
    uint64_t seen; /* line of the access accepted last from which policies learn */
    uint64_t received;
    struct cache cache;
    struct access waiting;             /* presented to an MSHR file that answers late */
    uint64_t block;                    /* of `waiting` */
    struct refused refused[L1D_WIDTH]; /* by the pipeline of the access */
};

/* Doubles the table of flights; new entries are taken lowest first.  False: no memory, or too many in flight. */
bool l1d_more_flights(struct l1d *l);

/* Refuses an access, and counts it. */
enum l1d_outcome l1d_refuse(struct l1d *l, const struct access *a, uint64_t *counter);
/* The MSHR file has changed; a fill has freed its line, and a way for others. */
void l1d_unstick_file(struct l1d *l);
void l1d_unstick(struct l1d *l, uint64_t line);

static inline uint64_t l1d_cycles_in_front(const struct l1d *l, const struct access *a)
{
    return l->c->l1d_latency_at == LATENCY_FRONT ? (uint32_t)l->env->sm_cycle - a->entered : 0;
}

static inline struct request l1d_request(const struct l1d *l, const struct access *a)
{
    return (struct request){.line = a->line,
                            .id = a->id,
                            .born = l->env->sm_cycle - l1d_cycles_in_front(l, a),
                            .written = a->kind == REQUEST_WRITE ? a->written : 0,
                            .tag = a->load,
                            .sm = (uint16_t)l->sm,
                            .kind = a->kind,
                            .bytes = a->bytes,
                            .sector = a->sector,
                            .bypass = a->bypass};
}
#endif
