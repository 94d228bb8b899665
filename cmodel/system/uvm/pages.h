/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of unified memory: numbers, states, waiting SMs, and the laws that hold with every policy.
 *
 * Numbers: allocations are numbered in address order.  Each starts in its own 2 MiB tree and keeps its address modulo
 * 2 MiB.  So page >> 4 is a 64 KiB block, page >> 9 a 2 MiB tree, and neither is shared by two allocations.  An
 * allocation has the pages from the start of its first 64 KiB block to its last byte.
 *
 * States: HOST -> COMING -> DEVICE -> LEAVING -> HOST.  A page owns a frame of device memory from its grant, in state
 * COMING, until it is HOST again.  Every step checks the laws in constant time; pages_audit() checks all of them.  The
 * first violation is in `broken`. */
#ifndef MEMTWIN_PAGES_H
#define MEMTWIN_PAGES_H
#include "system/unit/gpu.h"
#include "system/uvm/uvm_lru.h"
#include "trace/source.h"

enum {
    PAGES_PER_BLOCK = 16,
    PAGES_PER_TREE = 512,
    BLOCK_SHIFT = 4, /* page >> BLOCK_SHIFT is its 64 KiB block */
    TREE_SHIFT = 9   /* page >> TREE_SHIFT its 2 MiB tree */
};

enum page_state { PAGE_HOST, PAGE_COMING, PAGE_DEVICE, PAGE_LEAVING, PAGE_STATES };

struct page {
    uint64_t waiting;   /* SMs that wait for it */
    uint32_t pins;      /* requests in flight between an L1D's miss queue and their response */
    uint32_t departure; /* LEAVING: number of its departure (uvm_core.h) */
    uint8_t state;      /* enum page_state */
    bool fault;         /* it has a far-fault, neither handled nor skipped yet */
    bool framed;        /* COMING with a frame: it will arrive */
    bool dirty;         /* written since its arrival */
    bool prefetched;    /* no SM waited when it was requested, and none has used it since */
    bool first_use;     /* an SM waited for it, and none has used it since its arrival: not a victim */
    bool dropped;       /* LEAVING, and its lines have left all caches */
    bool left_before;   /* it was in device memory before */
    uint8_t put_off;    /* reason of an eviction that had to be delayed (uvm_core.h); 0: none */
};

/* One allocation. */
struct page_group {
    char name[32];
    uint64_t address;      /* of its first page, in bytes */
    uint32_t first, count; /* page count */
};

struct pages {
    const struct env *env;
    struct page *page;
    uint32_t count; /* page numbers are below; numbers between allocations are unused */
    struct page_group *groups;
    uint32_t group_count;
    uint8_t *group_of_tree;
    uint32_t footprint; /* pages of all allocations */
    uint32_t capacity;  /* frames of device memory */

    uint32_t in_state[PAGE_STATES];
    uint32_t granted; /* COMING pages with a frame */
    uint32_t answers; /* waiting requests, over all pages and SMs */
    uint64_t arrivals, departures, peak;

    uint32_t lru_shift; /* unit of `lru`: pages (0), blocks or trees; listed if it has pages in device memory */
    struct lru lru;
    uint32_t *listed; /* pages in device memory, by unit */
    uint32_t *device; /* unordered list of pages in device memory; `place` is the index of a page */
    uint32_t *place;

    struct error broken;
};

/* Numbers the pages of `source`'s allocations.  NULL and an error: no allocation, two in one 64 KiB block, or too
 * many for the tables. */
struct pages *pages_create(const struct env *env, const struct source *source, uint32_t lru_shift, struct error *err);
void pages_destroy(struct pages *p);

/* Page number of a byte address; UINT32_MAX: none. */
uint32_t pages_find(const struct pages *p, uint64_t address);
uint64_t pages_address(const struct pages *p, uint32_t page);
static inline const struct page_group *pages_group(const struct pages *p, uint32_t page)
{
    return &p->groups[p->group_of_tree[page >> TREE_SHIFT]];
}
/* Whether the page number is in use. */
static inline bool pages_exist(const struct pages *p, uint32_t page)
{
    const struct page_group *g = page < p->count ? pages_group(p, page) : NULL;
    return g && page >= g->first && page - g->first < g->count;
}
/* Sorts a list of pages; end of the run of adjacent pages in one group that starts at list[i]. */
void pages_sort(uint32_t *list, uint32_t count);
uint32_t pages_run(const struct pages *p, const uint32_t *list, uint32_t count, uint32_t i);

/* Free frames. */
static inline uint32_t pages_free(const struct pages *p)
{
    return p->capacity - p->granted - p->in_state[PAGE_DEVICE] - p->in_state[PAGE_LEAVING];
}
/* Free frames less those that COMING pages still need; at least 0. */
static inline uint32_t pages_available(const struct pages *p)
{
    uint32_t held = p->in_state[PAGE_COMING] + p->in_state[PAGE_DEVICE] + p->in_state[PAGE_LEAVING];
    return held < p->capacity ? p->capacity - held : 0;
}
/* Whether it may be evicted. */
static inline bool pages_evictable(const struct pages *p, uint32_t page)
{
    const struct page *g = &p->page[page];
    return g->state == PAGE_DEVICE && !g->first_use && !g->waiting;
}

/* Whether a page of the 64 KiB block is COMING or LEAVING.  Such a block is not evicted, because it would leave in
 * pieces. */
bool pages_under_way(const struct pages *p, uint32_t block);

/* State transitions.  `demand`: a requester waits for the page. */
void pages_coming(struct pages *p, uint32_t page, bool demand);
void pages_grant(struct pages *p, uint32_t first, uint32_t count); /* grants frames: the pages will arrive */
void pages_arrive(struct pages *p, uint32_t page);
void pages_leave(struct pages *p, uint32_t page);
void pages_gone(struct pages *p, uint32_t page);

/* An SM starts to wait for the page; an SM gets its answer. */
void pages_wait(struct pages *p, uint32_t page, uint32_t sm);
void pages_answer(struct pages *p, uint32_t page, uint32_t sm);
/* An access proceeds to the L1D. */
void pages_use(struct pages *p, uint32_t page);
void pages_pin(struct pages *p, uint32_t page);
void pages_unpin(struct pages *p, uint32_t page);

/* Records a broken law and the state of the page; keeps the first. */
void pages_break(struct pages *p, uint32_t page, const char *law);
/* Audits every page and count.  If nothing may be in flight, also that no SM waits and no pin is held. */
bool pages_audit(struct pages *p, bool quiet);
#endif
