#include "cli/machine.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct config *c = state->input;
    struct error err = {""};
    bool ok = true;
    switch (key) {
    case ARGP_KEY_INIT:
        config_default(c);
        break;
    case 'p':
        ok = config_preset(c, arg, &err);
        break;
    case 'c':
        ok = config_file(c, arg, &err);
        break;
    case 's':
        ok = config_set(c, arg, &err);
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
    {0, 0, 0, 0, "The machine; options act in the order given, later ones over earlier ones:", 1},
    {"preset", 'p', "NAME", 0, "A preset (memtwin list presets); several may follow one another", 1},
    {"config", 'c', "FILE", 0, "An ini file, as `memtwin config' prints", 1},
    {"set", 's', "KEY=VALUE", 0, "One option (memtwin list options)", 1},
    {0}};

const struct argp machine_argp = {.options = options, .parser = parse};

bool machine_case(char *text, struct config *c, struct error *err)
{
    char *rest = strchr(text, ':'), *save = NULL;
    if (!rest || rest == text) return error_set(err, "--case: found \"%s\", expected NAME:KEY=VALUE,...", text);
    *rest++ = 0;
    struct error why = {""};
    for (char *item = strtok_r(rest, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
        bool ok = strncmp(item, "preset=", 7) ? config_set(c, item, &why) : config_preset(c, item + 7, &why);
        if (!ok) return error_set(err, "--case %s: %.900s", text, why.text);
    }
    return config_check(c, &why) || error_set(err, "--case %s: %.900s", text, why.text);
}

uint64_t machine_number(struct argp_state *state, const char *option, const char *text, uint64_t min, uint64_t max)
{
    char *end;
    errno = 0;
    uint64_t n = strtoull(text, &end, 0);
    if (!isdigit((unsigned char)*text) || *end || errno || n < min || n > max)
        argp_failure(state, COMMAND_USAGE, 0, "%s: found \"%s\", allowed: %" PRIu64 "..%" PRIu64, option, text, min,
                     max);
    return n;
}
