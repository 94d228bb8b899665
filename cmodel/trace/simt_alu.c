/* Arithmetic: all lanes at once, so that the compiler can use the host's vectors; inactive ones cost nothing and mean
 * nothing. */
#include <math.h>

#include "trace/simt_internal.h"

#define LANES for (int l = 0; l < WARP_SIZE; l++)

#define BINARY(name, op, t, expression)                                                                                \
    t simt_##name##_##t(struct warp *w, uint32_t pc, t a, t b)                                                         \
    {                                                                                                                  \
        const struct simt_reg src[2] = {a.r, b.r};                                                                     \
        t v;                                                                                                           \
        LANES v.lane[l] = expression;                                                                                  \
        v.r = emit_value(w, pc, op, src, 2);                                                                           \
        return v;                                                                                                      \
    }

/* The compiler turns the loop over bits into vector compares and moves of masks. */
#define COMPARE(name, t, operator)                                                                                     \
    vbool simt_##name##_##t(struct warp *w, uint32_t pc, t a, t b)                                                     \
    {                                                                                                                  \
        const struct simt_reg src[2] = {a.r, b.r};                                                                     \
        vbool v = {0, SIMT_IMMEDIATE};                                                                                 \
        LANES v.lanes |= (uint32_t)(a.lane[l] operator b.lane[l]) << l;                                                \
        return predicate(w, pc, v, src, 2);                                                                            \
    }

static vbool predicate(struct warp *w, uint32_t pc, vbool v, const struct simt_reg *src, int count)
{
    v.lanes &= w->mask;
    if (!w->mask) return v;
    v.r = reg_predicate(w);
    emit(w, pc, INST_SP, v.r, src, count);
    return v;
}

/* Signed arithmetic wraps around, as the hardware's does. */
#define WRAP(a, operator, b) (int32_t)((uint32_t)(a) operator(uint32_t)(b))

BINARY(add, INST_SP, vi32, WRAP(a.lane[l], +, b.lane[l]))
BINARY(sub, INST_SP, vi32, WRAP(a.lane[l], -, b.lane[l]))
BINARY(mul, INST_SP, vi32, WRAP(a.lane[l], *, b.lane[l]))
BINARY(shl, INST_SP, vi32, WRAP(a.lane[l], <<, (b.lane[l] & 31)))
BINARY(shr, INST_SP, vi32, a.lane[l] >> (b.lane[l] & 31))
BINARY(add, INST_SP, vu32, a.lane[l] + b.lane[l])
BINARY(sub, INST_SP, vu32, a.lane[l] - b.lane[l])
BINARY(mul, INST_SP, vu32, a.lane[l] * b.lane[l])
BINARY(shl, INST_SP, vu32, a.lane[l] << (b.lane[l] & 31))
BINARY(shr, INST_SP, vu32, a.lane[l] >> (b.lane[l] & 31))
BINARY(add, INST_SP, vf32, a.lane[l] + b.lane[l])
BINARY(sub, INST_SP, vf32, a.lane[l] - b.lane[l])
BINARY(mul, INST_SP, vf32, a.lane[l] * b.lane[l])
BINARY(div, INST_SFU, vf32, a.lane[l] / b.lane[l])

#define NUMBER(t)                                                                                                      \
    BINARY(min, INST_SP, t, a.lane[l] < b.lane[l] ? a.lane[l] : b.lane[l])                                             \
    BINARY(max, INST_SP, t, a.lane[l] > b.lane[l] ? a.lane[l] : b.lane[l])                                             \
    COMPARE(lt, t, <)                                                                                                  \
    COMPARE(le, t, <=)                                                                                                 \
    COMPARE(gt, t, >)                                                                                                  \
    COMPARE(ge, t, >=)                                                                                                 \
    COMPARE(eq, t, ==)                                                                                                 \
    COMPARE(ne, t, !=)                                                                                                 \
    t simt_select_##t(struct warp *w, uint32_t pc, vbool p, t a, t b)                                                  \
    {                                                                                                                  \
        const struct simt_reg src[3] = {p.r, a.r, b.r};                                                                \
        t v;                                                                                                           \
        LANES v.lane[l] = p.lanes >> l & 1 ? a.lane[l] : b.lane[l];                                                    \
        v.r = emit_value(w, pc, INST_SP, src, 3);                                                                      \
        return v;                                                                                                      \
    }
NUMBER(vi32)
NUMBER(vu32)
NUMBER(vf32)

#define MULTIPLY_ADD(t, expression)                                                                                    \
    t simt_mad_##t(struct warp *w, uint32_t pc, t a, t b, t c)                                                         \
    {                                                                                                                  \
        const struct simt_reg src[3] = {a.r, b.r, c.r};                                                                \
        t v;                                                                                                           \
        LANES v.lane[l] = expression;                                                                                  \
        v.r = emit_value(w, pc, INST_SP, src, 3);                                                                      \
        return v;                                                                                                      \
    }
MULTIPLY_ADD(vi32, (int32_t)((uint32_t)a.lane[l] * (uint32_t)b.lane[l] + (uint32_t)c.lane[l]))
MULTIPLY_ADD(vu32, a.lane[l] * b.lane[l] + c.lane[l])
MULTIPLY_ADD(vf32, a.lane[l] * b.lane[l] + c.lane[l])

#define BITS(name, operator)                                                                                           \
    BINARY(name, INST_SP, vi32, a.lane[l] operator b.lane[l])                                                          \
    BINARY(name, INST_SP, vu32, a.lane[l] operator b.lane[l])                                                          \
    vbool simt_##name##_vbool(struct warp *w, uint32_t pc, vbool a, vbool b)                                           \
    {                                                                                                                  \
        const struct simt_reg src[2] = {a.r, b.r};                                                                     \
        return predicate(w, pc, (vbool){a.lanes operator b.lanes, SIMT_IMMEDIATE}, src, 2);                            \
    }
BITS(and, &)
BITS(or, |)
BITS(xor, ^)

/* Functions of the host's library: active lanes only. */
#define UNARY(name, op, to, from, expression)                                                                          \
    to simt_##name##_##from(struct warp *w, uint32_t pc, from a)                                                       \
    {                                                                                                                  \
        to v;                                                                                                          \
        LANES v.lane[l] = w->mask >> l & 1 ? expression : 0;                                                           \
        v.r = emit_value(w, pc, op, &a.r, 1);                                                                          \
        return v;                                                                                                      \
    }
UNARY(sqrt, INST_SFU, vf32, vf32, sqrtf(a.lane[l]))
UNARY(exp, INST_SFU, vf32, vf32, expf(a.lane[l]))
UNARY(log, INST_SFU, vf32, vf32, logf(a.lane[l]))
UNARY(sin, INST_SFU, vf32, vf32, sinf(a.lane[l]))
UNARY(abs, INST_SP, vf32, vf32, fabsf(a.lane[l]))
UNARY(float, INST_SP, vf32, vi32, (float)a.lane[l])
