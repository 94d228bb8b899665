/* SPDX-License-Identifier: Apache-2.0 */
/* From lanes to line accesses, and to shared-memory bank cycles. */
#ifndef MEMTWIN_COALESCER_H
#define MEMTWIN_COALESCER_H
#include "system/config/config.h"
#include "system/unit/request.h"
#include "trace/inst.h"

/* Each lane's element may touch two lines. */
enum { COALESCER_MAX = 2 * WARP_SIZE };

struct line_access {
    uint64_t line;
    uint32_t written; /* request.written; none yet */
    uint8_t bytes;    /* 32, 64 or 128: the smallest aligned part of the line that holds all bytes touched */
    uint8_t sector;   /* its first 32 bytes */
    bool beside;      /* access.beside (cache/l1d.h) */
};

/* One access for each line that a global memory instruction touches, in the order in which the lanes, lowest first,
 * touch them.  Lanes of an atomic that touch one line share its access: the L2 performs them together.  With segments
 * (sm.coalesce) one for each 32 bytes touched by elements of one byte, or 64 of two bytes; with sectors for each 32. */
uint32_t coalesce(const struct inst *inst, enum coalesce_unit unit, struct line_access out[COALESCER_MAX]);

/* Accesses of 32 bytes, in which each byte belongs to one lane: of the lanes with one address, each has an access of
 * its own. */
uint32_t coalesce_apart(const struct inst *inst, struct line_access out[COALESCER_MAX]);

/* One access for each aligned block of so many bytes, 32, 64 or 128, that the lanes touch, in their order: of a
 * constant load, for each line of the constant cache. */
uint32_t coalesce_blocks(const struct inst *inst, uint32_t bytes, struct line_access out[COALESCER_MAX]);

/* Puts accesses in the order of GPGPU-Sim: from the highest address to the lowest, of one address the last first. */
void coalesce_from_highest(struct line_access *access, uint32_t count);

/* Limits of an L1D with banks for a cycle. */
struct bank_rules {
    uint32_t banks, bytes, lines; /* l1d.banks, l1d.bank_bytes, l1d.lookups */
};

/* Sets `beside` of the accesses of coalesce() to sectors: in their order, a cycle has as many as need no two places of
 * one bank, and no more lines than `lines`.  A place of a bank of less than a sector counts if a lane accesses it. */
void coalesce_cycles(const struct inst *inst, const struct bank_rules *rules, struct line_access *access,
                     uint32_t count);

/* Sets `written` of the accesses of coalesce() to sectors to the words of the line that lanes access. */
void coalesce_words(const struct inst *inst, struct line_access *access, uint32_t count);

/* The words of the line of which the lanes touch all bytes. */
uint32_t words_written(const struct inst *inst, uint64_t line);

/* Cycles that the banks need for a shared-memory instruction: the most different 4-byte words in one bank.  Lanes that
 * read one word share it. */
uint32_t shared_bank_cycles(const struct inst *inst, uint32_t banks);
#endif
