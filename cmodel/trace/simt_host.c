/* SPDX-License-Identifier: Apache-2.0 */
/* The host side of a workload: its memory, its launches, its coroutine. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "trace/simt_internal.h"

#define FIRST_ADDRESS 0x10000000u
#define ADDRESS_LIMIT (1ull << 40)
#define CONSTANT_LIMIT 65536u
#define MAX_ARRAY (1ull << 32) /* bytes: offsets are recorded in 32 bits */

extern const struct source_ops simt_source_ops;

void host_fail(struct host *h, const char *format, ...)
{
    char text[768];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    error_set(&h->error, "%s: %s", h->def->name, text);
    for (;;) coroutine_yield(&h->co);
}

#define HUGE_PAGE ((uintptr_t)2 << 20)

/* Asks for huge pages under the whole ones of a block: fewer page faults, and fewer misses of the TLB.  Where there are
 * none, small pages do. */
static void take_huge_pages(void *block, size_t bytes)
{
    const uintptr_t begin = ((uintptr_t)block + HUGE_PAGE - 1) & -HUGE_PAGE;
    const uintptr_t end = ((uintptr_t)block + bytes) & -HUGE_PAGE;
    if (begin < end) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
}

void *host_alloc(struct host *h, uint64_t bytes)
{
    struct host_memory *m = bytes < ADDRESS_LIMIT ? calloc(1, sizeof *m + bytes) : NULL;
    if (!m) host_fail(h, "no memory for %llu bytes", (unsigned long long)bytes);
    take_huge_pages(m, sizeof *m + bytes);
    m->bytes = bytes;
    m->next = h->memory;
    h->memory = m;
    return m->data;
}

static void announce(struct host *h, const struct simt_array *a)
{
    struct source *s = &h->source;
    struct allocation *list = realloc(s->allocations, (s->allocation_count + 1) * sizeof *list);
    if (!list) host_fail(h, "no memory for the list of allocations");
    s->allocations = list;
    struct allocation *entry = &list[s->allocation_count++];
    *entry = (struct allocation){.addr = a->addr, .bytes = a->count * a->element_bytes};
    memcpy(entry->name, a->name, sizeof entry->name);
}

static struct simt_array *new_array(struct host *h, const char *name, uint64_t count, uint32_t element_bytes)
{
    if (h->array_count == sizeof h->arrays / sizeof h->arrays[0]) host_fail(h, "more than %u arrays", h->array_count);
    struct simt_array *a = host_alloc(h, sizeof *a);
    *a = (struct simt_array){.count = count, .element_bytes = element_bytes};
    snprintf(a->name, sizeof a->name, "%s", name);
    h->arrays[h->array_count++] = a;
    return a;
}

static uint64_t align_up(uint64_t addr, uint64_t align)
{
    return (addr + align - 1) / align * align;
}

static const struct simt_array *device_array(struct host *h, const char *name, uint64_t count, uint32_t element_bytes)
{
    if (h->launched_before) host_fail(h, "array %s is made after the first launch", name);
    if (!count || count > INT32_MAX || count * element_bytes > MAX_ARRAY) {
        host_fail(h, "array %s: found %llu elements of %u bytes, expected 1 to 2^31-1 and at most 4 GiB", name,
                  (unsigned long long)count, element_bytes);
    }
    uint64_t bytes = count * element_bytes;
    struct simt_array *a = new_array(h, name, count, element_bytes);
    a->host = host_alloc(h, bytes);
    a->addr = align_up(h->next_addr, (uint64_t)h->common.align);
    h->next_addr = a->addr + bytes;
    if (h->next_addr > ADDRESS_LIMIT) host_fail(h, "array %s: more than 2^40 bytes of device memory", name);
    announce(h, a);
    return a;
}

#define DEVICE(type, suffix, element)                                                                                  \
    type device_##suffix(struct host *h, const char *name, uint64_t count)                                             \
    {                                                                                                                  \
        const struct simt_array *a = device_array(h, name, count, sizeof(element));                                    \
        return (type){(element *)a->host, a};                                                                          \
    }
DEVICE(gf32, f32, float)
DEVICE(gi32, i32, int32_t)
DEVICE(gu32, u32, uint32_t)
DEVICE(gu8, u8, uint8_t)

/* The array announced last has rows of so many bytes. */
static void set_pitch(struct host *h, uint64_t bytes)
{
    h->source.allocations[h->source.allocation_count - 1].pitch = bytes;
}

gf32 device_f32_2d(struct host *h, const char *name, uint64_t rows, uint64_t columns)
{
    const gf32 v = device_f32(h, name, rows * columns);
    set_pitch(h, columns * sizeof(float));
    return v;
}

gi32 device_i32_2d(struct host *h, const char *name, uint64_t rows, uint64_t columns)
{
    const gi32 v = device_i32(h, name, rows * columns);
    set_pitch(h, columns * sizeof(int32_t));
    return v;
}

graw device_raw(struct host *h, const char *name, uint64_t count, uint32_t element_bytes)
{
    const struct simt_array *a = device_array(h, name, count, element_bytes);
    return (graw){a->host, a};
}

/* Not in the list of allocations, which are in global memory. */
craw constant_raw(struct host *h, const char *name, uint64_t count, uint32_t element_bytes)
{
    const uint64_t at = align_up(h->next_constant, 256);
    if (!count || count > CONSTANT_LIMIT || at + count * element_bytes > CONSTANT_LIMIT)
        host_fail(h, "array %s: found %llu elements of %u bytes at byte %llu of constant memory, which has %u bytes",
                  name, (unsigned long long)count, element_bytes, (unsigned long long)at, CONSTANT_LIMIT);
    struct simt_array *a = host_alloc(h, sizeof *a);
    *a = (struct simt_array){.addr = at, .count = count, .element_bytes = element_bytes};
    snprintf(a->name, sizeof a->name, "%s", name);
    a->host = host_alloc(h, count * element_bytes);
    h->next_constant = at + count * element_bytes;
    return (craw){a->host, a};
}

graw device_view(struct host *h, graw array, uint64_t count, uint32_t element_bytes)
{
    uint64_t bytes = array.array->count * array.array->element_bytes;
    if (count * element_bytes > bytes) {
        host_fail(h, "a view of %llu elements of %u bytes does not fit array %s of %llu bytes",
                  (unsigned long long)count, element_bytes, array.array->name, (unsigned long long)bytes);
    }
    struct simt_array *a = host_alloc(h, sizeof *a);
    *a = *array.array;
    a->count = count;
    a->element_bytes = element_bytes;
    return (graw){a->host, a};
}

struct rng *host_rng(struct host *h)
{
    return &h->rng;
}

int option(struct host *h, const char *name)
{
    for (int i = 0; i < KERNEL_MAX_OPTIONS && h->def->options[i].name; i++) {
        if (strcmp(h->def->options[i].name, name) == 0) return h->values[i];
    }
    host_fail(h, "its code uses option %s, which its definition does not list", name);
}

/* ---- Launches. ---- */

static void take_dimensions(uint32_t to[3], uint32_t launch[3])
{
    for (int i = 0; i < 3; i++) to[i] = launch[i] = launch[i] ? launch[i] : 1;
}

static void check_launch(struct host *h, const struct launch *l)
{
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    if (threads > 1024 || l->block[0] > 1024 || l->block[1] > 1024) {
        host_fail(h, "kernel %s: found %llu threads in a thread block, expected 1..1024", l->name,
                  (unsigned long long)threads);
    }
    if (l->grid[0] > INT32_MAX || l->grid[1] > UINT16_MAX || l->grid[2] > UINT16_MAX || blocks > INT32_MAX) {
        host_fail(h, "kernel %s: found %llu thread blocks, expected 1..2^31-1", l->name, (unsigned long long)blocks);
    }
    if (l->regs < SIMT_MIN_TEMPS + 1 || l->regs > SIMT_MAX_REGS) {
        host_fail(h, "kernel %s: found regs = %u, expected %d..%d", l->name, l->regs, SIMT_MIN_TEMPS + 1,
                  SIMT_MAX_REGS);
    }
}

void simt_launch(struct host *h, const struct launch *launch)
{
    h->launch = *launch;
    h->info = (struct kernel_info){.regs_per_thread = launch->regs, .shared_bytes = launch->shared_bytes};
    snprintf(h->info.name, sizeof h->info.name, "%s", launch->name);
    take_dimensions(h->info.grid, h->launch.grid);
    take_dimensions(h->info.block, h->launch.block);
    check_launch(h, &h->launch);
    h->launched_before = true;
    coroutine_yield(&h->co);
}

/* ---- Life. ---- */

static void host_main(void *arg)
{
    struct host *h = arg;
    h->state = host_alloc(h, h->def->state_bytes);
    h->def->host(h, h->state);
    h->finished = true;
    coroutine_yield(&h->co);
    struct error difference = {""}; /* separate from the source's error, which would take precedence */
    h->verified = h->def->check(h, h->state, &difference);
    if (!h->verified) host_fail(h, "%s", difference.text);
}

bool host_resume(struct host *h)
{
    coroutine_resume(&h->co);
    return !h->error.text[0];
}

static bool host_start(struct host *h)
{
    h->host_stacks.size = 1 << 20;
#ifdef __SANITIZE_ADDRESS__
    h->stacks.size = 1 << 20; /* for red zones, and because ASan does not share stack slots */
#else
    h->stacks.size = 64 << 10;
#endif
    void *stack = stack_take(&h->host_stacks);
    if (!stack) return error_set(&h->error, "%s: no memory for the host program's stack", h->def->name);
    coroutine_start(&h->co, stack, h->host_stacks.size, host_main, h);
    return host_resume(h);
}

struct host *host_open(const struct kernel_def *def, const int *values, const struct kernel_common *common,
                       uint64_t seed, struct error *err)
{
    struct host *h = calloc(1, sizeof *h);
    if (!h) {
        error_set(err, "%s: out of memory", def->name);
        return NULL;
    }
    h->source.ops = &simt_source_ops;
    h->def = def;
    memcpy(h->values, values, sizeof h->values);
    h->common = *common;
    rng_seed(&h->rng, seed);
    h->next_addr = FIRST_ADDRESS;
    h->record = true;
    if (host_start(h)) {
        h->ahead = true;
        return h;
    }
    error_set(err, "%s", h->error.text);
    simt_source_ops.close(&h->source);
    return NULL;
}
