/* SPDX-License-Identifier: Apache-2.0 */
/* A message that tells a value to set is tried with that value, and with the next one beyond it. */
#include <glob.h>
#include <regex.h>
#include <stdint.h>

#include "command_line.h"

/* `format`: the start of the message in the sources.  The value stands behind `tells`, and is for option `key`.
 * `beyond`: added to it, it is wrong again; 0: another message, or another range, is next. */
struct row {
    const char *format, *arguments, *tells, *key;
    int beyond;
};

#define MANAGED "run %s/six.mttx -p uvm-002-t4.1 -s uvm.prefetch=np "
#define PAIR "cke %s/six.mttx %s/six.mttx -s cke.cycles=2000 "
#define THREE "cke %s/six.mttx %s/six.mttx %s/six.mttx --until-end "
#define SMALL "run %s/six.mttx "
#define PDP "config -s l1d.replacement=pdp "

static const struct row rows[] = {
    {"%s.index: found fermi with", "config -s l1d.index=fermi -s l1d.sets=64", "allowed with it: ", "l1d.sets", 32},
    {"l2.input_queue: found %u, allowed", "config -s l2.sector_bytes=32 -s l2.input_queue=1", "at least ",
     "l2.input_queue", -1},
    {"l2.ways: found %u, allowed with l2.halves", "config -s l2.halves=2 -s l2.ways=1", "at least ", "l2.ways", -1},
    {"l2.write_miss: found through with", "config -s l2.write_miss=through -s l2.miss_queue=1", "at least ",
     "l2.miss_queue", -1},
    {"dram.bank_groups: found", "config -s dram.banks=8 -s dram.bank_groups=16", "dram.banks = ", "dram.bank_groups",
     8},
    {"dram.row_bytes: found", "config -s dram.row_bytes=256 -s dram.atom_bytes=128", "at least ", "dram.row_bytes",
     -256},
    {"dram.t.ccdl: found", "config -s dram.t.ccd=9", "dram.t.ccd = ", "dram.t.ccdl", -1},
    {"dram.t.rc: found", "config -s dram.t.ras=99", "dram.t.ras = ", "dram.t.rc", -1},
    {"dram.t.refi: found", "config -s dram.refresh=true -s dram.t.refi=161", "at least ", "dram.t.refi", -1},
    {"%s.stream.num: found", "config -s l1d.bypass.mode=stream -s l1d.stream.num=30", "up to ", "l1d.stream.num", 1},
    {"%s.stream.min_accesses: found", "config -s l1d.bypass.mode=stream -s l1d.stream.count_bits=4", "up to ",
     "l1d.stream.min_accesses", 1},
    {"l2.bank_reorder.queues: found %u, allowed: at most",
     "config -s l2.input=bank_reorder -s l2.bank_reorder.queues=64", "dram.banks = ", "l2.bank_reorder.queues", 16},
    {"l2.input: found cart with", "config -s l2.input=cart -s dram.banks=1 -s dram.bank_groups=1",
     "allowed with it: ", "dram.banks", -1},
    {"%s.dl_mshr.reserved: found", "config -s l2.mshr.kind=dl_mshr -s l2.dl_mshr.reserved=500 -s l2.dl_mshr.sets=64",
     "up to ", "l2.dl_mshr.reserved", 1},
    {"%s.perfect.slots: found",
     "config -s l1d.mshr.kind=perfect -s l1d.perfect.entries=5000 -s l1d.perfect.slots=60000", "up to ",
     "l1d.perfect.slots", 1},
    {"l1d.bpg.sampled_sets: found %u with", "config -s l1d.bypass.mode=bpg -s l1d.sets=8 -s l1d.bpg.sampled_sets=32",
     "1 to ", "l1d.bpg.sampled_sets", 8},
    {"l1d.bpg.sampled_sets: found %u with", "config -s l1d.bypass.mode=bpg -s l1d.sets=2048 -s l1d.bpg.sampled_sets=1",
     "allowed: ", "l1d.bpg.sampled_sets", -8},
    {"l1d.bypass.mode: found bpg with", "config -s l1d.bypass.mode=bpg -s l1d.ways=100", "1 to ", "l1d.ways", 1},
    {"l1d.pdp.samples: found", PDP "-s l1d.pdp.sample_every=1 -s l1d.pdp.samples=1 -s l1d.pdp.step=1", "at least ",
     "l1d.pdp.samples", -1},
    {"l1d.pdp.step: found", PDP "-s l1d.pdp.step=256", "up to ", "l1d.pdp.step", 64},
    {"l1d.pdp.distance: found", PDP "-s l1d.pdp.distance=500", "sample_every = ", "l1d.pdp.distance", 1},
    {"l1d.replacement: found pdp with l1d.sets", PDP "-s l1d.sets=4096", "1 to ", "l1d.sets", 256},
    {"l1d.replacement: found pdp with l1d.ways", PDP "-s l1d.ways=500", "1 to ", "l1d.ways", 1},
    {"l1d.pdp.sampled_sets: found", PDP "-s l1d.sets=8 -s l1d.pdp.sampled_sets=32",
     "l1d.sets = ", "l1d.pdp.sampled_sets", 8},
    {"l1d.replacement: found drrip with l1d.ways", "config -s l1d.replacement=drrip -s l1d.ways=500", "1 to ",
     "l1d.ways", 1},
    {"l1d.replacement: found ucp with l1d.sets", "config -s l1d.replacement=ucp -s l1d.sets=4096", "1 to ", "l1d.sets",
     256},
    {"l1d.replacement: found ucp with l1d.ways = %u, allowed", "config -s l1d.replacement=ucp -s l1d.ways=500", "2 to ",
     "l1d.ways", 1},
    {"l1d.ucp.sampled_sets: found", "config -s l1d.replacement=ucp -s l1d.sets=8 -s l1d.ucp.sampled_sets=32",
     "l1d.sets = ", "l1d.ucp.sampled_sets", 8},
    {"sm.shared_choices: found %u KiB as", "config -s sm.shared_choices=8", "at least ", "sm.shared_choices", -1},
    {"sm.unified_kib: found", "config -s sm.shared_choices=128", "at least ", "sm.unified_kib", -1},
    {"sm.shared_choices: found choices up to", PDP "-s sm.shared_choices=48", "= static: ", "sm.shared_choices", 48},
    {"sm.shared_choices: found %s with sm.dispatch", PAIR "-s sm.shared_choices=48 -s sm.dispatch=overlap",
     "with them: ", "sm.shared_choices", 48},
    {"constant.bytes: found", "config -s constant.bytes=1000", "power of two times ", "constant.bytes", 1},
    {"l2.input_free: found", "config -s l2.input_free=9", "l2.input_queue = ", "l2.input_free", 8},
    {"l1d.data_latency: found", "config -s l1d.latency_at=front -s l1d.latency=8 -s l1d.data_latency=8", "at most ",
     "l1d.data_latency", 1},
    {"%s: found %u, allowed with sm.reg_banks", "config -s sm.reg_banks=16 -s l1d.latency_at=front -s l1d.latency=3",
     "at least ", "l1d.latency", -1},
    {"%s: found %u, allowed: 0, or at least", SMALL "-s xbar.input_flits=1", "at least ", "xbar.input_flits", -1},
    {"%s: found %u, allowed: 0, or at least", SMALL "-s xbar.output_flits=1", "at least ", "xbar.output_flits", -1},
    {"sm.dispatch: found overlap with sm.blocks", SMALL "-s sm.dispatch=overlap -s sm.blocks=64", "1 to ", "sm.blocks",
     1},
    {"sm.overlap.bits: found", SMALL "-s sm.dispatch=overlap -s sm.blocks=32 -s sm.overlap.bits=16", "1 to ",
     "sm.overlap.bits", 1},
    {"sm.scheduler: found locality with sm.warps", SMALL "-s sm.scheduler=locality -s sm.warps=128", "2 to ",
     "sm.warps", 1},
    {"sm.scheduler: found locality with sm.blocks", SMALL "-s sm.scheduler=locality -s sm.blocks=64", "1 to ",
     "sm.blocks", 1},
    {"sm.locality.region_bits: found",
     SMALL "-s sm.scheduler=locality -s sm.locality.arrays=8 -s sm.locality.region_bits=16", "up to ",
     "sm.locality.region_bits", 1},
    {"sm.throttle: found ccws with sm.warps", SMALL "-s sm.throttle=ccws -s sm.warps=128", "1 to ", "sm.warps", 1},
    {"cke.quota%u: found 0 with sm.throttle", PAIR "-s sm.throttle=smk -s cke.quota1=9", "1 to ", "cke.quota0", 1},
    {"cke.sms: found %u with cke.partition = sets", PAIR "-s cke.partition=sets -s sm.count=3 -s cke.sms=9", "0 to ",
     "cke.sms", 1},
    {"%s: found %s with %u workloads at a time", THREE "-s cke.partition=tlp", "cke.concurrent = ", "cke.concurrent",
     1},
    {"cke.partition: found static with",
     THREE "-s cke.partition=static -s cke.blocks0=1 -s cke.blocks1=1 -s cke.blocks2=1",
     "cke.concurrent = ", "cke.concurrent", 1},
    {"%s: kernel %s: one thread block needs %u %s, but", SMALL "-s sm.warps=1", "needs ", "sm.warps", -1},
    {"%s: kernel %s: one thread block needs %u %s, but", SMALL "-s sm.registers=1024", "needs ", "sm.registers", -1},
    {"%s: kernel %s: one thread block needs %u %s, but", SMALL "-s sm.shared_bytes=1", "needs ", "sm.shared_bytes", -1},
    {"uvm.table_pages: found", MANAGED "-s uvm.table_pages=512", "at least ", "uvm.table_pages", -1},
    {"uvm.table_allocs: found", MANAGED "-s uvm.table_allocs=2", "at least ", "uvm.table_allocs", -1},
    {"uvm.oversubscribe_percent: found", MANAGED "-s uvm.oversubscribe_percent=9000 -s uvm.evict=re",
     "uvm.oversubscribe_percent of at most ", "uvm.oversubscribe_percent", 1},
    {"uvm.prefetch: found %s, whose window", MANAGED "-s uvm.prefetch=tp -s uvm.device_kib=64 -s uvm.evict=se",
     "uvm.device_kib of at least ", "uvm.device_kib", -64},
    {"uvm.prefetch: found %s, whose window",
     MANAGED "-s uvm.prefetch=tp -s uvm.oversubscribe_percent=500 -s uvm.evict=se",
     "uvm.oversubscribe_percent of at most ", "uvm.oversubscribe_percent", 1},
    {"uvm.evict: found %s, which evicts", MANAGED "-s uvm.device_kib=64 -s uvm.evict=ne", "uvm.device_kib of at least ",
     "uvm.device_kib", -64},
    {"uvm.lease_period: found", MANAGED "-s uvm.lease_period=3", "allowed: ", "uvm.lease_period", -1},
};
#define ROWS (sizeof rows / sizeof *rows)

/* Three allocations in trees of their own, and a kernel that needs something of each resource. */
static const char *folder_with_trace(void)
{
    char path[200];
    snprintf(path, sizeof path, "%s/six.mttx", scratch());
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs("memtwin-trace 1\nname six\nalloc 0x10000000 3000000 a\nalloc 0x20000000 131072 b\nalloc 0x30000000 4096 c\n"
          "kernel grid=1 regs=20 shared=100 block=64,1,1 name=k\nblock 0\nwarp 0\nload.4 dst=r1 at=0x10000000+4\nexit\n"
          "warp 1\nexit\n",
          f);
    fclose(f);
    return scratch();
}

static struct outcome run_row(const struct row *r, const char *set)
{
    char arguments[1000];
    const char *folder = folder_with_trace();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(arguments, sizeof arguments, r->arguments, folder, folder, folder);
#pragma GCC diagnostic pop
    return memtwinf("%s%s", arguments, set);
}

static void try_row(const struct row *r)
{
    char set[100], *end;
    struct outcome o = run_row(r, "");
    const char *told = strstr(o.text, r->tells);
    cr_expect_neq(o.status, 0, "accepted: %s", r->arguments);
    cr_expect_not_null(told, "%s: expected \"%s\" in: %s", r->arguments, r->tells, o.text);
    if (!told) return;
    const long value = strtol(told + strlen(r->tells), &end, 10);
    cr_expect_neq(end, told + strlen(r->tells), "%s: no number behind \"%s\": %s", r->arguments, r->tells, o.text);
    char message[200];
    snprintf(message, sizeof message, "%.190s", o.text);
    snprintf(set, sizeof set, " -s %s=%ld", r->key, value);
    o = run_row(r, set);
    cr_expect_eq(o.status, 0, "%s\nsays: %swith%s: %s", r->arguments, message, set, o.text);
    if (!r->beyond) return;
    snprintf(set, sizeof set, " -s %s=%ld", r->key, value + r->beyond);
    o = run_row(r, set);
    cr_expect_neq(o.status, 0, "%s\nsays: %s, but takes%s", r->arguments, message, set);
}

Test(cli_values_in_messages, values_of_options_are_accepted_and_nothing_beyond)
{
    for (size_t i = 0; i < ROWS; i++)
        if (!strncmp(rows[i].arguments, "config", 6)) try_row(&rows[i]);
}

Test(cli_values_in_messages, values_of_runs_are_accepted_and_nothing_beyond)
{
    for (size_t i = 0; i < ROWS; i++)
        if (strncmp(rows[i].arguments, "config", 6)) try_row(&rows[i]);
}

/* Messages with a number that is no value of an option. */
static const char *const others[] = {
    "%s: three accesses wait",
    "partition.map_of: found slices",
    "%s: two lines get a way",
    "%s: parameter %s (%s) is %u",
    "%s: %u inputs, %u outputs",
    "a source of %zu characters",
    "l1d.replacement: found ucp with one workload",
    "sm.throttle: found smk with %u workload",
    "cke.partition: found %s with %u workloads, allowed with it: at most",
    "%s: kernel %s: found %u thread blocks",
    "%s: kernel %s: addresses of the workloads differ",
    "unified memory, cycle %",
    "uvm.table_pages: %s needs",
    "uvm.table_allocs: %s has",
    "uvm.thrash_limit: cycle",
    "energy of %s: found more than",
    "energy of block %s: found more than",
    "%s: found more than %d energies",
    "%s: found more than %d blocks",
    "%s: found more than %d lines",
    "%s: found more than %d counters",
    "%s: found %u counters",
    "%s: found no energy of this counter",
};

static bool is_listed(const char *format)
{
    for (size_t i = 0; i < ROWS; i++)
        if (!strncmp(format, rows[i].format, strlen(rows[i].format))) return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strncmp(format, others[i], strlen(others[i]))) return true;
    return false;
}

/* The string literals of the call that begins at `at`, one after the other, up to its closing parenthesis. */
static void join_literals(const char *at, char *format, size_t size)
{
    size_t n = 0;
    bool inside = false;
    for (uint32_t depth = 1; depth && *at && n + 1 < size; at++) {
        if (*at == '"') inside = !inside;
        if (inside && *at != '"') format[n++] = *at;
        if (!inside) depth += (*at == '(') - (*at == ')');
    }
    format[n] = 0;
}

static char *text_of(const char *path)
{
    FILE *f = fopen(path, "r");
    cr_assert_not_null(f, "%s", path);
    char *text = calloc(1, 1 << 20);
    cr_assert_lt(fread(text, 1, (1 << 20) - 1, f), (1 << 20) - 1);
    fclose(f);
    return text;
}

static uint32_t check_file(const char *path, const regex_t *tells)
{
    char *text = text_of(path), format[2000];
    uint32_t found = 0;
    for (const char *at = text; (at = strstr(at, "error_set(")); at++) {
        join_literals(at + strlen("error_set("), format, sizeof format);
        if (regexec(tells, format, 0, NULL, 0)) continue;
        found++;
        cr_expect(is_listed(format), "%s: \"%s\" tells a value, and no row of this file tries it", path, format);
    }
    free(text);
    return found;
}

Test(cli_values_in_messages, every_message_of_the_machine_that_tells_a_value_has_a_row)
{
    const char *const patterns[] = {"cmodel/system/*.c", "cmodel/system/*/*.c", "cmodel/system/*/*/*.c"};
    regex_t tells;
    uint32_t found = 0;
    cr_assert_eq(regcomp(&tells, "%.*(at least|at most|up to|below|less than|more than|or more|to %)", REG_EXTENDED),
                 0);
    for (size_t p = 0; p < 3; p++) {
        glob_t files;
        cr_assert_eq(glob(patterns[p], 0, NULL, &files), 0);
        for (size_t i = 0; i < files.gl_pathc; i++) found += check_file(files.gl_pathv[i], &tells);
        globfree(&files);
    }
    regfree(&tells);
    cr_expect_gt(found, 40, "%u messages", found);
}

static void expect_managed(const char *bytes, const char *message)
{
    char path[200];
    snprintf(path, sizeof path, "%s/big.mttx", scratch());
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fprintf(f,
            "memtwin-trace 1\nname big\nalloc 0x10000000 %s a\nkernel grid=1 regs=8 shared=0 block=32,1,1 name=k\n"
            "block 0\nwarp 0\nload.4 dst=r1 at=0x10000000+4\nexit\n",
            bytes);
    fclose(f);
    struct outcome o = memtwinf("run %s -p uvm-002-t4.1", path);
    expect_status(o, 1);
    expect_text(o, message);
}

/* 8 GiB, 16 TiB, and 32 TiB, whose pages do not fit 32 bits. */
Test(cli_values_in_messages, more_pages_than_any_value_of_the_option_are_told_as_such)
{
    expect_managed("8589934592", "uvm.table_pages: big needs 2097152 entries");
    expect_managed("8589934592", "at most 262144 pages, 1024 MiB, can be managed");
    expect_managed("17592186044416", "uvm.table_pages: big needs 4294967296 entries");
    expect_managed("35184372088832", "uvm.table_pages: big needs 8589934592 entries");
}
