/* SPDX-License-Identifier: Apache-2.0 */
/* Trials that every built-in kernel has to pass, and the numbers of its instructions beside those counted by hand.
 * Each function asserts; its messages name the specification. */
#ifndef MEMTWIN_KERNEL_TRIALS_H
#define MEMTWIN_KERNEL_TRIALS_H
#include <stddef.h>

#include "trace/simt_reader.h"

#define COUNT(list) (sizeof list / sizeof *list)

/* Each specification computes the results of plain C, for seeds 0 to 2. */
void trial_right(const char *const specs[], size_t n);

/* The kernel's check finds a bit that changes in an array after the run; its message holds `text`. */
struct corrupted {
    const char *spec, *array, *text;
};
void trial_corrupted(const struct corrupted *cases, size_t n);            /* in the array's last byte */
void trial_corrupted_byte(const struct corrupted *c, uint64_t from_last); /* so many bytes before it */

/* A specification that cannot be opened; the message holds `text`. */
struct refused {
    const char *spec, *text;
};
void trial_refused(const struct refused *cases, size_t n);

/* An input array that depends on the seed and on nothing else. */
struct seeded {
    const char *spec, *array;
};
void trial_seeded(const struct seeded *cases, size_t n);

/* Reads a kernel in every order: the instructions and the results are the same.  One of the readings. */
struct reading trial_orders(const char *spec, uint64_t seed);

/* Reads all instructions of a kernel and checks its results; `shuffle` is the seed of RANDOM_BLOCKS. */
struct reading kernel_reading(const char *spec, uint64_t seed, enum reading_order order, uint64_t shuffle);
struct reading reading_of(const char *spec); /* of seed 1, warp by warp */

/* Opens a kernel; the source stays open in *source.  The memory of one of its arrays, with its inputs. */
void *kernel_array(const char *spec, uint64_t seed, const char *array, uint64_t *bytes, struct source **source);

/* Instructions of one kind, and all of a kernel's instructions and lines, beside those counted by hand. */
void expect_op(const struct reading *r, uint8_t op, uint64_t want);
struct reading expect_mix(const char *spec, const uint64_t ops[INST_OPS], uint64_t lines_loaded, uint64_t lines_stored);
#endif
