// SPDX-License-Identifier: Apache-2.0
// block_overlap: Chen16, section 3.3.
#include "run.hpp"

struct Rect {
    uint64_t x, y, width, height;
};

// A candidate with this rectangle of array 0 and none of the others.
static In candidate(uint32_t id, const Rect &r)
{
    In in{};
    in.push_valid_i = true;
    in.push_id_i = uint32_t(id & bits_mask(cfg.IdW));
    in.push_x_i = r.x;
    in.push_y_i = r.y;
    in.push_width_i = r.width;
    in.push_height_i = r.height;
    return in;
}

static In ask(uint32_t sm)
{
    In in{};
    in.req_valid_i = true;
    in.req_sm_i = uint8_t(sm);
    return in;
}

static In finished(uint32_t sm, uint32_t slot)
{
    In in{};
    in.finish_valid_i = true;
    in.finish_sm_i = uint8_t(sm);
    in.finish_slot_i = uint8_t(slot);
    return in;
}

// Cycles from a request to its grant beside those of the search: the request, and the stages of the comparison.
static const uint32_t kOther = 1 + BLOCK_OVERLAP_STAGES;

// Requests a thread block for an SM, accepts the grant, and waits until the queue has closed the gap.  Returns the
// cycles from the request to the grant.
static uint32_t grant(Run &run, uint32_t sm, Out *granted)
{
    uint32_t cycles = 1;
    run.expect(run.cycle(ask(sm)).req_ready_o, "the request is accepted");
    while (!run.idle().grant_valid_o && cycles < 10000) cycles++;
    In take{};
    take.grant_ready_i = true;
    *granted = run.cycle(take);
    for (uint32_t i = 0; !run.idle().finish_ready_o && i <= cfg.Depth; i++) {
    }
    return cycles;
}

static void push(Run &run, uint32_t id, const Rect &r)
{
    run.expect(run.cycle(candidate(id, r)).push_ready_o, "there is room");
}

// Puts a thread block with this rectangle on an SM.
static Out place(Run &run, uint32_t sm, const Rect &r)
{
    Out out;
    push(run, 0, r);
    grant(run, sm, &out);
    return out;
}

static uint64_t most()
{
    return bits_mask(cfg.FieldW);
}

// Two rectangles of the same size at all distances that the fields allow, as the paper computes it: no overlap if a
// distance is larger than the width or the height; else (width - distance_x) * (height - distance_y).
SCENARIO(figure_3_9, cfg.Slots > 1, "figure 3.9: the overlap by the distances of the upper left corners")
{
    const uint64_t width = most() / 2 + 1, height = most() / 3 + 1;
    const uint64_t step = 1 + most() / 6;
    for (uint64_t dx = 0; dx <= most(); dx += step) {
        for (uint64_t dy = 0; dy <= most(); dy += step) {
            run.reset();
            place(run, 0, {0, 0, width, height});
            push(run, 1, {dx, dy, width, height});
            Out out;
            grant(run, 0, &out);
            const uint64_t lines = dx > width || dy > height ? 0 : (width - dx) * (height - dy);
            run.expect_equal(out.grant_sum_o, lines, "lines that both access");
            run.expect_equal(out.grant_least_o, lines == 0, "the second rule");
        }
    }
}

SCENARIO(most_lines, cfg.Slots > 1 && cfg.Depth > 1 && cfg.FieldW > 1,
         "section 3.3.2: the candidate that shares most lines with the SM's thread blocks; the oldest of several")
{
    place(run, 0, {0, 0, 2, 2});
    push(run, 1, {0, 0, 1, 1});
    push(run, 2, {0, 0, 2, 1});
    Out out;
    const uint32_t cycles = grant(run, 0, &out);
    run.expect_equal(out.grant_sum_o, 2, "lines that it shares");
    run.expect(!out.grant_least_o && out.grant_id_o == (2 & bits_mask(cfg.IdW)), "the second one");
    run.expect_equal(out.grant_slot_o, 1, "slot");
    run.expect_equal(cycles, kOther + 2, "cycles: one for each candidate");
    if (cfg.Slots < 3) return;
    push(run, 3, {0, 0, 1, 1});
    grant(run, 0, &out);
    run.expect_equal(out.grant_id_o, 1, "of two that share as much, the oldest");
    run.expect_equal(out.grant_sum_o, 2, "a line of each of two thread blocks");
}

SCENARIO(all_arrays, cfg.Slots > 1 && cfg.Arrays > 1, "section 3.3.2: the overlap is the sum over the arrays")
{
    const uint32_t w = cfg.FieldW;
    In in = candidate(0, {0, 0, 1 | 1u << w, 1 | 1u << w});
    run.cycle(in);
    Out out;
    grant(run, 0, &out);
    in = candidate(1, {0, 0, 1 | uint64_t(1) << w, 1 | uint64_t(1) << w});
    run.cycle(in);
    grant(run, 0, &out);
    run.expect_equal(out.grant_sum_o, 2, "a line of each of two arrays");
}

SCENARIO(least_elsewhere, cfg.Sms > 1 && cfg.Depth > 1 && cfg.FieldW > 1,
         "section 3.3.2: if none shares a line with the SM's, the one that shares fewest with the others'")
{
    place(run, 0, {0, 0, 2, 2});
    push(run, 1, {0, 0, 2, 1});
    push(run, 2, {1, 1, 1, 1});
    Out out;
    grant(run, 1, &out);
    run.expect(out.grant_least_o && out.grant_id_o == (2 & bits_mask(cfg.IdW)), "the one that shares a line, not two");
    run.expect_equal(out.grant_sum_o, 1, "lines that it shares with the others'");
    if (cfg.Slots < 2) return;
    grant(run, 1, &out);
    run.expect(out.grant_least_o && out.grant_sum_o == 2, "the other one shares no line with it either");
}

SCENARIO(nothing_runs, true, "nothing to compare with: the oldest, and the others are not compared")
{
    push(run, 1, {0, 0, 1, 1});
    if (cfg.Depth > 1) push(run, 0, {0, 0, 1, 1});
    Out out;
    const uint32_t cycles = grant(run, cfg.Sms - 1, &out);
    run.expect(out.grant_id_o == 1 && out.grant_sm_o == cfg.Sms - 1 && out.grant_slot_o == 0, "the oldest");
    run.expect(out.grant_least_o && out.grant_sum_o == 0, "without overlap");
    run.expect_equal(cycles, kOther + 2, "cycles: the turn to the other SMs, and one for the oldest");
}

SCENARIO(order, cfg.Slots > 1 && cfg.Depth > 3 && cfg.FieldW > 1 && cfg.IdW > 2,
         "the older ones close the place of a granted candidate, one a cycle: order is that in which they came")
{
    place(run, 0, {0, 0, 2, 2});
    for (uint32_t i = 0; i < 3; i++) push(run, i, {3, 3, 0, 0});
    push(run, 3, {0, 0, 1, 1});
    Out out;
    run.expect(run.cycle(ask(0)).req_ready_o, "the request is accepted");
    while (!run.idle().grant_valid_o) {
    }
    In take{};
    take.grant_ready_i = true;
    run.expect_equal(run.cycle(take).grant_id_o, 3, "the youngest overlaps");
    for (uint32_t i = 0; i < 3; i++) run.expect(!run.cycle(ask(0)).req_ready_o, "a place for each older one");
    run.expect(run.idle().finish_ready_o, "closed up");
    run.cycle(finished(0, 1));
    for (uint32_t i = 0; i < 3; i++) {
        run.cycle(finished(0, 0));
        grant(run, 0, &out);
        run.expect_equal(out.grant_id_o, i, "the oldest of several");
    }
}

SCENARIO(queue_and_slots, true, "candidates wait in a full queue, requests for a full SM; a finish frees the slot")
{
    for (uint32_t i = 0; i < cfg.Slots; i++) place(run, 0, {0, 0, 0, 0});
    push(run, 1, {0, 0, 1, 1});
    run.expect(!run.cycle(ask(0)).req_ready_o, "the SM is full");
    run.expect(run.cycle(finished(0, cfg.Slots - 1)).finish_ready_o, "finished");
    Out out;
    grant(run, 0, &out);
    run.expect_equal(out.grant_slot_o, cfg.Slots - 1, "the slot that was freed");
    for (uint32_t i = 0; i < cfg.Depth; i++) push(run, i, {0, 0, 1, 1});
    run.expect(!run.cycle(candidate(0, {0, 0, 1, 1})).push_ready_o, "the queue is full");
    run.expect_equal(run.idle().error_o, BLOCK_OVERLAP_OK, "errors");
}

SCENARIO(kernel_ends, true, "clear forgets candidates and running thread blocks, and drops a decision")
{
    place(run, 0, {0, 0, 1, 1});
    push(run, 1, {0, 0, 1, 1});
    if (cfg.Slots > 1) run.cycle(ask(0));
    In clear{};
    clear.clear_valid_i = true;
    run.expect(!run.cycle(clear).push_ready_o, "nothing is accepted meanwhile");
    const Twin m = run.registers();
    run.expect(m.state_q == BLOCK_OVERLAP_IDLE && m.count_q == 0 && m.running_q[0] == 0, "empty");
}

SCENARIO(errors, true, "a thread block that does not run cannot finish")
{
    run.cycle(finished(0, 0));
    run.expect_equal(run.idle().error_o, BLOCK_OVERLAP_ERROR_FINISH, "error");
}

SCENARIO(no_such_sm, bits_mask(bits_index(cfg.Sms)) >= cfg.Sms,
         "a request for an SM that does not exist is not accepted")
{
    push(run, 0, {0, 0, 1, 1});
    run.expect(!run.cycle(ask(cfg.Sms)).req_ready_o, "not accepted");
    run.expect_equal(run.idle().error_o, BLOCK_OVERLAP_ERROR_SM, "error");
}
