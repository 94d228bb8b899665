/* SPDX-License-Identifier: Apache-2.0 */
/* mrpb: the worked example, and random traffic against queues written down plainly. */
#include <criterion/criterion.h>

#include "base/rng.h"
#include "cycle.h"
#include "mrpb.h"
#include "readme_example.h"
#include "skip.h"

static struct mrpb *buffer(uint32_t queues, uint32_t entries, uint32_t shared)
{
    const struct mrpb_cfg cfg = {.Queues = queues, .Entries = entries, .Shared = shared, .InfoW = 32};
    struct mrpb *m = calloc(1, sizeof *m);
    cr_assert(m);
    mrpb_init(m, &cfg);
    return m;
}

TWIN_CYCLE(mrpb)

/* "B1": warp B, its request 1. */
Test(readme_example, mrpb)
{
    struct mrpb *m = buffer(4, 4, 1);
    for (struct example e = example_of("mrpb", "cycle"); next_row(&e);) {
        const char *in = given(&e, "in");
        const uint32_t queue = *in ? (uint32_t)(in[0] - 'A') : 0;
        const struct mrpb_out out = cycle(m, (struct mrpb_in){.in_valid_i = *in,
                                                              .in_queue_i = (uint8_t)queue,
                                                              .in_info_i = *in ? (uint64_t)(in[1] - '0') : 0,
                                                              .out_ready_i = flag(&e, "out_ready_i"),
                                                              .out_refused_i = flag(&e, "out_refused_i")});
        shows_number(&e, "cycle", e.rows - 1);
        shows_number(&e, "in_ready_o", out.in_ready_o);
        shows(&e, "offered", out.out_valid_o, "%c%u", 'A' + out.out_queue_o, (unsigned)out.out_info_o);
        shows_number(&e, "held", out.used_o);
    }
    free(m);
}

/* The reference: an array for each queue, shifted when its oldest request leaves. */
enum { QUEUES = 6, DEPTH = 8 };

struct plain {
    uint32_t request[QUEUES][DEPTH], count[QUEUES], held;
    uint32_t entries;
    bool shared;
    int standing; /* queue of the offer that stands; -1: none */
};

static int offered(const struct plain *p)
{
    if (p->standing >= 0) return p->standing;
    for (int q = 0; q < QUEUES; q++)
        if (p->count[q]) return q;
    return -1;
}

static bool room(const struct plain *p, uint32_t queue)
{
    return (p->shared ? p->held : p->count[queue]) < p->entries;
}

static void leave(struct plain *p, int queue)
{
    p->held--;
    p->count[queue]--;
    memmove(p->request[queue], p->request[queue] + 1, sizeof(uint32_t) * (DEPTH - 1));
}

static void compare(const struct plain *p, const struct mrpb_in *in, const struct mrpb_out *out)
{
    const int q = offered(p);
    cr_assert_eq(out->in_ready_o, in->in_valid_i && room(p, in->in_queue_i));
    cr_assert_eq(out->out_valid_o, q >= 0);
    cr_assert_eq(out->out_queue_o, q >= 0 ? q : 0);
    cr_assert_eq(out->out_info_o, q >= 0 ? p->request[q][0] : 0);
    cr_assert_eq(out->used_o, p->held);
    cr_assert_eq(out->error_o, MRPB_OK);
}

static void step(struct plain *p, const struct mrpb_in *in)
{
    const int q = offered(p);
    const bool fits = in->in_valid_i && room(p, in->in_queue_i);
    p->standing = q >= 0 && !in->out_ready_i && !in->out_refused_i ? q : -1;
    if (q >= 0 && in->out_ready_i) leave(p, q);
    if (!fits) return;
    p->request[in->in_queue_i][p->count[in->in_queue_i]++] = (uint32_t)in->in_info_i;
    p->held++;
}

static void against_the_reference(uint32_t shared, uint32_t entries)
{
    struct mrpb *m = buffer(QUEUES, entries, shared);
    struct plain p = {.entries = entries, .shared = shared, .standing = -1};
    struct rng rng;
    rng_seed(&rng, 17 + entries);
    uint32_t left = 0, take = 0;
    for (uint32_t c = 0; c < 40000; c++) {
        if (c % 64 == 0) take = 1 + (uint32_t)rng_below(&rng, 8);
        const struct mrpb_in in = {.in_valid_i = rng_below(&rng, 8) < 5,
                                   .in_queue_i = (uint8_t)rng_below(&rng, QUEUES),
                                   .in_info_i = c,
                                   .out_ready_i = rng_below(&rng, 8) < take,
                                   .out_refused_i = rng_below(&rng, 2)};
        struct mrpb_out out;
        mrpb_eval(m, &in, &out);
        compare(&p, &in, &out);
        left += out.out_valid_o && in.out_ready_i;
        mrpb_tick(m, &in);
        step(&p, &in);
    }
    cr_expect_gt(left, 10000);
    free(m);
}

Test(mrpb, a_pool_behaves_like_plain_queues_of_limited_sum)
{
    against_the_reference(1, 8);
    against_the_reference(1, 1);
}

Test(mrpb, rings_behave_like_plain_queues_of_limited_length)
{
    against_the_reference(0, 3);
    against_the_reference(0, 1);
}

Test(mrpb, requests_of_interleaved_warps_leave_warp_by_warp)
{
    struct mrpb *m = buffer(4, 16, 1);
    for (uint32_t i = 0; i < 16; i++)
        cycle(m,
              (struct mrpb_in){
                  .in_valid_i = true, .in_queue_i = (uint8_t)(3 - i % 4), .in_info_i = i / 4, .out_refused_i = true});
    for (uint32_t i = 0; i < 16; i++) {
        const struct mrpb_out out = cycle(m, (struct mrpb_in){.out_ready_i = true});
        cr_expect_eq(out.out_queue_o, i / 4);
        cr_expect_eq(out.out_info_o, i % 4);
    }
    free(m);
}

static void traffic(struct mrpb *m, struct rng *rng)
{
    for (uint64_t c = rng_below(rng, 6); c > 0; c--)
        cycle(m, (struct mrpb_in){.in_valid_i = rng_below(rng, 2),
                                  .in_queue_i = (uint8_t)rng_below(rng, 3),
                                  .in_info_i = c,
                                  .out_ready_i = rng_below(rng, 2),
                                  .out_refused_i = rng_below(rng, 2)});
}

Test(mrpb, skip_equals_quiet_ticks_and_a_snapshot_goes_on_alike)
{
    for (uint32_t shared = 0; shared < 2; shared++) {
        struct mrpb *m = buffer(3, 4, shared);
        SKIP_ROUNDS(mrpb, m, traffic, 5, 400, 9, .in_queue_i = 7, .out_ready_i = c & 1, .out_refused_i = c & 2);
        free(m);
    }
}
