#include "system/uvm/uvm_policy.h"

#include <stddef.h>
#include <string.h>

/* The linker delimits what registered itself. */
extern const struct prefetcher *const __start_memtwin_prefetchers[], *const __stop_memtwin_prefetchers[];
extern const struct eviction *const __start_memtwin_evictions[], *const __stop_memtwin_evictions[];

static size_t prefetchers(void)
{
    return (size_t)(__stop_memtwin_prefetchers - __start_memtwin_prefetchers);
}

static size_t evictions(void)
{
    return (size_t)(__stop_memtwin_evictions - __start_memtwin_evictions);
}

const struct prefetcher *uvm_prefetcher(uint32_t i)
{
    for (size_t k = 0; k < prefetchers(); k++) {
        uint32_t before = 0; /* names that come before this one */
        for (size_t n = 0; n < prefetchers(); n++)
            before += strcmp(__start_memtwin_prefetchers[n]->name, __start_memtwin_prefetchers[k]->name) < 0;
        if (before == i) return __start_memtwin_prefetchers[k];
    }
    return NULL;
}

const struct eviction *uvm_eviction(uint32_t i)
{
    for (size_t k = 0; k < evictions(); k++) {
        uint32_t before = 0;
        for (size_t n = 0; n < evictions(); n++)
            before += strcmp(__start_memtwin_evictions[n]->name, __start_memtwin_evictions[k]->name) < 0;
        if (before == i) return __start_memtwin_evictions[k];
    }
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
