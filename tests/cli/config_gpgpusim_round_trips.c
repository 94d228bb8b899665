/* SPDX-License-Identifier: Apache-2.0 */
/* A machine that memtwin writes in the words of GPGPU-Sim is the same when it is read back, but for the options that
 * the writer says it cannot express. */
#include <sys/stat.h>

#include "base/rng.h"
#include "command_line.h"
#include "system/config/option_use.h"

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

#define LINE(there, plain, read, here, ...) here,
#define ALSO(there, here, instead, ...) here,
static const char *const lines[] = {
#define WITH_ICNT
#include "cli/gpgpusim.def"
};
#define SAME(here, why) here " "
static const char same[] =
#include "cli/gpgpusim.def"
    ;

static bool has_word(const char *words, const char *key)
{
    for (const char *at = strstr(words, key); at; at = strstr(at + 1, key))
        if ((at == words || at[-1] == ' ') && strchr(" ", at[strlen(key)])) return true;
    return false;
}

/* Whether the writer said that it cannot express the option, or its section. */
static bool is_gap(const char *gaps, const char *key)
{
    for (const char *line = gaps; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        const size_t n = strcspn(line, " :*");
        if (line[n] == '*' ? !strncmp(line, key, n) : strlen(key) == n && !strncmp(line, key, n)) return true;
    }
    return false;
}

/* The writer names this section if a read bypasses.  Without an L1D, all do: then some of its options still have an
 * effect. */
static bool is_idle_bypass(const struct config *c, const char *key)
{
    return !strncmp(key, "l1d.bypass.", 11) &&
           (c->l1d_enable || (strcmp(key, "l1d.bypass.path") && strcmp(key, "l1d.bypass.slots")));
}

/* ... or another option of the same line. */
static bool shares_gap(const struct config *before, const char *gaps, const char *key)
{
    if (is_gap(gaps, key) || has_word(same, key)) return true;
    if (is_idle_bypass(before, key)) return true;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char word[64];
        if (!has_word(lines[i], key)) continue;
        for (const char *at = lines[i]; *at; at += strspn(at, " ")) {
            snprintf(word, sizeof word, "%.*s", (int)strcspn(at, " "), at);
            at += strlen(word);
            if (is_gap(gaps, word)) return true;
        }
    }
    return false;
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
    static struct outcome gaps;
    struct config after;
    struct error err = {""};
    char path[256], missing[CONDITION_TEXT], a[OPTION_TEXT], b[OPTION_TEXT];
    uint32_t count;
    const struct config_option *o = option_list(&count);
    write_ini(before, "before.ini");
    gaps = memtwinf("config -c %s/trip/before.ini --format gpgpusim -o %s/trip/%d", scratch(), scratch(), ++number);
    expect_status(gaps, 0);
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
        cr_expect(!strcmp(a, b) || !option_is_read(before, 1, &o[i], missing) ||
                      shares_gap(before, gaps.text, o[i].key),
                  "%s: %s: wrote %s, read %s", what, o[i].key, a, b);
    }
    /* Written again, the lines are the same, but for those of an atom that the reference cannot have. */
    if (is_gap(gaps.text, "dram.atom_bytes")) return;
    memtwinf("config -c %s/trip/after.ini --format gpgpusim -o %s/trip/%d-again", scratch(), scratch(), number);
    struct outcome same_lines = memtwinf("list kernels >/dev/null; for f in gpgpusim.config memtwin.icnt; do sed 's/[ "
                                         "]*[#/].*//; /^$/d' %s/trip/%d/$f >%s/trip/a; "
                                         "sed 's/[ ]*[#/].*//; /^$/d' %s/trip/%d-again/$f | diff %s/trip/a -; done",
                                         scratch(), number, scratch(), scratch(), number, scratch());
    cr_expect_str_eq(same_lines.text, "", "%s: other lines when written again:\n%s", what, same_lines.text);
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
        snprintf(value, sizeof value, "%u", rng_below(rng, 2) ? power : any);
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
