/* SPDX-License-Identifier: Apache-2.0 */
/* An option that is given and not read is an error of a probe and a warning of a run; and where it is not, it changes
 * nothing: over all options. */
#include <jansson.h>
#include <unistd.h>

#include "command_line.h"
#include "system/config/option_use.h"

enum { BATCH = 60 }; /* cases of one run */
#ifdef __SANITIZE_ADDRESS__
enum { EVERY = 4 }; /* under sanitizers one in so many options: all take minutes */
#else
enum { EVERY = 1 };
#endif

static bool is_number(const struct config_option *o)
{
    return o->kind == OPTION_UINT || o->kind == OPTION_DECIMAL || o->kind == OPTION_LIST;
}

/* "KEY=VALUE" with a value that is not the machine's; false if there is none that the machine may have. */
static bool other_value(const struct config *c, const struct config_option *o, char assignment[static 128])
{
    char now[OPTION_TEXT], text[OPTION_TEXT];
    option_text(c, o, now);
    for (uint32_t k = 0;; k++) {
        struct error ignored = {""};
        struct config changed = *c;
        if (is_number(o))
            snprintf(text, sizeof text, "%u", k == 0 ? 2 * option_get(c, o) : k == 1 ? o->max : o->min);
        else if (o->kind == OPTION_BOOL)
            snprintf(text, sizeof text, "%s", k ? "true" : "false");
        else if (!option_value(o, k, text))
            return false;
        if (k > 2 && (is_number(o) || o->kind == OPTION_BOOL)) return false;
        snprintf(assignment, 128, "%s=%s", o->key, text);
        if (!strncmp(text, "x_", 2) || !strcmp(text, "srrip")) continue; /* a policy of the tests alone */
        if (strcmp(now, text) != 0 && config_set(&changed, assignment, &ignored) && config_check(&changed, &ignored))
            return true;
    }
}

struct batch {
    const char *machine;
    char cases[BATCH * 80], keys[BATCH][64];
    uint32_t count;
};

/* Runs them all beside the machine itself: each warns, and no counter differs. */
static void run_batch(struct batch *b)
{
    char path[256];
    if (!b->count) return;
    snprintf(path, sizeof path, "%s/vain.json", scratch());
    struct outcome o = memtwinf("run transpose:width=32,height=32 --quiet --json %s -s sm.count=2 %s --case base: %s",
                                path, b->machine, b->cases);
    expect_status(o, 0);
    json_t *root = json_load_file(path, 0, NULL), *base = json_object_get(json_array_get(root, 0), "counters");
    cr_assert_eq(json_array_size(root), b->count + 1);
    for (uint32_t i = 0; i < b->count; i++) {
        char warning[128];
        snprintf(warning, sizeof warning, "--case c%u: %s has no effect here: it needs ", i, b->keys[i]);
        expect_text(o, warning);
        cr_expect(json_equal(base, json_object_get(json_array_get(root, i + 1), "counters")),
                  "%s: %s is read, though option_use.h says no", b->machine, b->keys[i]);
    }
    json_decref(root);
    b->cases[0] = 0;
    b->count = 0;
}

static void add_case(struct batch *b, const char *key, const char *assignment)
{
    size_t n = strlen(b->cases);
    snprintf(b->cases + n, sizeof b->cases - n, " --case c%u:%s", b->count, assignment);
    snprintf(b->keys[b->count++], sizeof b->keys[0], "%s", key);
    if (b->count == BATCH) run_batch(b);
}

/* `machine`: "-s KEY=VALUE -s KEY=VALUE". */
static void check_machine(const char *machine)
{
    struct config c;
    struct error err = {""};
    char text[512], *save, missing[CONDITION_TEXT];
    uint32_t count, unread = 0;
    const struct config_option *o = option_list(&count);
    static struct batch b;
    b = (struct batch){.machine = machine};
    config_default(&c);
    snprintf(text, sizeof text, "%s", machine);
    for (char *w = strtok_r(text, " ", &save); w; w = strtok_r(NULL, " ", &save))
        if (strcmp(w, "-s")) cr_assert(config_set(&c, w, &err), "%s", err.text);
    for (uint32_t i = 0; i < count; i += EVERY) {
        if (option_is_read(&c, 1, &o[i], missing)) continue;
        unread++;
        char assignment[128];
        struct config changed = c;
        if (other_value(&c, &o[i], assignment) && config_set(&changed, assignment, &err) &&
            !option_is_read(&changed, 1, &o[i], missing))
            add_case(&b, o[i].key, assignment);
    }
    run_batch(&b);
    cr_expect_gt(unread, 20 / EVERY, "%s: %u options are not read", machine, unread);
}

Test(cli_in_vain, an_option_that_is_not_read_warns_and_changes_nothing)
{
    check_machine("");
    check_machine("-s l1d.mshr.kind=dl_mshr -s l2.mshr.kind=dl_mshr -s l2.input=cart -s sm.scheduler=swl");
    check_machine("-s l1d.enable=false -s l2.input=bank_reorder -s sm.scheduler=two_level -s dram.refresh=true");
    check_machine("-s l1d.bypass.mode=bpg -s sm.scheduler=lrr -s cke.scheme=smil");
    check_machine("-s l1d.bypass.mode=off -s cke.scheme=dmil");
    check_machine("-s l1d.bypass.mode=off -s l1d.replacement=pdp");
}

Test(cli_in_vain, nor_does_one_of_unified_memory)
{
    check_machine("-s uvm.enable=true -s uvm.fault_ns=50");
    check_machine("-s uvm.enable=true -s uvm.fault_ns=50 -s uvm.prefetch=cap -s uvm.oversubscribe_percent=1");
    check_machine("-s uvm.enable=true -s uvm.fault_ns=50 -s uvm.evict=ture -s uvm.lease_unit=0 -s tlb.l2.ways=0");
}

Test(cli_in_vain, one_that_some_case_reads_does_not_warn)
{
    struct outcome o = memtwin("run vecadd:n=1000 -q -s sm.count=2 -s l1d.dl_mshr.sets=96 --case a: "
                               "--case b:l1d.mshr.kind=dl_mshr");
    expect_status(o, 0);
    cr_expect_str_empty(o.text);
    o = memtwin("run vecadd:n=1000 -q --preset uvm-002-t4.1 --preset dlmshr -s sm.count=2");
    cr_expect_str_empty(o.text, "%s", o.text);
    o = memtwin("run vecadd:n=1000 -q -s sm.count=2 -s l1d.dl_mshr.sets=96");
    expect_text(o, "memtwin: warning: --set: l1d.dl_mshr.sets has no effect here: it needs l1d.mshr.kind=dl_mshr");
    o = memtwin("config -s pcie.mibps_4k=7");
    expect_text(o, "warning: --set: pcie.mibps_4k has no effect here: it needs uvm.enable=true");
    o = memtwin("cke vecadd:n=1000 vecadd:n=1000 -s cke.cycles=9000 -q -s sm.count=2 --case a:cke.limit2=3");
    expect_text(o, "warning: --case a: cke.limit has no effect here: it needs 3 or more workloads (memtwin cke)");
}

#define ACCESSES "0 R 0\n1 W 128\n1 R 4096\n90 R 64\n2000 R 8192\n"
#define CYCLES "R 1 10\nR 1 11\nF 1\nW 2\n.\nF 2\n"

/* The probe's output; `options` stand behind the component. */
static struct outcome probe(const char *component, const char *options)
{
    return memtwinf("probe %s %s <<'END'\n%sEND", component, options, strstr(component, "mshr") ? CYCLES : ACCESSES);
}

/* One by one: it refuses an option, or some have an effect.  All that it refuses, changed at once by a config file,
 * have none. */
static void check_component(const char *component)
{
    struct config c, all;
    struct error err = {""};
    char options[512], assignment[128], path[256], section[32] = "";
    uint32_t count, refused = 0, effects = 0;
    const struct config_option *o = option_list(&count);
    const struct outcome base = probe(component, "");
    config_default(&c);
    all = c;
    snprintf(path, sizeof path, "%s/p.ini", scratch());
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    for (uint32_t i = 0; i < count; i++) {
        if (effects && i % EVERY) continue;
        if (!other_value(&all, &o[i], assignment)) continue;
        snprintf(options, sizeof options, "-s %s", assignment);
        struct outcome set = probe(component, options);
        effects += set.status == 0 && strcmp(base.text, set.text) != 0;
        if (set.status == 0 || strstr(set.text, "does not read") == NULL) continue;
        cr_assert(config_set(&all, assignment, &err));
        refused++;
        const char *dot = strchr(o[i].key, '.');
        snprintf(section, sizeof section, "%.*s", (int)(dot - o[i].key), o[i].key);
        fprintf(f, "[%s]\n%s\n", section, assignment + strlen(section) + 1);
    }
    fclose(f);
    snprintf(options, sizeof options, "--config %s", path);
    cr_expect_str_eq(probe(component, options).text, base.text, "probe %s reads an option that it refuses", component);
    cr_expect_gt(refused, 50 / EVERY, "probe %s: %u refused", component, refused);
    cr_expect_geq(effects, 1, "probe %s: %u with an effect", component, effects);
}

Test(cli_in_vain, a_probe_refuses_what_it_does_not_read_l1d)
{
    check_component("l1d");
}

Test(cli_in_vain, a_probe_refuses_what_it_does_not_read_dram)
{
    check_component("dram");
}

Test(cli_in_vain, a_probe_refuses_what_it_does_not_read_mshr)
{
    check_component("mshr");
}

Test(cli_in_vain, a_probe_refuses_what_it_does_not_read_dl_mshr_of_the_l2)
{
    check_component("dl_mshr --cache l2");
}

Test(cli_in_vain, a_probe_says_what_an_option_needs)
{
    expect_end("probe dram --latency 5 </dev/null", 2, "--latency: probe dram does not accept it");
    expect_end("probe l1d --cache l2 </dev/null", 2, "--cache: probe l1d does not accept it");
    expect_end("probe mshr -s l2.mshr.entries=4 </dev/null", 2,
               "does not read l2.mshr.entries here: it needs --cache l2");
    expect_end("probe mshr -s dram.banks=4 </dev/null", 2, "does not read dram.banks here: it needs another component");
    expect_end("probe l1d -s l1d.dl_mshr.sets=4 </dev/null", 2, "it needs l1d.mshr.kind=dl_mshr");
    expect_end("cke vecadd vecadd --partition best -s cke.blocks1=2", 1,
               "--partition best: found cke.blocks1 = 2, expected 0");
}
