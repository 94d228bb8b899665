/* SPDX-License-Identifier: Apache-2.0 */
/* Types behind the macros of simt.h: vectors, arrays, and the functions of each operation. */
#ifndef MEMTWIN_SIMT_TYPES_H
#define MEMTWIN_SIMT_TYPES_H
#include <string.h>

#include "trace/source.h"

struct warp;

struct simt_reg {
    uint8_t reg;         /* INST_NO_REG: an immediate */
    uint16_t generation; /* generation of the register's value: detects a stale temporary */
};

typedef struct {
    int32_t lane[WARP_SIZE];
    struct simt_reg r;
} vi32;
typedef struct {
    uint32_t lane[WARP_SIZE];
    struct simt_reg r;
} vu32;
typedef struct {
    float lane[WARP_SIZE];
    struct simt_reg r;
} vf32;
typedef struct {
    uint32_t lanes; /* one bit each */
    struct simt_reg r;
} vbool;
typedef struct { /* up to 16 bytes of a record, as loaded */
    uint8_t lane[WARP_SIZE][16];
    struct simt_reg r;
} vpart;

struct simt_array {
    char name[32];
    uint64_t addr, count;
    uint32_t element_bytes;
    uint8_t *host;
};

typedef struct {
    float *host;
    const struct simt_array *array;
} gf32;
typedef struct {
    int32_t *host;
    const struct simt_array *array;
} gi32;
typedef struct {
    uint32_t *host;
    const struct simt_array *array;
} gu32;
typedef struct {
    uint8_t *host;
    const struct simt_array *array;
} gu8;
typedef struct {
    uint8_t *host;
    const struct simt_array *array;
} graw;
typedef struct { /* in constant memory */
    uint8_t *host;
    const struct simt_array *array;
} craw;

typedef struct {
    uint32_t offset, count;
    const char *name;
} sf32;
typedef struct {
    uint32_t offset, count;
    const char *name;
} si32;
typedef struct {
    uint32_t offset, count;
    const char *name;
} su32;
typedef struct {
    uint32_t offset, count;
    const char *name;
} su8;

#define SIMT_IMMEDIATE ((struct simt_reg){INST_NO_REG, 0})
#define SIMT_CONVERSIONS(type, scalar, imm)                                                                            \
    static inline type simt_same_##type(type x)                                                                        \
    {                                                                                                                  \
        return x;                                                                                                      \
    }                                                                                                                  \
    static inline type simt_imm_##imm(scalar x)                                                                        \
    {                                                                                                                  \
        type v;                                                                                                        \
        for (int l = 0; l < WARP_SIZE; l++) v.lane[l] = x;                                                             \
        v.r = SIMT_IMMEDIATE;                                                                                          \
        return v;                                                                                                      \
    }
SIMT_CONVERSIONS(vi32, int32_t, i32)
SIMT_CONVERSIONS(vu32, uint32_t, u32)
SIMT_CONVERSIONS(vf32, float, f32)

static inline vbool simt_same_vbool(vbool x)
{
    return x;
}

#define SIMT_SAME_BITS(name, to, element, from)                                                                        \
    static inline to simt_##name##_##from(from x)                                                                      \
    {                                                                                                                  \
        to v;                                                                                                          \
        for (int l = 0; l < WARP_SIZE; l++) v.lane[l] = (element)x.lane[l];                                            \
        v.r = x.r;                                                                                                     \
        return v;                                                                                                      \
    }
SIMT_SAME_BITS(int, vi32, int32_t, vu32)
SIMT_SAME_BITS(uint, vu32, uint32_t, vi32)

#define SIMT_PART(type, suffix)                                                                                        \
    static inline type simt_##suffix##_vpart(vpart x)                                                                  \
    {                                                                                                                  \
        type v;                                                                                                        \
        for (int l = 0; l < WARP_SIZE; l++) memcpy(&v.lane[l], x.lane[l], 4);                                          \
        v.r = x.r;                                                                                                     \
        return v;                                                                                                      \
    }
SIMT_PART(vf32, f32)
SIMT_PART(vi32, i32)

#define SIMT_UNARY(name, to, from) to simt_##name##_##from(struct warp *w, uint32_t pc, from a)
#define SIMT_BINARY(name, to, from) to simt_##name##_##from(struct warp *w, uint32_t pc, from a, from b)
#define SIMT_DECLARE_NUMBER(t)                                                                                         \
    SIMT_BINARY(add, t, t);                                                                                            \
    SIMT_BINARY(sub, t, t);                                                                                            \
    SIMT_BINARY(mul, t, t);                                                                                            \
    SIMT_BINARY(min, t, t);                                                                                            \
    SIMT_BINARY(max, t, t);                                                                                            \
    SIMT_BINARY(lt, vbool, t);                                                                                         \
    SIMT_BINARY(le, vbool, t);                                                                                         \
    SIMT_BINARY(gt, vbool, t);                                                                                         \
    SIMT_BINARY(ge, vbool, t);                                                                                         \
    SIMT_BINARY(eq, vbool, t);                                                                                         \
    SIMT_BINARY(ne, vbool, t);                                                                                         \
    t simt_mad_##t(struct warp *w, uint32_t pc, t a, t b, t c);                                                        \
    t simt_select_##t(struct warp *w, uint32_t pc, vbool p, t a, t b);                                                 \
    t simt_var_##t(struct warp *w, uint32_t pc, t value);                                                              \
    void simt_set_##t(struct warp *w, uint32_t pc, t *variable, t value);
SIMT_DECLARE_NUMBER(vi32)
SIMT_DECLARE_NUMBER(vu32)
SIMT_DECLARE_NUMBER(vf32)
#define SIMT_DECLARE_BITS(t)                                                                                           \
    SIMT_BINARY(and, t, t);                                                                                            \
    SIMT_BINARY(or, t, t);                                                                                             \
    SIMT_BINARY(xor, t, t);
SIMT_DECLARE_BITS(vi32)
SIMT_DECLARE_BITS(vu32)
SIMT_DECLARE_BITS(vbool)
SIMT_BINARY(shl, vi32, vi32);
SIMT_BINARY(shr, vi32, vi32);
SIMT_BINARY(shl, vu32, vu32);
SIMT_BINARY(shr, vu32, vu32);
SIMT_BINARY(div, vf32, vf32);
SIMT_UNARY(sqrt, vf32, vf32);
SIMT_UNARY(rsqrt, vf32, vf32);
SIMT_UNARY(exp, vf32, vf32);
SIMT_UNARY(log, vf32, vf32);
SIMT_UNARY(exp2, vf32, vf32);
SIMT_UNARY(sin, vf32, vf32);
SIMT_UNARY(cos, vf32, vf32);
SIMT_UNARY(abs, vf32, vf32);
SIMT_UNARY(abs, vi32, vi32);
SIMT_UNARY(float, vf32, vi32);
SIMT_UNARY(float, vf32, vu32);
SIMT_UNARY(all, vbool, vbool);
SIMT_UNARY(trunc, vi32, vf32);
SIMT_BINARY(quot, vi32, vi32);
SIMT_BINARY(rem, vi32, vi32);
SIMT_BINARY(mulhi, vi32, vi32);

vi32 simt_thread(struct warp *w, uint32_t pc, int dimension);
vi32 simt_lane(struct warp *w, uint32_t pc);
vi32 simt_global_index(struct warp *w, uint32_t pc, int dimension);
int simt_block_index(const struct warp *w, int dimension);
int simt_block_dim(const struct warp *w, int dimension);
int simt_grid_dim(const struct warp *w, int dimension);
int simt_warp_index(const struct warp *w);

#define SIMT_DECLARE_ARRAY(array, value)                                                                               \
    value simt_load_##array(struct warp *w, uint32_t pc, array g, vi32 i);                                             \
    void simt_store_##array(struct warp *w, uint32_t pc, array g, vi32 i, value v);
SIMT_DECLARE_ARRAY(gf32, vf32)
SIMT_DECLARE_ARRAY(gi32, vi32)
SIMT_DECLARE_ARRAY(gu32, vu32)
SIMT_DECLARE_ARRAY(gu8, vu32)
SIMT_DECLARE_ARRAY(sf32, vf32)
SIMT_DECLARE_ARRAY(si32, vi32)
SIMT_DECLARE_ARRAY(su32, vu32)
SIMT_DECLARE_ARRAY(su8, vu32)
vpart simt_load_part(struct warp *w, uint32_t pc, graw g, vi32 i, uint32_t offset, uint32_t size);
vpart simt_constant_part(struct warp *w, uint32_t pc, craw c, vi32 i, uint32_t offset, uint32_t size);
void simt_store_part(struct warp *w, uint32_t pc, graw g, vi32 i, uint32_t offset, uint32_t size, const vpart *v);

#define SIMT_DECLARE_ATOMIC(array, value)                                                                              \
    value simt_atomic_add_##array(struct warp *w, uint32_t pc, array g, vi32 i, value v, bool old);                    \
    value simt_atomic_min_##array(struct warp *w, uint32_t pc, array g, vi32 i, value v, bool old);                    \
    value simt_atomic_exch_##array(struct warp *w, uint32_t pc, array g, vi32 i, value v, bool old);
SIMT_DECLARE_ATOMIC(gi32, vi32)
SIMT_DECLARE_ATOMIC(gu32, vu32)
SIMT_DECLARE_ATOMIC(gf32, vf32)
vi32 simt_atomic_xor_gi32(struct warp *w, uint32_t pc, gi32 g, vi32 i, vi32 v, bool old);
vu32 simt_atomic_xor_gu32(struct warp *w, uint32_t pc, gu32 g, vi32 i, vu32 v, bool old);
vu32 simt_red_add_su32(struct warp *w, uint32_t pc, su32 s, vi32 i, vu32 v, bool old);
uint32_t simt_shared(struct warp *w, const char *name, uint32_t count); /* offset in bytes */

void simt_if(struct warp *w, uint32_t pc, vbool condition);
void simt_else(struct warp *w);
bool simt_enter(struct warp *w);
void simt_loop(struct warp *w);
void simt_top(struct warp *w);
bool simt_again(struct warp *w, uint32_t pc, vbool condition);
void simt_break(struct warp *w, uint32_t pc);
void simt_return(struct warp *w, uint32_t pc);
void simt_barrier(struct warp *w, uint32_t pc);
#endif
