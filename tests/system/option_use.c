/* SPDX-License-Identifier: Apache-2.0 */
/* Options that a machine reads and blocks that it has: option_use.h compared with the machine that is built. */
#include "system/config/option_use.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "system/block/block_ops.h"
#include "system/run.h"
#include "trace/kernels.h"

static bool names_an_option(const char *of)
{
    uint32_t count;
    const struct config_option *o = option_list(&count);
    size_t n = strlen(of);
    for (uint32_t i = 0; i < count; i++)
        if (of[n - 1] == '.' ? !strncmp(o[i].key, of, n) : !strcmp(o[i].key, of)) return true;
    return false;
}

Test(option_use, every_condition_is_of_something_that_there_is)
{
    for (uint32_t i = 0; condition_of_option(i); i++)
        cr_expect(names_an_option(condition_of_option(i)), "no option %s", condition_of_option(i));
    for (uint32_t i = 0; condition_of_block(i); i++)
        cr_expect(block_find(condition_of_block(i)), "no block %s", condition_of_block(i));
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

Test(option_use, a_meaning_that_begins_with_values_is_a_condition)
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
    expect_missing("cke.scheme", 1, "cke.scheme=qbmi", "workloads!=1 or cke.scheme=plain|smil|dmil|qbmi_dmil");
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

static void take_block(void *context, const char *block, const char *face, const char *unit)
{
    struct built *b = context;
    cr_expect_str_eq(face, "model", "%s", unit);
    if (is_built(b, block)) return;
    cr_assert_lt(b->count, 16);
    snprintf(b->names[b->count++], sizeof b->names[0], "%s", block);
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
    struct run_setup setup = {.config = c, .restart = again, .restart_context = open, .observer = &observer};
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

/* Units of the machine, one behind the other. */
static void take_unit(void *context, const char *block, const char *face, const char *unit)
{
    char *units = context;
    (void)block, (void)face;
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
    struct run_setup setup = {.config = c, .restart = again, .restart_context = open, .observer = &observer};
    setup.source = again(open, 0, &err);
    setup.beside[0] = again(open, 1, &err);
    cr_assert(run_workload(&setup, &stats, &err), "%s", err.text);
    for (uint32_t w = 0; w < 2; w++) open[w]->ops->close(open[w]);
    static const char *const expected[] = {"sm.0.milg0 ",   "sm.0.milg1 ", "sm.0.qbmi ", "l1d.0 ",      "l1d.0.index ",
                                           "l1d.0.bypass ", "l2.0 ",       "l2.1 ",      "l2.0.index ", "l2.1.index "};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        cr_expect_not_null(strstr(units, expected[i]), "found %s, expected %s among them", units, expected[i]);
}
