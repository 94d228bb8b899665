/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations aligned to the host's cache lines.  The state of all units does not fit the host's L1 cache, so a
 * simulated cycle costs one miss for each line it accesses.  A unit's struct therefore starts on a cache line and
 * begins with the fields that every cycle reads. */
#ifndef MEMTWIN_HOST_H
#define MEMTWIN_HOST_H
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define HOST_LINE 64

/* As malloc() and calloc(), aligned to HOST_LINE.  Released by free(). */
static inline void *host_malloc(size_t size)
{
    return aligned_alloc(HOST_LINE, (size + HOST_LINE - 1) / HOST_LINE * HOST_LINE);
}

static inline void *host_calloc(size_t count, size_t size)
{
    void *p = host_malloc(count * size);
    return p ? memset(p, 0, count * size) : NULL;
}

/* Rounds up to a cache line.  For a large block from calloc(): unlike host_calloc(), calloc() does not write it, so
 * pages that are never accessed take no memory. */
static inline void *host_align(void *p)
{
    return (void *)(((uintptr_t)p + HOST_LINE - 1) / HOST_LINE * HOST_LINE);
}
#endif
