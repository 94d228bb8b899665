/* SPDX-License-Identifier: Apache-2.0 */
/* --energy: in the table, in JSON and CSV, of a run and its parts; with files of the user. */
#include <jansson.h>

#include "command_line.h"

#define RUN "run vecadd:n=4096 -s sm.count=2 -q "

static json_int_t number(const json_t *counters, const char *name)
{
    const json_t *value = json_object_get(counters, name);
    cr_assert(json_is_integer(value), "no counter %s", name);
    return json_integer_value(value);
}

static json_int_t parts_of(const json_t *counters)
{
    const char *name;
    json_t *value;
    json_int_t sum = 0;
    json_object_foreach((json_t *)counters, name, value)
    {
        if (!strncmp(name, "energy.", 7) && strcmp(name, "energy.total")) sum += json_integer_value(value);
    }
    return sum;
}

static json_t *result(const char *options)
{
    struct outcome o = memtwinf(RUN "%s --json -", options);
    expect_status(o, 0);
    json_t *r = json_loads(o.text, 0, NULL);
    cr_assert_not_null(r, "%s", o.text);
    return r;
}

Test(cli_energy, parts_sum_to_the_total_in_a_run_and_its_intervals)
{
    size_t i;
    json_t *interval, *r = result("--energy --interval 500"), *counters = json_object_get(r, "counters");
    json_int_t sum = 0;
    cr_expect_eq(parts_of(counters), number(counters, "energy.total"));
    json_array_foreach(json_object_get(r, "intervals"), i, interval)
    {
        const json_t *c = json_object_get(interval, "counters");
        cr_expect_eq(parts_of(c), number(c, "energy.total"));
        sum += number(c, "energy.total");
    }
    cr_expect_gt(i, 1);
    cr_expect_eq(sum, number(counters, "energy.total"));
    json_decref(r);
}

Test(cli_energy, events_and_blocks_sum_to_the_total)
{
    size_t i;
    json_t *row, *r = result("--energy"), *energy = json_object_get(r, "energy");
    json_int_t sum = 0;
    json_array_foreach(json_object_get(energy, "events"), i, row)
    {
        cr_expect_eq(number(row, "femtojoules"), number(row, "count") * number(row, "femtojoules_each"));
        cr_expect_gt(strlen(json_string_value(json_object_get(row, "source"))), 0);
        sum += number(row, "femtojoules");
    }
    json_array_foreach(json_object_get(energy, "blocks"), i, row)
    {
        sum += number(row, "femtojoules") + number(row, "femtojoules_clock");
    }
    cr_expect_eq(sum, number(json_object_get(r, "counters"), "energy.total"));
    json_decref(r);
}

Test(cli_energy, a_run_without_the_option_has_none_of_it)
{
    json_t *r = result("");
    cr_expect_null(json_object_get(r, "energy"));
    cr_expect_null(json_object_get(json_object_get(r, "counters"), "energy.total"));
    json_decref(r);
}

Test(cli_energy, the_table_and_csv_have_it)
{
    struct outcome o = memtwin("run vecadd:n=4096 --energy --case a: --case big:l1d.mshr.entries=77");
    expect_status(o, 0);
    expect_text(o, "\nEnergy, uJ\n  sm ");
    expect_text(o, "\n  clock ");
    expect_text(o, "\n  total ");
    expect_text(o, "without area and energy: big: 28 x mshr Entries=77 Slots=8 ");
    expect_text(memtwin(RUN "--energy --csv -"), ",energy.total,");
    expect_text(memtwin("cke vecadd:n=4096 transpose:width=64,height=64 -s cke.cycles=4000 --energy"),
                "\nEnergy, uJ\n");
}

Test(cli_energy, energies_are_listed_with_their_sources)
{
    struct outcome o = memtwin("list energies");
    expect_status(o, 0);
    expect_text(o, "\nsm           gpu.warp_instructions                                62.222  Horowitz14: ");
}

static void write_file(char path[static 256], const char *text)
{
    snprintf(path, 256, "%s/my.ini", scratch());
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

Test(cli_energy, a_file_of_the_user_counts_and_is_checked)
{
    char path[256], options[512];
    write_file(path, "source = mine\n[sm]\ngpu.thread_instructions = 0\ngpu.warp_instructions = 0\n");
    snprintf(options, sizeof options, "--energy=%s", path);
    json_t *r = result(options);
    cr_expect_eq(number(json_object_get(r, "counters"), "energy.sm"), 0);
    json_decref(r);
    write_file(path, "[sm]\ngpu.barriers = 3\n");
    struct outcome o = memtwinf(RUN "--energy=%s", path);
    expect_status(o, 2);
    expect_text(o, "/my.ini:2: gpu.barriers: found no source, expected \"source = TEXT\" above it");
    write_file(path, "source = x\n[total]\nl2.hits = 3\n");
    expect_text(memtwinf(RUN "--energy=%s", path), "/my.ini: found part [total], expected another name");
    write_file(path, "source = x\n[clock]\nl2.hits = 3\n");
    expect_text(memtwinf(RUN "--energy=%s", path), "/my.ini: found part [clock], expected another name");
    expect_end("run vecadd --energy=none.ini", 2, "none.ini: ");
    expect_end("run vecadd --energy --blocks", 2, "--blocks: runs nothing; found --energy, too");
}
