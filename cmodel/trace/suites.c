/* SPDX-License-Identifier: Apache-2.0 */
/* Which suites have a built-in workload's program: suites.def. */
#include "trace/suites.h"

#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

#define SUITE(kernel, suites, tables) {kernel, suites, tables},
static const struct suites list[] = {
#include "trace/suites.def"
};
#undef SUITE
#define COUNT (sizeof list / sizeof *list)

const struct suites *suites_of(const char *kernel)
{
    for (size_t i = 0; i < COUNT; i++)
        if (!strcmp(list[i].kernel, kernel)) return &list[i];
    return NULL;
}

static bool among(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == length && !strncmp(at, word, length)) return true;
    return false;
}

bool suite_has(const char *suite, const char *kernel)
{
    const struct suites *s = suites_of(kernel);
    return s && among(s->suites, suite);
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
