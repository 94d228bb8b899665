/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic: on all lanes at once, so that the compiler can use the host's vectors.  Values of inactive lanes are
 * don't-care. */
#include <math.h>

#include "trace/simt_internal.h"

/* The operation on values of a type. */
enum { OP_vi32 = INST_INT, OP_vu32 = INST_INT, OP_vf32 = INST_SP };

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

#define COMPARE(name, t, operator)                                                                                     \
    vbool simt_##name##_##t(struct warp *w, uint32_t pc, t a, t b)                                                     \
    {                                                                                                                  \
        const struct simt_reg src[2] = {a.r, b.r};                                                                     \
        vbool v = {0, SIMT_IMMEDIATE};                                                                                 \
        LANES v.lanes |= a.lane[l] operator b.lane[l] ? lane_bit[l] : 0;                                               \
        return predicate(w, pc, OP_##t, v, src, 2);                                                                    \
    }

static vbool predicate(struct warp *w, uint32_t pc, uint8_t op, vbool v, const struct simt_reg *src, int count)
{
    v.lanes &= w->mask;
    if (!w->mask) return v;
    v.r = reg_predicate(w);
    emit(w, pc, op, v.r, src, count);
    return v;
}

/* Signed arithmetic wraps around, as in hardware; in C it would be undefined. */
#define WRAP(a, operator, b) (int32_t)((uint32_t)(a) operator(uint32_t)(b))

BINARY(add, INST_INT, vi32, WRAP(a.lane[l], +, b.lane[l]))
BINARY(sub, INST_INT, vi32, WRAP(a.lane[l], -, b.lane[l]))
BINARY(mul, INST_INT, vi32, WRAP(a.lane[l], *, b.lane[l]))
BINARY(shl, INST_INT, vi32, WRAP(a.lane[l], <<, (b.lane[l] & 31)))
BINARY(shr, INST_INT, vi32, a.lane[l] >> (b.lane[l] & 31))
BINARY(add, INST_INT, vu32, a.lane[l] + b.lane[l])
BINARY(sub, INST_INT, vu32, a.lane[l] - b.lane[l])
BINARY(mul, INST_INT, vu32, a.lane[l] * b.lane[l])
BINARY(shl, INST_INT, vu32, a.lane[l] << (b.lane[l] & 31))
BINARY(shr, INST_INT, vu32, a.lane[l] >> (b.lane[l] & 31))
BINARY(add, INST_SP, vf32, a.lane[l] + b.lane[l])
BINARY(sub, INST_SP, vf32, a.lane[l] - b.lane[l])
BINARY(mul, INST_SP, vf32, a.lane[l] * b.lane[l])
BINARY(div, INST_SFU, vf32, a.lane[l] / b.lane[l])

#define NUMBER(t)                                                                                                      \
    BINARY(min, OP_##t, t, a.lane[l] < b.lane[l] ? a.lane[l] : b.lane[l])                                              \
    BINARY(max, OP_##t, t, a.lane[l] > b.lane[l] ? a.lane[l] : b.lane[l])                                              \
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
        LANES v.lane[l] = p.lanes & lane_bit[l] ? a.lane[l] : b.lane[l];                                               \
        v.r = emit_value(w, pc, OP_##t, src, 3);                                                                       \
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
        v.r = emit_value(w, pc, OP_##t, src, 3);                                                                       \
        return v;                                                                                                      \
    }
MULTIPLY_ADD(vi32, (int32_t)((uint32_t)a.lane[l] * (uint32_t)b.lane[l] + (uint32_t)c.lane[l]))
MULTIPLY_ADD(vu32, a.lane[l] * b.lane[l] + c.lane[l])
MULTIPLY_ADD(vf32, a.lane[l] * b.lane[l] + c.lane[l])

BINARY(mulhi, INST_INT, vi32, (int32_t)((int64_t)a.lane[l] * b.lane[l] >> 32))

/* Integer division: recorded as the instruction sequence that compilers emit. */
#define DIVISION(name, before, after, expression, by_zero)                                                             \
    vi32 simt_##name##_vi32(struct warp *w, uint32_t pc, vi32 a, vi32 b)                                               \
    {                                                                                                                  \
        vi32 v;                                                                                                        \
        LANES v.lane[l] = b.lane[l] ? (int32_t)((int64_t)a.lane[l] expression b.lane[l]) : by_zero;                    \
        v.r = divide(w, pc, a.r, b.r, before, after);                                                                  \
        return v;                                                                                                      \
    }

/* `before` instructions on the divisor, its reciprocal, `after` for multiplication and correction. */
static struct simt_reg divide(struct warp *w, uint32_t pc, struct simt_reg a, struct simt_reg b, uint16_t before,
                              uint16_t after)
{
    struct simt_reg divisor = emit_value(w, pc, INST_INT, &b, 1);
    repeat_last(w, before);
    const struct simt_reg src[3] = {emit_value(w, pc + 8, INST_SFU, &divisor, 1), a, b};
    struct simt_reg result = emit_value(w, pc + 16, INST_INT, src, 3);
    repeat_last(w, after);
    return result;
}
DIVISION(quot, 2, 21, /, -1)
DIVISION(rem, 2, 19, %, a.lane[l])

#define BITS(name, operator)                                                                                           \
    BINARY(name, INST_INT, vi32, a.lane[l] operator b.lane[l])                                                         \
    BINARY(name, INST_INT, vu32, a.lane[l] operator b.lane[l])                                                         \
    vbool simt_##name##_vbool(struct warp *w, uint32_t pc, vbool a, vbool b)                                           \
    {                                                                                                                  \
        const struct simt_reg src[2] = {a.r, b.r};                                                                     \
        return predicate(w, pc, INST_INT, (vbool){a.lanes operator b.lanes, SIMT_IMMEDIATE}, src, 2);                  \
    }
BITS(and, &)
BITS(or, |)
BITS(xor, ^)

vbool simt_all_vbool(struct warp *w, uint32_t pc, vbool a)
{
    bool all = (a.lanes & w->mask) == w->mask;
    return predicate(w, pc, INST_INT, (vbool){all ? w->mask : 0, SIMT_IMMEDIATE}, &a.r, 1);
}

/* Functions of the host's library: active lanes only. */
#define UNARY(name, op, to, from, expression)                                                                          \
    to simt_##name##_##from(struct warp *w, uint32_t pc, from a)                                                       \
    {                                                                                                                  \
        to v;                                                                                                          \
        LANES v.lane[l] = w->mask & lane_bit[l] ? expression : 0;                                                      \
        v.r = emit_value(w, pc, op, &a.r, 1);                                                                          \
        return v;                                                                                                      \
    }
UNARY(sqrt, INST_SFU, vf32, vf32, sqrtf(a.lane[l]))
UNARY(rsqrt, INST_SFU, vf32, vf32, 1 / sqrtf(a.lane[l]))
UNARY(exp, INST_SFU, vf32, vf32, expf(a.lane[l]))
UNARY(log, INST_SFU, vf32, vf32, logf(a.lane[l]))
UNARY(exp2, INST_SFU, vf32, vf32, exp2f(a.lane[l]))
UNARY(sin, INST_SFU, vf32, vf32, sinf(a.lane[l]))
UNARY(cos, INST_SFU, vf32, vf32, cosf(a.lane[l]))
UNARY(abs, INST_SP, vf32, vf32, fabsf(a.lane[l]))
UNARY(abs, INST_INT, vi32, vi32, a.lane[l] < 0 ? WRAP(0, -, a.lane[l]) : a.lane[l])
UNARY(float, INST_INT, vf32, vi32, (float)a.lane[l])
UNARY(float, INST_INT, vf32, vu32, (float)a.lane[l])

static int32_t truncated(float x)
{
    if (x >= 0x1p31f) return INT32_MAX;
    return x >= -0x1p31f ? (int32_t)x : x < 0 ? INT32_MIN : 0;
}
UNARY(trunc, INST_INT, vi32, vf32, truncated(a.lane[l]))
