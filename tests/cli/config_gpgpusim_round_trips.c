/* SPDX-License-Identifier: Apache-2.0 */
/* A machine that memtwin writes in the words of GPGPU-Sim is the same when it is read back, but for the options that
 * the writer says it cannot express. */
#include <sys/stat.h>

#include "base/rng.h"
#include "command_line.h"
#include "system/config/options.h"

static FILE *new_file(const char *folder, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", scratch(), folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", scratch(), folder, name);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f, "%s", path);
    return f;
}

static void write_ini(const struct config *c, const char *name)
{
    uint32_t count;
    const struct config_option *o = option_list(&count);
    FILE *f = new_file("trip", name);
    for (uint32_t i = 0; i < count; i++) {
        char text[OPTION_TEXT];
        option_text(c, &o[i], text);
        fprintf(f, "%s = %s\n", o[i].key, text);
    }
    fclose(f);
}

static void keep(const char *text, const char *name)
{
    FILE *f = new_file("trip", name);
    fputs(text, f);
    fclose(f);
}

static void expect_round_trip(const struct config *before, const char *what)
{
    static int number;
    struct config after;
    struct error err = {""};
    char path[256], a[OPTION_TEXT], b[OPTION_TEXT];
    uint32_t count;
    const struct config_option *o = option_list(&count);
    write_ini(before, "before.ini");
    struct outcome wrote =
        memtwinf("config -c %s/trip/before.ini --format gpgpusim -o %s/trip/%d", scratch(), scratch(), ++number);
    expect_status(wrote, 0);
    struct outcome back = memtwinf("config --from %s/trip/%d/gpgpusim.config", scratch(), number);
    expect_status(back, 0);
    cr_expect_null(strstr(back.text, ": unknown"), "%s:\n%s", what, back.text);
    keep(back.text, "after.ini");
    config_default(&after);
    snprintf(path, sizeof path, "%s/trip/after.ini", scratch());
    cr_assert(config_file(&after, NULL, path, &err), "%s: %s", what, err.text);
    for (uint32_t i = 0; i < count; i++) {
        option_text(before, &o[i], a);
        option_text(&after, &o[i], b);
        cr_expect_str_eq(a, b, "%s: %s: wrote %s, read %s", what, o[i].key, a, b);
    }
}

Test(cli_gpgpusim_and_back, every_preset_comes_back)
{
    for (uint32_t i = 0; i < preset_count(); i++) {
        struct config c;
        struct error err = {""};
        config_default(&c);
        cr_assert(config_preset(&c, NULL, preset_get(i)->name, &err), "%s", err.text);
        expect_round_trip(&c, preset_get(i)->name);
    }
}

/* Other tests register policies of their own, which the program does not have. */
static bool is_of_the_program(const char *policy)
{
    static char list[sizeof((struct outcome *)0)->text];
    char word[OPTION_TEXT + 4];
    if (!*list) snprintf(list, sizeof list, "%s", memtwin("list policies").text);
    snprintf(word, sizeof word, "\n  %s ", policy);
    return strstr(list, word) != NULL;
}

static void set_random(struct config *c, const struct config_option *o, struct rng *rng)
{
    char assignment[128], value[OPTION_TEXT];
    struct error ignored = {""};
    uint32_t values = 0;
    while (option_value(o, values, value)) values++;
    if (values)
        option_value(o, (uint32_t)rng_below(rng, values), value);
    else if (o->kind == OPTION_BOOL)
        snprintf(value, sizeof value, "%s", rng_below(rng, 2) ? "true" : "false");
    else {
        const uint32_t most = o->max < 4096 ? o->max : 4096, any = o->min + (uint32_t)rng_below(rng, most - o->min + 1);
        uint32_t power = o->min ? o->min : 1;
        while (power * 2 <= any) power *= 2;
        const bool decimals = o->kind == OPTION_DECIMAL && rng_below(rng, 2);
        snprintf(value, sizeof value, "%u%s", rng_below(rng, 2) ? power : any, decimals ? ".125" : "");
    }
    if (o->kind == OPTION_POLICY && !is_of_the_program(value)) return;
    snprintf(assignment, sizeof assignment, "%s=%s", o->key, value);
    config_set(c, assignment, &ignored);
}

/* Machines of any options of SM, L1D, crossbar, partitions, L2 and DRAM. */
Test(cli_gpgpusim_and_back, random_machines_come_back)
{
    uint32_t count, made = 0;
    const struct config_option *o = option_list(&count);
    struct rng rng;
    rng_seed(&rng, 7);
    for (int trial = 0; made < 25 && trial < 4000; trial++) {
        struct config c;
        struct error err = {""};
        char what[32];
        config_default(&c);
        config_preset(&c, NULL, preset_get((uint32_t)rng_below(&rng, preset_count()))->name, &err);
        for (int i = 0; i < 20; i++) {
            const struct config_option *one = &o[rng_below(&rng, count)];
            if (strncmp(one->key, "cke.", 4) && strncmp(one->key, "uvm.", 4)) set_random(&c, one, &rng);
        }
        if (!config_check(&c, &err)) continue;
        snprintf(what, sizeof what, "machine %d", trial);
        expect_round_trip(&c, what);
        made++;
    }
    cr_expect_eq(made, 25);
}

/* Options that no line can express stand in comments; a line that was changed since then holds nevertheless. */
Test(cli_gpgpusim_and_back, a_changed_line_overrules_a_comment)
{
    struct outcome o = memtwinf("config -s l2.latency=90 -s sm.lsu_queue=9 --format gpgpusim -o %s/changed", scratch());
    expect_status(o, 0);
    o = memtwinf("config --from %s/changed/gpgpusim.config", scratch());
    expect_text(o, "latency = 90 ");
    expect_text(o, "lsu_queue = 9 ");
    expect_text(o, ", of which changed lines replace 0\n");
    o = memtwinf("config -c %s/changed/gpgpusim.config --sources", scratch());
    expect_text(o, "changed/gpgpusim.config:");
    o = memtwinf("list kernels >/dev/null && sed -i 's/^-gpgpu_l2_rop_latency [0-9]*/-gpgpu_l2_rop_latency 50/' "
                 "%s/changed/gpgpusim.config",
                 scratch());
    expect_status(o, 0);
    o = memtwinf("config --from %s/changed/gpgpusim.config", scratch());
    expect_status(o, 0);
    expect_text(o, "\nlatency = 1 ");
    expect_text(o, "rop_latency = 55 ");
    expect_text(o, "lsu_queue = 9 ");
    expect_text(o, ", of which changed lines replace 2\n");
    o = memtwinf("list kernels >/dev/null && sed -i 's/^# memtwin: sm.lsu_queue = 9/# memtwin: sm.lsu_queue = x/' "
                 "%s/changed/gpgpusim.config",
                 scratch());
    o = memtwinf("config --from %s/changed/gpgpusim.config", scratch());
    expect_status(o, 2);
    expect_text(o, ": sm.lsu_queue: found \"x\", allowed: 1..64");
}
