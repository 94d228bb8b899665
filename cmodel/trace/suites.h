/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmark suites that have a built-in workload's program, and the tables of papers that name it. */
#ifndef MEMTWIN_SUITES_H
#define MEMTWIN_SUITES_H
#include "base/error.h"

struct suites {
    const char *kernel;
    const char *suites; /* names with blanks between them */
    const char *tables; /* "Gu20 2.3, 3.1; Dai17 6"; "": none */
};

/* NULL: no such kernel. */
const struct suites *suites_of(const char *kernel);
/* Whether the suite has the kernel's program. */
bool suite_has(const char *suite, const char *kernel);
/* False and an error that suggests the nearest name if no kernel is of that suite. */
bool suite_exists(const char *suite, struct error *err);
#endif
