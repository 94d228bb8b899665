/* SPDX-License-Identifier: Apache-2.0 */
/* Meaning of an opcode with its modifiers, as SASS writes them: LDG.E.64.STRONG.GPU. */
#ifndef MEMTWIN_ACCELSIM_OPCODE_H
#define MEMTWIN_ACCELSIM_OPCODE_H
#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
enum opcode_class {
    SP, SFU, INT, DP, BARRIER, COMMIT, WAIT,
    TENSOR,                                                                /* with a loss */
    TEXTURE, CONSTANT, FENCE, TENSOR_MEMORY, BULK_COMMAND, ARRIVE,         /* int, with a loss */
    CLUSTER_BARRIER,                                                       /* a barrier, with a loss */
    LOAD, COPY, STORE, ATOMIC, SHARED_LOAD, SHARED_STORE, SHARED_ATOMIC,   /* kind given by the opcode */
    CONSTANT_LOAD,                                                         /* the same, with addresses */
    LOCAL_LOAD, LOCAL_STORE,                                               /* the thread's own memory */
    GENERIC_LOAD, GENERIC_STORE, GENERIC_ATOMIC,                           /* generic: the address selects the memory */
    EXIT,
    MBARRIER, MBARRIER_TEST, MBARRIER_ARRIVE,                       /* a shared load; of copies: a wait, an arrival */
    BULK_LOAD, BULK_STORE, BULK_ATOMIC, BULK_PREFETCH, BULK_SHARED, /* bulk copies: several instructions, or int */
    MARKER, /* no instruction */
    UNKNOWN /* counted as INT */
};
/* clang-format on */

struct accelsim_opcode {
    uint8_t class; /* enum opcode_class */
    uint8_t size;  /* of an access in bytes; 0: one that a lane cannot make */
    uint8_t loss;  /* enum accelsim_loss */
    bool around;   /* a load that bypasses the L1D */
};

static inline bool is_bulk(enum opcode_class class)
{
    return class >= BULK_LOAD && class <= BULK_SHARED;
}

/* Cuts `text` at its first '.'. */
struct accelsim_opcode accelsim_opcode(char *text);
#endif
