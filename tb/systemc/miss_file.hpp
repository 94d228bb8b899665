// SPDX-License-Identifier: Apache-2.0
// The words in which scenarios of miss files are written: lists of steps, each with what it must lead to.  Requesters
// are numbered; what an accepted miss left behind has to come out in that order, whatever the twin says.
#pragma once
#include "bench.hpp"

#include <deque>
#include <map>

extern "C" {
#include "mshr_result.h"
}

// The sets or entries in use, in short, as steps give them; each block has its own.
static std::string describe(const Twin &m);

enum Do { MISS, WRITE, RET, TAKE };
static constexpr mshr_result PRIMARY = MSHR_PRIMARY, SECONDARY = MSHR_SECONDARY, RF_ENTRY = MSHR_RF_ENTRY,
                             RF_MERGE = MSHR_RF_MERGE, RF_DRAIN = MSHR_RF_DRAIN;

struct Step {
    Do what;
    char line;         // 'A', 'B', ...: a line address
    uint32_t wanted;   // MISS, WRITE: the answer; TAKE: so many slots come out
    const char *after; // what describe() gives then, for the RTL and for the twin; nullptr: not looked at
};

class MissFile
{
  public:
    explicit MissFile(tb::Bench &run) : run_(run)
    {
    }

    // Neighbours of an address in the middle: most comparators see most bits equal.
    static uint64_t address(char line)
    {
        return (bits_mask(cfg.AddrW) / 3 + uint64_t(line)) & bits_mask(cfg.AddrW);
    }

    // Asks, waits for the answer, and expects it.
    void miss(char line, mshr_result wanted, bool write = false)
    {
        In in = request(line, write);
        Out out = run_.cycle(in);
        for (uint32_t i = 0; !out.req_ready_o && i < kPatience; i++) out = run_.cycle(in);
        for (uint32_t i = 0; !out.rsp_valid_o && i < kPatience; i++) out = run_.idle();
        run_.expect(out.rsp_valid_o, "an answer");
        run_.expect_equal(out.rsp_result_o, wanted, "result");
        if (wanted <= MSHR_SECONDARY) accepted(line, in);
    }
    // For scenarios that count cycles: the request, and that it was taken.
    In request(char line, bool write = false)
    {
        In in{};
        in.req_valid_i = true;
        in.req_addr_i = address(line);
        in.req_info_i = ++requester_ & uint32_t(bits_mask(cfg.InfoW));
        in.req_write_i = write;
        for (uint32_t i = 0; cfg.DataW && i < 32; i++) in.req_data_i[i] = (requester_ * 2654435761u) ^ (i << 24);
        block_clip(in);
        return in;
    }
    void accepted(char line, const In &in)
    {
        waiting_[line].push_back(in);
    }

    static In fill(char line, In in = In{})
    {
        in.fill_valid_i = true;
        in.fill_addr_i = address(line);
        return in;
    }
    // The data of the line comes back.
    void ret(char line)
    {
        run_.expect(run_.cycle(fill(line)).fill_ready_o, "the fill is taken");
        draining_ = line;
    }
    // One slot is taken: the oldest of the line, and drain_last_o exactly with its last one.
    void take()
    {
        In in{};
        in.drain_ready_i = true;
        const Out &out = run_.cycle(in);
        std::deque<In> &slots = waiting_[draining_];
        run_.expect(out.drain_valid_o && !slots.empty(), "a slot comes out");
        run_.expect_equal(out.drain_addr_o, address(draining_), "its line");
        run_.expect_equal(out.drain_info_o, slots.front().req_info_i, "its requester");
        run_.expect_equal(out.drain_write_o, slots.front().req_write_i, "its kind");
        run_.expect(!cfg.DataW || !std::memcmp(out.drain_data_o, slots.front().req_data_i, sizeof out.drain_data_o),
                    "its write data");
        run_.expect_equal(out.drain_last_o, slots.size() == 1, "drain_last_o");
        slots.pop_front();
    }
    // All slots of a line, and nothing after them.
    void ret_and_take_all(char line)
    {
        ret(line);
        while (!waiting_[line].empty()) take();
        run_.expect(!run_.idle().drain_valid_o, "nothing else comes out");
    }

    void play(std::initializer_list<Step> steps)
    {
        static constexpr const char *names[] = {"MISS", "WRITE", "RET", "TAKE"};
        size_t number = 0;
        for (const Step &s : steps) {
            run_.about(std::to_string(++number) + ": " + names[s.what] + " " + s.line);
            if (s.what == MISS || s.what == WRITE) miss(s.line, mshr_result(s.wanted), s.what == WRITE);
            if (s.what == RET) ret(s.line);
            for (uint32_t i = 0; s.what == TAKE && i < s.wanted; i++) take();
            if (s.after) in_use(s.after);
        }
        run_.about("");
    }
    void in_use(const std::string &wanted)
    {
        const auto now = run_.registers();
        const std::string rtl = describe(now.rtl), twin = describe(now.twin);
        run_.expect(rtl == wanted && twin == wanted,
                    "rtl \"" + rtl + "\", twin \"" + twin + "\", should be \"" + wanted + "\"");
    }
    uint32_t free_now()
    {
        const Out &out = run_.idle();
        return uint32_t(out.free_o) + out.free_reserved_o;
    }
    uint32_t used_now()
    {
        return run_.idle().used_slots_o;
    }

  private:
    static constexpr uint32_t kPatience = 2 * 512;
    tb::Bench &run_;
    std::map<char, std::deque<In>> waiting_;
    char draining_ = 0;
    uint32_t requester_ = 0;
};

SCENARIO(order, true, "3.4.4: a line's slots come out as they came in, reads and writes mixed; then everything is free")
{
    MissFile f(run);
    const uint32_t all = f.free_now(), n = std::min<uint32_t>(cfg.Slots, 8);
    for (uint32_t i = 0; i < n; i++) f.miss('A', i ? SECONDARY : PRIMARY, i % 2 == 0);
    f.miss('B', PRIMARY);
    run.expect_equal(f.used_now(), n + 1, "occupied slots");
    f.ret_and_take_all('A');
    f.ret_and_take_all('B');
    run.expect_equal(f.used_now(), 0, "occupied slots");
    run.expect_equal(f.free_now(), all, "free");
}

SCENARIO(late_miss, true,
         "a miss on a line that comes out is refused, and is a primary one again once the last slot has left")
{
    MissFile f(run);
    f.play({
        {MISS, 'A', PRIMARY, nullptr},
        {RET, 'A', 0, nullptr},
        {MISS, 'A', RF_DRAIN, nullptr},
        {TAKE, 'A', 1, ""},
        {MISS, 'A', PRIMARY, nullptr},
    });
}

SCENARIO(unknown_fill, true,
         "a fill for a line that nobody asked for sets error_o until reset, and changes nothing else")
{
    MissFile f(run);
    f.miss('A', PRIMARY);
    const uint32_t free = f.free_now();
    run.expect(run.cycle(f.fill('B')).fill_ready_o, "the fill is taken");
    run.expect_equal(run.idle().error_o, MSHR_ERROR_FILL, "error_o");
    run.expect_equal(f.free_now(), free, "free");
    f.ret_and_take_all('A');
    run.expect_equal(run.idle().error_o, MSHR_ERROR_FILL, "error_o");
    run.reset();
    run.expect_equal(run.idle().error_o, MSHR_OK, "error_o after reset");
}
