/* SPDX-License-Identifier: Apache-2.0 */
#include "system/config/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ini.h"
#include "base/nearest.h"
#include "base/text_file.h"
#include "system/config/options.h"
#include "system/config/policy.h"
#include "system/config/source.h"

/* `...` of an option: its source and the optional fields. */
#define OPTION(field, name, its_kind, meaning, ...)                                                                    \
    .key = name, .length = sizeof name - 1, .kind = its_kind, .offset = offsetof(struct config, field),                \
    .text = meaning, .source = __VA_ARGS__

enum { DECIMALS = 3, THOUSANDTHS = 1000 };

static const struct config_option options[] = {
#define OPT_UINT(field, name, value, low, high, meaning, ...)                                                          \
    {.def = value, .min = low, .max = high, OPTION(field, name, OPTION_UINT, meaning, __VA_ARGS__)},
#define OPT_DECIMAL(field, name, value, low, high, meaning, ...)                                                       \
    {.def = value, .min = low, .max = high, OPTION(field, name, OPTION_DECIMAL, meaning, __VA_ARGS__)},
#define OPT_LIST(field, name, numbers, value, low, high, meaning, ...)                                                 \
    {.count = numbers, .def = value, .min = low, .max = high, OPTION(field, name, OPTION_LIST, meaning, __VA_ARGS__)},
#define OPT_BOOL(field, name, value, meaning, ...)                                                                     \
    {.def = value, .max = 1, OPTION(field, name, OPTION_BOOL, meaning, __VA_ARGS__)},
#define OPT_ENUM(field, name, value, values, meaning, ...)                                                             \
    {.def = value, .names = values, OPTION(field, name, OPTION_ENUM, meaning, __VA_ARGS__)},
#define OPT_POLICY(field, name, value, kind_of_policy, meaning, ...)                                                   \
    {.names = value, .policies = kind_of_policy, OPTION(field, name, OPTION_POLICY, meaning, __VA_ARGS__)},
#include "system/config/options.def"
#undef OPT_UINT
#undef OPT_DECIMAL
#undef OPT_LIST
#undef OPT_BOOL
#undef OPT_ENUM
#undef OPT_POLICY
};
const struct config_option *option_list(uint32_t *count)
{
    *count = OPTIONS;
    return options;
}

uint32_t option_get_at(const struct config *c, const struct config_option *o, uint32_t i)
{
    uint32_t value;
    memcpy(&value, (const char *)c + o->offset + i * sizeof value, sizeof value);
    return value;
}

uint32_t option_get(const struct config *c, const struct config_option *o)
{
    return option_get_at(c, o, 0);
}

double option_number(const struct config *c, const struct config_option *o)
{
    return o->kind == OPTION_DECIMAL ? option_get(c, o) / (double)THOUSANDTHS : option_get(c, o);
}

static void put_at(struct config *c, const struct config_option *o, uint32_t i, uint32_t value)
{
    memcpy((char *)c + o->offset + i * sizeof value, &value, sizeof value);
}

/* Numbers of a list; one of another option. */
static uint32_t numbers(const struct config_option *o)
{
    return o->kind == OPTION_LIST ? o->count : 1;
}

/* Whether the key names one number of the list: "cke.blocks2". */
static bool is_element(const struct config_option *o, const char *key)
{
    const size_t n = o->length;
    return o->kind == OPTION_LIST && !o->values && !strncmp(key, o->key, n) && key[n] >= '0' &&
           (uint32_t)key[n] - '0' < o->count && !key[n + 1];
}

static const char *option_name(const void *context, size_t i)
{
    (void)context;
    return options[i].key;
}

const struct config_option *option_find(const char *key)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i < OPTIONS; i++)
        if ((options[i].length == length && !memcmp(options[i].key, key, length)) || is_element(&options[i], key))
            return &options[i];
    return NULL;
}

/* The i-th value name, in "a|b|c" or among the policies, as start and length; false past the last. */
static bool value_name(const struct config_option *o, uint32_t i, const char **start, size_t *length)
{
    const struct policy *policy = o->kind == OPTION_POLICY ? policy_at(o->policies, i) : NULL;
    const char *names = o->kind == OPTION_POLICY ? policy ? policy->name : NULL : o->names;
    for (; i && o->kind == OPTION_ENUM && names; i--) {
        names = strchr(names, '|');
        if (names) names++;
    }
    if (!names) return false;
    *start = names;
    *length = strcspn(names, "|");
    return true;
}

bool option_value(const struct config_option *o, uint32_t i, char text[static OPTION_TEXT])
{
    const char *start;
    size_t length;
    if (!value_name(o, i, &start, &length)) return false;
    snprintf(text, OPTION_TEXT, "%.*s", (int)length, start);
    return true;
}

/* Without zeros at its end. */
static void decimal_text(uint32_t thousandths, char text[static OPTION_TEXT])
{
    int n = snprintf(text, OPTION_TEXT, "%u.%03u", thousandths / THOUSANDTHS, thousandths % THOUSANDTHS);
    while (text[n - 1] == '0') n--;
    text[n - (text[n - 1] == '.')] = 0;
}

/* Without the defaults at its end. */
static void list_text(const struct config *c, const struct config_option *o, char text[static OPTION_TEXT])
{
    uint32_t last = o->count;
    size_t n = 0;
    while (last > 1 && option_get_at(c, o, last - 1) == o->def) last--;
    for (uint32_t i = 0; i < last && n < OPTION_TEXT; i++)
        n += (size_t)snprintf(text + n, OPTION_TEXT - n, "%s%u", i ? "," : "", option_get_at(c, o, i));
}

void option_text(const struct config *c, const struct config_option *o, char text[static OPTION_TEXT])
{
    uint32_t value = option_get(c, o);
    const char *start = "?";
    size_t length = 1;
    if (o->kind == OPTION_UINT)
        snprintf(text, OPTION_TEXT, "%u", value);
    else if (o->kind == OPTION_DECIMAL)
        decimal_text(value, text);
    else if (o->kind == OPTION_LIST)
        list_text(c, o, text);
    else if (o->kind == OPTION_BOOL)
        snprintf(text, OPTION_TEXT, "%s", value ? "true" : "false");
    else {
        value_name(o, value, &start, &length);
        snprintf(text, OPTION_TEXT, "%.*s", (int)length, start);
    }
}

void option_allowed(const struct config_option *o, char text[static OPTION_ALLOWED])
{
    if (o->kind == OPTION_UINT)
        snprintf(text, OPTION_ALLOWED, "%u..%u", o->min, o->max);
    else if (o->kind == OPTION_DECIMAL)
        snprintf(text, OPTION_ALLOWED, "%u..%u, up to %d decimals", o->min, o->max, DECIMALS);
    else if (o->kind == OPTION_LIST)
        snprintf(text, OPTION_ALLOWED, "%u..%u, up to %u %s", o->min, o->max, o->count,
                 o->values ? "values" : "numbers");
    else if (o->kind == OPTION_BOOL)
        snprintf(text, OPTION_ALLOWED, "true, false");
    else {
        const char *start;
        size_t length, n = 0;
        text[0] = 0;
        for (uint32_t i = 0; value_name(o, i, &start, &length) && n < OPTION_ALLOWED; i++)
            n += (size_t)snprintf(text + n, OPTION_ALLOWED - n, "%s%.*s", i ? ", " : "", (int)length, start);
    }
}

static bool read_uint(const char *value, const struct config_option *o, uint32_t *number)
{
    if (!isdigit((unsigned char)*value)) return false;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(value, &end, 10);
    *number = (uint32_t)n;
    return !*end && !errno && n >= o->min && n <= o->max;
}

/* "3500.5" as 3500500. */
static bool read_decimal(const char *value, const struct config_option *o, uint32_t *thousandths)
{
    char whole[OPTION_TEXT];
    const size_t n = strcspn(value, ".");
    const char *decimals = value + n + (value[n] == '.');
    const size_t given = strlen(decimals);
    uint32_t rest = 0;
    if (n >= sizeof whole || given > DECIMALS || (value[n] && !given)) return false;
    snprintf(whole, sizeof whole, "%.*s", (int)n, value);
    if (!read_uint(whole, o, thousandths)) return false;
    for (size_t i = 0; i < DECIMALS; i++) {
        if (i < given && !isdigit((unsigned char)decimals[i])) return false;
        rest = 10 * rest + (i < given ? (uint32_t)(decimals[i] - '0') : 0);
    }
    const bool fits = *thousandths < o->max || !rest;
    *thousandths = *thousandths * THOUSANDTHS + rest;
    return fits;
}

/* One number of a list, or all of them. */
static bool read_list(struct config *c, const struct config_option *o, const char *key, const char *value)
{
    uint32_t number[OPTION_TEXT], count = 0;
    char text[OPTION_TEXT], *rest = NULL;
    if (strlen(value) >= sizeof text) return false;
    snprintf(text, sizeof text, "%s", value);
    for (char *word = strtok_r(text, ", ", &rest); word; word = strtok_r(NULL, ", ", &rest))
        if (!read_uint(word, o, &number[count++])) return false;
    const bool one = is_element(o, key);
    const uint32_t first = one ? (uint32_t)key[o->length] - '0' : 0;
    if (!count || count > (one ? 1 : o->count)) return false;
    for (uint32_t i = first; i < (one ? first + 1 : o->count); i++)
        put_at(c, o, i, i - first < count ? number[i - first] : o->def);
    return true;
}

static bool read_bool(const char *value, uint32_t *number)
{
    *number = !strcmp(value, "true");
    return *number || !strcmp(value, "false");
}

static bool read_enum(const char *value, const struct config_option *o, uint32_t *number)
{
    const char *start;
    size_t length;
    for (*number = 0; value_name(o, *number, &start, &length); ++*number)
        if (strlen(value) == length && !memcmp(value, start, length)) return true;
    return false;
}

static bool read_policy(const char *value, const struct config_option *o, uint32_t *number)
{
    *number = policy_number(o->policies, value);
    return *number != UINT32_MAX;
}

bool option_has_value(const struct config_option *o, const char *value)
{
    uint32_t number;
    if (o->kind == OPTION_POLICY) return read_policy(value, o, &number);
    return o->kind == OPTION_ENUM && read_enum(value, o, &number);
}

static const char *policy_name(const void *kind, size_t i)
{
    return policy_at(kind, (uint32_t)i)->name;
}

static const char *nearest_policy(char near[NEAREST_TEXT], const struct config_option *o, const char *value)
{
    uint32_t count = 0;
    while (policy_at(o->policies, count)) count++;
    return nearest_text(near, value, count, policy_name, o->policies);
}

/* `o`: the option `key`; NULL: there is none. */
static bool assign(struct config *c, const struct config_option *o, const char *key, const char *value,
                   struct error *err)
{
    char near[NEAREST_TEXT];
    if (!o)
        return error_set(err, "unknown option \"%s\"%s (memtwin list options shows all)", key,
                         nearest_text(near, key, OPTIONS, option_name, NULL));
    uint32_t number;
    if (o->kind == OPTION_LIST && read_list(c, o, key, value)) return true;
    bool ok = o->kind == OPTION_LIST      ? false
              : o->kind == OPTION_UINT    ? read_uint(value, o, &number)
              : o->kind == OPTION_DECIMAL ? read_decimal(value, o, &number)
              : o->kind == OPTION_BOOL    ? read_bool(value, &number)
              : o->kind == OPTION_ENUM    ? read_enum(value, o, &number)
                                          : read_policy(value, o, &number);
    if (ok) {
        put_at(c, o, 0, number);
        return true;
    }
    char allowed[OPTION_ALLOWED];
    option_allowed(o, allowed);
    if (o->kind == OPTION_POLICY)
        return error_set(err, "%s: found \"%s\"%s; allowed: %s", key, value, nearest_policy(near, o, value), allowed);
    return error_set(err, "%s: found \"%s\", allowed: %s", key, value, allowed);
}

void config_default(struct config *c)
{
    /* mutant: < -> <=: past the end of an array: the sanitized run of `make test` finds it */
    for (size_t i = 0; i < OPTIONS; i++) {
        uint32_t value = options[i].def;
        if (options[i].kind == OPTION_POLICY) read_policy(options[i].names, &options[i], &value);
        if (options[i].kind == OPTION_DECIMAL) value *= THOUSANDTHS;
        for (uint32_t k = 0; k < numbers(&options[i]); k++) put_at(c, &options[i], k, value);
    }
}

void sources_default(struct sources *s)
{
    for (size_t i = 0; i < OPTIONS; i++) snprintf(s->of[i], SOURCE_TEXT, "%s", options[i].source);
}

struct setting {
    struct config *config;
    const struct config_option *option;
};

static bool set_item(void *context, const struct ini_item *item, struct error *err)
{
    struct setting *s = context;
    s->option = option_find(item->key);
    return assign(s->config, s->option, item->key, item->value, err);
}

const struct config_option *option_set(struct config *c, const char *assignment, struct error *err)
{
    struct setting s = {c, NULL};
    struct error why = {""};
    if (!strchr(assignment, '=') || strpbrk(assignment, "[;#\n"))
        error_set(err, "found \"%s\", expected key=value", assignment);
    else if (ini_parse(assignment, "", set_item, &s, &why))
        return s.option;
    else
        error_set(err, "%s", why.text + strlen(":1: "));
    return NULL;
}

bool config_set(struct config *c, const char *assignment, struct error *err)
{
    return option_set(c, assignment, err);
}

/* State of parsing a config text: the options set so far, with their lines. */
struct reading {
    struct config *config;
    struct sources *sources; /* or NULL */
    const char *name;
    char source[SOURCE_TEXT]; /* of the lines that follow; "": none is named */
    uint32_t line[OPTIONS], count, depth;
};

static bool read_text(struct config *c, struct sources *sources, const char *text, const char *name, uint32_t depth,
                      struct error *err);

static const char *preset_name(const void *context, size_t i)
{
    (void)context;
    return preset_get((uint32_t)i)->name;
}

#define PRESET_DEPTH 8 /* nested presets; deeper means a cycle */

static bool apply_preset(struct config *c, struct sources *sources, const char *name, uint32_t depth, struct error *err)
{
    if (depth > PRESET_DEPTH) return error_set(err, "preset \"%s\" starts from itself", name);
    if (!strcmp(name, "defaults")) {
        config_default(c);
        if (sources) sources_default(sources);
        return true;
    }
    uint32_t count = preset_count();
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(preset_get(i)->name, name)) return read_text(c, sources, preset_get(i)->text, name, depth, err);
    char near[NEAREST_TEXT];
    return error_set(err, "unknown preset \"%s\"%s (memtwin list presets shows all)", name,
                     nearest_text(near, name, count, preset_name, NULL));
}

/* "source", at the top or in a section. */
static bool is_source(const char *key)
{
    const char *dot = strrchr(key, '.');
    return !strcmp(dot ? dot + 1 : key, "source");
}

static bool note_source(struct reading *r, const struct config_option *o, const struct ini_item *item,
                        struct error *err)
{
    char text[SOURCE_TEXT], *to = r->sources ? r->sources->of[o - options] : text;
    if (*r->source) return source_of(r->source, item->comment, to, err);
    if (r->sources) snprintf(to, SOURCE_TEXT, "%.240s:%u", r->name, item->line);
    return true;
}

static bool read_option(struct reading *r, const struct ini_item *item, struct error *err)
{
    const struct config_option *o = option_find(item->key);
    r->count++;
    if (o && r->line[o - options] && !is_element(o, item->key))
        return error_set(err, "%s was given already in line %u", item->key, r->line[o - options]);
    if (o) r->line[o - options] = item->line;
    return assign(r->config, o, item->key, item->value, err) && note_source(r, o, item, err);
}

static bool read_item(void *context, const struct ini_item *item, struct error *err)
{
    struct reading *r = context;
    if (is_source(item->key)) {
        memcpy(r->source, item->value, sizeof r->source);
        return true;
    }
    if (strcmp(item->key, "preset")) return read_option(r, item, err);
    if (r->count) return error_set(err, "preset = %s must come before every option", item->value);
    return apply_preset(r->config, r->sources, item->value, r->depth + 1, err);
}

static bool read_text(struct config *c, struct sources *sources, const char *text, const char *name, uint32_t depth,
                      struct error *err)
{
    struct config copy = *c; /* parse into a copy: an error must change nothing */
    struct reading r = {.config = &copy, .sources = sources, .name = name, .depth = depth};
    if (!ini_parse(text, name, read_item, &r, err)) return false;
    *c = copy;
    return true;
}

bool config_preset(struct config *c, struct sources *sources, const char *name, struct error *err)
{
    return apply_preset(c, sources, name, 0, err);
}

bool config_text(struct config *c, struct sources *sources, const char *text, const char *name, struct error *err)
{
    /* mutant: 0 + 1: one preset less may start from another in a row; no row is nearly that long */
    return read_text(c, sources, text, name, 0, err);
}

bool config_file(struct config *c, struct sources *sources, const char *path, struct error *err)
{
    char *text = text_file_read(path, err);
    const bool ok = text && config_text(c, sources, text, path, err);
    free(text);
    return ok;
}
