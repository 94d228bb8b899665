/* SPDX-License-Identifier: Apache-2.0 */
/* libmemtwin: a cycle-level GPU memory system.
 *
 * A machine is made from options.  It is used in one of two ways, and the first call decides which:
 *   - It runs whole workloads: memtwin_run().
 *   - It is stepped.  The caller offers accesses to the L1Ds, or to the memory below them, advances the SM clock, and
 *     polls the completed accesses.
 * Machines share nothing.  A program may have several in several threads; one thread at a time uses a machine.  The
 * library never prints, exits, or keeps state outside a machine.
 *
 * A function that can fail returns false, NULL or MEMTWIN_FAILED, and writes the reason to `err` unless that is NULL.
 * The blocks are in headers of their own beside this one, <memtwin/mshr.h> and so on. */
#ifndef MEMTWIN_MEMTWIN_H
#define MEMTWIN_MEMTWIN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct memtwin; /* a machine */

/* One line: the place, the value found there, and the values that are allowed. */
struct memtwin_error {
    char text[1024];
};

/* "0.1.0 (abc1234)": version and commit of the sources. */
const char *memtwin_version(void);

/* Makes a machine from `count` options, applied in order, later ones over earlier ones:
 *   "preset=NAME"     a machine or a variant of one, memtwin_preset(); without any, the defaults
 *   "config=FILE"     an ini file, as `memtwin config' prints, or a gpgpusim.config, with the files beside it
 *   "KEY=VALUE"       an option, memtwin_option()
 *   "enter=l1d"       where the accesses of a stepped machine enter: in front of the L1D of their SM (the default),
 *   "enter=memory"    or at its crossbar input: the memory below the SMs without L1Ds
 *   "queue=N"         accesses of an SM that wait to enter (1..65536; 8)
 *   "rtl=BLOCK,..."   the Verilated RTL of these blocks in place of their twins; BLOCK=PATH: a user's own RTL, a set
 *                     (SET.so of `make rtl RTL=') or a folder of sets
 *   "rtl_folder=DIR"  where it is: DIR/BLOCK/SET.so, as `make rtl' builds them in build/rtl; wanted with rtl=BLOCK
 * An option given by itself that this machine does not read is an error.  NULL if it fails. */
struct memtwin *memtwin_create(const char *const *options, size_t count, struct memtwin_error *err);
void memtwin_destroy(struct memtwin *m); /* NULL: nothing */

/* Names that options take; NULL past the last. */
const char *memtwin_preset(size_t i);
const char *memtwin_option(size_t i);
const char *memtwin_kernel(size_t i);
/* Value of an option in this machine, as `memtwin config' prints it. */
#define MEMTWIN_VALUE_TEXT 64
bool memtwin_option_value(const struct memtwin *m, const char *key, char text[MEMTWIN_VALUE_TEXT],
                          struct memtwin_error *err);

/* ---- Whole runs. ---- */

/* Runs a workload to its end: a kernel with its sizes ("spmv:rows=4096") or the path of a trace.  `seed`: of the
 * inputs of a kernel; `memtwin run' takes 1.  Checks the conservation laws and the kernel's numeric result.  The
 * counters are those of the last run. */
bool memtwin_run(struct memtwin *m, const char *workload, uint64_t seed, struct memtwin_error *err);

/* ---- Stepping. ---- */

#define MEMTWIN_LINE_BYTES 128
enum memtwin_kind { MEMTWIN_READ, MEMTWIN_WRITE, MEMTWIN_ATOMIC };

/* An access of a warp to one line, as the coalescer of an SM makes it. */
struct memtwin_access {
    uint64_t address;   /* of its first byte; below 2^48 */
    uint64_t tag;       /* the caller's own; comes back in struct memtwin_done */
    uint64_t enable[2]; /* of a write: bit i % 64 of enable[i / 64] is set if byte i of the line is written, within
                         * the access; both 0: all bytes of the access */
    uint32_t bytes;     /* at least 1; the access ends in the line in which it begins */
    uint32_t sm;        /* below sm.count */
    uint32_t warp;      /* below sm.warps: owner of the access, for L1Ds that bypass by warp */
    uint32_t kind;      /* enum memtwin_kind */
};

/* An access whose data is there, or a write that the memory has acknowledged. */
struct memtwin_done {
    uint64_t tag;
    uint64_t offered, done; /* SM cycles */
    uint32_t sm, kind;
};

enum memtwin_answer { MEMTWIN_FAILED = -1, MEMTWIN_FULL, MEMTWIN_TAKEN };

/* Offers an access in the present cycle.  MEMTWIN_FULL: the queue of its SM has no room; step, then offer it again.
 * An SM's accesses enter in the order in which they were taken, at most one a cycle. */
enum memtwin_answer memtwin_offer(struct memtwin *m, const struct memtwin_access *a, struct memtwin_error *err);
/* Advances by so many SM cycles. */
bool memtwin_step(struct memtwin *m, uint64_t cycles, struct memtwin_error *err);
/* The same up to the end of the cycle in which memtwin_poll() has something, or `limit` cycles.  Returns at once if it
 * already has, or if no access is in flight. */
bool memtwin_step_to_done(struct memtwin *m, uint64_t limit, struct memtwin_error *err);
/* The same until nothing is in flight: accesses, and write-backs behind them.  It is an error if `limit` cycles are not
 * enough. */
bool memtwin_drain(struct memtwin *m, uint64_t limit, struct memtwin_error *err);
/* Takes the oldest completion that was not polled; false: there is none. */
bool memtwin_poll(struct memtwin *m, struct memtwin_done *done);
uint64_t memtwin_cycle(const struct memtwin *m);     /* the present one: SM cycles since the start */
uint64_t memtwin_in_flight(const struct memtwin *m); /* accesses taken and not done */
/* The next cycle in which anything may change, the present one or later, if no access is offered before; UINT64_MAX:
 * none. */
uint64_t memtwin_next(const struct memtwin *m);
/* Ends the stepping: counters catch up with units that sleep, and the conservation laws are checked (those of a cut
 * run, if anything is in flight).  Until then counters of cycles may lag; counters of events do not. */
bool memtwin_finish(struct memtwin *m, struct memtwin_error *err);

/* ---- Counters: those of `memtwin run --json', by the same names. ---- */

struct memtwin_value {
    uint64_t whole; /* of a count */
    double ratio;   /* of a ratio; NaN if its denominator is 0: a hit rate without an access is no number */
};

size_t memtwin_counter_count(void);
const char *memtwin_counter_name(size_t i); /* "l1d.rf.line"; NULL past the last */
const char *memtwin_counter_text(size_t i); /* its meaning */
bool memtwin_counter_is_ratio(size_t i);
/* All counters, in the order of their names above; `values` has room for memtwin_counter_count(). */
bool memtwin_counters(const struct memtwin *m, struct memtwin_value *values, struct memtwin_error *err);
/* One of them, by its name. */
bool memtwin_counter(const struct memtwin *m, const char *name, struct memtwin_value *value, struct memtwin_error *err);

#ifdef __cplusplus
}
#endif
#endif
