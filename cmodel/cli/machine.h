/* The options that choose a machine, the same for every subcommand that needs one: --preset, --config, --set.  They
 * act in the order given, later ones over earlier ones, from the defaults of options.def on. */
#ifndef MEMTWIN_MACHINE_H
#define MEMTWIN_MACHINE_H
#include <argp.h>

#include "system/config.h"

/* As a child of a parser; its input is a struct config, which it sets up and, at the end, checks. */
extern const struct argp machine_argp;

/* A variant of the machine, "NAME:KEY=VALUE,...", where the key "preset" names a preset: changes `c`, and cuts `text`
 * after the name. */
bool machine_case(char *text, struct config *c, struct error *err);

/* A whole number of an option's argument within min..max; leaves with a message if it is none. */
uint64_t machine_number(struct argp_state *state, const char *option, const char *text, uint64_t min, uint64_t max);
#endif
