#include "system/uvm_policy.h"

#include <stddef.h>
#include <string.h>

/* The linker delimits what registered itself. */
extern const struct prefetcher *const __start_memtwin_prefetchers[], *const __stop_memtwin_prefetchers[];
extern const struct eviction *const __start_memtwin_evictions[], *const __stop_memtwin_evictions[];

/* How many names come before it. */
static uint32_t prefetcher_rank(const struct prefetcher *p)
{
    uint32_t rank = 0;
    for (const struct prefetcher *const *q = __start_memtwin_prefetchers; q < __stop_memtwin_prefetchers; q++)
        rank += strcmp((*q)->name, p->name) < 0;
    return rank;
}

static uint32_t eviction_rank(const struct eviction *p)
{
    uint32_t rank = 0;
    for (const struct eviction *const *q = __start_memtwin_evictions; q < __stop_memtwin_evictions; q++)
        rank += strcmp((*q)->name, p->name) < 0;
    return rank;
}

const struct prefetcher *uvm_prefetcher(uint32_t i)
{
    for (const struct prefetcher *const *p = __start_memtwin_prefetchers; p < __stop_memtwin_prefetchers; p++)
        if (prefetcher_rank(*p) == i) return *p;
    return NULL;
}

const struct eviction *uvm_eviction(uint32_t i)
{
    for (const struct eviction *const *p = __start_memtwin_evictions; p < __stop_memtwin_evictions; p++)
        if (eviction_rank(*p) == i) return *p;
    return NULL;
}

const char *uvm_prefetcher_name(uint32_t i)
{
    const struct prefetcher *p = uvm_prefetcher(i);
    return p ? p->name : NULL;
}

const char *uvm_eviction_name(uint32_t i)
{
    const struct eviction *p = uvm_eviction(i);
    return p ? p->name : NULL;
}
