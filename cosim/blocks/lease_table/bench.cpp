// SPDX-License-Identifier: Apache-2.0
// lease_table in lockstep: Gu20, sections 4.3.2 and 4.5.5.
#include "lockstep.hpp"
#include "scenarios.cpp"

// Commands and accesses to a few frames at a time, so that they collide.  Residency is known from the accepted
// commands.
struct Stimulus {
    void begin(Random &r)
    {
        static constexpr uint32_t rates[] = {16, 64, 128, 192, 240, 256, 256, 256};
        cmd_ = rates[r.below(5)];
        acc_ = rates[r.below(8)];
        take_ = r.chance(64) ? 8 : rates[r.below(8)];
        evict_ = r.chance(128) ? 16 : 128;
        lease_w_ = 1 + r.below(r.chance(128) ? 3 : cfg.LeaseW + 1);
        hot_ = 1 + uint32_t(r.below(8));
        base_ = r.chance(64) ? cfg.Pages - 1 : uint32_t(r.below(cfg.Pages));
        rude_ = r.chance(48);
    }
    void reset()
    {
        resident_.assign(cfg.Pages, false);
    }
    void next(Random &r, In &in, const In &last_in, const Out &last)
    {
        if (last_in.cmd_valid_i && last.cmd_ready_o && last_in.cmd_page_i < cfg.Pages && last_in.cmd_op_i < 2)
            resident_[last_in.cmd_page_i] = last_in.cmd_op_i == LEASE_TABLE_MIGRATE;
        in.exp_ready_i = r.chance(take_);
        access(r, in, last_in.acc_valid_i && !last.acc_ready_o && !rude_, last_in.acc_page_i);
        if (last_in.cmd_valid_i && !last.cmd_ready_o && !rude_) {
            in.cmd_valid_i = true;
            in.cmd_op_i = last_in.cmd_op_i;
            in.cmd_page_i = last_in.cmd_page_i;
            in.cmd_lease_i = last_in.cmd_lease_i;
        } else if (r.chance(cmd_)) {
            command(r, in, last);
        }
    }

  private:
    uint32_t cmd_ = 0, acc_ = 0, take_ = 0, evict_ = 0, lease_w_ = 1, hot_ = 1, base_ = 0;
    bool rude_ = false;
    std::vector<bool> resident_ = std::vector<bool>(cfg.Pages);

    uint32_t frame(Random &r)
    {
        return uint32_t((base_ + r.below(hot_)) % cfg.Pages);
    }
    void access(Random &r, In &in, bool held, uint32_t page)
    {
        in.acc_page_i = held ? page : frame(r);
        if (!held && rude_ && r.chance(16)) in.acc_page_i = uint32_t(r.u64());
        in.acc_valid_i = held || (r.chance(acc_) && (rude_ || resident_[in.acc_page_i]));
    }
    // An absent page: migrate it.  A resident one: evict or recall it, sometimes the one with the offered expiry.
    void command(Random &r, In &in, const Out &last)
    {
        in.cmd_page_i = last.exp_valid_o && r.chance(64) ? last.exp_page_o : frame(r);
        in.cmd_op_i = resident_[in.cmd_page_i] ? (r.chance(evict_) ? LEASE_TABLE_EVICT : LEASE_TABLE_RECALL)
                                               : LEASE_TABLE_MIGRATE;
        in.cmd_lease_i = uint16_t(r.u64() & bits_mask(lease_w_));
        if (rude_ && r.chance(32)) in.cmd_op_i = uint8_t(r.u64());
        if (rude_ && r.chance(16)) in.cmd_page_i = uint32_t(r.u64());
        in.cmd_valid_i = true;
    }
};

struct Coverage {
    static inline const bool kPower = (cfg.Pages & (cfg.Pages - 1)) == 0;
    static inline const char *const kEvery = kPower ? "every number is a page" : nullptr;
    static inline const char *const kTwo = cfg.Events > 2 ? nullptr : "at most two expiries wait: the queue is full";
    static inline const char *const kOne = cfg.Events > 1 ? nullptr : "one expiry waits at most";

    void sample(Cover &cover, const Twin &m, const In &in, const Out &out, bool)
    {
        const uint32_t top = 1u << cfg.LeaseW;
        const bool cmd = in.cmd_valid_i && out.cmd_ready_o, acc = in.acc_valid_i && out.acc_ready_o;
        const uint32_t page = in.cmd_valid_i ? in.cmd_page_i : in.acc_page_i;
        const bool there = page < cfg.Pages, resident = there && (m.page_q[page] & top);
        const uint32_t lease = there ? m.page_q[page] & (top - 1) : 0;
        const bool migrate = cmd && in.cmd_op_i == LEASE_TABLE_MIGRATE, evict = cmd && in.cmd_op_i == LEASE_TABLE_EVICT,
                   recall = cmd && in.cmd_op_i == LEASE_TABLE_RECALL, expire = acc && resident && lease == 1;
        cover("a command waits for the table to be cleared", in.cmd_valid_i && !m.ready_q);
        cover("an access waits for the table to be cleared", in.acc_valid_i && !in.cmd_valid_i && !m.ready_q);
        cover("a page is migrated", migrate && there && !resident && in.cmd_lease_i);
        cover("with a lease of 0", migrate && there && !resident && !in.cmd_lease_i);
        cover("a page is evicted before its lease expires", evict && resident && lease);
        cover("a page is evicted, its lease has run out", evict && resident && !lease);
        cover("a page is recalled", recall && resident && !lease && in.cmd_lease_i > 1,
              cfg.LeaseW > 1 ? nullptr : "leases are 0 or 1");
        cover("a page is recalled with a lease of 1", recall && resident && !lease && in.cmd_lease_i == 1);
        cover("a page is recalled before its lease expires", recall && resident && lease);
        cover("a lease goes down", acc && resident && lease > 1, cfg.LeaseW > 1 ? nullptr : "leases are 0 or 1");
        cover("a lease runs out", expire);
        cover("an access to a page with an expired lease", out.acc_expired_o);
        cover("refused by cmd_done_o", cmd && !out.cmd_done_o);
        cover("refused by acc_done_o", acc && !out.acc_done_o);
        cover("refused: migrated, but resident", migrate && resident);
        cover("refused: evicted, but absent", evict && there && !resident);
        cover("refused: recalled, but absent", recall && there && !resident);
        cover("refused: accessed, but absent", acc && there && !resident);
        cover("refused: no such command", cmd && in.cmd_op_i == 3);
        cover("refused: a command to no page", cmd && !there, kEvery);
        cover("refused: an access to no page", acc && !there, kEvery);
        cover("a command goes before an access", cmd && in.acc_valid_i && m.count_q != cfg.Events);
        cover("the last page", cmd && page == cfg.Pages - 1);
        events(cover, m, in, out, evict && resident, recall && resident, expire);
    }

  private:
    void events(Cover &cover, const Twin &m, const In &in, const Out &out, bool evict, bool recall, bool expire)
    {
        const bool full = m.count_q == cfg.Events, head = m.count_q && (m.live_q & 1);
        bool behind = false;
        for (uint32_t i = 1; i < m.count_q; i++) behind |= (m.live_q >> i & 1) && m.exp_q[i] == in.cmd_page_i;
        const bool mine = head && m.exp_q[0] == in.cmd_page_i;
        cover("an access waits for room for an expiry", in.acc_valid_i && !in.cmd_valid_i && full);
        cover("a command while there is no room", in.cmd_valid_i && full);
        cover("an expiry is taken", out.exp_valid_o && in.exp_ready_i);
        cover("an expiry waits", out.exp_valid_o && !in.exp_ready_i);
        cover("one expiry is taken and another comes", out.exp_valid_o && in.exp_ready_i && expire, kOne);
        const bool late = out.acc_expired_o;
        bool further = false;
        for (uint32_t i = 1; i < m.count_q; i++) further |= (m.live_q >> i & 1) && m.exp_q[i] == in.acc_page_i;
        cover("the expiry offered is withdrawn by an access",
              late && head && m.exp_q[0] == in.acc_page_i && !in.exp_ready_i, kOne);
        cover("it is taken in that cycle", late && head && m.exp_q[0] == in.acc_page_i && in.exp_ready_i, kOne);
        cover("an expiry further behind is withdrawn by an access", late && further && !in.exp_ready_i, kTwo);
        cover("and moves up in that cycle", late && further && in.exp_ready_i, kTwo);
        cover("the expiry offered is withdrawn by its eviction", mine && evict);
        cover("the expiry offered is withdrawn by a recall", mine && recall);
        cover("it is withdrawn while it would be taken", mine && (evict || recall) && in.exp_ready_i);
        cover("an expiry further behind is withdrawn", behind && (evict || recall), kOne);
        cover("a withdrawn expiry comes to the front and is dropped", m.count_q && !(m.live_q & 1), kOne);
        cover("the queue is full of expiries", full && m.live_q == bits_mask(cfg.Events),
              cfg.Events > cfg.Pages ? "there are fewer pages" : nullptr);
    }
};

COSIM_MAIN
