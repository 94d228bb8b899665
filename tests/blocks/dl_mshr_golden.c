/* SPDX-License-Identifier: Apache-2.0 */
/* Dynamically linked MSHRs: outcomes worked out by hand from Gu20, figures 3.7 and 3.8 and sections 3.4.3
 * to 3.4.6. */
#include "files.h"

static struct dl_mshr_out step(struct dl_mshr *m, struct dl_mshr_in in)
{
    struct dl_mshr_out out;
    dl_cycle(m, &in, &out);
    return out;
}

static struct dl_mshr_in request(uint64_t line, uint32_t info)
{
    return (struct dl_mshr_in){.req_valid_i = true, .req_addr_i = line, .req_info_i = info};
}

/* A request with nothing else going on, and its answer. */
static struct dl_mshr_out ask(struct dl_mshr *m, uint64_t line, uint32_t info)
{
    struct dl_mshr_out out = step(m, request(line, info));
    cr_assert(out.req_ready_o && !out.rsp_valid_o, "two-cycle access");
    out = step(m, (struct dl_mshr_in){0});
    cr_assert(out.rsp_valid_o);
    return out;
}

static void fill(struct dl_mshr *m, uint64_t line)
{
    cr_assert(step(m, (struct dl_mshr_in){.fill_valid_i = true, .fill_addr_i = line}).fill_ready_o);
}

static void expect_states(const struct dl_mshr *m, const uint8_t *states)
{
    for (uint32_t i = 0; i < m->p.Sets; i++)
        cr_expect_eq(m->state_q[i], states[i], "set %u is in S%u, not S%u", i, m->state_q[i], states[i]);
}

/* Figure 3.7b: 8 sets of 2 slots hold 8 primary misses, or 15 secondary misses after one primary. */
Test(dl_mshr, eight_sets_hold_eight_heads_or_one_chain_of_sixteen)
{
    struct dl_mshr *m = dl_new(8, 2, 0, 1, 0);
    for (uint32_t i = 0; i < 8; i++) {
        const struct dl_mshr_out out = ask(m, 100 + i, i);
        cr_expect(out.rsp_result_o == MSHR_PRIMARY && out.rsp_set_o == i);
    }
    cr_expect_eq(ask(m, 108, 8).rsp_result_o, MSHR_RF_ENTRY);
    dl_mshr_reset(m);
    cr_expect_eq(ask(m, 5, 0).rsp_result_o, MSHR_PRIMARY);
    for (uint32_t i = 1; i < 16; i++) {
        const struct dl_mshr_out out = ask(m, 5, i);
        cr_expect(out.rsp_result_o == MSHR_SECONDARY && out.rsp_set_o == i / 2);
    }
    cr_expect_eq(ask(m, 5, 16).rsp_result_o, MSHR_RF_MERGE);
    cr_expect(m->used_slots_q == 16 && m->n_free_set_q == 0);
    free(m);
}

/* Figure 3.8, both paths, transition by transition, in a file of 2 sets that fills up. */
Test(dl_mshr, every_state_of_the_allocation_unit_is_entered_as_in_figure_3_8)
{
    struct dl_mshr *m = dl_new(2, 2, 0, 1, 0);
    const struct dl_mshr_in take = {.drain_ready_i = true};
    ask(m, 1, 0), expect_states(m, (uint8_t[]){1, 0}); /* S0 -ReqH-> S1 */
    ask(m, 1, 1), expect_states(m, (uint8_t[]){2, 0}); /* S1 -ReqH-> S2 */
    ask(m, 2, 2), expect_states(m, (uint8_t[]){2, 1});
    cr_expect_eq(ask(m, 1, 3).rsp_result_o, MSHR_RF_MERGE);
    expect_states(m, (uint8_t[]){4, 1});                /* S2 -ReqH, nFreeSet = 0-> S4 */
    fill(m, 2), expect_states(m, (uint8_t[]){4, 5});    /* S1 -RET-> S5 */
    step(m, take), expect_states(m, (uint8_t[]){4, 0}); /* S5 -all slots released-> S0 */
    cr_expect_eq(ask(m, 1, 3).rsp_result_o, MSHR_SECONDARY);
    expect_states(m, (uint8_t[]){3, 6});               /* S4 -ReqH, nFreeSet > 0-> S3; S0 -ReqA-> S6 */
    ask(m, 1, 4), expect_states(m, (uint8_t[]){3, 7}); /* S6 -ReqA-> S7 */
    cr_expect_eq(ask(m, 1, 5).rsp_result_o, MSHR_RF_MERGE);
    expect_states(m, (uint8_t[]){3, 9});             /* S7 -ReqA, nFreeSet = 0-> S9 */
    fill(m, 1), expect_states(m, (uint8_t[]){5, 9}); /* S3 -RET-> S5 */
    step(m, take), expect_states(m, (uint8_t[]){5, 9});
    step(m, take), expect_states(m, (uint8_t[]){0, 10}); /* S5 -> S0; S9 -S_free_EXT-> S10 */
    step(m, take), expect_states(m, (uint8_t[]){0, 10});
    step(m, take), expect_states(m, (uint8_t[]){0, 0}); /* S10 -> S0 */
    cr_expect(m->n_free_set_q == 2 && m->used_slots_q == 0 && m->error_q == MSHR_OK);
    free(m);
}

Test(dl_mshr, a_full_attached_set_links_and_a_refused_one_links_later)
{
    struct dl_mshr *m = dl_new(4, 2, 0, 1, 0);
    for (uint32_t i = 0; i < 4; i++) ask(m, 1, i);
    expect_states(m, (uint8_t[]){3, 7, 0, 0});
    ask(m, 2, 4), ask(m, 1, 5);
    expect_states(m, (uint8_t[]){3, 8, 1, 6}); /* S7 -ReqA, nFreeSet > 0-> S8 */
    ask(m, 1, 6);
    cr_expect_eq(ask(m, 1, 7).rsp_result_o, MSHR_RF_MERGE);
    expect_states(m, (uint8_t[]){3, 8, 1, 9});
    fill(m, 2), step(m, (struct dl_mshr_in){.drain_ready_i = true});
    cr_expect_eq(ask(m, 1, 7).rsp_result_o, MSHR_SECONDARY);
    expect_states(m, (uint8_t[]){3, 8, 6, 8}); /* S9 -ReqA, nFreeSet > 0-> S8 */
    free(m);
}

/* Footnote to section 3.2: W1, R1, W2, R2 of one line must not be combined and must stay in order; here over two sets.
 */
static void w1_r1_w2_r2(uint32_t tail_ptr, uint32_t reserved)
{
    struct dl_mshr *m = dl_new(4, 2, reserved, tail_ptr, 1024);
    struct dl_mshr_in in = {0};
    struct dl_mshr_out out;
    for (uint32_t i = 0; i < 4; i++) { /* another request follows each one without a gap when the file is ready */
        do {
            in = request(7, 20 + i);
            in.req_write_i = i % 2 == 0;
            for (uint32_t k = 0; k < 32; k++) in.req_data_i[k] = (i << 8) + k;
            out = step(m, in);
        } while (!out.req_ready_o);
    }
    while (m->s2_valid_q) step(m, (struct dl_mshr_in){0});
    fill(m, 7);
    for (uint32_t i = 0; i < 4; i++) {
        out = step(m, (struct dl_mshr_in){0});
        cr_expect(out.drain_valid_o && out.drain_info_o == 20 + i, "the slot waits for drain_ready_i");
        out = step(m, (struct dl_mshr_in){.drain_ready_i = true});
        cr_expect(out.drain_addr_o == 7 && out.drain_info_o == 20 + i && out.drain_write_o == (i % 2 == 0));
        for (uint32_t k = 0; k < 32; k++) cr_expect_eq(out.drain_data_o[k], (i << 8) + k);
        cr_expect_eq(out.drain_last_o, i == 3);
    }
    cr_expect(dl_mshr_idle(m) && m->n_free_set_q + m->n_free_reserved_q == 4);
    free(m);
}

Test(dl_mshr, w1_r1_w2_r2_come_out_in_order_with_their_data)
{
    w1_r1_w2_r2(1, 0);
    w1_r1_w2_r2(1, 2);
    w1_r1_w2_r2(0, 0);
}

Test(dl_mshr, back_to_back_requests_to_one_new_line_make_one_head)
{
    struct dl_mshr *m = dl_new(4, 2, 0, 1, 0);
    cr_expect(!step(m, request(9, 0)).rsp_valid_o);
    cr_expect_eq(step(m, request(9, 1)).rsp_result_o, MSHR_PRIMARY);
    cr_expect_eq(step(m, request(9, 2)).rsp_result_o, MSHR_SECONDARY);
    cr_expect_eq(step(m, (struct dl_mshr_in){0}).rsp_result_o, MSHR_SECONDARY);
    expect_states(m, (uint8_t[]){3, 6, 0, 0});
    free(m);
}

Test(dl_mshr, back_to_back_requests_for_the_last_free_set)
{
    struct dl_mshr *m = dl_new(2, 2, 0, 1, 0);
    ask(m, 1, 0);
    step(m, request(2, 1));
    cr_expect_eq(step(m, request(3, 2)).rsp_result_o, MSHR_PRIMARY, "line 2 takes the last set");
    cr_expect_eq(step(m, request(2, 3)).rsp_result_o, MSHR_RF_ENTRY, "line 3 comes too late");
    cr_expect_eq(step(m, (struct dl_mshr_in){0}).rsp_result_o, MSHR_SECONDARY);
    free(m);
}

/* The order within a cycle: stage 2, drain, fill, search. */
Test(dl_mshr, fill_in_the_cycle_in_which_the_primary_is_answered_takes_it_along)
{
    struct dl_mshr *m = dl_new(2, 2, 0, 1, 0);
    step(m, request(3, 42));
    struct dl_mshr_in in = request(3, 43);
    in.fill_valid_i = true;
    in.fill_addr_i = 3;
    struct dl_mshr_out out = step(m, in);
    cr_expect(out.rsp_result_o == MSHR_PRIMARY && out.fill_ready_o && m->error_q == MSHR_OK);
    out = step(m, (struct dl_mshr_in){.drain_ready_i = true});
    cr_expect(out.drain_valid_o && out.drain_last_o && out.drain_info_o == 42);
    cr_expect_eq(out.rsp_result_o, MSHR_RF_DRAIN,
                 "the request of the fill's own cycle is refused, and waits for nothing");
    cr_expect_eq(ask(m, 3, 44).rsp_result_o, MSHR_PRIMARY);
    free(m);
}

Test(dl_mshr, fill_in_the_cycle_in_which_a_secondary_links_takes_it_along)
{
    struct dl_mshr *m = dl_new(4, 2, 0, 1, 0);
    ask(m, 3, 0), ask(m, 3, 1);
    step(m, request(3, 2));
    const struct dl_mshr_out linked = step(m, (struct dl_mshr_in){.fill_valid_i = true, .fill_addr_i = 3});
    cr_expect_eq(linked.rsp_result_o, MSHR_SECONDARY);
    for (uint32_t i = 0; i < 3; i++) {
        const struct dl_mshr_out out = step(m, (struct dl_mshr_in){.drain_ready_i = true});
        cr_expect(out.drain_valid_o && out.drain_info_o == i && out.drain_last_o == (i == 2));
    }
    cr_expect(dl_mshr_idle(m));
    free(m);
}

Test(dl_mshr, a_draining_line_refuses_until_its_last_slot_is_taken)
{
    struct dl_mshr *m = dl_new(4, 2, 0, 1, 0);
    ask(m, 6, 0), ask(m, 6, 1);
    fill(m, 6);
    cr_expect_eq(ask(m, 6, 2).rsp_result_o, MSHR_RF_DRAIN);
    struct dl_mshr_in in = request(6, 3);
    in.drain_ready_i = true;
    step(m, in);                                           /* the first slot goes: still draining */
    cr_expect_eq(step(m, in).rsp_result_o, MSHR_RF_DRAIN); /* the last slot goes, then the search */
    cr_expect_eq(step(m, (struct dl_mshr_in){0}).rsp_result_o, MSHR_PRIMARY);
    free(m);
}

/* Optimization 4: reserved sets serve heads only, and serve them first. */
Test(dl_mshr, reserved_sets_are_taken_first_by_heads_and_never_linked)
{
    struct dl_mshr *m = dl_new(4, 1, 2, 1, 0);
    cr_expect_eq(ask(m, 1, 0).rsp_set_o, 0);
    cr_expect_eq(ask(m, 1, 1).rsp_set_o, 2, "a link takes the lowest set that is not reserved");
    cr_expect_eq(ask(m, 1, 2).rsp_set_o, 3);
    cr_expect_eq(ask(m, 1, 3).rsp_result_o, MSHR_RF_MERGE, "set 1 is free, but reserved");
    cr_expect(m->n_free_set_q == 0 && m->n_free_reserved_q == 1);
    cr_expect_eq(ask(m, 2, 4).rsp_set_o, 1);
    cr_expect_eq(ask(m, 3, 5).rsp_result_o, MSHR_RF_ENTRY);
    dl_mshr_reset(m);
    for (uint32_t i = 0; i < 4; i++) cr_expect_eq(ask(m, 10 + i, i).rsp_set_o, i, "heads overflow into the others");
    cr_expect_eq(ask(m, 20, 9).rsp_result_o, MSHR_RF_ENTRY);
    free(m);
}

/* Optimization 3 left out: the request looks at one set a cycle, and nothing else gets in. */
Test(dl_mshr, without_the_tail_pointer_a_request_walks_its_chain)
{
    struct dl_mshr *m = dl_new(4, 2, 0, 0, 0);
    struct dl_mshr_out out;
    ask(m, 1, 0), ask(m, 2, 1);
    for (uint32_t i = 2; i < 6; i++) {
        step(m, request(1, i));
        do out = step(m, (struct dl_mshr_in){0});
        while (!out.rsp_valid_o);
        cr_expect_eq(out.rsp_result_o, MSHR_SECONDARY);
    }
    expect_states(m, (uint8_t[]){3, 1, 8, 6}); /* line 1: sets 0, 2, 3 */
    step(m, request(1, 6));
    struct dl_mshr_in in = request(2, 7);
    in.fill_valid_i = true;
    in.fill_addr_i = 2;
    for (uint32_t i = 0; i < 2; i++) { /* sets 0 and 2 are linked */
        out = step(m, in);
        cr_expect(!out.req_ready_o && !out.rsp_valid_o && !out.fill_ready_o);
    }
    out = step(m, in);
    cr_expect(out.req_ready_o && out.rsp_valid_o && out.fill_ready_o && out.rsp_set_o == 3);
    cr_expect_eq(step(m, (struct dl_mshr_in){0}).rsp_result_o, MSHR_RF_DRAIN);
    free(m);
}

Test(dl_mshr, fill_of_an_absent_or_draining_line_is_a_sticky_error_and_changes_nothing_else)
{
    struct dl_mshr *m = dl_new(4, 2, 0, 1, 0), *before = dl_new(4, 2, 0, 1, 0);
    ask(m, 1, 0);
    *before = *m;
    fill(m, 9);
    cr_expect_eq(m->error_q, MSHR_ERROR_FILL);
    m->error_q = MSHR_OK;
    cr_expect_arr_eq(m, before, sizeof *m);
    fill(m, 1);
    cr_expect(!step(m, (struct dl_mshr_in){.fill_valid_i = true, .fill_addr_i = 1}).fill_ready_o,
              "a busy drain holds it off");
    step(m, (struct dl_mshr_in){.fill_valid_i = true, .fill_addr_i = 1, .drain_ready_i = true});
    cr_expect_eq(m->error_q, MSHR_ERROR_FILL, "consumed with the line's last slot");
    cr_expect(dl_mshr_idle(m) && m->n_free_set_q == 4);
    ask(m, 1, 0);
    cr_expect_eq(m->error_q, MSHR_ERROR_FILL, "sticky");
    dl_mshr_reset(m);
    cr_expect_eq(m->error_q, MSHR_OK);
    free(m);
    free(before);
}
