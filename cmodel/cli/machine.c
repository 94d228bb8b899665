/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/machine.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text_file.h"
#include "cli/command.h"
#include "system/config/option_use.h"

/* The option's number; OPTIONS and an error if there is none. */
static size_t set(struct config *c, struct given *given, const char *assignment, struct error *err)
{
    uint32_t count;
    const struct config_option *all = option_list(&count), *o = option_set(c, assignment, err);
    if (!o) return OPTIONS;
    given->option[o - all] = true;
    return (size_t)(o - all);
}

static bool set_from_command_line(struct machine_choice *m, const char *assignment, struct error *err)
{
    const size_t i = set(&m->config, &m->given, assignment, err);
    snprintf(m->before, sizeof m->before, "--set %s", assignment);
    if (i < OPTIONS && m->sources) snprintf(m->sources->of[i], SOURCE_TEXT, "command line");
    return i < OPTIONS;
}

/* `counts`: of a configuration of GPGPU-Sim. */
typedef bool apply_machine(struct config *c, struct sources *sources, const char *name, struct gpgpusim_counts *counts,
                           struct error *err);

static bool apply_preset(struct config *c, struct sources *sources, const char *name, struct gpgpusim_counts *counts,
                         struct error *err)
{
    (void)counts;
    return config_preset(c, sources, name, err);
}

/* A whole machine, whatever it is applied to. */
static bool is_whole(apply_machine *apply, const char *name)
{
    struct config a, b;
    struct gpgpusim_counts ignored_counts;
    struct error ignored = {""};
    memset(&a, 0, sizeof a);
    memset(&b, 1, sizeof b);
    return apply(&a, NULL, name, &ignored_counts, &ignored) && apply(&b, NULL, name, &ignored_counts, &ignored) &&
           !memcmp(&a, &b, sizeof a);
}

/* Warns that a whole machine overrides the presets and options given before it. */
static void warn_replaced(const char *where, const char *name, const char *before)
{
    struct error text = {""};
    error_set(&text, "warning: %s %s is a whole machine: %s before it has no effect", where, name, before);
    command_error(&text);
}

/* It can be read again. */
static bool is_file(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode);
}

static void note_applied(struct machine_choice *m, const char *where, const char *name)
{
    snprintf(m->before, sizeof m->before, "%s %s", where, name);
    text_escape(m->before, sizeof m->before);
}

/* Prints how many options of a configuration of GPGPU-Sim are mapped, and how many have no counterpart. */
static void note_counts(const char *path, const struct gpgpusim_counts *n)
{
    struct error text = {""};
    if (!n->options) return;
    error_set(&text,
              "%s: %u options: %u mapped, %u of them to the nearest value, %u without counterpart%s%s (memtwin config "
              "--from lists them)",
              path, n->options, n->mapped, n->nearest, n->options - n->mapped, n->no_trace ? "; no trace.config" : "",
              n->no_crossbar ? "; no file of the crossbar" : "");
    command_error(&text);
}

static bool apply_to(struct machine_choice *m, apply_machine *apply, const char *where, const char *name,
                     struct error *err)
{
    struct gpgpusim_counts counts = {0};
    const bool ok = apply(&m->config, m->sources, name, &counts, err);
    const bool again = apply == apply_preset || is_file(name);
    if (ok && *m->before && again && is_whole(apply, name)) warn_replaced(where, name, m->before);
    if (ok) note_counts(name, &counts);
    note_applied(m, where, name);
    return ok;
}

bool machine_from_gpgpusim(struct machine_choice *m, const char *path, FILE *report, struct error *err)
{
    struct gpgpusim_counts counts;
    char *text = text_file_read(path, err);
    const bool ok = text &&
                    (gpgpusim_is(path, text) ||
                     error_set(err, "%s: found an ini file, expected one of GPGPU-Sim (--config reads it)", path)) &&
                    gpgpusim_read(&m->config, m->sources, path, text, report, &counts, err);
    note_applied(m, "--from", path);
    free(text);
    return ok;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct machine_choice *m = state->input;
    struct config *c = &m->config;
    struct error err = {""};
    bool ok = true;
    switch (key) {
    case ARGP_KEY_INIT:
        config_default(c);
        if (m->sources) sources_default(m->sources);
        break;
    case 'p':
        ok = apply_to(m, apply_preset, "--preset", arg, &err);
        break;
    case 'c':
        ok = apply_to(m, gpgpusim_or_ini, "--config", arg, &err);
        break;
    case 's':
        ok = set_from_command_line(m, arg, &err);
        break;
    case ARGP_KEY_END:
        ok = config_check(c, &err);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    if (!ok) argp_failure(state, COMMAND_USAGE, 0, "%s", err.text);
    return 0;
}

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The machine (applied in order; later options override earlier ones):", 1},
    {"preset", 'p', "NAME", 0, "A preset (memtwin list presets); repeatable", 1},
    {"config", 'c', "FILE", 0, "An ini file, as `memtwin config' prints, or a gpgpusim.config", 1},
    {"set", 's', "KEY=VALUE", 0, "One option (memtwin list options)", 1},
    {0}};

const struct argp machine_argp = {.options = options, .parser = parse};

static bool printable(const char *name)
{
    char text[256], escaped[256];
    snprintf(text, sizeof text, "%s", name);
    snprintf(escaped, sizeof escaped, "%s", name);
    text_escape(escaped, sizeof escaped);
    return !strcmp(text, escaped);
}

/* The comma behind the first KEY=VALUE, or the end; a number behind a comma belongs to a list. */
static char *item_end(char *item)
{
    char *end = item + strcspn(item, ",");
    while (*end && end[1 + strspn(end + 1, "0123456789")] != '=' && isdigit((unsigned char)end[1]))
        end += 1 + strcspn(end + 1, ",");
    return end;
}

/* Like strtok_r(). */
static char *next_item(char **rest)
{
    char *item = *rest + strspn(*rest, ","), *end = item_end(item);
    *rest = *end ? end + 1 : end;
    *end = 0;
    return *item ? item : NULL;
}

bool machine_case(char *text, struct config *c, struct given *given, struct error *err)
{
    char *rest = strchr(text, ':');
    if (!rest || rest == text) return error_set(err, "--case: found \"%s\", expected NAME:KEY=VALUE,...", text);
    *rest++ = 0;
    if (!printable(text)) return error_set(err, "--case: found a control character in the name \"%s\"", text);
    struct error why = {""};
    const char *before = NULL;
    for (char *item = next_item(&rest); item; before = item, item = next_item(&rest)) {
        const char *preset = strncmp(item, "preset=", 7) ? NULL : item + 7;
        bool ok = preset ? config_preset(c, NULL, preset, &why) : set(c, given, item, &why) < OPTIONS;
        if (!ok) return error_set(err, "--case %s: %.900s", text, why.text);
        if (preset && before && is_whole(apply_preset, preset)) warn_replaced("--case: preset", preset, before);
    }
    return config_check(c, &why) || error_set(err, "--case %s: %.900s", text, why.text);
}

bool machine_names_differ(char *const *names, uint32_t count, struct error *err)
{
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (!strcmp(names[i], names[k]))
                return error_set(err, "--case: found the name %s twice, expected names that differ", names[i]);
    return true;
}

void machine_warn(const char *where, const struct given *given, const struct config *const *machines, uint32_t count,
                  uint32_t workloads)
{
    uint32_t all;
    const struct config_option *o = option_list(&all);
    char missing[CONDITION_TEXT] = "";
    for (uint32_t i = 0; i < all; i++) {
        bool read = !given->option[i];
        for (uint32_t k = 0; !read && k < count; k++) read = option_is_read(machines[k], workloads, &o[i], missing);
        if (!read)
            fprintf(stderr, "memtwin: warning: %s: %s has no effect here: it needs %s\n", where, o[i].key, missing);
    }
}

uint64_t machine_number(struct argp_state *state, const char *option, const char *text, uint64_t min, uint64_t max)
{
    char *end;
    errno = 0;
    uint64_t n = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)*text) || *end || errno || n < min || n > max)
        command_usage(state, "%s: found \"%s\", allowed: %" PRIu64 "..%" PRIu64, option, text, min, max);
    return n;
}
