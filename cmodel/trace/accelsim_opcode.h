/* SPDX-License-Identifier: Apache-2.0 */
/* Meaning of an opcode with its modifiers, as SASS writes them: LDG.E.64.STRONG.GPU. */
#ifndef MEMTWIN_ACCELSIM_OPCODE_H
#define MEMTWIN_ACCELSIM_OPCODE_H
#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
enum opcode_class {
    SP, SFU, BARRIER, COMMIT, WAIT,
    TENSOR, TEXTURE, CONSTANT, FENCE, ARRIVE,                            /* sp, with a loss */
    LOAD, COPY, STORE, ATOMIC, SHARED_LOAD, SHARED_STORE, SHARED_ATOMIC, /* kind given by the opcode */
    LOCAL_LOAD, LOCAL_STORE,                                             /* the thread's own memory */
    GENERIC_LOAD, GENERIC_STORE, GENERIC_ATOMIC,                         /* generic: the address selects the memory */
    EXIT,
    BULK,   /* bulk tensor copies, whose registers a trace does not record: refused */
    UNKNOWN /* counted as SP */
};
/* clang-format on */

struct accelsim_opcode {
    uint8_t class; /* enum opcode_class */
    uint8_t size;  /* of an access in bytes; 0: one that a lane cannot make */
    uint8_t loss;  /* enum accelsim_loss */
    bool around;   /* a load that bypasses the L1D */
};

/* Cuts `text` at its first '.'. */
struct accelsim_opcode accelsim_opcode(char *text);
#endif
