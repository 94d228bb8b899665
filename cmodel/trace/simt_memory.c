/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and atomics: bounds checks, addresses, data. */
#include <string.h>

#include "trace/simt_internal.h"
#include "trace/unrolled.h"

#define ACTIVE(mask)                                                                                                   \
    for (uint32_t rest_ = (mask), l = 0; rest_ && (l = (uint32_t)__builtin_ctz(rest_), 1); rest_ &= rest_ - 1)

/* The statement for each active lane `l`, in order.  Mostly all are. */
#define EACH_ACTIVE(mask, statement)                                                                                   \
    do {                                                                                                               \
        if ((mask) == UINT32_MAX)                                                                                      \
            for (uint32_t l = 0; l < WARP_SIZE; l++) statement;                                                        \
        else                                                                                                           \
            ACTIVE (mask) statement;                                                                                   \
    } while (0)

/* View of an array for one access, in global or shared memory. */
struct view {
    const char *name;
    uint64_t addr, count;
    uint32_t element, offset, size; /* bytes of an element; the accessed part of it */
    bool ready;                     /* the index's register holds the address */
};

static void __attribute__((noinline)) out_of_bounds(struct warp *w, const struct view *a, const vi32 *i)
{
    uint32_t lane = 0;
    ACTIVE (w->mask) {
        lane = l;
        if ((uint32_t)i->lane[l] >= a->count) break;
    }
    uint32_t t = w->index * WARP_SIZE + lane;
    const uint32_t *b = w->launch->block;
    warp_fail(w, "thread (%u,%u,%u): found index %d of array %s, expected 0..%lld", t % b[0], t / b[0] % b[1],
              t / b[0] / b[1], i->lane[lane], a->name, (long long)a->count - 1);
}

static uint32_t lane_mask(uint32_t mask, uint32_t l)
{
    return mask & lane_bit[l] ? UINT32_MAX : 0;
}

static void check_bounds(struct warp *w, const struct view *a, const vi32 *i)
{
    uint32_t highest = 0;
    for (uint32_t l = 0; l < WARP_SIZE; l++) {
        uint32_t x = (uint32_t)i->lane[l] & lane_mask(w->mask, l);
        highest = x > highest ? x : highest;
    }
    if (highest >= a->count) out_of_bounds(w, a, i);
}

/* Checks and records one access: the multiply-add of the address if the index is in a register, then the access.
 * w->fresh is the result register, if any. */
static void access_array(struct warp *w, uint32_t pc, uint8_t op, const struct view *a, const vi32 *i, bool result,
                         const struct simt_reg *value)
{
    check_bounds(w, a, i);
    struct simt_reg src[2] = {SIMT_IMMEDIATE, value ? *value : SIMT_IMMEDIATE};
    if (i->r.reg != INST_NO_REG) src[0] = a->ready ? i->r : emit_value(w, pc, INST_INT, &i->r, 1);
    struct simt_reg dst = result ? reg_temp(w) : SIMT_IMMEDIATE;
    struct record_addr *r = emit_memory(w, pc + 8, op, a->size, dst, src, value ? 2 : 1);
    if (!r) return;
    struct record_addr addr = {.base = a->addr};
    for (uint32_t l = 0; l < WARP_SIZE; l++) {
        addr.offset[l] = ((uint32_t)i->lane[l] * a->element + a->offset) & lane_mask(w->mask, l);
    }
    memcpy(r, &addr, sizeof addr);
}

static struct view global_view(const struct simt_array *a)
{
    return (struct view){a->name, a->addr, a->count, a->element_bytes, 0, a->element_bytes, false};
}

#define GLOBAL_FORM(form, is_ready, type, vector)                                                                      \
    vector simt_load##form##_##type(struct warp *w, uint32_t pc, type g, vi32 i)                                       \
    {                                                                                                                  \
        vector v = {.r = SIMT_IMMEDIATE};                                                                              \
        if (!w->mask) return v;                                                                                        \
        struct view a = global_view(g.array);                                                                          \
        a.ready = is_ready;                                                                                            \
        access_array(w, pc, INST_LOAD, &a, &i, true, NULL);                                                            \
        EACH_ACTIVE(w->mask, v.lane[l] = g.host[i.lane[l]]);                                                           \
        v.r = w->fresh;                                                                                                \
        return v;                                                                                                      \
    }                                                                                                                  \
    void simt_store##form##_##type(struct warp *w, uint32_t pc, type g, vi32 i, vector v)                              \
    {                                                                                                                  \
        if (!w->mask) return;                                                                                          \
        struct view a = global_view(g.array);                                                                          \
        a.ready = is_ready;                                                                                            \
        access_array(w, pc, INST_STORE, &a, &i, false, &v.r);                                                          \
        EACH_ACTIVE(w->mask, g.host[i.lane[l]] = (__typeof__(*g.host))v.lane[l]);                                      \
    }
#define GLOBAL(type, vector) GLOBAL_FORM(, false, type, vector)
GLOBAL(gf32, vf32)
GLOBAL(gi32, vi32)
GLOBAL(gu32, vu32)
GLOBAL(gu8, vu32)
GLOBAL_FORM(_at, true, gf32, vf32)
GLOBAL_FORM(_at, true, gi32, vi32)

static vpart load_part(struct warp *w, uint32_t pc, uint8_t op, const struct simt_array *array, vi32 i, uint32_t offset,
                       uint32_t size)
{
    vpart v = {.r = SIMT_IMMEDIATE};
    if (!w->mask) return v;
    struct view a = global_view(array);
    a.offset = offset, a.size = size;
    access_array(w, pc, op, &a, &i, true, NULL);
    ACTIVE (w->mask) memcpy(v.lane[l], array->host + (size_t)i.lane[l] * a.element + offset, size);
    v.r = w->fresh;
    return v;
}

vpart simt_load_part(struct warp *w, uint32_t pc, graw g, vi32 i, uint32_t offset, uint32_t size)
{
    return load_part(w, pc, INST_LOAD, g.array, i, offset, size);
}

vpart simt_constant_part(struct warp *w, uint32_t pc, craw c, vi32 i, uint32_t offset, uint32_t size)
{
    return load_part(w, pc, INST_CONST_LOAD, c.array, i, offset, size);
}

void simt_store_part(struct warp *w, uint32_t pc, graw g, vi32 i, uint32_t offset, uint32_t size, const vpart *v)
{
    if (!w->mask) return;
    struct view a = global_view(g.array);
    a.offset = offset, a.size = size;
    access_array(w, pc, INST_STORE, &a, &i, false, &v->r);
    ACTIVE (w->mask) memcpy(g.host + (size_t)i.lane[l] * a.element + offset, v->lane[l], size);
}

/* ---- Shared memory: addresses are offsets. ---- */

uint32_t simt_shared(struct warp *w, const char *name, uint32_t count)
{
    uint32_t offset = w->shared_next;
    if (count > (w->launch->shared_bytes - offset) / 4) {
        warp_fail(w, "shared array %s of %u elements does not fit the launch's %u bytes of shared memory", name, count,
                  w->launch->shared_bytes);
    }
    w->shared_next += count * 4;
    return offset;
}

#define SHARED_FORM(form, is_ready, array, vector, element)                                                            \
    vector simt_load##form##_##array(struct warp *w, uint32_t pc, array s, vi32 i)                                     \
    {                                                                                                                  \
        vector v = {.r = SIMT_IMMEDIATE};                                                                              \
        if (!w->mask) return v;                                                                                        \
        struct view a = {s.name, s.offset, s.count, sizeof(element), 0, sizeof(element), is_ready};                    \
        access_array(w, pc, INST_SHARED_LOAD, &a, &i, true, NULL);                                                     \
        const element *data = (const element *)(w->block->shared + s.offset);                                          \
        EACH_ACTIVE(w->mask, v.lane[l] = data[i.lane[l]]);                                                             \
        v.r = w->fresh;                                                                                                \
        return v;                                                                                                      \
    }                                                                                                                  \
    void simt_store##form##_##array(struct warp *w, uint32_t pc, array s, vi32 i, vector v)                            \
    {                                                                                                                  \
        if (!w->mask) return;                                                                                          \
        struct view a = {s.name, s.offset, s.count, sizeof(element), 0, sizeof(element), is_ready};                    \
        access_array(w, pc, INST_SHARED_STORE, &a, &i, false, &v.r);                                                   \
        element *data = (element *)(w->block->shared + s.offset);                                                      \
        EACH_ACTIVE(w->mask, data[i.lane[l]] = (element)v.lane[l]);                                                    \
    }
#define SHARED(array, vector, element) SHARED_FORM(, false, array, vector, element)
SHARED(sf32, vf32, float)
SHARED(si32, vi32, int32_t)
SHARED(su32, vu32, uint32_t)
SHARED(su8, vu32, uint8_t)
SHARED_FORM(_at, true, sf32, vf32, float)
SHARED_FORM(_at, true, si32, vi32, int32_t)

/* ---- Addresses that several accesses share. ---- */

vaddr simt_address(struct warp *w, uint32_t pc, vi32 i)
{
    i.r = emit_value(w, pc, INST_INT, &i.r, 1);
    return (vaddr){simt_var_vi32(w, pc + 8, i)};
}

void simt_move(struct warp *w, uint32_t pc, vaddr *address, int elements)
{
    simt_set_vi32(w, pc + 8, &address->element, simt_add_vi32(w, pc, address->element, simt_imm_i32(elements)));
}

/* ---- Atomics. ---- */

#define ATOMIC(name, type, vector, expression)                                                                         \
    vector simt_atomic_##name##_##type(struct warp *w, uint32_t pc, type g, vi32 i, vector v, bool old)                \
    {                                                                                                                  \
        vector before = {.r = SIMT_IMMEDIATE};                                                                         \
        if (!w->mask) return before;                                                                                   \
        struct view a = global_view(g.array);                                                                          \
        access_array(w, pc, INST_ATOMIC, &a, &i, old, &v.r);                                                           \
        ACTIVE (w->mask) {                                                                                             \
            __typeof__(g.host) at = &g.host[i.lane[l]];                                                                \
            before.lane[l] = *at;                                                                                      \
            *at = expression;                                                                                          \
        }                                                                                                              \
        before.r = w->fresh;                                                                                           \
        return before;                                                                                                 \
    }
ATOMIC(add, gi32, vi32, (int32_t)((uint32_t)*at + (uint32_t)v.lane[l]))
ATOMIC(add, gu32, vu32, *at + v.lane[l])
ATOMIC(add, gf32, vf32, *at + v.lane[l])
ATOMIC(xor, gi32, vi32, *at ^ v.lane[l])
ATOMIC(xor, gu32, vu32, *at ^ v.lane[l])
#define MIN_AND_EXCHANGE(array, vector)                                                                                \
    ATOMIC(min, array, vector, *at < v.lane[l] ? *at : v.lane[l])                                                      \
    ATOMIC(exch, array, vector, v.lane[l])
MIN_AND_EXCHANGE(gi32, vi32)
MIN_AND_EXCHANGE(gu32, vu32)
MIN_AND_EXCHANGE(gf32, vf32)

/* The lanes of each round: those with exactly this many lower lanes of the same index. */
static void find_rounds(const vi32 *i, uint32_t mask, uint32_t rounds[WARP_SIZE])
{
    memset(rounds, 0, WARP_SIZE * sizeof *rounds);
    ACTIVE (mask) {
        uint32_t same = 0;
        for (uint32_t other = 0; other < WARP_SIZE; other++) same |= i->lane[other] == i->lane[l] ? lane_bit[other] : 0;
        rounds[__builtin_popcount(same & mask & (lane_bit[l] - 1))] |= lane_bit[l];
    }
}

vu32 simt_red_add_su32(struct warp *w, uint32_t pc, su32 s, vi32 i, vu32 v, bool old)
{
    (void)old;
    uint32_t all = w->mask, turns[WARP_SIZE];
    vu32 sum = {.r = SIMT_IMMEDIATE};
    if (!all) return sum;
    struct view a = {s.name, s.offset, s.count, 4, 0, 4, false};
    uint32_t *data = (uint32_t *)(w->block->shared + s.offset);
    vi32 at = i; /* the address is computed once */
    if (i.r.reg != INST_NO_REG) at.r = emit_value(w, pc, INST_INT, &i.r, 1);
    struct simt_reg address = at.r;
    at.r = SIMT_IMMEDIATE;
    /* Rounds take temporaries in turn, and the first ones again before it is the turn of the address's. */
    const int first = w->next_temp, rounds = ((int)w->launch->regs - w->variables - 1) / 2;
    find_rounds(&i, all, turns);
    for (int round = 0; round < WARP_SIZE && turns[round]; round++) {
        if (round % rounds == 0) w->next_temp = first;
        w->mask = turns[round];
        check_bounds(w, &a, &i);
        struct record_addr addr = {.base = s.offset}, *r;
        ACTIVE (w->mask) addr.offset[l] = (uint32_t)i.lane[l] * 4;
        struct simt_reg loaded = reg_temp(w);
        r = emit_memory(w, pc + 8, INST_SHARED_LOAD, 4, loaded, &address, 1);
        if (r) memcpy(r, &addr, sizeof addr);
        const struct simt_reg terms[2] = {loaded, v.r};
        const struct simt_reg stored[2] = {address, emit_value(w, pc + 16, INST_INT, terms, 2)};
        r = emit_memory(w, pc + 24, INST_SHARED_STORE, 4, SIMT_IMMEDIATE, stored, 2);
        if (r) memcpy(r, &addr, sizeof addr);
        ACTIVE (w->mask) data[i.lane[l]] += v.lane[l];
    }
    w->mask = all;
    return sum;
}
