/* memtwin: finds the subcommand and runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
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
    printf("memtwin: GPU memory systems whose mechanisms are hardware, cycle by cycle\n\n"
           "  memtwin COMMAND [OPTION...]\n\n");
    for (size_t i = 0; i < n; i++) printf("  %-9s %s\n", sorted[i]->name, sorted[i]->summary);
    printf("\n  memtwin COMMAND --help says what its options are; memtwin --version, what this is.\n");
    free(sorted);
    return 0;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    char program[64];
    snprintf(program, sizeof program, "memtwin %s", command->name);
    argv[0] = program;
    argp_err_exit_status = COMMAND_USAGE;
    int status = command->run(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    perror("memtwin: standard output");
    return COMMAND_FAILED;
}

int main(int argc, char **argv)
{
    if (argc < 2) return print_help(), COMMAND_USAGE;
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "help"))
        return print_help();
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) return printf("memtwin %s\n", memtwin_version) < 0;
    for (size_t i = 0; i < command_count(); i++)
        if (!strcmp(argv[1], command_name(NULL, i)))
            return run_command(__start_memtwin_commands[i], argc - 1, argv + 1);
    fprintf(stderr, "memtwin: unknown command \"%s\"; the nearest is %s (memtwin --help shows all)\n", argv[1],
            command_name(NULL, nearest_index(argv[1], command_count(), command_name, NULL)));
    return COMMAND_USAGE;
}
