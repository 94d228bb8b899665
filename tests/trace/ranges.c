/* SPDX-License-Identifier: Apache-2.0 */
/* Access ranges: by hand for a trace of a few lines, by loops over a transpose. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "trace/binary.h"
#include "trace/kernels.h"
#include "trace/ranges_file.h"
#include "trace/text.h"

static struct ranges of_file(const char *path)
{
    struct ranges r;
    struct error err = {0};
    struct source *s = must_open(path);
    cr_assert(ranges_collect(s, &r, NULL, &err), "%s", err.text);
    s->ops->close(s);
    return r;
}

static struct ranges of_text(const char *text)
{
    write_file(scratch("ranges.mttx"), text, strlen(text));
    return of_file(scratch("ranges.mttx"));
}

static void expect_rect(const struct rect *r, const struct rect *expected, const char *what)
{
    cr_expect(r->x == expected->x && r->y == expected->y && r->width == expected->width &&
                  r->height == expected->height,
              "%s: found x=%u y=%u %ux%u, expected x=%u y=%u %ux%u", what, r->x, r->y, r->width, r->height, expected->x,
              expected->y, expected->width, expected->height);
}

#define EXPECT_RECT(r, ...) expect_rect(&(r), &(const struct rect){__VA_ARGS__}, #r)

static void expect_counts(const struct range *g, uint64_t accesses, const uint64_t inside[RANGE_RULES],
                          const uint64_t touched[RANGE_RULES])
{
    cr_expect_eq(g->accesses, accesses, "block %u, array %u: %lu accesses", g->block, g->array, g->accesses);
    for (uint32_t i = 0; i < RANGE_RULES; i++) {
        cr_expect_eq(g->inside[i], inside[i], "block %u, array %u: %lu inside", g->block, g->array, g->inside[i]);
        cr_expect_eq(g->touched[i], touched[i], "block %u, array %u: %lu touched", g->block, g->array, g->touched[i]);
    }
}

#define PAIR(...) ((const uint64_t[RANGE_RULES]){__VA_ARGS__})

static const struct range *block_of(const struct ranges *r, uint32_t kernel, uint32_t block, uint32_t arrays)
{
    uint32_t count;
    const struct range *g = ranges_of_block(r, kernel, block, &count);
    cr_assert_eq(count, arrays, "kernel %u, block %u: %u arrays", kernel, block, count);
    for (uint32_t i = 0; i < count; i++) cr_assert_eq(g[i].block, block);
    return g;
}

static void check_tiles(const struct ranges *r)
{
    cr_assert_eq(r->kernel_count, 2);
    cr_expect(r->arrays[0].width == 4 && r->arrays[0].height == 8);
    cr_expect(r->arrays[1].width == 8 && r->arrays[1].height == 1);
    const struct range *g = block_of(r, 0, 0, 2);
    cr_expect(g[0].array == 0 && g[1].array == 1);
    EXPECT_RECT(g[0].rect[RANGE_ENDS], 1, 1, 2, 3);
    EXPECT_RECT(g[0].rect[RANGE_BOUNDS], 0, 0, 3, 4);
    expect_counts(&g[0], 3, PAIR(2, 3), PAIR(2, 3));
    EXPECT_RECT(g[1].rect[RANGE_ENDS], 0, 0, 1, 1);
    EXPECT_RECT(g[1].rect[RANGE_BOUNDS], 0, 0, 8, 1);
    expect_counts(&g[1], 8, PAIR(1, 8), PAIR(1, 8));
    g = block_of(r, 0, 1, 1);
    EXPECT_RECT(g->rect[RANGE_ENDS], 0, 0, 0, 0);
    EXPECT_RECT(g->rect[RANGE_BOUNDS], 0, 0, 4, 2);
    expect_counts(g, 6, PAIR(0, 6), PAIR(0, 4));
    g = block_of(r, 1, 0, 1);
    EXPECT_RECT(g->rect[RANGE_ENDS], 0, 0, 4, 8);
    EXPECT_RECT(g->rect[RANGE_BOUNDS], 0, 0, 4, 8);
    expect_counts(g, 2, PAIR(2, 2), PAIR(2, 2));
    cr_expect_eq(r->elsewhere, 1);
}

Test(ranges, rectangles_of_a_trace_written_by_hand)
{
    struct ranges r = of_file("traces/small/tiles.mttx");
    check_tiles(&r);
    ranges_free(&r);
}

/* The pitch is kept by both forms. */
Test(ranges, are_the_same_in_the_binary_and_in_text_written_again)
{
    struct error err = {0};
    must_write(must_open("traces/small/tiles.mttx"), scratch("tiles.mtt"));
    struct ranges r = of_file(scratch("tiles.mtt"));
    check_tiles(&r);
    ranges_free(&r);
    struct source *s = must_open(scratch("tiles.mtt"));
    cr_assert(text_write_file(s, scratch("tiles.mttx"), NULL, &err), "%s", err.text);
    s->ops->close(s);
    r = of_file(scratch("tiles.mttx"));
    check_tiles(&r);
    ranges_free(&r);
}

/* ---- In a binary trace. ---- */

static void write_with_ranges(struct source *s, const char *path)
{
    struct error err = {0};
    cr_assert(binary_write_ranges(s, path, NULL, &err), "%s", err.text);
    s->ops->close(s);
}

static void expect_equal(const struct ranges *a, const struct ranges *b)
{
    cr_assert_eq(a->kernel_count, b->kernel_count);
    cr_assert_eq(a->range_count, b->range_count);
    cr_expect_eq(a->elsewhere, b->elsewhere);
    cr_expect_str_eq(a->name, b->name);
    cr_expect_eq(memcmp(a->range, b->range, a->range_count * sizeof *a->range), 0);
    cr_expect_eq(memcmp(a->arrays, b->arrays, a->array_count * sizeof *a->arrays), 0);
    for (uint32_t k = 0; k < a->kernel_count; k++) {
        const struct range_kernel *x = &a->kernels[k], *y = &b->kernels[k];
        cr_expect_str_eq(x->info.name, y->info.name);
        cr_expect(x->first == y->first && x->count == y->count && x->slots == y->slots, "kernel %u", k);
        cr_expect_eq(memcmp(x->array, y->array, sizeof x->array), 0, "kernel %u", k);
    }
}

static struct ranges computed(struct source *s)
{
    struct ranges r;
    struct error err = {0};
    cr_assert(s && ranges_collect(s, &r, NULL, &err), "%s", err.text);
    s->ops->close(s);
    return r;
}

Test(ranges, in_the_binary_are_those_of_a_pass)
{
    struct error err = {0};
    for (uint64_t seed = 0; seed <= 6; seed++) {
        const char *kernel = "transpose:width=96,height=160,variant=all,tile=16";
        write_with_ranges(seed ? synthetic_open(seed) : kernel_open(kernel, 1, &err), scratch("stored.mtt"));
        struct ranges a = computed(seed ? synthetic_open(seed) : kernel_open(kernel, 1, &err));
        struct ranges b = of_file(scratch("stored.mtt"));
        expect_equal(&a, &b);
        ranges_free(&a);
        ranges_free(&b);
    }
}

/* Bytes of a file with the ranges of tiles.mttx. */
static uint8_t *tiles_with_ranges(const char *path, size_t *size)
{
    write_with_ranges(must_open("traces/small/tiles.mttx"), path);
    return read_file(path, size);
}

/* Version 3 only where ranges are; instructions and digest are the same. */
Test(ranges, a_file_without_them_is_as_before)
{
    size_t size;
    struct error err = {0};
    must_write(must_open("traces/small/tiles.mttx"), scratch("plain.mtt"));
    uint8_t *plain = read_file(scratch("plain.mtt"), &size), *more = tiles_with_ranges(scratch("more.mtt"), &size);
    cr_expect(plain[8] == 2 && more[8] == 3, "versions %u and %u", plain[8], more[8]);
    struct source *a = must_open(scratch("plain.mtt")), *b = must_open(scratch("more.mtt"));
    cr_expect_null(a->read_ranges);
    cr_expect_str_eq(a->identity, b->identity);
    assert_same(a, b, false);
    a->ops->close(a);
    b->ops->close(b);
    char digest[65];
    cr_expect(read_everything(scratch("more.mtt"), digest, &err), "%s", err.text);
    free(plain);
    free(more);
}

static bool opens_and_collects(const char *path, struct error *err)
{
    struct ranges r = {0};
    struct source *s = binary_open(path, err);
    const bool ok = s && ranges_collect(s, &r, NULL, err);
    if (s) s->ops->close(s);
    ranges_free(&r);
    return ok;
}

/* A flipped bit of the ranges is refused with its place.  One of the instructions is not seen: they are not read. */
Test(ranges, damaged_ones_are_refused)
{
    size_t size;
    uint32_t refused = 0, unread = 0;
    uint8_t *data = tiles_with_ranges(scratch("sound.mtt"), &size);
    for (size_t at = BINARY_HEADER; at < size; at++) {
        struct error err = {0};
        data[at] ^= 1;
        write_file(scratch("damaged.mtt"), data, size);
        data[at] ^= 1;
        if (opens_and_collects(scratch("damaged.mtt"), &err)) {
            unread++;
            continue;
        }
        cr_expect(strstr(err.text, "damaged.mtt: "), "%s", err.text);
        refused += strstr(err.text, ", the chunk of ranges at byte ") != NULL;
    }
    cr_expect(refused > 20 && unread > 20, "%u refused with their place, %u not read", refused, unread);
    free(data);
}

static void expect_fault(const uint8_t *bytes, size_t size, const char *expected)
{
    struct error err = {0};
    const struct kernel_info info = {.name = "k", .grid = {2, 1, 1}, .block = {32, 1, 1}};
    struct ranges r;
    struct source *s = must_open("traces/small/tiles.mttx");
    cr_assert(ranges_begin(&r, s, &err));
    s->ops->close(s);
    struct reader from = {bytes, bytes + size, false};
    const char *fault = ranges_decode(&r, &info, &from, &err);
    cr_expect(fault ? expected && !strcmp(fault, expected) : !expected, "found \"%s\", expected \"%s\"",
              fault ? fault : "", expected ? expected : "");
    ranges_free(&r);
}

#define EXPECT_FAULT(expected, ...)                                                                                    \
    expect_fault((const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__}, expected)

/* Array 0 has 4 lines in a row and 8 rows. */
Test(ranges, hostile_ones_are_refused)
{
    const char *outside = "a range outside its grid or its array, or without accesses";
    EXPECT_FAULT(NULL, 7, 0);
    EXPECT_FAULT(NULL, 0, 1, 1, 0, 9, 0, 4, 8, 0, 0, 9, 9);
    EXPECT_FAULT("more ranges than fit", 0, 3, 0, 0, 9, 0, 0);
    EXPECT_FAULT("more ranges than fit", 0);
    EXPECT_FAULT(outside, 0, 1, 2, 0, 9, 0, 0);                 /* thread block 2 of 2 */
    EXPECT_FAULT(outside, 0, 1, 0, 2, 9, 0, 0);                 /* array 2 of 2 */
    EXPECT_FAULT(outside, 0, 1, 0, 0, 9, 0, 4, 8, 1, 0, 9, 9);  /* beyond the row */
    EXPECT_FAULT(outside, 0, 1, 0, 0, 9, 0, 4, 8, 0, 1, 9, 9);  /* beyond the last row */
    EXPECT_FAULT(outside, 0, 1, 0, 0, 9, 0, 4, 0, 0, 0, 9, 9);  /* no rows */
    EXPECT_FAULT(outside, 0, 1, 0, 0, 9, 0, 4, 8, 0, 0, 10, 9); /* 10 of 9 accesses */
    EXPECT_FAULT(outside, 0, 1, 0, 0, 9, 0, 2, 2, 0, 0, 9, 5);  /* 5 of 4 lines */
    EXPECT_FAULT(outside, 0, 1, 0, 0, 9, 0, 4, 8, 0, 0, 3, 5);  /* 5 lines by 3 accesses */
    EXPECT_FAULT("ranges out of order", 0, 2, 0, 1, 9, 0, 0, 0, 0, 9, 0, 0);
    EXPECT_FAULT("bytes after the last range", 0, 1, 0, 0, 9, 0, 0, 1);
}

Test(ranges, a_kernels_sums_are_those_of_its_blocks)
{
    struct ranges r = of_file("traces/small/tiles.mttx");
    struct range_sum sums[2];
    ranges_sum(&r, 0, sums);
    cr_expect(sums[0].blocks == 2 && sums[0].accesses == 9);
    cr_expect(sums[0].of[RANGE_ENDS].rectangles == 1 && sums[0].of[RANGE_ENDS].lines == 6);
    cr_expect(sums[0].of[RANGE_ENDS].inside == 2 && sums[0].of[RANGE_ENDS].touched == 2);
    cr_expect(sums[0].of[RANGE_BOUNDS].rectangles == 2 && sums[0].of[RANGE_BOUNDS].lines == 12 + 8);
    cr_expect(sums[0].of[RANGE_BOUNDS].width == 3 + 4 && sums[0].of[RANGE_BOUNDS].height == 4 + 2);
    cr_expect(sums[0].of[RANGE_BOUNDS].inside == 9 && sums[0].of[RANGE_BOUNDS].touched == 3 + 4);
    cr_expect(sums[1].blocks == 1 && sums[1].accesses == 8);
    ranges_free(&r);
}

/* Two bits count to 3: `table` of 4 x 8 has units of 2 lines and 4 rows, `vector` of 8 x 1 units of 4 lines. */
Test(ranges, a_field_too_short_for_an_array_gets_a_larger_unit)
{
    struct ranges r = of_file("traces/small/tiles.mttx");
    struct range_entry e = ranges_entry(&r, 0, 0, RANGE_ENDS, 8);
    EXPECT_RECT(e.slot[0], 1, 1, 2, 3);
    EXPECT_RECT(e.slot[1], 0, 0, 1, 1);
    EXPECT_RECT(e.slot[2], 0, 0, 0, 0);
    e = ranges_entry(&r, 0, 0, RANGE_ENDS, 2);
    EXPECT_RECT(e.slot[0], 0, 0, 2, 1);
    e = ranges_entry(&r, 0, 0, RANGE_BOUNDS, 2);
    EXPECT_RECT(e.slot[0], 0, 0, 2, 1);
    EXPECT_RECT(e.slot[1], 0, 0, 2, 1);
    e = ranges_entry(&r, 0, 1, RANGE_ENDS, 8);
    EXPECT_RECT(e.slot[0], 0, 0, 0, 0);
    e = ranges_entry(&r, 0, 0, RANGE_BOUNDS, 32);
    EXPECT_RECT(e.slot[1], 0, 0, 8, 1);
    ranges_free(&r);
}

/* Every rectangle fits the fields, and a unit of half the size would not do. */
Test(ranges, the_unit_is_the_smallest_that_fits)
{
    for (uint32_t bits = 1; bits <= RANGE_BITS_MAX; bits++) {
        const uint64_t most = (UINT64_C(1) << bits) - 1;
        const uint32_t widths[] = {1, 2, 3, 4, 127, 255, 256, 257, 510, 511, 65535, 65536, UINT32_MAX};
        for (uint32_t i = 0; i < sizeof widths / sizeof *widths; i++) {
            const struct range_array a = {.width = widths[i], .height = 1};
            const uint64_t unit = UINT64_C(1) << ranges_unit(&a, bits).log2_lines;
            cr_expect((widths[i] + unit - 1) / unit <= most, "%u lines, %u bits: unit %lu", widths[i], bits, unit);
            if (unit > 1) cr_expect((widths[i] + unit / 2 - 1) / (unit / 2) > most, "%u, %u bits", widths[i], bits);
            cr_expect_eq(ranges_unit(&a, bits).log2_rows, 0);
        }
    }
}

/* 1, 3, 2, 3 and 4 accesses: arrays 1, 3 and 4 have entries. */
Test(ranges, an_entry_has_the_three_arrays_with_most_accesses)
{
    struct ranges r =
        of_text("memtwin-trace 1\nalloc 0x1000 4096 a\nalloc 0x2000 4096 b\nalloc 0x3000 4096 c\n"
                "alloc 0x4000 4096 d\nalloc 0x5000 4096 e\nkernel name=k\nblock 0\nwarp 0\n"
                "load.4 lanes=0 at=0x1000\nload.4 lanes=0-2 at=0x2080+128\nload.4 lanes=0-1 at=0x3000+128\n"
                "load.4 lanes=0-2 at=0x4100+128\nload.4 lanes=0-3 at=0x5180+128\nexit\n");
    cr_assert_eq(r.kernels[0].slots, 3);
    cr_expect(r.kernels[0].array[0] == 1 && r.kernels[0].array[1] == 3 && r.kernels[0].array[2] == 4);
    const struct range_entry e = ranges_entry(&r, 0, 0, RANGE_BOUNDS, 8);
    EXPECT_RECT(e.slot[0], 1, 0, 3, 1);
    EXPECT_RECT(e.slot[1], 2, 0, 3, 1);
    EXPECT_RECT(e.slot[2], 3, 0, 4, 1);
    ranges_free(&r);
}

/* A block that reads the same 2000 lines five times: its list of lines is merged and grows. */
Test(ranges, lines_are_counted_once_and_accesses_each_time)
{
    static char text[1 << 20];
    int n = sprintf(text, "memtwin-trace 2\nalloc 0x100000 1048576 4096 a\nkernel name=k\nblock 0\nwarp 0\n");
    for (int again = 0; again < 5; again++)
        for (int i = 0; i < 2000; i++)
            n += sprintf(text + n, "load.4 lanes=0,31 at=%#x,%#x\n", 0x100000 + 128 * i, 0x100000 + 128 * (1999 - i));
    sprintf(text + n, "exit\n");
    struct ranges r = of_text(text);
    const struct range *g = block_of(&r, 0, 0, 1);
    EXPECT_RECT(g->rect[RANGE_ENDS], 0, 0, 16, 63);
    EXPECT_RECT(g->rect[RANGE_BOUNDS], 0, 0, 32, 63);
    expect_counts(g, 20000, PAIR(20000 - 62 * 16 * 10, 20000), PAIR(2000 - 62 * 16, 2000));
    ranges_free(&r);
}

/* ---- A transpose by direct loops: tiles of 32 x 32 words by thread blocks of 32 x 8. ---- */

enum { TILE = 32, ROWS = 8, WORDS = 32 /* of a line */ };

/* Around the words [x, x + columns) of the rows [y, y + rows), clipped to the matrix. */
static struct rect tile_at(uint32_t x, uint32_t y, uint32_t columns, uint32_t rows, uint32_t width, uint32_t height)
{
    const uint32_t right = x + columns < width ? x + columns : width, below = y + rows < height ? y + rows : height;
    return (struct rect){x / WORDS, y, (right - 1) / WORDS - x / WORDS + 1, below - y};
}

static void check_transpose(uint32_t width, uint32_t height)
{
    char name[64];
    struct error err = {0};
    struct ranges r;
    snprintf(name, sizeof name, "transpose:width=%u,height=%u,variant=naive", width, height);
    struct source *s = kernel_open(name, 1, &err);
    cr_assert(s && ranges_collect(s, &r, NULL, &err), "%s", err.text);
    cr_expect(kernel_verify(s, &err), "%s", err.text);
    s->ops->close(s);
    const uint32_t across = (width + TILE - 1) / TILE, down = (height + TILE - 1) / TILE;
    for (uint32_t b = 0; b < across * down; b++) {
        const uint32_t x = b % across * TILE, y = b / across * TILE;
        const struct range *g = block_of(&r, 0, b, 2);
        const struct rect in = tile_at(x, y, TILE, TILE, width, height), out = tile_at(y, x, TILE, TILE, height, width);
        expect_rect(&g[0].rect[RANGE_BOUNDS], &in, "in, bounds");
        expect_rect(&g[1].rect[RANGE_BOUNDS], &out, "out, bounds");
        if (x + TILE > width || y + TILE > height) continue; /* the last thread may have nothing to do */
        const struct rect first_in = tile_at(x, y, TILE, ROWS, width, height);
        const struct rect first_out = tile_at(y, x, ROWS, TILE, height, width);
        expect_rect(&g[0].rect[RANGE_ENDS], &first_in, "in, ends");
        expect_rect(&g[1].rect[RANGE_ENDS], &first_out, "out, ends");
        expect_counts(&g[0], TILE, PAIR(ROWS, TILE), PAIR(ROWS, TILE));
        expect_counts(&g[1], TILE * TILE, PAIR(TILE * TILE, TILE * TILE), PAIR(TILE, TILE));
    }
    ranges_free(&r);
}

/* The paper's rule sees the first of the four rows that each thread copies. */
Test(ranges, of_a_transpose)
{
    check_transpose(128, 64);
    check_transpose(96, 160);
    check_transpose(160, 40); /* rows of the result are not whole lines */
}

/* ---- Bad input. ---- */

static void expect_refused(const char *allocations, const char *expected)
{
    struct ranges r;
    struct error err = {0};
    char text[512];
    const int n = snprintf(text, sizeof text, "memtwin-trace 2\n%skernel name=k\nblock 0\nwarp 0\nexit\n", allocations);
    write_file(scratch("refused.mttx"), text, (size_t)n);
    struct source *s = must_open(scratch("refused.mttx"));
    cr_expect_not(ranges_collect(s, &r, NULL, &err));
    cr_expect(strstr(err.text, expected), "found \"%s\", expected \"%s\" in it", err.text, expected);
    s->ops->close(s);
    ranges_free(&r);
}

Test(ranges, what_is_wrong_is_named)
{
    expect_refused("alloc 0x1000 4096 0 a\nalloc 0x1fff 1 0 b\n",
                   "found that allocations a and b overlap, expected each byte in one");
    expect_refused("alloc 0 0x8000000000 0 a\n",
                   "found array a of 4294967296 lines in a row and 1 rows, expected at most 4294967295");
    expect_refused("alloc 0 0x100000000 1 a\n", "found array a of 1 lines in a row and 4294967296 rows");
}

Test(ranges, without_arrays_all_is_elsewhere)
{
    struct ranges r = of_text("memtwin-trace 1\nkernel name=k\nblock 0\nwarp 0\nload.4 at=0x1000+4\nexit\n");
    cr_expect_eq(r.elsewhere, 1);
    cr_expect_eq(r.range_count, 0);
    cr_expect_eq(r.kernels[0].slots, 0);
    block_of(&r, 0, 0, 0);
    ranges_free(&r);
}
