/* SPDX-License-Identifier: Apache-2.0 */
/* A machine for tests: the SMs over a memory of fixed latency, running programs that a test writes down. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H
#include "system/run.h"

/* The n-th instruction of a warp; op, dst, src and so on as in struct inst.  After the last: INST_EXIT. */
struct program {
    struct kernel_info kernel;
    uint32_t kernels;               /* this many times the same; 0: once */
    const struct kernel_info *then; /* all but the first; NULL: the same, too */
    void (*launch)(const struct program *p, uint32_t n, struct kernel_info *k); /* changes kernel n, from 0; or NULL */
    struct inst (*inst)(const struct program *p, uint32_t block, uint32_t warp, uint32_t n);
    const void *context;
    const char *source; /* the workload's name; NULL: "program" */
    const struct allocation *allocations;
    uint32_t allocation_count;
};

/* BUSY: lost, and the memory goes on as if it worked on it. */
enum fault { FAULT_NONE, FAULT_LOSE, FAULT_BUSY, FAULT_TWICE, FAULT_OTHER_LINE };

/* The memory holds `depth` requests of an SM, takes one of them every `interval` cycles, and answers it so that one
 * sent in cycle t into an empty queue is answered in t + latency (interval 1). */
struct fixed_memory {
    uint32_t latency, depth, interval;
    enum fault fault; /* of response number `fault_at`, from 0 */
    uint32_t fault_at;
};

struct event {
    struct request r;
    enum place place;
    uint64_t cycle;
};

/* Counters so far at an interval's end or a kernel's start. */
struct sample {
    uint64_t cycle;
    bool kernel;
    struct stats so_far;
};

enum { BENCH_EVENTS = 4096, BENCH_SAMPLES = 128, BENCH_INTERVAL = 97 };

struct outcome {
    bool ok;
    struct stats stats;
    struct workload_stats of[MAX_WORKLOADS];
    struct error err;
    uint32_t events, open_blocks; /* blocks left open by the SMs */
    uint32_t reports;             /* of progress; the last one's share and cycle */
    double share;
    uint64_t reported_at;
    struct event event[BENCH_EVENTS];
    uint32_t samples;
    struct sample sample[BENCH_SAMPLES]; /* the first ones */
};

/* One SM, one scheduler, GTO; otherwise the defaults. */
struct config bench_config(void);
/* An L1D of sectors in so many banks of a word, of which sectors of up to four lines are looked up in a cycle. */
void bench_bank(struct config *c, uint32_t banks);
/* Latency 100, room for 64, one a cycle. */
struct fixed_memory bench_memory(void);
struct outcome *bench_run(const struct config *c, const struct program *p, const struct fixed_memory *m);
struct outcome *bench_run_real(const struct config *c, const struct program *p); /* over memory.h's memory */

/* Several programs beside each other on every SM; over memory.h's memory if `m` is NULL. */
struct outcome *bench_run_beside(const struct config *c, const struct program *const *p, uint32_t count,
                                 const struct fixed_memory *m, bool restart);
/* Over memory.h's memory, without an observer: no samples, no events. */
struct outcome *bench_run_unwatched(const struct config *c, const struct program *const *p, uint32_t count, bool again);

/* The n-th event at a place, from 0; NULL if there were fewer. */
const struct event *outcome_event(const struct outcome *o, enum place place, uint32_t n);
/* Whether both have the same events, in the same order.  Padding between fields may differ. */
bool outcome_same_events(const struct outcome *a, const struct outcome *b);

/* Instructions: no registers unless set later. */
struct inst inst_exit(void);
struct inst inst_of(enum inst_op op, uint8_t dst, uint8_t src);
/* All lanes, lane i at addr + i * stride, `size` bytes each. */
struct inst inst_memory(enum inst_op op, uint8_t dst, uint64_t addr, uint32_t stride, uint8_t size);
/* One lane at a line's start. */
struct inst inst_line(enum inst_op op, uint8_t dst, uint64_t line);
/* A grid of `blocks` thread blocks of `warps` warps. */
struct program program_of(uint32_t blocks, uint32_t warps,
                          struct inst (*inst)(const struct program *p, uint32_t block, uint32_t warp, uint32_t n));
#endif
