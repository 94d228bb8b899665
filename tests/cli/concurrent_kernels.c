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
    run(PAIR "--case q:cke.scheme=qbmi --case d:cke.scheme=dmil --case s:cke.scheme=smil,cke.limit=2,0", "skip.json");
    run(PAIR "--case q:cke.scheme=qbmi --case d:cke.scheme=dmil --case s:cke.limit=2,0,cke.scheme=smil "
             "--set sim.skip=false",
        "all.json");
    expect_status(memtwinf("compare %s/skip.json %s/all.json", scratch(), scratch()), 0);
}

/* The numbers of cke.blocks. */
static void blocks_of(const json_t *config, int blocks[2])
{
    cr_assert_eq(sscanf(json_string_value(json_object_get(config, "cke.blocks")), "%d,%d", &blocks[0], &blocks[1]), 2);
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
    int blocks[2];
    blocks_of(json_object_get(result("best.json", 0), "config"), blocks);
    cr_expect_geq(blocks[0], 1);
    cr_expect_geq(blocks[1], 1);
    cr_expect_leq(blocks[0] + blocks[1], 3);
    snprintf(wanted, sizeof wanted, "partition (*): cke.blocks0=%d cke.blocks1=%d, predicted STP", blocks[0],
             blocks[1]);
    expect_text(o, wanted);
    snprintf(line, sizeof line, PAIR "--set sm.blocks=3 --set cke.blocks=%d,%d", blocks[0], blocks[1]);
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
    const json_t *r = result("p.json", 0);
    double predicted = 0;
    int blocks[2];
    blocks_of(json_object_get(r, "config"), blocks);
    for (int k = 0; k < 2; k++) {
        char alone[32];
        snprintf(alone, sizeof alone, "cke.k%d.ipc_alone", k);
        predicted += alone_with(workload[k], blocks[k]) / counter(r, alone);
    }
    cr_expect_float_eq(printed, predicted, 0.0006, "printed %.3f, %.3f by the runs alone", printed, predicted);
    cr_expect_gt(printed, 3, "more than one share of a best speed each: %.3f", printed);
}

#define ENDING "--set sm.count=4 --set sm.blocks=3 --until-end "

/* Speed of a workload alone, run to its end, with so many thread blocks per SM. */
static double speed_of(const char *workload, int blocks)
{
    char line[1024];
    snprintf(line, sizeof line, "run %s --set sm.count=4 --set sm.blocks=3 --quiet --set cke.blocks0=%d", workload,
             blocks);
    run(line, "speed.json");
    return counter(result("speed.json", 0), "gpu.ipc");
}

static const char *const typed[] = {"vecadd:n=20000", "mvt:n=256"};

/* The number within one per cent of the best run alone; vecadd needs all three, mvt not. */
Test(cli_cke, curves_tell_the_best_number_of_thread_blocks_and_the_type)
{
    struct outcome o = memtwinf("cke --curves %s %s " ENDING "--json %s/curves.json --csv %s/curves.csv", typed[0],
                                typed[1], scratch(), scratch());
    expect_status(o, 0);
    char path[256];
    snprintf(path, sizeof path, "%s/curves.json", scratch());
    json_t *root = json_load_file(path, 0, NULL);
    const json_t *curves = json_object_get(root, "curves");
    cr_assert_eq(json_array_size(curves), 2);
    for (int k = 0; k < 2; k++) {
        const json_t *c = json_array_get(curves, (size_t)k), *ipc = json_object_get(c, "ipc");
        double best = 0, speed[4] = {0};
        int opt = 1;
        cr_assert_eq(json_integer_value(json_object_get(c, "max")), 3);
        for (int n = 1; n <= 3; n++) {
            speed[n] = speed_of(typed[k], n);
            best = speed[n] > best ? speed[n] : best;
            cr_expect_float_eq(json_real_value(json_array_get(ipc, (size_t)n - 1)), speed[n], 0.001);
        }
        while (speed[opt] < 0.99 * best) opt++;
        cr_expect_eq(json_integer_value(json_object_get(c, "opt")), opt);
        cr_expect_str_eq(json_string_value(json_object_get(c, "type")), opt == 3   ? "Up"
                                                                        : opt == 1 ? "Down"
                                                                                   : "Optimal");
    }
    cr_expect_str_eq(json_string_value(json_object_get(json_array_get(curves, 0), "type")), "Up");
    cr_expect_float_eq(json_real_value(json_object_get(json_array_get(curves, 0), "thread_percent")), 50, 0.001);
    json_decref(root);
    expect_text(o, "kernel 0       3     3    50.00%     0.00%");
    o = memtwinf("cke --curves --tolerance 99 %s " ENDING, typed[0]);
    expect_text(o, "  Down");
}

/* The machine with the numbers of --curves is the same run. */
Test(cli_cke, static_gives_the_machine_the_best_number_of_each_alone)
{
    char line[1024];
    snprintf(line, sizeof line, "cke --partition static %s %s --quiet " ENDING, typed[0], typed[1]);
    run(line, "static.json");
    const json_t *config = json_object_get(result("static.json", 0), "config");
    cr_expect_str_eq(json_string_value(json_object_get(config, "cke.partition")), "static");
    const char *blocks = json_string_value(json_object_get(config, "cke.blocks"));
    cr_expect_eq(blocks[0], '3');
    snprintf(line, sizeof line, "cke %s %s --quiet " ENDING "--set cke.partition=static --set cke.blocks=%s", typed[0],
             typed[1], blocks);
    run(line, "given.json");
    expect_status(memtwinf("compare --config %s/static.json %s/given.json", scratch(), scratch()), 0);
}

/* Slowdown is turnaround time over time alone; each time ends with its own workload. */
Test(cli_cke, a_run_until_the_end_runs_each_workload_once)
{
    char line[1024];
    snprintf(line, sizeof line, "cke %s %s --quiet " ENDING, typed[0], typed[1]);
    run(line, "end.json");
    const json_t *r = result("end.json", 0);
    cr_expect_eq(counter(r, "cke.k0.restarts") + counter(r, "cke.k1.restarts"), 0);
    cr_expect_lt(counter(r, "cke.k0.ended"), counter(r, "cke.k1.ended"));
    cr_expect_leq(counter(r, "cke.k1.ended"), counter(r, "gpu.cycles"));
    for (int k = 0; k < 2; k++) {
        char slowdown[32], ended[32];
        snprintf(slowdown, sizeof slowdown, "cke.k%d.slowdown", k);
        snprintf(ended, sizeof ended, "cke.k%d.ended", k);
        snprintf(line, sizeof line, "run %s --set sm.count=4 --set sm.blocks=3 --quiet", typed[k]);
        run(line, "once.json");
        cr_expect_float_eq(counter(r, slowdown), counter(r, ended) / counter(result("once.json", 0), "gpu.cycles"),
                           0.001);
    }
}

/* spmv has no more than a hundredth of its time alone with a stalled LSU, the others much more: spmv is second. */
Test(cli_cke, a_pool_runs_two_at_a_time_of_different_kinds)
{
    static const char *const workloads = "vecadd:n=20000 mvt:n=256 spmv:rows=512,columns=512";
    char line[1024];
    snprintf(line, sizeof line, "cke --pool %s --quiet --set sm.count=4", workloads);
    run(line, "pool.json");
    snprintf(line, sizeof line, "cke --pool=in_order %s --quiet --set sm.count=4", workloads);
    run(line, "order.json");
    const json_t *pool = result("pool.json", 0), *order = result("order.json", 0);
    int memory_intensive = 0;
    for (int k = 0; k < 3; k++) {
        char stalled[40];
        snprintf(stalled, sizeof stalled, "cke.k%d.alone.lsu_stalled", k);
        memory_intensive |= (counter(pool, stalled) >= 0.1) << k;
    }
    cr_expect_eq(memory_intensive, 3, "%d", memory_intensive);
    const json_t *config = json_object_get(pool, "config");
    cr_expect_eq(json_integer_value(json_object_get(config, "cke.memory_intensive")), memory_intensive);
    cr_expect_eq(json_integer_value(json_object_get(config, "cke.concurrent")), 2);
    cr_expect_eq(json_integer_value(json_object_get(json_object_get(order, "config"), "cke.memory_intensive")), 0);
    cr_expect_lt(counter(pool, "cke.k2.ended"), counter(order, "cke.k2.ended"));
    cr_expect_gt(counter(order, "cke.k2.ended"), counter(order, "cke.k0.ended"));
}

Test(cli_cke, refuses_what_does_not_go_together)
{
    expect_end("cke --partition static vecadd vecadd vecadd", 1,
               "--partition static: found 3 workloads, expected 2; --pool runs more of them in pairs");
    expect_end("cke --partition static vecadd vecadd --set cke.partition=smk", 1,
               "--partition static: found cke.partition = smk, expected even");
    expect_end("cke --pool vecadd vecadd --set cke.cycles=9", 2, "--pool: found cke.cycles = 9, expected 0");
    expect_end("cke vecadd vecadd --until-end --case a:cke.cycles=9", 2, "--until-end: found cke.cycles = 9");
    expect_end("cke --pool=x vecadd vecadd", 2, "--pool: found \"x\", expected one of complementary, in_order");
    expect_end("cke --partition odd vecadd vecadd", 2,
               "--partition: found \"odd\", expected one of even, best, static");
    expect_end("cke --curves vecadd --case a:sm.count=1", 2, "--curves: runs no workloads together");
    expect_end("cke vecadd vecadd --set cke.partition=spatal", 2, "the nearest is spatial");
    expect_end("cke vecadd vecadd --set cke.concurrent=1 --set cke.cycles=9", 2,
               "cke.concurrent: found 1 with cke.cycles = 9, allowed with it: 0");
    expect_end("cke vecadd vecadd --quiet --set cke.cycles=9 --set cke.partition=smc", 1,
               "cke.smc.period: found 0 with cke.partition = smc");
}

Test(cli_cke, says_what_is_wrong)
{
    expect_end("cke vecadd", 2, "found 1 workload, expected 2 to 8 that share the SMs");
    struct outcome o = memtwin("cke vecadd vecadd vecadd vecadd vecadd vecadd vecadd vecadd vecadd");
    expect_status(o, 2);
    expect_end("cke vecadd histogram --set cke.cycles=1000 --set cke.blocks0=8 --set cke.blocks1=1 --quiet", 1,
               "need 64 warps, but sm.warps = 48");
    expect_end("cke vecadd histogram --set cke.cycles=2 --quiet", 1, "cke.cycles is too short");
}

/* The laws of a run hold for the instructions of each kind of unit, of workloads alone and together. */
Test(cli_cke, units_of_schedulers_are_counted_for_each_workload)
{
    struct outcome o =
        memtwinf("cke hotspot:rows=64,columns=64 spmv:rows=1024 --set sm.count=2 --set sm.sub_cores=true "
                 "--set cke.cycles=2000 --csv -");
    expect_status(o, 0);
    expect_text(o, "int_instructions");
    cr_expect_null(strstr(o.text, "does not hold"), "%s", o.text);
}
