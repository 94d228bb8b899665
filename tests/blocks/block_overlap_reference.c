/* SPDX-License-Identifier: Apache-2.0 */
/* block_overlap against a plain model: rectangles as sets of cells, a list of candidates, and a search through all of
 * them for each decision; the README's example; skipped cycles. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "block_overlap.h"
#include "cycle.h"
#include "readme_example.h"
#include "skip.h"

enum { DEPTH = 5, ARRAYS = 2, FIELD = 3, SMS = 3, SLOTS = 3, SIDE = 2 << FIELD };

static struct block_overlap *dispatcher(const struct block_overlap_cfg *cfg)
{
    struct block_overlap *m = calloc(1, sizeof *m);
    cr_assert(m);
    block_overlap_init(m, cfg);
    return m;
}

static struct block_overlap *small(void)
{
    return dispatcher(&(struct block_overlap_cfg){
        .Depth = DEPTH, .Arrays = ARRAYS, .FieldW = FIELD, .Sms = SMS, .Slots = SLOTS, .IdW = 16});
}

TWIN_CYCLE(block_overlap)

/* ---- the plain model */

struct rect {
    uint32_t x, y, width, height;
};

struct thread_block {
    uint16_t id;
    bool there;
    struct rect rect[ARRAYS];
};

struct plain {
    struct thread_block waiting[DEPTH], running[SMS][SLOTS];
    uint32_t count;
    uint32_t by_overlap, by_least;
};

static bool holds(const struct rect *r, uint32_t x, uint32_t y)
{
    return x >= r->x && x < r->x + r->width && y >= r->y && y < r->y + r->height;
}

static uint64_t cells(const struct thread_block *a, const struct thread_block *b)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < ARRAYS; i++)
        for (uint32_t x = 0; x < SIDE; x++)
            for (uint32_t y = 0; y < SIDE; y++) n += holds(&a->rect[i], x, y) && holds(&b->rect[i], x, y);
    return n;
}

static uint64_t with_sm(const struct plain *p, const struct thread_block *b, uint32_t sm)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < SLOTS; k++)
        if (p->running[sm][k].there) n += cells(b, &p->running[sm][k]);
    return n;
}

static uint64_t with_others(const struct plain *p, const struct thread_block *b, uint32_t sm)
{
    uint64_t n = 0;
    for (uint32_t s = 0; s < SMS; s++)
        if (s != sm) n += with_sm(p, b, s);
    return n;
}

static uint32_t choose(const struct plain *p, uint32_t sm, uint64_t *sum, bool *least)
{
    uint32_t best = 0;
    *sum = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        const uint64_t n = with_sm(p, &p->waiting[i], sm);
        if (n > *sum) *sum = n, best = i;
    }
    *least = *sum == 0;
    if (!*least) return best;
    *sum = UINT64_MAX;
    for (uint32_t i = 0; i < p->count; i++) {
        const uint64_t n = with_others(p, &p->waiting[i], sm);
        if (n < *sum) *sum = n, best = i;
    }
    return best;
}

/* ---- the twin beside it */

static uint64_t sides(const struct thread_block *b, uint32_t which)
{
    uint64_t word = 0;
    for (uint32_t i = 0; i < ARRAYS; i++) {
        const struct rect *r = &b->rect[i];
        const uint32_t side[] = {r->x, r->y, r->width, r->height};
        word |= (uint64_t)side[which] << i * FIELD;
    }
    return word;
}

static struct thread_block some_block(struct rng *rng, uint16_t id, uint32_t mode)
{
    struct thread_block b = {.id = id, .there = true};
    const uint64_t place = mode == 0 ? 8 : 2 + mode, size = mode == 1 ? 8 : 3;
    for (uint32_t i = 0; i < ARRAYS; i++)
        b.rect[i] = (struct rect){(uint32_t)rng_below(rng, place), (uint32_t)rng_below(rng, place),
                                  (uint32_t)rng_below(rng, size), (uint32_t)rng_below(rng, size)};
    return b;
}

static void push(struct plain *p, struct block_overlap *m, const struct thread_block *b)
{
    const struct block_overlap_in in = {.push_valid_i = true,
                                        .push_id_i = b->id,
                                        .push_x_i = sides(b, 0),
                                        .push_y_i = sides(b, 1),
                                        .push_width_i = sides(b, 2),
                                        .push_height_i = sides(b, 3)};
    cr_assert_eq(cycle(m, in).push_ready_o, p->count < DEPTH);
    if (p->count < DEPTH) p->waiting[p->count++] = *b;
}

static void finish(struct plain *p, struct block_overlap *m, uint32_t sm, uint32_t slot)
{
    if (!p->running[sm][slot].there) return;
    p->running[sm][slot].there = false;
    cr_assert(cycle(m, (struct block_overlap_in){.finish_valid_i = true,
                                                 .finish_sm_i = (uint8_t)sm,
                                                 .finish_slot_i = (uint8_t)slot})
                  .finish_ready_o);
}

/* The cycles that the README states: a candidate a cycle for the first rule, a candidate and another SM for the second,
 * and the turn to it; the stages of each. */
static struct block_overlap_out wait_for_grant(const struct plain *p, struct block_overlap *m)
{
    const uint32_t most = p->count + p->count * (SMS - 1) + 1 + 2 * BLOCK_OVERLAP_STAGES;
    struct block_overlap_out out;
    uint32_t cycles = 0;
    do out = cycle(m, (struct block_overlap_in){.grant_ready_i = true});
    while (!out.grant_valid_o && ++cycles <= most);
    cr_assert_leq(cycles, most);
    return out;
}

/* The older candidates move up to the granted one's place, one a cycle. */
static void closes_up(struct block_overlap *m, uint32_t older)
{
    for (uint32_t i = 0; i < older; i++) cr_assert_not(cycle(m, (struct block_overlap_in){0}).finish_ready_o);
    cr_assert(cycle(m, (struct block_overlap_in){0}).finish_ready_o);
}

static void ask(struct plain *p, struct block_overlap *m, uint32_t sm)
{
    uint32_t slot = 0;
    while (slot < SLOTS && p->running[sm][slot].there) slot++;
    const bool can = slot < SLOTS && p->count;
    const struct block_overlap_in in = {.req_valid_i = true, .req_sm_i = (uint8_t)sm};
    cr_assert_eq(cycle(m, in).req_ready_o, can);
    if (!can) return;
    uint64_t sum;
    bool least;
    const uint32_t best = choose(p, sm, &sum, &least);
    const struct block_overlap_out out = wait_for_grant(p, m);
    cr_assert_eq(out.grant_id_o, p->waiting[best].id);
    cr_assert(out.grant_sm_o == sm && out.grant_slot_o == slot && out.grant_sum_o == sum && out.grant_least_o == least);
    p->running[sm][slot] = p->waiting[best];
    memmove(&p->waiting[best], &p->waiting[best + 1], (--p->count - best) * sizeof p->waiting[0]);
    closes_up(m, best);
    p->by_overlap += !least && best;
    p->by_least += least && sum && best;
}

static void step(struct plain *p, struct block_overlap *m, struct rng *rng, uint32_t mode, uint16_t id)
{
    const uint64_t what = rng_below(rng, 1000);
    const struct thread_block b = some_block(rng, id, mode);
    if (what < 400) push(p, m, &b);
    if (what >= 400 && what < 700) ask(p, m, (uint32_t)rng_below(rng, SMS));
    if (what >= 700 && what < 995) finish(p, m, (uint32_t)rng_below(rng, SMS), (uint32_t)rng_below(rng, SLOTS));
    if (what < 995) return;
    cycle(m, (struct block_overlap_in){.clear_valid_i = true});
    memset(p->running, 0, sizeof p->running);
    p->count = 0;
}

Test(block_overlap, decisions_are_those_of_a_search_through_all_cells)
{
    struct block_overlap *m = small();
    struct plain p = {0};
    struct rng rng;
    rng_seed(&rng, 3);
    for (uint32_t i = 0; i < 40000; i++) step(&p, m, &rng, i / 500 % 4, (uint16_t)i);
    cr_expect(p.by_overlap > 1000 && p.by_least > 100, "%u by overlap, %u by the second rule, not the oldest",
              p.by_overlap, p.by_least);
    cr_expect_eq(m->error_q, BLOCK_OVERLAP_OK);
    free(m);
}

/* ---- skipped cycles */

static void some_traffic(struct block_overlap *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 20); c > 0; c--)
        cycle(m, (struct block_overlap_in){.push_valid_i = rng_below(rng, 2),
                                           .push_id_i = (uint32_t)rng_below(rng, 100),
                                           .push_width_i = rng_below(rng, 64),
                                           .push_height_i = rng_below(rng, 64),
                                           .req_valid_i = rng_below(rng, 2),
                                           .req_sm_i = (uint8_t)rng_below(rng, SMS),
                                           .finish_valid_i = rng_below(rng, 2),
                                           .finish_sm_i = (uint8_t)rng_below(rng, SMS),
                                           .finish_slot_i = (uint8_t)rng_below(rng, SLOTS),
                                           .grant_ready_i = rng_below(rng, 2)});
}

Test(block_overlap, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    struct block_overlap *m = small();
    SKIP_ROUNDS(block_overlap, m, some_traffic, 11, 3000, rng_below(&rng, 20), .push_width_i = 3, .req_sm_i = 1,
                .grant_ready_i = rng_below(&rng, 2));
    free(m);
}

/* ---- the README's table: "push A 0 0 2 2", "ask 1", "finish 0/1", "take"; "wait 3" ends with the row's cycle */

static bool parse_push(const char *event, struct block_overlap_in *in)
{
    char name;
    unsigned x, y, width, height;
    if (sscanf(event, "push %c %u %u %u %u", &name, &x, &y, &width, &height) != 5) return false;
    *in = (struct block_overlap_in){.push_valid_i = true,
                                    .push_id_i = (uint32_t)(name - 'A'),
                                    .push_x_i = x,
                                    .push_y_i = y,
                                    .push_width_i = width,
                                    .push_height_i = height};
    return true;
}

Test(readme_example, block_overlap)
{
    struct block_overlap *m =
        dispatcher(&(struct block_overlap_cfg){.Depth = 4, .Arrays = 1, .FieldW = 4, .Sms = 2, .Slots = 2, .IdW = 4});
    uint32_t waited = 0;
    for (struct example e = example_of("block_overlap", "cycle"); next_row(&e);) {
        struct block_overlap_in in = {0};
        const char *event = given(&e, "event");
        uint32_t sm = 0, wait = 0;
        for (after(event, "wait ", &wait); wait > 1; wait--, waited++) cycle(m, (struct block_overlap_in){0});
        if (!parse_push(event, &in) && after(event, "ask ", &sm)) in.req_valid_i = true, in.req_sm_i = (uint8_t)sm;
        in.grant_ready_i = !strcmp(event, "take");
        const bool scans = m->state_q == BLOCK_OVERLAP_MOST || m->state_q == BLOCK_OVERLAP_LEAST;
        shows(&e, "read", scans && m->issue_q, "%c", 'A' + (char)m->id_q[m->place_q]);
        shows(&e, "compared", scans && m->valid_q >> 4, "%c", 'A' + (char)m->id_q[m->at_q]);
        shows(&e, "best", m->state_q != BLOCK_OVERLAP_IDLE, "%u", (uint32_t)m->best_q);
        const struct block_overlap_out out = cycle(m, in);
        shows_number(&e, "cycle", e.rows - 1 + waited);
        shows_number(&e, "push_ready_o", out.push_ready_o);
        shows(&e, "granted", out.grant_valid_o, "%c", 'A' + (char)out.grant_id_o);
        shows(&e, "grant_sum_o", out.grant_valid_o, "%u", (uint32_t)out.grant_sum_o);
        shows(&e, "grant_least_o", out.grant_valid_o, "%u", out.grant_least_o);
    }
    free(m);
}
