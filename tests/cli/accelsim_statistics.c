/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin run --format accelsim: a script that searches for the lines of Accel-Sim finds the counters of --json. */
#include <jansson.h>
#include <regex.h>

#include "command_line.h"

/* Lines that scripts of Accel-Sim collect: sums so far, values of one kernel, and of the whole run on the host. */
#define SUM_LINES(X)                                                                                                   \
    X(INSTRUCTIONS, "gpu_tot_sim_insn[ \t]*=[ \t]*(.*)")                                                               \
    X(SECONDS, "gpgpu_simulation_time[ \t]*=.*\\(([0-9]+) sec\\).*")                                                   \
    X(CYCLES, "gpu_tot_sim_cycle[ \t]*=[ \t]*(.*)")                                                                    \
    X(L2_READ_HITS, "[ \t]+L2_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[HIT\\][ \t]*=[ \t]*(.*)")                      \
    X(L2_READS, "[ \t]+L2_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[TOTAL_ACCESS\\][ \t]*=[ \t]*(.*)")                 \
    X(L2_WRITE_HITS, "[ \t]+L2_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[HIT\\][ \t]*=[ \t]*(.*)")                     \
    X(L2_WRITES, "[ \t]+L2_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[TOTAL_ACCESS\\][ \t]*=[ \t]*(.*)")                \
    X(L1_READS, "[ \t]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[TOTAL_ACCESS\\][ \t]*=[ \t]*(.*)")         \
    X(L1_READ_HITS, "[ \t]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[HIT\\][ \t]*=[ \t]*(.*)")              \
    X(L1_WRITE_HITS, "[ \t]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[HIT\\][ \t]*=[ \t]*(.*)")             \
    X(L1_WRITES, "[ \t]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_W\\]\\[TOTAL_ACCESS\\][ \t]*=[ \t]*(.*)")        \
    X(L1_MERGED, "[ \t]+Total_core_cache_stats_breakdown\\[GLOBAL_ACC_R\\]\\[MSHR_HIT\\][ \t]*=[ \t]*(.*)")            \
    X(WARP_INSTRUCTIONS, "gpgpu_n_tot_w_icount[ \t]*=[ \t]*(.*)")                                                      \
    X(DRAM_READS, "total dram reads[ \t]*=[ \t]*(.*)")                                                                 \
    X(DRAM_WRITES, "total dram writes[ \t]*=[ \t]*(.*)")                                                               \
    X(LAUNCH, "kernel_launch_uid[ \t]*=[ \t]*(.*)")                                                                    \
    X(IPC, "gpu_ipc[ \t]*=[ \t]*(.*)")                                                                                 \
    X(L2_BANDWIDTH, "L2_BW[ \t]*=[ \t]*(.*)+GB/Sec")                                                                   \
    X(INSTRUCTION_RATE, "gpgpu_simulation_rate[ \t]+=[ \t]+(.*)[ \t]+\\(inst/sec\\)")                                  \
    X(CYCLE_RATE, "gpgpu_simulation_rate[ \t]+=[ \t]+(.*)[ \t]+\\(cycle/sec\\)")                                       \
    X(SLOWDOWN, "gpgpu_silicon_slowdown[ \t]*=[ \t]*(.*)x")                                                            \
    X(TOTAL_IPC, "gpu_tot_ipc[ \t]*=[ \t]*(.*)")                                                                       \
    X(KERNEL_CYCLES, "gpu_sim_cycle[ \t]*=[ \t]*(.*)")                                                                 \
    X(KERNEL_INSTRUCTIONS, "gpu_sim_insn[ \t]*=[ \t]*(.*)")

enum line {
#define NAME(name, regex) name,
    SUM_LINES(NAME)
#undef NAME
        LINES
};

static const char *const expressions[] = {
#define EXPRESSION(name, regex) regex,
    SUM_LINES(EXPRESSION)
#undef EXPRESSION
};

/* The number of a line of the text; `last`: of the last such line, else of the first. */
static double find(const char *text, enum line line, bool last)
{
    regex_t r;
    regmatch_t m[2];
    const char *value = NULL;
    cr_assert_eq(regcomp(&r, expressions[line], REG_EXTENDED | REG_NEWLINE), 0, "%s", expressions[line]);
    for (const char *at = text; (last || !value) && !regexec(&r, at, 2, m, 0); at += m[0].rm_eo)
        value = at + m[1].rm_so;
    regfree(&r);
    cr_assert_not_null(value, "no %s in\n%s", expressions[line], text);
    return strtod(value, NULL);
}

static double sum(const char *text, enum line line)
{
    regex_t r;
    regmatch_t m[2];
    double all = 0;
    cr_assert_eq(regcomp(&r, expressions[line], REG_EXTENDED | REG_NEWLINE), 0);
    for (const char *at = text; !regexec(&r, at, 2, m, 0); at += m[0].rm_eo) all += strtod(at + m[1].rm_so, NULL);
    regfree(&r);
    return all;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word)) n++;
    return n;
}

/* Runs with both forms of output. */
static struct outcome run(const char *arguments, json_t **root)
{
    char path[600];
    json_error_t why;
    snprintf(path, sizeof path, "%s/out.json", scratch());
    struct outcome o = memtwinf("run %s --format accelsim --json %s", arguments, path);
    expect_status(o, 0);
    *root = json_load_file(path, 0, &why);
    cr_assert_not_null(*root, "%s", why.text);
    return o;
}

static double counter(const json_t *root, const char *name)
{
    const json_t *value = json_object_get(json_object_get(root, "counters"), name);
    cr_assert(json_is_number(value), "no %s", name);
    return json_number_value(value);
}

static void expect_last(const struct outcome *o, const json_t *root)
{
    static const struct {
        enum line line;
        const char *counter;
    } equal[] = {{INSTRUCTIONS, "gpu.thread_instructions"},
                 {CYCLES, "gpu.cycles"},
                 {L1_READ_HITS, "l1d.hits"},
                 {L1_MERGED, "l1d.merged"},
                 {L1_WRITES, "l1d.writes"},
                 {L1_WRITE_HITS, "l1d.write_hits"},
                 {L2_WRITES, "l2.writes"},
                 {WARP_INSTRUCTIONS, "gpu.warp_instructions"},
                 {DRAM_READS, "dram.reads"},
                 {DRAM_WRITES, "dram.writes"},
                 {LAUNCH, "gpu.kernels"}};
    const char *text = o->text;
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++)
        cr_expect_eq(find(text, equal[i].line, true), counter(root, equal[i].counter), "%s", equal[i].counter);
    cr_expect_eq(find(text, L1_READS, true),
                 counter(root, "l1d.hits") + counter(root, "l1d.misses") + counter(root, "l1d.merged"));
    cr_expect_eq(find(text, L2_READ_HITS, true) + find(text, L2_WRITE_HITS, true), counter(root, "l2.hits"));
    cr_expect_eq(find(text, L2_READS, true), counter(root, "l2.reads") + counter(root, "l2.atomics"));
    cr_expect_eq(sum(text, KERNEL_CYCLES), counter(root, "gpu.cycles"));
    cr_expect_eq(sum(text, KERNEL_INSTRUCTIONS), counter(root, "gpu.thread_instructions"));
    cr_expect_float_eq(find(text, TOTAL_IPC, true), counter(root, "gpu.thread_ipc"), 1e-3);
}

Test(accelsim_statistics, every_collected_line_has_the_counter)
{
    json_t *root;
    struct outcome o = run("histogram:n=4096 --set sm.count=4", &root);
    expect_last(&o, root);
    for (enum line i = 0; i < LINES; i++) find(o.text, i, false);
    cr_expect_null(json_object_get(root, "kernels"), "--kernels was not asked for");
    expect_text(o, "GPGPU-Sim: *** exit detected ***\n");
    cr_expect_null(strstr(o.text, "gpu_occupancy ="));
    expect_text(o, "without a counter: gpu_occupancy;");
    json_decref(root);
}

/* Scripts subtract the sums of the kernel before. */
Test(accelsim_statistics, of_each_kernel)
{
    json_t *root;
    struct outcome o = run("fdtd2d:rows=32,columns=32,steps=2 --set sm.count=2 --kernels", &root);
    const json_t *kernels = json_object_get(root, "kernels");
    const char *at = o.text;
    double before = 0;
    expect_last(&o, root);
    cr_expect_eq(count(o.text, "kernel_name = "), (int)json_array_size(kernels));
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const json_t *k = json_array_get(kernels, i);
        at = strstr(at, "kernel_name = ");
        cr_assert_not_null(at);
        const char *name = json_string_value(json_object_get(k, "kernel"));
        cr_expect(!strncmp(at + 14, name, strlen(name)), "%s: %.60s", name, at);
        cr_expect_eq(find(at, KERNEL_CYCLES, false), counter(k, "gpu.cycles"));
        cr_expect_eq(find(at, L1_READ_HITS, false) - before, counter(k, "l1d.hits"));
        cr_expect_eq(find(at, LAUNCH, false), (double)i + 1);
        before = find(at, L1_READ_HITS, false);
        at++;
    }
    json_decref(root);
}

/* Their kernels overlap: cycles since the end of the one before, so that the sum is the run's. */
Test(accelsim_statistics, of_streams)
{
    json_t *root;
    struct outcome o = run("traces/small/streams --set sm.count=2", &root);
    expect_last(&o, root);
    cr_expect_eq(count(o.text, "kernel_name = "), 3);
    expect_text(o, "kernel_stream_id = 94513370489712\n");
    cr_expect_eq(json_array_size(json_object_get(root, "streams")), 2);
    json_decref(root);
}

Test(accelsim_statistics, are_of_one_run)
{
    expect_end("run vecadd copy --format accelsim", 2,
               "--format accelsim: prints one run; found 2 workloads and 0 cases");
    expect_end("run vecadd --format accelsim --quiet", 2, "--format accelsim: prints a run; found --quiet");
    expect_end("run vecadd --format csv", 2, "--format: found \"csv\", expected table or accelsim");
}
