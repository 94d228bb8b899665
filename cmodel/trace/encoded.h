/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction streams in few bytes: what a chunk of a binary trace holds, and what an open block of any file is kept
 * as.
 *
 * A chunk is a table of templates (everything about an instruction but its mask and addresses) and, per thread block
 * and warp, a byte string: a template number relative to the one before, the mask if it changed, and the addresses as a
 * base against the last one at the same template with a stride or with differences.  traces/README.md has the layout.
 */
#ifndef MEMTWIN_ENCODED_H
#define MEMTWIN_ENCODED_H
#include "trace/bytes.h"
#include "trace/source.h"

#define CHUNK_TARGET (256u << 10) /* raw bytes at which a writer closes a chunk */
#define CHUNK_MAX (128u << 20)    /* raw bytes: no chunk is larger, so no thread block is */
#define CHUNK_TEMPLATES 65536u    /* at most, in one chunk */

struct encoder;
struct encoder *encoder_new(void); /* NULL: out of memory */
void encoder_free(struct encoder *e);

/* Blocks one after the other, the warps of one in any interleaving. Every warp has to end with an INST_EXIT. A fault
 * (an instruction that does not keep source.h's promises, a block beyond CHUNK_MAX, out of memory) is returned in
 * words. */
const char *encoder_begin(struct encoder *e, const struct kernel_info *kernel);
const char *encoder_put(struct encoder *e, uint32_t warp, const struct inst *inst);
const char *encoder_end(struct encoder *e);

bool encoder_full(const struct encoder *e); /* time for encoder_take: about CHUNK_TARGET, or half of CHUNK_TEMPLATES */
uint32_t encoder_blocks(const struct encoder *e);

/* The raw chunk of all finished blocks, in new memory; the encoder is empty afterwards. */
const char *encoder_take(struct encoder *e, struct bytes *raw);

/* Where a chunk came from, for messages; `file` must outlive the chunk. */
struct chunk_place {
    const char *file;
    uint32_t kernel;  /* from 0 */
    uint64_t offset;  /* of the chunk in the file, or of the block's first line */
    const char *unit; /* "byte" or "line" of `offset` */
};

struct chunk;
/* Takes over raw.data in any case. NULL and an error if the bytes are no chunk of `blocks` thread blocks; `first` is
 * the first's index. */
struct chunk *chunk_parse(struct bytes *raw, const struct kernel_info *kernel, uint32_t first, uint32_t blocks,
                          const struct chunk_place *place, struct error *err);
void chunk_retain(struct chunk *c);
void chunk_release(struct chunk *c);

/* The functions of struct source_ops for a thread block of a chunk; the stream retains the chunk. */
struct block_stream *chunk_open_block(struct chunk *c, uint32_t index, struct error *err);
enum source_status chunk_next_inst(struct block_stream *b, uint32_t warp, struct inst *inst, struct error *err);
void chunk_close_block(struct block_stream *b);
#endif
