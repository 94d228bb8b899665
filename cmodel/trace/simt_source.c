/* SPDX-License-Identifier: Apache-2.0 */
/* The source interface of kernels: opens thread blocks and runs their warps as far as the reader needs. */
#include <stdlib.h>
#include <string.h>

#include "trace/simt_internal.h"

static bool failed(const struct host *h, struct error *err)
{
    if (h->error.text[0]) error_set(err, "%s", h->error.text);
    return h->error.text[0];
}

static bool is_named(const struct host *h)
{
    return !*h->common.only || !strcmp(h->common.only, h->info.name);
}

/* The current launch. */
static bool wanted(const struct host *h)
{
    return is_named(h) && (!h->common.launches || h->wanted <= (uint32_t)h->common.launches);
}

/* The host program has reached the last launch that `launches` asks for. */
static bool are_read(const struct host *h)
{
    return h->common.launches && h->wanted >= (uint32_t)h->common.launches;
}

/* Advances to the next launch of the host program. */
static enum source_status next_launch(struct host *h, struct error *err)
{
    if (!h->ahead && !h->finished && !h->error.text[0]) host_resume(h);
    h->ahead = false;
    if (h->finished && !h->wanted && *h->common.only)
        error_set(&h->error, "%s: only: found no kernel \"%s\", the last one is \"%s\"", h->def->name, h->common.only,
                  h->info.name);
    if (failed(h, err)) return SOURCE_ERROR;
    h->wanted += !h->finished && is_named(h);
    return h->finished ? SOURCE_END : SOURCE_OK;
}

static void free_block(struct block_stream *b)
{
    for (uint32_t i = 0; i < b->warps; i++) free(b->warp[i].data);
    free(b->shared);
    free(b);
}

static void free_blocks(struct host *h)
{
    while (h->free_blocks) {
        struct block_stream *b = h->free_blocks;
        h->free_blocks = b->next_free;
        free_block(b);
    }
}

static struct block_stream *new_block(struct host *h, uint32_t warps)
{
    if (h->free_warps != warps) free_blocks(h);
    h->free_warps = warps;
    struct block_stream *b = h->free_blocks;
    if (b) {
        h->free_blocks = b->next_free;
    } else {
        b = calloc(1, sizeof *b + warps * sizeof b->warp[0]);
        if (!b) return NULL;
    }
    b->warps = warps;
    b->shared = h->launch.shared_bytes ? calloc(1, h->launch.shared_bytes) : NULL;
    if (b->shared || !h->launch.shared_bytes) return b;
    free_block(b);
    return NULL;
}

static struct block_stream *open_block(struct source *s, uint32_t index, struct error *err)
{
    struct host *h = (struct host *)s;
    const struct kernel_info *k = &h->info;
    if (failed(h, err)) return NULL;
    if (!h->launched_before || h->finished || index >= kernel_blocks(k)) {
        error_set(err, "%s: there is no thread block %u to open", h->def->name, index);
        return NULL;
    }
    struct block_stream *b = new_block(h, kernel_warps(k));
    if (!b) {
        error_set(err, "%s: no memory for another thread block", h->def->name);
        return NULL;
    }
    b->host = h;
    b->at[0] = index % k->grid[0];
    b->at[1] = index / k->grid[0] % k->grid[1];
    b->at[2] = index / k->grid[0] / k->grid[1];
    b->waiting = b->done = 0;
    for (uint32_t i = 0; i < b->warps; i++) {
        struct warp *w = &b->warp[i];
        w->block = b;
        w->launch = &h->launch;
        w->index = i;
        warp_reset(w);
    }
    h->open_blocks++;
    return b;
}

static void close_block(struct block_stream *b)
{
    struct host *h = b->host;
    for (uint32_t i = 0; i < b->warps; i++) {
        struct warp *w = &b->warp[i];
        if (w->co.stack) stack_give(&h->stacks, w->co.stack); /* closed before its end */
        w->co.stack = NULL;
        if (w->capacity > 32 * SIMT_BATCH) { /* buffer for a long way to a barrier */
            free(w->data);
            w->data = NULL;
            w->capacity = 0;
        }
    }
    free(b->shared);
    b->shared = NULL;
    b->next_free = h->free_blocks;
    h->free_blocks = b;
    h->open_blocks--;
}

/* Resumes a warp and updates the block's counts of waiting and finished warps. */
static void advance(struct warp *w, uint32_t pause_at)
{
    warp_run(w, pause_at);
    w->block->waiting += w->state == WARP_AT_BARRIER;
    w->block->done += w->state == WARP_DONE;
}

/* Opens the barrier: warps that have not arrived run ahead to it. */
static void pass_barrier(struct block_stream *b)
{
    for (uint32_t i = 0; i < b->warps; i++) {
        while (b->warp[i].state == WARP_NEW || b->warp[i].state == WARP_READY) advance(&b->warp[i], UINT32_MAX);
        if (b->warp[i].state == WARP_FAILED) return;
    }
    for (uint32_t i = 0; i < b->warps; i++) {
        if (b->warp[i].state == WARP_AT_BARRIER) b->warp[i].state = WARP_READY;
    }
    b->waiting = 0;
}

static void decode(struct warp *w, struct inst *inst)
{
    const uint8_t *at = w->data + w->head;
    memcpy(inst, at, RECORD_HEAD);
    inst->strided = false;
    w->head += RECORD_HEAD;
    if (!inst_is_memory(inst->op)) return;
    struct record_addr addr;
    memcpy(&addr, at + RECORD_HEAD, sizeof addr);
    w->head += sizeof addr;
    for (uint32_t l = 0; l < WARP_SIZE; l++) inst->addr[l] = addr.base + addr.offset[l];
    inst_clear_inactive(inst);
}

/* Produces instructions for a warp with an empty buffer; false: finished, or an error. */
static bool refill(struct warp *w)
{
    while (w->head == w->tail) {
        w->head = w->tail = 0;
        if (w->state == WARP_DONE || w->state == WARP_FAILED || w->block->host->error.text[0]) return false;
        if (w->state == WARP_AT_BARRIER) pass_barrier(w->block);
        if (w->state == WARP_NEW || w->state == WARP_READY) advance(w, SIMT_BATCH);
    }
    return true;
}

static enum source_status next_inst(struct block_stream *b, uint32_t warp, struct inst *inst, struct error *err)
{
    struct warp *w = &b->warp[warp];
    if (w->head == w->tail && !refill(w)) return failed(b->host, err) ? SOURCE_ERROR : SOURCE_END;
    decode(w, inst);
    return SOURCE_OK;
}

static void close_source(struct source *s)
{
    struct host *h = (struct host *)s;
    free_blocks(h);
    stack_pool_free(&h->stacks);
    if (h->co.stack) stack_give(&h->host_stacks, h->co.stack);
    stack_pool_free(&h->host_stacks);
    while (h->memory) {
        struct host_memory *m = h->memory;
        h->memory = m->next;
        free(m);
    }
    free(s->allocations);
    free(h);
}

static bool execute_block(struct host *h, uint32_t index, struct error *err)
{
    struct block_stream *b = open_block(&h->source, index, err);
    if (!b) return false;
    while (b->done < b->warps && !h->error.text[0]) pass_barrier(b);
    close_block(b);
    return !failed(h, err);
}

/* Executes the current launch without recording instructions. */
static bool execute_launch(struct host *h, struct error *err)
{
    const bool record = h->record;
    bool ok = true;
    h->record = false;
    for (uint32_t i = 0; ok && i < kernel_blocks(&h->info); i++) ok = execute_block(h, i, err);
    h->record = record;
    return ok;
}

static enum source_status next_kernel(struct source *s, struct kernel_info *info, struct error *err)
{
    struct host *h = (struct host *)s;
    enum source_status status = SOURCE_END;
    if (h->open_blocks)
        error_set(&h->error, "%s: next kernel asked for while %u thread blocks are open", h->def->name, h->open_blocks);
    while (!h->left && (status = next_launch(h, err)) == SOURCE_OK && !wanted(h)) {
        h->left = are_read(h);
        if (!h->left && !execute_launch(h, err)) return SOURCE_ERROR;
    }
    if (h->left) return SOURCE_END;
    if (status == SOURCE_OK) *info = h->info;
    return status;
}

const struct source_ops simt_source_ops = {next_kernel, open_block, next_inst, close_block, close_source, NULL, NULL};

bool kernel_execute(struct source *source, struct error *err)
{
    struct host *h = (struct host *)source;
    enum source_status status;
    while ((status = next_launch(h, err)) == SOURCE_OK)
        if (!execute_launch(h, err)) return false;
    return status == SOURCE_END;
}
