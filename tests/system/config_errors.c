/* SPDX-License-Identifier: Apache-2.0 */
/* A config file that is wrong says where; and changes nothing. */
#include <criterion/criterion.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"
#include "ini_file.h"
#include "system/named.h"

static bool read_ini(const char *text, struct config *c, struct error *err)
{
    char path[INI_PATH];
    *err = (struct error){""};
    return ini_read(text, c, NULL, path, err);
}

static void expect_error(const char *text, const char *message)
{
    struct config c, before;
    struct error err;
    config_default(&c);
    before = c;
    cr_expect_not(read_ini(text, &c, &err), "accepted: %s", text);
    cr_expect(strstr(err.text, message) != NULL, "expected \"%s\" in \"%s\"", message, err.text);
    cr_expect_eq(memcmp(&c, &before, sizeof c), 0, "changed by: %s", text);
}

Test(config_errors, name_the_line)
{
    expect_error("[l1d]\nways = 8\n\nwyas = 4\n", ":4: unknown option \"l1d.wyas\"; the nearest is l1d.ways");
    expect_error("[l1d\n", ":1: found \"[l1d\", expected [section]");
    expect_error("[l1d]\nways 4\n", ":2: found \"ways 4\", expected key = value");
    expect_error("[l1d]\nways = 4\nways = 5\n", ":3: l1d.ways was given already in line 2");
    expect_error("[l1d]\nways = 0x4\n", ":2: l1d.ways: found \"0x4\", allowed: 1..512");
    expect_error("l1d.ways = 4\npreset = sound\n", ":2: preset = sound must come before every option");
    expect_error("preset = snd\n", ":1: unknown preset \"snd\"; the nearest is sound");
    expect_error("[l1d]\n= 4\n", ":2: found \"= 4\", expected a key before '='");
}

Test(config_errors, a_long_line_is_an_error_and_no_overflow)
{
    char text[4096];
    memset(text, 'k', sizeof text);
    memcpy(text + 2000, "=1\n", 4);
    expect_error(text, ":1: a key of 2000 characters; at most 255");
}

Test(config_files, read_sections_comments_and_presets)
{
    struct config c;
    struct error err;
    config_default(&c);
    cr_assert(
        read_ini(
            "; a machine\npreset = sound\n\n[l1d] # ours\nways=8 ; eight\r\nmshr.entries = 96\n[dram]\nrefresh = true",
            &c, &err),
        "%s", err.text);
    cr_expect_eq(c.l1d_ways, 8);
    cr_expect_eq(c.l1d_mshr_entries, 96);
    cr_expect_eq(c.l1d_index, SET_INDEX("bxor"), "of the preset");
    cr_expect_eq(c.dram_refresh, true);
}

Test(config_files, defaults_are_a_preset)
{
    struct config c, d;
    struct error err;
    config_default(&c);
    config_default(&d);
    cr_assert(read_ini("preset = sound\nl1d.ways = 8", &c, &err), "%s", err.text);
    cr_expect_neq(memcmp(&c, &d, sizeof c), 0);
    cr_assert(read_ini("preset = defaults", &c, &err), "%s", err.text);
    cr_expect_eq(memcmp(&c, &d, sizeof c), 0);
}

Test(config_check, finds_what_does_not_fit)
{
    static const char *const wrong[] = {"l2.sets=63",
                                        "partition.interleave=384",
                                        "dram.banks=12",
                                        "dram.bank_groups=16",
                                        "dram.t.ccdl=1",
                                        "dram.t.rc=20",
                                        "dram.row_bytes=256",

                                        "partition.slices=3",
                                        "partition.slice_interleave=64",
                                        "partition.slice_interleave=384",
                                        "partition.map_of=slices",
                                        "l2.write_miss=through",
                                        "l2.write_miss=fetch_partial",
                                        "l2.write_miss=lazy",
                                        "l1d.sector_bytes=31",
                                        "l1d.sector_bytes=32",
                                        "l2.sector_bytes=16",
                                        "l2.input_queue=3",
                                        "partition.map=ipoly",
                                        "l1d.write_miss=lazy",
                                        "l1d.write_miss=words"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct config c;
        struct error err = {""};
        config_default(&c);
        if (!strncmp(wrong[i], "dram.bank_groups", 16)) cr_assert(config_set(&c, "dram.banks=8", &err));
        if (!strcmp(wrong[i], "l2.write_miss=through")) cr_assert(config_set(&c, "l2.miss_queue=2", &err));
        if (!strcmp(wrong[i], "l2.write_miss=fetch_partial")) cr_assert(config_set(&c, "l2.alloc=on_fill", &err));
        if (!strcmp(wrong[i], "l2.write_miss=lazy")) cr_assert(config_set(&c, "l2.alloc=on_fill", &err));
        if (!strcmp(wrong[i], "l1d.sector_bytes=31")) cr_assert(config_set(&c, "sm.coalesce=sector", &err));
        if (!strcmp(wrong[i], "l2.input_queue=3")) cr_assert(config_set(&c, "l2.sector_bytes=32", &err));
        if (!strcmp(wrong[i], "partition.map_of=slices")) cr_assert(config_set(&c, "partition.count=12", &err));
        if (!strcmp(wrong[i], "partition.map=ipoly")) cr_assert(config_set(&c, "partition.count=12", &err));
        if (!strncmp(wrong[i], "l1d.write_miss", 14)) cr_assert(config_set(&c, "l1d.write=through", &err));
        if (!strcmp(wrong[i], "l1d.write_miss=lazy")) cr_assert(config_set(&c, "l1d.alloc=on_fill", &err));
        if (!strcmp(wrong[i], "l1d.write_miss=words")) cr_assert(config_set(&c, "l1d.unbounded=true", &err));
        if (!strncmp(wrong[i], "dram.row", 8)) cr_assert(config_set(&c, "dram.atom_bytes=128", &err));
        cr_assert(config_set(&c, wrong[i], &err), "%s", err.text);
        cr_expect_not(config_check(&c, &err), "accepted: %s", wrong[i]);
        cr_expect(strncmp(err.text, wrong[i], strcspn(wrong[i], "=")) == 0, "\"%s\" does not name %s", err.text,
                  wrong[i]);
    }
}

Test(nearest, counts_edits)
{
    cr_expect_eq(nearest_distance("kitten", "sitting"), 3); /* the textbook's example */
    cr_expect_eq(nearest_distance("", "abc"), 3);
    cr_expect_eq(nearest_distance("abc", "abc"), 0);
    cr_expect_eq(nearest_distance("entires", "entries"), 1); /* a swap */
}

/* Memory that is handed out is full of old bytes. */
Test(config_files, end_where_the_file_ends)
{
    struct config c;
    struct error err;
    config_default(&c);
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_PERTURB, 0x55);
    cr_expect(read_ini("[l1d]\nways = 8", &c, &err), "%s", err.text);
    cr_expect_eq(c.l1d_ways, 8);
}
