/* SPDX-License-Identifier: Apache-2.0 */
/* Machines made from options, whole runs, and counters, through the library. */
#include "lib/memtwin.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "values.h"

static struct memtwin *make(const char *const *options, size_t count)
{
    struct memtwin_error err = {""};
    struct memtwin *m = memtwin_create(options, count, &err);
    cr_assert_not_null(m, "%s", err.text);
    return m;
}

static void expect_no_machine(const char *option, const char *part)
{
    struct memtwin_error err = {""};
    cr_expect_null(memtwin_create(&option, 1, &err));
    cr_expect(strstr(err.text, part), "found \"%s\", expected \"%s\"", err.text, part);
    cr_expect_null(memtwin_create(&option, 1, NULL));
}

Test(library, a_wrong_option_is_refused_with_what_is_allowed)
{
    expect_no_machine("preset=dlmhsr", "the nearest is dlmshr");
    expect_no_machine("config=tests/none.ini", "tests/none.ini");
    expect_no_machine("l1d.way=4", "the nearest is l1d.ways");
    expect_no_machine("l1d.ways=many", "many");
    expect_no_machine("enter=l2", "enter: found \"l2\", allowed: l1d or memory");
    expect_no_machine("queue=0", "queue: found \"0\", allowed: 1..65536");
    expect_no_machine("queue=8x", "queue: found \"8x\"");
    expect_no_machine("l1d.sets=3", "l1d.sets");
    expect_no_machine("l1d.dl_mshr.sets=8", "l1d.dl_mshr.sets has no effect here: it needs l1d.mshr.kind=dl_mshr");
    expect_no_machine(NULL, "found a NULL");
}

/* Writes gpgpusim.config in a folder of its own; its path as an option. */
static const char *gpgpusim_config(char option[64], const char *text)
{
    char folder[] = "/tmp/memtwin-library-XXXXXX";
    cr_assert_not_null(mkdtemp(folder));
    snprintf(option, 64, "config=%s/gpgpusim.config", folder);
    FILE *to = fopen(option + strlen("config="), "w");
    cr_assert_not_null(to);
    fputs(text, to);
    fclose(to);
    return option;
}

static void remove_config(const char *option)
{
    char *path = strdup(option + strlen("config="));
    unlink(path);
    *strrchr(path, '/') = 0;
    rmdir(path);
    free(path);
}

Test(library, a_gpgpusim_config_is_a_machine)
{
    char option[64], value[MEMTWIN_VALUE_TEXT];
    struct memtwin_error err = {""};
    struct memtwin *m = make(
        (const char *[]){gpgpusim_config(option, "-gpgpu_n_clusters 5\n-gpgpu_n_cores_per_cluster 2\n"), "sm.blocks=7"},
        2);
    cr_expect(memtwin_option_value(m, "sm.count", value, &err));
    cr_expect_str_eq(value, "10");
    cr_expect(memtwin_option_value(m, "sm.blocks", value, &err));
    cr_expect_str_eq(value, "7");
    memtwin_destroy(m);
    remove_config(option);
    expect_no_machine(gpgpusim_config(option, "-gpgpu_n_clusters five\n"),
                      "gpgpusim.config:1: -gpgpu_n_clusters: found \"five\"");
    remove_config(option);
}

Test(library, rtl_needs_its_folder_and_a_block_at_work)
{
    expect_no_machine("rtl=mshr", "rtl: found rtl alone, expected rtl=BLOCK,... and rtl_folder=FOLDER");
    expect_no_machine("rtl_folder=build/rtl", "rtl: found rtl_folder alone");
    expect_no_machine("rtl=mshr=build,dl_mshr", "dl_mshr is not used in this machine");
    struct memtwin_error err = {""};
    cr_expect_null(memtwin_create((const char *[]){"rtl_folder=none", "rtl=mshr,mhsr"}, 2, &err));
    cr_expect_str_eq(err.text, "rtl: found \"mhsr\", expected a block");
    cr_expect_null(memtwin_create((const char *[]){"rtl_folder=none", "rtl=dl_mshr"}, 2, &err));
    cr_expect(strstr(err.text, "rtl: dl_mshr is not used in this machine, expected l1d.mshr.kind=dl_mshr"), "%s",
              err.text);
}

/* Run or stepped: the twin does not take the place of RTL that is not there. */
Test(library, rtl_that_is_not_built_is_an_error)
{
    const char *const options[] = {"rtl_folder=none", "rtl=mshr"};
    const struct memtwin_access a = {.bytes = 4};
    struct memtwin_error err = {""};
    struct memtwin *m = make(options, 2);
    cr_expect_not(memtwin_run(m, "vecadd:n=1024", 1, &err));
    cr_expect(strstr(err.text, "found no RTL with these parameters in none/mshr"), "%s", err.text);
    memtwin_destroy(m);
    m = make(options, 2);
    cr_expect_eq(memtwin_offer(m, &a, &err), MEMTWIN_FAILED);
    cr_expect(strstr(err.text, "found no RTL with these parameters in none/mshr"), "%s", err.text);
    memtwin_destroy(m);
}

Test(library, options_apply_in_order_and_can_be_read)
{
    const char *const options[] = {"l1d.ways=2", "preset=dlmshr-002-t3.2", "preset=dlmshr", "l1d.ways=8"};
    struct memtwin *m = make(options, 4);
    char text[MEMTWIN_VALUE_TEXT];
    struct memtwin_error err = {""};
    cr_expect(memtwin_option_value(m, "l1d.ways", text, &err));
    cr_expect_str_eq(text, "8");
    cr_expect(memtwin_option_value(m, "l1d.mshr.kind", text, &err));
    cr_expect_str_eq(text, "dl_mshr");
    cr_expect_not(memtwin_option_value(m, "l1d.way", text, &err));
    cr_expect(strstr(err.text, "the nearest is l1d.ways"), "%s", err.text);
    memtwin_destroy(m);
    memtwin_destroy(NULL);
}

static bool has(const char *(*name)(size_t), const char *wanted)
{
    bool found = false;
    for (size_t i = 0; name(i); i++) found |= !strcmp(name(i), wanted);
    return found && !name(SIZE_MAX / 2);
}

Test(library, names_can_be_listed)
{
    cr_expect(has(memtwin_preset, "dlmshr-002-t3.2"));
    cr_expect(has(memtwin_option, "l1d.mshr.kind"));
    cr_expect(has(memtwin_counter_name, "dram.row_hits"));
    cr_expect(!strncmp(memtwin_version(), "0.", 2) || memtwin_version()[0] > '0');
}

static void run(struct memtwin *m, const char *workload)
{
    struct memtwin_error err = {""};
    cr_assert(memtwin_run(m, workload, 1, &err), "%s", err.text);
}

static void *run_and_count(void *machine)
{
    struct memtwin_value *values = calloc(memtwin_counter_count(), sizeof *values);
    run(machine, "vecadd:n=4096");
    run(machine, "traces/small/corners.mttx");
    run(machine, "vecadd:n=2048");
    cr_assert(memtwin_counters(machine, values, NULL));
    return values;
}

/* Also the second run of a machine begins with counters of 0. */
Test(library, machines_in_threads_do_not_meet)
{
    enum { MACHINES = 3 };
    pthread_t id[MACHINES];
    struct memtwin *m[MACHINES];
    struct memtwin_value *values[MACHINES];
    for (int i = 0; i < MACHINES; i++) {
        m[i] = make(NULL, 0);
        cr_assert_eq(pthread_create(&id[i], NULL, run_and_count, m[i]), 0);
    }
    struct memtwin *alone = make(NULL, 0);
    struct memtwin_value instructions;
    run(alone, "vecadd:n=2048");
    cr_assert(memtwin_counter(alone, "gpu.warp_instructions", &instructions, NULL));
    cr_expect_gt(instructions.whole, 0);
    for (int i = 0; i < MACHINES; i++) pthread_join(id[i], (void **)&values[i]);
    for (size_t k = 0; k < memtwin_counter_count(); k++) {
        struct memtwin_value v;
        cr_assert(memtwin_counter(alone, memtwin_counter_name(k), &v, NULL));
        for (int i = 0; i < MACHINES; i++) cr_expect(same(values[i][k], v), "%s", memtwin_counter_name(k));
    }
    for (int i = 0; i < MACHINES; i++) {
        memtwin_destroy(m[i]);
        free(values[i]);
    }
    memtwin_destroy(alone);
}

Test(library, a_run_that_fails_says_why)
{
    struct memtwin *m = make(NULL, 0);
    struct memtwin_error err = {""};
    struct memtwin_value v;
    cr_expect_not(memtwin_run(m, "vecad", 1, &err));
    cr_expect(strstr(err.text, "vecadd"), "%s", err.text);
    cr_expect_not(memtwin_run(m, "README.md", 1, &err));
    cr_expect(strstr(err.text, "README.md"), "%s", err.text);
    cr_expect_not(memtwin_counter(m, "l1d.hit", &v, &err));
    cr_expect(strstr(err.text, "the nearest is l1d.hits"), "%s", err.text);
    run(m, "vecadd:n=1024");
    memtwin_destroy(m);
}

Test(library, a_machine_runs_or_is_stepped)
{
    struct memtwin *ran = make(NULL, 0), *stepped = make(NULL, 0);
    struct memtwin_error err = {""};
    run(ran, "vecadd:n=1024");
    cr_expect_not(memtwin_step(ran, 1, &err));
    cr_expect(strstr(err.text, "expected another machine"), "%s", err.text);
    cr_expect(memtwin_step(stepped, 10, &err));
    cr_expect_eq(memtwin_cycle(stepped), 10);
    cr_expect_not(memtwin_run(stepped, "vecadd", 1, &err));
    cr_expect(strstr(err.text, "expected another machine"), "%s", err.text);
    memtwin_destroy(ran);
    memtwin_destroy(stepped);
}

/* As in a run of the program: access ranges are collected for a policy that reads them. */
Test(library, a_policy_that_reads_ranges_gets_them)
{
    const char *const options[] = {"sm.dispatch=overlap"};
    struct memtwin *m = make(options, 1);
    run(m, "2dconv:rows=64,columns=64");
    memtwin_destroy(m);
}

Test(library, a_ratio_is_a_ratio_and_a_count_a_count)
{
    struct memtwin *m = make(NULL, 0);
    struct memtwin_value v;
    run(m, "vecadd:n=1024");
    for (size_t i = 0; i < memtwin_counter_count(); i++) {
        cr_assert(memtwin_counter(m, memtwin_counter_name(i), &v, NULL));
        cr_expect(memtwin_counter_is_ratio(i) ? v.whole == 0 : v.ratio == 0);
        cr_expect_gt(strlen(memtwin_counter_text(i)), 0);
    }
    cr_expect_null(memtwin_counter_name(memtwin_counter_count()));
    memtwin_destroy(m);
}
