/* SPDX-License-Identifier: Apache-2.0 */
/* Names in messages and tables: whole, and without control over the terminal. */
#include <jansson.h>
#include <unistd.h>

#include "command_line.h"

static void expect_escaped(const char *arguments, const char *wanted)
{
    struct outcome o = memtwin(arguments);
    cr_expect_neq(o.status, 0, "%s", arguments);
    expect_text(o, wanted);
    for (const char *c = o.text; *c; c++)
        cr_expect(*c == '\n' || (*c >= ' ' && *c != 0x7f), "%s: control character %d", arguments, *c);
}

Test(cli_names, control_characters_are_printed_escaped)
{
    static const struct {
        const char *head, *suffix, *tail, *wanted;
    } cases[] = {{"run", ".mttx", "", "a\\x1b[31mb\\x07.mttx: cannot open"},
                 {"run -s sm.count=2 vecadd:n=1000", ".mttx", "", "a\\x1b[31mb\\x07.mttx"},
                 {"run", "", "", "unknown kernel \"a\\x1b[31mb\\x07\""},
                 {"cke vecadd:n=1000 -s cke.cycles=1000", ".mttx", "", "a\\x1b[31mb\\x07.mttx"},
                 {"trace info", ".mtt", "", "a\\x1b[31mb\\x07.mtt: cannot open"},
                 {"trace", "", "", "found 'a\\x1b[31mb\\x07'"},
                 {"", "", "", "unknown command \"a\\x1b[31mb\\x07\""},
                 {"list", "", "", "unknown topic \"a\\x1b[31mb\\x07\""},
                 {"probe", "", "</dev/null", "unknown component \"a\\x1b[31mb\\x07\""},
                 {"config -s", "", "", "found \"a\\x1b[31mb\\x07\""},
                 {"config -p", "", "", "unknown preset \"a\\x1b[31mb\\x07\""},
                 {"run vecadd --threads", "", "", "--threads: found \"a\\x1b[31mb\\x07\""},
                 {"run vecadd --rtl", "", "", "unknown block \"a\\x1b[31mb\\x07\""},
                 {"run vecadd --case", ":sm.count=2", "", "--case: found a control character in the name"},
                 {"compare", "", "b.json", "a\\x1b[31mb\\x07"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[512];
        snprintf(line, sizeof line, "%s \"$(printf 'a\\033[31mb\\007')%s\" %s", cases[i].head, cases[i].suffix,
                 cases[i].tail);
        expect_escaped(line, cases[i].wanted);
    }
}

/* `content`: as printf takes it. */
static void print_file(const char *name, const char *content)
{
    char line[400];
    snprintf(line, sizeof line, "printf '%s' >%s/%s", content, scratch(), name);
    cr_assert_eq(system(line), 0);
}

static void expect_end_with(struct outcome o, const char *text)
{
    cr_expect_neq(o.status, 0);
    expect_text(o, text);
}

/* No-break spaces and zero-width characters: in a config file, a trace, a list and an argument. */
Test(cli_names, invisible_characters_are_printed_by_their_code)
{
    static const struct {
        const char *bytes, *code;
    } cases[] = {{"\\302\\240", "<U+00A0>"},      {"\\342\\200\\213", "<U+200B>"}, {"\\357\\273\\277", "<U+FEFF>"},
                 {"\\342\\200\\256", "<U+202E>"}, {"\\343\\200\\200", "<U+3000>"}, {"\\240", "\\xa0"},
                 {"\\302\\255", "<U+00AD>"}};
    static const struct {
        const char *file, *content, *command;
    } files[] = {{"x.ini", "[l1d]\\nways%s= 8\\n", "config --config"},
                 {"x.mttx", "memtwin-trace 1\\nname n\\nkernel%sblock=32 name=k\\n", "trace info"},
                 {"kernelslist.g", "kernel-1\\nMemcpyHtoD%s,1,1\\n", "run -q"}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
            char content[200];
            snprintf(content, sizeof content, files[f].content, cases[n].bytes);
            print_file(files[f].file, content);
            expect_end_with(memtwinf("%s %s/%s", files[f].command, scratch(), files[f].file), cases[n].code);
        }
        expect_end_with(memtwinf("run \"$(printf 'vec%sadd')\"", cases[n].bytes), cases[n].code);
    }
}

Test(cli_names, letters_of_other_alphabets_stay)
{
    expect_end("run vec\303\244dd\342\202\254", 1, "unknown kernel \"vec\303\244dd\342\202\254\"");
}

/* A file saved with a byte-order mark reads like any other. */
Test(cli_names, a_byte_order_mark_of_a_config_file_is_skipped)
{
    print_file("b.ini", "\\357\\273\\277[l1d]\\r\\nways = 8\\r\\n");
    struct outcome o = memtwinf("config --config %s/b.ini", scratch());
    expect_status(o, 0);
    expect_text(o, "\nways = 8 ");
}

Test(cli_names, two_cases_of_one_name_are_refused)
{
    expect_end("run vecadd --case a: --case b: --case a:sm.count=2", 2, "--case: found the name a twice");
    expect_end("cke vecadd vecadd --case a: --case a:sm.count=2", 2, "--case: found the name a twice");
}

Test(cli_names, tables_do_not_cut_names)
{
    struct outcome o = memtwin("run transpose:width=32,height=32 vecadd:n=1000 -s sm.count=2 --case first: --case "
                               "a_case_of_a_name_that_is_longer_than_fifteen_characters:sm.count=3");
    expect_status(o, 0);
    expect_text(o, " transpose:");
    expect_text(o, "width=32,height=32");
    expect_text(o, " a_case_of_a_name_that_is_longer_than_fifteen_characters\n");
    o = memtwin("cke vecadd:n=1000 vecadd:n=1000 -s cke.cycles=20000 -s sm.count=2 --case "
                "a_case_of_a_long_name:sm.count=3");
    expect_text(o, " a_case_of_a_long_name\n");
}

static void expect_verified(const char *arguments, json_type expected)
{
    char line[512];
    expect_status(memtwinf("%s -q -s sm.count=2 --json %s/v.json", arguments, scratch()), 0);
    snprintf(line, sizeof line, "%s/v.json", scratch());
    json_t *root = json_load_file(line, 0, NULL),
           *value = json_object_get(json_object_get(root, "workload"), "verified");
    cr_assert_not_null(value, "%s", arguments);
    cr_expect_eq(json_typeof(value), expected, "%s", arguments);
    json_decref(root);
}

/* true: every workload completed and was right; false: cut before; null: a trace has no result to compare. */
Test(cli_names, verified_has_three_values)
{
    expect_verified("run vecadd:n=1000", JSON_TRUE);
    expect_verified("run traces/small/stencil.mttx", JSON_NULL);
    expect_verified("run vecadd:n=100000 -s cke.cycles=1000", JSON_FALSE);
    expect_verified("run kmeans:n=300,dimensions=3,block=64,launches=3", JSON_FALSE);
    expect_verified("run kmeans:n=300,dimensions=3,block=64,launches=4", JSON_TRUE);
    expect_verified("cke vecadd:n=1000 traces/small/stencil.mttx -s cke.cycles=20000", JSON_NULL);
    expect_text(memtwin("run vecadd:n=1000 -s sm.count=2"), " verified\n");
    expect_text(memtwin("run traces/small/stencil.mttx -s sm.count=2"), " a trace\n");
    expect_text(memtwin("run vecadd:n=100000 -s sm.count=2 -s cke.cycles=1000"), " cut\n");
}
