/* SPDX-License-Identifier: Apache-2.0 */
/* Accel-Sim traces: a golden example in every address mode, plain and .xz, and the message for each kind of damage. */
#include <criterion/criterion.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support.h"
#include "trace/accelsim_inst.h"
#include "trace/info.h"
#include "trace/open.h"

#define APP "tests/trace/data/app"

static void assert_golden(const char *path, bool backwards)
{
    struct source *a = must_open("tests/trace/data/app.mttx"), *b = must_open(path);
    assert_same(a, b, backwards);
    a->ops->close(a);
    b->ops->close(b);
}

Test(accelsim, golden_example_decoded_by_hand)
{
    assert_golden(APP "/kernelslist.g", false);
    assert_golden(APP "/kernelslist.g", true);
    assert_golden(APP, false);
}

Test(accelsim, a_single_xz_file_reads_like_the_plain_one)
{
    for (int backwards = 0; backwards < 2; backwards++) {
        struct source *a = must_open(APP "/kernel-1.traceg"), *b = must_open("tests/trace/data/kernel-1.traceg.xz");
        assert_same(a, b, backwards);
        a->ops->close(a);
        b->ops->close(b);
    }
}

Test(accelsim, imported_it_is_the_same)
{
    char digest[65], imported[65];
    struct error err = {0};
    must_write(must_open(APP), scratch("app.mtt"));
    cr_assert(read_everything(APP, digest, &err), "%s", err.text);
    cr_assert(read_everything(scratch("app.mtt"), imported, &err), "%s", err.text);
    cr_assert_str_eq(digest, imported);
}

Test(accelsim, what_was_not_kept_is_counted)
{
    struct error err = {0};
    struct trace_info info;
    struct source *s = must_open(APP);
    cr_assert(info_collect(s, &info, NULL, &err), "%s", err.text);
    cr_assert(info.accelsim);
    cr_assert_eq(info.unmapped.loss[LOSS_unknown_opcodes], 1);
    cr_assert_str_eq(info.unmapped.first_unknown, "FROBNICATE");
    cr_assert_eq(info.unmapped.loss[LOSS_dropped_registers], 1);
    s->ops->close(s);
    info_free(&info);
}

/* A large kernel, so that .xz is decoded in many pieces: block b, warp w loads from 4096 * b + 256 * w. */
static char *large_kernel(uint32_t blocks, size_t *size)
{
    char *text = NULL;
    FILE *to = open_memstream(&text, size);
    fprintf(to, "-kernel name = large\n-grid dim = (%u,1,1)\n-block dim = (64,1,1)\n-accelsim tracer version = 3\n\n",
            blocks);
    for (uint32_t b = 0; b < blocks; b++) {
        fprintf(to, "#BEGIN_TB\n\nthread block = %u,0,0\n", b);
        for (uint32_t w = 0; w < 2; w++) {
            fprintf(to,
                    "\nwarp = %u\ninsts = 2\n0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x%x 4 \n0010 ffffffff 0 EXIT 0 0 \n", w,
                    4096 * b + 256 * w);
        }
        fprintf(to, "\n#END_TB\n\n");
    }
    fclose(to);
    return text;
}

static void write_xz(const char *path, const char *text, size_t size)
{
    size_t bound = lzma_stream_buffer_bound(size), used = 0;
    uint8_t *out = malloc(bound);
    cr_assert_eq(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text, size, out, &used, bound),
                 LZMA_OK);
    write_file(path, out, used);
    free(out);
}

static void assert_block(struct source *s, uint32_t block)
{
    struct error err = {0};
    struct inst i;
    struct block_stream *b = s->ops->open_block(s, block, &err);
    cr_assert(b, "%s", err.text);
    cr_assert_eq(source_next_inst(s, b, 1, &i, &err), SOURCE_OK);
    cr_assert_eq(i.addr[3], 4096 * block + 256 + 12);
    s->ops->close_block(b);
}

Test(accelsim, blocks_open_in_any_order)
{
    size_t size;
    char *text = large_kernel(4000, &size);
    write_file(scratch("large.traceg"), text, size);
    write_xz(scratch("large.traceg.xz"), text, size);
    for (int xz = 0; xz < 2; xz++) {
        struct error err = {0};
        struct kernel_info k;
        struct source *s = must_open(scratch(xz ? "large.traceg.xz" : "large.traceg"));
        cr_assert_eq(s->ops->next_kernel(s, &k, &err), SOURCE_OK);
        cr_assert_eq(kernel_blocks(&k), 4000);
        static const uint32_t order[] = {0, 1, 7, 3000, 2, 3001, 3999, 5, 0, 2500, 3998};
        for (size_t n = 0; n < sizeof order / sizeof *order; n++) assert_block(s, order[n]);
        s->ops->close(s);
    }
    write_file(scratch("short.traceg.xz"), text, 0);
    uint8_t *packed = read_file(scratch("large.traceg.xz"), &size);
    write_file(scratch("short.traceg.xz"), packed, size - 40);
    assert_refused(scratch("short.traceg.xz"), "the xz stream is truncated");
    packed[size / 2] ^= 1;
    write_file(scratch("bad.traceg.xz"), packed, size);
    assert_refused(scratch("bad.traceg.xz"), "the xz stream is damaged");
    free(packed);
    free(text);
}

/* As `cat a.xz b.xz` makes them. */
Test(accelsim, xz_streams_may_follow_each_other)
{
    size_t size, first, second;
    char *text = large_kernel(50, &size);
    write_file(scratch("two.traceg"), text, size);
    write_xz(scratch("first.xz"), text, size / 3);
    uint8_t *a = read_file(scratch("first.xz"), &first);
    write_xz(scratch("second.xz"), text + size / 3, size - size / 3);
    uint8_t *b = read_file(scratch("second.xz"), &second);
    uint8_t *both = realloc(a, first + second);
    cr_assert(both);
    memcpy(both + first, b, second);
    write_file(scratch("two.traceg.xz"), both, first + second);
    struct source *plain = must_open(scratch("two.traceg")), *xz = must_open(scratch("two.traceg.xz"));
    assert_same(plain, xz, false);
    plain->ops->close(plain);
    xz->ops->close(xz);
    free(both);
    free(b);
    free(text);
}

/* Every truncation but one that only loses blank lines. */
Test(accelsim, truncations_are_refused, .timeout = 120)
{
    size_t size;
    uint8_t *data = read_file(APP "/kernel-1.traceg", &size);
    while (size && data[size - 1] == '\n') size--;
    for (size_t n = 0; n < size; n++) {
        write_file(scratch("cut.traceg"), data, n);
        assert_refused(scratch("cut.traceg"), "cut.traceg");
    }
    free(data);
}

/* A kernel of one block of one warp; line 9 is `line`. */
static void assert_line_refused(const char *line, const char *message)
{
    char text[600], place[300];
    int n = snprintf(text, sizeof text,
                     "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (40,1,1)\n-accelsim tracer version = 3\n"
                     "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n%s\n0010 ffffffff 0 EXIT 0 0 \n#END_TB\n",
                     line);
    write_file(scratch("line.traceg"), text, (size_t)n);
    snprintf(place, sizeof place, "line.traceg:%s", message);
    assert_refused(scratch("line.traceg"), place);
}

Test(accelsim, mistakes_are_told_by_line)
{
    assert_line_refused("xyz", "9: found 'xyz', expected a program counter");
    assert_line_refused("0000 1ffffffff 0 NOP 0 0", "9: found '1ffffffff', expected an active mask");
    assert_line_refused("0000 ffffffff 7 NOP 0 0", "9: found '7', expected a number of destination registers");
    assert_line_refused("0000 ffffffff 1 X9 NOP 0 0", "9: found 'X9', expected a register");
    assert_line_refused("0000 ffffffff 0 NOP", "9: found 'the end of the line', expected a number of source registers");
    assert_line_refused("0000 ffffffff 1 R1 LDG 1 R2 4 3 0x0",
                        "9: found '3', expected an address mode: 0 (list), 1 (base and stride) or 2");
    assert_line_refused("0000 ffffffff 1 R1 LDG 1 R2 4 0 0x0", "9: found 'the end of the line', expected an address");
    assert_line_refused("0000 0000000f 1 R1 LDG 1 R2 4 2 0x0 1 2",
                        "9: found 'the end of the line', expected a difference per further active lane");
    assert_line_refused("0000 00000005 1 R1 LDG 1 R2 4 1 0x0 4",
                        "9: found 'a base and a stride', expected that only for neighbouring active lanes");
    assert_line_refused("0000 ffffffff 1 R1 LDG 1 R2 0", "9: found 'LDG', expected addresses for this opcode");
    assert_line_refused("0000 ffffffff 1 R1 LDG.E.512 1 R2 4 1 0x0 4",
                        "9: found 'LDG', expected an access of 1, 2, 4, 8, 16 or 32 bytes");
    assert_line_refused("0000 ffffffff 0 WEIRD 1 R2 4 1 0x0 4",
                        "9: found 'WEIRD', expected a known opcode where there are addresses");
    assert_line_refused("0000 ffffffff 0 UTMALDG 0 4 3 1 0x0",
                        "9: found 'UTMALDG', expected no bulk copies: tracers before version 6");
    assert_line_refused("0000 ffffffff 0 NOP 0 0 1 2", "9: found '2', expected the end of the line");
    assert_line_refused("0000 ffffffff 0 NOP 0 0\n0008 ffffffff 0 NOP 0 0",
                        "11: found '0010 ffffffff 0 EXIT 0 0 ', expected warp = N or #END_TB");
    assert_line_refused("0000 ffffffff 0 NOP 0 0\n0010 ffffffff 0 EXIT 0 0\nwarp = 0\ninsts = 1",
                        "11: found 'warp = 0', expected each warp");
    assert_line_refused("0000 ffffffff 0 NOP 0 0\n0010 ffffffff 0 EXIT 0 0\nwarp = 2\ninsts = 1",
                        "11: found 'warp = 2', expected each warp");
    assert_line_refused("0000 ffffffff 0 NOP 0 0\n0010 ffffffff 0 EXIT 0 0\nwarp = 1\ninsts = 1",
                        "13: found an active lane without a thread");
    assert_line_refused("#END_TB", "9: found '#END_TB', expected a program counter");
}

static void assert_list_refused(const char *list, const char *message)
{
    write_file(scratch("kernelslist.g"), list, strlen(list));
    assert_refused(scratch("kernelslist.g"), message);
}

Test(accelsim, lists_are_checked)
{
    struct error err = {0};
    assert_list_refused("MemcpyHtoD,zzz,5\n", "kernelslist.g:1: expected MemcpyHtoD,ADDRESS,BYTES");
    assert_list_refused("\nMemcpyHtoD,0x10,5\nlaunch\n",
                        "kernelslist.g:3: found 'launch', expected MemcpyHtoD,ADDRESS,BYTES or kernel-N.traceg");
    assert_list_refused("MemcpyHtoD,0x10,5\n", "kernelslist.g: found no kernels");
    assert_list_refused("MemcpyHtoD,0x10,5\nMemcpyHtoD,0xffffffffffffffff,2\n",
                        "kernelslist.g:2: found an allocation beyond 2^64");
    write_file(scratch("kernelslist.g"), "kernel-77.traceg\n", 17);
    cr_assert_null(source_open(scratch("kernelslist.g"), 1, &err));
    cr_assert(strstr(err.text, "kernel-77.traceg: cannot be read"), "%s", err.text);
}

/* Each region that the host copies to is an allocation, and overlapping regions are one. */
Test(accelsim, copies_that_overlap_are_one_allocation)
{
    static const char list[] = "MemcpyHtoD,0x1000,256\n"
                               "MemcpyHtoD,0x2000,256\n"
                               "MemcpyHtoD,0x3000,256\n"
                               "MemcpyHtoD,0x2000,256\n"  /* again */
                               "MemcpyHtoD,0x2080,4\n"    /* a part */
                               "MemcpyHtoD,0x1100,8\n"    /* right behind: its own */
                               "MemcpyHtoD,0x4000,0\n"    /* nothing */
                               "MemcpyHtoD,0x20ff,4096\n" /* the end of the second, the beginning of the third */
                               "MemcpyHtoD,0x5000,16\n"
                               "MemcpyHtoD,0x4ff0,17\n"
                               "kernel-1.traceg\n";
    static const struct allocation want[] = {
        {"copy0", 0x1000, 256, 0}, {"copy1", 0x2000, 0x1100, 0}, {"copy2", 0x1100, 8, 0}, {"copy3", 0x4ff0, 32, 0}};
    write_file(scratch("kernel-1.traceg"), "", 0);
    write_file(scratch("kernelslist.g"), list, strlen(list));
    struct source *s = must_open(scratch("kernelslist.g"));
    cr_assert_eq(s->allocation_count, sizeof want / sizeof *want);
    for (uint32_t i = 0; i < s->allocation_count; i++) {
        const struct allocation *a = &s->allocations[i];
        cr_expect(a->addr == want[i].addr && a->bytes == want[i].bytes && !strcmp(a->name, want[i].name),
                  "%u: %s, %#llx, %llu bytes", i, a->name, (unsigned long long)a->addr, (unsigned long long)a->bytes);
    }
    s->ops->close(s);
}

/* 100,000 copies to 50,000 places, in an order far from that of the addresses. */
Test(accelsim, many_copies_are_read_in_no_time)
{
    enum { COPIES = 100000, PLACES = 50000 };
    char *list = malloc(COPIES * 32 + 32), *end = list;
    cr_assert_not_null(list);
    for (uint64_t i = 0; i < COPIES; i++)
        end += sprintf(end, "MemcpyHtoD,0x%llx,64\n", (unsigned long long)(i * 7919 % PLACES * 256));
    end += sprintf(end, "kernel-1.traceg\n");
    write_file(scratch("kernel-1.traceg"), "", 0);
    write_file(scratch("kernelslist.g"), list, (size_t)(end - list));
    clock_t started = clock();
    struct source *s = must_open(scratch("kernelslist.g"));
    double seconds = (double)(clock() - started) / CLOCKS_PER_SEC;
    cr_expect_lt(seconds, 1, "%.2f s of processor time", seconds); /* 0.05 s; every pair compared: 10 s */
    cr_assert_eq(s->allocation_count, PLACES);
    cr_expect_eq(s->allocations[1].addr, 7919 * 256);
    s->ops->close(s);
    free(list);
}

Test(accelsim, opcodes_are_sorted)
{
    static const char *const names[] = {
#define OPCODE(name, class) #name,
#include "trace/accelsim_opcodes.def"
#undef OPCODE
    };
    for (size_t i = 1; i < sizeof names / sizeof *names; i++)
        cr_assert_lt(strcmp(names[i - 1], names[i]), 0, "%s", names[i]);
}

static struct accelsim_parser parser = {.format = {.version = 5, .threads = 64}, .chunk = 1};
static const struct accelsim_warp parsed_warp = {32, 0xffffffff, false};

static void fill_addresses(struct accelsim_inst *i)
{
    if (inst_is_memory(i->inst.op)) pattern_fill(&i->addresses, &i->inst);
}

static const char *try_parse(const char *text, struct inst *i)
{
    struct accelsim_inst parsed;
    char line[500];
    snprintf(line, sizeof line, "%s", text);
    const char *fault = accelsim_parse(&parser, line, &parsed_warp, &parsed);
    if (!fault) fill_addresses(&parsed);
    *i = parsed.inst;
    return fault;
}

/* The bytes of the line that are read by its head. */
static size_t parse_again(const char *text, struct inst *i)
{
    struct accelsim_inst parsed;
    char line[500];
    snprintf(line, sizeof line, "%s", text);
    const size_t length = accelsim_parse_again(&parser, line, &parsed_warp, &parsed);
    cr_expect_str_eq(line, text);
    if (length) fill_addresses(&parsed);
    *i = parsed.inst;
    return length;
}

static struct inst parse(const char *text)
{
    struct inst i;
    const char *fault = try_parse(text, &i);
    cr_assert_null(fault, "%s: %s", text, fault);
    return i;
}

/* Registers, opcode and losses of a program counter are kept, and only for the same text. */
Test(accelsim, repeated_instructions_are_read_like_the_first)
{
    for (int n = 1; n <= 3; n++) {
        struct inst i = parse("10 ff 1 R1 LDG.E.64 2 R2 R3 8 1 0x100 8");
        cr_expect(i.op == INST_LOAD && i.dst == 1 && i.src[0] == 2 && i.src[1] == 3 && i.size == 8 && i.pc == 0x10);
        cr_expect(i.addr[0] == 0x100 && i.addr[7] == 0x138 && i.mask == 0xff);
        i = parse("10 1 1 R1 LDG.E.64 2 R2 R33 8 0 200");
        cr_expect(i.src[1] == 33 && i.addr[0] == 0x200 && i.mask == 1, "a longer register");
        i = parse("20 1 0 NEW.OP 5 R1 R2 R3 R4 R5 0");
        cr_expect(i.op == INST_INT && i.src[3] == 4);
        cr_expect_eq(parser.counts.loss[LOSS_dropped_registers], (uint64_t)n);
        cr_expect_eq(parser.counts.loss[LOSS_unknown_opcodes], (uint64_t)n);
        cr_expect_str_eq(parser.counts.first_unknown, "NEW");
        cr_expect_str_eq(try_parse("10 ff 1 R1 LDG.E.64 2 R2 R3", &i),
                         "found 'the end of the line', expected a memory width");
        cr_expect_str_eq(try_parse("10 ff 1 R1 LDG.E.64 2 R2 R3 8 1 0x100 8 1 1", &i),
                         "found '1', expected the end of the line");
        cr_expect_str_eq(try_parse("30 ff 1 R1 LDG.E.24 1 R2 3 1 0x100 3", &i),
                         "found 'LDG', expected an access of 1, 2, 4, 8, 16 or 32 bytes");
        i = parse("40 1 1 R1 A_NAME_OF_MORE_THAN_SIXTY_CHARACTERS_WHICH_NO_PROCESSOR_HAS.X 1 R2 0");
        cr_expect_eq(i.src[0], 2);
        parser.counts.loss[LOSS_unknown_opcodes]--;
    }
}

/* The first line teaches the head, by which the second is read like a line of its own. */
Test(accelsim, a_known_head_reads_another_mask_and_other_addresses)
{
    static const char *const lines[][2] = {
        {"0010 ffffffff 1 R1 LDG.E.64 2 R2 R3 8 1 0x100 8", "0010 0000000f 1 R1 LDG.E.64 2 R2 R3 8 1 0x7f00 -16"},
        {"0010 ffffffff 0 STG.E 2 R2 R3 4 1 0x100 4", "0010 40000201 0 STG.E 2 R2 R3 4 2 0x200 0 -0x8"},
        {"0010 00000003 0 STS 2 R2 R3 4 0 10 14", "0010 00000007 0 STS 2 R2 R3 4 0 0x10 14 1234567812345678"},
        {"10008 ffffffff 1 R1 IADD3 3 R1 R2 R3 0 0x10", "10008 00000001 1 R1 IADD3 3 R1 R2 R3 0 0x10"},
        {"0020 ffffffff 1 R1 MOV 0 0 ", "0020 00000000 1 R1 MOV 0 0 "},
        {"0020 ffffffff 0 NEW.OP 5 R1 R2 R3 R4 R5 0", "0020 00000001 0 NEW.OP 5 R1 R2 R3 R4 R5 0"},
        {"0020 00000001 1 R1 LDL 1 R2 4 1 0x10 0", "0020 00000002 1 R1 LDL 1 R2 4 1 0x20 0"},
        {"0030 ffffffff 0 LDG.E.24 1 R2 3 1 0x100 3", NULL},
    };
    for (size_t n = 0; lines[n][1]; n++) {
        struct inst first = parse(lines[n][0]), again, alone = parse(lines[n][1]);
        char text[200];
        const size_t length = (size_t)snprintf(text, sizeof text, "%s\n", lines[n][1]);
        cr_expect(first.pc == alone.pc);
        cr_expect_eq(parse_again(text, &again), length, "%s", text);
        cr_expect_eq(again.op, alone.op, "%s", text);
        cr_expect(again.mask == alone.mask && again.pc == alone.pc && again.dst == alone.dst, "%s", text);
        cr_expect(again.size == alone.size && !memcmp(again.src, alone.src, sizeof again.src), "%s", text);
        if (inst_is_memory(alone.op)) cr_expect_arr_eq(again.addr, alone.addr, sizeof alone.addr, "%s", text);
    }
}

Test(accelsim, a_known_head_reads_no_line_that_is_cut_short_or_wrong)
{
    static const char *const others[] = {
        "0010 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100 4",     /* the text ends */
        "0010 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100 4\r\n", /* lines_next() knows this end */
        "0010 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100 4 1 1\n",
        "0010 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100 x\n",
        "0010 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100\n",
        "0010 ffffffff 1 R1 LDG.E 1 R2 4 3 0x100 4\n",
        "0010 ffffffff 1 R1 LDG.E 1 R2 4\n",
        "0010 f0f0f0f0 1 R1 LDG.E 1 R2 4 1 0x100 4\n",
        "0010 fffffffg 1 R1 LDG.E 1 R2 4 1 0x100 4\n",
        "0010 fffffff 1 R1 LDG.E 1 R2 4 1 0x100 4\n",
        "0018 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100 4\n",
        "0010 ffffffff 1 R1 LDG.E 1 R3 4 1 0x100 4\n",
        "0020 ffffffff 1 R1 MOV 0 0 1 0x10 4\n",
        "#END_TB\n",
        "",
    };
    parse("0010 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100 4");
    parse("0020 ffffffff 1 R1 MOV 0 0 ");
    struct inst i;
    cr_expect_neq(parse_again("0010 ffffffff 1 R1 LDG.E 1 R2 4 1 0x100 4\n", &i), 0);
    cr_expect_neq(parse_again("0020 ffffffff 1 R1 MOV 0 0 \n", &i), 0);
    for (size_t n = 0; n < sizeof others / sizeof *others; n++)
        cr_expect_eq(parse_again(others[n], &i), 0, "%s", others[n]);
}

/* A NUL ends the text in memory; lines read earlier may follow it. */
Test(accelsim, a_known_head_reads_nothing_behind_the_end_of_the_text)
{
    static const char line[] = "0020 ffffffff 1 R1 MOV 0 0 \n";
    parse("0020 ffffffff 1 R1 MOV 0 0 ");
    for (size_t end = 0; end < sizeof line - 1; end++) {
        char over[200] = {0}, before[200] = {0};
        struct accelsim_inst parsed;
        strcpy(over, line);
        over[end] = '\0'; /* in place of a character of the line */
        memcpy(before, line, end);
        strcpy(before + end + 1, line); /* between two lines */
        cr_expect_eq(accelsim_parse_again(&parser, over, &parsed_warp, &parsed), 0, "%zu", end);
        cr_expect_eq(accelsim_parse_again(&parser, before, &parsed_warp, &parsed), 0, "%zu", end);
    }
}

Test(accelsim, numbers_of_any_length)
{
    cr_expect_eq(parse("0 1 1 R1 LDG.E 1 R2 4 0 ffffffffffffffff").addr[0], UINT64_MAX);
    cr_expect_eq(parse("0 1 1 R1 LDG.E 1 R2 4 0 0xFFFFFFFFFFFFFF00").addr[0], UINT64_MAX - 255);
    cr_expect_eq(parse("0 1 1 R1 LDG.E 1 R2 4 0 000000000000000000001000").addr[0], 0x1000);
    cr_expect_eq(parse("0 3 1 R1 LDG.E 1 R2 4 2 0x1000 -16").addr[1], 0xff0);
    struct inst i;
    cr_expect_str_eq(try_parse("0 1 1 R1 LDG.E 1 R2 4 0 10000000000000000", &i),
                     "found '10000000000000000', expected an address");
    cr_expect_str_eq(try_parse("0 1 1 R1 LDG.E 1 R2 4 0 0x", &i), "found '0x', expected an address");
    cr_expect_str_eq(try_parse("0 1 1 R1 LDG.E 1 R2 4097 0 0", &i), "found '4097', expected a memory width");
    cr_expect_str_eq(try_parse("0 100000000 0 FADD 0 0", &i), "found '100000000', expected an active mask");
    cr_expect_str_eq(try_parse("0 1x 0 FADD 0 0", &i), "found '1x', expected an active mask");
}

/* Every byte at every place after 0 to 8 digits. */
Test(accelsim, hexadecimal_digits_of_a_long_number)
{
    for (unsigned at = 0; at <= 8; at++)
        for (unsigned byte = 0; byte < 256; byte++) {
            char text[32] = "09afAF7c, and more";
            unsigned wanted = at;
            uint64_t value = 1, expected = 0;
            text[at] = (char)byte;
            while (wanted < 8 && digit_value(text[wanted]) < 16) wanted++;
            for (unsigned i = 0; i < wanted; i++) expected = expected << 4 | digit_value(text[i]);
            cr_assert_eq(short_hexadecimal(text, &value), wanted, "%u: %02x", at, byte);
            if (wanted) cr_assert_eq(value, expected, "%u: %02x", at, byte);
        }
}

Test(accelsim, addresses_and_differences_of_any_length)
{
    static const struct {
        const char *addresses;
        uint64_t wanted[4];
    } cases[] = {{"2 0x7f4000003000 4 4 4", {0x7f4000003000, 0x7f4000003004, 0x7f4000003008, 0x7f400000300c}},
                 {"2 0x10 4 44 4 ", {0x10, 0x14, 0x40, 0x44}},
                 {"2 0x10 -4 -4 4 ", {0x10, 0xc, 8, 0xc}},
                 {"2 0x100000000 4 4 -42", {0x100000000, 0x100000004, 0x100000008, 0xffffffde}},
                 {"2 0xffffffffffffffff 1 1 1", {UINT64_MAX, 0, 1, 2}},
                 {"2 0x0 1234567 1234567 12345678", {0, 1234567, 2469134, 14814812}},
                 {"2 0x0 123456789 123456789 123456789", {0, 123456789, 246913578, 370370367}},
                 {"0 0x1 0xabcdef01 0xabcdef012 0xABCDEF0123456789", {1, 0xabcdef01, 0xabcdef012, 0xabcdef0123456789}},
                 {"0 1 abcdef01 0x00000000000000001 0x7 ", {1, 0xabcdef01, 1, 7}},
                 {"1 0xfffffffffffffff0 16", {0xfffffffffffffff0, 0, 16, 32}}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[200];
        snprintf(text, sizeof text, "0 f 1 R1 LDG.E 1 R2 4 %s", cases[n].addresses);
        struct inst i = parse(text);
        for (int lane = 0; lane < 4; lane++)
            cr_expect_eq(i.addr[lane], cases[n].wanted[lane], "%s: lane %d", text, lane);
    }
    struct inst i;
    cr_expect_str_eq(try_parse("0 f 1 R1 LDG.E 1 R2 4 2 0x10 4 4", &i),
                     "found 'the end of the line', expected a difference per further active lane");
    cr_expect_str_eq(try_parse("0 f 1 R1 LDG.E 1 R2 4 2 0x10 4 4 4x", &i),
                     "found '4x', expected a difference per further active lane");
    cr_expect_str_eq(try_parse("0 1 1 R1 LDG.E 1 R2 4 0 0x10000000000000000", &i),
                     "found '0x10000000000000000', expected an address");
    cr_expect_str_eq(try_parse("0 1 1 R1 LDG.E 1 R2 4 3 0x10", &i), "found '3', expected an address mode: 0 (list), 1 "
                                                                    "(base and stride) or 2 (base and differences)");
}

/* Lanes with gaps between them have differences, where their addresses have one stride, too. */
Test(accelsim, a_stride_is_found_across_gaps)
{
    static const struct {
        const char *text;
        bool strided;
        uint64_t stride, last;
    } cases[] = {{"15 1 R1 LDG.E 1 R2 4 2 0x100 8 8", true, 4, 0x110},
                 {"13 1 R1 LDG.E 1 R2 4 2 0x100 4 12", true, 4, 0x110},
                 {"d 1 R1 LDG.E 1 R2 4 2 0x100 8 4", true, 4, 0x10c},
                 {"d 1 R1 LDG.E 1 R2 4 2 0x100 8 8", false, 0, 0x110},
                 {"d 1 R1 LDG.E 1 R2 4 2 0x100 -3 -2", false, 0, 0xfb},
                 {"d 1 R1 LDG.E 1 R2 4 2 0x100 -8 -4", true, UINT64_MAX - 3, 0xf4},
                 {"90 1 R1 LDG.E 1 R2 4 2 0x100 0", true, 0, 0x100},
                 {"90 1 R1 LDG.E 1 R2 4 2 0x100 3", true, 1, 0x103},
                 {"90 1 R1 LDG.E 1 R2 4 2 0x100 4", false, 0, 0x104},
                 {"f 1 R1 LDG.E 1 R2 4 2 0x100 4 4 8", false, 0, 0x110},
                 {"80000000 1 R1 LDG.E 1 R2 4 2 0x100", true, 0, 0x100}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        struct accelsim_inst parsed;
        char line[500];
        snprintf(line, sizeof line, "0 %s", cases[n].text);
        cr_assert_null(accelsim_parse(&parser, line, &parsed_warp, &parsed), "%s", cases[n].text);
        cr_expect_eq(parsed.addresses.strided, cases[n].strided, "%s", cases[n].text);
        cr_expect_eq(parsed.addresses.stride, cases[n].stride, "%s", cases[n].text);
        pattern_fill(&parsed.addresses, &parsed.inst);
        cr_expect_eq(parsed.inst.addr[31 - __builtin_clz(parsed.inst.mask)], cases[n].last, "%s", cases[n].text);
    }
}

Test(accelsim, sizes_come_from_the_opcode)
{
    cr_assert_eq(parse("0 1 1 R1 LDG.E.S16.SYS 1 R2 4 2 0x0").size, 2);
    cr_assert_eq(parse("0 1 1 R1 LDG.E.U16 1 R2 4 2 0x0").size, 2);
    cr_assert_eq(parse("0 1 1 R1 LDG.E.LTC128B.64 1 R2 8 2 0x0").size, 8);
    cr_assert_eq(parse("0 1 1 R1 ATOMG.E.ADD.F64.RN 1 R2 4 2 0x0").size, 8);
    cr_assert_eq(parse("0 1 0 RED.E.ADD.F16x2.RN 1 R2 4 2 0x0").size, 4);
    cr_assert_eq(parse("0 1 2 R8 R9 LDG.E.ENL2.256 1 R2 32 2 0x0").size, 32);
    cr_assert_eq(parse("0 1 0 LDGSTS.E.BYPASS.LTC128B.128 2 R1 R2 16 2 0x0").size, 16);
    cr_assert_eq(parse("0 1 1 R1 LDSM.16.M88.4 1 R2 2 2 0x0").size, 16);
    cr_assert_eq(parse("0 1 1 R1 LD.E 1 R2 4 2 0x7f0000000000").op, INST_LOAD); /* no windows given: global */
    cr_assert_eq(parse("0 1 1 R1 ATOMS.ADD 1 R2 4 2 0x0").op, INST_SHARED_LOAD);
    cr_assert_eq(parse("0 1 0 BAR.ARV 0 0").op, INST_INT);
    cr_assert_eq(parse("0 1 0 LDC 1 R2 0").op, INST_INT);
    cr_assert_eq(parse("0 1 0 LDC 1 R2 4 2 0x160").op, INST_CONST_LOAD);
    cr_assert_eq(parse("0 1 0 ULDC.64 1 R2 8 2 0x160").size, 8);
}
