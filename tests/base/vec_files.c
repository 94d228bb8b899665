/* SPDX-License-Identifier: Apache-2.0 */
/* .vec files: files read back as written, runs of equal cycles take one line, and every error names its place. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/vec.h"
#include "dl_mshr.h"

BLOCK_DESC(dl_mshr, DL_MSHR)

struct fixture {
    struct dl_mshr_cfg cfg;
    struct param_desc params[VEC_PARAMS];
    struct port_desc in[VEC_PORTS];
    struct vec_block block;
    struct error err;
    char path[32];
};

static void setup(struct fixture *f, uint32_t data_bits)
{
    *f = (struct fixture){.cfg = {.Sets = 4, .Slots = 2, .AddrW = 64, .InfoW = 8, .DataW = data_bits, .Reserved = 2}};
    f->block = (struct vec_block){"dl_mshr",
                                  f->params,
                                  dl_mshr_params(f->params),
                                  f->in,
                                  dl_mshr_in_desc(&f->cfg, f->in),
                                  sizeof(struct dl_mshr_in),
                                  &f->cfg};
    strcpy(f->path, "/tmp/vec_XXXXXX");
    close(mkstemp(f->path));
}

static void finish(struct fixture *f)
{
    unlink(f->path);
}

static struct vec_writer *writer(struct fixture *f, const char *comment)
{
    struct vec_writer *w = vec_create(f->path, &f->block, comment, &f->err);
    cr_assert(w, "%s", f->err.text);
    return w;
}

static struct vec_reader *reader(struct fixture *f)
{
    struct vec_reader *r = vec_open(f->path, &f->err);
    cr_assert(r, "%s", f->err.text);
    cr_assert(vec_bind(r, &f->block, &f->err), "%s", f->err.text);
    return r;
}

static void read_text(const struct fixture *f, char *text, size_t size)
{
    FILE *file = fopen(f->path, "r");
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static const char *const head =
    "memtwin-vec 1\nblock dl_mshr\n"
    "params Sets=4 Slots=2 AddrW=64 InfoW=8 DataW=0 GateCmp=0 TailPtr=0 Reserved=2\n"
    "ports req_valid_i:1 req_addr_i:64 req_info_i:8 req_write_i:1 req_data_i:1 fill_valid_i:1 "
    "fill_addr_i:64 drain_ready_i:1\n";

static void write_file(const struct fixture *f, const char *begin, const char *rest)
{
    FILE *file = fopen(f->path, "w");
    fprintf(file, "%s%s", begin, rest);
    fclose(file);
}

/* The error of reading this file to its end, without the path in front. */
static const char *error_of(struct fixture *f, const char *begin, const char *rest)
{
    struct dl_mshr_in in;
    write_file(f, begin, rest);
    f->err = (struct error){0};
    struct vec_reader *r = vec_open(f->path, &f->err);
    if (r && vec_bind(r, &f->block, &f->err))
        for (enum vec_item item = VEC_CYCLE; item == VEC_CYCLE || item == VEC_RESET;) item = vec_get(r, &in, &f->err);
    vec_close(r);
    cr_assert(!strncmp(f->err.text, f->path, strlen(f->path)), "no path in \"%s\"", f->err.text);
    return f->err.text + strlen(f->path);
}

static void random_in(struct rng *g, const struct dl_mshr_cfg *cfg, struct dl_mshr_in *in)
{
    *in = (struct dl_mshr_in){0};
    in->req_valid_i = rng_below(g, 2);
    in->req_addr_i = rng_u64(g) >> rng_below(g, 64);
    in->req_info_i = (uint32_t)rng_below(g, 256);
    in->fill_addr_i = rng_below(g, 2) ? UINT64_MAX : 0;
    in->drain_ready_i = rng_below(g, 2);
    for (uint32_t k = 0; k < cfg->DataW / 32; k++) in->req_data_i[k] = rng_below(g, 3) ? (uint32_t)rng_u64(g) : 0;
}

static void check_round_trip(uint32_t data_bits)
{
    enum { CYCLES = 2000 };
    static struct dl_mshr_in want[CYCLES];
    static bool reset[CYCLES];
    struct fixture f;
    struct rng g;
    setup(&f, data_bits);
    rng_seed(&g, 11);
    struct vec_writer *w = writer(&f, "two lines\nof comment");
    for (int i = 0; i < CYCLES; i++) {
        if (i && rng_below(&g, 3) == 0)
            want[i] = want[i - 1];
        else
            random_in(&g, &f.cfg, &want[i]);
        reset[i] = rng_below(&g, 50) == 0;
        vec_put(w, reset[i], &want[i]);
    }
    cr_assert(vec_finish(w, &f.err), "%s", f.err.text);
    struct vec_reader *r = reader(&f);
    struct dl_mshr_in in;
    for (int i = 0; i < CYCLES; i++) {
        cr_assert_eq(vec_get(r, &in, &f.err), reset[i] ? VEC_RESET : VEC_CYCLE, "cycle %d: %s", i, f.err.text);
        cr_assert(!memcmp(&in, &want[i], sizeof in), "cycle %d", i);
    }
    cr_assert_eq(vec_get(r, &in, &f.err), VEC_END);
    vec_close(r);
    finish(&f);
}

Test(vec_files, are_read_back_as_written)
{
    check_round_trip(0);
}

Test(vec_files, carry_write_data_of_any_width)
{
    check_round_trip(64);
    check_round_trip(1024);
}

Test(vec_files, write_equal_cycles_as_one_line)
{
    struct fixture f;
    char text[2000];
    setup(&f, 0);
    struct vec_writer *w = writer(&f, NULL);
    struct dl_mshr_in in = {0};
    vec_put(w, true, &in);
    for (int i = 0; i < 12; i++) vec_put(w, false, &in);
    in.req_valid_i = true;
    in.req_addr_i = 0xfedcba9876543210u;
    vec_put(w, false, &in);
    cr_assert(vec_finish(w, &f.err), "%s", f.err.text);
    read_text(&f, text, sizeof text);
    cr_assert(!strncmp(text, head, strlen(head)), "%s", text);
    cr_assert_str_eq(text + strlen(head), "R\n0 x12\n1 fedcba9876543210\n");
    finish(&f);
}

Test(vec_files, may_have_comments_and_blank_lines)
{
    struct fixture f;
    struct dl_mshr_in in;
    setup(&f, 0);
    write_file(&f, head, "# begin\n\n   R 1  2f # with inputs\n\t1 2f x2\r\n");
    struct vec_reader *r = reader(&f);
    cr_assert_eq(vec_get(r, &in, &f.err), VEC_RESET);
    cr_assert(in.req_valid_i && in.req_addr_i == 0x2f);
    cr_assert_eq(vec_get(r, &in, &f.err), VEC_CYCLE);
    cr_assert_eq(vec_get(r, &in, &f.err), VEC_CYCLE);
    cr_assert_eq(vec_get(r, &in, &f.err), VEC_END);
    vec_close(r);
    finish(&f);
}

Test(vec_files, say_which_block_and_parameters_they_are_for)
{
    struct fixture f;
    struct dl_mshr_cfg cfg;
    setup(&f, 0);
    write_file(&f, head, "0\n");
    struct vec_reader *r = vec_open(f.path, &f.err);
    cr_assert(r, "%s", f.err.text);
    cr_assert_str_eq(vec_head(r)->block, "dl_mshr");
    cr_assert(vec_params(r, "dl_mshr", f.params, f.block.param_count, &cfg, &f.err), "%s", f.err.text);
    cr_assert(!memcmp(&cfg, &f.cfg, sizeof cfg));
    vec_close(r);
    finish(&f);
}

Test(vec_files, name_the_place_of_a_damaged_line)
{
    static const struct {
        const char *rest, *error;
    } cases[] = {
        {"0\n1 zz\n", ":6: found \"zz\" for req_addr_i, expected hex digits"},
        {"1 1ffffffffffffffff\n", ":5: found 1ffffffffffffffff for req_addr_i, expected at most 64 bits"},
        {"2\n", ":5: found 2 for req_valid_i, expected at most 1 bits"},
        {"0 0 0 0 0 0 0 0 1\n", ":5: found a value \"1\" after the last port, expected 8 at most"},
        {"0 x0\n", ":5: found \"x0\", expected xN, N > 0, at the end of the line"},
        {"0 x\n", ":5: found \"x\", expected xN, N > 0, at the end of the line"},
        {"0 x99999999999999999999\n",
         ":5: found \"x99999999999999999999\", expected xN, N > 0, at the end of the line"},
        {"0 x2 1\n", ":5: found \"x2 1\", expected xN, N > 0, at the end of the line"},
        {"-1\n", ":5: found \"-1\" for req_valid_i, expected hex digits"},
    };
    struct fixture f;
    setup(&f, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(error_of(&f, head, cases[i].rest), cases[i].error);
    finish(&f);
}

Test(vec_files, name_the_place_of_a_damaged_header)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", ":1: found \"the end of the file\", expected \"memtwin-vec ...\""},
        {"memtwin-vec 2\n", ":1: found version \"2\", expected 1"},
        {"memtwin-vec 1\nports\n", ":2: found \"ports\", expected \"block ...\""},
        {"memtwin-vec 1\nblock b\nparams Sets\n", ":3: found parameter \"Sets\", expected NAME=NUMBER"},
        {"memtwin-vec 1\nblock b\nparams Sets=-1\n", ":3: found parameter \"Sets=-1\", expected NAME=NUMBER"},
        {"memtwin-vec 1\nblock mshr\nparams Sets=1\nports a:1\n", ": found block mshr, expected dl_mshr"},
        {"memtwin-vec 1\nblock dl_mshr\nparams Size=1\nports a:1\n", ":3: dl_mshr: unknown parameter Size"},
        {"memtwin-vec 1\nblock dl_mshr\nparams Sets=4\nports a:1\n", ":3: expected parameter Slots once"},
        {"memtwin-vec 1\nblock dl_mshr\nparams Sets=4 Sets=4\nports a:1\n", ":3: expected parameter Sets once"},
        {"memtwin-vec 1\nblock dl_mshr\nparams Sets=1\nports a:1\n", ":3: found Sets=1, expected 2 to 512"},
    };
    struct fixture f;
    setup(&f, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_str_eq(error_of(&f, "", cases[i].text), cases[i].error);
    finish(&f);
}

Test(vec_files, are_refused_for_other_parameters_or_ports)
{
    struct fixture f;
    char text[1000];
    setup(&f, 0);
    strcpy(text, head);
    memcpy(strstr(text, "Slots=2"), "Slots=3", 7);
    cr_expect_str_eq(error_of(&f, text, "0\n"), ":3: found Slots=3, expected 2");
    strcpy(text, head);
    memcpy(strstr(text, "req_info_i:8"), "req_info_i:9", 12);
    cr_expect_str_eq(error_of(&f, text, "0\n"), ":4: found port \"req_info_i:9\", expected req_info_i:8");
    finish(&f);
}

Test(vec_files, that_cannot_be_opened_or_written_say_so)
{
    struct fixture f;
    setup(&f, 0);
    cr_expect(!vec_open("/nowhere/a.vec", &f.err));
    cr_expect_str_eq(f.err.text, "/nowhere/a.vec: cannot be read: No such file or directory");
    f.err = (struct error){0};
    cr_expect(!vec_create("/nowhere/a.vec", &f.block, NULL, &f.err));
    cr_expect_str_eq(f.err.text, "/nowhere/a.vec: cannot write: No such file or directory");
    f.err = (struct error){0};
    struct vec_writer *w = vec_create("/dev/full", &f.block, NULL, &f.err);
    struct dl_mshr_in in = {0};
    cr_assert(w);
    for (int i = 0; i < 10; i++) vec_put(w, i % 2, &in);
    cr_expect(!vec_finish(w, &f.err));
    cr_expect(strstr(f.err.text, "/dev/full: cannot write: No space"), "%s", f.err.text);
    finish(&f);
}
