/* SPDX-License-Identifier: Apache-2.0 */
/* Traces of tracer version 6 and .tracez: one kernel written down for each tracer, what bulk copies, mbarriers and
 * clusters become, and the message for each kind of damage.  The files are packed here, by no code of the writer. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "support.h"
#include "trace/bytes.h"
#include "trace/info.h"

#define DATA "tests/trace/data/versions/"

Test(tracez, old_and_new_tracers_agree)
{
    static const char *const files[] = {DATA "v4.traceg", DATA "v5.traceg", DATA "v6.traceg", DATA "v6.tracez"};
    for (size_t n = 0; n < sizeof files / sizeof *files; n++)
        for (int backwards = 0; backwards < 2; backwards++) {
            struct source *a = must_open(DATA "versions.mttx"), *b = must_open(files[n]);
            assert_same(a, b, backwards);
            a->ops->close(a);
            b->ops->close(b);
        }
}

#define HEAD "-kernel name = k\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n-accelsim tracer version = 6\n"

/* The instructions, as text, of a kernel of one thread block; `warps` are the lines of each. */
static void expect_instructions(const char *const *lines, uint32_t warps, uint32_t threads, const char *want)
{
    char *text, *expected;
    size_t size, length;
    FILE *to = open_memstream(&text, &size), *as = open_memstream(&expected, &length);
    fprintf(to, HEAD "#BEGIN_TB\nthread block = 0,0,0\n", 1u, threads);
    for (uint32_t w = 0; w < warps; w++) {
        uint32_t count = 1;
        for (const char *c = lines[w]; *c; c++) count += *c == '\n';
        fprintf(to, "warp = %u\ninsts = %u\n%s0ff0 ffffffff 0 EXIT 0 0 0 0 NoVal\n", w, count, lines[w]);
    }
    fputs("#END_TB\n", to);
    fclose(to);
    fprintf(as, "memtwin-trace 1\nname x\nkernel block=%u name=k\nblock 0\n%s", threads, want);
    fclose(as);
    write_file(scratch("lines.traceg"), text, size);
    write_file(scratch("lines.mttx"), expected, length);
    struct source *a = must_open(scratch("lines.mttx")), *b = must_open(scratch("lines.traceg"));
    assert_same(a, b, false);
    a->ops->close(a);
    b->ops->close(b);
    free(text);
    free(expected);
}

static uint64_t *losses_of(const char *path)
{
    static struct trace_info info;
    struct error err = {0};
    struct source *s = must_open(path);
    info_free(&info);
    cr_assert(info_collect(s, &info, NULL, &err), "%s", err.text);
    s->ops->close(s);
    return info.unmapped.loss;
}

#define EXIT_LINE "exit pc=0xff0\n"

/* 2 KiB in one piece, 96 bytes in two, 48 of 64 bytes within bounds, a list; the direction is in the opcode. */
Test(tracez, bulk_copies_access_their_bytes)
{
    static const char *const lines[] = {
        "0000 ffffffff 0 UBLKCP.S.G 2 UR4 UR6 0 100 0 2048 0 4 0x7f0000 1 0 0 NoVal\n"
        "0010 00000001 0 UTMALDG.2D 2 UR4 UR6 0 100 1 3 96 0 4 0x7f1000 2 4096 0 0 NoVal\n"
        "0020 00000001 0 UTMALDG.2D 2 UR4 UR6 0 100 0 64 16 3 3 0x7f3000 0x7f4010 0x7f5000 0 0 NoVal\n"
        "0030 00000001 0 UTMASTG.1D 1 R3 0 0 0 64 0 4 0x7f6000 1 0 0 NoVal\n"
        "0040 00000001 0 UBLKCP.G.S 1 UR3 0 0 0 64 0 4 0x7f6000 1 0 0 NoVal\n"
        "0050 00000001 0 UTMAREDG.1D.ADD 1 UR3 0 0 0 32 0 3 1 0x7f7000 0 0 NoVal\n"
        "0060 00000001 0 UTMAPF.L2.1D 1 UR3 0 0 0 32 0 3 1 0x7f8000 0 0 NoVal\n"
        "0070 00000001 0 UBLKCP.S.S 1 UR3 0 0 0 32 0 3 1 0x200 0 0 NoVal\n"
        "0080 00000001 0 UTMALDG.1D 1 UR3 0 100 0 64 64 4 0x0 0 0 0 NoVal\n"
        "0090 00000000 0 UTMALDG.1D 1 UR3 0 100 0 64 0 4 0x100 1 0 0 NoVal\n"
        "00a0 00000001 0 UTMACMDFLUSH 0 0 0 0 NoVal\n"};
    expect_instructions(
        lines, 1, 32,
        "warp 0\ncopy_l2.32 pc=0 at=0x7f0000+32\ncopy_l2.32 pc=0 at=0x7f0400+32\narrive pc=0 mask=1 mbarrier=32\n"
        "copy_l2.16 pc=0x10 lanes=0-5 at=0x7f1000,0x7f1010,0x7f1020,0x7f2000,0x7f2010,0x7f2020\n"
        "arrive pc=0x10 mask=1 mbarrier=32\n"
        "copy_l2.16 pc=0x20 lanes=0-2 at=0x7f3000,0x7f4010,0x7f5000\narrive pc=0x20 mask=1 mbarrier=32\n"
        "store.32 pc=0x30 src=r3 lanes=0-1 at=0x7f6000+32\n"
        "store.32 pc=0x40 lanes=0-1 at=0x7f6000+32\n"
        "atomic.32 pc=0x50 lanes=0 at=0x7f7000\n"
        "load_l2.32 pc=0x60 lanes=0 at=0x7f8000\n"
        "int pc=0x70 mask=1\nint pc=0x80 mask=1\nint pc=0x90 mask=0\nint pc=0xa0 mask=1\n" EXIT_LINE);
    const uint64_t *loss = losses_of(scratch("lines.traceg"));
    cr_expect_eq(loss[LOSS_bulk_copies], 8);
    cr_expect_eq(loss[LOSS_bulk_prefetches], 1);
    cr_expect_eq(loss[LOSS_distributed_shared], 1);
    cr_expect_eq(loss[LOSS_bulk_commands], 1);
}

/* A warp of fewer threads has fewer lanes for it. */
Test(tracez, a_bulk_copy_uses_the_lanes_of_its_warp)
{
    static const char *const lines[] = {"0000 00000001 0 UBLKCP.S.G 0 0 0 0 320 0 4 0x7f0000 1 0 0 NoVal\n"};
    char want[300];
    snprintf(want, sizeof want,
             "warp 0\ncopy_l2.32 pc=0 lanes=0-7 at=0x7f0000+32\ncopy_l2.32 pc=0 lanes=0-1 at=0x7f0100+32\n"
             "arrive pc=0 mask=1 mbarrier=0\n%s",
             EXIT_LINE);
    char text[500];
    const int n = snprintf(text, sizeof text,
                           HEAD "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n%s0ff0 000000ff 0 EXIT 0 0 0\n"
                                "#END_TB\n",
                           1u, 8u, lines[0]);
    write_file(scratch("few.traceg"), text, (size_t)n);
    const int m = snprintf(text, sizeof text, "memtwin-trace 1\nname x\nkernel block=8 name=k\nblock 0\n%s", want);
    write_file(scratch("few.mttx"), text, (size_t)m);
    struct source *a = must_open(scratch("few.mttx")), *b = must_open(scratch("few.traceg"));
    assert_same(a, b, false);
    a->ops->close(a);
    b->ops->close(b);
}

#define TEST_OF "ffffffff 1 P0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 UR4 R5 8 1 "
#define COPY_TO "00000001 0 UBLKCP.S.G 0 0 "

/* Copies of any warp arrive at the mbarrier that they name, those of LDGSTS by ARRIVES.  Groups of LDGDEPBAR are
 * others. Of an address, the offset in shared memory counts.  A test of an mbarrier at which nothing arrives is sp. */
Test(tracez, tests_of_mbarriers_wait_for_the_copies_of_all_warps)
{
    static const char *const lines[] = {"0000 00000001 0 SYNCS.EXCH.64 2 UR4 R2 8 1 0x100 0 0 0 NoVal\n"
                                        "0010 " COPY_TO "100 0 32 0 4 0x7f0000 1 0 0 NoVal\n"
                                        "0020 " COPY_TO "108 0 32 0 4 0x7f1000 1 0 0 NoVal\n"
                                        "0030 ffffffff 0 LDGDEPBAR 0 0 0 0 NoVal\n"
                                        "0040 " TEST_OF "0x1000100 0 0 0 NoVal\n"
                                        "0050 " TEST_OF "0x118 0 0 0 NoVal\n",
                                        "0050 " TEST_OF "0x108 0 0 0 NoVal\n"
                                        "0060 ffffffff 0 ARRIVES.LDGSTSBAR.64.ARVCNT 1 UR4 8 1 0x110 0 0 0 NoVal\n"
                                        "0070 ffffffff 1 P0 SYNCS.PHASECHK.TRANS64 1 UR4 8 1 0x110 0 0 0 NoVal\n"};
    expect_instructions(lines, 2, 64,
                        "warp 0\nshared_load.8 pc=0 src=r2 lanes=0 at=0x100\n"
                        "copy_l2.32 pc=0x10 lanes=0 at=0x7f0000\narrive pc=0x10 mask=1 mbarrier=32\n"
                        "copy_l2.32 pc=0x20 lanes=0 at=0x7f1000\narrive pc=0x20 mask=1 mbarrier=33\n"
                        "commit pc=0x30\nawait pc=0x40 src=r5 mbarrier=32\nint pc=0x50 src=r5\n" EXIT_LINE
                        "warp 1\nawait pc=0x50 src=r5 mbarrier=33\narrive pc=0x60 mbarrier=34\n"
                        "await pc=0x70 mbarrier=34\n" EXIT_LINE);
    const uint64_t *loss = losses_of(scratch("lines.traceg"));
    cr_expect_eq(loss[LOSS_mbarriers], 1);
    cr_expect_eq(loss[LOSS_mbarrier_tests], 3);
    cr_expect_eq(loss[LOSS_mbarrier_waits], 1);
    cr_expect_eq(loss[LOSS_arrivals], 0);
}

/* Four copies.  The two tests of warp 1 wait for two each, the first four of warp 2's five for one; warp 3's copy
 * cannot be waited for by its test before. */
Test(tracez, each_test_waits_for_its_part_of_the_copies)
{
    static const char *const lines[] = {"0010 " COPY_TO "100 0 32 0 4 0x7f0000 1 0 0 NoVal\n"
                                        "0010 " COPY_TO "100 0 32 0 4 0x7f0000 1 0 0 NoVal\n"
                                        "0010 " COPY_TO "100 0 32 0 4 0x7f0000 1 0 0 NoVal\n",
                                        "0020 " TEST_OF "0x100 0 0 0 NoVal\n0020 " TEST_OF "0x100 0 0 0 NoVal\n",
                                        "0030 " TEST_OF "0x100 0 0 0 NoVal\n0030 " TEST_OF "0x100 0 0 0 NoVal\n"
                                        "0030 " TEST_OF "0x100 0 0 0 NoVal\n0030 " TEST_OF "0x100 0 0 0 NoVal\n"
                                        "0030 " TEST_OF "0x100 0 0 0 NoVal\n",
                                        "0040 " TEST_OF "0x100 0 0 0 NoVal\n"
                                        "0010 " COPY_TO "100 0 32 0 4 0x7f0000 1 0 0 NoVal\n"};
#define COPIED "copy_l2.32 pc=0x10 lanes=0 at=0x7f0000\narrive pc=0x10 mask=1 mbarrier=32\n"
#define AWAIT(n) "await pc=0x30 src=r5 mbarrier=32 count=" #n "\n"
    expect_instructions(lines, 4, 128,
                        "warp 0\n" COPIED COPIED COPIED EXIT_LINE
                        "warp 1\nawait pc=0x20 src=r5 mbarrier=32 count=2\nawait pc=0x20 src=r5 mbarrier=32 "
                        "count=2\n" EXIT_LINE "warp 2\n" AWAIT(1) AWAIT(1) AWAIT(1) AWAIT(1) AWAIT(0) EXIT_LINE
                        "warp 3\nawait pc=0x40 src=r5 mbarrier=32 count=3\n" COPIED EXIT_LINE);
    cr_expect_eq(losses_of(scratch("lines.traceg"))[LOSS_mbarrier_tests], 8);
}

/* Barriers of a part of the threads, by either immediate; those of the cluster; spin loops; flags, values. */
Test(tracez, other_lines_of_version_6)
{
    static const char *const lines[] = {
        "0000 ffffffff 0 BAR.SYNC 0 0 1 64 NoVal\n0010 ffffffff 0 BAR.SYNC 0 0 1 32 NoVal\n"
        "0020 ffffffff 1 R3 BAR.SYNC 0 0 32 0 Val 1 2\n0030 ffffffff 0 UCGABAR_ARV 0 0 0 0 NoVal\n"
        "0040 ffffffff 0 UCGABAR_WAIT 0 0 0 0 NoVal\n0050 ffffffff 0 REPLAY_START 0 0 0 0 NoVal\n"
        "0060 ffffffff 0 NOP 0 0 0 0 NoVal\n0070 ffffffff 0 REPLAY_END 0 0 0 0 NoVal\n"
        "0080 ffffffff 1 R24 HGMMA.64x128x16.F32 3 R4 UR4 R24 1 0 0 0 NoVal\n"
        "0090 00000001 1 R2 IADD3 1 R1 0 0 0 Val 1 7 32 0 1 2 3 4 5 6 7 8 9 a b c d e f 0 1 2 3 4 5 6 7 8 9 a b c d e "
        "f\n"
        "00a0 ffffffff 0 STAS 2 R4 R6 4 1 0x40 4 0 0 NoVal\n00b0 ffffffff 0 LDTM.x8 1 UR4 0 0 0 NoVal\n"
        "00c0 ffffffff 1 R6 LDG.E 1 R2 4 1 0x1000 4 0 0\n00d0 ffffffff 1 R6 LDG.E 1 R2 4 1 0x1000 4 0\n",
        "0000 ffffffff 0 BAR.SYNC 0 0 1 64 NoVal\n0040 ffffffff 0 UCGABAR_WAIT 0 0 0 0 NoVal\n"};
    expect_instructions(
        lines, 2, 64,
        "warp 0\nbarrier pc=0\nint pc=0x10\nint pc=0x20 dst=r3\nint pc=0x30\nbarrier pc=0x40\nint pc=0x60\n"
        "tensor pc=0x80 dst=r24 src=r4,r24\nint pc=0x90 dst=r2 src=r1 mask=1\n"
        "shared_store.4 pc=0xa0 src=r4,r6 at=0x40+4\nint pc=0xb0\n"
        "load.4 pc=0xc0 dst=r6 src=r2 at=0x1000+4\nload.4 pc=0xd0 dst=r6 src=r2 at=0x1000+4\n" EXIT_LINE
        "warp 1\nbarrier pc=0\nbarrier pc=0x40\n" EXIT_LINE);
    const uint64_t *loss = losses_of(scratch("lines.traceg"));
    cr_expect_eq(loss[LOSS_partial_barriers], 2);
    cr_expect_eq(loss[LOSS_cluster_barriers], 2);
    cr_expect_eq(loss[LOSS_replays], 1);
    cr_expect_eq(loss[LOSS_distributed_shared], 1);
    cr_expect_eq(loss[LOSS_tensor_memory], 1);
    cr_expect_eq(loss[LOSS_tensor_instructions], 1);
}

/* The same line is a barrier in one kernel and not in the next, whichever comes first. */
Test(tracez, lines_are_not_kept_for_other_kernels)
{
    static const uint32_t threads[] = {128, 64, 128};
    char list[100] = "", text[600], file[40];
    for (int n = 0; n < 3; n++) {
        const int size = snprintf(text, sizeof text,
                                  HEAD "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n"
                                       "0000 ffffffff 0 BAR.SYNC 0 0 1 64 NoVal\n0010 ffffffff 0 EXIT 0 0 0\n#END_TB\n",
                                  1u, threads[n]);
        snprintf(file, sizeof file, "kernel-%d.traceg", n);
        write_file(scratch(file), text, (size_t)size);
        strcat(strcat(list, file), "\n");
    }
    write_file(scratch("kernelslist.g"), list, strlen(list));
    cr_expect_eq(losses_of(scratch("kernelslist.g"))[LOSS_partial_barriers], 2);
}

static void expect_refused(const char *line, const char *message)
{
    char text[600], place[300];
    const int n = snprintf(text, sizeof text,
                           HEAD "#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = 2\n%s\n0010 f 0 EXIT 0 0 0\n"
                                "#END_TB\n",
                           1u, 32u, line);
    write_file(scratch("line.traceg"), text, (size_t)n);
    snprintf(place, sizeof place, "line.traceg:9: found %s", message);
    assert_refused(scratch("line.traceg"), place);
}

Test(tracez, mistakes_of_version_6_are_told_by_line)
{
    expect_refused("0 f 17 R1", "'17', expected a number of destination registers, 0 to 16");
    expect_refused("0 f 0 NOP 0 0 0 0 Nil", "'Nil', expected Val, NoVal or the end of the line");
    expect_refused("0 f 0 NOP 0 0 0 0 NoVal 1", "'1', expected the end of the line");
    expect_refused("0 f 0 NOP 0 0 0 x", "'x', expected an immediate");
    expect_refused("0 f 1 R1 MOV 0 0 0 0 Val 2 1 1",
                   "'another number of values of a register', expected 1 or 32 of them");
    expect_refused("0 f 1 R1 MOV 0 0 0 0 Val", "'the end of the line', expected 1 or 32 values of a register");
    expect_refused("0 f 1 R1 MOV 0 0 0 0 Val 1 1 1", "'1', expected the end of the line");
    expect_refused("0 f 1 R1 HGMMA 0 x", "'x', expected the flag of a GMMA instruction");
    expect_refused("0 f 0 UTMALDG 0 0 100 2 64 0 4 0x0 1 0 0", "'2', expected 0 or 1: whether several thread blocks");
    expect_refused("0 f 0 UTMALDG 0 0 100 0 262145 0 4 0x0 1 0 0", "'262145', expected a number of bytes, at most");
    expect_refused("0 f 0 UTMALDG 0 0 100 0 64 65 4 0x0 1 0 0", "'more bytes out of bounds than in all'");
    expect_refused("0 f 0 UTMALDG 0 0 100 0 64 0 1 0x0 1 0 0", "'another address mode', expected 3 (list) or 4");
    expect_refused("0 f 0 UTMALDG 0 0 100 0 64 0 3 99999 0x0",
                   "'99999', expected a number of addresses of a bulk copy");
    expect_refused("0 f 0 UTMALDG 0 0 100 0 64 0 4 0x0 4 0 0",
                   "'the end of the line', expected a difference per further address");
}

/* A .tracez of a grid of two thread blocks of one warp each, which the tests damage. */
struct file {
    struct bytes bytes;
    size_t warp[2], index; /* where they begin */
    char dictionary[64];
};

static void put_frame(struct file *f, const char *text)
{
    uint8_t packed[1000];
    ZSTD_CCtx *z = ZSTD_createCCtx();
    const size_t n =
        ZSTD_compress_usingDict(z, packed, sizeof packed, text, strlen(text), f->dictionary, strlen(f->dictionary), 1);
    cr_assert(!ZSTD_isError(n));
    bytes_le(&f->bytes, n, 4);
    bytes_put(&f->bytes, packed, n);
    ZSTD_freeCCtx(z);
}

static struct file make_file(const char *line)
{
    struct file f = {.dictionary = "0000 ffffffff 0 NOP 0 0 0 0 NoVal\n"};
    char head[200], lines[400];
    const int n = snprintf(head, sizeof head, HEAD, 2u, 32u);
    bytes_put(&f.bytes, head, (size_t)n + 1);
    bytes_le(&f.bytes, strlen(f.dictionary), 4);
    bytes_le(&f.bytes, 2, 4);
    bytes_put(&f.bytes, f.dictionary, strlen(f.dictionary));
    for (int b = 0; b < 2; b++) {
        f.warp[b] = f.bytes.size;
        bytes_le(&f.bytes, 3, 4);
        bytes_le(&f.bytes, 2, 4);
        snprintf(lines, sizeof lines, "%s\n0010 ffffffff 0 NOP 0 0 0 0 NoVal", line);
        put_frame(&f, lines);
        put_frame(&f, "0020 ffffffff 0 EXIT 0 0 0 0 NoVal");
    }
    f.index = f.bytes.size;
    bytes_le(&f.bytes, 2, 4);
    for (uint32_t b = 0; b < 2; b++) {
        const uint32_t block[11] = {b, 0, 0, 0, 0, 0, b, 0, 0, b, 1};
        for (int i = 0; i < 11; i++) bytes_le(&f.bytes, block[i], 4);
        bytes_le(&f.bytes, 3, 4);
        bytes_le(&f.bytes, 2, 4);
        bytes_le(&f.bytes, f.warp[b], 8);
        bytes_le(&f.bytes, 2, 4);
        bytes_le(&f.bytes, 1, 4);
    }
    bytes_le(&f.bytes, f.index, 8);
    return f;
}

#define LINE "0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x1000 4 0 0 NoVal"

static const char *write_tracez(const struct file *f)
{
    const char *path = scratch("x.tracez");
    write_file(path, f->bytes.data, f->bytes.size);
    return path;
}

/* Blocks of a cluster; the name of the file does not matter. */
Test(tracez, a_file_is_recognized_by_its_content)
{
    struct file f = make_file(LINE);
    char a[65], b[65];
    struct error err = {0};
    cr_assert(read_everything(write_tracez(&f), a, &err), "%s", err.text);
    cr_expect_eq(losses_of(scratch("x.tracez"))[LOSS_clusters], 1);
    write_file(scratch("x.traceg"), f.bytes.data, f.bytes.size);
    cr_assert(read_everything(scratch("x.traceg"), b, &err), "%s", err.text);
    cr_expect_str_eq(a, b);
    bytes_free(&f.bytes);
}

Test(tracez, a_thread_block_that_is_not_in_the_file_is_empty)
{
    struct file f = make_file(LINE);
    const size_t record = 44 + 16 + 8;
    memmove(f.bytes.data + f.index + 4, f.bytes.data + f.index + 4 + record, record + 8);
    f.bytes.size -= record;
    f.bytes.data[f.index] = 1;
    const uint64_t *loss = losses_of(write_tracez(&f));
    cr_expect_eq(loss[LOSS_empty_blocks], 1);
    cr_expect_eq(loss[LOSS_added_exits], 1);
    bytes_free(&f.bytes);
}

/* `bytes` of the file at `at` become `value`. */
static void expect_damage(size_t (*place)(const struct file *f), int bytes, uint64_t value, const char *message)
{
    struct file f = make_file(LINE);
    write_le(f.bytes.data + place(&f), value, bytes);
    assert_refused(write_tracez(&f), message);
    bytes_free(&f.bytes);
}

static size_t end_of_file(const struct file *f)
{
    return f->bytes.size - 8;
}

static size_t dictionary_size(const struct file *f)
{
    return f->warp[0] - strlen(f->dictionary) - 8;
}

static size_t blocks(const struct file *f)
{
    return f->index;
}

static size_t second_block(const struct file *f)
{
    return f->index + 4 + 44 + 16 + 8;
}

static size_t warps(const struct file *f)
{
    return f->index + 4 + 40;
}

static size_t instructions(const struct file *f)
{
    return f->index + 4 + 44;
}

static size_t warp_place(const struct file *f)
{
    return f->index + 4 + 44 + 8;
}

static size_t chunk_count(const struct file *f)
{
    return f->index + 4 + 44 + 16;
}

static size_t warp_record(const struct file *f)
{
    return f->warp[0];
}

static size_t frame_size(const struct file *f)
{
    return f->warp[0] + 8;
}

static size_t frame(const struct file *f)
{
    return f->warp[0] + 12;
}

Test(tracez, damage_is_told_by_byte)
{
    expect_damage(end_of_file, 8, 1, "found a place outside the file, expected that of the index");
    expect_damage(end_of_file, 8, 1 << 20, "found a place outside the file, expected that of the index");
    expect_damage(dictionary_size, 4, 65537, "found a dictionary of more than 65536 bytes");
    expect_damage(blocks, 4, 3, "found more thread blocks than the index or the grid can hold");
    expect_damage(blocks, 4, 1, "found more than the thread blocks of the index");
    expect_damage(second_block, 4, 2, "found a thread block outside, expected one within the grid");
    expect_damage(second_block, 4, 0, "found a thread block again, expected each once");
    expect_damage(warps, 4, 2, "found more warps than a thread block has");
    expect_damage(instructions, 4, 4, "found chunks of more or fewer instructions than the warp");
    expect_damage(warp_place, 8, 1 << 20, "found a place outside the chunks, expected that of a warp");
    expect_damage(warp_record, 4, 4, "warp 0, chunk 0: found other counts of instructions and chunks");
    expect_damage(frame_size, 4, 100000, "warp 0, chunk 0: found a chunk that ends in the index");
    expect_damage(frame_size, 4, 9, "warp 0, chunk 0: the zstd frame is truncated");
    expect_damage(frame, 4, 0, "warp 0, chunk 0: the zstd frame is damaged");
}

/* Three lines in the first chunk in place of two, and two in place of three. */
Test(tracez, chunks_have_the_lines_that_the_index_names)
{
    struct file f = make_file(LINE);
    write_le(f.bytes.data + chunk_count(&f), 1, 4);
    write_le(f.bytes.data + chunk_count(&f) + 4, 2, 4);
    assert_refused(write_tracez(&f), "found more or fewer lines than the index has instructions of it");
    bytes_free(&f.bytes);
}

Test(tracez, mistakes_are_told_by_instruction)
{
    struct file f = make_file("0000 ffffffff 0 NOP zero");
    assert_refused(write_tracez(&f),
                   "x.tracez: thread block 0, warp 0, instruction 1: found 'zero', expected a number of");
    bytes_free(&f.bytes);
    f = make_file(LINE);
    memcpy(f.bytes.data, "-kernel same", 12);
    assert_refused(write_tracez(&f), "x.tracez: line 4 of the header: found no -kernel name");
    bytes_free(&f.bytes);
}

Test(tracez, truncations_are_refused)
{
    struct file f = make_file(LINE);
    for (const size_t all = f.bytes.size; f.bytes.size--;) assert_refused(write_tracez(&f), all ? "x.tracez" : "");
    bytes_free(&f.bytes);
}

/* Each bit turned over: refused, or other instructions, but nothing else. */
Test(tracez, any_bit_may_be_wrong, .timeout = 60)
{
    struct file f = make_file(LINE);
    char digest[65];
    for (size_t bit = 0; bit < 8 * f.bytes.size; bit++) {
        struct error err = {0};
        f.bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        cr_expect(read_everything(write_tracez(&f), digest, &err) || *err.text);
        f.bytes.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    bytes_free(&f.bytes);
}
