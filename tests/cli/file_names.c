/* SPDX-License-Identifier: Apache-2.0 */
/* File names of the command line.  Each option and argument is called with names that hold blanks, quotes, non-ASCII
 * letters, a leading dash, shell metacharacters and control characters.  A call that fails prints one line, which
 * contains the name. */
#include <ftw.h>
#include <unistd.h>

#include "base/error.h"
#include "command_line.h"

static const char *const names[] = {"it's a \"b\" $y;z*%s\\", "-h", "\303\244\346\274\242\nx\033[31m\344"};
enum { NAMES = sizeof names / sizeof *names };

/* One call of the program.  %1$s stands for the tested name.  After the call the folder may hold a file of that name
 * and files whose names begin with "out".  A call that fails creates no file. */
struct row {
    const char *from;      /* existing file; the tested name is a symbolic link to it; NULL: no file has the name */
    const char *arguments; /* of memtwin; %1$s is quoted for the shell */
    int status;            /* expected exit status */
    const char *says;      /* expected part of the output; %1$s is escaped, as memtwin prints it */
};

#define SMALL "-s sm.count=2 "
#define RUN "run -q vecadd:n=1000 " SMALL
#define CKE "cke -q vecadd:n=1000 vecadd:n=1000 -s cke.cycles=2000 " SMALL
#define INFO_OF_OUT " && \"$MEMTWIN\" trace info "

static const struct row readers[] = {
    {"t.mttx", "run " SMALL "./%1$s", 0, " a trace\n"},
    {"t.mttx", "run " SMALL "--trace-request 1 -- %1$s", 0, " a trace\n"},
    {"t.mttx", "cke vecadd:n=1000 -s cke.cycles=2000 " SMALL "-- %1$s", 0, "kernel 1: "},
    {"t.mttx", "run --blocks " SMALL "-- %1$s", 0, "%1$s\n"},
    {"t.mttx", "run -q --blocks --json - " SMALL "-- %1$s", 0, "\"parameters\""},
    {"nameless.mttx", "run " SMALL "./%1$s", 0, " %1$s\n"},
    {"nameless.mttx", "trace import -o out.mtt -- %1$s" INFO_OF_OUT "out.mtt", 0, "kind         memtwin binary"},
    {"nameless.mttx", "trace import -o out.mttx -- %1$s" INFO_OF_OUT "out.mttx", 0, "kind         memtwin text"},
    {"nameless.mttx", "trace info --json -- %1$s", 0, "\"workload\": \""},
    {"t.mtt", "trace info -- %1$s", 0, "kind         memtwin binary"},
    {"t.mtt", "trace shape -- %1$s", 0, "first kernel"},
    {"t.mtt", "trace pages -- %1$s", 0, "workload "},
    {"t.mtt", "trace locality -- %1$s", 0, "workload "},
    {"t.mtt", "trace ranges -- %1$s", 0, "workload "},
    {"t.mtt", "trace dump --block 0 -- %1$s", 0, "warp 0\n"},
    {"bundle", "run " SMALL "./%1$s", 0, " ./%1$s/kernelslist.g\n"},
    {"bundle", "run -s sm.warps=1 ./%1$s", 1, "./%1$s/kernelslist.g: kernel "},
    {"bundle", "trace info -- %1$s/kernelslist.g", 0, "workload     %1$s/kernelslist.g\n"},
    {"bundle", "trace import -o out.mttx -- %1$s" INFO_OF_OUT "out.mttx", 0, "kind         memtwin text"},
    {"bundle", "trace export -o out -- %1$s" INFO_OF_OUT "out", 0, "kind         Accel-Sim kernel list"},
    {"bundle/kernel-1.traceg", "trace info -- %1$s", 0, "kind         Accel-Sim kernel trace"},
    {"c.ini", "config --config=%1$s", 0, "[sm]"},
    {"c.ini", "config -c%1$s --sources", 0, " %1$s:"},
    {"c.ini", "config -s sm.count=2 -c %1$s", 0, "warning: --config %1$s is a whole machine"},
    {"c.ini", "config -c %1$s -p gtx480-gpgpusim", 0,
     "warning: --preset gtx480-gpgpusim is a whole machine: --config %1$s before it"},
    {"c.ini", RUN "-c %1$s", 0, ""},
    {"c.ini", "probe l1d --config %1$s </dev/null", 0, ""},
    {"g.config", "config -c %1$s", 0, "%1$s: 2 options: 2 mapped"},
    {"g.config", "config --from %1$s", 0, "; %1$s: 2 options: 2 mapped"},
    {"g.config", "config --from %1$s --sources", 0, " %1$s:2: -gpgpu_n_mem"},
    {"c.ini", "config --from %1$s", 2, "%1$s: found an ini file"},
    {"r.json", "compare -- %1$s %1$s", 0, " agree\n"},
    {"r.json", "compare -- %1$s ../two.json", 1, "%1$s holds 1 results, ../two.json 2\n"},
    {"r.json", "compare --rtl mshr -- %1$s %1$s", 1, "%1$s: result 0: found RTL of 0 blocks"},
    {"bad.ini", "config -c %1$s", 2, "%1$s:1: found "},
    {"bad.mttx", "run -- %1$s", 1, "%1$s:2: found "},
    {"bad.traceg", "run " SMALL "-- %1$s", 1, "%1$s:5: found "},
    {"bad.json", "compare -- %1$s ../two.json", 2, "%1$s:2: "},
    {"folder", "run -- %1$s", 1, "%1$s: found a folder without"},
    {"folder", RUN "--json %1$s", 1, "%1$s: cannot write: "},
    {"folder", "trace export vecadd:n=1000 -o %1$s", 1, "%1$s: exists, "},
    {NULL, "config -c %1$s", 2, "%1$s: cannot be read: "},
    {NULL, "config --from %1$s", 2, "%1$s: cannot be read: "},
    {NULL, "config -p %1$s", 2, "unknown preset \"%1$s\""},
    {NULL, "compare -- %1$s %1$s", 2, "%1$s: cannot open: "},
    {NULL, "run ./%1$s", 1, "./%1$s: cannot open: "},
    {NULL, "run -- %1$s", 1, "unknown kernel \"%1$s\""},
    {NULL, "cke -q vecadd:n=1000 ./%1$s -s cke.cycles=2000 " SMALL, 1, "./%1$s: cannot open: "},
    {NULL, "trace info ./%1$s", 1, "./%1$s: cannot open: "},
};

static const struct row writers[] = {
    {NULL, RUN "--json=%1$s", 0, ""},
    {NULL, RUN "--json %1$s", 0, ""},
    {NULL, RUN "-j%1$s", 0, ""},
    {NULL, RUN "--csv %1$s", 0, ""},
    {NULL, RUN "--blocks --json %1$s", 0, ""},
    {NULL, RUN "--capture l1d.0=%1$s", 0, ""},
    {NULL, CKE "--json %1$s", 0, ""},
    {NULL, CKE "--csv=%1$s", 0, ""},
    {NULL, CKE "--curves -j %1$s", 0, ""},
    {NULL, CKE "--capture=l1d.0=%1$s", 0, ""},
    {NULL, "trace record vecadd:n=1000 -o %1$s", 0, ""},
    {NULL, "trace record vecadd:n=1000 -o%1$s", 0, ""},
    {NULL, "trace import ../t.mtt --output %1$s", 0, ""},
    {NULL, "trace export ../t.mtt --output=%1$s", 0, ""},
    {NULL, "trace export ../t.mtt -o %1$s", 0, ""},
    {NULL, "trace pages vecadd:n=1000 --pages %1$s", 0, ""},
    {NULL, "config --format gpgpusim -o %1$s", 0, ""},
    {NULL, "trace export ../bad.traceg -o %1$s", 1, "../bad.traceg:5: found "},
    {NULL, "trace import ../bad.traceg -o %1$s", 1, "../bad.traceg:5: found "},
    {NULL, RUN "--json %1$s/x", 1, "%1$s/x: cannot write: "},
    {NULL, RUN "--capture l1d.0=%1$s/x", 1, "%1$s/x: cannot write: "},
    {NULL, RUN "--capture sm.0.qbmi=%1$s", 1, "%1$s: nothing to record: "},
    {NULL, RUN "--json %1$s --csv ./%1$s", 1, "--csv: found \"./%1$s\", which is also the file of --json"},
    {NULL, "trace record vecadd:n=1000 -o %1$s/x", 1, "%1$s/x: cannot write: "},
    {NULL, "trace export ../t.mtt -o %1$s/x", 1, "%1$s/x: cannot write: "},
    {NULL, "trace pages vecadd:n=1000 --pages %1$s/x", 1, "%1$s/x: cannot write: "},
    {NULL, "config --format gpgpusim -o %1$s/x", 1, "%1$s/x: cannot write: "},
};

static void put(const char *name, const char *text)
{
    FILE *f = fopen(name, "w");
    cr_assert_not_null(f, "%s", name);
    fputs(text, f);
    fclose(f);
}

#define KERNEL "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n#BEGIN_TB\n"

/* The program by its whole name; files to copy in the scratch folder; an empty one below, which becomes the current
 * one. */
static void enter(void)
{
    char *program = realpath(getenv("MEMTWIN") ? getenv("MEMTWIN") : "build/memtwin", NULL);
    cr_assert_not_null(program);
    cr_assert_eq(setenv("MEMTWIN", program, 1), 0);
    free(program);
    cr_assert_eq(chdir(scratch()), 0);
    put("t.mttx",
        "memtwin-trace 1\nname t\nalloc 0x1000 256 a\nkernel grid=1 block=64 regs=8 shared=0 name=k\nblock 0\n"
        "warp 0\nload.4 dst=r1 at=0x1000+4\nexit\nwarp 1\nexit\n");
    put("bad.ini", "ways\n");
    put("g.config", "-gpgpu_n_clusters 2\n-gpgpu_n_mem 4\n");
    put("bad.json", "{\n");
    put("bad.mttx", "memtwin-trace 1\nx\n");
    put("bad.traceg", KERNEL "x\n");
    cr_assert_eq(system("exec >out 2>&1 && mkdir w folder && grep -v ^name t.mttx >nameless.mttx && "
                        "$MEMTWIN trace import t.mttx -o t.mtt && $MEMTWIN trace export t.mttx -o bundle && "
                        "$MEMTWIN config -s sm.count=2 >c.ini && $MEMTWIN run -q t.mttx -c c.ini -j r.json && "
                        "$MEMTWIN run -q t.mttx t.mttx -c c.ini -j two.json"),
                 0);
    cr_assert_eq(chdir("w"), 0);
}

static void quote(char *to, const char *name)
{
    *to++ = '\'';
    for (; *name; name++) to += sprintf(to, *name == '\'' ? "'\\''" : "%c", *name);
    strcpy(to, "'");
}

/* The formats are in the tables above: each has %1$s alone. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void fill(char *to, size_t size, const char *format, const char *name)
{
    snprintf(to, size, format, name);
}
#pragma GCC diagnostic pop

/* Counts of the files that a call has left: of the tested name, and of names that are not allowed.  remove_all() sets
 * them. */
static int as_named, others;
static const char *expected_name;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    const char *name = path + at->base;
    (void)st;
    (void)type;
    if (at->level == 1) as_named += !strcmp(name, expected_name);
    if (at->level == 1) others += strcmp(name, expected_name) && strncmp(name, "out", 3);
    return at->level ? remove(path) : 0;
}

static void remove_all(const char *name)
{
    as_named = others = 0;
    expected_name = name;
    cr_assert_eq(nftw(".", remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

static void check_text(const struct outcome *o, const char *line, const char *says)
{
    int lines = 0;
    for (const char *c = o->text; *c; c++) {
        lines += *c == '\n';
        cr_expect(*c == '\n' || ((unsigned char)*c >= ' ' && *c != 0x7f), "%s: control character %d", line, *c);
    }
    cr_expect(strstr(o->text, says), "%s: expected \"%s\" in:\n%s", line, says, o->text);
    if (o->status) cr_expect_eq(lines, 1, "%s: %d lines:\n%s", line, lines, o->text);
}

static void try_row(const struct row *r, const char *name)
{
    char quoted[100], shown[200], line[1000], says[300];
    struct error escaped = {""};
    error_set(&escaped, "%s", name);
    strcpy(shown, escaped.text);
    quote(quoted, name);
    fill(says, sizeof says, r->says, shown);
    snprintf(line, sizeof line, "../%s", r->from ? r->from : "");
    if (r->from) cr_assert_eq(symlink(line, name), 0);
    fill(line, sizeof line, r->arguments, quoted);
    struct outcome o = memtwin(line);
    cr_expect_eq(o.status, r->status, "%s: status %d, expected %d:\n%s", line, o.status, r->status, o.text);
    check_text(&o, line, says);
    remove_all(name);
    cr_expect_eq(others, 0, "%s: leaves %d files of another name", line, others);
    cr_expect_eq(as_named, r->from || !r->status, "%s: found %d files of the name", line, as_named);
}

Test(cli_file_names, are_read_under_any_name)
{
    enter();
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
        for (int n = 0; n < NAMES; n++) try_row(&readers[i], names[n]);
}

Test(cli_file_names, are_written_under_any_name)
{
    enter();
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        for (int n = 0; n < NAMES; n++) try_row(&writers[i], names[n]);
}

/* The kernel's file as a list names it, to the end of the line. */
static void try_kernel(const char *name, const char *after)
{
    char kernel[100], line[300], list[200];
    snprintf(kernel, sizeof kernel, "kernel-1%s.traceg", name);
    snprintf(list, sizeof list, "MemcpyHtoD,0x1000,256\n %s%s", kernel, after);
    put("kernelslist.g", list);
    cr_assert_eq(symlink("../bundle/kernel-1.traceg", kernel), 0);
    struct outcome o = memtwin("trace info kernelslist.g");
    expect_status(o, 0);
    cr_assert_eq(unlink(kernel), 0);
    o = memtwin("trace info kernelslist.g");
    expect_status(o, 1);
    snprintf(line, sizeof line, "memtwin: %s: cannot be read\n", kernel);
    cr_expect_str_eq(o.text, line);
}

Test(cli_file_names, kernels_of_a_list_have_any_name)
{
    enter();
    for (int n = 0; n < NAMES; n++) {
        if (strchr(names[n], '\n')) continue;
        try_kernel(names[n], "\n");
        try_kernel(names[n], " \t\r\n");
    }
}
