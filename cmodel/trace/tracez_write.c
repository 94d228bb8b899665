/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "trace/bytes.h"
#include "trace/tracez.h"

#define LEVEL 3

static void put(FILE *to, uint64_t value, int bytes)
{
    uint8_t raw[8];
    write_le(raw, value, bytes);
    fwrite(raw, 1, (size_t)bytes, to);
}

static uint64_t here(FILE *to)
{
    return (uint64_t)ftello(to);
}

bool tracez_write_begin(struct tracez_writer *w, FILE *to)
{
    *w = (struct tracez_writer){.to = to, .index = tmpfile(), .zstd = ZSTD_createCCtx()};
    w->lines = open_memstream(&w->text, &w->size);
    return w->index && w->zstd && w->lines;
}

/* All between the header's text and the chunks.  The first chunk's text is the dictionary: most warps repeat it. */
static void write_front(struct tracez_writer *w)
{
    const size_t bytes = w->size < TRACEZ_DICTIONARY ? w->size : TRACEZ_DICTIONARY;
    w->dictionary = ZSTD_createCDict(w->text, bytes, LEVEL);
    if (!w->dictionary) w->fault = "out of memory";
    putc('\0', w->to);
    put(w->to, bytes, 4);
    put(w->to, TRACEZ_INSTRUCTIONS, 4);
    fwrite(w->text, 1, bytes, w->to);
}

void tracez_write_block(struct tracez_writer *w, const uint32_t at[3], uint32_t warps)
{
    w->blocks++;
    for (int i = 0; i < 3; i++) put(w->index, at[i], 4);
    for (int i = 0; i < 3; i++) put(w->index, at[i], 4); /* a cluster of its own */
    for (int i = 0; i < 4; i++) put(w->index, 0, 4);
    put(w->index, warps, 4);
}

void tracez_write_warp(struct tracez_writer *w, uint64_t instructions)
{
    const uint64_t chunks = (instructions + TRACEZ_INSTRUCTIONS - 1) / TRACEZ_INSTRUCTIONS;
    if (instructions > UINT32_MAX) w->fault = "found a warp of 2^32 instructions or more, which a .tracez cannot hold";
    w->instructions = w->left = instructions;
    w->chunks = (uint32_t)chunks;
}

/* In the index and in front of the warp's chunks. */
static void write_record(struct tracez_writer *w)
{
    put(w->index, w->instructions, 4);
    put(w->index, w->chunks, 4);
    put(w->index, here(w->to), 8);
    put(w->to, w->instructions, 4);
    put(w->to, w->chunks, 4);
    w->chunks = 0;
}

static void write_chunk(struct tracez_writer *w)
{
    if (fflush(w->lines) != 0) w->fault = "out of memory";
    if (w->fault) return;
    if (!w->dictionary) write_front(w);
    if (w->chunks) write_record(w);
    const size_t room = ZSTD_compressBound(w->size);
    uint8_t *packed = w->fault ? NULL : malloc(room);
    const size_t n = packed ? ZSTD_compress_usingCDict(w->zstd, packed, room, w->text, w->size - 1, w->dictionary) : 0;
    if (!packed || ZSTD_isError(n)) {
        w->fault = "out of memory";
    } else {
        put(w->to, n, 4);
        fwrite(packed, 1, n, w->to);
    }
    free(packed);
    put(w->index, w->count, 4);
    w->count = 0;
    rewind(w->lines);
}

void tracez_write_line(struct tracez_writer *w)
{
    w->left--;
    w->count++;
    if (!w->left || w->count == TRACEZ_INSTRUCTIONS) write_chunk(w);
}

const char *tracez_write_end(struct tracez_writer *w)
{
    char piece[4096];
    const uint64_t index = here(w->to);
    put(w->to, w->blocks, 4);
    if (fflush(w->index) != 0 || ferror(w->index)) w->fault = "cannot write a temporary file";
    rewind(w->index);
    for (size_t n; (n = fread(piece, 1, sizeof piece, w->index)) > 0;) fwrite(piece, 1, n, w->to);
    put(w->to, index, 8);
    return w->fault;
}

void tracez_write_free(struct tracez_writer *w)
{
    if (w->lines) fclose(w->lines);
    if (w->index) fclose(w->index);
    ZSTD_freeCCtx(w->zstd);
    ZSTD_freeCDict(w->dictionary);
    free(w->text);
    *w = (struct tracez_writer){0};
}
