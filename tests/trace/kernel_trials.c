/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/kernel_trials.h"

#include <criterion/criterion.h>
#include <string.h>

#include "trace/check.h"

typedef unsigned long long ull;

void trial_right(const char *const specs[], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        for (uint64_t seed = 0; seed < 3; seed++) {
            struct error err = {""};
            cr_assert(kernel_check(specs[i], seed, &err), "%s, seed %llu: %s", specs[i], (ull)seed, err.text);
        }
    }
}

void trial_corrupted_byte(const struct corrupted *c, uint64_t from_last)
{
    struct error err = {""};
    struct source *s;
    uint64_t bytes;
    uint8_t *data = kernel_array(c->spec, 1, c->array, &bytes, &s);
    cr_assert(kernel_execute(s, &err), "%s: %s", c->spec, err.text);
    data[bytes - 1 - from_last] ^= 0x40; /* of a float, an exponent bit */
    cr_assert_not(kernel_verify(s, &err), "%s, %s", c->spec, c->array);
    cr_assert(strstr(err.text, c->text), "%s: expected \"%s\" in \"%s\"", c->spec, c->text, err.text);
    s->ops->close(s);
}

void trial_corrupted(const struct corrupted *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) trial_corrupted_byte(&cases[i], 0);
}

void trial_refused(const struct refused *cases, size_t n)
{
    for (const struct refused *c = cases; c < cases + n; c++) {
        struct error err = {""};
        cr_assert_null(kernel_open(c->spec, 1, &err), "%s", c->spec);
        cr_assert(strstr(err.text, c->text), "%s: expected \"%s\" in \"%s\"", c->spec, c->text, err.text);
    }
}

void trial_seeded(const struct seeded *cases, size_t n)
{
    for (const struct seeded *c = cases; c < cases + n; c++) {
        struct source *source[3];
        uint64_t bytes;
        void *data[3]; /* of seeds 0, 0 and 1 */
        for (uint64_t k = 0; k < 3; k++) data[k] = kernel_array(c->spec, k / 2, c->array, &bytes, &source[k]);
        cr_assert_arr_eq(data[0], data[1], bytes, "%s", c->spec);
        cr_assert(memcmp(data[0], data[2], bytes), "%s", c->spec);
        for (int k = 0; k < 3; k++) source[k]->ops->close(source[k]);
    }
}

struct reading trial_orders(const char *spec, uint64_t seed)
{
    struct reading first = kernel_reading(spec, seed, ROUND_ROBIN, 0);
    for (int order = ROUND_ROBIN; order < ORDERS; order++) {
        for (uint64_t shuffle = 1; shuffle < (order == RANDOM_BLOCKS ? 4 : 2); shuffle++) {
            struct reading r = kernel_reading(spec, seed, order, shuffle);
            cr_assert_eq(r.hash, first.hash, "%s: order %d, shuffle %llu", spec, order, (ull)shuffle);
            cr_assert_arr_eq(r.ops, first.ops, sizeof r.ops, "%s: order %d", spec, order);
        }
    }
    cr_assert_eq(first.ops[INST_EXIT], first.warps, "%s", spec);
    return first;
}

static struct source *must_open_kernel(const char *spec, uint64_t seed)
{
    struct error err = {""};
    struct source *s = kernel_open(spec, seed, &err);
    cr_assert(s, "%s: %s", spec, err.text);
    return s;
}

struct reading kernel_reading(const char *spec, uint64_t seed, enum reading_order order, uint64_t shuffle)
{
    struct error err = {""};
    struct reading r;
    struct source *s = must_open_kernel(spec, seed);
    cr_assert(read_source(s, order, shuffle, &r, &err), "%s: %s", spec, err.text);
    cr_assert(kernel_verify(s, &err), "%s: %s", spec, err.text);
    s->ops->close(s);
    r.spec = spec;
    return r;
}

struct reading reading_of(const char *spec)
{
    return kernel_reading(spec, 1, WARP_BY_WARP, 0);
}

void *kernel_array(const char *spec, uint64_t seed, const char *array, uint64_t *bytes, struct source **source)
{
    *source = must_open_kernel(spec, seed);
    void *data = kernel_memory(*source, array, bytes);
    cr_assert(data, "%s has no array %s", spec, array);
    return data;
}

static void expect_number(const char *spec, const char *what, uint64_t found, uint64_t want)
{
    cr_expect_eq(found, want, "%s: %s: %llu, by hand %llu", spec, what, (ull)found, (ull)want);
}

void expect_op(const struct reading *r, uint8_t op, uint64_t want)
{
    expect_number(r->spec, inst_op_name(op), r->ops[op], want);
}

struct reading expect_mix(const char *spec, const uint64_t ops[INST_OPS], uint64_t lines_loaded, uint64_t lines_stored)
{
    struct reading r = reading_of(spec);
    for (uint8_t op = 0; op < INST_OPS; op++) expect_op(&r, op, ops[op]);
    expect_number(spec, "lines loaded", r.lines[INST_LOAD], lines_loaded);
    expect_number(spec, "lines stored", r.lines[INST_STORE], lines_stored);
    return r;
}
