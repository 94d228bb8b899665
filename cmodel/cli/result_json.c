#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cke.h"
#include "cli/command.h"
#include "cli/result.h"
#include "system/counters.h"
#include "system/options.h"

/* Digits of a ratio: enough to tell two runs apart, few enough to read. */
#define DIGITS 12

static json_t *config_json(const struct config *c)
{
    json_t *object = json_object();
    uint32_t count;
    const struct config_option *o = option_list(&count);
    for (uint32_t i = 0; i < count; i++) {
        char text[OPTION_TEXT];
        option_text(c, &o[i], text);
        json_t *value = o[i].kind == OPTION_UINT   ? json_integer(option_get(c, &o[i]))
                        : o[i].kind == OPTION_BOOL ? json_boolean(option_get(c, &o[i]))
                                                   : json_string(text);
        json_object_set_new(object, o[i].key, value);
    }
    return object;
}

static void put_whole(void *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, json_integer((json_int_t)value));
}

static void put_ratio(void *object, const char *name, double value)
{
    json_object_set_new(object, name, json_real(value));
}

static json_t *counters_json(const struct result *r)
{
    json_t *object = json_object();
    uint32_t count;
    const struct counter *list = counter_list(&count);
    struct counter_value *values = calloc(count, sizeof *values);
    if (!values) return NULL;
    counter_values(&r->stats, &r->config, values);
    for (uint32_t i = 0; i < count; i++)
        json_object_set_new(object, list[i].name,
                            list[i].is_ratio ? json_real(values[i].ratio) : json_integer((json_int_t)values[i].whole));
    free(values);
    const struct cke_sink sink = {put_whole, put_ratio, object};
    if (r->part[0].alone) cke_numbers(r, &sink);
    return object;
}

static json_t *parts_json(const struct result *r)
{
    json_t *array = json_array();
    for (uint32_t w = 0; w < r->parts; w++)
        json_array_append_new(array,
                              json_pack("{s:s, s:s}", "name", r->part[w].workload, "identity", r->part[w].identity));
    return array;
}

static json_t *result_object(const struct result *r, uint32_t threads)
{
    json_t *o = json_pack("{s:s, s:{s:s, s:s, s:I, s:b}}", "version", memtwin_version, "workload", "name", r->workload,
                          "identity", r->identity, "seed", (json_int_t)r->seed, "verified", r->verified);
    if (r->parts > 1) json_object_set_new(json_object_get(o, "workload"), "parts", parts_json(r));
    if (r->case_name) json_object_set_new(o, "case", json_string(r->case_name));
    json_object_set_new(o, "config", config_json(&r->config));
    json_object_set_new(o, "counters", counters_json(r));
    json_object_set_new(
        o, "host", json_pack("{s:f, s:I, s:s}", "seconds", r->seconds, "threads", (json_int_t)threads, "rtl", r->rtl));
    return o;
}

static bool dump(const json_t *root, FILE *f)
{
    bool ok = !json_dumpf(root, f, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) && fputc('\n', f) != EOF;
    return fflush(f) == 0 && ok;
}

/* A device, a pipe or standard output is written as it is; a file is replaced when its successor is complete. */
static bool is_special(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode);
}

static bool cannot(const char *path, struct error *err)
{
    return error_set(err, "%s: cannot be written: %s", path, strerror(errno));
}

static FILE *open_beside(const char *path, char beside[static PATH_MAX], struct error *err)
{
    if (snprintf(beside, PATH_MAX, "%s.%ld.part", path, (long)getpid()) >= PATH_MAX)
        errno = ENAMETOOLONG;
    else {
        FILE *f = fopen(beside, "w");
        if (f) return f;
    }
    cannot(path, err);
    return NULL;
}

bool result_json_possible(const char *path, struct error *err)
{
    if (!strcmp(path, "-")) return true;
    if (is_special(path)) return access(path, W_OK) == 0 || cannot(path, err);
    char beside[PATH_MAX];
    FILE *f = open_beside(path, beside, err);
    if (!f) return false;
    fclose(f);
    unlink(beside);
    return true;
}

static bool write_special(const char *path, const json_t *root, struct error *err)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;
    bool ok = f && dump(root, f);
    if (f && f != stdout && fclose(f)) ok = false;
    return ok || cannot(path, err);
}

static bool write_whole(const char *path, const json_t *root, struct error *err)
{
    char beside[PATH_MAX];
    FILE *f = open_beside(path, beside, err);
    if (!f) return false;
    bool ok = dump(root, f) && fsync(fileno(f)) == 0;
    if (fclose(f)) ok = false;
    if (ok && rename(beside, path) == 0) return true;
    cannot(path, err);
    unlink(beside);
    return false;
}

bool result_json(const char *path, const struct result *results, uint32_t count, uint32_t threads, struct error *err)
{
    json_t *root = count == 1 ? result_object(results, threads) : json_array();
    for (uint32_t i = 0; count > 1 && i < count; i++) json_array_append_new(root, result_object(&results[i], threads));
    bool ok = !strcmp(path, "-") || is_special(path) ? write_special(path, root, err) : write_whole(path, root, err);
    json_decref(root);
    return ok;
}
