/* SPDX-License-Identifier: Apache-2.0 */
/* Runs kernels in order; dispatches their thread blocks to SMs by registers, warps, shared memory and block slots. */
#include "system/sm/dispatch.h"

#include "system/cache/constant.h"
#include "system/config/bypass_kind.h"
#include "system/sm/block_dispatch.h"
#include "system/sm/block_partition.h"
#include "system/sm/share.h"
#include "system/sm/sm.h"
#include "system/sm/split.h"
#include "system/sm/streams.h"
#include "system/sm/turns.h"
#include "system/sm/warp.h"

enum { BLOCK_TIME = 100 }; /* parts of an SM cycle in which sm.block_interval counts */

static bool too_large(const struct sm_array *a, const struct workload *k, const char *what, uint32_t needs,
                      const char *option, uint32_t has)
{
    return error_set(a->error, "%s: kernel %s: one thread block needs %u %s, but %s = %u", k->source->name,
                     k->kernel.name, needs, what, option, has);
}

static bool check_kernel(const struct sm_array *a, const struct workload *k)
{
    const struct config *c = a->c;
    if (!k->blocks || !k->block_warps)
        return error_set(a->error, "%s: kernel %s: an empty grid or thread block", k->source->name, k->kernel.name);
    if (k->block_warps > c->sm_warps) return too_large(a, k, "warps", k->block_warps, "sm.warps", c->sm_warps);
    if (k->block_registers > c->sm_registers)
        return too_large(a, k, "registers", k->block_registers, "sm.registers", c->sm_registers);
    if (k->kernel.shared_bytes > c->sm_shared_bytes)
        return too_large(a, k, "bytes of shared memory", k->kernel.shared_bytes, "sm.shared_bytes", c->sm_shared_bytes);
    return true;
}

static enum source_status next_kernel(struct sm_array *a, struct workload *k)
{
    return k->source->ops->next_kernel(k->source, &k->kernel, a->error);
}

static enum source_status restart(struct sm_array *a, struct workload *k)
{
    struct source *source = a->setup.restart(a->setup.context, k->number, a->error);
    if (!source) return SOURCE_ERROR;
    k->source = source;
    k->stats.restarts++;
    k->kernels_started = 0;
    enum source_status status = next_kernel(a, k);
    if (status == SOURCE_END) error_set(a->error, "%s: found no kernel in it at its restart", source->name);
    return status == SOURCE_OK ? SOURCE_OK : SOURCE_ERROR;
}

static void note_needs(struct workload *k)
{
    raise_to(&k->stats.block_warps, k->block_warps);
    raise_to(&k->stats.block_registers, k->block_registers);
    raise_to(&k->stats.block_shared, k->kernel.shared_bytes);
}

/* An SM with a lower limit than the group size gets its limit; otherwise it would wait forever. */
static void note_together(const struct sm_array *a, struct workload *k)
{
    k->together = min_u32(a->dispatch->together ? a->dispatch->together : 1, partition_most(a, k));
}

/* The host's copies in front of this kernel.  The kernels of all streams share the source's list. */
static void copy_in(struct sm_array *a, struct workload *k)
{
    const struct source *s = k->source;
    const uint32_t kernel = a->streams ? streams_kernel(a, k) : k->kernels_started;
    uint32_t *made = &a->workload[a->streams ? 0 : k->number].copied;
    const uint32_t count = s->copies ? s->copy_count : s->allocation_count;
    for (; *made < count && (!s->copies || s->copies[*made].kernel <= kernel); ++*made) {
        const struct allocation *all = &s->allocations[*made];
        const struct host_copy copy = s->copies ? s->copies[*made] : (struct host_copy){all->addr, all->bytes, 0};
        if (copy.bytes) a->setup.copied(a->setup.machine, &copy);
    }
}

static bool start_kernel(struct sm_array *a, struct workload *k)
{
    enum source_status status = next_kernel(a, k);
    if (status == SOURCE_END && a->c->cke_cycles && a->setup.restart) status = restart(a, k);
    if (status == SOURCE_ERROR) return false;
    k->done = status == SOURCE_END;
    if (k->done) {
        k->stats.ended = a->env->sm_cycle + 1;
        turns_next(a);
    }
    if (k->done || k->stats.kernels)
        SM_EACH (l, &a->events, kernel_ended) l->hooks->kernel_ended(l->state, a, k);
    if (k->done) return true;
    if (a->setup.copied) copy_in(a, k);
    if (a->streams) streams_started(a, k);
    if (a->setup.kernel_starts && !k->number) a->setup.kernel_starts(a->setup.machine, &k->kernel);
    k->kernels_started++;
    k->running = k->dispatch = true;
    k->launched = a->env->sm_cycle + a->c->sm_launch_cycles;
    k->blocks = kernel_blocks(&k->kernel);
    k->next_block = k->finished_blocks = 0;
    k->block_warps = kernel_warps(&k->kernel);
    k->block_registers = k->kernel.regs_per_thread * WARP_SIZE * k->block_warps;
    note_needs(k);
    if (!check_kernel(a, k)) return false;
    note_together(a, k);
    split_kernel(a, k);
    SM_EACH (l, &a->events, kernel_started)
        if (!l->hooks->kernel_started(l->state, a, k)) return false;
    return true;
}

static bool all_quiet(const struct sm_array *a)
{
    for (uint32_t i = 0; i < a->c->sm_count; i++)
        if (!sm_quiet(&a->sms[i])) return false;
    return a->port.empty(a->port.memory);
}

/* A workload alone ends when nothing is in flight anywhere.  A concurrent workload ends when nothing of its own is: its
 * loads have returned when its thread blocks finish, its stores when they are acknowledged. */
static bool kernel_over(const struct sm_array *a, const struct workload *k)
{
    if (k->finished_blocks < k->blocks) return false;
    return a->workloads > 1 ? !k->writes : all_quiet(a);
}

/* Flushes its lines from every L1D; other workloads keep theirs.  Streams share all lines. */
static void flush_lines(struct sm_array *a, const struct workload *k)
{
    if (!a->streams) share_flush(a, k);
    for (uint32_t i = 0; !a->streams && i < a->c->sm_count; i++) constant_flush_workload(a->sms[i].constant, k->number);
    for (uint32_t i = 0; a->streams && i < a->c->sm_count; i++) constant_flush(a->sms[i].constant);
    for (uint32_t i = 0; a->streams && i < a->c->sm_count; i++) l1d_flush_where(a->sms[i].front.l1d, 0, 0);
    for (uint32_t i = 0; i < a->c->sm_count; i++)
        if (l1d_flush_workload(a->sms[i].front.l1d, k->number)) sm_wake_memory(&a->sms[i]);
}

static void end_kernel(struct sm_array *a, struct workload *k)
{
    k->running = false;
    a->env->stats->gpu_kernels++;
    k->stats.kernels++;
    if (a->streams) streams_ended(a, k);
    if (!a->c->l1d_flush) return;
    if (a->workloads > 1)
        flush_lines(a, k);
    else
        for (uint32_t i = 0; i < a->c->sm_count; i++) {
            l1d_flush(a->sms[i].front.l1d);
            constant_flush(a->sms[i].constant);
        }
}

static uint32_t free_warp(const struct sm *sm)
{
    return warp_first(~sm->resident);
}

/* With l1d.bypass.mode = blocks: whether fewer thread blocks of the workload bypass than configured. */
static bool goes_around(const struct sm *sm, const struct workload *k)
{
    const struct bypass_kind *kind = sm->array->bypass;
    uint32_t around = 0;
    for (uint32_t i = 0; kind->blocks && i < sm->array->c->sm_blocks; i++)
        around += sm->blocks[i].stream && sm->blocks[i].workload == k && sm->blocks[i].around;
    return kind->blocks && around < kind->blocks(sm->array->c, k->number);
}

/* The first cycle in which a thread block of the kernel may start. */
static uint64_t next_start(const struct sm_array *a, const struct workload *k)
{
    return max_u64(k->launched, a->next_start / BLOCK_TIME);
}

/* A thread block starts.  One that did not wait takes the place of one that would have started in this cycle. */
static void count_start(struct sm_array *a)
{
    const uint64_t now = a->env->sm_cycle;
    if (a->next_start / BLOCK_TIME < now) a->next_start = now * BLOCK_TIME;
    a->next_start += a->c->sm_block_interval;
}

struct thread_block *block_launch(struct sm_array *a, struct workload *k, struct sm *sm, uint32_t block)
{
    count_start(a);
    sm_catch_up(sm, a->env->sm_cycle);
    if (!sm->blocks_used) split_sm(sm);
    struct thread_block *b = sm->blocks;
    while (b->stream) b++;
    b->around = goes_around(sm, k);
    b->workload = k;
    b->stream = k->source->ops->open_block(k->source, block, a->error);
    if (!b->stream) return NULL;
    b->number = block;
    k->next_block++;
    b->unfinished = b->running = k->block_warps;
    b->arrived = 0;
    share_take(sm, k);
    sm_wake(sm);
    for (uint32_t i = 0; i < k->block_warps; i++)
        if (!warp_start(sm, free_warp(sm), b, i)) return NULL;
    SM_EACH (l, &a->events, block_started) l->hooks->block_started(l->state, sm, b);
    return b;
}

static uint32_t with_room(const struct sm_array *a, const struct workload *k, struct sm_set *able)
{
    uint32_t count = 0;
    *able = (struct sm_set){0};
    for (uint32_t i = 0; i < a->c->sm_count; i++) {
        const uint32_t blocks = share_group(&a->sms[i], k);
        if (!blocks || !share_fits(&a->sms[i], k, blocks)) continue;
        able->bits[i / 64] |= (uint64_t)1 << (i % 64);
        count++;
    }
    return count;
}

static bool place_blocks(struct sm_array *a, struct workload *k)
{
    struct sm_set able;
    uint32_t rooms = with_room(a, k, &able);
    k->dispatch = rooms && k->next_block < k->blocks;
    for (; rooms && k->next_block < k->blocks && next_start(a, k) <= a->env->sm_cycle; rooms--) {
        uint32_t n = a->dispatch->choose(a, k, &able);
        for (uint32_t left = share_group(&a->sms[n], k); left; left--)
            /* mutant: false -> true: the error is set, and ends the run with the same message at the end of the tick */
            if (!block_launch(a, k, &a->sms[n], k->next_block)) return false;
        k->next_sm = (n + 1) % a->c->sm_count;
        able.bits[n / 64] &= ~((uint64_t)1 << (n % 64));
    }
    return true;
}

static bool turn_kernel(struct sm_array *a, struct workload *k)
{
    if (k->running && kernel_over(a, k)) end_kernel(a, k);
    return k->running || !workload_is_here(k) || start_kernel(a, k);
}

/* A finished workload may be followed by one with a lower number. */
static bool turn_kernels(struct sm_array *a)
{
    bool again = true;
    while (again) {
        again = false;
        /* mutant: false -> true: as below */
        if (a->streams && !streams_launch(a)) return false;
        for (uint32_t w = 0; w < a->workloads; w++)
            /* mutant: false -> true: the error is set, and ends the run with the same message at the end of the tick */
            if (!turn_kernel(a, &a->workload[w])) return false;
        for (uint32_t w = 0; w < a->workloads; w++)
            again |= workload_is_here(&a->workload[w]) && !a->workload[w].running;
        again |= streams_wait(a);
    }
    return true;
}

static bool dispatch_kernel(struct sm_array *a, struct workload *k)
{
    if (!k->dispatch || next_start(a, k) > a->env->sm_cycle) return true;
    if (!a->dispatch_state) return place_blocks(a, k);
    if (k->next_block < k->blocks) return a->dispatch->place(a->dispatch_state, a, k);
    k->dispatch = false;
    return true;
}

bool dispatch_all_run(const struct sm_array *a)
{
    bool any = false;
    for (uint32_t w = 0; w < a->workloads; w++) {
        const struct workload *k = &a->workload[w];
        if (k->waits && a->streams) continue; /* until another kernel ends */
        if (!k->running || k->dispatch || k->finished_blocks == k->blocks) return false;
        any = true;
    }
    return any;
}

/* All kernels start before the first thread block: a partition may depend on all of them. */
bool dispatch_tick(struct sm_array *a)
{
    bool done = true;
    if (dispatch_all_run(a)) return true;
    if (!turn_kernels(a)) return false;
    for (uint32_t w = 0; w < a->workloads; w++) {
        if (!dispatch_kernel(a, &a->workload[a->order[w]])) return false;
        done &= a->workload[w].done;
    }
    a->done = done && all_quiet(a);
    return true;
}

uint64_t dispatch_wake(const struct sm_array *a)
{
    uint64_t wake = NEVER;
    for (uint32_t w = 0; w < a->workloads; w++) {
        const struct workload *k = &a->workload[w];
        if (k->dispatch && k->next_block < k->blocks) wake = min_u64(wake, next_start(a, k));
    }
    return wake == NEVER ? NEVER : max_u64(wake, a->env->sm_cycle + 1);
}
