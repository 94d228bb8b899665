/* SPDX-License-Identifier: Apache-2.0 */
/* Every value of every machine says where it comes from. */
#include <criterion/criterion.h>
#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "ini_file.h"
#include "system/config/source.h"

static struct config c;
static struct sources s;

static const char *of(const char *key)
{
    uint32_t count;
    return s.of[option_find(key) - option_list(&count)];
}

static bool read_ini(const char *text, char path[INI_PATH], struct error *err)
{
    config_default(&c);
    sources_default(&s);
    return ini_read(text, &c, &s, path, err);
}

/* A paper by its key (`make check` resolves it), or a choice with its reason. */
static void check_all(const char *machine)
{
    regex_t form;
    uint32_t count;
    const struct config_option *o = option_list(&count);
    cr_assert_eq(regcomp(&form, "^([A-Z][a-z]+([A-Z][a-z]+)?[0-9]{2}([,: ]|$)|chosen: [^ ])", REG_EXTENDED | REG_NOSUB),
                 0);
    for (uint32_t i = 0; i < count; i++)
        cr_expect_eq(regexec(&form, s.of[i], 0, NULL, 0), 0, "%s: %s: found the source \"%s\"", machine, o[i].key,
                     s.of[i]);
    regfree(&form);
}

Test(config_sources, every_default_and_every_value_of_a_preset_has_one)
{
    for (uint32_t i = 0; i < preset_count(); i++) {
        struct error err = {""};
        config_default(&c);
        sources_default(&s);
        check_all("defaults");
        cr_assert(config_preset(&c, &s, preset_get(i)->name, &err), "%s", err.text);
        check_all(preset_get(i)->name);
    }
}

Test(config_sources, a_file_names_the_source_of_the_lines_below)
{
    struct error err = {""};
    char path[INI_PATH];
    cr_assert(
        read_ini(
            "preset = sound\nsource = Dai17, table 9\n[l1d]\nsets = 64\nways = 2 ; 16 KB\n"
            "latency = 30 ; from Gu20, table 1\nmiss_queue = 9 ; chosen: one\n   ; more # than 8\n; no part of it\n"
            "flush = false\n[dram]\nbanks = 8\nsource = Liang17, table II\nt.rp = 9",
            path, &err),
        "%s", err.text);
    cr_expect_str_eq(of("l1d.sets"), "Dai17, table 9");
    cr_expect_str_eq(of("l1d.ways"), "Dai17, table 9: 16 KB");
    cr_expect_str_eq(of("l1d.latency"), "Gu20, table 1");
    cr_expect_str_eq(of("l1d.miss_queue"), "chosen: one more # than 8");
    cr_expect_str_eq(of("l1d.flush"), "Dai17, table 9");
    cr_expect_str_eq(of("dram.banks"), "Dai17, table 9");
    cr_expect_str_eq(of("dram.t.rp"), "Liang17, table II");
    cr_expect_str_eq(of("l1d.mshr.entries"), "Dai17, section 3.9", "of the preset");
    cr_expect_str_eq(of("sm.count"), "Dai17, table 3", "of the preset's own base");
    cr_expect_str_eq(of("tlb.l1.sets"), "chosen: a small TLB of 64 entries", "the default");
}

Test(config_sources, a_file_that_names_none_is_the_source_itself)
{
    struct error err = {""};
    char path[INI_PATH], wanted[64];
    cr_assert(read_ini("[l1d]\n; a comment\nways = 2 ; ways (1..512)\n", path, &err), "%s", err.text);
    snprintf(wanted, sizeof wanted, "%s:3", path);
    cr_expect_str_eq(of("l1d.ways"), wanted);
}

static void expect_error(const char *line, const char *message)
{
    struct error err = {""};
    char path[INI_PATH], text[1024];
    snprintf(text, sizeof text, "source = Dai17\n[l1d]\nways = 2%s\n", line);
    cr_expect_not(read_ini(text, path, &err), "accepted: %s", line);
    cr_expect(strstr(err.text, message), "expected \"%s\" in \"%s\"", message, err.text);
}

Test(config_sources, a_choice_without_a_reason_is_an_error)
{
    char longest[256];
    expect_error(" ; chosen", ":3: found \"; chosen\", expected \"; chosen: REASON\"");
    expect_error(" ; chosen:", ":3: found \"; chosen:\", expected \"; chosen: REASON\"");
    expect_error(" ; from", ":3: found \"; from\", expected \"; from SOURCE\"");
    memset(longest, 'x', sizeof longest);
    memcpy(longest, " ; ", 3);
    longest[255] = 0;
    expect_error(longest, ":3: a source of 259 characters; at most 255");
}
