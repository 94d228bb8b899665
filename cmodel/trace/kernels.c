/* SPDX-License-Identifier: Apache-2.0 */
/* Registry of the built-in workloads. */
#include "trace/kernels.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/nearest.h"
#include "trace/simt_internal.h"
#include "trace/unrolled.h"

extern const struct kernel_def *const __start_memtwin_kernels[], *const __stop_memtwin_kernels[];

static uint32_t kernel_count(void)
{
    return (uint32_t)(__stop_memtwin_kernels - __start_memtwin_kernels);
}

/* Link order is unspecified: the list index is the number of smaller names. */
const struct kernel_def *kernel_list(uint32_t at)
{
    for (uint32_t i = 0; i < kernel_count(); i++) {
        uint32_t smaller = 0;
        for (uint32_t k = 0; k < kernel_count(); k++) {
            smaller += strcmp(__start_memtwin_kernels[k]->name, __start_memtwin_kernels[i]->name) < 0;
        }
        if (smaller == at) return __start_memtwin_kernels[i];
    }
    return NULL;
}

static const char *kernel_name(const void *context, size_t i)
{
    (void)context;
    return kernel_list((uint32_t)i)->name;
}

const struct kernel_def *kernel_find(const char *name, struct error *err)
{
    for (uint32_t i = 0; i < kernel_count(); i++) {
        if (strcmp(__start_memtwin_kernels[i]->name, name) == 0) return __start_memtwin_kernels[i];
    }
    char near[NEAREST_TEXT];
    error_set(err, "unknown kernel \"%s\"%s", name, nearest_text(near, name, kernel_count(), kernel_name, NULL));
    return NULL;
}

/* ---- Specifications. ---- */

const struct kernel_option kernel_align = {
    "align", "alignment of device arrays, bytes, a power of two", NULL, KERNEL_ALIGN, 16, 1 << 30};
const struct kernel_option kernel_only = {
    "only", "name of a kernel: its launches alone are read, the others executed unseen", "all", 0, 0, 0};
const struct kernel_option kernel_launches = {
    "launches", "of these, the first so many are read, and the program ends after them; 0: all", NULL, 0, 0, 1 << 30};

static size_t option_count(const struct kernel_def *def)
{
    size_t n = 0;
    while (n < KERNEL_MAX_OPTIONS && def->options[n].name) n++;
    return n;
}

enum { COMMON_OPTIONS = 3 };

/* A kernel's own options, then the common ones. */
static const struct kernel_option *option_at(const struct kernel_def *def, size_t i)
{
    const struct kernel_option *const common[COMMON_OPTIONS] = {&kernel_align, &kernel_only, &kernel_launches};
    const size_t own = option_count(def);
    return i < own ? &def->options[i] : common[i - own];
}

static const char *option_name(const void *context, size_t i)
{
    return option_at(context, i)->name;
}

static bool parse_choice(const struct kernel_def *def, const struct kernel_option *o, const char *text, int *value,
                         struct error *err)
{
    size_t length = strlen(text);
    const char *c = o->choices;
    for (*value = 0;; ++*value) {
        size_t n = strcspn(c, "|");
        if (n == length && strncmp(c, text, n) == 0) return true;
        if (!c[n]) break;
        c += n + 1;
    }
    return error_set(err, "kernel %s, option %s: found \"%s\", expected %s", def->name, o->name, text, o->choices);
}

static bool parse_value(const struct kernel_def *def, const struct kernel_option *o, const char *text, int *value,
                        struct error *err)
{
    if (o->choices) return parse_choice(def, o, text, value, err);
    char *end;
    errno = 0;
    long v = strtol(text, &end, 0);
    bool number = *text >= '0' && *text <= '9' && !*end && !errno;
    bool any = o != &kernel_align;
    *value = (int)v;
    if (number && v >= o->min && v <= o->max && (any || !(v & (v - 1)))) return true;
    return error_set(err, "kernel %s, option %s: found \"%s\", expected a %s in %d..%d", def->name, o->name, text,
                     any ? "number" : "power of two", o->min, o->max);
}

static bool parse_only(const struct kernel_def *def, const char *text, struct kernel_common *common, struct error *err)
{
    if (*text && strlen(text) < sizeof common->only) {
        strcpy(common->only, text);
        return true;
    }
    return error_set(err, "kernel %s, option only: found \"%s\", expected a kernel's name of 1 to %zu characters",
                     def->name, text, sizeof common->only - 1);
}

static int *place_of(const struct kernel_option *o, int *own, struct kernel_common *common)
{
    return o == &kernel_align ? &common->align : o == &kernel_launches ? &common->launches : own;
}

static bool parse_assignment(const struct kernel_def *def, char *text, int *values, struct kernel_common *common,
                             struct error *err)
{
    const size_t count = option_count(def) + COMMON_OPTIONS;
    char *equals = strchr(text, '=');
    if (!equals) return error_set(err, "kernel %s: found \"%s\", expected option=value", def->name, text);
    *equals = '\0';
    for (size_t i = 0; i < count; i++) {
        const struct kernel_option *o = option_at(def, i);
        if (strcmp(text, o->name)) continue;
        if (o == &kernel_only) return parse_only(def, equals + 1, common, err);
        return parse_value(def, o, equals + 1, place_of(o, &values[i], common), err);
    }
    char near[NEAREST_TEXT];
    return error_set(err, "kernel %s: unknown option \"%s\"%s", def->name, text,
                     nearest_text(near, text, count, option_name, def));
}

#define SPEC_MAX 512

/* `values`: one for each option of the kernel; `common` already has its defaults. */
static bool parse_options(const struct kernel_def *def, const char *options, int *values, struct kernel_common *common,
                          struct error *err)
{
    char text[SPEC_MAX], *rest = text;
    if (snprintf(text, sizeof text, "%s", options) >= (int)sizeof text) {
        return error_set(err, "kernel %s: found %zu characters of options, expected at most %zu", def->name,
                         strlen(options), sizeof text - 1);
    }
    for (size_t i = 0; i < option_count(def); i++) values[i] = def->options[i].def;
    while (rest && *text) {
        if (!parse_assignment(def, strsep(&rest, ","), values, common, err)) return false;
    }
    return true;
}

static bool in_name(const struct kernel_def *def, const struct kernel_option *o, int value)
{
    return value != o->def || strcmp(o->name, def->added ? def->added : KERNEL_CODE_NAME) != 0;
}

/* "vecadd:n=1048576,block=256": all options; the common ones and one that was added only if they are not the defaults,
 * so that identities stay comparable. */
static void full_name(const struct kernel_def *def, const int *values, const struct kernel_common *common, char *text,
                      size_t size)
{
    size_t at = (size_t)snprintf(text, size, "%s", def->name);
    for (size_t i = 0; i < option_count(def); i++) {
        const struct kernel_option *o = &def->options[i];
        if (!in_name(def, o, values[i])) continue;
        at += (size_t)snprintf(text + at, size - at, "%c%s=", strchr(text, ':') ? ',' : ':', o->name);
        const char *c = o->choices;
        for (int k = 0; c && k < values[i]; k++) c = strchr(c, '|') + 1;
        if (c) {
            at += (size_t)snprintf(text + at, size - at, "%.*s", (int)strcspn(c, "|"), c);
        } else {
            at += (size_t)snprintf(text + at, size - at, "%d", values[i]);
        }
    }
    if (common->align != KERNEL_ALIGN)
        at += (size_t)snprintf(text + at, size - at, "%calign=%d", strchr(text, ':') ? ',' : ':', common->align);
    if (*common->only)
        at += (size_t)snprintf(text + at, size - at, "%conly=%s", strchr(text, ':') ? ',' : ':', common->only);
    if (common->launches)
        snprintf(text + at, size - at, "%claunches=%d", strchr(text, ':') ? ',' : ':', common->launches);
}

static struct source *open_definition(const struct kernel_def *def, const char *options, int align, uint64_t seed,
                                      struct error *err)
{
    int values[KERNEL_MAX_OPTIONS] = {0};
    struct kernel_common common = {.align = align};
    if (!parse_options(def, options ? options : "", values, &common, err)) return NULL;
    struct host *h = host_open(def, values, &common, seed, err);
    if (!h) return NULL;
    full_name(def, values, &common, h->source.name, sizeof h->source.name);
    XXH128_hash_t id = XXH3_128bits_withSeed(h->source.name, strlen(h->source.name), seed);
    snprintf(h->source.identity, sizeof h->source.identity, "kernel:%016llx%016llx", (unsigned long long)id.high64,
             (unsigned long long)id.low64);
    return &h->source;
}

struct source *kernel_open_definition(const struct kernel_def *def, const char *options, uint64_t seed,
                                      struct error *err)
{
    return open_definition(def, options, KERNEL_ALIGN, seed, err);
}

struct source *kernel_open(const char *spec, uint64_t seed, struct error *err)
{
    return kernel_open_aligned(spec, seed, KERNEL_ALIGN, err);
}

struct source *kernel_open_aligned(const char *spec, uint64_t seed, int align, struct error *err)
{
    char name[64];
    size_t length = strcspn(spec, ":");
    snprintf(name, sizeof name, "%.*s", (int)length, spec);
    const struct kernel_def *def = kernel_find(name, err);
    return def ? open_definition(def, spec[length] ? spec + length + 1 : NULL, align, seed, err) : NULL;
}

/* ---- Results. ---- */

bool kernel_is_complete(const struct source *source)
{
    return !((const struct host *)source)->left;
}

bool kernel_verify(struct source *source, struct error *err)
{
    struct host *h = (struct host *)source;
    if (!kernel_is_complete(source)) return true;
    if (!h->finished)
        return error_set(err, "%s: its results are asked for before it was read to its end", h->def->name);
    if (!h->co.done && !h->error.text[0]) host_resume(h);
    if (!h->verified) error_set(err, "%s", h->error.text);
    return h->verified;
}

bool kernel_check(const char *spec, uint64_t seed, struct error *err)
{
    struct source *s = kernel_open(spec, seed, err);
    if (!s) return false;
    bool ok = kernel_execute(s, err) && kernel_verify(s, err);
    s->ops->close(s);
    return ok;
}

void *kernel_memory(struct source *source, const char *array, uint64_t *bytes)
{
    struct host *h = (struct host *)source;
    for (uint32_t i = 0; i < h->array_count; i++) {
        struct simt_array *a = h->arrays[i];
        if (strcmp(a->name, array)) continue;
        *bytes = a->count * a->element_bytes;
        return a->host;
    }
    return NULL;
}

static bool close_enough(double got, double want, double tolerance)
{
    double scale = fabs(want) > 1 ? fabs(want) : 1;
    return got == want || fabs(got - want) <= tolerance * scale;
}

bool check_f32(gf32 got, const float *want, double tolerance, struct error *err)
{
    for (uint64_t i = 0; i < got.array->count; i++) {
        if (close_enough((double)got.host[i], (double)want[i], tolerance)) continue;
        return error_set(err, "wrong result: %s[%llu] is %.9g, plain C computes %.9g (tolerance %g)", got.array->name,
                         (unsigned long long)i, (double)got.host[i], (double)want[i], tolerance);
    }
    return true;
}

bool check_i32(gi32 got, const int32_t *want, struct error *err)
{
    for (uint64_t i = 0; i < got.array->count; i++) {
        if (got.host[i] == want[i]) continue;
        return error_set(err, "wrong result: %s[%llu] is %d, plain C computes %d", got.array->name,
                         (unsigned long long)i, got.host[i], want[i]);
    }
    return true;
}

bool check_u32(gu32 got, const uint32_t *want, struct error *err)
{
    for (uint64_t i = 0; i < got.array->count; i++) {
        if (got.host[i] == want[i]) continue;
        return error_set(err, "wrong result: %s[%llu] is %u, plain C computes %u", got.array->name,
                         (unsigned long long)i, got.host[i], want[i]);
    }
    return true;
}
