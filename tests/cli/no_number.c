/* SPDX-License-Identifier: Apache-2.0 */
/* A ratio whose denominator is 0 is no number: "-" in tables, null in JSON, empty in comma-separated values. */
#include <jansson.h>
#include <math.h>

#include "command_line.h"
#include "system/stats/counters.h"

/* A workload without an access, and one with two loads. */
static void write_traces(void)
{
    static const char *const text[2] = {"memtwin-trace 1\nname none\nalloc 0x10000000 4096 a\nkernel grid=1 regs=8 "
                                        "shared=0 block=32,1,1 name=k\nblock 0\n"
                                        "warp 0\nsp dst=r1\nexit\n",
                                        "memtwin-trace 1\nname some\nalloc 0x10000000 4096 a\nkernel grid=1 regs=8 "
                                        "shared=0 block=32,1,1 name=k\nblock 0\n"
                                        "warp 0\nload.4 dst=r1 at=0x10000000+4\nload.4 dst=r2 at=0x10000100+4\nexit\n"};
    for (int i = 0; i < 2; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s.mttx", scratch(), i ? "some" : "none");
        FILE *f = fopen(path, "w");
        cr_assert_not_null(f);
        fputs(text[i], f);
        fclose(f);
    }
}

static struct outcome on_none(const char *before, const char *after)
{
    write_traces();
    struct outcome o = memtwinf("%s %s/none.mttx %s", before, scratch(), after);
    expect_status(o, 0);
    return o;
}

static void expect_row(const struct outcome *o, const char *label, const char *value)
{
    const char *row = strstr(o->text, label);
    cr_assert_not_null(row, "no \"%s\" in:\n%s", label, o->text);
    const size_t n = strcspn(row, "\n"), m = strlen(value);
    cr_expect(n > m && !strncmp(row + n - m, value, m), "%s: found \"%.*s\", expected it to end in \"%s\"", label,
              (int)n, row, value);
}

/* Nothing has happened yet: no ratio has a value. */
Test(cli_no_number, no_ratio_has_a_value_without_its_denominator)
{
    static const struct stats s;
    struct config c;
    uint32_t count;
    const struct counter *list = counter_list(&count);
    struct counter_value *values = calloc(count, sizeof *values);
    config_default(&c);
    counter_values(&s, &c, values);
    for (uint32_t i = 0; i < count; i++)
        if (list[i].is_ratio) cr_expect(isnan(values[i].ratio), "%s: %f", list[i].name, values[i].ratio);
    free(values);
}

Test(cli_no_number, tables_print_a_dash)
{
    struct outcome o = on_none("run", "");
    expect_row(&o, "hit rate", " -");
    expect_row(&o, "memory latency, mean", " -");
    expect_row(&o, "row-buffer hits", " -");
    o = on_none("trace pages", "");
    expect_row(&o, "total", "0            -            -         -          -          -");
    o = on_none("trace locality", "");
    expect_row(&o, "total", " -");
    cr_expect_null(strstr(o.text, "0.00"), "%s", o.text);
}

static json_t *json_of(const char *command, const char *after)
{
    json_error_t why;
    struct outcome o = on_none(command, after);
    json_t *root = json_loads(o.text, 0, &why);
    cr_assert_not_null(root, "%s: %s", why.text, o.text);
    return root;
}

Test(cli_no_number, json_holds_null)
{
    json_t *run = json_of("run --quiet", "--json - 2>/dev/null"), *counters = json_object_get(run, "counters");
    cr_expect(json_is_null(json_object_get(counters, "l1d.hit_rate")));
    cr_expect(json_is_null(json_object_get(counters, "mem.latency_avg")));
    cr_expect(json_is_real(json_object_get(counters, "gpu.ipc")));
    json_decref(run);
    json_t *pages = json_of("trace pages", "--json");
    cr_expect(json_is_null(json_object_get(json_object_get(pages, "total"), "mean")));
    cr_expect(json_is_null(json_object_get(json_object_get(pages, "total"), "min")));
    json_decref(pages);
    json_t *locality = json_of("trace locality", "--json"), *classes = json_object_get(locality, "classes");
    const char *name;
    json_t *class;
    json_object_foreach(classes, name, class) cr_expect(json_is_null(json_object_get(class, "share")), "%s", name);
    json_decref(locality);
}

Test(cli_no_number, comma_separated_values_are_empty)
{
    struct outcome o = on_none("run --quiet", "--csv - 2>/dev/null");
    expect_text(o, ",l1d.hit_rate,\n");
    expect_text(o, ",l1d.hits,0\n");
    o = on_none("trace pages", "--csv");
    expect_text(o, "total.mean,\n");
    expect_text(o, "total.touched,0\n");
}

Test(cli_no_number, numbers_of_concurrent_workloads_are_alike)
{
    write_traces();
    struct outcome o = memtwinf("cke %s/none.mttx %s/some.mttx --until-end", scratch(), scratch());
    expect_status(o, 0);
    expect_row(&o, "requests, kernel 1 / kernel 0", " -");
    expect_row(&o, "L1D hit rate alone", " -");
    expect_row(&o, "compute per memory instruction", " -");
    cr_expect_not_null(strstr(o.text, "kernel 1"));
    const char *second = strstr(o.text, "kernel 1: ");
    struct outcome rest = {0};
    snprintf(rest.text, sizeof rest.text, "%s", second);
    expect_row(&rest, "L1D hit rate ", " 0.000");
    /* Without shared memory there is no share of it. */
    o = memtwinf("cke --curves %s/some.mttx %s/none.mttx --until-end -s sm.shared_bytes=0", scratch(), scratch());
    expect_status(o, 0);
    expect_text(o, "         -  ");
    o = memtwinf("cke --curves %s/some.mttx %s/none.mttx --until-end -s sm.shared_bytes=0 --quiet --json - 2>/dev/null",
                 scratch(), scratch());
    expect_text(o, "\"shared_percent\": null");
}
