/* SPDX-License-Identifier: Apache-2.0 */
#include "support.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "trace/binary.h"
#include "trace/check.h"
#include "trace/info.h"
#include "trace/open.h"

#define KERNELS 3
#define LOOP 75

struct synthetic {
    struct source base;
    struct allocation allocations[2];
    uint64_t seed;
    uint32_t kernel; /* the next one */
    struct kernel_info info;
};

struct synthetic_block {
    struct kernel_info info;
    struct {
        struct rng rng;
        uint32_t left, pc;
        uint64_t base;
    } warp[TRACE_MAX_WARPS];
};

static enum source_status synthetic_next_kernel(struct source *source, struct kernel_info *info, struct error *err)
{
    struct synthetic *s = (struct synthetic *)source;
    (void)err;
    if (s->kernel == KERNELS) return SOURCE_END;
    struct rng r;
    rng_seed(&r, s->seed * KERNELS + s->kernel);
    memset(info, 0, sizeof *info);
    snprintf(info->name, sizeof info->name, "kernel %" PRIu32, s->kernel++);
    for (int i = 0; i < 3; i++) info->grid[i] = 1 + (uint32_t)rng_below(&r, i ? 3 : 9);
    info->block[0] = 1 + (uint32_t)rng_below(&r, 200);
    info->block[1] = 1 + (uint32_t)rng_below(&r, 2);
    info->block[2] = 1;
    info->regs_per_thread = (uint32_t)rng_below(&r, 256);
    info->shared_bytes = (uint32_t)rng_below(&r, 49152);
    s->info = *info;
    return SOURCE_OK;
}

static struct block_stream *synthetic_open_block(struct source *source, uint32_t index, struct error *err)
{
    struct synthetic *s = (struct synthetic *)source;
    struct synthetic_block *b = calloc(1, sizeof *b);
    (void)err;
    b->info = s->info;
    for (uint32_t w = 0; w < kernel_warps(&s->info); w++) {
        rng_seed(&b->warp[w].rng, ((s->seed * KERNELS + s->kernel) * 4096 + index) * TRACE_MAX_WARPS + w);
        b->warp[w].left = (uint32_t)rng_below(&b->warp[w].rng, 300);
        b->warp[w].base = rng_u64(&b->warp[w].rng) >> rng_below(&b->warp[w].rng, 40);
    }
    return (struct block_stream *)b;
}

static void make_addresses(struct rng *r, uint64_t *base, struct inst *i)
{
    int64_t stride = (int64_t)rng_below(r, 512) - 128;
    bool strided = rng_below(r, 3) > 0;
    *base += strided ? rng_below(r, 4096) : rng_u64(r);
    uint64_t at = *base;
    if (at % 8 == 0) stride *= INT64_C(1) << 32; /* more than an instruction's stride holds */
    for (int lane = 0; lane < WARP_SIZE; lane++, at += (uint64_t)stride) {
        if (i->mask >> lane & 1) i->addr[lane] = strided ? at : rng_u64(r) >> rng_below(r, 60);
    }
}

/* Any operation but an exit. */
static uint8_t some_op(uint64_t n)
{
    const uint8_t op = (uint8_t)(n % (INST_OPS - 1));
    return op < INST_EXIT ? op : (uint8_t)(op + 1);
}

/* One of LOOP instructions that all warps share, as those of a loop are: more than a reader keeps addresses for. */
static void loop_inst(struct synthetic_block *b, uint32_t warp, struct inst *i)
{
    struct rng *r = &b->warp[warp].rng;
    uint32_t n = b->warp[warp].pc = (b->warp[warp].pc + (rng_below(r, 8) ? 1 : 7)) % LOOP;
    *i = (struct inst){
        .op = some_op(n), .size = 4, .dst = (uint8_t)n, .count = 1, .pc = 8 * n, .mask = kernel_lanes(&b->info, warp)};
    if (inst_is_memory(i->op)) make_addresses(r, &b->warp[warp].base, i);
}

static enum source_status synthetic_next_inst(struct block_stream *block, uint32_t warp, struct inst *i,
                                              struct error *err)
{
    struct synthetic_block *b = (struct synthetic_block *)block;
    struct rng *r = &b->warp[warp].rng;
    uint32_t lanes = kernel_lanes(&b->info, warp);
    (void)err;
    if (b->warp[warp].left == UINT32_MAX) return SOURCE_END;
    memset(i, 0, sizeof *i);
    i->op = b->warp[warp].left-- ? some_op(rng_u64(r)) : INST_EXIT;
    if (i->op != INST_EXIT && rng_below(r, 8)) return loop_inst(b, warp, i), SOURCE_OK;
    i->pc = (uint32_t)rng_u64(r) >> rng_below(r, 32);
    i->dst = (uint8_t)rng_u64(r);
    for (int s = 0; s < INST_MAX_SRC; s++) i->src[s] = rng_below(r, 2) ? INST_NO_REG : (uint8_t)rng_u64(r);
    i->count = inst_is_arithmetic(i->op) || i->op == INST_WAIT ? (uint16_t)(1 + rng_below(r, 65535)) : 1;
    if (i->op == INST_AWAIT) i->count = (uint16_t)rng_u64(r);
    if (inst_has_mbarrier(i->op)) i->size = (uint8_t)rng_u64(r);
    i->mask = rng_below(r, 2) ? lanes : (uint32_t)rng_u64(r) & lanes;
    if (!inst_is_memory(i->op)) return SOURCE_OK;
    if (!i->mask) i->mask = 1;
    i->size = (uint8_t)(1u << rng_below(r, 6));
    make_addresses(r, &b->warp[warp].base, i);
    return SOURCE_OK;
}

static void synthetic_close_block(struct block_stream *b)
{
    free(b);
}

static void synthetic_close(struct source *s)
{
    free(s);
}

static const struct source_ops synthetic_ops = {synthetic_next_kernel,
                                                synthetic_open_block,
                                                synthetic_next_inst,
                                                synthetic_close_block,
                                                synthetic_close,
                                                NULL,
                                                NULL};

struct source *synthetic_open(uint64_t seed)
{
    struct synthetic *s = calloc(1, sizeof *s);
    s->base.ops = &synthetic_ops;
    s->seed = seed;
    snprintf(s->base.name, sizeof s->base.name, "synthetic seed=%" PRIu64, seed);
    s->allocations[0] = (struct allocation){"first", 0x10000, 4096, seed % 2 ? 512 : 0};
    s->allocations[1] = (struct allocation){"last", UINT64_MAX - 9, 10, 0};
    s->base.allocations = s->allocations;
    s->base.allocation_count = 2;
    return &s->base;
}

/* A folder of the test's own process: suites may run at the same time. */
const char *scratch(const char *name)
{
    static char path[256];
    mkdir("build", 0777);
    mkdir("build/test", 0777);
    mkdir("build/test/trace-files", 0777);
    int n = snprintf(path, sizeof path, "build/test/trace-files/%ld", (long)getpid());
    mkdir(path, 0777);
    snprintf(path + n, sizeof path - (size_t)n, "/%s", name);
    return path;
}

void write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    cr_assert(f, "cannot write %s", path);
    cr_assert_eq(fwrite(data, 1, size, f), size);
    cr_assert_eq(fclose(f), 0);
}

uint8_t *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    cr_assert(f, "cannot read %s", path);
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    uint8_t *data = malloc(*size + 1);
    cr_assert_eq(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

static void assert_same_inst(const struct inst *a, const struct inst *b, const char *where)
{
    cr_assert_eq(a->op, b->op, "%s: op %u, %u", where, a->op, b->op);
    cr_assert_eq(a->pc, b->pc, "%s: pc %x, %x", where, a->pc, b->pc);
    cr_assert_eq(a->mask, b->mask, "%s: mask %x, %x", where, a->mask, b->mask);
    cr_assert_eq(a->count, b->count, "%s: count", where);
    cr_assert_eq(a->dst, b->dst, "%s: dst", where);
    cr_assert_arr_eq(a->src, b->src, sizeof a->src, "%s: src", where);
    if (inst_has_mbarrier(a->op)) cr_assert_eq(a->size, b->size, "%s: mbarrier", where);
    if (!inst_is_memory(a->op)) return;
    cr_assert_eq(a->size, b->size, "%s: size", where);
    cr_assert_arr_eq(a->addr, b->addr, sizeof a->addr, "%s: addresses", where);
}

static void assert_same_block(struct source *a, struct source *b, uint32_t index, uint32_t warps)
{
    struct error err = {0};
    struct block_stream *x = a->ops->open_block(a, index, &err), *y = b->ops->open_block(b, index, &err);
    cr_assert(x && y, "%s", err.text);
    for (uint32_t w = 0; w < warps; w++) {
        enum source_status s, t;
        char where[100];
        for (uint32_t n = 0;; n++) {
            struct inst i, j;
            s = source_next_inst(a, x, w, &i, &err);
            t = source_next_inst(b, y, w, &j, &err);
            snprintf(where, sizeof where, "block %u warp %u instruction %u", index, w, n);
            cr_assert_eq(s, t, "%s: %d, %d %s", where, s, t, err.text);
            if (s != SOURCE_OK) break;
            assert_same_inst(&i, &j, where);
        }
        cr_assert_eq(s, SOURCE_END, "%s", err.text);
    }
    a->ops->close_block(x);
    b->ops->close_block(y);
}

static void assert_same_allocations(const struct source *a, const struct source *b)
{
    cr_assert_eq(a->allocation_count, b->allocation_count);
    for (uint32_t i = 0; i < a->allocation_count; i++) {
        cr_assert_str_eq(a->allocations[i].name, b->allocations[i].name);
        cr_assert_eq(a->allocations[i].addr, b->allocations[i].addr);
        cr_assert_eq(a->allocations[i].bytes, b->allocations[i].bytes);
        cr_assert_eq(a->allocations[i].pitch, b->allocations[i].pitch);
    }
}

void assert_same(struct source *a, struct source *b, bool backwards)
{
    struct error err = {0};
    assert_same_allocations(a, b);
    for (;;) {
        struct kernel_info k = {0}, l = {0};
        enum source_status s = a->ops->next_kernel(a, &k, &err), t = b->ops->next_kernel(b, &l, &err);
        cr_assert_eq(s, t, "%s", err.text);
        if (s != SOURCE_OK) {
            cr_assert_eq(s, SOURCE_END, "%s", err.text);
            return;
        }
        cr_assert_str_eq(k.name, l.name);
        cr_assert_arr_eq(k.grid, l.grid, sizeof k.grid);
        cr_assert_arr_eq(k.block, l.block, sizeof k.block);
        cr_assert_eq(k.regs_per_thread, l.regs_per_thread);
        cr_assert_eq(k.shared_bytes, l.shared_bytes);
        uint32_t n = kernel_blocks(&k);
        for (uint32_t b_index = 0; b_index < n; b_index++)
            assert_same_block(a, b, backwards ? n - 1 - b_index : b_index, kernel_warps(&k));
    }
}

struct source *must_open(const char *path)
{
    struct error err = {0};
    struct source *s = source_open(path, 1, &err);
    cr_assert(s, "%s", err.text);
    return s;
}

void must_write(struct source *s, const char *path)
{
    struct error err = {0};
    cr_assert(binary_write(s, path, NULL, &err), "%s", err.text);
    s->ops->close(s);
}

bool read_everything(const char *path, char digest[65], struct error *err)
{
    struct trace_info info = {0};
    struct source *s = source_open(path, 1, err);
    bool done = s && info_collect(s, &info, NULL, err);
    strcpy(digest, done ? info.digest : "");
    if (s) {
        s->ops->close(s);
        info_free(&info);
    }
    return done;
}

void assert_refused(const char *path, const char *part)
{
    char digest[65];
    struct error err = {0};
    cr_assert(!read_everything(path, digest, &err), "%s was read, expected a message with '%s'", path, part);
    cr_assert(strstr(err.text, part), "found '%s', expected a message with '%s'", err.text, part);
    cr_assert(strstr(err.text, path), "found '%s', expected a message that names %s", err.text, path);
}
