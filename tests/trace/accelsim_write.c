/* SPDX-License-Identifier: Apache-2.0 */
/* Export to Accel-Sim's format and import again: the same kernels and instructions.  The format expands a run into
 * single instructions, lists a register once, and gives a barrier and an exit the lanes of the warp. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support.h"
#include "trace/accelsim.h"
#include "trace/check.h"
#include "trace/kernels.h"

static void hold(struct inst *i, uint32_t lanes)
{
    uint8_t src[INST_MAX_SRC];
    int used = 0;
    memset(src, INST_NO_REG, sizeof src);
    for (int s = 0; s < INST_MAX_SRC; s++)
        if (i->src[s] != INST_NO_REG && !memchr(src, i->src[s], (size_t)used)) src[used++] = i->src[s];
    memcpy(i->src, src, sizeof src);
    if (!i->mask && (i->op == INST_BARRIER || i->op == INST_EXIT)) i->mask = lanes;
    if (inst_is_arithmetic(i->op)) i->count = 1;
}

static void expect_inst(const struct inst *a, const struct inst *b, uint32_t warp)
{
    cr_assert_eq(a->op, b->op, "warp %u pc %x: op %u, %u", warp, a->pc, a->op, b->op);
    cr_assert_eq(a->pc, b->pc);
    cr_assert_eq(a->mask, b->mask, "warp %u pc %x: mask %x, %x", warp, a->pc, a->mask, b->mask);
    cr_assert_eq(a->dst, b->dst);
    cr_assert_eq(a->count, b->count, "warp %u pc %x: count %u, %u", warp, a->pc, a->count, b->count);
    cr_assert_arr_eq(a->src, b->src, sizeof a->src, "warp %u pc %x: sources", warp, a->pc);
    if (!inst_is_memory(a->op)) return;
    cr_assert_eq(a->size, b->size);
    cr_assert_arr_eq(a->addr, b->addr, sizeof a->addr, "warp %u pc %x: addresses", warp, a->pc);
}

static uint64_t expect_warp(struct block_stream *x, struct source *a, struct block_stream *y, struct source *b,
                            uint32_t warp, uint32_t lanes)
{
    struct error err = {0};
    struct inst i, j;
    uint64_t n = 0;
    while (source_next_inst(a, x, warp, &i, &err) == SOURCE_OK) {
        const uint32_t count = inst_length(&i);
        hold(&i, lanes);
        for (uint32_t c = 0; c < count; c++, n++) {
            cr_assert_eq(source_next_inst(b, y, warp, &j, &err), SOURCE_OK, "%s", err.text);
            expect_inst(&i, &j, warp);
        }
    }
    cr_assert_eq(source_next_inst(b, y, warp, &j, &err), SOURCE_END, "%s", err.text);
    return n;
}

/* Instructions compared. */
static uint64_t expect_kernel(struct source *a, struct source *b, const struct kernel_info *k)
{
    struct error err = {0};
    uint64_t n = 0;
    for (uint32_t block = 0; block < kernel_blocks(k); block++) {
        struct block_stream *x = a->ops->open_block(a, block, &err), *y = b->ops->open_block(b, block, &err);
        cr_assert(x && y, "%s", err.text);
        for (uint32_t w = 0; w < kernel_warps(k); w++) n += expect_warp(x, a, y, b, w, kernel_lanes(k, w));
        a->ops->close_block(x);
        b->ops->close_block(y);
    }
    return n;
}

static void remove_folder(const char *path)
{
    char line[512];
    snprintf(line, sizeof line, "rm -rf '%s'", path);
    cr_assert_eq(system(line), 0);
}

/* `workload`: a text trace, since a source of a kernel delivers a block's warps only in step. */
static void expect_same_in(const char *workload, struct accelsim_form form)
{
    struct error err = {0};
    struct kernel_info k, l;
    uint64_t n = 0;
    const char *folder = scratch("exported");
    struct source *a = must_open(workload);
    cr_assert(accelsim_write(a, folder, &form, NULL, &err), "%s", err.text);
    a->ops->close(a);
    a = must_open(workload);
    struct source *b = must_open(folder);
    cr_assert_eq(a->allocation_count, b->allocation_count);
    for (uint32_t i = 0; i < a->allocation_count; i++) {
        cr_assert_eq(a->allocations[i].addr, b->allocations[i].addr);
        cr_assert_eq(a->allocations[i].bytes, b->allocations[i].bytes);
    }
    while (a->ops->next_kernel(a, &k, &err) == SOURCE_OK) {
        cr_assert_eq(b->ops->next_kernel(b, &l, &err), SOURCE_OK, "%s", err.text);
        cr_assert_str_eq(k.name, l.name);
        cr_assert_arr_eq(k.grid, l.grid, sizeof k.grid);
        cr_assert_arr_eq(k.block, l.block, sizeof k.block);
        cr_assert_eq(k.regs_per_thread, l.regs_per_thread);
        cr_assert_eq(k.shared_bytes, l.shared_bytes);
        n += expect_kernel(a, b, &k);
    }
    cr_assert_eq(b->ops->next_kernel(b, &l, &err), SOURCE_END, "%s", err.text);
    cr_assert_gt(n, 0);
    a->ops->close(a);
    b->ops->close(b);
    remove_folder(folder);
}

static void expect_same(const char *workload)
{
    expect_same_in(workload, (struct accelsim_form){.version = 3});
    expect_same_in(workload, (struct accelsim_form){.version = 6, .tracez = true});
}

static void expect_kernel_same(const char *kernel)
{
    struct error err = {0};
    struct source *s = kernel_open(kernel, 1, &err);
    cr_assert(s, "%s", err.text);
    char path[256];
    snprintf(path, sizeof path, "%s", scratch("kernel.mtt"));
    must_write(s, path);
    expect_same(path);
}

/* Shared memory, barriers, atomics, SFU, divergence, several launches, blocks of three dimensions. */
Test(accelsim_write, kernels)
{
    static const char *const kernels[] = {
        "histogram:n=4096,blocks=4",         "histogram:n=4096,blocks=4,counters=global",
        "hotspot:rows=32,columns=32",        "bfs:n=512",
        "blackscholes:n=1024,blocks=4",      "spmv:rows=128",
        "fdtd2d:rows=32,columns=32,steps=2", "aligned_types:bytes=8192,blocks=4"};
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) expect_kernel_same(kernels[i]);
}

Test(accelsim_write, every_form_of_the_text)
{
    expect_same("traces/small/corners.mttx");
    expect_same("traces/small/stencil.mttx");
}

/* Every tracer's version and every way to pack. */
Test(accelsim_write, every_form_of_the_trace)
{
    for (uint32_t version = 3; version <= 6; version++)
        for (int pack = PACK_NONE; pack < PACKS; pack++)
            expect_same_in("traces/small/stencil.mttx", (struct accelsim_form){version, false, (enum pack)pack});
    expect_same_in("traces/small/stencil.mttx", (struct accelsim_form){3, true, PACK_NONE});
}

/* A warp of several chunks: 2048 lines each. */
Test(accelsim_write, a_long_warp)
{
    static const char text[] = "memtwin-trace 1\nname long\nkernel block=64 name=long\nblock 0\nwarp 0\n"
                               "sp dst=r1 count=2047\nload.4 dst=r2 at=0x1000+4\nsfu count=2048\nsp count=5000\nexit\n"
                               "warp 1\nsp count=2047\nexit\n";
    char path[256];
    snprintf(path, sizeof path, "%s", scratch("long.mttx"));
    write_file(path, text, strlen(text));
    expect_same(path);
    expect_same_in(path, (struct accelsim_form){6, false, PACK_XZ});
}

Test(accelsim_write, accelsims_own_traces)
{
    expect_same("tests/trace/data/app");
    expect_same("tests/trace/data/mbarriers.traceg");
}

/* Operations that no built-in kernel has. */
Test(accelsim_write, copies_their_waits_and_lanes_that_are_off)
{
    static const char text[] = "memtwin-trace 1\nname new\nkernel block=32 name=new\nblock 0\nwarp 0\n"
                               "load_l2.4 dst=r2 src=r1 at=0x1000+4\nload_l2.32 dst=r8 at=0x2000+32\n"
                               "load.32 dst=r9 src=r1 lanes=0-3 at=0x3000+64\ncopy.16 src=r3,r4 at=0x4000+16\n"
                               "copy_l2.16 src=r3,r4 lanes=1-3 at=0x5000+16\ncommit\ncommit mask=0x3\nwait\n"
                               "arrive mask=0x3 mbarrier=255\narrive mbarrier=0\nawait mbarrier=0\n"
                               "await src=r3 mbarrier=255\n"
                               "wait count=3\nwait count=65535\nsp src=r4 mask=0\nsp dst=r1 mask=0x10 count=3\nexit\n";
    char path[256];
    snprintf(path, sizeof path, "%s", scratch("new.mttx"));
    write_file(path, text, strlen(text));
    expect_same(path);
}

Test(accelsim_write, an_old_folder_stays)
{
    struct error err = {0};
    const struct accelsim_form form = {.version = 3};
    const char *folder = scratch("old");
    cr_assert_eq(mkdir(folder, 0777), 0);
    struct source *s = must_open("traces/small/stencil.mttx");
    cr_assert(!accelsim_write(s, folder, &form, NULL, &err));
    cr_assert(strstr(err.text, "exists, expected the name of a new folder"), "%s", err.text);
    s->ops->close(s);
    remove_folder(folder);
}
