/* SPDX-License-Identifier: Apache-2.0 */
/* The conventional file: outcomes worked out by hand from Gu20, section 3.2, and figure 3.7a. */
#include "files.h"

static enum mshr_result ask(struct mshr *m, uint64_t line, uint32_t info)
{
    struct mshr_in in = {.req_valid_i = true, .req_addr_i = line, .req_info_i = info};
    struct mshr_out out;
    mshr_cycle(m, &in, &out);
    cr_assert(out.req_ready_o && out.rsp_valid_o, "a conventional file answers in the cycle of the request");
    return out.rsp_result_o;
}

static void fill(struct mshr *m, uint64_t line)
{
    struct mshr_in in = {.fill_valid_i = true, .fill_addr_i = line};
    struct mshr_out out;
    mshr_cycle(m, &in, &out);
    cr_assert(out.fill_ready_o);
}

/* Figure 3.7a: 4 entries of 4 slots.  More than 4 primary misses: entry-full; more than 3 secondary ones: merge-full.
 */
Test(mshr, entry_full_and_merge_full_are_told_apart)
{
    struct mshr *m = mshr_new(4, 4, 0);
    for (uint32_t i = 0; i < 4; i++) cr_expect_eq(ask(m, 100 + i, i), MSHR_PRIMARY);
    cr_expect_eq(ask(m, 104, 4), MSHR_RF_ENTRY);
    for (uint32_t i = 0; i < 3; i++) cr_expect_eq(ask(m, 102, 10 + i), MSHR_SECONDARY);
    cr_expect_eq(ask(m, 102, 13), MSHR_RF_MERGE);
    cr_expect_eq(ask(m, 103, 14), MSHR_SECONDARY, "other entries still merge");
    cr_expect_eq(m->used_slots_q, 8);
    cr_expect_eq(m->n_free_q, 0);
    free(m);
}

Test(mshr, w1_r1_w2_r2_come_out_in_order_with_their_data)
{
    struct mshr *m = mshr_new(4, 4, 64);
    struct mshr_in in = {0};
    struct mshr_out out;
    for (uint32_t i = 0; i < 4; i++) {
        in = (struct mshr_in){.req_valid_i = true, .req_addr_i = 7, .req_info_i = 20 + i, .req_write_i = i % 2 == 0};
        in.req_data_i[0] = 0xd0 + i;
        in.req_data_i[1] = 0xe0 + i;
        mshr_cycle(m, &in, &out);
        cr_expect_eq(out.rsp_set_o, 0);
    }
    fill(m, 7);
    for (uint32_t i = 0; i < 4; i++) {
        in.drain_ready_i = true;
        mshr_cycle(m, &in, &out);
        cr_expect(out.drain_valid_o && out.drain_addr_o == 7 && out.drain_info_o == 20 + i);
        cr_expect_eq(out.drain_write_o, i % 2 == 0);
        cr_expect(out.drain_data_o[0] == 0xd0 + i && out.drain_data_o[1] == 0xe0 + i && out.drain_data_o[2] == 0);
        cr_expect_eq(out.drain_last_o, i == 3);
    }
    mshr_cycle(m, &in, &out);
    cr_expect(!out.drain_valid_o && out.free_o == 4 && out.used_slots_o == 0);
    free(m);
}

Test(mshr, request_in_the_cycle_of_its_fill_and_while_draining_is_refused)
{
    struct mshr *m = mshr_new(2, 2, 0);
    struct mshr_out out;
    ask(m, 5, 0);
    struct mshr_in in = {.fill_valid_i = true, .fill_addr_i = 5, .req_valid_i = true, .req_addr_i = 5};
    mshr_cycle(m, &in, &out);
    cr_expect(out.fill_ready_o && out.rsp_result_o == MSHR_RF_DRAIN);
    cr_expect_eq(ask(m, 5, 1), MSHR_RF_DRAIN, "nobody takes the slot: still draining");
    in.drain_ready_i = true;
    in.req_valid_i = true;
    in.req_addr_i = 5;
    mshr_cycle(m, &in, &out);
    cr_expect(out.drain_valid_o && out.drain_last_o);
    cr_expect_eq(out.rsp_result_o, MSHR_PRIMARY, "the drain comes before the request: the line is gone");
    cr_expect_eq(out.rsp_set_o, 0, "and its entry is free already");
    free(m);
}

Test(mshr, entry_freed_in_this_cycle_serves_this_cycles_request_of_a_full_file)
{
    struct mshr *m = mshr_new(2, 1, 0);
    struct mshr_in in = {0};
    struct mshr_out out;
    ask(m, 1, 0);
    ask(m, 2, 0);
    fill(m, 2);
    cr_expect_eq(ask(m, 3, 0), MSHR_RF_ENTRY);
    in = (struct mshr_in){
        .req_valid_i = true, .req_addr_i = 3, .drain_ready_i = true, .fill_valid_i = true, .fill_addr_i = 1};
    mshr_cycle(m, &in, &out);
    cr_expect(out.rsp_result_o == MSHR_PRIMARY && out.rsp_set_o == 1);
    cr_expect(out.fill_ready_o, "the next fill follows the last slot without a gap");
    mshr_cycle(m, &in, &out);
    cr_expect(out.drain_valid_o && out.drain_addr_o == 1);
    free(m);
}

Test(mshr, fill_that_nobody_asked_for_is_a_sticky_error_and_changes_nothing_else)
{
    struct mshr *m = mshr_new(2, 2, 0), *before = mshr_new(2, 2, 0);
    struct mshr_in in = {0};
    struct mshr_out out;
    ask(m, 1, 0);
    *before = *m;
    fill(m, 9);
    cr_expect_eq(m->error_q, MSHR_ERROR_FILL);
    m->error_q = MSHR_OK;
    cr_expect_arr_eq(m, before, sizeof *m);
    m->error_q = MSHR_ERROR_FILL;
    fill(m, 1);
    cr_expect_eq(m->error_q, MSHR_ERROR_FILL, "sticky");
    in.drain_ready_i = in.fill_valid_i = true;
    in.fill_addr_i = 1;
    mshr_reset(m);
    ask(m, 1, 0);
    fill(m, 1);
    mshr_cycle(m, &in, &out);
    cr_expect(out.fill_ready_o && out.error_o == MSHR_OK);
    cr_expect_eq(m->error_q, MSHR_ERROR_FILL, "a second fill of a line whose last slot is leaving");
    free(m);
    free(before);
}
