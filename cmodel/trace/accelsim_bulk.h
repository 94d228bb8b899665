/* SPDX-License-Identifier: Apache-2.0 */
/* Bulk copies between global and shared memory (UTMALDG, UBLKCP ...), which one thread starts, and the mbarriers that
 * tell their end. */
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
    uint32_t unit; /* bytes that a lane accesses */
    uint64_t mbarrier;
    uint64_t addr[BULK_PIECES];
};

/* Sets operation, mask, size and addresses of instruction `n` of the transfer.  A copy ends in an INST_COMMIT.  False:
 * there is none. */
bool accelsim_bulk_inst(const struct accelsim_bulk *b, uint32_t n, struct inst *inst);

/* Groups of copies of the current warp, and the last one of each of the latest mbarriers. */
#define MBARRIERS 32u
struct accelsim_groups {
    uint32_t committed, used, replaced;
    struct {
        uint32_t offset;
        uint32_t group;
    } last[MBARRIERS];
};
/* A group that arrives at this mbarrier.  Of an address, only the offset in shared memory counts. */
void accelsim_group_add(struct accelsim_groups *g, uint64_t mbarrier);
/* inst.count of an INST_WAIT for the last group of this mbarrier; 0: it has none. */
uint16_t accelsim_group_wait(const struct accelsim_groups *g, uint64_t mbarrier);

struct line;
/* The fields from the mbarrier's address up to the addresses; `width` is the field before. */
bool accelsim_bulk_parse(struct line *l, uint32_t width);
#endif
