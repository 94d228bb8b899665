/* SPDX-License-Identifier: Apache-2.0 */
/* A warp: its registers, recorded instructions, and coroutine. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/simt_internal.h"

void warp_fail(struct warp *w, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const uint32_t *at = w->block->at;
    error_set(&w->block->host->error, "%s, kernel %s, thread block (%u,%u,%u), warp %u: %s", w->block->host->def->name,
              w->launch->name, at[0], at[1], at[2], w->index, text);
    w->state = WARP_FAILED;
    for (;;) coroutine_yield(&w->co);
}

/* ---- Registers. ---- */

struct simt_reg reg_temp(struct warp *w)
{
    if (w->next_temp < w->variables || w->next_temp >= (int)w->launch->regs) w->next_temp = (int)w->launch->regs - 1;
    int reg = w->next_temp--;
    return (struct simt_reg){(uint8_t)reg, ++w->generation[reg]};
}

struct simt_reg reg_predicate(struct warp *w)
{
    int reg = SIMT_MAX_REGS + w->next_predicate;
    w->next_predicate = (w->next_predicate + 1) % SIMT_PREDICATES;
    return (struct simt_reg){(uint8_t)reg, ++w->generation[reg]};
}

static uint8_t read_register(struct warp *w, struct simt_reg r)
{
    if (r.reg == INST_NO_REG) return INST_NO_REG;
    if (w->generation[r.reg] != r.generation && r.reg >= SIMT_MAX_REGS) {
        warp_fail(w, "a predicate is read after %d later ones took all predicate registers", SIMT_PREDICATES);
    }
    if (w->generation[r.reg] != r.generation) {
        warp_fail(w, "a value is read after its register R%u was reused: keep it with vvar(), or raise regs (%u)",
                  r.reg, w->launch->regs);
    }
    return r.reg;
}

static bool is_fresh(const struct warp *w, struct simt_reg r)
{
    return w->fresh.reg == r.reg && w->fresh.generation == r.generation && r.reg >= w->variables &&
           r.reg < SIMT_MAX_REGS;
}

/* Assigns to the variable `to`: redirects the instruction that produced the value, else records a move. */
static void move_to(struct warp *w, uint32_t pc, struct simt_reg to, struct simt_reg value)
{
    if (!w->mask) return;
    if (!is_fresh(w, value)) {
        emit(w, pc, INST_INT, to, &value, 1);
        return;
    }
    if (w->fresh_record) w->fresh_record->dst = to.reg;
    w->generation[value.reg]++; /* already reused */
    w->fresh = SIMT_IMMEDIATE;
}

static struct simt_reg new_variable(struct warp *w, uint32_t pc, struct simt_reg value)
{
    if (w->variables + SIMT_MIN_TEMPS >= (int)w->launch->regs) {
        warp_fail(w, "%d variables and %d temporaries do not fit its %u registers: raise regs", w->variables + 1,
                  SIMT_MIN_TEMPS, w->launch->regs);
    }
    int reg = w->variables++;
    bool in_place = value.reg == reg; /* a temporary in the same register */
    if (w->mask) read_register(w, value);
    struct simt_reg to = {(uint8_t)reg, ++w->generation[reg]};
    if (!in_place) move_to(w, pc, to, value);
    return to;
}

#define DEFINE_VARIABLE(t)                                                                                             \
    t simt_var_##t(struct warp *w, uint32_t pc, t value)                                                               \
    {                                                                                                                  \
        value.r = new_variable(w, pc, value.r);                                                                        \
        return value;                                                                                                  \
    }                                                                                                                  \
    void simt_set_##t(struct warp *w, uint32_t pc, t *variable, t value)                                               \
    {                                                                                                                  \
        if (variable->r.reg >= w->variables) warp_fail(w, "vset() of a value that vvar() did not declare here");       \
        if (!w->mask) return;                                                                                          \
        read_register(w, variable->r);                                                                                 \
        move_to(w, pc, variable->r, value.r);                                                                          \
        for (int l = 0; l < WARP_SIZE; l++) {                                                                          \
            variable->lane[l] = w->mask & lane_bit[l] ? value.lane[l] : variable->lane[l];                             \
        }                                                                                                              \
    }
DEFINE_VARIABLE(vi32)
DEFINE_VARIABLE(vu32)
DEFINE_VARIABLE(vf32)

/* ---- Recording. ---- */

static uint8_t *room(struct warp *w, uint32_t bytes)
{
    if (w->tail + bytes > w->pause_at) coroutine_yield(&w->co);
    if (w->tail + bytes > w->capacity) {
        uint32_t capacity = w->capacity ? w->capacity * 2 : SIMT_BATCH;
        uint8_t *data = capacity > w->capacity ? realloc(w->data, capacity) : NULL;
        if (!data) warp_fail(w, "no memory for the instructions up to its next barrier (%u bytes so far)", w->tail);
        w->data = data;
        w->capacity = capacity;
    }
    uint8_t *at = w->data + w->tail;
    w->tail += bytes;
    return at;
}

/* The bytes of inst.src, the first one lowest. */
static uint32_t read_sources(struct warp *w, const struct simt_reg *src, int count)
{
    uint32_t all = UINT32_MAX; /* INST_NO_REG each */
    for (int i = 0; i < count; i++) all ^= (uint32_t)(INST_NO_REG ^ read_register(w, src[i])) << 8 * i;
    return all;
}

/* Each field goes straight to its place: bytes written to a copy would have to leave the host's store buffer before the
 * copy could be read as words. */
static void *record(struct warp *w, uint32_t pc, uint8_t op, uint32_t size, struct simt_reg dst, uint32_t src,
                    uint32_t extra)
{
    struct record_head *at = w->record ? (void *)room(w, RECORD_HEAD + extra) : NULL;
    w->fresh = dst;
    w->fresh_record = at;
    if (!at) return NULL;
    at->op = op;
    at->size = (uint8_t)size;
    at->dst = dst.reg;
    memcpy(at->src, &src, INST_MAX_SRC);
    at->count = 1;
    at->pc = pc;
    at->mask = w->mask;
    return at + 1;
}

void emit(struct warp *w, uint32_t pc, uint8_t op, struct simt_reg dst, const struct simt_reg *src, int count)
{
    record(w, pc, op, 0, dst, read_sources(w, src, count), 0);
}

struct record_addr *emit_memory(struct warp *w, uint32_t pc, uint8_t op, uint32_t size, struct simt_reg dst,
                                const struct simt_reg *src, int count)
{
    return record(w, pc, op, size, dst, read_sources(w, src, count), sizeof(struct record_addr));
}

struct simt_reg emit_value(struct warp *w, uint32_t pc, uint8_t op, const struct simt_reg *src, int count)
{
    if (!w->mask) return SIMT_IMMEDIATE;
    const uint32_t read = read_sources(w, src, count); /* first: the result may reuse an operand's register */
    struct simt_reg dst = reg_temp(w);
    record(w, pc, op, 0, dst, read, 0);
    return dst;
}

void repeat_last(struct warp *w, uint16_t count)
{
    if (w->mask && w->fresh_record) w->fresh_record->count = count;
}

/* ---- Life. ---- */

static void warp_main(void *arg)
{
    struct warp *w = arg;
    w->launch->kernel(w);
    if (w->depth) warp_fail(w, "a SIMT block was left by C's break, return or goto");
    w->mask = w->lanes;
    emit(w, 0, INST_EXIT, SIMT_IMMEDIATE, NULL, 0);
    w->state = WARP_DONE;
}

void warp_reset(struct warp *w)
{
    const struct kernel_info *k = &w->block->host->info;
    uint32_t left = kernel_threads(k) - w->index * WARP_SIZE;
    w->lanes = left >= WARP_SIZE ? UINT32_MAX : (1u << left) - 1;
    w->mask = w->alive = w->lanes;
    w->depth = w->else_mask = 0;
    w->else_depth = UINT32_MAX;
    w->variables = w->next_predicate = 0;
    w->next_temp = -1;
    w->fresh = SIMT_IMMEDIATE;
    w->shared_next = 0;
    w->state = WARP_NEW;
    w->record = w->block->host->record;
    w->head = w->tail = 0;
}

void warp_run(struct warp *w, uint32_t pause_at)
{
    struct host *h = w->block->host;
    w->pause_at = pause_at;
    if (w->state == WARP_NEW) {
        void *stack = stack_take(&h->stacks);
        if (!stack) {
            error_set(&h->error, "%s: no memory for the stack of another warp", h->def->name);
            w->state = WARP_FAILED;
            return;
        }
        coroutine_start(&w->co, stack, h->stacks.size, warp_main, w);
        w->state = WARP_READY;
    }
    coroutine_resume(&w->co);
    if (w->co.done) {
        stack_give(&h->stacks, w->co.stack);
        w->co.stack = NULL;
    }
}
