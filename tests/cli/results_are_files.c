/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a run writes: the same bytes on any number of threads, whole or not at all. */
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_line.h"

#define RUN "run vecadd:n=20000 histogram:n=20000 --case mshr: --case dl:preset=dlmshr --set sm.count=4 --quiet "

/* The results of a file without their "host" part, as text; free it. */
static char *without_host(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", scratch(), name);
    json_error_t why;
    json_t *root = json_load_file(path, 0, &why), *result;
    cr_assert_not_null(root, "%s: %s", path, why.text);
    size_t i;
    json_array_foreach(root, i, result) cr_assert_eq(json_object_del(result, "host"), 0);
    char *text = json_dumps(root, JSON_INDENT(1));
    json_decref(root);
    return text;
}

static struct outcome run(const char *options, const char *name)
{
    char line[1024];
    snprintf(line, sizeof line, RUN "%s --json %s/%s", options, scratch(), name);
    return memtwin(line);
}

static int files_in_scratch(void)
{
    char line[512];
    snprintf(line, sizeof line, "exit $(ls -A %s | wc -l)", scratch());
    return WEXITSTATUS(system(line));
}

Test(cli_results, do_not_depend_on_threads)
{
    expect_status(run("--threads 1", "one.json"), 0);
    expect_status(run("--threads 4", "four.json"), 0);
    char *one = without_host("one.json"), *four = without_host("four.json");
    cr_expect_str_eq(one, four);
    free(one);
    free(four);
    expect_status(memtwinf("compare %s/one.json %s/four.json --config", scratch(), scratch()), 0);
    cr_expect_eq(files_in_scratch(), 2, "nothing but the two results");
}

Test(cli_results, compare_finds_a_difference)
{
    char line[1024];
    expect_status(memtwinf("run vecadd:n=20000 --set sm.count=4 --quiet --json %s/a.json", scratch()), 0);
    snprintf(line, sizeof line, "sed 's/\"gpu.kernels\": 1/\"gpu.kernels\": 2/' %s/a.json > %s/b.json", scratch(),
             scratch());
    cr_assert_eq(system(line), 0);
    struct outcome o = memtwinf("compare %s/a.json %s/b.json", scratch(), scratch());
    expect_status(o, 1);
    expect_text(o, "gpu.kernels");
    expect_text(o, "1 differ");
}

Test(cli_results, one_run_is_one_object_with_everything_in_it)
{
    char path[512];
    snprintf(path, sizeof path, "%s/a.json", scratch());
    expect_status(memtwinf("run vecadd:n=20000 --set sm.count=4 --quiet --json %s", path), 0);
    json_t *root = json_load_file(path, 0, NULL);
    cr_assert(json_is_object(root));
    const json_t *counters = json_object_get(root, "counters"), *config = json_object_get(root, "config");
    cr_expect(json_is_string(json_object_get(root, "version")));
    cr_expect_eq(json_integer_value(json_object_get(config, "sm.count")), 4);
    cr_expect_gt(json_integer_value(json_object_get(counters, "gpu.cycles")), 0);
    double instructions = json_number_value(json_object_get(counters, "gpu.warp_instructions"));
    double cycles = json_number_value(json_object_get(counters, "gpu.cycles"));
    cr_expect_float_eq(json_number_value(json_object_get(counters, "gpu.ipc")), instructions / cycles, 1e-9);
    cr_expect(json_is_true(json_object_get(json_object_get(root, "workload"), "verified")));
    json_decref(root);
}

Test(cli_results, nothing_is_half_written)
{
    struct outcome o = memtwin(RUN "--json /nonexistent/folder/a.json");
    expect_status(o, 1);
    expect_text(o, "/nonexistent/folder/a.json: cannot write: No such file or directory");
    expect_status(run("--set sim.max_cycles=10", "a.json"), 1);
    cr_expect_eq(files_in_scratch(), 0, "a run that failed leaves no file");
}

Test(cli_results, a_result_that_was_there_survives_a_failed_run)
{
    char line[512];
    snprintf(line, sizeof line, "echo old > %s/a.json", scratch());
    cr_assert_eq(system(line), 0);
    expect_status(run("--set sim.max_cycles=10", "a.json"), 1);
    snprintf(line, sizeof line, "grep -q old %s/a.json", scratch());
    cr_expect_eq(system(line), 0);
}

Test(cli_results, a_full_disk_is_an_error)
{
    expect_status(memtwin("list options > /dev/full"), 1);
}
