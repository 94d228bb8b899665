/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "trace/check.h"
#include "trace/tracez.h"

#define RECORD_BYTES 44u /* of a thread block in the index, without its warps */
#define TAIL_BYTES 8u

/* Reads forward from any byte of the file. */
struct input {
    uint64_t at; /* of buffer[end] */
    size_t begin, end;
    uint8_t buffer[16384];
};

struct place {
    uint32_t block;
    uint64_t record;
};

struct tracez {
    char *path;
    int fd;
    uint64_t size, header, index; /* of the file; of the header's text; where the index begins */
    ZSTD_DCtx *zstd;
    ZSTD_DDict *dictionary;
    struct place *places; /* of the thread blocks, sorted */
    uint32_t place_count;
    struct input records, data;
    /* what tracez_read() delivers next */
    enum { HEADER, WARPS, CHUNKS, FRAME, END } state;
    char text[160]; /* before anything of the state */
    size_t text_at, text_size;
    uint32_t block, warps, warp, chunks, chunk;
    uint32_t expected, newlines, left; /* of the chunk: instructions, newlines so far, bytes of the frame */
    bool any;                          /* the chunk has text */
};

static uint64_t input_at(const struct input *in)
{
    return in->at - (in->end - in->begin);
}

static void input_seek(struct input *in, uint64_t at)
{
    in->at = at;
    in->begin = in->end = 0;
}

static bool fault_at(const struct tracez *z, uint64_t byte, const char *fault, struct error *err)
{
    return error_set(err, "%s: byte %" PRIu64 ": %s", z->path, byte, fault);
}

/* False: the end of the file, or an error. */
static bool input_fill(const struct tracez *z, struct input *in, struct error *err)
{
    if (in->begin < in->end) return true;
    const ssize_t n = pread(z->fd, in->buffer, sizeof in->buffer, (off_t)in->at);
    if (n < 0) return error_set(err, "%s: %s", z->path, strerror(errno));
    in->begin = 0;
    in->end = (size_t)n;
    in->at += (uint64_t)n;
    return n != 0 || fault_at(z, in->at, "found the end of the file, expected more", err);
}

/* An unsigned number of so many bytes, the lowest first. */
static bool input_number(const struct tracez *z, struct input *in, int bytes, uint64_t *value, struct error *err)
{
    *value = 0;
    for (int i = 0; i < bytes; i++) {
        if (!input_fill(z, in, err)) return false;
        *value |= (uint64_t)in->buffer[in->begin++] << 8 * i;
    }
    return true;
}

static bool input_u32(const struct tracez *z, struct input *in, uint32_t *value, struct error *err)
{
    uint64_t wide;
    const bool done = input_number(z, in, 4, &wide, err);
    *value = (uint32_t)wide;
    return done;
}

/* Whether lines, each with its newline, and a NUL begin the file; none of them begins a thread block, as in a .traceg.
 */
static bool find_header(struct tracez *z)
{
    static const char begin[] = "\n#BEGIN_TB";
    struct error ignored = {0};
    uint8_t c, last = '\n';
    for (size_t same = 1; z->header < TRACEZ_HEADER && input_fill(z, &z->data, &ignored); z->header++, last = c) {
        c = z->data.buffer[z->data.begin++];
        if (c == '\0') return z->header && last == '\n';
        if (z->header == 0 && c != '-' && c != '#') return false;
        same = c == (uint8_t)begin[same] ? same + 1 : c == '\n';
        if (!begin[same]) return false;
    }
    return false;
}

static bool open_file(struct tracez *z, struct error *err)
{
    struct stat st;
    z->fd = open(z->path, O_RDONLY | O_CLOEXEC);
    if (z->fd < 0 || fstat(z->fd, &st) != 0) return error_set(err, "%s: cannot open: %s", z->path, strerror(errno));
    z->size = (uint64_t)st.st_size;
    return true;
}

bool tracez_open(const char *path, struct tracez **to, struct error *err)
{
    struct tracez *z = *to = calloc(1, sizeof *z);
    if (z) z->fd = -1;
    const bool room = z && (z->path = strdup(path)) && (z->zstd = ZSTD_createDCtx());
    const bool done = room ? open_file(z, err) : error_set(err, "%s: out of memory", path);
    if (done && find_header(z)) {
        input_seek(&z->data, 0);
        return true;
    }
    tracez_close(z);
    *to = NULL;
    return done;
}

void tracez_close(struct tracez *z)
{
    if (!z) return;
    if (z->fd >= 0) close(z->fd);
    ZSTD_freeDCtx(z->zstd);
    ZSTD_freeDDict(z->dictionary);
    free(z->places);
    free(z->path);
    free(z);
}

static bool read_dictionary(struct tracez *z, uint32_t bytes, struct error *err)
{
    uint8_t *data = malloc(bytes);
    const uint64_t at = input_at(&z->data);
    if (!data) return error_set(err, "%s: out of memory", z->path);
    bool done = true;
    for (uint32_t i = 0; done && i < bytes; i++) {
        done = input_fill(z, &z->data, err);
        if (done) data[i] = z->data.buffer[z->data.begin++];
    }
    if (done) z->dictionary = ZSTD_createDDict(data, bytes);
    free(data);
    if (done && !z->dictionary) return fault_at(z, at, "found a damaged zstd dictionary", err);
    return done;
}

/* All between header and chunks. */
static bool read_front(struct tracez *z, struct error *err)
{
    uint32_t bytes, advised;
    input_seek(&z->data, z->header + 1);
    if (!input_u32(z, &z->data, &bytes, err) || !input_u32(z, &z->data, &advised, err)) return false;
    if (bytes > TRACEZ_DICTIONARY)
        return fault_at(z, z->header + 1, "found a dictionary of more than 65536 bytes", err);
    if (bytes && !read_dictionary(z, bytes, err)) return false;
    ZSTD_DCtx_setParameter(z->zstd, ZSTD_d_windowLogMax, TRACEZ_CHUNK_LOG);
    ZSTD_DCtx_refDDict(z->zstd, z->dictionary);
    return true;
}

static bool find_index(struct tracez *z, struct error *err)
{
    const uint64_t first = input_at(&z->data);
    if (z->size < first + 4 + TAIL_BYTES)
        return fault_at(z, z->size, "found the end of the file, expected an index: it is truncated", err);
    input_seek(&z->records, z->size - TAIL_BYTES);
    if (!input_number(z, &z->records, TAIL_BYTES, &z->index, err)) return false;
    if (z->index < first || z->index > z->size - TAIL_BYTES - 4)
        return fault_at(z, z->size - TAIL_BYTES, "found a place outside the file, expected that of the index", err);
    input_seek(&z->records, z->index);
    return true;
}

/* Coordinates in the grid, and the seven numbers of the cluster. */
static bool read_place(struct tracez *z, const struct kernel_info *k, uint32_t *block, bool *inside, struct error *err)
{
    uint32_t at[10];
    for (int i = 0; i < 10; i++)
        if (!input_u32(z, &z->records, &at[i], err)) return false;
    *block = (at[2] * k->grid[1] + at[1]) * k->grid[0] + at[0];
    *inside = at[0] < k->grid[0] && at[1] < k->grid[1] && at[2] < k->grid[2];
    return true;
}

/* The chunks' instructions make up the warp's. */
static bool check_warp(struct tracez *z, struct error *err)
{
    uint32_t instructions, chunks, one;
    uint64_t place, sum = 0;
    const uint64_t at = input_at(&z->records);
    if (!input_u32(z, &z->records, &instructions, err) || !input_u32(z, &z->records, &chunks, err) ||
        !input_number(z, &z->records, 8, &place, err))
        return false;
    if (place <= z->header || place > z->index - 8)
        return fault_at(z, at + 8, "found a place outside the chunks, expected that of a warp", err);
    for (uint32_t i = 0; i < chunks; i++, sum += one)
        if (!input_u32(z, &z->records, &one, err)) return false;
    return sum == instructions || fault_at(z, at, "found chunks of more or fewer instructions than the warp", err);
}

static bool check_block(struct tracez *z, const struct kernel_info *k, struct place *place, struct error *err)
{
    uint32_t warps;
    bool inside;
    place->record = input_at(&z->records);
    if (!read_place(z, k, &place->block, &inside, err) || !input_u32(z, &z->records, &warps, err)) return false;
    if (!inside) return fault_at(z, place->record, "found a thread block outside, expected one within the grid", err);
    if (warps > kernel_warps(k))
        return fault_at(z, place->record + 40, "found more warps than a thread block has", err);
    for (uint32_t w = 0; w < warps; w++)
        if (!check_warp(z, err)) return false;
    return true;
}

static int by_block(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->block < y->block ? -1 : x->block > y->block;
}

static bool sort_places(struct tracez *z, struct error *err)
{
    qsort(z->places, z->place_count, sizeof *z->places, by_block);
    for (uint32_t i = 1; i < z->place_count; i++)
        if (z->places[i].block == z->places[i - 1].block)
            return fault_at(z, z->places[i].record, "found a thread block again, expected each once", err);
    return true;
}

bool tracez_index(struct tracez *z, const struct kernel_info *kernel, struct error *err)
{
    if (!read_front(z, err) || !find_index(z, err) || !input_u32(z, &z->records, &z->place_count, err)) return false;
    if (z->place_count > (z->size - z->index) / RECORD_BYTES || z->place_count > kernel_blocks(kernel))
        return fault_at(z, z->index, "found more thread blocks than the index or the grid can hold", err);
    z->places = malloc((z->place_count + 1u) * sizeof *z->places);
    if (!z->places) return error_set(err, "%s: out of memory", z->path);
    for (uint32_t i = 0; i < z->place_count; i++)
        if (!check_block(z, kernel, &z->places[i], err)) return false;
    const uint64_t end = input_at(&z->records);
    if (end != z->size - TAIL_BYTES) return fault_at(z, end, "found more than the thread blocks of the index", err);
    return sort_places(z, err);
}

bool tracez_block(struct tracez *z, uint32_t index, uint64_t *byte, struct error *err)
{
    const struct place key = {.block = index};
    const struct place *place = bsearch(&key, z->places, z->place_count, sizeof key, by_block);
    uint32_t number[11] = {0};
    z->state = WARPS;
    z->block = index;
    z->warps = z->warp = 0;
    z->text_at = z->text_size = 0;
    *byte = place ? place->record : 0;
    if (!place) return true;
    input_seek(&z->records, place->record);
    for (int i = 0; i < 11; i++)
        if (!input_u32(z, &z->records, &number[i], err)) return false;
    z->warps = number[10];
    z->text_size = (size_t)snprintf(z->text, sizeof z->text,
                                    "cluster id = %" PRIu32 ",%" PRIu32 ",%" PRIu32 "\ncluster cta = %" PRIu32
                                    ",%" PRIu32 ",%" PRIu32 "\ncluster rank = %" PRIu32 "\n",
                                    number[3], number[4], number[5], number[6], number[7], number[8], number[9]);
    return true;
}

static bool chunk_fault(const struct tracez *z, const char *fault, struct error *err)
{
    return error_set(err, "%s: byte %" PRIu64 ": thread block %" PRIu32 ", warp %" PRIu32 ", chunk %" PRIu32 ": %s",
                     z->path, input_at(&z->data), z->block, z->warp - 1, z->chunk, fault);
}

/* The record of the next warp, in the index and in front of its chunks, or the end of the thread block. */
static bool next_warp(struct tracez *z, struct error *err)
{
    uint32_t instructions, again[2];
    uint64_t place;
    z->text_at = 0;
    if (z->warp == z->warps) {
        z->text_size = (size_t)snprintf(z->text, sizeof z->text, "#END_TB\n");
        z->state = END;
        return true;
    }
    if (!input_u32(z, &z->records, &instructions, err) || !input_u32(z, &z->records, &z->chunks, err) ||
        !input_number(z, &z->records, 8, &place, err))
        return false;
    input_seek(&z->data, place);
    if (!input_u32(z, &z->data, &again[0], err) || !input_u32(z, &z->data, &again[1], err)) return false;
    z->text_size = (size_t)snprintf(z->text, sizeof z->text, "\nwarp = %" PRIu32 "\ninsts = %" PRIu32 "\n", z->warp++,
                                    instructions);
    z->chunk = 0;
    z->state = CHUNKS;
    return (again[0] == instructions && again[1] == z->chunks) ||
           chunk_fault(z, "found other counts of instructions and chunks than in the index", err);
}

static bool next_chunk(struct tracez *z, struct error *err)
{
    if (z->chunk == z->chunks) {
        z->state = WARPS;
        return true;
    }
    if (!input_u32(z, &z->records, &z->expected, err) || !input_u32(z, &z->data, &z->left, err)) return false;
    const uint64_t at = input_at(&z->data);
    if (at > z->index || z->left > z->index - at) return chunk_fault(z, "found a chunk that ends in the index", err);
    ZSTD_DCtx_reset(z->zstd, ZSTD_reset_session_only);
    z->newlines = 0;
    z->any = false;
    z->state = FRAME;
    return true;
}

static bool end_chunk(struct tracez *z, struct error *err)
{
    if (z->left) return chunk_fault(z, "found bytes after the zstd frame, expected the next chunk", err);
    if (z->newlines + z->any != z->expected)
        return chunk_fault(z, "found more or fewer lines than the index has instructions of it", err);
    z->text_at = 0;
    z->text_size = z->any;
    z->text[0] = '\n';
    z->chunk++;
    z->state = CHUNKS;
    return true;
}

static const char *frame_fault(size_t status)
{
    return ZSTD_getErrorCode(status) == ZSTD_error_frameParameter_windowTooLarge ? "found a chunk of more than 64 MiB"
                                                                                 : "the zstd frame is damaged";
}

/* Unpacks at least a byte of the chunk, or to its end. */
static bool unpack_frame(struct tracez *z, void *to, size_t size, size_t *n, struct error *err)
{
    ZSTD_outBuffer out = {to, size, 0};
    size_t status = 1;
    while (status && !out.pos) {
        if (z->left && !input_fill(z, &z->data, err)) return false;
        const size_t held = z->data.end - z->data.begin;
        ZSTD_inBuffer in = {z->data.buffer + z->data.begin, held < z->left ? held : z->left, 0};
        status = ZSTD_decompressStream(z->zstd, &out, &in);
        z->data.begin += in.pos;
        z->left -= (uint32_t)in.pos;
        if (ZSTD_isError(status)) return chunk_fault(z, frame_fault(status), err);
        if (status && !in.pos && !out.pos) return chunk_fault(z, "the zstd frame is truncated", err);
    }
    for (size_t i = 0; i < out.pos; i++) z->newlines += ((const char *)to)[i] == '\n';
    z->any |= out.pos != 0;
    *n = out.pos;
    return status || end_chunk(z, err);
}

static size_t copy_text(struct tracez *z, void *to, size_t size)
{
    const size_t left = z->text_size - z->text_at, n = left < size ? left : size;
    memcpy(to, z->text + z->text_at, n);
    z->text_at += n;
    return n;
}

static bool copy_header(struct tracez *z, void *to, size_t size, size_t *n, struct error *err)
{
    const uint64_t left = z->header - input_at(&z->data);
    if (left && !input_fill(z, &z->data, err)) return false;
    const size_t held = z->data.end - z->data.begin, most = held < size ? held : size;
    *n = most < left ? most : (size_t)left;
    memcpy(to, z->data.buffer + z->data.begin, *n);
    z->data.begin += *n;
    if (!*n) z->state = END;
    return true;
}

ssize_t tracez_read(void *context, void *to, size_t size, struct error *err)
{
    struct tracez *z = context;
    size_t n = 0;
    bool done = true;
    while (done && !n && (z->state != END || z->text_at < z->text_size)) {
        if (z->text_at < z->text_size)
            n = copy_text(z, to, size);
        else if (z->state == HEADER)
            done = copy_header(z, to, size, &n, err);
        else if (z->state == WARPS)
            done = next_warp(z, err);
        else if (z->state == CHUNKS)
            done = next_chunk(z, err);
        else
            done = unpack_frame(z, to, size, &n, err);
    }
    return done ? (ssize_t)n : -1;
}
