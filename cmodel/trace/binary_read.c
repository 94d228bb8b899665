/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of .mtt files.  Sizes come from the directory, which has a checksum.  A checksum is no signature, so each
 * size is bounded and compared with the file's length before use. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "trace/binary.h"
#include "trace/digest.h"
#include "trace/encoded.h"
#include "trace/ranges_file.h"

#define CACHED 4 /* chunks cached beside those that open blocks hold */

struct chunk_entry {
    uint64_t offset, checksum;
    uint32_t first_block, blocks, stored, raw;
};

struct kernel_entry {
    struct kernel_info info;
    uint32_t first_chunk, chunk_count;
    struct chunk_entry ranges; /* from version 3 on */
};

struct binary_source {
    struct source base;
    char *path;
    int fd;
    uint32_t version;
    uint64_t size;
    struct kernel_entry *kernels;
    struct chunk_entry *chunks;
    uint32_t kernel_count, chunk_total;
    uint32_t next; /* kernel that next_kernel returns */
    struct {
        struct chunk *chunk;
        uint32_t number;
        uint64_t used;
    } cache[CACHED];
    uint64_t clock; /* LRU order of the cache */
};

/* Fuzzing needs inputs that pass the checksums. */
static bool checksum_ok(uint64_t found, uint64_t expected)
{
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
    (void)found, (void)expected;
    return true;
#else
    return found == expected;
#endif
}

/* Reads `size` bytes at `offset` into new memory, freed by the caller. */
static uint8_t *read_at(struct binary_source *s, uint64_t offset, size_t size, struct error *err)
{
    uint8_t *data = malloc(size ? size : 1);
    size_t done = 0;
    ssize_t n = 1;
    while (data && done < size && n > 0) {
        n = pread(s->fd, data + done, size - done, (off_t)(offset + done));
        if (n > 0) done += (size_t)n;
    }
    if (data && done == size) return data;
    error_set(err, "%s: cannot read %zu bytes at byte %" PRIu64 ": %s", s->path, size, offset,
              n < 0 ? strerror(errno) : "file ends there");
    free(data);
    return NULL;
}

/* Decompresses `stored` bytes of zstd to exactly raw_size bytes in new memory; NULL and an error otherwise. */
static uint8_t *decompress(struct binary_source *s, const char *what, uint64_t offset, const uint8_t *data,
                           size_t stored, size_t raw_size, struct error *err)
{
    uint8_t *raw = malloc(raw_size);
    size_t n = raw ? ZSTD_decompress(raw, raw_size, data, stored) : 0;
    if (raw && n == raw_size) return raw;
    const char *fault = !raw              ? "out of memory"
                        : ZSTD_isError(n) ? ZSTD_getErrorName(n)
                                          : "found fewer bytes than the directory says";
    error_set(err, "%s: %s at byte %" PRIu64 " is damaged: %s", s->path, what, offset, fault);
    free(raw);
    return NULL;
}

/* Reads a part, named `what` in messages; compares its checksum; decompresses it unless it is stored raw. */
static bool unpack(struct binary_source *s, const char *what, uint64_t offset, uint64_t stored, uint64_t raw_size,
                   uint64_t checksum, struct bytes *raw, struct error *err)
{
    uint8_t *data = read_at(s, offset, stored, err);
    if (!data) return false;
    uint64_t found = XXH3_64bits(data, stored);
    bool sound = checksum_ok(found, checksum);
    if (!sound) {
        error_set(err, "%s: %s at byte %" PRIu64 " is damaged: found the checksum %016" PRIx64 ", expected %016" PRIx64,
                  s->path, what, offset, found, checksum);
    }
    uint8_t *unpacked = !sound               ? NULL
                        : stored == raw_size ? data
                                             : decompress(s, what, offset, data, stored, raw_size, err);
    if (unpacked != data) free(data);
    *raw = (struct bytes){.data = unpacked, .size = raw_size, .capacity = raw_size};
    return unpacked != NULL;
}

static void get_name(struct reader *r, char *name, size_t size)
{
    size_t length = reader_limited(r, size - 1);
    const uint8_t *from = reader_take(r, length);
    if (from) memcpy(name, from, length);
    name[from ? length : 0] = '\0';
    if (strlen(name) != length) r->bad = true;
}

static bool get_allocations(struct binary_source *s, struct reader *r, struct error *err)
{
    uint64_t n = reader_limited(r, TRACE_MAX_ALLOCATIONS);
    for (uint64_t i = 0; i < n && !r->bad; i++) {
        struct allocation a = {0};
        get_name(r, a.name, sizeof a.name);
        a.addr = reader_varint(r);
        a.bytes = reader_varint(r);
        if (s->version >= TRACE_VERSION_PITCH) a.pitch = reader_varint(r);
        if (!r->bad && !source_allocate(&s->base, &a, s->path, err)) return false;
    }
    return true;
}

static void get_kernel(struct reader *r, struct kernel_entry *k)
{
    memset(k, 0, sizeof *k);
    get_name(r, k->info.name, sizeof k->info.name);
    for (int i = 0; i < 3; i++) k->info.grid[i] = (uint32_t)reader_limited(r, UINT32_MAX);
    for (int i = 0; i < 3; i++) k->info.block[i] = (uint32_t)reader_limited(r, UINT32_MAX);
    k->info.regs_per_thread = (uint32_t)reader_limited(r, UINT32_MAX);
    k->info.shared_bytes = (uint32_t)reader_limited(r, UINT32_MAX);
    k->chunk_count = (uint32_t)reader_limited(r, UINT32_MAX);
}

#define CHUNK_ENTRY 11 /* minimum sizes in the directory, bytes */
#define KERNEL_ENTRY 10

static const char *get_place(struct binary_source *s, struct reader *r, struct chunk_entry *c, uint64_t *offset)
{
    c->stored = (uint32_t)reader_limited(r, CHUNK_MAX);
    c->raw = (uint32_t)reader_limited(r, CHUNK_MAX);
    c->checksum = reader_le(r, 8);
    c->offset = *offset;
    *offset += c->stored;
    if (r->bad) return "a chunk entry out of range";
    if (!c->stored || c->stored > c->raw) return "a chunk of no bytes, or that grew";
    return *offset > s->size ? "chunks beyond the file" : NULL;
}

/* The chunks of a kernel must hold exactly its thread blocks. */
static const char *get_chunks(struct binary_source *s, struct reader *r, struct kernel_entry *k, uint64_t *offset)
{
    if (k->chunk_count > (size_t)(r->end - r->at) / CHUNK_ENTRY) return "more chunks than fit";
    uint64_t total = (uint64_t)s->chunk_total + k->chunk_count, block = 0;
    struct chunk_entry *grown = realloc(s->chunks, total * sizeof *grown + 1);
    if (!grown) return "out of memory";
    s->chunks = grown;
    k->first_chunk = s->chunk_total;
    for (uint32_t i = 0; i < k->chunk_count; i++) {
        struct chunk_entry *c = &s->chunks[s->chunk_total++];
        c->first_block = (uint32_t)block;
        c->blocks = (uint32_t)reader_limited(r, TRACE_MAX_BLOCKS);
        block += c->blocks;
        const char *fault = get_place(s, r, c, offset);
        if (fault) return fault;
        if (!c->blocks) return "a chunk of no thread blocks";
        if (block > TRACE_MAX_BLOCKS) return "chunks beyond the grid";
    }
    return block == kernel_blocks(&k->info) ? NULL : "chunks for another number of thread blocks than the grid has";
}

static const char *get_kernels(struct binary_source *s, struct reader *r, uint64_t end)
{
    uint64_t n = reader_varint(r), offset = BINARY_HEADER;
    if (n > (size_t)(r->end - r->at) / KERNEL_ENTRY) return "more kernels than fit";
    s->kernels = calloc(n + 1, sizeof *s->kernels);
    if (!s->kernels) return "out of memory";
    for (; s->kernel_count < n; s->kernel_count++) {
        struct kernel_entry *k = &s->kernels[s->kernel_count];
        get_kernel(r, k);
        const char *fault = r->bad ? "a kernel cut short" : kernel_fault(&k->info);
        if (!fault) fault = get_chunks(s, r, k, &offset);
        if (!fault && s->version >= TRACE_VERSION_RANGES) fault = get_place(s, r, &k->ranges, &offset);
        if (fault) return fault;
    }
    if (r->bad || r->at != r->end) return "bytes after the last kernel";
    return offset == end ? NULL : "chunks that do not end where the directory begins";
}

static bool get_directory(struct binary_source *s, const struct bytes *raw, uint64_t offset, struct error *err)
{
    struct reader r = {raw->data, raw->data + raw->size, false};
    get_name(&r, s->base.name, sizeof s->base.name);
    const uint8_t *identity = reader_take(&r, DIGEST_BYTES);
    if (identity) digest_text(identity, s->base.identity);
    if (!get_allocations(s, &r, err)) return false;
    const char *fault = r.bad ? "an entry cut short" : name_fault(s->base.name);
    if (!fault) fault = get_kernels(s, &r, offset);
    if (!fault) return true;
    return error_set(err,
                     "%s: the directory at byte %" PRIu64 " is damaged: kernel %" PRIu32 ": found %s (byte %zu of it)",
                     s->path, offset, s->kernel_count, fault, (size_t)(r.at - raw->data));
}

static bool read_directory(struct binary_source *s, struct reader *header, struct error *err)
{
    uint64_t offset = reader_le(header, 8), stored = reader_le(header, 8), raw_size = reader_le(header, 8);
    uint64_t checksum = reader_le(header, 8), size = reader_le(header, 8);
    if (size != s->size) {
        return error_set(err, "%s: is %" PRIu64 " bytes long, expected %" PRIu64 ": %s", s->path, s->size, size,
                         s->size < size ? "the file is truncated" : "data follow its end");
    }
    if (offset < BINARY_HEADER || offset > size || stored != size - offset || stored > raw_size ||
        raw_size > BINARY_DIRECTORY_MAX) {
        return error_set(err,
                         "%s: the header puts a directory of %" PRIu64 " (raw %" PRIu64 ") bytes at byte %" PRIu64
                         ", expected it to end the file and to be at most 16 MiB",
                         s->path, stored, raw_size, offset);
    }
    struct bytes raw;
    if (!unpack(s, "the directory", offset, stored, raw_size, checksum, &raw, err)) return false;
    bool done = get_directory(s, &raw, offset, err);
    bytes_free(&raw);
    return done;
}

static bool read_header(struct binary_source *s, struct error *err)
{
    if (s->size < BINARY_HEADER) {
        return error_set(err, "%s: is %" PRIu64 " bytes long, expected at least the header's %u: the file is truncated",
                         s->path, s->size, BINARY_HEADER);
    }
    uint8_t *data = read_at(s, 0, BINARY_HEADER, err);
    if (!data) return false;
    struct reader r = {data + 8, data + BINARY_HEADER, false};
    uint32_t reserved;
    s->version = (uint32_t)reader_le(&r, 4), reserved = (uint32_t)reader_le(&r, 4);
    struct reader last = {data + BINARY_HEADER - 8, data + BINARY_HEADER, false};
    bool done = false;
    if (memcmp(data, BINARY_MAGIC, 8) != 0) {
        error_set(err, "%s: byte 0: no memtwin binary trace (other magic number), or one that was never finished",
                  s->path);
    } else if (s->version < TRACE_VERSION_FIRST || s->version > TRACE_VERSION_RANGES || reserved != 0) {
        error_set(err, "%s: byte 8: found version %" PRIu32 ".%" PRIu32 ", expected %u.0 to %u.0", s->path, s->version,
                  reserved, TRACE_VERSION_FIRST, TRACE_VERSION_RANGES);
    } else if (!checksum_ok(XXH3_64bits(data, BINARY_HEADER - 8), reader_le(&last, 8))) {
        error_set(err, "%s: byte 0: the header is damaged: its checksum is another", s->path);
    } else {
        done = read_directory(s, &r, err);
    }
    free(data);
    return done;
}

static enum source_status binary_next_kernel(struct source *source, struct kernel_info *info, struct error *err)
{
    struct binary_source *s = (struct binary_source *)source;
    (void)err;
    if (s->next == s->kernel_count) return SOURCE_END;
    *info = s->kernels[s->next++].info;
    return SOURCE_OK;
}

/* The chunk of the kernel that holds a block. */
static uint32_t find_chunk(const struct binary_source *s, const struct kernel_entry *k, uint32_t block)
{
    uint32_t low = k->first_chunk, high = k->first_chunk + k->chunk_count - 1;
    while (low < high) {
        uint32_t middle = high - (high - low) / 2;
        if (s->chunks[middle].first_block <= block) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

static struct chunk *load_chunk(struct binary_source *s, uint32_t number, struct error *err)
{
    const struct chunk_entry *c = &s->chunks[number];
    struct chunk_place place = {s->path, s->next - 1, c->offset, "byte"};
    struct bytes raw;
    char what[64];
    snprintf(what, sizeof what, "kernel %" PRIu32 ", the chunk of thread block %" PRIu32, s->next - 1, c->first_block);
    if (!unpack(s, what, c->offset, c->stored, c->raw, c->checksum, &raw, err)) return NULL;
    return chunk_parse(&raw, &s->kernels[s->next - 1].info, c->first_block, c->blocks, &place, err);
}

/* From the cache; on a miss, reads it and replaces the least recently used one. */
static struct chunk *get_chunk(struct binary_source *s, uint32_t number, struct error *err)
{
    int oldest = 0;
    for (int i = 0; i < CACHED; i++) {
        if (s->cache[i].chunk && s->cache[i].number == number) {
            s->cache[i].used = ++s->clock;
            return s->cache[i].chunk;
        }
        if (s->cache[i].used < s->cache[oldest].used) oldest = i;
    }
    struct chunk *chunk = load_chunk(s, number, err);
    if (!chunk) return NULL;
    chunk_release(s->cache[oldest].chunk);
    s->cache[oldest].chunk = chunk;
    s->cache[oldest].number = number;
    s->cache[oldest].used = ++s->clock;
    return chunk;
}

static struct block_stream *binary_open_block(struct source *source, uint32_t index, struct error *err)
{
    struct binary_source *s = (struct binary_source *)source;
    const struct kernel_entry *k = s->next ? &s->kernels[s->next - 1] : NULL;
    if (!k || index >= kernel_blocks(&k->info)) {
        error_set(err, "%s: there is no thread block %" PRIu32 " in kernel %" PRId64, s->path, index,
                  (int64_t)s->next - 1);
        return NULL;
    }
    struct chunk *chunk = get_chunk(s, find_chunk(s, k, index), err);
    return chunk ? chunk_open_block(chunk, index, err) : NULL;
}

static bool get_ranges(struct binary_source *s, uint32_t kernel, struct ranges *to, struct error *err)
{
    const struct chunk_entry *c = &s->kernels[kernel].ranges;
    struct bytes raw;
    char what[64];
    snprintf(what, sizeof what, "kernel %" PRIu32 ", the chunk of ranges", kernel);
    if (!unpack(s, what, c->offset, c->stored, c->raw, c->checksum, &raw, err)) return false;
    struct reader r = {raw.data, raw.data + raw.size, false};
    const char *fault = ranges_decode(to, &s->kernels[kernel].info, &r, err);
    if (fault)
        error_set(err, "%s: %s at byte %" PRIu64 " is damaged: found %s (byte %zu of it)", s->path, what, c->offset,
                  fault, (size_t)(r.at - raw.data));
    bytes_free(&raw);
    return !fault;
}

static bool binary_ranges(struct source *source, struct ranges *to, struct error *err)
{
    struct binary_source *s = (struct binary_source *)source;
    bool ok = ranges_begin(to, source, err);
    for (uint32_t k = 0; ok && k < s->kernel_count; k++) ok = get_ranges(s, k, to, err);
    return ok;
}

static void binary_close(struct source *source)
{
    struct binary_source *s = (struct binary_source *)source;
    for (int i = 0; i < CACHED; i++) chunk_release(s->cache[i].chunk);
    if (s->fd >= 0) close(s->fd);
    free(s->base.allocations);
    free(s->kernels);
    free(s->chunks);
    free(s->path);
    free(s);
}

static const struct source_ops binary_ops = {binary_next_kernel, binary_open_block, chunk_next_inst, chunk_close_block,
                                             binary_close,       chunk_reader,      chunk_next_heads};

struct source *binary_open(const char *path, struct error *err)
{
    struct binary_source *s = calloc(1, sizeof *s);
    if (!s || !(s->path = strdup(path))) {
        error_set(err, "%s: out of memory", path);
        free(s);
        return NULL;
    }
    struct stat st = {0};
    s->base.ops = &binary_ops;
    s->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0 || fstat(s->fd, &st) != 0) {
        error_set(err, "%s: cannot open: %s", path, strerror(errno));
    } else {
        s->size = (uint64_t)st.st_size;
        const bool ok = read_header(s, err);
        if (s->version >= TRACE_VERSION_RANGES) s->base.read_ranges = binary_ranges;
        if (ok) return &s->base;
    }
    binary_close(&s->base);
    return NULL;
}
