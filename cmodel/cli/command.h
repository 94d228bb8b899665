/* SPDX-License-Identifier: Apache-2.0 */
/* The subcommands of `memtwin`.  Each lives in its own file and registers itself with one line:
 *
 *     COMMAND(trace, "record, import, inspect and dump workloads", trace_main)
 *
 * The function gets the arguments after "memtwin", argv[0] being "memtwin trace" (what argp shows as the program), and
 * returns the exit status: 0, COMMAND_FAILED, or COMMAND_USAGE (argp leaves with that by itself). */
#ifndef MEMTWIN_COMMAND_H
#define MEMTWIN_COMMAND_H
#include <argp.h>
#include <stddef.h>

#include "base/error.h"

#define COMMAND_FAILED 1 /* failure, or a comparison found a difference */
#define COMMAND_USAGE 2  /* invalid command line */

struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
};

#define COMMAND(name, summary, function)                                                                               \
    static const struct command command_##name = {#name, summary, function};                                           \
    static const struct command *const command_registered_##name __attribute__((used, section("memtwin_commands"))) =  \
        &command_##name;

/* Prints "memtwin: TEXT" to standard error; returns COMMAND_FAILED. */
int command_error(const struct error *err);

/* argp_parse(), with -h for the help. */
void command_parse(const struct argp *argp, int argc, char **argv, void *input);

/* argp_error() with the message escaped. */
void command_usage(const struct argp_state *state, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
