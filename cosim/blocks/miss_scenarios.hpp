// SPDX-License-Identifier: Apache-2.0
// Scenarios for every miss file, conventional or linked (Gu20, sections 3.2 and 3.4.4), and their helpers: request a
// line, fill it, take its slots; or lists of such steps.  The file that includes this has kSets, the most primary
// misses.
#pragma once
#include <deque>
#include <map>

#include "run.hpp"

class MissFile
{
  public:
    explicit MissFile(Run &run) : run_(run)
    {
    }

    // A number of a line as an address.
    static uint64_t address_of(uint64_t line)
    {
        return line & bits_mask(cfg.AddrW);
    }
    static In request(uint64_t line, uint32_t info, bool write = false)
    {
        In in{};
        in.req_valid_i = true;
        in.req_addr_i = line;
        in.req_info_i = info & uint32_t(bits_mask(cfg.InfoW));
        in.req_write_i = write;
        for (uint32_t i = 0; i < 32; i++) in.req_data_i[i] = (info * 2654435761u) ^ (i << 24);
        block_clip(in);
        return in;
    }
    static In fill(uint64_t line)
    {
        In in{};
        in.fill_valid_i = true;
        in.fill_addr_i = line;
        return in;
    }
    static In both(In request, const In &fill)
    {
        request.fill_valid_i = true;
        request.fill_addr_i = fill.fill_addr_i;
        return request;
    }
    static In take(In in = In{})
    {
        in.drain_ready_i = true;
        return in;
    }

    // Requests and waits for the result; returns the outputs of the cycle with the result.
    Out ask(uint64_t line, uint32_t info, bool write = false)
    {
        const In in = request(line, info, write);
        Out out = run_.cycle(in);
        for (uint32_t i = 0; !out.req_ready_o && i < kPatience; i++) out = run_.cycle(in);
        return answer(out);
    }
    // `out` is of the cycle in which the request was taken.
    Out answer(Out out)
    {
        for (uint32_t i = 0; !out.rsp_valid_o && i < kPatience; i++) out = run_.idle();
        run_.expect(out.rsp_valid_o, "an answer in " + std::to_string(kPatience) + " cycles");
        return out;
    }
    void ask_expect(uint64_t line, uint32_t info, mshr_result wanted)
    {
        run_.expect_equal(ask(line, info).rsp_result_o, wanted, "result");
    }
    void bring_back(uint64_t line)
    {
        const Out &out = run_.cycle(fill(line));
        run_.expect(out.fill_ready_o, "the fill is taken");
    }
    // One slot, taken.
    void slot(uint64_t line, uint32_t info, bool write, bool last)
    {
        const Out &out = run_.cycle(take());
        run_.expect(out.drain_valid_o, "a slot is offered");
        run_.expect_equal(out.drain_addr_o, address_of(line), "its line");
        run_.expect_equal(out.drain_info_o, info & uint32_t(bits_mask(cfg.InfoW)), "its requester");
        run_.expect_equal(out.drain_write_o, write, "its kind");
        run_.expect_equal(out.drain_last_o, last, "drain_last_o");
    }
    // Secondary misses until one is refused; returns the number taken.
    uint32_t merge_until_refused(uint64_t line)
    {
        uint32_t taken = 0;
        while (taken <= kPatience) {
            const Out out = ask(line, taken);
            if (out.rsp_result_o != MSHR_SECONDARY) {
                run_.expect_equal(out.rsp_result_o, MSHR_RF_MERGE, "result of the refused one");
                break;
            }
            taken++;
        }
        return taken;
    }
    uint32_t free_now()
    {
        return free_of(run_.idle());
    }
    uint32_t used_now()
    {
        return run_.idle().used_slots_o;
    }
    static uint32_t free_of(const Out &out)
    {
        return uint32_t(out.free_o) + out.free_reserved_o;
    }

  private:
    static constexpr uint32_t kPatience = 5000;
    Run &run_;
};

// Sets or entries in use, as short text in the steps; each block has its own format.
static std::string describe(const Twin &m);

enum Do { MISS, RET, TAKE };
static constexpr mshr_result PRIMARY = MSHR_PRIMARY, SECONDARY = MSHR_SECONDARY, RF_ENTRY = MSHR_RF_ENTRY,
                             RF_MERGE = MSHR_RF_MERGE;

struct Step {
    Do what;
    char line;         // 'A', 'B', ...: a line address
    uint32_t wanted;   // MISS: the result; TAKE: number of slots to drain
    const char *after; // expected describe(); nullptr: not checked
};

// A miss file and the requests that it accepted.  They must drain in the same order, independently of the twin.
class Steps : public MissFile
{
  public:
    explicit Steps(Run &run) : MissFile(run), run_(run)
    {
    }
    // Neighbours of an address in the middle: most comparators see most bits equal.
    static uint64_t address(char line)
    {
        return (bits_mask(cfg.AddrW) / 3 + uint64_t(line)) & bits_mask(cfg.AddrW);
    }
    void miss(char line, mshr_result wanted, bool write = false)
    {
        const In in = request(address(line), ++requester_, write);
        run_.expect_equal(ask(address(line), requester_, write).rsp_result_o, wanted, "result");
        if (wanted <= MSHR_SECONDARY) waiting_[line].push_back(in);
    }
    void ret(char line)
    {
        bring_back(address(line));
        draining_ = line;
    }
    // Takes one slot: the oldest of the line; drain_last_o exactly with its last one.
    void take_one()
    {
        std::deque<In> &slots = waiting_[draining_];
        run_.expect(!slots.empty(), "a slot of this line is left");
        const In in = slots.front();
        slots.pop_front();
        const Out out = run_.cycle(take());
        same_slot(out, in, slots.empty());
    }
    // All slots of a line, and nothing after them.
    void ret_and_take_all(char line)
    {
        ret(line);
        while (!waiting_[line].empty()) take_one();
        run_.expect(!run_.idle().drain_valid_o, "nothing else drains");
    }
    void play(std::initializer_list<Step> steps)
    {
        static constexpr const char *names[] = {"MISS", "RET", "TAKE"};
        size_t number = 0;
        for (const Step &s : steps) {
            run_.about(std::to_string(++number) + ": " + names[s.what] + " " + s.line);
            if (s.what == MISS) miss(s.line, mshr_result(s.wanted));
            if (s.what == RET) ret(s.line);
            for (uint32_t i = 0; s.what == TAKE && i < s.wanted; i++) take_one();
            if (s.after) in_use(s.after);
        }
        run_.about("");
    }
    void in_use(const std::string &wanted)
    {
        const std::string found = describe(run_.registers());
        run_.expect(found == wanted, '"' + found + "\", should be \"" + wanted + '"');
    }

  private:
    Run &run_;
    std::map<char, std::deque<In>> waiting_;
    char draining_ = 0;
    uint32_t requester_ = 0;

    void same_slot(const Out &out, const In &in, bool last)
    {
        run_.expect(out.drain_valid_o, "a slot is offered");
        run_.expect_equal(out.drain_addr_o, in.req_addr_i, "its line");
        run_.expect_equal(out.drain_info_o, in.req_info_i, "its requester");
        run_.expect_equal(out.drain_write_o, in.req_write_i, "its kind");
        run_.expect_equal(out.drain_last_o, last, "drain_last_o");
        if (cfg.DataW)
            run_.expect(!std::memcmp(out.drain_data_o, in.req_data_i, sizeof in.req_data_i), "its write data");
    }
};

SCENARIO(order, true, "3.4.4 deallocation: first in, first out, reads and writes in their order (W1 R1 W2 R2)")
{
    Steps f(run);
    const uint32_t all = f.free_now();
    const uint32_t n = std::min<uint32_t>(cfg.Slots, 8);
    for (uint32_t i = 0; i < n; i++) f.miss('A', i ? SECONDARY : PRIMARY, i % 2 == 0);
    f.miss('B', PRIMARY);
    run.expect_equal(f.used_now(), n + 1, "occupied slots");
    f.ret_and_take_all('A');
    f.ret_and_take_all('B');
    run.expect_equal(f.free_now(), all, "free sets");
    run.expect_equal(f.used_now(), 0, "occupied slots");
}

SCENARIO(draining, true,
         "a request for a line that drains is refused and is a primary miss again once the last slot has left")
{
    MissFile f(run);
    f.ask_expect(3, 1, MSHR_PRIMARY);
    f.bring_back(3);
    f.ask_expect(3, 2, MSHR_RF_DRAIN);
    f.slot(3, 1, false, true);
    f.ask_expect(3, 3, MSHR_PRIMARY);
}

SCENARIO(coincident, true, "a fill comes before a request of its cycle: the request is refused, only older ones drain")
{
    MissFile f(run);
    f.ask_expect(3, 1, MSHR_PRIMARY);
    const Out out = f.answer(run.cycle(f.both(f.request(3, 2), f.fill(3))));
    run.expect_equal(out.rsp_result_o, MSHR_RF_DRAIN, "result");
    f.slot(3, 1, false, true);
    run.expect(!run.idle().drain_valid_o, "nothing else drains");
}

SCENARIO(stall, true, "a slot waits until it is taken, and nothing about it changes")
{
    MissFile f(run);
    f.ask_expect(6, 9, MSHR_PRIMARY);
    f.bring_back(6);
    for (int i = 0; i < 20; i++) {
        const Out &out = run.idle();
        run.expect(out.drain_valid_o && out.drain_addr_o == f.address_of(6), "the slot is offered");
        run.expect(!out.fill_ready_o, "no other fill is taken");
    }
    f.slot(6, 9, false, true);
}

SCENARIO(chained_fills, true, "the next fill is taken in the cycle in which the last slot leaves")
{
    MissFile f(run);
    f.ask_expect(1, 1, MSHR_PRIMARY);
    f.ask_expect(2, 2, MSHR_PRIMARY);
    f.bring_back(1);
    const Out &out = run.cycle(f.take(f.fill(2)));
    run.expect(out.drain_last_o && out.fill_ready_o, "the fill is taken with the last slot");
    f.slot(2, 2, false, true);
}

SCENARIO(unknown_fill, true, "a fill for a line without an outstanding miss: a sticky error, nothing else changes")
{
    MissFile f(run);
    f.ask_expect(1, 1, MSHR_PRIMARY);
    const uint32_t free = f.free_now();
    const auto wanted = std::make_unique<Twin>(run.registers());
    wanted->error_q = MSHR_ERROR_FILL;
    f.bring_back(2);
    run.expect(!std::memcmp(wanted.get(), &run.registers(), sizeof *wanted), "the other registers are as before");
    for (int i = 0; i < 5; i++) run.expect_equal(run.idle().error_o, MSHR_ERROR_FILL, "error_o");
    run.expect_equal(f.free_now(), free, "free sets");
    f.bring_back(1);
    f.slot(1, 1, false, true);
    run.reset();
    run.expect_equal(run.idle().error_o, MSHR_OK, "error_o after reset");
}

SCENARIO(late_fill, true, "a fill for a line that has come back already, as its last slot leaves: the same error")
{
    MissFile f(run);
    f.ask_expect(1, 1, MSHR_PRIMARY);
    f.bring_back(1);
    run.cycle(f.take(f.fill(1)));
    const Out &out = run.idle();
    run.expect_equal(out.error_o, MSHR_ERROR_FILL, "error_o");
    run.expect(!out.drain_valid_o, "nothing drains");
}

SCENARIO(all_slots, bits_mask(cfg.AddrW) >= kSets - 1, "every slot of every set is taken, and every one drains")
{
    MissFile f(run);
    const uint32_t sets = f.free_now();
    for (uint32_t s = 0; s < sets; s++)
        for (uint32_t i = 0; i < cfg.Slots; i++)
            run.expect_equal(f.ask(s, s + i).rsp_result_o, i ? MSHR_SECONDARY : MSHR_PRIMARY, "result");
    run.expect_equal(f.used_now(), sets * cfg.Slots, "occupied slots");
    for (uint32_t s = 0; s < sets; s++) {
        f.bring_back(s);
        for (uint32_t i = 0; i < cfg.Slots; i++) f.slot(s, s + i, false, i + 1 == cfg.Slots);
    }
    run.expect_equal(f.free_now(), sets, "free sets");
}

SCENARIO(reset_in_use, true, "reset in the middle: everything is free, nothing is remembered")
{
    MissFile f(run);
    const uint32_t all = f.free_now();
    f.ask_expect(1, 1, MSHR_PRIMARY);
    f.ask_expect(2, 2, MSHR_PRIMARY);
    f.bring_back(1);
    run.reset(f.both(f.request(2, 3), f.fill(2)));
    run.expect(!run.idle().drain_valid_o, "no slot is offered");
    run.expect_equal(f.free_now(), all, "free sets");
    f.ask_expect(1, 1, MSHR_PRIMARY);
}
