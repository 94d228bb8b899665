/* SPDX-License-Identifier: Apache-2.0 */
/* The text form: lines written by hand are read, or refused with their number, and every workload can be written in it.
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "trace/lines.h"
#include "trace/text.h"

static void write_text(struct source *s, const char *path)
{
    struct error err = {0};
    cr_assert(text_write_file(s, path, NULL, &err), "%s", err.text);
    s->ops->close(s);
}

Test(text, any_workload_comes_back)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        write_text(synthetic_open(seed), scratch("any.mttx"));
        for (int backwards = 0; backwards < 2; backwards++) {
            struct source *a = synthetic_open(seed), *b = must_open(scratch("any.mttx"));
            assert_same(a, b, backwards);
            a->ops->close(a);
            b->ops->close(b);
        }
    }
}

/* Text, binary and made up: one workload, one identity. */
Test(text, the_identity_does_not_depend_on_the_form)
{
    write_text(synthetic_open(3), scratch("form.mttx"));
    must_write(synthetic_open(3), scratch("form.mtt"));
    struct source *a = must_open(scratch("form.mttx")), *b = must_open(scratch("form.mtt"));
    cr_assert_str_eq(a->identity, b->identity);
    cr_assert_eq(strlen(a->identity), 7 + 32);
    a->ops->close(a);
    b->ops->close(b);
}

/* The instructions of traces/small/corners.mttx, worked out by hand. */
Test(text, every_form_of_an_instruction)
{
    struct error err = {0};
    struct kernel_info k;
    struct source *s = must_open("traces/small/corners.mttx");
    cr_assert_eq(s->ops->next_kernel(s, &k, &err), SOURCE_OK);
    cr_assert_str_eq(k.name, "corners of one block");
    struct block_stream *b = s->ops->open_block(s, 0, &err);
    struct inst i[13];
    for (int n = 0; n < 12; n++) cr_assert_eq(source_next_inst(s, b, 0, &i[n], &err), SOURCE_OK);
    cr_assert_eq(source_next_inst(s, b, 0, &i[12], &err), SOURCE_END);
    cr_assert(i[0].op == INST_SP && i[0].pc == 0x100 && i[0].dst == 1 && i[0].count == 4 && i[0].src[0] == INST_NO_REG);
    cr_assert(i[1].op == INST_SFU && i[1].pc == 0x108 && i[1].src[0] == 1 && i[1].src[1] == INST_NO_REG);
    cr_assert(i[2].op == INST_LOAD && i[2].size == 8 && i[2].addr[0] == 0x20000f80 && i[2].addr[31] == 0x20000000);
    cr_assert(i[3].addr[0] == 0x20000040 && i[3].addr[31] == 0x20000040 && i[3].mask == 0xffffffff);
    cr_assert(i[4].src[0] == INST_NO_REG && i[4].src[1] == 6 && i[4].mask == 15 && i[4].addr[1] == 0x20000101 &&
              i[4].addr[4] == 0);
    cr_assert(i[5].mask == 0xf5 && i[5].addr[0] == 0x20001000 && i[5].addr[1] == 0 && i[5].addr[2] == 0x20001080 &&
              i[5].addr[7] == 0x200011c0);
    cr_assert(i[6].op == INST_SHARED_STORE && i[6].addr[31] == 124 && i[7].op == INST_BARRIER &&
              i[8].op == INST_SHARED_LOAD);
    cr_assert(i[8].addr[31] == 0 && i[9].op == INST_ATOMIC && i[9].dst == 9 && i[11].op == INST_EXIT &&
              i[11].mask == 0xffffffff);
    for (int n = 0; n < 5; n++) cr_assert_eq(source_next_inst(s, b, 1, &i[n], &err), SOURCE_OK);
    cr_assert(i[0].mask == 0xff && i[1].addr[7] == 0x80 + 28 && i[1].addr[8] == 0 && i[3].mask == 0x80 &&
              i[3].dst == INST_NO_REG && i[4].mask == 0);
    s->ops->close_block(b);
    s->ops->close(s);
}

/* Puts `line` at line 5 of a small workload and expects the message. */
static void assert_line_refused(const char *line, const char *message)
{
    char text[400], place[300];
    int n = snprintf(text, sizeof text,
                     "memtwin-trace 1\nkernel grid=1 block=40 name=k\nblock 0\nwarp 0\n%s\nexit\nwarp 1\nexit\n", line);
    write_file(scratch("line.mttx"), text, (size_t)n);
    snprintf(place, sizeof place, "line.mttx:5: %s", message);
    assert_refused(scratch("line.mttx"), place);
}

Test(text, mistakes_are_told_by_line)
{
    assert_line_refused("lood.4 at=0", "found 'lood', expected an operation: sp, sfu, int, dp, tensor, load");
    assert_line_refused("load at=0", "found 'no size', expected a size, as in load.4");
    assert_line_refused("load.3 at=0", "found an access size other than 1, 2, 4, 8, 16 or 32");
    assert_line_refused("load.4", "found 'no addresses', expected at=BASE");
    assert_line_refused("load.4 at=0x1,0x2", "found 'fewer addresses', expected one per active lane");
    assert_line_refused("load.4 lanes=3 at=1,2", "found '2', expected one address per active lane, no more");
    assert_line_refused("load.4 at=0x10000000000000000", "found '0x10000000000000000', expected an address");
    assert_line_refused("load.4 at=4+x", "found 'x', expected a stride");
    assert_line_refused("sp at=4", "found 'at=', expected no addresses for this operation");
    assert_line_refused("sp.4", "found '4', expected no size for this operation");
    assert_line_refused("sp dst=r255", "found 'r255', expected a register r0 to r254");
    assert_line_refused("sp src=r1,r2,r3,r4,r5", "found 'r5', expected at most 4 source registers");
    assert_line_refused("load.4 mask=0 at=0", "found no active lane");
    assert_line_refused("wait count=0", "found a wait for fewer than 0 groups");
    assert_line_refused("commit count=2",
                        "found a count other than 1 outside sp, sfu, int, dp, tensor, wait and await");
    assert_line_refused("arrive mbarrier=1 count=2",
                        "found a count other than 1 outside sp, sfu, int, dp, tensor, wait and await");
    assert_line_refused("await mbarrier=256", "found '256', expected an mbarrier of 0 to 255");
    assert_line_refused("await mbarrier=1 mbarrier=1", "found 'mbarrier', expected each of");
    assert_line_refused("wait mbarrier=1", "found 'mbarrier=', expected no mbarrier for this operation");
    assert_line_refused("await.8 mbarrier=1", "found '8', expected no size for this operation");
    assert_line_refused("await at=0x100", "found 'at=', expected no addresses for this operation");
    assert_line_refused("commit.4", "found '4', expected no size for this operation");
    assert_line_refused("sp lanes=30-2", "found '30', expected a lane or a range of lanes within 0-31");
    assert_line_refused("sp count=0", "found a run of 0 instructions");
    assert_line_refused("load.4 count=2 at=0",
                        "found a count other than 1 outside sp, sfu, int, dp, tensor, wait and await");
    assert_line_refused("sp colour=red",
                        "found 'colour', expected one of pc, dst, src, mask, lanes, count, at, mbarrier");
    assert_line_refused("sp dst", "found 'dst', expected KEY=VALUE");
    assert_line_refused("sp dst=r1 dst=r2",
                        "found 'dst', expected each of pc, dst, src, mask (or lanes), count, at, mbarrier once");
    assert_line_refused("load.4 at=1 dst=r1 at=2", "found 'at', expected each of");
    assert_line_refused("sp mask=1 lanes=0-3", "found 'lanes', expected each of");
    assert_line_refused("warp 1", "found 'warp', expected an operation");
}

static void assert_text_refused(const char *text, const char *message)
{
    write_file(scratch("whole.mttx"), text, strlen(text));
    assert_refused(scratch("whole.mttx"), message);
}

Test(text, mistakes_in_the_frame_are_told_by_line)
{
    assert_text_refused("memtwin-trace 3\n", "whole.mttx:1: found '3', expected version 1 or 2");
    assert_text_refused("memtwin-trace 0\n", "whole.mttx:1: found '0', expected version 1 or 2");
    assert_text_refused("memtwin-trace 1\nblock 0\n", ":2: found 'block 0', expected name, alloc or kernel");
    assert_text_refused("memtwin-trace 1\nkernel grid=1 block=32\n",
                        ":2: found 'no name', expected kernel ... name=NAME");
    assert_text_refused("memtwin-trace 1\nkernel grid=0 block=32 name=k\n", ":2: found a grid of 0 or more");
    assert_text_refused("memtwin-trace 1\nkernel grid=65536,65536 block=32 name=k\n", ":2: found a grid of 0 or more");
    assert_text_refused("memtwin-trace 1\nkernel grid=1 block=64,64 name=k\n",
                        ":2: found a thread block of 0 or more than 2048");
    assert_text_refused("memtwin-trace 1\nkernel gird=1 name=k\n",
                        ":2: found 'gird', expected grid, block, regs, shared or, last, name");
    assert_text_refused("memtwin-trace 1\nkernel grid=1 block=32 grid=2 name=k\n",
                        ":2: found 'grid', expected each of grid, block, regs, shared once");
    assert_text_refused("memtwin-trace 1\nalloc 0 0 x\n", ":2: found an allocation of 0 bytes");
    assert_text_refused("memtwin-trace 1\nalloc 0xffffffffffffffff 2 x\n", ":2: found an allocation beyond 2^64");
    assert_text_refused("memtwin-trace 2\nalloc 0 64 x\n", "expected alloc ADDRESS BYTES PITCH NAME");
    assert_text_refused("memtwin-trace 2\nalloc 0 64 65 x\n",
                        ":2: found a pitch of more bytes than the allocation has");
    assert_text_refused("memtwin-trace 1\nkernel name=k\nblock 1\n", ":3: found '1', expected block 0");
    assert_text_refused("memtwin-trace 1\nkernel name=k\nblock 0\nexit\n", ":4: found 'exit', expected warp 0");
    assert_text_refused("memtwin-trace 1\nkernel name=k\nblock 0\nwarp 0\nsp\n",
                        ":5: found 'the end of the file', expected the warp's exit");
    assert_text_refused("memtwin-trace 1\nkernel grid=2 name=k\nblock 0\nwarp 0\nexit\n",
                        ":5: found 'the end of the file', expected the kernel's next block");
    assert_text_refused("memtwin-trace 1\nkernel block=40 name=k\nblock 0\nwarp 0\nexit\nwarp 1\nsp lanes=8\nexit\n",
                        ":7: found an active lane without a thread");
}

Test(text, binary_rubbish_is_refused)
{
    static const char nul[] = "memtwin-trace 1\nalloc 0 \0 5 x\n";
    write_file(scratch("nul.mttx"), nul, sizeof nul - 1);
    assert_refused(scratch("nul.mttx"), "nul.mttx:2: found a NUL byte, expected text");
    static char line[LINE_MAX_BYTES + 100];
    memset(line, 'x', sizeof line);
    memcpy(line, "memtwin-trace 1\n", 16);
    write_file(scratch("long.mttx"), line, sizeof line);
    assert_refused(scratch("long.mttx"), "long.mttx: after line 1: found a line of more than 65535 bytes");
}

/* Lines of nearly the maximum length, at various offsets of the read buffer. */
Test(text, long_lines_are_read_across_the_buffer)
{
    enum { COMMENTS = 20 };
    static const char head[] = "memtwin-trace 1\n", rest[] = "kernel name=k\nblock 0\nwarp 0\nexit\n";
    static char text[sizeof head + COMMENTS * LINE_MAX_BYTES + sizeof rest];
    char *at = stpcpy(text, head);
    for (size_t i = 0; i < COMMENTS; i++) {
        const size_t bytes = LINE_MAX_BYTES - 2 - 977 * i;
        memset(at, '#', bytes);
        at[bytes] = '\n';
        at += bytes + 1;
    }
    at = stpcpy(at, rest);
    write_file(scratch("comments.mttx"), text, (size_t)(at - text));
    struct source *s = must_open(scratch("comments.mttx"));
    struct kernel_info kernel;
    struct error err = {""};
    cr_expect_eq(s->ops->next_kernel(s, &kernel, &err), SOURCE_OK, "%s", err.text);
    s->ops->close(s);
}

Test(text, one_block_can_be_printed_alone)
{
    char *text = NULL;
    size_t size;
    struct error err = {0};
    struct text_part part = {1, 1}, none = {2, -1}, beyond = {0, 1};
    FILE *to = open_memstream(&text, &size);
    struct source *s = must_open("traces/small/corners.mttx");
    cr_assert(text_write(s, to, &part, NULL, &err), "%s", err.text);
    s->ops->close(s);
    fflush(to);
    cr_assert(strstr(text, "kernel grid=1,2,1 block=32,1,1 regs=8 shared=0 name=after\nblock 1\nwarp 0\nload.4 dst=r0 "
                           "at=0x20000000+4\nexit\n"),
              "%s", text);
    cr_assert_null(strstr(text, "block 0"));
    s = must_open("traces/small/corners.mttx");
    cr_assert(!text_write(s, to, &none, NULL, &err));
    cr_assert(strstr(err.text, "has 2 kernels, numbered from 0, not one numbered 2"), "%s", err.text);
    s->ops->close(s);
    err.text[0] = '\0';
    s = must_open("traces/small/corners.mttx");
    cr_assert(!text_write(s, to, &beyond, NULL, &err));
    cr_assert(strstr(err.text, "has thread blocks 0 to 0, not 1"), "%s", err.text);
    s->ops->close(s);
    fclose(to);
    free(text);
}

/* Nothing else differs. */
Test(text, the_digest_covers_the_mbarrier)
{
    char text[200], digest[2][65];
    struct error err = {0};
    for (int n = 0; n < 2; n++) {
        const int size = snprintf(
            text, sizeof text, "memtwin-trace 1\nname m\nkernel name=m\nblock 0\nwarp 0\nawait mbarrier=%d\nexit\n", n);
        write_file(scratch("mbarrier.mttx"), text, (size_t)size);
        cr_assert(read_everything(scratch("mbarrier.mttx"), digest[n], &err), "%s", err.text);
    }
    cr_expect_str_neq(digest[0], digest[1]);
}
