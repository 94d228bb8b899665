/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of unified memory: which number each has, on which side it is, who waits for it, and the laws that no
 * machine may break whatever its policies are.
 *
 * Numbers: the workload's allocations in the order of their addresses, each beginning in a 2 MiB tree of its own and
 * keeping its address modulo 2 MiB.  So page >> 4 is a 64 KiB block and page >> 9 a 2 MiB tree, and neither belongs to
 * two allocations.  An allocation has the pages from the beginning of its first 64 KiB block to its last byte.
 *
 * A page goes HOST -> COMING -> DEVICE -> LEAVING -> HOST.  It holds a frame of device memory from its grant, while it
 * is COMING, until it is HOST again.  Every step checks the laws (constant time) and pages_audit() looks at all of
 * them; the first that is broken is in `broken`. */
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
    uint32_t pins;      /* requests on their way between an L1D's miss queue and their response */
    uint32_t departure; /* while it leaves: which (uvm_core.h) */
    uint8_t state;      /* enum page_state */
    bool fault;         /* it has a far-fault that the driver has neither handled nor skipped */
    bool framed;        /* it comes, and has its frame: it will be there soon */
    bool dirty;         /* written since it came */
    bool prefetched;    /* nobody waited for it when it was asked for, and nobody has used it since */
    bool first_use;     /* somebody waited for it, and nobody has used it since it came: no victim */
    bool dropped;       /* it leaves, and its lines are in no cache any more */
    bool left_before;   /* it was in device memory before */
    uint8_t put_off; /* it was handed out and could not be evicted yet: why it is to go (uvm_core.h); 0: it was not */
};

/* One allocation. */
struct page_group {
    char name[32];
    uint64_t address;      /* of its first page, in bytes */
    uint32_t first, count; /* its pages */
};

struct pages {
    const struct env *env;
    struct page *page;
    uint32_t count; /* numbers are below; those between allocations belong to no page */
    struct page_group *groups;
    uint32_t group_count;
    uint8_t *group_of_tree;
    uint32_t footprint; /* pages of all allocations */
    uint32_t capacity;  /* pages that device memory holds */

    uint32_t in_state[PAGE_STATES];
    uint32_t granted; /* COMING pages that have a frame */
    uint32_t answers; /* requests that wait, over all pages and SMs */
    uint64_t arrivals, departures, peak;

    uint32_t lru_shift; /* what `lru` lists: pages (0), blocks, or trees that have pages in device memory */
    struct lru lru;
    uint32_t *listed; /* of each such unit: its pages in device memory */
    uint32_t *device; /* the pages in device memory, in no order; `place` finds a page there */
    uint32_t *place;

    struct error broken;
};

/* Numbers the pages of `source`'s allocations.  NULL and an error: no allocation, two in one 64 KiB block, more than
 * the tables hold. */
struct pages *pages_create(const struct env *env, const struct source *source, uint32_t lru_shift, struct error *err);
void pages_destroy(struct pages *p);

/* The page of a byte address, or UINT32_MAX. */
uint32_t pages_find(const struct pages *p, uint64_t address);
uint64_t pages_address(const struct pages *p, uint32_t page);
static inline const struct page_group *pages_group(const struct pages *p, uint32_t page)
{
    return &p->groups[p->group_of_tree[page >> TREE_SHIFT]];
}
/* Is there a page of that number? */
static inline bool pages_exist(const struct pages *p, uint32_t page)
{
    const struct page_group *g = page < p->count ? pages_group(p, page) : NULL;
    return g && page >= g->first && page - g->first < g->count;
}
/* Sorts a list of pages; where the run of neighbours of one group that begins at list[i] ends. */
void pages_sort(uint32_t *list, uint32_t count);
uint32_t pages_run(const struct pages *p, const uint32_t *list, uint32_t count, uint32_t i);

/* Frames that nobody holds. */
static inline uint32_t pages_free(const struct pages *p)
{
    return p->capacity - p->granted - p->in_state[PAGE_DEVICE] - p->in_state[PAGE_LEAVING];
}
/* The same, less what COMING pages will still need; 0 if they need more than there is. */
static inline uint32_t pages_available(const struct pages *p)
{
    uint32_t held = p->in_state[PAGE_COMING] + p->in_state[PAGE_DEVICE] + p->in_state[PAGE_LEAVING];
    return held < p->capacity ? p->capacity - held : 0;
}
/* May it be evicted? */
static inline bool pages_evictable(const struct pages *p, uint32_t page)
{
    const struct page *g = &p->page[page];
    return g->state == PAGE_DEVICE && !g->first_use && !g->waiting;
}

/* Is a page of the 64 KiB block under way?  Such a block is not evicted: it would leave in pieces. */
bool pages_under_way(const struct pages *p, uint32_t block);

/* The steps of a page.  `demand`: somebody waits for it. */
void pages_coming(struct pages *p, uint32_t page, bool demand);
void pages_grant(struct pages *p, uint32_t first, uint32_t count); /* frames for these: they are under way */
void pages_arrive(struct pages *p, uint32_t page);
void pages_leave(struct pages *p, uint32_t page);
void pages_gone(struct pages *p, uint32_t page);

/* An SM waits for the page; it is answered. */
void pages_wait(struct pages *p, uint32_t page, uint32_t sm);
void pages_answer(struct pages *p, uint32_t page, uint32_t sm);
/* An access goes on to the L1D. */
void pages_use(struct pages *p, uint32_t page);
void pages_pin(struct pages *p, uint32_t page);
void pages_unpin(struct pages *p, uint32_t page);

/* A law is broken: what was found of the page.  Keeps the first. */
void pages_break(struct pages *p, uint32_t page, const char *law);
/* Looks at every page: are the counts right, and (if nothing may be in flight) does nobody wait or hold a pin? */
bool pages_audit(struct pages *p, bool quiet);
#endif
