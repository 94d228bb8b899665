/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin trace: every way from one form to another keeps the digest, and bad input ends with a reason. */
#include "command_line.h"

/* The text of `trace info` after `label`. */
static const char *value(const char *workload, const char *label, char text[256])
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, "trace info %s", workload);
    struct outcome o = memtwin(arguments);
    expect_status(o, 0);
    const char *at = strstr(o.text, label);
    cr_assert(at, "no %s in:\n%s", label, o.text);
    sscanf(at + strlen(label), "%255s", text);
    return text;
}

/* The rest of the line behind `label` in `trace info`. */
static const char *line_of(const char *workload, const char *label, char text[256])
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, "trace info %s", workload);
    struct outcome o = memtwin(arguments);
    const char *at = strstr(o.text, label);
    cr_assert(at, "no %s in:\n%s", label, o.text);
    sscanf(at + strlen(label), "%255[^\n]", text);
    return text;
}

static void run(const char *format, const char *a, const char *b)
{
    char arguments[512];
    snprintf(arguments, sizeof arguments, format, a, b);
    struct outcome o = memtwin(arguments);
    expect_status(o, 0);
}

Test(trace_files_convert, the_digest_stays)
{
    char binary[128], text[128], again[128], kernel[256], other[256];
    snprintf(binary, sizeof binary, "%s/a.mtt", scratch());
    snprintf(text, sizeof text, "%s/a.mttx", scratch());
    snprintf(again, sizeof again, "%s/b.mtt", scratch());
    run("trace record %s -o %s", "atax:rows=64,columns=64", binary);
    run("trace import %s -o %s", binary, text);
    run("trace import %s -o %s", text, again);
    value("atax:rows=64,columns=64", "digest", kernel);
    cr_expect_str_eq(value(binary, "digest", other), kernel);
    cr_expect_str_eq(value(text, "digest", other), kernel);
    cr_expect_str_eq(value(again, "digest", other), kernel);
    cr_expect_str_eq(value(again, "identity", other), kernel);
}

Test(trace_files_convert, accelsim_is_imported)
{
    char binary[128], a[256], b[256];
    snprintf(binary, sizeof binary, "%s/app.mtt", scratch());
    run("trace import %s -o %s", "tests/trace/data/app/kernelslist.g", binary);
    cr_expect_str_eq(value(binary, "digest", a), value("tests/trace/data/app", "digest", b));
    struct outcome o = memtwin("trace info tests/trace/data/app --json");
    expect_status(o, 0);
    expect_text(o, "\"unknown_opcodes\": 1");
    expect_text(o, "\"memory_instructions\": 9");
    expect_text(o, "\"lines\": 12");
    o = memtwin("trace info tests/trace/data/app");
    expect_text(o, "allocations  2, 16512 bytes\n"
                   "  0x7f4000001000          16384 bytes  copy0\n"
                   "  0x7f4000005000            128 bytes  copy1\n");
}

/* Counts of a workload, of its export, and of that imported into a binary trace. */
Test(trace_files_convert, exported_and_imported_it_has_the_same_counts)
{
    char folder[128], binary[128], kernel[256], other[256];
    snprintf(folder, sizeof folder, "%s/app", scratch());
    snprintf(binary, sizeof binary, "%s/app.mtt", scratch());
    run("trace export %s --format accelsim -o %s", "backprop:inputs=256", folder);
    run("trace import %s -o %s", folder, binary);
    const char *const workloads[] = {folder, binary}, *const labels[] = {"\ntotal", "warp instructions  ", "lines  "};
    for (int w = 0; w < 2; w++)
        for (int l = 0; l < 3; l++)
            cr_expect_str_eq(line_of(workloads[w], labels[l], other),
                             line_of("backprop:inputs=256", labels[l], kernel));
}

/* Every counter of a run, without the workload's name. */
static void expect_counters(const char *workload, struct outcome *first)
{
    struct outcome o =
        memtwinf("run %s -q --csv %s/c.csv && sed 's/^[^,]*,//' %s/c.csv", workload, scratch(), scratch());
    expect_status(o, 0);
    expect_text(o, "gpu.cycles,");
    if (!*first->text) *first = o;
    cr_expect_str_eq(o.text, first->text, "%s", workload);
}

/* Kernels that are written down once for each tracer. */
Test(trace_files_convert, old_and_new_tracers_have_the_same_counters)
{
    static const char *const files[] = {"versions.mttx", "v4.traceg", "v5.traceg", "v6.traceg", "v6.tracez"};
    static struct outcome first;
    for (size_t n = 0; n < sizeof files / sizeof *files; n++) {
        char path[128];
        snprintf(path, sizeof path, "tests/trace/data/versions/%s", files[n]);
        expect_counters(path, &first);
    }
}

static void expect_same_exports(const char *workload)
{
    static const char *const forms[] = {"--tracer 3",
                                        "--tracer 4 --pack gzip",
                                        "--tracer 5 --pack zstd",
                                        "--format traceg --tracer 6 --pack xz",
                                        "--format tracez",
                                        "--format tracez --tracer 4"};
    static const char *const files[] = {"form.mtt", "form.mttx"};
    struct outcome first = {0};
    char path[128];
    expect_counters(workload, &first);
    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++) {
        snprintf(path, sizeof path, "%s/form%zu", scratch(), n);
        expect_status(memtwinf("trace export %s %s -o %s", workload, forms[n], path), 0);
        expect_counters(path, &first);
    }
    for (size_t n = 0; n < sizeof files / sizeof *files; n++) {
        snprintf(path, sizeof path, "%s/%s", scratch(), files[n]);
        expect_status(memtwinf("trace import %s -o %s", workload, path), 0);
        expect_counters(path, &first);
    }
}

Test(trace_files_convert, exports_of_every_form_have_the_same_counters)
{
    expect_same_exports("traces/small/stencil.mttx");
}

/* A warp copies for another one, which waits at mbarriers. */
Test(trace_files_convert, so_have_those_of_a_trace_with_mbarriers)
{
    expect_same_exports("tests/trace/data/mbarriers.traceg");
}

Test(trace_files_convert, an_export_that_cannot_be_written_is_refused)
{
    expect_end("trace export vecadd", 2, "trace export: expected -o DIR");
    expect_end("trace export vecadd --format gem5 -o x", 2,
               "--format: found 'gem5', expected traceg, tracez or accelsim");
    expect_end("trace export vecadd --tracer 7 -o x", 2, "--tracer: found '7', expected a number from 3 to 6");
    expect_end("trace export vecadd --pack lz4 -o x", 2, "--pack: found 'lz4', expected xz, gzip or zstd");
    expect_end("trace export vecadd --format tracez --pack xz -o x", 2, "found a .tracez, which is packed already");
    expect_end("trace export vecadd:n=1000 -o /nonexistent/x", 1, "/nonexistent/x: cannot write: No such file");
    expect_end("trace export vecadd:n=1000 -o tests", 1, "tests: exists, expected the name of a new folder");
}

Test(trace_files_convert, dump_prints_what_can_be_read)
{
    expect_end("trace dump traces/small/stencil.mttx --block 1", 0,
               "block 1\nwarp 0\nsp dst=r1 count=3\nload.4 dst=r2 src=r1 at=0x100000fc+4\n");
}

/* A list of two kernels of different streams: said once by the run. */
Test(trace_files_convert, what_is_approximated_is_listed)
{
    char line[400];
    for (int n = 1; n <= 2; n++) {
        snprintf(line, sizeof line,
                 "printf -- '-kernel name = k\\n-grid dim = (1,1,1)\\n-block dim = (32,1,1)\\n-cuda stream id = "
                 "%d\\n-accelsim tracer version = 4\\n"
                 "#BEGIN_TB\\nthread block = 0,0,0\\nwarp = 0\\ninsts = 2\\n0 ff 1 R1 HMMA 0 0\\n10 ff 0 EXIT 0 0\\n' "
                 ">%s/kernel-%d.traceg; echo kernel-%d.traceg >>%s/kernelslist.g",
                 n, scratch(), n, n, scratch());
        cr_assert_eq(system(line), 0);
    }
    struct outcome o = memtwinf("run %s -q --case a: --case b:sm.count=2", scratch());
    const char *note = ": kernels of 2 streams, at most 2 at once\n";
    expect_status(o, 0);
    expect_text(o, note);
    cr_expect_null(strstr(strstr(o.text, note) + 1, note), "once: %s", o.text);
    o = memtwinf("trace info %s", scratch());
    expect_text(o, "approximated          2 tensor instructions (HMMA, IMMA ...): one tensor each\n");
    expect_text(memtwinf("trace info --json %s", scratch()), "\"tensor_instructions\": 2");
    expect_text(memtwinf("trace import %s -o %s/x.mtt", scratch(), scratch()), ": 2 tensor instructions");
    expect_text(memtwinf("trace import %s -o %s/y.mtt", scratch(), scratch()), ": 1 kernels of another stream");
}

Test(trace_files_convert, bad_input_ends_with_a_reason)
{
    expect_end("trace", 2, "Usage: memtwin trace VERB");
    expect_end("trace paint", 2,
               "found 'paint', expected record, import, export, info, shape, pages, locality, ranges or dump");
    expect_end("trace info", 2, "expected a workload");
    expect_end("trace record vecadd", 2, "expected -o FILE");
    expect_end("trace record vecad -o /dev/null", 1, "the nearest is vecadd");
    expect_end("trace record vecadd:n=1000 -o /dev/full", 1, "/dev/full: cannot write: No space left on device");
    expect_end("trace info missing.mtt", 1, "missing.mtt: cannot open: No such file or directory");
    expect_end("trace info tests", 1, "tests: found a folder without a kernelslist.g in it");
    expect_end("trace info Makefile", 1, "Makefile: not a workload");
    expect_end("trace dump traces/small/stencil.mttx --kernel 3", 1,
               "has 1 kernels, numbered from 0, not one numbered 3");
    expect_end("trace dump traces/small/stencil.mttx --kernel x", 2, "--kernel: found 'x', expected a number");
}

/* Every counter of two workloads' runs through the whole machine. */
static void runs_the_same(const char *a, const char *b)
{
    char of_a[128], of_b[128], command[512];
    snprintf(of_a, sizeof of_a, "%s/a.json", scratch());
    snprintf(of_b, sizeof of_b, "%s/b.json", scratch());
    snprintf(command, sizeof command, "run %s --quiet --json %s", a, of_a);
    expect_status(memtwin(command), 0);
    snprintf(command, sizeof command, "run %s --quiet --json %s", b, of_b);
    expect_status(memtwin(command), 0);
    run("compare %s %s", of_a, of_b);
}

Test(trace_files_convert, every_form_runs_the_same)
{
    char binary[128];
    snprintf(binary, sizeof binary, "%s/spmv.mtt", scratch());
    run("trace record %s -o %s", "spmv:rows=1000", binary);
    runs_the_same("spmv:rows=1000", binary);
    runs_the_same("tests/trace/data/app", "tests/trace/data/app.mttx");
}

/* The run takes its ranges from the file: instructions are read once. */
Test(trace_files_convert, ranges_are_kept_in_the_binary)
{
    char plain[128], with[128], of_plain[65536], overlap[256];
    snprintf(plain, sizeof plain, "%s/plain.mtt", scratch());
    snprintf(with, sizeof with, "%s/with.mtt", scratch());
    run("trace record %s -o %s", "transpose:width=128,height=64,tile=16", plain);
    run("trace import %s --ranges -o %s", plain, with);
    snprintf(of_plain, sizeof of_plain, "%s", memtwinf("trace ranges --blocks %s", plain).text);
    cr_expect_str_eq(memtwinf("trace ranges --blocks %s", with).text, of_plain);
    snprintf(overlap, sizeof overlap, "%s -s sm.dispatch=overlap", plain);
    strcat(with, " -s sm.dispatch=overlap");
    runs_the_same(overlap, with);
    expect_end("trace record vecadd:n=1000 --ranges -o x.mttx", 2, "found x.mttx, a text, expected a binary trace");
}

/* The harness's MSHRs keep 48 bits of an address; a trace that needs more is refused by name and place. */
Test(trace_files_convert, an_address_too_high_is_refused_by_the_run)
{
    char text[128], command[256];
    snprintf(text, sizeof text, "%s/high.mttx", scratch());
    FILE *f = fopen(text, "w");
    cr_assert(f);
    fputs("memtwin-trace 1\nname high\nkernel grid=1,1,1 block=32,1,1 regs=8 shared=0 name=high\nblock 0\nwarp 0\n"
          "load.4 pc=0x20 dst=r2 src=r1 at=0x800000000000+4\nexit\n",
          f);
    fclose(f);
    snprintf(command, sizeof command, "run %s --quiet", text);
    struct outcome o = memtwin(command);
    expect_status(o, 1);
    expect_text(o,
                "kernel high, warp 0 of its thread block, pc 0x20: an address: found 0x80000000007c, expected below");
}
