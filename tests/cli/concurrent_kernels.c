/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin cke: its runs equal those of `run`; the numbers that it computes from them; the options that it refuses. */
#include <jansson.h>
#include <math.h>

#include "command_line.h"

#define MACHINE "--set sm.count=4 --set cke.cycles=20000 --quiet "
#define PAIR "cke vecadd:n=200000 histogram:n=100000 " MACHINE

static struct outcome run(const char *arguments, const char *name)
{
    struct outcome o = memtwinf("%s --json %s/%s", arguments, scratch(), name);
    expect_status(o, 0);
    return o;
}

/* Result `i` of a file; it stays until as many other files have been read. */
static json_t *result(const char *name, size_t i)
{
    static json_t *kept[8];
    static size_t files;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", scratch(), name);
    json_error_t why;
    json_t *root = json_load_file(path, 0, &why);
    cr_assert_not_null(root, "%s: %s", path, why.text);
    json_decref(kept[files % 8]);
    kept[files++ % 8] = root;
    return json_is_array(root) ? json_array_get(root, i) : root;
}

static double counter(const json_t *r, const char *name)
{
    json_t *value = json_object_get(json_object_get(r, "counters"), name);
    cr_assert(json_is_number(value), "no counter %s", name);
    return json_number_value(value);
}

Test(cli_cke, progress_is_against_the_runs_alone_that_run_makes)
{
    run(PAIR "--case plain: --case dmil:cke.scheme=dmil", "shared.json");
    run("run vecadd:n=200000 histogram:n=100000 " MACHINE, "alone.json");
    for (size_t i = 0; i < 2; i++) {
        const json_t *r = result("shared.json", i);
        double a = counter(result("alone.json", 0), "gpu.ipc"), b = counter(result("alone.json", 1), "gpu.ipc");
        cr_expect_float_eq(counter(r, "cke.k0.ipc_alone"), a, 1e-9);
        cr_expect_float_eq(counter(r, "cke.k1.ipc_alone"), b, 1e-9);
        double p = counter(r, "cke.k0.warp_instructions") / 20000 / a;
        double q = counter(r, "cke.k1.warp_instructions") / 20000 / b;
        cr_expect_float_eq(counter(r, "cke.stp"), p + q, 1e-9);
        cr_expect_float_eq(counter(r, "cke.antt"), (1 / p + 1 / q) / 2, 1e-9);
        cr_expect_eq(counter(r, "gpu.cycles"), 20000);
        cr_expect_gt(p + q, 0.5);
        cr_expect_lt(p + q, 2.1);
        const char *name = json_string_value(json_object_get(json_object_get(r, "workload"), "name"));
        cr_expect_not_null(strstr(name, "vecadd:n=200000"));
        cr_expect_not_null(strstr(name, " + histogram:n=100000"));
    }
}

Test(cli_cke, does_not_depend_on_threads)
{
    run(PAIR "--set cke.scheme=qbmi_dmil --threads 1", "one.json");
    run(PAIR "--set cke.scheme=qbmi_dmil --threads 4", "four.json");
    expect_status(memtwinf("compare --config %s/one.json %s/four.json", scratch(), scratch()), 0);
}

Test(cli_cke, does_not_depend_on_skipping)
{
    run(PAIR "--case q:cke.scheme=qbmi --case d:cke.scheme=dmil --case s:cke.scheme=smil,cke.limit0=2", "skip.json");
    run(PAIR "--case q:cke.scheme=qbmi --case d:cke.scheme=dmil --case s:cke.scheme=smil,cke.limit0=2 "
             "--set sim.skip=false",
        "all.json");
    expect_status(memtwinf("compare %s/skip.json %s/all.json", scratch(), scratch()), 0);
}

/* The best partition, given as options, gives the same run; and no other is predicted to lose less. */
Test(cli_cke, best_partition_is_a_partition)
{
    char line[1024], wanted[64];
    struct outcome o =
        memtwinf("cke vecadd:n=200000 histogram:n=100000 --set sm.count=4 --set sm.blocks=3 --set cke.cycles=20000 "
                 "--partition best --json %s/best.json",
                 scratch());
    expect_status(o, 0);
    const json_t *config = json_object_get(result("best.json", 0), "config");
    int blocks[2] = {(int)json_integer_value(json_object_get(config, "cke.blocks0")),
                     (int)json_integer_value(json_object_get(config, "cke.blocks1"))};
    cr_expect_geq(blocks[0], 1);
    cr_expect_geq(blocks[1], 1);
    cr_expect_leq(blocks[0] + blocks[1], 3);
    snprintf(wanted, sizeof wanted, "partition (*): cke.blocks0=%d cke.blocks1=%d, predicted STP", blocks[0],
             blocks[1]);
    expect_text(o, wanted);
    snprintf(line, sizeof line, PAIR "--set sm.blocks=3 --set cke.blocks0=%d --set cke.blocks1=%d", blocks[0],
             blocks[1]);
    run(line, "given.json");
    expect_status(memtwinf("compare --config %s/best.json %s/given.json", scratch(), scratch()), 0);
    double least[2]; /* of (1, 2) and (2, 1), by the speed alone with 1, 2 and 3 */
    for (int first = 1; first <= 2; first++) {
        double share[2];
        for (int k = 0; k < 2; k++) {
            double ipc[4] = {0}, best = 0;
            for (int n = 1; n <= 3; n++) {
                snprintf(line, sizeof line, "run %s " MACHINE "--set sm.blocks=3 --set cke.blocks0=%d",
                         k ? "histogram:n=100000" : "vecadd:n=200000", n);
                run(line, "point.json");
                ipc[n] = counter(result("point.json", 0), "gpu.ipc");
                best = ipc[n] > best ? ipc[n] : best;
            }
            share[k] = ipc[k ? 3 - first : first] / best;
        }
        least[first - 1] = share[0] < share[1] ? share[0] : share[1];
    }
    cr_expect_eq(blocks[0], least[0] > least[1] ? 1 : 2, "least %.3f with (1, 2), %.3f with (2, 1)", least[0],
                 least[1]);
}

static double alone_with(const char *workload, int blocks)
{
    char line[1024];
    snprintf(line, sizeof line, "run %s --preset maxwell-000-t5 " MACHINE "--set sm.count=1 --set cke.blocks0=%d",
             workload, blocks);
    run(line, "with.json");
    return counter(result("with.json", 0), "gpu.ipc");
}

/* mvt with all thread blocks that fit runs at a quarter of the speed that it has with five.  The prediction is relative
 * to the same run alone as the measurement, so it may be above the number of workloads. */
Test(cli_cke, predicted_and_measured_stp_have_one_scale)
{
    const char *const workload[] = {"mvt:n=256", "vecadd:n=200000"};
    struct outcome o = memtwinf(
        "cke %s %s --preset maxwell-000-t5 --set sm.count=1 --set cke.cycles=20000 --partition best --json %s/p.json",
        workload[0], workload[1], scratch());
    expect_status(o, 0);
    const char *text = strstr(o.text, "predicted STP ");
    cr_assert_not_null(text, "%s", o.text);
    const double printed = strtod(text + strlen("predicted STP "), NULL);
    const json_t *r = result("p.json", 0), *config = json_object_get(r, "config");
    double predicted = 0;
    for (int k = 0; k < 2; k++) {
        char blocks[32], alone[32];
        snprintf(blocks, sizeof blocks, "cke.blocks%d", k);
        snprintf(alone, sizeof alone, "cke.k%d.ipc_alone", k);
        const int n = (int)json_integer_value(json_object_get(config, blocks));
        predicted += alone_with(workload[k], n) / counter(r, alone);
    }
    cr_expect_float_eq(printed, predicted, 0.0006, "printed %.3f, %.3f by the runs alone", printed, predicted);
    cr_expect_gt(printed, 3, "more than one share of a best speed each: %.3f", printed);
}

Test(cli_cke, says_what_is_wrong)
{
    expect_end("cke vecadd", 2, "found 1 workload, expected 2 to 4 that share the SMs");
    struct outcome o = memtwin("cke vecadd vecadd vecadd vecadd vecadd");
    expect_status(o, 2);
    expect_end("cke vecadd histogram --set cke.cycles=1000 --set cke.blocks0=8 --set cke.blocks1=1 --quiet", 1,
               "need 64 warps, but sm.warps = 48");
    expect_end("cke vecadd histogram --set cke.cycles=2 --quiet", 1, "cke.cycles is too short");
}
