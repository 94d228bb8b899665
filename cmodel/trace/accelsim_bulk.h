/* SPDX-License-Identifier: Apache-2.0 */
/* Bulk copies between global and shared memory (UTMALDG, UBLKCP ...), which one thread starts. */
#ifndef MEMTWIN_ACCELSIM_BULK_H
#define MEMTWIN_ACCELSIM_BULK_H
#include "trace/inst.h"

#define BULK_BYTES (256u << 10) /* of a transfer: more than shared memory has */
#define BULK_ALIGN 16u          /* addresses and sizes are multiples of it */
#define BULK_PIECES (BULK_BYTES / BULK_ALIGN)

/* The transfer of the current line: pieces of the same size. */
struct accelsim_bulk {
    uint8_t op;     /* enum inst_op */
    uint32_t lanes; /* of the warp */
    uint32_t pieces, bytes;
    uint32_t unit;     /* bytes that a lane accesses */
    uint64_t mbarrier; /* its address */
    uint64_t addr[BULK_PIECES];
};

/* Sets operation, mask, size and addresses of instruction `n` of the transfer.  A copy ends in an INST_ARRIVE at its
 * mbarrier.  False: there is none. */
bool accelsim_bulk_inst(const struct accelsim_bulk *b, uint32_t n, struct inst *inst);

struct line;
/* The fields from the mbarrier's address up to the addresses; `width` is the field before. */
bool accelsim_bulk_parse(struct line *l, uint32_t width);
#endif
