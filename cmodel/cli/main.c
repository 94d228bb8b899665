/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin: dispatches to the subcommands. */
#include <malloc.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "base/output.h"
#include "base/version.h"
#include "cli/command.h"

extern const struct command *const __start_memtwin_commands[], *const __stop_memtwin_commands[];

static size_t command_count(void)
{
    return (size_t)(__stop_memtwin_commands - __start_memtwin_commands);
}

static const char *command_name(const void *context, size_t i)
{
    (void)context;
    return __start_memtwin_commands[i]->name;
}

int command_error(const struct error *err)
{
    fprintf(stderr, "memtwin: %s\n", err->text);
    return COMMAND_FAILED;
}

void command_usage(const struct argp_state *state, const char *format, ...)
{
    struct error err = {""};
    va_list args;
    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    text_escape(err.text, sizeof err.text);
    argp_error(state, "%s", err.text);
}

static error_t parse_help(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key == ARGP_KEY_INIT) state->child_inputs[0] = state->input;
    if (key == 'h') argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
    return key == ARGP_KEY_INIT || key == 'h' ? 0 : ARGP_ERR_UNKNOWN;
}

/* argp decides whether -h is an option or an argument: a file may have that name. */
void command_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    static const struct argp_option options[] = {{0, 'h', 0, OPTION_HIDDEN, 0, 0}, {0}};
    const struct argp_child children[] = {{argp, 0, 0, 0}, {0}};
    const struct argp with_help = {.options = options, .parser = parse_help, .children = children};
    argp_parse(&with_help, argc, argv, 0, NULL, input);
}

static int by_name(const void *a, const void *b)
{
    const struct command *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static int print_help(void)
{
    size_t n = command_count();
    const struct command **sorted = malloc(n * sizeof *sorted);
    if (!sorted) return COMMAND_FAILED;
    memcpy(sorted, __start_memtwin_commands, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_name);
    printf("memtwin: cycle-level GPU memory systems with bit-accurate hardware blocks\n\n"
           "  memtwin COMMAND [OPTION...]\n\n");
    for (size_t i = 0; i < n; i++) printf("  %-9s %s\n", sorted[i]->name, sorted[i]->summary);
    printf("\n  memtwin COMMAND --help lists its options; memtwin --version prints version and commit.\n");
    free(sorted);
    return 0;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    char program[64];
    snprintf(program, sizeof program, "memtwin %s", command->name);
    argv[0] = program;
    argp_err_exit_status = COMMAND_USAGE;
    return command->run(argc, argv);
}

/* Runs at every exit, argp's --help included: fails if standard output could not be written. */
static void check_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return;
    perror("memtwin: standard output");
    _exit(COMMAND_FAILED);
}

static int print_version(void)
{
    printf("memtwin %s\n", version_text);
    return 0;
}

#ifdef __SANITIZE_ADDRESS__
/* The tests start thousands of commands, and look for leaks in the library, which they link. In the command's own code
 * they look for leaks once, with MEMTWIN_LEAKS in the environment. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return !getenv("MEMTWIN_LEAKS");
}
#endif

/* From this size on a block comes from the system, as zeros, and goes back to it.  glibc would raise the size to that
 * of the first such block that is freed: the next machine would take the memory of the last one, and clear all of it.
 */
enum { OF_THE_SYSTEM = 1 << 20 };

int main(int argc, char **argv)
{
    mallopt(M_MMAP_THRESHOLD, OF_THE_SYSTEM);
    atexit(check_output);
    output_catch_signals();
    if (argc < 2) return print_help(), COMMAND_USAGE;
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "help"))
        return print_help();
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) return print_version();
    for (size_t i = 0; i < command_count(); i++)
        if (!strcmp(argv[1], command_name(NULL, i)))
            return run_command(__start_memtwin_commands[i], argc - 1, argv + 1);
    struct error err = {""};
    char near[NEAREST_TEXT];
    error_set(&err, "unknown command \"%s\"%s (memtwin --help shows all)", argv[1],
              nearest_text(near, argv[1], command_count(), command_name, NULL));
    return command_error(&err), COMMAND_USAGE;
}
