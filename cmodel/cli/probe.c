/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/probe.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/command.h"
#include "cli/machine.h"
#include "cli/rtl.h"
#include "system/config/option_use.h"

#define LAST_CYCLE ((uint64_t)1 << 62) /* keeps sums of a cycle and latencies below NEVER */

bool probe_wrong(const struct probe *p, uint32_t word, const char *expected, struct error *err)
{
    return error_set(err, "standard input:%lu: found %s%s%s, expected %s", (unsigned long)p->line,
                     word < p->word_count ? "\"" : "", word < p->word_count ? p->words[word] : "the end of the line",
                     word < p->word_count ? "\"" : "", expected);
}

static bool split(struct probe *p, struct error *err)
{
    char *save = NULL;
    p->word_count = 0;
    p->text[strcspn(p->text, "#")] = 0;
    for (char *w = strtok_r(p->text, " \t\r\n,", &save); w; w = strtok_r(NULL, " \t\r\n,", &save)) {
        if (p->word_count == PROBE_WORDS)
            return error_set(err, "standard input:%lu: more than %d words", (unsigned long)p->line, PROBE_WORDS);
        p->words[p->word_count++] = w;
    }
    return true;
}

bool probe_next(struct probe *p, struct error *err)
{
    do {
        ssize_t length = getline(&p->text, &p->room, p->input);
        if (length < 0) {
            if (ferror(p->input)) error_set(err, "standard input: %s", strerror(errno));
            return false;
        }
        p->line++;
        if (memchr(p->text, 0, (size_t)length))
            return error_set(err, "standard input:%lu: found a NUL byte, expected text", (unsigned long)p->line);
        if (!split(p, err)) return false;
    } while (!p->word_count);
    return true;
}

bool probe_number(const struct probe *p, uint32_t i, const char *what, uint64_t most, uint64_t *number,
                  struct error *err)
{
    if (i >= p->word_count || !isdigit((unsigned char)p->words[i][0])) return probe_wrong(p, i, what, err);
    char *end;
    errno = 0;
    *number = strtoull(p->words[i], &end, 0);
    if (*end || (errno && errno != ERANGE)) return probe_wrong(p, i, what, err);
    if (!errno && *number <= most) return true;
    char expected[128];
    snprintf(expected, sizeof expected, "%.60s up to 0x%" PRIx64, what, most);
    return probe_wrong(p, i, expected, err);
}

bool probe_access(struct probe *p, uint64_t most, uint64_t *cycle, bool *write, uint64_t *address, struct error *err)
{
    const uint64_t last = *cycle;
    if (!probe_next(p, err) || !probe_number(p, 0, "a cycle (CYCLE R|W ADDRESS)", LAST_CYCLE, cycle, err)) return false;
    if (*cycle < last) return probe_wrong(p, 0, "a cycle not before the line above", err);
    if (p->word_count < 2 || (strcmp(p->words[1], "R") && strcmp(p->words[1], "W")))
        return probe_wrong(p, 1, "R or W", err);
    *write = p->words[1][0] == 'W';
    return probe_number(p, 2, "an address", most, address, err) &&
           (p->word_count == 3 || probe_wrong(p, 3, "the end of the line", err));
}

#define READS 24

/* `reads`: options that the component reads, whole names or prefixes.  A name in section [l1d] or [l2] follows
 * --cache. */
static const struct component {
    const char *name;
    bool (*run)(struct probe *p, struct error *err);
    const char *reads[READS];
    bool latency, cache; /* accepts --latency, --cache */
} components[] = {{"l1d",
                   probe_l1d,
                   {"l1d.enable",      "l1d.sets",     "l1d.ways",       "l1d.unbounded",    "l1d.index",
                    "l1d.replacement", "l1d.pdp.",     "l1d.ucp.",       "l1d.alloc",        "l1d.fill",
                    "l1d.write",       "l1d.latency",  "l1d.latency_at", "l1d.port_bytes",   "l1d.miss_queue",
                    "l1d.mshr.",       "l1d.dl_mshr.", "l1d.perfect.",   "l1d.bypass.slots", "sim.skip"},
                   true,
                   false},
                  {"mshr",
                   probe_miss_file,
                   {"l1d.mshr.entries", "l1d.mshr.slots", "l2.mshr.entries", "l2.mshr.slots", "l2.mshr.data_bits"},
                   false,
                   true},
                  {"dl_mshr", probe_miss_file, {"l1d.dl_mshr.", "l2.dl_mshr.", "l2.mshr.data_bits"}, false, true},
                  {"dram", probe_dram, {"dram.", "sim.skip"}, false, false}};
#define COMPONENTS (sizeof components / sizeof *components)

static bool reads(const struct component *c, const struct probe *p, const struct config_option *o,
                  char missing[static CONDITION_TEXT])
{
    bool listed = false;
    for (size_t i = 0; i < READS && c->reads[i]; i++) {
        size_t n = strlen(c->reads[i]);
        listed =
            listed || (c->reads[i][n - 1] == '.' ? !strncmp(o->key, c->reads[i], n) : !strcmp(o->key, c->reads[i]));
    }
    snprintf(missing, CONDITION_TEXT, "another component");
    if (!listed || !strcmp(o->key, "dram.extra_latency")) return false; /* of the L2, which this probe does not have */
    snprintf(missing, CONDITION_TEXT, "--cache %s", strcmp(p->cache, "l1d") ? "l1d" : "l2");
    if (c->cache) return !strncmp(o->key, p->cache, strlen(p->cache));
    bool closed = !strcmp(o->key, "l1d.bypass.slots") && p->machine.config.l1d_enable;
    snprintf(missing, CONDITION_TEXT, "l1d.enable=false");
    return !closed && option_is_read(&p->machine.config, 1, o, missing);
}

/* A miss file is one block; the L1D lists its own blocks; the DRAM has none. */
static bool check_rtl(const struct component *c, const struct probe *p, struct error *err)
{
    if (!p->rtl) return true;
    if (!rtl_names(p->rtl, err)) return false;
    if (!c->cache && !c->latency) return error_set(err, "--rtl: probe %s has no block", c->name);
    char name[RTL_NAME];
    const bool others = rtl_next(p->rtl, name);
    return !c->cache || (!others && !strcmp(name, c->name)) ||
           error_set(err, "--rtl: found %s, expected %s, the only block of probe %s", p->rtl, c->name, c->name);
}

/* An option that the component does not read is an error. */
static bool check_options(const struct component *c, const struct probe *p, struct error *err)
{
    uint32_t count;
    char missing[CONDITION_TEXT];
    const struct config_option *o = option_list(&count);
    if (p->latency && !c->latency) return error_set(err, "--latency: probe %s does not accept it", c->name);
    if (p->cache_given && !c->cache) return error_set(err, "--cache: probe %s does not accept it", c->name);
    for (uint32_t i = 0; i < count; i++)
        if (p->machine.given.option[i] && !reads(c, p, &o[i], missing))
            return error_set(err, "--set: probe %s does not read %s here: it needs %s", c->name, o[i].key, missing);
    return true;
}

static const char *component_name(const void *context, size_t i)
{
    (void)context;
    return components[i].name;
}

enum { KEY_CACHE = 256, KEY_RTL, KEY_LATENCY };
#define LATENCY 200

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The component:", 2},
    {"cache", KEY_CACHE, "l1d|l2", 0, "mshr, dl_mshr: use the sizes of this cache (l1d)", 2},
    {"latency", KEY_LATENCY, "CYCLES", 0, "l1d: cycles from a miss to its fill (200)", 2},
    {"rtl", KEY_RTL, "BLOCK[=PATH]", 0,
     "Replace the twin of this block by its Verilated RTL (memtwin-rtl); PATH: own RTL, a set or a folder of sets", 2},
    {0}};
static const struct argp_child children[] = {{&machine_argp, 0, 0, 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct probe *p = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &p->machine;
        return 0;
    case KEY_LATENCY:
        p->latency = machine_number(state, "--latency", arg, 1, 1000000);
        return 0;
    case KEY_RTL:
        p->rtl = arg;
        return 0;
    case KEY_CACHE:
        if (strcmp(arg, "l1d") && strcmp(arg, "l2"))
            command_usage(state, "--cache: found \"%s\", allowed: l1d, l2", arg);
        p->cache = arg;
        p->cache_given = true;
        return 0;
    case ARGP_KEY_ARG:
        if (p->component) command_usage(state, "found a second component, \"%s\"", arg);
        p->component = arg;
        return 0;
    case ARGP_KEY_END:
        if (!p->component) command_usage(state, "found no component, expected l1d, mshr, dl_mshr or dram");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char doc[] =
    "Drives one component with accesses from standard input, one a line, and prints one outcome a line.\v"
    "l1d    CYCLE R|W ADDRESS: a read or write of a byte address, not before that cycle. Prints the cycle in which it "
    "was "
    "accepted, as a hit, miss, merged, bypass or write, the cycle of its data, and the cycles in which it was refused, "
    "by "
    "cause.\n"
    "mshr, dl_mshr    a line is a clock cycle: R LINE [INFO] or W LINE [INFO], a request; F LINE, a fill; S, the drain "
    "stalls; several of them with blanks or commas between; or a dot for nothing. Prints the result, the drained "
    "slot, used slots and free sets.\n"
    "dram    CYCLE R|W ADDRESS: an access to the line of a byte address inside the channel, in DRAM clocks. Prints "
    "the clocks of arrival, issue and completion, row hit or miss, bank, row and column.\n\n"
    "Numbers are decimal or 0x; # starts a comment.\n\n"
    "  printf 'R 1 10\\nR 1 11\\nF 1\\n' | memtwin probe dl_mshr \\\n"
    "      --set l1d.dl_mshr.sets=8 --set l1d.dl_mshr.reserved=4";

static int probe_main(int argc, char **argv)
{
    const struct argp argp = {options, parse, "l1d|mshr|dl_mshr|dram", doc, children, 0, 0};
    struct probe p = {.cache = "l1d", .input = stdin};
    struct error err = {""};
    command_parse(&argp, argc, argv, &p);
    const struct component *chosen = NULL;
    for (size_t i = 0; i < COMPONENTS; i++)
        if (!strcmp(components[i].name, p.component)) chosen = &components[i];
    if (!chosen) {
        char near[NEAREST_TEXT];
        error_set(&err, "unknown component \"%s\"%s; expected l1d, mshr, dl_mshr or dram", p.component,
                  nearest_text(near, p.component, COMPONENTS, component_name, NULL));
        return command_error(&err), COMMAND_USAGE;
    }
    if (!check_options(chosen, &p, &err) || !check_rtl(chosen, &p, &err)) return command_error(&err), COMMAND_USAGE;
    p.latency = p.latency ? p.latency : LATENCY;
    bool ok = chosen->run(&p, &err);
    free(p.text);
    return ok ? 0 : (fflush(stdout), command_error(&err));
}

COMMAND(probe, "drive one component with accesses from standard input", probe_main)
