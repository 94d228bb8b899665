/* SPDX-License-Identifier: Apache-2.0 */
/* Meaning of lines, headers and files of Accel-Sim traces: opcodes with suffixes, windows of generic addresses, lanes
 * that are off, long names, streams, packed files, and the count of all that is approximated. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <zlib.h>
#include <zstd.h>

#include "support.h"
#include "trace/accelsim_inst.h"
#include "trace/accelsim_opcode.h"
#include "trace/check.h"
#include "trace/info.h"
#include "trace/open.h"
#include "trace/text.h"

static struct accelsim_parser parser;

static struct inst parse(const char *text)
{
    const struct accelsim_warp warp = {32, 0xffffffff, false};
    struct accelsim_inst parsed;
    char line[500];
    snprintf(line, sizeof line, "%s", text);
    parser.chunk = 1;
    parser.format.version = 5;
    parser.format.threads = 64;
    const char *fault = accelsim_parse(&parser, line, &warp, &parsed);
    cr_assert_null(fault, "%s: %s", text, fault);
    if (inst_is_memory(parsed.inst.op)) pattern_fill(&parsed.addresses, &parsed.inst);
    return parsed.inst;
}

/* Suffixes that change the operation; those that look alike and do not. */
Test(accelsim_features, suffixes_choose_the_operation)
{
    static const struct {
        const char *opcode;
        enum inst_op op;
    } cases[] = {{"LDG.E", INST_LOAD},
                 {"LDG.E.SYS", INST_LOAD},
                 {"LDG.E.CONSTANT.SYS", INST_LOAD},
                 {"LDG.E.STRONG.SM", INST_LOAD},
                 {"LDG.E.STRONG.GPU", INST_LOAD_L2},
                 {"LDG.E.64.STRONG.GPU", INST_LOAD_L2},
                 {"LDG.E.STRONG.SYS", INST_LOAD_L2},
                 {"LDG.E.MMIO.SYS", INST_LOAD_L2},
                 {"LDG.E.CG", INST_LOAD_L2},
                 {"LD.E.STRONG.GPU", INST_LOAD_L2},
                 {"LD.E.CV", INST_LOAD_L2},
                 {"LD.E", INST_LOAD},
                 {"LDGSTS.E.128", INST_COPY},
                 {"LDGSTS.E.BYPASS.128", INST_COPY_L2},
                 {"LDGSTS.E.BYPASS.LTC128B.128.ZFILL", INST_COPY_L2},
                 {"STG.E.STRONG.GPU", INST_STORE},
                 {"ATOMG.E.ADD.STRONG.GPU", INST_ATOMIC},
                 {"RED.E.ADD.STRONG.GPU", INST_ATOMIC},
                 {"ATOMS.ADD", INST_SHARED_LOAD},
                 {"LDL.LU", INST_LOAD}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char line[200];
        snprintf(line, sizeof line, "0 1 0 %s 1 R2 4 2 0x1000 0", cases[n].opcode);
        cr_expect_eq(parse(line).op, cases[n].op, "%s", line);
    }
}

/* The table is searched by halves. */
Test(accelsim_features, every_opcode_of_the_table_is_found)
{
    static const char *const names[] = {
#define OPCODE(name, class) #name,
#include "trace/accelsim_opcodes.def"
#undef OPCODE
    };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        char text[32];
        snprintf(text, sizeof text, "%s", names[n]);
        cr_expect(accelsim_opcode(text).class != UNKNOWN, "%s", names[n]);
    }
}

/* Classes of opcodes since sm_90, of which no other test has a line. */
Test(accelsim_features, opcodes_of_hopper_and_blackwell)
{
    static const struct {
        const char *opcode;
        enum opcode_class class;
    } cases[] = {{"VIADDMNMX", INT},
                 {"FFMA2.FTZ", SP},
                 {"CREDUX.MAX", INT},
                 {"DFMA.RN", DP},
                 {"IMAD.WIDE", INT},
                 {"WARPGROUP.DEPBAR", INT},
                 {"QGMMA.64x128x32.F32", TENSOR},
                 {"UTCHMMA.2CTA", TENSOR},
                 {"UTCCP.T.S", TENSOR_MEMORY},
                 {"LDCU.64", CONSTANT},
                 {"CGAERRBAR", FENCE},
                 {"UTMACCTL.PF", BULK_COMMAND},
                 {"REDAS.ADD", SHARED_ATOMIC},
                 {"UBLKRED.G.S.ADD", BULK_ATOMIC},
                 {"UBLKPF.L2", BULK_PREFETCH},
                 {"SYNCS.ARRIVE.TRANS64.A1T0", MBARRIER},
                 {"SYNCS.PHASECHK.TRANS64.TRYWAIT", MBARRIER_TEST}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        char text[64];
        snprintf(text, sizeof text, "%s", cases[n].opcode);
        cr_expect_eq(accelsim_opcode(text).class, cases[n].class, "%s", cases[n].opcode);
    }
}

Test(accelsim_features, waits_have_the_groups_of_their_immediate)
{
    cr_expect_eq(parse("0 f 0 LDGDEPBAR 0 0 0").op, INST_COMMIT);
    cr_expect(parse("0 f 0 DEPBAR.LE 0 0 0").op == INST_WAIT && parse("0 f 0 DEPBAR.LE 0 0 0").count == 1);
    cr_expect_eq(parse("0 f 0 DEPBAR.LE 0 0 10").count, 11, "decimal");
    cr_expect_eq(parse("0 f 0 DEPBAR.LE 0 0").count, 1, "tracers without immediates: all groups");
    cr_expect_eq(parse("0 f 0 DEPBAR.LE 0 0 99999999").count, 65535);
    cr_expect_eq(parse("0 0 0 DEPBAR.LE 0 0 0").op, INST_INT, "it is predicated off");
    cr_expect_eq(parse("0 0 0 LDGDEPBAR 0 0 0").op, INST_INT);
    cr_expect_eq(parse("0 0 0 LDGSTS.E 2 R2 R3 4 1 0x0 0 0").op, INST_INT);
}

Test(accelsim_features, lanes_that_are_off_stay_off)
{
    struct inst i = parse("0 0 1 R4 FADD 2 R2 R3 0 0");
    cr_expect(i.op == INST_SP && i.mask == 0 && i.dst == INST_NO_REG);
    i = parse("0 0 1 R4 MUFU.RCP 1 R2 0 0");
    cr_expect(i.op == INST_SFU && i.mask == 0 && i.dst == INST_NO_REG);
    i = parse("0 0 1 R4 LDG.E 1 R2 4 1 0x0 0 0");
    cr_expect(i.op == INST_INT && i.mask == 0);
    i = parse("0 f 1 R4 FADD 2 R2 R3 0 0");
    cr_expect(i.mask == 0xf && i.dst == 4);
    i = parse("0 0 0 BAR.SYNC 0 0 0");
    cr_expect(i.op == INST_INT && i.mask == 0, "no lane arrives");
}

enum memory { GLOBAL, SHARED, LOCAL };

static enum memory memory_of(uint64_t shared, uint64_t local, uint64_t at)
{
    char line[100];
    parser = (struct accelsim_parser){.format = {.shared_base = shared, .local_base = local}};
    snprintf(line, sizeof line, "0 1 1 R4 LD.E 1 R2 4 2 0x%llx 0", (unsigned long long)at);
    const struct inst i = parse(line);
    if (inst_is_shared(i.op)) return SHARED;
    return i.addr[0] == at ? GLOBAL : LOCAL;
}

/* Either window may be below the other; each has 16 MiB, but one of shared memory below the other reaches up to it. */
Test(accelsim_features, windows_of_generic_addresses_come_from_the_header)
{
    enum { M = 1 << 20 };
    const uint64_t low = 0x7f2002000000, high = low + 32 * M, next = low + 16 * M;
    static const enum memory none = GLOBAL;
    const struct {
        uint64_t shared, local, at;
        enum memory memory;
    } cases[] = {{low, high, low - 4, GLOBAL},
                 {low, high, low, SHARED},
                 {low, high, high - 4, SHARED},
                 {low, high, high, LOCAL},
                 {low, high, high + 16 * M - 4, LOCAL},
                 {low, high, high + 16 * M, GLOBAL},
                 {high, low, low - 4, GLOBAL},
                 {high, low, low, LOCAL},
                 {high, low, low + 16 * M - 4, LOCAL},
                 {high, low, low + 16 * M, GLOBAL},
                 {high, low, high - 4, GLOBAL},
                 {high, low, high, SHARED},
                 {high, low, high + 16 * M - 4, SHARED},
                 {high, low, high + 16 * M, GLOBAL},
                 {next, low, next - 4, LOCAL},
                 {next, low, next, SHARED},
                 {low, 0, low, SHARED},
                 {0, low, low, LOCAL},
                 {0, 0, low, none},
                 {0, 0, 0, none}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++)
        cr_expect_eq(memory_of(cases[n].shared, cases[n].local, cases[n].at), cases[n].memory, "case %zu", n);
    memory_of(0, 0, low);
    cr_expect_eq(parser.counts.loss[LOSS_no_windows], 1);
    memory_of(low, high, low);
    cr_expect_eq(parser.counts.loss[LOSS_no_windows], 0);
    cr_expect_eq(parser.counts.loss[LOSS_mixed_windows], 0);
    parse("0 3 1 R4 LD.E 1 R2 4 0 0x7f2002000000 0x1000");
    cr_expect_eq(parser.counts.loss[LOSS_mixed_windows], 1);
    cr_expect_eq(parse("0 1 1 R4 ATOM.E.ADD 1 R2 4 2 0x7f2002000000 0").op, INST_SHARED_LOAD);
    cr_expect_eq(parser.counts.loss[LOSS_shared_atomics], 1);
}

#define VERSION "-accelsim tracer version = 4\n"
#define HEAD                                                                                                           \
    "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-shmem = 0\n-nregs = 16\n-cuda stream id = 0\n"     \
    "-accelsim tracer version = 4\n\n"

/* `warps` warps, each with `lines`, of which there are `count`. */
static void write_warps(const char *name, uint32_t warps, uint32_t count, const char *lines)
{
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    fprintf(to, "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (%u,1,1)\n-accelsim tracer version = 4\n",
            32 * warps);
    fprintf(to, "#BEGIN_TB\nthread block = 0,0,0\n");
    for (uint32_t w = 0; w < warps; w++) fprintf(to, "\nwarp = %u\ninsts = %u\n%s", w, count, lines);
    fprintf(to, "\n#END_TB\n");
    fclose(to);
    write_file(scratch(name), text, size);
    free(text);
}

static struct trace_info info_of(const char *path)
{
    struct error err = {0};
    struct trace_info info;
    struct source *s = must_open(path);
    cr_assert(info_collect(s, &info, NULL, &err), "%s", err.text);
    s->ops->close(s);
    return info;
}

/* Each loss of each warp counts, whether its line is parsed, found again, or a part of a run that is found again. */
Test(accelsim_features, losses_of_repeated_lines_are_counted)
{
    enum { WARPS = 40 };
    static const enum accelsim_loss once[] = {LOSS_unknown_opcodes, LOSS_dropped_registers, LOSS_second_destinations,
                                              LOSS_textures,        LOSS_constants,         LOSS_copies,
                                              LOSS_arrivals,        LOSS_shared_atomics,    LOSS_few_matrices,
                                              LOSS_half_barriers,   LOSS_no_windows,        LOSS_added_exits};
    write_warps(
        "losses.traceg", WARPS, 19,
        "0000 ffffffff 1 R1 FADD 1 R2 0 0\n0010 ffffffff 1 R1 HMMA.16816.F32 3 R2 R3 R4 0 0\n"
        "0020 ffffffff 1 R1 IMMA.8816.S8 3 R2 R3 R4 0 0\n0030 ffffffff 1 R1 DMMA.884 3 R2 R3 R4 0 0\n"
        "0040 ffffffff 0 MEMBAR.SC.GPU 0 0 0\n0050 ffffffff 0 CCTL.IVALL 0 0 0\n"
        "0060 ffffffff 1 R1 TEX.SCR 1 R2 0 0\n0070 ffffffff 1 R1 ULDC 0 0 0\n"
        "0080 ffffffff 0 LDGSTS.E.128 2 R2 R4 16 1 0x1000 16 0\n0090 ffffffff 0 ARRIVES.LDGSTSBAR.64 0 0 0\n"
        "00a0 ffffffff 0 BAR.ARV 0 0 0\n00b0 ffffffff 1 R1 ATOMS.ADD 1 R2 4 1 0x0 4 0\n"
        "00c0 ffffffff 1 R1 LDSM.16.M88.2 1 R2 4 1 0x0 16 0\n00d0 ffffffff 1 R1 LDSM.16.M88.4 1 R2 4 1 0x0 16 0\n"
        "00e0 ffffffff 1 R1 LD.E 1 R2 4 1 0x1000 4 0\n00f0 ffffffff 2 R1 R2 IMAD.WIDE 2 R2 R3 0 0\n"
        "0100 ffffffff 0 NEW.X 0 0 0\n0110 ffffffff 1 R1 FFMA 5 R1 R2 R3 R4 R5 0 0\n0120 ffffffff 0 NOP 0 0 0\n");
    struct trace_info info = info_of(scratch("losses.traceg"));
    uint64_t *loss = info.unmapped.loss;
    cr_expect_eq(loss[LOSS_tensor_instructions], 3 * WARPS, "%lu", loss[LOSS_tensor_instructions]);
    cr_expect_eq(loss[LOSS_fences], 2 * WARPS, "%lu", loss[LOSS_fences]);
    loss[LOSS_tensor_instructions] = loss[LOSS_fences] = 0;
    for (size_t n = 0; n < sizeof once / sizeof *once; n++) {
        cr_expect_eq(loss[once[n]], WARPS, "%s: %lu", accelsim_loss_name[once[n]], loss[once[n]]);
        loss[once[n]] = 0;
    }
    for (int n = 0; n < LOSSES; n++) cr_expect_eq(loss[n], 0, "%s", accelsim_loss_name[n]);
    info_free(&info);
}

Test(accelsim_features, a_trace_without_losses_lists_none)
{
    write_warps(
        "plain.traceg", 3, 3,
        "0000 ffffffff 1 R1 FADD 1 R2 0 0\n0010 ffffffff 1 R1 LDG.E 1 R2 4 1 0x1000 4 0\n0020 ffffffff 0 EXIT 0 0 0\n");
    struct trace_info info = info_of(scratch("plain.traceg"));
    for (int n = 0; n < LOSSES; n++) cr_expect_eq(info.unmapped.loss[n], 0, "%s", accelsim_loss_name[n]);
    cr_expect_eq(info.total.merged_lanes, 0);
    info_free(&info);
}

Test(accelsim_features, lanes_of_an_atomic_at_one_address_are_counted)
{
    write_warps("atomic.traceg", 2, 4,
                "0000 ffffffff 0 RED.E.ADD 2 R2 R3 4 1 0x1000 0 0\n0010 ffffffff 0 RED.E.ADD 2 R2 R3 4 1 0x1000 4 0\n"
                "0020 0000000f 0 RED.E.ADD 2 R2 R3 4 0 0x10 0x20 0x10 0x10 0\n0030 ffffffff 0 EXIT 0 0 0\n");
    struct trace_info info = info_of(scratch("atomic.traceg"));
    cr_expect_eq(info.total.merged_lanes, 2 * (31 + 2), "%lu", info.total.merged_lanes);
    info_free(&info);
}

#define BODY                                                                                                           \
    "#BEGIN_TB\nthread block = 0,0,0\n\nwarp = 0\ninsts = 3\n0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x1000 4 0\n"           \
    "0010 ffffffff 0 STG.E 2 R2 R1 4 1 0x2000 4 0\n0020 ffffffff 0 EXIT 0 0 0"

/* Without #END_TB it is read if all is there; cut anywhere else, it is refused or is the same. */
Test(accelsim_features, the_last_end_of_a_thread_block_may_be_missing)
{
    static const char text[] = HEAD BODY "\n";
    char whole[65], cut[65];
    struct error err = {0};
    write_file(scratch("whole.traceg"), HEAD BODY "\n#END_TB\n", sizeof HEAD BODY "\n#END_TB\n" - 1);
    cr_assert(read_everything(scratch("whole.traceg"), whole, &err), "%s", err.text);
    uint32_t read = 0;
    for (size_t n = strlen(HEAD); n < sizeof text; n++) {
        struct error ignored = {0};
        write_file(scratch("cut.traceg"), text, n);
        if (!read_everything(scratch("cut.traceg"), cut, &ignored)) continue;
        read++;
        cr_expect_str_eq(cut, whole, "%zu bytes", n);
    }
    cr_expect_eq(read, 4, "%u: the newline, and the immediate that nothing reads", read);
}

Test(accelsim_features, a_missing_end_hides_no_missing_part)
{
    static const char two_warps[] = "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (64,1,1)\n" VERSION BODY "\n";
    static const char two_blocks[] = "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n" VERSION BODY "\n";
    static const char no_exit[] = HEAD "#BEGIN_TB\nthread block = 0,0,0\n\nwarp = 0\ninsts = 1\n"
                                       "0000 ffffffff 1 R1 LDG.E 1 R2 4 1 0x10 4 0\n";
    static const char between[] =
        "-kernel name = k\n-grid dim = (2,1,1)\n-block dim = (32,1,1)\n" VERSION BODY "\n" BODY "\n";
    write_file(scratch("warps.traceg"), two_warps, strlen(two_warps));
    assert_refused(scratch("warps.traceg"), "expected #END_TB: it is truncated");
    write_file(scratch("blocks.traceg"), two_blocks, strlen(two_blocks));
    assert_refused(scratch("blocks.traceg"), "expected thread block 1 of 2");
    write_file(scratch("exit.traceg"), no_exit, strlen(no_exit));
    assert_refused(scratch("exit.traceg"), "expected #END_TB: it is truncated");
    write_file(scratch("between.traceg"), between, strlen(between));
    assert_refused(scratch("between.traceg"), "expected warp = N or #END_TB");
}

/* 3000 thread blocks: packed, they are unpacked in many pieces. */
static char *large_kernel(size_t *size)
{
    enum { BLOCKS = 3000 };
    char *text;
    FILE *to = open_memstream(&text, size);
    fprintf(to, "-kernel name = large\n-grid dim = (%d,1,1)\n-block dim = (32,1,1)\n" VERSION, BLOCKS);
    for (uint32_t b = 0; b < BLOCKS; b++)
        fprintf(to,
                "#BEGIN_TB\nthread block = %u,0,0\nwarp = 0\ninsts = 2\n0000 ffffffff 1 R2 LDG.E 1 R4 4 1 0x%x 4 0\n"
                "0010 ffffffff 0 EXIT 0 0 0\n#END_TB\n",
                b, 4096 * (b * 7919 % BLOCKS));
    fclose(to);
    return text;
}

/* In two parts, as `cat` joins files. */
static size_t pack_gzip(const char *text, size_t size, uint8_t *to, size_t room)
{
    const size_t part[2] = {size / 3, size - size / 3};
    size_t used = 0;
    for (int i = 0; i < 2; i++) {
        z_stream z = {.next_in = (Bytef *)text,
                      .avail_in = (uInt)part[i],
                      .next_out = to + used,
                      .avail_out = (uInt)(room - used)};
        cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
        cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
        used += z.total_out;
        deflateEnd(&z);
        text += part[i];
    }
    return used;
}

static size_t pack_zstd(const char *text, size_t size, uint8_t *to, size_t room)
{
    const size_t first = ZSTD_compress(to, room, text, size / 3, 3);
    const size_t second = ZSTD_compress(to + first, room - first, text + size / 3, size - size / 3, 3);
    cr_assert(!ZSTD_isError(first) && !ZSTD_isError(second));
    return first + second;
}

static void expect_packed(const char *name, size_t (*pack)(const char *text, size_t size, uint8_t *to, size_t room),
                          const char *truncated, const char *damaged)
{
    size_t size;
    char *text = large_kernel(&size), plain[256], packed[256];
    uint8_t *data = malloc(2 * size);
    const size_t used = pack(text, size, data, 2 * size);
    snprintf(plain, sizeof plain, "%s", scratch("large.traceg"));
    snprintf(packed, sizeof packed, "%s", scratch(name));
    write_file(plain, text, size);
    write_file(packed, data, used);
    for (int backwards = 0; backwards < 2; backwards++) {
        struct source *a = must_open(plain), *b = must_open(packed);
        assert_same(a, b, backwards);
        a->ops->close(a);
        b->ops->close(b);
    }
    write_file(packed, data, used - 20);
    assert_refused(packed, truncated);
    /* Of gzip the checksum: its text is read before, and can be anything. */
    memset(data + (pack == pack_gzip ? used - 8 : used / 2), 0x55, 8);
    write_file(packed, data, used);
    assert_refused(packed, damaged);
    free(data);
    free(text);
}

Test(accelsim_features, gzip_is_read)
{
    expect_packed("large.traceg.gz", pack_gzip, "the gzip stream is truncated", "the gzip stream is damaged");
}

Test(accelsim_features, the_list_of_a_folder_may_be_packed)
{
    static const char list[] = "MemcpyHtoD,0x1000,256\nkernel-1.traceg.zst\n";
    char kernel[256], folder[256], a[65], b[65];
    struct error err = {0};
    size_t size;
    char *text = large_kernel(&size);
    uint8_t *data = malloc(2 * size);
    snprintf(kernel, sizeof kernel, "%s", scratch("kernel-1.traceg.zst"));
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(kernel, '/') - kernel), kernel);
    write_file(kernel, data, pack_zstd(text, size, data, 2 * size));
    write_file(scratch("kernelslist.g.gz"), data, pack_gzip(list, strlen(list), data, 2 * size));
    cr_expect(read_everything(folder, a, &err), "%s", err.text);
    write_file(scratch("kernelslist.g"), list, strlen(list));
    cr_expect(read_everything(folder, b, &err), "%s", err.text);
    cr_expect_str_eq(a, b);
    free(data);
    free(text);
}

Test(accelsim_features, zstd_is_read)
{
    expect_packed("large.traceg.zst", pack_zstd, "the zstd stream is truncated", "the zstd stream is damaged");
}

/* Read forward, a packed file needs no temporary file: none can be written here. */
Test(accelsim_features, packed_text_is_spooled_only_for_blocks_out_of_order)
{
    size_t size;
    struct error err = {0};
    struct kernel_info k;
    char *text = large_kernel(&size), path[256], digest[65];
    uint8_t *data = malloc(2 * size);
    snprintf(path, sizeof path, "%s", scratch("spool.traceg.zst"));
    write_file(path, data, pack_zstd(text, size, data, 2 * size));
    free(data);
    free(text);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0}), 0);
    cr_expect(read_everything(path, digest, &err), "%s", err.text);
    struct source *s = must_open(path);
    cr_assert_eq(s->ops->next_kernel(s, &k, &err), SOURCE_OK, "%s", err.text);
    struct block_stream *b = s->ops->open_block(s, 2999, &err);
    cr_assert(b, "%s", err.text);
    s->ops->close_block(b);
    cr_expect_null(s->ops->open_block(s, 0, &err));
    cr_expect(strstr(err.text, "cannot spool its text into a temporary file"), "%s", err.text);
    s->ops->close(s);
}

Test(accelsim_features, other_formats_are_refused_by_name)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *message;
    } cases[] = {{"BZh91AY&SY", 10, "found bzip2, expected text: plain, or packed by xz, gzip or zstd"},
                 {"\x04\x22\x4d\x18xxx", 7, "found lz4, expected text"},
                 {"PK\x03\x04xxxx", 8, "found a zip archive, expected text"},
                 {"7z\xbc\xaf\x27\x1cxx", 8, "found a 7-Zip archive, expected text"},
                 {"\xff\xfe-\0k\0", 6, "found UTF-16, expected UTF-8 or ASCII"},
                 {"\xfe\xff\0-\0k", 6, "found UTF-16, expected UTF-8 or ASCII"},
                 {"-ke\0rnel", 8, "found a NUL byte, expected text"}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        write_file(scratch("other.traceg"), cases[n].bytes, cases[n].size);
        assert_refused(scratch("other.traceg"), cases[n].message);
        write_file(scratch("kernel-9.traceg"), cases[n].bytes, cases[n].size);
        write_file(scratch("kernelslist.g"), "kernel-9.traceg\n", 16);
        struct error err = {0};
        char digest[65];
        cr_expect(!read_everything(scratch("kernelslist.g"), digest, &err));
        cr_expect(strstr(err.text, cases[n].message), "%s", err.text);
    }
    char tar[600] = "kernel-1.traceg";
    memcpy(tar + 257, "ustar", 5);
    write_file(scratch("x.tar"), tar, sizeof tar);
    assert_refused(scratch("x.tar"), "found a tar archive of files, expected text");
}

/* In front of every kind of text file. */
Test(accelsim_features, a_byte_order_mark_is_skipped)
{
    static const char *const files[] = {"tests/trace/data/app/kernel-1.traceg", "tests/trace/data/app.mttx",
                                        "tests/trace/data/app/kernel-2.traceg", "tests/trace/data/app/kernelslist.g"};
    for (size_t n = 0; n < sizeof files / sizeof *files; n++) {
        char plain[65], marked[65], copy[256];
        struct error err = {0};
        size_t size;
        uint8_t *data = read_file(files[n], &size), *more = malloc(size + 3);
        memcpy(more, "\xef\xbb\xbf", 3);
        memcpy(more + 3, data, size);
        snprintf(copy, sizeof copy, "%s", scratch(strrchr(files[n], '/') + 1));
        cr_assert(read_everything(files[n], plain, &err), "%s", err.text);
        write_file(copy, more, size + 3);
        cr_expect(read_everything(copy, marked, &err), "%s", err.text);
        cr_expect_str_eq(plain, marked, "%s", files[n]);
        free(more);
        free(data);
    }
}

#define LONG "_ZN7cutlass6KernelINS_4gemm6kernel4GemmINS1_11threadblock13MmaMultistage"

/* 72 characters in common. */
static void write_names(const char *first, const char *second)
{
    char text[600];
    const char *const name[2] = {first, second};
    for (int i = 0; i < 2; i++) {
        int n = snprintf(text, sizeof text,
                         "-kernel name = %s \n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n" VERSION BODY "\n", name[i]);
        write_file(scratch(i ? "kernel-2.traceg" : "kernel-1.traceg"), text, (size_t)n);
    }
    write_file(scratch("kernelslist.g"), "kernel-1.traceg\nkernel-2.traceg\n", 32);
}

static void expect_two_names(const char *path, char name[2][64])
{
    struct error err = {0};
    struct kernel_info k;
    struct source *s = must_open(path);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(s->ops->next_kernel(s, &k, &err), SOURCE_OK, "%s", err.text);
        if (*name[i])
            cr_expect_str_eq(k.name, name[i], "%s", path);
        else
            strcpy(name[i], k.name);
    }
    s->ops->close(s);
}

/* Also in a binary trace and a text made of them. */
Test(accelsim_features, long_kernel_names_that_begin_alike_differ)
{
    char name[2][64] = {"", ""}, binary[256];
    struct error err = {0};
    write_names(LONG "ILi1EE", LONG "ILi2EE");
    expect_two_names(scratch("kernelslist.g"), name);
    cr_expect_str_neq(name[0], name[1]);
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(strlen(name[i]), 63);
        cr_expect(!strncmp(name[i], LONG, 46) && name[i][46] == '~', "%s", name[i]);
    }
    snprintf(binary, sizeof binary, "%s", scratch("names.mtt"));
    must_write(must_open(scratch("kernelslist.g")), binary);
    expect_two_names(binary, name);
    struct source *s = must_open(binary);
    cr_assert(text_write_file(s, scratch("names.mttx"), NULL, &err), "%s", err.text);
    s->ops->close(s);
    expect_two_names(scratch("names.mttx"), name);
}

Test(accelsim_features, kernel_names_that_fit_stay)
{
    char name[2][64] = {"", ""}, longest[64];
    memset(longest, 'k', 63);
    longest[63] = '\0';
    write_names("short", longest);
    expect_two_names(scratch("kernelslist.g"), name);
    cr_expect_str_eq(name[0], "short");
    cr_expect_str_eq(name[1], longest);
}

Test(accelsim_features, kernels_of_other_streams_are_counted)
{
    static const char *const stream[] = {"7", "7", "8", "9", "7"};
    char list[200] = "", text[600];
    for (int i = 0; i < 5; i++) {
        char file[40];
        snprintf(file, sizeof file, "kernel-%d.traceg", i + 1);
        int n = snprintf(
            text, sizeof text,
            "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n-cuda stream id = %s\n" VERSION BODY "\n",
            stream[i]);
        write_file(scratch(file), text, (size_t)n);
        strcat(list, file);
        strcat(list, "\n");
    }
    write_file(scratch("kernelslist.g"), list, strlen(list));
    struct trace_info info = info_of(scratch("kernelslist.g"));
    cr_expect_eq(info.unmapped.loss[LOSS_other_streams], 2);
    info_free(&info);
}
