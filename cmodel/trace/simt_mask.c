/* SPDX-License-Identifier: Apache-2.0 */
/* Divergence: the stack of active masks, barriers, and thread indices. */
#include "trace/simt_internal.h"

static struct frame *push(struct warp *w, enum frame_kind kind)
{
    if (w->depth == SIMT_DEPTH) warp_fail(w, "more than %d nested SIMT blocks", SIMT_DEPTH);
    struct frame *f = &w->frames[w->depth++];
    *f = (struct frame){.saved = w->mask, .kind = (uint8_t)kind, .variables = (uint8_t)w->variables};
    w->else_depth = UINT32_MAX;
    return f;
}

static struct frame *top(struct warp *w, bool loop)
{
    if (!w->depth || (w->frames[w->depth - 1].kind == FRAME_LOOP) != loop) {
        warp_fail(w, "a SIMT block was left by C's break, return or goto");
    }
    return &w->frames[w->depth - 1];
}

static void pop(struct warp *w)
{
    struct frame *f = &w->frames[--w->depth];
    w->mask = f->saved;
    w->variables = f->variables;
}

static void branch(struct warp *w, uint32_t pc, const struct simt_reg *condition)
{
    if (w->mask) emit(w, pc, INST_INT, SIMT_IMMEDIATE, condition, condition ? 1 : 0);
}

void simt_if(struct warp *w, uint32_t pc, vbool condition)
{
    branch(w, pc, &condition.r);
    struct frame *f = push(w, FRAME_IF);
    f->lanes = w->mask & ~condition.lanes;
    w->mask &= condition.lanes;
}

void simt_else(struct warp *w)
{
    if (w->else_depth != w->depth) warp_fail(w, "SIMT_ELSE without a SIMT_IF right before it");
    push(w, FRAME_ELSE);
    w->mask &= w->else_mask;
}

bool simt_enter(struct warp *w)
{
    struct frame *f = top(w, false);
    if (!f->entered && w->mask) return f->entered = true;
    pop(w);
    if (f->kind == FRAME_IF) {
        w->else_mask = f->lanes;
        w->else_depth = w->depth;
    }
    return false;
}

void simt_loop(struct warp *w)
{
    push(w, FRAME_LOOP)->lanes = w->mask;
}

void simt_top(struct warp *w)
{
    struct frame *f = top(w, true);
    w->mask = f->lanes;
    w->variables = f->variables;
}

bool simt_again(struct warp *w, uint32_t pc, vbool condition)
{
    struct frame *f = top(w, true);
    branch(w, pc, &condition.r);
    w->mask = f->lanes &= condition.lanes;
    if (w->mask) return true;
    pop(w);
    return false;
}

void simt_break(struct warp *w, uint32_t pc)
{
    branch(w, pc, NULL);
    uint32_t d = w->depth;
    while (d && w->frames[d - 1].kind != FRAME_LOOP) {
        w->frames[--d].saved &= ~w->mask;
    }
    if (!d) warp_fail(w, "SIMT_BREAK outside SIMT_WHILE");
    w->frames[d - 1].lanes &= ~w->mask;
    w->mask = 0;
}

void simt_return(struct warp *w, uint32_t pc)
{
    branch(w, pc, NULL);
    for (uint32_t d = 0; d < w->depth; d++) {
        struct frame *f = &w->frames[d];
        f->saved &= ~w->mask;
        f->lanes &= ~w->mask;
    }
    w->alive &= ~w->mask;
    w->mask = 0;
}

void simt_barrier(struct warp *w, uint32_t pc)
{
    if (!w->alive) return; /* all its threads have returned */
    if (w->mask != w->alive) warp_fail(w, "vsync() in divergent code: lanes 0x%08x of 0x%08x", w->mask, w->alive);
    emit(w, pc, INST_BARRIER, SIMT_IMMEDIATE, NULL, 0);
    w->state = WARP_AT_BARRIER;
    coroutine_yield(&w->co);
}

/* ---- Thread indices. ---- */

static void thread_numbers(const struct warp *w, int dimension, vi32 *v)
{
    const uint32_t *block = w->launch->block, threads = block[dimension];
    uint32_t first = w->index * WARP_SIZE, stride = 1;
    for (int d = 0; d < dimension; d++) stride *= block[d];
    uint32_t number = first / stride % threads, below = first % stride;
    for (uint32_t l = 0; l < WARP_SIZE; l++) {
        v->lane[l] = (int32_t)number;
        if (++below < stride) continue;
        below = 0;
        number = number + 1 == threads ? 0 : number + 1;
    }
}

vi32 simt_thread(struct warp *w, uint32_t pc, int dimension)
{
    vi32 v;
    thread_numbers(w, dimension, &v);
    v.r = emit_value(w, pc, INST_INT, NULL, 0);
    return v;
}

vi32 simt_lane(struct warp *w, uint32_t pc)
{
    vi32 v;
    for (int l = 0; l < WARP_SIZE; l++) v.lane[l] = l;
    v.r = emit_value(w, pc, INST_INT, NULL, 0);
    return v;
}

vi32 simt_global_index(struct warp *w, uint32_t pc, int dimension)
{
    vi32 v;
    thread_numbers(w, dimension, &v);
    int base = simt_block_index(w, dimension) * simt_block_dim(w, dimension);
    for (int l = 0; l < WARP_SIZE; l++) v.lane[l] += base;
    struct simt_reg src[2];
    src[0] = emit_value(w, pc, INST_INT, NULL, 0);
    src[1] = emit_value(w, pc + 8, INST_INT, NULL, 0);
    v.r = emit_value(w, pc + 16, INST_INT, src, 2);
    return v;
}

int simt_block_index(const struct warp *w, int dimension)
{
    return (int)w->block->at[dimension];
}

int simt_block_dim(const struct warp *w, int dimension)
{
    return (int)w->launch->block[dimension];
}

int simt_grid_dim(const struct warp *w, int dimension)
{
    return (int)w->launch->grid[dimension];
}

int simt_warp_index(const struct warp *w)
{
    return (int)w->index;
}

const void *simt_args(const struct warp *w)
{
    return w->launch->args;
}
