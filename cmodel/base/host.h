/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the host.  A simulated cycle of a unit costs the host what it must bring into its first-level cache: the
 * state of all units together does not fit.  So a unit's struct begins with what every cycle reads, and starts on a
 * cache line of the host. */
#ifndef MEMTWIN_HOST_H
#define MEMTWIN_HOST_H
#include <stdlib.h>
#include <string.h>

#define HOST_LINE 64

/* malloc() and calloc() from a cache line of the host on; free() frees it. */
static inline void *host_malloc(size_t size)
{
    return aligned_alloc(HOST_LINE, (size + HOST_LINE - 1) / HOST_LINE * HOST_LINE);
}

static inline void *host_calloc(size_t count, size_t size)
{
    void *p = host_malloc(count * size);
    return p ? memset(p, 0, count * size) : NULL;
}
#endif
