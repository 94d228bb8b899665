// SPDX-License-Identifier: Apache-2.0
// Random traffic for a miss file: `mshr` and `dl_mshr` have the same ports and share it.  It obeys the caches'
// protocol (a stalled request or fill is held; only lines in flight are filled), except in stretches that break it on
// purpose.
#pragma once
#include "lockstep.hpp"

using cosim::Draw;

class MissTraffic
{
  public:
    explicit MissTraffic(uint32_t lines) : file_(lines)
    {
    }
    // A new stretch: set of lines; rates of requests, fills and stalls.
    void begin(Random &r)
    {
        static constexpr uint16_t rates[] = {8, 64, 128, 200, 256, 256, 256, 256};
        Draw d = r.draw();
        request_rate_ = rates[d.bits(3)];
        fill_rate_ = rates[d.bits(3)] >> d.below(5);
        drain_rate_ = rates[d.bits(3)];
        hot_rate_ = d.bits(1) ? 0 : 64 << d.bits(1);
        tides_ = d.bits(1);
        daring_ = d.chance(96);
        rude_ = d.chance(40);
        unknown_ = d.chance(24);
        tide_ = 0;
    }

    void reset()
    {
        waiting_ = 0;
        count_ = 0;
        taken_[0] = taken_[1] = kNone;
        std::fill(std::begin(place_), std::end(place_), kNone);
        lines_ = 0; // chosen anew, because lines in flight could not be filled otherwise
    }

    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (lines_)
            follow(last_in, last);
        else
            choose_lines(r);
        if (tides_ && --tide_ > kTide) turn(r);
        Draw d = r.draw();
        request(r, d, in, last_in, last);
        fill(r, in, last_in, last);
        in.drain_ready_i = d.chance(drain_rate_);
    }

  private:
    static constexpr uint16_t kNone = 0xffff;
    static constexpr uint32_t kLines = 1024, kTide = 1u << 31;
    const uint32_t file_; // lines that the miss file holds
    uint64_t line_[kLines] = {};
    uint32_t lines_ = 0, request_rate_ = 0, fill_rate_ = 0, drain_rate_ = 0, hot_rate_ = 0, tide_ = 0;
    bool tides_ = false, ebb_ = false, daring_ = false, rude_ = false, unknown_ = false;
    uint16_t out_[kLines], place_[kLines]; // lines in flight, and a line's index among them
    uint32_t count_ = 0;
    uint16_t asked_ = 0, back_ = 0;      // line of the last request and fill offered
    uint16_t taken_[2] = {kNone, kNone}; // requests without a result yet
    uint32_t waiting_ = 0;

    // A few neighbours, lines that differ in one bit (to test each bit of each comparator), or any.
    void choose_lines(Random &r)
    {
        const uint32_t most = std::min<uint32_t>(kLines, 4 * file_);
        lines_ = 1 + uint32_t(r.below(r.below(2) ? most : std::min<uint32_t>(most, 1u << r.below(8))));
        const uint64_t base = r.below(2) ? 0 : r.u64();
        const uint32_t kind = uint32_t(r.below(3));
        for (uint32_t i = 0; i < lines_; i++)
            line_[i] = (kind == 0   ? base + i
                        : kind == 1 ? base ^ (uint64_t(i != 0) << (i % cfg.AddrW))
                                    : r.u64()) &
                       bits_mask(cfg.AddrW);
        // Two numbers for one line would confuse the list of lines in flight.
        std::sort(line_, line_ + lines_);
        lines_ = uint32_t(std::unique(line_, line_ + lines_) - line_);
    }

    // Full and empty in alternation.
    void turn(Random &r)
    {
        ebb_ = !ebb_;
        tide_ = 16 + uint32_t(r.below(8 * file_));
    }

    // Results of the last cycle.
    void follow(const In &in, const Out &out)
    {
        if (in.req_valid_i && out.req_ready_o && waiting_ < 2) taken_[waiting_++] = asked_;
        if (out.rsp_valid_o && waiting_) {
            if (out.rsp_result_o == MSHR_PRIMARY) add(taken_[0]);
            taken_[0] = taken_[1];
            waiting_--;
        }
        if (in.fill_valid_i && out.fill_ready_o) remove(back_);
    }
    void add(uint16_t i)
    {
        if (i >= lines_ || place_[i] != kNone) return;
        place_[i] = uint16_t(count_);
        out_[count_++] = i;
    }
    void remove(uint16_t i)
    {
        if (i >= lines_ || place_[i] == kNone) return;
        const uint16_t moved = out_[--count_];
        out_[place_[i]] = moved;
        place_[moved] = place_[i];
        place_[i] = kNone;
    }

    void request(Random &r, Draw &d, In &in, const In &last_in, const Out &last)
    {
        if (last_in.req_valid_i && !last.req_ready_o && !rude_) {
            in.req_valid_i = true;
            in.req_addr_i = last_in.req_addr_i;
            in.req_info_i = last_in.req_info_i;
            in.req_write_i = last_in.req_write_i;
            std::memcpy(in.req_data_i, last_in.req_data_i, sizeof in.req_data_i);
            return;
        }
        in.req_valid_i = d.chance(tides_ && ebb_ ? request_rate_ / 8 : request_rate_);
        const uint32_t where = d.bits(8); // any line, the hot one, or one in flight
        const bool known = where >= 208 && count_;
        asked_ = where < hot_rate_ ? 0 : known ? out_[d.below(count_)] : uint16_t(d.below(lines_));
        in.req_addr_i = line_[asked_];
        in.req_info_i = uint32_t(d.bits(16)) * 0x10001u ^ uint32_t(in.req_addr_i << 9);
        in.req_write_i = in.req_info_i >> 7 & 1;
        if (cfg.DataW)
            r.words(in.req_data_i);
        else
            in.req_data_i[0] = in.req_info_i >> 5 & 1; // the pin that nothing stores
    }

    void fill(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (last_in.fill_valid_i && !last.fill_ready_o && !rude_) {
            in.fill_valid_i = true;
            in.fill_addr_i = last_in.fill_addr_i;
            return;
        }
        Draw d = r.draw();
        const bool any = unknown_ && d.chance(16);
        const bool fresh = d.chance(64) && daring_ && waiting_;
        const bool same = d.chance(32) && place_[asked_] != kNone; // the line of the current request
        const uint32_t pick = d.bits(16);
        back_ = any      ? uint16_t(pick % lines_)
                : fresh  ? taken_[0]
                : same   ? asked_
                : count_ ? out_[(pick * count_) >> 16]
                         : kNone;
        in.fill_valid_i = d.chance(tides_ && !ebb_ ? fill_rate_ / 16 : fill_rate_) && back_ != kNone;
        in.fill_addr_i = back_ == kNone ? d.bits(16) : line_[back_];
    }
};
