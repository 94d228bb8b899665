/* SPDX-License-Identifier: Apache-2.0 */
/* A missing or wrong RTL set is reported by name; no other set is used instead. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mshr.h"
#include "system/block/rtl_set.h"

static const struct mshr_cfg cfg = {MSHR_PARAM(PARAM_DEFAULT)};
static char folder[64];

static void open_folder(void)
{
    char path[128];
    strcpy(folder, "/tmp/memtwin-rtl-XXXXXX");
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/mshr", folder);
    cr_assert_eq(mkdir(path, 0755), 0);
}

static void close_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

TestSuite(rtl_set, .init = open_folder, .fini = close_folder);

/* A shared object with these members of struct rtl_set, and the twin's functions as the RTL's. */
static void make_set(const char *name, const char *members)
{
    char source[128], command[512];
    snprintf(source, sizeof source, "%s/set.c", folder);
    FILE *f = fopen(source, "w");
    cr_assert(f);
    fprintf(f,
            "#include \"system/block/rtl_set.h\"\n#include \"mshr.h\"\n"
            "static const struct mshr_cfg same = {MSHR_PARAM(PARAM_DEFAULT)};\n"
            "static const struct mshr_cfg other = {.Entries = 3, .Slots = 2};\n"
            "const struct rtl_set memtwin_rtl_set = {.cfg = &same, .ops = {.name = \"mshr\", .face = \"rtl\",\n"
            "    .cfg_size = sizeof same, .in_size = sizeof(struct mshr_in), .out_size = sizeof(struct mshr_out)},\n"
            "    .version = RTL_SET_VERSION, %s};\n"
            "const void *unused = &other;\n",
            members);
    fclose(f);
    snprintf(command, sizeof command, "${CC:-cc} -w -shared -fPIC -Icmodel -Icmodel/blocks %s -o %s/mshr/%s && rm %s",
             source, folder, name, source);
    cr_assert_eq(system(command), 0);
}

static void expect_error(const char *text)
{
    struct error err = {""};
    cr_expect_null(block_face("mshr", folder, &cfg, &err));
    cr_expect(strstr(err.text, text), "found \"%s\", expected \"%s\"", err.text, text);
}

Test(rtl_set, the_command_that_builds_it_is_named)
{
    expect_error("mshr: found no RTL with these parameters in ");
    expect_error("expected: make rtl BLOCK=mshr PARAMS=\"Entries=32 Slots=8 ");
}

Test(rtl_set, the_one_with_these_parameters_is_taken)
{
    struct error err = {""};
    make_set("a.so", ".cfg = &other");
    expect_error("expected: make rtl BLOCK=mshr");
    make_set("b.so", ".set = \"b\"");
    const struct block_ops *ops = block_face("mshr", folder, &cfg, &err);
    cr_assert(ops, "%s", err.text);
    cr_expect_str_eq(ops->face, "rtl");
}

Test(rtl_set, without_a_folder_it_is_the_twin)
{
    struct error err = {""};
    cr_expect_str_eq(block_face("mshr", NULL, &cfg, &err)->face, "model");
}

Test(rtl_set, a_file_that_is_no_set_is_an_error)
{
    char path[128];
    snprintf(path, sizeof path, "%s/mshr/a.so", folder);
    FILE *f = fopen(path, "w");
    cr_assert(f);
    fputs("cut off\n", f);
    fclose(f);
    expect_error("mshr/a.so: found no set of RTL, expected one of make rtl BLOCK=mshr");
}

Test(rtl_set, another_version_is_an_error)
{
    make_set("a.so", ".version = 77");
    expect_error("mshr/a.so: found version 77 of a set of RTL, expected");
}

Test(rtl_set, another_block_is_an_error)
{
    make_set("a.so", ".ops.name = \"cart\"");
    expect_error("mshr/a.so: found RTL of cart, expected mshr");
}

Test(rtl_set, other_ports_are_an_error)
{
    make_set("a.so", ".ops.in_size = 1");
    expect_error("mshr/a.so: found other ports than the twin of mshr has");
}

/* RTL of a user is not the block's, and a traced one is slow. */
Test(rtl_set, foreign_and_traced_ones_are_not_taken)
{
    make_set("a.so", ".foreign = true");
    make_set("b.waves.so", ".set = \"b\"");
    expect_error("expected: make rtl BLOCK=mshr");
}

/* ---- BLOCK=PATH: RTL of a user. ---- */

static const struct block_ops *own(const char *path, struct error *err)
{
    char at[192];
    snprintf(at, sizeof at, "%s/%s", folder, path);
    return block_own_face("mshr", at, &cfg, err);
}

static void expect_no_own(const char *path, const char *text)
{
    struct error err = {""};
    cr_expect_null(own(path, &err));
    cr_expect(strstr(err.text, text), "found \"%s\", expected \"%s\"", err.text, text);
}

Test(rtl_set, rtl_of_a_user_is_taken_from_its_file_or_folder)
{
    struct error err = {""};
    make_set("a.so", ".foreign = true");
    cr_expect(own("mshr", &err), "%s", err.text);
    cr_expect(own("mshr/a.so", &err), "%s", err.text);
}

Test(rtl_set, rtl_of_a_user_with_other_parameters_or_ports_is_refused)
{
    expect_no_own("none", "/none: found nothing there, expected a set of RTL (SET.so of make rtl RTL=) or a folder");
    expect_no_own("mshr", "found no RTL with these parameters, expected: make rtl BLOCK=mshr PARAMS=\"Entries=32");
    make_set("a.so", ".foreign = true, .cfg = &other");
    expect_no_own("mshr/a.so", "found no RTL with these parameters");
    make_set("b.so", ".foreign = true, .ops.out_size = 1");
    expect_no_own("mshr", "found other ports than the twin of mshr has");
}

Test(rtl_set, a_list_names_blocks_and_paths)
{
    const char *const list = "dl_mshr,mshr=a/b.so,cart";
    char path[BLOCK_PATH];
    cr_expect(block_in_list(list, "mshr", path));
    cr_expect_str_eq(path, "a/b.so");
    cr_expect(block_in_list(list, "cart", path));
    cr_expect_str_eq(path, "");
    cr_expect_not(block_in_list(list, "car", path));
    cr_expect_not(block_in_list(NULL, "mshr", path));
}
