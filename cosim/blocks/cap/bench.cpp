// SPDX-License-Identifier: Apache-2.0
// cap in lockstep: Gu20, section 4.3.1.
#include "lockstep.hpp"
#include "scenarios.cpp"

// Allocations of any size and place, a few of them illegal.  Faults in them, except in stretches with faults anywhere.
struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {16, 64, 128, 192, 256, 256, 256, 256};
        fault_ = rates[r.below(8)];
        look_ = rates[r.below(8)];
        take_ = rates[r.below(8)];
        write_ = 1u << r.below(6);
        resident_ = r.below(4);
        over_ = r.chance(64) ? 128 : 0;
        rude_ = r.chance(64);
    }
    void reset()
    {
        for (Entry &e : table_) e = Entry{};
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (last_in.alloc_valid_i && last.alloc_ready_o && last_in.alloc_index_i < cfg.Allocs)
            table_[last_in.alloc_index_i] = Entry{last_in.alloc_base_i, last_in.alloc_pages_i};
        const bool held = last_in.alloc_valid_i && !last.alloc_ready_o;
        if (held && !rude_) {
            in.alloc_valid_i = true;
            in.alloc_index_i = last_in.alloc_index_i;
            in.alloc_base_i = last_in.alloc_base_i;
            in.alloc_pages_i = last_in.alloc_pages_i;
        } else if (r.chance(write_)) {
            write(r, in);
        }
        fault(r, in);
        in.avail_pages_i = uint32_t(r.u64() & kMost & bits_mask(r.below(cfg.CountW + 1)));
        in.oversubscribed_i = r.chance(over_);
        in.look_ready_i = r.chance(look_);
        in.look_resident_i = uint16_t(resident_ == 0 ? 0 : resident_ == 1 ? r.u64() : r.chance(128) ? 0xffff : r.u64());
        in.req_ready_i = r.chance(take_);
    }

  private:
    struct Entry {
        uint64_t base, pages;
    };
    std::vector<Entry> table_ = std::vector<Entry>(cfg.Allocs);
    uint32_t fault_ = 0, look_ = 0, take_ = 0, write_ = 0, resident_ = 0, over_ = 0;
    bool rude_ = false;

    void write(Random &r, In &in)
    {
        in.alloc_valid_i = true;
        in.alloc_index_i = uint8_t(r.u64());
        in.alloc_pages_i = r.chance(32) ? 0 : uint32_t(r.u64() & bits_mask(1 + r.below(cfg.CountW)));
        const uint64_t top = kPages - (r.u64() & 0x3f);
        in.alloc_base_i =
            (r.chance(16) ? top : r.u64() & kPages & bits_mask(4 + r.below(cfg.PageW - 3))) & ~uint64_t(15);
        if (r.chance(8)) in.alloc_base_i = r.u64();
    }
    void fault(Random &r, In &in)
    {
        const uint32_t a = uint32_t(r.below(cfg.Allocs));
        const Entry &e = table_[a];
        in.fault_valid_i = r.chance(fault_) && (rude_ || e.pages);
        in.fault_alloc_i = rude_ && r.chance(32) ? uint8_t(r.u64()) : uint8_t(a);
        in.fault_page_i = e.base + (e.pages ? r.below(e.pages) : 0);
        if (rude_ && r.chance(64)) in.fault_page_i = e.base + e.pages + r.below(40) - 20;
    }
};

struct Coverage {
    static inline const char *const kEvery =
        cfg.Allocs == 1u << bits_index(cfg.Allocs) ? "every number is an entry" : nullptr;
    static inline const char *const kOne = cfg.Allocs > 1 ? nullptr : "there is one allocation only";
    static inline const uint64_t kChunks = (kMost + 15) / 16;
    static inline const uint32_t kLargest = cfg.MaxLog > cfg.OverLog ? cfg.MaxLog : cfg.OverLog;
    static inline const char *const kClip = kLargest > 0 ? nullptr : "a window is one chunk";

    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        table(cover, m, in, out);
        faults(cover, m, in, out);
        walk(cover, m, in, out);
    }

  private:
    void table(Cover &cover, const Twin &m, const In &in, const Out &out)
    {
        const bool write = in.alloc_valid_i && out.alloc_ready_o, there = in.alloc_index_i < cfg.Allocs;
        const uint32_t old = there ? m.alloc_pages_q[in.alloc_index_i] : 0;
        const uint64_t total = uint64_t(m.total_q) - old + in.alloc_pages_i;
        const uint64_t end = (in.alloc_base_i >> 4) + ((uint64_t(in.alloc_pages_i) + 15) >> 4);
        const bool aligned = !(in.alloc_base_i & 15), small = total <= kMost, low = end <= (kPages >> 4) + 1;
        const bool good = write && there && in.alloc_pages_i;
        cover("refused by alloc_done_o", write && !out.alloc_done_o);
        cover("an allocation is entered", good && !old && aligned && small && low);
        cover("an allocation replaces another", good && old && aligned && small && low);
        cover("an allocation is freed", write && there && !in.alloc_pages_i && old);
        cover("the last chunk of the address space is allocated", good && aligned && small && end == (kPages >> 4) + 1);
        cover("refused: the base is no multiple of 16", good && !aligned);
        cover("refused: more pages than can be counted", good && aligned && !small, kOne);
        cover("refused: past the end of the address space", good && aligned && small && !low);
        cover("refused: no such entry", write && !there, kEvery);
        cover("a write waits for the walk", in.alloc_valid_i && m.state_q == CAP_WALK);
        cover("a write waits for migrations to be taken", in.alloc_valid_i && m.state_q == CAP_IDLE && m.count_q);
        cover("a fault lets a write go first", in.alloc_valid_i && in.fault_valid_i && m.state_q == CAP_IDLE);
    }

    void faults(Cover &cover, const Twin &m, const In &in, const Out &out)
    {
        const bool accept = in.fault_valid_i && out.fault_ready_o, there = in.fault_alloc_i < cfg.Allocs;
        const uint64_t chunk = m.fault_q >> 4;
        const bool bad = m.state_q == CAP_WINDOW && !out.win_valid_o, choose = m.state_q == CAP_CHOOSE;
        const bool room = m.pages_q >> 4 >> m.log_q, fits = m.limit_q <= m.sum_q;
        const char *const steps = cfg.MaxLog ? nullptr : "there is one granularity only";
        cover("refused: a fault of an allocation that does not exist",
              accept && there && !m.alloc_pages_q[in.fault_alloc_i]);
        cover("refused: a fault of an entry that does not exist", accept && !there, kEvery);
        cover("refused: a fault below its allocation", bad && chunk < m.base_q);
        cover("refused: a fault above the last chunk", bad && chunk > m.last_q);
        cover("refused: a fault in the last chunk, beyond the end", bad && chunk == m.last_q);
        cover("no free page", m.state_q == CAP_MULTIPLY && !m.left_q && !m.sum_q);
        cover("a bit of Mavail is 0", m.state_q == CAP_MULTIPLY && m.left_q && !(m.left_q & 1));
        cover("too large for the free memory", choose && room && !fits && m.log_q, steps);
        cover("too large for the allocation", choose && !room && fits && m.log_q, steps);
        cover("the largest granularity is chosen", choose && room && fits && m.log_q == cfg.MaxLog);
        cover("one in between is chosen", choose && room && fits && m.log_q && m.log_q<cfg.MaxLog, cfg.MaxLog> 1
                                              ? nullptr
                                              : "there is none in between");
        cover("the smallest is taken without fitting", choose && !fits && !m.log_q);
        cover("the smallest is taken by an allocation that cannot fill it", choose && !room && !m.log_q);
        const uint64_t around = (1u << m.log_q) - 1, first = chunk & ~around, last = chunk | around;
        cover("over-subscribed", out.win_valid_o && m.over_q);
        cover("over-subscribed: larger than the allocation", out.win_valid_o && m.over_q && !room);
        cover("the window begins before the allocation", out.win_valid_o && first < m.base_q, kClip);
        cover("the window ends behind the allocation", out.win_valid_o && last > m.last_q, kClip);
        cover("the whole window is the allocation's", out.win_valid_o && first >= m.base_q && last <= m.last_q);
    }

    void walk(Cover &cover, const Twin &m, const In &in, const Out &out)
    {
        const bool step = out.look_valid_o && in.look_ready_i, demand = m.chunk_q == m.fault_q >> 4;
        const bool tail = m.chunk_q == m.last_q && (m.pages_q & 15), pop = out.req_valid_o && in.req_ready_i;
        const uint16_t mine = tail ? uint16_t((1u << (m.pages_q & 15)) - 1) : 0xffff;
        const uint16_t absent = mine & ~in.look_resident_i;
        const bool first = in.look_resident_i & 1, some = absent && (in.look_resident_i & mine);
        cover("a chunk is absent", step && absent == mine && !demand, kClip);
        cover("a chunk is there", step && !absent && !demand, kClip);
        cover("the fault's chunk is there", step && !absent && demand);
        cover("a chunk whose first page alone is absent", step && absent == 1);
        cover("a chunk is partly resident, its first page too", step && some && first && !demand, kClip);
        cover("the fault's chunk is partly resident, its first page too", step && some && first && demand);
        cover("the last chunk ends early", step && tail && absent);
        cover("the walk ends", step && m.chunk_q == m.end_q);
        cover("the walk goes on", step && m.chunk_q != m.end_q, kClip);
        cover("residency is waited for", out.look_valid_o && !in.look_ready_i);
        cover("two migrations wait: the walk stands", m.state_q == CAP_WALK && m.count_q == 2);
        cover("a migration waits", out.req_valid_o && !in.req_ready_i);
        cover("one goes and another comes", pop && step && absent && demand);
        cover("a fault is accepted while migrations are pending",
              in.fault_valid_i && out.fault_ready_o && out.req_valid_o);
    }
};

COSIM_MAIN
