/* SPDX-License-Identifier: Apache-2.0 */
#include "trace/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

const char *name_fault(const char *name)
{
    size_t length = strlen(name);
    if (length && (name[0] == ' ' || name[length - 1] == ' ')) return "a name that begins or ends with a space";
    for (const char *c = name; *c; c++) {
        if (*c < ' ' || *c > '~') return "a name with characters other than printable ASCII";
    }
    return NULL;
}

/* Product of three dimensions if it is in 1..limit, else 0. */
static uint64_t volume(const uint32_t *d, uint64_t limit)
{
    uint64_t product = 1;
    for (int i = 0; i < 3; i++) {
        product *= d[i];
        if (product == 0 || product > limit) return 0;
    }
    return product;
}

const char *kernel_fault(const struct kernel_info *kernel)
{
    if (!kernel->name[0]) return "a kernel without a name";
    if (!volume(kernel->grid, TRACE_MAX_BLOCKS)) return "a grid of 0 or more than 2147483647 thread blocks";
    if (!volume(kernel->block, TRACE_MAX_THREADS)) return "a thread block of 0 or more than 2048 threads";
    if (kernel->shared_bytes > TRACE_MAX_SHARED) return "more than 16 MiB of shared memory per thread block";
    return name_fault(kernel->name);
}

const char *allocation_fault(const struct allocation *allocation)
{
    if (!allocation->bytes) return "an allocation of 0 bytes";
    if (allocation->addr + (allocation->bytes - 1) < allocation->addr) return "an allocation beyond 2^64";
    if (allocation->pitch > allocation->bytes) return "a pitch of more bytes than the allocation has";
    return name_fault(allocation->name);
}

uint32_t trace_version(const struct source *source)
{
    for (uint32_t i = 0; i < source->allocation_count; i++)
        if (source->allocations[i].pitch) return TRACE_VERSION_PITCH;
    return TRACE_VERSION_FIRST;
}

const char *inst_op_name(uint8_t op)
{
    static const char *const names[INST_OPS] = {"sp",          "sfu",          "load",    "store",  "atomic",
                                                "shared_load", "shared_store", "barrier", "exit",   "load_l2",
                                                "copy",        "copy_l2",      "commit",  "wait",   "arrive",
                                                "await",       "int",          "dp",      "tensor", "const_load"};
    return op < INST_OPS ? names[op] : "unknown";
}

uint32_t kernel_lanes(const struct kernel_info *kernel, uint32_t warp)
{
    uint32_t left = kernel_threads(kernel) - warp * WARP_SIZE;
    return left >= WARP_SIZE ? 0xffffffffu : (1u << left) - 1;
}

void name_copy(char *to, size_t size, const char *from, size_t length)
{
    while (length && *from == ' ') from++, length--;
    if (length > size - 1) length = size - 1;
    while (length && from[length - 1] == ' ') length--;
    for (size_t i = 0; i < length; i++) to[i] = (char)(from[i] < ' ' || from[i] > '~' ? '_' : from[i]);
    to[length] = '\0';
}

void kernel_name_copy(struct kernel_info *kernel, const char *from)
{
    enum { DIGEST = 1 + 16, ROOM = sizeof kernel->name };
    from += strspn(from, " ");
    size_t length = strlen(from);
    while (length && from[length - 1] == ' ') length--;
    name_copy(kernel->name, length < ROOM ? ROOM : ROOM - DIGEST, from, length);
    if (length < ROOM) return;
    const size_t kept = strlen(kernel->name);
    snprintf(kernel->name + kept, ROOM - kept, "~%016" PRIx64, (uint64_t)XXH3_64bits(from, length));
}

void name_from_path(char *to, size_t size, const char *path)
{
    const size_t length = strlen(path);
    if (length >= size) path += length - size + 1;
    while ((*path & 0xc0) == 0x80) path++; /* the rest of a UTF-8 character */
    snprintf(to, size, "%s", path);
    text_escape(to, size);
}

bool source_allocate(struct source *source, const struct allocation *allocation, const char *place, struct error *err)
{
    const char *fault = allocation_fault(allocation);
    if (fault) return error_set(err, "%s: found %s", place, fault);
    uint32_t n = source->allocation_count;
    if (n >= TRACE_MAX_ALLOCATIONS)
        return error_set(err, "%s: found more than %u allocations", place, TRACE_MAX_ALLOCATIONS);
    if ((n & (n - 1)) == 0) { /* grows at every power of two */
        struct allocation *grown = realloc(source->allocations, sizeof *grown * (n ? 2 * n : 1));
        if (!grown) return error_set(err, "%s: out of memory", place);
        source->allocations = grown;
    }
    source->allocations[source->allocation_count++] = *allocation;
    return true;
}
