/* SPDX-License-Identifier: Apache-2.0 */
/* The MSHR file of a cache, of any kind (config/miss_kind.h), twin or RTL, driven by its ports once a cycle.
 *
 * The "line" of a request is the number of a block (sectors.h): with sectors, of a sector.
 *
 * A cycle of the cache that owns it, in this order, since the file looks a request up after the fill of its cycle:
 * - miss_file_begin(): the outputs that depend on state alone: an answer that is due (dl_mshr answers a cycle after the
 *   request), a slot that drains
 * - miss_file_fill(): presents data that came back
 * - miss_file_request(): presents a miss; a conventional mshr answers at once, dl_mshr later; after an answer the next
 *   one may follow: each has a clock edge of its own
 * - miss_file_end(): the clock edge; says whether the file's state changed (a cache may sleep only if not)
 *
 * A request refused by dl_mshr is presented again in the cycle of its refusal, so both kinds retry once per cycle; the
 * next request is presented after the answer to a refused one is known (answers do not depend on request inputs).
 *
 * An idle file is not ticked: no request waits for its answer, no slot drains, no input is valid. Its
 * ports are checked: the count of slots against requests accepted less slots drained, the data of a write against the
 * data that entered. */
#ifndef MEMTWIN_MISS_FILE_H
#define MEMTWIN_MISS_FILE_H
#include <stdbool.h>
#include <stdint.h>

#include "mshr.h"
#include "system/block/block_socket.h"
#include "system/config/miss_kind.h"
#include "system/unit/gpu.h"

struct miss_answer {
    bool valid;
    enum mshr_result result;
};

struct miss_drain {
    bool valid, write, last; /* a slot drains; it is freed at the end of this cycle if drain_ready was set in begin() */
    uint64_t line;
    uint32_t info;
};

/* The last refused request and its refusal, to recognise a retry with the same answer in the same state. */
struct refusal {
    bool valid;
    uint64_t line;
    uint32_t info;
    enum mshr_result result;
};

/* Fields in order of use (base/host.h).  A cycle without a request, a fill or a drain reads only the first cache line.
 */
struct miss_file {
    bool registered; /* answers come a cycle later */
    bool waiting;    /* an accepted request has no answer yet */
    bool draining;   /* slots come out */
    bool changed;    /* in the last cycle */
    /* This cycle. */
    bool drain_ready, was_waiting;
    bool active; /* needs evaluation, counting or clearing */
    bool evaluated, stepped, accepted, filled, popped;
    uint32_t used;
    struct refusal known; /* mshr: its answer again, while nothing changes it */
    struct block_socket socket;
    struct refusal refusal; /* registered: of the last cycle */
    struct refusal now;     /* of this cycle */
    struct mshr_in in;
    bool req_ready, fill_ready; /* if `evaluated`: these outputs */
    uint32_t data_mask;         /* of the low word of write data; 0: no write data */
    struct error fault;
    uint32_t cfg[MISS_CFG_WORDS]; /* the block's struct of parameters */
};

/* Kind and size come from the options of the cache.  `unit`: "l1d.3", for errors and captured traffic; copied. */
struct miss_file *miss_file_create(struct env *env, enum miss_cache cache, const char *unit, struct error *err);
void miss_file_destroy(struct miss_file *f);
/* False if the file is still draining another line: present the fill again. */
bool miss_file_fill(struct miss_file *f, uint64_t line);
/* False if the file is not ready (it walks for a tail); `answer` may become valid at once. */
bool miss_file_request(struct miss_file *f, uint64_t line, uint32_t info, bool write, struct miss_answer *answer);
/* The parts of begin() and end() for a file that moves. */
void miss_file_outputs(struct miss_file *f, struct miss_answer *answer, struct miss_drain *drain);
bool miss_file_edge(struct miss_file *f, struct error *err);

static inline void miss_file_begin(struct miss_file *f, bool drain_ready, struct miss_answer *answer,
                                   struct miss_drain *drain)
{
    answer->valid = drain->valid = false;
    f->drain_ready = drain_ready;
    if (f->waiting || f->draining) miss_file_outputs(f, answer, drain);
}

/* False: the block broke a rule, or raised its error. */
static inline bool miss_file_end(struct miss_file *f, struct error *err)
{
    if (f->active) return miss_file_edge(f, err);
    f->changed = f->registered && f->refusal.valid; /* the cycle before refused a request */
    f->refusal.valid = false;
    return true;
}

/* The answer of a kind that answers at once depends on its state and the line only, and a refusal does not change the
 * state.  So a retry of the request refused last, at a file that has not moved, needs no evaluation, nor a clock edge.
 * A fill of another line frees nothing before its slots drain.  Captured traffic keeps all retries. */
static inline bool miss_file_refuses_again(const struct miss_file *f)
{
    const bool filled = f->filled && f->in.fill_addr_i == f->known.line;
    return f->known.valid && !f->evaluated && !filled && !f->socket.capture;
}

/* Whether the last clock edge changed anything. */
static inline bool miss_file_changed(const struct miss_file *f)
{
    return f->changed;
}

/* Whether the next clock edge may change state without an input. */
static inline bool miss_file_moves(const struct miss_file *f)
{
    return f->waiting | f->draining | f->registered;
}

/* After the last clock edge. */
static inline uint32_t miss_file_used_slots(const struct miss_file *f)
{
    return f->used;
}
#endif
