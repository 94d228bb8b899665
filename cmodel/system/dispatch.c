/* Kernels one after the other; their thread blocks to SMs by registers, warps, shared memory and block slots. */
#include <stdio.h>

#include "system/sm_core.h"

static bool too_large(const struct sm_array *a, const char *what, uint32_t needs, const char *option, uint32_t has)
{
    return error_set(a->error, "%s: kernel %s: one thread block needs %u %s, but %s = %u", a->source->name,
                     a->kernel.name, needs, what, option, has);
}

static bool check_kernel(const struct sm_array *a)
{
    const struct config *c = a->c;
    if (!a->blocks || !a->block_warps)
        return error_set(a->error, "%s: kernel %s: an empty grid or thread block", a->source->name, a->kernel.name);
    if (a->block_warps > c->sm_warps) return too_large(a, "warps", a->block_warps, "sm.warps", c->sm_warps);
    if (a->block_registers > c->sm_registers)
        return too_large(a, "registers", a->block_registers, "sm.registers", c->sm_registers);
    if (a->kernel.shared_bytes > c->sm_shared_bytes)
        return too_large(a, "bytes of shared memory", a->kernel.shared_bytes, "sm.shared_bytes", c->sm_shared_bytes);
    return true;
}

static bool start_kernel(struct sm_array *a)
{
    enum source_status status = a->source->ops->next_kernel(a->source, &a->kernel, a->error);
    if (status == SOURCE_ERROR) return false;
    a->done = status == SOURCE_END;
    if (a->done) return true;
    a->running = a->dispatch = true;
    a->blocks = kernel_blocks(&a->kernel);
    a->next_block = a->finished_blocks = 0;
    a->block_warps = kernel_warps(&a->kernel);
    a->block_registers = a->kernel.regs_per_thread * WARP_SIZE * a->block_warps;
    return check_kernel(a);
}

static bool kernel_over(const struct sm_array *a)
{
    if (a->finished_blocks < a->blocks) return false;
    for (uint32_t i = 0; i < a->c->sm_count; i++)
        if (!sm_quiet(&a->sms[i])) return false;
    return a->port.empty(a->port.memory);
}

static void end_kernel(struct sm_array *a)
{
    a->running = false;
    a->env->stats->gpu_kernels++;
    for (uint32_t i = 0; a->c->l1d_flush && i < a->c->sm_count; i++) l1d_flush(a->sms[i].l1d);
}

static bool fits(const struct sm_array *a, const struct sm *sm)
{
    const struct config *c = a->c;
    return sm->blocks_used < c->sm_blocks && sm->warps_used + a->block_warps <= c->sm_warps &&
           sm->registers_used + a->block_registers <= c->sm_registers &&
           sm->shared_used + a->kernel.shared_bytes <= c->sm_shared_bytes;
}

static void account(struct sm *sm, bool in)
{
    const struct sm_array *a = sm->array;
    uint32_t sign = in ? 1 : UINT32_MAX; /* modulo 2^32: plus or minus */
    sm->blocks_used += sign;
    sm->warps_used += sign * a->block_warps;
    sm->registers_used += sign * a->block_registers;
    sm->shared_used += sign * a->kernel.shared_bytes;
}

static uint32_t free_warp(const struct sm *sm)
{
    return warp_first(~sm->resident);
}

static bool launch(struct sm_array *a, struct sm *sm)
{
    sm_catch_up(sm, a->env->sm_cycle);
    struct thread_block *b = sm->blocks;
    while (b->stream) b++;
    b->stream = a->source->ops->open_block(a->source, a->next_block, a->error);
    if (!b->stream) return false;
    a->next_block++;
    b->unfinished = b->running = a->block_warps;
    b->arrived = 0;
    account(sm, true);
    sm_wake(sm);
    for (uint32_t i = 0; i < a->block_warps; i++)
        if (!warp_start(sm, free_warp(sm), b, i)) return false;
    return true;
}

void dispatch_block_done(struct sm *sm, struct thread_block *b)
{
    struct sm_array *a = sm->array;
    a->source->ops->close_block(b->stream);
    b->stream = NULL;
    account(sm, false);
    a->finished_blocks++;
    a->env->stats->gpu_blocks++;
    a->dispatch = true;
}

/* Each SM in turn gets at most one block a cycle; the turn goes on behind the last one that got any. */
static bool place_blocks(struct sm_array *a)
{
    uint32_t first = a->next_sm;
    a->dispatch = false;
    for (uint32_t i = 0; i < a->c->sm_count && a->next_block < a->blocks; i++) {
        uint32_t n = (first + i) % a->c->sm_count;
        if (!fits(a, &a->sms[n])) continue;
        if (!launch(a, &a->sms[n])) return false;
        a->next_sm = (n + 1) % a->c->sm_count;
        a->dispatch = true;
    }
    return true;
}

bool dispatch_tick(struct sm_array *a)
{
    if (a->running && kernel_over(a)) end_kernel(a);
    if (!a->running && !a->done && !start_kernel(a)) return false;
    return !a->dispatch || place_blocks(a);
}
