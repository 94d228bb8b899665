/* SPDX-License-Identifier: Apache-2.0 */
/* .tracez: a kernel's trace as Accel-Sim 2.0 packs it, each warp in chunks of one zstd frame, with an index of the
 * thread blocks.  traces/README.md defines the bytes.  Read, it is text, as in a .traceg. */
#ifndef MEMTWIN_TRACEZ_H
#define MEMTWIN_TRACEZ_H
#include <stdio.h>

#include "trace/lines.h"

#define TRACEZ_CHUNK_LOG 26       /* a chunk has at most 64 MiB of text */
#define TRACEZ_DICTIONARY 65536u  /* maximum, bytes */
#define TRACEZ_HEADER (1u << 20)  /* maximum, bytes */
#define TRACEZ_INSTRUCTIONS 2048u /* of a chunk that is written */

struct tracez;

/* *z: NULL if the file is no .tracez.  False and an error. */
bool tracez_open(const char *path, struct tracez **z, struct error *err);
void tracez_close(struct tracez *z);

/* A lines_reader with a struct tracez as context.  Delivers the header, and after tracez_block() the lines of a thread
 * block from behind "thread block = x,y,z" on. */
ssize_t tracez_read(void *context, void *to, size_t size, struct error *err);
/* Reads and checks the index, once the header is known.  Memory: 16 bytes for each thread block in the file. */
bool tracez_index(struct tracez *z, const struct kernel_info *kernel, struct error *err);
/* Selects a thread block.  A block that is not in the file has no warps.  *byte: its place in the file, 0: none. */
bool tracez_block(struct tracez *z, uint32_t index, uint64_t *byte, struct error *err);

/* Writing: after the header's text.  The caller prints the lines of each warp, in order. */
struct tracez_writer {
    FILE *to, *index; /* the index's records, in a temporary file until the end */
    FILE *lines;      /* of the current chunk, each with its newline */
    char *text;
    size_t size;
    struct ZSTD_CCtx_s *zstd;
    struct ZSTD_CDict_s *dictionary; /* NULL before the first chunk */
    uint64_t instructions, left;     /* of the warp */
    uint32_t chunks;                 /* of the warp; 0: its record is written */
    uint32_t blocks, count;          /* count: lines of the chunk */
    const char *fault;
};
bool tracez_write_begin(struct tracez_writer *w, FILE *to);
void tracez_write_block(struct tracez_writer *w, const uint32_t at[3], uint32_t warps);
void tracez_write_warp(struct tracez_writer *w, uint64_t instructions);
void tracez_write_line(struct tracez_writer *w); /* after it was printed to `lines` */
/* Writes the index.  NULL, or the first fault; those of `to` are in ferror(). */
const char *tracez_write_end(struct tracez_writer *w);
void tracez_write_free(struct tracez_writer *w);
#endif
