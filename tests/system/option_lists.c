/* SPDX-License-Identifier: Apache-2.0 */
/* Options with a number for each workload: "6,3", or one of the numbers by its own key. */
#include <criterion/criterion.h>

#include "system/config/option_use.h"
#include "system/ini_file.h"

static struct config c;

static void set(const char *assignment)
{
    struct error err = {""};
    cr_assert(config_set(&c, assignment, &err), "%s", err.text);
}

static void expect_blocks(const char *wanted)
{
    char text[OPTION_TEXT];
    option_text(&c, option_find("cke.blocks"), text);
    cr_expect_str_eq(text, wanted);
}

Test(option_lists, a_list_sets_all_numbers)
{
    config_default(&c);
    expect_blocks("0");
    set("cke.blocks=6,3");
    cr_expect(c.cke_blocks[0] == 6 && c.cke_blocks[1] == 3 && c.cke_blocks[2] == 0);
    expect_blocks("6,3");
    set("cke.blocks = 1, 2, 3, 4, 5, 6, 7, 64");
    expect_blocks("1,2,3,4,5,6,7,64");
    set("cke.blocks=0,5");
    expect_blocks("0,5");
}

Test(option_lists, a_key_with_a_number_sets_one_of_them)
{
    config_default(&c);
    set("cke.blocks2=4");
    set("cke.blocks0=9");
    expect_blocks("9,0,4");
    set("l1d.bypass.blocks3=1");
    set("cke.limit1=127");
    set("cke.quota0=65535");
    cr_expect(c.l1d_bypass_blocks[3] == 1 && c.cke_limit[1] == 127 && c.cke_quota[0] == 65535);
    cr_expect_eq(option_find("cke.blocks7"), option_find("cke.blocks"));
    cr_expect_null(option_find("cke.blocks8"));
    cr_expect_null(option_find("cke.limit4"));
    cr_expect_null(option_find("cke.blocks11"));
    cr_expect_null(option_find("cke.cycles0"));
}

Test(option_lists, a_wrong_value_changes_nothing)
{
    static const char *const wrong[] = {"cke.blocks=",     "cke.blocks=6,x",
                                        "cke.blocks=65",   "cke.blocks=1,2,3,4,5,6,7,8,9",
                                        "cke.blocks1=2,3", "cke.blocks1=65"};
    config_default(&c);
    set("cke.blocks=6,3");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct error err = {""};
        cr_expect_not(config_set(&c, wrong[i], &err), "%s", wrong[i]);
        expect_blocks("6,3");
    }
    struct error err = {""};
    cr_expect_not(config_set(&c, "cke.limit1=128", &err));
    cr_expect_str_eq(err.text, "cke.limit1: found \"128\", allowed: 0..127, up to 4 numbers");
}

Test(option_lists, a_number_of_no_workload_is_not_read)
{
    char missing[CONDITION_TEXT] = "";
    config_default(&c);
    set("cke.blocks=6,3");
    cr_expect(option_is_read(&c, 2, option_find("cke.blocks"), missing));
    cr_expect_not(option_is_read(&c, 1, option_find("cke.blocks"), missing));
    cr_expect_str_eq(missing, "two or more workloads (memtwin cke)");
    set("cke.blocks4=1");
    cr_expect_not(option_is_read(&c, 4, option_find("cke.blocks"), missing));
    cr_expect_str_eq(missing, "5 or more workloads (memtwin cke)");
}

Test(option_lists, a_run_alone_has_the_default)
{
    config_default(&c);
    set("cke.blocks=6,3");
    set("l1d.bypass.blocks=1,1");
    config_alone(&c);
    expect_blocks("0");
    cr_expect(c.l1d_bypass_blocks[0] == 0 && c.l1d_bypass_blocks[1] == 0);
}

Test(option_lists, a_file_may_have_both_spellings)
{
    char path[INI_PATH];
    struct error err = {""};
    config_default(&c);
    cr_assert(ini_read("[cke]\nblocks = 6,3\nlimit0 = 2\nlimit1 = 5\n", &c, NULL, path, &err), "%s", err.text);
    expect_blocks("6,3");
    cr_expect(c.cke_limit[0] == 2 && c.cke_limit[1] == 5);
}
