/* SPDX-License-Identifier: Apache-2.0 */
/* The built-in workloads: real kernels, executed while they are read (simt.h), and checked against plain C.
 *
 * Each is a file traces/kernels/NAME.c that registers itself with one line, KERNEL_REGISTER(definition).  A
 * specification names a workload: "vecadd", or "vecadd:n=1000,block=64"; options left out have their defaults. */
#ifndef MEMTWIN_KERNELS_H
#define MEMTWIN_KERNELS_H
#include <stddef.h>

#include "trace/simt.h"

#define KERNEL_MAX_OPTIONS 8
#define KERNEL_ALIGN 256           /* bytes: alignment of device arrays, as the CUDA allocator's */
#define KERNEL_ALIGN_UVM (2 << 20) /* alignment with unified memory: allocations share no tree of 64 KiB blocks */

struct kernel_option {
    const char *name, *help;
    const char *choices; /* "naive|tiled|both"; NULL: a number */
    int def, min, max;   /* of a choice: only def, its position */
};

struct kernel_def {
    const char *name, *summary, *origin;
    struct kernel_option options[KERNEL_MAX_OPTIONS]; /* terminated by an entry without a name */
    const char *added;  /* one of them, in a workload's name only if it is not the default; NULL: that of unrolled.h */
    const char *suites; /* benchmark suites that have the program, blanks between their names (suites.h) */
    const char *tables; /* of papers that name it: "Gu20 2.3, 3.1; Dai17 6"; NULL: none */
    const char *small, *reduced; /* options of two sizes: for tests, and of about a hundred thousand warp instructions;
                                  * NULL: the defaults */
    size_t state_bytes;
    /* The host program: creates inputs, launches kernels.  `state` is state_bytes of zeroed memory. */
    void (*host)(struct host *h, void *state);
    /* After the host program: compares device memory with the result of plain C for the same inputs. */
    bool (*check)(struct host *h, void *state, struct error *err);
};

#define KERNEL_REGISTER(definition)                                                                                    \
    static const struct kernel_def *const kernel_registered_##definition                                               \
        __attribute__((used, section("memtwin_kernels"))) = &definition;

/* For check functions: false and an error with array, element and both values at the first difference.  The
 * tolerance is relative to max(1, reference); 0 requires equality. */
bool check_f32(gf32 got, const float *want, double tolerance, struct error *err);
bool check_i32(gi32 got, const int32_t *want, struct error *err);
bool check_u32(gu32 got, const uint32_t *want, struct error *err);

/* The options common to all workloads. */
struct kernel_common {
    int align;     /* of device arrays, bytes, a power of two */
    char only[64]; /* the one kernel whose launches are read; the others are executed unseen.  "": all are read */
    int launches;  /* of these, how many are read, from the first on; then the host program ends; 0: all */
};
extern const struct kernel_option kernel_align, kernel_only, kernel_launches;

/* All workloads by name; NULL past the last. */
const struct kernel_def *kernel_list(uint32_t at);
/* NULL and an error that suggests the nearest name. */
const struct kernel_def *kernel_find(const char *name, struct error *err);

/* Opens a workload: parses the specification, creates the inputs, runs the host program up to its first launch.  A
 * source is not thread-safe; several sources are independent.  Warps may be read in any interleaving: if one is read
 * past a barrier, the others run ahead to it, and their instructions are buffered. */
struct source *kernel_open(const char *spec, uint64_t seed, struct error *err);
/* The same with another default of "align". */
struct source *kernel_open_aligned(const char *spec, uint64_t seed, int align, struct error *err);
/* The same for an unregistered definition; `options` as after the colon, NULL or "": none. */
struct source *kernel_open_definition(const struct kernel_def *def, const char *options, uint64_t seed,
                                      struct error *err);
/* False: `launches` left some launches out, so that there is no result. */
bool kernel_is_complete(const struct source *source);
/* Checks the results of a kernel_open() source that was read to its end, if it is complete. */
bool kernel_verify(struct source *source, struct error *err);
/* Executes the rest without recording instructions; then kernel_verify() may be called. */
bool kernel_execute(struct source *source, struct error *err);
/* Opens, executes, verifies, closes. */
bool kernel_check(const char *spec, uint64_t seed, struct error *err);
/* The simulated memory of an array by its allocation's name; NULL if unknown.  For tests. */
void *kernel_memory(struct source *source, const char *array, uint64_t *bytes);
#endif
