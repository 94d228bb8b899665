// SPDX-License-Identifier: Apache-2.0
// evict_coalescer in lockstep: Gu20, sections 4.3.2.2 and 4.5.5.
#include "lockstep.hpp"
#include "scenarios.cpp"

// Expiries of pages of more or fewer blocks than entries; accesses and clears of recently expired pages, or of any.
struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {0, 2, 8, 32, 96, 160, 224, 256};
        const bool calm = r.chance(80); // few pages leave on their own: blocks become complete, the table becomes full
        exp_ = rates[2 + r.below(6)];
        acc_ = rates[r.below(calm ? 2 : 8)];
        clear_ = rates[r.below(calm ? 2 : 6)];
        press_ = r.chance(128) ? rates[r.below(calm ? 3 : 6)] : 0;
        evict_ = rates[1 + r.below(7)];
        recall_ = rates[1 + r.below(7)];
        late_ = rates[r.below(8)];
        out_ = r.chance(128) ? 0 : rates[r.below(calm ? 2 : 8)];
        hot_ = r.chance(64)    ? 1 + uint32_t(r.below(2))
               : r.chance(128) ? 1 + uint32_t(r.below(cfg.Entries + 1))
                               : cfg.Entries + 1 + uint32_t(r.below(cfg.Entries));
        base_ = r.u64() % kBlocks;
        rude_ = r.chance(48);
    }
    void reset()
    {
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        const bool held = last_in.exp_valid_i && !last.exp_ready_o && !rude_;
        in.exp_valid_i = held || r.chance(exp_);
        in.exp_page_i = held ? last_in.exp_page_i : page(r);
        if (in.exp_valid_i) expired_[at_++ % 16] = in.exp_page_i;
        const bool acc_held = last_in.acc_valid_i && !last.acc_ready_o && !rude_;
        in.acc_valid_i = acc_held || r.chance(acc_);
        in.acc_page_i = acc_held ? last_in.acc_page_i : known(r, last);
        in.acc_expired_i = r.chance(out_);
        in.clear_valid_i = r.chance(clear_);
        in.clear_page_i = known(r, last);
        in.press_valid_i = (last_in.press_valid_i && !last.press_ready_o && !rude_) || r.chance(press_);
        in.evict_ready_i = r.chance(evict_);
        in.recall_ready_i = r.chance(recall_);
    }

  private:
    uint32_t exp_ = 0, acc_ = 0, clear_ = 0, press_ = 0, evict_ = 0, recall_ = 0, late_ = 0, out_ = 0, hot_ = 1,
             at_ = 0;
    uint64_t base_ = 0, expired_[16] = {};
    bool rude_ = false;

    uint64_t page(Random &r)
    {
        return (base_ + r.below(hot_)) % kBlocks << 4 | r.below(16);
    }
    // A page of the offered block, a recently expired one (or one half a memory away), one of this stretch's blocks, or
    // any.
    uint64_t known(Random &r, const Out &last)
    {
        if (last.evict_valid_o && r.chance(32)) return uint64_t(last.evict_block_o) << 4 | r.below(16);
        if (last.recall_valid_o && r.chance(32)) return uint64_t(last.recall_block_o) << 4 | r.below(16);
        if (r.chance(late_)) return expired_[r.below(16)] ^ (r.chance(8) ? kBlocks << 3 : 0);
        return r.chance(4) ? r.u64() : page(r);
    }
};

struct Coverage {
    static inline const char *const kAlone = cfg.Entries > 1 ? nullptr : "there is one entry";
    static inline const char *const kMiddle = cfg.Entries > 2 ? nullptr : "there are no three entries";

    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const bool clear = in.clear_valid_i, exp = in.exp_valid_i && out.exp_ready_o;
        const bool acc = in.acc_valid_i && out.acc_ready_o;
        const uint64_t page = clear ? in.clear_page_i : exp ? in.exp_page_i : in.acc_page_i;
        find(m, page);
        const bool wait = m.pend_q && m.pend_page_q == page;
        expiries(cover, m, in, out, exp);
        accesses(cover, in, out, acc, wait);
        clears(cover, m, clear, wait, page);
        evictions(cover, m, in, out,
                  ((clear || acc) && (there_ || wait)) || (acc && in.acc_expired_i && (pages_ || beside_)), clear);
        pressure(cover, m, in, out, exp && !pages_ && m.used_q == cfg.Entries);
    }

  private:
    uint32_t pages_ = 0;  // expired pages of the searched block
    bool beside_ = false; // another page of the block waits for an entry
    bool there_ = false, alone_ = false, first_ = false, middle_ = false,
         last_ = false; // the page has expired; location of its entry

    void find(const Twin &m, uint64_t page)
    {
        uint32_t index = 0;
        pages_ = 0;
        for (uint32_t i = 0; i < cfg.Entries; i++)
            if (m.block_q[i] == page >> 4 && m.pages_q[i]) {
                index = i;
                pages_ = m.pages_q[i];
            }
        there_ = pages_ >> (page & 15) & 1;
        beside_ = m.pend_q && m.pend_page_q != page && m.pend_page_q >> 4 == page >> 4;
        alone_ = pages_ && m.used_q == 1;
        first_ = pages_ && !alone_ && index == m.head_q;
        last_ = pages_ && !alone_ && index == m.tail_q;
        middle_ = pages_ && !alone_ && !first_ && !last_;
    }
    void expiries(Cover &cover, const Twin &m, const In &in, const Out &out, bool exp)
    {
        const bool update = exp && pages_ && !there_, refused = in.exp_valid_i && !out.exp_ready_o;
        cover("the first page of a block expires", exp && !pages_ && !m.used_q);
        cover("of a second block", exp && !pages_ && m.used_q && m.used_q != cfg.Entries, kAlone);
        cover("a further page of the only block", update && alone_);
        cover("of the block updated last", update && last_, kAlone);
        cover("of the one updated least recently", update && first_, kAlone);
        cover("of one between", update && middle_, kMiddle);
        cover("the last of its 16 pages", update && (pages_ & (pages_ + 1)) == 0 && pages_ == 0x7fff);
        cover("refused: it has expired already", exp && there_);
        cover("a page waits for an entry", exp && !pages_ && m.used_q == cfg.Entries);
        cover("an expiry waits for a clear", refused && !m.pend_q && !m.press_q);
        cover("an expiry waits: a page waits for an entry", refused && m.pend_q);
        cover("an expiry waits: a batch is in progress", refused && m.press_q);
    }
    void accesses(Cover &cover, const In &in, const Out &out, bool acc, bool wait)
    {
        const bool refused = in.acc_valid_i && !out.acc_ready_o, revoke = acc && there_;
        cover("an access revokes the only entry", revoke && alone_);
        cover("the oldest one", revoke && first_, kAlone);
        cover("the youngest one", revoke && last_, kAlone);
        cover("one between", revoke && middle_, kMiddle);
        cover("one with several pages", revoke && (pages_ & (pages_ - 1)));
        cover("an access to a page that has not expired, of a block that has an entry", acc && pages_ && !there_);
        cover("an access to another block", acc && !pages_);
        cover("an access to the page that waits for an entry", acc && wait);
        const bool late = acc && in.acc_expired_i && !there_;
        cover("an access to a page with an expiry in flight, of a block without an entry", late && !pages_ && !beside_);
        cover("of a block with an entry", late && pages_);
        cover("of a block with a page that waits for an entry", late && beside_);
        cover("the only entry is revoked so", late && pages_ && alone_);
        cover("the oldest one is", late && first_, kAlone);
        cover("the youngest one is", late && last_, kAlone);
        cover("one between is", late && middle_, kMiddle);
        cover("an access waits for a clear", refused && in.clear_valid_i);
        cover("an access waits for an expiry", refused && !in.clear_valid_i && in.exp_valid_i && out.exp_ready_o);
        cover("an access waits for a recall",
              refused && !in.clear_valid_i && !(in.exp_valid_i && out.exp_ready_o) && out.recall_valid_o);
        cover("a recall is taken", out.recall_valid_o && in.recall_ready_i);
        cover("a recall waits", out.recall_valid_o && !in.recall_ready_i);
        cover("all 16 pages are recalled", out.recall_pages_o == 0xffff);
    }
    void clears(Cover &cover, const Twin &m, bool clear, bool wait, uint64_t page)
    {
        const bool hit = clear && there_, frees = hit && !(pages_ & (pages_ - 1));
        const uint32_t bit = 1u << (page & 15);
        const bool recalled = clear && m.recall_block_q == page >> 4 && (m.recall_pages_q & bit);
        cover("a clear of one of several pages", hit && !frees);
        cover("a clear frees the only entry", frees && alone_);
        cover("the oldest one", frees && first_, kAlone);
        cover("the youngest one", frees && last_, kAlone);
        cover("one between", frees && middle_, kMiddle);
        cover("a clear of nothing", clear && !there_ && !wait && !recalled);
        cover("a clear of the page that waits for an entry", clear && wait);
        cover("a clear of one of the recalled pages", recalled && m.recall_pages_q != bit);
        cover("of the only one", recalled && m.recall_pages_q == bit);
        cover("a clear of a recalled page that has expired again", recalled && hit);
    }
    void evictions(Cover &cover, const Twin &m, const In &in, const Out &out, bool touched, bool clear)
    {
        const bool full = m.pend_q && m.used_q == cfg.Entries;
        cover("all in use: an entry is taken", out.evict_valid_o && !out.evict_why_o && in.evict_ready_i);
        cover("its offer waits", out.evict_valid_o && !out.evict_why_o && !in.evict_ready_i);
        cover("an access goes while it waits",
              out.evict_valid_o && !out.evict_why_o && in.acc_valid_i && out.acc_ready_o);
        cover("all 16 pages are evicted", out.evict_pages_o == 0xffff);
        cover("the offered entry is revoked", full && touched && !clear && there_ && (first_ || alone_));
        cover("a page of the offered entry is cleared", full && clear && there_ && (first_ || alone_));
        cover("another entry is revoked", full && touched && !clear && (last_ || middle_) && there_, kAlone);
        cover("the page that waits gets an entry", m.pend_q && !full && !touched);
        cover("it has to wait a cycle longer", m.pend_q && !full && touched);
    }
    void pressure(Cover &cover, const Twin &m, const In &in, const Out &out, bool waits)
    {
        const bool offered = out.evict_valid_o && out.evict_why_o;
        cover("memory is short: an entry is taken", offered && in.evict_ready_i);
        cover("its offer waits", offered && !in.evict_ready_i);
        cover("it is revoked, or its page cleared", m.press_q && !m.pend_q && !out.evict_valid_o && !out.press_done_o);
        cover("a whole batch", out.press_done_o && out.press_count_o == cfg.Batch);
        cover("a part of one", out.press_done_o && out.press_count_o && out.press_count_o != cfg.Batch,
              cfg.Batch > 1 ? nullptr : "a batch is one entry");
        cover("nothing at all", out.press_done_o && !out.press_count_o);
        cover("requested while a batch is in progress", in.press_valid_i && !out.press_ready_o);
        cover("requested while a page waits for an entry", in.press_valid_i && out.press_ready_o && m.pend_q);
        cover("asked for in the cycle of its expiry", in.press_valid_i && out.press_ready_o && waits);
        cover("the page that waits goes first", m.press_q && m.pend_q && out.evict_valid_o && in.evict_ready_i);
    }
};

COSIM_MAIN
