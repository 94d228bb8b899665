/* SPDX-License-Identifier: Apache-2.0 */
/* Options that a machine reads and blocks that it has: option_use.h compared with the machine that is built. */
#include "system/config/option_use.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "system/block/block_ops.h"
#include "system/run.h"
#include "trace/kernels.h"

/* A part of a condition's text, up to `end`; the rest follows. */
static bool next_part(const char **rest, const char *end, char part[static CONDITION_TEXT])
{
    if (!**rest) return false;
    const char *at = strstr(*rest, end);
    const size_t n = at ? (size_t)(at - *rest) : strlen(*rest);
    cr_assert_lt(n, CONDITION_TEXT, "longer than a message: %s", *rest);
    snprintf(part, CONDITION_TEXT, "%.*s", (int)n, *rest);
    *rest += n + (at ? strlen(end) : 0);
    return true;
}

static bool is_number(const struct config_option *o)
{
    return o->kind == OPTION_UINT || o->kind == OPTION_DECIMAL || o->kind == OPTION_LIST;
}

static bool is_value(const struct config_option *o, const char *value)
{
    if (!o) return strspn(value, "12345678") == 1; /* workloads */
    if (is_number(o)) return strspn(value, "0123456789") == strlen(value);
    return o->kind == OPTION_BOOL ? !strcmp(value, "true") || !strcmp(value, "false") : option_has_value(o, value);
}

/* "KEY=VALUE|VALUE" or "KEY!=VALUE|VALUE": calls `see` with each value. */
static void each_value(const struct config_option *of, const char *term,
                       void (*see)(const struct config_option *of, const char *key, const char *value))
{
    char key[CONDITION_TEXT], value[CONDITION_TEXT];
    const char *values = term + strcspn(term, "=") + 1;
    snprintf(key, sizeof key, "%.*s", (int)strcspn(term, "!="), term);
    cr_assert(strchr(term, '=') && *values, "%s: found %s, expected KEY=VALUE", of->key, term);
    while (next_part(&values, "|", value)) see(of, key, value);
}

static void each_term(const struct config_option *of, void (*see)(const struct config_option *of, const char *term))
{
    char condition[CONDITION_TEXT], term[CONDITION_TEXT];
    for (const char *needs = of->needs ? of->needs : ""; next_part(&needs, "; ", condition);)
        for (const char *one = condition; next_part(&one, " or ", term);) see(of, term);
}

static void exists(const struct config_option *of, const char *key, const char *value)
{
    const struct config_option *o = option_find(key);
    cr_expect(o || !strcmp(key, "workloads"), "%s: no option %s", of->key, key);
    cr_expect(is_value(o, value), "%s: %s has no value %s", of->key, key, value);
}

static void names_something(const struct config_option *of, const char *term)
{
    each_value(of, term, exists);
}

Test(option_use, every_condition_is_of_something_that_there_is)
{
    uint32_t count;
    const struct config_option *o = option_list(&count);
    for (uint32_t i = 0; i < count; i++) each_term(&o[i], names_something);
    for (uint32_t i = 0; condition_of_block(i); i++)
        cr_expect(block_find(condition_of_block(i)), "no block %s", condition_of_block(i));
}

/* Whether this value of an option divides a machine between workloads. */
static bool is_of_several(const struct config_option *o, const char *value)
{
    char one[CONDITION_TEXT];
    for (const char *rest = o->several ? o->several : ""; next_part(&rest, "|", one);)
        if (!strcmp(one, "*") || !strcmp(one, value)) return true;
    return false;
}

/* An option of several workloads that needs a value needs one of several workloads, too; and so is one that needs
 * several workloads. */
static void is_covered(const struct config_option *of, const char *key, const char *value)
{
    const struct config_option *o = option_find(key);
    if (!o)
        cr_expect_not_null(of->several, "%s needs workloads, and a run alone keeps it", of->key);
    else if (of->several && !strcmp(of->several, "*") && o != of)
        cr_expect(is_of_several(o, value), "%s: a run alone keeps %s=%s", of->key, key, value);
}

static void term_is_covered(const struct config_option *of, const char *term)
{
    if (!strstr(term, "!=") || !strncmp(term, "workloads", strlen("workloads"))) each_value(of, term, is_covered);
}

Test(option_use, a_run_alone_resets_every_option_of_several_workloads)
{
    uint32_t count;
    const struct config_option *o = option_list(&count);
    for (uint32_t i = 0; i < count; i++) {
        const char *rest = o[i].several;
        char value[CONDITION_TEXT];
        each_term(&o[i], term_is_covered);
        if (!strncmp(o[i].key, "cke.", strlen("cke.")) && strcmp(o[i].key, "cke.cycles") &&
            strcmp(o[i].key, "cke.kernels"))
            cr_expect(rest && !strcmp(rest, "*"), "%s: a run alone keeps it", o[i].key);
        while (rest && strcmp(rest, "*") && next_part(&rest, "|", value))
            cr_expect(option_has_value(&o[i], value), "%s has no value %s", o[i].key, value);
    }
}

/* "key=value" with its k-th value; false past the last. */
static bool nth_assignment(const struct config_option *o, uint32_t k, char assignment[static CONDITION_TEXT])
{
    char value[OPTION_TEXT];
    if ((is_number(o)) && k < 2)
        snprintf(value, sizeof value, "%u", k ? o->max : o->min);
    else if (o->kind == OPTION_BOOL && k < 2)
        snprintf(value, sizeof value, "%s", k ? "true" : "false");
    else if (is_number(o) || o->kind == OPTION_BOOL || !option_value(o, k, value))
        return false;
    snprintf(assignment, CONDITION_TEXT, "%s=%s", o->key, value);
    return true;
}

Test(option_use, the_machine_of_a_run_alone_keeps_all_other_options)
{
    uint32_t count;
    const struct config_option *o = option_list(&count);
    char assignment[CONDITION_TEXT], now[OPTION_TEXT], alone_text[OPTION_TEXT];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; nth_assignment(&o[i], k, assignment); k++) {
            struct config c, alone, plain;
            struct error err = {""};
            config_default(&plain);
            c = plain;
            cr_assert(config_set(&c, assignment, &err), "%s", err.text);
            alone = c;
            config_alone(&alone);
            option_text(&c, &o[i], now);
            option_text(&alone, &o[i], alone_text);
            if (!is_of_several(&o[i], now))
                cr_expect(!memcmp(&alone, &c, sizeof c), "%s: a run alone changes the machine", assignment);
            else if (o[i].alone)
                cr_expect_str_eq(alone_text, o[i].alone, "%s", assignment);
            else
                cr_expect(!memcmp(&alone, &plain, sizeof c), "%s: a run alone keeps %s", assignment, alone_text);
        }
}

static bool has_condition(const char *block)
{
    for (uint32_t i = 0; condition_of_block(i); i++)
        if (!strcmp(condition_of_block(i), block)) return true;
    return false;
}

Test(option_use, blocks_and_parts_of_blocks_have_conditions)
{
    cr_expect(has_condition("gmmu"));
    cr_expect(has_condition("lease_table"));
    cr_expect_not(has_condition("l1d"));
}

Test(option_use, a_value_without_a_name_is_a_question_mark)
{
    struct config c;
    char text[OPTION_TEXT];
    config_default(&c);
    c.l1d_mshr_kind = 99;
    option_text(&c, option_find("l1d.mshr.kind"), text);
    cr_expect_str_eq(text, "?");
}

static void expect_missing(const char *key, uint32_t workloads, const char *assignment, const char *wanted)
{
    struct config c;
    struct error err = {""};
    char missing[CONDITION_TEXT] = "";
    config_default(&c);
    cr_assert(!assignment || config_set(&c, assignment, &err), "%s", err.text);
    bool read = option_is_read(&c, workloads, option_find(key), missing);
    cr_expect_eq(read, !wanted, "%s, %s: read %d", key, assignment ? assignment : "", read);
    if (wanted) cr_expect_str_eq(missing, wanted);
}

Test(option_use, conditions_may_be_of_the_policy_of_a_section)
{
    expect_missing("l1d.dl_mshr.sets", 1, NULL, "l1d.mshr.kind=dl_mshr");
    expect_missing("l1d.dl_mshr.sets", 1, "l1d.mshr.kind=dl_mshr", NULL);
    expect_missing("l1d.mshr.entries", 1, NULL, NULL);
    expect_missing("l2.input_refused", 1, NULL, "l2.input=bank_reorder|cart");
    expect_missing("l2.input_refused", 1, "l2.input=cart", NULL);
    expect_missing("l2.bank_reorder.queues", 1, "l2.input=cart", "l2.input=bank_reorder");
    expect_missing("l1d.mrpb.queues", 1, NULL, "l1d.input=mrpb");
    expect_missing("l1d.mrpb.queues", 1, "l1d.input=mrpb", NULL);
    expect_missing("sm.swl_warps", 1, NULL, "sm.scheduler=swl");
    expect_missing("cke.limit1", 2, NULL, "cke.scheme=smil");
    expect_missing("cke.rf_bits", 2, "cke.scheme=qbmi_dmil", NULL);
    expect_missing("l2.mshr.data_bits", 1, "l2.mshr.kind=dl_mshr", NULL);
}

Test(option_use, conditions_may_be_of_other_sections_and_of_numbers)
{
    expect_missing("uvm.seed", 1, NULL, "uvm.enable=true");
    expect_missing("uvm.enable", 1, NULL, NULL);
    expect_missing("pcie.mibps_4k", 1, "uvm.enable=true", NULL);
    expect_missing("uvm.seed", 1, "uvm.enable=true", "uvm.prefetch=rp or uvm.evict=re");
    expect_missing("dram.t.refi", 1, NULL, "dram.refresh=true");
    expect_missing("cke.scheme", 1, "cke.scheme=qbmi",
                   "two or more workloads (memtwin cke) or cke.scheme=plain|smil|dmil|qbmi_dmil");
    expect_missing("cke.scheme", 2, "cke.scheme=qbmi", NULL);
}

/* The blocks of a machine as it reports them. */
struct built {
    char names[16][32];
    uint32_t count;
};

static bool is_built(const struct built *b, const char *name)
{
    for (uint32_t i = 0; i < b->count; i++)
        if (!strcmp(b->names[i], name)) return true;
    return false;
}

static void take_block(void *context, const struct block_ops *ops, const void *cfg, const char *unit)
{
    (void)cfg;
    struct built *b = context;
    cr_expect_str_eq(ops->face, "model", "%s", unit);
    if (is_built(b, ops->name)) return;
    cr_assert_lt(b->count, 16);
    snprintf(b->names[b->count++], sizeof b->names[0], "%s", ops->name);
}

/* The source of each workload; one that starts again takes the place of the one before. */
static struct source *again(void *context, uint32_t workload, struct error *err)
{
    struct source **open = context;
    if (open[workload]) open[workload]->ops->close(open[workload]);
    open[workload] = kernel_open("vecadd:n=256,align=2097152", 1, err);
    return open[workload];
}

static void check_machine(const char *const *assignments, uint32_t workloads)
{
    struct config c;
    struct error err = {""};
    struct stats stats;
    struct built built = {.count = 0};
    const struct observer observer = {.block = take_block, .context = &built};
    config_default(&c);
    c.sm_count = 1;
    if (workloads > 1) c.cke_cycles = 2000;
    for (; *assignments; assignments++) cr_assert(config_set(&c, *assignments, &err), "%s", err.text);
    struct source *open[MAX_WORKLOADS] = {NULL};
    struct run_setup setup = {.config = c, .restart = again, .context = open, .observer = &observer};
    setup.source = again(open, 0, &err);
    for (uint32_t w = 1; w < workloads; w++) setup.beside[w - 1] = again(open, w, &err);
    cr_assert(run_workload(&setup, &stats, &err), "%s", err.text);
    for (uint32_t w = 0; w < workloads; w++) open[w]->ops->close(open[w]);
    uint32_t count;
    const struct block_ops *const *list = block_list(&count);
    for (uint32_t i = 0; i < count; i++) {
        char missing[CONDITION_TEXT];
        cr_expect_eq(block_is_at_work(&c, workloads, list[i]->name, missing), is_built(&built, list[i]->name),
                     "%s with %s, %u workloads: is built %d", list[i]->name, assignments[-1], workloads,
                     is_built(&built, list[i]->name));
    }
}

Test(option_use, blocks_are_at_work_where_the_machine_builds_them)
{
    static const char *const machines[][4] = {{"sm.count=2"},
                                              {"sm.throttle=dwt"},
                                              {"l1d.mshr.kind=dl_mshr"},
                                              {"l2.mshr.kind=dl_mshr"},
                                              {"l1d.mshr.kind=dl_mshr", "l2.mshr.kind=dl_mshr"},
                                              {"l2.input=cart"},
                                              {"l2.input=bank_reorder"},
                                              {"l1d.bypass.mode=bpg"},
                                              {"l1d.bypass.mode=off"},
                                              {"l1d.input=mrpb"},
                                              {"l1d.replacement=pdp"},
                                              {"l1d.enable=false"},
                                              {"uvm.enable=true"},
                                              {"l1d.sets=1", "l2.sets=1", "partition.count=1"},
                                              {"sm.throttle=smk", "cke.quota0=9", "cke.quota1=9"},
                                              {"l1d.replacement=ucp"},
                                              {"cke.scheme=smil"},
                                              {"cke.scheme=dmil"},
                                              {"cke.scheme=rbmi"},
                                              {"cke.scheme=qbmi"},
                                              {"cke.scheme=qbmi_dmil"}};
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        const bool shared =
            !strcmp(machines[i][0], "sm.throttle=smk") || !strcmp(machines[i][0], "l1d.replacement=ucp");
        if (!shared) check_machine(machines[i], 1);
        const bool alone = !strcmp(machines[i][0], "uvm.enable=true") || !strcmp(machines[i][0], "sm.throttle=dwt");
        if (!alone) check_machine(machines[i], 2);
    }
}

/* Whether so many workloads run on this machine. */
static bool runs(const struct config *c, uint32_t workloads)
{
    struct error err = {""};
    struct stats stats;
    struct source *open[MAX_WORKLOADS] = {NULL};
    struct run_setup setup = {.config = *c, .restart = again, .context = open};
    setup.source = again(open, 0, &err);
    for (uint32_t w = 1; w < workloads; w++) setup.beside[w - 1] = again(open, w, &err);
    const bool ok = run_workload(&setup, &stats, &err);
    for (uint32_t w = 0; w < workloads; w++) open[w]->ops->close(open[w]);
    return ok;
}

/* A policy that needs several workloads refuses one, and no list names it here. */
Test(option_use, a_workload_runs_alone_whatever_divides_the_machine)
{
    uint32_t count, refused = 0;
    const struct config_option *o = option_list(&count);
    char assignment[CONDITION_TEXT];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; !is_number(&o[i]) && nth_assignment(&o[i], k, assignment); k++) {
            struct config c;
            struct error err = {""};
            config_default(&c);
            c.sm_count = 2;
            c.cke_quota[0] = c.cke_quota[1] = 9;
            c.cke_slicer_window = c.cke_smc_period = 100;
            c.cke_blocks[0] = c.cke_blocks[1] = 1;
            cr_assert(config_set(&c, assignment, &err), "%s", err.text);
            if (runs(&c, 1) || !runs(&c, 2)) continue;
            refused++;
            config_alone(&c);
            cr_expect(runs(&c, 1), "%s: a run alone keeps it", assignment);
        }
    cr_expect_geq(refused, 2, "%u values are refused with one workload", refused); /* ucp, smk */
}

/* Units of the machine, one behind the other. */
static void take_unit(void *context, const struct block_ops *ops, const void *cfg, const char *unit)
{
    char *units = context;
    (void)ops, (void)cfg;
    strncat(strncat(units, unit, 4000 - strlen(units)), " ", 4000 - strlen(units));
}

Test(option_use, units_are_named_by_their_place)
{
    static char units[4096];
    struct config c;
    struct error err = {""};
    struct stats stats;
    const struct observer observer = {.block = take_unit, .context = units};
    config_default(&c);
    c.sm_count = 1;
    c.partition_count = 2;
    c.cke_cycles = 100;
    c.cke_scheme = CKE_QBMI_DMIL;
    struct source *open[MAX_WORKLOADS] = {NULL};
    struct run_setup setup = {.config = c, .restart = again, .context = open, .observer = &observer};
    setup.source = again(open, 0, &err);
    setup.beside[0] = again(open, 1, &err);
    cr_assert(run_workload(&setup, &stats, &err), "%s", err.text);
    for (uint32_t w = 0; w < 2; w++) open[w]->ops->close(open[w]);
    static const char *const expected[] = {"sm.0.milg0 ",   "sm.0.milg1 ", "sm.0.qbmi ", "l1d.0 ",      "l1d.0.index ",
                                           "l1d.0.bypass ", "l2.0 ",       "l2.1 ",      "l2.0.index ", "l2.1.index "};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect_not_null(strstr(units, expected[i]), "found %s, expected %s among them", units, expected[i]);
}
