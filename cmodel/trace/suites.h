/* SPDX-License-Identifier: Apache-2.0 */
/* Benchmark suites by name.  A built-in workload names those that have its program (kernels.h). */
#ifndef MEMTWIN_SUITES_H
#define MEMTWIN_SUITES_H
#include "trace/kernels.h"

/* Whether the suite has the kernel's program. */
bool suite_has(const char *suite, const struct kernel_def *kernel);
/* False and an error that suggests the nearest name if there is no such suite. */
bool suite_exists(const char *suite, struct error *err);
/* False and an error if the kernel is of no suite, or of one that does not exist. */
bool suites_are_known(const struct kernel_def *kernel, struct error *err);
#endif
