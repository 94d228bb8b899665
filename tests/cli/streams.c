/* SPDX-License-Identifier: Apache-2.0 */
/* Traces with kernels of several streams: the kernels that run at once, and the counters of each kernel. */
#include <inttypes.h>
#include <jansson.h>
#include <sys/stat.h>

#include "trace_kernel.h"

/* The folder of a bundle of these steps. */
static const char *bundle(const char *name, const struct step *steps, int count)
{
    static char folder[512];
    char path[600];
    snprintf(folder, sizeof folder, "%s/%s", scratch(), name);
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/kernelslist.g", folder);
    FILE *list = fopen(path, "w");
    cr_assert_not_null(list, "%s", path);
    fputs("MemcpyHtoD,0x0000000010000000,268435456\n", list);
    for (int i = 0; i < count; i++) {
        const bool copy = !strcmp(steps[i].stream, "-");
        if (copy)
            fputs("MemcpyHtoD,0x0000000010000000,64\n", list);
        else
            fprintf(list, "kernel-%d.traceg\n", i);
        if (!copy) write_kernel(folder, i, &steps[i]);
    }
    fclose(list);
    return folder;
}

static json_t *run(const char *folder, const char *options)
{
    json_error_t why;
    char path[600];
    snprintf(path, sizeof path, "%s/out.json", scratch());
    struct outcome o = memtwinf("run %s -q --set sm.count=4 --kernels --json %s %s", folder, path, options);
    expect_status(o, 0);
    json_t *root = json_load_file(path, 0, &why);
    cr_assert_not_null(root, "%s", why.text);
    return root;
}

static json_int_t number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    cr_assert(json_is_integer(value), "no number %s", key);
    return json_integer_value(value);
}

static json_int_t counter(const json_t *object, const char *key)
{
    return number(json_object_get(object, "counters"), key);
}

/* The kernel k<number> of a run. */
static const json_t *kernel(const json_t *root, int n)
{
    size_t i;
    json_t *k;
    char name[16];
    snprintf(name, sizeof name, "k%d", n);
    json_array_foreach(json_object_get(root, "kernels"), i,
                       k) if (!strcmp(json_string_value(json_object_get(k, "kernel")), name)) return k;
    cr_assert_fail("no kernel %s", name);
    return NULL;
}

static json_int_t begin(const json_t *root, int n)
{
    return number(kernel(root, n), "from");
}

static json_int_t end(const json_t *root, int n)
{
    return number(kernel(root, n), "to");
}

/* Counters of the parts, kernels or streams, add up to those of the run. */
static void expect_sums(const json_t *root, const char *parts)
{
    const char *name;
    json_t *value, *part, *first = json_array_get(json_object_get(root, parts), 0);
    cr_assert_not_null(first, "no %s", parts);
    json_object_foreach(json_object_get(first, "counters"), name, value)
    {
        json_int_t sum = 0;
        size_t i;
        if (!strcmp(name, "gpu.cycles")) continue; /* they overlap */
        json_array_foreach(json_object_get(root, parts), i, part) sum += counter(part, name);
        cr_expect_eq(sum, counter(root, name), "%s of all %s: %lld, of the run: %lld", name, parts, sum,
                     counter(root, name));
    }
}

Test(streams, two_overlap_and_their_counters_add_up)
{
    const struct step steps[] = {{"5", 2, 40}, {"77", 1, 60}};
    const char *folder = bundle("two", steps, 2);
    json_t *both = run(folder, ""), *serial = run(folder, "--set cke.kernels=1");
    cr_expect_eq(begin(both, 0), 0);
    cr_expect_eq(begin(both, 1), 0);
    cr_expect_eq(begin(serial, 1), end(serial, 0));
    cr_expect_gt(counter(serial, "gpu.cycles"), counter(both, "gpu.cycles") * 3 / 2);
    cr_expect_eq(counter(kernel(both, 0), "gpu.memory_instructions"), 80);
    cr_expect_eq(counter(kernel(both, 1), "l1d.misses"), 60);
    cr_expect_eq(number(kernel(both, 1), "stream"), 77);
    cr_expect_eq(json_array_size(json_object_get(both, "streams")), 2);
    cr_expect_null(json_object_get(serial, "streams"));
    expect_sums(both, "kernels");
    expect_sums(both, "streams");
    json_decref(both);
    json_decref(serial);
}

Test(streams, are_told)
{
    const struct step steps[] = {{"5", 2, 4}, {"77", 1, 4}, {"5", 1, 4}};
    const char *folder = bundle("told", steps, 3);
    expect_text(memtwinf("run %s -q --set sm.count=4", folder), "kernels of 2 streams, at most 2 at once");
    expect_text(memtwinf("run %s -q --set cke.kernels=1", folder),
                "1 kernels of another stream than the first one's run");
    struct outcome o = memtwinf("trace info %s", folder);
    expect_text(o, "streams      5, 77\n");
    expect_text(o, "kernel 1  k1  grid 1x1x1  block 32x1x1  16 registers  0 B shared  stream 77\n");
    cr_expect_null(strstr(o.text, "approximated"), "%s", o.text);
    expect_text(memtwinf("run %s -q --csv -", folder), "stream,,2,0,");
}

Test(streams, kernels_of_one_stream_run_in_order)
{
    const struct step steps[] = {{"5", 1, 20}, {"6", 1, 90}, {"5", 1, 20}, {"5", 1, 20}};
    json_t *r = run(bundle("order", steps, 4), "");
    cr_expect_eq(begin(r, 1), 0);
    cr_expect_eq(begin(r, 2), end(r, 0));
    cr_expect_eq(begin(r, 3), end(r, 2));
    cr_expect_lt(begin(r, 3), end(r, 1));
    json_decref(r);
    /* Stream 7 leaves a lane free while stream 5 is busy. */
    const struct step free_lane[] = {{"5", 1, 40}, {"6", 1, 90}, {"7", 1, 2}, {"5", 1, 20}};
    r = run(bundle("free", free_lane, 4), "");
    cr_expect_lt(end(r, 2), end(r, 0));
    cr_expect_eq(begin(r, 3), end(r, 0));
    json_decref(r);
}

#define SPLIT "--set sm.count=1 --set sm.unified_kib=64 --set sm.shared_choices=0,16,48"

/* A thread block without room in the split of an SM waits until the SM has no other. */
Test(streams, an_sm_is_split_for_the_first_kernel_on_it)
{
    const struct step steps[] = {{"5", 1, 40}, {"6", 1, 4}};
    const char *folder = bundle("apart", steps, 2);
    write_kernel_with(folder, 1, &steps[1], 16);
    json_t *r = run(folder, SPLIT), *whole = run(folder, "--set sm.count=1");
    cr_expect_eq(begin(r, 1), 0);
    cr_expect_gt(end(r, 1), end(r, 0));
    cr_expect_eq(counter(r, "l1d.splits"), 1);
    cr_expect_eq(counter(r, "l1d.split_ways"), 3);
    cr_expect_lt(end(whole, 1), end(whole, 0));
    cr_expect_eq(counter(whole, "l1d.splits"), 0);
    json_decref(r);
    json_decref(whole);
}

Test(streams, thread_blocks_that_fit_the_split_of_another_kernel_start_beside_it)
{
    const struct step steps[] = {{"5", 1, 40}, {"6", 1, 4}};
    const char *folder = bundle("beside", steps, 2);
    write_kernel_with(folder, 0, &steps[0], 9000);
    write_kernel_with(folder, 1, &steps[1], 16 * 1024 - 9000);
    json_t *fits = run(folder, SPLIT);
    write_kernel_with(folder, 1, &steps[1], 16 * 1024 - 8999);
    json_t *waits = run(folder, SPLIT);
    cr_expect_lt(end(fits, 1), end(fits, 0));
    cr_expect_eq(counter(fits, "l1d.splits"), 1);
    cr_expect_gt(end(waits, 1), end(waits, 0));
    json_decref(fits);
    json_decref(waits);
}

Test(streams, a_copy_is_a_barrier)
{
    const struct step steps[] = {{"5", 1, 20}, {"6", 1, 90}, {"-", 0, 0}, {"5", 1, 20}, {"6", 1, 9}};
    json_t *r = run(bundle("copy", steps, 5), "");
    cr_expect_eq(begin(r, 3), end(r, 1));
    cr_expect_eq(begin(r, 4), end(r, 1));
    expect_sums(r, "kernels");
    json_decref(r);
}

Test(streams, the_default_stream_waits_for_all_and_all_for_it)
{
    const struct step steps[] = {{"5", 1, 20}, {"6", 1, 90}, {"0", 1, 20}, {"5", 1, 9}, {"6", 1, 9}};
    json_t *r = run(bundle("default", steps, 5), "");
    cr_expect_eq(begin(r, 2), end(r, 1));
    cr_expect_eq(begin(r, 3), end(r, 2));
    cr_expect_eq(begin(r, 4), end(r, 2));
    json_decref(r);
}

Test(streams, more_kernels_than_the_machine_runs_at_once_wait)
{
    static const char *const ids[12] = {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"};
    struct step steps[12];
    for (int i = 0; i < 12; i++) steps[i] = (struct step){ids[i], 1, 30};
    const char *folder = bundle("many", steps, 12);
    for (int limit = 2; limit <= 8; limit += 3) {
        char option[40];
        snprintf(option, sizeof option, "--set cke.kernels=%d", limit);
        json_t *r = run(folder, option);
        int first = 0;
        for (int i = 0; i < 12; i++) {
            first += begin(r, i) == 0;
            if (i) cr_expect_geq(begin(r, i), begin(r, i - 1), "kernels start in the order of their launches");
        }
        cr_expect_eq(first, limit, "%d kernels start first, with %s", first, option);
        expect_sums(r, "streams");
        json_decref(r);
    }
}

/* Thread blocks of a later kernel get the room that those of the earlier ones leave. */
Test(streams, thread_blocks_are_dispatched_in_the_order_of_the_launches)
{
    const struct step steps[] = {{"5", 200, 10}, {"6", 1, 10}};
    json_t *r = run(bundle("room", steps, 2), "--set sm.blocks=2");
    const json_int_t alone = counter(kernel(r, 0), "gpu.cycles");
    cr_expect_gt(end(r, 1), alone * 8 / 10, "k1 ends in cycle %lld of %lld", end(r, 1), alone);
    cr_expect_eq(begin(r, 1), 0);
    json_decref(r);
}

Test(streams, one_stream_runs_as_ever)
{
    const struct step zero[] = {{"0", 2, 20}, {"0", 1, 20}}, nine[] = {{"9", 2, 20}, {"9", 1, 20}};
    json_t *a = run(bundle("zero", zero, 2), ""), *b = run(bundle("nine", nine, 2), "--set cke.kernels=1");
    cr_expect(json_equal(json_object_get(a, "counters"), json_object_get(b, "counters")));
    json_decref(b);
    b = run(bundle("nine", nine, 2), "");
    cr_expect(json_equal(json_object_get(a, "counters"), json_object_get(b, "counters")));
    json_decref(a);
    json_decref(b);
}

static const struct step mixed[] = {{"5", 9, 20}, {"6", 3, 50}, {"7", 2, 5},  {"6", 30, 4}, {"-", 0, 0},
                                    {"0", 1, 8},  {"5", 4, 9},  {"6", 4, 12}, {"7", 8, 3},  {"7", 1, 1}};
enum { MIXED = sizeof mixed / sizeof *mixed };

Test(streams, the_number_of_threads_and_skipped_cycles_change_nothing)
{
    const char *folder = bundle("mixed", mixed, MIXED);
    json_t *one = run(folder, "-t 1"), *four = run(folder, "-t 4"), *all = run(folder, "--set sim.skip=false");
    static const char *const parts[] = {"counters", "kernels", "streams"};
    for (int i = 0; i < 3; i++) {
        cr_expect(json_equal(json_object_get(one, parts[i]), json_object_get(four, parts[i])), "%s", parts[i]);
        cr_expect(json_equal(json_object_get(one, parts[i]), json_object_get(all, parts[i])), "%s", parts[i]);
    }
    json_decref(one);
    json_decref(four);
    json_decref(all);
}

Test(streams, export_keeps_streams_and_copies)
{
    static const char *const forms[] = {"--format tracez", "--tracer 3", "--tracer 5 --pack zstd"};
    const char *folder = bundle("kept", mixed, MIXED);
    json_t *before = run(folder, "");
    for (int i = 0; i < 3; i++) {
        char to[600];
        snprintf(to, sizeof to, "%s/export-%d", scratch(), i);
        expect_status(memtwinf("trace export %s -o %s %s", folder, to, forms[i]), 0);
        json_t *after = run(to, "");
        cr_expect(json_equal(json_object_get(before, "kernels"), json_object_get(after, "kernels")), "%s", forms[i]);
        json_decref(after);
    }
    json_decref(before);
}

Test(streams, a_trace_of_our_own_says_that_it_has_none)
{
    const char *folder = bundle("own", mixed, MIXED);
    struct outcome o = memtwinf("trace import %s -o %s/own.mtt", folder, scratch());
    expect_status(o, 0);
    expect_text(o, "kernels of another stream than the first one's: one after the other in a trace of memtwin's own");
}

Test(streams, bad_ids_and_machines_are_errors)
{
    const struct step word[] = {{"5", 1, 2}, {"blue", 1, 2}};
    struct outcome o = memtwinf("run %s -q", bundle("word", word, 2));
    expect_status(o, 1);
    expect_text(o, "kernel-1.traceg:7: found 'blue', expected a number");
    const struct step large[] = {{"18446744073709551616", 1, 2}};
    o = memtwinf("run %s -q", bundle("large", large, 1));
    expect_status(o, 1);
    expect_text(o, "kernel-0.traceg:7: found '18446744073709551616', expected a number");
    const struct step two[] = {{"5", 1, 2}, {"6", 1, 2}};
    o = memtwinf("run %s -q --set cke.scheme=dmil", bundle("scheme", two, 2));
    expect_status(o, 1);
    expect_text(o, "cke.kernels = 1 runs them one after the other");
    o = memtwinf("run %s -q --set sm.throttle=dwt", bundle("throttle", two, 2));
    expect_status(o, 1);
    expect_text(o, "found dwt with 2 concurrent workloads");
    expect_text(o, "these are kernels of several streams, which cke.kernels = 1 runs one after the other");
}
