/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/suites.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

#define SUITE_TEXT 32

/* The next of the names with blanks between them, as text, and what follows it; NULL: there is none. */
static const char *next_name(const char *names, char name[SUITE_TEXT])
{
    names += strspn(names, " ");
    const int length = (int)strcspn(names, " ");
    snprintf(name, SUITE_TEXT, "%.*s", length, names);
    return length ? names + length : NULL;
}

bool suite_has(const char *suite, const struct kernel_def *kernel)
{
    char name[SUITE_TEXT];
    for (const char *at = kernel->suites; at && (at = next_name(at, name));)
        if (!strcmp(name, suite)) return true;
    return false;
}

static const char *suite_name(const void *context, size_t i)
{
    (void)context;
    static const char *const names[] = {"hpcc",      "ispass",  "lonestar", "mars",     "own",     "parboil",
                                        "polybench", "rodinia", "sdk",      "uvmbench", "uvmsmart"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

bool suite_exists(const char *suite, struct error *err)
{
    size_t n = 0;
    for (; suite_name(NULL, n); n++)
        if (!strcmp(suite_name(NULL, n), suite)) return true;
    char near[NEAREST_TEXT];
    return error_set(err, "unknown suite \"%s\"%s", suite, nearest_text(near, suite, n, suite_name, NULL));
}

bool suites_are_known(const struct kernel_def *kernel, struct error *err)
{
    char name[SUITE_TEXT];
    if (!kernel->suites || !next_name(kernel->suites, name)) return error_set(err, "kernel %s: no suite", kernel->name);
    for (const char *at = kernel->suites; (at = next_name(at, name));)
        if (!suite_exists(name, err)) return false;
    return true;
}
