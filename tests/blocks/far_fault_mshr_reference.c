/* SPDX-License-Identifier: Apache-2.0 */
/* far_fault_mshr: long runs against a reference model, a list of waiting requesters. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/rng.h"
#include "cycle.h"
#include "far_fault_mshr.h"
#include "skip.h"

TWIN_CYCLE(far_fault_mshr)

static struct far_fault_mshr *file(uint32_t entries, uint32_t requesters)
{
    const struct far_fault_mshr_cfg cfg = {.Entries = entries, .Requesters = requesters, .PageW = 18};
    struct far_fault_mshr *m = calloc(1, sizeof *m);
    cr_assert(m);
    far_fault_mshr_init(m, &cfg);
    return m;
}

static struct far_fault_mshr_in ask(uint64_t page, uint8_t id)
{
    return (struct far_fault_mshr_in){.req_valid_i = true, .req_page_i = page, .req_id_i = id};
}

/* Each waiting SM is notified once when its page arrives; faults reach the driver in their order, unless the page was
 * there first. */
Test(far_fault_mshr, a_long_run_tells_everybody_once)
{
    enum { PAGES = 12, WHO = 5 };
    struct far_fault_mshr *m = file(6, WHO);
    struct rng rng;
    uint32_t waits[PAGES] = {0}, due[PAGES], dues = 0, told = 0, withdrawn = 0, asked = 0;
    rng_seed(&rng, 5);
    for (uint32_t c = 0; c < 80000; c++) {
        const uint32_t page = (uint32_t)rng_below(&rng, PAGES), id = (uint32_t)rng_below(&rng, WHO);
        struct far_fault_mshr_in in = {0};
        if (!(waits[page] >> id & 1)) in = ask(page, (uint8_t)id);
        in.fill_valid_i = rng_below(&rng, 6) == 0;
        in.fill_page_i = rng_below(&rng, PAGES);
        in.fault_ready_i = rng_below(&rng, 16) == 0;
        in.rsp_ready_i = rng_below(&rng, 2);
        const struct far_fault_mshr_out out = cycle(m, in);
        if (out.rsp_valid_o && in.rsp_ready_i) {
            cr_assert(waits[out.rsp_page_o] >> out.rsp_id_o & 1, "cycle %u", c);
            waits[out.rsp_page_o] &= ~(1u << out.rsp_id_o);
            cr_assert_eq(out.rsp_last_o, waits[out.rsp_page_o] == 0, "cycle %u", c);
            told++;
        }
        if (out.fault_valid_o) cr_assert(dues && due[0] == out.fault_page_o, "cycle %u: the oldest", c);
        uint32_t left = 0;
        for (uint32_t i = 0; i < dues; i++) {
            const bool came = out.fill_hit_o && due[i] == in.fill_page_i;
            withdrawn += came;
            if (!came && !(i == 0 && out.fault_valid_o && in.fault_ready_i)) due[left++] = due[i];
        }
        dues = left;
        if (in.req_valid_i && out.req_result_o <= FAR_FAULT_SECONDARY) {
            if (out.req_result_o == FAR_FAULT_PRIMARY) due[dues++] = page;
            waits[page] |= 1u << id;
            asked++;
        }
    }
    uint32_t left = 0;
    for (uint32_t page = 0; page < PAGES; page++) left += (uint32_t)__builtin_popcount(waits[page]);
    cr_expect(asked == told + left && m->error_q == FAR_FAULT_MSHR_OK);
    cr_expect(m->faults_q + m->merged_q == asked && m->merged_q > 1000 && withdrawn > 500, "%u merged, %u withdrawn",
              m->merged_q, withdrawn);
    free(m);
}

static void traffic(struct far_fault_mshr *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 12); c > 0; c--) {
        struct far_fault_mshr_in in = ask(rng_below(rng, 4), (uint8_t)rng_below(rng, 3));
        in.fill_valid_i = rng_below(rng, 2);
        in.fill_page_i = rng_below(rng, 4);
        in.fault_ready_i = in.rsp_ready_i = rng_below(rng, 4) != 0;
        cycle(m, in);
    }
}

Test(far_fault_mshr, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct far_fault_mshr *m = file(3, 3);
    SKIP_ROUNDS(far_fault_mshr, m, traffic, 11, 600, 9, .fault_ready_i = c & 1, .rsp_ready_i = true,
                .req_page_i = c % 4);
    free(m);
}
