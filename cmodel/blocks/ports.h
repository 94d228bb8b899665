/* SPDX-License-Identifier: Apache-2.0 */
/* How a block lists its ports, parameters and registers once, and what the list expands to.
 *
 * A block `b` has a file b.h with these X-macro lists, and nothing else has them:
 *   B_PARAM(X)  X(name, default, min, max, text)            a parameter; UpperCamelCase, as in the RTL
 *   B_IN(X)     X(kind, name, width, text)                  an input port other than clk_i and rst_ni
 *   B_OUT(X)    X(kind, name, width, text)                  an output port
 *   B_REG(X)    X(kind, name, width, text)                  a scalar register
 *   B_MEM(X)    X(kind, name, width, max, depth, text)      a table: C array of `max`, RTL array (or packed
 *                                                           vector when width is 1) of `depth`
 * Blocks with the same ports keep them in a header of their own, x_file.h, with the lists X_FILE_IN and X_FILE_OUT.
 * An input is control, x_valid_i or x_ready_i, or payload: x_i and x_*_i are read while x_valid_i is 1, and may be
 * anything, X too, while it is 0.  A block with inputs of other names lists these as well (cosim/payload.py reads it):
 *   B_VALID(X)  X(name, valid)                          the input that is 1 when this one is read, or `always`
 * Result codes, states and the like stand here once as well; the C enum is made from them, and `make check` compares
 * them with the localparams of the RTL (RF_MERGE is RfMerge there):
 *   B_NAME(X)   X(code, value, text)                    an enum's values, all of one prefix
 *   B_CODES(X)  X(enum, B_NAME)                         the enums of the block's ports, registers, parameters and RTL
 * Of a port, register or parameter whose text begins with "enum NAME" the values are codes of that enum.
 * An assembly, a block made of other blocks, also lists these:
 *   B_PARTS(X)  X(part, PART)                           a block in it: instance u_<part>, and C member, of its name;
 *                                                       b.h derives its parameters with b_<part>_cfg()
 * and its own lists hold what it has beside them.
 * `width` and `depth` are C expressions over `p`, a pointer to the block's parameters (struct b_cfg).
 * `kind` says how C stores it: BIT, U8, U16, U32, U64, or W1024 (32 words of 32 bits, least significant first).
 * Names equal those in the RTL.  A port that depends on a parameter that may be 0 is 1 bit wide then; a register or
 * table whose width or depth is 0 is not there: nothing reads it in the RTL, and C keeps it 0. */
#ifndef MEMTWIN_PORTS_H
#define MEMTWIN_PORTS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PORT_BIT(name) bool name
#define PORT_U8(name) uint8_t name
#define PORT_U16(name) uint16_t name
#define PORT_U32(name) uint32_t name
#define PORT_U64(name) uint64_t name
#define PORT_W1024(name) uint32_t name[32]

#define MEM_BIT(name, max) bool name[max]
#define MEM_U8(name, max) uint8_t name[max]
#define MEM_U16(name, max) uint16_t name[max]
#define MEM_U32(name, max) uint32_t name[max]
#define MEM_U64(name, max) uint64_t name[max]
#define MEM_W1024(name, max) uint32_t name[max][32]

/* A value of an enum. */
#define ENUM_CODE(code, value, text) code = (value),

/* Members of the structs b_cfg, b_in, b_out and b. */
#define PARAM_FIELD(name, def, min, max, text) uint32_t name;
#define PORT_FIELD(kind, name, width, text) PORT_##kind(name);
#define MEM_FIELD(kind, name, width, max, depth, text) MEM_##kind(name, max);
#define PART_FIELD(part, PART) struct part part;

/* Values of struct b_cfg: the default of each parameter. */
#define PARAM_DEFAULT(name, def, min, max, text) .name = (def),

/* The lists as data, for code that prints, parses, records or wraps the ports of any block. */
enum port_kind { PORT_KIND_BIT, PORT_KIND_U8, PORT_KIND_U16, PORT_KIND_U32, PORT_KIND_U64, PORT_KIND_W1024 };

/* A value of an enum, or `begins`: the name of the enum whose values follow.  The last entry has no name. */
struct code_desc {
    const char *name;
    uint32_t value;
    bool begins;
};

struct port_desc {
    const char *name;
    enum port_kind kind;
    size_t offset;  /* offset in the struct */
    uint32_t width; /* bits, for the current parameters */
    uint32_t depth; /* elements; 1 for a port or scalar register */
    const char *text;
    const struct code_desc *codes; /* enums of the block; `text` names the one of a port */
};

struct param_desc {
    const char *name;
    size_t offset;
    uint32_t def, min, max;
    const char *text;
};

/* Initialisers for arrays of descriptors.  Required in scope: S, a typedef of the struct that holds the fields; for
 * PORT_DESC and MEM_DESC also p, the parameters. */
#define PARAM_DESC(name, def, min, max, text) {#name, offsetof(S, name), def, min, max, text},
#define PORT_DESC(kind, name, width, text) {#name, PORT_KIND_##kind, offsetof(S, name), width, 1, text, NULL},
#define MEM_DESC(kind, name, width, max, depth, text)                                                                  \
    {#name, PORT_KIND_##kind, offsetof(S, name), width, depth, text, NULL},

/* clang-format off */
#define CODE_DESC(code, value, text) {#code, value, false},
#define CODES_DESC(type, LIST) {#type, 0, true}, LIST(CODE_DESC)

/* Defines b_params(), b_in_desc(), b_out_desc() and b_state_desc() for block `b` with the lists `B_...`; each fills
 * `d` (if not NULL) and returns the number of entries; also b_codes.  State lists scalar registers first, then
 * tables. */
#define BLOCK_DESC(b, B) \
    static const struct code_desc b##_codes[] = {B##_CODES(CODES_DESC) {NULL, 0, true}}; \
    static inline uint32_t b##_params(struct param_desc *d) \
    { \
        typedef struct b##_cfg S; \
        const struct param_desc t[] = {B##_PARAM(PARAM_DESC)}; \
        for (uint32_t i = 0; d && i < sizeof t / sizeof *t; i++) d[i] = t[i]; \
        return sizeof t / sizeof *t; \
    } \
    BLOCK_DESC_FUNCTION(b, in, struct b##_in, B##_IN(PORT_DESC)) \
    BLOCK_DESC_FUNCTION(b, out, struct b##_out, B##_OUT(PORT_DESC)) \
    BLOCK_DESC_FUNCTION(b, state, struct b, B##_REG(PORT_DESC) B##_MEM(MEM_DESC))

#define BLOCK_DESC_FUNCTION(b, what, TYPE, ...) \
    static inline uint32_t b##_##what##_desc(const struct b##_cfg *p, struct port_desc *d) \
    { \
        typedef TYPE S; \
        const struct port_desc t[] = {__VA_ARGS__}; /* an empty row, for a block without registers */ \
        const uint32_t n = sizeof t / sizeof *t; \
        (void)p, (void)sizeof(S); \
        for (uint32_t i = 0; d && i < n; i++) d[i] = t[i], d[i].codes = b##_codes; \
        return n; \
    }
/* clang-format on */
#endif
