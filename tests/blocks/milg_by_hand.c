/* SPDX-License-Identifier: Apache-2.0 */
/* milg: the worked example of its README, and skipping. */
#include <criterion/criterion.h>
#include <string.h>

#include "milg.h"
#include "base/rng.h"

static struct milg generator(uint32_t relax)
{
    const struct milg_cfg cfg = {.InflightW = 7, .RfW = 12, .ReqW = 10, .Relax = relax};
    struct milg m = {0};
    milg_init(&m, &cfg);
    return m;
}

static struct milg_out cycle(struct milg *m, struct milg_in in)
{
    struct milg_out out;
    milg_eval(m, &in, &out);
    milg_tick(m, &in);
    return out;
}

static void times(struct milg *m, uint32_t n, struct milg_in in)
{
    for (uint32_t i = 0; i < n; i++) cycle(m, in);
}

/* The table of rtl/milg/README.md; events: i issue, r one completes, q request, f failure. */
Test(milg, worked_example)
{
    static const struct {
        const char *events;
        uint32_t inflight, max, requests, failures, limit, ok, new_limit;
    } rows[] = {
        {"i", 0, 0, 0, 0, 7, 1, 0},  {"i", 1, 1, 0, 0, 7, 1, 0},  {"iq", 2, 2, 0, 0, 7, 1, 0},
        {"if", 3, 3, 1, 0, 7, 1, 0}, {"f", 4, 4, 1, 1, 7, 1, 0},  {"q", 4, 4, 1, 2, 7, 1, 0},
        {"f", 4, 4, 2, 2, 7, 1, 0},  {"f", 4, 4, 2, 3, 7, 1, 0},  {"q", 4, 4, 2, 4, 7, 1, 0},
        {"f", 4, 4, 3, 4, 7, 1, 0},  {"f", 4, 4, 3, 5, 7, 1, 0},  {"f", 4, 4, 3, 6, 7, 1, 0},
        {"f", 4, 4, 3, 7, 7, 1, 0},  {"rq", 4, 4, 3, 8, 7, 1, 2}, {"r", 3, 3, 0, 0, 2, 0, 0},
        {"r", 2, 3, 0, 0, 2, 0, 0},  {"iq", 1, 3, 0, 0, 2, 1, 0}, {"q", 2, 3, 1, 0, 2, 0, 0},
        {"rq", 2, 3, 2, 0, 2, 0, 0}, {"q", 1, 3, 3, 0, 2, 1, 4},  {"i", 1, 1, 0, 0, 4, 1, 0},
        {"q", 2, 2, 0, 0, 4, 1, 0},  {"qf", 2, 2, 1, 0, 4, 1, 0}, {"rq", 2, 2, 2, 1, 4, 1, 0},
        {"q", 1, 2, 3, 1, 4, 1, 4},  {"", 1, 1, 0, 0, 4, 1, 0},
    };
    const struct milg_cfg cfg = {.InflightW = 3, .RfW = 4, .ReqW = 2, .Relax = MILG_GROW};
    struct milg m = {0};
    milg_init(&m, &cfg);
    for (uint32_t t = 0; t < sizeof rows / sizeof *rows; t++) {
        const char *e = rows[t].events;
        cr_expect(m.inflight_q == rows[t].inflight && m.max_q == rows[t].max, "cycle %u", t);
        cr_expect(m.req_q == rows[t].requests && m.rf_q == rows[t].failures, "cycle %u", t);
        const struct milg_out out = cycle(&m, (struct milg_in){.issue_valid_i = strchr(e, 'i'),
                                                               .retire_valid_i = strchr(e, 'r'),
                                                               .retire_count_i = 1,
                                                               .req_valid_i = strchr(e, 'q'),
                                                               .fail_valid_i = strchr(e, 'f')});
        cr_expect(out.limit_o == rows[t].limit && out.issue_ok_o == rows[t].ok, "cycle %u", t);
        cr_expect_eq(out.new_limit_o, rows[t].new_limit, "cycle %u", t);
    }
}

/* idle and skip let the harness jump over quiet time: they must mean exactly as many ticks without a valid input. */
Test(milg, skip_equals_that_many_quiet_ticks)
{
    struct milg m = generator(MILG_GROW);
    struct rng rng;
    rng_seed(&rng, 11);
    for (uint32_t round = 0; round < 3000; round++) {
        cycle(&m, (struct milg_in){.issue_valid_i = rng_below(&rng, 2),
                                   .retire_valid_i = rng_below(&rng, 3) == 0,
                                   .retire_count_i = (uint8_t)rng_below(&rng, 3),
                                   .req_valid_i = rng_below(&rng, 2),
                                   .fail_valid_i = rng_below(&rng, 2),
                                   .start_valid_i = rng_below(&rng, 100) == 0});
        struct milg skipped = m;
        cr_assert(milg_idle(&m));
        milg_skip(&skipped, 9);
        times(&m, 9, (struct milg_in){.retire_count_i = 5, .static_limit_i = 3});
        cr_assert(memcmp(&m, &skipped, sizeof m) == 0);
    }
}
