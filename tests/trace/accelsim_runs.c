/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that warps of an Accel-Sim trace repeat: read by what is remembered of them, they are the same. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "support.h"
#include "trace/accelsim.h"

#define BLOCKS 150u
#define WARPS 3u
#define PIECES 24u
#define FOR_ALL 8u
#define PIECE_LINES 50u
#define LINE 96

/* A piece of a kernel: lines that warps repeat, most of them without addresses. */
struct piece {
    uint32_t count;
    char line[PIECE_LINES][LINE];
};

struct text {
    FILE *to;
    const char *indent; /* a line with a blank before it is parsed from scratch */
    struct rng rng;
};

static uint32_t below(struct rng *r, uint32_t limit)
{
    return (uint32_t)rng_below(r, limit);
}

static const char *const masks[] = {"00000000", "0000ffff", "ffffffff", "ffffffff", "fffffffe"};

static void make_line(struct rng *r, uint32_t pc, uint32_t masks_used, uint32_t kinds_used, char line[static LINE])
{
    static const char *const rest[] = {
        "1 R%u FADD 1 R2 0 ",
        "0 FADD 1 R%u 0 ",
        "1 R%u MUFU.RCP 0 0 ",
        "0 BAR.SYNC 1 R%u 0 ",
        "0 EXIT 1 R%u 0 ",
        "1 R%u NEW.OP 1 R1 0 ",
        "1 R%u IADD3 0 0 0x10",
        "1 R1 FFMA 5 R%u R2 R3 R4 R5 0 ",
        "0 LDG.E 1 R%u 0 ",
        "1 R%u MOV 0 0 ",
        "1 R%u LDS 1 R9 4 1 0x10 4 ",
        "1 R%u HMMA.16816 1 R2 0 ",
        "0 DEPBAR.LE 1 R%u 0 2 ",
    };
    const char *mask = masks[below(r, masks_used)];
    const uint32_t kind = below(r, kinds_used);
    if (kind == 8) mask = "00000000"; /* an access by no lane has no addresses */
    const int n = snprintf(line, LINE, "%04" PRIx32 " %s ", pc, mask);
    snprintf(line + n, (size_t)(LINE - n), rest[kind], below(r, 3));
}

/* Short and long ones, with few masks and with many; the first eight are for a warp of 24 threads, too. */
static void make_pieces(struct rng *r, struct piece *pieces)
{
    for (uint32_t p = 0; p < PIECES; p++) {
        const bool is_long = p % 4 == 0;
        const uint32_t masks_used = p < FOR_ALL ? 2 : p % 3 ? 5 : 3, kinds_used = is_long ? 4 : 13;
        pieces[p].count = 1 + below(r, is_long ? PIECE_LINES : 8);
        for (uint32_t i = 0; i < pieces[p].count; i++)
            make_line(r, 0x100 * p + 8 * i, masks_used, kinds_used, pieces[p].line[i]);
    }
}

static void put_lines(struct text *t, const struct piece *pieces, const uint32_t *order, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t i = 0; i < pieces[order[n]].count; i++)
            fprintf(t->to, "%s%s\n", t->indent, pieces[order[n]].line[i]);
}

/* Most warps end with an exit, the others get one. */
static void put_warp(struct text *t, const struct piece *pieces, uint32_t warp)
{
    uint32_t order[8], count = 1 + below(&t->rng, 8), lines = 0;
    const bool exits = below(&t->rng, 4);
    for (uint32_t n = 0; n < count; n++) {
        order[n] = below(&t->rng, warp == WARPS - 1 ? FOR_ALL : PIECES);
        lines += pieces[order[n]].count;
    }
    fprintf(t->to, "\n%swarp = %" PRIu32 "\n%sinsts = %" PRIu32 "\n", t->indent, warp, t->indent, lines + exits);
    put_lines(t, pieces, order, count);
    if (exits) fprintf(t->to, "%s0000 0000ffff 0 EXIT 0 0 \n", t->indent);
}

static void write_trace(const char *path, uint64_t seed, const char *indent)
{
    struct piece pieces[PIECES];
    char *text = NULL;
    size_t size;
    struct text t = {.to = open_memstream(&text, &size), .indent = indent};
    rng_seed(&t.rng, seed);
    make_pieces(&t.rng, pieces);
    fprintf(t.to, "-kernel name = runs\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n-accelsim tracer version = 4\n\n",
            BLOCKS, 32 * WARPS - 8);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        fprintf(t.to, "#BEGIN_TB\n\nthread block = %u,0,0\n", b);
        for (uint32_t w = 0; w < WARPS; w++) put_warp(&t, pieces, w);
        fprintf(t.to, "\n#END_TB\n\n");
    }
    fclose(t.to);
    write_file(path, text, size);
    free(text);
}

Test(accelsim_runs, are_read_as_line_by_line, .timeout = 120)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        char again[512], scratch_path[512];
        snprintf(again, sizeof again, "%s", scratch("again.traceg"));
        snprintf(scratch_path, sizeof scratch_path, "%s", scratch("from_scratch.traceg"));
        write_trace(again, seed, "");
        write_trace(scratch_path, seed, " ");
        struct source *a = must_open(again), *b = must_open(scratch_path);
        struct accelsim_counts x, y;
        assert_same(a, b, seed % 2);
        cr_assert(accelsim_counts(a, &x) && accelsim_counts(b, &y));
        cr_expect(!memcmp(&x, &y, sizeof x));
        a->ops->close(a);
        b->ops->close(b);
    }
}
