/* SPDX-License-Identifier: Apache-2.0 */
/* Compact encoding of instruction streams: the content of a chunk of a binary trace, and of any open block in memory.
 *
 * A chunk is a table of templates (all fields of an instruction but mask and addresses) and a byte string per thread
 * block and warp.  An instruction is a template number relative to the previous one, the mask if it changed, and the
 * addresses: a base relative to the last one of the same template, with a stride or differences.  traces/README.md
 * defines the layout.
 * */
#ifndef MEMTWIN_ENCODED_H
#define MEMTWIN_ENCODED_H
#include "trace/bytes.h"
#include "trace/pattern.h"
#include "trace/source.h"

#define CHUNK_TARGET (256u << 10) /* raw size at which a writer closes a chunk */
#define CHUNK_MAX (128u << 20)    /* maximum raw size of a chunk, and so of a thread block */
#define CHUNK_TEMPLATES 65536u    /* maximum per chunk */

struct encoder;
/* For blocks that encoder_open() opens, or for chunks that encoder_take() returns.  NULL: out of memory. */
struct encoder *encoder_new(bool in_memory);
void encoder_free(struct encoder *e);

/* Takes blocks in order, the warps of a block in any interleaving.  Every warp must end with an INST_EXIT.  Returns
 * NULL or an error text: an instruction against source.h, a block beyond CHUNK_MAX, out of memory. */
const char *encoder_begin(struct encoder *e, const struct kernel_info *kernel);
const char *encoder_put(struct encoder *e, uint32_t warp, const struct inst *inst);

/* All of an instruction but its mask and addresses, as the encoder knows it until its chunk is taken. */
struct encoder_template {
    uint64_t chunk; /* all zero: of none */
    uint32_t number;
};
uint64_t encoder_chunk(const struct encoder *e); /* that is being encoded */

/* Like encoder_put(), with the addresses in `pattern` and not in the instruction. */
const char *encoder_put_pattern(struct encoder *e, uint32_t warp, const struct inst *inst,
                                const struct pattern *pattern, struct encoder_template *template);
/* Puts an instruction of the same template again.  It must be of this chunk. */
const char *encoder_repeat(struct encoder *e, uint32_t warp, const struct encoder_template *template, uint32_t mask,
                           const struct pattern *pattern);
const char *encoder_end(struct encoder *e);

/* Where a warp is. */
struct encoder_place {
    uint64_t chunk; /* 0: nowhere */
    size_t size;    /* bytes so far */
    uint32_t next, mask, lanes, ended;
};
struct encoder_place encoder_place(const struct encoder *e, uint32_t warp);

/* Whether the same instructions have the same code at both places, unless they access memory. */
static inline bool encoder_place_same(const struct encoder_place *a, const struct encoder_place *b)
{
    return a->next == b->next && a->mask == b->mask && a->lanes == b->lanes && a->ended == b->ended &&
           a->chunk == b->chunk;
}

/* The code of instructions that follow one another and access no memory. */
#define RUN_CODE 64
struct encoder_run {
    struct encoder_place from, to;
    uint8_t code[RUN_CODE];
};
/* Output of the warp since then; false: too much. */
bool encoder_run(const struct encoder *e, uint32_t warp, const struct encoder_place *from, struct encoder_run *run);
/* Whether there is room for a run: then encoder_put_run() may follow, at a place that is the same. */
bool encoder_has_room(struct encoder *e, uint32_t warp);
void encoder_put_run(struct encoder *e, uint32_t warp, const struct encoder_run *run);

bool encoder_full(const struct encoder *e); /* the chunk should be taken: about CHUNK_TARGET bytes, or half of
                                             * CHUNK_TEMPLATES */
uint32_t encoder_blocks(const struct encoder *e);

/* Returns the raw chunk of all finished blocks in new memory and empties the encoder. */
const char *encoder_take(struct encoder *e, struct bytes *raw);

/* Begins a new table of templates: after the blocks of a kernel were opened. */
void encoder_restart(struct encoder *e);

/* Origin of a chunk, for messages; `file` must outlive the chunk. */
struct chunk_place {
    const char *file;
    uint32_t kernel;  /* from 0 */
    uint64_t offset;  /* of the chunk in the file, or of the block's first line */
    const char *unit; /* "byte" or "line" of `offset` */
};

struct chunk;
/* Always takes ownership of raw.data.  NULL and an error if the bytes are not a chunk of `blocks` thread blocks;
 * `first` is the index of the first. */
struct chunk *chunk_parse(struct bytes *raw, const struct kernel_info *kernel, uint32_t first, uint32_t blocks,
                          const struct chunk_place *place, struct error *err);
void chunk_retain(struct chunk *c);
void chunk_release(struct chunk *c);

/* The functions of struct source_ops for a thread block of a chunk; the stream holds a reference to the chunk. */
struct block_stream *chunk_open_block(struct chunk *c, uint32_t index, struct error *err);
enum source_status chunk_next_inst(struct block_stream *b, uint32_t warp, struct inst *inst, struct error *err);
const uint8_t *const *chunk_reader(const struct block_stream *b, uint32_t warp);
uint32_t chunk_next_heads(struct block_stream *b, uint32_t warp, const struct inst_head **heads, uint32_t *mask);
void chunk_close_block(struct block_stream *b);

/* Instead of encoder_end(): opens the block that was put, the only one.  Later blocks share its templates.  Returns
 * NULL or an error text. */
const char *encoder_open(struct encoder *e, uint32_t index, const struct chunk_place *place,
                         struct block_stream **stream);
#endif
