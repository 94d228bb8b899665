/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin compare: compares every counter of two results. */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/rtl.h"

struct arguments {
    const char *files[2], *rtl;
    int count;
    bool config, quiet;
};

enum { KEY_RTL = 256 };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct arguments *a = state->input;
    switch (key) {
    case 'C':
        a->config = true;
        return 0;
    case KEY_RTL:
        a->rtl = arg;
        return 0;
    case 'q':
        a->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (a->count == 2) command_usage(state, "found a third file, \"%s\"", arg);
        a->files[a->count++] = arg;
        return 0;
    case ARGP_KEY_END:
        if (a->count < 2) command_usage(state, "found %d file%s, expected 2", a->count, a->count == 1 ? "" : "s");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void print_value(const json_t *v)
{
    char *text = v ? json_dumps(v, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12)) : NULL;
    printf(" %20s", text ? text : "absent");
    free(text);
}

static void print_difference(const char *key, const json_t *a, const json_t *b)
{
    printf("%-34s", key);
    print_value(a);
    print_value(b);
    if (json_is_number(a) && json_is_number(b) && json_number_value(a) != 0)
        printf("  %+.4g %%", 100 * (json_number_value(b) / json_number_value(a) - 1));
    putchar('\n');
}

/* Prints the differences of two objects; returns their number. */
static size_t compare_objects(const json_t *a, const json_t *b)
{
    size_t differences = 0;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)a, key, value)
    {
        const json_t *other = json_object_get(b, key);
        if (other && json_equal(value, other)) continue;
        print_difference(key, value, other);
        differences++;
    }
    json_object_foreach((json_t *)b, key, value)
    {
        if (json_object_get(a, key)) continue;
        print_difference(key, NULL, value);
        differences++;
    }
    return differences;
}

/* Reads the results of a file, always as an array. */
static json_t *load(const char *path, struct error *err)
{
    json_error_t why;
    FILE *f = fopen(path, "r");
    if (!f) return error_set(err, "%s: cannot open: %s", path, strerror(errno)), NULL;
    json_t *root = json_loadf(f, JSON_REJECT_DUPLICATES, &why);
    fclose(f);
    if (!root) {
        error_set(err, "%s:%d: %s; expected a result file of memtwin run --json", path, why.line > 0 ? why.line : 1,
                  why.text);
        return NULL;
    }
    if (json_is_object(root)) {
        json_t *array = json_array();
        json_array_append_new(array, root);
        root = array;
    }
    size_t i;
    json_t *result;
    json_array_foreach(root, i, result)
    {
        if (json_object_size(json_object_get(result, "counters"))) continue;
        error_set(err, "%s: result %zu has no counters; expected a result file of memtwin run --json", path, i);
    }
    if (!json_array_size(root))
        error_set(err, "%s: found no result; expected a result file of memtwin run --json", path);
    return root;
}

/* The RTL instances of a result. */
static const json_t *rtl_of(const json_t *result)
{
    return json_object_get(json_object_get(result, "host"), "rtl");
}

static size_t instances(const json_t *result, const char *block)
{
    size_t i, n = 0;
    json_t *use;
    json_array_foreach((json_t *)rtl_of(result), i, use)
    {
        const char *name = json_string_value(json_object_get(use, "block"));
        if (name && !strcmp(name, block)) n += json_array_size(json_object_get(use, "instances"));
    }
    return n;
}

/* Checks a comparison of twins with RTL: A has no RTL; every result of B has RTL, of the listed blocks only; each
 * listed block occurs in some result. */
static bool is_of_rtl(const struct arguments *a, json_t *const root[2], struct error *err)
{
    char name[RTL_NAME];
    size_t i;
    json_t *result;
    json_array_foreach(root[0], i, result)
    {
        if (json_is_array(rtl_of(result)) && !json_array_size(rtl_of(result))) continue;
        return error_set(err, "%s: result %zu: found RTL, expected twins only", a->files[0], i);
    }
    json_array_foreach(root[1], i, result)
    {
        size_t known = 0;
        for (const char *rest = a->rtl; rest;) {
            rest = rtl_next(rest, name);
            known += instances(result, name) > 0;
        }
        if (known && known == json_array_size(rtl_of(result))) continue;
        return error_set(err, "%s: result %zu: found RTL of %zu blocks, expected RTL of %s only", a->files[1], i,
                         json_array_size(rtl_of(result)), a->rtl);
    }
    for (const char *rest = a->rtl; rest;) {
        size_t all = 0;
        rest = rtl_next(rest, name);
        json_array_foreach(root[1], i, result) all += instances(result, name);
        if (!all) return error_set(err, "%s: found no instance of the RTL of %s", a->files[1], name);
    }
    return true;
}

/* Both files hold the same number of results; --rtl is checked. */
static bool are_comparable(const struct arguments *a, json_t *const root[2], struct error *err)
{
    const size_t n = json_array_size(root[0]), other = json_array_size(root[1]);
    if (n != other) return error_set(err, "%s holds %zu results, %s %zu", a->files[0], n, a->files[1], other);
    return !a->rtl || is_of_rtl(a, root, err);
}

static int compare(const struct arguments *a, json_t *const root[2])
{
    size_t n = json_array_size(root[0]), differences = 0, counters = 0;
    struct error why = {""};
    if (!are_comparable(a, root, &why)) return puts(why.text), COMMAND_FAILED;
    for (size_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(root[0], i), *y = json_array_get(root[1], i);
        counters += json_object_size(json_object_get(x, "counters"));
        differences += compare_objects(json_object_get(x, "counters"), json_object_get(y, "counters"));
        if (a->config) differences += compare_objects(json_object_get(x, "config"), json_object_get(y, "config"));
    }
    if (differences) return printf("%zu differ\n", differences), COMMAND_FAILED;
    if (!a->quiet) printf("all %zu counters of %zu result%s agree\n", counters, n, n == 1 ? "" : "s");
    return 0;
}

static const struct argp_option options[] = {
    {"config", 'C', 0, 0, "Compare the configurations too", 0},
    {"quiet", 'q', 0, 0, "Print differences only", 0},
    {"rtl", KEY_RTL, "BLOCK,...", 0,
     "Require that A ran with twins only and B with RTL of these blocks only: at least one of them in each result, "
     "and each of them in at least one",
     0},
    {0}};

static int compare_main(int argc, char **argv)
{
    const struct argp argp = {options,
                              parse,
                              "A.json B.json",
                              "Compares two results of memtwin run --json and prints every counter that "
                              "differs: name, A, B, change.  Exit status 1 if any differs.",
                              0,
                              0,
                              0};
    struct arguments a = {0};
    command_parse(&argp, argc, argv, &a);
    struct error err = {""};
    json_t *root[2];
    for (int i = 0; i < 2; i++) root[i] = load(a.files[i], &err);
    int status = err.text[0] ? (command_error(&err), COMMAND_USAGE) : compare(&a, root);
    for (int i = 0; i < 2; i++) json_decref(root[i]);
    return status;
}

COMMAND(compare, "compare all counters of two results", compare_main)
