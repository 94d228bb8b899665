/* SPDX-License-Identifier: Apache-2.0 */
/* evict_coalescer: long runs against a plain list of blocks, oldest first (Gu20,
 * sections 4.3.2.2 and 4.5.5). */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "evict_coalescer.h"
#include "skip.h"

TWIN_CYCLE(evict_coalescer)

static struct evict_coalescer *table(uint32_t entries, uint32_t batch)
{
    const struct evict_coalescer_cfg cfg = {.Entries = entries, .PageW = 18, .Batch = batch};
    struct evict_coalescer *m = calloc(1, sizeof *m);
    cr_assert(m);
    evict_coalescer_init(m, &cfg);
    return m;
}

#define EXPIRE(block, n) .exp_valid_i = true, .exp_page_i = (uint64_t)(block) << 4 | (n)
#define ACCESS(block, n) .acc_valid_i = true, .acc_page_i = (uint64_t)(block) << 4 | (n)
#define TAKE .evict_ready_i = true
#define PRESS .press_valid_i = true
#define RECALL .recall_ready_i = true
#define CYCLE(m, ...) cycle(m, (struct evict_coalescer_in){__VA_ARGS__})
#define QUIET(m) cycle(m, (struct evict_coalescer_in){0})

Test(evict_coalescer, counters_saturate)
{
    struct evict_coalescer *m = table(1, 1);
    m->evicted_q = m->recalled_q = UINT32_MAX;
    CYCLE(m, EXPIRE(1, 3));
    CYCLE(m, PRESS);
    cr_expect(CYCLE(m, TAKE).evict_valid_o);
    CYCLE(m, EXPIRE(1, 3), TAKE);
    CYCLE(m, EXPIRE(1, 3), TAKE);
    CYCLE(m, ACCESS(1, 3));
    cr_expect(QUIET(m).recall_valid_o);
    cr_expect(m->evicted_q == UINT32_MAX && m->recalled_q == UINT32_MAX);
    free(m);
}

/* The plain table: blocks with expired pages, the one updated least recently first. */
enum { BLOCKS = 40, ENTRIES = 12, BATCH = 3 };
struct plain {
    uint32_t count, block[ENTRIES], pages[ENTRIES];
    uint32_t recall_block, recall_pages, told, called, evicted, recalled, cleared; /* the last five: pages */
    bool pend;
    uint32_t pend_page;
};

static uint32_t find(const struct plain *p, uint64_t block)
{
    uint32_t i = 0;
    while (i < p->count && p->block[i] != block) i++;
    return i;
}

static void leave(struct plain *p, uint32_t i)
{
    p->count--;
    for (; i < p->count; i++) {
        p->block[i] = p->block[i + 1];
        p->pages[i] = p->pages[i + 1];
    }
}

static void enter(struct plain *p, uint32_t block, uint32_t pages)
{
    p->block[p->count] = block;
    p->pages[p->count++] = pages;
}

static uint32_t ones(uint32_t v)
{
    return (uint32_t)__builtin_popcount(v);
}

static void plain_expire(struct plain *p, uint32_t page)
{
    const uint32_t i = find(p, page >> 4), bit = 1u << (page & 15);
    if (i < p->count) {
        if (p->pages[i] & bit) return;
        const uint32_t pages = p->pages[i] | bit;
        leave(p, i);
        enter(p, page >> 4, pages);
    } else if (p->count < ENTRIES) {
        enter(p, page >> 4, bit);
    } else {
        p->pend = true;
        p->pend_page = page;
    }
    p->told++;
}

/* Whether something went. */
static bool plain_clear(struct plain *p, uint32_t page)
{
    const uint32_t i = find(p, page >> 4), bit = 1u << (page & 15);
    if (p->recall_block == page >> 4 && (p->recall_pages & bit)) {
        p->recall_pages &= ~bit;
        p->cleared++;
    }
    if (i < p->count && (p->pages[i] & bit)) {
        p->pages[i] &= ~bit;
        if (!p->pages[i]) leave(p, i);
    } else if (p->pend && p->pend_page == page) {
        p->pend = false;
    } else {
        return false;
    }
    p->cleared++;
    return true;
}

/* `expired`: its lease has run out, wherever its expiry is. */
static bool plain_access(struct plain *p, uint32_t page, bool expired)
{
    const uint32_t i = find(p, page >> 4), bit = 1u << (page & 15);
    const bool waits = p->pend && (p->pend_page == page || (expired && p->pend_page >> 4 == page >> 4));
    const bool found = (i < p->count && (expired || (p->pages[i] & bit))) || waits;
    if (!found && !expired) return false;
    p->recall_pages = 0;
    p->recall_block = page >> 4;
    if (waits) p->recall_pages |= 1u << (p->pend_page & 15);
    if (waits) p->pend = false;
    if (found && i < p->count) {
        p->recall_pages |= p->pages[i];
        leave(p, i);
    }
    p->called += expired && !(p->recall_pages & bit);
    p->recall_pages |= expired ? bit : 0;
    return found;
}

Test(evict_coalescer, a_long_run_is_as_a_plain_list_has_it)
{
    struct evict_coalescer *m = table(ENTRIES, BATCH);
    struct plain p = {0};
    struct rng rng;
    uint32_t batches = 0;
    rng_seed(&rng, 5);
    for (uint32_t c = 0; c < 200000; c++) {
        const uint32_t hot = c >> 10 & 1 ? BLOCKS : ENTRIES - 2, page = (uint32_t)rng_below(&rng, hot * 16);
        const uint32_t quiet = c >> 11 & 1 ? 200 : 8;
        struct evict_coalescer_in in = {.evict_ready_i = rng_below(&rng, 4) == 0,
                                        .recall_ready_i = rng_below(&rng, 4) == 0};
        in.exp_valid_i = rng_below(&rng, 2);
        in.exp_page_i = page;
        in.acc_valid_i = rng_below(&rng, quiet) == 0;
        in.acc_page_i = rng_below(&rng, hot * 16);
        in.acc_expired_i = rng_below(&rng, 3) == 0;
        in.clear_valid_i = rng_below(&rng, quiet) == 0;
        in.clear_page_i = rng_below(&rng, hot * 16);
        in.press_valid_i = rng_below(&rng, 100) == 0;
        const struct evict_coalescer_out out = cycle(m, in);
        const bool waited = p.pend;
        bool gone = false;
        cr_assert(out.used_o == p.count && out.clear_ready_o, "cycle %u", c);
        if (in.clear_valid_i) gone = plain_clear(&p, (uint32_t)in.clear_page_i);
        cr_assert_eq(out.recall_pages_o, p.recall_pages, "cycle %u", c);
        if (out.recall_valid_o && in.recall_ready_i) {
            cr_assert_eq(out.recall_block_o, p.recall_block, "cycle %u", c);
            p.recalled += ones(p.recall_pages);
            p.recall_pages = 0;
        }
        if (in.exp_valid_i && out.exp_ready_o) {
            plain_expire(&p, (uint32_t)in.exp_page_i);
        } else if (in.acc_valid_i && out.acc_ready_o) {
            gone |= plain_access(&p, (uint32_t)in.acc_page_i, in.acc_expired_i);
        }
        cr_assert(!(gone && out.evict_valid_o), "cycle %u: what loses a page is not offered in that cycle", c);
        const bool room = waited && p.pend && p.count < ENTRIES && !gone;
        if (out.evict_valid_o && in.evict_ready_i) {
            cr_assert(out.evict_block_o == p.block[0] && out.evict_pages_o == p.pages[0], "cycle %u", c);
            cr_assert_eq(out.evict_why_o, waited ? EVICT_COALESCER_FULL : EVICT_COALESCER_PRESSURE, "cycle %u", c);
            p.evicted += ones(p.pages[0]);
            leave(&p, 0);
        } else if (room) {
            enter(&p, p.pend_page >> 4, 1u << (p.pend_page & 15));
            p.pend = false;
        }
        cr_assert(!out.press_done_o || out.press_count_o == BATCH || p.count == 0, "cycle %u", c);
        batches += out.press_done_o;
    }
    uint32_t left = ones(p.recall_pages) + p.pend;
    for (uint32_t i = 0; i < p.count; i++) left += ones(p.pages[i]);
    cr_expect_eq(p.told + p.called, p.evicted + p.recalled + p.cleared + left, "no page is lost");
    cr_expect(p.called > 1000 && p.evicted > 3000 && p.recalled > 3000 && p.cleared > 500 && batches > 500,
              "%u %u %u %u", p.evicted, p.recalled, p.cleared, batches);
    free(m);
}

static void traffic(struct evict_coalescer *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 12); c > 0; c--)
        CYCLE(m, EXPIRE(rng_below(rng, 9), rng_below(rng, 16)), ACCESS(rng_below(rng, 9), rng_below(rng, 16)),
              .clear_valid_i = rng_below(rng, 2), .clear_page_i = rng_below(rng, 144),
              .evict_ready_i = rng_below(rng, 2), .press_valid_i = rng_below(rng, 8) == 0,
              .recall_ready_i = rng_below(rng, 2));
}

Test(evict_coalescer, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct evict_coalescer *m = table(6, 2);
    SKIP_ROUNDS(evict_coalescer, m, traffic, 11, 600, 9, .evict_ready_i = c & 1, .recall_ready_i = c & 2,
                .exp_page_i = c, .acc_page_i = c, .clear_page_i = c);
    free(m);
}
