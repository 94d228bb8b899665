/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/pack.h"

#include <errno.h>
#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#define XZ_LEVEL 1 /* as the tracer's */
#define GZIP_LEVEL 6
#define ZSTD_LEVEL 3

const char *const pack_name[PACKS] = {"none", "xz", "gzip", "zstd"};
const char *const pack_suffix[PACKS] = {"", ".xz", ".gz", ".zst"};

struct packer {
    FILE *to;
    enum pack pack;
    union {
        lzma_stream lzma;
        z_stream gzip;
        ZSTD_CStream *zstd;
    };
    uint8_t output[16384];
};

/* Input that is left, and bytes of the output. */
struct step {
    const uint8_t *at;
    size_t left, made;
};

/* Each packs from the input as much as fits.  1: more output may follow; 0: nothing is held back; -1: failed. */
static int step_xz(struct packer *p, struct step *s, bool end)
{
    p->lzma.next_in = s->at;
    p->lzma.avail_in = s->left;
    p->lzma.next_out = p->output;
    p->lzma.avail_out = sizeof p->output;
    const lzma_ret ret = lzma_code(&p->lzma, end ? LZMA_FINISH : LZMA_RUN);
    *s = (struct step){p->lzma.next_in, p->lzma.avail_in, sizeof p->output - p->lzma.avail_out};
    if (ret != LZMA_OK && ret != LZMA_STREAM_END) return -1;
    return end ? ret != LZMA_STREAM_END : s->left != 0;
}

static int step_gzip(struct packer *p, struct step *s, bool end)
{
    p->gzip.next_in = (Bytef *)s->at;
    p->gzip.avail_in = (uInt)s->left;
    p->gzip.next_out = p->output;
    p->gzip.avail_out = sizeof p->output;
    const int ret = deflate(&p->gzip, end ? Z_FINISH : Z_NO_FLUSH);
    *s = (struct step){p->gzip.next_in, p->gzip.avail_in, sizeof p->output - p->gzip.avail_out};
    if (ret != Z_OK && ret != Z_STREAM_END) return -1;
    return end ? ret != Z_STREAM_END : s->left != 0;
}

static int step_zstd(struct packer *p, struct step *s, bool end)
{
    ZSTD_inBuffer in = {s->at, s->left, 0};
    ZSTD_outBuffer out = {p->output, sizeof p->output, 0};
    const size_t ret = ZSTD_compressStream2(p->zstd, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
    *s = (struct step){s->at + in.pos, s->left - in.pos, out.pos};
    if (ZSTD_isError(ret)) return -1;
    return end ? ret != 0 : s->left != 0;
}

static bool run(struct packer *p, const char *text, size_t size, bool end)
{
    static int (*const step[PACKS])(struct packer *, struct step *,
                                    bool) = {[PACK_XZ] = step_xz, [PACK_GZIP] = step_gzip, [PACK_ZSTD] = step_zstd};
    struct step s = {(const uint8_t *)text, size, 0};
    int more = 1;
    while (more == 1) {
        more = step[p->pack](p, &s, end);
        if (more < 0) errno = ENOMEM;
        if (more >= 0 && fwrite(p->output, 1, s.made, p->to) != s.made) return false;
    }
    return more == 0;
}

static ssize_t write_text(void *cookie, const char *text, size_t size)
{
    return run(cookie, text, size, false) ? (ssize_t)size : 0;
}

static bool begin(struct packer *p)
{
    if (p->pack == PACK_XZ) {
        p->lzma = (lzma_stream)LZMA_STREAM_INIT;
        return lzma_easy_encoder(&p->lzma, XZ_LEVEL, LZMA_CHECK_CRC32) == LZMA_OK;
    }
    if (p->pack == PACK_GZIP)
        return deflateInit2(&p->gzip, GZIP_LEVEL, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK;
    p->zstd = ZSTD_createCStream();
    return p->zstd && !ZSTD_isError(ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL));
}

static void finish(struct packer *p)
{
    if (p->pack == PACK_XZ) lzma_end(&p->lzma);
    if (p->pack == PACK_GZIP) deflateEnd(&p->gzip);
    if (p->pack == PACK_ZSTD) ZSTD_freeCStream(p->zstd);
    free(p);
}

static int close_text(void *cookie)
{
    const bool done = run(cookie, NULL, 0, true);
    finish(cookie);
    return done ? 0 : -1;
}

FILE *pack_open(FILE *to, enum pack pack)
{
    struct packer *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->to = to;
    p->pack = pack;
    FILE *text =
        begin(p) ? fopencookie(p, "w", (cookie_io_functions_t){.write = write_text, .close = close_text}) : NULL;
    if (!text) finish(p);
    return text;
}
