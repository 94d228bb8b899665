/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <string.h>

#include "base/version.h"
#include "cli/energy.h"
#include "cli/number.h"
#include "cli/result.h"
#include "system/stats/counters.h"
#include "system/config/options.h"

static json_t *decimal_json(double n)
{
    return n == (json_int_t)n ? json_integer((json_int_t)n) : json_real(n);
}

static json_t *option_json(const struct config *c, const struct config_option *o)
{
    char text[OPTION_TEXT];
    if (o->kind == OPTION_UINT) return json_integer(option_get(c, o));
    if (o->kind == OPTION_DECIMAL) return decimal_json(option_number(c, o));
    if (o->kind == OPTION_BOOL) return json_boolean(option_get(c, o));
    option_text(c, o, text);
    return json_string(text);
}

static json_t *config_json(const struct config *c)
{
    json_t *object = json_object();
    uint32_t count;
    const struct config_option *o = option_list(&count);
    for (uint32_t i = 0; i < count; i++) json_object_set_new_nocheck(object, o[i].key, option_json(c, &o[i]));
    return object;
}

static void put_whole(void *object, const char *name, uint64_t value)
{
    json_object_set_new_nocheck(object, name, json_integer((json_int_t)value));
}

static void put_ratio(void *object, const char *name, double value)
{
    json_object_set_new_nocheck(object, name, number_json(value));
}

static json_t *counters_json(const struct stats *s, const struct config *c)
{
    json_t *object = json_object();
    uint32_t count;
    const struct counter *list = counter_list(&count);
    struct counter_value *values = calloc(count, sizeof *values);
    if (!values) return NULL;
    counter_values(s, c, values);
    for (uint32_t i = 0; i < count; i++)
        if (list[i].is_ratio)
            put_ratio(object, list[i].name, values[i].ratio);
        else
            put_whole(object, list[i].name, values[i].whole);
    free(values);
    return object;
}

static json_t *run_counters_json(const struct result *r)
{
    json_t *object = counters_json(&r->stats, &r->config);
    const struct cke_sink sink = {put_whole, put_ratio, object};
    if (r->part[0].alone) cke_numbers(r, &sink);
    run_energy_numbers(r->energy, &r->config, &r->stats, &sink);
    return object;
}

static json_t *samples_json(const struct result *r, const struct samples *s)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < s->count; i++) {
        const struct sample *x = &s->list[i];
        json_t *counters = counters_json(&x->stats, &r->config);
        const struct cke_sink sink = {put_whole, put_ratio, counters};
        for (uint32_t w = 0; r->parts > 1 && w < r->parts; w++) cke_counts(&x->part[w], w, &sink);
        run_energy_numbers(r->energy, &r->config, &x->stats, &sink);
        json_t *object =
            json_pack("{sI sI so}", "from", (json_int_t)x->from, "to", (json_int_t)x->to, "counters", counters);
        if (x->name[0]) json_object_set_new(object, "kernel", json_string(x->name));
        json_array_append_new(array, object);
    }
    return array;
}

/* Of kernels, or of streams. */
static json_t *runs_json(const struct kernel_runs *runs)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < runs->count; i++) {
        const struct kernel_run *x = &runs->list[i];
        json_t *counters = json_object(),
               *object = json_pack("{sI sI sI so}", "stream", (json_int_t)x->stream, "from", (json_int_t)x->from, "to",
                                   (json_int_t)x->to, "counters", counters);
        kernel_run_counters(x, put_whole, counters);
        if (x->name) json_object_set_new(object, "kernel", json_string(x->name));
        json_array_append_new(array, object);
    }
    return array;
}

static void put_runs(json_t *object, const struct result *r)
{
    struct kernel_runs streams = kernel_runs_by_stream(&r->runs);
    json_object_set_new(object, "streams", runs_json(&streams));
    kernel_runs_free(&streams);
    if (r->each_kernel) json_object_set_new(object, "kernels", runs_json(&r->runs));
}

static json_t *parts_json(const struct result *r)
{
    json_t *array = json_array();
    for (uint32_t w = 0; w < r->parts; w++)
        json_array_append_new(array,
                              json_pack("{s:s, s:s}", "name", r->part[w].workload, "identity", r->part[w].identity));
    return array;
}

static json_t *verdict_json(enum verdict v)
{
    return v == VERDICT_TRACE ? json_null() : json_boolean(v == VERDICT_VERIFIED);
}

static json_t *units_of(json_t *array, const char *block)
{
    size_t i;
    json_t *object;
    json_array_foreach(array, i, object)
    {
        if (!strcmp(json_string_value(json_object_get(object, "block")), block))
            return json_object_get(object, "instances");
    }
    json_array_append_new(array, json_pack("{s:s, s:[]}", "block", block, "instances"));
    return units_of(array, block);
}

/* [{"block": "dl_mshr", "instances": ["l1d.0", "l1d.1"]}] */
static json_t *rtl_json(const struct rtl_uses *u)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < u->count; i++)
        json_array_append_new(units_of(array, u->use[i].block), json_string(u->use[i].unit));
    return array;
}

static json_t *result_object(const struct result *r, uint32_t threads)
{
    json_t *o = json_pack("{s:s, s:{s:s, s:s, s:I, s:o}}", "version", version_text, "workload", "name", r->workload,
                          "identity", r->identity, "seed", (json_int_t)r->seed, "verified", verdict_json(r->verdict));
    if (r->parts > 1) json_object_set_new(json_object_get(o, "workload"), "parts", parts_json(r));
    if (r->case_name) json_object_set_new(o, "case", json_string(r->case_name));
    json_object_set_new(o, "config", config_json(&r->config));
    json_object_set_new(o, "counters", run_counters_json(r));
    if (r->energy) json_object_set_new(o, "energy", run_energy_json(r->energy, &r->config, &r->stats));
    if (r->runs.count) put_runs(o, r);
    if (r->each_kernel && !r->runs.count && r->kernels.count)
        json_object_set_new(o, "kernels", samples_json(r, &r->kernels));
    if (r->intervals.count) json_object_set_new(o, "intervals", samples_json(r, &r->intervals));
    json_object_set_new(
        o, "host",
        json_pack("{s:f, s:I, s:o}", "seconds", r->seconds, "threads", (json_int_t)threads, "rtl", rtl_json(&r->uses)));
    return o;
}

static json_t *results_json(const struct result *results, uint32_t count, uint32_t threads)
{
    if (count == 1) return result_object(results, threads);
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++) json_array_append_new(array, result_object(&results[i], threads));
    return array;
}

/* jansson writes thousands of short tokens.  A call of fwrite() costs more than copying one. */
static int put_token(const char *text, size_t size, void *to)
{
    for (size_t i = 0; i < size; i++) putc_unlocked(text[i], to);
    return ferror_unlocked(to) ? -1 : 0;
}

void result_json(FILE *to, const struct result *results, uint32_t count, uint32_t threads)
{
    json_t *root = results_json(results, count, threads);
    json_dump_callback(root, put_token, to, JSON_INDENT(2) | JSON_REAL_PRECISION(NUMBER_DIGITS));
    putc('\n', to);
    json_decref(root);
}
