/* SPDX-License-Identifier: Apache-2.0 */
/* gmmu: a refusal by one part changes no other part; a long run with a small driver against plain bookkeeping. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "gmmu.h"
#include "skip.h"

TWIN_CYCLE(gmmu)

static const struct gmmu_in quiet = {.lease_enable_i = true};

static struct gmmu *unit(uint32_t pages, uint32_t lease_w)
{
    struct gmmu_cfg cfg = {GMMU_PARAM(PARAM_DEFAULT)};
    cfg.Pages = pages;
    cfg.LeaseW = lease_w;
    cfg.Faults = 4;
    cfg.Allocs = cfg.Coalesce = cfg.Samples = cfg.Events = 2;
    struct gmmu *m = calloc(1, sizeof *m);
    cr_assert(m && !gmmu_illegal(&cfg));
    gmmu_init(m, &cfg);
    for (uint32_t i = 0; i < pages; i++) cr_assert(!cycle(m, quiet).ready_o);
    const struct gmmu_in alloc = {.alloc_valid_i = true, .alloc_pages_i = pages};
    cr_assert(cycle(m, alloc).alloc_ready_o);
    return m;
}

static struct gmmu_in request(uint32_t page, uint8_t id, bool resident)
{
    struct gmmu_in in = quiet;
    in.req_valid_i = true;
    in.req_page_i = page;
    in.req_id_i = id;
    in.req_resident_i = resident;
    return in;
}

static struct gmmu_in arrival(uint32_t page)
{
    struct gmmu_in in = quiet;
    in.arrive_valid_i = true;
    in.arrive_page_i = page;
    return in;
}

static struct gmmu_in departure(uint32_t page)
{
    struct gmmu_in in = quiet;
    in.gone_valid_i = true;
    in.gone_page_i = page;
    return in;
}

Test(gmmu, the_default_parameters_are_the_papers_and_legal)
{
    const struct gmmu_cfg cfg = {GMMU_PARAM(PARAM_DEFAULT)};
    cr_expect_null(gmmu_illegal(&cfg));
    cr_expect(cfg.Coalesce == 256 && cfg.Samples == 16 && cfg.LeaseW == 10 && cfg.Duty == 1000 && cfg.Period == 6000);
    struct gmmu_cfg hurried = cfg;
    hurried.Period = cfg.Duty + 100;
    cr_expect_not_null(gmmu_illegal(&hurried), "no time for the divisions");
}

static void forget_errors(struct gmmu *m)
{
    m->error_q = m->cap.error_q = m->lease_table.error_q = m->far_fault_mshr.error_q = 0;
    m->lease_sampler.error_q = m->evict_coalescer.error_q = 0;
}

/* An illegal input changes nothing but the error. */
static void expect_refused(const struct gmmu *m, struct gmmu_in in, enum gmmu_part part, const char *what)
{
    struct gmmu *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    memcpy(a, m, sizeof *a);
    memcpy(b, m, sizeof *b);
    cycle(a, in);
    cycle(b, quiet);
    const uint32_t found = cycle(a, quiet).error_o;
    cycle(b, quiet);
    cr_expect_eq(found, part, "%s: found part %u", what, found);
    forget_errors(a);
    forget_errors(b);
    cr_expect(!memcmp(a, b, sizeof *a), "%s: another state than without it", what);
    free(a);
    free(b);
}

/* Allocation 0 has a lease of its own; a requester waits for page 7; page 3 is in the coalescer, page 4 is there. */
Test(gmmu, what_one_part_refuses_changes_no_other)
{
    struct gmmu *m = unit(48, 3);
    struct gmmu_in alloc = quiet;
    cycle(m, arrival(3));
    cycle(m, arrival(4));
    cycle(m, request(4, 0, true));
    while (!(m->lease_sampler.known_q & 1) || m->lease_sampler.cycle_q != 0) cycle(m, quiet);
    while (m->lease_table.page_q[3] != 8) cycle(m, request(3, 0, true));
    cycle(m, quiet);
    cycle(m, quiet);
    cr_assert(m->evict_coalescer.used_q == 1 && m->lease_sampler.cycle_q < 1000);
    cr_assert_eq(cycle(m, request(7, 1, false)).req_result_o, GMMU_PRIMARY);
    alloc.alloc_valid_i = true;
    alloc.alloc_pages_i = 16;
    alloc.alloc_base_i = 1;
    expect_refused(m, alloc, GMMU_CAP, "an allocation that begins within a block");
    alloc.alloc_base_i = 0;
    alloc.alloc_pages_i = 49;
    expect_refused(m, alloc, GMMU_SELF, "an allocation beyond the last page");
    alloc.alloc_index_i = 2;
    alloc.alloc_pages_i = 16;
    expect_refused(m, alloc, GMMU_CAP, "an entry of the table that is none");
    expect_refused(m, arrival(3), GMMU_LEASE_TABLE, "an arrival of a page that is there, expired");
    expect_refused(m, arrival(4), GMMU_LEASE_TABLE, "an arrival of a page that is there");
    expect_refused(m, departure(5), GMMU_LEASE_TABLE, "a departure of a page that is away");
    expect_refused(m, departure(60), GMMU_LEASE_TABLE, "a departure of no page");
    expect_refused(m, arrival(60), GMMU_SELF, "an arrival of no page");
    expect_refused(m, request(5, 0, true), GMMU_LEASE_TABLE, "an access to a page that is away");
    expect_refused(m, request(60, 0, true), GMMU_SELF, "a request of no page");
    expect_refused(m, request(7, 28, false), GMMU_SELF, "a request of nobody");
    expect_refused(m, request(7, 1, false), GMMU_FAR_FAULT_MSHR, "a page asked for twice");
    struct gmmu_in serve = quiet;
    serve.serve_valid_i = true;
    serve.serve_alloc_i = 1;
    expect_refused(m, serve, GMMU_CAP, "a far-fault of no allocation");
    free(m);
}

/* A driver whose PCIe is slow: each waiting requester gets one response; only resident pages are evicted; pages are
 * resident from their arrival to their departure; no evicted page was accessed after its lease expired; requests always
 * go on. */
Test(gmmu, a_long_run_with_a_slow_driver)
{
    enum { PAGES = 96, WHO = 4 };
    struct gmmu *m = unit(PAGES, 3);
    struct rng rng;
    bool here[PAGES] = {false}, wanted[PAGES] = {false};
    uint32_t waits[PAGES] = {0}, resident = 0, told = 0, asked = 0, recalled = 0, evicted = 0, called = 0, stopped = 0,
             longest = 0;
    rng_seed(&rng, 9);
    for (uint32_t c = 0; c < 60000; c++) {
        const uint32_t page =
            (uint32_t)rng_below(&rng, 2) ? (uint32_t)rng_below(&rng, 24) : (uint32_t)rng_below(&rng, PAGES);
        const uint8_t id = (uint8_t)rng_below(&rng, WHO);
        struct gmmu_in in = quiet;
        if (here[page] || !(waits[page] >> id & 1)) in = request(page, id, here[page]);
        in.rsp_ready_i = rng_below(&rng, 4) != 0;
        in.fault_ready_i = true;
        in.evict_ready_i = c / 64 % 4 == 3;
        in.press_valid_i = rng_below(&rng, 64) == 0;
        const uint32_t come = (uint32_t)rng_below(&rng, PAGES), go = (uint32_t)rng_below(&rng, PAGES);
        in.arrive_valid_i = rng_below(&rng, 8) == 0 && !here[come];
        in.arrive_page_i = come;
        in.gone_valid_i = rng_below(&rng, 12) == 0 && here[go];
        in.gone_page_i = go;
        const bool out_of_lease = m->lease_table.page_q[page] == 8;
        const struct gmmu_out out = cycle(m, in);
        cr_assert_eq(out.resident_o, resident, "cycle %u", c);
        cr_assert_eq(out.error_o, GMMU_NONE, "cycle %u: part %u, code %u", c, out.error_o, out.error_code_o);
        for (uint32_t i = 0; i < 16 && out.evict_valid_o; i++)
            cr_assert(!(out.evict_pages_o >> i & 1) ||
                          (here[out.evict_block_o << 4 | i] && !wanted[out.evict_block_o << 4 | i]),
                      "cycle %u", c);
        if (in.req_valid_i && out.req_ready_o && here[page]) {
            if (out_of_lease) wanted[page] = true, called++;
            if (!out_of_lease && m->lease_table.page_q[page] == 8) wanted[page] = false;
        }
        if (out.rsp_valid_o && in.rsp_ready_i) {
            cr_assert(waits[out.rsp_page_o] >> out.rsp_id_o & 1, "cycle %u", c);
            waits[out.rsp_page_o] &= ~(1u << out.rsp_id_o);
            told++;
        }
        if (in.req_valid_i && (out.req_result_o == GMMU_PRIMARY || out.req_result_o == GMMU_SECONDARY)) {
            waits[page] |= 1u << id;
            asked++;
        }
        stopped = in.req_valid_i && !out.req_ready_o ? stopped + 1 : 0;
        longest = stopped > longest ? stopped : longest;
        if (in.arrive_valid_i && out.arrive_ready_o) here[come] = true, resident++;
        if (in.gone_valid_i && out.gone_ready_o) here[go] = wanted[go] = false, resident--;
        recalled = out.recalled_o;
        evicted = out.evicted_o;
    }
    uint32_t left = 0;
    for (uint32_t page = 0; page < PAGES; page++) left += (uint32_t)__builtin_popcount(waits[page]);
    cr_expect_eq(asked, told + left);
    cr_expect_geq(called, recalled);
    cr_expect(told > 500 && recalled > 100 && evicted > 100, "%u told, %u recalled, %u evicted", told, recalled,
              evicted);
    cr_expect(longest < 256, "requests stop for %u cycles, longer than the driver", longest);
    free(m);
}

/* Accesses and arrivals, and then, now and then, more than a period without. */
static void traffic(struct gmmu *m, struct rng *rng)
{
    struct gmmu_in take = quiet;
    take.rsp_ready_i = take.fault_ready_i = take.evict_ready_i = true;
    for (uint64_t c = rng_below(rng, 20); c > 0; c--) {
        struct gmmu_in in = request((uint32_t)rng_below(rng, 20), (uint8_t)rng_below(rng, 3), rng_below(rng, 2));
        in.arrive_valid_i = rng_below(rng, 3) == 0;
        in.arrive_page_i = (uint32_t)rng_below(rng, 20);
        in.rsp_ready_i = in.fault_ready_i = in.evict_ready_i = true;
        cycle(m, in);
    }
    for (uint64_t c = rng_below(rng, 2) * 7000; c > 0; c--) cycle(m, take);
}

Test(gmmu, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct gmmu *m = unit(64, 3);
    SKIP_ROUNDS(gmmu, m, traffic, 11, 400, 9 + 6000 * rng_below(&rng, 2), .lease_enable_i = true,
                .fault_ready_i = c & 1, .rsp_ready_i = true, .evict_ready_i = true, .look_ready_i = true,
                .mig_ready_i = true, .req_page_i = c % 64);
    free(m);
}
