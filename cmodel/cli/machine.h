/* SPDX-License-Identifier: Apache-2.0 */
/* The options that choose a machine, common to all subcommands: --preset, --config, --set.  They apply in order,
 * later ones override earlier ones; all start from the defaults of options.def. */
#ifndef MEMTWIN_MACHINE_H
#define MEMTWIN_MACHINE_H
#include <argp.h>

#include "lib/gpgpusim_read.h"
#include "system/config/source.h"

/* The options that the user gave one by one, by index in option_list().  One without effect is worth a warning. */
struct given {
    bool option[OPTIONS];
};

struct machine_choice {
    struct config config;
    struct given given;      /* by --set */
    char before[80];         /* the last preset or option given, "--preset sound"; "": none */
    struct sources *sources; /* set by the caller if it wants them, else NULL */
};

/* A child parser for argp.  Its input is a struct machine_choice, all 0 but `sources`, which it fills and finally
 * checks. */
extern const struct argp machine_argp;

/* Applies a configuration of GPGPU-Sim in its place among the other options, and lists its options in `report`, unless
 * it is NULL. */
bool machine_from_gpgpusim(struct machine_choice *m, const char *path, FILE *report, struct error *err);

/* Applies a variant of the machine, "NAME:KEY=VALUE,...", to `c`; the key "preset" names a preset.  Cuts `text`
 * after the name and marks the options in `given`. */
bool machine_case(char *text, struct config *c, struct given *given, struct error *err);

/* Checks that the names of cases already cut by machine_case() differ. */
bool machine_names_differ(char *const *names, uint32_t count, struct error *err);

/* Warns of each given option that no machine reads; each machine has so many workloads per SM.  The warning starts
 * with `where`: "--set", "--case dl". */
void machine_warn(const char *where, const struct given *given, const struct config *const *machines, uint32_t count,
                  uint32_t workloads);

/* Parses an integer argument within min..max; otherwise exits with a message. */
uint64_t machine_number(struct argp_state *state, const char *option, const char *text, uint64_t min, uint64_t max);
#endif
