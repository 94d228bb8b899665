/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of each kernel and of each interval, as JSON and as comma-separated values. */
#include <jansson.h>
#include <unistd.h>

#include "command_line.h"

static json_t *load(const char *name)
{
    char path[512];
    json_error_t why;
    snprintf(path, sizeof path, "%s/%s", scratch(), name);
    json_t *root = json_load_file(path, 0, &why);
    cr_assert_not_null(root, "%s: %s", path, why.text);
    return root;
}

/* A peak and a maximum are not sums. */
static bool adds_up(const char *name)
{
    return !strstr(name, "peak") && !strstr(name, ".block.") && !strstr(name, "beside") &&
           strncmp(name, "uvm.", 4) != 0;
}

/* The parts follow each other from cycle 0 to the end, and their counters add up to those of the run. */
static void check_parts(const json_t *root, const char *parts, size_t count)
{
    const json_t *list = json_object_get(root, parts), *whole = json_object_get(root, "counters");
    cr_assert_eq(json_array_size(list), count, "%zu %s", json_array_size(list), parts);
    json_int_t at = 0;
    size_t i;
    json_t *part, *value;
    json_array_foreach(list, i, part)
    {
        cr_expect_eq(json_integer_value(json_object_get(part, "from")), at);
        at = json_integer_value(json_object_get(part, "to"));
    }
    cr_expect_eq(at, json_integer_value(json_object_get(whole, "gpu.cycles")));
    const char *name;
    json_object_foreach((json_t *)whole, name, value)
    {
        json_int_t sum = 0;
        if (!json_is_integer(value) || !adds_up(name)) continue;
        json_array_foreach(list, i, part) sum +=
            json_integer_value(json_object_get(json_object_get(part, "counters"), name));
        cr_expect_eq(sum, json_integer_value(value), "%s: %s add up to %lld, the run has %lld", name, parts, sum,
                     json_integer_value(value));
    }
}

static json_int_t counter(const json_t *part, const char *name)
{
    return json_integer_value(json_object_get(json_object_get(part, "counters"), name));
}

Test(parts_of_a_run, add_up_to_it)
{
    expect_status(
        memtwinf("run atax:rows=128 --set sm.count=2 -q --kernels --interval 10000 --json %s/a.json", scratch()), 0);
    json_t *root = load("a.json");
    check_parts(root, "kernels", 2);
    check_parts(root, "intervals", (size_t)(counter(root, "gpu.cycles") + 9999) / 10000);
    const json_t *first = json_array_get(json_object_get(root, "kernels"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(first, "kernel")), "atax_kernel1");
    cr_expect_eq(counter(first, "gpu.kernels"), 1);
    cr_expect_gt(counter(first, "gpu.warp_instructions"), 0);
    json_decref(root);
}

Test(parts_of_a_run, with_unified_memory_add_up_to_it)
{
    expect_status(
        memtwinf("run backprop:inputs=1024 --preset uvm-002-t4.1 --set sm.count=2 -q --kernels --interval 30000 "
                 "--json %s/a.json",
                 scratch()),
        0);
    json_t *root = load("a.json");
    check_parts(root, "kernels", json_array_size(json_object_get(root, "kernels")));
    check_parts(root, "intervals", json_array_size(json_object_get(root, "intervals")));
    json_decref(root);
}

Test(parts_of_a_run, do_not_change_it)
{
    const char *const run = "run histogram:n=20000 --set sm.count=2 -q --json %s/%s.json %s";
    char line[512];
    snprintf(line, sizeof line, run, scratch(), "a", "");
    expect_status(memtwin(line), 0);
    snprintf(line, sizeof line, run, scratch(), "b", "--kernels --interval 97");
    expect_status(memtwin(line), 0);
    expect_status(memtwinf("compare %s/a.json %s/b.json", scratch(), scratch()), 0);
}

Test(parts_of_a_run, of_concurrent_workloads_have_the_counters_of_each)
{
    expect_status(
        memtwinf("cke vecadd:n=20000 histogram:n=20000 --set sm.count=2 --set cke.cycles=9000 -q --interval 2000 "
                 "--json %s/a.json",
                 scratch()),
        0);
    json_t *root = load("a.json");
    check_parts(root, "intervals", 5);
    const json_t *last = json_array_get(json_object_get(root, "intervals"), 4);
    cr_expect_eq(counter(last, "gpu.cycles"), 1000);
    cr_expect_eq(counter(last, "cke.k0.warp_instructions") + counter(last, "cke.k1.warp_instructions"),
                 counter(last, "gpu.warp_instructions"));
    json_decref(root);
}

Test(parts_of_a_run, of_concurrent_workloads_as_comma_separated_values)
{
    struct outcome o =
        memtwinf("cke vecadd:n=20000 histogram:n=20000 --set sm.count=2 --set cke.cycles=900 -q "
                 "--interval 450 --csv %s/a.csv && grep -c ,cke %s/a.csv && grep ',interval,,2,' %s/a.csv | grep "
                 "cke.k1.warp_instructions",
                 scratch(), scratch(), scratch());
    expect_status(o, 0);
    expect_text(o, ",interval,,2,450,900,cke.k1.warp_instructions,");
}

Test(parts_of_a_run, as_comma_separated_values)
{
    struct outcome o = memtwin("run vecadd:n=512 --set sm.count=2 -q --case 'a,b\"c:' --csv -");
    expect_status(o, 0);
    expect_text(o, "\"vecadd:n=512,block=256\",\"a,b\"\"c\",1,run,,1,0,");
    o = memtwin("run vecadd:n=512 --set sm.count=2 -q --case two:l1d.ways=2 --csv - --kernels");
    expect_status(o, 0);
    expect_text(o, "workload,case,seed,scope,kernel,number,from,to,counter,value\n");
    expect_text(o, "\"vecadd:n=512,block=256\",two,1,run,,1,0,");
    expect_text(o, ",gpu.kernels,1\n");
    expect_text(o, "\"vecadd:n=512,block=256\",two,1,kernel,vecadd,1,0,");
    const char *ipc = strstr(o.text, "gpu.ipc,0.");
    cr_expect_not_null(ipc, "a ratio");
}

Test(parts_of_a_run, verbs_of_trace_print_them_too)
{
    expect_end("trace shape vecadd:n=512 --csv", 0,
               "key,value\nworkload,\"vecadd:n=512,block=256\"\nkernel,vecadd\nblocks,2\n");
    expect_end("trace info vecadd:n=512 --csv", 0, "kernel_list.0.name,vecadd\n");
    expect_end("trace locality vecadd:n=512 --csv", 0, "classes.cold.reads,32\n");
    expect_end("trace ranges vecadd:n=512 --csv", 0, "kernels.0.arrays.0.blocks,2\n");
    expect_end("trace pages vecadd:n=512 --csv", 0, "allocations.0.pages,1\n");
    expect_end("trace info vecadd:n=512 --csv --json", 2, "--csv: found --json, too, expected one of them");
}

Test(parts_of_a_run, what_cannot_be_written_is_said_before_the_run)
{
    expect_end("run vecadd:n=512 --kernels", 2, "--kernels: found no file for the counters, expected --json or --csv");
    expect_end("cke vecadd:n=512 bfs --interval 9", 2, "--interval: found no file for the counters");
    expect_end("run vecadd:n=512 --json - --interval 0", 2, "--interval: found \"0\", allowed: 1..4294967295");
    expect_end("run vecadd:n=512 --csv x --json x", 1, "--csv: found \"x\", which is also the file of --json");
    expect_end("run vecadd:n=512 --csv - --json -", 1, "--csv: found \"-\"");
    expect_end("run vecadd:n=512 --csv /nowhere/x.csv", 1, "/nowhere");
    expect_end("run vecadd:n=512 -q --csv /dev/full", 1, "/dev/full: cannot write: No space left on device");
}

Test(parts_of_a_run, more_intervals_than_can_be_kept_are_an_error)
{
    struct outcome o = memtwinf(
        "run vecadd:n=200000 --set sm.count=1 --set partition.count=1 -q --interval 1 --csv %s/a.csv", scratch());
    expect_status(o, 1);
    expect_text(o, "--interval: found more than 100000 of them in ");
    char path[512];
    snprintf(path, sizeof path, "%s/a.csv", scratch());
    cr_expect_neq(access(path, F_OK), 0, "nothing is written");
}
