/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/unpack.h"

#include <errno.h>
#include <lzma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define XZ_MEMORY (256u << 20)
#define OTHERS ", expected text: plain, or packed by xz, gzip or zstd"

struct output {
    uint8_t *to;
    size_t size;
};

struct format {
    const char *magic;
    size_t bytes;
    const char *unread; /* the fault, if the format is not read */
    bool (*start)(struct unpack *u);
    /* Unpacks from the input as much as fits, and sets `inside`; NULL, or a fault. */
    const char *(*step)(struct unpack *u, struct output *out);
    void (*end)(struct unpack *u);
    const char *truncated;
};

struct unpack {
    const struct format *format;
    int fd;
    bool ended;  /* the file */
    bool inside; /* a stream that has not ended */
    const uint8_t *at;
    size_t left; /* at `at`, of the input */
    union {
        lzma_stream lzma;
        z_stream gzip;
        ZSTD_DStream *zstd;
    };
    uint8_t input[16384];
};

static bool xz_start(struct unpack *u)
{
    u->lzma = (lzma_stream)LZMA_STREAM_INIT;
    return lzma_stream_decoder(&u->lzma, XZ_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
}

static const char *xz_fault(lzma_ret ret)
{
    switch (ret) {
    case LZMA_MEMLIMIT_ERROR:
        return "the xz stream needs more than 256 MiB to decode";
    case LZMA_BUF_ERROR:
        return "the xz stream is truncated";
    case LZMA_MEM_ERROR:
        return "out of memory for the xz decoder";
    default:
        return "the xz stream is damaged";
    }
}

static const char *xz_step(struct unpack *u, struct output *out)
{
    u->lzma.next_in = u->at;
    u->lzma.avail_in = u->left;
    u->lzma.next_out = out->to;
    u->lzma.avail_out = out->size;
    const lzma_ret ret = lzma_code(&u->lzma, u->ended ? LZMA_FINISH : LZMA_RUN);
    u->at = u->lzma.next_in;
    u->left = u->lzma.avail_in;
    *out = (struct output){u->lzma.next_out, u->lzma.avail_out};
    u->inside = ret != LZMA_STREAM_END;
    return ret == LZMA_OK || ret == LZMA_STREAM_END ? NULL : xz_fault(ret);
}

static void xz_end(struct unpack *u)
{
    lzma_end(&u->lzma);
}

static bool gzip_start(struct unpack *u)
{
    u->gzip = (z_stream){0};
    return inflateInit2(&u->gzip, 16 + MAX_WBITS) == Z_OK; /* 16: gzip's header */
}

static const char *gzip_step(struct unpack *u, struct output *out)
{
    if (!u->inside && inflateReset(&u->gzip) != Z_OK) return "the gzip decoder cannot restart";
    u->gzip.next_in = (Bytef *)u->at;
    u->gzip.avail_in = (uInt)u->left;
    u->gzip.next_out = out->to;
    u->gzip.avail_out = (uInt)out->size;
    const int ret = inflate(&u->gzip, Z_NO_FLUSH);
    u->at = u->gzip.next_in;
    u->left = u->gzip.avail_in;
    *out = (struct output){u->gzip.next_out, u->gzip.avail_out};
    u->inside = ret != Z_STREAM_END;
    if (ret == Z_MEM_ERROR) return "out of memory for the gzip decoder";
    return ret == Z_OK || ret == Z_STREAM_END || ret == Z_BUF_ERROR ? NULL : "the gzip stream is damaged";
}

static void gzip_end(struct unpack *u)
{
    inflateEnd(&u->gzip);
}

static bool zstd_start(struct unpack *u)
{
    return (u->zstd = ZSTD_createDStream()) != NULL;
}

static const char *zstd_step(struct unpack *u, struct output *out)
{
    ZSTD_inBuffer in = {u->at, u->left, 0};
    ZSTD_outBuffer to = {out->to, out->size, 0};
    const size_t ret = ZSTD_decompressStream(u->zstd, &to, &in);
    u->at += in.pos;
    u->left -= in.pos;
    *out = (struct output){out->to + to.pos, out->size - to.pos};
    u->inside = ret != 0;
    return ZSTD_isError(ret) ? "the zstd stream is damaged" : NULL;
}

static void zstd_end(struct unpack *u)
{
    ZSTD_freeDStream(u->zstd);
}

static const struct format formats[] = {
    {"\xfd"
     "7zXZ\0",
     6, NULL, xz_start, xz_step, xz_end, "the xz stream is truncated"},
    {"\x1f\x8b", 2, NULL, gzip_start, gzip_step, gzip_end, "the gzip stream is truncated"},
    {"\x28\xb5\x2f\xfd", 4, NULL, zstd_start, zstd_step, zstd_end, "the zstd stream is truncated"},
    {.magic = "BZh", .bytes = 3, .unread = "found bzip2" OTHERS},
    {.magic = "\x04\x22\x4d\x18", .bytes = 4, .unread = "found lz4" OTHERS},
    {.magic = "PK\x03\x04", .bytes = 4, .unread = "found a zip archive" OTHERS},
    {.magic = "7z\xbc\xaf\x27\x1c", .bytes = 6, .unread = "found a 7-Zip archive" OTHERS},
    {.magic = "\xff\xfe", .bytes = 2, .unread = "found UTF-16, expected UTF-8 or ASCII"},
    {.magic = "\xfe\xff", .bytes = 2, .unread = "found UTF-16, expected UTF-8 or ASCII"},
};

static const struct format *find_format(int fd)
{
    uint8_t magic[6];
    const ssize_t n = pread(fd, magic, sizeof magic, 0);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (n >= (ssize_t)formats[i].bytes && !memcmp(magic, formats[i].magic, formats[i].bytes)) return &formats[i];
    return NULL;
}

struct unpack *unpack_open(int fd, const char **fault)
{
    const struct format *format = find_format(fd);
    *fault = format ? format->unread : NULL;
    if (!format || *fault) return NULL;
    struct unpack *u = malloc(sizeof *u);
    if (u) memset(u, 0, offsetof(struct unpack, input));
    if (u && format->start(u)) {
        u->format = format;
        u->fd = fd;
        return u;
    }
    free(u);
    *fault = "out of memory for a decoder";
    return NULL;
}

void unpack_close(struct unpack *u)
{
    if (!u) return;
    u->format->end(u);
    free(u);
}

static const char *more_input(struct unpack *u)
{
    const ssize_t n = read(u->fd, u->input, sizeof u->input);
    if (n < 0) return strerror(errno);
    u->at = u->input;
    u->left = (size_t)n;
    u->ended = n == 0;
    return NULL;
}

ssize_t unpack_read(struct unpack *u, void *to, size_t size, const char **fault)
{
    struct output out = {to, size};
    *fault = NULL;
    while (!*fault && out.size == size) {
        if (!u->left && !u->ended) *fault = more_input(u);
        if (u->ended && !u->inside) return 0;
        const size_t left = u->left;
        if (!*fault) *fault = u->format->step(u, &out);
        const bool moved = u->left != left || out.size != size;
        if (!*fault && u->ended && u->inside && !moved) *fault = u->format->truncated;
    }
    return *fault ? -1 : (ssize_t)(size - out.size);
}
