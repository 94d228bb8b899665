/* SPDX-License-Identifier: Apache-2.0 */
/* The options that choose a machine, the same for every subcommand that needs one: --preset, --config, --set.  They
 * act in the order given, later ones over earlier ones, from the defaults of options.def on. */
#ifndef MEMTWIN_MACHINE_H
#define MEMTWIN_MACHINE_H
#include <argp.h>

#include "system/config/config.h"

/* The options that a user has given one by one, by their place in option_list(): each was meant to change something. */
#define GIVEN 512
struct given {
    bool option[GIVEN];
};

struct machine_choice {
    struct config config;
    struct given given; /* by --set */
};

/* As a child of a parser; its input is a struct machine_choice, which it sets up and, at the end, checks. */
extern const struct argp machine_argp;

/* A variant of the machine, "NAME:KEY=VALUE,...", where the key "preset" names a preset: changes `c`, cuts `text` after
 * the name, and notes the options in `given`. */
bool machine_case(char *text, struct config *c, struct given *given, struct error *err);

/* Of cases that machine_case() has cut. */
bool machine_names_differ(char *const *names, uint32_t count, struct error *err);

/* Warns of each option given that none of the machines reads, every one of them with so many workloads on an SM.
 * `where` begins the warning: "--set", "--case dl". */
void machine_warn(const char *where, const struct given *given, const struct config *const *machines, uint32_t count,
                  uint32_t workloads);

/* A whole number of an option's argument within min..max; leaves with a message if it is none. */
uint64_t machine_number(struct argp_state *state, const char *option, const char *text, uint64_t min, uint64_t max);
#endif
