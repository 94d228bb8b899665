/* SPDX-License-Identifier: Apache-2.0 */
/* Identity of a workload: a 128-bit digest of its allocations, kernels and instructions, independent of the file
 * format.  Instructions of a warp are hashed in order, the warps of a block separately, so that any interleaving
 * gives the same digest.  Blocks are hashed in index order. */
#ifndef MEMTWIN_DIGEST_H
#define MEMTWIN_DIGEST_H
#include <xxhash.h>

#include "trace/check.h"

#define DIGEST_BYTES 16

struct digest {
    XXH3_state_t *state;
    uint64_t warp[TRACE_MAX_WARPS];
};

bool digest_init(struct digest *d); /* false: out of memory */
void digest_free(struct digest *d);
void digest_allocations(struct digest *d, const struct source *source);
void digest_kernel(struct digest *d, const struct kernel_info *kernel);
void digest_inst(struct digest *d, uint32_t warp, const struct inst *inst);
void digest_block(struct digest *d, uint32_t warps); /* after its last instruction */
void digest_finish(struct digest *d, uint8_t out[DIGEST_BYTES]);

/* "xxh128:" and 32 digits, as struct source's identity. */
void digest_text(const uint8_t digest[DIGEST_BYTES], char text[65]);
#endif
