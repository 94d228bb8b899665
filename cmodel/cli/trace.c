/* SPDX-License-Identifier: Apache-2.0 */
/* memtwin trace: creates, converts and inspects workload files. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/csv.h"
#include "cli/trace.h"
#include "trace/accelsim.h"
#include "trace/binary.h"
#include "trace/check.h"
#include "trace/info.h"
#include "trace/kernels.h"
#include "trace/launches.h"
#include "trace/lines.h"
#include "trace/open.h"
#include "trace/ranges.h"
#include "trace/text.h"

static uint64_t number_argument(struct argp_state *state, const char *option, const char *text, uint64_t first,
                                uint64_t limit)
{
    uint64_t n = 0;
    if (!token_number(text, 10, limit, &n) || n < first)
        command_usage(state, "--%s: found '%s', expected a number from %" PRIu64 " to %" PRIu64, option, text, first,
                      limit);
    return n;
}

static enum pack pack_argument(struct argp_state *state, const char *text)
{
    for (int p = PACK_NONE + 1; p < PACKS; p++)
        if (!strcmp(text, pack_name[p])) return (enum pack)p;
    command_usage(state, "--pack: found '%s', expected xz, gzip or zstd", text);
    return PACK_NONE;
}

error_t trace_parse(int key, char *text, struct argp_state *state)
{
    struct trace_arguments *a = state->input;
    switch (key) {
    case 'o':
        a->output = text;
        break;
    case KEY_PAGES:
        a->pages = text;
        break;
    case KEY_JSON:
        a->json = true;
        break;
    case KEY_CSV:
        a->csv = true;
        break;
    case KEY_FORMAT:
        a->form.tracez = !strcmp(text, "tracez");
        if (!a->form.tracez && strcmp(text, "traceg") != 0 && strcmp(text, "accelsim") != 0)
            command_usage(state, "--format: found '%s', expected traceg, tracez or accelsim", text);
        break;
    case KEY_TRACER:
        a->form.version = (uint32_t)number_argument(state, "tracer", text, 3, 6);
        break;
    case KEY_PACK:
        a->form.pack = pack_argument(state, text);
        break;
    case KEY_SEED:
        a->seed = number_argument(state, "seed", text, 0, UINT64_MAX);
        break;
    case KEY_SMS:
        a->sms = (uint32_t)number_argument(state, "sms", text, 1, 65536);
        break;
    case KEY_BITS:
        a->bits = (uint32_t)number_argument(state, "bits", text, 1, RANGE_BITS_MAX);
        break;
    case KEY_BLOCKS:
        a->blocks = true;
        break;
    case KEY_RANGES:
        a->ranges = true;
        break;
    case KEY_KERNEL:
        a->part.kernel = (int64_t)number_argument(state, "kernel", text, 0, UINT32_MAX);
        break;
    case KEY_BLOCK:
        a->part.block = (int64_t)number_argument(state, "block", text, 0, UINT32_MAX);
        break;
    case ARGP_KEY_ARG:
        if (a->path) command_usage(state, "found '%s' after '%s', expected one workload", text, a->path);
        a->path = text;
        break;
    case ARGP_KEY_END:
        if (!a->path) command_usage(state, "expected a workload");
        if (a->json && a->csv) command_usage(state, "--csv: found --json, too, expected one of them");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

void trace_print(const struct trace_arguments *a, json_t *result)
{
    if (a->csv) {
        csv_json(stdout, result);
    } else {
        json_dumpf(result, stdout, JSON_INDENT(2) | JSON_SORT_KEYS);
        putchar('\n');
    }
    json_decref(result);
}

/* Progress line on a terminal. */
static void show_step(void *context, const struct kernel_info *kernel, uint32_t done)
{
    uint32_t *shown = context, percent = (uint32_t)(100u * (uint64_t)done / kernel_blocks(kernel));
    if (percent == *shown && done != 1) return;
    *shown = percent;
    fprintf(stderr, "\r\033[K%s: thread block %" PRIu32 " of %" PRIu32, kernel->name, done, kernel_blocks(kernel));
}

static bool verify_results(void *context, struct source *source, struct error *err)
{
    (void)context;
    return kernel_verify(source, err);
}

bool trace_read(struct source *source, bool verify, trace_reader *read, void *context, struct error *err)
{
    if (!source) return false;
    const bool terminal = isatty(STDERR_FILENO);
    uint32_t shown = UINT32_MAX;
    const struct trace_progress progress = {terminal ? show_step : NULL, verify ? verify_results : NULL, &shown};
    const bool done = read(source, &progress, context, err);
    if (terminal) fputs("\r\033[K", stderr);
    source->ops->close(source);
    return done;
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n >= m && !strcmp(name + n - m, suffix);
}

static bool is_text(const char *path)
{
    return ends_with(path, ".mttx") || ends_with(path, ".txt");
}

/* The file written does not hold them. */
static void note_losses(const struct source *source)
{
    struct accelsim_counts counts;
    if (!accelsim_counts(source, &counts)) return;
    for (int i = 0; i < LOSSES; i++)
        if (counts.loss[i])
            fprintf(stderr, "memtwin: note: %s: %" PRIu64 " %s\n", source->name, counts.loss[i],
                    accelsim_loss_meaning[i]);
}

static bool write_to(struct source *source, const struct trace_progress *progress, void *context, struct error *err)
{
    const struct trace_arguments *a = context;
    const bool done = (is_text(a->output) ? text_write_file
                       : a->ranges        ? binary_write_ranges
                                          : binary_write)(source, a->output, progress, err);
    if (done) note_losses(source);
    return done;
}

/* `verb`: for messages; `kernel`: a built-in kernel, whose results are checked. */
static int write_workload(struct trace_arguments *a, const char *verb, bool kernel)
{
    struct error err = {0};
    if (!a->output) error_set(&err, "trace %s: expected -o FILE", verb);
    if (a->output && a->ranges && is_text(a->output))
        error_set(&err, "trace %s --ranges: found %s, a text, expected a binary trace, which can hold them", verb,
                  a->output);
    if (err.text[0]) return command_error(&err), COMMAND_USAGE;
    struct source *source = (kernel ? kernel_open : source_open)(a->path, a->seed, &err);
    return trace_read(source, kernel, write_to, a, &err) ? 0 : command_error(&err);
}

#define OUTPUT_OPTIONS                                                                                                 \
    {"output", 'o', "FILE", 0, "the trace to write (needed); .mttx or .txt: in the text form", 0},                     \
    {                                                                                                                  \
        "ranges", KEY_RANGES, 0, 0,                                                                                    \
            "also keep the rectangles that thread blocks access (binary only): a run that needs them then reads the "  \
            "trace once",                                                                                              \
            0                                                                                                          \
    }

static int run_record(int argc, char **argv)
{
    static const struct argp_option options[] = {
        OUTPUT_OPTIONS, {"seed", KEY_SEED, "N", 0, "seed of the kernel's inputs (1)", 0}, {0}};
    static const struct argp argp = {options,
                                     trace_parse,
                                     "KERNEL[:OPTION=VALUE,...] -o FILE",
                                     "Execute a built-in kernel, check its results, and keep its instructions.",
                                     0,
                                     0,
                                     0};
    struct trace_arguments a = {.seed = 1};
    command_parse(&argp, argc, argv, &a);
    return write_workload(&a, "record", true);
}

static int run_import(int argc, char **argv)
{
    static const struct argp_option options[] = {OUTPUT_OPTIONS, {0}};
    static const struct argp argp = {options,
                                     trace_parse,
                                     "DIR|FILE -o FILE",
                                     "Convert a workload: an Accel-Sim kernelslist.g, its folder, a .traceg (plain, "
                                     ".xz, .gz or .zst), a .tracez, a text or a binary trace.",
                                     0,
                                     0,
                                     0};
    struct trace_arguments a = {.seed = 1};
    command_parse(&argp, argc, argv, &a);
    return write_workload(&a, "import", false);
}

static bool write_accelsim(struct source *source, const struct trace_progress *progress, void *context,
                           struct error *err)
{
    const struct trace_arguments *a = context;
    return accelsim_write(source, a->output, &a->form, progress, err);
}

static int run_export(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"output", 'o', "DIR", 0, "the folder to write (needed); it must not exist", 0},
        {"format", KEY_FORMAT, "FORMAT", 0,
         "what kernelslist.g names for each kernel: traceg (the default; accelsim is the same) or tracez", 0},
        {"tracer", KEY_TRACER, "N", 0, "version of the tracer, 3 to 6 (traceg 3, tracez 6)", 0},
        {"pack", KEY_PACK, "NAME", 0, "pack each .traceg by xz, gzip or zstd; Accel-Sim reads xz of them", 0},
        {"seed", KEY_SEED, "N", 0, "seed of a built-in kernel's inputs (1)", 0},
        {0}};
    static const struct argp argp = {
        options, trace_parse, "WORKLOAD -o DIR", "Write a workload in the format of another simulator.", 0, 0, 0};
    struct trace_arguments a = {.seed = 1};
    command_parse(&argp, argc, argv, &a);
    struct error err = {0};
    if (!a.output) error_set(&err, "trace export: expected -o DIR");
    if (a.form.tracez && a.form.pack) error_set(&err, "trace export --pack: found a .tracez, which is packed already");
    if (err.text[0]) return command_error(&err), COMMAND_USAGE;
    if (!a.form.version) a.form.version = a.form.tracez ? 6 : 3;
    struct source *source = source_open(a.path, a.seed, &err);
    return trace_read(source, false, write_accelsim, &a, &err) ? 0 : command_error(&err);
}

static int run_dump(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"kernel", KEY_KERNEL, "N", 0, "only this kernel, from 0", 0},
        {"block", KEY_BLOCK, "N", 0, "only this thread block, from 0", 0},
        {"seed", KEY_SEED, "N", 0, "seed of a built-in kernel's inputs (1)", 0},
        {0}};
    static const struct argp argp = {options, trace_parse, "WORKLOAD", "Print a workload in the text form.", 0, 0, 0};
    struct trace_arguments a = {.seed = 1, .part = {-1, -1}};
    command_parse(&argp, argc, argv, &a);
    struct error err = {0};
    struct source *source = source_open(a.path, a.seed, &err);
    if (!source) return command_error(&err);
    bool done = text_write(source, stdout, &a.part, NULL, &err);
    source->ops->close(source);
    if (done && (fflush(stdout) != 0 || ferror(stdout))) done = error_set(&err, "cannot write to the standard output");
    return done ? 0 : command_error(&err);
}

static json_t *counts_json(const struct trace_counts *c)
{
    json_t *by_op = json_object();
    for (uint8_t op = 0; op < INST_OPS; op++)
        json_object_set_new(by_op, inst_op_name(op), json_integer((json_int_t)c->by_op[op]));
    return json_pack("{sI sI sI sI sI sI sI so}", "thread_blocks", (json_int_t)c->thread_blocks, "warps",
                     (json_int_t)c->warps, "warp_instructions", (json_int_t)c->warp_instructions, "memory_instructions",
                     (json_int_t)c->memory_instructions, "lines", (json_int_t)c->lines, "bytes", (json_int_t)c->bytes,
                     "merged_lanes", (json_int_t)c->merged_lanes, "instructions_by_op", by_op);
}

static json_t *kernel_json(const struct kernel_counts *k)
{
    const struct kernel_info *i = &k->info;
    json_t *json = counts_json(&k->counts);
    json_object_set_new(json, "name", json_string(i->name));
    json_object_set_new(json, "grid",
                        json_pack("[III]", (json_int_t)i->grid[0], (json_int_t)i->grid[1], (json_int_t)i->grid[2]));
    json_object_set_new(json, "block",
                        json_pack("[III]", (json_int_t)i->block[0], (json_int_t)i->block[1], (json_int_t)i->block[2]));
    json_object_set_new(json, "regs_per_thread", json_integer(i->regs_per_thread));
    json_object_set_new(json, "shared_bytes", json_integer(i->shared_bytes));
    json_object_set_new(json, "stream", json_integer((json_int_t)i->stream));
    return json;
}

/* The streams of all kernels as a text: "3, 7".  The caller frees it.  NULL: one stream, or no memory. */
static char *streams_text(const struct trace_info *info)
{
    struct launches l = {calloc(info->total.kernels + 1, sizeof *l.list), (uint32_t)info->total.kernels};
    uint32_t count = 0;
    char *text = NULL;
    size_t size;
    for (uint32_t i = 0; l.list && i < l.count; i++) l.list[i].stream = info->kernels[i].info.stream;
    uint64_t *ids = l.list ? launches_streams(&l, &count) : NULL;
    FILE *to = count > 1 ? open_memstream(&text, &size) : NULL;
    for (uint32_t i = 0; to && i < count; i++) fprintf(to, "%s%" PRIu64, i ? ", " : "", ids[i]);
    if (to) fclose(to);
    free(ids);
    free(l.list);
    return text;
}

static json_t *info_json(const struct trace_info *info, const char *path)
{
    json_t *json = counts_json(&info->total), *kernels = json_array(), *allocations = json_array();
    for (uint64_t k = 0; k < info->total.kernels; k++) json_array_append_new(kernels, kernel_json(&info->kernels[k]));
    for (uint32_t i = 0; i < info->allocation_count; i++) {
        const struct allocation *a = &info->allocations[i];
        json_array_append_new(allocations, json_pack("{ss sI sI sI}", "name", a->name, "address", (json_int_t)a->addr,
                                                     "bytes", (json_int_t)a->bytes, "pitch", (json_int_t)a->pitch));
    }
    json_object_set_new(json, "workload", json_string(info->name));
    json_object_set_new(json, "kind", json_string(source_kind_name(source_kind(path))));
    json_object_set_new(json, "identity", json_string(info->identity));
    json_object_set_new(json, "digest", json_string(info->digest));
    json_object_set_new(json, "kernels", json_integer((json_int_t)info->total.kernels));
    json_object_set_new(json, "distinct_lines", json_integer((json_int_t)info->distinct_lines));
    json_object_set_new(json, "kernel_list", kernels);
    json_object_set_new(json, "allocations", allocations);
    for (int i = 0; info->accelsim && i < LOSSES; i++)
        json_object_set_new(json, accelsim_loss_name[i], json_integer((json_int_t)info->unmapped.loss[i]));
    return json;
}

int trace_name_width(int width, const char *name)
{
    int n = (int)strlen(name);
    return n > width ? n : width;
}

static void print_counts(int width, const char *name, const struct trace_counts *c)
{
    printf("%-*s %10" PRIu64 " %10" PRIu64 " %14" PRIu64 " %12" PRIu64 " %12" PRIu64 " %14" PRIu64 "\n", width, name,
           c->thread_blocks, c->warps, c->warp_instructions, c->memory_instructions, c->lines, c->bytes);
}

static void print_allocation(const struct allocation *a)
{
    printf("  0x%-14" PRIx64 " %12" PRIu64 " bytes  %s\n", a->addr, a->bytes, a->name);
}

/* `stream`: of a trace with several. */
static void print_shape(uint64_t number, const struct kernel_info *i, bool stream)
{
    printf("  kernel %" PRIu64 "  %s  grid %" PRIu32 "x%" PRIu32 "x%" PRIu32 "  block %" PRIu32 "x%" PRIu32 "x%" PRIu32
           "  %" PRIu32 " registers  %" PRIu32 " B shared",
           number, i->name, i->grid[0], i->grid[1], i->grid[2], i->block[0], i->block[1], i->block[2],
           i->regs_per_thread, i->shared_bytes);
    if (stream) printf("  stream %" PRIu64, i->stream);
    putchar('\n');
}

static void print_loss(const char **heading, uint64_t count, const char *meaning, const char *first)
{
    if (!count) return;
    printf("%-21s %" PRIu64 " %s%s%s\n", *heading, count, meaning, *first ? "; first: " : "", first);
    *heading = "";
}

/* Prints the instructions that the reader approximates, with their counts. */
static void print_losses(const struct trace_info *info)
{
    const char *heading = "approximated";
    for (int i = 0; info->accelsim && i < LOSSES; i++)
        if (i != LOSS_other_streams) /* print_table() names them */
            print_loss(&heading, info->unmapped.loss[i], accelsim_loss_meaning[i],
                       i == LOSS_unknown_opcodes ? info->unmapped.first_unknown : "");
    print_loss(&heading, info->total.merged_lanes,
               "lanes of atomics at the address of another lane: in its access (GPGPU-Sim: an access of their own)",
               "");
}

static void print_table(const struct trace_info *info, const char *path)
{
    const struct trace_counts *t = &info->total;
    int width = NAME_WIDTH;
    char *streams = streams_text(info);
    for (uint64_t k = 0; k < t->kernels; k++) width = trace_name_width(width, info->kernels[k].info.name);
    printf("workload     %s\nkind         %s\nidentity     %s\ndigest       %s\n", info->name,
           source_kind_name(source_kind(path)), info->identity, info->digest);
    printf("allocations  %" PRIu32 ", %" PRIu64 " bytes\n", info->allocation_count, info->allocated);
    for (uint32_t i = 0; i < info->allocation_count; i++) print_allocation(&info->allocations[i]);
    printf("kernels      %" PRIu64 "\n", t->kernels);
    if (streams) printf("streams      %s\n", streams);
    for (uint64_t k = 0; k < t->kernels; k++) print_shape(k, &info->kernels[k].info, streams);
    free(streams);
    printf("\n%-*s %10s %10s %14s %12s %12s %14s\n", width, "kernel", "blocks", "warps", "warp insts", "memory insts",
           "128 B lines", "bytes");
    for (uint64_t k = 0; k < t->kernels; k++) print_counts(width, info->kernels[k].info.name, &info->kernels[k].counts);
    print_counts(width, "total", t);
    printf("\ndistinct 128 B lines  %" PRIu64 "\nwarp instructions    ", info->distinct_lines);
    for (uint8_t op = 0; op < INST_OPS; op++) {
        if (t->by_op[op]) printf(" %s %" PRIu64, inst_op_name(op), t->by_op[op]);
    }
    putchar('\n');
    print_losses(info);
}

static bool collect_info(struct source *source, const struct trace_progress *progress, void *context, struct error *err)
{
    return info_collect(source, context, progress, err);
}

static int run_info(int argc, char **argv)
{
    static const struct argp_option options[] = {
        TRACE_FORMS, {"seed", KEY_SEED, "N", 0, "seed of a built-in kernel's inputs (1)", 0}, {0}};
    static const struct argp argp = {
        options, trace_parse, "WORKLOAD", "Read all of a workload and print its statistics.", 0, 0, 0};
    struct trace_arguments a = {.seed = 1};
    command_parse(&argp, argc, argv, &a);
    struct error err = {0};
    struct trace_info info = {0};
    const bool done = trace_read(source_open(a.path, a.seed, &err), false, collect_info, &info, &err);
    if (done && (a.json || a.csv)) trace_print(&a, info_json(&info, a.path));
    if (done && !a.json && !a.csv) print_table(&info, a.path);
    info_free(&info);
    return done ? 0 : command_error(&err);
}

static const struct {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} verbs[] = {{"record", "execute a built-in kernel into a trace", run_record},
             {"import", "convert an Accel-Sim, text or binary trace", run_import},
             {"export", "write it as Accel-Sim's traces", run_export},
             {"info", "count kernels, blocks, warps, instructions, lines, bytes", run_info},
             {"shape", "arrays and the first kernel's thread blocks, without running it", trace_shape},
             {"pages", "count the accesses to each page of each allocation", trace_pages},
             {"locality", "classify global reads by the last access to their line", trace_locality},
             {"ranges", "the rectangle of each array that a thread block accesses", trace_ranges},
             {"dump", "print as text", run_dump}};

static int usage(FILE *to)
{
    fprintf(to, "Usage: memtwin trace VERB ...   (memtwin trace VERB --help lists its options)\n");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        fprintf(to, "  %-8s %s\n", verbs[i].name, verbs[i].summary);
    return to == stdout ? 0 : COMMAND_USAGE;
}

static int trace_main(int argc, char **argv)
{
    char program[64];
    const char *verb = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(verb, verbs[i].name) != 0) continue;
        snprintf(program, sizeof program, "memtwin trace %s", verb);
        argv[1] = program;
        return verbs[i].run(argc - 1, argv + 1);
    }
    if (!strcmp(verb, "--help") || !strcmp(verb, "-h") || !strcmp(verb, "-?")) return usage(stdout);
    struct error err = {""};
    error_set(&err, "trace: found '%s', expected record, import, export, info, shape, pages, locality, ranges or dump",
              verb);
    if (*verb) command_error(&err);
    return usage(stderr);
}

COMMAND(trace, "record, import, export, inspect and dump workloads", trace_main)
