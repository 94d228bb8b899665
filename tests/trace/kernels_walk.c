/* SPDX-License-Identifier: Apache-2.0 */
/* Every built-in kernel.  Each option that is a number is 0, above the range, at the minimum, and odd.  Each option
 * that is a choice has each of its words.  The result is right, or an error names the value found and the expected
 * ones. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/suites.h"

/* The option's value in the specification, else its default. */
static int value_in(const char *spec, const struct kernel_option *o)
{
    const size_t length = strlen(o->name);
    for (const char *at = spec; (at = strstr(at, o->name)); at += length)
        if (at[length] == '=' && strchr(":,", at[-1])) return atoi(at + length + 1);
    return o->def;
}

static void expect_refused(const char *spec, const char *option, long value)
{
    struct error err = {""};
    char text[256], found[128];
    snprintf(text, sizeof text, "%s,%s=%ld", spec, option, value);
    snprintf(found, sizeof found, "option %s: found \"%ld\", expected a number in ", option, value);
    cr_expect_null(kernel_open(text, 1, &err), "%s", text);
    cr_expect(strstr(err.text, found), "%s: expected \"%s\" in \"%s\"", text, found, err.text);
}

static void expect_right_or_told(const char *spec, const struct kernel_option *o, int value)
{
    struct error err = {""};
    char text[256];
    if (value < o->min || value > o->max) return;
    snprintf(text, sizeof text, "%s,%s=%d", spec, o->name, value);
    const bool right = kernel_check(text, 1, &err);
    cr_expect(right || (strstr(err.text, "expected") && !strstr(err.text, "wrong result")), "%s: %s", text, err.text);
}

/* "naive|tiled|both": each is right, a word that is none of them is refused. */
static void walk_choices(const char *spec, const struct kernel_option *o)
{
    for (const char *c = o->choices; *c; c += strcspn(c, "|") + (c[strcspn(c, "|")] == '|')) {
        struct error err = {""};
        char text[256];
        snprintf(text, sizeof text, "%s,%s=%.*s", spec, o->name, (int)strcspn(c, "|"), c);
        const bool right = kernel_check(text, 1, &err);
        cr_expect(right || (strstr(err.text, "expected") && !strstr(err.text, "wrong result")), "%s: %s", text,
                  err.text);
    }
    struct error err = {""};
    char text[256];
    snprintf(text, sizeof text, "%s,%s=0", spec, o->name);
    cr_expect_null(kernel_open(text, 1, &err), "%s", text);
    cr_expect(strstr(err.text, o->choices), "%s: expected \"%s\" in \"%s\"", text, o->choices, err.text);
}

static void walk_option(const char *spec, const struct kernel_option *o)
{
    if (o->choices) {
        walk_choices(spec, o);
        return;
    }
    if (o->min > 0) expect_refused(spec, o->name, 0);
    expect_refused(spec, o->name, (long)o->max + 1);
    expect_right_or_told(spec, o, o->min);
    expect_right_or_told(spec, o, value_in(spec, o) + 1);
}

Test(kernels_walk, every_size_gives_the_right_result_or_an_error_that_names_it)
{
    const struct kernel_def *k;
    for (uint32_t i = 0; (k = kernel_list(i)); i++) {
        struct error err = {""};
        char spec[128];
        cr_assert(k->small, "kernel %s has no small size", k->name);
        snprintf(spec, sizeof spec, "%s:%s", k->name, k->small);
        cr_expect(kernel_check(spec, 1, &err), "%s: %s", spec, err.text);
        for (const struct kernel_option *o = k->options; o < k->options + KERNEL_MAX_OPTIONS && o->name; o++)
            walk_option(spec, o);
    }
}

Test(kernels_walk, every_kernel_is_in_a_suite)
{
    const struct kernel_def *k;
    struct error err = {""};
    uint32_t uvmbench = 0;
    for (uint32_t i = 0; (k = kernel_list(i)); i++) {
        cr_expect(suites_are_known(k, &err), "%s: %s", k->name, err.text);
        uvmbench += suite_has("uvmbench", k);
    }
    cr_expect_eq(uvmbench, 33, "%u programs of UVMBench",
                 uvmbench); /* its repository; Gu20, table 5.1, leaves out nn */
    cr_expect_not(suite_has("uvm", kernel_find("bn", &err)));
}

Test(kernels_walk, a_suite_that_is_unknown_or_missing_is_told)
{
    struct error err = {""};
    struct kernel_def k = {.name = "mine", .suites = "rodinia uvmbnch"};
    cr_expect(!suites_are_known(&k, &err) && strstr(err.text, "uvmbench"), "%s", err.text);
    k.suites = " ";
    err.text[0] = 0;
    cr_expect(!suites_are_known(&k, &err) && strstr(err.text, "mine: no suite"), "%s", err.text);
}
