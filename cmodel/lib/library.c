/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/memtwin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/version.h"
#include "lib/gpgpusim_read.h"
#include "lib/machine.h"
#include "lib/stepped.h"
#include "lib/workloads.h"
#include "system/block/block_ops.h"
#include "system/config/option_use.h"
#include "system/stats/counters.h"
#include "trace/kernels.h"

bool machine_failed(struct memtwin_error *to, const struct error *from)
{
    if (to) snprintf(to->text, sizeof to->text, "%s", from->text);
    return false;
}

const char *memtwin_version(void)
{
    return version_text;
}

const char *memtwin_preset(size_t i)
{
    return i < preset_count() ? preset_get((uint32_t)i)->name : NULL;
}

const char *memtwin_option(size_t i)
{
    uint32_t count;
    const struct config_option *o = option_list(&count);
    return i < count ? o[i].key : NULL;
}

const char *memtwin_kernel(size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (!kernel_list((uint32_t)k)) return NULL;
    const struct kernel_def *k = kernel_list((uint32_t)i);
    return k ? k->name : NULL;
}

/* ---- Options. ---- */

struct making {
    struct memtwin *m;
    bool given[OPTIONS]; /* by themselves, not by a preset or a file */
};

static bool set_option(struct making *k, const char *text, struct error *err)
{
    uint32_t count;
    const struct config_option *all = option_list(&count), *o = option_set(&k->m->config, text, err);
    if (o) k->given[o - all] = true;
    return o;
}

static bool set_enter(struct memtwin *m, const char *value, struct error *err)
{
    m->enters_memory = !strcmp(value, "memory");
    return m->enters_memory || !strcmp(value, "l1d") ||
           error_set(err, "enter: found \"%s\", allowed: l1d or memory", value);
}

static bool set_queue(struct memtwin *m, const char *value, struct error *err)
{
    char *end;
    const unsigned long n = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || n < 1 || n > QUEUE_MOST)
        return error_set(err, "queue: found \"%s\", allowed: 1..%d", value, QUEUE_MOST);
    m->queue = (uint32_t)n;
    return true;
}

static bool set_text(char **to, const char *value, struct error *err)
{
    free(*to);
    *to = strdup(value);
    return *to || error_set(err, "out of memory");
}

/* The text behind the key; NULL: another key. */
static const char *value_of(const char *option, const char *key)
{
    const size_t n = strlen(key);
    return strncmp(option, key, n) || option[n] != '=' ? NULL : option + n + 1;
}

static bool apply(struct making *k, const char *option, struct error *err)
{
    struct memtwin *m = k->m;
    struct gpgpusim_counts ignored;
    const char *value;
    if (!option) return error_set(err, "options: found a NULL, expected KEY=VALUE");
    if ((value = value_of(option, "preset"))) return config_preset(&m->config, NULL, value, err);
    if ((value = value_of(option, "config"))) return gpgpusim_or_ini(&m->config, NULL, value, &ignored, err);
    if ((value = value_of(option, "enter"))) return set_enter(m, value, err);
    if ((value = value_of(option, "queue"))) return set_queue(m, value, err);
    if ((value = value_of(option, "rtl"))) return set_text(&m->rtl_blocks, value, err);
    if ((value = value_of(option, "rtl_folder"))) return set_text(&m->rtl_folder, value, err);
    return set_option(k, option, err);
}

/* Otherwise twins would run where RTL is expected. */
static bool rtl_is_used(const struct memtwin *m, struct error *err)
{
    char name[64], path[BLOCK_PATH], missing[CONDITION_TEXT] = "";
    if (m->rtl_folder && !m->rtl_blocks)
        return error_set(err, "rtl: found rtl_folder alone, expected rtl=BLOCK,... and rtl_folder=FOLDER");
    for (const char *at = m->rtl_blocks; at; at = strchr(at, ','), at += !!at) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "=,"), at);
        if (!block_find(name)) return error_set(err, "rtl: found \"%s\", expected a block", name);
        if (!block_is_at_work(&m->config, 1, name, missing))
            return error_set(err, "rtl: %s is not used in this machine, expected %s", name,
                             *missing ? missing : "another block");
        if (!m->rtl_folder && block_in_list(m->rtl_blocks, name, path) && !*path)
            return error_set(err,
                             "rtl: found rtl alone, expected rtl=BLOCK,... and rtl_folder=FOLDER, or rtl=BLOCK=PATH");
    }
    return true;
}

static bool all_are_read(const struct making *k, struct error *err)
{
    uint32_t count;
    const struct config_option *o = option_list(&count);
    char missing[CONDITION_TEXT] = "";
    for (uint32_t i = 0; i < count; i++)
        if (k->given[i] && !option_is_read(&k->m->config, 1, &o[i], missing))
            return error_set(err, "%s has no effect here: it needs %s", o[i].key, missing);
    return true;
}

struct memtwin *memtwin_create(const char *const *options, size_t count, struct memtwin_error *err)
{
    struct error why = {""};
    struct making k = {.m = calloc(1, sizeof *k.m)};
    bool ok = k.m || error_set(&why, "out of memory");
    if (ok) {
        k.m->queue = QUEUE_DEFAULT;
        config_default(&k.m->config);
    }
    for (size_t i = 0; ok && i < count; i++) ok = apply(&k, options[i], &why);
    if (ok && config_check(&k.m->config, &why) && all_are_read(&k, &why) && rtl_is_used(k.m, &why)) return k.m;
    memtwin_destroy(k.m);
    machine_failed(err, &why);
    return NULL;
}

void memtwin_destroy(struct memtwin *m)
{
    if (!m) return;
    stepped_destroy(m->stepped);
    free(m->rtl_blocks);
    free(m->rtl_folder);
    free(m);
}

static const char *option_key(const void *context, size_t i)
{
    (void)context;
    return memtwin_option(i);
}

bool memtwin_option_value(const struct memtwin *m, const char *key, char text[MEMTWIN_VALUE_TEXT],
                          struct memtwin_error *err)
{
    _Static_assert(MEMTWIN_VALUE_TEXT == OPTION_TEXT, "room for every value");
    const struct config_option *o = option_find(key);
    struct error why = {""};
    if (o) return option_text(&m->config, o, text), true;
    char near[NEAREST_TEXT];
    error_set(&why, "unknown option \"%s\"%s", key, nearest_text(near, key, OPTIONS, option_key, NULL));
    return machine_failed(err, &why);
}

/* ---- Whole runs. ---- */

static bool run(struct memtwin *m, struct workloads *w, struct error *err)
{
    if (!workloads_open(w, err)) return false;
    if (run_needs_ranges(&m->config) && !workloads_collect(w, 0, err)) return false;
    if (!workloads_run(w, &m->stats, err)) return false;
    return m->config.cke_cycles || workloads_verify(w, err);
}

bool memtwin_run(struct memtwin *m, const char *workload, uint64_t seed, struct memtwin_error *err)
{
    struct error why = {""};
    struct workloads w = {
        .config = &m->config, .name[0] = workload, .seed = seed, .rtl = m->rtl_blocks, .rtl_folder = m->rtl_folder};
    if (m->stepped) {
        error_set(&why, "this machine is stepped: expected another machine for a whole run");
    } else {
        m->ran = true;
        run(m, &w, &why);
        workloads_close(&w);
    }
    return !why.text[0] || machine_failed(err, &why);
}

/* ---- Stepping. ---- */

/* The stepped half; made by the first call. */
static struct stepped *stepped_of(struct memtwin *m, struct error *err)
{
    if (m->ran) return error_set(err, "this machine has run a workload: expected another machine to be stepped"), NULL;
    if (!m->stepped) m->stepped = stepped_create(m, err);
    return m->stepped;
}

enum memtwin_answer memtwin_offer(struct memtwin *m, const struct memtwin_access *a, struct memtwin_error *err)
{
    struct error why = {""};
    struct stepped *s = stepped_of(m, &why);
    const enum memtwin_answer answer = s ? stepped_offer(s, a, &why) : MEMTWIN_FAILED;
    if (answer == MEMTWIN_FAILED) machine_failed(err, &why);
    return answer;
}

bool memtwin_step(struct memtwin *m, uint64_t cycles, struct memtwin_error *err)
{
    struct error why = {""};
    struct stepped *s = stepped_of(m, &why);
    return (s && stepped_step(s, cycles, false, &why)) || machine_failed(err, &why);
}

bool memtwin_step_to_done(struct memtwin *m, uint64_t limit, struct memtwin_error *err)
{
    struct error why = {""};
    struct stepped *s = stepped_of(m, &why);
    return (s && stepped_step(s, limit, true, &why)) || machine_failed(err, &why);
}

bool memtwin_drain(struct memtwin *m, uint64_t limit, struct memtwin_error *err)
{
    struct error why = {""};
    struct stepped *s = stepped_of(m, &why);
    return (s && stepped_drain(s, limit, &why)) || machine_failed(err, &why);
}

bool memtwin_poll(struct memtwin *m, struct memtwin_done *done)
{
    return m->stepped && stepped_poll(m->stepped, done);
}

uint64_t memtwin_cycle(const struct memtwin *m)
{
    return m->stepped ? stepped_cycle(m->stepped) : 0;
}

uint64_t memtwin_in_flight(const struct memtwin *m)
{
    return m->stepped ? stepped_in_flight(m->stepped) : 0;
}

uint64_t memtwin_next(const struct memtwin *m)
{
    return m->stepped ? stepped_next(m->stepped) : UINT64_MAX;
}

bool memtwin_finish(struct memtwin *m, struct memtwin_error *err)
{
    struct error why = {""};
    struct stepped *s = stepped_of(m, &why);
    return (s && stepped_finish(s, &why)) || machine_failed(err, &why);
}

/* ---- Counters. ---- */

size_t memtwin_counter_count(void)
{
    uint32_t count;
    counter_list(&count);
    return count;
}

static const struct counter *counter_at(size_t i)
{
    uint32_t count;
    const struct counter *list = counter_list(&count);
    return i < count ? &list[i] : NULL;
}

const char *memtwin_counter_name(size_t i)
{
    const struct counter *c = counter_at(i);
    return c ? c->name : NULL;
}

const char *memtwin_counter_text(size_t i)
{
    const struct counter *c = counter_at(i);
    return c ? c->text : NULL;
}

bool memtwin_counter_is_ratio(size_t i)
{
    const struct counter *c = counter_at(i);
    return c && c->is_ratio;
}

bool memtwin_counters(const struct memtwin *m, struct memtwin_value *values, struct memtwin_error *err)
{
    const struct error none = {"counters: out of memory"};
    const size_t count = memtwin_counter_count();
    struct counter_value *all = calloc(count, sizeof *all);
    if (!all) return machine_failed(err, &none);
    counter_values(&m->stats, &m->config, all);
    for (size_t i = 0; i < count; i++) {
        const bool ratio = memtwin_counter_is_ratio(i);
        values[i] = (struct memtwin_value){.whole = ratio ? 0 : all[i].whole, .ratio = ratio ? all[i].ratio : 0};
    }
    free(all);
    return true;
}

static const char *counter_name(const void *context, size_t i)
{
    (void)context;
    return memtwin_counter_name(i);
}

bool memtwin_counter(const struct memtwin *m, const char *name, struct memtwin_value *value, struct memtwin_error *err)
{
    struct error why = {""};
    const size_t count = memtwin_counter_count(), i = nearest_index(name, count, counter_name, NULL);
    char near[NEAREST_TEXT];
    if (i == SIZE_MAX || strcmp(name, memtwin_counter_name(i)))
        return error_set(&why, "unknown counter \"%s\"%s", name, nearest_text(near, name, count, counter_name, NULL)),
               machine_failed(err, &why);
    struct memtwin_value *all = calloc(count, sizeof *all);
    const bool ok = all ? memtwin_counters(m, all, err) : machine_failed(err, &(struct error){"out of memory"});
    if (ok) *value = all[i];
    free(all);
    return ok;
}
