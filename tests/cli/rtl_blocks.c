/* SPDX-License-Identifier: Apache-2.0 */
/* --rtl: a comparison of twins with RTL cannot be one of twins with twins. */
#include <jansson.h>

#include "command_line.h"

static void expect_refused(const char *arguments, const char *message)
{
    struct outcome o = memtwinf("run vecadd:n=1000 --quiet %s", arguments);
    expect_status(o, 2);
    expect_text(o, message);
}

Test(cli_rtl, a_name_must_be_a_block)
{
    expect_refused("--rtl dlmshr", "unknown block \"dlmshr\"; the nearest is dl_mshr");
    expect_refused("--rtl ''", "found an empty name");
    expect_refused("--rtl mshr,", "found an empty name");
    expect_refused("--rtl mshr,set_hash,mshr", "found mshr 2 times, expected it once");
    expect_refused("--rtl mshr=a,mshr=b", "found mshr 2 times, expected it once");
    expect_refused("--rtl mshr=", "--rtl mshr=: found no path, expected a set of RTL or a folder of sets");
    expect_refused("--rtl mshr=none/of/it", "--rtl mshr=none/of/it: found nothing there, expected a set of RTL");
    expect_refused("--rtl lease_table", "lease_table is in the machine as a part of gmmu, expected gmmu");
}

Test(cli_rtl, a_block_must_be_at_work)
{
    expect_refused("--rtl dl_mshr", "dl_mshr is not used in this machine, expected l1d.mshr.kind=dl_mshr or");
    expect_refused("--rtl mshr,bpg", "bpg is not used in this machine, expected l1d.bypass.mode=bpg");
    expect_refused("--rtl pdp", "pdp is not used in this machine, expected l1d.replacement=pdp");
    expect_refused("--rtl cart --case a: --case b:l2.input=bank_reorder",
                   "cart is not used in any of these machines, expected l2.input=cart");
    expect_refused("--rtl qbmi -s cke.scheme=qbmi",
                   "qbmi is not used in this machine, expected two or more workloads (memtwin cke)");
    expect_end("cke vecadd:n=1000 vecadd:n=1000 --quiet --rtl milg", 2,
               "milg is not used in this machine, expected cke.scheme=smil|dmil|qbmi_dmil");
    expect_end("probe dl_mshr --rtl mshr </dev/null", 2, "--rtl: found mshr, expected dl_mshr");
    expect_end("probe dl_mshr --rtl mshr=tests </dev/null", 2, "--rtl: found mshr=");
    expect_end("probe l1d --rtl dl_mshr </dev/null", 1, "--rtl: dl_mshr is not used in this L1D");
    expect_end("probe dram --rtl mshr </dev/null", 2, "--rtl: probe dram has no block");
}

Test(cli_rtl, a_machine_lists_its_blocks)
{
    expect_end("run vecadd:n=1000 --blocks -p dlmshr-002-t3.2 --case a: --case b:preset=dlmshr", 0,
               "mshr                28  Entries=32 Slots=8 AddrW=41 InfoW=24 DataW=0");
    expect_end("run vecadd:n=1000 --blocks -p dlmshr-002-t3.2 --case b:preset=dlmshr,sm.count=3", 0,
               "dl_mshr              3  Sets=128 Slots=2 AddrW=41 InfoW=24 DataW=0 GateCmp=1 TailPtr=1 Reserved=64");
    expect_end("cke vecadd:n=1000 spmv:rows=64 vecadd:n=99 --blocks --quiet --json - -s cke.scheme=qbmi -s sm.count=2",
               0, "\"parameters\": \"Kernels=3");
    expect_end("run vecadd:n=1000 --blocks --interval 9 --json /dev/null", 2, "--blocks: runs nothing");
    expect_end("run vecadd:n=1000 --blocks --rtl mshr", 2, "--blocks: runs nothing");
    expect_end("cke vecadd spmv --blocks --pool", 2, "--blocks: runs nothing");
    expect_end("run nosuch --blocks", 1, "nosuch");
}

Test(cli_rtl, the_program_must_have_it)
{
    expect_refused("--rtl mshr", "this program has only twins; build/memtwin-rtl loads RTL");
}

Test(cli_rtl, a_result_lists_what_ran_and_compare_asks_for_it)
{
    char line[1024];
    const char *s = scratch();
    expect_status(memtwinf("run vecadd:n=1000 -s sm.count=2 --quiet --json %s/a.json", s), 0);
    snprintf(line, sizeof line, "%s/a.json", s);
    json_t *root = json_load_file(line, 0, NULL), *host = json_object_get(root, "host");
    cr_expect(json_is_array(json_object_get(host, "rtl")));
    cr_expect_eq(json_array_size(json_object_get(host, "rtl")), 0, "twins alone");
    struct outcome o = memtwinf("compare %s/a.json %s/a.json --rtl mshr", s, s);
    expect_status(o, 1);
    expect_text(o, "result 0: found RTL of 0 blocks, expected RTL of mshr only");

    json_object_set_new(host, "rtl", json_pack("[{s:s, s:[s]}]", "block", "mshr", "instances", "l1d.0"));
    snprintf(line, sizeof line, "%s/b.json", s);
    cr_assert_eq(json_dump_file(root, line, 0), 0);
    json_decref(root);
    static const struct {
        const char *files, *rtl;
        int status;
        const char *text;
    } cases[] = {{"a b", "mshr", 0, "agree"},
                 {"b b", "mshr", 1, "found RTL, expected twins only"},
                 {"a b", "dl_mshr", 1, "found RTL of 1 blocks, expected RTL of dl_mshr only"},
                 {"a b", "mshr,cart", 1, "found no instance of the RTL of cart"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(line, sizeof line, "compare %s/%c.json %s/%c.json --rtl %s", s, cases[i].files[0], s,
                 cases[i].files[2], cases[i].rtl);
        o = memtwin(line);
        expect_status(o, cases[i].status);
        expect_text(o, cases[i].text);
    }
}
