/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <zstd.h>

#include "trace/binary.h"
#include "trace/digest.h"
#include "trace/encoded.h"
#include "trace/ranges_file.h"
#include "base/output.h"

#define LEVEL 9 /* zstd level: written once, read often */

struct binary_writer {
    struct output out;
    struct encoder *encoder;
    struct digest digest;
    ZSTD_CCtx *zstd;
    struct bytes kernels; /* directory entries of the finished kernels */
    struct bytes chunks;  /* those of the current kernel's chunks */
    struct bytes packed;  /* one compressed chunk */
    uint64_t offset;      /* where the next chunk goes */
    uint32_t kernel_count, chunk_count;
    struct kernel_info kernel;
    uint32_t block;
    struct range_pass *pass; /* NULL: ranges are not written */
    struct ranges ranges;    /* of the current kernel */
};

static bool write_bytes(struct binary_writer *w, const void *data, size_t size, struct error *err)
{
    if (fwrite(data, 1, size, w->out.file) != size) return output_error(&w->out, err);
    w->offset += size;
    return true;
}

/* Compresses into w->packed.  A chunk that does not shrink is stored raw, marked by equal sizes. */
static bool pack(struct binary_writer *w, const struct bytes *raw, struct error *err)
{
    w->packed.size = 0;
    size_t bound = ZSTD_compressBound(raw->size);
    uint8_t *to = bytes_reserve(&w->packed, bound);
    if (!to) return error_set(err, "%s: out of memory", w->out.path);
    size_t size = ZSTD_compressCCtx(w->zstd, to, bound, raw->data, raw->size, LEVEL);
    if (ZSTD_isError(size)) return error_set(err, "%s: zstd: %s", w->out.path, ZSTD_getErrorName(size));
    if (size < raw->size) {
        w->packed.size = size;
    } else {
        bytes_put(&w->packed, raw->data, raw->size);
    }
    return true;
}

/* Writes the bytes, and their place into the directory. */
static bool write_part(struct binary_writer *w, const struct bytes *raw, struct error *err)
{
    const bool done = pack(w, raw, err) && write_bytes(w, w->packed.data, w->packed.size, err);
    bytes_varint(&w->chunks, w->packed.size);
    bytes_varint(&w->chunks, raw->size);
    bytes_le(&w->chunks, XXH3_64bits(w->packed.data, w->packed.size), 8);
    return done;
}

static bool write_chunk(struct binary_writer *w, struct error *err)
{
    struct bytes raw;
    uint32_t blocks = encoder_blocks(w->encoder);
    const char *fault = encoder_take(w->encoder, &raw);
    if (fault) return error_set(err, "%s: %s", w->out.path, fault);
    bytes_varint(&w->chunks, blocks);
    const bool done = write_part(w, &raw, err);
    w->chunk_count++;
    bytes_free(&raw);
    return done;
}

/* Those of a kernel are not needed afterwards. */
static bool write_ranges(struct binary_writer *w, struct error *err)
{
    struct bytes raw = {0};
    if (!range_pass_kernel_end(w->pass, err)) return false;
    ranges_encode(&w->ranges, 0, w->ranges.elsewhere, &raw);
    const bool done =
        raw.failed || raw.size > CHUNK_MAX
            ? error_set(err, "%s: kernel %" PRIu32 ": found ranges of more than 128 MiB", w->out.path, w->kernel_count)
            : write_part(w, &raw, err);
    bytes_free(&raw);
    w->ranges.kernel_count = 0;
    w->ranges.range_count = w->ranges.elsewhere = 0;
    return done;
}

static bool fault_error(struct binary_writer *w, const struct source *s, const char *fault, struct error *err)
{
    return error_set(err, "%s: cannot be written to %s: kernel %" PRIu32 " (%s), thread block %" PRIu32 ": found %s",
                     s->name, w->out.path, w->kernel_count, w->kernel.name, w->block, fault);
}

struct put_context {
    struct binary_writer *writer;
    const struct source *source;
};

static bool put_inst(void *context, uint32_t warp, const struct inst *inst, struct error *err)
{
    struct put_context *c = context;
    const char *fault = encoder_put(c->writer->encoder, warp, inst);
    if (fault) return fault_error(c->writer, c->source, fault, err);
    digest_inst(&c->writer->digest, warp, inst);
    return !c->writer->pass || range_pass_inst(c->writer->pass, warp, inst, err);
}

static bool write_block(struct binary_writer *w, struct source *s, struct error *err)
{
    struct put_context context = {w, s};
    uint32_t warps = kernel_warps(&w->kernel);
    const char *fault = encoder_begin(w->encoder, &w->kernel);
    if (fault) return fault_error(w, s, fault, err);
    struct block_stream *block = s->ops->open_block(s, w->block, err);
    if (!block) return false;
    bool done = block_walk(s, block, warps, put_inst, &context, err);
    s->ops->close_block(block);
    if (!done) return false;
    fault = encoder_end(w->encoder);
    if (fault) return fault_error(w, s, fault, err);
    digest_block(&w->digest, warps);
    if (w->pass && !range_pass_block(w->pass, err)) return false;
    return !encoder_full(w->encoder) || write_chunk(w, err);
}

static void put_name(struct bytes *out, const char *name)
{
    bytes_varint(out, strlen(name));
    bytes_put(out, name, strlen(name));
}

static void put_kernel(struct binary_writer *w)
{
    const struct kernel_info *k = &w->kernel;
    put_name(&w->kernels, k->name);
    for (int i = 0; i < 3; i++) bytes_varint(&w->kernels, k->grid[i]);
    for (int i = 0; i < 3; i++) bytes_varint(&w->kernels, k->block[i]);
    bytes_varint(&w->kernels, k->regs_per_thread);
    bytes_varint(&w->kernels, k->shared_bytes);
    bytes_varint(&w->kernels, w->chunk_count);
    bytes_put(&w->kernels, w->chunks.data, w->chunks.size);
    w->chunks.size = 0;
    w->chunk_count = 0;
    w->kernel_count++;
}

static bool write_kernel(struct binary_writer *w, struct source *s, const struct trace_progress *progress,
                         struct error *err)
{
    const char *fault = kernel_fault(&w->kernel);
    w->block = 0;
    if (fault) return fault_error(w, s, fault, err);
    digest_kernel(&w->digest, &w->kernel);
    if (w->pass && !range_pass_kernel(w->pass, &w->kernel, err)) return false;
    for (; w->block < kernel_blocks(&w->kernel); w->block++) {
        if (!write_block(w, s, err)) return false;
        progress_step(progress, &w->kernel, w->block + 1);
    }
    if (encoder_blocks(w->encoder) && !write_chunk(w, err)) return false;
    if (w->pass && !write_ranges(w, err)) return false;
    put_kernel(w);
    return true;
}

static uint32_t version_of(const struct binary_writer *w, const struct source *s)
{
    return w->pass ? TRACE_VERSION_RANGES : trace_version(s);
}

static void put_directory(struct binary_writer *w, const struct source *s, struct bytes *raw)
{
    uint8_t identity[DIGEST_BYTES];
    char name[sizeof s->name]; /* in printable ASCII, as the format wants it */
    name_copy(name, sizeof name, s->name, strlen(s->name));
    digest_allocations(&w->digest, s);
    digest_finish(&w->digest, identity);
    put_name(raw, name);
    bytes_put(raw, identity, sizeof identity);
    bytes_varint(raw, s->allocation_count);
    for (uint32_t i = 0; i < s->allocation_count; i++) {
        put_name(raw, s->allocations[i].name);
        bytes_varint(raw, s->allocations[i].addr);
        bytes_varint(raw, s->allocations[i].bytes);
        if (version_of(w, s) >= TRACE_VERSION_PITCH) bytes_varint(raw, s->allocations[i].pitch);
    }
    bytes_varint(raw, w->kernel_count);
    bytes_put(raw, w->kernels.data, w->kernels.size);
    raw->failed |= w->kernels.failed || w->chunks.failed;
}

/* Writes the directory, then the header over the zeros at the start.  Only then does a reader accept the file. */
static bool write_directory(struct binary_writer *w, const struct source *s, struct error *err)
{
    struct bytes raw = {0}, header = {0};
    uint64_t offset = w->offset;
    put_directory(w, s, &raw);
    bool done = raw.failed || raw.size > BINARY_DIRECTORY_MAX
                    ? error_set(err, "%s: a directory of more than 16 MiB", w->out.path)
                    : pack(w, &raw, err) && write_bytes(w, w->packed.data, w->packed.size, err);
    bytes_put(&header, BINARY_MAGIC, 8);
    bytes_le(&header, version_of(w, s), 4);
    bytes_le(&header, 0, 4);
    bytes_le(&header, offset, 8);
    bytes_le(&header, w->packed.size, 8);
    bytes_le(&header, raw.size, 8);
    bytes_le(&header, done ? XXH3_64bits(w->packed.data, w->packed.size) : 0, 8);
    bytes_le(&header, w->offset, 8);
    bytes_le(&header, XXH3_64bits(header.data, header.size), 8);
    if (done && fseek(w->out.file, 0, SEEK_SET) != 0) done = output_error(&w->out, err);
    if (done) done = write_bytes(w, header.data, BINARY_HEADER, err);
    bytes_free(&raw);
    bytes_free(&header);
    return done;
}

static bool write_all(struct binary_writer *w, struct source *s, const struct trace_progress *progress,
                      struct error *err)
{
    static const uint8_t zeros[BINARY_HEADER];
    if (!write_bytes(w, zeros, sizeof zeros, err)) return false;
    for (;;) {
        enum source_status status = s->ops->next_kernel(s, &w->kernel, err);
        if (status == SOURCE_ERROR) return false;
        if (status == SOURCE_END) return write_directory(w, s, err);
        if (!write_kernel(w, s, progress, err)) return false;
    }
}

static bool write_file(struct binary_writer *w, struct source *s, const char *path,
                       const struct trace_progress *progress, struct error *err)
{
    bool done = output_open(&w->out, path, err) && write_all(w, s, progress, err) &&
                progress_accept(progress, s, err) && output_commit(&w->out, err);
    output_abandon(&w->out);
    return done;
}

static bool write_with(struct source *s, bool ranges, const char *path, const struct trace_progress *progress,
                       struct error *err)
{
    struct binary_writer w = {.encoder = encoder_new(false), .zstd = ZSTD_createCCtx()};
    bool done = digest_init(&w.digest) && w.encoder && w.zstd ? true : error_set(err, "%s: out of memory", path);
    if (done && ranges) done = (w.pass = range_pass_begin(s, &w.ranges, err)) != NULL;
    if (done) done = write_file(&w, s, path, progress, err);
    digest_free(&w.digest);
    ZSTD_freeCCtx(w.zstd);
    encoder_free(w.encoder);
    range_pass_free(w.pass);
    ranges_free(&w.ranges);
    bytes_free(&w.kernels);
    bytes_free(&w.chunks);
    bytes_free(&w.packed);
    return done;
}

bool binary_write(struct source *s, const char *path, const struct trace_progress *progress, struct error *err)
{
    return write_with(s, false, path, progress, err);
}

bool binary_write_ranges(struct source *s, const char *path, const struct trace_progress *progress, struct error *err)
{
    return write_with(s, true, path, progress, err);
}
