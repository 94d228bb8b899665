/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a trace in front of its kernels, in the L2 or not (l2.host_copies). */
#include <jansson.h>

#include "trace_kernel.h"

enum { LOADS = 4 };

static void write_list(const char *text)
{
    char path[600];
    snprintf(path, sizeof path, "%s/kernelslist.g", scratch());
    FILE *to = fopen(path, "w");
    cr_assert_not_null(to, "%s", path);
    fputs(text, to);
    fclose(to);
}

/* l2.hits and l2.misses of a run. */
static void expect_l2(const char *options, json_int_t hits, json_int_t misses)
{
    json_error_t why;
    char path[600];
    snprintf(path, sizeof path, "%s/out.json", scratch());
    expect_status(memtwinf("run %s/kernelslist.g -q --json %s %s", scratch(), path, options), 0);
    json_t *root = json_load_file(path, 0, &why), *counters = json_object_get(root, "counters");
    cr_assert_not_null(counters, "%s", why.text);
    cr_expect_eq(json_integer_value(json_object_get(counters, "l2.hits")), hits, "%s", options);
    cr_expect_eq(json_integer_value(json_object_get(counters, "l2.misses")), misses, "%s", options);
    json_decref(root);
}

static const char *const ways[] = {"", "-s sim.skip=false",
                                   "-s l2.sector_bytes=32 -s l1d.sector_bytes=32 -s sm.coalesce=sector",
                                   "-s cke.kernels=8", "-s cke.kernels=8 -s sim.skip=false"};

/* The second kernel's lines come with the second copy, the third's with none; the first copy brings half of the
 * first's. */
static void check_copies(bool streams)
{
    const struct step kernels[] = {{"0", 1, LOADS}, {streams ? "1" : "0", 1, LOADS}, {streams ? "2" : "0", 1, LOADS}};
    for (int i = 0; i < 3; i++) write_kernel(scratch(), i + 1, &kernels[i]);
    write_list("MemcpyHtoD,0x10000000,256\nkernel-1.traceg\nMemcpyHtoD,0x20000000,512\nkernel-2.traceg\n"
               "kernel-3.traceg\n");
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char options[300];
        const json_int_t parts = strstr(ways[i], "sector") ? 4 : 1; /* requests of a line */
        snprintf(options, sizeof options, "%s -s l2.host_copies=true", ways[i]);
        expect_l2(options, (LOADS / 2 + LOADS) * parts, (LOADS / 2 + LOADS) * parts);
        expect_l2(ways[i], 0, 3 * LOADS * parts);
    }
}

Test(host_copies_of_traces, come_in_front_of_their_kernels)
{
    check_copies(false);
}

Test(host_copies_of_traces, come_in_front_of_their_kernels_with_streams)
{
    check_copies(true);
}

/* The host copies every array in front of the first kernel. */
Test(host_copies_of_traces, kernels_find_their_arrays)
{
    json_error_t why;
    char path[600];
    snprintf(path, sizeof path, "%s/vecadd.json", scratch());
    expect_status(memtwinf("run vecadd:n=4096 -q -s l2.host_copies=true --json %s", path), 0);
    json_t *root = json_load_file(path, 0, &why), *counters = json_object_get(root, "counters");
    cr_assert_not_null(counters, "%s", why.text);
    cr_expect_eq(json_integer_value(json_object_get(counters, "l2.misses")), 0);
    cr_expect_eq(json_integer_value(json_object_get(counters, "dram.reads")), 0);
    json_decref(root);
}
