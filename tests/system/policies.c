/* SPDX-License-Identifier: Apache-2.0 */
/* Prefetchers and evictions: the pages that each chooses, and that a new one needs nothing but its file. */
#include "base/rng.h"
#include "system/config/options.h"
#include "system/uvm/policies/tree.h"
#include "system/uvm_bench.h"

/* A policy of this file: the fault's page and the one behind it. */
static uint32_t next_window(const struct config *c)
{
    (void)c;
    return 2;
}

static void next_choose(struct uvm *u, uint32_t page)
{
    uvm_want(u, page + 1);
}

static const struct prefetcher next_page = {
    .policy = {"d_next", "the next page, too"}, .window = next_window, .choose = next_choose};
PREFETCHER_REGISTER(next_page);

static const struct config_option *option(const char *key)
{
    uint32_t count;
    const struct config_option *o = option_list(&count);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(o[i].key, key)) return &o[i];
    return NULL;
}

Test(policies, names_of_what_registered_itself_are_the_options_values)
{
    char text[OPTION_ALLOWED];
    struct config c;
    struct error err = {""};
    config_default(&c);
    option_allowed(option("uvm.evict"), text);
    cr_expect_str_eq(text, "ne, re, se, te, ture");
    option_allowed(option("uvm.prefetch"), text);
    cr_expect_str_eq(text, "cap, d_next, np, rp, sp, tp");
    cr_expect_str_eq(policy_at("prefetcher", c.uvm_prefetch)->name, "np");
    cr_expect_str_eq(policy_at("eviction", c.uvm_evict)->name, "se");
    cr_expect(config_set(&c, "uvm.prefetch=d_next", &err));
    cr_expect_str_eq(policy_at("prefetcher", c.uvm_prefetch)->name, "d_next");
    cr_expect_not(config_set(&c, "uvm.evict=lru", &err));
    cr_expect_not_null(strstr(err.text, "uvm.evict: found \"lru\"; the nearest is re; allowed: ne, re, se, te, ture"),
                       "%s", err.text);
}

Test(policies, a_new_prefetcher_works)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=d_next", NULL}, 256);
    uvm_bench_touch(b, 3);
    cr_expect(uvm_bench_there(b, 3) && uvm_bench_there(b, 4));
    cr_expect_eq(b->u->pages->in_state[PAGE_DEVICE], 2);
    uvm_bench_close(b);
}

/* Which 64 KiB blocks of the first tree are there, block 0 in bit 0; a block that is there in part is an error. */
static uint32_t blocks_there(const struct uvm_bench *b)
{
    uint32_t bits = 0;
    for (uint32_t block = 0; block < 32; block++) {
        uint32_t pages = 0, exist = 0;
        for (uint32_t i = 0; i < 16; i++) {
            exist += pages_exist(b->u->pages, block * 16 + i);
            pages += uvm_bench_there(b, block * 16 + i);
        }
        cr_assert(!pages || pages == exist, "block %u", block);
        bits |= (uint32_t)(pages != 0) << block;
    }
    return bits;
}

/* Gu20, figure 4.3: 512 KiB, five faults, the last of which brings the rest. */
Test(policies, tp_five_faults_of_figure_4_3)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=tp", NULL}, 512);
    const uint32_t block[] = {3, 0, 5, 4, 6}, there[] = {0x08, 0x09, 0x29, 0x39, 0xff};
    for (uint32_t i = 0; i < 5; i++) {
        uvm_bench_touch(b, block[i] * 16 + 2 * i);
        uvm_bench_settle(b);
        cr_expect_eq(blocks_there(b), there[i], "after fault %u: found %x", i + 1, blocks_there(b));
    }
    cr_expect_eq(b->s.uvm_faults_handled, 5);
    uvm_bench_close(b);
}

/* "It takes at least 17 faults to trigger migration of the 2 MiB": alternate blocks, then one more. */
Test(policies, tp_needs_more_than_half_of_a_tree)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=tp", NULL}, 2048);
    for (uint32_t i = 0; i < 16; i++) uvm_bench_touch(b, 2 * i * 16);
    uvm_bench_settle(b);
    cr_expect_eq(blocks_there(b), 0x55555555);
    uvm_bench_touch(b, 16);
    uvm_bench_settle(b);
    cr_expect_eq(blocks_there(b), 0xffffffff);
    cr_expect_eq(b->s.uvm_faults_handled, 17);
    uvm_bench_close(b);
}

/* The tree of nodes, written as one: a node's count, and the pages that fill or empty it. */
static uint32_t node_count(uint32_t leaves, uint32_t first, uint32_t size)
{
    return size == 1 ? leaves >> first & 1
                     : node_count(leaves, first, size / 2) + node_count(leaves, first + size / 2, size / 2);
}

static uint32_t by_nodes(uint32_t valid, uint32_t exist, uint32_t leaf, uint32_t size, bool fill)
{
    for (uint32_t s = 2; s <= size; s *= 2) {
        uint32_t first = leaf / s * s, n = node_count(valid, first, s);
        for (uint32_t i = first; i < first + s; i++) {
            if (fill && n > s / 2 && exist >> i & 1) valid |= 1u << i;
            if (!fill && n < s - s / 2) valid &= ~(1u << i);
        }
    }
    return valid;
}

Test(policies, trees_as_bits_are_trees_as_nodes)
{
    struct rng r;
    rng_seed(&r, 11);
    for (uint32_t turn = 0; turn < 200000; turn++) {
        uint32_t size = 1u << rng_below(&r, 6), leaf = (uint32_t)rng_below(&r, size);
        uint32_t node = tree_node(0, size);
        struct tree t = {.size = size, .exist = ((uint32_t)rng_u64(&r) | (uint32_t)rng_u64(&r) | 1u << leaf) & node};
        t.valid = (uint32_t)rng_u64(&r) & t.exist;
        uint32_t fill = by_nodes(t.valid | 1u << leaf, t.exist, leaf, size, true);
        cr_assert_eq(t.valid | tree_fill(&t, leaf), fill);
        t.valid |= 1u << leaf;
        uint32_t left = by_nodes(t.valid & ~(1u << leaf), t.exist, leaf, size, false);
        cr_assert_eq(t.valid & ~tree_empty(&t, leaf), left);
    }
}

/* An allocation of five blocks from block 2 of its 2 MiB on: the tree over blocks 0 to 7. */
Test(policies, a_part_of_2_MiB_has_the_smallest_tree_that_holds_it)
{
    struct uvm_bench b;
    uvm_bench_config(&b, NULL);
    uvm_bench_allocate(&b, "a", 0x10020000, 5 << 16);
    struct pages *p = pages_create(&b.env, &b.source, 0, &b.err);
    cr_assert(p, "%s", b.err.text);
    struct tree t = tree_of(p, p->groups[0].first);
    cr_expect_eq(t.size, 8);
    cr_expect_eq(t.exist, 0x7c);
    cr_expect_eq(t.valid, 0);
    pages_destroy(p);
}

Test(policies, np_and_sp)
{
    struct uvm_bench *b = uvm_bench_open(NULL, 256);
    uvm_bench_touch(b, 21);
    uvm_bench_settle(b);
    cr_expect_eq(b->u->pages->in_state[PAGE_DEVICE], 1);
    uvm_bench_close(b);
    b = uvm_bench_open((const char *const[]){"uvm.prefetch=sp", NULL}, 200); /* the last block has two pages */
    uvm_bench_touch(b, 21);
    uvm_bench_touch(b, 49);
    uvm_bench_settle(b);
    cr_expect_eq(blocks_there(b), 0xa);
    cr_expect_eq(b->u->pages->in_state[PAGE_DEVICE], 18);
    cr_expect_eq(b->s.uvm_pages_prefetched, 16);
    uvm_bench_close(b);
}

/* All pages of the 2 MiB are drawn alike: 60 runs of one fault each, no page twice as the page of the fault. */
Test(policies, rp_draws_one_page_of_the_same_2_MiB)
{
    uint32_t drawn[2] = {0}, different = 0, last = 0;
    for (uint32_t seed = 0; seed < 60; seed++) {
        char text[32];
        snprintf(text, sizeof text, "uvm.seed=%u", seed);
        struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=rp", text, NULL}, 4096);
        uvm_bench_touch(b, 700);
        uvm_bench_settle(b);
        cr_assert_eq(b->u->pages->in_state[PAGE_DEVICE], 2);
        uint32_t other = b->u->pages->device[0] == 700 ? b->u->pages->device[1] : b->u->pages->device[0];
        cr_assert(other >= 512 && other < 1024 && other != 700, "found %u", other);
        drawn[other >= 768]++;
        different += other != last;
        last = other;
        uvm_bench_close(b);
    }
    cr_expect(drawn[0] > 15 && drawn[1] > 15);
    cr_expect_gt(different, 55);
}

/* Of two pages the other one is drawn, though the next 2 MiB have absent pages. */
Test(policies, rp_draws_no_page_of_the_next_2_MiB)
{
    struct uvm_bench *b = malloc(sizeof *b);
    cr_assert(b);
    uvm_bench_config(b, (const char *const[]){"uvm.prefetch=rp", "uvm.fault_ns=1", NULL});
    for (uint64_t i = 0; i < 8; i++) uvm_bench_allocate(b, "a", (UINT64_C(1) << 32) + (i << 21), 8192);
    cr_assert(uvm_bench_start(b), "%s", b->err.text);
    for (uint32_t i = 0; i < 8; i++) {
        uvm_bench_touch(b, i << TREE_SHIFT);
        uvm_bench_settle(b);
        cr_expect_eq(b->u->pages->in_state[PAGE_DEVICE], 2 * (i + 1), "allocation %u", i);
    }
    uvm_bench_close(b);
}

/* Touches one page of each of four blocks, the first once more; then memory is full, and a fifth comes. */
static struct uvm_bench *four_blocks(const char *evict)
{
    struct uvm_bench *b =
        uvm_bench_open((const char *const[]){"uvm.prefetch=sp", "uvm.device_kib=256", evict, NULL}, 4096);
    for (uint32_t block = 0; block < 4; block++) uvm_bench_touch(b, block * 16);
    uvm_bench_settle(b); /* a page that comes counts as used */
    uvm_bench_touch(b, 5);
    uvm_bench_touch(b, 16 * 31);
    uvm_bench_settle(b);
    return b;
}

Test(policies, se_evicts_the_block_of_the_least_recently_used_page)
{
    struct uvm_bench *b = four_blocks("uvm.evict=se");
    /* Page 0 was used before page 16; so block 0 goes, though its page 5 was used last. */
    cr_expect_eq(blocks_there(b), 0x8000000e);
    cr_expect_eq(b->s.uvm_evicted_policy, 16);
    uvm_bench_close(b);
}

Test(policies, te_evicts_the_least_recently_used_block_and_what_is_less_than_half_there)
{
    struct uvm_bench *b = four_blocks("uvm.evict=te");
    /* Block 1 is the oldest. Its pair keeps one of two, four keep three; eight keep three of eight: less than half. */
    cr_expect_eq(blocks_there(b), 0x80000000);
    uvm_bench_close(b);
}

Test(policies, ture_without_expired_pages_evicts_least_recently_used_blocks)
{
    struct uvm_bench *b = four_blocks("uvm.evict=ture");
    cr_expect_eq(blocks_there(b), 0x80000000); /* uvm.coalesce_batch = 4 of them */
    cr_expect_eq(b->s.uvm_evicted_policy, 64);
    uvm_bench_close(b);
    b = uvm_bench_open(
        (const char *const[]){"uvm.prefetch=sp", "uvm.device_kib=256", "uvm.evict=ture", "uvm.coalesce_batch=1", NULL},
        4096);
    for (uint32_t block = 0; block < 4; block++) uvm_bench_touch(b, block * 16);
    uvm_bench_settle(b); /* a page that comes counts as used */
    uvm_bench_touch(b, 5);
    uvm_bench_touch(b, 16 * 31);
    uvm_bench_settle(b);
    cr_expect_eq(blocks_there(b), 0x8000000d);
    uvm_bench_close(b);
}

Test(policies, ne_evicts_2_MiB)
{
    struct uvm_bench *b =
        uvm_bench_open((const char *const[]){"uvm.prefetch=sp", "uvm.device_kib=4096", "uvm.evict=ne", NULL}, 8192);
    for (uint32_t block = 0; block < 64; block++) uvm_bench_touch(b, block * 16);
    uvm_bench_settle(b);
    uvm_bench_touch(b, 1);
    uvm_bench_touch(b, 64 * 16);
    uvm_bench_settle(b);
    cr_expect_eq(blocks_there(b), 0xffffffff); /* the second tree was older */
    cr_expect_eq(b->s.uvm_evicted_policy, 512);
    cr_expect_eq(b->s.pcie_out_transfers, 0); /* counted at the end */
    uvm_bench_close(b);
}

/* Its only page waits for its first use: the next oldest 2 MiB go. */
Test(policies, ne_passes_over_2_MiB_of_which_nothing_can_go)
{
    struct uvm_bench *b =
        uvm_bench_open((const char *const[]){"uvm.device_kib=2112", "uvm.evict=ne", "uvm.fault_ns=1", NULL}, 8192);
    uvm_bench_ask(b, 0, 0);
    uvm_bench_settle(b);
    for (uint32_t page = 512; page < 512 + 528; page++) uvm_bench_touch(b, page);
    cr_expect(uvm_bench_there(b, 0));
    cr_expect_eq(b->s.uvm_evicted_policy, 512);
    uvm_used(b->u, 0);
    uvm_bench_close(b);
}

Test(policies, re_evicts_one_page_by_lot)
{
    uint32_t low = 0;
    for (uint32_t seed = 0; seed < 40; seed++) {
        char text[32];
        snprintf(text, sizeof text, "uvm.seed=%u", seed);
        struct uvm_bench *b =
            uvm_bench_open((const char *const[]){"uvm.device_kib=64", "uvm.evict=re", text, NULL}, 4096);
        for (uint32_t page = 0; page < 17; page++) uvm_bench_touch(b, page);
        uvm_bench_settle(b);
        cr_assert_eq(b->s.uvm_evicted_policy, 1);
        for (uint32_t page = 0; page < 8; page++) low += !uvm_bench_there(b, page);
        uvm_bench_close(b);
    }
    cr_expect(low > 8 && low < 32, "found %u of 40 in the lower half", low);
}

/* Equation 4.1 with one allocation and half of memory free: the window shrinks as memory fills. */
Test(policies, cap_takes_less_when_less_is_free)
{
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=cap", "uvm.device_kib=2048", NULL}, 8192);
    uint32_t before = 0;
    const uint32_t window[] = {256, 128, 64, 32, 16};
    /* Free: 512, 256, 128, 64, 32 pages; divided by 1.1 and rounded down to a power of two. */
    for (uint32_t i = 0; i < 5; i++) {
        uvm_bench_touch(b, 256 * (i + 1) + 17);
        uvm_bench_settle(b);
        cr_expect_eq(b->u->pages->in_state[PAGE_DEVICE] - before, window[i], "fault %u: found %u", i,
                     b->u->pages->in_state[PAGE_DEVICE] - before);
        before = b->u->pages->in_state[PAGE_DEVICE];
    }
    cr_expect_eq(b->s.uvm_oversubscribed_at, 0);
    uvm_bench_touch(b, 1800); /* 16 pages are left: 64 KiB still fit */
    uvm_bench_settle(b);
    cr_expect_eq(b->s.uvm_oversubscribed_at, 0);
    uvm_bench_touch(b, 32); /* none is left: 512 KiB come, as much goes */
    uvm_bench_settle(b);
    cr_expect_gt(b->s.uvm_oversubscribed_at, 0);
    for (uint32_t page = 0; page < 128; page++) cr_expect(uvm_bench_there(b, page));
    cr_expect_eq(b->s.uvm_evicted_policy, 128);
    uvm_bench_close(b);
}

static void check_refused(const char *const *options, uint32_t kib, const char *message)
{
    struct uvm_bench b;
    uvm_bench_config(&b, options);
    uvm_bench_allocate(&b, "a", 0x10000000, (uint64_t)kib << 10);
    cr_expect_not(uvm_bench_start(&b));
    cr_expect_not_null(strstr(b.err.text, message), "found \"%s\", expected \"%s\"", b.err.text, message);
}

Test(policies, what_makes_no_sense_together_is_refused)
{
    check_refused((const char *const[]){"uvm.prefetch=tp", "uvm.evict=re", "uvm.device_kib=2048", NULL}, 4096,
                  "uvm.evict: found re with uvm.prefetch = tp");
    check_refused((const char *const[]){"uvm.prefetch=tp", "uvm.evict=ture", "uvm.device_kib=2048", NULL}, 4096,
                  "uvm.prefetch_when_full = false helps");
    check_refused((const char *const[]){"uvm.evict=ne", "uvm.device_kib=2047", NULL}, 4096,
                  "uvm.evict: found ne, which evicts 512 pages at once, with device memory of 496");
    check_refused((const char *const[]){"uvm.prefetch=tp", "uvm.device_kib=512", NULL}, 4096,
                  "uvm.prefetch: found tp, whose window of up to 256 pages is larger than device memory's 128");
    check_refused((const char *const[]){"uvm.prefetch=cap", "uvm.cap_max_log=5", "uvm.device_kib=1024", NULL}, 4096,
                  "whose window of up to 512 pages");
    check_refused(
        (const char *const[]){"uvm.oversubscribe_percent=10000", NULL}, 4096,
        "uvm.oversubscribe_percent: found 10000, less than 64 KiB of device memory for 1024 pages; it has 64 KiB with "
        "uvm.oversubscribe_percent of at most 6400");
    check_refused((const char *const[]){"uvm.lease_duty=6000", NULL}, 4096,
                  "uvm.lease_period: found 6000, allowed: 7184 or more");
    check_refused(NULL, 17 << 10, "uvm.table_pages: found 4096, expected at least 4608");
    /* Where everything fits, nothing is evicted for room, and any two go together. */
    struct uvm_bench *b = uvm_bench_open((const char *const[]){"uvm.prefetch=tp", "uvm.evict=re", NULL}, 4096);
    uvm_bench_close(b);
    b = uvm_bench_open((const char *const[]){"uvm.prefetch=tp", "uvm.evict=re", "uvm.device_kib=2048",
                                             "uvm.prefetch_when_full=false", NULL},
                       4096);
    uvm_bench_close(b);
}

/* uvm.cap_first_page: block 1's first page is on its way, so its others do not come with block 0. */
Test(policies, cap_passes_over_a_block_whose_first_page_is_there)
{
    for (int first = 0; first < 2; first++) {
        struct uvm_bench *b =
            uvm_bench_open((const char *const[]){"uvm.prefetch=cap", "uvm.device_kib=2048",
                                                 first ? "uvm.cap_first_page=true" : "uvm.cap_first_page=false", NULL},
                           8192);
        pages_coming(b->u->pages, 16, true);
        b->u->pages->page[16].framed = true;
        b->u->pages->granted = 1;
        uvm_bench_ask(b, 3, 0);
        while (!b->u->migrations.count) cr_assert(uvm_bench_step(b, b->env.sm_cycle + 1000), "%s", b->err.text);
        cr_expect_eq(b->u->pages->page[17].state, first ? PAGE_HOST : PAGE_COMING);
        cr_expect_eq(b->u->pages->page[33].state, PAGE_COMING);
        uvm_destroy(b->u);
        free(b);
    }
}
