/* SPDX-License-Identifier: Apache-2.0 */
/* The binary trace: files read back as written, and every damaged file is refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

#include "support.h"
#include "trace/binary.h"
#include "trace/check.h"
#include "trace/encoded.h"

Test(binary, any_workload_comes_back)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        const char *path = scratch("any.mtt");
        must_write(synthetic_open(seed), path);
        for (int backwards = 0; backwards < 2; backwards++) {
            struct source *a = synthetic_open(seed), *b = must_open(path);
            cr_assert_str_eq(a->name, b->name);
            assert_same(a, b, backwards);
            a->ops->close(a);
            b->ops->close(b);
        }
    }
}

Test(binary, same_workload_gives_same_bytes)
{
    size_t n, m;
    must_write(synthetic_open(5), scratch("once.mtt"));
    uint8_t *once = read_file(scratch("once.mtt"), &n);
    must_write(synthetic_open(5), scratch("twice.mtt"));
    uint8_t *twice = read_file(scratch("twice.mtt"), &m);
    cr_assert_eq(n, m);
    cr_assert_arr_eq(once, twice, n);
    free(once);
    free(twice);
}

Test(binary, a_copy_of_a_trace_is_the_same_trace)
{
    char first[65], second[65];
    struct error err = {0};
    must_write(synthetic_open(6), scratch("first.mtt"));
    struct source *copy = must_open(scratch("first.mtt"));
    must_write(copy, scratch("second.mtt"));
    cr_assert(read_everything(scratch("first.mtt"), first, &err), "%s", err.text);
    cr_assert(read_everything(scratch("second.mtt"), second, &err), "%s", err.text);
    cr_assert_str_eq(first, second);
}

Test(binary, many_open_blocks_outlive_the_cache)
{
    struct error err = {0};
    struct kernel_info k;
    must_write(synthetic_open(7), scratch("open.mtt"));
    struct source *s = must_open(scratch("open.mtt"));
    cr_assert_eq(s->ops->next_kernel(s, &k, &err), SOURCE_OK);
    uint32_t n = kernel_blocks(&k);
    struct block_stream **open = calloc(n, sizeof *open);
    for (uint32_t b = 0; b < n; b++) cr_assert(open[b] = s->ops->open_block(s, b, &err), "%s", err.text);
    for (uint32_t b = 0; b < n; b++) {
        struct inst i;
        cr_assert_eq(source_next_inst(s, open[b], 0, &i, &err), SOURCE_OK, "%s", err.text);
        s->ops->close_block(open[b]);
    }
    cr_assert_null(s->ops->open_block(s, n, &err));
    cr_assert(strstr(err.text, "there is no thread block"));
    free(open);
    s->ops->close(s);
}

/* Every length of a file but its own is refused. */
Test(binary, every_truncation_is_refused, .timeout = 120)
{
    size_t size;
    must_write(must_open("traces/small/corners.mttx"), scratch("whole.mtt"));
    uint8_t *data = read_file(scratch("whole.mtt"), &size);
    for (size_t n = 0; n <= size + 1; n++) {
        if (n == size) continue;
        data[size] = 0; /* read_file leaves room for one byte more */
        write_file(scratch("cut.mtt"), data, n);
        assert_refused(scratch("cut.mtt"), n < size ? "cut" : "data follow its end");
    }
    free(data);
}

/* Every bit of a file counts: flipping it is noticed, wherever it is. */
Test(binary, every_flipped_bit_is_refused, .timeout = 120)
{
    size_t size;
    must_write(must_open("traces/small/corners.mttx"), scratch("whole2.mtt"));
    uint8_t *data = read_file(scratch("whole2.mtt"), &size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        write_file(scratch("flipped.mtt"), data, size);
        assert_refused(scratch("flipped.mtt"), "flipped.mtt: ");
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(data);
}

/* A file with a header, directory and chunk of the test's making, all checksums right. */
static void forge(const char *path, uint32_t version, struct bytes *directory, const void *chunk, size_t chunk_size,
                  size_t claimed_raw)
{
    struct bytes f = {0};
    uint64_t offset = BINARY_HEADER + chunk_size;
    bytes_put(&f, BINARY_MAGIC, 8);
    bytes_le(&f, version, 4);
    bytes_le(&f, 0, 4);
    bytes_le(&f, offset, 8);
    bytes_le(&f, directory->size, 8);
    bytes_le(&f, claimed_raw ? claimed_raw : directory->size, 8);
    bytes_le(&f, XXH3_64bits(directory->data, directory->size), 8);
    bytes_le(&f, offset + directory->size, 8);
    bytes_le(&f, XXH3_64bits(f.data, f.size), 8);
    bytes_put(&f, chunk, chunk_size);
    bytes_put(&f, directory->data, directory->size);
    write_file(path, f.data, f.size);
    bytes_free(&f);
    bytes_free(directory);
}

/* A directory of one kernel up to its chunks. */
static struct bytes begin_directory(uint64_t allocations, uint64_t grid, uint64_t threads, uint64_t chunks)
{
    struct bytes d = {0};
    static const uint8_t identity[16];
    bytes_varint(&d, 1);
    bytes_put(&d, "w", 1);
    bytes_put(&d, identity, 16);
    bytes_varint(&d, allocations);
    bytes_varint(&d, 1);
    bytes_varint(&d, 1);
    bytes_put(&d, "k", 1);
    for (int i = 0; i < 3; i++) bytes_varint(&d, i ? 1 : grid);
    for (int i = 0; i < 3; i++) bytes_varint(&d, i ? 1 : threads);
    bytes_varint(&d, 8);
    bytes_varint(&d, 0);
    bytes_varint(&d, chunks);
    return d;
}

static void put_chunk(struct bytes *d, uint64_t blocks, uint64_t stored, uint64_t raw, uint64_t checksum)
{
    bytes_varint(d, blocks);
    bytes_varint(d, stored);
    bytes_varint(d, raw);
    bytes_le(d, checksum, 8);
}

/* One template (an exit), one warp of one instruction. */
static const uint8_t exit_chunk[] = {1, INST_EXIT, 0, 255, 255, 255, 255, 255, 1, 0, 1, 0};

Test(binary, forged_file_that_is_right_is_read)
{
    char digest[65];
    struct error err = {0};
    struct bytes d = begin_directory(0, 1, 32, 1);
    put_chunk(&d, 1, sizeof exit_chunk, sizeof exit_chunk, XXH3_64bits(exit_chunk, sizeof exit_chunk));
    forge(scratch("forged.mtt"), TRACE_VERSION_FIRST, &d, exit_chunk, sizeof exit_chunk, 0);
    cr_assert(!read_everything(scratch("forged.mtt"), digest, &err));
    cr_assert(strstr(err.text, "its contents have the digest"), "%s",
              err.text); /* all but the identity, which nobody can forge by hand */
}

Test(binary, other_versions_are_refused)
{
    struct bytes d = begin_directory(0, 1, 32, 0);
    forge(scratch("version.mtt"), 4, &d, NULL, 0, 0);
    assert_refused(scratch("version.mtt"), "byte 8: found version 4.0, expected 1.0 to 3.0");
}

Test(binary, hostile_directories_are_refused)
{
    const char *path = scratch("hostile.mtt");
    struct bytes d = begin_directory(0, 1, 32, UINT64_C(1) << 31);
    forge(path, TRACE_VERSION_FIRST, &d, NULL, 0, 0);
    assert_refused(path, "more chunks than fit");

    d = begin_directory(UINT64_C(1) << 40, 1, 32, 1);
    forge(path, TRACE_VERSION_FIRST, &d, NULL, 0, 0);
    assert_refused(path, "directory");

    d = begin_directory(0, UINT64_C(1) << 31, 32, 1);
    put_chunk(&d, 1, 8, 8, 0);
    forge(path, TRACE_VERSION_FIRST, &d, "12345678", 8, 0);
    assert_refused(path, "a grid of 0 or more than 2147483647");

    d = begin_directory(0, 1, 4096, 1);
    put_chunk(&d, 1, 8, 8, 0);
    forge(path, TRACE_VERSION_FIRST, &d, "12345678", 8, 0);
    assert_refused(path, "a thread block of 0 or more than 2048 threads");

    d = begin_directory(0, 2, 32, 1);
    put_chunk(&d, 1, 8, 8, 0);
    forge(path, TRACE_VERSION_FIRST, &d, "12345678", 8, 0);
    assert_refused(path, "chunks for another number of thread blocks");

    d = begin_directory(0, 1, 32, 1);
    put_chunk(&d, 1, 7, 7, 0);
    forge(path, TRACE_VERSION_FIRST, &d, "12345678", 8, 0);
    assert_refused(path, "chunks that do not end where the directory begins");

    d = begin_directory(0, 1, 32, 1);
    put_chunk(&d, 1, 99, 99, 0);
    forge(path, TRACE_VERSION_FIRST, &d, "12345678", 8, 0);
    assert_refused(path, "chunks beyond the file");

    d = begin_directory(0, 1, 32, 1);
    put_chunk(&d, 1, 8, CHUNK_MAX + UINT64_C(1), 0);
    forge(path, TRACE_VERSION_FIRST, &d, "12345678", 8, 0);
    assert_refused(path, "a chunk entry out of range");

    d = begin_directory(0, 1, 32, 1);
    put_chunk(&d, 1, 8, 8, 0);
    forge(path, TRACE_VERSION_FIRST, &d, "12345678", 8, UINT64_C(1) << 40);
    assert_refused(path, "at most 16 MiB");
}

/* A chunk that says it is small and unpacks to something large. */
Test(binary, zip_bombs_are_refused)
{
    size_t bomb_size = 64u << 20, bound = ZSTD_compressBound(bomb_size);
    void *zeros = calloc(1, bomb_size), *bomb = malloc(bound);
    size_t stored = ZSTD_compress(bomb, bound, zeros, bomb_size, 3);
    struct bytes d = begin_directory(0, 1, 32, 1);
    put_chunk(&d, 1, stored, stored + 1, XXH3_64bits(bomb, stored));
    forge(scratch("bomb.mtt"), TRACE_VERSION_FIRST, &d, bomb, stored, 0);
    assert_refused(scratch("bomb.mtt"),
                   "kernel 0, the chunk of thread block 0 at byte 64 is damaged: Destination buffer is too small");
    free(zeros);
    free(bomb);
}

static void assert_chunk_refused(const uint8_t *chunk, size_t size, const char *part)
{
    struct bytes d = begin_directory(0, 1, 32, 1);
    put_chunk(&d, 1, size, size, XXH3_64bits(chunk, size));
    forge(scratch("chunk.mtt"), TRACE_VERSION_FIRST, &d, chunk, size, 0);
    assert_refused(scratch("chunk.mtt"), part);
}

Test(binary, hostile_chunks_are_refused)
{
    static const uint8_t templates[] = {0xff, 0xff, 3, 0};
    static const uint8_t many[] = {0xff, 0xff, 0xff, 0xff, 0x0f, 0};
    static const uint8_t bad_op[] = {1, INST_OPS, 0, 255, 255, 255, 255, 255, 1, 0, 1, 0};
    static const uint8_t bad_size[] = {1, INST_LOAD, 3, 255, 255, 255, 255, 255, 1, 0, 0, 0, 1, 0};
    static const uint8_t long_warp[] = {1, INST_EXIT, 0, 255, 255, 255, 255, 255, 1, 0, 0x7f, 0};
    static const uint8_t far_template[] = {1, INST_EXIT, 0, 255, 255, 255, 255, 255, 1, 0, 1, 0x10};
    static const uint8_t no_exit[] = {1, INST_SP, 0, 255, 255, 255, 255, 255, 1, 0, 1, 0};
    static const uint8_t early_exit[] = {1, INST_EXIT, 0, 255, 255, 255, 255, 255, 1, 0, 2, 0, 8};
    static const uint8_t trailing[] = {1, INST_EXIT, 0, 255, 255, 255, 255, 255, 1, 0, 1, 0, 0};
    static const uint8_t empty_mask[] = {1, INST_LOAD, 4, 255, 255, 255, 255, 255, 1, 0, 0, 0, 6, 5, 0, 0, 0, 0, 0};
    static const uint8_t addresses[] = {1, INST_EXIT, 0, 255, 255, 255, 255, 255, 1, 0, 2, 1, 0};
    assert_chunk_refused(templates, sizeof templates, "more templates than fit");
    assert_chunk_refused(many, sizeof many, "more templates than fit");
    assert_chunk_refused(bad_op, sizeof bad_op, "an unknown operation");
    assert_chunk_refused(bad_size, sizeof bad_size, "an access size other than");
    assert_chunk_refused(long_warp, sizeof long_warp, "a warp of 0 bytes or more than the chunk has");
    assert_chunk_refused(far_template, sizeof far_template,
                         "thread block 0, warp 0: found a template number beyond the table");
    assert_chunk_refused(no_exit, sizeof no_exit, "a warp that does not end with its exit");
    assert_chunk_refused(early_exit, sizeof early_exit, "a warp that does not end with its exit");
    assert_chunk_refused(trailing, sizeof trailing, "bytes after the last warp");
    assert_chunk_refused(empty_mask, sizeof empty_mask, "no active lane");
    assert_chunk_refused(addresses, sizeof addresses, "addresses where none belong");
}

Test(binary, a_full_disk_is_reported)
{
    struct error err = {0};
    struct source *s = synthetic_open(1);
    cr_assert(!binary_write(s, "/dev/full", NULL, &err));
    cr_assert(strstr(err.text, "/dev/full: cannot write: No space left on device"), "%s", err.text);
    s->ops->close(s);
}

static bool refuse(void *context, struct source *source, struct error *err)
{
    (void)context;
    return error_set(err, "%s: refused", source->name);
}

/* If a file cannot be finished, the old one stays, and no partial file is left. */
Test(binary, nothing_half_written_is_left)
{
    struct error err = {0};
    struct trace_progress progress = {NULL, refuse, NULL};
    char folder[256], path[300];
    snprintf(folder, sizeof folder, "%s", scratch("half-XXXXXX"));
    cr_assert_not_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/kept.mtt", folder);
    write_file(path, "before", 6);
    struct source *s = synthetic_open(1);
    cr_assert(!binary_write(s, path, &progress, &err));
    s->ops->close(s);
    size_t size;
    uint8_t *data = read_file(path, &size);
    cr_assert_eq(size, 6);
    free(data);
    cr_assert_eq(unlink(path), 0);
    cr_assert_eq(rmdir(folder), 0, "something else was left in the folder");
    err.text[0] = '\0';
    s = synthetic_open(1);
    cr_assert(!binary_write(s, "build/no/such/folder.mtt", NULL, &err));
    cr_assert(strstr(err.text, "folder.mtt: cannot write: No such file or directory"), "%s", err.text);
    s->ops->close(s);
}
