/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in workloads: real kernels, executed as they are read (simt.h), and checked against plain C.
 *
 * Each lives in traces/kernels/NAME.c and registers itself with one line, KERNEL_REGISTER(definition).  A workload is
 * named by a specification: "vecadd", or "vecadd:n=1000,block=64"; what it leaves out has the default. */
#ifndef MEMTWIN_KERNELS_H
#define MEMTWIN_KERNELS_H
#include <stddef.h>

#include "trace/simt.h"

#define KERNEL_MAX_OPTIONS 8
#define KERNEL_ALIGN 256           /* bytes: where device arrays begin, as the CUDA allocator's */
#define KERNEL_ALIGN_UVM (2 << 20) /* the same where memory is unified: page groups share no tree of 64 KiB blocks */

struct kernel_option {
    const char *name, *help;
    const char *choices; /* "naive|tiled|both"; NULL: a number */
    int def, min, max;   /* of a choice: only def, its position */
};

struct kernel_def {
    const char *name, *summary, *origin;
    struct kernel_option options[KERNEL_MAX_OPTIONS]; /* up to the first without a name */
    size_t state_bytes;
    /* The host program: makes inputs, launches.  `state` is zeroed memory of state_bytes for it. */
    void (*host)(struct host *h, void *state);
    /* After the host program: compares device memory with what plain C computes from the same inputs. */
    bool (*check)(struct host *h, void *state, struct error *err);
};

#define KERNEL_REGISTER(definition)                                                                                    \
    static const struct kernel_def *const kernel_registered_##definition                                               \
        __attribute__((used, section("memtwin_kernels"))) = &definition;

/* For check functions: false and an error that names array, element and both values at the first difference. The
 * tolerance is relative to the larger of 1 and the reference; 0 asks for equal numbers. */
bool check_f32(gf32 got, const float *want, double tolerance, struct error *err);
bool check_i32(gi32 got, const int32_t *want, struct error *err);
bool check_u32(gu32 got, const uint32_t *want, struct error *err);

/* The option that every workload has behind its own: "align", a power of two. */
extern const struct kernel_option kernel_align;

/* All workloads, sorted by name. `at` beyond the last: NULL. */
const struct kernel_def *kernel_list(uint32_t at);
/* NULL and an error that offers the nearest name. */
const struct kernel_def *kernel_find(const char *name, struct error *err);

/* Opens a workload: parses the specification, makes the inputs, runs the host program up to its first launch.  The
 * source is of use to one thread at a time; several sources are independent of each other.  Warps may be read in any
 * interleaving at all: where a warp is read past a barrier that others have not reached, those run ahead and their
 * instructions are kept. */
struct source *kernel_open(const char *spec, uint64_t seed, struct error *err);
/* The same where "align" has another default. */
struct source *kernel_open_aligned(const char *spec, uint64_t seed, int align, struct error *err);
/* The same for a definition that need not be registered; `options` as after the colon, NULL or "": none. */
struct source *kernel_open_definition(const struct kernel_def *def, const char *options, uint64_t seed,
                                      struct error *err);
/* For a source of kernel_open() that was read to its end: are the results right? */
bool kernel_verify(struct source *source, struct error *err);
/* Executes what is left of it without recording instructions; then kernel_verify() may be asked. */
bool kernel_execute(struct source *source, struct error *err);
/* Opens, executes, verifies, closes. */
bool kernel_check(const char *spec, uint64_t seed, struct error *err);
/* The simulated memory of an array by its allocation's name; NULL if there is none.  For tests. */
void *kernel_memory(struct source *source, const char *array, uint64_t *bytes);
#endif
